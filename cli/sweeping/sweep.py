"""A sweep from its points to its rows, in their order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dagrad.grammar import Source, compile_expression

from .. import program as programs
from ..document import plain
from ..options import Program
from ..program import constant, guarded, pairs
from ..status import UsageError
from .work import Job
from .workers import Start, batches_of, cluster, here, processes, resilient

if TYPE_CHECKING:
    from .grid import Grid
    from .work import Row


@dataclass
class Sweep:
    """A job, its points, and who works on them."""

    job: Job
    grid: Grid
    start: Start
    workers: int

    def rows(self, skip: set[int]) -> Iterator[Row]:
        """The row of each point that is not skipped, as soon as it and all before it are done."""
        points = [(index, self.grid.point(index)) for index in range(len(self.grid.points)) if index not in skip]
        for rows in resilient(self.start, self.job, batches_of(points, self.workers)):
            yield from rows


def workers(jobs: int, dask: str | None) -> tuple[Start, int]:
    """Who works, and how many they are (of a cluster, whose size changes: a guess)."""
    if dask is not None:
        return cluster(dask), 8
    if jobs == 0:
        raise UsageError("--jobs 0: nobody would work", help="--jobs 1 works in this process, --jobs -1 in one for each core")
    if jobs == 1:
        return here, 1
    if jobs < 0:
        import os

        jobs = max(1, (os.cpu_count() or 1) + 1 + jobs)
    return processes(jobs), jobs


def job_of_program(program: Program, grid: Grid, keep: list[str]) -> Job:
    """The program with its imports as text, so that a worker needs no files but those it loads."""
    compiled = programs.compiled(program)
    known = [*compiled.params, *compiled.inputs]
    if unknown := [name for name in grid.names if name not in known]:
        raise UsageError(
            f"--over {unknown[0]}: the program has no param or input of that name", help=f"it has {', '.join(known) or 'none'}"
        )
    made = programs.settings(program, lambda text: None)
    fixed = tuple((name, plain(value)) for name, value in made.set.items() if name not in grid.names)
    first = compiled.source
    sources = [first, *(source for source in compiled.sources.values() if source is not first)]
    files = tuple((source.name, source.text, source.folder) for source in sources)
    return Job(files, False, fixed, settings(made), tuple(keep))


def job_of_expression(text: str, grid: Grid, at: list[str], program: Program) -> Job:
    """An expression, whose other names have fixed values."""
    source = Source("<expression>", text)
    names = guarded(lambda: compile_expression(source), {source.name: source}).names
    fixed = {name: constant(value, "--at", name) for name, value in pairs(at, "--at").items()}
    for name in [*grid.names, *fixed]:
        if name not in names:
            raise UsageError(f"{name} is no name of the expression", help=f"its names: {', '.join(names) or 'none'}")
    if missing := [name for name in names if name not in grid.names and name not in fixed]:
        raise UsageError(f"no value for {', '.join(missing)}", help="give " + " ".join(f"--at {name}=…" for name in missing))
    given = tuple((name, plain(value)) for name, value in fixed.items() if name not in grid.names)
    return Job(((source.name, text, ""),), True, given, settings(programs.settings(program, lambda text: None)))


def settings(made: Any) -> tuple[tuple[str, Any], ...]:
    """What a run is given beside its values, as plain data."""
    names = ("seed", "max_steps", "max_depth", "max_elements", "timeout", "allow_write", "check_finite")
    return tuple((name, getattr(made, name)) for name in names)
