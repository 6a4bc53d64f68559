"""The statements that steer: if, loops, no_grad, assert, import. Class name = rule name in dagrad.lark."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from .expressions import Name, Truth, name_of
from .postfix import Call
from .strings import String
from .syntax import Block, Expression, Mistake, Statement

if TYPE_CHECKING:
    from .blocks import BlockEmitter
    from .scope import Scope, Symbol


class If(Statement):
    """`if c { } elif d { } else { }`."""

    branches: list[tuple[Expression, Block]]
    otherwise: Block | None

    @classmethod
    def build(cls, children: list[Any]) -> If:
        branches: list[tuple[Expression, Block]] = []
        otherwise = None
        at = 0
        while at < len(children):
            if children[at].type == "ELSE":
                otherwise = children[at + 1]
                break
            branches.append((children[at + 1], children[at + 2]))
            at += 3
        return cls(children[0].start_pos, branches[0][0].end, branches, otherwise)

    def blocks(self) -> list[Block]:
        """All blocks, in order."""
        return [block for _, block in self.branches] + ([self.otherwise] if self.otherwise is not None else [])

    def declare(self, scope: Scope) -> None:
        for block in self.blocks():
            block.declare(scope)

    def check(self, scope: Scope) -> None:
        for test, block in self.branches:
            test.check(scope)
            block.check(scope)
        if self.otherwise is not None:
            self.otherwise.check(scope)

    def completes(self) -> bool:
        return self.otherwise is None or any(block.completes() for block in self.blocks())

    def emit(self, emitter: BlockEmitter) -> None:
        emitter.branches(self)


class For(Statement):
    """`for i in range(10) { }`, `for row in A { }`."""

    targets: list[Name]
    values: Expression
    body: Block
    symbols: list[Symbol]
    over_range: bool = False  # `range` is the builtin one

    @classmethod
    def build(cls, children: list[Any]) -> For:
        word, *names, _, values, body = children
        targets = [Name(token.start_pos, token.end_pos, name_of(token)) for token in names]
        return cls(word.start_pos, values.end, targets, values, body, [])

    @property
    def counts(self) -> bool:
        """Whether it runs over a `range(…)`."""
        call = self.values
        return isinstance(call, Call) and isinstance(call.callee, Name) and call.callee.id == "range" and len(self.targets) == 1

    @property
    def bounds(self) -> list[Expression]:
        """The arguments of the range."""
        return [a for a in self.values.arguments if isinstance(a, Expression)] if isinstance(self.values, Call) else []

    def declare(self, scope: Scope) -> None:
        self.symbols = [scope.bind(target, "counted" if self.counts else "looped") for target in self.targets]
        self.body.declare(scope)

    def check(self, scope: Scope) -> None:
        scope.check_range(self)
        with scope.in_loop():
            self.body.check(scope)

    def blocks(self) -> list[Block]:
        return [self.body]

    def emit(self, emitter: BlockEmitter) -> None:
        emitter.loop(self)


class While(Statement):
    """`while c { }`."""

    test: Expression
    body: Block

    @classmethod
    def build(cls, children: list[Any]) -> While:
        word, test, body = children
        return cls(word.start_pos, test.end, test, body)

    def declare(self, scope: Scope) -> None:
        self.body.declare(scope)

    def check(self, scope: Scope) -> None:
        self.test.check(scope)
        with scope.in_loop():
            self.body.check(scope)

    def blocks(self) -> list[Block]:
        return [self.body]

    def completes(self) -> bool:
        return not (isinstance(self.test, Truth) and self.test.value) or _breaks(self.body)

    def emit(self, emitter: BlockEmitter) -> None:
        emitter.repeat(self)


class Break(Statement):
    """`break`."""

    def check(self, scope: Scope) -> None:
        scope.check_in_loop(self, "break")

    def completes(self) -> bool:
        return False

    def emit(self, emitter: BlockEmitter) -> None:
        emitter.add(ast.Break(), self)


class Continue(Statement):
    """`continue`."""

    def check(self, scope: Scope) -> None:
        scope.check_in_loop(self, "continue")

    def completes(self) -> bool:
        return False

    def emit(self, emitter: BlockEmitter) -> None:
        emitter.add(ast.Continue(), self)


class NoGrad(Statement):
    """`no_grad { }`: nothing inside is recorded."""

    body: Block

    @classmethod
    def build(cls, children: list[Any]) -> NoGrad:
        word, body = children
        return cls(word.start_pos, word.end_pos, body)

    def declare(self, scope: Scope) -> None:
        self.body.declare(scope)

    def check(self, scope: Scope) -> None:
        self.body.check(scope)

    def blocks(self) -> list[Block]:
        return [self.body]

    def completes(self) -> bool:
        return self.body.completes()

    def sets(self) -> list[Symbol]:
        return [symbol for statement in self.body.statements for symbol in statement.sets()]

    def emit(self, emitter: BlockEmitter) -> None:
        item = ast.withitem(context_expr=emitter.call("r_no_grad", [], self))
        emitter.add(ast.With(items=[item], body=emitter.apart(lambda inner: inner.fill(self.body))), self)


class Assert(Statement):
    """`assert c, "message"`."""

    test: Expression
    message: Expression | None = None

    def check(self, scope: Scope) -> None:
        self.test.check(scope)
        if self.message is not None:
            self.message.check(scope)

    def emit(self, emitter: BlockEmitter) -> None:
        test = self.test.condition(emitter)
        emitter.add(ast.If(test=emitter.negated(test, self.test), body=emitter.apart(self._fail), orelse=[]), self)

    def _fail(self, emitter: BlockEmitter) -> None:
        text = emitter.constant(" ".join(emitter.unit.source.text[self.test.start : self.test.end].split())[:120], self)
        message = [text] if self.message is None else [text, self.message.emit(emitter)]
        emitter.do(emitter.call("r_fail", message, self.test), self)


class Import(Statement):
    """`import "lib.dg"`. `unit` is the file as it was read and checked."""

    path: String
    unit: Any = None

    def declare(self, scope: Scope) -> None:
        if self.path.plain is None:
            raise Mistake("bad-string", "the path of an import is a plain string", self.path.start, self.path.end)
        scope.declare_import(self)

    def check(self, scope: Scope) -> None:
        pass

    def emit(self, emitter: BlockEmitter) -> None:
        emitter.run_import(self)


def _breaks(block: Block) -> bool:
    """Whether a loop with this body can be left by break."""
    return any(
        isinstance(s, Break) or (not isinstance(s, (For, While)) and any(_breaks(inner) for inner in s.blocks())) for s in block.statements
    )
