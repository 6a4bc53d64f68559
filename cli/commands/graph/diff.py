"""`dagrad graph diff`: how the graph of one backward call differs from another's, or one program's from another's."""

from typing import TYPE_CHECKING, Annotated, Any

from ...options import Program
from ...parameters import Argument, Option
from ...screen import Screen
from ...status import Exit, UsageError

if TYPE_CHECKING:
    from dagrad.engine.inspect import Difference, GraphNode


def command(
    screen: Screen,
    program: Program,
    first: Annotated[str | None, Argument(metavar="[FILE]", help="The program; a second one is compared with it.")] = None,
    steps: Annotated[
        str | None,
        Option("--steps", metavar="A,B", help="The two backward calls, negative from the end.  [default: 1,2; of two files 1,1]"),
    ] = None,
    exit_code: Annotated[bool, Option("--exit-code", help="Exit with 1 where the graphs differ.")] = False,
) -> int:
    """Nodes and edges that a graph has more or less than another, by source line.

    dagrad graph diff samples/branches.dg --steps 1,2        # did an `if` change the graph?
    dagrad graph diff samples/branches.dg --steps 1,-1 -q --exit-code # for scripts: 0 equal, 1 different
    dagrad graph diff old.dg new.dg                          # of two programs
    """
    from dagrad.engine.inspect import difference

    from ...graphs import of_program

    two = first is not None and program.file is not None
    pair = chosen(steps, "1,1" if two else "1,2")
    before = program.replace(file=first if first is not None else program.file)
    after = program if two else before
    found = difference(of_program(before, pair[0], option="--steps"), of_program(after, pair[1], option="--steps"))
    if screen.json:
        document(screen, pair, found)
    elif not screen.quiet:
        show(screen, found)
    return Exit.FAILED if exit_code and not found.equal else Exit.OK


def chosen(steps: str | None, default: str) -> tuple[int, int]:
    """The two numbers of --steps."""
    try:
        first, second = (int(word) for word in (steps or default).split(","))
    except ValueError:
        raise UsageError(f"--steps {steps}: two numbers are needed", help="write --steps 1,2") from None
    if not (first and second):
        raise UsageError(f"--steps {steps}: steps count from 1, or from -1 at the end")
    return first, second


def show(screen: Screen, found: "Difference") -> None:
    """A row a change, `+` gained and `-` lost."""
    rows = [[sign(c.count), "node", line(c.node), c.node.op, c.node.variable or c.node.source] for c in found.nodes]
    rows += [[sign(c.count), "edge", line(c.source), f"{name(c.source)} → {name(c.target)}", f"input {c.slot}"] for c in found.edges]
    screen.table(["", "", "line", "what", "where"], rows)
    if found.equal:
        screen.note("the graphs are equal")


def sign(count: int) -> str:
    return ("+" if count > 0 else "-") + (f"{abs(count)}" if abs(count) > 1 else "")


def line(node: "GraphNode") -> str:
    return str(node.place.line) if node.place else "-"


def name(node: "GraphNode") -> str:
    return node.variable or f"{node.op} ({node.source})"


def document(screen: Screen, pair: tuple[int, int], found: "Difference") -> None:
    nodes = [{**fields(c.node), "count": c.count} for c in found.nodes]
    edges = [{"from": fields(c.source), "to": fields(c.target), "slot": c.slot, "count": c.count} for c in found.edges]
    screen.document(
        steps=list(pair),
        equal=found.equal,
        nodes=split(nodes),
        edges=split(edges),
        by_line=[{"line": line or None, "gained": gained, "lost": lost} for line, (gained, lost) in found.by_line().items()],
    )


def split(changes: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Changes as gained and lost, with counts above zero."""
    return {
        "gained": [change for change in changes if change["count"] > 0],
        "lost": [{**change, "count": -change["count"]} for change in changes if change["count"] < 0],
    }


def fields(node: "GraphNode") -> dict[str, Any]:
    place = {"line": node.place.line, "column": node.place.column} if node.place else {"line": None, "column": None}
    return {"op": node.op, **place, "source": node.source, "shape": list(node.shape), "variable": node.variable}
