"""Whole matrices of first and second derivatives as arrays, by several leaves at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..lazy import LazyModule
from ..tensor import Tensor, untracked
from ..transforms import gradients

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[Any]
else:
    np = LazyModule("numpy")


def derivative_matrix(y: Any, leaves: Sequence[Tensor]) -> Array:
    """A row for each element of y, a column for each element of the leaves, one after the other."""
    width = sum(leaf.size for leaf in leaves)
    if not is_tracked(y):
        return np.zeros((getattr(y, "size", 1), width))
    return _by_columns(y, leaves) if width <= y.size else _by_rows(y, leaves)


def is_tracked(y: Any) -> bool:
    """Whether y depends on anything that it can be differentiated by."""
    return isinstance(y, Tensor) and y.node is not None


def _by_columns(y: Tensor, leaves: Sequence[Tensor]) -> Array:
    """One pass a column: the pullback of y is linear in its vector, and its derivative by that vector is the column.

    With fewer parameters than residuals this is far cheaper than one pass a row.
    """
    vector = untracked(np.zeros(y.shape) if y.shape else 0.0).requires_grad_()
    pulled = gradients([y], leaves, [vector], True, True)
    return np.concatenate([_columns(p, leaf.size, vector) for p, leaf in zip(pulled, leaves, strict=True)], axis=1)


def _columns(pulled: Any, width: int, vector: Tensor) -> Array:
    columns = np.zeros((vector.size, width))
    if is_tracked(pulled):
        for j in range(width):
            (found,) = gradients([pulled], [vector], [unit(pulled.shape, j)], True, False)
            columns[:, j] = raw(found, vector.size)
    return columns


def _by_rows(y: Tensor, leaves: Sequence[Tensor]) -> Array:
    """One pass a row."""
    rows = [gradients([y], leaves, [unit(y.shape, i)], True, False) for i in range(y.size)]
    return np.array([flat(row, leaves) for row in rows])


def gradient_vector(y: Any, leaves: Sequence[Tensor]) -> Array:
    """The gradient of one element by all leaves, one after the other; the graph is kept."""
    if not is_tracked(y):
        return np.zeros(sum(leaf.size for leaf in leaves))
    return flat(gradients([y], leaves, [None], True, False), leaves)


def second_derivatives(y: Any, leaves: Sequence[Tensor]) -> Array:
    """The Hessian of one element by all leaves, one after the other."""
    width = sum(leaf.size for leaf in leaves)
    if not is_tracked(y):
        return np.zeros((width, width))
    slopes = gradients([y], leaves, [None], True, True)
    found: Array = np.concatenate([_by_leaf(slope, leaf.size, leaves) for slope, leaf in zip(slopes, leaves, strict=True)])
    found += found.T.copy()
    return found / 2


def _by_leaf(slope: Any, size: int, leaves: Sequence[Tensor]) -> Array:
    return _by_rows(slope, leaves) if is_tracked(slope) else np.zeros((size, sum(leaf.size for leaf in leaves)))


def unit(shape: tuple[int, ...], position: int) -> Any:
    """The seed that picks one element; None for the only one."""
    if not shape:
        return None
    seed = np.zeros(shape)
    seed.flat[position] = 1.0
    return seed


def flat(values: Sequence[Any], leaves: Sequence[Tensor]) -> Array:
    """Gradients by several leaves as one vector; 0 where there is none."""
    return np.concatenate([raw(value, leaf.size) for value, leaf in zip(values, leaves, strict=True)])


def raw(value: Any, size: int) -> Array:
    """A gradient as a vector."""
    return np.zeros(size) if value is None else np.asarray(getattr(value, "data", value), dtype=float).reshape(-1)
