"""The four operations, powers and remainders."""

from __future__ import annotations

import operator
from typing import Any

from .. import ieee
from ..lazy import np
from ..op import op
from .choose import choose, zero

# A quotient in a rule is written div(a, b): a / b of two Python floats raises where b is 0, div gives IEEE's inf or nan.


@op(builtin=False, operator="+", scalar=operator.add, a=lambda g: g, b=lambda g: g)
def add(a: Any, b: Any) -> Any:
    """a + b."""
    return a + b


@op(builtin=False, operator="-", scalar=operator.sub, a=lambda g: g, b=lambda g: -g)
def sub(a: Any, b: Any) -> Any:
    """a - b."""
    return a - b


@op(builtin=False, operator="*", scalar=operator.mul, a=lambda g, b: g * b, b=lambda g, a: g * a)
def mul(a: Any, b: Any) -> Any:
    """a * b, elementwise."""
    return a * b


@op(builtin=False, operator="/", scalar=ieee.div, domain=("any", "apart"), a=lambda g, b: div(g, b), b=lambda g, y, b: -g * div(y, b))
def div(a: Any, b: Any) -> Any:
    """a / b, with IEEE's inf and nan."""
    return np.divide(a, b)


@op(builtin=False, scalar=operator.neg, x=lambda g: -g)
def neg(x: Any) -> Any:
    """-x."""
    return np.negative(x)


@op(scalar=lambda x: ieee.div(1.0, x), domain="apart", x=lambda g, y: -g * y * y)
def reciprocal(x: Any) -> Any:
    """1 / x."""
    return np.reciprocal(x)


@op(scalar=lambda x: x * x, node="PowBackward0", x=lambda g, x: (2.0 * g) * x)
def square(x: Any) -> Any:
    """x^2."""
    return x * x


# ---------------------------------------------------------------- powers


def _power(a: Any, b: Any) -> Any:
    """a to the power b on arrays; small whole exponents are products, which are thirty times as fast as NumPy's power."""
    if b.__class__ is float:
        if b == 2.0:
            return a * a
        if b == 3.0:
            return a * a * a
        if b == 4.0:
            return np.square(a * a)
        if b == 0.5:
            return np.sqrt(a)
        if b == -1.0:
            return np.reciprocal(a)
    return np.power(a, b)


def _power_by_base(g: Any, a: Any, b: Any) -> Any:
    """g * b * a^(b-1); 0 where b is 0, also at a = 0."""
    if b.__class__ is float:
        if b == 2.0:
            return (2.0 * g) * a
        if a.__class__ is float and b != 0.0:
            return g * (b * ieee.power(a, b - 1.0))
        return zero(g) if b == 0.0 else g * (b * pow(a, b - 1.0))
    return choose(b == 0.0, 0.0, g * (b * pow(a, b - 1.0)))


def _power_by_exponent(g: Any, a: Any, b: Any, y: Any) -> Any:
    """g * a^b * log(a); 0 where a is 0 and b is not negative."""
    from .exponential import log

    return choose((a == 0.0) & (b >= 0.0), 0.0, g * (y * log(a)))


@op(
    builtin=False,
    operator="^",
    scalar=ieee.power,
    node=("PowBackward0", "PowBackward1", "PowBackward1"),
    domain=("positive", "any"),
    kinks="x^0 has gradient 0 everywhere; the gradient of the exponent is 0 at base 0 and exponent >= 0 (PyTorch)",
    a=_power_by_base,
    b=_power_by_exponent,
)
def pow(a: Any, b: Any) -> Any:
    """a^b; nan where the result would not be real."""
    return _power(a, b)


# ---------------------------------------------------------------- quotient and remainder


@op(
    builtin=False,
    operator="//",
    scalar=ieee.floordiv,
    domain=("any", "apart"),
    kinks="gradient 0",
    a=lambda g: zero(g),
    b=lambda g: zero(g),
)
def floor_divide(a: Any, b: Any) -> Any:
    """The floor of a / b."""
    return np.floor_divide(a, b)


@op(
    builtin=False,
    operator="%",
    scalar=ieee.mod,
    node="RemainderBackward0",
    domain=("any", "apart"),
    kinks="at whole quotients the derivative from above",
    a=lambda g: g,
    b=lambda g, a, b: -g * floor_divide(a, b),
)
def remainder(a: Any, b: Any) -> Any:
    """a - b * floor(a / b): takes the sign of b."""
    return np.remainder(a, b)
