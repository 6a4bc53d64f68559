"""Reads programs: the parser with the classes of the tree plugged in."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, cast

from . import control, expressions, functions, postfix, statements, strings, syntax
from .layout import TooDeep
from .limits import no_collection
from .parser import Machine, UnexpectedToken
from .syntax import Mistake

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .source import Source
    from .tokens import Token

MODULES = (expressions, postfix, strings, statements, functions, control, syntax)


class Builder:
    """Hands the children of a rule to the class of the same name."""

    def __getattr__(self, rule: str) -> Callable[[list[Any]], Any]:
        if rule.startswith("_") or rule.isupper():
            raise AttributeError(rule)
        name = "".join(part.capitalize() for part in rule.split("_"))
        for module in MODULES:
            if name in vars(module):
                return vars(module)[name].build  # type: ignore[no-any-return]
        raise AttributeError(rule)


@functools.cache
def machine() -> Machine:
    """The parser, loaded once."""
    return Machine(Builder())


def read_program(source: Source) -> syntax.Program:
    """The tree of a program; DagradError with up to ten syntax errors."""
    return cast("syntax.Program", _read(source, "program"))


def read_expression(source: Source) -> syntax.Expression:
    """The tree of a lone expression."""
    return cast("syntax.Solo", _read(source, "solo")).value


def _read(source: Source, start: str) -> Any:
    try:
        with no_collection():
            parser = machine()
            return parser.parse(parser.lex(source.text), start)
    except TooDeep as deep:
        from .recovery import too_deep

        raise too_deep(source, deep.token) from None
    except (UnexpectedToken, Mistake):
        from .recovery import diagnose

        raise diagnose(source, start) from None


def read_solo(text: str, base: int) -> syntax.Expression:
    """The expression inside a string; its positions are those in the program, where it begins at `base`."""
    parser = machine()
    try:
        return cast("syntax.Solo", parser.parse(_moved(parser.lex(text), base), "solo")).value
    except UnexpectedToken as unexpected:
        from .mistakes import explain

        raise explain(unexpected, base + len(text)) from None


def _moved(tokens: Iterable[Token], base: int) -> Iterable[Token]:
    for token in tokens:
        if token.type == "_END":
            continue
        token.start_pos, token.end_pos = token.start_pos + base, token.end_pos + base
        yield token
