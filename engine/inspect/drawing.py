"""A graph as boxes and lines: what is written in each box, its role, and where it stands; groups are drawings inside a frame."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from ..op import registry
from .placement import Placement, Point, place
from .values import written

if TYPE_CHECKING:
    from .snapshot import Graph, GraphEdge, GraphNode, Group

# Of the monospaced letters in the boxes, at 12 pixels.
LETTER, LINE, PAD = 7.3, 15.0, 9.0
LONGEST = 34
FRAME, FRAME_HEAD = 16.0, 24.0

ROLES = {
    "leaf": "parameter or variable",
    "arithmetic": "arithmetic",
    "function": "function of each element",
    "reduction": "reduction",
    "shape": "shape and index",
    "linear": "linear algebra",
    "network": "network and loss",
    "other": "other operation",
}
# Which file of ops/ an operation is declared in says what kind it is.
_BY_MODULE = {
    "arithmetic": "arithmetic",
    "exponential": "function",
    "trigonometric": "function",
    "piecewise": "function",
    "special": "function",
    "reduce": "reduction",
    "shape": "shape",
    "index": "shape",
    "choose": "shape",
    "linear": "linear",
    "factor": "linear",
    "nn": "network",
}


@dataclass(frozen=True, slots=True)
class Box:
    """A node as it is drawn; x and y are its middle."""

    node: GraphNode
    role: str
    rows: tuple[str, ...]
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Frame:
    """The frame around a group."""

    group: Group
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Line:
    """An edge as a chain of points from box to box; one that is `back` closes a loop."""

    edge: GraphEdge
    points: tuple[Point, ...]
    back: bool


@dataclass(frozen=True, slots=True)
class Drawing:
    """Everything with its place."""

    boxes: list[Box]
    frames: list[Frame]
    lines: list[Line]
    width: float
    height: float


def draw(graph: Graph, *, values: bool = False, saved: bool = False) -> Drawing:
    """Places the nodes of a graph, group by group from the inside out."""
    return _Draughtsman(graph, values, saved).drawing()


def role(node: GraphNode) -> str:
    """What kind of node it is: a key of ROLES."""
    if node.op == "AccumulateGrad":
        return "leaf"
    op = registry.get(node.function)
    module = getattr(op.array, "__module__", "").rpartition(".")[2] if op else ""
    return _BY_MODULE.get(module, "other")


def rows(node: GraphNode, values: bool, saved: bool) -> tuple[str, ...]:
    """What is written in a box: the operation, the program's text, then line, shape and what is kept."""
    times = f"  ×{node.count}" if node.count > 1 else ""
    found = [f"{node.id} {node.variable or node.op}{times}"]
    if node.source and node.variable is None:
        found.append(shortened(node.source))
    facts = [f"line {node.place.line}"] if node.place else []
    facts += [f"shape {_shape(node.shape)}"] if node.shape else []
    facts += [f"keeps {node.saved_bytes:,} B"] if node.saved_bytes else []
    if facts:
        found.append(" · ".join(facts))
    if saved and node.saved:
        found.append(shortened("saves " + ", ".join(f"{s.name} {_shape(s.shape)}".strip() for s in node.saved)))
    if values and node.value is not None:
        found.append(shortened("= " + written(node.value)))
    return tuple(found)


def shortened(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _shape(shape: Sequence[object]) -> str:
    return "×".join(map(str, shape))


class _Draughtsman:
    """Works out one drawing."""

    def __init__(self, graph: Graph, values: bool, saved: bool) -> None:
        self.graph = graph
        self.rows = {node.id: rows(node, values, saved) for node in graph.nodes}
        self.inside: dict[str | None, list[str]] = defaultdict(list)
        for group in graph.groups:
            self.inside[group.parent].append(group.id)
        for node in graph.nodes:
            self.inside[node.group].append(node.id)
        self.parent = {**{g.id: g.parent for g in graph.groups}, **{n.id: n.group for n in graph.nodes}}
        self.sizes = {id: _size(texts) for id, texts in self.rows.items()}
        self.centres: dict[str, Point] = {}
        self.ways: dict[tuple[str, str], list[Point]] = {}

    def drawing(self) -> Drawing:
        levels: list[str | None] = [None, *(group.id for group in self.graph.groups)]
        placed = self._place_inside(list(reversed(levels)))
        for id in levels:
            left, top = self._corner(id, placed[id].width)
            self.centres.update({name: (x + left, y + top) for name, (x, y) in placed[id].centres.items()})
            self.ways.update({ends: [(x + left, y + top) for x, y in way] for ends, way in placed[id].ways.items()})
        boxes = [self._box(node) for node in self.graph.nodes]
        frames = [Frame(group, *self.centres[group.id], *self.sizes[group.id]) for group in self.graph.groups]
        return Drawing(boxes, frames, [self._line(edge) for edge in _merged(self.graph.edges)], placed[None].width, placed[None].height)

    def _place_inside(self, levels: Sequence[str | None]) -> dict[str | None, Placement]:
        """Each level on its own, inner ones first: a group is a box in the level around it."""
        lifted: dict[str | None, list[tuple[str, str]]] = defaultdict(list)
        for edge in self.graph.edges:
            level, source, target = self._common(edge.source, edge.target)
            lifted[level].append((source, target))
        placed = {}
        for id in levels:
            placed[id] = place({name: self.sizes[name] for name in self.inside[id]}, lifted[id])
            if id is not None:
                self.sizes[id] = (max(placed[id].width, 150.0) + 2 * FRAME, placed[id].height + FRAME_HEAD + FRAME)
        return placed

    def _corner(self, id: str | None, width: float) -> Point:
        """Where the inside of a group begins; what is narrower than its frame stands in the middle."""
        if id is None:
            return 0.0, 0.0
        (x, y), (_, height) = self.centres[id], self.sizes[id]
        return x - width / 2, y - height / 2 + FRAME_HEAD

    def _ancestors(self, id: str) -> list[str]:
        """The box and the frames around it, from the inside out."""
        found: list[str] = []
        here: str | None = id
        while here is not None:
            found.append(here)
            here = self.parent[here]
        return found

    def _common(self, source: str, target: str) -> tuple[str | None, str, str]:
        """The innermost frame around both ends of an edge, and what stands in it for each end."""
        sources, targets = self._ancestors(source), self._ancestors(target)
        while len(sources) > 1 and len(targets) > 1 and sources[-1] == targets[-1]:
            sources.pop()
            targets.pop()
        return self.parent[sources[-1]], sources[-1], targets[-1]

    def _box(self, node: GraphNode) -> Box:
        return Box(node, role(node), self.rows[node.id], *self.centres[node.id], *self.sizes[node.id])

    def _line(self, edge: GraphEdge) -> Line:
        """From the border of one box to that of the other, through the lanes of the level at which they meet."""
        _, outer, other = self._common(edge.source, edge.target)
        (x0, y0), (x1, y1) = self.centres[edge.source], self.centres[edge.target]
        if edge.source == edge.target:
            right = x0 + self.sizes[edge.source][0] / 2
            return Line(edge, ((right, y0 + 7), (right + 16, y0 + 14), (right + 16, y0 - 14), (right, y0 - 7)), True)
        back = y1 <= y0
        lanes = self.ways.get((outer, other), [])[1:-1]
        sign = -1 if back else 1
        start = (x0, y0 + sign * self.sizes[edge.source][1] / 2)
        end = (x1, y1 - sign * self.sizes[edge.target][1] / 2)
        return Line(edge, (start, *lanes, end), back)


def _size(texts: Sequence[str]) -> tuple[float, float]:
    return max(map(len, texts)) * LETTER + 2 * PAD, len(texts) * LINE + 2 * PAD - 4


def _merged(edges: Sequence[GraphEdge]) -> list[GraphEdge]:
    """One line for all edges between the same two boxes; its count is theirs."""
    found: dict[tuple[str, str], GraphEdge] = {}
    for edge in edges:
        ends = edge.source, edge.target
        found[ends] = replace(found[ends], count=found[ends].count + edge.count) if ends in found else edge
    return list(found.values())


def path(points: Sequence[Point]) -> str:
    """The points as a smooth SVG path whose pieces leave and arrive upright."""
    parts = [f"M{points[0][0]:.1f},{points[0][1]:.1f}"]
    for (x0, y0), (x1, y1) in pairwise(points):
        bend = (y1 - y0) / 2
        parts.append(f"C{x0:.1f},{y0 + bend:.1f} {x1:.1f},{y1 - bend:.1f} {x1:.1f},{y1:.1f}")
    return "".join(parts)
