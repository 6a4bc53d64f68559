"""`dagrad check`: compares every gradient with a numerical one."""

from typing import TYPE_CHECKING, Annotated, Any

from ..options import At, ExpressionOption, Program
from ..parameters import Option
from ..screen import Screen

if TYPE_CHECKING:
    from ..checking import Subject


def command(
    screen: Screen,
    program: Program,
    e: ExpressionOption = None,
    at: At = None,
    all: Annotated[bool, Option("--all", help="List the elements that agree, too.")] = False,
) -> None:
    """Compares every gradient with a numerical one; ends with 1 where one is wrong.

    dagrad check samples/quadrature.dg               # the first backward call, at the initial params
    dagrad check -e 'x * abs(y)' --at x=2 --at y=0   # an expression; a kink is no mistake
    """
    from ..checking import failure
    from ..program import one_of

    one_of(program, e)
    results = list(subject(program, e, at).results())
    if not screen.json:
        show(screen, results, all)
    if wrong := failure(results, {"results": results}):
        raise wrong
    if screen.json:
        screen.document(results=results)


def subject(program: Program, e: str | None, at: list[str] | None) -> "Subject":
    from .. import checking

    if e is None:
        return checking.of_program(program)
    from ..point import Point

    point = Point(e, at or [])
    point.require_scalar()
    return checking.of_point(point, point.gradients(list(point.leaves)))


def show(screen: Screen, results: list[dict[str, Any]], all: bool) -> None:
    """The elements that call for a look, then the count of each verdict."""
    from ..checking import place
    from ..values import rounded

    rows = [
        [place(result), result["verdict"], rounded(result["analytic"], None), rounded(result["numeric"], None)]
        for result in results
        if all or result["verdict"] != "ok"
    ]
    screen.table(["element", "verdict", "gradient", "numerical"], rows)
    verdicts = [result["verdict"] for result in results]
    counts = [f"{verdicts.count(verdict)} {verdict}" for verdict in dict.fromkeys(verdicts)]
    screen.line(f"{len(results)} checked: {', '.join(counts)}" if results else "nothing to check")
