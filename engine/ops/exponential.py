"""Exponentials, logarithms and roots."""

from __future__ import annotations

import math
from typing import Any

from .. import ieee
from ..lazy import np
from ..op import op
from .arithmetic import div
from .choose import choose

LN2, LN10 = math.log(2.0), math.log(10.0)


@op(scalar=ieee.exp, x=lambda g, y: g * y)
def exp(x: Any) -> Any:
    """e^x."""
    return np.exp(x)


@op(scalar=ieee.exp2, x=lambda g, y: g * (y * LN2))
def exp2(x: Any) -> Any:
    """2^x."""
    return np.exp2(x)


@op(scalar=ieee.expm1, x=lambda g, y: g * (y + 1.0))
def expm1(x: Any) -> Any:
    """e^x - 1, accurate near 0."""
    return np.expm1(x)


@op(scalar=ieee.log, domain="positive", kinks="inf at 0; 1/x also where x < 0 and the value is nan", x=lambda g, x: div(g, x))
def log(x: Any) -> Any:
    """Natural logarithm."""
    return np.log(x)


@op(scalar=ieee.log2, domain="positive", kinks="as log", x=lambda g, x: div(g, x * LN2))
def log2(x: Any) -> Any:
    """Logarithm to base 2."""
    return np.log2(x)


@op(scalar=ieee.log10, domain="positive", kinks="as log", x=lambda g, x: div(g, x * LN10))
def log10(x: Any) -> Any:
    """Logarithm to base 10."""
    return np.log10(x)


@op(scalar=ieee.log1p, node="Log1PBackward0", domain="positive", kinks="inf at -1", x=lambda g, x: div(g, x + 1.0))
def log1p(x: Any) -> Any:
    """log(1 + x), accurate near 0."""
    return np.log1p(x)


# ---------------------------------------------------------------- roots


@op(scalar=ieee.sqrt, domain="positive", kinks="inf at 0", x=lambda g, y: div(g, 2.0 * y))
def sqrt(x: Any) -> Any:
    """Square root; nan below 0."""
    return np.sqrt(x)


@op(scalar=lambda x: ieee.div(1.0, ieee.sqrt(x)), domain="positive", kinks="-inf at 0", x=lambda g, y: -0.5 * g * (y * y * y))
def rsqrt(x: Any) -> Any:
    """1 / sqrt(x)."""
    return np.divide(1.0, np.sqrt(x))


@op(scalar=ieee.cbrt, domain="apart", kinks="inf at 0", x=lambda g, y: div(g, 3.0 * (y * y)))
def cbrt(x: Any) -> Any:
    """Real cube root, of negative numbers too."""
    return np.cbrt(x)


# ---------------------------------------------------------------- two arguments


def _logaddexp(a: float, b: float) -> float:
    if a == b:
        return a + LN2
    high = ieee.maximum(a, b)
    return high + ieee.log1p(ieee.exp(-abs(a - b)))


@op(
    scalar=_logaddexp,
    kinks="nan where both are the same infinity",
    a=lambda g, a, b: div(g, 1.0 + exp(b - a)),
    b=lambda g, a, b: div(g, 1.0 + exp(a - b)),
)
def logaddexp(a: Any, b: Any) -> Any:
    """log(exp(a) + exp(b)), without overflow."""
    return np.logaddexp(a, b)


def _xlogy(a: float, b: float) -> float:
    return b if b != b else 0.0 if a == 0.0 else a * ieee.log(b)


@op(
    scalar=_xlogy,
    domain=("any", "positive"),
    kinks="value 0 at a = 0; there the gradient of a is 0 where b <= 0",
    a=lambda g, a, b: choose((a == 0.0) & (b <= 0.0), 0.0, g * log(b)),
    b=lambda g, a, b: g * div(a, b),
)
def xlogy(a: Any, b: Any) -> Any:
    """a * log(b), and 0 where a is 0."""
    with np.errstate(all="ignore"):
        return np.where((a == 0.0) & ~np.isnan(b), 0.0, a * np.log(b))
