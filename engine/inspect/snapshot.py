"""A graph as plain data with stable ids, taken before a backward pass dismantles it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..derivative import saved_values
from ..node import AccumulateGrad, Edge, Place, node_of
from ..observe import Listener
from ..shapes import shape_of
from ..versions import buffer_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..node import Node
    from ..tensor import Tensor
    from .trace import Step

FLOAT_BYTES = 8


@dataclass(frozen=True, slots=True)
class Location:
    """A span of a source file; lines and columns count from 1."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int

    @classmethod
    def of(cls, place: Place) -> Location | None:
        found = place.position
        return cls(*found) if found else None

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Saved:
    """One value that a node keeps for backward; the value itself where values were recorded."""

    name: str
    shape: tuple[int, ...]
    bytes: int
    value: Any = None


@dataclass(frozen=True, slots=True)
class GraphNode:
    """One node, or the same node of `count` equal parts of the graph (see collapse.py), inside the group `group`.

    `variable` is the name of the leaf at an AccumulateGrad; `value` what the operation gave, where that was recorded.
    """

    id: str
    op: str
    sequence: int
    place: Location | None
    source: str
    shape: tuple[int, ...]
    dtype: str
    variable: str | None
    saved: tuple[Saved, ...]
    saved_bytes: int
    inputs: tuple[tuple[str, int] | None, ...]
    value: Any = None
    count: int = 1
    group: str | None = None
    # What the language calls the operation; "" for a leaf and for one that is not the language's.
    function: str = ""


@dataclass(frozen=True, slots=True)
class GraphEdge:
    """From a consumer to the node that made its input number `slot`, as `next_edges` points; `count` such edges of equal parts."""

    source: str
    target: str
    slot: int
    input_nr: int
    count: int = 1


@dataclass(frozen=True, slots=True)
class Group:
    """A body that stands in the graph `least` to `most` times in a row, drawn once; `nodes` are all that it stands for."""

    id: str
    parent: str | None
    least: int
    most: int
    nodes: int
    lines: tuple[int, ...]

    @property
    def times(self) -> str:
        return f"×{self.least}" if self.least == self.most else f"×{self.least}–{self.most}"

    @property
    def where(self) -> str:
        """The lines that it comes from."""
        if not self.lines:
            return ""
        first, last = self.lines[0], self.lines[-1]
        return f"line {first}" if first == last else f"lines {first}–{last}"


@dataclass(frozen=True, slots=True)
class Graph:
    """The nodes under a root in the order of their creation, and the edges between them."""

    root: str
    nodes: list[GraphNode]
    edges: list[GraphEdge] = field(default_factory=list)
    groups: tuple[Group, ...] = ()
    # The graph that this one shows in short, and how many nodes it leaves out altogether.
    whole: Graph | None = None
    hidden: int = 0
    # Which node stands for one of the whole graph.
    stands: dict[str, str] = field(default_factory=dict)
    # For pages that show them: the lines of the program's files, and a pass through the graph.
    program: dict[str, tuple[str, ...]] = field(default_factory=dict)
    steps: tuple[Step, ...] = ()

    def notes(self) -> list[str]:
        """What this graph does not show, in sentences for the reader; none where it shows everything."""
        if self.whole is None:
            return []
        shown, folded = len(self.nodes), sum(node.count for node in self.nodes)
        said = []
        if folded > shown:
            said.append(f"{folded:,} nodes are drawn as {shown:,}: what repeats is folded, ×N says how often (--no-collapse shows each)")
        if self.hidden:
            said.append(f"{self.hidden:,} nodes further from the root are not shown (--max-nodes)")
        return said

    def summary(self) -> dict[str, Any]:
        """Counts: nodes, edges, the longest path and the widest level (in nodes), bytes saved, nodes by op. They are the whole graph's."""
        if self.whole is not None:
            return self.whole.summary()
        depth: dict[str, int] = {}
        for node in self.nodes:
            depth[node.id] = 1 + max((depth[i[0]] for i in node.inputs if i is not None), default=0)
        levels = Counter(depth.values())
        return {
            "nodes": len(self.nodes),
            "edges": len(self.edges),
            "depth": max(levels, default=0),
            "width": max(levels.values(), default=0),
            "saved_bytes": sum(node.saved_bytes for node in self.nodes),
            "by_op": dict(sorted(Counter(node.op for node in self.nodes).items())),
        }


class ValueRecorder(Listener):
    """Keeps what each operation gave while it is attached, for dumps that show values."""

    def __init__(self) -> None:
        self.values: dict[int, tuple[Node, Any]] = {}

    def created(self, node: Node, result: Any) -> None:
        self.values[id(node)] = (node, result)


def reachable(roots: list[Node]) -> list[Node]:
    """Every node under the roots, the roots included, in the order of creation."""
    seen = set(roots)
    found = list(seen)
    for node in found:
        for edge in node.edges:
            if edge is not None and node_of(edge) not in seen:
                seen.add(node_of(edge))
                found.append(node_of(edge))
    return sorted(found, key=lambda node: node.sequence_nr)


def bytes_of(value: Any) -> int:
    """How much memory a saved value takes; a list or tuple is the sum of its members."""
    if isinstance(value, (list, tuple)):
        return sum(map(bytes_of, value))
    return weighed(value)[1]


def saved_bytes(nodes: Sequence[Node]) -> int:
    """The bytes that nodes keep for backward, each buffer counted once; numbers are counted wherever they are kept."""
    numbers, buffers = 0, dict[int, int]()
    for node in nodes:
        for _, value in saved_values(node):
            for part in value if isinstance(value, (list, tuple)) else (value,):
                if part.__class__ is float:
                    numbers += 1
                else:
                    owner, size = weighed(part)
                    buffers[owner] = size
    return FLOAT_BYTES * numbers + sum(buffers.values())


def weighed(part: Any) -> tuple[int, int]:
    """What identifies the memory of a number or an array, and how many bytes it has."""
    if part.__class__ is float:
        return id(part), FLOAT_BYTES
    owner = buffer_of(part)
    return id(owner), getattr(owner, "nbytes", 0)


def snapshot(tensor: Tensor, values: ValueRecorder | None = None) -> Graph:
    """The graph under a tracked tensor. Raises ValueError where there is none."""
    if tensor.node is None:
        raise ValueError("the tensor is not tracked, so it has no graph")
    nodes = reachable([node_of(tensor.node)])
    ids = identified(nodes)
    places: dict[Any, Location | None] = {}
    graph = Graph(ids[node_of(tensor.node)], [_described(node, ids, values, places) for node in nodes])
    for node in graph.nodes:
        graph.edges.extend(GraphEdge(node.id, i[0], slot, i[1]) for slot, i in enumerate(node.inputs) if i is not None)
    return graph


def identified(nodes: Sequence[Node]) -> dict[Node, str]:
    """The ids of the nodes of one graph, given in the order of their creation: `%1`, `%2`, …"""
    return {node: f"%{number}" for number, node in enumerate(nodes, 1)}


def _described(node: Node, ids: dict[Node, str], values: ValueRecorder | None, places: dict[Any, Location | None]) -> GraphNode:
    """The node as data. Many nodes share few places, and working one out costs more than all the rest."""
    place = (node.code, node.lasti)
    if place not in places:
        places[place] = Location.of(node.span)
    saved = tuple(Saved(name, _shape(value), bytes_of(value), None if values is None else value) for name, value in saved_values(node))
    leaf = node if isinstance(node, AccumulateGrad) else None
    recorded = values.values.get(id(node), (None, None))[1] if values is not None else None
    return GraphNode(
        id=ids[node],
        op=node.name(),
        sequence=node.sequence_nr,
        place=places[place],
        source="",
        shape=node.shape,
        dtype=str(leaf.dtype) if leaf and leaf.dtype is not None else "float64",
        variable=leaf.label if leaf else None,
        saved=saved,
        saved_bytes=saved_bytes([node]) if saved else 0,
        inputs=()
        if leaf
        else tuple(None if e is None else (ids[node_of(e)], e.input_nr if isinstance(e, Edge) else 0) for e in node.edges),
        value=_leaf_value(leaf) if leaf and values is not None else recorded,
        function="" if leaf else node.derivative.op.name,
    )


def _leaf_value(node: Any) -> Any:
    return node.variable.data if node.variable is not None else None


def _shape(value: Any) -> tuple[int, ...]:
    return (len(value),) if isinstance(value, (list, tuple)) else shape_of(value)
