"""Many gradients in one pass: values with a leading axis that the rules do not see.

A rule that meets a Batched runs as it is written: every op it calls treats the leading axis as so many copies of the operation. Ops
that work element by element, move elements, or reduce along axes do so at once; any other is called once for each copy.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from .lazy import np
from .shapes import shape_of
from .tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .op import Op


class Batched:
    """`count` values of one shape, as one raw array or Tensor of shape (count, *shape)."""

    __slots__ = ("data",)

    def __init__(self, data: Any) -> None:
        self.data = data

    @property
    def count(self) -> int:
        return self.data.shape[0]  # type: ignore[no-any-return]

    @property
    def shape(self) -> tuple[int, ...]:
        return self.data.shape[1:]  # type: ignore[no-any-return]

    @property
    def ndim(self) -> int:
        return len(self.shape)

    # NumPy must leave `array * batched` to the Batched.
    __array_ufunc__: Any = None


def is_raw_batch(value: Any) -> bool:
    """Whether it is a Batched of plain numbers, whose pass is not recorded."""
    return value.__class__ is Batched and value.data.__class__ is np.ndarray


def all_at_once(apply: Callable[..., Any], saved: tuple[Any, ...], g: Batched) -> Sequence[Any]:
    """The rules of an op that works element by element: what it saved has no more axes than its result, so it broadcasts copy by copy."""
    data = g.data
    if data.__class__ is not np.ndarray:
        return apply(saved, g)  # type: ignore[no-any-return]
    return [None if d is None else Batched(d) if d.__class__ is np.ndarray else _copies(d, g) for d in apply(saved, data)]


def at_once(rule: Callable[..., Any], g: Batched, values: Sequence[Any]) -> Batched:
    """The same of one rule."""
    return _copies(rule(g.data, *values), g)


def _copies(d: Any, g: Batched) -> Batched:
    return Batched(d if d.__class__ is np.ndarray else np.full(g.data.shape, d))


def lift(op: Op, args: list[Any]) -> Batched:
    """The op on arguments of which some are batched."""
    if op.elementwise:
        return _elementwise(op, args)
    rule = RULES.get(op.name)
    found = rule(op, args) if rule is not None else None
    return _one_by_one(op, args) if found is None else Batched(found)


def _elementwise(op: Op, args: list[Any]) -> Batched:
    """All copies in one call: operands get the same number of axes behind the leading one, so that they broadcast copy by copy."""
    ndim, recorded = 0, False
    for a in args[: len(op.inputs)]:
        if a.__class__ is not float and a is not None:
            ndim = max(ndim, len(a.shape))
    aligned = []
    for a in args:
        if a.__class__ is Batched:
            a = a.data if len(a.shape) == ndim else _spaced(a, ndim)
        recorded = recorded or isinstance(a, Tensor)
        aligned.append(a)
    return Batched(op.call(*aligned) if recorded else op.array(*aligned))


def _spaced(a: Batched, ndim: int) -> Any:
    from .ops.shape import reshape

    return reshape(a.data, (a.count, *(1,) * (ndim - len(a.shape)), *a.shape))


def _one_by_one(op: Op, args: list[Any]) -> Batched:
    from .ops.joining import stack

    batched = [x for a in args for x in (a if isinstance(a, (list, tuple)) else [a]) if isinstance(x, Batched)]
    # By name what follows the inputs: an op that takes a list takes all that is not named to be of the list.
    named = dict(zip(op.parameters[len(op.inputs) :], args[len(op.inputs) :], strict=True))
    rows = [op.call(*(_copy(a, i) for a in args[: len(op.inputs)]), **named) for i in range(batched[0].count)]
    return Batched(stack(rows) if any(isinstance(row, Tensor) for row in rows) else np.array(rows))


def _lists_batched(a: Any) -> bool:
    return isinstance(a, (list, tuple)) and any(isinstance(x, Batched) for x in a)


def _copy(a: Any, i: int) -> Any:
    if isinstance(a, Batched):
        return a.data[i]
    return [_copy(x, i) for x in a] if _lists_batched(a) else a


# ---------------------------------------------------------------- the ops that move elements or reduce


def _shape_setting(op: Op, args: list[Any]) -> Any:
    """A target shape gets the leading axis too."""
    x, shape = args
    return op.call(x.data, (x.count, *_known(x, shape)))


def _known(x: Batched, shape: tuple[int, ...]) -> tuple[int, ...]:
    """A shape whose -1 is filled in, counted without the leading axis."""
    if -1 not in shape:
        return shape
    rest = math.prod(n for n in shape if n != -1)
    return tuple(math.prod(x.shape) // max(rest, 1) if n == -1 else n for n in shape)


def _expand(op: Op, args: list[Any]) -> Any:
    from .ops.shape import reshape

    x, shape = args
    missing = len(shape) - len(x.shape)
    data = reshape(x.data, (x.count, *(1,) * missing, *x.shape)) if missing else x.data
    return op.call(data, (x.count, *shape))


def _axes_setting(op: Op, args: list[Any]) -> Any:
    x, axes, *rest = args
    return op.call(x.data, tuple(a + 1 for a in axes), *rest)


def _permute(op: Op, args: list[Any]) -> Any:
    x, axes = args
    return op.call(x.data, (0, *(a + 1 for a in axes)))


def _swap(op: Op, args: list[Any]) -> Any:
    x, a, b = args
    return op.call(x.data, a + 1, b + 1)


def _axis_setting(op: Op, args: list[Any]) -> Any:
    x, axis = args
    return op.call(x.data, axis + 1)


def _sum_all(op: Op, args: list[Any]) -> Any:
    from .ops.reduce import sum_axes

    x = args[0]
    return sum_axes(x.data, tuple(range(1, len(x.shape) + 1)))


_ALL = slice(None)


def behind(index: Any) -> tuple[Any, ...] | None:
    """An index behind the leading axis; None where NumPy would move the axes of an index vector to the front."""
    if index.__class__ is slice or index.__class__ is int:
        return _ALL, index
    parts = index if isinstance(index, tuple) else (index,)
    vectors = [i for i, part in enumerate(parts) if isinstance(part, np.ndarray)]
    if (vectors and any(isinstance(part, int) for part in parts)) or (vectors and vectors[-1] - vectors[0] >= len(vectors)):
        return None
    return (_ALL, *parts)


def _index(op: Op, args: list[Any]) -> Any:
    x, index = args
    place = behind(index)
    return None if place is None else op.call(x.data, place)


def _put(op: Op, args: list[Any]) -> Any:
    g, index, shape = args
    place = behind(index)
    return None if place is None else op.call(g.data, place, (g.count, *shape))


def _product(op: Op, args: list[Any]) -> Any:
    """Matrix products: a batched matrix times a plain one and the reverse; vectors become one-row or one-column matrices."""
    from .ops.linear import matmul
    from .ops.shape import reshape

    a, b = args
    if isinstance(a, Batched) and isinstance(b, Batched):
        return None
    if isinstance(a, Batched):
        return matmul(a.data, b)
    if len(shape_of(b)) == 1:
        return matmul(b.data, _transposed(a)) if len(shape_of(a)) == 2 else None
    return matmul(reshape(a, (1, *shape_of(a))), b.data) if len(shape_of(a)) == 2 else None


def _transposed(x: Any) -> Any:
    from .ops.linear import transposed

    return transposed(x)


RULES: dict[str, Any] = {
    "_view": _shape_setting,
    "_expand": _expand,
    "_squeeze": _axes_setting,
    "_unsqueeze": _axes_setting,
    "_flip": _axes_setting,
    "_permute": _permute,
    "_swap": _swap,
    "_sum_axes": _axes_setting,
    "_mean_axes": _axes_setting,
    "_sum_all": _sum_all,
    "_cumsum": _axis_setting,
    "_select": _index,
    "_slice": _index,
    "_index": _index,
    "_put": _put,
    "_overwrite": _index,
    "_mm": _product,
    "_mv": _product,
}
