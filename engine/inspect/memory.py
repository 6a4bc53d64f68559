"""Memory statistics: what the graph kept, call by call and line by line, and who still holds it at the end."""

from __future__ import annotations

import sys
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

from ..derivative import saved_values
from ..node import AccumulateGrad, node_of
from ..observe import Listener
from .snapshot import bytes_of, reachable, saved_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..backward import GraphTask
    from ..node import Node


class MemoryRecorder(Listener):
    """Follows every node from its creation to its release while it is attached.

    It holds the nodes it was told of, so those that the program drops without a backward pass are looked for now and then: a
    node that nobody else refers to is let go, the latest first, which frees a dropped graph as reference counting would have.
    """

    def __init__(self) -> None:
        self.calls: list[dict[str, Any]] = []
        self.made: Counter[int] = Counter()
        self.saved: Counter[int] = Counter()
        self.peak: dict[str, Any] = {"nodes": 0, "saved_bytes": 0, "line": None}
        self._alive: list[Node] = []
        self._sweep_at = 1 << 16
        self._started = 0.0

    def created(self, node: Node, result: Any) -> None:
        line = node.span.line
        self.made[line] += 1
        self.saved[line] += sum(bytes_of(value) for _, value in saved_values(node))
        self._alive.append(node)
        if len(self._alive) >= self._sweep_at:
            self._sweep()
            self._sweep_at = max(self._sweep_at, 2 * len(self._alive))

    def began(self, task: GraphTask) -> None:
        self._sweep()
        visited = list(task.visited)
        self._mark_peak(task.place.line)
        self.calls.append(
            {
                "index": len(self.calls) + 1,
                "line": task.place.line or None,
                "nodes": len(visited),
                "edges": sum(e is not None for node in visited if not isinstance(node, AccumulateGrad) for e in node.edges),
                "saved_bytes": saved_bytes(visited),
                "freed_nodes": 0,
                "freed_bytes": 0,
                "retained": task.retain_graph,
                "seconds": 0.0,
            }
        )
        self._freed: set[int] = set()
        self._started = time.perf_counter()

    def released(self, node: Node, saved: Any) -> None:
        call = self.calls[-1]
        call["freed_nodes"] += 1
        for value in saved:
            if value.__class__ is float or id(value) not in self._freed:
                self._freed.add(id(value))
                call["freed_bytes"] += bytes_of(value)

    def ended(self) -> None:
        if self.calls and not self.calls[-1]["seconds"]:
            self.calls[-1]["seconds"] = time.perf_counter() - self._started
        self._sweep()

    def _sweep(self) -> None:
        """Lets go of the nodes that only this recorder holds, and counts every node under its line once."""
        kept: list[Node] = []
        alive = self._alive
        while alive:
            node = alive.pop()
            if not node.released and sys.getrefcount(node) > _HELD_HERE_ALONE:
                kept.append(node)
        kept.reverse()
        self._alive = kept

    def _mark_peak(self, line: int) -> None:
        total = saved_bytes(self._alive)
        if total > self.peak["saved_bytes"] or len(self._alive) > self.peak["nodes"]:
            self.peak = {
                "nodes": max(len(self._alive), self.peak["nodes"]),
                "saved_bytes": max(total, self.peak["saved_bytes"]),
                "line": line or None,
            }

    def report(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The figures; `values` are the names that are alive at the end, with what they stand for."""
        self._sweep()
        self._mark_peak(0)
        return {
            "backward": self.calls,
            "peak": self.peak,
            "at_exit": {"nodes": len(self._alive), "saved_bytes": saved_bytes(self._alive), "held_by": self._held_by(values)},
            "by_line": [{"line": line, "nodes": self.made[line], "saved_bytes": self.saved[line]} for line in sorted(self.made)],
        }

    @staticmethod
    def _held_by(values: Mapping[str, Any]) -> list[dict[str, Any]]:
        """For each name, the nodes that would go with it, the largest first."""
        found = []
        for name, value in values.items():
            edge = getattr(value, "node", None)
            if edge is None or isinstance(edge, AccumulateGrad):
                continue
            nodes = [node for node in reachable([node_of(edge)]) if not isinstance(node, AccumulateGrad) and not node.released]
            if nodes:
                found.append({"name": name, "nodes": len(nodes), "saved_bytes": saved_bytes(nodes), "line": nodes[-1].span.line or None})
        return sorted(found, key=lambda entry: -entry["nodes"])


# What sys.getrefcount says in `_sweep` of a node that nothing but its local variable refers to.
_HELD_HERE_ALONE = 2
