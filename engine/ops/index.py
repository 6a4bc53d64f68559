"""Reading and writing elements: selection, slices, index vectors and masks, gather and its transpose."""

from __future__ import annotations

import functools
import sys
from sys import _getframe
from typing import Any

from .. import modes
from ..batch import Batched
from ..errors import ArgumentError, IndexRangeError, ShapeError
from ..gradient import Owned, Scatter, add_element, cleared, deliver, is_basic, scatter_add
from ..lazy import np
from ..op import formula, op, registry
from ..recording import record, record_at
from ..shapes import one_axis, shape_of, whole
from ..tensor import Mask, Tensor, untracked
from ..values import as_raw, describe, is_truth, wrap, wrap_any
from .shape import unbox

# ---------------------------------------------------------------- what an index means


def as_index(key: Any, shape: tuple[int, ...]) -> Any:
    """An index as people write it (floats, slices of floats, tensors, a tuple of these) as NumPy takes it.

    Raises IndexRangeError for an index outside its axis or with a fraction, ShapeError for too many of them.
    """
    if key.__class__ is float or key.__class__ is int:
        return _number(key, shape, 0)
    if key.__class__ is slice and shape:
        return _bounds(key)
    parts = key if isinstance(key, tuple) else (key,)
    used = sum(_axes_used(part) for part in parts)
    if used > len(shape):
        raise ShapeError(f"{used} indices for a tensor of shape {shape}", kind="index")
    found, axis = [], 0
    for part in parts:
        if part is Ellipsis:
            axis += len(shape) - used
            found.append(part)
            continue
        found.append(_part(part, shape, axis))
        axis += _axes_used(part)
    return tuple(found) if isinstance(key, tuple) else found[0]


def _axes_used(part: Any) -> int:
    """How many axes one part of an index speaks of."""
    if part is Ellipsis or part is None:
        return 0
    mask = (isinstance(part, Mask) and part.data.dtype == bool) or (isinstance(part, np.ndarray) and part.dtype == bool)
    return int(part.ndim) if mask else 1


def _part(part: Any, shape: tuple[int, ...], axis: int) -> Any:
    if part.__class__ is float or part.__class__ is int:
        return _number(part, shape, axis)
    if part.__class__ is slice:
        return _bounds(part)
    if part is None:
        raise ArgumentError("None is no index", help="a new axis is made by unsqueeze(x, axis)")
    if isinstance(part, (float, int)) or (isinstance(part, Tensor) and not part.shape):
        return _number(float(part), shape, axis)
    return _several(part, shape, axis)


def _bounds(part: slice) -> slice:
    """A slice whose bounds are ints."""
    if _is_bounds(part):
        return part
    return slice(*(None if p is None else whole(p, "a slice bound") for p in (part.start, part.stop, part.step)))


def _is_bounds(key: Any) -> bool:
    """Whether a key is a slice in NumPy's own form."""
    if key.__class__ is not slice:
        return False
    start, stop, step = key.start, key.stop, key.step
    return (start is None or start.__class__ is int) and (stop is None or stop.__class__ is int) and (step is None or step.__class__ is int)


def _number(index: float, shape: tuple[int, ...], axis: int) -> int:
    number = index if index.__class__ is int else int(index) if index == index and abs(index) != float("inf") else 0
    if number != index:
        raise IndexRangeError(f"an index must be a whole number, not {index!r}", help="floor() or round() makes one")
    if axis >= len(shape):
        raise ShapeError(f"{axis + 1} indices for {_a_tensor(shape)}", kind="index")
    if not -shape[axis] <= number < shape[axis]:
        along = f" along axis {axis}" if len(shape) > 1 else ""
        raise IndexRangeError(f"index {number} is out of range for size {shape[axis]}{along}", help=_range_help(number, shape[axis]))
    return number


def _a_tensor(shape: tuple[int, ...]) -> str:
    return f"a tensor of shape {shape}" if shape else "a number"


def _range_help(number: int, size: int) -> str | None:
    if size == 0:
        return "the tensor is empty"
    return f"indices count from 0: the last is {size - 1}, or -1" if number == size else f"indices run from {-size} to {size - 1}"


def _several(part: Any, shape: tuple[int, ...], axis: int) -> Any:
    """An index vector, as whole numbers in range, or a mask of the right shape."""
    if isinstance(part, str) or callable(part):
        raise ArgumentError(f"{describe(part)} is no index")
    array = part.data if isinstance(part, Tensor) else np.asarray(part)
    if array.dtype == bool:
        covered = shape[axis : axis + array.ndim]
        if array.shape != covered:
            raise ShapeError(f"a mask of shape {array.shape} for {_a_tensor(covered)}", kind="index")
        return array
    if array.size == 0:
        return array.astype(np.int64)
    numbers = array.astype(np.int64)
    if array.dtype.kind == "f" and not np.array_equal(numbers, array):
        odd = array[numbers != array].flat[0]
        raise IndexRangeError(f"an index must be a whole number, not {float(odd)!r}", help="floor() or round() makes one")
    outside = (numbers < -shape[axis]) | (numbers >= shape[axis])
    if outside.any():
        raise IndexRangeError(f"index {int(numbers[outside].flat[0])} is out of range for size {shape[axis]}")
    return numbers


# ---------------------------------------------------------------- reading


@op(name="_put", builtin=False, node="IndexPutBackward0", g=lambda g, index: _read(g, index))
def _put(g: Any, index: Any, shape: Any) -> Any:
    """g at `index` of zeros: the transpose of reading there."""
    buffer = Owned(np.zeros(shape))
    scatter_add(buffer, index, g)
    return buffer.array


def _reader(name: str, node: str) -> Any:
    """An op that reads x[index]. The same thrice, since the field names its node by the kind of index."""

    def read(x: Any, index: Any) -> Any:
        return unbox(x[index])

    view = node != "IndexBackward0"
    return op(name=name, builtin=False, view=view, node=node, run=_run_read, x=lambda g, index: Scatter(index, g))(read)


def _run_read(node: Any, g: Any) -> None:
    add_element(node.edge, node.saved[0], g)


_select = _reader("_select", "SelectBackward0")
_slice = _reader("_slice", "SliceBackward0")
_index = _reader("_index", "IndexBackward0")


def _read(x: Any, index: Any) -> Any:
    """x[index] for an index already in NumPy's form."""
    if x.__class__ is np.ndarray:
        return unbox(x[index])
    if index.__class__ is slice:
        return _slice(x, index)
    parts = index if index.__class__ is tuple else (index,)
    if not is_basic(index):
        return _index(x, index)
    return (_slice if all(p.__class__ is slice or p is Ellipsis for p in parts) else _select)(x, index)


def getitem(x: Any, key: Any) -> Any:
    """x[key]: an element, a slice, or the elements that an index vector or a mask picks. Reads do not save x."""
    # Elements of vectors, rows and slices are what loops read most, so nothing that is not needed is done. Only callers outside the
    # engine come here with these: the node stands where they are.
    if key.__class__ is float and key.is_integer():
        key = int(key)
    if x.__class__ is Tensor and (key.__class__ is int or _is_bounds(key)) and not modes.special:
        data = x.data
        element = data.__class__ is not float and data.ndim == 1 and key.__class__ is int
        if element or (data.__class__ is not float and not modes.local.boxed):
            try:
                value = data.item(key) if element else data[key]
            except (IndexError, OverflowError, ValueError):
                return _general_getitem(x, key)
            if x.node is None:
                return value if value.__class__ is float and not modes.local.boxed else wrap(value)
            frame = _getframe(1)
            return record_at(frame.f_code, frame.f_lasti, _reading(key.__class__), value, x.node, None, (key,))
    return _general_getitem(x, key)


def _general_getitem(x: Any, key: Any) -> Any:
    if x.__class__ is Tensor:
        data = x.data
        if data.__class__ is not float:
            if x.node is not None and (key.__class__ is int or key.__class__ is float):
                return _select(x, _number(key, data.shape, 0))
            if x.node is None and not modes.local.boxed:
                return _plain(data[as_index(key, data.shape)])
            return _read(x, as_index(key, data.shape))
    elif isinstance(x, Mask):
        return wrap_any(_truth_or_number(x.data[as_index(key, x.shape)]))
    if isinstance(x, tuple):
        return x[_number(float(key), (len(x),), 0)]
    if isinstance(x, str) or callable(x):
        raise ArgumentError(f"{describe(x)} has no elements")
    if not hasattr(x, "shape") or not x.shape:
        raise ShapeError("a number has no elements", kind="index")
    return _read(x, as_index(key, x.shape))


@functools.cache
def _reading(kind: type) -> Any:
    return registry["_select" if kind is int else "_slice"].derivative(1)


def _plain(found: Any) -> Any:
    """An element or part of a program's untracked tensor; a part shares memory, which is why writers look who else holds it."""
    if found.__class__ is np.ndarray and found.ndim:
        return untracked(found)
    return float(found) if found.dtype == np.float64 else found


def _truth_or_number(found: Any) -> Any:
    return found if found.ndim else bool(found) if found.dtype == bool else float(found)


def select(x: Any, i: int) -> Any:
    """The i-th element or row of x: one SelectBackward0 where x is tracked."""
    return _general_getitem(x, i)


# ---------------------------------------------------------------- writing


@op(
    name="_write",
    builtin=False,
    node="CopySlices",
    takes_owned=True,
    run=lambda node, g: _run_write(node, g),
    value=lambda g, index: _taken(g, index),
    x=lambda g, index: _without(g, index),
)
def _write(value: Any, x: Any, index: Any) -> Any:
    """x with `value` at index. The value's gradient is read before that of x is cleared, hence their order."""
    x[index] = value
    return x


def _run_write(node: Any, g: Any) -> None:
    """What the rules say, short where one element of a vector's own buffer is taken and cleared."""
    (index,) = node.saved
    value, x = node.edge, node.others
    flat = (g.view or g.flat) if g.__class__ is Owned and index.__class__ is int else None
    if value is not None:
        deliver(value, _taken(g, index) if flat is None else flat[index])
    if x is not None:
        if flat is None:
            g = _without(g, index)
        else:
            flat[index] = 0.0
        deliver(x, g)


def _taken(g: Any, index: Any) -> Any:
    """A copy of g[index]: g itself may be cleared at once."""
    if isinstance(g, (Tensor, Batched)):
        return _read(g, index)
    found = (g.array if g.__class__ is Owned else g)[index]
    return found.copy() if found.__class__ is np.ndarray and found.ndim else float(found)


def _without(g: Any, index: Any) -> Any:
    return _overwrite(g, index) if isinstance(g, (Tensor, Batched)) else cleared(g, index)


@op(name="_overwrite", builtin=False, node="MaskedFillBackward0", g=lambda g, index: _overwrite(g, index))
def _overwrite(g: Any, index: Any) -> Any:
    """g with zeros at index."""
    copy = g.copy()
    copy[index] = 0.0
    return copy


def setitem(x: Any, key: Any, value: Any) -> Any:
    """The tensor x with `value` at `key`, under value semantics.

    Where nobody but the caller's variable holds x and its array, the array is changed in place and x itself is returned, so
    that a loop of n writes costs O(n). Otherwise a changed copy is returned. Call it as `v = setitem(v, key, value)`.
    """
    sole = sys.getrefcount(x) <= _HELD_BY_VARIABLE
    # One number into one element of a vector, as in getitem.
    if key.__class__ is float and key.is_integer():
        key = int(key)
    if sole and key.__class__ is int and x.__class__ is Tensor and not modes.special:
        raw, value_node = (value.data, value.node) if value.__class__ is Tensor else (value, None)
        data = x.data
        if raw.__class__ is float and data.__class__ is not float and data.ndim == 1 and _is_ours(data):
            try:
                data[key] = raw
            except (IndexError, ValueError):
                return _general_setitem(x, key, value, sole)
            if x.node is None and value_node is None:
                return x
            mask = 3 if value_node is not None and x.node is not None else 1 if x.node is None else 2
            frame = _getframe(1)
            return record_at(frame.f_code, frame.f_lasti, written_to(mask), data, value_node, x.node, (key,))
    return _general_setitem(x, key, value, sole)


def _is_ours(data: Any) -> bool:
    """Whether an array that a tensor holds, and the two calls that ask, may be written to: nobody else sees it."""
    return sys.getrefcount(data) <= _HELD_BY_TENSOR and data.base is None


def _general_setitem(x: Any, key: Any, value: Any, sole: bool) -> Any:
    if x.__class__ is not Tensor and not (x.__class__ is Mask and x.data.dtype == bool and is_truth(value)):
        x, sole = untracked(as_raw(x)) if isinstance(x, Mask) else _not_writable(x), True
    data = x.data
    if data.__class__ is float:
        raise ShapeError("a number has no elements", kind="index")
    index = as_index(key, data.shape)
    raw, value_node = (value.data, value.node) if value.__class__ is Tensor else (as_raw(value), None)
    if raw.__class__ is not float:
        check_fit(data, index, raw)
    if not (sole and _is_ours(data) and data.flags.writeable):
        data = data.copy()
    node = x.node
    data[index] = raw
    if (node is None and value_node is None) or (modes.special and not modes.local.enabled):
        return _rebound(x, data, sole)
    return record(written_to((value_node is not None) + 2 * (node is not None)), data, (value_node, node), (index,))


@functools.cache
def written_to(mask: int) -> Any:
    return registry["_write"].derivative(mask)


# What sys.getrefcount says of a tensor that one variable of the caller holds, and of an array that its tensor and two calls hold.
_HELD_BY_VARIABLE = 3
_HELD_BY_TENSOR = 4


def _rebound(x: Tensor, data: Any, sole: bool) -> Tensor:
    """x with new data: itself where it is nobody else's."""
    if not sole or x.node is not None:
        return untracked(data, x.node)
    x.data = data
    return x


def _not_writable(x: Any) -> Tensor:
    if isinstance(x, (float, int)):
        raise ShapeError("a number has no elements", kind="index")
    raise ArgumentError(f"the elements of {describe(x)} cannot be assigned")


def check_fit(data: Any, index: Any, raw: Any) -> None:
    """Raises ShapeError where a value does not broadcast to the place it is written to."""
    place = shape_of(data[index]) if index.__class__ is not int or data.ndim > 1 else ()
    lead = len(raw.shape) - len(place)
    sizes = raw.shape[max(lead, 0) :]
    if any(n != 1 for n in raw.shape[: max(lead, 0)]) or any(a not in (1, b) for a, b in zip(sizes[::-1], place[::-1], strict=False)):
        raise ShapeError(f"a value of shape {raw.shape} does not fit into a place of shape {place}")


# ---------------------------------------------------------------- gather and its transpose


def _along(index: Any, axis: int) -> tuple[Any, ...]:
    """An index array along an axis, as the tuple that NumPy takes: position in every other axis is kept."""
    return tuple(index if i == axis else np.arange(n).reshape((-1,) + (1,) * (index.ndim - i - 1)) for i, n in enumerate(index.shape))


def taker(name: str, node: str, builtin: bool = False) -> Any:
    """An op that picks elements along an axis (out[..., i, ...] = x[..., index[..., i, ...], ...]) and saves only the index."""

    def take(x: Any, index: Any, axis: int) -> Any:
        return x[_along(index, axis)]

    return op(name=name, builtin=builtin, moves=True, node=node, x=lambda g, index, axis: Scatter(_along(index, axis), g))(take)


_gather = taker("_gather", "GatherBackward0")


@formula(direct=True, moves=True)
def gather(x: Any, index: Any, axis: Any = 0) -> Any:
    """Elements picked along an axis: out[i, j] = x[index[i, j], j] for axis 0 (torch.gather)."""
    shape = shape_of(x)
    along = one_axis(axis, len(shape), "gather")
    numbers = as_raw(index, keep=True)
    if numbers.__class__ is float or numbers.ndim != len(shape):
        raise ShapeError(f"gather(): the index of shape {shape_of(numbers)} must have as many axes as the tensor of shape {shape}")
    if any(n > m for i, (n, m) in enumerate(zip(numbers.shape, shape, strict=True)) if i != along):
        raise ShapeError(f"gather() along axis {along}: the index of shape {numbers.shape} is larger than the tensor of shape {shape}")
    return _gather(x, _several(numbers, shape, along), along)
