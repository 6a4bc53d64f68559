"""A tensor in a cell of a table: short ones as they are, long ones by their least, mean and greatest element and a line of blocks."""

from __future__ import annotations

from typing import Any

from ..values import cell, numbers, rounded
from .sparkline import sparkline

# Longer tensors are summed up; so many significant digits say enough there.
SHORT = 6
DIGITS = 4


def shape(value: Any) -> str:
    """`3×4`, or nothing for a number."""
    data = numbers(value)
    return "" if data is None or isinstance(data, float) else "×".join(str(size) for size in data.shape) or ""


def summary(value: Any, digits: int | None) -> str:
    """The value itself, or what can be said of a long one in a line."""
    data = numbers(value)
    if data is None or isinstance(data, float) or data.size <= SHORT:
        return cell(value, digits)
    digits = digits or DIGITS
    low, mean, high = (rounded(float(number), digits) for number in (data.min(), data.mean(), data.max()))
    return f"{low} … {mean} … {high}  {sparkline(data.ravel().tolist())}"


def norm(value: Any, digits: int | None) -> str:
    """The 2-norm of a gradient; of a number its size says as much."""
    data = numbers(value)
    if data is None or isinstance(data, float):
        return ""
    return rounded(float((data * data).sum()) ** 0.5, digits or DIGITS)
