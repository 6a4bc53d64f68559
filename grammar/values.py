"""The values of a running program that are neither floats nor tensors, and how values print."""

from __future__ import annotations

from typing import Any, NoReturn

from dagrad.engine import Bool, EngineError, LimitError, Tensor

TRUE, FALSE = Bool(1.0), Bool(0.0)


class _Plain:
    """Takes from strings and tuples the operators that Python gives them and the language does not."""

    __slots__ = ()


for _name in (
    "add",
    "radd",
    "sub",
    "rsub",
    "mul",
    "rmul",
    "truediv",
    "rtruediv",
    "floordiv",
    "rfloordiv",
    "mod",
    "rmod",
    "lt",
    "le",
    "gt",
    "ge",
    "neg",
    "pos",
):
    setattr(_Plain, f"__{_name}__", lambda self, other=None: self._refuse())


class Text(_Plain, str):
    """A string."""

    __slots__ = ()

    def _refuse(self) -> NoReturn:
        raise EngineError(
            "arithmetic and order are not defined for a string", kind="type", help='strings know == and !=; to join them, write "{a}{b}"'
        )


class Tuple(_Plain, tuple):  # type: ignore[type-arg]
    """Several values: to return, unpack and index. What walks a tuple relies on the bounds of `depth` and `leaves`."""

    depth = 1  # of tuples inside tuples
    leaves = 0  # values in it, those of a shared part as often as it occurs; counted where tuples are inside

    def _refuse(self) -> NoReturn:
        raise EngineError("arithmetic and order are not defined for a tuple", kind="type", help="unpack it first: a, b = …")


MAX_TUPLES = 100
MAX_LEAVES = 1_000_000


def several(items: Any) -> Tuple:
    """The value of `(a, b)`."""
    made = Tuple(items)
    inner = [item for item in made if item.__class__ is Tuple]
    if inner:
        made.depth = 1 + max(item.depth for item in inner)
        made.leaves = len(made) - len(inner) + sum(item.leaves or len(item) for item in inner)
        if made.depth > MAX_TUPLES or made.leaves > MAX_LEAVES:
            most = f"is at most {MAX_TUPLES} levels deep" if made.depth > MAX_TUPLES else f"holds at most {MAX_LEAVES:,} values"
            raise LimitError(f"a tuple {most}", help="a tensor holds many values: stack(a, b), concat(a, b)")
    return made


class Unset:
    """Stands for a default that is not evaluated yet, since its definition has not been reached."""


UNSET = Unset()


def kind_of(value: Any) -> str:
    """What the user would call a value."""
    if value is None:
        return "nothing"
    if isinstance(value, (bool, Bool)):
        return "a truth value"
    if isinstance(value, (float, int)):
        return "a number"
    if isinstance(value, str):
        return "a string"
    if isinstance(value, tuple):
        return "a tuple"
    if isinstance(value, Tensor):
        return "a tensor"
    return "a function" if callable(value) else "an optimizer"


def boolean(value: Any) -> Any:
    """A comparison's result as a value; masks stay what they are."""
    return TRUE if value is True else FALSE if value is False else value


def truth(value: Any) -> Any:
    """Whether a condition holds; an error for what has no truth."""
    kind = value.__class__
    if kind is float or kind is Bool or kind is bool or kind is int:
        return value != 0.0
    if isinstance(value, Tensor):
        return bool(value)
    raise EngineError(f"{kind_of(value)} has no truth value", kind="condition", help="a condition is a number or a comparison")


def fails(value: Any) -> bool:
    """Whether the first part of a chained comparison already decides it."""
    return value is False


def both(first: Any, second: Any) -> Any:
    """The "and" of two comparisons, elementwise for masks."""
    if first is True:
        return second
    if second is True:
        return first
    if second is False:
        return False
    from dagrad.engine import registry

    return registry["logical_and"].function(first, second)


def format_number(number: float) -> str:
    """The shortest text that reads back to the same number: `3`, `0.1`, `1e-09`, `inf`."""
    text = repr(float(number))
    return text[:-2] if text.endswith(".0") else text


def format_value(value: Any) -> str:
    """How `print` shows a value."""
    if value.__class__ is float:
        return format_number(value)
    if isinstance(value, (bool, Bool)):
        return "true" if value else "false"
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Tensor):
        data = value.data
        return format_nested(data if data.__class__ is float else data.tolist())
    if isinstance(value, (float, int)):
        return format_number(value)
    if isinstance(value, tuple):
        return "(" + ", ".join(format_value(v) for v in value) + ("," if len(value) == 1 else "") + ")"
    if value is None:
        raise no_value()
    return f"function {function_name(value)}" if callable(value) else f"optimizer {value.name}"


def format_nested(value: Any) -> str:
    """Nested lists, never abbreviated."""
    if isinstance(value, list):
        return "[" + ", ".join([format_nested(v) for v in value]) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    return format_number(value)


def format_with(value: Any, format: str) -> str:
    """`{value:format}`: numbers by Python's rules, the elements of a tensor each, strings by width and alignment."""
    if not format:
        return format_value(value)
    if isinstance(value, Tensor) and value.shape:
        return _format_nested_with(value.data.tolist(), format)
    if isinstance(value, (float, int, Tensor)):
        return _format_one(value.item() if isinstance(value, Tensor) else float(value), format)
    if isinstance(value, str):
        try:
            return str.__format__(value, format)
        except ValueError:
            pass
    raise EngineError(f"the format '{format}' does not fit {kind_of(value)}", kind="type", help="formats are for numbers")


def _format_nested_with(value: Any, format: str) -> str:
    if isinstance(value, list):
        return "[" + ", ".join([_format_nested_with(v, format) for v in value]) + "]"
    return _format_one(float(value), format)


def _format_one(number: float, format: str) -> str:
    integral = number == number and abs(number) != float("inf") and number == int(number)
    kind = format[-1]
    whole = kind in "bdoxXn" and kind != "n"
    try:
        if integral and (whole or (not kind.isalpha() and kind != "%" and "." not in format)):
            return int.__format__(int(number), format)
        if whole:
            raise EngineError(
                f"the format '{kind}' needs a whole number, not {format_number(number)}", kind="value", help="round() or floor() makes one"
            )
        return float.__format__(number, format)
    except ValueError as error:
        raise EngineError(f"the format '{format}' does not fit {format_number(number)}: {str(error).lower()}", kind="value") from None


def display_name(python: str) -> str:
    """The language's name for a function of the compiled code."""
    head, _, tail = python.partition("_")
    return tail if tail and head.rstrip("0123456789") in {"v", "b"} else python


def function_name(function: Any) -> str:
    """What the language calls a function."""
    from .builtins import signatures
    from .runtime import builtin_functions

    for python, found in builtin_functions(f"b_{name}" for name in signatures()).items():
        if found is function:
            return display_name(python)
    return display_name(getattr(function, "__name__", ""))


def no_value() -> EngineError:
    """The error for the result of a function that returned nothing."""
    return EngineError("the function returned no value that could be used here", kind="value", help="give it a return on every path")
