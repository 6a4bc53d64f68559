"""What a program does with its leaves: read their gradients, clear them, and give them new values in place."""

from __future__ import annotations

from typing import Any

from .errors import EngineError, ShapeError
from .node import AccumulateGrad, here
from .tensor import Tensor
from .values import as_raw, wrap


def assign(leaf: Tensor, value: Any) -> Tensor:
    """Replaces the value of a leaf in place. It stays a leaf and keeps its `.grad`.

    A graph that saved the old value refuses its backward from now on. Raises ShapeError for a value of another shape.
    """
    node = leaf.node
    if not isinstance(node, AccumulateGrad):
        raise EngineError("only a leaf can be given a new value in place")
    data: Any = value if value.__class__ is float else as_raw(value)
    shape = () if data.__class__ is float else data.shape
    if shape != node.shape:
        raise ShapeError(
            f"a value of shape {shape} for {node.label or 'a leaf'} of shape {node.shape}",
            help="an update keeps the shape of its parameter",
        )
    if data.__class__ is not float and (data.base is not None or (isinstance(value, Tensor) and value.node is not None)):
        data = data.copy()
    leaf.data = data
    node.mark_changed()
    return leaf


def alias(leaf: Tensor) -> Tensor:
    """A tensor with the present value of `leaf` and its place in the graph: it keeps the value when the leaf gets another."""
    result = Tensor()
    result.data = leaf.data
    result.node = leaf.node
    return result


def detach(x: Any) -> Any:
    """The value of x, cut from the graph."""
    return wrap(x.data) if isinstance(x, Tensor) and x.node is not None else x


def gradient_of(x: Any) -> Any:
    """The value of x.grad; an EngineError that says what is missing where there is none."""
    if not isinstance(x, Tensor) or x.node is None:
        raise EngineError(
            "only a param has a gradient, this value is not tracked",
            kind="no-grad",
            help="make it a param, or differentiate with grad(y, x)",
        )
    if not isinstance(x.node, AccumulateGrad):
        raise EngineError(
            "only a param keeps its gradient, this value was computed",
            kind="non-leaf",
            help="declare it as a param, or use grad(y, x) for the derivative with respect to any value",
        )
    found = x.node.accumulated
    if found is None:
        called = x.node.label or "this leaf"
        if x.node.cleared is not None:
            raise EngineError(
                f"{called} has no gradient: it was cleared",
                kind="no-gradient",
                help="call backward(loss) after zero_grad()",
                labels=[(x.node.cleared, "cleared here")],
            )
        raise EngineError(f"{called} has no gradient yet", kind="no-gradient", help="call backward(loss) first")
    return found if found.node is not None else wrap(found.data)


def zero_grad(*leaves: Tensor) -> None:
    """Sets the gradient of each leaf to none, and remembers where, for the error when it is read."""
    place = here(2)
    for leaf in leaves:
        if not isinstance(leaf, Tensor) or not isinstance(leaf.node, AccumulateGrad):
            raise EngineError("zero_grad() takes params", kind="argument")
        leaf.node.accumulated = None
        leaf.node.cleared = place
