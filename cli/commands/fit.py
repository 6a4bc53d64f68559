"""`dagrad fit`: fits a model to data."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from ..options import MAX_COUNT, Chunk, Digits, ExpressionOption, Program
from ..parameters import Option
from ..screen import Screen
from ..status import Failure, UsageError

if TYPE_CHECKING:
    from ..fitting.fit import Fit
    from ..fitting.model import Model
    from ..fitting.table import Table


def command(
    screen: Screen,
    program: Program,
    e: ExpressionOption = None,
    data: Annotated[
        Path | None, Option("--data", metavar="FILE", help="A CSV file; its columns become the inputs of their names.")
    ] = None,
    y: Annotated[str | None, Option("--y", metavar="NAME", help="The column to explain.  [default: y]")] = None,
    start: Annotated[list[str] | None, Option("--start", metavar="NAME=VALUE", help="Where a parameter starts; repeatable.")] = None,
    bound: Annotated[
        list[str] | None, Option("--bound", metavar="NAME=LOW,HIGH", help="Bounds of a parameter, as b=0,inf; repeatable.")
    ] = None,
    method: Annotated[
        str,
        Option(
            "--method",
            metavar="NAME",
            help="lm, trf or gauss-newton; for a loss l-bfgs-b, bfgs, cg, newton-cg, trust-exact or trust-krylov.",
        ),
    ] = "auto",
    residual: Annotated[
        str | None, Option("--residual", metavar="NAME", help="The name that holds the residuals.  [default: residual]")
    ] = None,
    loss: Annotated[
        str | None,
        Option("--loss", metavar="NAME", help="The name that holds the loss.  [default: loss, or what backward is called on]"),
    ] = None,
    max_evaluations: Annotated[
        int | None, Option("--max-evaluations", min=1, max=MAX_COUNT, metavar="N", help="Give up after N evaluations.")
    ] = None,
    ci: Annotated[float | None, Option("--ci", min=1, max=99.99, metavar="P", help="Add confidence intervals of P percent.")] = None,
    chunk: Chunk = None,
    dask: Annotated[str | None, Option("--dask", metavar="ADDRESS", help="Share the pieces of --chunk among a Dask cluster.")] = None,
    plot: Annotated[bool | None, Option("--plot/--no-plot", help="Draw curve and residuals.  [default: on a terminal]")] = None,
    svg: Annotated[Path | None, Option("--svg", metavar="FILE", help="Draw curve and residuals into FILE.")] = None,
    digits: Digits = None,
) -> None:
    """Fits a model to data: estimates, standard errors, correlation; ends with 1 where the search did not converge.

    dagrad fit samples/nist/misra1a.dg                         # a program with its data and start values
    dagrad fit model.dg --data samples/nist/misra1a.csv --start b1=250   # columns become inputs; another start
    dagrad fit -e 'b1*(1 - exp(-b2*x))' --data samples/nist/misra1a.csv --start b1=500 --start b2=0.0001
    dagrad fit model.dg --data points.csv --json | jq .estimates
    """
    from ..fitting.fit import fit
    from ..fitting.table import Table

    table = None if data is None else Table(data)
    made = model(program, e, table, start or [], y, (residual, loss))
    found = fit(made, table, method=method, bounds=bound or [], chunk=chunk, dask=dask, max_evaluations=max_evaluations)
    if svg is not None:
        write_svg(found, svg)
    if not screen.json:
        show(screen, found, ci, digits, plot)
    finish(screen, found, ci)


def model(
    program: Program, e: str | None, table: "Table | None", start: list[str], y: str | None, target: tuple[str | None, str | None]
) -> "Model":
    """The program or the expression."""
    from ..fitting.model import ExpressionModel, ProgramModel
    from ..program import one_of

    one_of(program, e)
    columns = table.names if table else []
    if e is None:
        return ProgramModel(program, columns, start, y, target)
    if table is None:
        raise UsageError("-e needs data", help="name the file with --data points.csv")
    return ExpressionModel(e, columns, start, y)


def show(screen: Screen, found: "Fit", ci: float | None, digits: int | None, plot: bool | None) -> None:
    """Tables; on a terminal the correlation and the picture as well."""
    from ..fitting import report

    digits = digits or (7 if screen.is_terminal else None)
    screen.table(report.heads(ci), report.rows(found, ci, digits))
    if screen.quiet:
        return
    if screen.is_terminal and len(found.parameters.labels) > 1:
        screen.table(["correlation", *found.parameters.labels], report.correlation_rows(found))
    screen.table(["", ""], report.summary(found, digits))
    if plot or (plot is None and screen.is_terminal):
        from ..fitting.plot import text

        if found.curve is not None:
            screen.line(text(found.curve))


def write_svg(found: "Fit", path: Path) -> None:
    from ..fitting.plot import svg

    if found.curve is None:
        raise UsageError("--svg: there is no curve to draw", help="it needs residuals y - model of an input y, all rows at once")
    try:
        path.write_text(svg(found.curve), "utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {path}: {(error.strerror or str(error)).lower()}") from None


def finish(screen: Screen, found: "Fit", ci: float | None) -> None:
    """The document, or the failure of a search that did not converge."""
    from dagrad.grammar import Diagnostic

    from ..fitting.report import fields

    document: dict[str, Any] = fields(found, ci)
    if not found.found.converged:
        help = "start nearer, bound the parameters, or try another --method"
        raise Failure([Diagnostic("not-converged", f"the fit did not converge: {found.found.reason}", help=help)], document=document)
    if screen.json:
        screen.document(**document)
