"""The end of a path: a gradient is added into its leaf."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from .errors import EngineError
from .gradient import Owned
from .hooks import Hooks, as_gradient, as_tensor
from .lazy import np
from .observe import listeners
from .tensor import Tensor, untracked

if TYPE_CHECKING:
    from .node import AccumulateGrad


def finish_leaf(leaf: AccumulateGrad, gradient: Any) -> None:
    """Adds what arrived at a leaf into its `.grad`, in the leaf's own type, and lets its hooks see it."""
    hooks: Hooks | None = getattr(leaf, "extra", None) if Hooks.live else None
    if hooks is not None:
        _finish_hooked(leaf, hooks, gradient)
        return
    ours = gradient.__class__ is Owned
    if ours:
        gradient = gradient.array
    if leaf.dtype is not None and gradient.__class__ is not float and gradient.dtype != leaf.dtype:
        gradient = gradient.astype(leaf.dtype)
    accumulate(leaf, gradient, ours or _sole(gradient))
    for listener in listeners:
        listener.accumulated(leaf, gradient)


def _finish_hooked(leaf: AccumulateGrad, hooks: Hooks, gradient: Any) -> None:
    """As `finish_leaf` for a leaf with hooks, which see the very Tensor that is stored."""
    arrived = as_tensor(gradient)
    if leaf.accumulated is None and arrived.node is None:
        if arrived.data.__class__ is not float and gradient.__class__ is not Owned:
            arrived = untracked(arrived.data.copy())
        leaf.accumulated = arrived
    else:
        accumulate(leaf, as_gradient(arrived), False)
    for hook in list(hooks.after_accumulate.values()):
        if hook(leaf.variable) is not None:
            raise EngineError("Tensor post accumulate grad hooks should return None.")
    for hook in list(hooks.post.values()):
        hook((), (arrived,))
    for listener in listeners:
        listener.accumulated(leaf, gradient)


def accumulate(leaf: AccumulateGrad, gradient: Any, ours: bool) -> None:
    """`leaf.grad += gradient`.

    The first gradient is taken over where nobody else holds its array (`ours`) and copied where somebody does. Later ones are
    added in place, unless somebody holds the array of the sum so far: values that were read stay what they were.
    """
    have = leaf.accumulated
    if isinstance(gradient, Tensor) or (have is not None and have.node is not None):
        leaf.accumulated = gradient if have is None and isinstance(gradient, Tensor) else _plus(have, gradient)
    elif have is None:
        leaf.accumulated = untracked(gradient if ours or gradient.__class__ is float else gradient.copy())
    elif have.data.__class__ is float or sys.getrefcount(have.data) > _HELD_BY_TENSOR:
        have.data = have.data + gradient
    else:
        np.add(have.data, gradient, out=have.data)


def _plus(have: Tensor | None, gradient: Any) -> Tensor:
    return untracked(gradient) if have is None else have + gradient


def _sole(gradient: Any) -> bool:
    """Whether an array is nobody's but the backward pass's: no view, and held by the frames that call this alone."""
    return (
        gradient.__class__ is not float  # asked first: NumPy is not imported for numbers
        and gradient.__class__ is np.ndarray
        and gradient.base is None
        and gradient.flags.writeable
        and sys.getrefcount(gradient) <= _HELD_IN_PASSING
    )


# What sys.getrefcount says of an array that one Tensor holds, and of one that only the frames from the pass down to `_sole` hold.
# Counts are those of CPython 3.11 to 3.13 (3.14 lends references to its stack); tests hold them against what happens.
_HELD_BY_TENSOR = 2
_HELD_IN_PASSING = 5
