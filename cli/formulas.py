"""How an op is called, what its derivatives are and what it keeps, as text read from its declaration."""

from __future__ import annotations

import inspect
from typing import Any

from dagrad.engine.inspect import formulas, parameters

__all__ = ["formulas", "saved", "signature"]


def signature(op: Any) -> str:
    """How the op is called: `clamp(x, min=none, max=none)`."""
    words = []
    for name, parameter in inspect.signature(op.array).parameters.items():
        stars = "*" if parameter.kind is parameter.VAR_POSITIONAL else ""
        words.append(f"{stars}{name}" if parameter.default is parameter.empty else f"{name}={literal(parameter.default)}")
    return f"{op.name}({', '.join(words)})"


def literal(value: Any) -> str:
    """A default as the language writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else "none" if value is None else str(value)


def saved(op: Any) -> list[str]:
    """What the rules need, and a node therefore keeps, when every input is tracked."""
    wanted = {name for rule in op.rules if rule is not None for name in parameters(rule)[1:]}
    return [name for name in (*op.inputs, "y") if name in wanted]
