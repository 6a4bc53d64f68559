"""How functions of the engine are written, as text: what a composition is made of, and what stands behind the names in a rule."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType
from typing import Any

from ..op import Op, registry
from .rules import parsed

_BLOCKS = (ast.If, ast.For, ast.While, ast.With)


def made_of(op: Any) -> list[Op]:
    """The ops that a composition calls, itself or through helpers, in the order of the text; operators are not among them."""
    return [] if op.rules else list(dict.fromkeys(_ops_in(op.array, set())))


def helpers_of(op: Any) -> dict[str, str]:
    """The helpers that an op's rules call, or the text of a composition, and theirs in turn: how each is called → what it does."""
    found: dict[FunctionType, None] = {}
    waiting = [rule for rule in op.rules if rule is not None] or [op.array]
    while waiting:
        function = waiting.pop(0)
        for value in _named_in(function):
            if isinstance(value, FunctionType) and value not in found and value not in _by_call() and _is_mathematics(value):
                found[value] = None
                waiting.append(value)
    return {_heading(function): about(function) for function in found}


def about(function: Any) -> str:
    """A helper's own sentence where it has one, its text otherwise."""
    return " ".join(function.__doc__.split("\n\n")[0].split()) if function.__doc__ else written(function)


def written(function: Any) -> str:
    """The body of a function on one line, without its docstring and its checks."""
    node = _definition(function)
    return "" if node is None else _on_one_line(node.body)


def _heading(function: FunctionType) -> str:
    code = function.__code__
    return f"{function.__name__}({', '.join(code.co_varnames[: code.co_argcount])})"


def _is_mathematics(function: FunctionType) -> bool:
    """Whether a function belongs to the ops: the others look after shapes, modes and errors."""
    return function.__module__.startswith(__package__.rpartition(".")[0] + ".ops.")


def _by_call() -> dict[Any, Op]:
    """Each op by what the modules of the engine call it by."""
    return {op.call: op for op in registry.values()}


def _ops_in(function: Any, seen: set[Any]) -> Iterator[Op]:
    known = _by_call()
    for value in _named_in(function):
        if not isinstance(value, FunctionType) or value in seen:
            continue
        seen.add(value)
        if value in known:
            yield known[value]
        elif _is_mathematics(value):
            yield from _ops_in(value, seen)


def _named_in(function: Any) -> Iterator[Any]:
    """What the names in a function stand for, where they come from its module or from the function around it."""
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    for name in _names_of(function.__code__):
        if name in cells:
            yield cells[name].cell_contents
        elif name in function.__globals__:
            yield function.__globals__[name]


def _names_of(code: CodeType) -> Iterator[str]:
    yield from code.co_freevars
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names_of(constant)


# ---------------------------------------------------------------- text


def _definition(function: Callable[..., Any]) -> ast.FunctionDef | None:
    code = function.__code__
    for node in ast.walk(parsed(code.co_filename)):
        if isinstance(node, ast.FunctionDef) and node.name == code.co_name and code.co_firstlineno in _first_lines(node):
            return node
    return None


def _first_lines(node: ast.FunctionDef) -> set[int]:
    """Where a definition may be said to begin: at its first decorator, or at `def`."""
    return {node.lineno, *(decorator.lineno for decorator in node.decorator_list[:1])}


def _on_one_line(body: list[ast.stmt]) -> str:
    return "; ".join(_statement(node) for node in body if not _says_nothing(node))


def _says_nothing(node: ast.stmt) -> bool:
    """Docstrings, imports, and what only refuses arguments."""
    if isinstance(node, ast.If):
        return all(_says_nothing(part) or isinstance(part, ast.Raise) for part in node.body) and not node.orelse
    return isinstance(node, (ast.Expr, ast.Import, ast.ImportFrom))


def _statement(node: ast.stmt) -> str:
    if isinstance(node, ast.FunctionDef):
        return f"{node.name}({', '.join(a.arg for a in node.args.args)}) = {_on_one_line(node.body)}"
    if isinstance(node, ast.Return):
        return "" if node.value is None else ast.unparse(node.value)
    if not isinstance(node, _BLOCKS):
        return ast.unparse(node)
    text = f"{ast.unparse(node).splitlines()[0]} {_on_one_line(node.body)}"
    otherwise = getattr(node, "orelse", [])
    return f"{text} else: {_on_one_line(otherwise)}" if otherwise else text
