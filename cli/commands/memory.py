"""`dagrad memory`: what the graph keeps, per backward call, per source line, at the peak and at the end."""

from collections.abc import Iterator
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
    report: dict[str, Any] = recorder.report({**run.values, **run.params})
    return report


def lines(screen: Screen, report: dict[str, Any]) -> None:
    """The document as name and value: `backward.1.nodes`, `line.9.saved_bytes`, `held_by.loss.nodes`."""
    for name, value in flat(report):
        screen.line(f"{name}\t{'-' if value is None else value}")


def flat(report: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Each figure with its path; a list's entries go by what tells them apart."""
    groups: list[tuple[str, dict[str, Any]]] = [(f"backward.{entry['index']}", entry) for entry in report["backward"]]
    groups += [("peak", report["peak"]), ("at_exit", report["at_exit"])]
    groups += [(f"held_by.{entry['name']}", entry) for entry in report["at_exit"]["held_by"]]
    groups += [(f"line.{entry['line']}", entry) for entry in report["by_line"]] + [("process", report["process"])]
    for path, entry in groups:
        for key, value in entry.items():
            if key not in path.split(".") and key not in ("index", "name", "held_by"):
                yield f"{path}.{key}", str(value).lower() if isinstance(value, bool) else value


def tables(screen: Screen, report: dict[str, Any]) -> None:
    """The same for a person, with sizes in units."""
    calls = [
        [str(entry["index"]), *described(entry), "yes" if entry["retained"] else "no", f"{entry['seconds'] * 1e3:.2f}"]
        for entry in report["backward"]
    ]
    screen.table(["backward", "line", "nodes", "saved", "retained", "ms"], calls[:SHOWN])
    if len(calls) > SHOWN:
        screen.note(f"{len(calls) - SHOWN} more backward calls")
    screen.table(["source line", "nodes made", "saved"], [described(entry) for entry in report["by_line"]])
    ends = [["peak", *described(report["peak"])], ["at exit", "", *described(report["at_exit"])[1:]]]
    ends += [[f"held by {entry['name']}", *described(entry)] for entry in report["at_exit"]["held_by"]]
    screen.table(["", "line", "nodes", "saved"], ends)
    screen.line(f"peak memory of the process: {size(report['process']['peak_rss_bytes'])}")


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
