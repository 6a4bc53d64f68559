"""`dagrad memory`: what the graph keeps, per backward call, per source line, at the peak and at the end."""

from typing import Any

from ..options import Program
from ..screen import Screen

# A training loop has thousands of backward calls that look the same: a person sees the first of them.
SHOWN = 20


def command(screen: Screen, program: Program) -> None:
    """What the graph keeps alive for backward: per call, per source line, at the peak and at the end.

    dagrad memory samples/logistic_growth.dg          # tables, or lines in a pipe
    dagrad memory samples/xor.dg --json | jq .peak    # one JSON document
    """
    from ..program import peak_rss

    report = {**measured(program), "process": {"peak_rss_bytes": peak_rss()}}
    if screen.json:
        screen.document(**report)
    elif screen.is_terminal:
        tables(screen, report)
    else:
        lines(screen, report)


def measured(program: Program) -> dict[str, Any]:
    """The report of a run, whose own output is dropped."""
    from dagrad.engine.inspect import MemoryRecorder

    from .. import program as programs

    compiled = programs.compiled(program)
    settings = programs.settings(program, lambda text: None)
    with MemoryRecorder() as recorder:
        run = compiled.run(settings)
    programs.finished(run, compiled.sources)
    return recorder.report({**run.values, **run.params})


def lines(screen: Screen, report: dict[str, Any]) -> None:
    """One fact a line. Times are left out: what remains is the same in every run."""
    rows = [["backward", *map(str, call(entry))] for entry in report["backward"]]
    rows += [["peak", *map(str, place(report["peak"]))], ["at_exit", "", *map(str, amount(report["at_exit"]))]]
    rows += [["held_by", entry["name"], *map(str, place(entry))] for entry in report["at_exit"]["held_by"]]
    rows += [["line", *map(str, place(entry))] for entry in report["by_line"]]
    screen.table([], rows)


def tables(screen: Screen, report: dict[str, Any]) -> None:
    """The same for a person, with sizes in units."""
    calls = [[str(entry["index"]), *described(entry), "yes" if entry["retained"] else "no", f"{entry['seconds'] * 1e3:.2f}"] for entry in report["backward"]]
    screen.table(["backward", "line", "nodes", "saved", "retained", "ms"], calls[:SHOWN])
    if len(calls) > SHOWN:
        screen.note(f"{len(calls) - SHOWN} more backward calls")
    screen.table(["source line", "nodes made", "saved"], [described(entry) for entry in report["by_line"]])
    ends = [["peak", *described(report["peak"])], ["at exit", "", *described(report["at_exit"])[1:]]]
    ends += [[f"held by {entry['name']}", *described(entry)] for entry in report["at_exit"]["held_by"]]
    screen.table(["", "line", "nodes", "saved"], ends)
    screen.line(f"peak memory of the process: {size(report['process']['peak_rss_bytes'])}")


def call(entry: dict[str, Any]) -> list[Any]:
    return [entry["index"], *place(entry), entry["freed_bytes"]]


def place(entry: dict[str, Any]) -> list[Any]:
    return ["" if entry.get("line") is None else entry["line"], *amount(entry)]


def amount(entry: dict[str, Any]) -> list[Any]:
    return [entry["nodes"], entry["saved_bytes"]]


def described(entry: dict[str, Any]) -> list[str]:
    line, nodes, saved = place({"line": None, **entry})
    return [str(line), f"{nodes:,}", size(saved)]


def size(count: float) -> str:
    """A number of bytes for a person."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if count < 1024 or unit == "GiB":
            break
        count /= 1024
    return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
