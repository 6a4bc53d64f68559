"""Where a convention stood in for a derivative: the points of a backward pass that lay on a kink, a tie or a step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .lazy import np
from .observe import Listener

if TYPE_CHECKING:
    from .node import Node, Place


@dataclass(frozen=True)
class Kink:
    """An operation that was differentiated where it has no derivative: how many of its elements were, and what holds there."""

    name: str
    place: Place
    elements: int
    convention: str

    def __str__(self) -> str:
        times = "" if self.elements == 1 else f" at {self.elements} elements"
        return f"{self.place}: {self.name} has no derivative{times}; the convention is: {self.convention}"


class KinkRecorder(Listener):
    """Lists, in `kinks`, each operation that a backward pass ran at a kink while it was attached."""

    def __init__(self) -> None:
        self.kinks: list[Kink] = []

    def ran(self, node: Node, gradient: Any, gradients: Sequence[Any]) -> None:
        op = node.derivative.op
        test = getattr(op, "kink", None)
        if test is None or gradient is None:
            return
        values = dict(zip(node.derivative.saved_names, node.derivative.opened(node), strict=False))
        wanted = test.__code__.co_varnames[: test.__code__.co_argcount]
        if not set(wanted) <= set(values):
            return
        count = int(np.count_nonzero(test(*(values[name] for name in wanted))))
        if count:
            self.kinks.append(Kink(op.name.strip("_"), node.span, count, op.kinks))
