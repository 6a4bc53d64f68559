"""The nodes that are alive: collected as they are made, counted many at a time, and let go when nobody else refers to them."""

from __future__ import annotations

import sys
from collections import Counter
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from ..node import AccumulateGrad, Place
from .numbers import (
    count,
    count_nodes,
    count_one,
    derivative_of,
    gives_numbers,
    graph_bytes,
    is_formula,
    kept_bytes,
    saves_numbers,
    shape_of,
)
from .snapshot import FLOAT_BYTES, saved_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import CodeType

    from ..backward import GraphTask
    from ..derivative import Derivative
    from ..node import Node

# The nodes that a program dropped are looked for when so many are new, or so many bytes, or a quarter of all.
MANY_NODES = 1 << 16
MANY_BYTES = 1 << 26
FEW_NODES = 1 << 10
# So many nodes are counted at a time, while they are still in the processor's cache.
BATCH = 1 << 12
# No operation on numbers saves more than its two inputs and its result.
_MOST_SAVED = 3 * FLOAT_BYTES


class Living:
    """The nodes that were made and have not been dropped or dismantled since, as far as it is known, and what was counted of all.

    It is the Collection of the MemoryRecorder. It holds the nodes, so those that the program drops are looked for now and then:
    one that nobody else refers to is let go, the latest first, which frees a dropped graph as reference counting would have.
    What it counts are operations: a node of a whole formula is as many as it stands for.
    """

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.limit = 0
        # Per line, how many nodes were made, and what they saved.
        self.made: Counter[int] = Counter()
        self.saved: Counter[int] = Counter()
        self.leaves: set[AccumulateGrad] = set()
        self.peak: dict[str, Any] = {"nodes": 0, "saved_bytes": 0, "line": None}
        # How many the last sweep left, and what they keep and take; the same of those that are newer than it.
        self._old = self._kept = self._graph = 0
        self._new = self._new_kept = self._new_graph = 0
        # How many nodes there are of each derivative, as long as all are of numbers.
        self._kinds: Counter[Derivative] = Counter()
        # How many of the nodes are counted, and of how many the leaves are known.
        self._counted = self._searched = 0
        # Whether some are not of numbers; how many passes have dismantled since the last sweep, and what they had kept.
        self._mixed = False
        self._gone = self._gone_bytes = 0
        # Of which pass, and with how many nodes, it was found out whether it is through all of them.
        self._judged = (0, 0)
        self._whole = False
        self._lines = _Lines()

    # counting ------------------------------------------------------------------------------------------------------

    def add(self, node: Node) -> None:
        """Takes a node that was not collected."""
        if not node.shape and saves_numbers(node.derivative):
            self.nodes.append(node)
            if node.sequence_nr >= self.limit:
                self.look()
            return
        self._count()
        line, size = self._lines.at(node.code, node.lasti), saved_bytes([node])
        self.made[line] += 1
        self.saved[line] += size
        self.nodes.append(node)
        self.leaves.update(edge for edge in node.edges if isinstance(edge, AccumulateGrad))
        self._counted += 1
        self._new += 1
        self._new_kept += size
        self._mixed = True
        if node.sequence_nr >= self.limit or self._new_kept >= max(MANY_BYTES, self._kept):
            self.look()

    def look(self) -> None:
        """After a node was made: sweeps if it is time to, and says when to look next."""
        self._count()
        last = self.nodes[-1]
        if self._new >= max(MANY_NODES, self._old) or self._new_kept >= max(MANY_BYTES, self._kept):
            self.sweep()
            self.mark_peak(self._lines.at(last.code, last.lasti))
        nodes = max(MANY_NODES, self._old) - self._new
        bytes = max(MANY_BYTES, self._kept) - self._new_kept
        self.limit = last.sequence_nr + min(BATCH, nodes, -(-bytes // _MOST_SAVED))

    def _count(self) -> None:
        """Counts the nodes that were collected since the last time. Where they stand tells them apart, and what they save."""
        if self._counted == len(self.nodes):
            return
        new = self.nodes[self._counted :] if self._counted else self.nodes
        self._counted = len(self.nodes)
        for line, derivative, times in self._sites(new):
            self._kinds[derivative] += times
            for at, operation in _placed(derivative, line):
                self.made[at] += times
                self.saved[at] += FLOAT_BYTES * operation.value_count * times
            one = count_one(derivative)
            self._new += one.nodes * times
            self._new_kept += one.kept_bytes * times
            self._new_graph += one.graph_bytes * times

    def _sites(self, nodes: Iterable[Node]) -> Iterator[tuple[int, Derivative, int]]:
        """Where nodes were made, at which line, what their derivative is, and how many these are."""
        code: Any = None
        # By id, since the hash of a code object goes through all its constants.
        found: dict[int, tuple[CodeType, dict[tuple[int, Derivative], int]]] = {}
        counts: dict[tuple[int, Derivative], int] = {}
        for node in nodes:
            if node.code is not code:
                code = node.code
                _, counts = found.setdefault(id(code), (code, {}))
            site = (node.lasti, node.derivative)
            counts[site] = counts.get(site, 0) + 1
        for code, counts in found.values():
            for (lasti, derivative), times in counts.items():
                yield self._lines.at(code, lasti), derivative, times

    def lines(self) -> Counter[int]:
        """How many of those that are alive were made at each line."""
        found: Counter[int] = Counter()
        for line, derivative, times in self._sites(self.nodes):
            for at, _ in _placed(derivative, line):
                found[at] += times
        return found

    def line_of(self, code: CodeType, lasti: int) -> int:
        """The line of an instruction, 0 where it is unknown."""
        return self._lines.at(code, lasti)

    @property
    def kept_bytes(self) -> int:
        """What the nodes keep for backward."""
        return self._kept + self._new_kept - self._gone_bytes

    @property
    def alive(self) -> int:
        """How many there are that no pass has dismantled."""
        return self._old + self._new - self._gone

    @property
    def graph_bytes(self) -> int:
        """What the nodes themselves take; those that are newer than the last sweep at the average of the others."""
        return self._graph * (self._old + self._new) // self._old if self._old else 0

    def mark_peak(self, line: int) -> None:
        """Notes what there is now, at an operation or a backward call of this line, if it is more than ever."""
        self._count()
        nodes, size, peak = self.alive, self.kept_bytes, self.peak
        if size > peak["saved_bytes"] or nodes > peak["nodes"]:
            self.peak = {"nodes": max(nodes, peak["nodes"]), "saved_bytes": max(size, peak["saved_bytes"]), "line": line or None}

    # letting go ----------------------------------------------------------------------------------------------------

    def is_whole(self, task: GraphTask) -> bool:
        """Whether all that is alive is in a pass that is about to begin, and nothing else, as most often it is."""
        if self._judged != (task.number, len(self.nodes)):
            self._judged = (task.number, len(self.nodes))
            self._whole = len(self.nodes) == len(task.nodes) and self.nodes == task.nodes[::-1]
        return self._whole

    def gives_numbers(self, task: GraphTask) -> bool:
        """Whether the pass is through numbers only, some of which may be read from leaves with axes."""
        if not self._mixed and self.is_whole(task):
            return bool(task.nodes) or not any(map(shape_of, task.leaves))
        return gives_numbers(task.nodes, task.leaves)

    def kinds_of(self, task: GraphTask) -> Counter[Derivative]:
        """How many nodes of each derivative the pass goes through."""
        return self._kinds if not self._mixed and self.is_whole(task) else Counter(map(derivative_of, task.nodes))

    def begin(self, task: GraphTask) -> None:
        """A pass begins."""
        self.leaves.update(task.leaves)
        whole = self.is_whole(task)
        if not whole:
            self.find_leaves()
        self._searched = len(self.nodes)
        self.sweep_if_worth_it(whole)

    def end(self, freed: int, freed_bytes: int) -> bool:
        """A pass has ended that dismantled so many nodes. Returns whether the nodes were swept."""
        self._gone += freed
        self._gone_bytes += freed_bytes
        return self.sweep_if_worth_it()

    def sweep_if_worth_it(self, held: bool = False) -> bool:
        """Sweeps where enough has happened since the last time, so that a graph that grows is not walked at each call."""
        if self._old > FEW_NODES and self._new + self._gone < self._old // 4:
            return False
        self.sweep(held)
        return True

    def sweep(self, held: bool = False) -> None:
        """Lets go of the nodes that only this list holds, unless it is known that all are `held`, and of those that were dismantled."""
        self._count()
        nodes, before = self.nodes, len(self.nodes)
        if self._gone:
            self._gone = self._gone_bytes = 0
            nodes[:] = [node for node in nodes if node.saved.__class__ is not Place]
            self._searched = 0 if len(nodes) < before else self._searched
        if nodes and not held and min(map(sys.getrefcount, nodes)) <= _HELD_HERE_ALONE:
            self.find_leaves()
            self._drop()
            self._searched = len(nodes)
        self._weigh(len(nodes) < before)
        self._counted = len(nodes)
        self._new = self._new_kept = self._new_graph = 0
        if not nodes:
            self._mixed = False
            self._kinds = Counter()

    def _drop(self) -> None:
        nodes = self.nodes
        kept: list[Node] = []
        while nodes:
            node = nodes.pop()
            if sys.getrefcount(node) > _HELD_HERE_ALONE:
                kept.append(node)
        kept.reverse()
        nodes += kept

    def _weigh(self, anew: bool) -> None:
        """What the nodes keep and take; where none has gone, that is what was counted."""
        if self._mixed:
            self._old = count_nodes(self.nodes)
            self._kept, self._graph = kept_bytes(self.nodes), graph_bytes(self.nodes)
        elif anew:
            self._kinds = Counter(map(derivative_of, self.nodes))
            self._old, _, self._kept, self._graph = count(self._kinds)
        else:
            self._old += self._new
            self._kept += self._new_kept
            self._graph += self._new_graph

    def find_leaves(self) -> None:
        """The leaves under the nodes that were collected."""
        if self._searched < len(self.nodes):
            new = self.nodes[self._searched :]
            self._searched = len(self.nodes)
            first, others = map(_first, new), list(map(_others, new))
            more = chain.from_iterable(each for each in others if each.__class__ is tuple)
            self.leaves.update(edge for edge in chain(first, others, more) if edge.__class__ is AccumulateGrad)


def _placed(derivative: Any, line: int) -> Iterable[tuple[int, Derivative]]:
    """The operations that a node at this line stands for, with their lines."""
    if is_formula(derivative):
        return [(each.line, each.derivative) for each in derivative.operations]
    return [(line, derivative)]


# What sys.getrefcount says of a node that, beside its argument, a local variable or a list refers to and nothing else.
_HELD_HERE_ALONE = 2

_first, _others = attrgetter("edge"), attrgetter("others")


class _Lines:
    """The line numbers of code objects, each made out once."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[CodeType, list[int]]] = {}

    def at(self, code: CodeType, lasti: int) -> int:
        """The line of an instruction, 0 where it is unknown."""
        found = self._known.get(id(code))
        if found is None:
            # As Place.position has it: a place is known where both its line and its column are.
            lines = [0 if line is None or column is None else line for line, _, column, _ in code.co_positions()]
            found = self._known[id(code)] = (code, lines)
        return found[1][lasti // 2] if lasti // 2 < len(found[1]) else 0
