"""The soft maximum and what goes with it: logsumexp, softmax, log_softmax."""

from __future__ import annotations

import math
from typing import Any

from .. import ieee
from ..lazy import np
from ..op import formula, op
from ..shapes import along, axes_of, shape_of
from .exponential import exp
from .reduce import _drop, _sum_axes, over
from .rows import highest, total


@op(
    name="_logsumexp",
    builtin=False,
    node="LogsumexpBackward0",
    x=lambda g, x, y, axes: over(g, shape_of(x), axes) * exp(x - over(y, shape_of(x), axes)),
)
def _logsumexp(x: Any, axes: Any, keepdims: bool) -> Any:
    if x.__class__ is float:
        return x
    if len(axes) == x.ndim and not keepdims and x.dtype == np.float64:
        high = float(np.maximum.reduce(x, None, initial=-math.inf))
        high = high if math.isfinite(high) else 0.0
        return ieee.log(float(np.add.reduce(np.exp(x - high), None))) + high
    high = highest(x, axes)
    high = np.where(np.isfinite(high), high, 0.0)
    with np.errstate(all="ignore"):
        y = np.log(total(np.exp(x - high), axes, True)) + high
    return _drop(y, x.shape, axes, keepdims)


@formula(direct=True, kinks="nan where all are -inf")
def logsumexp(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """log(sum(exp(x))), shifted by the largest so that it does not overflow."""
    return _logsumexp(x, axes_of(axis, len(shape_of(x)), "logsumexp"), bool(keepdims))


@op(name="_softmax", builtin=False, node="SoftmaxBackward0", x=lambda g, y, axis: y * (g - _sum_axes(g * y, (axis,), True)))
def _softmax(x: Any, axis: int) -> Any:
    if x.__class__ is float:
        return 1.0
    with np.errstate(all="ignore"):
        size = np.exp(x - highest(x, axis))
    return size / total(size, axis, True)


@op(name="_log_softmax", builtin=False, node="LogSoftmaxBackward0", x=lambda g, y, axis: g - exp(y) * _sum_axes(g, (axis,), True))
def _log_softmax(x: Any, axis: int) -> Any:
    if x.__class__ is float:
        return 0.0
    with np.errstate(all="ignore"):
        shifted = x - highest(x, axis)
    return shifted - np.log(total(np.exp(shifted), axis, True))


@formula(direct=True)
def softmax(x: Any, axis: Any = None) -> Any:
    """exp(x) / sum(exp(x)) along an axis."""
    return _softmax(x, along(x, axis, "softmax"))


@formula(direct=True)
def log_softmax(x: Any, axis: Any = None) -> Any:
    """log(softmax(x)), accurate where a share is tiny."""
    return _log_softmax(x, along(x, axis, "log_softmax"))
