"""The forms that do something. Class name = rule name in dagrad.lark."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from .expressions import Bare, Binary, Name, Truth, name_of, nonzero
from .functions import one_line_function
from .postfix import Call, Index
from .syntax import Expression, Mistake, Node, Statement

if TYPE_CHECKING:
    from .blocks import BlockEmitter
    from .emitter import Emitter
    from .scope import Scope, Symbol


class Declaration(Statement):
    """`param name = value` and `input name = value`."""

    name: str
    value: Expression
    name_start: int = 0
    symbol: Any = None  # a Symbol once it is checked

    @classmethod
    def build(cls, children: list[Any]) -> Declaration:
        word, token, value = children
        return cls(word.start_pos, value.end, name_of(token), value, token.start_pos)

    @property
    def kind(self) -> str:
        return type(self).__name__.lower()

    def declare(self, scope: Scope) -> None:
        self.symbol = scope.declare_setting(self)

    def check(self, scope: Scope) -> None:
        self.value.check(scope)

    def sets(self) -> list[Symbol]:
        return [self.symbol]

    def emit(self, emitter: BlockEmitter) -> None:
        name = emitter.constant(self.name, self)
        value = self.value.emit(emitter)
        emitter.store(self.symbol, emitter.call(f"r_{self.kind}", [name, value], self), self)


class Param(Declaration):
    """A tracked leaf."""


class Input(Declaration):
    """A constant that the command line can set."""


class Target(Node):
    """One place to assign to: a name, or an element of what a name holds."""

    name: Name
    element: Index | None = None
    symbol: Any = None  # a Symbol once it is checked

    def declare(self, scope: Scope, how: str) -> None:
        if self.element is None:
            self.symbol = scope.bind(self.name, how)

    def check(self, scope: Scope) -> None:
        if self.element is not None:
            self.element.check(scope)
            self.symbol = self.name.symbol
            scope.check_change(self.symbol, self.name, "an element of it is assigned")

    def store(self, emitter: Emitter, value: ast.expr) -> None:
        """Puts `value` there."""
        if self.element is None:
            emitter.assign(self.symbol, value, self.name)
        else:
            mark = emitter.mark()
            key = self.element.key(emitter)
            emitter.assign_element(self.symbol, key, emitter.settle(value, mark), self.element)


class Assign(Statement):
    """`x = value`, `v[i] = value`, `a, b = values`."""

    targets: list[Target]
    value: Expression

    @classmethod
    def build(cls, children: list[Any]) -> Statement:
        left, _, value = children
        if isinstance(left, Call):
            return one_line_function(left, value)
        targets = [target_of(item) for item in (left.items if isinstance(left, Bare) else [left])]
        return cls(left.start, value.end, targets, value)

    def declare(self, scope: Scope) -> None:
        for target in self.targets:
            target.declare(scope, "assigned" if len(self.targets) == 1 else "unpacked")

    def check(self, scope: Scope) -> None:
        self.value.check(scope)
        for target in self.targets:
            target.check(scope)

    def sets(self) -> list[Symbol]:
        return [target.symbol for target in self.targets if target.element is None]

    def emit(self, emitter: BlockEmitter) -> None:
        if len(self.targets) == 1:
            self.targets[0].store(emitter, self.value.bound(emitter))
            return
        plain = [t.symbol for t in self.targets if t.element is None]
        values = emitter.unpacked(self.value, len(self.targets), self)
        if len(plain) == len(self.targets):
            emitter.assign_several(plain, values, self)
            return
        names = [emitter.temporary() for _ in self.targets]
        emitter.unpack_into(names, values, self)
        for target, name in zip(self.targets, names, strict=True):
            target.store(emitter, emitter.name(name, target))


class Augment(Statement):
    """`x += value` and its like."""

    target: Target
    operator: str
    value: Expression

    @classmethod
    def build(cls, children: list[Any]) -> Augment:
        left, operator, value = children
        return cls(left.start, value.end, target_of(left), str(operator)[:-1], value)

    def check(self, scope: Scope) -> None:
        if self.target.element is None:
            self.target.name.check(scope)
            self.target.symbol = self.target.name.symbol
            if self.target.symbol is not None:
                self.target.symbol.bindings.append("augmented")
            scope.check_change(self.target.symbol, self.target.name, f"{self.operator}= changes it")
        else:
            self.target.check(scope)
        self.value.check(scope)

    def emit(self, emitter: BlockEmitter) -> None:
        target = self.target
        if target.element is None:
            changed = Binary(self.start, self.end, target.name, self.operator, self.value)
            emitter.assign(target.symbol, self._forgetful(changed, emitter) or changed.emit(emitter), target.name)
            return
        key = emitter.once(target.element.key(emitter), target.element)
        old = emitter.call("r_getitem", [target.name.emit(emitter), key()], target.element)
        mark = emitter.mark()
        value = self.value.emit(emitter)
        new = emitter.binary(self.operator, emitter.settle(old, mark), value, self)
        emitter.assign_element(target.symbol, key(), new, self)

    def _forgetful(self, changed: Binary, emitter: Emitter) -> ast.expr | None:
        """The new value of a param, which forgets what it is made of: without a history, where nobody could see it."""
        if self.target.symbol.kind != "param" or not emitter.checks.fused or emitter.checks.counted:
            return None
        old = emitter.temporarily(self.target.name.emit(emitter), self.target.name)
        value = emitter.once(self.value.emit(emitter), self.value)
        bare = emitter.call("r_bare", [old, value()], self.target.name)
        return emitter.binary(self.operator, bare, value(), changed, safe=nonzero(self.value))


class Evaluate(Statement):
    """An expression as a statement: a call."""

    value: Expression

    @classmethod
    def build(cls, children: list[Any]) -> Evaluate:
        (value,) = children
        if isinstance(value, Call):
            value.statement = True
        return cls(value.start, value.end, value)

    def check(self, scope: Scope) -> None:
        scope.check_used(self)
        self.value.check(scope)

    def emit(self, emitter: BlockEmitter) -> None:
        emitter.evaluate(self.value, self)


def target_of(node: Any) -> Target:
    """What an expression left of `=` assigns to."""
    if isinstance(node, Name):
        return Target(node.start, node.end, node)
    if isinstance(node, Index) and isinstance(node.value, Name):
        return Target(node.start, node.end, node.value, node)
    if isinstance(node, Truth):
        word = str(node.value).lower()
        raise Mistake("reserved-word", f"'{word}' is a reserved word, not a name", node.start, node.end, "choose another name")
    help = None
    if isinstance(node, Index):
        help = "only an element of a named tensor can be assigned; write v[i, j] for v[i][j]"
    raise Mistake("bad-target", "this cannot be assigned to", node.start, node.end, help)
