"""An expression at a point: the values of its names, and every kind of derivative that the command line offers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

from dagrad import engine
from dagrad.grammar import Diagnostic, Source, compile_expression

from .pages import keep_freed_pages
from .program import guarded, number, pairs
from .status import Failure, UsageError

if TYPE_CHECKING:
    from dagrad.grammar import Expression

Blocks = dict[str, Any]


class Point:
    """An expression, a tracked leaf for each of its names, and its value there."""

    def __init__(self, text: str, at: Sequence[str]) -> None:
        keep_freed_pages()
        self.text = text
        source = Source("<expression>", text)
        self.sources = {source.name: source}
        self.expression: Expression = guarded(lambda: compile_expression(source), self.sources)
        values = coordinates(at, self.expression.names)
        self.leaves = {name: engine.leaf(values[name], name=name) for name in self.expression.names}
        self.value = self.evaluate(self.leaves)
        if not isinstance(self.value, (float, engine.Tensor)):
            raise UsageError(f"{text} is neither a number nor a tensor", help="only these have derivatives")

    def evaluate(self, values: Mapping[str, Any]) -> Any:
        return self._run(lambda: self.expression.evaluate(dict(values)))

    def require_scalar(self) -> None:
        """Only one number has a gradient."""
        if not self.is_scalar:
            message = f"the expression has shape {shape(self.value)}; a gradient belongs to one number"
            raise Failure([Diagnostic("backward", message, help="reduce it with sum(), or ask for --jacobian")])

    @property
    def is_scalar(self) -> bool:
        return isinstance(self.value, float) or self.value.size == 1

    def chosen(self, wrt: Sequence[str], option: str = "--wrt") -> list[str]:
        """The names to differentiate by: those asked for, otherwise all, in the order of their first appearance."""
        names = [normalize("NFC", name) for name in wrt]
        for name in names:
            if name not in self.leaves:
                raise UsageError(f"{option} {name}: the expression has no such name", help=f"its names: {', '.join(self.leaves) or 'none'}")
        return list(dict.fromkeys(names)) or list(self.leaves)

    # derivatives ---------------------------------------------------------------------------------------------------

    def gradients(self, names: Sequence[str]) -> Blocks:
        """The gradient by each name; 0 where the value does not depend on it. Dismantles the graph."""
        if self._tracked(self.value):
            self._run(lambda: engine.backward(self.value))
        return {name: zeros(self.leaves[name]) if self.leaves[name].grad is None else self.leaves[name].grad for name in names}

    def jacobians(self, names: Sequence[str]) -> Blocks:
        return {name: self._jacobian(self.value, name) for name in names}

    def hessians(self, names: Sequence[str]) -> dict[str, Blocks]:
        """Second derivatives, always nested by name: `hessian[x][y]` has the axes of x, then those of y."""
        return {name: {other: self._jacobian(self._jacobian(self.value, name), other) for other in names} for name in names}

    def hessian_products(self, directions: dict[str, Any], names: Sequence[str]) -> Blocks:
        """The Hessian times a direction, which is 0 in the names that are not given."""
        slope = sum((self._along(name, direction) for name, direction in directions.items()), 0.0)
        return {name: self._jacobian(slope, name) for name in names}

    def orders(self, names: Sequence[str], order: int) -> dict[str, list[Any]]:
        """The first, second, … derivative by each name."""
        found: dict[str, list[Any]] = {}
        for name in names:
            derivative, found[name] = self.value, []
            for _ in range(order):
                derivative = self._jacobian(derivative, name)
                found[name].append(derivative)
        return found

    def _along(self, name: str, direction: Any) -> Any:
        if shape(direction) != self.leaves[name].shape:
            raise UsageError(f"--hvp {name}: shape {shape(direction)} for a variable of shape {self.leaves[name].shape}")
        product = self._jacobian(self.value, name) * direction
        return engine.ops.sum(product)

    def _jacobian(self, value: Any, name: str) -> Any:
        """Differentiable itself, so that it serves for every order; zeros where there is no dependence."""
        return self._run(lambda: engine.jacobian(value, self.leaves[name]))

    @staticmethod
    def _tracked(value: Any) -> bool:
        return isinstance(value, engine.Tensor) and value.requires_grad

    def _run(self, action: Any) -> Any:
        return guarded(action, self.sources)


def coordinates(at: Sequence[str], names: Sequence[str]) -> Blocks:
    """The --at options by name, checked against the names of the expression."""
    texts = pairs(at, "--at")
    for name in texts:
        if name not in names:
            help = f"its names: {', '.join(names) or 'none'}"
            raise UsageError(f"--at {name}: the expression has no such name", help=help, kind="setting")
    if missing := [name for name in names if name not in texts]:
        values = " ".join(f"--at {name}=…" for name in missing)
        raise UsageError(f"no value for {', '.join(missing)}", help=f"give {values}")
    return {name: number(text, "--at", name) for name, text in texts.items()}


def shape(value: Any) -> tuple[int, ...]:
    return () if isinstance(value, float) else tuple(value.shape)


def zeros(leaf: Any) -> Any:
    return leaf * 0.0 if leaf.shape == () else engine.ops.zeros(*leaf.shape)
