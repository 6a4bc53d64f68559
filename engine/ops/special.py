"""Sigmoids and their kin, and the special functions that SciPy computes on arrays."""

from __future__ import annotations

import math
from typing import Any

from .. import ieee
from ..lazy import np, special
from ..op import formula, op
from .arithmetic import div, square
from .choose import choose
from .exponential import exp
from .piecewise import abs_
from .trigonometric import tanh


def _sigmoid(x: float) -> float:
    if x >= 0.0:
        return 1.0 / (1.0 + math.exp(-x))
    small = ieee.exp(x)
    return small / (1.0 + small)


@op(scalar=_sigmoid, x=lambda g, y: g * (y * (1.0 - y)))
def sigmoid(x: Any) -> Any:
    """1 / (1 + e^-x)."""
    small = np.exp(-np.abs(x))
    return np.where(x >= 0.0, 1.0, small) / (1.0 + small)


def _logit(x: float, eps: float | None) -> float:
    if eps is not None:
        x = ieee.minimum(ieee.maximum(x, eps), 1.0 - eps)
    return ieee.log(ieee.div(x, 1.0 - x))


def _logit_slope(g: Any, x: Any, eps: Any) -> Any:
    low, outside = (0.0, math.nan) if eps is None else (eps, 0.0)
    return choose((x >= low) & (x <= 1.0 - low), div(g, x * (1.0 - x)), outside)


@op(elementwise=True, domain="probability", kinks="inf at 0 and 1, nan beyond; 0 outside [eps, 1 - eps] where eps is given", x=_logit_slope)
def logit(x: Any, eps: Any = None) -> Any:
    """log(x / (1 - x)), the inverse of sigmoid; `eps` keeps x away from 0 and 1."""
    if x.__class__ is float:
        return _logit(x, eps)
    inside = x if eps is None else np.clip(x, eps, 1.0 - eps)
    return np.log(inside / (1.0 - inside))


def _softplus(x: float) -> float:
    return max(x, 0.0) + math.log1p(math.exp(-abs(x))) if x == x else x


@op(scalar=_softplus, x=lambda g, x: g * sigmoid(x))
def softplus(x: Any) -> Any:
    """log(1 + e^x), without overflow and accurate on both sides."""
    return np.maximum(x, 0.0) + np.log1p(np.exp(-np.abs(x)))


@op(scalar=lambda x: -_softplus(-x), node="LogSigmoidBackward0", x=lambda g, x: g * sigmoid(-x))
def logsigmoid(x: Any) -> Any:
    """log(sigmoid(x))."""
    return np.minimum(x, 0.0) - np.log1p(np.exp(-np.abs(x)))


def _silu_slope(x: Any) -> Any:
    s = sigmoid(x)
    return s * (1.0 + x * (1.0 - s))


@op(scalar=lambda x: x * _sigmoid(x), x=lambda g, x: g * _silu_slope(x))
def silu(x: Any) -> Any:
    """x * sigmoid(x) (swish)."""
    return x * sigmoid(x)


_ROOT_HALF = math.sqrt(0.5)
_DENSITY = 1.0 / math.sqrt(2.0 * math.pi)


def _normal_share(x: Any) -> Any:
    """The standard normal distribution function."""
    return 0.5 * erfc(-_ROOT_HALF * x)


@op(
    scalar=lambda x: 0.5 * x * math.erfc(-_ROOT_HALF * x),
    x=lambda g, x: g * (_normal_share(x) + x * (_DENSITY * exp(-0.5 * square(x)))),
)
def gelu(x: Any) -> Any:
    """x times the standard normal distribution function (the erf form)."""
    return 0.5 * x * special.erfc(-_ROOT_HALF * x)


@formula(domain="any")
def mish(x: Any) -> Any:
    """x * tanh(softplus(x))."""
    return x * tanh(softplus(x))


@formula(domain="apart", kinks="1 at 0")
def softsign(x: Any) -> Any:
    """x / (1 + |x|)."""
    return div(x, 1.0 + abs_(x))


# ---------------------------------------------------------------- error function and gamma

_TWO_OVER_ROOT_PI = 2.0 / math.sqrt(math.pi)


@op(scalar=math.erf, x=lambda g, x: g * (_TWO_OVER_ROOT_PI * exp(-square(x))))
def erf(x: Any) -> Any:
    """The error function."""
    return special.erf(x)


@op(scalar=math.erfc, x=lambda g, x: g * (-_TWO_OVER_ROOT_PI * exp(-square(x))))
def erfc(x: Any) -> Any:
    """1 - erf(x), accurate for large x."""
    return special.erfc(x)


@op(
    scalar=lambda x: float(special.erfinv(x)),
    domain="unit",
    kinks="inf at -1 and 1",
    x=lambda g, y: g * (exp(square(y)) / _TWO_OVER_ROOT_PI),
)
def erfinv(x: Any) -> Any:
    """The inverse of erf; nan outside [-1, 1]."""
    return special.erfinv(x)


@op(scalar=ieee.lgamma, domain="positive", kinks="-inf at 0, nan at the other poles", x=lambda g, x: g * digamma(x))
def lgamma(x: Any) -> Any:
    """log |gamma(x)|."""
    return np.where(np.isneginf(x), np.inf, special.gammaln(x))


@op(scalar=lambda x: float(special.psi(x)), domain="positive", kinks="nan at the poles", x=lambda g, x: g * polygamma(1, x))
def digamma(x: Any) -> Any:
    """The derivative of lgamma."""
    return special.psi(x)


def polygamma(order: int, x: Any) -> Any:
    """The derivative of digamma of the given order."""
    return _polygamma(x, order)


@op(elementwise=True, name="polygamma", builtin=False, domain="positive", x=lambda g, x, order: g * polygamma(order + 1, x))
def _polygamma(x: Any, order: int = 1) -> Any:
    """The derivative of digamma of the given order (1: trigamma)."""
    found = special.polygamma(order, x)
    return float(found) if x.__class__ is float else found


# ---------------------------------------------------------------- tests for what is no number


def _test(scalar: Any, array: str, doc: str) -> Any:
    def body(x: Any) -> Any:
        return scalar(x) if x.__class__ is float else getattr(np, array)(x)

    body.__doc__ = doc
    return op(name=array, boolean=True, masks=True, x=None)(body)


isnan = _test(math.isnan, "isnan", "Whether x is nan.")
isinf = _test(math.isinf, "isinf", "Whether x is an infinity.")
isfinite = _test(math.isfinite, "isfinite", "Whether x is neither nan nor infinite.")


def _truth(x: Any) -> Any:
    return x != 0.0 if x.__class__ is float else x.astype(bool)


@op(boolean=True, masks=True, a=None, b=None)
def logical_and(a: Any, b: Any) -> Any:
    """Whether both are non-zero, elementwise."""
    return _truth(a) & _truth(b)


@op(boolean=True, masks=True, a=None, b=None)
def logical_or(a: Any, b: Any) -> Any:
    """Whether either is non-zero, elementwise."""
    return _truth(a) | _truth(b)


@op(boolean=True, masks=True, x=None)
def logical_not(x: Any) -> Any:
    """Whether x is zero, elementwise."""
    return not x if x.__class__ is float else ~_truth(x)
