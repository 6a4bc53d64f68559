"""A derivative that gives the gradients of all its inputs together, from one function instead of a rule an input."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .gradient import deliver
from .node import Node


class Shape:
    """What the engine asks of a derivative's op."""

    variadic = False
    elementwise = False
    inputs: tuple[str, ...] = ()

    def __init__(self, name: str, outputs: int) -> None:
        self.name = name
        self.outputs = outputs


class WholeDerivative:
    """In the form in which the engine runs derivatives; a subclass says what `gradients` are, one an edge."""

    saved_names: tuple[str, ...] = ()
    value_count = 0
    slots: tuple[int, ...] = ()
    takes_owned = False
    delivers = False

    def __init__(self, name: str, op: Shape, arity: int) -> None:
        self.name = name
        self.op = op
        self.arity = arity

    def gradients(self, node: Node, g: Any, recording: bool) -> tuple[Any, ...]:
        """The gradients of the inputs for the gradient `g` of the output (a tuple for several); recorded where that is asked for."""
        raise NotImplementedError

    def saves_input(self, slot: int) -> bool:
        """Whether the value of an input is known to be saved: what a function keeps is its own affair."""
        return False

    def opened(self, node: Node) -> tuple[Any, ...]:
        """The saved values of a node."""
        return node.saved

    def restricted(self, mask: int) -> Callable[..., Any]:
        """`apply`: there is only the whole."""
        return self.apply

    def run(self, node: Node, g: Any) -> None:
        """Computes and delivers, in the plain pass."""
        for edge, d in zip(node.edges, self.gradients(node, g, False), strict=True):
            if edge is not None and d is not None:
                deliver(edge, d)

    def apply(self, saved: tuple[Any, ...], g: Any) -> tuple[Any, ...]:
        """Computes, in every other pass."""
        from .backward import current

        task = current.task
        return self.gradients(task.node, g, task.create_graph)  # type: ignore[union-attr, arg-type]
