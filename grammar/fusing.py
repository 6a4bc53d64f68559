"""Expressions of numbers that are computed in one step: which they are, and the code that tries the step first.

In loops and functions, `y + w - k*sin(y)` becomes `t if (t := e0_1(y, w, k)) is not None else y + w - k*sin(y)`. The function e0_1 comes
from the engine (fused.py), which promises the same numbers; it is written once the expression has been met often enough to be
worth it. Whatever it does not take (a tensor with axes, an error) is left to the operations one by one, with their own messages.
A call of a function that is nothing but such arithmetic itself is a part of the expression. A run in which nodes can be seen is
compiled without.
"""

from __future__ import annotations

import ast
import math
import sys
from typing import TYPE_CHECKING, Any

from dagrad import engine

from .builtins import CONSTANTS
from .expressions import Binary, Name, Number, Unary
from .functions import Return
from .postfix import Call, Index, Keyword
from .record import Record, Value, field
from .statements import Assign
from .syntax import Expression, Node
from .tracking import is_set, is_value, may_be_tracked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from dagrad.engine import Formula

    from .emitter import Emitter
    from .functions import Define
    from .scope import Symbol
    from .writer import Emission

# A longer expression is cut by its emission anyway; one of more arguments has a slower call.
MOST_STEPS, MOST_ARGUMENTS = 40, 12

# How often an expression is computed operation by operation before its function is written, which costs as much as that saves.
OFTEN = 100

# In the last so many of these it is noted which arguments are tracked.
LATE = 10

# What is tried is read at once, so that one name does for all: it keeps no more than the last value alive.
RESULT = "t_0"

OPERATIONS = {"+": "add", "-": "sub", "*": "mul", "/": "div"}


class Unfit(Exception):
    """The expression is not one that is computed in one step."""


class Temporary(Expression):
    """A value that has been computed before, in place of the expression that it came from."""

    name: str = ""

    def emit(self, emitter: Emitter) -> ast.expr:
        return emitter.name(self.name, self)


class Plan(Record):
    """An expression as steps, and what gives the arguments of its function."""

    emitter: Emitter
    reads: bool  # whether reads of elements are steps; as values that are computed before they do not stand in the way of calls
    calls: bool  # whether a function's steps stand in place of its call
    inside: bool = False  # whether it is the body of a function
    steps: list[tuple[str, tuple[Any, ...], Node]] = field(default_factory=list)
    arguments: list[tuple[Emission, Expression]] = field(default_factory=list)
    names: dict[Symbol, Any] = field(default_factory=dict)
    elements: dict[tuple[str, int], str] = field(default_factory=dict)  # arguments that are read from, and their indices, by their text
    computes: bool = False  # whether some arguments are more than names
    tracked: bool = False
    depth: int = 0

    def visit(self, node: Expression) -> tuple[Any, Expression]:
        """The reference to a part's value (a number, `x1`, `t1`), and the part as it is emitted operation by operation."""
        if self.depth == MOST_STEPS:
            raise Unfit
        self.depth += 1
        found = self._visit(node)
        self.depth -= 1
        return found

    def _visit(self, node: Expression) -> tuple[Any, Expression]:
        if isinstance(node, Number) and math.isfinite(node.value):
            return node.value, node
        if isinstance(node, Name):
            return self._name(node), node
        if isinstance(node, Unary):
            ref, operand = self.visit(node.operand)
            part = Unary(node.start, node.end, node.operator, operand)
            if node.operator == "+":
                return ref, part
            return -ref if isinstance(ref, float) else self._step("neg", (ref,), node), part
        if isinstance(node, Binary) and node.operator in {*OPERATIONS, "^", "**"}:
            return self._binary(node)
        if isinstance(node, Call) and (op := _function_of_numbers(node)) is not None:
            parts = [self.visit(argument) for argument in node.arguments]  # type: ignore[arg-type]
            copy = Call(node.start, node.end, node.callee, [part for _, part in parts], node.symbol, node.statement)
            return self._step(op, tuple(ref for ref, _ in parts), node), copy
        if isinstance(node, Call) and self.calls and (body := _body(node, self.emitter)) is not None:
            return self._call(node, body)
        if self.reads and isinstance(node, Index) and isinstance(node.value, Name) and is_value(node.value.symbol):
            keys = [key for key in node.keys if isinstance(key, Expression) and self._is_index(key)]
            if len(keys) == len(node.keys):
                return self._element(node, node.value, keys), node
        return self._other(node)

    def _name(self, node: Name) -> Any:
        symbol = node.symbol
        if symbol is not None and symbol.kind == "constant" and math.isfinite(CONSTANTS[symbol.name]):
            return CONSTANTS[symbol.name]
        if symbol is None or not is_value(symbol):
            raise Unfit
        if symbol not in self.names:
            if self.inside and symbol not in self.emitter.unit.settled:
                raise Unfit
            if self.elements and not is_set(symbol, self.emitter):  # a read before, which may fail, would come after it
                raise Unfit
            self.names[symbol] = self._argument(node.emit, node)
            self.tracked = self.tracked or may_be_tracked(symbol, self.emitter)
        return self.names[symbol]

    def _binary(self, node: Binary) -> tuple[Any, Expression]:
        left, first = self.visit(node.left)
        right, second = self.visit(node.right)
        if node.operator in OPERATIONS:
            ref = self._step(OPERATIONS[node.operator], (left, right), node)
        elif isinstance(right, float):
            ref = self._step("pow", (left, right), node)
        else:
            raise Unfit
        return ref, Binary(node.start, node.end, first, node.operator, second)

    def _is_index(self, key: Expression) -> bool:
        """Whether an index is made of numbers and names that are not tracked: most likely whole, and nothing that may fail."""
        waiting: list[Expression] = [key]
        while waiting:
            part = waiting.pop()
            if isinstance(part, Binary) and part.operator in {"+", "-", "*"}:
                waiting += [part.left, part.right]
            elif isinstance(part, Unary):
                waiting.append(part.operand)
            elif isinstance(part, Name):
                symbol = part.symbol
                if symbol is None or not is_value(symbol) or (symbol.kind != "parameter" and may_be_tracked(symbol, self.emitter)):
                    return False
            elif not isinstance(part, Number):
                return False
        return True

    def _element(self, node: Index, whole: Name, keys: list[Expression]) -> str:
        """A read of one element."""
        assert whole.symbol is not None
        self.tracked = self.tracked or may_be_tracked(whole.symbol, self.emitter)
        parts = [self._once(len(keys), whole.emit, whole), *(self._once(0, key.index, key) for key in keys)]
        return self._step("read", tuple(parts), node)

    def _once(self, axes: int, emission: Emission, at: Expression) -> str:
        """What is read from, by that many indices, or an index (0): one argument where the same text stands again."""
        key = self.emitter.unit.source.text[at.start : at.end], axes
        if key not in self.elements:
            self.elements[key] = self._argument(emission, at)
        return self.elements[key]

    def _call(self, node: Call, body: Body) -> tuple[Any, Expression]:
        """A call, by the steps of the function's body."""
        parts = [self.visit(argument) for argument in node.arguments]  # type: ignore[arg-type]
        refs = [*(ref for ref, _ in parts), *(self._name(name) for name in body.outer)]
        first = len(self.steps)

        def here(ref: Any) -> Any:
            if isinstance(ref, float):
                return ref
            return refs[int(ref[1:])] if ref[0] == "x" else f"t{first + int(ref[1:])}"

        for op, operands, at in body.steps:
            self._step(op, tuple(map(here, operands)), at)
        return here(body.result), Call(node.start, node.end, node.callee, [part for _, part in parts], node.symbol, node.statement)

    def _other(self, node: Expression) -> tuple[str, Expression]:
        """Anything else is computed before; but no step, which might fail, may come later than it does now."""
        if self.steps or self.inside:
            raise Unfit
        kept = Temporary(node.start, node.end)
        self.tracked = self.computes = True

        def compute(emitter: Emitter) -> ast.expr:
            kept.name = emitter.temporary()
            emitter.keep(kept.name, node.emit(emitter), node)
            return kept.emit(emitter)

        return self._argument(compute, kept), kept

    def _argument(self, emission: Emission, at: Expression) -> str:
        if len(self.arguments) == MOST_ARGUMENTS:
            raise Unfit
        self.arguments.append((emission, at))
        return f"x{len(self.arguments) - 1}"

    def _step(self, op: str, operands: tuple[Any, ...], at: Node) -> str:
        if len(self.steps) == MOST_STEPS:
            raise Unfit
        self.steps.append((op, operands, at))
        return f"t{len(self.steps) - 1}"


def fused(emitter: Emitter, value: Expression) -> ast.expr | None:
    """The code of an expression that is tried in one step; None where it is none of these."""
    if isinstance(value, Call) and value.symbol is not None and value.symbol.kind != "builtin":
        return None
    for reads, calls in ((True, True), (False, True), (True, False), (False, False)):
        plan = Plan(emitter, reads, calls)
        try:
            result, parts = plan.visit(value)
        except Unfit:
            continue
        # A function may give what it was given: then the last step is not the value, or is no operation.
        last = f"t{len(plan.steps) - 1}"
        fits = plan.tracked and len(plan.steps) > 1 and result == last and plan.steps[-1][0] != "read"
        return _tried(plan, parts, value) if fits else None
    return None


def _tried(plan: Plan, parts: Expression, value: Expression) -> ast.expr:
    """The code that tries a plan."""
    emitter = plan.emitter
    arguments = []
    for emission, node in plan.arguments:
        argument = emission(emitter)
        # Names are read before what is computed after them, as they are one by one: one of them may not be set.
        known = isinstance(node, Temporary) or not plan.computes
        arguments.append(argument if known else emitter.temporarily(argument, node))
    call = emitter.call(emitter.unit.formula(plan.steps, len(arguments)), arguments, value)
    test = ast.Compare(left=emitter.walrus(RESULT, call, value), ops=[ast.IsNot()], comparators=[emitter.constant(None, value)])
    placed = emitter.place(test, value, call)
    return emitter.choose(placed, lambda e: e.name(RESULT, value), lambda e: e.one_by_one(parts), value)


# ---------------------------------------------------------------- calls


class Body(Value):
    """A function as steps: of its parameters (x0, x1…), and of names of the program (the x after them)."""

    steps: Sequence[tuple[str, tuple[Any, ...], Node]]
    outer: Sequence[Name]
    result: Any


def _body(call: Call, emitter: Emitter) -> Body | None:
    """What stands for the call of a function of this file; None where it is more than arithmetic, or where calls are counted."""
    symbol, bodies = call.symbol, emitter.unit.bodies
    if symbol is None or symbol.definition is None or not symbol.fixed or symbol.unit is not emitter.unit:
        return None
    if emitter.checks.steps or emitter.checks.depth:
        return None
    if symbol not in bodies:
        bodies[symbol] = None  # which a function that calls itself finds
        bodies[symbol] = _written_out(symbol.definition, emitter)
    plain = isinstance(call.callee, Name) and not any(isinstance(argument, Keyword) for argument in call.arguments)
    return bodies[symbol] if plain and len(call.arguments) == len(symbol.definition.parameters) else None


def _written_out(define: Define, emitter: Emitter) -> Body | None:
    """A function's body as steps, where it is values by name and one that is returned."""
    plan = Plan(emitter, reads=False, calls=True, inside=True)
    *lines, last = define.body.statements or [define]
    try:
        for parameter in define.parameters:
            symbol = define.scope.names[parameter.name]
            name = Name(parameter.start, parameter.end, parameter.name, symbol)
            plan.names[symbol] = plan._argument(name.emit, name)
        for line in lines:
            if not isinstance(line, Assign) or len(line.targets) > 1 or line.targets[0].element is not None:
                return None
            plan.names[line.targets[0].symbol], _ = plan.visit(line.value)
        if not isinstance(last, Return) or last.value is None:
            return None
        result, _ = plan.visit(last.value)
    except Unfit:
        return None
    outer = [name for _, name in plan.arguments[len(define.parameters) :] if isinstance(name, Name)]
    return Body(plan.steps, outer, result)


# ---------------------------------------------------------------- the functions that are tried


def functions(formulas: dict[str, Formula], names: dict[str, Any]) -> dict[str, Any]:
    """The functions of the formulas for the globals `names` of a run, where each is replaced by the written one in time."""
    return {name: _written_in_time(name, formula, names) for name, formula in formulas.items()}


def _written_in_time(name: str, formula: Formula, names: dict[str, Any]) -> Callable[..., Any]:
    wait = left = OFTEN
    tracked: set[int] = set()  # the arguments that were, shortly before the function is written

    def call(*arguments: Any) -> Any:
        nonlocal wait, left
        left -= 1
        if left < LATE:
            tracked.update(i for i, x in enumerate(arguments) if x.__class__ is engine.Tensor and x.node is not None)
        if left > 0:
            return None
        frame = sys._getframe(1)
        place = engine.Place(frame.f_code, frame.f_lasti)

        def write(constant: Iterable[int]) -> Any:
            return engine.fuse(formula._replace(constant=frozenset(constant)), place, rewrite)

        def rewrite() -> None:
            names[name] = write(())

        written = write(set(range(formula.arguments)) - tracked if tracked else ())
        value = written(*arguments)
        if value is None:  # its values are no numbers, perhaps never
            wait = left = 10 * wait
        else:
            names[name] = written
        return value

    return call


# ---------------------------------------------------------------- what an expression is made of


def _function_of_numbers(call: Call) -> str | None:
    """The op that a call names, where that is a function of one or two numbers."""
    if call.symbol is None or call.symbol.kind != "builtin" or not isinstance(call.callee, Name):
        return None
    op = engine.registry.get(call.symbol.name)
    if op is None or not op.on_scalars or len(call.arguments) != len(op.inputs) or any(isinstance(a, Keyword) for a in call.arguments):
        return None
    return op.name if isinstance(op.node, str) else None
