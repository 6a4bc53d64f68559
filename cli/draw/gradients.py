"""A gradient of a trace in a cell: numbers and small tensors as they are, larger ones by shape and norm."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..values import rounded

if TYPE_CHECKING:
    from dagrad.engine.inspect import Gradient

DIGITS = 6


def short(gradient: Gradient | None, digits: int | None) -> str:
    """The gradient, and where it goes to one element only, which."""
    if gradient is None:
        return "none"
    at = f" at [{gradient.index}]" if gradient.index is not None else ""
    if gradient.value is not None:
        return written(gradient.value, digits) + at
    shape = "×".join(map(str, gradient.shape))
    return f"{shape} of norm {rounded(gradient.norm, digits or DIGITS)}{at}"


def written(value: Any, digits: int | None) -> str:
    return "[" + ", ".join(written(item, digits) for item in value) + "]" if isinstance(value, list) else rounded(float(value), digits)
