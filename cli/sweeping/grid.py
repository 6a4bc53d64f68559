"""The points of a sweep: rows of a CSV file, and ranges combined or side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from dagrad.engine import Tensor

from ..fitting.table import Table
from ..options import named
from ..program import constant
from ..status import UsageError

Value = float | list[Any]


@dataclass(frozen=True)
class Grid:
    """The names that vary, and each point as their values in this order."""

    names: list[str]
    points: list[tuple[Value, ...]]

    def point(self, index: int) -> dict[str, Value]:
        return dict(zip(self.names, self.points[index], strict=True))


def grid(options: Sequence[str], side_by_side: bool) -> Grid:
    """All --over options: their product (the last varies fastest), or side by side with --zip."""
    if not options:
        raise UsageError("no points are given", help="write --over x=linspace(0,1,11), or --over grid.csv")
    parts = [axis(option) for option in options]
    names = [name for part in parts for name in part.names]
    if double := [name for name in names if names.count(name) > 1]:
        raise UsageError(f"--over gives {double[0]} twice")
    if side_by_side:
        lengths = [len(part.points) for part in parts]
        if len(set(lengths)) > 1:
            raise UsageError(f"--zip needs equal lengths, not {', '.join(map(str, lengths))}")
        combined = list(zip(*(part.points for part in parts), strict=True))
    else:
        combined = list(product(*(part.points for part in parts)))
    return Grid(names, [tuple(value for piece in pieces for value in piece) for pieces in combined])


def axis(option: str) -> Grid:
    """One --over option: `name=values`, or a file whose columns are names."""
    if Path(option).is_file() or ("=" not in option and option.lower().endswith(".csv")):
        table = Table(option)
        columns = table.read(table.names)
        return Grid(table.names, list(zip(*(columns[name].tolist() for name in table.names), strict=True)))
    name, text = named(option, "--over")
    value = constant(text, "--over", name)
    if isinstance(value, Tensor):
        return Grid([name], [(item,) for item in value.tolist()] if value.shape else [(value.item(),)])
    if isinstance(value, (float, int)):
        return Grid([name], [(float(value),)])
    raise UsageError(f"--over {name}: neither a number nor a tensor", help=f"write --over {name}=linspace(0,1,11) or --over {name}=[1,2,5]")
