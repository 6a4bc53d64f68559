"""The graph for Graphviz: leaves as filled boxes, operations as ellipses, the root doubled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .text import written

if TYPE_CHECKING:
    from ..snapshot import Graph, GraphNode


def render(graph: Graph, *, values: bool, saved: bool) -> str:
    """A digraph whose arrows point as `next_edges` does, from a result to what it was made of."""
    lines = ["digraph dagrad {", '  node [fontname="Helvetica", fontsize=10];', "  edge [color=gray40];"]
    lines += [
        f"  {key(node.id)} [{style(node, node.id == graph.root)}, label={quoted(label(node, values, saved))}];" for node in graph.nodes
    ]
    lines += [f"  {key(e.source)} -> {key(e.target)}{f' [label={e.input_nr}]' if e.input_nr else ''};" for e in graph.edges]
    return "\n".join([*lines, "}"]) + "\n"


def key(id: str) -> str:
    return f"n{id[1:]}"


def style(node: GraphNode, root: bool) -> str:
    shape = 'shape=box, style=filled, fillcolor="lightblue"' if node.op == "AccumulateGrad" else "shape=ellipse"
    return f"{shape}, peripheries=2" if root else shape


def label(node: GraphNode, values: bool, saved: bool) -> str:
    rows = [f"{node.variable} {node.shape}" if node.variable else node.op]
    if node.place:
        rows.append(f"{node.place.line}: {node.source}" if node.source else str(node.place))
    if saved and node.saved:
        rows.append("saves " + ", ".join(f"{s.name} {s.shape}" for s in node.saved))
    if values and node.value is not None:
        rows.append("= " + written(node.value))
    return "\n".join(rows)


def quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
