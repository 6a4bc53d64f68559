"""Shapes: the same elements in another order, number or arrangement. None of these saves a value."""

from __future__ import annotations

import math
from typing import Any

from ..errors import ArgumentError, ShapeError
from ..lazy import np
from ..limits import check_elements
from ..op import formula, op
from ..shapes import axes_of, one_axis, shape_of, sizes_of, spread, whole


def unbox(y: Any) -> Any:
    """A 0-d result of NumPy as a float."""
    return y if y.__class__ is float else float(y) if y.ndim == 0 and y.dtype == np.float64 else y


# ---------------------------------------------------------------- the same elements


@op(name="_view", builtin=False, moves=True, view=True, node="ViewBackward0", x=lambda g, x_shape: reshape(g, x_shape))
def _view(x: Any, shape: Any) -> Any:
    return unbox(np.asarray(x).reshape(shape))


@formula(direct=True, moves=True)
def reshape(x: Any, *shape: Any) -> Any:
    """The elements in another shape; one size may be -1, whatever is left."""
    sizes = sizes_of(shape, "reshape()")
    have = shape_of(x) if hasattr(x, "shape") else np.shape(x)
    known = math.prod(s for s in sizes if s != -1)
    count = math.prod(have)
    fits = sizes.count(-1) <= 1 and min(sizes, default=0) >= -1 and (count == known if -1 not in sizes else known and count % known == 0)
    if not fits:
        raise ShapeError(f"reshape of {count} element{'' if count == 1 else 's'}, shape {have}, to {sizes}")
    return _view(x, sizes)


@formula(direct=True, moves=True)
def flatten(x: Any) -> Any:
    """All elements in one axis, row by row."""
    return _view(x, (math.prod(shape_of(x)),))


@op(name="_permute", builtin=False, moves=True, view=True, node="PermuteBackward0", x=lambda g, axes: _permute(g, _inverse(axes)))
def _permute(x: Any, axes: Any) -> Any:
    return np.transpose(x, axes)


def _inverse(axes: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(axes.index(i) for i in range(len(axes)))


@formula(direct=True, moves=True)
def permute(x: Any, *axes: Any) -> Any:
    """The axes in another order: the first becomes `axes[0]` of x, and so on."""
    ndim = len(shape_of(x))
    order = axes_of(sizes_of(axes, "permute()"), ndim, "permute")
    if len(order) != ndim:
        raise ShapeError(f"permute() of shape {shape_of(x)} needs {ndim} {'axis' if ndim == 1 else 'axes'}, not {len(order)}")
    return _permute(x, order)


@op(name="_swap", builtin=False, moves=True, view=True, node="TransposeBackward0", x=lambda g, a, b: _swap(g, a, b))
def _swap(x: Any, a: Any, b: Any) -> Any:
    return x if x.__class__ is float else np.swapaxes(x, a, b)


@formula(direct=True, moves=True)
def transpose(x: Any, a: Any = None, b: Any = None) -> Any:
    """Swaps axes a and b; of a matrix, its two."""
    ndim = len(shape_of(x))
    if a is None or b is None:
        if ndim > 2:
            raise ArgumentError(f"transpose() of a tensor with {ndim} axes must say which two")
        return x if ndim < 2 else _swap(x, 0, 1)
    return _swap(x, one_axis(a, ndim, "transpose"), one_axis(b, ndim, "transpose"))


@op(name="_squeeze", builtin=False, moves=True, view=True, node="SqueezeBackward0", x=lambda g, x_shape: reshape(g, x_shape))
def _squeeze(x: Any, axes: Any) -> Any:
    return unbox(np.squeeze(x, axes))


@formula(direct=True, moves=True)
def squeeze(x: Any, axis: Any = None) -> Any:
    """Without the axes of length 1, or without the one that is named."""
    shape = shape_of(x)
    axes = tuple(i for i, size in enumerate(shape) if size == 1)
    if axis is not None:
        axes = tuple(a for a in axes_of(axis, len(shape), "squeeze") if a in axes)
    return _squeeze(x, axes) if axes else x


@op(name="_unsqueeze", builtin=False, moves=True, view=True, node="UnsqueezeBackward0", x=lambda g, x_shape: reshape(g, x_shape))
def _unsqueeze(x: Any, axes: Any) -> Any:
    return np.expand_dims(x, axes)


@formula(direct=True, moves=True)
def unsqueeze(x: Any, axis: Any) -> Any:
    """With a new axis of length 1 at `axis`."""
    ndim = len(shape_of(x)) + (len(axis) if isinstance(axis, (tuple, list)) else 1)
    return _unsqueeze(x, axes_of(axis, ndim, "unsqueeze"))


@op(name="_expand", builtin=False, moves=True, view=True, node="ExpandBackward0", x=lambda g: g)
def _expand(x: Any, shape: Any) -> Any:
    return spread(x, shape)


@formula(direct=True, moves=True)
def expand(x: Any, *shape: Any) -> Any:
    """Repeated along axes of length 1 (and new leading axes) to a shape; -1 keeps a size."""
    sizes, have = sizes_of(shape, "expand()"), shape_of(x)
    lead = len(sizes) - len(have)
    wanted = tuple(have[i - lead] if s == -1 and i >= lead else s for i, s in enumerate(sizes))
    if lead < 0 or any(h not in (1, w) for h, w in zip(have, wanted[lead:], strict=True)):
        raise ShapeError(f"expand of shape {have} to {sizes}: a size must be kept or be 1")
    check_elements(wanted, "expand()")
    return _expand(x, wanted)


# ---------------------------------------------------------------- order and repetition


@op(name="_flip", builtin=False, moves=True, node="FlipBackward0", x=lambda g, axes: _flip(g, axes))
def _flip(x: Any, axes: Any) -> Any:
    return x if x.__class__ is float else np.flip(x, axes)


@formula(direct=True, moves=True)
def flip(x: Any, axis: Any = None) -> Any:
    """The elements in reverse order along an axis (all axes where none is named)."""
    return _flip(x, axes_of(axis, len(shape_of(x)), "flip"))


@op(name="_roll", builtin=False, moves=True, node="RollBackward0", x=lambda g, shift, axis: _roll(g, -shift, axis))
def _roll(x: Any, shift: Any, axis: Any) -> Any:
    return np.roll(x, shift, axis)


@formula(direct=True, moves=True)
def roll(x: Any, shift: Any, axis: Any = None) -> Any:
    """The elements moved on by `shift` places, those at the end to the front; several axes each have their shift."""
    if getattr(shift, "shape", ()) or isinstance(shift, (list, tuple)):
        shifts, axes = [whole(s, "roll(): shift") for s in shift], axes_of(axis, len(shape_of(x)), "roll")
        if axis is None or len(shifts) != len(axes):
            raise ArgumentError("roll(): several shifts need as many axes")
        for amount, direction in zip(shifts, axes, strict=True):
            x = _roll(x, amount, direction)
        return x
    return _roll(x, whole(shift, "roll(): shift"), None if axis is None else one_axis(axis, len(shape_of(x)), "roll"))


@op(name="_tile", builtin=False, moves=True, node="RepeatBackward0", x=lambda g, x_shape, counts: _untile(g, x_shape, counts))
def _tile(x: Any, counts: Any) -> Any:
    return np.tile(x, counts)


def _untile(g: Any, shape: tuple[int, ...], counts: tuple[int, ...]) -> Any:
    """The copies added up: each axis is seen as (copies, size)."""
    from .reduce import sum_axes

    full = (1,) * (len(counts) - len(shape)) + shape
    pairs = tuple(n for pair in zip(counts, full, strict=True) for n in pair)
    return reshape(sum_axes(reshape(g, pairs), tuple(range(0, len(pairs), 2))), shape)


@formula(direct=True, moves=True)
def tile(x: Any, *counts: Any) -> Any:
    """The tensor repeated, `counts` times an axis."""
    shape, times = shape_of(x), sizes_of(counts, "tile()")
    if min(times, default=0) < 0:
        raise ArgumentError("tile() a negative number of times")
    times = (1,) * (len(shape) - len(times)) + times
    check_elements((math.prod(times), math.prod(shape)), "tile()")
    return _tile(x, times)


@op(name="_pad", builtin=False, moves=True, node="ConstantPadNdBackward0", x=lambda g, x_shape, before: _unpad(g, x_shape, before))
def _pad(x: Any, before: Any, after: Any) -> Any:
    return np.pad(x, tuple(zip(before, after, strict=True)))


def _unpad(g: Any, shape: tuple[int, ...], before: tuple[int, ...]) -> Any:
    from .index import getitem

    return getitem(g, tuple(slice(b, b + n) for b, n in zip(before, shape, strict=True)))


@formula(direct=True, moves=True)
def pad(x: Any, *widths: Any) -> Any:
    """Zeros before and after along the last axis; four numbers pad the last two axes, as in PyTorch."""
    if len(widths) > 1 and any(map(shape_of, widths)):
        raise ArgumentError("pad() takes all widths in one list", help="as in pad(v, [1, 2]); four numbers pad the last two axes")
    sizes, ndim = sizes_of(widths, "pad()"), len(shape_of(x))
    if len(sizes) % 2 or len(sizes) > 2 * ndim or min(sizes, default=0) < 0:
        raise ArgumentError(f"pad() takes a pair of widths an axis, here at most {2 * ndim} numbers, not {len(sizes)}")
    before = (0,) * (ndim - len(sizes) // 2) + sizes[0::2][::-1]
    after = (0,) * (ndim - len(sizes) // 2) + sizes[1::2][::-1]
    return _pad(x, before, after)


# ---------------------------------------------------------------- matrices


@op(name="_diagonal", builtin=False, moves=True, node="DiagonalBackward0", x=lambda g, x_shape, k: _embed(g, x_shape, k))
def _diagonal(x: Any, k: int) -> Any:
    return np.diagonal(x, k).copy()


@op(name="_embed", builtin=False, moves=True, node="DiagEmbedBackward0", x=lambda g, k: _diagonal(g, k))
def _embed(x: Any, shape: Any, k: int) -> Any:
    out = np.zeros(shape, x.dtype)
    rows = np.arange(len(x)) + max(-k, 0)
    out[rows, rows + k] = x
    return out


@formula(direct=True, moves=True)
def diag(x: Any, k: Any = 0) -> Any:
    """The diagonal of a matrix as a vector, or a matrix with a vector on its diagonal; k > 0 lies above the main one."""
    shape, offset = shape_of(x), whole(k, "diag(): k")
    if len(shape) == 2:
        return _diagonal(x, offset)
    if len(shape) != 1:
        raise ShapeError(f"diag() takes a vector or a matrix, not shape {shape}")
    side = shape[0] + abs(offset)
    check_elements((side, side), "diag()")
    return _embed(x, (side, side), offset)


@op(name="_tril", builtin=False, moves=True, node="TrilBackward0", x=lambda g, k: _tril(g, k))
def _tril(x: Any, k: int) -> Any:
    return np.tril(x, k)


@op(name="_triu", builtin=False, moves=True, node="TriuBackward0", x=lambda g, k: _triu(g, k))
def _triu(x: Any, k: int) -> Any:
    return np.triu(x, k)


def _matrix(x: Any, name: str) -> Any:
    if len(shape_of(x)) < 2:
        raise ShapeError(f"{name}() takes a matrix, not shape {shape_of(x)}")
    return x


@formula(direct=True, moves=True)
def tril(x: Any, k: Any = 0) -> Any:
    """The lower triangle, zeros above diagonal k."""
    return _tril(_matrix(x, "tril"), whole(k, "tril(): k"))


@formula(direct=True, moves=True)
def triu(x: Any, k: Any = 0) -> Any:
    """The upper triangle, zeros below diagonal k."""
    return _triu(_matrix(x, "triu"), whole(k, "triu(): k"))


@op(name="len", masks=True, x=None)
def len_(x: Any) -> Any:
    """The length of the first axis."""
    if x.__class__ is float:
        raise ArgumentError("len() of a number")
    return float(len(x))
