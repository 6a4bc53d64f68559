"""Emission of what contains statements: blocks, branches, loops, functions, a whole file."""

from __future__ import annotations

import ast
import functools
from typing import TYPE_CHECKING, Any

from .emitter import STORE, Checks, Emitter, counter_name
from .expressions import Number, Truth
from .strings import String

if TYPE_CHECKING:
    from .control import For, If, Import, While
    from .functions import Define
    from .scope import Symbol
    from .syntax import Block, Node
    from .units import Unit


class BlockEmitter(Emitter):
    """Emitter for statements that contain statements."""

    def block(self, block: Block) -> list[ast.stmt]:
        """The statements of a block as a list of their own."""
        return self.apart(lambda _: self.fill(block))

    def fill(self, block: Block) -> None:
        """The statements of a block, appended."""
        for statement in block.statements:
            if self.checks.steps:
                self.step(statement)
            statement.emit(self)

    def step(self, at: Node) -> None:
        """Counts a statement or a turn of a loop."""
        self.add(ast.Expr(value=self.call("r_step", [], at)), at)

    # ---- branches

    def branches(self, statement: If) -> None:
        """if, elif, else."""
        cases = [(test.condition, functools.partial(_fill, block=body)) for test, body in statement.branches]
        otherwise = None if statement.otherwise is None else functools.partial(_fill, block=statement.otherwise)
        self.cases(cases, otherwise, statement)

    # ---- loops

    def loop(self, loop: For) -> None:
        """for: over a range with ints, over anything else with its elements."""
        symbols = loop.symbols
        if loop.counts and getattr(loop.values, "symbol", None) is not None:
            self._count(loop, symbols[0])
            return
        values = self.call("r_iterate", [loop.values.emit(self)], loop.values)
        if len(symbols) == 1:
            self._for(symbols[0].python, values, loop, [symbols[0]], lambda: None)
            return
        item = self.temporary()

        def take() -> None:
            parts = self.call("r_unpack", [self.name(item, loop), self.constant(len(symbols), loop)], loop.values)
            self.assign_several(list(symbols), parts, loop)

        self._for(item, values, loop, [], take)

    def _count(self, loop: For, symbol: Symbol) -> None:
        arguments = self.values([argument.index for argument in loop.values.arguments])  # type: ignore[attr-defined]
        values = self.call("r_range", arguments, loop.values)
        if symbol.counter:
            self._for(counter_name(symbol), values, loop, [], lambda: None)
            self.loops.append((symbol, self.statements[-1].body, loop))  # type: ignore[attr-defined]
            return
        item = self.temporary()
        self._for(item, values, loop, [symbol], lambda: self.store(symbol, self.twin(item, loop), loop))

    def twin(self, counter: str, at: Node) -> Any:
        """The int of a counter as a number."""
        number = self.constant(1.0, at)
        return self.place(ast.BinOp(left=self.name(counter, at), op=ast.Mult(), right=number), at)

    def _for(self, target: str, values: Any, loop: For, symbols: list[Symbol], begin: Any) -> None:
        self.stored.update(s.python for s in symbols if s.shared)

        def body(_: Any) -> None:
            if self.checks.steps:
                self.step(loop)
            begin()
            self.fill(loop.body)

        name = self.place(ast.Name(id=target, ctx=STORE), loop.targets[0])
        self.add(ast.For(target=name, iter=values, body=self.apart(body), orelse=[]), loop)

    def repeat(self, loop: While) -> None:
        """while; a test that needs statements of its own is made inside."""
        needed, test = self.aside(loop.test.condition)

        def body(_: Any) -> None:
            if needed:
                self.statements.extend(needed)
                leave = self.place(ast.UnaryOp(op=ast.Not(), operand=test), loop.test)
                self.add(ast.If(test=leave, body=[self.place(ast.Break(), loop)], orelse=[]), loop.test)
            if self.checks.steps:
                self.step(loop)
            self.fill(loop.body)

        condition = self.constant(True, loop.test) if needed else test
        self.add(ast.While(test=condition, body=self.apart(body), orelse=[]), loop)

    def finish(self) -> None:
        """Adds the float beside the int to loops whose counter is read as a number."""
        for symbol, body, loop in self.loops:
            if symbol in self.floats:
                name = self.place(ast.Name(id=symbol.python, ctx=STORE), loop)
                body.insert(0, self.place(ast.Assign(targets=[name], value=self.twin(counter_name(symbol), loop)), loop))

    # ---- functions and files

    def defaults(self, define: Define) -> None:
        """Evaluates the defaults of a function at the line of its definition."""
        values = [p.default for p in define.parameters if p.default is not None]
        if all(_is_literal(value) for value in values) or define.symbol is None or define.symbol.definition is not define:
            return
        made = self.values([value.bound for value in values])
        target = ast.Attribute(value=self.name(define.symbol.python, define), attr="__defaults__", ctx=STORE)
        value = self.place(ast.Tuple(elts=made, ctx=ast.Load()), define, *made)
        self.add(ast.Assign(targets=[self.place(target, define)], value=value), define)

    def function(self, define: Define) -> ast.stmt:
        """The Python function for a definition."""
        inner = BlockEmitter(self.unit, self.checks)
        inner.check_defaults(define)
        inner.fill(define.body)
        inner.finish()
        body = inner.statements or [inner.place(ast.Pass(), define)]
        if self.checks.depth:
            body = inner.counted(body, define)
        arguments = ast.arguments(
            posonlyargs=[],
            args=[inner.place(ast.arg(arg="v_" + p.name), p) for p in define.parameters],
            kwonlyargs=[],
            kw_defaults=[],
            defaults=[p.default.emit(self) if _is_literal(p.default) else self.name("r_UNSET", p) for p in define.parameters if p.default is not None],
        )
        python = define.symbol.python if define.symbol is not None else ""
        return self.place(ast.FunctionDef(name=python, args=arguments, body=body, decorator_list=[], type_params=[]), define)  # type: ignore[no-any-return]

    def check_defaults(self, define: Define) -> None:
        """A function can be called before the line that evaluates its defaults."""
        for parameter in define.parameters:
            if parameter.default is not None and not _is_literal(parameter.default):
                name = self.name("v_" + parameter.name, parameter)
                test = ast.Compare(left=name, ops=[ast.Is()], comparators=[self.name("r_UNSET", parameter)])
                missing = ast.Expr(value=self.call("r_unset", [self.constant(parameter.name, parameter)], parameter))
                self.add(ast.If(test=self.place(test, parameter), body=[self.place(missing, parameter)], orelse=[]), parameter)

    def counted(self, body: list[ast.stmt], at: Node) -> list[ast.stmt]:
        """A function's body with its depth counted."""
        enter = self.place(ast.Expr(value=self.call("r_enter", [], at)), at)
        leave = self.place(ast.Expr(value=self.call("r_leave", [], at)), at)
        return [enter, self.place(ast.Try(body=body, handlers=[], orelse=[], finalbody=[leave]), at)]

    def run_import(self, statement: Import) -> None:
        """Runs the other file once, and copies the names that this file assigns too."""
        unit = statement.unit
        self.add(ast.Expr(value=self.call(f"r_import_{unit.index}", [], statement)), statement)
        for name, symbol in unit.scope.names.items():
            own = self.unit.scope.names.get(name)
            if own is not None and own is not symbol and own.kind == "variable":
                self.store(own, self.name(symbol.python, statement), statement)


def _fill(emitter: Any, block: Block) -> None:
    emitter.fill(block)


def main_name(unit: Unit) -> str:
    """What the main part of a file is called in the compiled code."""
    return f"m_{unit.index}"


def module(unit: Unit, checks: Checks) -> ast.Module:
    """A file as a Python module: its functions, and one for its main part, which returns its local names."""
    emitter = BlockEmitter(unit, checks)
    tree = unit.tree
    emitter.fill(tree)
    emitter.finish()
    body = emitter.statements
    if emitter.stored:
        body.insert(0, emitter.place(ast.Global(names=sorted(emitter.stored)), tree))
    emitter.add(ast.Return(value=emitter.call("r_locals", [], tree)), tree)
    functions = BlockEmitter(unit, checks)
    made = [functions.function(d) for d in definitions(unit)]
    nothing = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    main = ast.FunctionDef(name=main_name(unit), args=nothing, body=body, decorator_list=[], type_params=[])
    return ast.Module(body=[*made, emitter.place(main, tree)], type_ignores=[])


def definitions(unit: Unit) -> list[Define]:
    """The definitions that count: the last one of each name."""
    symbols = [s for s in unit.scope.names.values() if s.definition is not None]
    return [s.definition for s in symbols if s.definition is not None and s.unit is unit]


def _is_literal(value: Any) -> bool:
    return isinstance(value, (Number, Truth)) or (isinstance(value, String) and value.plain is not None)


def expression_module(unit: Unit, value: Any, checks: Checks) -> ast.Module:
    """A lone expression as a Python function of its names."""
    emitter = BlockEmitter(unit, checks)
    made = value.bound(emitter)
    emitter.add(ast.Return(value=made), value)
    parameters = [emitter.place(ast.arg(arg=symbol.python), value) for symbol in unit.scope.names.values()]
    arguments = ast.arguments(posonlyargs=[], args=parameters, kwonlyargs=[], kw_defaults=[], defaults=[])
    main = ast.FunctionDef(name=main_name(unit), args=arguments, body=emitter.statements, decorator_list=[], type_params=[])
    return ast.Module(body=[emitter.place(main, value)], type_ignores=[])
