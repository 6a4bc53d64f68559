"""Turns a checked tree into Python's syntax tree.

Every name of the program carries a prefix (v_ for its own, b_ for builtins, r_ for the runtime, t_ for temporaries), so that
none can reach Python's builtins or the runtime. What compiled code may refer to is exactly what runtime.py puts in its globals.
"""

from __future__ import annotations

import ast
import functools
from typing import TYPE_CHECKING, Any

from .builtins import CONSTANTS
from .expressions import CALLS, NATIVE, Bare, List, Name
from .postfix import Call, Keyword
from .record import Value
from .writer import Writer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .scope import Symbol
    from .syntax import Expression, Node
    from .units import Unit
    from .writer import Action, Emission

# A longer chain of elif is cut into several.
MAX_CASES = 40


class Checks(Value):
    """What the compiled code watches while it runs. Each costs time, so that only what was asked for is compiled in."""

    steps: bool = False
    depth: bool = False
    finite: bool = False
    counted: bool = False  # nodes, so that all are made
    fused: bool = False  # expressions of numbers in one step, where nobody can look at their nodes


class Emitter(Writer):
    """Writes what expressions mean."""

    def __init__(self, unit: Unit, checks: Checks) -> None:
        super().__init__(unit)
        self.checks = checks
        self.stored: set[str] = set()  # shared names that are assigned here
        self.floats: set[Symbol] = set()  # counters that are read as numbers, too
        self.repeated = 0  # how many loops and functions enclose what is written
        self.in_function = False
        self.certain: set[Symbol] = set()  # the names that are set for certain where one comes to what is written
        self._apart = False  # whether operations are written one by one at present

    def pair(self, left: Expression, right: Expression) -> tuple[ast.expr, ast.expr]:
        """Two values, the left one computed first."""
        first = left.emit(self)
        mark = len(self.statements)
        second = right.emit(self)
        return (first if len(self.statements) == mark else self.settle(first, mark)), second

    # ---- expressions of numbers

    def fused(self, value: Expression) -> ast.expr | None:
        """An expression of numbers that is tried in one step, where that is worth it; see fusing.py."""
        if not self.checks.fused or not self.repeated or self._apart:
            return None
        from .fusing import fused

        return fused(self, value)

    def one_by_one(self, value: Expression) -> ast.expr:
        """An expression operation by operation."""
        self._apart = True
        try:
            return value.emit(self)
        finally:
            self._apart = False

    # ---- choices

    def choose(self, test: ast.expr, then: Emission, otherwise: Emission, at: Node) -> ast.expr:
        """`then if test else otherwise`."""
        first, a = self.aside(then)
        second, b = self.aside(otherwise)
        if not first and not second:
            return self.place(ast.IfExp(test=test, body=a, orelse=b), at, test, a, b)
        name = self.temporary()
        kept = [self.locate(ast.Assign(targets=[self.target(name, at)], value=value), at) for value in (a, b)]
        self.add(ast.If(test=test, body=[*first, kept[0]], orelse=[*second, kept[1]]), at)
        return self.name(name, at)

    def chosen(self, cases: Sequence[tuple[Emission, Emission]], otherwise: Emission, at: Node) -> ast.expr:
        """The value of a long `a if c else b if d else …`, by statements."""
        name = self.temporary()

        def keep(value: Emission) -> Action:
            return lambda emitter: emitter.keep(name, value(emitter), at)

        self.cases([(test, keep(value)) for test, value in cases], keep(otherwise), at)
        return self.name(name, at)

    def cases(self, cases: Sequence[tuple[Emission, Action]], otherwise: Action | None, at: Node) -> None:
        """if, elif…, else. Python nests an elif in the else before it, so a long chain becomes several, one after the other:
        each but the last notes in a flag that none of its tests held."""
        chunks = [cases[i : i + MAX_CASES] for i in range(0, len(cases), MAX_CASES)]
        failed: str | None = None
        for chunk in chunks:
            flag = self.temporary() if chunk is not chunks[-1] else None
            last = otherwise
            if flag is not None:
                self.keep(flag, self.constant(False, at), at)
                last = functools.partial(_raise_flag, flag=flag, at=at)
            chain = functools.partial(_nested, cases=chunk, otherwise=last, at=at)
            if failed is None:
                chain(self)
            else:
                self.add(ast.If(test=self.name(failed, at), body=self.apart(chain), orelse=[]), at)
            failed = flag

    def logical(self, operator: str, operands: Sequence[Emission], at: Node) -> ast.expr:
        """`a and b and c`, `a or b or c`, as a condition: each is computed only where those before leave it open."""
        joined = [operands[0](self)]
        for operand in operands[1:]:
            needed, value = self.aside(operand)
            if needed:
                name = self.temporary()
                self.keep(name, self._joined(operator, joined, at), at)
                test = self.name(name, at) if operator == "and" else self.negated(self.name(name, at), at)
                needed.append(self.locate(ast.Assign(targets=[self.target(name, at)], value=value), at))
                self.add(ast.If(test=test, body=needed, orelse=[]), at)
                joined, value = [], self.name(name, at)
            joined.append(value)
        return self._joined(operator, joined, at)

    def _joined(self, operator: str, values: list[ast.expr], at: Node) -> ast.expr:
        if len(values) == 1:
            return values[0]
        return self.place(ast.BoolOp(op=ast.And() if operator == "and" else ast.Or(), values=values), at, *values)

    def extend(self, whole: str, link: Emission, at: Node) -> None:
        """A further part of a chained comparison, computed unless the parts so far have failed."""

        def further(emitter: Emitter) -> None:
            emitter.keep(whole, emitter.call("r_both", [emitter.name(whole, at), link(emitter)], at), at)

        failed = self.call("r_fails", [self.name(whole, at)], at)
        self.add(ast.If(test=self.negated(failed, at), body=self.apart(further), orelse=[]), at)

    # ---- arithmetic and truth

    def binary(self, operator: str, left: ast.expr, right: ast.expr, at: Node, safe: bool = False) -> ast.expr:
        """Arithmetic: Python's own operator where it cannot raise for a numeric reason, else a function of the engine."""
        if operator in {"+", "-", "*"} or (safe and operator in NATIVE):
            made = self.place(ast.BinOp(left=left, op=NATIVE[operator](), right=right), at, left, right)
        else:
            made = self.call(CALLS[operator], [left, right], at)
        return self.watched(made, at)

    def watched(self, value: ast.expr, at: Node) -> ast.expr:
        """The value; under --check-finite, stopped where it is not finite."""
        return self.call("r_finite", [value], at) if self.checks.finite else value

    def compared(self, operands: list[Expression]) -> list[ast.expr]:
        """The sides of a comparison, counters as ints."""
        return self.values([functools.partial(_side, operand=operand) for operand in operands])

    def compare(self, left: ast.expr, operator: ast.cmpop, right: ast.expr, at: Node) -> ast.expr:
        """`left < right`, which is a Python bool or a mask."""
        return self.place(ast.Compare(left=left, ops=[operator], comparators=[right]), at, left, right)

    def boolean(self, condition: ast.expr, at: Node) -> ast.expr:
        """A condition as a value of the language."""
        return self.choose(condition, lambda e: e.name("r_TRUE", at), lambda e: e.name("r_FALSE", at), at)

    # ---- names

    def read(self, name: Name) -> ast.expr:
        """The value behind a name."""
        symbol = name.symbol
        assert symbol is not None
        if symbol.kind == "constant":
            return self.constant(CONSTANTS[symbol.name], name)
        if symbol.counter:
            self.floats.add(symbol)
        return self.name(symbol.python, name)

    def counter(self, name: Name) -> ast.expr | None:
        """A loop counter as an int, or None where the name is none."""
        symbol = name.symbol
        return self.name(counter_name(symbol), name) if symbol is not None and symbol.counter else None

    def store(self, symbol: Symbol, value: ast.expr, at: Node) -> None:
        """Binds a name."""
        if symbol.shared:
            self.stored.add(symbol.python)
        self.keep(symbol.python, value, at)

    def assign(self, symbol: Symbol, value: ast.expr, at: Node) -> None:
        """`name = value`: binds a variable, updates a param in place."""
        if symbol.kind == "param":
            self.do(self.call("r_assign", [self.name(symbol.python, at), value], at), at)
        else:
            self.store(symbol, value, at)

    def assign_element(self, symbol: Symbol, key: ast.expr, value: ast.expr, at: Node) -> None:
        """`name[key] = value`. The engine counts references to the old value: nothing else may hold it here."""
        old = self.name(symbol.python, at)
        if symbol.kind == "param":
            self.do(self.call("r_assign_element", [old, key, value], at), at)
        else:
            self.store(symbol, self.call("r_setitem", [old, key, value], at), at)

    def unpacked(self, value: Expression, count: int, at: Node) -> ast.expr:
        """A Python sequence of exactly `count` values."""
        if isinstance(value, Bare) and len(value.items) == count:
            return value.bare(self)
        return self.call("r_unpack", [value.emit(self), self.constant(count, at)], at)

    def assign_several(self, symbols: list[Symbol], values: ast.expr, at: Node) -> None:
        """`a, b = values`."""
        self.stored.update(symbol.python for symbol in symbols if symbol.shared)
        self.unpack_into([symbol.python for symbol in symbols], values, at)

    def unpack_into(self, names: list[str], values: ast.expr, at: Node) -> None:
        """Python's own unpacking."""
        targets = [self.target(name, at) for name in names]
        self.add(ast.Assign(targets=[self.locate(ast.Tuple(elts=targets, ctx=ast.Store()), at)], value=values), at)

    # ---- calls

    def invoke(self, call: Call) -> ast.expr:
        """A call as an expression."""
        made = self._invocation(call)
        if call.statement:
            return made
        if call.symbol is None or call.symbol.may_be_nothing:
            made = self.call("r_value", [made], call)
        return self.watched(made, call)

    def _invocation(self, call: Call) -> ast.expr:
        symbol = call.symbol
        arguments = call.all_arguments()
        positional = [a for a in arguments if not isinstance(a, Keyword)]
        named = [a for a in arguments if isinstance(a, Keyword)]
        joins = symbol is not None and symbol.kind == "builtin" and symbol.name in {"concat", "stack"}
        several = joins and len(positional) == 1
        emissions: list[Emission] = [functools.partial(_callee, call=call)]
        emissions += [a.elements if several and isinstance(a, List) else a.emit for a in positional]
        emissions += [a.value.emit for a in named]
        function, *values = self.values(emissions)
        count = len(positional)
        keywords = [self._keyword(a, value, symbol) for a, value in zip(named, values[count:], strict=True)]
        if keywords and not (symbol is not None and symbol.fixed):
            return self.place(ast.Call(self.name("r_call", call), [function, *values[:count]], keywords), call, function, *values)
        return self.place(ast.Call(function, values[:count], keywords), call, function, *values)

    def _keyword(self, argument: Keyword, value: ast.expr, symbol: Symbol | None) -> ast.keyword:
        own = symbol is not None and symbol.kind == "function" and symbol.fixed
        return self.locate(ast.keyword(arg=("v_" if own else "") + argument.name, value=value), argument)

    def evaluate(self, value: Expression, at: Node) -> None:
        """An expression as a statement; an interactive session shows it."""
        made = value.emit(self)
        silent = (
            isinstance(value, Call)
            and value.symbol is not None
            and value.symbol.signature is not None
            and not value.symbol.signature.returns
        )
        self.do(self.call("r_show", [made], at) if self.unit.interactive and not silent else made, at)


def counter_name(symbol: Symbol) -> str:
    """What the int behind a loop counter is called."""
    return "i" + symbol.python[1:]


def _callee(emitter: Emitter, call: Call) -> ast.expr:
    symbol = call.symbol
    return call.callee.emit(emitter) if symbol is None or symbol.counter else emitter.name(symbol.python, call)


def _side(emitter: Emitter, operand: Expression) -> ast.expr:
    return operand.whole(emitter) or operand.emit(emitter)


def _nested(emitter: Any, cases: Sequence[tuple[Emission, Action]], otherwise: Action | None, at: Node) -> None:
    (test, body), *rest = cases
    condition = test(emitter)
    then = emitter.apart(body)
    following = functools.partial(_nested, cases=rest, otherwise=otherwise, at=at) if rest else otherwise
    emitter.add(ast.If(test=condition, body=then, orelse=[] if following is None else emitter.apart(following)), at)


def _raise_flag(emitter: Any, flag: str, at: Node) -> None:
    emitter.keep(flag, emitter.constant(True, at), at)
