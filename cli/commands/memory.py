"""`dagrad memory`: what the graph keeps, per backward call, per source line, at the peak and at the end."""

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

from ..draw.units import size
from ..options import Program
from ..parameters import Option
from ..screen import Screen
from ..status import UsageError

# A training loop has thousands of backward calls that look the same: a person sees the first of them.
SHOWN = 20


class Compare(StrEnum):
    RETAIN_GRAPH = "retain_graph"


def command(
    screen: Screen,
    program: Program,
    compare: Annotated[
        Compare | None, Option("--compare", help="Run once more with every backward keeping its graph, and set the two side by side.")
    ] = None,
    svg: Annotated[Path | None, Option("--svg", metavar="FILE", help="Draw the timeline into FILE.")] = None,
) -> None:
    """What the graph keeps alive for backward: per call, per source line, at the peak and at the end.

    dagrad memory samples/logistic_growth.dg          # tables, or lines in a pipe
    dagrad memory samples/xor.dg --json | jq .peak    # one JSON document
    dagrad memory samples/xor.dg --compare retain_graph # what keeping the graphs would cost
    """
    from ..program import peak_rss

    report = {**measured(program), "process": {"peak_rss_bytes": peak_rss()}}
    if compare:
        report["compare"] = {"with": "retain_graph", **compared(report, measured(program, retain=True))}
    if svg:
        draw(svg, report, program.file or "-c")
    show(screen, report)


def measured(program: Program, retain: bool = False) -> dict[str, Any]:
    """The report of a run, whose own output is dropped."""
    from dagrad.engine.inspect import MemoryRecorder

    from .. import program as programs

    compiled = programs.compiled(program)
    settings = programs.settings(program, lambda text: None)
    settings.counted = True
    with MemoryRecorder(retain) as recorder:
        run = compiled.run(settings)
    programs.finished(run, compiled.sources)
    report: dict[str, Any] = recorder.report({**run.values, **run.params})
    return report


def compared(plain: dict[str, Any], kept: dict[str, Any]) -> dict[str, Any]:
    """The figures of the run as it is, and of the one whose passes keep their graphs."""

    def figures(report: dict[str, Any]) -> dict[str, Any]:
        return {
            "peak_nodes": report["peak"]["nodes"],
            "peak_saved_bytes": report["peak"]["saved_bytes"],
            "peak_graph_bytes": report["categories"]["graph"]["peak"],
            "at_exit_nodes": report["at_exit"]["nodes"],
            "at_exit_saved_bytes": report["at_exit"]["saved_bytes"],
        }

    return {"plain": figures(plain), "retained": figures(kept)}


def draw(file: Path, report: dict[str, Any], name: str) -> None:
    """Writes the chart of the timeline."""
    from ..draw.timeline import timeline

    try:
        file.write_text(timeline(report["timeline"], f"memory of {name}"), "utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {file}: {error.strerror}") from None


def show(screen: Screen, report: dict[str, Any]) -> None:
    """The report in the form that was asked for; `run --memory` ends with it too."""
    if screen.json:
        screen.document(**report)
    elif screen.is_terminal:
        tables(screen, report)
    else:
        lines(screen, report)
    for warning in report["warnings"]:
        screen.note(f"warning: {warning['message']}")


def lines(screen: Screen, report: dict[str, Any]) -> None:
    """The document as name and value: `backward.1.nodes`, `line.9.saved_bytes`, `held_by.loss.nodes`."""
    for name, value in flat(report):
        screen.line(f"{name}\t{'-' if value is None else value}")


def flat(report: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Each figure with its path; a list's entries go by what tells them apart."""
    groups: list[tuple[str, dict[str, Any]]] = [(f"backward.{entry['index']}", entry) for entry in report["backward"]]
    groups += [("peak", report["peak"]), ("at_exit", report["at_exit"])]
    groups += [(f"held_by.{entry['name']}", entry) for entry in report["at_exit"]["held_by"]]
    groups += [(f"line.{entry['line']}", entry) for entry in report["by_line"]]
    groups += [(f"category.{name}", entry) for name, entry in report["categories"].items()]
    groups += [(f"compare.{name}", report["compare"][name]) for name in ("plain", "retained") if "compare" in report]
    groups += [("process", report["process"])]
    for path, entry in groups:
        for key, value in entry.items():
            if key not in path.split(".") and key not in ("index", "name", "held_by"):
                yield f"{path}.{key}", str(value).lower() if isinstance(value, bool) else value


def tables(screen: Screen, report: dict[str, Any]) -> None:
    """The same for a person, with sizes in units."""
    from dagrad.grammar import words

    calls = [
        [str(entry["index"]), *described(entry), "yes" if entry["retained"] else "no", f"{entry['seconds'] * 1e3:.2f}"]
        for entry in report["backward"]
    ]
    screen.table(["backward", "line", "nodes", "saved", "retained", "ms"], calls[:SHOWN])
    if len(calls) > SHOWN:
        screen.note(words.plural(len(calls) - SHOWN, "more backward call"))
    screen.table(["source line", "nodes made", "saved"], [described(entry) for entry in report["by_line"]])
    ends = [["peak", *described(report["peak"])], ["at exit", "", *described(report["at_exit"])[1:]]]
    ends += [[f"held by {entry['name']}", *described(entry)] for entry in report["at_exit"]["held_by"]]
    screen.table(["", "line", "nodes", "saved"], ends)
    show_categories(screen, report)
    if "compare" in report:
        plain, kept = report["compare"]["plain"], report["compare"]["retained"]
        screen.table(["", "as it is", "every graph retained"], [[name, amount_of(name, plain), amount_of(name, kept)] for name in plain])
    screen.line(f"peak memory of the process: {size(report['process']['peak_rss_bytes'])}")


def amount_of(name: str, figures: dict[str, int]) -> str:
    return size(figures[name]) if name.endswith("bytes") else f"{figures[name]:,}"


def show_categories(screen: Screen, report: dict[str, Any]) -> None:
    """A row a category, with its course through the run."""
    from dagrad.grammar import words

    from ..draw.sparkline import sparkline

    points = report["timeline"]
    rows = [
        [NAMES[name], size(entry["peak"]), size(entry["at_exit"]), sparkline([point[name] for point in points], share=max)]
        for name, entry in report["categories"].items()
    ]
    screen.table(["category", "peak", "at exit", f"over {words.plural(len(points), 'point')}"], rows)


NAMES = {
    "parameter": "parameters",
    "gradient": "gradients",
    "saved": "saved for backward",
    "graph": "graph nodes",
    "temporary": "gradients under way",
}


def place(entry: dict[str, Any]) -> list[Any]:
    return ["" if entry.get("line") is None else entry["line"], *amount(entry)]


def amount(entry: dict[str, Any]) -> list[Any]:
    return [entry["nodes"], entry["saved_bytes"]]


def described(entry: dict[str, Any]) -> list[str]:
    line, nodes, saved = place({"line": None, **entry})
    return [str(line), f"{nodes:,}", size(saved)]
