"""Memory statistics: what the graph kept, call by call and line by line, and who still holds it at the end."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple

from ..backward import current
from ..node import AccumulateGrad, node_of
from ..observe import Listener
from .growth import Growth
from .ledger import CATEGORIES, UnderWay, leaf_bytes
from .living import Living
from .numbers import count, count_edges, count_nodes, is_plain, kept_bytes
from .snapshot import reachable
from .walk import most_under_way

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ..backward import GraphTask
    from ..node import Node

# A timeline of more points than this is thinned; of neighbours the one with the most memory stays.
POINTS = 400


class MemoryRecorder(Listener):
    """Follows every node from its creation to its release while it is attached.

    With `retain` every pass keeps its graph, which shows what retain_graph=True would cost. The nodes of numbers, of which there
    may be millions, are collected, and passes through them not attended: what is reported of those follows from the graph.
    """

    def __init__(self, retain: bool = False) -> None:
        self.calls: list[dict[str, Any]] = []
        self.timeline: list[dict[str, Any]] = []
        self.collection = self._living = Living()
        self._retain = retain
        self._growth = Growth()
        # The passes that have begun and not ended, the innermost last.
        self._open: list[_Pass] = []
        self._origin = time.perf_counter()

    # events --------------------------------------------------------------------------------------------------------

    def created(self, node: Node, result: Any) -> None:
        self._living.add(node)

    def attends(self, task: GraphTask) -> bool:
        return not (is_plain(task) and self._living.gives_numbers(task))

    def began(self, task: GraphTask) -> None:
        task.retain_graph = task.retain_graph or self._retain
        line, under_way = self._living.line_of(*task.place), UnderWay()
        self._living.begin(task)
        self._living.mark_peak(line)
        if task.attended:
            nodes, edges, kept = count_nodes(task.nodes), count_edges(task.nodes), kept_bytes(task.nodes)
        else:
            kinds = self._living.kinds_of(task)
            nodes, edges, kept, _ = count(kinds)
            under_way.peak = most_under_way(task.nodes, task.leaves, kinds)
        call = {
            "index": len(self.calls) + 1,
            "line": line or None,
            "nodes": nodes + len(task.leaves),
            "edges": edges,
            "saved_bytes": kept,
            "freed_nodes": 0,
            "freed_bytes": 0,
            "retained": task.retain_graph,
            "seconds": 0.0,
        }
        self.calls.append(call)
        self._note("began", call, 0)
        self._open.append(_Pass(task, call, under_way, time.perf_counter()))

    @property
    def _under_way(self) -> UnderWay:
        """The gradients of the present pass; of one that had begun before the recorder came, for nobody."""
        return self._open[-1].under_way if self._open else UnderWay()

    def arrived(self, node: Node, waiting: int) -> None:
        self._under_way.waits(node)

    def started(self, node: Node, gradient: Any) -> None:
        self._under_way.taken(node)

    def ran(self, node: Node, gradient: Any, gradients: Sequence[Any]) -> None:
        self._under_way.during((gradient, *gradients))

    def ended(self) -> None:
        if not self._open or self._open[-1].task is current.task:  # a pass that was refused before it began
            return
        task, call, under_way, started = self._open.pop()
        call["seconds"] = time.perf_counter() - started
        if not task.retain_graph:
            self._find_freed(call, task)
        if self._living.end(call["freed_nodes"], call["freed_bytes"]):
            self._growth.look(call, self._living)
        self._note("ended", call, under_way.peak)

    def _find_freed(self, call: dict[str, Any], task: GraphTask) -> None:
        """What a pass has let go: all, unless it failed before its end, or left out what leads to nothing that was asked for."""
        left = [node for node in task.nodes if not node.released] if task.captures or (task.nodes and not task.nodes[-1].released) else []
        call["freed_nodes"] = call["nodes"] - len(task.leaves) - count_nodes(left)
        call["freed_bytes"] = call["saved_bytes"] - kept_bytes(left)

    def _note(self, event: str, call: Mapping[str, Any], under_way: int) -> None:
        """A point of the timeline; at the end of a pass `under_way` is the most that its gradients took."""
        living = self._living
        parameter, gradient = leaf_bytes(living.leaves)
        bytes = (parameter, gradient, living.kept_bytes, living.graph_bytes, under_way)
        self.timeline.append(
            {
                "event": event,
                "call": call["index"],
                "line": call["line"],
                "seconds": time.perf_counter() - self._origin,
                "nodes": living.alive,
                **dict(zip(CATEGORIES, bytes, strict=True)),
            }
        )

    # the report ----------------------------------------------------------------------------------------------------

    def report(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The figures; `values` are the names that are alive at the end, with what they stand for."""
        living = self._living
        living.find_leaves()
        living.sweep()
        living.mark_peak(0)
        self._note("exit", self.calls[-1] if self.calls else {"index": 0, "line": None}, 0)
        held = held_by(values)
        return {
            "backward": self.calls,
            "peak": living.peak,
            "at_exit": {"nodes": living.alive, "saved_bytes": kept_bytes(living.nodes), "held_by": held},
            "by_line": [{"line": line, "nodes": living.made[line], "saved_bytes": living.saved[line]} for line in sorted(living.made)],
            "categories": {name: {"peak": max(p[name] for p in self.timeline), "at_exit": self.timeline[-1][name]} for name in CATEGORIES},
            "timeline": list(thinned(self.timeline)),
            "warnings": self._growth.warnings(held),
        }


class _Pass(NamedTuple):
    """A pass under way: its call in the report, its gradients, and when it began."""

    task: GraphTask
    call: dict[str, Any]
    under_way: UnderWay
    started: float


def held_by(values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """For each name, the nodes that would go with it, the largest first."""
    found = []
    for name, value in values.items():
        roots = list({node_of(edge) for edge in _edges(value)})
        nodes = [node for node in reachable(roots) if not isinstance(node, AccumulateGrad) and not node.released]
        if nodes:
            line = nodes[-1].span.line or None
            found.append({"name": name, "nodes": count_nodes(nodes), "saved_bytes": kept_bytes(nodes), "line": line})
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
