"""What takes memory, by category: parameters, gradients, values saved for backward, the nodes themselves, gradients under way."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from ..gradient import Owned, Scatter
from ..node import Node
from ..versions import buffer_of
from .snapshot import FLOAT_BYTES, bytes_of, weighed

if TYPE_CHECKING:
    from ..derivative import Derivative
    from ..node import AccumulateGrad

CATEGORIES = ("parameter", "gradient", "saved", "graph", "temporary")

# A node's number: a Python int beyond 2**30 and the allocator's rounding.
_NUMBER = 32


def node_bytes(node: Node) -> int:
    """What CPython takes for a node, its tuples and its number, without the values that it saves."""
    held = [part for part in (node.others, node.saved, node.shape) if isinstance(part, tuple) and part]
    return sys.getsizeof(node) + _NUMBER + sum(map(_allocated, held))


@cache
def number_bytes(derivative: Derivative) -> int:
    """The same of a node that has only numbers to save."""
    node = Node()
    node.others, node.shape, node.saved = None, (), (0.0,) * len(derivative.saved_names)
    return node_bytes(node)


def _allocated(part: tuple[Any, ...]) -> int:
    return sys.getsizeof(part) + 15 & ~15


def leaf_bytes(leaves: Iterable[AccumulateGrad]) -> tuple[int, int]:
    """What the values of these leaves take, and their gradients; memory that two share counts once."""
    values = [leaf.variable.data for leaf in leaves if leaf.variable is not None]
    gradients = [leaf.accumulated.data for leaf in leaves if leaf.accumulated is not None]
    return distinct_bytes(values), distinct_bytes(gradients)


def distinct_bytes(values: Collection[Any]) -> int:
    """The bytes of values, each buffer once; a number counts wherever it is."""
    buffers = {id(buffer_of(value)): value for value in values if value.__class__ is not float}
    return sum(map(bytes_of, buffers.values())) + FLOAT_BYTES * sum(value.__class__ is float for value in values)


class UnderWay:
    """The gradients that wait in the buffers of nodes during one pass, and the most that they took."""

    def __init__(self) -> None:
        self.peak = 0
        self._now = 0
        self._of: dict[Node, list[tuple[int, int]]] = {}
        self._holders: dict[int, int] = {}

    def waits(self, node: Node) -> None:
        """A node's buffer has changed."""
        parts = [weighed(part) for part in _parts(node.grad)]
        if self._of.get(node) == parts:  # something was added in place
            return
        self.taken(node)
        self._of[node] = parts
        for owner, size in parts:
            if not self._holders.get(owner):
                self._now += size
            self._holders[owner] = self._holders.get(owner, 0) + 1
        if self._now > self.peak:
            self.peak = self._now

    def taken(self, node: Node) -> None:
        """A node's turn has come, or its buffer is about to be counted anew."""
        for owner, size in self._of.pop(node, ()):
            self._holders[owner] -= 1
            if not self._holders[owner]:
                self._now -= size

    def during(self, gradients: Iterable[Any]) -> None:
        """A rule has made these gradients, which are not yet delivered."""
        fresh = dict([weighed(part) for gradient in gradients for part in _parts(gradient)])
        made = sum([size for owner, size in fresh.items() if not self._holders.get(owner)])
        if self._now + made > self.peak:
            self.peak = self._now + made


def _parts(gradient: Any) -> Sequence[Any]:
    """The numbers and arrays of a buffer, in whatever form it holds them."""
    kind = gradient.__class__
    if kind is float or hasattr(gradient, "nbytes"):
        return (gradient,)
    if kind is Owned:
        return (gradient.array,)
    if kind is Scatter:
        return _parts(gradient.value)
    if isinstance(gradient, (list, tuple)):
        return [found for part in gradient for found in _parts(part)]
    return ()
