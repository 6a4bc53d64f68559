"""How functions of the engine are written, as text: what a composition is made of, and what stands behind the names in a rule."""

from __future__ import annotations

import ast
import dis
import sys
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType
from typing import Any

from ..op import Op, registry
from .rules import parsed

_OPS = __package__.rpartition(".")[0] + ".ops."
_BLOCKS = (ast.If, ast.For, ast.While, ast.With)
_READS = {"LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_CLASSDEREF", "IMPORT_FROM"}


def made_of(op: Any) -> list[Op]:
    """The ops that a composition calls, itself or through helpers, in the order of the text; operators are not among them."""
    return [] if op.rules else [part for part in dict.fromkeys(_ops_in(op.array, set())) if part is not op]


def helpers_of(op: Any) -> dict[str, str]:
    """What stands behind the names in an op's rules, or in the text of a composition, and in theirs in turn: heading → text.

    A rule that is a function is shown as it is written; a helper by its own sentence where it has one.
    """
    rules = [rule for rule in op.rules if rule is not None]
    found = {_heading(rule): _rule(rule) for rule in rules if rule.__name__ != "<lambda>"}
    waiting, seen = rules or [op.array], {*rules, op.array, *_by_call()}
    for function in waiting:
        for name, value in _named_in(function):
            if value.__class__ is float:
                found[name] = repr(value)
            elif isinstance(value, FunctionType) and value not in seen and _is_mathematics(value):
                seen.add(value)
                found[_heading(value)] = _sentence(value) or _if_a_formula(written(value))
                if not _sentence(value):
                    waiting.append(value)
    return {heading: text for heading, text in found.items() if text}


def _if_a_formula(text: str) -> str:
    """The text of a helper where it is mathematics; nothing where it is about errors and cases."""
    return "" if "raise " in text or "{ " in text else text


def _rule(function: FunctionType) -> str:
    sentence = _sentence(function)
    return f"{written(function)}  # {sentence}" if sentence else written(function)


def _sentence(function: Any) -> str:
    return " ".join((function.__doc__ or "").split("\n\n")[0].split())


def written(function: Any) -> str:
    """The body of a function on one line, without its docstring and its checks."""
    node = _definition(function)
    text = "" if node is None else _on_one_line(node.body)
    return text.removeprefix("return ") if text.count("return ") == 1 else text


def _heading(function: FunctionType) -> str:
    code = function.__code__
    return f"{function.__name__}({', '.join(code.co_varnames[: code.co_argcount])})"


def _is_mathematics(function: FunctionType) -> bool:
    """Whether a function belongs to the ops, and not to what finds elements and arranges them."""
    module = function.__module__
    return module.startswith(_OPS) and module.rpartition(".")[2] not in ("index", "shape")


def _by_call() -> dict[Any, Op]:
    """Each op by what the modules of the engine call it by."""
    return {op.call: op for op in registry.values()}


def _ops_in(function: Any, seen: set[Any]) -> Iterator[Op]:
    known = _by_call()
    for _, value in _named_in(function):
        if not isinstance(value, FunctionType) or value in seen:
            continue
        seen.add(value)
        if value in known:
            yield known[value]
        elif _is_mathematics(value):
            yield from _ops_in(value, seen)


def _named_in(function: Any) -> Iterator[tuple[str, Any]]:
    """What the names in a function stand for, where they come from its module, the function around it, or an import of its own."""
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    for name, imported in _names_of(function.__code__):
        if imported:
            yield from (
                (name, vars(module)[name]) for key, module in list(sys.modules.items()) if key.startswith(_OPS) and name in vars(module)
            )
        elif name in cells:
            yield name, cells[name].cell_contents
        elif name in function.__globals__:
            yield name, function.__globals__[name]


def _names_of(code: CodeType) -> Iterator[tuple[str, bool]]:
    """The names that code reads from around it, in order, and whether by an import; attributes are not names."""
    for step in dis.get_instructions(code):
        if step.opname in _READS:
            yield step.argval, step.opname == "IMPORT_FROM"
        elif isinstance(step.argval, CodeType):
            yield from _names_of(step.argval)


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
    if isinstance(node, (ast.If, ast.For)):
        return all(_says_nothing(part) or isinstance(part, ast.Raise) for part in node.body) and not node.orelse
    if isinstance(node, ast.Expr):
        return not (isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute))
    return isinstance(node, (ast.Import, ast.ImportFrom))


def _statement(node: ast.stmt) -> str:
    """Blocks stand in braces, as in the language, since a line has no indentation."""
    if isinstance(node, ast.FunctionDef):
        return f"{node.name}({', '.join(a.arg for a in node.args.args)}) = {{ {_on_one_line(node.body)} }}"
    if not isinstance(node, _BLOCKS):
        return ast.unparse(node)
    text = f"{ast.unparse(node).splitlines()[0].removesuffix(':')} {{ {_on_one_line(node.body)} }}"
    otherwise = getattr(node, "orelse", [])
    return f"{text} else {{ {_on_one_line(otherwise)} }}" if otherwise else text
