"""`dagrad graph trace`: the engine at work, step by step."""

from typing import TYPE_CHECKING, Annotated, Any

from ...draw.gradients import short
from ...draw.turns import lines
from ...options import At, Digits, ExpressionOption, Program
from ...parameters import Option
from ...screen import Screen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dagrad.engine.inspect import Step, TraceRecorder

    from ...graphs import Observer


def command(
    screen: Screen,
    program: Program,
    e: ExpressionOption = None,
    at: At = None,
    step: Annotated[int, Option("--step", metavar="K", help="The K-th backward call; from the end where negative.")] = 1,
    summary: Annotated[bool, Option("--summary", help="Only the summary by operation, with times.")] = False,
    digits: Digits = None,
) -> None:
    """The engine at work: each node as its turn comes, the gradients in and out, what is let go.

    dagrad graph trace -e 'x*y + sin(x)' --at x=1 --at y=2      # of an expression
    dagrad graph trace samples/newton_sqrt.dg --summary         # where the time of a pass goes
    dagrad graph trace samples/xor.dg --step -1 --json          # one JSON document a line
    """
    from ...graphs import Observer, texts_of, traced

    trace = Observer()
    texts = texts_of(traced(program, e, at or [], step, trace))
    if screen.json:
        documents(screen, trace, texts, summary)
        return
    if not summary and e is None:
        show_recorded(screen, trace, digits or 6)
    elif not summary:
        show(screen, list(located(trace, texts)), digits or 6)
    if summary or screen.is_terminal:
        show_summary(screen, trace)


def located(trace: "Observer", texts: "Callable[[Any], str | None]") -> "Iterator[Step]":
    """The steps with the program's own text beside each; a variable of the command line has no place in it."""
    for step in trace.each():
        text = texts(step.place)
        step.source, step.place = text or "", None if text is None else step.place
        yield step


def documents(screen: Screen, trace: "Observer", texts: "Callable[[Any], str | None]", summary: bool) -> None:
    """JSON Lines: a document a step, then one with the summary."""
    root, count, seconds = "", 0, 0.0
    for step in located(trace, texts):
        root, count, seconds = root or step.node, count + 1, seconds + step.seconds
        if not summary:
            screen.document(kind="step", **step.as_dict())
    screen.document(kind="summary", root=root, steps=count, seconds=seconds, by_op=trace.by_op())


COLUMNS = ["step", "node", "line", "why ready", "gradient in", "gradients out", "then", "queue"]


def show(screen: Screen, steps: "list[Step]", digits: int) -> None:
    """A row a step; the same cells off a terminal, joined by tabs."""
    screen.table(COLUMNS, [row(step, digits) for step in steps])


def show_recorded(screen: Screen, trace: "TraceRecorder", digits: int) -> None:
    """The same of a pass as it was recorded, which may have millions of steps."""
    if trace.turns is None:
        show(screen, trace.steps, digits)
    elif screen.is_terminal:
        screen.table(COLUMNS, [line.split("\t") for text in lines(trace.turns, digits) for line in text.splitlines()])
    else:
        for text in lines(trace.turns, digits):
            screen.out.write(text)


def row(step: "Step", digits: int) -> list[str]:
    arrived = " ".join(short(part, digits) for part in step.gradient)
    sent = " ".join(f"{edge.to}[{edge.input_nr}]←{short(edge.gradient, digits)}" for edge in step.sent)
    return [
        str(step.number),
        f"{step.node} {step.variable or step.op}",
        str(step.place.line) if step.place else "-",
        reason(step),
        arrived,
        sent or "-",
        outcome(step, digits),
        " ".join(step.ready) or "-",
    ]


def reason(step: "Step") -> str:
    """Why its turn came: all the gradients it waited for had arrived, the last one from a certain node."""
    sender = step.because or "the caller"
    return f"{step.waited} of {step.waited}, last from {sender}"


def outcome(step: "Step", digits: int) -> str:
    if step.accumulated is not None:
        return f".grad = {short(step.total, digits)}"
    if step.released_bytes is None:
        return "kept"
    return f"freed {step.released_bytes} B"


def show_summary(screen: Screen, trace: "TraceRecorder") -> None:
    """Where the time went, by operation."""
    by_op = trace.by_op()
    total = sum(entry["seconds"] for entry in by_op.values()) or 1.0
    rows = [time_row(op, entry, total) for op, entry in by_op.items()]
    screen.table(["operation", "steps", "ms", "share", "freed"], rows)


def time_row(op: str, entry: dict[str, Any], total: float) -> list[str]:
    seconds = entry["seconds"]
    return [op, str(entry["nodes"]), f"{seconds * 1e3:.3f}", f"{seconds / total:.0%}", f"{entry['released_bytes']} B"]
