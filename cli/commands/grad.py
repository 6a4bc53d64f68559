"""`dagrad grad`: value and derivatives of one expression at a point."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

from ..options import At, Chunk, Digits, Limits
from ..parameters import Argument, File, Option
from ..screen import Screen
from ..status import UsageError

if TYPE_CHECKING:
    from ..point import Point
    from ..summing import RowSum


class Format(StrEnum):
    TABLE = "table"
    VALUE = "value"
    JSON = "json"


def command(
    screen: Screen,
    limits: Limits,
    expression: Annotated[str | None, Argument(metavar="EXPR", help="The expression; it may begin with a minus sign.")] = None,
    e: Annotated[str | None, Option("-e", metavar="EXPR", help="The expression, as an option.")] = None,
    at: At = None,
    wrt: Annotated[
        list[str] | None, Option("--wrt", metavar="NAME", help="Differentiate by this name only; repeatable.  [default: every name]")
    ] = None,
    order: Annotated[int, Option("--order", min=1, max=20, metavar="N", help="Derivatives up to the N-th.")] = 1,
    hessian: Annotated[bool, Option("--hessian", help="All second derivatives.")] = False,
    jacobian: Annotated[bool, Option("--jacobian", help="All first derivatives of an expression that is a tensor.")] = False,
    hvp: Annotated[
        list[str] | None, Option("--hvp", metavar="NAME=VALUE", help="The Hessian times this direction; repeatable.")
    ] = None,
    data: Annotated[
        File | None, Option("--data", metavar="FILE", help="A CSV file; names in EXPR that are its columns take them as values.")
    ] = None,
    sum: Annotated[bool, Option("--sum", help="Add up the values of EXPR, of all rows of --data.")] = False,
    chunk: Chunk = None,
    dask: Annotated[str | None, Option("--dask", metavar="ADDRESS", help="Share the pieces of --chunk among a Dask cluster.")] = None,
    steps: Annotated[bool, Option("--steps", help="Show each value, each local derivative by its rule, and each sum.")] = False,
    check: Annotated[bool, Option("--check", help="Compare the gradients with numerical ones; 1 where one is wrong.")] = False,
    format: Annotated[Format, Option("--format", help="value: the bare gradients, one a line.")] = Format.TABLE,
    digits: Digits = None,
) -> None:
    """Value and gradients of one expression at a point.

    dagrad grad 'x^2*sin(y)' --at x=3 --at y=pi/6     # the value, then a gradient for each name
    dagrad grad 'sum(x^2)' --at x=[1,2,3] --hessian   # tensors and second derivatives
    g=$(dagrad grad 'x^2' --at x=3 --format value)    # the bare number, for scripts
    dagrad grad -x^2 --at x=3 --json                  # one JSON document
    dagrad grad 'x*y + sin(x)' --at x=1 --at y=2 --steps  # how the gradients come about
    dagrad grad '(y - b*x)^2' --data samples/nist/danwood.csv --sum --at b=2  # over the rows of a file
    """
    del limits  # which hold for the whole command already
    from ..point import Point

    text = the_expression(expression, e)
    if data is not None:
        return over_rows(screen, text, at or [], wrt or [], data, (chunk, dask), sum, format, digits)
    if chunk is not None:
        raise UsageError("--chunk needs --data", help="only a data file is read in pieces")
    point = Point(f"sum({text})" if sum else text, at or [])
    names = point.chosen(wrt or [])
    if not jacobian:
        point.require_scalar()
    found = derivatives(point, names, order, hessian, jacobian, directions(point, hvp or []))
    if check and point.is_scalar:
        verify(point, found)
    if steps:
        point.require_scalar()
        return explained(screen, point, at or [], found, digits, format)
    return show(screen, point, found, format, digits)


def over_rows(
    screen: Screen,
    text: str,
    at: list[str],
    wrt: list[str],
    data: File,
    pieces: tuple[int | None, str | None],
    add: bool,
    format: Format,
    digits: int | None,
) -> None:
    """The gradient of a sum over the rows of a file."""
    from ..summing import RowSum

    rows_of = RowSum(text, at, data.path, add)
    names, (chunk, dask) = rows_of.chosen(wrt), pieces
    if dask is not None and chunk is None:
        raise UsageError("--dask needs --chunk", help="the workers share the pieces of a data file")
    found = rows_of.gradients(names, chunk) if dask is None or chunk is None else rows_of.gradients_on(dask, names, chunk)
    show(screen, rows_of, {"gradients": found}, format, digits)


def show(screen: Screen, point: "Point | RowSum", found: dict[str, Any], format: Format, digits: int | None) -> None:
    """Value and derivatives in the form that was asked for."""
    if screen.json or format is Format.JSON:
        screen.document(expression=point.text, value=point.value, **found)
    elif format is Format.VALUE:
        bare(screen, found)
    else:
        table(screen, point, found, digits)


def the_expression(argument: str | None, option: str | None) -> str:
    """EXPR or -e EXPR, and one of them only."""
    if argument is not None and option is not None:
        raise UsageError("EXPR and -e are both given", help="give one of them")
    if argument is None and option is None:
        raise UsageError("no expression is given", help="write dagrad grad 'x^2' --at x=3")
    return argument if argument is not None else option or ""


def directions(point: "Point", hvp: list[str]) -> dict[str, Any]:
    """The --hvp options by name."""
    from ..program import number, pairs

    found = {}
    for name, text in pairs(hvp, "--hvp").items():
        found[point.chosen([name], "--hvp")[0]] = number(text, "--hvp", name)
    return found


def derivatives(point: "Point", names: list[str], order: int, hessian: bool, jacobian: bool, directions: dict[str, Any]) -> dict[str, Any]:
    """Everything that was asked for, by the keys of the document. The gradients come last: they use the graph up."""
    found: dict[str, Any] = {}
    if jacobian:
        found["jacobian"] = point.jacobians(names)
    if hessian:
        found["hessian"] = point.hessians(names)
    if directions:
        found["hvp"] = point.hessian_products(directions, names)
    if order > 1:
        found["orders"] = point.orders(names, order)
    return {"gradients": point.gradients(names) if point.is_scalar else None, **found}


def explained(screen: Screen, point: "Point", at: list[str], found: dict[str, Any], digits: int | None, format: Format) -> None:
    """The way from the values to the gradients, in the order of the engine."""
    from ..steps import Steps, show

    if not point.leaves:
        raise UsageError(f"--steps: {point.text} has no name to differentiate by")
    way = Steps(point.text, at)
    if screen.json or format is Format.JSON:
        screen.document(expression=point.text, value=point.value, **found, steps=way.document())
    else:
        show(screen, way, digits)


def verify(point: "Point", found: dict[str, Any]) -> None:
    """Adds the comparison with numerical gradients; fails where one is wrong."""
    from ..checking import failure, of_point

    found["check"] = list(of_point(point, found["gradients"]).results())
    if wrong := failure(found["check"], {"expression": point.text, "value": point.value, **found}):
        raise wrong


def bare(screen: Screen, found: dict[str, Any]) -> None:
    """The derivatives without their names, one a line, in the order of --wrt."""
    from ..values import text

    for _, value in rows(found):
        screen.line(text(value))


def table(screen: Screen, point: "Point | RowSum", found: dict[str, Any], digits: int | None) -> None:
    from ..values import cell, text

    def show(value: Any) -> str:
        return cell(value, digits) if screen.is_terminal else text(value)

    lines = [["value", show(point.value)]] + [[label, show(value)] for label, value in rows(found)]
    lines += [[f"check {result['name']}{result['index'] or ''}", result["verdict"]] for result in found.get("check", [])]
    screen.table(["", point.text], lines)


def rows(found: dict[str, Any]) -> list[tuple[str, Any]]:
    """Each derivative with its label. A gradient's is the name alone; the others say what they are."""
    lines = list((found["gradients"] or {}).items()) if "jacobian" not in found else list(found["jacobian"].items())
    for name, values in found.get("orders", {}).items():
        lines += [(name + "'" * number, value) for number, value in enumerate(values[1:], 2)]
    for name, blocks in found.get("hessian", {}).items():
        lines += [(f"hessian {name} {other}", block) for other, block in blocks.items()]
    return lines + [(f"hvp {name}", value) for name, value in found.get("hvp", {}).items()]
