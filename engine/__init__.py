"""PyTorch's autograd engine in readable Python over NumPy: the public names."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import inplace, interop, ops
from .anomaly import NonFiniteError, detect_anomaly, set_detect_anomaly
from .backward import Engine
from .calls import backward
from .errors import (
    ArgumentError,
    EngineError,
    FreedGraphError,
    IndexRangeError,
    LimitError,
    ShapeError,
    VersionError,
)
from .hooks import RemovableHandle, register_multi_grad_hook
from .lazy import no_warnings, when_numpy_is_imported
from .leaves import alias, assign, detach, gradient_of, zero_grad
from .modes import enable_grad, is_grad_enabled, no_grad, plain_scalars, set_grad_enabled
from .node import AccumulateGrad, Edge, Node, Place, here
from .observe import Listener
from .op import Op, registry
from .tensor import Mask, Tensor, leaf, tensor, untracked
from .transforms import derivative, grad, gradient, hessian, hvp, jacobian, jvp, numeric_jacobian, partials, vjp
from .values import Bool

if TYPE_CHECKING:  # at run time these are imported when they are first asked for
    from . import optimize
    from .formula import Formula, Step
    from .function import Function, once_differentiable
    from .fused import fuse
    from .kinks import Kink, KinkRecorder
    from .numeric import Comparison, compare
    from .saving import checkpoint, saved_tensors_hooks
    from .verify import GradcheckError, gradcheck, gradgradcheck

__all__ = [
    "AccumulateGrad",
    "ArgumentError",
    "Bool",
    "Comparison",
    "Edge",
    "Engine",
    "EngineError",
    "Formula",
    "FreedGraphError",
    "Function",
    "GradcheckError",
    "IndexRangeError",
    "Kink",
    "KinkRecorder",
    "LimitError",
    "Listener",
    "Mask",
    "Node",
    "NonFiniteError",
    "Op",
    "Place",
    "RemovableHandle",
    "ShapeError",
    "Step",
    "Tensor",
    "VersionError",
    "alias",
    "assign",
    "backward",
    "checkpoint",
    "compare",
    "derivative",
    "detach",
    "detect_anomaly",
    "enable_grad",
    "fuse",
    "grad",
    "gradcheck",
    "gradgradcheck",
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
    "no_warnings",
    "numeric_jacobian",
    "once_differentiable",
    "ops",
    "optimize",
    "partials",
    "plain_scalars",
    "register_multi_grad_hook",
    "registry",
    "saved_tensors_hooks",
    "set_detect_anomaly",
    "set_grad_enabled",
    "tensor",
    "untracked",
    "vjp",
    "when_numpy_is_imported",
    "zero_grad",
]


_IN_PLACE = ("add", "sub", "mul", "div", "pow", "neg", "exp", "log", "sqrt", "abs", "sin", "cos", "tanh", "sigmoid", "relu", "clamp")
inplace.install({name: registry[name].call for name in _IN_PLACE})
interop.install()


_LATER = {
    "function": ("Function", "once_differentiable"),
    "formula": ("Formula", "Step"),
    "fused": ("fuse",),
    "kinks": ("Kink", "KinkRecorder"),
    "numeric": ("Comparison", "compare"),
    "saving": ("checkpoint", "saved_tensors_hooks"),
    "verify": ("GradcheckError", "gradcheck", "gradgradcheck"),
}


def __getattr__(name: str) -> Any:
    """What a plain run does without, and every op: `from dagrad.engine import sin`."""
    for module, names in _LATER.items():
        if name in names:
            value = globals()[name] = getattr(import_module(f".{module}", __name__), name)
            return value
    try:
        return getattr(ops, name)
    except AttributeError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
