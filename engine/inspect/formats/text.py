"""One line a node, in the order of creation: for scripts, and for graphs of any size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..values import written

if TYPE_CHECKING:
    from ..snapshot import Graph, GraphNode, Group


def render(graph: Graph, *, values: bool, saved: bool) -> str:
    """`%7 = MulBackward0(%3[0], %5[0])  # model.dg:4:8  x * y  shape () saved 16 B`, then what is folded or left out."""
    lines = [line(node, values, saved) for node in graph.nodes]
    lines += [f"# {group.id}: {group.where} {group.times}, {group.nodes:,} nodes{_inside(group)}" for group in graph.groups]
    return "".join(f"{text}\n" for text in [*lines, *(f"# {note}" for note in graph.notes())])


def _inside(group: Group) -> str:
    return f", inside {group.parent}" if group.parent else ""


def line(node: GraphNode, values: bool, saved: bool) -> str:
    comment = [str(node.place)] if node.place else []
    comment += [node.source] if node.source else []
    detail = f"shape {node.shape}"
    if node.saved_bytes:
        detail += f" saved {node.saved_bytes} B"
    if saved and node.saved:
        detail += f" ({', '.join(f'{s.name} {s.shape}' for s in node.saved)})"
    if values and node.value is not None:
        detail += f" value {written(node.value)}"
    if node.count > 1:
        detail += f" ×{node.count}" + (f" in {node.group}" if node.group else "")
    return f"{node.id} = {node.op}({', '.join(arguments(node))})  # {'  '.join([*comment, detail])}"


def arguments(node: GraphNode) -> list[str]:
    """The inputs: `%3[0]` for output 0 of node %3, `-` for a constant; at a leaf its name."""
    if node.variable is not None:
        return [node.variable]
    return ["-" if i is None else f"{i[0]}[{i[1]}]" for i in node.inputs]
