"""What scalar formulas say, as text: the functions that are written out hold it in place of a call.

A rule runs on floats, arrays and Tensors alike; run on symbols, it spells out its formula: `lambda g, x: g * cos(x)` gives
`(g * cos(x))`. In such text the functions are `math`'s own and `/` is Python's, which raise where IEEE has inf or nan: it is
tried, and the rule itself decides where it raises one of `RAISES`.
"""

from __future__ import annotations

from types import FunctionType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .op import Op

# What Python's arithmetic and `math` raise where IEEE gives inf or nan.
RAISES = "ArithmeticError, ValueError"

# The operations that Python's operators do on floats and arrays alike.
OPERATORS = {"add": "({0} + {1})", "sub": "({0} - {1})", "mul": "({0} * {1})", "div": "({0} / {1})", "neg": "(-{0})"}


class Symbol:
    """A part of a formula: its text. Whatever would have to look at a value fails on it."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def __add__(self, other: Any) -> Symbol:
        return _joined("add", self, other)

    def __radd__(self, other: Any) -> Symbol:
        return _joined("add", other, self)

    def __sub__(self, other: Any) -> Symbol:
        return _joined("sub", self, other)

    def __rsub__(self, other: Any) -> Symbol:
        return _joined("sub", other, self)

    def __mul__(self, other: Any) -> Symbol:
        return _joined("mul", self, other)

    def __rmul__(self, other: Any) -> Symbol:
        return _joined("mul", other, self)

    def __neg__(self) -> Symbol:
        return _joined("neg", self)

    def __bool__(self) -> bool:
        raise _NoFormula

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        raise _NoFormula


class _NoFormula(Exception):
    """The rule looks at values, or calls what is no op."""


def _joined(operation: str, *operands: Any) -> Symbol:
    return Symbol(OPERATORS[operation].format(*map(_text, operands)))


def _text(operand: Any) -> str:
    if operand.__class__ is Symbol:
        return operand.text
    if operand.__class__ is float and operand - operand == 0.0:
        return repr(operand)
    raise _NoFormula


def formula_of(rule: Callable[..., Any], given: Sequence[str | float], names: dict[str, Any]) -> str | None:
    """The text of what a rule gives for floats: `given` are its arguments, as texts or numbers; None where it is no plain formula.

    The functions that the text calls are put in `names`.
    """
    if rule.__class__ is not FunctionType or rule.__closure__:
        return None
    known, used = rule.__globals__, dict[str, Any]()
    vocabulary = {name: _spelled(known[name], used) for name in rule.__code__.co_names if name in known}
    symbols = [Symbol(each) if isinstance(each, str) else each for each in given]
    try:
        text = _text(FunctionType(rule.__code__, {"__builtins__": __builtins__, **vocabulary})(*symbols))
    except Exception:  # whatever a rule does with what is no value
        return None
    names.update(used)
    return text


def _spelled(value: Any, names: dict[str, Any]) -> Any:
    """A global of a rule in the form that symbols take: a number as it is, an op as the text of a call."""
    if value.__class__ is float:
        return value

    def call(*operands: Any) -> Symbol:
        from .op import registry

        op = registry.get(getattr(value, "__name__", ""))
        if op is None or op.call is not value or not op.on_scalars:
            raise _NoFormula
        return Symbol(value_of(op, [_text(operand) for operand in operands], names))

    return call


def value_of(op: Op, operands: Sequence[str], names: dict[str, Any]) -> str:
    """The text of an op's value for floats; the function that it calls is put in `names`."""
    if op.name in OPERATORS:
        return OPERATORS[op.name].format(*operands)
    if op.name == "pow" and operands[1] == "2.0" and operands[0].isidentifier():
        return f"({operands[0]} * {operands[0]})"  # as ieee.power has it
    names[f"s_{op.name}"] = getattr(op.scalar, "raises", op.scalar)
    return f"s_{op.name}({', '.join(operands)})"
