"""A program that is typed in piece by piece: each entry sees the names of those before it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import program
from .blocks import BlockEmitter
from .builtins import CONSTANTS, signatures
from .diagnostic import DagradError
from .functions import Define
from .highlight import KEYWORDS
from .layout import CONTINUES
from .limits import Reserve, no_collection, recursion_limit
from .parser import raw_tokens
from .postfix import ATTRIBUTES
from .reader import read_program
from .runtime import Runtime
from .scope import Symbol
from .source import Source
from .statements import Declaration
from .units import FRAMES, Project, Unit

if TYPE_CHECKING:
    import ast

    from .program import Settings

LAST = "_"  # the name of the last value that was shown


class Session:
    """The names and values so far."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.project = Project()
        self.runtime = Runtime(settings, [])
        self.values: dict[str, Any] = {}  # by the names of the compiled code
        self._first = self._unit("")
        self.scope = self._first.scope
        self.scope.names[LAST] = Symbol(LAST, "variable", "v__", unit=self._first, bindings=["assigned"], shared=True)
        self._seeded = False

    def _unit(self, text: str) -> Unit:
        count = len(self.project.units)
        unit = Unit(Source(f"<{count}>", text), self.project, 0, exported=True)
        unit.interactive = True
        self.project.units.append(unit)
        return unit

    @property
    def sources(self) -> dict[str, Source]:
        """Every entry by its name."""
        return self.project.sources

    @property
    def params(self) -> dict[str, Any]:
        """The leaves by name."""
        return self.runtime.params

    def words(self, after_dot: bool = False) -> list[str]:
        """The words that may be typed: after a dot attributes and methods, elsewhere every name and word of the language."""
        if after_dot:
            return [*ATTRIBUTES, *signatures()]
        return [*self.scope.names, *self.scope.imported, *signatures(), *KEYWORDS, *CONSTANTS, "true", "false"]

    @property
    def variables(self) -> dict[str, Any]:
        """The values of the names."""
        found = {name: self.values.get(symbol.python) for name, symbol in self.scope.names.items() if symbol.kind == "variable"}
        return {name: value for name, value in found.items() if value is not None}

    def enter(self, text: str) -> None:
        """Runs an entry; DagradError where it does not fit or fails."""
        unit = self._unit(text)
        before = dict(self.scope.names), dict(self.scope.imported)
        try:
            with no_collection(), recursion_limit(FRAMES):
                tree = read_program(unit.source)
                unit.scope, self.scope.unit = self.scope, unit
                for statement in tree.statements:
                    if isinstance(statement, (Declaration, Define)):  # which here may come again
                        self.scope.names.pop(statement.name, None)
                unit.check(tree)
                code = program.python_code(self._module(unit), unit)
        except DagradError as error:
            self.scope.names, self.scope.imported = before
            error.sources = self.sources
            raise
        self._run(unit, code)

    def _module(self, unit: Unit) -> ast.Module:
        import ast

        checks = self.settings.checks()
        emitter = BlockEmitter(unit, checks)
        defined = [s for s in unit.tree.statements if isinstance(s, Define) and s.symbol is not None and s.symbol.definition is s]
        functions = [BlockEmitter(unit, checks).function(define) for define in defined]
        emitter.fill(unit.tree)
        return ast.Module(body=[*functions, emitter.main("m_0", [], unit.tree)], type_ignores=[])

    def _run(self, unit: Unit, code: Any) -> None:
        imported = [other for other in self.project.units if other.index and f"m_{other.index}" not in self.values]
        codes = [program.compile_unit(other, self.settings.checks()) for other in imported] + [code]
        self.runtime.sources = [other.source for other in self.project.units]
        self.runtime.globals(program.names_in(codes), self.values)
        reserve = Reserve()
        try:
            with program.limits(self.settings, seed=not self._seeded):
                self._seeded = True
                for each in codes:
                    exec(each, self.values)
                self.values["m_0"]()
        except BaseException as error:
            reserve.let_go()
            raise program.failure(error, self.project, self.settings) from None
        finally:
            if self.runtime.shown is not None:
                self.values["v__"] = self.runtime.shown


def is_incomplete(text: str) -> bool:
    """Whether an entry goes on in the next line: a bracket is open, or it ends in an operator or a comma."""
    tokens = [token for token in raw_tokens(text) if token.type not in {"NEWLINE", "SEMICOLON"}]
    if tokens and tokens[-1].type in CONTINUES:
        return True
    try:
        read_program(Source("<entry>", text))
    except DagradError as error:
        return any(diagnostic.kind == "unclosed-bracket" for diagnostic in error.diagnostics)
    return False
