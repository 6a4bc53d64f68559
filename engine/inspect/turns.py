"""The turns of a pass of numbers, made out when somebody looks at them from notes that the pass took on its way."""

from __future__ import annotations

from bisect import insort
from collections import Counter, defaultdict
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from ..backward import Notes
from ..node import AccumulateGrad
from ..symbols import RAISES
from .numbers import derivative_of
from .snapshot import FLOAT_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ..backward import GraphTask
    from ..derivative import Derivative
    from ..node import Node

_number = attrgetter("sequence_nr")


class Turns:
    """A pass that nobody attended, turn by turn.

    The plain sweep comes to the nodes in the order of the ready queue, but for the leaves, which it leaves to the end. What was
    ready when follows from the edges: a node is, once the last of those that send to it had its turn.
    """

    def __init__(self, task: GraphTask) -> None:
        self.nodes: Sequence[Node] = task.nodes
        self.leaves: Sequence[AccumulateGrad] = task.leaves
        self.retained = task.retain_graph
        self.notes = task.notes = task.notes or Notes()
        # By the number of a node: how many gradients it waits for, and who sends the last one. See `connect`.
        self.waited: list[int] = []
        self.because: list[int] = []
        self._numbers: dict[int, int] = {}
        self._own: list[int] = []
        self._first: list[int] = []
        self._second: list[int] = []

    def connect(self) -> None:
        """Numbers the nodes in the order of creation, from 1, and finds who sends to whom; 0 stands for none."""
        if self.waited:
            return
        nodes, leaves, notes = self.nodes, self.leaves, self.notes
        visited: list[Node] = [*nodes, *leaves]
        if nodes and leaves and leaves[0].sequence_nr > nodes[-1].sequence_nr:
            visited.sort(key=_number, reverse=True)
        root = len(visited)
        numbers = self._numbers = dict(zip(map(_number, visited), range(root, 0, -1), strict=True))
        self._own = [numbers[node.sequence_nr] for node in nodes]
        self._first = [0 if node is None else numbers[node.sequence_nr] for node in notes.first]
        self._second = [0 if node is None else numbers[node.sequence_nr] for node in notes.second]
        waited, because = [0] * (root + 1), [0] * (root + 1)
        for number, first, second in zip(self._own, self._first, self._second, strict=False):
            waited[first] += 1
            waited[second] += 1
            because[first] = because[second] = number
        waited[root] += 1
        because[0] = -1
        self.waited, self.because = waited, because

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        """The turns in the engine's order.

        A turn is: the number of the node; the node; the numbers that are ready when it was taken, the next one last; the gradient;
        the numbers to which the gradients of its two inputs go; and these gradients, None where the node got none. In place of the
        last three a leaf has None, None and what it has after its turn.
        """
        self.connect()
        nodes, notes, because = self.nodes, self.notes, self.because
        finished = zip(self.leaves, notes.gradients[len(nodes) :], notes.totals, strict=False)
        ends = {self._numbers[leaf.sequence_nr]: (leaf, gradient, total) for leaf, gradient, total in finished}
        ready = [len(self._numbers)]
        turns = zip(self._own, nodes, notes.gradients, notes.saved, self._first, self._second, strict=False)
        for number, node, gradient, saved, first, second in turns:
            ready.pop()
            parts = None if gradient is None else _parts(node.derivative)(saved, gradient)
            yield number, node, ready, gradient, first, second, parts
            if because[first] == number:
                _enter(ready, first, ends)
            if because[second] == number and first != second:
                _enter(ready, second, ends)
            while ready and ready[-1] in ends:
                yield self._end(ready, ends)
        if not nodes and ends:
            yield self._end(ready, ends)

    @staticmethod
    def _end(ready: list[int], ends: dict[int, Any]) -> tuple[Any, ...]:
        """The turn of a leaf."""
        number = ready.pop()
        leaf, gradient, total = ends[number]
        return number, leaf, ready, gradient, None, None, total

    def released_bytes(self, node: Node) -> int | None:
        """What a node let go of, all of it numbers."""
        return None if self.retained or node.__class__ is AccumulateGrad else FLOAT_BYTES * node.derivative.value_count

    def seconds(self) -> Iterator[float]:
        """How long the turns took: of the nodes in their order, then of the leaves."""
        before = self.notes.began
        for now in self.notes.ended:
            yield now - before
            before = now

    def by_op(self) -> Iterator[tuple[str, int, float, int]]:
        """For each kind of node the name, how many had their turn, how long these took, and the bytes that they let go."""
        seconds = self.seconds()
        took: defaultdict[Any, float] = defaultdict(float)
        for derivative, turn in zip(map(derivative_of, self.nodes), seconds, strict=False):
            took[derivative] += turn
        for derivative, count in Counter(map(derivative_of, self.nodes[: len(self.notes.ended)])).items():
            yield derivative.name, count, took[derivative], 0 if self.retained else FLOAT_BYTES * derivative.value_count * count
        if leaves := list(seconds):
            yield "AccumulateGrad", len(leaves), sum(leaves), 0


def _enter(ready: list[int], number: int, ends: dict[int, Any]) -> None:
    """A node has become ready: it goes before those that were made earlier, and a leaf before all nodes."""
    if not ready or (ready[-1] < number and ready[-1] not in ends) or (number in ends and ready[-1] not in ends):
        ready.append(number)
    else:
        insort(ready, number, key=lambda each: (each in ends, each))


@cache
def _parts(derivative: Derivative) -> Callable[..., Any]:
    """The rules of an operation on numbers as one function of what was saved and of the gradient."""
    names: dict[str, Any] = {"__package__": __package__, "apply": derivative.apply}
    formulas = derivative.formulas(names)
    if not all(formulas.values()):
        return derivative.apply
    unpack = f"{', '.join(derivative.saved_names)}, = saved" if derivative.saved_names else "pass"
    exec(_PARTS.format(unpack, ", ".join(formulas.get(i) or "None" for i in range(len(derivative.rules))), RAISES), names)
    found: Callable[..., Any] = names["parts"]
    return found


_PARTS = """
def parts(saved, g):
    {0}
    try:
        return {1},
    except ({2}):
        return apply(saved, g)
"""
