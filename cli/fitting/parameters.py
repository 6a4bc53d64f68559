"""The parameters of a fit as one vector: their names, shapes, starts and bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dagrad.engine import Tensor, untracked

from ..program import constant, number, pairs
from ..status import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]


class Parameters:
    """Numbers and tensors by name, and where each lies in the vector that a search moves."""

    def __init__(self, start: Mapping[str, Any]) -> None:
        import numpy as np

        self.names = list(start)
        self.shapes = [np.shape(value.data) if isinstance(value, Tensor) else () for value in start.values()]
        self.sizes = [int(np.prod(shape)) for shape in self.shapes]
        parts = [np.ravel(value.data if isinstance(value, Tensor) else value) for value in start.values()]
        self.start: Array = np.concatenate(parts).astype(float) if parts else np.zeros(0)

    def split(self, x: Array) -> dict[str, Any]:
        """The vector as numbers and arrays by name."""
        found: dict[str, Any] = {}
        position = 0
        for name, shape, size in zip(self.names, self.shapes, self.sizes, strict=True):
            piece = x[position : position + size]
            found[name] = piece.reshape(shape).copy() if shape else float(piece[0])
            position += size
        return found

    def values(self, x: Array) -> dict[str, Any]:
        """The vector as values of the language by name."""
        return {name: value if isinstance(value, float) else untracked(value) for name, value in self.split(x).items()}

    @property
    def labels(self) -> list[str]:
        """A name for each element: `b` of a number, `b[0]` of a vector's first."""
        from itertools import product

        return [
            name if not shape else f"{name}[{', '.join(map(str, index))}]"
            for name, shape in zip(self.names, self.shapes, strict=True)
            for index in product(*map(range, shape))
        ]

    def bounds(self, options: Sequence[str]) -> tuple[Array, Array] | None:
        """`--bound b=0,inf` for each element of b; none without the option."""
        import numpy as np

        if not options:
            return None
        sides = [np.full(self.start.size, -np.inf), np.full(self.start.size, np.inf)]
        owners = [name for name, size in zip(self.names, self.sizes, strict=True) for _ in range(size)]
        for name, text in pairs(options, "--bound").items():
            self.require(name, "--bound")
            low, comma, high = text.partition(",")
            if not comma:
                raise UsageError(f"--bound {name}={text}: two sides are needed", help=f"write --bound {name}=0,inf")
            for side, part, default in ((sides[0], low, "-inf"), (sides[1], high, "inf")):
                side[[owner == name for owner in owners]] = bound(part.strip() or default, name)
        if np.any(sides[0] >= sides[1]):
            raise UsageError("--bound: the lower side must be below the upper")
        return sides[0], sides[1]

    def require(self, name: str, option: str) -> None:
        if name not in self.names:
            raise UsageError(
                f"{option} {name}: the model has no parameter of that name", help=f"its parameters: {', '.join(self.names) or 'none'}"
            )


def bound(text: str, name: str) -> float:
    """One side of a bound."""
    value = constant(text, "--bound", name)
    if not isinstance(value, float) or value != value:
        raise UsageError(f"--bound {name}: {text} is no number")
    return value


def starts(options: Sequence[str]) -> dict[str, Any]:
    """The --start options by name."""
    return {name: number(text, "--start", name) for name, text in pairs(options, "--start").items()}
