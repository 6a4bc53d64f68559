"""Writes Python's syntax tree: nodes with the positions of the .dg text, in the order in which they must be evaluated."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .syntax import Node
    from .units import Unit

    Emission = Callable[[Any], ast.expr]  # given the emitter, writes a value
    Action = Callable[[Any], Any]  # given the emitter, writes statements

N = TypeVar("N", bound=ast.AST)
LOAD, STORE = ast.Load(), ast.Store()

# Python's compiler walks expressions by recursion on the C stack; deeper ones are cut into statements.
MAX_DEPTH = 80


class Writer:
    """Writes the statements of one function (or of a file's main part), in order, into `statements`."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.statements: list[ast.stmt] = []
        self._temporaries = 0
        self._position = unit.source.position

    # ---- nodes

    def locate(self, node: N, at: Node) -> N:
        """Gives a Python node the position of `at`."""
        placed: Any = node
        placed.lineno, column = self._position(at.start)
        placed.end_lineno, end = self._position(at.end)
        placed.col_offset, placed.end_col_offset = column - 1, end - 1
        placed.depth = 1
        return node

    def place(self, node: ast.expr, at: Node, *parts: ast.expr) -> ast.expr:
        """Gives an expression its position. One that `parts` make too deep is put into a temporary."""
        made: Any = self.locate(node, at)
        if parts:
            made.depth = 1 + max([part.depth for part in parts])  # type: ignore[attr-defined]
            if made.depth > MAX_DEPTH:
                return self.temporarily(made, at)
        return node

    def name(self, name: str, at: Node) -> ast.expr:
        """A Python name that is read."""
        return self.locate(ast.Name(id=name, ctx=LOAD), at)

    def target(self, name: str, at: Node) -> ast.expr:
        """A Python name that is assigned."""
        return self.locate(ast.Name(id=name, ctx=STORE), at)

    def constant(self, value: Any, at: Node) -> ast.expr:
        """A Python constant."""
        return self.locate(ast.Constant(value=value), at)

    def call(self, function: str, arguments: list[ast.expr], at: Node) -> ast.expr:
        """A call of one of the runtime's functions."""
        return self.place(ast.Call(func=self.name(function, at), args=arguments, keywords=[]), at, *arguments)

    def negated(self, test: ast.expr, at: Node) -> ast.expr:
        """`not test`."""
        return self.place(ast.UnaryOp(op=ast.Not(), operand=test), at, test)

    def several(self, items: list[ast.expr], at: Node) -> ast.expr:
        """A Python tuple."""
        return self.place(ast.Tuple(elts=items, ctx=LOAD), at, *items)

    def walrus(self, name: str, value: ast.expr, at: Node) -> ast.expr:
        """`(name := value)`."""
        return self.place(ast.NamedExpr(target=self.locate(ast.Name(id=name, ctx=STORE), at), value=value), at, value)

    # ---- statements

    def add(self, statement: ast.stmt, at: Node) -> None:
        """Appends a statement."""
        self.statements.append(self.locate(statement, at))

    def do(self, value: ast.expr, at: Node) -> None:
        """Appends an expression as a statement."""
        self.add(ast.Expr(value=value), at)

    def keep(self, name: str, value: ast.expr, at: Node) -> None:
        """Appends `name = value`."""
        self.add(ast.Assign(targets=[self.target(name, at)], value=value), at)

    def temporary(self) -> str:
        """A fresh name for an intermediate value."""
        self._temporaries += 1
        return f"t_{self._temporaries}"

    def temporarily(self, value: ast.expr, at: Node) -> ast.expr:
        """Computes `value` in a statement of its own, and reads it from there."""
        name = self.temporary()
        self.keep(name, value, at)
        return self.name(name, at)

    # ---- order of evaluation, where a later value needs statements of its own

    def mark(self) -> int:
        """A point in the output, for `settle`."""
        return len(self.statements)

    def settle(self, value: ast.expr, mark: int) -> ast.expr:
        """`value` was made before `mark`: if statements followed, it must be computed before them."""
        if len(self.statements) == mark or isinstance(value, (ast.Name, ast.Constant)):
            return value
        name = self.temporary()
        read: Any = ast.copy_location(ast.Name(id=name, ctx=LOAD), value)
        target = ast.copy_location(ast.Name(id=name, ctx=STORE), value)
        self.statements.insert(mark, ast.copy_location(ast.Assign(targets=[target], value=value), value))
        read.depth = 1
        return read  # type: ignore[no-any-return]

    def values(self, emissions: Sequence[Emission]) -> list[ast.expr]:
        """Several values, computed from left to right."""
        made: list[ast.expr] = []
        for emission in emissions:
            mark = len(self.statements)
            value = emission(self)
            if len(self.statements) > mark:
                for at, earlier in enumerate(made):
                    before = len(self.statements)
                    made[at] = self.settle(earlier, mark)
                    mark += len(self.statements) - before
            made.append(value)
        return made

    def apart(self, emission: Action) -> list[ast.stmt]:
        """The statements that `emission` writes, as a list of their own."""
        outside, self.statements = self.statements, []
        try:
            emission(self)
            return self.statements or [ast.Pass(lineno=1, col_offset=0, end_lineno=1, end_col_offset=0)]
        finally:
            self.statements = outside

    def aside(self, emission: Emission) -> tuple[list[ast.stmt], ast.expr]:
        """A value that is computed only sometimes, with the statements that it needs."""
        outside, self.statements = self.statements, []
        try:
            value = emission(self)
            return self.statements, value
        finally:
            self.statements = outside

    def once(self, value: ast.expr, at: Node) -> Callable[[], ast.expr]:
        """A value that is read twice but computed once."""
        if isinstance(value, (ast.Constant, ast.Name)):
            return lambda: value
        name = self.temporary()
        self.keep(name, value, at)
        return lambda: self.name(name, at)
