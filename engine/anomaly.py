"""Finding the first value or gradient that is not finite, and the line that made it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .derivative import saved_values
from .errors import EngineError
from .gradient import Scatter, written
from .lazy import np
from .observe import Listener, listeners

if TYPE_CHECKING:
    from .node import Node


class NonFiniteError(EngineError):
    """A value or gradient became inf or nan; the labels name the line that made it and the backward that ran."""

    kind = "non-finite"


def is_finite(value: Any) -> bool:
    """Whether a raw value, Tensor or gradient holds neither inf nor nan."""
    if value is None:
        return True
    if isinstance(value, (tuple, list)):
        return all(map(is_finite, value))
    if isinstance(value, Scatter):
        value = value.value
    value = getattr(written(value), "data", value) if hasattr(value, "node") else written(value)
    return math.isfinite(value) if isinstance(value, float) else bool(np.isfinite(value).all())


def what_it_is(value: Any) -> str:
    """ "nan" if there is any, else "inf"."""
    if isinstance(value, Scatter):
        value = value.value
    value = getattr(value, "data", value) if hasattr(value, "node") else written(value)
    return "nan" if bool(np.isnan(np.asarray(value)).any()) else "inf"


class detect_anomaly(Listener):
    """Inside, the first operation that makes inf or nan out of finite values is an error, in the forward pass (with `check_forward`)
    and in the backward pass. The error names the operation, and both the line that recorded it and the backward.
    """

    def __init__(self, check_nan: bool = True, check_forward: bool = False) -> None:
        self.check_nan = check_nan
        self.check_forward = check_forward
        self.place: Any = None

    @property
    def silenced(self) -> bool:
        """Whether a detector inside this one has taken over."""
        return next((each for each in reversed(listeners) if isinstance(each, detect_anomaly)), self) is not self

    def created(self, node: Node, result: Any) -> None:
        if not self.check_forward or self.silenced or is_finite(result):
            return
        if all(is_finite(value) for _, value in saved_values(node) if value is not result):
            word = what_it_is(result[0] if isinstance(result, tuple) else result)
            raise NonFiniteError(
                f"{node.name().removesuffix('0').removesuffix('Backward').lower()} gave {word}: the value is not finite",
                labels=[(node.span, "made here")],
                help="look at the operands: a division by 0, the logarithm of 0, or an overflow",
            )

    def began(self, task: Any) -> None:
        self.place = task.place

    def ran(self, node: Node, gradient: Any, gradients: Sequence[Any]) -> None:
        if not self.check_nan or self.silenced or not is_finite(gradient):
            return
        for number, part in enumerate(gradients):
            if not is_finite(part):
                labels = [(node.span, "the operation was recorded here")]
                labels += [(self.place, "and differentiated by this backward")] if self.place else []
                raise NonFiniteError(
                    f"Function '{node.name()}' returned {what_it_is(part)} values in its {number}th output.",
                    help="the derivative does not exist at this point, or overflows",
                    labels=labels,
                )


class set_detect_anomaly:
    """Switches anomaly detection on or off for a block."""

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self.listener = detect_anomaly(check_nan) if mode else None
        if self.listener:
            self.listener.attach()

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        if self.listener:
            self.listener.detach()
