"""Sums and maxima over axes, also where the rows of an array are short.

NumPy's reductions begin their loop anew for each row, which for rows of ten numbers takes five to ten times as long as the numbers do.
"""

from __future__ import annotations

from typing import Any

from ..lazy import np

# From so many elements on it is worth a look.
_MANY = 512
# Rows of less than eight numbers are laid in columns, which gives the same sum to the last bit, since the order is the same. Rows of no
# more than so many are summed by einsum's loop, or laid in columns for their maximum.
_COLUMNS, _EINSUM, _EXTREME = 8, 128, 16


def total(x: Any, axes: Any, keepdims: bool = False) -> Any:
    """The sum of an array over an axis or several."""
    if x.size < _MANY or not _has_short_rows(x, axes, _EINSUM):
        return np.add.reduce(x, axes, keepdims=keepdims)
    y = np.add.reduce(_columns(x), 0) if x.shape[-1] < _COLUMNS else np.einsum("...i->...", x)
    return y[..., None] if keepdims else y


def total_of_all(x: Any) -> float:
    """The sum of all elements, of a few one by one, in the same order."""
    if x.size < _COLUMNS and x.ndim == 1 and x.dtype.char == "d":
        result = 0.0
        for each in x.tolist():
            result += each
        return result
    return float(np.add.reduce(x, None))


def extreme(function: Any, x: Any, axes: Any, keepdims: bool = False, **settings: Any) -> Any:
    """The maximum or minimum, by NumPy's function of two, over an axis or several; `settings` are those of its reduction."""
    if x.size < _MANY or not _has_short_rows(x, axes, _EXTREME):
        return function.reduce(x, axes, keepdims=keepdims, **settings)
    y = function.reduce(_columns(x), 0)
    return y[..., None] if keepdims else y


def highest(x: Any, axes: Any) -> Any:
    """The maximum, with the reduced axes kept; -inf of nothing."""
    return extreme(np.maximum, x, axes, True, initial=-np.inf)


def _has_short_rows(x: Any, axes: Any, most: int) -> bool:
    """Whether it is the last axis that is reduced, and that is short."""
    last = x.ndim - 1
    is_last = last > 0 and (axes == last or axes == (last,))
    return bool(is_last and x.shape[-1] <= most and x.dtype == np.float64 and x.flags.c_contiguous)


def _columns(x: Any) -> Any:
    """The last axis first, copied into this order."""
    last = x.ndim - 1
    return x.transpose((last, *range(last))).copy()
