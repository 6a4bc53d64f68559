"""Gradients on their way: buffers that have an owner, and gradients that are cheaper unwritten."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .lazy import LazyModule
from .node import WAITING
from .shapes import sum_to

if TYPE_CHECKING:
    import numpy as np

    from .node import Edge, Node
else:
    np = LazyModule("numpy")


class Owned:
    """An array that the engine made itself for one slot, so that it may be changed in place.

    `flat` views the same memory: adding a float to one element through a memoryview costs half of what NumPy's indexing does.
    """

    __slots__ = ("array", "flat")

    def __init__(self, array: Any) -> None:
        self.array = array
        self.flat = memoryview(array).cast("B").cast("d") if array.dtype == np.float64 and array.size and array.flags.c_contiguous else None


class Scatter:
    """The gradient of `x[index]`: `value` at `index`, zero elsewhere. It is added into the one buffer of x, never written out."""

    __slots__ = ("index", "value")

    def __init__(self, index: Any, value: Any) -> None:
        self.index = index
        self.value = value


def deliver(target: Node | Edge, gradient: Any) -> None:
    """Adds a gradient into the buffer of `target`: the one place where broadcasting is undone and ownership decided.

    The first gradient is borrowed. The second forces a sum into a fresh array, which is owned from then on; later ones are
    added into it in place.
    """
    have = target.grad
    kind = gradient.__class__
    if kind is Scatter:
        if have.__class__ is not Owned:
            have = target.grad = _own(target, have)
        scatter_add(have, gradient.index, gradient.value)
        return
    if kind is Owned:
        if have is WAITING:
            target.grad = gradient
            return
        gradient = gradient.array
    elif (() if kind is float else gradient.shape) != target.shape:
        gradient = sum_to(gradient, target.shape)
    if have is WAITING:
        target.grad = gradient
    elif have.__class__ is Owned:
        np.add(have.array, gradient, out=have.array)
    elif have.__class__ is float or have.__class__ is not gradient.__class__ or have.__class__ is not np.ndarray:
        target.grad = have + gradient
    else:
        target.grad = Owned(have + gradient)


def scatter_add(buffer: Owned, index: Any, value: Any) -> None:
    """buffer[index] += value, where an index that repeats counts as often as it stands there."""
    if index.__class__ is int and buffer.flat is not None and value.__class__ is float and buffer.array.ndim == 1:
        buffer.flat[index] += value
    elif is_basic(index):
        buffer.array[index] += value
    else:
        np.add.at(buffer.array, index, value)


def is_basic(index: Any) -> bool:
    """Whether an index names each element at most once by construction: numbers and slices only."""
    parts = index if index.__class__ is tuple else (index,)
    return all(part.__class__ is int or part.__class__ is slice or part is None or part is Ellipsis for part in parts)


def _own(target: Node | Edge, have: Any) -> Owned:
    return Owned(np.zeros(target.shape) if have is WAITING else np.array(have, dtype=np.float64))


def cleared(gradient: Any, index: Any) -> Owned:
    """The gradient of the old value in `v[index] = y`: `gradient` with zero at `index`. An owned buffer is cleared in place and passed on."""
    owned = gradient if gradient.__class__ is Owned else Owned(gradient.copy())
    owned.array[index] = 0.0
    return owned
