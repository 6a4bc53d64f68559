"""A matrix of derivatives that is computed as plain numbers, and recorded only if somebody differentiates it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .backward import GraphTask
from .batch import Batched
from .calls import run_task
from .discovery import discover
from .gradient import written
from .hooks import as_tensor
from .node import Node, here, next_number, node_of
from .tensor import Tensor, untracked
from .whole import Shape, WholeDerivative


class DeferredDerivative(WholeDerivative):
    """The derivative of a Jacobian: the recorded one is computed now, by the pass that asks, and differentiated."""

    def __init__(self, recorded: Callable[[], Tensor], arity: int) -> None:
        super().__init__("JacobianBackward0", Shape("jacobian", 1), arity)
        self.recorded = recorded

    def gradients(self, node: Node, g: Any, recording: bool) -> tuple[Any, ...]:
        from .modes import enable_grad

        with enable_grad():
            matrix = self.recorded()
        if not isinstance(matrix, Tensor) or matrix.node is None:
            return (None,) * len(node.edges)
        seed: Any = g if isinstance(g, Batched) else as_tensor(written(g))
        plain = not isinstance(g, Batched) and not (recording and seed.node is not None)
        leaves = [edge for edge in node.edges if edge is not None]
        task = GraphTask(True, recording, leaves, here(), accumulate=False)
        run_task(task, [(matrix.node, seed.data if plain else seed)])
        return tuple(task.captures[edge] for edge in leaves)


def deferred(value: Any, y: Tensor, recorded: Callable[[], Tensor]) -> Any:
    """The tensor `value`, tied to every leaf that y depends on through a node that can compute it again, recorded."""
    node = Node()
    leaves = tuple(discover([node_of(y.node)])[1])  # type: ignore[arg-type]
    node.derivative = DeferredDerivative(recorded, len(leaves))  # type: ignore[assignment]
    node.edges = leaves
    node.saved = ()
    node.sequence_nr = next_number()
    node.shape = value.shape
    node.grad = None
    node.code, node.lasti = here()
    return untracked(value.data, node)
