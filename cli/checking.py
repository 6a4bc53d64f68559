"""Compares every gradient of an expression or a program with a numerical one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dagrad.engine import Comparison, compare

from .options import Program
from .status import Failure, UsageError

if TYPE_CHECKING:
    from .point import Point


@dataclass
class Subject:
    """What is checked: the values and gradients by name, and the result as a function of other values."""

    values: Mapping[str, Any]
    gradients: Mapping[str, Any]
    evaluate: Callable[[Mapping[str, Any]], float]

    def results(self) -> Iterator[dict[str, Any]]:
        """One comparison an element, in order."""
        for name, value in self.values.items():
            for index, element in elements(value):
                found = self.comparison(name, index, element)
                yield {
                    "name": name, "index": list(index), "analytic": found.analytic, "numeric": found.numeric,
                    "abs_error": found.abs_error, "rel_error": found.rel_error, "verdict": found.verdict,
                }  # fmt: skip

    def comparison(self, name: str, index: tuple[int, ...], element: float) -> Comparison:
        def along(t: float) -> float:
            return self.evaluate({**self.values, name: moved(self.values[name], index, t)})

        gradient = self.gradients[name]
        return compare(along, element, float(gradient[index]) if index else float(gradient))


def elements(value: Any) -> Iterator[tuple[tuple[int, ...], float]]:
    """Each element of a number or array with its index; a number's is ()."""
    if isinstance(value, float):
        yield (), value
    else:
        from itertools import product

        for index in product(*map(range, value.shape)):
            yield index, float(value[index])


def moved(value: Any, index: tuple[int, ...], step: float) -> Any:
    """The value with one element changed by `step`."""
    if isinstance(value, float):
        return value + step
    changed = value.copy()
    changed[index] += step
    return changed


def of_point(point: Point, gradients: Mapping[str, Any]) -> Subject:
    """An expression at its point, by the names that it has gradients for."""
    from dagrad.engine import untracked

    everything = {name: leaf.data for name, leaf in point.leaves.items()}

    def evaluate(changed: Mapping[str, Any]) -> float:
        values = {**everything, **changed}
        result = point.evaluate({name: value if isinstance(value, float) else untracked(value) for name, value in values.items()})
        return result if isinstance(result, float) else float(result.item())

    return Subject({name: everything[name] for name in gradients}, {name: numbers(value) for name, value in gradients.items()}, evaluate)


def of_program(program: Program) -> Subject:
    """The first thing a program calls backward on, as a function of its params."""
    from . import program as programs

    compiled = programs.compiled(program)
    first = FirstBackward(differentiate=True)
    run = compiled.run(programs.settings(program, lambda text: None, first.visit))
    if first.value is None:
        programs.finished(run, compiled.sources)
        raise UsageError("the program calls backward nowhere, so there is no gradient to check")
    values = {name: leaf.data for name, leaf in run.params.items()}
    gradients = {name: numbers(leaf.grad) if leaf.grad is not None else leaf.data * 0.0 for name, leaf in run.params.items()}

    def evaluate(changed: Mapping[str, Any]) -> float:
        again = FirstBackward(differentiate=False)
        settings = programs.settings(program, lambda text: None, again.visit)
        settings.set = {**settings.set, **{name: as_setting(value) for name, value in changed.items()}}
        failed = compiled.run(settings)
        if again.value is None:
            programs.finished(failed, compiled.sources)
        return float("nan") if again.value is None else again.value

    return Subject(values, gradients, evaluate)


class FirstBackward:
    """Takes the value that the first backward call starts from, and ends the run there."""

    def __init__(self, differentiate: bool) -> None:
        self.differentiate = differentiate
        self.value: float | None = None

    def visit(self, root: Any, place: Any, index: int) -> None:
        from dagrad.engine import backward
        from dagrad.grammar import StopRun

        self.value = float(root.item())
        if self.differentiate:
            backward(root)
        raise StopRun


def failure(results: Sequence[Mapping[str, Any]], document: Mapping[str, Any]) -> Failure | None:
    """What a command ends with where a gradient is wrong."""
    from dagrad.grammar import Diagnostic, format_value

    wrong = [result for result in results if result["verdict"] == "wrong"]
    if not wrong:
        return None
    others = f" (and {len(wrong) - 1} more)" if wrong[1:] else ""
    analytic, numeric = (format_value(wrong[0][name]) for name in ("analytic", "numeric"))
    message = f"the gradient of {place(wrong[0])} is {analytic}, the numerical one {numeric}{others}"
    return Failure([Diagnostic("wrong-gradient", message)], document=document)


def place(result: Mapping[str, Any]) -> str:
    """The element as a user writes it: `w` or `W[0, 1]`."""
    return f"{result['name']}{result['index'] or ''}"


def as_setting(value: Any) -> Any:
    from dagrad.engine import untracked

    return value if isinstance(value, float) else untracked(value)


def numbers(value: Any) -> Any:
    return value if isinstance(value, float) else value.data
