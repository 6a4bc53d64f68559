"""Gradients on their way: buffers that have an owner, and gradients that are cheaper unwritten."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .batch import Batched, behind, is_raw_batch
from .lazy import np
from .node import Edge
from .shapes import spread, sum_to

if TYPE_CHECKING:
    from .node import Node


class Owned:
    """An array that the engine made itself for one slot, so that it may be changed in place.

    `flat`, of a vector, views the same memory: adding to one element through a memoryview costs half of what NumPy's indexing does.
    """

    __slots__ = ("array", "view")

    def __init__(self, array: Any) -> None:
        self.array = array
        self.view: Any = None

    @property
    def flat(self) -> Any:
        array = self.array
        if self.view is None and array.ndim == 1 and array.dtype == np.float64 and array.flags.c_contiguous:
            self.view = memoryview(array)
        return self.view


class Scatter:
    """The gradient of `x[index]`: `value` at `index`, zero elsewhere. It is added into the one buffer of x, never written out."""

    __slots__ = ("index", "value")

    def __init__(self, index: Any, value: Any) -> None:
        self.index = index
        self.value = value


class Uniform:
    """The same number for every element of the target, which is what a sum sends back: rules take it as one number."""

    __slots__ = ("value",)

    def __init__(self, value: float) -> None:
        self.value = value

    def owned(self, shape: tuple[int, ...]) -> Owned:
        """Written out for a target of this shape."""
        return Owned(np.full(shape, self.value))


def deliver(target: Node | Edge, gradient: Any) -> None:
    """Adds a gradient into the buffer of `target`: the one place where broadcasting is undone and ownership decided.

    The first gradient is borrowed. The second forces a sum into a fresh array, which is owned from then on; later ones are
    added into it in place.
    """
    have = target.grad
    kind = gradient.__class__
    if have is None and (not target.shape if kind is float else (kind is np.ndarray or kind is Batched) and gradient.shape == target.shape):
        target.grad = gradient
        return
    if kind is Uniform:
        _deliver_uniform(target, have, gradient)
        return
    if have.__class__ is Uniform:
        have = target.grad = have.owned(target.shape)
    if kind is Scatter:
        value = gradient.value
        raw = value.__class__ is float or value.__class__ is np.ndarray
        if not raw or not (have is None or have.__class__ is Owned or have.__class__ is np.ndarray):
            collect(target, have, gradient)
            return
        if have.__class__ is not Owned:
            have = target.grad = _own(target, have)
        scatter_add(have, gradient.index, gradient.value)
        return
    if kind is Owned:
        if have is None:
            target.grad = gradient
            return
        gradient = gradient.array
    elif (() if kind is float else gradient.shape) != target.shape:
        gradient = sum_to(gradient, target.shape)
    if have is None:
        target.grad = gradient
    elif is_raw_batch(have) and is_raw_batch(gradient):
        target.grad = Batched(have.data + gradient.data)
    elif have.__class__ is Collected:
        have.rest = gradient if have.rest is None else have.rest + gradient
    elif have.__class__ is Owned and gradient.__class__ is np.ndarray:
        np.add(have.array, gradient, out=have.array)
    elif have.__class__ is float or have.__class__ is not gradient.__class__ or have.__class__ is not np.ndarray:
        target.grad = (have.array if have.__class__ is Owned else have) + gradient
    else:
        target.grad = Owned(have + gradient)


def _deliver_uniform(target: Node | Edge, have: Any, gradient: Uniform) -> None:
    if have is None:
        target.grad = gradient.owned(target.shape) if target.__class__ is Edge else gradient  # one of several outputs: written out
    elif have.__class__ is Owned:
        have.array += gradient.value
    else:
        target.grad = Uniform(have.value + gradient.value) if have.__class__ is Uniform else Owned(have + gradient.value)


def send_back(node: Node, value: float) -> None:
    """The turn of a node whose op works element by element, and whose gradient is uniform: its rules run on that number."""
    shape = node.shape
    for edge, d in zip(node.edges, node.derivative.apply(node.saved, value), strict=True):
        if edge is None or d is None:
            continue
        if d.__class__ is not float:
            deliver(edge, d if d.shape == shape else spread(d, shape))
        elif edge.shape == shape:
            deliver(edge, Uniform(d))
        else:
            deliver(edge, spread(d, shape))


def add_element(target: Node | Edge, index: Any, gradient: Any) -> None:
    """The gradient of `x[index]`, delivered: at once where it is that of an element, row or slice, and the buffer of x is owned."""
    have = target.grad
    if have.__class__ is Owned and (gradient.__class__ is float or index.__class__ is int or index.__class__ is slice):
        flat = (have.view or have.flat) if gradient.__class__ is float else None
        if flat is None:
            have.array[index] += gradient
        else:
            flat[index] += gradient
    else:
        deliver(target, Scatter(index, gradient))


class Collected:
    """Gradients of reads that are recorded or batched, kept until the node's turn comes: then they are written together, so that n reads
    stay O(n)."""

    __slots__ = ("reads", "rest", "shape")

    def __init__(self, shape: tuple[int, ...], rest: Any) -> None:
        self.shape = shape
        self.rest = rest
        self.reads: list[Scatter] = []

    def written(self) -> Any:
        """The sum of all that was collected, as one value of the target's shape."""
        total, buffer = self.rest, None
        single, several = [], []
        for read in self.reads:
            value, index = read.value, read.index
            if is_raw_batch(value) and (place := behind(index)) is not None:
                if buffer is None:
                    buffer = Owned(total.data.copy() if is_raw_batch(total) else np.zeros((value.count, *self.shape)))
                    total = None if is_raw_batch(total) else total
                scatter_add(buffer, place, value.data)
            elif index.__class__ is int and len(self.shape) == 1 and value.__class__ is not Batched:
                single.append(read)
            else:
                several.append(read)
        parts = [] if buffer is None else [Batched(buffer.array)]
        if single or several:
            from .ops.index import _put
            from .ops.joining import stack

            parts += [_put(read.value, read.index, self.shape) for read in several]
            if single:
                parts.append(_put(stack([r.value for r in single]), np.array([r.index for r in single]), self.shape))
        for part in parts:
            total = part if total is None else total + part
        return total


def collect(target: Node | Edge, have: Any, read: Scatter) -> None:
    """Adds a recorded read to the buffer of its source."""
    if have.__class__ is not Collected:
        have = target.grad = Collected(target.shape, None if have is None else have.array if have.__class__ is Owned else have)
    have.reads.append(read)


def settled(gradient: Any) -> Any:
    """What a buffer holds when its node's turn comes: None where nothing arrived."""
    return gradient.written() if gradient.__class__ is Collected else gradient


def written(gradient: Any) -> Any:
    """A gradient written out, for those who look at it before it is delivered."""
    return gradient.array if gradient.__class__ is Owned else gradient


def scatter_add(buffer: Owned, index: Any, value: Any) -> None:
    """buffer[index] += value, where an index that repeats counts as often as it stands there."""
    if is_basic(index):
        buffer.array[index] += value
    else:
        np.add.at(buffer.array, index, value)


def is_basic(index: Any) -> bool:
    """Whether an index names each element at most once by construction: numbers and slices only."""
    for part in index if index.__class__ is tuple else (index,):
        if part.__class__ is not slice and part.__class__ is not int and part is not None and part is not Ellipsis:
            return False
    return True


def _own(target: Node | Edge, have: Any) -> Owned:
    return Owned(np.zeros(target.shape) if have is None else np.array(have, dtype=np.float64))


def cleared(gradient: Any, index: Any) -> Owned:
    """The gradient of the old value in `v[index] = y`: `gradient` with zero at `index`. An owned buffer is cleared and passed on."""
    owned = gradient if gradient.__class__ is Owned else Owned(gradient.copy())
    owned.array[index] = 0.0
    return owned
