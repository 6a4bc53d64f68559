"""What callers pass and what they get back: raw values out of anything, Tensors around results."""

from __future__ import annotations

from typing import Any

from . import modes
from .errors import ArgumentError
from .lazy import np
from .tensor import Tensor, untracked


class Bool(float):
    """A truth value that is a number too, as the language has them: it prints as a word and counts as 0 or 1."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "true" if self else "false"

    __str__ = __repr__


def is_truth(value: Any) -> bool:
    """Whether it is a truth value or a mask of them."""
    data = value.data if isinstance(value, Tensor) else value
    return data.__class__ is Bool or data.__class__ is bool or getattr(getattr(data, "dtype", None), "kind", "") == "b"


def as_raw(value: Any, keep: bool = False) -> Any:
    """The float or array behind anything that a caller may pass; `keep` leaves truth values and whole numbers as they are."""
    if isinstance(value, Tensor):
        value = value.data
    if isinstance(value, float):
        return value if value.__class__ is float else float(value)
    if isinstance(value, (bool, int)):
        return float(value)
    if value.__class__ is np.ndarray and value.dtype.kind == "f" and value.ndim:
        return value
    if isinstance(value, (str, bytes, tuple)) or callable(value) or value is None:
        raise ArgumentError(f"a number or tensor is needed here, not {describe(value)}")
    if isinstance(value, list):
        if any(isinstance(item, Tensor) for item in value):
            raise ArgumentError("a list of tensors is no tensor", help="join them with stack()")
        value = np.asarray(value)
    if isinstance(value, np.ndarray):
        if value.dtype.kind == "f":
            return float(value) if value.ndim == 0 else value
        if value.dtype.kind not in "biu":
            raise ArgumentError(f"an array of {value.dtype} holds no numbers")
        return value if keep and value.ndim else value.astype(np.float64) if value.ndim else float(value)
    if isinstance(value, np.generic):
        return float(value)
    raise ArgumentError(f"a number or tensor is needed here, not {describe(value)}")


def describe(value: Any) -> str:
    """What kind of value the user would call this."""
    if isinstance(value, str):
        return "a string"
    if value is None:
        return "nothing"
    if isinstance(value, tuple):
        return "a tuple"
    return "a function" if callable(value) else f"a {type(value).__name__}"


def wrap(y: Any) -> Any:
    """An untracked result of an op that was given a Tensor."""
    if y.__class__ is float and not modes.local.boxed:
        return y
    return untracked(y)


def wrap_any(y: Any) -> Any:
    """As `wrap`, where the result may be truth values or whole numbers too."""
    if y.__class__ is float or y.__class__ is bool:
        return wrap(y) if y.__class__ is float else y
    if isinstance(y, Tensor):
        return y
    return untracked(y)
