"""The gradient of a sum over the rows of a data file, so many rows at a time: each piece adds into the same leaves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

from dagrad import engine
from dagrad.grammar import Source, compile_expression

from .fitting.table import Table
from .point import coordinates, zeros
from .program import guarded
from .status import UsageError

if TYPE_CHECKING:
    from dagrad.grammar import Expression

    from .fitting.distributed import Piece


class RowSum:
    """An expression whose names are columns or have values; `gradients` are by the latter."""

    def __init__(self, text: str, at: Sequence[str], data: Path, add: bool) -> None:
        self.text = text
        self.add = add
        source = Source("<expression>", text)
        self.sources = {source.name: source}
        self.expression: Expression = guarded(lambda: compile_expression(source), self.sources)
        self.table = Table(data)
        self.columns = [name for name in self.expression.names if name in self.table.names]
        if not self.columns:
            raise UsageError(f"no column of {data} is in the expression", help=f"its columns: {', '.join(self.table.names)}")
        names = [name for name in self.expression.names if name not in self.columns]
        self.leaves = {name: engine.leaf(value, name=name) for name, value in coordinates(at, names).items()}
        self.value: Any = 0.0

    def chosen(self, wrt: Sequence[str]) -> list[str]:
        """The names to differentiate by: those asked for, otherwise all that are no columns."""
        names = [normalize("NFC", name) for name in wrt]
        for name in names:
            if name not in self.leaves:
                raise UsageError(
                    f"--wrt {name}: no name of the expression that has a value", help=f"they are: {', '.join(self.leaves) or 'none'}"
                )
        return list(dict.fromkeys(names)) or list(self.leaves)

    def gradients(self, names: Sequence[str], rows: int | None) -> dict[str, Any]:
        """Adds up all pieces. Memory holds one of them."""
        for columns in self.table.chunks(self.columns, rows):
            piece = guarded(partial(self.piece, columns), self.sources)
            self.value += piece.item() if isinstance(piece, engine.Tensor) else piece
            if isinstance(piece, engine.Tensor) and piece.requires_grad:
                engine.backward(piece)
        return {name: zeros(self.leaves[name]) if self.leaves[name].grad is None else self.leaves[name].grad for name in names}

    def gradients_on(self, address: str, names: Sequence[str], rows: int) -> dict[str, Any]:
        """As `gradients`, with the pieces on a Dask cluster."""
        from .fitting.distributed import both, pieces, tree
        from .sweeping.workers import connect

        client = connect(address)
        try:
            values = {name: leaf.data for name, leaf in self.leaves.items()}
            cuts = pieces(self.table, self.columns, rows)
            parts = [client.submit(part_of, self.text, values, self.add, piece, pure=False) for piece in cuts]
            self.value, *found = tree(client, parts, both)
        finally:
            client.close()
        return {name: engine.untracked(value) for name, value in zip(self.leaves, found, strict=True) if name in names}

    def piece(self, columns: Mapping[str, Any]) -> Any:
        """The sum over some rows."""
        return piece_of(self.expression, self.leaves, columns, self.add)


def piece_of(expression: Expression, leaves: Mapping[str, Any], columns: Mapping[str, Any], add: bool) -> Any:
    """The sum over some rows."""
    data = {name: engine.untracked(column) for name, column in columns.items()}
    value = expression.evaluate({**leaves, **data})
    if isinstance(value, engine.Tensor) and value.size != 1:
        if not add:
            raise UsageError("the expression has a value for each row", help="add them up with --sum")
        return engine.ops.sum(value)
    return value


def part_of(text: str, values: dict[str, Any], add: bool, piece: Piece) -> tuple[Any, ...]:
    """On a worker: the value of a piece, then its gradients."""
    from .fitting.distributed import columns

    leaves = {name: engine.leaf(value, name=name) for name, value in values.items()}
    value = piece_of(compile_expression(Source("<expression>", text)), leaves, columns(piece), add)
    if isinstance(value, engine.Tensor) and value.requires_grad:
        engine.backward(value)
    total = value.item() if isinstance(value, engine.Tensor) else value
    return (total, *((leaf.grad if leaf.grad is not None else zeros(leaf)).data for leaf in leaves.values()))
