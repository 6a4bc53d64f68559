"""A compiled program and its runs; a lone expression and its values."""

from __future__ import annotations

import contextlib
from types import CodeType
from typing import TYPE_CHECKING, Any

from .diagnostic import DagradError, Diagnostic
from .limits import Reserve, alarm, no_collection, recursion_limit
from .reader import read_expression
from .record import Record, field
from .scope import Scope, Symbol
from .source import Source
from .units import FRAMES, Project, Unit

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Iterable, Iterator

    from .emitter import Checks
    from .runtime import Runtime
    from .syntax import Node

# Beyond the limit on calls: frames that the engine and NumPy need at the innermost one.
SLACK = 2_000
# Below this many calls they are counted; above it Python's own limit does, which costs nothing but is not exact.
COUNTED = 10_000


class StopRun(BaseException):
    """Raised by `on_backward` to end a run at once and without an error."""


class Settings(Record):
    """How a program is run. `set` gives params and inputs their values; `output` hears each printed line as it comes."""

    set: dict[str, Any] = field(default_factory=dict)
    seed: int = 0
    output: Callable[[str], Any] | None = None
    max_steps: int | None = None
    max_depth: int = 100_000
    max_elements: int | None = 100_000_000
    timeout: float | None = None
    allow_write: str | None = None
    check_finite: bool = False
    on_backward: Callable[[Any, Any, int], Any] | None = None
    # Whether expressions of numbers may have one node for all their operations: only where nobody looks at nodes. Where they are at least
    # counted, also those are made that nobody could ever look at.
    fused: bool = False
    counted: bool = False

    def value_of(self, name: str, default: Any) -> Any:
        """The value that was set for a name, else the default."""
        value = self.set.get(name, default)
        return value.evaluate({}) if isinstance(value, Expression) else value

    def checks(self) -> Checks:
        """What the code must watch for these settings."""
        from .emitter import Checks

        fused = self.fused and not self.check_finite
        steps, depth = self.max_steps is not None, self.max_depth < COUNTED
        return Checks(steps, depth, self.check_finite, self.counted, fused)


class Run(Record):
    """What a run left: `values` of the top-level names, the leaves of the params, what was printed, and the error that ended it."""

    values: dict[str, Any] = field(default_factory=dict)
    params: dict[str, Any] = field(default_factory=dict)
    output: list[str] = field(default_factory=list)
    last: Any = None
    error: DagradError | None = None
    stopped: bool = False
    backward_calls: int = 0


class Program:
    """A program that has been parsed and checked."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.unit = project.units[0]
        self._code: dict[Checks, list[CodeType]] = {}

    @property
    def source(self) -> Source:
        """The file that is run."""
        return self.unit.source

    @property
    def sources(self) -> dict[str, Source]:
        """All its files by name."""
        return self.project.sources

    @property
    def params(self) -> list[str]:
        """The names of its params, those of imported files too."""
        return self._settings("param")

    @property
    def inputs(self) -> list[str]:
        """The names of its inputs."""
        return self._settings("input")

    def _settings(self, kind: str) -> list[str]:
        found = [s for unit in reversed(self.project.units) for s in unit.settings if s.kind == kind]
        return list(dict.fromkeys(s.name for s in found))

    def code(self, checks: Checks) -> list[CodeType]:
        """Python code for each file."""
        if checks.fused and any(unit.derives for unit in self.project.units):
            checks = checks.replace(fused=False)
        if checks not in self._code:
            self._code[checks] = [compile_unit(unit, checks) for unit in self.project.units]
        return self._code[checks]

    def run(self, settings: Settings | None = None) -> Run:
        """Runs it. What the program does wrong is in `Run.error`; a setting for a name it does not declare is a DagradError."""
        settings = settings or Settings()
        self._check_settings(settings)
        from .runtime import Runtime

        result = Run()
        code = self.code(settings.checks())
        runtime = Runtime(settings, [unit.source for unit in self.project.units])
        names = runtime.globals(names_in(code))
        for unit in self.project.units:
            if unit.formulas:
                from .fusing import functions

                names.update(functions(unit.formulas, names))
        frames: list[dict[str, Any]] = []
        reserve = Reserve()
        try:
            with limits(settings):
                for each in code:
                    exec(each, names)
                frames.append(names["m_0"]())
        except StopRun as stop:
            frames.extend(_locals_of(stop, "m_0"))
            result.stopped = True
        except BaseException as error:
            reserve.let_go()
            frames.extend(_locals_of(error, "m_0"))
            result.error = failure(error, self.project, settings)
        self._collect(result, runtime, {**names, **(frames[-1] if frames else {})})
        return result

    def _check_settings(self, settings: Settings) -> None:
        known = [*self.params, *self.inputs]
        for name in settings.set:
            if name not in known:
                from .names import suggestion

                message = f"the program has no param or input '{name}'" + (f"; it has {', '.join(known)}" if known else "")
                raise DagradError([Diagnostic("setting", message, help=suggestion(name, known))])

    def _collect(self, result: Run, runtime: Runtime, names: dict[str, Any]) -> None:
        from dagrad.engine import Tensor

        from .emitter import counter_name

        symbols = [*self.unit.scope.imported.values(), *sorted(self.unit.scope.names.values(), key=lambda s: s.start)]
        for symbol in symbols:
            value = names.get(symbol.python)
            if value is None and symbol.counter:
                value = names.get(counter_name(symbol))
                value = None if value is None else float(value)
            if value is not None and symbol.kind in {"variable", "input"}:
                result.values[symbol.name] = value
        assigned = sorted((s for s in symbols if s.kind in {"variable", "input"}), key=lambda s: s.last)
        tracked = [names[s.python] for s in assigned if isinstance(names.get(s.python), Tensor) and names[s.python].node is not None]
        result.last = tracked[-1] if tracked else None
        result.params, result.output = runtime.params, runtime.output
        result.backward_calls = runtime.backward_calls


def names_in(codes: Iterable[CodeType]) -> set[str]:
    """Every global name that compiled code speaks of."""
    waiting = list(codes)
    found: set[str] = set()
    while waiting:
        code = waiting.pop()
        found.update(code.co_names)
        waiting += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return found


class Expression:
    """A lone expression whose free names are its variables."""

    def __init__(self, unit: Unit, tree: Any) -> None:
        self.unit = unit
        self.tree = tree
        self.names: list[str] = list(unit.scope.names)
        self._code: CodeType | None = None

    @property
    def source(self) -> Source:
        """Its text."""
        return self.unit.source

    def evaluate(self, values: dict[str, Any], settings: Settings | None = None) -> Any:
        """Its value where its names have these values; DagradError where it has none."""
        from .blocks import expression_module
        from .runtime import Runtime

        settings = settings or Settings()
        if self._code is None:
            with no_collection(), recursion_limit(FRAMES):
                module = expression_module(self.unit, self.tree, settings.checks())
            self._code = python_code(module, self.unit)
        names = Runtime(settings, [self.source]).globals(names_in([self._code]))
        try:
            with limits(settings):
                exec(self._code, names)
                return names["m_0"](*[values[name] for name in self.names])
        except BaseException as error:
            raise failure(error, self.unit.project, settings) from None


class FreeScope(Scope):
    """Names that nothing defines are the variables of the expression."""

    def resolve(self, name: str, at: Node, called: bool = False) -> Symbol | None:
        if self.find(name) is None and not called:
            self.names[name] = Symbol(name, "variable", "v_" + name, at.start, at.end, self.unit, bindings=["assigned"])
        return super().resolve(name, at, called)


def compile_program(source: Source, *, loader: Callable[[str], Source] | None = None) -> Program:
    """Parses and checks a program with the files it imports; DagradError with what is wrong."""
    project = Project(loader)
    try:
        project.add(source)
    except DagradError as error:
        error.sources = project.sources
        raise
    return Program(project)


def compile_expression(source: Source) -> Expression:
    """Parses and checks a lone expression."""
    project = Project()
    unit = Unit(source, project, 0, exported=False)
    project.units.append(unit)
    unit.scope = FreeScope(unit)
    with no_collection(), recursion_limit(FRAMES):
        tree = read_expression(source)
        unit.check(tree)
    # The reader of `a if c else b` meets a first, the checks meet c.
    unit.scope.names = dict(sorted(unit.scope.names.items(), key=lambda item: item[1].start))
    return Expression(unit, tree)


def evaluate_constant(text: str, name: str) -> Any:
    """The value of an expression without free names, as `--at` and `--set` take it; `name` is what the error calls it."""
    try:
        expression = compile_expression(Source(name, text))
        if expression.names:
            unknown = expression.names[0]
            raise DagradError([Diagnostic("setting", f"unknown name '{unknown}' in a value that must be constant", file=name)])
        return expression.evaluate({})
    except DagradError as error:
        for diagnostic in error.diagnostics:
            diagnostic.kind = "setting"
            diagnostic.message = f"{name}: {diagnostic.message}"
        raise


def compile_unit(unit: Unit, checks: Checks) -> CodeType:
    """Python code for a checked file."""
    from .blocks import module

    with no_collection():
        with recursion_limit(FRAMES):
            tree = module(unit, checks)
        return python_code(tree, unit)


def python_code(tree: ast.Module, unit: Unit) -> CodeType:
    """What Python's compiler makes of an emitted file; it has limits of its own on nesting."""
    try:
        return compile(tree, unit.source.name, "exec", dont_inherit=True)
    except (RecursionError, MemoryError, SyntaxError):
        message = "blocks or conditional expressions are nested too deeply"
        raise DagradError([Diagnostic.at(unit.source.span(0, 1), "nesting", message, "give names to parts of it")]) from None


@contextlib.contextmanager
def limits(settings: Settings, seed: bool = True) -> Iterator[None]:
    """The limits and modes that hold during a run."""
    from dagrad import engine

    elements: Any = engine.limits  # type: ignore[attr-defined]
    before, elements.max_elements = elements.max_elements, settings.max_elements
    if seed:
        engine.ops.making.seed(settings.seed)
    depth = max(settings.max_depth, COUNTED) + SLACK
    try:
        with engine.plain_scalars(), engine.no_warnings(), recursion_limit(depth), alarm(settings.timeout):
            yield
    finally:
        elements.max_elements = before


def failure(error: BaseException, project: Project, settings: Settings) -> DagradError:
    """The error of the program behind a Python exception; one that no program can provoke goes on."""
    from .failure import FAULTS, Failure

    if isinstance(error, DagradError):
        return error
    if not isinstance(error, FAULTS):
        raise error
    symbols = {s.python: s for unit in project.units for s in unit.scope.names.values()}
    found = DagradError([Failure(error, project.sources, symbols, settings).diagnostic()])
    found.sources = project.sources
    return found


def _locals_of(error: BaseException, name: str) -> Iterator[dict[str, Any]]:
    """The local names of the outermost frame with this name."""
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_name == name and "r_call" in trace.tb_frame.f_globals:
            yield dict(trace.tb_frame.f_locals)
            return
        trace = trace.tb_next
