"""The graph for Graphviz: leaves as filled boxes, operations as ellipses, the root doubled, repeated bodies as clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..values import written

if TYPE_CHECKING:
    from ..snapshot import Graph, GraphEdge, GraphNode


def render(graph: Graph, *, values: bool, saved: bool) -> str:
    """A digraph whose arrows point as `next_edges` does, from a result to what it was made of."""
    lines = ["digraph dagrad {", '  node [fontname="Helvetica", fontsize=10];', "  edge [color=gray40];"]
    lines += [f"  label={quoted(chr(10).join(graph.notes()))};"] if graph.notes() else []
    lines += _inside(graph, None, "  ", values, saved)
    lines += [f"  {key(e.source)} -> {key(e.target)}{_edge(e)};" for e in graph.edges]
    return "\n".join([*lines, "}"]) + "\n"


def _inside(graph: Graph, group: str | None, indent: str, values: bool, saved: bool) -> list[str]:
    """The nodes of a group and the groups inside it."""
    lines = [
        f"{indent}{key(node.id)} [{style(node, node.id == graph.root)}, label={quoted(label(node, values, saved))}];"
        for node in graph.nodes
        if node.group == group
    ]
    for inner in graph.groups:
        if inner.parent == group:
            lines += [f"{indent}subgraph cluster_{inner.id} {{"]
            lines += [f"{indent}  label={quoted(f'{inner.times} {inner.where}')}; style=rounded;"]
            lines += [*_inside(graph, inner.id, indent + "  ", values, saved), f"{indent}}}"]
    return lines


def _edge(edge: GraphEdge) -> str:
    text = [f"[{edge.input_nr}]"] if edge.input_nr else []
    text += [f"×{edge.count}"] if edge.count > 1 else []
    return f" [label={quoted(' '.join(text))}]" if text else ""


def key(id: str) -> str:
    return f"n{id[1:]}"


def style(node: GraphNode, root: bool) -> str:
    shape = 'shape=box, style=filled, fillcolor="lightblue"' if node.op == "AccumulateGrad" else "shape=ellipse"
    return f"{shape}, peripheries=2" if root else shape


def label(node: GraphNode, values: bool, saved: bool) -> str:
    rows = [f"{node.variable} {node.shape}" if node.variable else node.op + (f"  ×{node.count}" if node.count > 1 else "")]
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
