"""PyTorch's autograd engine in readable Python over NumPy: the public names."""

from __future__ import annotations

from typing import Any

from . import ops
from .backward import Engine, backward
from .errors import (
    ArgumentError,
    EngineError,
    FreedGraphError,
    IndexRangeError,
    LimitError,
    ShapeError,
    VersionError,
)
from .leaves import alias, assign, detach, gradient_of, zero_grad
from .modes import enable_grad, is_grad_enabled, no_grad, plain_scalars, set_grad_enabled
from .node import AccumulateGrad, Edge, Node, Place, here
from .observe import Listener
from .op import Op, registry
from .tensor import Mask, Tensor, leaf, tensor, untracked
from .transforms import derivative, grad, gradient, hessian, hvp, jacobian, jvp, numeric_jacobian, partials, vjp

__all__ = [
    "AccumulateGrad",
    "ArgumentError",
    "Edge",
    "Engine",
    "EngineError",
    "FreedGraphError",
    "IndexRangeError",
    "LimitError",
    "Listener",
    "Mask",
    "Node",
    "Op",
    "Place",
    "ShapeError",
    "Tensor",
    "VersionError",
    "alias",
    "assign",
    "backward",
    "derivative",
    "detach",
    "enable_grad",
    "grad",
    "gradient",
    "gradient_of",
    "here",
    "hessian",
    "hvp",
    "is_grad_enabled",
    "jacobian",
    "jvp",
    "leaf",
    "no_grad",
    "numeric_jacobian",
    "ops",
    "partials",
    "plain_scalars",
    "registry",
    "set_grad_enabled",
    "tensor",
    "untracked",
    "vjp",
    "zero_grad",
]


def __getattr__(name: str) -> Any:
    """Every op is a name of this module: `from dagrad.engine import sin`."""
    try:
        return getattr(ops, name)
    except AttributeError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
