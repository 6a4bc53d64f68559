"""Emission of what contains statements: blocks, branches, loops, functions, a whole file."""

from __future__ import annotations

import ast
import functools
from typing import TYPE_CHECKING, Any

from .emitter import Checks, Emitter, counter_name
from .expressions import Number, Truth
from .strings import String

if TYPE_CHECKING:
    from .control import For, If, Import, While
    from .functions import Define
    from .scope import Symbol
    from .syntax import Block, Expression, Node
    from .units import Unit
    from .writer import Action


class BlockEmitter(Emitter):
    """Writes what statements do."""

    def __init__(self, unit: Unit, checks: Checks) -> None:
        super().__init__(unit, checks)
        self.loops: list[tuple[Symbol, list[ast.stmt], Node]] = []  # those that run through a range with an int

    def fill(self, block: Block) -> None:
        """The statements of a block."""
        new: set[Symbol] = set()
        for statement in block.statements:
            if self.checks.steps:
                self.step(statement)
            statement.emit(self)
            for symbol in statement.sets():
                if symbol not in self.certain:
                    self.certain.add(symbol)
                    new.add(symbol)
        self.certain -= new

    def step(self, at: Node) -> None:
        """Counts a statement or a turn of a loop."""
        self.do(self.call("r_step", [], at), at)

    def branches(self, statement: If) -> None:
        """if, elif, else."""
        cases = [(test.condition, _filler(body)) for test, body in statement.branches]
        self.cases(cases, None if statement.otherwise is None else _filler(statement.otherwise), statement)

    # ---- loops

    def loop(self, loop: For) -> None:
        """for: over a range with ints, over anything else with its elements."""
        symbols = loop.symbols
        if loop.over_range:
            self._count(loop, symbols[0])
            return
        values = self.call("r_iterate", [loop.values.emit(self)], loop.values)
        if len(symbols) == 1:
            self.stored.update(symbol.python for symbol in symbols if symbol.shared)
            self._for(symbols[0].python, values, loop)
            return
        item = self.temporary()

        def take(_: Any) -> None:
            parts = self.call("r_unpack", [self.name(item, loop), self.constant(len(symbols), loop)], loop.values)
            self.assign_several(symbols, parts, loop)

        self._for(item, values, loop, take)

    def _count(self, loop: For, symbol: Symbol) -> None:
        values = self.call("r_range", self.values([bound.index for bound in loop.bounds]), loop.values)
        if symbol.counter:
            body = self._for(counter_name(symbol), values, loop)
            self.loops.append((symbol, body, loop))
            return
        item = self.temporary()
        self._for(item, values, loop, lambda _: self.store(symbol, self._number(item, loop), loop))

    def _number(self, counter: str, at: Node) -> ast.expr:
        """The int of a counter as a number."""
        return self.place(ast.BinOp(left=self.name(counter, at), op=ast.Mult(), right=self.constant(1.0, at)), at)

    def _for(self, target: str, values: ast.expr, loop: For, begin: Action | None = None) -> list[ast.stmt]:
        def turn(_: Any) -> None:
            if self.checks.steps:
                self.step(loop)
            if begin is not None:
                begin(self)
            new = set(loop.symbols) - self.certain
            self.certain |= new
            self.fill(loop.body)
            self.certain -= new

        self.repeated += 1
        body = self.apart(turn)
        self.repeated -= 1
        self.add(ast.For(target=self.target(target, loop.targets[0]), iter=values, body=body, orelse=[]), loop)
        return body

    def repeat(self, loop: While) -> None:
        """while, as a loop without end that its test leaves: a test may need statements of its own, and Python 3.11 quickens only loops
        that end in a plain jump."""
        self.repeated += 1
        needed, test = self.aside(loop.test.condition)

        def turn(_: Any) -> None:
            self.statements.extend(needed)
            self.add(ast.If(test=self.negated(test, loop.test), body=[self.locate(ast.Break(), loop)], orelse=[]), loop.test)
            if self.checks.steps:
                self.step(loop)
            self.fill(loop.body)

        self.add(ast.While(test=self.constant(True, loop.test), body=self.apart(turn), orelse=[]), loop)
        self.repeated -= 1

    def finish(self) -> list[ast.stmt]:
        """The statements, with the float beside the int in loops whose counter is read as a number."""
        for symbol, body, loop in self.loops:
            if symbol in self.floats:
                number = self._number(counter_name(symbol), loop)
                body.insert(0, self.locate(ast.Assign(targets=[self.target(symbol.python, loop)], value=number), loop))
        return self.statements

    # ---- functions and files

    def defaults(self, define: Define) -> None:
        """Evaluates the defaults of a function at the line of its definition."""
        values = [p.default for p in define.parameters if p.default is not None]
        if all(_is_literal(value) for value in values) or define.symbol is None or define.symbol.definition is not define:
            return
        made = self.several(self.values([value.bound for value in values]), define)
        target = ast.Attribute(value=self.name(define.symbol.python, define), attr="__defaults__", ctx=ast.Store())
        self.add(ast.Assign(targets=[self.locate(target, define)], value=made), define)

    def function(self, define: Define) -> ast.stmt:
        """The Python function for a definition."""
        inner = BlockEmitter(self.unit, self.checks)
        inner.repeated, inner.in_function = 1, True
        for parameter in define.parameters:
            inner.check_default(parameter.name, parameter.default, parameter)
        inner.fill(define.body)
        body = inner.finish()
        if self.checks.depth:
            body = inner.counted(body, define)
        defaults = [
            p.default.emit(self) if _is_literal(p.default) else self.name("r_UNSET", p) for p in define.parameters if p.default is not None
        ]
        parameters = [inner.locate(ast.arg(arg="v_" + p.name), p) for p in define.parameters]
        python = define.symbol.python if define.symbol is not None else ""
        return self._function(python, parameters, body, define, defaults)

    def _function(
        self, name: str, parameters: list[ast.arg], body: list[ast.stmt], at: Node, defaults: list[ast.expr] | None = None
    ) -> ast.stmt:
        arguments = ast.arguments(posonlyargs=[], args=parameters, kwonlyargs=[], kw_defaults=[], defaults=defaults or [])
        made: Any = ast.FunctionDef(name=name, args=arguments, body=body or [self.locate(ast.Pass(), at)], decorator_list=[])
        made.type_params = []  # which Python 3.12 asks for
        return self.locate(made, at)  # type: ignore[no-any-return]

    def check_default(self, name: str, default: Expression | None, at: Node) -> None:
        """A function can be called before the line that evaluates its defaults."""
        if default is None or _is_literal(default):
            return
        test = ast.Compare(left=self.name("v_" + name, at), ops=[ast.Is()], comparators=[self.name("r_UNSET", at)])
        body = self.apart(lambda _: self.do(self.call("r_unset", [self.constant(name, at)], at), at))
        self.add(ast.If(test=self.locate(test, at), body=body, orelse=[]), at)

    def counted(self, body: list[ast.stmt], at: Node) -> list[ast.stmt]:
        """A function's body with its depth counted."""
        enter = self.apart(lambda _: self.do(self.call("r_enter", [], at), at))
        leave = self.apart(lambda _: self.do(self.call("r_leave", [], at), at))
        return [*enter, self.locate(ast.Try(body=body or leave, handlers=[], orelse=[], finalbody=leave), at)]

    def run_import(self, statement: Import) -> None:
        """Runs the other file once, and copies the names that this file assigns too."""
        unit: Unit = statement.unit
        self.do(self.call(f"r_import_{unit.index}", [], statement), statement)
        for name, symbol in unit.scope.names.items():
            own = self.unit.scope.names.get(name)
            if own is not None and own is not symbol and own.kind == "variable":
                self.store(own, self.name(symbol.python, statement), statement)

    def main(self, name: str, parameters: list[ast.arg], at: Node) -> ast.stmt:
        """What has been written, as a Python function."""
        body = self.finish()
        if self.stored:
            body.insert(0, self.locate(ast.Global(names=sorted(self.stored)), at))
        return self._function(name, parameters, body, at)


def main_name(unit: Unit) -> str:
    """What the main part of a file is called in the compiled code."""
    return f"m_{unit.index}"


def module(unit: Unit, checks: Checks) -> ast.Module:
    """A file as a Python module: its functions, and one for its main part, which returns its local names."""
    emitter = BlockEmitter(unit, checks)
    tree = unit.tree
    functions = [BlockEmitter(unit, checks).function(define) for define in definitions(unit)]
    emitter.fill(tree)
    emitter.add(ast.Return(value=emitter.call("r_locals", [], tree)), tree)
    return ast.Module(body=[*functions, emitter.main(main_name(unit), [], tree)], type_ignores=[])


def expression_module(unit: Unit, value: Expression, checks: Checks) -> ast.Module:
    """A lone expression as a Python function of its names."""
    emitter = BlockEmitter(unit, checks)
    emitter.add(ast.Return(value=value.bound(emitter)), value)
    parameters = [emitter.locate(ast.arg(arg=symbol.python), value) for symbol in unit.scope.names.values()]
    return ast.Module(body=[emitter.main(main_name(unit), parameters, value)], type_ignores=[])


def definitions(unit: Unit) -> list[Define]:
    """The definitions that count: the last one of each name."""
    return [s.definition for s in unit.scope.names.values() if s.definition is not None and s.unit is unit]


def _filler(block: Block) -> Action:
    return functools.partial(BlockEmitter.fill, block=block)


def _is_literal(value: Any) -> bool:
    return isinstance(value, (Number, Truth)) or (isinstance(value, String) and value.plain is not None)
