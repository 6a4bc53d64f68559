"""Turns a checked tree into Python's syntax tree, positions of the .dg text included.

Every name of the program carries a prefix (v_ for its own, b_ for builtins, r_ for the runtime, t_ for temporaries), so that
none can reach Python's builtins or the runtime. What compiled code may refer to is exactly what runtime.py puts in its globals.
"""

from __future__ import annotations

import ast
import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .expressions import CALLS, NATIVE, Bare, Name
from .postfix import Attribute, Call, Keyword

if TYPE_CHECKING:
    from collections.abc import Callable

    from .builtins import Signature
    from .scope import Symbol
    from .syntax import Expression, Node
    from .units import Unit

    Emission = Callable[["Emitter"], ast.expr]
    Case = tuple[Emission, Callable[["Emitter"], Any]]

LOAD, STORE = ast.Load(), ast.Store()

# Python's compiler walks expressions by recursion on the C stack; deeper ones are cut into statements.
MAX_DEPTH = 80
MAX_CASES = 40


@dataclass(frozen=True, slots=True)
class Checks:
    """What the compiled code watches while it runs. Each costs time, so that only what was asked for is compiled in."""

    steps: bool = False
    depth: bool = False
    finite: bool = False


class Emitter:
    """Writes the statements of one function (or of a file's main part), in order, into `statements`."""

    def __init__(self, unit: Unit, checks: Checks) -> None:
        self.unit = unit
        self.checks = checks
        self.statements: list[ast.stmt] = []
        self.stored: set[str] = set()  # shared names that are assigned here
        self.loops: list[tuple[Symbol, list[ast.stmt], Node]] = []
        self.floats: set[Symbol] = set()  # counters that are read as numbers, too
        self._temporaries = 0
        self._position = unit.source.position

    # ---- nodes

    def place(self, node: Any, at: Node, *parts: Any) -> Any:
        """Gives a Python node its position; one that `parts` make too deep is put into a temporary."""
        node.lineno, column = self._position(at.start)
        node.end_lineno, end = self._position(at.end)
        node.col_offset, node.end_col_offset = column - 1, end - 1
        if parts:
            depth = 1 + max([part.depth for part in parts])
            if depth > MAX_DEPTH:
                return self.temporarily(node, at)
            node.depth = depth
        else:
            node.depth = 1
        return node

    def name(self, name: str, at: Node) -> Any:
        """A Python name that is read."""
        return self.place(ast.Name(id=name, ctx=LOAD), at)

    def constant(self, value: Any, at: Node) -> Any:
        """A Python constant."""
        return self.place(ast.Constant(value=value), at)

    def call(self, function: str, arguments: list[ast.expr], at: Node) -> Any:
        """A call of one of the runtime's functions."""
        return self.place(ast.Call(func=self.name(function, at), args=arguments, keywords=[]), at, *arguments)

    def add(self, statement: ast.stmt, at: Node) -> None:
        """Appends a statement."""
        self.statements.append(self.place(statement, at))

    def temporary(self) -> str:
        """A fresh name for an intermediate value."""
        self._temporaries += 1
        return f"t_{self._temporaries}"

    def temporarily(self, value: ast.expr, at: Node) -> Any:
        """Computes `value` in a statement of its own, and reads it from there."""
        name = self.temporary()
        self.add(self._set(name, value, at), at)
        return self.name(name, at)

    def _set(self, name: str, value: ast.expr, at: Node) -> ast.Assign:
        return ast.Assign(targets=[self.place(ast.Name(id=name, ctx=STORE), at)], value=value)

    # ---- order of evaluation, where a later value needs statements of its own

    def mark(self) -> int:
        """A point in the output, for `settle`."""
        return len(self.statements)

    def settle(self, value: Any, mark: int) -> Any:
        """`value` was made before `mark`: if statements followed, it must be computed before them."""
        if len(self.statements) == mark or isinstance(value, (ast.Name, ast.Constant)):
            return value
        name = self.temporary()
        read = ast.copy_location(ast.Name(id=name, ctx=LOAD), value)
        target = ast.copy_location(ast.Name(id=name, ctx=STORE), value)
        self.statements.insert(mark, ast.copy_location(ast.Assign(targets=[target], value=value), value))
        read.depth = 1  # type: ignore[attr-defined]
        return read

    def pair(self, left: Expression, right: Expression) -> tuple[Any, Any]:
        """Two values, the left one computed first."""
        first = left.emit(self)
        mark = len(self.statements)
        second = right.emit(self)
        return (first if len(self.statements) == mark else self.settle(first, mark)), second

    def values(self, emissions: list[Emission]) -> list[Any]:
        """Several values, computed from left to right."""
        made: list[Any] = []
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

    def apart(self, emission: Callable[[Emitter], Any]) -> list[ast.stmt]:
        """The statements that `emission` writes, as a list of their own."""
        outside, self.statements = self.statements, []
        try:
            emission(self)
            return self.statements or [ast.Pass(lineno=1, col_offset=0, end_lineno=1, end_col_offset=0)]
        finally:
            self.statements = outside

    def aside(self, emission: Emission) -> tuple[list[ast.stmt], Any]:
        """A value that is computed only sometimes, with the statements that it needs."""
        outside, self.statements = self.statements, []
        try:
            value = emission(self)
            return self.statements, value
        finally:
            self.statements = outside

    def choose(self, test: ast.expr, then: Emission, otherwise: Emission, at: Node) -> Any:
        """`then if test else otherwise`."""
        first, a = self.aside(then)
        second, b = self.aside(otherwise)
        if not first and not second:
            return self.place(ast.IfExp(test=test, body=a, orelse=b), at, test, a, b)
        name = self.temporary()
        first.append(self.place(self._set(name, a, at), at))
        second.append(self.place(self._set(name, b, at), at))
        self.add(ast.If(test=test, body=first, orelse=second), at)
        return self.name(name, at)

    def cases(self, cases: list[Case], otherwise: Callable[[Emitter], Any] | None, at: Node) -> None:
        """if, elif…, else. Python nests an elif in the else before it, so a long chain becomes several, one after the other:
        each but the last notes in a flag that none of its tests held."""
        chunks = [cases[i : i + MAX_CASES] for i in range(0, len(cases), MAX_CASES)]
        failed: str | None = None
        for chunk in chunks:
            following = self.temporary() if chunk is not chunks[-1] else None
            if following is not None:
                self.add(self._set(following, self.constant(False, at), at), at)
            last = otherwise if following is None else functools.partial(Emitter._raise_flag, flag=following, at=at)
            if failed is None:
                self._nested(chunk, last, at)
            else:
                body = self.apart(functools.partial(Emitter._nested, cases=chunk, otherwise=last, at=at))
                self.add(ast.If(test=self.name(failed, at), body=body, orelse=[]), at)
            failed = following

    def _nested(self, cases: list[Case], otherwise: Callable[[Emitter], Any] | None, at: Node) -> None:
        (test, body), *rest = cases
        condition = test(self)
        then = self.apart(body)
        following = functools.partial(Emitter._nested, cases=rest, otherwise=otherwise, at=at) if rest else otherwise
        self.add(ast.If(test=condition, body=then, orelse=[] if following is None else self.apart(following)), at)

    def _raise_flag(self, flag: str, at: Node) -> None:
        self.add(self._set(flag, self.constant(True, at), at), at)

    def chosen(self, cases: list[tuple[Emission, Emission]], otherwise: Emission, at: Node) -> Any:
        """The value of a long `a if c else b if d else …`, by statements."""
        name = self.temporary()

        def keep(value: Emission) -> Callable[[Emitter], Any]:
            return lambda inner: inner.add(inner._set(name, value(inner), at), at)

        self.cases([(test, keep(value)) for test, value in cases], keep(otherwise), at)
        return self.name(name, at)

    def logical(self, operator: str, operands: list[Emission], at: Node) -> Any:
        """`a and b and c`, `a or b or c`, as a condition: each is computed only where those before leave it open."""
        joined: list[Any] = [operands[0](self)]
        for operand in operands[1:]:
            needed, value = self.aside(operand)
            if needed:
                name = self.temporary()
                self.add(self._set(name, self._joined(operator, joined, at), at), at)
                needed.append(self.place(self._set(name, value, at), at))
                test: Any = self.name(name, at)
                if operator == "or":
                    test = self.place(ast.UnaryOp(op=ast.Not(), operand=test), at)
                self.add(ast.If(test=test, body=needed, orelse=[]), at)
                joined, value = [], self.name(name, at)
            joined.append(value)
        return self._joined(operator, joined, at)

    def _joined(self, operator: str, values: list[Any], at: Node) -> Any:
        if len(values) == 1:
            return values[0]
        return self.place(ast.BoolOp(op=ast.And() if operator == "and" else ast.Or(), values=values), at, *values)

    def keep(self, name: str, value: Any, at: Node) -> None:
        """Puts a value into a temporary."""
        self.add(self._set(name, value, at), at)

    def extend(self, whole: str, link: Emission, at: Node) -> None:
        """A further part of a chained comparison, computed unless the parts so far have failed."""
        needed, value = self.aside(link)
        needed.append(self.place(self._set(whole, self.call("r_both", [self.name(whole, at), value], at), at), at))
        failed = self.call("r_fails", [self.name(whole, at)], at)
        self.add(ast.If(test=self.place(ast.UnaryOp(op=ast.Not(), operand=failed), at), body=needed, orelse=[]), at)

    def once(self, value: Any, at: Node) -> Callable[[], Any]:
        """A value that is read twice but computed once."""
        if isinstance(value, (ast.Constant, ast.Name)):
            return lambda: value
        name = self.temporary()
        self.add(self._set(name, value, at), at)
        return lambda: self.name(name, at)

    # ---- arithmetic and truth

    def binary(self, operator: str, left: Any, right: Any, at: Node, safe: bool = False) -> Any:
        """Arithmetic: Python's own operator where it cannot raise for a numeric reason, else a function of the engine."""
        if operator in {"+", "-", "*"} or (safe and operator in NATIVE):
            made = self.place(ast.BinOp(left=left, op=NATIVE[operator](), right=right), at, left, right)
        else:
            made = self.call(CALLS[operator], [left, right], at)
        return self.watched(made, at)

    def watched(self, value: Any, at: Node) -> Any:
        """The value; under --check-finite, stopped where it is not finite."""
        return self.call("r_finite", [value], at) if self.checks.finite else value

    def compared(self, operands: list[Expression]) -> tuple[Any, Any]:
        """The two sides of a comparison, counters as ints."""
        return self.values([self._side(operand) for operand in operands])  # type: ignore[return-value]

    def _side(self, operand: Expression) -> Emission:
        return lambda emitter: (None if isinstance(operand, Call) else operand.whole(emitter)) or operand.emit(emitter)

    def compare(self, left: Any, operator: ast.cmpop, right: Any, at: Node) -> Any:
        """`left < right`, which is a Python bool or a mask."""
        return self.place(ast.Compare(left=left, ops=[operator], comparators=[right]), at, left, right)

    def walrus(self, name: str, value: Any, at: Node) -> Any:
        """`(name := value)`."""
        return self.place(ast.NamedExpr(target=self.place(ast.Name(id=name, ctx=STORE), at), value=value), at, value)

    def boolean(self, condition: Any, at: Node) -> Any:
        """A condition as a value of the language."""
        return self.choose(condition, lambda e: e.name("r_TRUE", at), lambda e: e.name("r_FALSE", at), at)

    # ---- names

    def read(self, name: Name) -> Any:
        """The value behind a name."""
        symbol = name.symbol
        assert symbol is not None
        if symbol.kind == "constant":
            from .builtins import CONSTANTS

            return self.constant(CONSTANTS[symbol.name], name)
        if symbol.counter:
            self.floats.add(symbol)
        return self.name(symbol.python, name)

    def counter(self, name: Name) -> Any:
        """A loop counter as an int, or None where the name is none."""
        symbol = name.symbol
        return self.name(counter_name(symbol), name) if symbol is not None and symbol.counter else None

    def store(self, symbol: Symbol | None, value: Any, at: Node) -> None:
        """Binds a name."""
        assert symbol is not None
        if symbol.shared:
            self.stored.add(symbol.python)
        self.add(self._set(symbol.python, value, at), at)

    def assign(self, symbol: Symbol | None, value: Any, at: Node) -> None:
        """`name = value`: binds a variable, updates a param in place."""
        assert symbol is not None
        if symbol.kind == "param":
            updated = self.call("r_assign", [self.name(symbol.python, at), value], at)
            self.add(ast.Expr(value=updated), at)
        else:
            self.store(symbol, value, at)

    def assign_element(self, symbol: Symbol | None, key: Any, value: Any, at: Node) -> None:
        """`name[key] = value`. The engine counts references to the old value: nothing else may hold it here."""
        assert symbol is not None
        old = self.name(symbol.python, at)
        if symbol.kind == "param":
            self.add(ast.Expr(value=self.call("r_assign_element", [old, key, value], at)), at)
        else:
            self.store(symbol, self.call("r_setitem", [old, key, value], at), at)

    def unpacked(self, value: Expression, count: int, at: Node) -> Any:
        """A Python sequence of exactly `count` values."""
        if isinstance(value, Bare) and len(value.items) == count:
            return value.bare(self)
        return self.call("r_unpack", [value.emit(self), self.constant(count, at)], at)

    def assign_several(self, symbols: list[Symbol | None], values: Any, at: Node) -> None:
        """`a, b = values`."""
        for symbol in symbols:
            if symbol is not None and symbol.shared:
                self.stored.add(symbol.python)
        self.unpack_into([s.python for s in symbols if s is not None], values, at)

    def unpack_into(self, names: list[str], values: Any, at: Node) -> None:
        """Python's own unpacking."""
        targets = [self.place(ast.Name(id=name, ctx=STORE), at) for name in names]
        self.add(ast.Assign(targets=[self.place(ast.Tuple(elts=targets, ctx=STORE), at)], value=values), at)

    # ---- calls

    def bound(self, value: Expression) -> Any:
        """A value that is kept."""
        return value.bound(self)

    def returned(self, value: Expression) -> Any:
        """A value that a function gives back; a parameter may hold a param of the program."""
        if isinstance(value, Name) and value.symbol is not None and value.symbol.kind == "parameter":
            return self.call("r_keep", [self.read(value)], value)
        return value.bound(self)

    def invoke(self, call: Call) -> Any:
        """A call as an expression."""
        made = self._invocation(call)
        symbol = call.symbol
        if not call.statement and (symbol is None or symbol.may_be_nothing):
            made = self.call("r_value", [made], call)
        return self.watched(made, call) if self.checks.finite and not call.statement else made

    def _invocation(self, call: Call) -> Any:
        symbol = call.symbol
        positional = [a for a in call.all_arguments() if not isinstance(a, Keyword)]
        named = [a for a in call.all_arguments() if isinstance(a, Keyword)]
        callee: Emission = (lambda e: e.name(symbol.python, call)) if symbol is not None else call.callee.emit  # type: ignore[union-attr]
        if symbol is not None and symbol.counter:
            callee = call.callee.emit
        lists = symbol is not None and symbol.kind == "builtin" and symbol.name in {"concat", "stack"}
        emissions = [callee, *(self._argument(a, lists) for a in positional), *(self._argument(a.value, False) for a in named)]
        function, *values = self.values(emissions)
        keywords = [self._keyword(a, v, symbol) for a, v in zip(named, values[len(positional) :], strict=True)]
        if symbol is not None and symbol.fixed or not keywords:
            made = ast.Call(func=function, args=values[: len(positional)], keywords=keywords)
            return self.place(made, call, function, *values)
        made = ast.Call(func=self.name("r_call", call), args=[function, *values[: len(positional)]], keywords=keywords)
        return self.place(made, call, function, *values)

    @staticmethod
    def _argument(argument: Any, lists: bool) -> Emission:
        if lists and hasattr(argument, "nested"):
            return argument.elements  # type: ignore[no-any-return]
        return argument.emit  # type: ignore[no-any-return]

    def _keyword(self, argument: Keyword, value: Any, symbol: Symbol | None) -> ast.keyword:
        own = symbol is not None and symbol.kind == "function" and symbol.fixed
        return ast.keyword(arg=("v_" if own else "") + argument.name, value=value, **_location(value))

    def evaluate(self, statement: Any) -> None:
        """An expression as a statement."""
        value = statement.value.emit(self)
        if self.unit.interactive and not (isinstance(statement.value, Call) and _silent(statement.value)):
            value = self.call("r_show", [value], statement)
        self.add(ast.Expr(value=value), statement)


def counter_name(symbol: Symbol) -> str:
    """What the int behind a loop counter is called."""
    return "i" + symbol.python[1:]


def _silent(call: Call) -> bool:
    signature: Signature | None = call.symbol.signature if call.symbol is not None else None
    return signature is not None and not signature.returns


def _location(node: Any) -> dict[str, int]:
    return {"lineno": node.lineno, "col_offset": node.col_offset, "end_lineno": node.end_lineno, "end_col_offset": node.end_col_offset}


__all__ = ["Attribute", "Checks", "Emitter", "counter_name"]
