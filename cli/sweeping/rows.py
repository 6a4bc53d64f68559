"""Rows as JSON lines or CSV, and the rows that an earlier sweep left in a file."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .. import document
from ..status import UsageError
from .grid import Grid
from .work import Row


class JsonLines:
    """A row a line, in full."""

    def lines(self, row: Row) -> Iterator[str]:
        yield document.text(row)

    def finish(self) -> Iterator[str]:
        return iter(())

    def index(self, line: str) -> int | None:
        """The index of a complete row; None for anything else."""
        try:
            row = json.loads(line)
        except ValueError:
            return None
        return row["index"] if isinstance(row, dict) and isinstance(row.get("index"), int) else None

    def head(self, index: int, point: dict[str, Any]) -> str:
        """How the row of a point begins."""
        return document.text({"index": index, "point": document.plain(point)})[:-1] + ","

    def adopt(self, lines: list[str]) -> list[str]:
        """The rows among the lines of an earlier file."""
        return lines


class Csv:
    """A header, then a row a line; the first row without an error decides the columns."""

    def __init__(self) -> None:
        self.columns: list[str] | None = None
        self.held: list[dict[str, Any]] = []

    def lines(self, row: Row) -> Iterator[str]:
        cells = flat(row)
        if self.columns is None:
            self.held.append(cells)
            if row["ok"]:
                yield from self._begin()
            return
        yield self._line(cells)

    def finish(self) -> Iterator[str]:
        """Where no row was without an error, the errors alone."""
        return self._begin() if self.columns is None and self.held else iter(())

    def _begin(self) -> Iterator[str]:
        self.columns = [*dict.fromkeys(name for name in self.held[-1] if name != "error"), "error"]
        yield text(self.columns)
        yield from (self._line(cells) for cells in self.held)

    def _line(self, cells: dict[str, Any]) -> str:
        assert self.columns is not None
        return text([cells.get(name, "") for name in self.columns])

    def index(self, line: str) -> int | None:
        cells = next(csv.reader([line]), [])
        return int(cells[0]) if len(cells) == len(self.columns or []) and cells[0].isdigit() else None

    def head(self, index: int, point: dict[str, Any]) -> str:
        return text([index, *document.plain(point).values()]) + ","

    def adopt(self, lines: list[str]) -> list[str]:
        if lines:
            self.columns = next(csv.reader(lines[:1]))
            if self.columns[:1] != ["index"]:
                raise UsageError("--resume: the file was not written by a sweep with --format csv")
        return lines[1:]


Form = JsonLines | Csv


def flat(row: Row) -> dict[str, Any]:
    """Cells by column: `x`, then `value` and `grad.x` of an expression, or values, params and `w.grad` of a program."""
    cells: dict[str, Any] = {"index": row["index"], **row["point"]}
    if not row["ok"]:
        return {**cells, "error": row["error"]["message"]}
    if "value" in row:
        cells["value"] = row["value"]
    cells.update((f"grad.{name}", value) for name, value in row.get("gradients", {}).items())
    cells.update(row.get("values", {}))
    for name, param in row.get("params", {}).items():
        cells.update({name: param["value"], f"{name}.grad": param["grad"]})
    return cells


def text(cells: list[Any]) -> str:
    """One line of CSV; tensors in JSON's brackets."""
    buffer = io.StringIO()
    plain = ["" if cell is None else document.text(cell) if isinstance(cell, (list, bool)) else cell for cell in cells]
    csv.writer(buffer, lineterminator="").writerow(plain)
    return buffer.getvalue()


class Earlier:
    """The complete rows of a file, by index. The file is cut off at a torn line or a gap; rows behind it are kept here."""

    def __init__(self, path: Path, form: Form, grid: Grid) -> None:
        self.rows: dict[int, str] = {}
        self.done = 0
        try:
            data = path.read_bytes() if path.exists() else b""
        except OSError as error:
            raise UsageError(f"cannot read {path}: {(error.strerror or str(error)).lower()}") from None
        lines = data[: data.rfind(b"\n") + 1].decode("utf-8", "replace").split("\n")[:-1]
        rows = form.adopt(lines)
        size = sum(len(line.encode()) + 1 for line in lines[: len(lines) - len(rows)])
        for line in rows:
            index = form.index(line)
            if index is None:
                continue
            if index >= len(grid.points) or not line.startswith(form.head(index, grid.point(index))):
                raise UsageError(f"{path} holds rows of another sweep: row {index} is another point")
            if index == self.done == len(self.rows):
                self.done += 1
                size += len(line.encode()) + 1
            self.rows.setdefault(index, line)
        if size < len(data):
            with path.open("r+b") as file:
                file.truncate(size)
