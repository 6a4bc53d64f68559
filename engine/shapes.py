"""Shapes: back from a broadcast, and axes as people write them."""

from __future__ import annotations

from typing import Any

from .errors import ArgumentError, ShapeError
from .lazy import np


def shape_of(value: Any) -> tuple[int, ...]:
    """The shape of a raw value, Tensor, or list of numbers; a float's is (), and so is a truth value's."""
    if value.__class__ is float:
        return ()
    found: tuple[int, ...] | None = getattr(value, "shape", None)
    if found is not None:
        return found
    if isinstance(value, (float, int)):
        return ()
    if value.__class__ is list:
        return np.shape(value)  # type: ignore[no-any-return]
    from .values import describe

    raise ArgumentError(f"a number or tensor is needed here, not {describe(value)}")


def shapes_of(values: Any) -> list[tuple[int, ...]]:
    """The shapes of the members of a list."""
    return [shape_of(value) for value in values]


def misfit(what: str, x: Any, z: Any) -> ShapeError:
    """The error for two operands of `what` whose shapes do not fit."""
    shapes = [getattr(v, "shape", ()) for v in (x, z)]
    return ShapeError(
        f"{what} of shapes {shapes[0]} and {shapes[1]}: they do not broadcast",
        help="shapes are matched from the last axis; each pair must be equal or 1",
    )


def sum_to(gradient: Any, shape: tuple[int, ...]) -> Any:
    """A gradient of a broadcast shape, summed back to `shape`; also spreads a gradient that is still smaller."""
    if gradient.__class__ is np.ndarray and (lead := gradient.ndim - len(shape)) > 0 and gradient.shape[lead:] == shape:
        # Nearly always: a number, a row, which was used along further axes.
        return np.add.reduce(gradient, tuple(range(lead))) if shape else float(np.add.reduce(gradient, None))
    from .ops.reduce import sum_axes
    from .ops.shape import expand, reshape

    have = () if gradient.__class__ is float else gradient.shape
    if len(have) < len(shape) or any(h == 1 != s for h, s in zip(have[::-1], shape[::-1], strict=False)):
        return sum_to(expand(gradient, shape), shape) if have != shape else gradient
    lead = len(have) - len(shape)
    axes = tuple(range(lead)) + tuple(i + lead for i, size in enumerate(shape) if size == 1 and have[i + lead] != 1)
    if gradient.__class__ is np.ndarray:
        total = np.add.reduce(gradient, axes)
        return total.reshape(shape) if shape else float(total)
    total = sum_axes(gradient, axes) if axes else gradient
    return reshape(total, shape) if shape != (() if total.__class__ is float else total.shape) else total


def spread(x: Any, shape: tuple[int, ...]) -> Any:
    """A raw value broadcast to a shape: a view with strides 0, made by hand since NumPy's broadcast_to costs six times as much."""
    if not shape:
        return x
    if x.__class__ is float:
        return np.ndarray(shape, np.float64, np.array(x), 0, (0,) * len(shape))
    return x if x.shape == shape else np.broadcast_to(x, shape)


def whole(value: Any, what: str) -> int:
    """A whole number out of whatever a caller passed for a size, axis or count."""
    number = value.item() if hasattr(value, "item") else value
    if not isinstance(number, (int, float)) or number != number or number in (float("inf"), -float("inf")) or number != int(number):
        from .values import describe

        shown = f"{number:g}" if isinstance(number, (int, float)) else describe(value)
        raise ArgumentError(f"{what} must be a whole number, not {shown}")
    return int(number)


def axes_of(axis: Any, ndim: int, name: str) -> tuple[int, ...]:
    """`axis=` (None, a number, or several) as distinct axes from 0; None means all."""
    if axis is None:
        return tuple(range(ndim))
    several = axis if isinstance(axis, (list, tuple)) else axis.data.tolist() if getattr(axis, "ndim", 0) else [axis]
    found = tuple(one_axis(a, ndim, name) for a in several)
    if len(set(found)) != len(found):
        raise ArgumentError(f"{name}(): an axis is named twice in ({', '.join(f'{a:g}' for a in several)})")
    return found


def one_axis(axis: Any, ndim: int, name: str) -> int:
    """One axis, from 0; negative ones count from the end."""
    number = whole(axis, f"{name}(): axis")
    if not -max(ndim, 1) <= number < max(ndim, 1):
        raise ShapeError(f"{name}(): axis {number} of a tensor with {ndim} axes")
    return number % max(ndim, 1)


def along(x: Any, axis: Any, name: str) -> int:
    """The axis of a function that works along one: it may be left out for a vector only."""
    ndim = len(shape_of(x))
    if axis is None and ndim > 1:
        raise ArgumentError(f"{name}() of a tensor with {ndim} axes must say along which", help=f"{name}(x, axis=-1) goes along the last")
    return one_axis(0 if axis is None else axis, ndim, name)


def sizes_of(sizes: Any, what: str) -> tuple[int, ...]:
    """Sizes given as separate arguments, a list, a tuple or a vector."""
    if len(sizes) == 1 and not isinstance(sizes[0], (int, float)):
        inner = getattr(sizes[0], "data", sizes[0]) if hasattr(sizes[0], "requires_grad") else sizes[0]
        listed = inner.tolist() if hasattr(inner, "tolist") else inner
        sizes = listed if isinstance(listed, (list, tuple)) else [listed]
    return tuple(whole(size, f"a size of {what}") for size in sizes)
