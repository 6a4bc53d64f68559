"""The eight attributes of a value."""

from __future__ import annotations

from typing import Any

from dagrad import engine
from dagrad.engine import EngineError, Tensor

from .values import FALSE, TRUE, Text, Tuple, boolean, kind_of

__all__ = ["T", "grad", "grad_fn", "is_leaf", "ndim", "requires_grad", "shape", "size"]


def _numeric(value: Any, attribute: str) -> Any:
    if isinstance(value, (float, int, Tensor)):
        return value
    raise EngineError(f"{kind_of(value)} has no attribute .{attribute}", kind="type")


def grad(value: Any) -> Any:
    """What backward accumulated in a param."""
    return engine.gradient_of(value if value.__class__ is Tensor else _numeric(value, "grad"))


def T(value: Any) -> Any:
    """The transpose."""
    value = _numeric(value, "T")
    return value.T if isinstance(value, Tensor) else value


def shape(value: Any) -> Tuple:
    """The length of each axis."""
    value = _numeric(value, "shape")
    return Tuple(float(n) for n in value.shape) if isinstance(value, Tensor) else Tuple()


def ndim(value: Any) -> float:
    """The number of axes."""
    value = _numeric(value, "ndim")
    return float(value.ndim) if isinstance(value, Tensor) else 0.0


def size(value: Any) -> float:
    """The number of elements."""
    value = _numeric(value, "size")
    return float(value.size) if isinstance(value, Tensor) else 1.0


def requires_grad(value: Any) -> Any:
    """Whether gradients flow to it."""
    value = _numeric(value, "requires_grad")
    return boolean(value.requires_grad) if isinstance(value, Tensor) else FALSE


def is_leaf(value: Any) -> Any:
    """Whether no recorded operation made it."""
    value = _numeric(value, "is_leaf")
    return boolean(value.is_leaf) if isinstance(value, Tensor) else TRUE


def grad_fn(value: Any) -> Text:
    """The name of the operation that made it."""
    value = _numeric(value, "grad_fn")
    node = value.grad_fn if isinstance(value, Tensor) else None
    return Text("none" if node is None else node.name())
