"""Joining and splitting: several tensors as one, one as several."""

from __future__ import annotations

import math
from typing import Any

from ..batch import Batched, is_raw_batch
from ..errors import ArgumentError, ShapeError
from ..lazy import np
from ..limits import check_elements
from ..op import formula, op, registry
from ..recording import record
from ..shapes import one_axis, shape_of, whole
from ..tensor import Tensor, untracked
from ..values import as_raw, is_truth
from .shape import reshape


def _pieces(g: Any, shapes: list[tuple[int, ...]], axis: int) -> list[Any]:
    from .index import getitem

    found, start = [], 0
    for shape in shapes:
        size = shape[axis]
        found.append(getitem(g, (slice(None),) * axis + (slice(start, start + size),)))
        start += size
    return found


@op(name="_concat", builtin=False, moves=True, variadic=True, node="CatBackward0", xs=lambda g, xs_shape, axis: _pieces(g, xs_shape, axis))
def _concat(xs: Any, axis: int = 0) -> Any:
    return np.concatenate(xs, axis)


def _tensors(xs: tuple[Any, ...], name: str) -> list[Any]:
    """The members of a call that takes several tensors or one list of them."""
    if len(xs) == 1 and (isinstance(xs[0], (list, tuple)) or getattr(xs[0], "ndim", 0) > 0):
        xs = tuple(xs[0])
    if not xs:
        raise ArgumentError(f"{name}() of nothing")
    return [x if hasattr(x, "shape") or is_truth(x) else as_raw(x) for x in xs]


def _truths(members: list[Any], axis: int = 0) -> Any:
    """The mask that truth values or masks make side by side along a new axis; None where any is a number."""
    if members[0].__class__ is float or not all(map(is_truth, members)):
        return None
    return untracked(np.stack([np.asarray(x.data if isinstance(x, Tensor) else x, dtype=bool) for x in members], axis))


@formula(direct=True, domain="several", moves=True)
def concat(*xs: Any, axis: Any = 0) -> Any:
    """Tensors one after the other along an axis that exists."""
    members = _tensors(xs, "concat")
    shapes = [shape_of(x) for x in members]
    if not all(shapes):
        raise ShapeError("concat() of numbers", help="stack() or a list literal joins numbers")
    along = one_axis(axis, len(shapes[0]), "concat")
    if any(len(s) != len(shapes[0]) or s[:along] + s[along + 1 :] != shapes[0][:along] + shapes[0][along + 1 :] for s in shapes):
        raise ShapeError(f"concat() along axis {along} of shapes {', '.join(map(str, shapes))}")
    check_elements((sum(math.prod(s) for s in shapes),), "concat()")
    return _concat(members, axis=along)


def _layers(g: Any, shapes: list[tuple[int, ...]], axis: int) -> list[Any]:
    if g.__class__ is np.ndarray:
        return g.tolist() if g.ndim == 1 else list(np.moveaxis(g, axis, 0))
    if is_raw_batch(g):
        return [Batched(layer) for layer in np.moveaxis(g.data, axis + 1, 0)]
    from .index import getitem

    return [getitem(g, (slice(None),) * axis + (i,)) for i in range(len(shapes))]


@op(name="_stack", builtin=False, variadic=True, node="StackBackward0", xs=lambda g, xs_shape, axis: _layers(g, xs_shape, axis))
def _stack(xs: Any, axis: int = 0) -> Any:
    return np.array(xs, dtype=np.float64) if axis == 0 else np.stack(xs, axis)


@formula(direct=True, domain="several", moves=True)
def stack(*xs: Any, axis: Any = 0) -> Any:
    """Tensors of one shape side by side along a new axis."""
    members = _tensors(xs, "stack")
    shapes = {shape_of(x) for x in members}
    if len(shapes) > 1:
        raise ShapeError(f"stack() of different shapes: {', '.join(map(str, (shape_of(x) for x in members)))}")
    along = one_axis(axis, len(shapes.pop()) + 1, "stack")
    mask = _truths(members, along)
    return _stack(members, axis=along) if mask is None else mask


def _rows(g: Any, shapes: list[tuple[int, ...]], shape: tuple[int, ...]) -> list[Any]:
    return _layers(reshape(g, (len(shapes), *shapes[0])) if len(shape) > 1 else g, shapes, 0)


@op(name="_literal", builtin=False, variadic=True, node="StackBackward0", xs=lambda g, xs_shape, shape: _rows(g, xs_shape, shape))
def _listed(xs: Any, shape: Any) -> Any:
    return np.array(xs, dtype=np.float64).reshape(shape + shape_of(xs[0]))


def vector(items: Any) -> Any:
    """A list literal, nested or not: an array, recorded as one stack of its elements where any of them is tracked."""
    if items.__class__ is list and items and all(map(_is_number, items)):
        return _of_numbers(items)
    shape, flat = _literal(items)
    if not flat:
        return untracked(np.zeros(shape))
    members = [x if hasattr(x, "shape") or is_truth(x) else as_raw(x) for x in flat]
    inner = {shape_of(x) for x in members}
    if len(inner) > 1:
        raise ShapeError(f"the elements of a list differ in shape: {', '.join(map(str, sorted(inner)))}")
    mask = _truths(members)
    if mask is not None:
        return untracked(mask.data.reshape(shape + inner.pop()))
    found = _listed(members, shape=shape)
    return found if isinstance(found, Tensor) else untracked(found)


def _is_number(item: Any) -> bool:
    return item.__class__ is float or (item.__class__ is Tensor and item.data.__class__ is float)


def _of_numbers(items: list[Any]) -> Any:
    """What `vector` makes of a row of numbers, which is what most lists are."""
    raws = [x if x.__class__ is float else x.data for x in items]
    edges = tuple([None if x.__class__ is float else x.node for x in items])
    y = np.array(raws)
    if not any(edges):
        return untracked(y)
    derivative = registry["_literal"].derivative(1)
    return record(derivative, y, edges, derivative.save(y, raws, y.shape))


def _literal(items: Any) -> tuple[tuple[int, ...], list[Any]]:
    """The shape of a nested list, and its elements row by row."""
    if not isinstance(items, list):
        return (), [items]
    parts = [_literal(item) for item in items]
    shapes = {shape for shape, _ in parts}
    if len(shapes) > 1:
        raise ShapeError(f"the rows of a list differ in length: {', '.join(map(str, sorted(shapes)))}")
    return (len(items), *(shapes.pop() if shapes else ())), [x for _, flat in parts for x in flat]


@formula(direct=True, outputs=2, moves=True)
def split(x: Any, size: Any, axis: Any = 0) -> Any:
    """A tuple of pieces of length `size` along an axis; the last may be shorter."""
    from .index import getitem

    shape = shape_of(x)
    along, step = one_axis(axis, len(shape), "split"), whole(size, "split(): size")
    if step < 1 or not shape:
        raise ArgumentError(f"split() into pieces of length {step}")
    return tuple(getitem(x, (slice(None),) * along + (slice(i, i + step),)) for i in range(0, max(shape[along], 1), step))
