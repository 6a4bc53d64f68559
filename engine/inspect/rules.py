"""The derivative rules of an op as text: read from the declarations themselves, so that they cannot disagree with what runs."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from ..op import registry


def formulas_of(name: str) -> list[str | None]:
    """The rules of the op of this name, an input each; of one that takes a list, its only rule. Empty where there is no such op."""
    op = registry.get(name)
    return [None if rule is None else formula(rule) for rule in op.rules] if op else []


def inputs_of(name: str, count: int) -> list[str]:
    """What the op of this name calls its `count` inputs."""
    op = registry.get(name)
    if op is None or op.variadic or len(op.inputs) < count:
        return [f"input {slot}" for slot in range(count)]
    return list(op.inputs[:count])


def formulas(op: Any) -> dict[str, str]:
    """input → the gradient that goes to it, where `g` is the gradient of the result and `y` the result."""
    return {name: formula(rule) for name, rule in zip(op.inputs, op.rules, strict=True) if rule is not None}


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
