"""The derivative formulas of an op as text: read from the declarations themselves, so that they cannot disagree with what runs."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any


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


def formulas(op: Any) -> dict[str, str]:
    """input → the gradient that goes to it, where `g` is the gradient of the result and `y` the result."""
    return {name: formula(rule) for name, rule in zip(op.inputs, op.rules, strict=True) if rule is not None}


def saved(op: Any) -> list[str]:
    """What the rules need, and a node therefore keeps, when every input is tracked."""
    wanted = {name for rule in op.rules if rule is not None for name in parameters(rule)[1:]}
    return [name for name in (*op.inputs, "y") if name in wanted]


def parameters(rule: Callable[..., Any]) -> tuple[str, ...]:
    code = rule.__code__
    return code.co_varnames[: code.co_argcount]


def formula(rule: Callable[..., Any]) -> str:
    """The text of a rule: the body of a lambda, the name and parameters of a function."""
    for node in ast.walk(parsed(rule.__code__.co_filename)):
        if isinstance(node, ast.Lambda) and is_body(node, rule):
            return ast.unparse(node.body)
    return f"{rule.__name__}({', '.join(parameters(rule))})"


def is_body(node: ast.Lambda, rule: Callable[..., Any]) -> bool:
    """Whether a rule was made by this lambda: two rules may stand on one line, so the column decides."""
    code = rule.__code__
    column = next((position[2] for position in code.co_positions() if position[2]), 0)
    return node.lineno == code.co_firstlineno and column in range(node.col_offset, node.end_col_offset or 0)


@cache
def parsed(file: str) -> ast.Module:
    return ast.parse(Path(file).read_text("utf-8"))
