"""Derivatives by central differences, which the rules are checked against; they share nothing with the engine's own."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np


def number(value: Any) -> float:
    return float(np.asarray(getattr(value, "data", value)).reshape(()))


def numeric_gradient(function: Callable[..., Any], values: Sequence[Any], slot: int, step: float = 1e-6) -> Any:
    """The gradient of a function of raw values (a float as result) for argument `slot`.

    The step is relative for large elements; the error is about step^2 of the third derivative plus 1e-16/step of the value.
    """
    value = values[slot]
    flat = np.array(value, dtype=np.float64).reshape(-1)
    slopes = []
    for i, at in enumerate(flat):
        h = step * max(1.0, abs(float(at)))
        sides = []
        for moved_to in (at + h, at - h):
            moved = flat.copy()
            moved[i] = moved_to
            argument = float(moved[0]) if value.__class__ is float else moved.reshape(value.shape)
            sides.append(number(function(*values[:slot], argument, *values[slot + 1 :])))
        slopes.append((sides[0] - sides[1]) / (2.0 * h))
    return slopes[0] if value.__class__ is float else np.array(slopes).reshape(value.shape)
