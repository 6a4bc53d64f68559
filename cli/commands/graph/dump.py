"""`dagrad graph dump`: the graph that a backward pass is about to go through."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from ...options import At, ExpressionOption, Program
from ...parameters import Option
from ...screen import Screen
from ...status import UsageError

if TYPE_CHECKING:
    from dagrad.engine.inspect import Graph


# A page with more steps than this would not be gone through.
MOST_STEPS = 5000


def command(
    screen: Screen,
    program: Program,
    e: ExpressionOption = None,
    at: At = None,
    format: Annotated[
        str | None,
        Option(
            "--format",
            metavar="FORM",
            help="text, tree, dot, mermaid, svg, html or json.  [default: tree on a terminal, text elsewhere]",
        ),
    ] = None,
    step: Annotated[int, Option("--step", metavar="K", help="The K-th backward call; from the end where negative.")] = 1,
    root: Annotated[str | None, Option("--root", metavar="NAME", help="The graph of this value at the end of the run.")] = None,
    values: Annotated[bool, Option("--values", help="Show the value that each node computed.")] = False,
    saved: Annotated[bool, Option("--saved", help="Show what each node keeps for backward.")] = False,
    collapse: Annotated[
        bool | None,
        Option("--collapse/--no-collapse", help="Fold what repeats into ×N.  [default: beyond 500 nodes, in JSON never]"),
    ] = None,
    max_nodes: Annotated[int | None, Option("--max-nodes", min=1, metavar="N", help="Show the N nodes nearest to the root.")] = None,
) -> None:
    """The graph that a backward pass is about to go through.

    dagrad graph dump samples/newton_sqrt.dg                   # one line a node
    dagrad graph dump -e 'x*y + sin(x)' --at x=1 --at y=2      # of an expression
    dagrad graph dump model.dg --step -1 --format dot | dot -Tsvg > graph.svg
    """
    from ...graphs import Observer, of

    check_form(format)
    page = format == "html"
    trace = Observer(MOST_STEPS) if page else None
    recorded = values or page  # the page has them behind a click
    graph = of(program, e, at or [], step, root, recorded, trace)
    if trace:
        graph = replace(graph, steps=tuple(trace.steps))
    if collapse is None and (screen.json or format == "json"):
        collapse = False  # who counts wants every node
    show(screen, folded(graph, collapse, max_nodes), format, values, saved)


def folded(graph: "Graph", fold: bool | None, max_nodes: int | None) -> "Graph":
    from dagrad.engine.inspect import collapse

    return collapse(graph, fold=fold, max_nodes=max_nodes)


def check_form(form: str | None) -> None:
    from dagrad.engine.inspect import formats

    if form is not None and form not in (known := formats.names()):
        raise UsageError(f"--format {form}: there is no such form", help=f"the forms: {', '.join(known)}")


def show(screen: Screen, graph: "Graph", form: str | None, values: bool, saved: bool) -> None:
    from dagrad.engine.inspect import formats

    if screen.json or form == "json":
        screen.document(**formats.document(graph, values=values))
    else:
        form = form or ("tree" if screen.is_terminal else "text")
        screen.line(formats.render(graph, form, values=values, saved=saved).rstrip("\n"))
