"""Rows in pieces on a Dask cluster: each piece is differentiated where a worker is free, and the parts are added up in a tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from dagrad.engine import optimize

from ..sweeping.workers import connect
from .model import Model
from .parameters import Parameters
from .problem import number, vector
from .table import Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

KEPT = 64  # pieces that a worker keeps parsed


@dataclass(frozen=True)
class Piece:
    """Some rows of a file that every worker can read."""

    path: str
    names: tuple[str, ...]
    start: int
    end: int


def pieces(table: Table, names: Sequence[str], rows: int) -> Iterator[Piece]:
    """The file cut after every so many lines."""
    for start, end in table.cuts(rows):
        yield Piece(table.absolute, tuple(names), start, end)


@lru_cache(maxsize=KEPT)
def columns(piece: Piece) -> dict[str, Any]:
    return Table(piece.path).between(list(piece.names), piece.start, piece.end)


def system_of(model: Model, values: dict[str, Any], piece: Piece) -> optimize.System:
    found = model.evaluate(values, columns(piece))
    return optimize.System.of(optimize.derivative_matrix(found.value, found.leaves), vector(found.value))


def loss_of(model: Model, values: dict[str, Any], piece: Piece) -> tuple[float, Array]:
    found = model.evaluate(values, columns(piece))
    return number(found.value), optimize.gradient_vector(found.value, found.leaves)


def hessian_of(model: Model, values: dict[str, Any], piece: Piece) -> tuple[Array]:
    found = model.evaluate(values, columns(piece))
    return (optimize.second_derivatives(found.value, found.leaves),)


def stacked(one: optimize.System, other: optimize.System) -> optimize.System:
    return one.with_rows(other)


def both(one: tuple[Any, ...], other: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(a + b for a, b in zip(one, other, strict=True))


class Distributed:
    """What a search asks for, worked out by the cluster."""

    def __init__(self, model: Model, parameters: Parameters, table: Table, rows: int, address: str) -> None:
        self.parameters = parameters
        self.client = connect(address)
        self.pieces = list(pieces(table, model.columns, rows))
        self.model = self.client.scatter(model, broadcast=True)

    def close(self) -> None:
        self.client.close()

    def residual_sum(self, x: Array) -> float:
        return self.system(x).residual_sum

    def system(self, x: Array) -> optimize.System:
        found: optimize.System = self.added(system_of, stacked, x)
        return found

    def loss(self, x: Array) -> tuple[float, Array]:
        found: tuple[float, Array] = self.added(loss_of, both, x)
        return found

    def hessian(self, x: Array) -> Array:
        found: Array = self.added(hessian_of, both, x)[0]
        return found

    def least_squares(self) -> Distributed:
        return self

    def added(self, part: Callable[..., Any], combine: Callable[..., Any], x: Array) -> Any:
        """The parts of all pieces in one."""
        values = self.parameters.values(x)
        return tree(self.client, [self.client.submit(part, self.model, values, piece, pure=False) for piece in self.pieces], combine)


def tree(client: Any, parts: list[Any], combine: Callable[..., Any]) -> Any:
    """What the cluster has in parts, combined two and two until one is left."""
    while len(parts) > 1:
        pairs = [client.submit(combine, a, b, pure=False) for a, b in zip(parts[::2], parts[1::2], strict=False)]
        parts = [*pairs, *parts[len(pairs) * 2 :]]
    return parts[0].result()
