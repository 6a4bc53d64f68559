"""`dagrad test`: runs every program of a folder as a test."""

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from ..options import MAX_JOBS, Limits
from ..parameters import Argument, Option
from ..screen import Screen
from ..status import Exit, Failure, UsageError

if TYPE_CHECKING:
    from ..testing.cases import Job, Result

PATIENCE = 1.0  # seconds of tests in this process before others are started: that takes as long


def command(
    screen: Screen,
    limits: Limits,
    paths: Annotated[list[Path] | None, Argument(metavar="[DIR]...", help="Folders or programs.  [default: this folder]")] = None,
    jobs: Annotated[
        int,
        Option(
            "--jobs", "-j", min=0, max=MAX_JOBS, metavar="N", help="Work in N processes.  [default: one for each core, once it pays]"
        ),
    ] = 0,
    seed: Annotated[int, Option("--seed", min=0, metavar="N", help="Where random numbers start.")] = 0,
    record: Annotated[bool, Option("--record", help="Write what each program prints into the .out file beside it.")] = False,
    junit: Annotated[Path | None, Option("--junit", metavar="FILE", help="Write a report in JUnit's XML.")] = None,
) -> int:
    """Runs every program of a folder: each must end well, and print what was recorded beside it in a file .out.

    dagrad test samples/nist                                                # every .dg file below
    dagrad test models --junit report.xml --error-format github || exit 1   # in CI
    dagrad test models --record && git diff models | less                   # keep what is printed now as what shall be
    """
    from ..testing.cases import Job, found

    began = time.perf_counter()
    files = found(paths or [Path(".")])
    settings = tuple((name, getattr(limits, name)) for name in ("timeout", "max_steps", "max_depth", "max_elements"))
    results = []
    for result in run(Job((*settings, ("seed", seed)), record), files, jobs):
        results.append(result)
        if not screen.json and not screen.quiet:
            screen.line(f"{'ok' if result.ok else 'FAILED'}\t{result.file}")
    if junit is not None:
        report(results, junit)
    return finish(screen, results, time.perf_counter() - began)


def run(job: "Job", files: list[str], jobs: int) -> "Iterator[Result]":
    """Results in the order of the files: here for a moment, then in several processes if there is more to do."""
    from ..sweeping.workers import batches_of, processes, resilient

    began, done = time.perf_counter(), 0
    cores = jobs or os.cpu_count() or 1
    patience = 0.0 if jobs > 1 else PATIENCE
    while done < len(files) and (cores == 1 or time.perf_counter() - began <= patience):
        yield job.done(files[done])
        done += 1
    if done < len(files):
        for batch in resilient(processes(cores), job, batches_of(files[done:], cores)):
            yield from batch


def report(results: "list[Result]", path: Path) -> None:
    from ..testing.junit import document

    try:
        path.write_text(document(results), "utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {path}: {(error.strerror or str(error)).lower()}") from None


def finish(screen: Screen, results: "list[Result]", seconds: float) -> int:
    """The count, and what went wrong in each test that failed."""
    from dagrad.grammar import Diagnostic

    failed = [result for result in results if not result.ok]
    tests = [
        {"file": r.file, "ok": r.ok, "seconds": r.seconds, "errors": [diagnostic.as_json() for diagnostic in r.diagnostics]}
        for r in results
    ]
    document = {"tests": tests, "passed": len(results) - len(failed), "failed": len(failed), "seconds": seconds}
    count = f"{len(results) - len(failed)} passed" + (f", {len(failed)} failed" if failed else "")
    if screen.json and not failed:
        screen.document(**document)
    elif not screen.json:
        screen.line(f"{count} in {seconds:.2f} s")
    if not failed:
        return Exit.OK
    first = Diagnostic("test-failed", f"{len(failed)} of {len(results)} programs failed")
    sources = {name: source for result in failed for name, source in result.sources.items()}
    raise Failure([first, *(diagnostic for result in failed for diagnostic in result.diagnostics)], sources, document)
