"""What all forms of the language have in common: a span, a name check, an emission."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from .diagnostic import Diagnostic, Label
from .record import Record
from .tokens import Token

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .blocks import BlockEmitter
    from .emitter import Emitter
    from .scope import Scope, Symbol
    from .source import Source


class Mistake(Exception):
    """A form that parses but is none of the language, or text that does not parse. Offsets, since the text is not at hand."""

    def __init__(
        self, kind: str, message: str, start: int, end: int, help: str | None = None, labels: tuple[tuple[int, int, str], ...] = ()
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.start = start
        self.end = end
        self.help = help
        self.labels = labels
        self.split = 0  # in a call of what is no function: where its arguments begin

    def diagnostic(self, source: Source) -> Diagnostic:
        """It as an error in `source`."""
        labels = [Label.at(source.span(start, end), text) for start, end, text in self.labels]
        return Diagnostic.at(source.span(self.start, self.end), self.kind, self.message, self.help, labels)


class Node(Record):
    """A piece of a program: the text from offset `start` to `end`."""

    start: int
    end: int

    # Kinds of token that are kept for the span and are no field.
    PUNCTUATION = frozenset(
        {"RPAR", "LPAR", "LSQB", "RSQB", "PARAM", "INPUT", "DEF", "IF", "FOR", "WHILE", "BREAK", "CONTINUE", "RETURN", "NO_GRAD"}
        | {"ASSERT", "IMPORT", "ASSIGN", "NOT", "AND", "OR", "IN", "ELIF"}
    )

    @classmethod
    def build(cls, children: list[Any]) -> Any:
        """The node for the children of a rule: its fields in the order of the rule, punctuation left out."""
        punctuation = cls.PUNCTUATION
        fields = [c for c in children if c.__class__ is not Token or c.type not in punctuation]
        return cls(start_of(children[0]), end_of(children[-1]), *fields)

    def check(self, scope: Scope) -> None:
        """Resolves the names in it and reports what does not fit."""
        raise NotImplementedError


class Expression(Node):
    """A form that has a value."""

    def emit(self, emitter: Emitter) -> ast.expr:
        """Python that computes the value."""
        raise NotImplementedError

    def condition(self, emitter: Emitter) -> ast.expr:
        """Python that is true where the value is: for `if`, `while`, `and`, `or`, `not`."""
        return emitter.call("r_truth", [self.emit(emitter)], self)

    def bound(self, emitter: Emitter) -> ast.expr:
        """Python for a value that is kept (bound, returned): later updates of a param must not change it."""
        return self.emit(emitter)

    def whole(self, emitter: Emitter) -> ast.expr | None:
        """Python that computes the value as an int, where the form is certain to be a whole number."""
        return None

    def index(self, emitter: Emitter) -> ast.expr:
        """Python for the value in index position, an int where that is certain."""
        return self.whole(emitter) or self.emit(emitter)


def nodes_in(part: Any) -> Iterator[Node]:
    """All nodes of a piece of a program: of a node, itself included, or of a list of them."""
    waiting = [part]
    while waiting:
        item = waiting.pop()
        if isinstance(item, (list, tuple)):
            waiting += item
        elif isinstance(item, Node):
            yield item
            waiting += item.as_tuple()


class Statement(Node):
    """A form that does something."""

    def declare(self, scope: Scope) -> None:
        """Tells the scope which names it defines."""

    def blocks(self) -> list[Block]:
        """The blocks inside it."""
        return []

    def completes(self) -> bool:
        """Whether what follows it can be reached."""
        return True

    def sets(self) -> list[Symbol]:
        """The names that are set for certain once it has run."""
        return []

    def emit(self, emitter: BlockEmitter) -> None:
        """Adds Python statements to the emitter's output."""
        raise NotImplementedError


class Block(Node):
    """Statements in braces."""

    statements: list[Statement]

    @classmethod
    def build(cls, children: list[Any]) -> Block:
        left, *statements, right = children
        return cls(left.start_pos, right.end_pos, statements)

    def declare(self, scope: Scope) -> None:
        for statement in self.statements:
            statement.declare(scope)

    def check(self, scope: Scope) -> None:
        scope.check_block(self)

    def completes(self) -> bool:
        """Whether its end can be reached."""
        return all(statement.completes() for statement in self.statements)


class Program(Block):
    """A whole file."""

    @classmethod
    def build(cls, children: list[Any]) -> Program:
        return cls(0, end_of(children[-1]) if children else 0, children)


class Solo(Node):
    """An expression that stands alone."""

    value: Expression

    def check(self, scope: Scope) -> None:
        self.value.check(scope)


def start_of(child: Any) -> int:
    """Where a token or node begins."""
    found: Any = child.start_pos if child.__class__ is Token else child.start
    return int(found)


def end_of(child: Any) -> int:
    """Where a token or node ends."""
    found: Any = child.end_pos if child.__class__ is Token else child.end
    return int(found)
