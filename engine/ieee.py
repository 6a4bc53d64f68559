"""Arithmetic on Python floats with IEEE 754's results, where Python would raise: 1/0 is inf, log(-1) is nan, exp(1000) is inf."""

from __future__ import annotations

import math
from collections.abc import Callable
from math import copysign, inf, nan


def div(a: float, b: float) -> float:
    """a / b."""
    try:
        return a / b
    except ZeroDivisionError:
        return nan if a == 0.0 or a != a else copysign(inf, a) * copysign(1.0, b)


def floordiv(a: float, b: float) -> float:
    """The floor of a / b."""
    try:
        return a // b
    except ZeroDivisionError:
        return div(a, b)


def mod(a: float, b: float) -> float:
    """a - b * floor(a / b): the sign of b."""
    try:
        return a % b
    except ZeroDivisionError:
        return nan


def power(a: float, b: float) -> float:
    """a to the power b; nan where the result would be complex."""
    if b == 2.0:
        return a * a
    try:
        result = a**b
    except ZeroDivisionError:
        odd = math.isfinite(b) and b == int(b) and int(b) % 2 == 1
        return copysign(inf, a) if odd else inf
    except OverflowError:
        whole = b == int(b)
        return inf if a > 0.0 else nan if not whole else -inf if int(b) % 2 == 1 else inf
    return nan if result.__class__ is complex else result


def guarded(function: Callable[[float], float]) -> Callable[[float], float]:
    """A function of `math` that gives nan outside its domain and inf where the result is too large; `raises` is the bare one."""

    def call(x: float) -> float:
        try:
            return function(x)
        except ValueError:
            return nan
        except OverflowError:
            return inf

    call.raises = function  # type: ignore[attr-defined]
    return call


def _log(function: Callable[[float], float], zero: float = 0.0) -> Callable[[float], float]:
    """A logarithm, with its pole at `zero`."""

    def call(x: float) -> float:
        try:
            return function(x)
        except ValueError:
            return -inf if x == zero else nan

    call.raises = function  # type: ignore[attr-defined]
    return call


exp = guarded(math.exp)
expm1 = guarded(math.expm1)
exp2 = guarded(lambda x: 2.0**x)
log, log2, log10 = _log(math.log), _log(math.log2), _log(math.log10)
log1p = _log(math.log1p, -1.0)
sqrt = guarded(math.sqrt)
sin, cos, tan = guarded(math.sin), guarded(math.cos), guarded(math.tan)
asin, acos, acosh = guarded(math.asin), guarded(math.acos), guarded(math.acosh)
cosh = guarded(math.cosh)


def cbrt(x: float) -> float:
    """The real cube root, of negative numbers too."""
    return math.cbrt(x)


def sinh(x: float) -> float:
    """Hyperbolic sine."""
    try:
        return math.sinh(x)
    except OverflowError:
        return copysign(inf, x)


def atanh(x: float) -> float:
    """Inverse hyperbolic tangent, inf at 1 and -inf at -1."""
    try:
        return math.atanh(x)
    except ValueError:
        return copysign(inf, x) if abs(x) == 1.0 else nan


def floor(x: float) -> float:
    """The greatest whole number not above x; inf and nan are themselves."""
    if not math.isfinite(x):
        return x
    return float(math.floor(x)) or copysign(0.0, x)


def ceil(x: float) -> float:
    """The least whole number not below x."""
    return copysign(float(math.ceil(x)), x) if math.isfinite(x) else x


def trunc(x: float) -> float:
    """x without its fraction."""
    return copysign(float(math.trunc(x)), x) if math.isfinite(x) else x


def round_even(x: float) -> float:
    """The nearest whole number, halves to the even one."""
    return copysign(float(round(x)), x) if math.isfinite(x) else x


def lgamma(x: float) -> float:
    """The logarithm of the absolute value of gamma; inf at its poles."""
    try:
        return math.lgamma(x)
    except (ValueError, OverflowError):
        return inf


def maximum(a: float, b: float) -> float:
    """The larger; nan where either is."""
    return nan if a != a or b != b else a if a >= b else b


def minimum(a: float, b: float) -> float:
    """The smaller; nan where either is."""
    return nan if a != a or b != b else a if a <= b else b


def sign(x: float) -> float:
    """-1, 0 or 1; nan for nan."""
    return x if x != x else float((x > 0.0) - (x < 0.0))


__all__ = [name for name in globals() if not name.startswith("_") and name not in ("annotations", "math", "Callable", "isinf")]
