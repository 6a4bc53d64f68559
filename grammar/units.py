"""The files of a program: the one that is run and those it imports, each read and checked once."""

from __future__ import annotations

import functools
import os
from typing import TYPE_CHECKING, Any

from .diagnostic import DagradError, Diagnostic, Label
from .limits import no_collection, recursion_limit
from .reader import read_program
from .scope import Scope, Symbol
from .source import Source
from .syntax import Node, Program

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dagrad.engine import Formula

    from .control import Import
    from .fusing import Body

MAX_ERRORS = 10
FRAMES = 1_000_000  # for walks of a tree by recursion: Python functions that call each other need no C stack


class Project:
    """All files of a program, in the order in which they were met."""

    def __init__(self, loader: Callable[[str], Source] | None = None) -> None:
        self.loader = loader or Source.read
        self.units: list[Unit] = []
        self.diagnostics: list[Diagnostic] = []
        self._by_path: dict[str, Unit] = {}
        self._open: list[tuple[str, Label | None]] = []

    @property
    def sources(self) -> dict[str, Source]:
        """The sources by the names that diagnostics give them."""
        return {unit.source.name: unit.source for unit in self.units}

    def add(self, source: Source, *, exported: bool = False, imported_at: Label | None = None) -> Unit:
        """Reads and checks a file and what it imports."""
        unit = Unit(source, self, len(self.units), exported)
        self.units.append(unit)
        key = os.path.realpath(source.name)
        self._by_path[key] = unit
        self._open.append((key, imported_at))
        with no_collection(), recursion_limit(FRAMES):
            unit.check(read_program(source))
        self._open.pop()
        return unit

    def require(self, unit: Unit, statement: Import) -> Unit:
        """The file that an import names."""
        path = os.path.join(unit.source.folder, statement.path.plain or "")
        label = Label.at(unit.source.span(statement.path.start, statement.path.end), "imported here")
        key = os.path.realpath(path)
        if key in [opened for opened, _ in self._open]:
            raise self._import_error(unit, statement, f"{path} imports itself in a circle", None)
        if key in self._by_path:
            return self._by_path[key]
        if os.path.exists(path) and not os.path.isfile(path):
            raise self._import_error(unit, statement, f"cannot import {path}: it is no plain file", None)
        try:
            source = self.loader(path)
        except DagradError as error:
            raise self._import_error(
                unit, statement, f"cannot import {path}: {error.diagnostics[0].message}", "the path is relative to the file that imports"
            ) from None
        try:
            return self.add(source, exported=True, imported_at=label)
        except DagradError as error:
            for diagnostic in error.diagnostics:
                if label not in diagnostic.labels:
                    diagnostic.labels.append(label)
            raise

    def _import_error(self, unit: Unit, statement: Import, message: str, help: str | None) -> DagradError:
        span = unit.source.span(statement.path.start, statement.path.end)
        return DagradError([Diagnostic.at(span, "import", message, help, [label for _, label in self._open if label is not None])])


class Unit:
    """One file: its text, tree and names."""

    def __init__(self, source: Source, project: Project, index: int, exported: bool) -> None:
        self.source = source
        self.project = project
        self.index = index
        self.exported = exported  # others read its names
        self.interactive = False
        self.prefix = "v_" if index == 0 else f"v{index}_"
        self.scope = Scope(self)
        self.settings: list[Symbol] = []
        self.reported: set[str] = set()
        self.diagnostics: list[Diagnostic] = []
        self.too_deep = False
        self.tree: Program = Program(0, 0, [])
        self.derives = False  # whether its code asks for derivatives of derivatives, or to see a node
        self.bodies: dict[Symbol, Body | None] = {}  # the functions that are arithmetic on numbers, as far as they were looked into
        self.formulas: dict[str, Formula] = {}  # the expressions that are tried in one step, by the names of their functions

    @functools.cached_property
    def tracked(self) -> set[Symbol]:
        """The variables that may hold a tracked value."""
        from .tracking import tracked_names

        bodies = [symbol.definition.body for symbol in self.scope.names.values() if symbol.definition is not None]
        return tracked_names([self.tree, *bodies])

    @functools.cached_property
    def settled(self) -> set[Symbol]:
        """The names that are set whenever a function of the file runs."""
        from .tracking import settled_names

        return settled_names(self.tree)

    def formula(self, steps: Sequence[tuple[str, tuple[Any, ...], Node]], arguments: int) -> str:
        """Keeps an expression that is tried in one step; the name of its function."""
        from dagrad.engine import Formula, Step

        def place(at: Node) -> tuple[int, int, int, int]:
            (line, column), (end_line, end) = self.source.position(at.start), self.source.position(at.end)
            return line, column - 1, end_line, end - 1

        name = f"e{self.index}_{len(self.formulas)}"
        self.formulas[name] = Formula(arguments, tuple(Step(op, operands, place(at)) for op, operands, at in steps), self.source.name)
        return name

    def report(self, diagnostic: Diagnostic) -> None:
        """Keeps an error of the check."""
        self.diagnostics.append(diagnostic)

    def check(self, tree: Node) -> None:
        """Checks a tree against the names known so far; DagradError where it does not fit."""
        try:
            if isinstance(tree, Program):
                self.tree = tree
                self.scope.declare_program(tree)
            tree.check(self.scope)
        except RecursionError:
            self.report(Diagnostic.at(self.source.span(0, 1), "nesting", "the program is nested too deeply", "give names to parts of it"))
        if self.diagnostics:
            found = sorted(self.diagnostics, key=lambda d: (d.line or 0, d.column or 0))
            self.diagnostics = []
            raise DagradError(found[:MAX_ERRORS])

    def imports(self, statement: Import) -> Unit:
        """The file behind an import statement."""
        return self.project.require(self, statement)
