"""`dagrad sweep`: runs a program or an expression at many points."""

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

from ..options import MAX_JOBS, At, ExpressionOption, Program
from ..parameters import Option, Options
from ..screen import Screen
from ..status import Exit, Failure, UsageError

if TYPE_CHECKING:
    from ..sweeping.grid import Grid
    from ..sweeping.rows import Form
    from ..sweeping.sweep import Sweep


class Format(StrEnum):
    JSONL = "jsonl"
    CSV = "csv"


class Points(Options):
    """The points and who works on them."""

    over: Annotated[
        list[str] | None,
        Option("--over", metavar="NAME=VALUES|FILE", help="x=linspace(0,1,11), or a CSV file; several: their product."),
    ] = None
    zip: Annotated[bool, Option("--zip", help="Take several --over side by side.")] = False
    jobs: Annotated[
        int, Option("--jobs", "-j", min=-1, max=MAX_JOBS, metavar="N", help="Work in N processes; -1: one for each core.")
    ] = 1
    dask: Annotated[str | None, Option("--dask", metavar="ADDRESS", help="Work on a Dask cluster, as tcp://scheduler:8786.")] = None


def command(
    screen: Screen,
    program: Program,
    points: Points,
    e: ExpressionOption = None,
    at: At = None,
    format: Annotated[Format, Option("--format", help="The form of the rows.")] = Format.JSONL,
    keep: Annotated[list[str] | None, Option("--keep", metavar="NAME", help="Write this value or param only; repeatable.")] = None,
    resume: Annotated[Path | None, Option("--resume", metavar="FILE", help="Add to FILE the rows that it lacks.")] = None,
    fail_fast: Annotated[bool, Option("--fail-fast", help="Stop at the first point that fails.")] = False,
) -> int:
    """Runs a program, or takes the gradients of an expression, once for each point; a row each, in the order of the points.

    dagrad sweep -e 'x*sin(x)' --over 'x=linspace(0,1,5)'                  # value and gradient at five points
    dagrad sweep model.dg --over 'a=arange(9)' --over 'b=[1,2]' --jobs 4   # params or inputs; all 18 pairs
    dagrad sweep model.dg --over grid.csv > out.jsonl                      # columns are params or inputs
    """
    from ..sweeping.bar import counted
    from ..sweeping.grid import grid
    from ..sweeping.rows import Csv, JsonLines

    made = sweep(program, points, grid(points.over or [], points.zip), e, at or [], keep or [])
    form: Form = Csv() if format is Format.CSV else JsonLines()
    if screen.json:
        rows = list(counted(screen, made.rows(set()), len(made.grid.points)))
        screen.document(rows=rows)
        return Exit.OK if all(row["ok"] for row in rows) else Exit.FAILED
    if resume is None:
        return written(screen, made, form, screen.out, {}, fail_fast)
    return continued(screen, made, form, resume, fail_fast)


def sweep(program: Program, points: Points, over: "Grid", e: str | None, at: list[str], keep: list[str]) -> "Sweep":
    from ..program import one_of
    from ..sweeping.sweep import Sweep, job_of_expression, job_of_program, workers

    one_of(program, e)
    job = job_of_program(program, over, keep) if e is None else job_of_expression(e, over, at, program)
    return Sweep(job, over, *workers(points.jobs, points.dask))


def continued(screen: Screen, made: "Sweep", form: "Form", path: Path, fail_fast: bool) -> int:
    """Rows that the file has are not worked out again; a torn last line is."""
    from ..sweeping.rows import Earlier

    screen.keep()
    earlier = Earlier(path, form, made.grid)
    screen.note(f"{path}: {len(earlier.rows)} of {len(made.grid.points)} rows are there already")
    try:
        with path.open("a", encoding="utf-8", newline="\n") as file:
            return written(screen, made, form, file, earlier.rows, fail_fast, earlier.done)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {(error.strerror or str(error)).lower()}") from None


def written(screen: Screen, made: "Sweep", form: "Form", file: TextIO, earlier: dict[int, str], fail_fast: bool, begin: int = 0) -> int:
    """Writes the rows from `begin` on, each line as soon as it can be; 1 where a point failed."""
    from ..sweeping.bar import counted

    failed = 0
    for row in counted(screen, merged(made, earlier, begin), len(made.grid.points), begin):
        if isinstance(row, str):
            file.write(row + "\n")
            continue
        failed += not row["ok"]
        file.writelines(line + "\n" for line in form.lines(row))
        file.flush()
        if fail_fast and not row["ok"]:
            raise failure(row)
    file.writelines(line + "\n" for line in form.finish())
    if failed:
        screen.note(f"{failed} of {len(made.grid.points)} points failed; the rows say why")
    return Exit.FAILED if failed else Exit.OK


def merged(made: "Sweep", earlier: dict[int, str], begin: int) -> Iterator[Any]:
    """New rows and the lines of earlier ones, in the order of the points."""
    rows = made.rows(set(earlier))
    for index in range(begin, len(made.grid.points)):
        yield earlier[index] if index in earlier else next(rows)


def failure(row: dict[str, Any]) -> Failure:
    """The failure that --fail-fast ends with."""
    from dagrad.grammar import Diagnostic

    error = row["error"]
    place = {key: error.get(key) for key in ("file", "line", "column", "end_line", "end_column")}
    where = ", ".join(f"{name}={value}" for name, value in row["point"].items())
    return Failure([Diagnostic(error["kind"], f"at {where}: {error['message']}", **place, help=error.get("help"))])
