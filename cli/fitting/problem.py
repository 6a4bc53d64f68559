"""A model and its data as what the searches ask for: residuals, losses and their derivatives by the vector of parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from dagrad.engine import optimize

from .model import Evaluated, Model
from .parameters import Parameters
from .table import Spool

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

Data = Mapping[str, Any]


class Whole:
    """All rows at once. The last two points are kept: a search asks for residuals and Jacobian of the same point."""

    def __init__(self, model: Model, parameters: Parameters, data: Data) -> None:
        self.model = model
        self.parameters = parameters
        self.data = data
        self._kept: dict[bytes, Evaluated] = {}

    def at(self, x: Array) -> Evaluated:
        key = x.tobytes()
        if key not in self._kept:
            while len(self._kept) > 1:
                del self._kept[next(iter(self._kept))]
            self._kept[key] = self.model.evaluate(self.parameters.values(x), self.data)
        return self._kept[key]

    def residuals(self, x: Array) -> Array:
        return vector(self.at(x).value)

    def jacobian(self, x: Array) -> Array:
        found = self.at(x)
        return optimize.derivative_matrix(found.value, found.leaves)

    def loss(self, x: Array) -> tuple[float, Array]:
        found = self.at(x)
        return number(found.value), optimize.gradient_vector(found.value, found.leaves)

    def hessian(self, x: Array) -> Array:
        found = self.at(x)
        return optimize.second_derivatives(found.value, found.leaves)

    def least_squares(self) -> optimize.Dense:
        return optimize.Dense(self.residuals, self.jacobian)


class Chunked:
    """So many rows at a time: of residuals the triangle of their Jacobian is kept, of losses the sum. A loss must be a sum over rows."""

    def __init__(self, model: Model, parameters: Parameters, chunks: Spool) -> None:
        self.model = model
        self.parameters = parameters
        self.chunks = chunks

    def close(self) -> None:
        self.chunks.close()

    def each(self, x: Array) -> Iterable[Evaluated]:
        values = self.parameters.values(x)
        return (self.model.evaluate(values, chunk) for chunk in self.chunks)

    def residual_sum(self, x: Array) -> float:
        return sum(float(r @ r) for r in (vector(found.value) for found in self.each(x)))

    def system(self, x: Array) -> optimize.System:
        return optimize.joined(
            optimize.System.of(optimize.derivative_matrix(found.value, found.leaves), vector(found.value)) for found in self.each(x)
        )

    def loss(self, x: Array) -> tuple[float, Array]:
        return added((number(found.value), optimize.gradient_vector(found.value, found.leaves)) for found in self.each(x))

    def hessian(self, x: Array) -> Array:
        found: Array = sum(optimize.second_derivatives(found.value, found.leaves) for found in self.each(x))  # type: ignore[assignment]
        return found

    def least_squares(self) -> Chunked:
        return self


Problem = Whole | Chunked
Loss = Callable[["Array"], "tuple[float, Array]"]


def added(parts: Iterable[tuple[float, Array]]) -> tuple[float, Array]:
    """Losses and gradients of several pieces in one; the buffer of the gradient is added to in place."""
    total, slope = 0.0, None
    for value, gradient in parts:
        total += value
        if slope is None:
            slope = gradient.copy()
        else:
            slope += gradient
    assert slope is not None
    return total, slope


def vector(value: Any) -> Array:
    import numpy as np

    return np.asarray(getattr(value, "data", value), dtype=float).reshape(-1)


def number(value: Any) -> float:
    return value if isinstance(value, float) else float(value.item())
