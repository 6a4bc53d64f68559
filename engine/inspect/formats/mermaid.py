"""The graph for Mermaid, which many pages of Markdown draw: leaves as stadiums, operations as boxes, repeated bodies as subgraphs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .dot import key, label

if TYPE_CHECKING:
    from ..snapshot import Graph, GraphNode

CLASSES = ("classDef leaf fill:#cfe8fc,stroke:#2b6cb0,color:#000", "classDef root stroke-width:3px")


def render(graph: Graph, *, values: bool, saved: bool) -> str:
    """A flowchart whose arrows point as `next_edges` does, from a result to what it was made of."""
    lines = ["flowchart TD"]
    lines += [f"  %% {note}" for note in graph.notes()]
    lines += _inside(graph, None, "  ", values, saved)
    lines += [f"  {key(e.source)} -->{_count(e.count)} {key(e.target)}" for e in graph.edges]
    lines += [f"  {text}" for text in CLASSES]
    leaves = [key(node.id) for node in graph.nodes if node.op == "AccumulateGrad"]
    lines += [f"  class {','.join(leaves)} leaf"] if leaves else []
    lines += [f"  class {key(graph.root)} root"] if any(node.id == graph.root for node in graph.nodes) else []
    return "\n".join(lines) + "\n"


def _inside(graph: Graph, group: str | None, indent: str, values: bool, saved: bool) -> list[str]:
    """The nodes of a group and the groups inside it."""
    lines = [indent + _box(node, values, saved) for node in graph.nodes if node.group == group]
    for inner in graph.groups:
        if inner.parent == group:
            lines += [f"{indent}subgraph {inner.id}[{_quoted(f'{inner.times} {inner.where}')}]"]
            lines += [*_inside(graph, inner.id, indent + "  ", values, saved), f"{indent}end"]
    return lines


def _box(node: GraphNode, values: bool, saved: bool) -> str:
    text = _quoted(label(node, values, saved))
    return f"{key(node.id)}([{text}])" if node.op == "AccumulateGrad" else f"{key(node.id)}[{text}]"


def _count(count: int) -> str:
    return f"|×{count}|" if count > 1 else ""


def _quoted(text: str) -> str:
    """A label in quotes; what Mermaid would read as markup is written as the entities it knows."""
    for plain, entity in (("#", "#35;"), ('"', "#quot;"), ("<", "#lt;"), (">", "#gt;"), ("`", "#96;"), ("\n", "<br>")):
        text = text.replace(plain, entity)
    return f'"{text}"'
