"""Whole matrices of first and second derivatives as arrays, by several leaves at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..lazy import np
from ..tensor import Tensor
from ..transforms import gradients, numeric_jacobian

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]


def is_tracked(y: Any) -> bool:
    """Whether y depends on anything that it can be differentiated by."""
    return isinstance(y, Tensor) and y.node is not None


def derivative_matrix(y: Any, leaves: Sequence[Tensor]) -> Array:
    """A row for each element of y, a column for each element of the leaves, one after the other."""
    rows = getattr(y, "size", 1)
    if not is_tracked(y):
        return _zeros(rows, leaves)
    found: Array = np.concatenate([vector(numeric_jacobian(y, leaf)).reshape(rows, leaf.size) for leaf in leaves], axis=1)
    return found


def _zeros(rows: int, leaves: Sequence[Tensor]) -> Array:
    found: Array = np.zeros((rows, sum(leaf.size for leaf in leaves)))
    return found


def gradient_vector(y: Any, leaves: Sequence[Tensor]) -> Array:
    """The gradient of one element by all leaves, one after the other; the graph is kept."""
    found = gradients([y], leaves, [None], True, False) if is_tracked(y) else [None] * len(leaves)
    gradient: Array = np.concatenate([np.zeros(leaf.size) if g is None else vector(g) for g, leaf in zip(found, leaves, strict=True)])
    return gradient


def second_derivatives(y: Any, leaves: Sequence[Tensor]) -> Array:
    """The Hessian of one element by all leaves, one after the other."""
    slopes = gradients([y], leaves, [None], True, True) if is_tracked(y) else [None] * len(leaves)
    parts = [derivative_matrix(s, leaves) if is_tracked(s) else _zeros(x.size, leaves) for s, x in zip(slopes, leaves, strict=True)]
    found: Array = np.concatenate(parts)
    symmetric: Array = (found + found.T) / 2
    return symmetric


def vector(value: Any) -> Array:
    """All elements of a value in one axis."""
    found: Array = np.asarray(getattr(value, "data", value), dtype=float).reshape(-1)
    return found
