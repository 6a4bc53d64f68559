"""What is fitted, a program or an expression: from parameters and data to residuals or a loss, with the leaves to differentiate by."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dagrad import engine
from dagrad.engine import Tensor, untracked
from dagrad.grammar import Settings, Source, StopRun, compile_expression, compile_program

from .. import program as programs
from ..options import Program
from ..program import guarded
from ..status import UsageError
from .parameters import starts

if TYPE_CHECKING:
    from dagrad.grammar import Run

RESIDUALS = ("residual", "residuals")
LOSSES = ("loss",)


@dataclass
class Evaluated:
    """The model at one point: residuals (a tensor) or a loss (one element), and the leaf of each parameter."""

    value: Any
    leaves: list[Tensor]
    is_residual: bool


class Model(ABC):
    """A model with its start values; `columns` are the names it takes from the data, `y` the response among them."""

    columns: list[str]
    start: dict[str, Any]
    y: str | None

    def begin(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """What must be known before the first evaluation; gives the data."""
        return dict(data)

    @abstractmethod
    def evaluate(self, parameters: Mapping[str, Any], data: Mapping[str, Any]) -> Evaluated:
        """The model at these parameters, for these rows."""


class ProgramModel(Model):
    """A program that sets `residual` or `loss`, or calls backward on a loss. What comes after its first backward call is not run."""

    def __init__(
        self, program: Program, columns: Sequence[str], start: Sequence[str], y: str | None, target: tuple[str | None, str | None]
    ) -> None:
        self.compiled = programs.compiled(program)
        self.settings = programs.settings(program, lambda text: None, self._stop).replace(fused=False)  # of residuals there is a Jacobian
        self.residuals: tuple[str, ...] = (target[0],) if target[0] else () if target[1] else RESIDUALS
        self.losses: tuple[str, ...] = (target[1],) if target[1] else () if target[0] else LOSSES
        self.columns = [name for name in self.compiled.inputs if name in columns and name not in self.settings.set]
        self.y = response(y, self.columns)
        self.root: Any = None
        self._set(start)

    def _set(self, start: Sequence[str]) -> None:
        """The start values: what the program gives its params, unless --start or --set says otherwise."""
        given = starts(start)
        if unknown := [name for name in given if name not in self.compiled.params]:
            known = ", ".join(self.compiled.params) or "none"
            raise UsageError(f"--start {unknown[0]}: the program has no param of that name", help=f"its params: {known}")
        if not self.compiled.params:
            raise UsageError("the program has no param to fit", help="declare one with its start value: param b = 1")
        self.given = {**self.settings.set, **given}
        self.start = {}

    def __getstate__(self) -> dict[str, Any]:
        """To another process goes the text of the program, which is compiled anew there."""
        first = self.compiled.source
        others = [source for source in self.compiled.sources.values() if source is not first]
        files = [(source.name, source.text, source.folder) for source in (first, *others)]
        plain = {**self.settings.as_dict(), "on_backward": None, "output": None, "set": {}}
        return {**vars(self), "compiled": files, "settings": plain, "root": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        sources = {name: Source(name, text, folder) for name, text, folder in state["compiled"]}
        self.compiled = compile_program(next(iter(sources.values())), loader=sources.__getitem__)
        self.settings = Settings(**{**state["settings"], "on_backward": self._stop})

    def begin(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """Runs the program once, for the start values that it computes and the data that it loads itself; the data by input."""
        run = self._run(self.given, data)
        self.start = {name: untracked(leaf.data) for name, leaf in run.params.items()}
        loaded = {name: run.values[name] for name in self.compiled.inputs if isinstance(run.values.get(name), Tensor)}
        self.y = self.y or response(None, [*loaded])
        return {**{name: value.data for name, value in loaded.items() if value.ndim == 1}, **data}

    def evaluate(self, parameters: Mapping[str, Any], data: Mapping[str, Any]) -> Evaluated:
        run = self._run({**self.given, **parameters}, data)
        leaves = list(run.params.values())
        for names, is_residual in ((self.residuals, True), (self.losses, False)):
            for name in names:
                if name in run.values:
                    return Evaluated(checked(run.values[name], name, is_residual), leaves, is_residual)
        if self.root is not None and self.residuals != () and self.losses != ():
            return Evaluated(checked(self.root, "backward", False), leaves, False)
        wanted = " or ".join([*self.residuals[:1], *self.losses])
        raise UsageError(f"the program sets no {wanted}", help="end it with residual = y - model, or with loss = …")

    def _stop(self, root: Any, place: Any, index: int) -> None:
        self.root = root
        raise StopRun

    def _run(self, values: Mapping[str, Any], data: Mapping[str, Any]) -> Run:
        self.root = None
        self.settings.set = {**values, **{name: untracked(column) for name, column in data.items()}}
        run = self.compiled.run(self.settings)
        programs.finished(run, self.compiled.sources)
        return run


class ExpressionModel(Model):
    """`b1*(1 - exp(-b2*x))` for a response y: names that are columns are data, the others parameters."""

    def __init__(self, text: str, columns: Sequence[str], start: Sequence[str], y: str | None) -> None:
        source = Source("<expression>", text)
        self.sources = {source.name: source}
        self.expression = guarded(lambda: compile_expression(source), self.sources)
        self.y = explained = response(y or "y", columns)
        if explained is None:
            raise UsageError(f"no column is named as the response; there are {', '.join(columns)}", help="name it with --y")
        self.columns = [*dict.fromkeys([*(name for name in self.expression.names if name in columns), explained])]
        names = [name for name in self.expression.names if name not in columns]
        given = starts(start)
        if unknown := [name for name in given if name not in names]:
            raise UsageError(
                f"--start {unknown[0]}: the expression has no such parameter", help=f"its parameters: {', '.join(names) or 'none'}"
            )
        if missing := [name for name in names if name not in given]:
            raise UsageError(f"no start value for {', '.join(missing)}", help="give " + " ".join(f"--start {name}=…" for name in missing))
        if not names:
            raise UsageError("the expression has no parameter: every name in it is a column")
        self.start = {name: given[name] for name in names}

    def evaluate(self, parameters: Mapping[str, Any], data: Mapping[str, Any]) -> Evaluated:
        leaves = {name: engine.leaf(value, name) for name, value in parameters.items()}
        values = {**{name: untracked(column) for name, column in data.items()}, **leaves}
        model = guarded(lambda: self.expression.evaluate(values), self.sources)
        residual = guarded(lambda: engine.ops.sub(values[self.y or "y"], model), self.sources)
        return Evaluated(checked(residual, "the expression", True), list(leaves.values()), True)

    def __getstate__(self) -> dict[str, Any]:
        """To another process goes the text."""
        return {**vars(self), "expression": self.expression.source.text}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self.expression = compile_expression(Source("<expression>", state["expression"]))


def response(y: str | None, columns: Sequence[str]) -> str | None:
    """The column that is explained: the one asked for, else `y` where there is one."""
    if y is not None and y not in columns and y != "y":
        raise UsageError(f"--y {y}: no such column", help=f"there are {', '.join(columns) or 'none'}")
    return next((name for name in (y, "y") if name in columns), None)


def checked(value: Any, name: str, is_residual: bool) -> Any:
    """A number or tensor; a loss must have one element."""
    if not isinstance(value, (float, Tensor)):
        raise UsageError(f"{name} is neither a number nor a tensor")
    if not is_residual and isinstance(value, Tensor) and value.size != 1:
        raise UsageError(f"{name} has shape {value.shape}; a loss is one number", help="reduce it with sum(), or name it residual")
    return value
