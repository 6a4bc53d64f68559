"""Finds the graph that a command shows: of one backward call of a program, of a value, or of an expression."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from contextlib import nullcontext, suppress
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from dagrad.engine import EngineError, backward, ops
from dagrad.engine.inspect import TraceRecorder, ValueRecorder, snapshot
from dagrad.grammar import StopRun

from . import program as programs
from .options import Program
from .status import UsageError

if TYPE_CHECKING:
    from dagrad.engine.inspect import Graph, GraphNode
    from dagrad.grammar import Program as Compiled
    from dagrad.grammar import Source

    from .point import Point


class Observer(TraceRecorder):
    """Records one pass of a program and ends the run there; where `most` is given, only a pass of no more steps."""

    def __init__(self, most: int | None = None) -> None:
        super().__init__()
        self.most = most

    def wants(self, graph: Graph) -> bool:
        """Whether the pass through a graph is recorded."""
        return self.most is None or len(graph.nodes) <= self.most

    def ended(self) -> None:
        super().ended()
        if self.done and sys.exc_info()[0] is None:
            raise StopRun


def of(
    program: Program, e: str | None, at: list[str], step: int, root: str | None = None, values: bool = False, trace: Observer | None = None
) -> Graph:
    """The graph that the options of a command ask for: of the expression `e` or of the program."""
    check(program, e, step)
    return of_program(program, step, root, values, trace) if e is None else of_expression(e, at, values, trace)


def check(program: Program, e: str | None, step: int) -> None:
    """Refuses options that ask for nothing there can be."""
    if step == 0:
        raise UsageError("--step 0: steps count from 1, or from -1 at the end")
    programs.one_of(program, e)


def of_program(
    program: Program, step: int, root: str | None = None, values: bool = False, trace: Observer | None = None, option: str = "--step"
) -> Graph:
    """The graph at the K-th backward call; where nothing calls backward, of the last value. `trace` hears the pass through it."""
    found = Seeker(step, option, root, ValueRecorder() if values else None, trace)
    sources = found.seek(program)
    assert found.graph is not None
    return with_source(found.graph, sources)


def traced(program: Program, e: str | None, at: list[str], step: int, trace: Observer) -> Mapping[str, Source]:
    """Has `trace` hear the pass that the options ask for; its graph, of millions of nodes perhaps, is left alone. Returns the sources."""
    check(program, e, step)
    if e is None:
        return Seeker(step, "--step", None, None, trace, whole=False).seek(program)
    point = tracked_point(e, at)
    run_through(point.value, trace)
    return point.sources


def run_through(value: Any, trace: TraceRecorder) -> None:
    """A pass from a value that the program made no backward call for; of a tensor, with the gradient of its sum."""
    trace.arm()
    with trace, suppress(StopRun, EngineError):
        backward(value, None if value.size == 1 else ops.ones_like(value))


def counted(compiled: Compiled, program: Program) -> int:
    """How many backward calls the program makes: a step from the end is found by a first run that only counts."""
    calls: list[int] = []
    run = compiled.run(programs.settings(program, lambda text: None, lambda root, place, index: calls.append(index)))
    programs.finished(run, compiled.sources)
    return len(calls)


class Seeker:
    """Takes the graph at one backward call, has its pass heard by `trace`, and ends the run there. Not `whole`, it leaves the graph."""

    def __init__(
        self, step: int, option: str, root: str | None, recorder: ValueRecorder | None, trace: Observer | None, whole: bool = True
    ) -> None:
        self.step = self.wanted = step  # the second counted from the start
        self.option = option  # that it was given with
        self.root = root
        self.recorder = recorder
        self.trace = trace
        self.whole = whole
        self.calls = 0
        self.found = False
        self.graph: Graph | None = None

    def seek(self, program: Program) -> Mapping[str, Source]:
        """Runs the program. Returns its sources."""
        compiled = programs.compiled(program)
        if self.step < 0:
            self.wanted = counted(compiled, program) + 1 + self.step
        with self.recorder or nullcontext(), self.trace or nullcontext():
            run = compiled.run(programs.settings(program, lambda text: None, self.visit).replace(fused=False))
        if not self.found:
            programs.finished(run, compiled.sources)
            self.settle(run)
        elif not run.stopped:  # the pass itself failed
            programs.finished(run, compiled.sources)
        return compiled.sources

    def visit(self, root: Any, place: Any, index: int) -> None:
        self.calls = index
        if index == self.wanted and self.root is None:
            if not self._take(root):
                raise StopRun
            self.trace.arm()  # type: ignore[union-attr]

    def _take(self, value: Any) -> bool:
        """Takes the graph of a value; whether the pass through it is to be heard."""
        self.found = True
        if self.whole:
            self.graph = snapshot(value, self.recorder)
        return self.trace is not None and (self.graph is None or self.trace.wants(self.graph))

    def settle(self, run: Any) -> None:
        """The run ended by itself: the graph of the named value, or of the last one where nothing called backward."""
        if self.root is not None:
            value = self._named(run, self.root)
        elif self.calls:
            times = "once" if self.calls == 1 else f"{self.calls} times"
            raise UsageError(
                f"{self.option} {self.step}: the program calls backward {times}",
                help="the steps are the calls of backward; f'(x) and grad(…) are none",
            )
        elif run.last is None:
            raise UsageError("the program calls backward nowhere and leaves no tracked value", help="a graph needs a param")
        else:
            value = run.last
        if self._take(value):
            run_through(value, self.trace)  # type: ignore[arg-type]

    @staticmethod
    def _named(run: Any, name: str) -> Any:
        value = run.values.get(name)
        if value is None or not getattr(value, "requires_grad", False):
            raise UsageError(f"--root {name}: the program leaves no tracked value of that name")
        if value.grad_fn is not None and value.grad_fn.released:
            raise UsageError(f"--root {name}: backward has dismantled its graph", help="show the graph of that call: --step K")
        return value


def of_expression(text: str, at: list[str], values: bool, trace: Observer | None = None) -> Graph:
    recorder = ValueRecorder() if values else None
    with recorder or nullcontext():
        point = tracked_point(text, at)
    graph = with_source(snapshot(point.value, recorder), point.sources)
    if trace and trace.wants(graph):
        run_through(point.value, trace)
    return graph


def tracked_point(text: str, at: list[str]) -> Point:
    """An expression at values of its names."""
    from .point import Point

    point = Point(text, at)
    if not getattr(point.value, "requires_grad", False):
        raise UsageError(f"{text} depends on no name, so there is no graph")
    return point


def with_source(graph: Graph, sources: Mapping[str, Source]) -> Graph:
    """The graph with the user's own text beside each node; a variable of the command line has no place in it."""
    texts = texts_of(sources)
    lines = {name: tuple(source.text.splitlines()) for name, source in sources.items()}
    return replace(graph, nodes=[located(node, texts(node.place)) for node in graph.nodes], program=lines)


def texts_of(sources: Mapping[str, Source]) -> Callable[[Any], str | None]:
    """The text at a place; None where it is not in the program."""
    return cache(lambda place: text_at(place, sources) if place is not None and place.file in sources else None)


def located(node: GraphNode, text: str | None) -> GraphNode:
    return replace(node, place=None) if text is None else replace(node, source=text)


def text_at(place: Any, sources: Mapping[str, Source]) -> str:
    """The text of a place; of one that goes over several lines, the first."""
    line = sources[place.file].line(place.line)
    end = place.end_column - 1 if place.end_line == place.line else None
    return line[place.column - 1 : end].strip()
