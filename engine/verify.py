"""A derivative against finite differences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .lazy import np
from .op import as_raw

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def numeric_gradient(function: Callable[..., Any], values: Sequence[Any], slot: int, step: float = 1e-6) -> Any:
    """The gradient of a function of raw values (a float as result) for argument `slot`, by central differences.

    The step is relative for large elements; the error is about step^2 of the third derivative plus 1e-16/step of the value.
    """
    value = values[slot]
    flat = np.array(value, dtype=np.float64).reshape(-1)
    found = np.empty_like(flat)
    for i in range(flat.size):
        h = step * max(1.0, abs(float(flat[i])))
        sides = []
        for sign in (1.0, -1.0):
            moved = flat.copy()
            moved[i] += sign * h
            argument = float(moved[0]) if value.__class__ is float else moved.reshape(value.shape)
            sides.append(as_raw(function(*values[:slot], argument, *values[slot + 1 :])))
        found[i] = (sides[0] - sides[1]) / (2.0 * h)
    return float(found[0]) if value.__class__ is float else found.reshape(value.shape)
