"""Reductions: sums, products, extremes, statistics, norms."""

from __future__ import annotations

import math
from typing import Any

from ..errors import ArgumentError, ShapeError
from ..gradient import Uniform, deliver
from ..lazy import np
from ..op import formula, op
from ..shapes import axes_of, shape_of
from ..tensor import Tensor
from ..values import as_raw
from .arithmetic import div
from .choose import choose, zero
from .index import getitem
from .joining import concat
from .piecewise import abs_, sign
from .rows import extreme as extreme_of
from .rows import total, total_of_all
from .shape import _expand, _flip, reshape, unbox


def kept(shape: tuple[int, ...], axes: tuple[int, ...]) -> tuple[int, ...]:
    """A shape with the reduced axes kept as length 1."""
    return tuple(1 if i in axes else n for i, n in enumerate(shape))


def over(g: Any, shape: tuple[int, ...], axes: tuple[int, ...]) -> Any:
    """What belongs to a reduced result, given the reduced axes back as length 1; a raw number serves as it is."""
    if g.__class__ is float or not shape:
        return g
    return g.reshape(kept(shape, axes)) if g.__class__ is np.ndarray else reshape(g, kept(shape, axes))


def count_of(shape: tuple[int, ...], axes: tuple[int, ...]) -> int:
    """How many elements go into each result."""
    return math.prod(shape[a] for a in axes)


def _drop(y: Any, shape: tuple[int, ...], axes: tuple[int, ...], keepdims: bool) -> Any:
    """A raw result with its reduced axes kept or not."""
    return unbox(y) if keepdims or y.__class__ is float else unbox(y.reshape(tuple(n for i, n in enumerate(shape) if i not in axes)))


# ---------------------------------------------------------------- sum and mean


def _evenly(node: Any, g: Any) -> None:
    """Sends the same gradient to every element of the input, unwritten."""
    deliver(node.edge, Uniform(g) if node.edge.shape else g)


def _share_of_mean(g: Any, shape: tuple[int, ...]) -> Any:
    return g * div(1.0, float(math.prod(shape)))


@op(name="_sum_all", builtin=False, node="SumBackward0", run=_evenly, x=lambda g, x_shape: _expand(g, x_shape))
def _sum_all(x: Any) -> Any:
    return x if x.__class__ is float else total_of_all(x)


@op(name="_sum_axes", builtin=False, node="SumBackward1", x=lambda g, x_shape, axes: _expand(over(g, x_shape, axes), x_shape))
def _sum_axes(x: Any, axes: Any, keepdims: bool = False) -> Any:
    return x if x.__class__ is float else unbox(total(x, axes, keepdims))


def sum_axes(x: Any, axes: tuple[int, ...], keepdims: bool = False) -> Any:
    """The sum over the given axes (from 0)."""
    return _sum_axes(x, axes, keepdims)


@formula(direct=True, name="sum")
def sum_(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """The sum of all elements, or along an axis."""
    if axis is None and not keepdims:
        return _sum_all(x)
    return _sum_axes(x, axes_of(axis, len(shape_of(x)), "sum"), bool(keepdims))


@op(
    name="_mean_axes",
    builtin=False,
    node=("MeanBackward1",),
    x=lambda g, x_shape, axes: _expand(over(g * div(1.0, float(count_of(x_shape, axes))), x_shape, axes), x_shape),
)
def _mean_axes(x: Any, axes: Any, keepdims: bool = False) -> Any:
    if x.__class__ is float:
        return x
    return unbox(np.divide(total(x, axes, keepdims), float(count_of(x.shape, axes))))


@op(
    name="_mean_all",
    builtin=False,
    node="MeanBackward0",
    run=lambda node, g: _evenly(node, _share_of_mean(g, node.edge.shape)),
    x=lambda g, x_shape: _expand(_share_of_mean(g, x_shape), x_shape),
)
def _mean_all(x: Any) -> Any:
    return x if x.__class__ is float else div(total_of_all(x), float(x.size))


@formula(direct=True)
def mean(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """The arithmetic mean of all elements, or along an axis; nan of none."""
    if axis is None and not keepdims:
        return _mean_all(x)
    return _mean_axes(x, axes_of(axis, len(shape_of(x)), "mean"), bool(keepdims))


# ---------------------------------------------------------------- spread


def _var_slope(g: Any, x: Any, axes: Any, correction: float) -> Any:
    shape = shape_of(x)
    centred = x - _mean_axes(x, axes, True)
    return over(g, shape, axes) * (centred * div(2.0, count_of(shape, axes) - correction))


def _variance(x: Any, axes: Any, correction: float) -> Any:
    """The variance with the reduced axes kept."""
    centred = x - np.mean(x, axes, keepdims=True)
    freedom = float(count_of(x.shape, axes)) - correction
    with np.errstate(all="ignore"):
        return np.divide(total(centred * centred, axes, True), max(freedom, 0.0))


@op(name="_var", builtin=False, node="VarBackward0", x=_var_slope)
def _var(x: Any, axes: Any, correction: float, keepdims: bool) -> Any:
    y = _variance(np.asarray(x), axes, correction)
    return _drop(y, shape_of(x), axes, keepdims)


def _std_slope(g: Any, x: Any, y: Any, axes: Any, correction: float) -> Any:
    return _var_slope(choose(y == 0.0, 0.0, div(g, 2.0 * y)), x, axes, correction)


@op(name="_std", builtin=False, node="StdBackward0", kinks="0 where all elements are equal", kink=lambda y: y == 0.0, x=_std_slope)
def _std(x: Any, axes: Any, correction: float, keepdims: bool) -> Any:
    y = np.sqrt(_variance(np.asarray(x), axes, correction))
    return _drop(y, shape_of(x), axes, keepdims)


@formula(direct=True, domain="spread")
def var(x: Any, axis: Any = None, keepdims: Any = False, correction: Any = 1) -> Any:
    """The variance, divided by n - 1 (n - correction); nan of one element."""
    return _var(x, axes_of(axis, len(shape_of(x)), "var"), float(correction), bool(keepdims))


@formula(direct=True, domain="spread", kinks="0 where all elements are equal")
def std(x: Any, axis: Any = None, keepdims: Any = False, correction: Any = 1) -> Any:
    """The standard deviation, with n - 1 (n - correction)."""
    return _std(x, axes_of(axis, len(shape_of(x)), "std"), float(correction), bool(keepdims))


# ---------------------------------------------------------------- product


def _others(x: Any, axis: int) -> Any:
    """For each element the product of the others along an axis, right also where there are zeros."""
    shape = shape_of(x)
    one = np.ones(kept(shape, (axis,)))
    keep = (slice(None),) * axis

    from .running import _cumprod

    def before(v: Any) -> Any:
        return concat(one, getitem(_cumprod(v, axis), (*keep, slice(None, -1))), axis=axis)

    return before(x) * _flip(before(_flip(x, (axis,))), (axis,))


def _prod_slope(g: Any, x: Any, y: Any, axes: Any, keepdims: bool) -> Any:
    shape = shape_of(x)
    if not shape:
        return g
    if not has_zero(x):
        return over(g * y, shape, axes) / x
    if len(axes) == 1:
        return over(g, shape, axes) * _others(x, axes[0])
    return over(g, shape, axes) * reshape(_others(reshape(x, (-1,)), 0), shape)


def has_zero(x: Any) -> bool:
    data = getattr(x, "data", x) if not isinstance(x, np.ndarray) else x
    return bool(np.any(data == 0.0))


@op(name="_prod", builtin=False, node="ProdBackward0", x=_prod_slope)
def _prod(x: Any, axes: Any, keepdims: bool) -> Any:
    return x if x.__class__ is float else unbox(np.multiply.reduce(x, axes, keepdims=keepdims))


@formula(direct=True, kinks="right where elements are 0")
def prod(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """The product of all elements, or along an axis."""
    return _prod(x, axes_of(axis, len(shape_of(x)), "prod"), bool(keepdims))


# ---------------------------------------------------------------- extremes


def share(g: Any, hit: Any, shape: tuple[int, ...], axes: tuple[int, ...]) -> Any:
    """g split evenly among the elements where `hit` holds."""
    weight = choose(hit, 1.0, 0.0) if hit.__class__ is not bool else float(hit)
    return over(g, shape, axes) * (weight / _sum_axes(weight, axes, True))


def _extreme_slope(g: Any, x: Any, y: Any, axes: Any) -> Any:
    shape = shape_of(x)
    raw_x, raw_y = raw(x), over(raw(y), shape, axes)
    return share(g, (raw_x == raw_y) | ((raw_x != raw_x) & (raw_y != raw_y)), shape, axes)


def raw(value: Any) -> Any:
    """The value behind a Tensor: what only decides, no gradient flows through."""
    return value.data if isinstance(value, Tensor) else as_raw(value)


def _tied(x: Any, y: Any, axes: Any) -> Any:
    """Whether more than one element is the largest (or smallest)."""
    shape = shape_of(x)
    return np.add.reduce(x == over(y, shape, axes), axes) > 1 if shape else False


def _extreme(name: str, node: str, reducer: str) -> Any:
    def extreme(x: Any, axes: Any, keepdims: bool) -> Any:
        if x.__class__ is float:
            return x
        if count_of(x.shape, axes) == 0:
            raise ShapeError(f"{reducer[:3]} of no elements")
        return unbox(extreme_of(getattr(np, reducer), x, axes, keepdims))

    return op(name=name, builtin=False, node=node, kinks="equal elements share evenly", kink=_tied, x=_extreme_slope)(extreme)


_max_all, _min_all = _extreme("_max", "MaxBackward1", "maximum"), _extreme("_min", "MinBackward1", "minimum")
_amax, _amin = _extreme("_amax", "AmaxBackward0", "maximum"), _extreme("_amin", "AminBackward0", "minimum")


def _public_extreme(name: str, whole_op: Any, axis_op: Any, doc: str) -> Any:
    def extreme(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
        if axis is not None and not _names_axes(axis, len(shape_of(x))):
            raise ArgumentError(f"{name}() reduces one tensor", help=f"{name}imum(a, b) compares two")
        axes = axes_of(axis, len(shape_of(x)), name)
        return (whole_op if axis is None else axis_op)(x, axes, bool(keepdims))

    extreme.__doc__ = doc
    return formula(direct=True, name=name, kinks="equal elements share evenly", domain="distinct")(extreme)


def _names_axes(value: Any, ndim: int) -> bool:
    """Whether a second argument can mean axes: a number, or a list of axes x has; else it is a tensor to compare with."""
    rank = getattr(value, "ndim", 0) if getattr(value, "node", None) is None else 2
    return rank == 0 or (rank == 1 and all(axis in range(-ndim, ndim) for axis in raw(value).tolist()))


max_ = _public_extreme("max", _max_all, _amax, "The largest element, or along an axis.")
min_ = _public_extreme("min", _min_all, _amin, "The smallest element, or along an axis.")


def _every(name: str, doc: str) -> Any:
    def every(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
        if x.__class__ is float:
            return x != 0.0
        found = getattr(np, name)(x, None if axis is None else axes_of(axis, x.ndim, name), keepdims=bool(keepdims))
        return bool(found) if found.ndim == 0 else found

    every.__doc__ = doc
    return op(name=name, boolean=True, masks=True, x=None)(every)


any_ = _every("any", "Whether any element is non-zero.")
all_ = _every("all", "Whether every element is non-zero.")


@op(name="_median", builtin=False, node="MedianBackward0", x=_extreme_slope)
def _median(x: Any, axes: Any, keepdims: bool) -> Any:
    if x.__class__ is float:
        return x
    if (count := count_of(x.shape, axes)) == 0:
        raise ShapeError("median of no elements")
    rest = tuple(i for i in range(x.ndim) if i not in axes)
    rows = np.transpose(x, (*rest, *axes)).reshape(*(x.shape[i] for i in rest), count)
    y = np.sort(rows, -1)[..., (count - 1) // 2]
    y = np.where(np.isnan(rows).any(-1), np.nan, y)
    return unbox(np.asarray(y).reshape(kept(x.shape, axes) if keepdims else y.shape))


@formula(direct=True, domain="distinct", kinks="equal elements share evenly")
def median(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """The middle element; of an even number the lower of the two."""
    return _median(x, axes_of(axis, len(shape_of(x)), "median"), bool(keepdims))


# ---------------------------------------------------------------- norms


def _norm_slope(g: Any, x: Any, y: Any, p: float, axes: Any) -> Any:
    shape = shape_of(x)
    g, y = over(g, shape, axes), over(y, shape, axes)
    if p == 2.0:
        return x * choose(y == 0.0, 0.0, div(g, choose(y == 0.0, 1.0, y)))
    if p == 1.0:
        return g * sign(x)
    if math.isinf(p):
        size = raw(abs_(x))
        return share(g, size == raw(y), shape, axes) * sign(x) if shape else g * sign(x)
    if p == 0.0:
        return zero(x)
    size = abs_(x)
    slope = choose(size == 0.0, 0.0, sign(x) * (choose(size == 0.0, 1.0, size) ** (p - 1.0)))
    return slope * (g * choose(y == 0.0, 0.0, choose(y == 0.0, 1.0, y) ** (1.0 - p)))


@op(name="_norm", builtin=False, node="LinalgVectorNormBackward0", kinks="0 at 0", kink=lambda y: y == 0.0, x=_norm_slope)
def _norm(x: Any, p: float, axes: Any, keepdims: bool) -> Any:
    if x.__class__ is float:
        return abs(x) if p else float(x != 0.0)
    size = np.abs(x)
    if p == math.inf:
        y = np.maximum.reduce(size, axes, keepdims=True)
    elif p == -math.inf:
        y = np.minimum.reduce(size, axes, keepdims=True)
    elif p == 0.0:
        y = np.add.reduce(size != 0.0, axes, keepdims=True, dtype=np.float64)
    elif p == 2.0:
        y = np.sqrt(total(x * x, axes, True))
    else:
        y = np.add.reduce(size**p, axes, keepdims=True) ** (1.0 / p)
    return _drop(y, x.shape, axes, keepdims)


@formula(direct=True, domain="apart", kinks="0 at 0; the infinity norm shares among the largest")
def norm(x: Any, p: Any = 2, axis: Any = None, keepdims: Any = False) -> Any:
    """The p-norm of all elements (of a matrix: Frobenius), or along an axis."""
    return _norm(x, float(p), axes_of(axis, len(shape_of(x)), "norm"), bool(keepdims))
