"""Along an axis: running sums, products and maxima, sorting, positions, and what is read off a sorted tensor."""

from __future__ import annotations

from typing import Any

from ..errors import ArgumentError, ShapeError
from ..lazy import np
from ..op import formula, op
from ..shapes import along, axes_of, one_axis, shape_of, whole
from .index import getitem, select, taker
from .joining import concat, stack
from .piecewise import lerp
from .reduce import has_zero, kept, raw
from .shape import _flip, reshape

# ---------------------------------------------------------------- running


@op(name="_cumsum", builtin=False, node="CumsumBackward0", x=lambda g, axis: _flip(_cumsum(_flip(g, (axis,)), axis), (axis,)))
def _cumsum(x: Any, axis: int) -> Any:
    return x if x.__class__ is float else np.cumsum(x, axis)


@formula(direct=True)
def cumsum(x: Any, axis: Any = None) -> Any:
    """Running sums along an axis."""
    return _cumsum(x, along(x, axis, "cumsum"))


def _cumprod_slope(g: Any, x: Any, y: Any, axis: int) -> Any:
    """Where no element is 0, the running sum of g * y from the end, over x; else the recurrence S[k] = g[k] + x[k+1] S[k+1]."""
    if not shape_of(x):
        return g
    if not has_zero(x):
        return _flip(_cumsum(_flip(g * y, (axis,)), axis), (axis,)) / x
    keep = (slice(None),) * axis
    count = shape_of(x)[axis]
    tail: list[Any] = [None] * count
    for k in reversed(range(count)):
        here = getitem(g, (*keep, slice(k, k + 1)))
        tail[k] = here if k == count - 1 else here + getitem(x, (*keep, slice(k + 1, k + 2))) * tail[k + 1]
    before = concat(np.ones(kept(shape_of(x), (axis,))), getitem(_cumprod(x, axis), (*keep, slice(None, -1))), axis=axis)
    return before * concat(tail, axis=axis)


@op(name="_cumprod", builtin=False, node="CumprodBackward0", x=_cumprod_slope)
def _cumprod(x: Any, axis: int) -> Any:
    return x if x.__class__ is float else np.cumprod(x, axis)


@formula(direct=True, kinks="right where elements are 0")
def cumprod(x: Any, axis: Any = None) -> Any:
    """Running products along an axis."""
    return _cumprod(x, along(x, axis, "cumprod"))


_take_record = taker("_take_record", "CummaxBackward0")


@formula(direct=True, domain="distinct", kinks="of equal elements the last takes over")
def cummax(x: Any, axis: Any = None) -> Any:
    """Running maxima along an axis."""
    direction = along(x, axis, "cummax")
    if not shape_of(x):
        return x
    values = raw(x)
    places = np.arange(values.shape[direction]).reshape((-1,) + (1,) * (values.ndim - direction - 1))
    records = np.where(values == np.maximum.accumulate(values, direction), places, 0)
    return _take_record(x, np.maximum.accumulate(records, direction), direction)


# ---------------------------------------------------------------- order

_take_sorted = taker("_take_sorted", "SortBackward0")
_take_largest = taker("_take_largest", "TopkBackward0")


def _order(x: Any, axis: int, descending: bool) -> Any:
    """The stable order of the elements along an axis; nan counts as largest."""
    values = raw(x)
    if not descending:
        return np.argsort(values, axis, kind="stable")
    flipped = np.argsort(np.flip(values, axis), axis, kind="stable")
    return values.shape[axis] - 1 - np.flip(flipped, axis)


@formula(direct=True, domain="distinct", kinks="equal elements keep their order")
def sort(x: Any, axis: Any = -1, descending: Any = False) -> Any:
    """The values in ascending order along an axis."""
    if not shape_of(x):
        return x
    direction = one_axis(axis, len(shape_of(x)), "sort")
    return _take_sorted(x, _order(x, direction, bool(descending)), direction)


@op(masks=True, x=None)
def argsort(x: Any, axis: Any = -1, descending: Any = False) -> Any:
    """The stable order of the elements: x[argsort(x)] is sort(x)."""
    return 0.0 if x.__class__ is float else _order(x, one_axis(axis, x.ndim, "argsort"), bool(descending))


def _position(name: str, doc: str) -> Any:
    def position(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
        if x.__class__ is float:
            return 0.0
        direction = None if axis is None else one_axis(axis, x.ndim, name)
        if not (x.size if direction is None else x.shape[direction]):
            raise ShapeError(f"{name} of no elements")
        found = getattr(np, name)(x, direction, keepdims=bool(keepdims))
        return float(found) if found.ndim == 0 else found

    position.__doc__ = doc
    return op(name=name, masks=True, x=None)(position)


argmax = _position("argmax", "The position of the first largest element (in the flattened tensor where no axis is named).")
argmin = _position("argmin", "The position of the first smallest element.")


@formula(direct=True, domain="topk", kinks="of equal elements the first are taken")
def topk(x: Any, k: Any, axis: Any = -1) -> Any:
    """The k largest values along an axis, the largest first."""
    shape = shape_of(x)
    direction, count = one_axis(axis, len(shape), "topk"), whole(k, "topk(): k")
    if not shape or not 0 <= count <= shape[direction]:
        raise ArgumentError(f"topk(): k = {count} of {shape[direction] if shape else 1} elements")
    chosen = np.take(_order(x, direction, True), np.arange(count), direction)
    return _take_largest(x, chosen, direction)


@formula(domain="quantile", kinks="as sort")
def quantile(x: Any, q: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """The q-quantile, interpolated linearly between neighbours (q from 0 to 1)."""
    ordered = sort(reshape(x, (-1,)), 0) if axis is None else sort(x, axis)
    shape = shape_of(ordered)
    direction = 0 if axis is None else one_axis(axis, len(shape), "quantile")
    if shape_of(q):
        return stack([quantile(x, select(q, i), axis, keepdims) for i in range(shape_of(q)[0])])
    share_below = float(raw(q) if q.__class__ is not float else q)
    if not 0.0 <= share_below <= 1.0 or not shape[direction]:
        raise ArgumentError(
            f"quantile(): q must lie between 0 and 1, not {share_below:g}" if shape[direction] else "quantile of no elements"
        )
    place = share_below * (shape[direction] - 1)
    low = int(place)
    before = (slice(None),) * direction
    below, above = getitem(ordered, (*before, low)), getitem(ordered, (*before, min(low + 1, shape[direction] - 1)))
    found = lerp(below, above, place - low)
    return reshape(found, kept(shape_of(x), axes_of(axis, len(shape_of(x)), "quantile"))) if keepdims else found
