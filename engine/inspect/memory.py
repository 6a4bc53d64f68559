"""Memory statistics: what the graph kept, call by call and line by line, and who still holds it at the end."""

from __future__ import annotations

import sys
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

from ..node import AccumulateGrad, node_of
from ..observe import Listener
from ..versions import buffer_of
from .growth import Growth
from .ledger import CATEGORIES, UnderWay, leaf_bytes, node_bytes
from .snapshot import bytes_of, reachable, saved_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ..backward import GraphTask
    from ..node import Node

# The nodes that a program dropped are looked for when so many are new, or so many bytes, or a quarter of all.
MANY_NODES = 1 << 16
MANY_BYTES = 1 << 26
FEW_NODES = 1 << 10
# A timeline of more points than this is thinned; of neighbours the one with the most memory stays.
POINTS = 400


class MemoryRecorder(Listener):
    """Follows every node from its creation to its release while it is attached.

    It holds the nodes it was told of, so those that the program drops without a backward pass are looked for now and then: a
    node that nobody else refers to is let go, the latest first, which frees a dropped graph as reference counting would have.
    With `retain` every pass keeps its graph, which shows what retain_graph=True would cost.
    """

    def __init__(self, retain: bool = False) -> None:
        self.calls: list[dict[str, Any]] = []
        self.made: Counter[int] = Counter()
        self.saved: Counter[int] = Counter()
        self.peak: dict[str, Any] = {"nodes": 0, "saved_bytes": 0, "line": None}
        self.timeline: list[dict[str, Any]] = []
        self._retain = retain
        self._growth = Growth()
        self._alive: list[Node] = []
        self._leaves: set[AccumulateGrad] = set()
        self._swept = 0  # how many nodes the last sweep left
        self._new_bytes = 0
        self._kept_bytes = 0
        self._graph_bytes = 0
        self._under_way = UnderWay()
        self._freed: set[int] = set()
        self._line = 0
        self._started = 0.0
        self._origin = time.perf_counter()

    # events --------------------------------------------------------------------------------------------------------

    def created(self, node: Node, result: Any) -> None:
        line = node.span.line
        size = saved_bytes([node])
        self.made[line] += 1
        self.saved[line] += size
        self._alive.append(node)
        self._leaves.update(edge for edge in node.edges if isinstance(edge, AccumulateGrad))
        self._new_bytes += size
        if len(self._alive) - self._swept >= max(MANY_NODES, self._swept) or self._new_bytes >= max(MANY_BYTES, self._kept_bytes):
            self._sweep()
            self._mark_peak(line)

    def began(self, task: GraphTask) -> None:
        task.retain_graph = task.retain_graph or self._retain
        self._sweep_if_worth_it()
        visited = list(task.visited)
        self._line = task.place.line
        self._leaves.update(node for node in visited if isinstance(node, AccumulateGrad))
        self._mark_peak(self._line)
        self.calls.append(
            {
                "index": len(self.calls) + 1,
                "line": self._line or None,
                "nodes": len(visited),
                "edges": sum(e is not None for node in visited if not isinstance(node, AccumulateGrad) for e in node.edges),
                "saved_bytes": saved_bytes(visited),
                "freed_nodes": 0,
                "freed_bytes": 0,
                "retained": task.retain_graph,
                "seconds": 0.0,
            }
        )
        self._under_way, self._freed = UnderWay(), set()
        self._note("began")
        self._started = time.perf_counter()

    def arrived(self, node: Node, waiting: int) -> None:
        self._under_way.waits(node)

    def started(self, node: Node, gradient: Any) -> None:
        self._under_way.taken(node)

    def ran(self, node: Node, gradient: Any, gradients: Sequence[Any]) -> None:
        self._under_way.during((gradient, *gradients))

    def released(self, node: Node, saved: Sequence[Any]) -> None:
        call = self.calls[-1]
        call["freed_nodes"] += 1
        for value in saved:
            for part in value if isinstance(value, (list, tuple)) else (value,):
                owner = buffer_of(part)
                if part.__class__ is float or id(owner) not in self._freed:
                    self._freed.add(id(owner))
                    call["freed_bytes"] += bytes_of(part)

    def ended(self) -> None:
        if not self.calls or self.calls[-1]["seconds"]:
            return
        self.calls[-1]["seconds"] = time.perf_counter() - self._started
        if self._sweep_if_worth_it():
            self._growth.look(self._line, len(self.calls), self._alive)
        self._note("ended")

    # the nodes that are alive --------------------------------------------------------------------------------------

    def _sweep_if_worth_it(self) -> bool:
        """Sweeps where enough has happened since the last time, so that a graph that grows is not walked at each call."""
        if self._swept > FEW_NODES and len(self._alive) - self._swept < self._swept // 4:
            return False
        self._sweep()
        return True

    def _sweep(self) -> None:
        """Lets go of the nodes that only this recorder holds."""
        kept: list[Node] = []
        alive = self._alive
        while alive:
            node = alive.pop()
            if not node.released and sys.getrefcount(node) > _HELD_HERE_ALONE:
                kept.append(node)
        kept.reverse()
        self._alive = kept
        self._swept, self._new_bytes = len(kept), 0
        self._kept_bytes, self._graph_bytes = saved_bytes(kept), sum(map(node_bytes, kept))

    def _kept_now(self) -> int:
        return self._kept_bytes + self._new_bytes

    def _mark_peak(self, line: int) -> None:
        nodes, size = len(self._alive), self._kept_now()
        if size > self.peak["saved_bytes"] or nodes > self.peak["nodes"]:
            self.peak = {"nodes": max(nodes, self.peak["nodes"]), "saved_bytes": max(size, self.peak["saved_bytes"]), "line": line or None}

    def _note(self, event: str) -> None:
        """A point of the timeline; at the end of a pass `temporary` is the most that its gradients took under way."""
        parameter, gradient = leaf_bytes(self._leaves)
        graph = self._graph_bytes * len(self._alive) // self._swept if self._swept else 0
        bytes = (parameter, gradient, self._kept_now(), graph, self._under_way.peak if event == "ended" else 0)
        self.timeline.append(
            {
                "event": event,
                "call": len(self.calls),
                "line": self._line or None,
                "seconds": time.perf_counter() - self._origin,
                "nodes": len(self._alive),
                **dict(zip(CATEGORIES, bytes, strict=True)),
            }
        )

    # the report ----------------------------------------------------------------------------------------------------

    def report(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The figures; `values` are the names that are alive at the end, with what they stand for."""
        self._sweep()
        self._mark_peak(0)
        self._under_way = UnderWay()
        self._note("exit")
        held = held_by(values)
        return {
            "backward": self.calls,
            "peak": self.peak,
            "at_exit": {"nodes": len(self._alive), "saved_bytes": saved_bytes(self._alive), "held_by": held},
            "by_line": [{"line": line, "nodes": self.made[line], "saved_bytes": self.saved[line]} for line in sorted(self.made)],
            "categories": {name: {"peak": max(p[name] for p in self.timeline), "at_exit": self.timeline[-1][name]} for name in CATEGORIES},
            "timeline": list(thinned(self.timeline)),
            "warnings": self._growth.warnings(held),
        }


# What sys.getrefcount says in `_sweep` of a node that nothing but its local variable refers to.
_HELD_HERE_ALONE = 2


def held_by(values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """For each name, the nodes that would go with it, the largest first."""
    found = []
    for name, value in values.items():
        roots = list({node_of(edge) for edge in _edges(value)})
        nodes = [node for node in reachable(roots) if not isinstance(node, AccumulateGrad) and not node.released]
        if nodes:
            found.append({"name": name, "nodes": len(nodes), "saved_bytes": saved_bytes(nodes), "line": nodes[-1].span.line or None})
    return sorted(found, key=lambda entry: -entry["nodes"])


def _edges(value: Any) -> Iterator[Any]:
    """Where the gradients of a value go; of a tuple or list, those of its members."""
    if isinstance(value, (list, tuple)):
        for member in value:
            yield from _edges(member)
    elif (edge := getattr(value, "node", None)) is not None and not isinstance(edge, AccumulateGrad):
        yield edge


def taken(point: Mapping[str, Any]) -> int:
    """All the memory of one point of a timeline."""
    return sum(point[name] for name in CATEGORIES)


def thinned(points: Sequence[dict[str, Any]]) -> Iterable[dict[str, Any]]:
    """At most so many points, of neighbours the one with the most memory; the last one stays."""
    step = -(-len(points) // POINTS)
    for start in range(0, len(points) - 1, step):
        yield max(points[start : min(start + step, len(points) - 1)], key=taken)
    yield points[-1]
