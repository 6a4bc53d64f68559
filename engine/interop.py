"""NumPy's functions on Tensors: `np.sin(t)`, `array * t` and `np.sum(t)` are the engine's own ops."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from .op import registry
from .ops.choose import compare
from .ops.linear import matmul
from .tensor import Tensor

# NumPy's names where they differ from the ops'.
_UFUNCS = {
    "subtract": "sub",
    "multiply": "mul",
    "divide": "div",
    "true_divide": "div",
    "power": "pow",
    "float_power": "pow",
    "negative": "neg",
    "absolute": "abs",
    "fabs": "abs",
    "rint": "round",
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "arctan2": "atan2",
    "arcsinh": "asinh",
    "arccosh": "acosh",
    "arctanh": "atanh",
    "fmod": "",
}
_COMPARISONS = {
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
    "equal": operator.eq,
    "not_equal": operator.ne,
}
_FUNCTIONS = {"amax": "max", "amin": "min", "concatenate": "concat", "clip": "clamp", "expand_dims": "unsqueeze", "norm": "norm"}


def array_ufunc(self: Tensor, ufunc: Any, method: str, *inputs: Any, **settings: Any) -> Any:
    """What NumPy calls for a universal function of which an argument is a Tensor."""
    name = ufunc.__name__
    if method != "__call__" or settings:
        return NotImplemented
    if name in _COMPARISONS:
        return compare(_COMPARISONS[name], *inputs)
    if name == "matmul":
        return matmul(*inputs)
    op = registry.get(_UFUNCS.get(name, name))
    return NotImplemented if op is None else op.call(*inputs)


def array_function(self: Tensor, function: Callable[..., Any], types: Any, args: tuple[Any, ...], settings: dict[str, Any]) -> Any:
    """What NumPy calls for its other functions: the op of the same name, where there is one."""
    name = function.__name__
    op = registry.get(_FUNCTIONS.get(name, name))
    return NotImplemented if op is None or not op.builtin else op.call(*args, **settings)


def dlpack(self: Tensor, **settings: Any) -> Any:
    """Exports the memory by the DLPack protocol; refused while gradients flow here, as `numpy()` is."""
    return self.numpy().__dlpack__(**settings)


def dlpack_device(self: Tensor) -> Any:
    """The device of the memory: the CPU."""
    return self.detach().numpy().__dlpack_device__()


def install() -> None:
    """Gives Tensor the protocols by which NumPy and others ask."""
    for name, function in {
        "__array_ufunc__": array_ufunc,
        "__array_function__": array_function,
        "__dlpack__": dlpack,
        "__dlpack_device__": dlpack_device,
    }.items():
        setattr(Tensor, name, function)
