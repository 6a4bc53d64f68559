"""The graph as a tree from its root: a shared node is drawn once and referred to after."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from ..values import written

if TYPE_CHECKING:
    from ..snapshot import Graph, GraphNode

# Deeper than this the page would be all indentation: what follows is drawn below, as a tree of its own, and said to be there.
DEEPEST = 24


def render(graph: Graph, *, values: bool, saved: bool) -> str:
    """Trees in which every node of the graph stands exactly once in full."""
    return "".join(f"{line}\n" for line in [*lines(graph, values, saved), *(f"# {note}" for note in graph.notes())])


def lines(graph: Graph, values: bool, saved: bool) -> list[str]:
    nodes = {node.id: node for node in graph.nodes}
    drawn: set[str] = set()
    # Nodes that stand for many may be reached over none of the inputs that are drawn: each gets a tree of its own then.
    waiting = deque([graph.root, *(node.id for node in reversed(graph.nodes))])
    out: list[str] = []
    while waiting:
        start = waiting.popleft()
        if start in drawn or start not in nodes:
            continue
        # An entry: the node, what stands before its own line, and before the lines below it.
        stack = [(start, "", "")]
        while stack:
            id, before, below = stack.pop()
            node = nodes[id]
            if id in drawn and node.op != "AccumulateGrad":
                out.append(f"{before}{id} above" if node.inputs else f"{before}{heading(node, values, saved)}")
                continue
            if len(below) // 3 >= DEEPEST and node.inputs:
                out.append(f"{before}{id} below")
                waiting.append(id)
                continue
            drawn.add(id)
            out.append(f"{before}{heading(node, values, saved)}")
            parts = [i[0] for i in node.inputs if i is not None and i[0] in nodes]
            for number, part in reversed(list(enumerate(parts))):
                last = number == len(parts) - 1
                stack.append((part, f"{below}{'└─ ' if last else '├─ '}", f"{below}{'   ' if last else '│  '}"))
    return out


def heading(node: GraphNode, values: bool, saved: bool) -> str:
    text = f"{node.id} {node.variable} {node.shape}" if node.variable else f"{node.id} {node.op} {node.shape}"
    if node.place and node.op != "AccumulateGrad":
        text += f"  {node.source}  line {node.place.line}" if node.source else f"  {node.place}"
    if saved and node.saved:
        text += f"  saves {', '.join(f'{s.name} {s.shape}' for s in node.saved)}"
    if values and node.value is not None:
        text += f"  = {written(node.value)}"
    if node.count > 1:
        text += f"  ×{node.count}"
    return text
