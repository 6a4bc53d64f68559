"""Choosing between values where a condition decides: what the rules of piecewise functions are made of."""

from __future__ import annotations

from typing import Any

from ..batch import Batched
from ..errors import ArgumentError
from ..lazy import np
from ..op import op
from ..shapes import misfit
from ..tensor import Tensor
from ..values import as_raw, describe


@op(
    masks=True,
    elementwise=True,
    kinks="the branch not taken gets 0 from here, but 0 * inf is nan further on, as in PyTorch",
    c=None,
    a=lambda g, c: choose(c, g, 0.0),
    b=lambda g, c: choose(c, 0.0, g),
)
def where(c: Any, a: Any, b: Any) -> Any:
    """a where c holds, b elsewhere."""
    if c.__class__ is float or c.__class__ is bool:
        return _like_both(a if c else b, a, b)
    return np.where(c, as_raw(a), as_raw(b))


def _like_both(chosen: Any, a: Any, b: Any) -> Any:
    """A chosen value in the shape that a and b broadcast to."""
    if a.__class__ is float and b.__class__ is float:
        return chosen
    return np.array(np.broadcast_arrays(as_raw(chosen), as_raw(a), as_raw(b))[0])


def choose(c: Any, a: Any, b: Any) -> Any:
    """As `where`, for rules: on a single truth value it is a plain choice, and on raw values no op."""
    if c.__class__ is bool or isinstance(c, float):
        return a if c else b
    if isinstance(a, (Tensor, Batched)) or isinstance(b, (Tensor, Batched)):
        return where(c, a, b)
    return np.where(c.data if isinstance(c, Tensor) else c, a, b)


def zero(g: Any) -> Any:
    """Zeros in the shape of g: the gradient of a function that is flat."""
    if g.__class__ is float:
        return 0.0
    shape = g.shape
    return np.zeros(shape) if shape else 0.0


def compare(test: Any, a: Any, b: Any) -> Any:
    """A comparison: a bool of two numbers, elsewhere an elementwise mask."""
    raws = [_comparable(v) for v in (a, b)]
    try:
        found = test(*raws)
    except ValueError:
        raise misfit("-", *raws) from None
    if found.__class__ is bool or isinstance(found, np.bool_):
        return bool(found)
    from ..tensor import untracked

    return untracked(found) if isinstance(a, Tensor) or isinstance(b, Tensor) else found


def _comparable(value: Any) -> Any:
    if value.__class__ is Tensor:
        return value.data
    if isinstance(value, (str, tuple)) or callable(value):
        raise ArgumentError(f"{describe(value)} cannot be compared with a tensor")
    return as_raw(value)
