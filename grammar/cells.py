"""The text of a table, such as a CSV file: which lines are rows, what separates their cells, which cells are numbers.

Whoever reads a table reads it with these, and says with these what is wrong with it.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator

from .words import plural


class TableError(ValueError):
    """A text that is no table; the reader adds which file it is."""


def rows(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """The lines that are not blank or comments, with their numbers in the file."""
    return ((number, line) for number, line in enumerate(lines, 1) if line.strip() and not line.lstrip().startswith("#"))


def separator(first: str) -> str | None:
    """Comma, semicolon or tab, whichever the first row has; None for spaces."""
    for mark in ",;\t":
        if mark in first:
            return mark
    return None if " " in first.strip() else ","


def split(row: str, mark: str | None) -> list[str]:
    """The cells of a row, without the space around them."""
    if mark is None:
        return row.split()
    try:
        return [cell.strip() for cell in next(csv.reader([row], delimiter=mark))]
    except csv.Error as error:
        raise TableError(f"is no table: {error}") from None


def is_header(cells: list[str]) -> bool:
    """Whether a first row names the columns: no cell of it is a number (an empty cell decides nothing)."""
    return any(cells) and not any(is_number(cell) for cell in cells if cell)


def is_number(cell: str) -> bool:
    """Whether a cell is a number as files write them: Python's `1_000` is none."""
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell


def ragged(row: int, have: int, first: int, width: int) -> TableError:
    """A row with more or fewer cells than the first one."""
    return TableError(f"row {row} has {plural(have, 'cell')}, row {first} has {width}")


def no_number(cell: str, row: int, column: int, name: str | None) -> TableError:
    """A cell that is no number; columns count from 1 here, as they do for who looks into the file."""
    where = f"row {row}, column {column}" + (f" ({name})" if name else "")
    return TableError(f"{where}: {'the cell is empty' if not cell else repr(cell) + ' is not a number'}")
