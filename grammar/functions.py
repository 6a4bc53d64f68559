"""Definitions of functions, and what their bodies return."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from .expressions import Name, name_of
from .postfix import Call, Keyword
from .strings import String
from .syntax import Block, Expression, Mistake, Node, Statement, end_of

if TYPE_CHECKING:
    from .blocks import BlockEmitter
    from .scope import Scope, Symbol


class Parameter(Node):
    """A parameter of a function, with its default where it has one."""

    name: str
    default: Expression | None = None
    symbol: Any = None

    @classmethod
    def build(cls, children: list[Any]) -> Parameter:
        token = children[0]
        return cls(token.start_pos, end_of(children[-1]), name_of(token), children[1] if len(children) > 1 else None)

    def check(self, scope: Scope) -> None:
        if self.default is not None:
            self.default.check(scope)


class Define(Statement):
    """A function: `def f(x) { … }` or `f(x) = value`."""

    name: str
    parameters: list[Parameter]
    body: Block
    name_start: int = 0
    symbol: Symbol | None = None
    scope: Any = None

    @classmethod
    def build(cls, children: list[Any]) -> Define:
        word, token, *parameters, closer, body = children
        return cls(word.start_pos, closer.end_pos, name_of(token), parameters, body, token.start_pos)

    def declare(self, scope: Scope) -> None:
        self.symbol = scope.declare_function(self)

    def check(self, scope: Scope) -> None:
        scope.check_function(self)

    def emit(self, emitter: BlockEmitter) -> None:
        emitter.defaults(self)

    @property
    def required(self) -> int:
        """How many arguments have no default."""
        return sum(p.default is None for p in self.parameters)


class Return(Statement):
    """`return value`."""

    value: Expression | None = None

    def check(self, scope: Scope) -> None:
        scope.check_return(self)
        if self.value is not None:
            self.value.check(scope)

    def completes(self) -> bool:
        return False

    def emit(self, emitter: BlockEmitter) -> None:
        value = None if self.value is None else self.value.bound(emitter)
        emitter.add(ast.Return(value=value), self)


def one_line_function(left: Call, value: Expression) -> Define:
    """The definition that `f(x, n=3) = value` is."""
    if not isinstance(left.callee, Name):
        raise Mistake("bad-target", "this cannot be assigned to", left.start, left.end)
    result = Return(value.start, value.end, value)
    body = Block(value.start, value.end, [result])
    return Define(left.start, left.end, left.callee.id, [_parameter(a) for a in left.arguments], body, left.callee.start)


def _parameter(argument: Any) -> Parameter:
    if isinstance(argument, Keyword):
        return Parameter(argument.start, argument.end, argument.name, argument.value)
    if isinstance(argument, Name):
        return Parameter(argument.start, argument.end, argument.id)
    help = "a parameter is a name" + (", without quotes" if isinstance(argument, String) else "")
    raise Mistake("bad-target", "this is no parameter of a function", argument.start, argument.end, help)


def leaves_nothing(block: Block) -> bool:
    """Whether a function with this body may come back without a value."""
    return block.completes() or any(_bare_return(s) for s in block.statements)


def gives_value(block: Block) -> bool:
    """Whether some path through a function's body returns a value."""
    return any((isinstance(s, Return) and s.value is not None) or any(gives_value(inner) for inner in s.blocks()) for s in block.statements)


def _bare_return(statement: Statement) -> bool:
    if isinstance(statement, Return):
        return statement.value is None
    return any(_bare_return(inner) for block in statement.blocks() for inner in block.statements)
