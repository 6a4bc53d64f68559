"""Values of the language as cells of a table, as lines, and as parts of a document."""

from __future__ import annotations

from typing import Any

from dagrad.grammar import format_value

# A person reads a table: beyond so many elements the shape says more than the numbers.
SHOWN = 60


def is_numeric(value: Any) -> bool:
    """Numbers, booleans and tensors: what a document holds. Strings, tuples and functions are left out."""
    return isinstance(value, (float, bool)) or hasattr(value, "requires_grad")


def numbers(value: Any) -> Any:
    """The float or array inside a value, None for none."""
    return value.data if hasattr(value, "requires_grad") else value


def cell(value: Any, digits: int | None = None) -> str:
    """A value for a table on a terminal: rounded where asked, large tensors named by their shape."""
    data = numbers(value)
    if data is None:
        return "-"
    if isinstance(data, float):
        return rounded(data, digits)
    if data.size > SHOWN:
        return f"tensor of shape {tuple(data.shape)}"
    if not data.ndim:
        return rounded(float(data), digits)
    between = ", " if data.ndim == 1 else ",\n "  # a matrix has its rows below one another
    return "[" + between.join(cell(item, digits).replace("\n", "\n ") for item in data) + "]"


def rounded(number: float, digits: int | None) -> str:
    return format_value(number if digits is None else float(f"{float(number):.{digits}g}"))


def text(value: Any) -> str:
    """A value in full, on one line: what scripts read."""
    return "-" if value is None else format_value(value)
