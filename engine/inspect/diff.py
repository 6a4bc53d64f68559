"""How one graph differs from another: nodes and edges gained and lost, told apart by what the program says at their place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass
from typing import NamedTuple

from .snapshot import Graph, GraphNode


class Kind(NamedTuple):
    """What makes two nodes of two graphs the same; the line counts only where both graphs come from one file."""

    op: str
    source: str
    shape: tuple[int, ...]
    variable: str | None
    place: Hashable


@dataclass(frozen=True, slots=True)
class NodeChange:
    """`count` more (or, where negative, fewer) nodes like `node`."""

    node: GraphNode
    count: int


@dataclass(frozen=True, slots=True)
class EdgeChange:
    """`count` more (or fewer) edges like the one from input `slot` of `source` to `target`."""

    source: GraphNode
    target: GraphNode
    slot: int
    count: int


@dataclass(frozen=True, slots=True)
class Difference:
    """What the second graph has more and less than the first, in the order of the source."""

    nodes: list[NodeChange]
    edges: list[EdgeChange]

    @property
    def equal(self) -> bool:
        return not (self.nodes or self.edges)

    def by_line(self) -> dict[int, tuple[int, int]]:
        """line → how many nodes were gained and lost there."""
        lines: dict[int, tuple[int, int]] = {}
        for change in self.nodes:
            line = change.node.place.line if change.node.place else 0
            gained, lost = lines.get(line, (0, 0))
            lines[line] = (gained + max(change.count, 0), lost + max(-change.count, 0))
        return dict(sorted(lines.items()))


def difference(before: Graph, after: Graph) -> Difference:
    """Compares two graphs as collections of nodes and edges. How often each occurs counts, in which order does not."""
    one_file = _files(before) == _files(after)
    kinds: dict[Kind, GraphNode] = {}
    nodes: Counter[Kind] = Counter()
    edges: Counter[tuple[Kind, Kind, int]] = Counter()
    for graph, sign in ((before, -1), (after, 1)):
        known = {node.id: _kind(node, one_file) for node in graph.nodes}
        for node in graph.nodes:
            kinds.setdefault(known[node.id], node)
            nodes[known[node.id]] += sign
        for edge in graph.edges:
            edges[known[edge.source], known[edge.target], edge.slot] += sign
    changed = [NodeChange(kinds[kind], count) for kind, count in nodes.items() if count]
    rewired = [EdgeChange(kinds[source], kinds[target], slot, count) for (source, target, slot), count in edges.items() if count]
    changed.sort(key=lambda change: (_order(change.node), change.count))
    rewired.sort(key=lambda change: (_order(change.source), _order(change.target), change.slot, change.count))
    return Difference(changed, rewired)


def _files(graph: Graph) -> set[str]:
    return {node.place.file for node in graph.nodes if node.place}


def _kind(node: GraphNode, one_file: bool) -> Kind:
    leaf = node.op == "AccumulateGrad"
    return Kind(node.op, "" if leaf else node.source, node.shape, node.variable, node.place if one_file and not leaf else None)


def _order(node: GraphNode) -> tuple[int, int, str]:
    return (node.place.line, node.place.column, node.op) if node.place else (0, 0, node.op)
