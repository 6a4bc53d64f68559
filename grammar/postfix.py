"""Calls, indexing, attributes, primes: what follows a value. Class name = rule name in dagrad.lark."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from .builtins import DERIVING
from .expressions import Binary, Comparison, List, Logical, Name, Number, Unary, name_of
from .strings import String
from .syntax import Expression, Mistake, Node, end_of, start_of
from .tokens import Token

if TYPE_CHECKING:
    from .emitter import Emitter
    from .scope import Scope, Symbol

ATTRIBUTES = ("grad", "T", "shape", "ndim", "size", "requires_grad", "is_leaf", "grad_fn")


class Keyword(Node):
    """An argument given by name."""

    name: str
    value: Expression
    name_end: int = 0

    @classmethod
    def build(cls, children: list[Any]) -> Keyword:
        token, value = children
        return cls(token.start_pos, value.end, name_of(token), value, token.end_pos)

    def check(self, scope: Scope) -> None:
        self.value.check(scope)


class Call(Expression):
    """`f(a, n=b)`, and `x.f(a)`, which is `f(x, a)`. `symbol` is the function where it is known before the run."""

    callee: Expression
    arguments: list[Expression | Keyword]
    symbol: Symbol | None = None
    statement: bool = False  # stands alone, so that nobody uses its value

    @classmethod
    def build(cls, children: list[Any]) -> Call:
        callee, *arguments, closer = children
        if isinstance(callee, (Number, Binary, Unary, List, String, Comparison, Logical)):
            raise not_callable(callee, closer)
        return cls(callee.start, closer.end_pos, callee, arguments)

    @property
    def method(self) -> Attribute | None:
        """The callee of `x.f(…)`, else None."""
        return self.callee if isinstance(self.callee, Attribute) else None

    def all_arguments(self) -> list[Expression | Keyword]:
        """The arguments with the object of a method call first."""
        return [self.callee.value, *self.arguments] if isinstance(self.callee, Attribute) else self.arguments

    def check(self, scope: Scope) -> None:
        if isinstance(self.callee, Attribute):
            self.callee.value.check(scope)
            self.symbol = scope.resolve_method(self.callee)
        elif isinstance(self.callee, Name):
            self.symbol = self.callee.symbol = scope.resolve(self.callee.id, self.callee, called=True)
        else:
            self.callee.check(scope)
        for argument in self.arguments:
            argument.check(scope)
        if self.symbol is not None and not self._of_nothing():
            scope.check_call(self, self.symbol)
        scope.unit.derives |= self._derives()

    def _derives(self) -> bool:
        """Whether it asks for more than the gradients of one pass."""
        if self.symbol is None or self.symbol.kind != "builtin":
            return False
        arguments = self.all_arguments()
        recorded = len(arguments) > 3 or any(isinstance(a, Keyword) and a.name == "create_graph" for a in arguments)
        return self.symbol.name in DERIVING or (self.symbol.name == "backward" and recorded)

    def _of_nothing(self) -> bool:
        """Whether it is a method call on a name that was already reported as unknown."""
        return isinstance(self.callee, Attribute) and isinstance(self.callee.value, Name) and self.callee.value.symbol is None

    def emit(self, emitter: Emitter) -> ast.expr:
        return emitter.fused(self) or emitter.invoke(self)


class Attribute(Expression):
    """`x.grad`, `x.shape`…: one of the listed eight."""

    value: Expression
    name: str
    name_start: int = 0

    @classmethod
    def build(cls, children: list[Any]) -> Attribute:
        value, token = children
        return cls(value.start, token.end_pos, value, name_of(token), token.start_pos)

    def check(self, scope: Scope) -> None:
        self.value.check(scope)
        scope.unit.derives |= self.name == "grad_fn"
        if self.name not in ATTRIBUTES:
            scope.unknown_attribute(self)

    def emit(self, emitter: Emitter) -> ast.expr:
        return emitter.call(f"r_get_{self.name}", [self.value.emit(emitter)], self)


class Slice(Node):
    """`a:b:c` inside an index."""

    lower: Expression | None
    upper: Expression | None
    step: Expression | None

    @classmethod
    def build(cls, children: list[Any]) -> Slice:
        parts: list[Expression | None] = [None, None, None]
        at = 0
        for child in children:
            if child.__class__ is Token:
                at += 1
            else:
                parts[at] = child
        return cls(start_of(children[0]), end_of(children[-1]), *parts)

    def check(self, scope: Scope) -> None:
        for part in (self.lower, self.upper, self.step):
            if part is not None:
                part.check(scope)

    def index(self, emitter: Emitter) -> ast.expr:
        """A Python slice."""
        parts = [emitter.constant(None, self) if part is None else part.index(emitter) for part in (self.lower, self.upper, self.step)]
        return emitter.call("r_slice", parts, self)


class Index(Expression):
    """`x[i]`, `A[i, :]`, `x[mask]`."""

    value: Expression
    keys: list[Expression | Slice]

    @classmethod
    def build(cls, children: list[Any]) -> Index:
        value, *keys, closer = children
        return cls(value.start, closer.end_pos, value, keys)

    def check(self, scope: Scope) -> None:
        self.value.check(scope)
        for key in self.keys:
            if isinstance(key, Name) and key.id == "None" and not scope.knows("None"):
                scope.error("unknown-name", "there is no None", key, help=f"a new axis is unsqueeze({scope.text(self.value)}, 0)")
            else:
                key.check(scope)

    def emit(self, emitter: Emitter) -> ast.expr:
        value, key = emitter.values([self.value.emit, self.key])
        return emitter.call("r_getitem", [value, key], self)

    def key(self, emitter: Emitter) -> ast.expr:
        """The index as Python: one value, or a tuple of several."""
        keys = emitter.values([key.index for key in self.keys])
        return keys[0] if len(keys) == 1 else emitter.several(keys, self)


class Prime(Expression):
    """`f'`, `f''`: a derivative as a function."""

    function: Name
    order: int

    @classmethod
    def build(cls, children: list[Any]) -> Prime:
        name, primes = children
        return cls(name.start_pos, primes.end_pos, Name.build([name]), len(primes))

    def check(self, scope: Scope) -> None:
        scope.unit.derives = True
        symbol = self.function.symbol = scope.resolve(self.function.id, self.function, called=True)
        if symbol is not None:
            scope.check_prime(self, symbol)

    def emit(self, emitter: Emitter) -> ast.expr:
        function = emitter.read(self.function)
        return emitter.call("r_derivative", [function, emitter.constant(self.order, self)], self)


def not_callable(callee: Expression, closer: Any) -> Mistake:
    """The error for `2(x)` and its like, where a product is meant."""
    message = "a number is not a function" if isinstance(callee, Number) else "this value is not a function"
    mistake = Mistake("missing-operator", message, callee.start, closer.end_pos)
    mistake.split = callee.end
    return mistake
