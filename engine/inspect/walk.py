"""How many gradients a pass of numbers has under way at a time: the pass is gone through without its numbers."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, Any

from .numbers import is_formula, is_read
from .snapshot import FLOAT_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ..derivative import Derivative
    from ..node import AccumulateGrad, Node

# What a rule may give: a number of its own, or the very gradient it was given.
_FRESH, _PASSED = "fresh", "passed"


@cache
def _forms(derivative: Derivative) -> list[tuple[int, str]] | None:
    """What the rules of a derivative give, by slot; None where only running them shows it."""
    texts = derivative.formulas({})
    if not all(text == "g" or (text is not None and text.startswith("(")) for text in texts.values()):
        return None
    return [(slot, _PASSED if text == "g" else _FRESH) for slot, text in texts.items()]


def _made(derivative: Any) -> int:
    """How many different numbers there are when the rules of a derivative have run, the gradient among them; 0 where it depends.

    Of a formula, and of the read of an element, it is minus that.
    """
    if is_formula(derivative):
        return -derivative.in_hand
    if is_read(derivative):
        return -1
    forms = _forms(derivative)
    return 0 if forms is None else 1 + sum(form is _FRESH for _, form in forms)


def most_under_way(nodes: Sequence[Node], leaves: Iterable[AccumulateGrad], kinds: Iterable[Derivative]) -> int:
    """The most bytes of gradients that a pass of numbers has under way at a time: in buffers, and in the hands of a rule.

    The pass is gone through without its numbers. The buffer of a node that waits for its turn holds True instead; and where one
    number is in several buffers, as the gradient of a sum is, a list with how many these are.
    """
    walk = _Walk(kinds)
    if nodes:
        nodes[0].grad = True
    for part, served in _until_leaves(nodes, leaves):
        walk.run(part)
        for leaf in served:
            walk.take(leaf)
    return walk.peak * FLOAT_BYTES


def _until_leaves(nodes: Sequence[Node], leaves: Iterable[AccumulateGrad]) -> Iterator[tuple[Sequence[Node], list[Any]]]:
    """The nodes in parts, each with the leaves whose turn comes after it: nothing more is sent to them."""
    missing: set[Any] = set(leaves)
    ends: list[tuple[int, list[Any]]] = []
    for at in range(len(nodes) - 1, -1, -1):
        if not missing:
            break
        node = nodes[at]
        others = node.others
        if node.edge in missing or (not missing.isdisjoint(others) if others.__class__ is tuple else others in missing):
            found = [edge for edge in {*node.edges} if edge in missing]
            missing.difference_update(found)
            ends.append((at + 1, found))
    start = 0
    for end, found in reversed(ends):
        yield nodes[start:end], found
        start = end
    yield nodes[start:], []


def _size(node: Node) -> int:
    """How many numbers a buffer holds."""
    return math.prod(node.shape)


class _Walk:
    """How many different numbers wait in buffers, and the most there were at a time."""

    def __init__(self, kinds: Iterable[Derivative]) -> None:
        self.now = self.peak = 1
        self._made = {derivative: _made(derivative) for derivative in kinds}
        # Numbers that rules give without computing them (0.0): how many buffers each is in.
        self._constants: dict[int, tuple[Any, list[int]]] = {}

    def run(self, nodes: Iterable[Node]) -> None:
        """Goes through the turns of these nodes. The cases are written out in which no number is in two buffers."""
        # The node's own buffer, which is empty by the time its rules run, is counted in both.
        now, most, made_by = self.now, self.peak + 1, self._made
        for node in nodes:
            made = made_by[node.derivative]
            first: Any = node.edge
            second: Any = node.others
            if made < 0:
                if node.grad is True:
                    # It has its gradients in hand together, and each is a number of its own, or goes into an array.
                    node.grad = None
                    if now - made > most:
                        most = now - made
                    now -= 1
                    for edge in (first, *second) if second.__class__ is tuple else (first, second):
                        if edge is not None and edge.grad is not True:
                            if edge.grad is not None:
                                edge.grad[0] -= 1
                                now -= not edge.grad[0]
                            edge.grad = True
                            now += 1 if not edge.shape else _size(edge)
                    if now >= most:
                        most = now + 1
                    continue
            elif first is None or second is None:
                target = first or second
                had = target.grad
                if made and node.grad is True and had.__class__ is not list:
                    node.grad = None
                    if now + made > most:
                        most = now + made
                    if had is None:
                        target.grad = True
                    else:
                        now -= 1
                    continue
            else:
                had, have = first.grad, second.grad
                # A sum makes no number of its own: where both buffers are empty, it puts its gradient in both.
                shared = had.__class__ is list or have.__class__ is list or not (had or have or made > 1)
                if made and node.grad is True and not shared:
                    node.grad = None
                    if now + made > most:
                        most = now + made
                    if had is None:
                        first.grad = True
                        if have is None and second is not first:
                            second.grad = True
                            now += 1
                    elif have is None:
                        second.grad = True
                    else:
                        now -= 1
                    continue
            self.now, self.peak = now, most - 1
            self._turn(node)
            now, most = self.now, self.peak + 1
        self.now, self.peak = now, most - 1

    def take(self, node: Node) -> Any:
        """Empties the buffer of a node."""
        held, node.grad = node.grad, None
        if held is True:
            self.now -= _size(node)
        elif held is not None:
            held[0] -= 1
            self.now -= not held[0]
        return held

    def _put(self, node: Node, held: Any) -> None:
        node.grad = held
        if held is True:
            self.now += _size(node)
        else:
            self.now += not held[0]
            held[0] += 1

    def _turn(self, node: Node) -> None:
        """The turn of any node."""
        held = self.take(node)
        if held is None:
            return
        own = [0] if held is True else held
        given = self._given(node, own)
        known = {id(each): each for _, each in [(None, own), *given] if each is not True}
        made = sum(each is True for _, each in given) + sum(not each[0] for each in known.values())
        self.peak = max(self.peak, self.now + made)
        for edge, each in given:
            self._put(edge, each if self.take(edge) is None else True)
            self.peak = max(self.peak, self.now)

    def _given(self, node: Node, own: list[int]) -> list[tuple[Any, Any]]:
        """What the rules of a node give, edge by edge, in the form that buffers hold here."""
        edges = node.edges
        if self._made[node.derivative] < 0:
            return [(edge, True) for edge in edges if edge is not None]
        forms = _forms(node.derivative)
        if forms is not None:
            return [(edges[slot], own if form is _PASSED else True) for slot, form in forms]
        # Run with two different numbers, rules show what they compute, what they pass on, and what they give in any case.
        probe = float("1.25")
        one, two = node.derivative.apply(node.saved, probe), node.derivative.apply(node.saved, float("0.75"))
        given: list[tuple[Any, Any]] = []
        for edge, a, b in zip(edges, one, two, strict=True):
            if edge is not None and a is not None:
                given.append((edge, own if a is probe else self._constants.setdefault(id(a), (a, [0]))[1] if a is b else True))
        return given
