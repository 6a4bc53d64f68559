"""The calls that start a backward pass: what they accept, and what they refuse."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, Any

from . import modes
from .backward import Engine, GraphTask, current
from .errors import EngineError, ShapeError
from .lazy import LazyModule, np
from .node import Edge, Node, here
from .observe import listeners
from .tensor import Tensor
from .values import as_raw

if TYPE_CHECKING:
    from collections.abc import Sequence


def backward(
    tensors: Any,
    gradients: Any = None,
    *,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Sequence[Tensor] | None = None,
) -> None:
    """Adds the gradients of `tensors` into `.grad` of the leaves they depend on, then dismantles the graph.

    `gradients` holds one gradient a tensor, of its shape; None stands for 1 and needs a single element. Raises EngineError
    where a tensor is not tracked or a gradient is missing or of the wrong shape.
    """
    if isinstance(tensors, Tensor) and (gradients is None or isinstance(gradients, (Tensor, float, int))):
        roots = [root_of(tensors, gradients, 0, create_graph)]
    else:
        tensors = [tensors] if isinstance(tensors, Tensor) else list(tensors)
        gradients = [gradients] if gradients is None or isinstance(gradients, (Tensor, float, int)) else list(gradients)
        gradients += [None] * (len(tensors) - len(gradients))
        roots = [root_of(t, g, i, create_graph) for i, (t, g) in enumerate(zip(tensors, gradients, strict=True))]
    captures = [t.node for t in inputs if t.node is not None] if inputs is not None else ()
    task = GraphTask(create_graph if retain_graph is None else retain_graph, create_graph, captures, here(2), accumulate=True)
    run_task(task, roots)


def run_task(task: GraphTask, roots: Sequence[tuple[Node | Edge, Any]]) -> None:
    """Executes a task with the floating-point warnings of NumPy off: inf and nan are results here. In a program they are off anyway."""
    if "numpy" in sys.modules and not LazyModule.quiet:
        with np.errstate(all="ignore"):
            _execute(task, roots)
    else:
        _execute(task, roots)


def _execute(task: GraphTask, roots: Sequence[tuple[Node | Edge, Any]]) -> None:
    with _one_at_a_time:
        _execute_alone(task, roots)


# Passes of several threads may meet at a leaf, and a pass is Python code that holds the interpreter anyway.
_one_at_a_time = threading.RLock()


def _execute_alone(task: GraphTask, roots: Sequence[tuple[Node | Edge, Any]]) -> None:
    before, current.task = current.task, task
    task.nested = before is not None
    place = modes.local.place
    if task.create_graph:
        modes.add_special(1)
    try:
        Engine.execute(task, roots)
    finally:
        current.task = before
        for node, gradient in task.set_aside:
            node.grad = gradient
        if task.create_graph:
            modes.add_special(-1)
            modes.local.place = place
        for listener in listeners:
            listener.ended()


def root_of(tensor: Any, gradient: Any, number: int, create_graph: bool) -> tuple[Node | Edge, Any]:
    """A tensor to start from, with the gradient that enters there."""
    if not isinstance(tensor, Tensor) or tensor.node is None:
        raise EngineError(
            f"element {number} of tensors does not require grad and does not have a grad_fn",
            kind="no-grad",
            help="it depends on no tracked leaf; look for a missing requires_grad=True, a detach, a no_grad or a comparison on the way",
        )
    if gradient is None:
        if tensor.data.__class__ is float:
            return tensor.node, 1.0
        if tensor.size != 1:
            raise EngineError(
                f"grad can be implicitly created only for scalar outputs; this one has shape {tensor.shape}",
                kind="backward",
                help="reduce it with sum() or mean(), or pass gradient=",
            )
        gradient = np.ones(tensor.shape)
    else:
        gradient = _as_gradient(gradient, create_graph)
        shape = () if gradient.__class__ is float else gradient.shape
        if shape != tensor.shape:
            raise ShapeError(
                f"Mismatch in shape: grad_output[{number}] has a shape of {shape} and output[{number}] has a shape of {tensor.shape}"
            )
    return tensor.node, gradient


def _as_gradient(gradient: Any, create_graph: bool) -> Any:
    if isinstance(gradient, Tensor) and create_graph and gradient.node is not None:
        return gradient
    return as_raw(gradient)
