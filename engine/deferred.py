"""A matrix of derivatives that is computed as plain numbers, and recorded only if somebody differentiates it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .backward import GraphTask
from .calls import run_task
from .gradient import deliver, written
from .hooks import as_tensor
from .node import AccumulateGrad, Node, here, next_number, node_of
from .tensor import Tensor, untracked


class _Shape:
    """What the engine asks of a derivative's op."""

    variadic = False
    inputs: tuple[str, ...] = ()
    outputs = 1
    name = "jacobian"


class DeferredDerivative:
    """The derivative of a Jacobian: the recorded one is computed now, by the pass that asks, and differentiated."""

    name = "JacobianBackward0"
    op = _Shape()
    saved_names: tuple[str, ...] = ()
    value_count = 0
    takes_owned = False

    def __init__(self, recorded: Callable[[], Tensor], arity: int) -> None:
        self.recorded = recorded
        self.arity = arity

    def saves_input(self, slot: int) -> bool:
        return False

    def opened(self, node: Node) -> tuple[Any, ...]:
        return node.saved

    def restricted(self, mask: int) -> Callable[..., Any]:
        return self.apply

    def run(self, node: Node, g: Any) -> None:
        for edge, d in zip(node.edges, self._gradients(node, g, False), strict=True):
            if edge is not None and d is not None:
                deliver(edge, d)

    def apply(self, saved: tuple[Any, ...], g: Any) -> tuple[Any, ...]:
        from .backward import current

        task = current.task
        return self._gradients(task.node, g, task.create_graph)  # type: ignore[union-attr, arg-type]

    def _gradients(self, node: Node, g: Any, recording: bool) -> tuple[Any, ...]:
        from .modes import enable_grad

        with enable_grad():
            matrix = self.recorded()
        if not isinstance(matrix, Tensor) or matrix.node is None:
            return (None,) * len(node.edges)
        seed = as_tensor(written(g))
        leaves = [edge for edge in node.edges if edge is not None]
        task = GraphTask(True, recording, leaves, here(), accumulate=False)
        run_task(task, [(matrix.node, seed if recording and seed.node is not None else seed.data)])
        return tuple(task.captures[edge] for edge in leaves)


def deferred(value: Any, y: Tensor, recorded: Callable[[], Tensor]) -> Any:
    """The tensor `value`, tied to every leaf that y depends on through a node that can compute it again, recorded."""
    node = Node()
    leaves = tuple(_leaves(node_of(y.node)))  # type: ignore[arg-type]
    node.derivative = DeferredDerivative(recorded, len(leaves))  # type: ignore[assignment]
    node.edges = leaves
    node.saved = ()
    node.sequence_nr = next_number()
    node.shape = value.shape
    node.grad = None
    node.code, node.lasti = here()
    return untracked(value.data, node)


def _leaves(root: Node) -> list[AccumulateGrad]:
    seen = {root}
    found = [root]
    for node in found:
        for edge in node.edges:
            if edge is not None and node_of(edge) not in seen:
                seen.add(node_of(edge))
                found.append(node_of(edge))
    return [node for node in found if isinstance(node, AccumulateGrad)]
