"""Values as text on one line."""

from __future__ import annotations

from typing import Any


def written(value: Any) -> str:
    """A value on one line: numbers as they are, tensors in rows, of several results a list."""
    if isinstance(value, tuple):
        return "(" + ", ".join(map(written, value)) + ")"
    if isinstance(value, list):
        return "[" + ", ".join(map(written, value)) + "]"
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    return written(value.tolist()) if hasattr(value, "tolist") else str(value).lower()
