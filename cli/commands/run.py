"""`dagrad run`: runs a program and shows its params and their gradients."""

from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated, Any

from ..draw.progress import Progress
from ..options import Digits, Program
from ..parameters import Option
from ..screen import Screen

if TYPE_CHECKING:
    from dagrad.engine.inspect import MemoryRecorder, TraceRecorder
    from dagrad.grammar import Program as Compiled
    from dagrad.grammar import Run


def command(
    screen: Screen,
    program: Program,
    memory: Annotated[bool, Option("--memory", help="End with the report of `dagrad memory`.")] = False,
    trace: Annotated[bool, Option("--trace", help="End with the engine's steps in the last backward call.")] = False,
    digits: Digits = None,
) -> None:
    """Runs a program: its print lines, then a table of the params with value and gradient.

    dagrad run samples/misra1a.dg                  # a file
    dagrad run model.dg --set lr=0.01 --seed 7     # with other inputs
    dagrad run -c 'param x = 3' -c 'backward(x^2)' # a line of code each
    dagrad run model.dg --json | jq .params        # for scripts
    dagrad run samples/xor.dg --memory --trace     # with what the graph kept, and the engine's last pass
    """
    from .. import program as programs

    compiled = programs.compiled(program, {"output": []})
    watcher = Watcher(screen, memory, trace)
    run = watcher.run(compiled, program)
    programs.finished(run, compiled.sources, {"output": programs.printed(run)})
    if screen.json:
        document(screen, run, watcher)
    elif not screen.quiet:
        table(screen, run, digits)
    watcher.report(screen, run)


class Watcher:
    """What is told of a run while it goes on: the progress, and the recorders that were asked for."""

    def __init__(self, screen: Screen, memory: bool, trace: bool) -> None:
        self.memory: MemoryRecorder | None = None
        self.trace: TraceRecorder | None = None
        if memory or trace:
            from dagrad.engine import inspect

            self.memory = inspect.MemoryRecorder() if memory else None
            self.trace = inspect.TraceRecorder() if trace else None
        self.progress = Progress(screen, (lambda text: None) if screen.json else screen.line)
        self.watched = screen.is_watched

    def run(self, compiled: "Compiled", program: Program) -> "Run":
        from .. import program as programs

        heard = self.stepped if self.watched or self.trace else None
        with ExitStack() as stack:
            for recorder in (self.memory, self.trace):
                if recorder:
                    stack.enter_context(recorder)
            stack.callback(self.progress.wipe)
            settings = programs.settings(program, self.progress.printed if self.watched else self.progress.output, heard)
            settings.fused, settings.counted = not self.trace, bool(self.memory)
            return compiled.run(settings)

    def stepped(self, root: Any, place: Any, index: int) -> None:
        """A backward call of the program begins."""
        if self.trace:
            self.trace.arm()
        if self.watched:
            self.progress.stepped(root, place, index)

    def memory_report(self, run: "Run") -> dict[str, Any]:
        from ..program import peak_rss

        report = self.memory.report({**run.values, **run.params}) if self.memory else {}
        return {**report, "process": {"peak_rss_bytes": peak_rss()}}

    def report(self, screen: Screen, run: "Run") -> None:
        """The reports that follow the table."""
        if screen.json:
            return
        if self.memory:
            from .memory import show as show_memory

            show_memory(screen, self.memory_report(run))
        if self.trace:
            from .graph.trace import show_recorded, show_summary

            show_recorded(screen, self.trace, 6)
            show_summary(screen, self.trace)


def document(screen: Screen, run: "Run", watcher: Watcher) -> None:
    from ..program import printed
    from ..values import is_numeric

    traced = {"trace": [step.as_dict() for step in watcher.trace.steps]} if watcher.trace else {}
    screen.document(
        output=printed(run),
        values={name: value for name, value in run.values.items() if is_numeric(value)},
        params={name: {"value": leaf, "grad": leaf.grad} for name, leaf in run.params.items()},
        memory=watcher.memory_report(run),
        **traced,
    )


def table(screen: Screen, run: "Run", digits: int | None) -> None:
    """The params: in full for scripts, in short for a person."""
    from ..draw import tensors
    from ..values import text

    if screen.is_terminal:
        rows = [
            [name, tensors.shape(leaf), tensors.summary(leaf, digits), tensors.summary(leaf.grad, digits), tensors.norm(leaf.grad, digits)]
            for name, leaf in run.params.items()
        ]
        columns = ["param", "shape", "value", "gradient", "norm of gradient"]
        kept = [0, *(i for i in range(1, 5) if any(row[i] for row in rows))]
        screen.table([columns[i] for i in kept], [[row[i] for i in kept] for row in rows])
    else:
        screen.table([], [[name, text(leaf), text(leaf.grad)] for name, leaf in run.params.items()])
