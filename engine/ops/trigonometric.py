"""Circular and hyperbolic functions and their inverses; angles in radians."""

from __future__ import annotations

import math
from typing import Any

from .. import ieee
from ..lazy import np
from ..op import op
from .arithmetic import div, square
from .choose import choose
from .exponential import rsqrt


@op(scalar=ieee.sin, x=lambda g, x: g * cos(x))
def sin(x: Any) -> Any:
    """Sine."""
    return np.sin(x)


@op(scalar=ieee.cos, x=lambda g, x: -g * sin(x))
def cos(x: Any) -> Any:
    """Cosine."""
    return np.cos(x)


@op(scalar=ieee.tan, domain="unit", x=lambda g, y: g * (1.0 + y * y))
def tan(x: Any) -> Any:
    """Tangent."""
    return np.tan(x)


@op(scalar=ieee.asin, domain="unit", kinks="inf at -1 and 1", x=lambda g, x: g * rsqrt(1.0 - x * x))
def asin(x: Any) -> Any:
    """Inverse sine; nan outside [-1, 1]."""
    return np.arcsin(x)


@op(scalar=ieee.acos, domain="unit", kinks="-inf at -1 and 1", x=lambda g, x: -g * rsqrt(1.0 - x * x))
def acos(x: Any) -> Any:
    """Inverse cosine; nan outside [-1, 1]."""
    return np.arccos(x)


@op(scalar=math.atan, x=lambda g, x: div(g, 1.0 + x * x))
def atan(x: Any) -> Any:
    """Inverse tangent."""
    return np.arctan(x)


def _over_square_length(a: Any, b: Any) -> Any:
    """1 / (a^2 + b^2), and 0 at the origin."""
    length = a * a + b * b
    return choose(length == 0.0, 0.0, div(1.0, length))


@op(
    scalar=math.atan2,
    domain=("apart", "apart"),
    kinks="(0, -0) at the origin",
    kink=lambda a, b: (a == 0.0) & (b == 0.0),
    a=lambda g, a, b: g * (b * _over_square_length(a, b)),
    b=lambda g, a, b: g * (-a * _over_square_length(a, b)),
)
def atan2(a: Any, b: Any) -> Any:
    """The angle of the point (b, a), between -pi and pi."""
    return np.arctan2(a, b)


@op(
    scalar=math.hypot,
    domain=("apart", "apart"),
    kinks="nan at the origin",
    a=lambda g, a, y: g * div(a, y),
    b=lambda g, b, y: g * div(b, y),
)
def hypot(a: Any, b: Any) -> Any:
    """sqrt(a^2 + b^2), without overflow."""
    return np.hypot(a, b)


def _sinc(x: float) -> float:
    angle = math.pi * x
    return 1.0 if angle == 0.0 else ieee.div(ieee.sin(angle), angle)


def _sinc_slope(x: Any) -> Any:
    # Near 0 the slope is -pi^2/3 x: written so, its own derivative is right there too, as no 0/0 is left in the other branch.
    angle = choose(x == 0.0, 1.0, x * math.pi)
    return choose(x == 0.0, x * (-(math.pi**2) / 3.0), div(math.pi * (angle * cos(angle) - sin(angle)), square(angle)))


@op(scalar=_sinc, domain="apart", kinks="0 at 0", x=lambda g, x: g * _sinc_slope(x))
def sinc(x: Any) -> Any:
    """sin(pi x) / (pi x), and 1 at 0."""
    return np.sinc(x)


# ---------------------------------------------------------------- hyperbolic


@op(scalar=ieee.sinh, x=lambda g, x: g * cosh(x))
def sinh(x: Any) -> Any:
    """Hyperbolic sine."""
    return np.sinh(x)


@op(scalar=ieee.cosh, x=lambda g, x: g * sinh(x))
def cosh(x: Any) -> Any:
    """Hyperbolic cosine."""
    return np.cosh(x)


@op(scalar=math.tanh, x=lambda g, y: g * (1.0 - y * y))
def tanh(x: Any) -> Any:
    """Hyperbolic tangent."""
    return np.tanh(x)


@op(scalar=math.asinh, x=lambda g, x: g * rsqrt(x * x + 1.0))
def asinh(x: Any) -> Any:
    """Inverse hyperbolic sine."""
    return np.arcsinh(x)


@op(scalar=ieee.acosh, domain="above one", kinks="inf at 1", x=lambda g, x: g * rsqrt(x * x - 1.0))
def acosh(x: Any) -> Any:
    """Inverse hyperbolic cosine; nan below 1."""
    return np.arccosh(x)


@op(scalar=ieee.atanh, domain="unit", kinks="inf at -1 and 1", x=lambda g, x: div(g, 1.0 - x * x))
def atanh(x: Any) -> Any:
    """Inverse hyperbolic tangent; nan outside [-1, 1]."""
    return np.arctanh(x)
