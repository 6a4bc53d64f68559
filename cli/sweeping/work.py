"""What a worker does: a batch of points, each to a row. A job is plain data, compiled once in each process."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from dagrad import engine
from dagrad.grammar import DagradError, Diagnostic, Settings, Source, compile_expression, compile_program

from ..document import plain
from ..values import is_numeric

Row = dict[str, Any]


@dataclass(frozen=True)
class Job:
    """A program (its files as name, text, folder; the first is run) or an expression, and what is the same at every point."""

    files: tuple[tuple[str, str, str], ...]
    expression: bool
    fixed: tuple[tuple[str, Any], ...] = ()
    settings: tuple[tuple[str, Any], ...] = ()
    keep: tuple[str, ...] = field(default=())

    def done(self, item: tuple[int, dict[str, Any]]) -> Row:
        """The row of one point."""
        return row(self, *item)

    def died(self, item: tuple[int, dict[str, Any]]) -> Row:
        """The row of a point that took its worker along whenever it was tried."""
        error = Diagnostic("memory", "the worker died at this point", help="most often it ran out of memory")
        return {"index": item[0], "point": plain(item[1]), "ok": False, "error": error.as_json()}


def row(job: Job, index: int, point: dict[str, Any]) -> Row:
    """One point: what came out, or the error."""
    head: Row = {"index": index, "point": plain(point)}
    values = {name: value_of(value) for name, value in [*job.fixed, *point.items()]}
    try:
        found = at_expression(job, values) if job.expression else at_program(job, values)
    except DagradError as error:
        return {**head, "ok": False, "error": error.diagnostics[0].as_json()}
    except engine.EngineError as error:
        return {**head, "ok": False, "error": Diagnostic(error.kind, error.message, help=error.help).as_json()}
    return {**head, "ok": True, **plain(found)}


def value_of(value: Any) -> Any:
    """A number, or the tensor that a nested list stands for."""
    return engine.tensor(value) if isinstance(value, list) else float(value)


def at_program(job: Job, values: dict[str, Any]) -> Row:
    """As `dagrad run`: values, params with their gradients, and what was printed."""
    run = program(job.files).run(Settings(set=values, fused=True, **dict(job.settings)))
    if run.error is not None:
        raise run.error
    found: Row = {name: value for name, value in run.values.items() if is_numeric(value) and name not in values}
    params = {name: {"value": leaf, "grad": leaf.grad} for name, leaf in run.params.items()}
    if job.keep:
        return {"values": {name: value for name, value in found.items() if name in job.keep},
                "params": {name: value for name, value in params.items() if name in job.keep}}  # fmt: skip
    return {"values": found, "params": params, "output": run.output}


def at_expression(job: Job, values: dict[str, Any]) -> Row:
    """As `dagrad grad`: value and gradients."""
    leaves = {name: engine.leaf(value, name) for name, value in values.items()}
    value = expression(job.files).evaluate(leaves, Settings(**dict(job.settings)))
    if isinstance(value, engine.Tensor) and value.requires_grad:
        engine.backward(value)
    return {"value": value, "gradients": {name: gradient(leaf) for name, leaf in leaves.items()}}


def gradient(leaf: Any) -> Any:
    """0 where the value does not depend on it."""
    if leaf.grad is not None:
        return leaf.grad
    return engine.ops.zeros(*leaf.shape) if leaf.shape else 0.0


@lru_cache(maxsize=4)
def program(files: tuple[tuple[str, str, str], ...]) -> Any:
    """The program, compiled once; its imports come with the job, not from this machine."""
    sources = {name: Source(name, text, folder) for name, text, folder in files}
    return compile_program(sources[files[0][0]], loader=sources.__getitem__)


@lru_cache(maxsize=4)
def expression(files: tuple[tuple[str, str, str], ...]) -> Any:
    return compile_expression(Source(*files[0]))
