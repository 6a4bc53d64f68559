"""Functions with kinks and steps. What holds at a kink is PyTorch's convention, stated beside each."""

from __future__ import annotations

import math
from typing import Any

from .. import ieee
from ..lazy import np
from ..op import op
from .arithmetic import div
from .choose import choose, zero
from .exponential import exp


def _sign(x: Any) -> Any:
    """-1, 0 or 1; 0 for nan too, where NumPy says nan."""
    return float((x > 0.0) - (x < 0.0)) if x.__class__ is float else np.subtract(x > 0.0, x < 0.0, dtype=np.float64)


@op(scalar=_sign, domain="apart", kinks="gradient 0", x=lambda g: zero(g))
def sign(x: Any) -> Any:
    """-1, 0 or 1; 0 for nan."""
    return _sign(x)


@op(scalar=abs, domain="apart", kinks="0 at 0", kink=lambda x: x == 0.0, x=lambda g, x: g * sign(x))
def abs_(x: Any) -> Any:
    """Absolute value."""
    return np.abs(x)


def _step(scalar: Any, array: str, doc: str) -> Any:
    def body(x: Any) -> Any:
        return getattr(np, array)(x)

    body.__doc__ = doc
    return op(name={"rint": "round"}.get(array, array), scalar=scalar, domain="apart", kinks="gradient 0", x=lambda g: zero(g))(body)


floor = _step(ieee.floor, "floor", "The greatest whole number not above x.")
ceil = _step(ieee.ceil, "ceil", "The least whole number not below x.")
trunc = _step(ieee.trunc, "trunc", "x without its fraction.")
round_ = _step(ieee.round_even, "rint", "The nearest whole number, halves to the even one.")


@op(scalar=lambda x: x - ieee.trunc(x), domain="apart", kinks="1 everywhere", x=lambda g: g)
def frac(x: Any) -> Any:
    """The fraction of x, with its sign."""
    return x - np.trunc(x)


# ---------------------------------------------------------------- the larger and the smaller


@op(
    scalar=ieee.maximum,
    domain="distinct",
    kinks="equal arguments get half each; a nan lets both pass",
    kink=lambda a, b: a == b,
    a=lambda g, a, b: choose(a == b, 0.5 * g, choose(a < b, 0.0, g)),
    b=lambda g, a, b: choose(a == b, 0.5 * g, choose(b < a, 0.0, g)),
)
def maximum(a: Any, b: Any) -> Any:
    """The larger of two; nan where either is nan."""
    return np.maximum(a, b)


@op(
    scalar=ieee.minimum,
    domain="distinct",
    kinks="equal arguments get half each; a nan lets both pass",
    kink=lambda a, b: a == b,
    a=lambda g, a, b: choose(a == b, 0.5 * g, choose(a > b, 0.0, g)),
    b=lambda g, a, b: choose(a == b, 0.5 * g, choose(b > a, 0.0, g)),
)
def minimum(a: Any, b: Any) -> Any:
    """The smaller of two; nan where either is nan."""
    return np.minimum(a, b)


@op(
    scalar=lambda a, b: b if a != a else a if b != b else max(a, b),
    domain="distinct",
    kinks="the first of equal arguments gets all",
    kink=lambda a, b: a == b,
    a=lambda g, a, b: choose((a >= b) | (b != b), g, 0.0),
    b=lambda g, a, b: choose((a >= b) | (b != b), 0.0, g),
)
def fmax(a: Any, b: Any) -> Any:
    """The larger of two, ignoring nan."""
    return np.fmax(a, b)


@op(
    scalar=lambda a, b: b if a != a else a if b != b else min(a, b),
    domain="distinct",
    kinks="the first of equal arguments gets all",
    kink=lambda a, b: a == b,
    a=lambda g, a, b: choose((a <= b) | (b != b), g, 0.0),
    b=lambda g, a, b: choose((a <= b) | (b != b), 0.0, g),
)
def fmin(a: Any, b: Any) -> Any:
    """The smaller of two, ignoring nan."""
    return np.fmin(a, b)


def _within(x: Any, min: Any, max: Any) -> Any:
    """Whether x lies between the bounds, bounds included; a missing bound always holds."""
    low = x == x if min is None else x >= min
    return low if max is None else low & (x <= max)


def _below(x: Any, min: Any, max: Any) -> Any:
    return x < min if max is None else (x < min) & (min < max)


def _above(x: Any, min: Any, max: Any) -> Any:
    return x > max if min is None else (x > max) | (max < min)


@op(
    elementwise=True,
    domain="clamp",
    kinks="1 at a bound, 0 for nan; with min > max the bound max wins",
    kink=lambda x, min, max: ((x == min) if min is not None else False) | ((x == max) if max is not None else False),
    x=lambda g, x, min, max: choose(_within(x, min, max), g, 0.0),
    min=lambda g, x, min, max: choose(_below(x, min, max), g, 0.0),
    max=lambda g, x, min, max: choose(_above(x, min, max), g, 0.0),
)
def clamp(x: Any, min: Any = None, max: Any = None) -> Any:
    """x kept between min and max; either may be left out."""
    low = x if min is None else ieee.maximum(x, min) if x.__class__ is float and min.__class__ is float else np.maximum(x, min)
    return low if max is None else ieee.minimum(low, max) if low.__class__ is float and max.__class__ is float else np.minimum(low, max)


# ---------------------------------------------------------------- activations


@op(
    scalar=lambda x: x if x > 0.0 or x != x else 0.0,
    domain="apart",
    kinks="0 at 0",
    kink=lambda y: y == 0.0,
    x=lambda g, y: choose(y <= 0.0, 0.0, g),
)
def relu(x: Any) -> Any:
    """x where positive, else 0."""
    return np.maximum(x, 0.0)


@op(elementwise=True, domain="apart", kinks="the slope at 0", kink=lambda x: x == 0.0, x=lambda g, x, slope: choose(x > 0.0, g, g * slope))
def leaky_relu(x: Any, slope: Any = 0.01) -> Any:
    """x where positive, else slope * x."""
    return choose(x > 0.0, x, x * slope)


@op(elementwise=True, domain="apart", kinks="1 at 0 (alpha 1)", x=lambda g, x, alpha: choose(x > 0.0, g, g * (alpha * exp(x))))
def elu(x: Any, alpha: Any = 1.0) -> Any:
    """x where positive, else alpha * (e^x - 1)."""
    if x.__class__ is float:
        return x if x > 0.0 else alpha * ieee.expm1(x)
    return np.where(x > 0.0, x, alpha * np.expm1(np.minimum(x, 0.0)))


_SCALE, _ALPHA = 1.0507009873554805, 1.6732632423543772


@op(
    scalar=lambda x: _SCALE * (x if x > 0.0 else _ALPHA * ieee.expm1(x)),
    domain="apart",
    kinks="the slope from below at 0",
    kink=lambda x: x == 0.0,
    node="EluBackward0",
    x=lambda g, x: choose(x > 0.0, g * _SCALE, g * ((_SCALE * _ALPHA) * exp(x))),
)
def selu(x: Any) -> Any:
    """The self-normalising elu (Klambauer et al. 2017): its two constants keep mean 0 and variance 1."""
    return _SCALE * np.where(x > 0.0, x, _ALPHA * np.expm1(np.minimum(x, 0.0)))


@op(
    elementwise=True,
    domain="apart",
    kinks="0 at the bounds",
    kink=lambda x, min, max: (x == min) | (x == max),
    x=lambda g, x, min, max: choose((x > min) & (x < max), g, 0.0),
)
def hardtanh(x: Any, min: Any = -1.0, max: Any = 1.0) -> Any:
    """x kept between -1 and 1."""
    if x.__class__ is float:
        return ieee.minimum(ieee.maximum(x, min), max)
    return np.minimum(np.maximum(x, min), max)


# ---------------------------------------------------------------- signs, mixing, cleaning


@op(
    scalar=math.copysign,
    domain=("apart", "apart"),
    kinks="0 where a is 0",
    a=lambda g, a, y: choose(a == 0.0, 0.0, g * div(y, a)),
    b=lambda g: zero(g),
)
def copysign(a: Any, b: Any) -> Any:
    """The size of a with the sign of b."""
    return np.copysign(a, b)


@op(elementwise=True, a=lambda g, w: g * (1.0 - w), b=lambda g, w: g * w, w=lambda g, a, b: g * (b - a))
def lerp(a: Any, b: Any, w: Any) -> Any:
    """a + w * (b - a)."""
    return a + w * (b - a)


@op(
    scalar=lambda x: 0.0 if x != x else max(min(x, 1.7976931348623157e308), -1.7976931348623157e308),
    kinks="0 where x is not finite",
    x=lambda g, x: choose((x != x) | (abs_(x) == math.inf), 0.0, g),
)
def nan_to_num(x: Any) -> Any:
    """0 for nan, the largest finite numbers for the infinities."""
    return np.nan_to_num(x)
