"""The columns of a CSV file as arrays, whole or so many rows at a time."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from dagrad.grammar import cells

from ..status import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Columns = dict[str, NDArray[Any]]


class Table:
    """A CSV file with a header row: `names` are its columns."""

    def __init__(self, path: str | Path) -> None:
        self.path = str(path)
        with self._open() as file:
            self.delimiter, self.names = self._header(file)
        if not cells.is_header(self.names):
            raise UsageError(f"{self.path} has no header row", help="its first line must name the columns, as in x,y")
        if double := [name for name in self.names if self.names.count(name) > 1]:
            raise UsageError(f"{self.path} has two columns '{double[0]}'")

    def _open(self) -> TextIO:
        try:
            return open(self.path, encoding="utf-8-sig", newline="")
        except OSError as error:
            raise UsageError(f"cannot read {self.path}: {(error.strerror or str(error)).lower()}") from None

    def _header(self, file: TextIO) -> tuple[str | None, list[str]]:
        """Reads up to the end of the header row."""
        try:
            for _, line in cells.rows(iter(file.readline, "")):
                mark = cells.separator(line)
                return mark, cells.split(line.rstrip("\r\n"), mark)
        except UnicodeDecodeError:
            raise UsageError(f"{self.path} is not UTF-8 text") from None
        except cells.TableError as error:
            raise UsageError(f"{self.path} {error}") from None
        raise UsageError(f"{self.path} is empty")

    def read(self, names: list[str]) -> Columns:
        """All rows of these columns."""
        return next(self.chunks(names, None))

    def chunks(self, names: list[str], rows: int | None) -> Iterator[Columns]:
        """These columns, at most so many rows at a time; at least one chunk."""
        import numpy as np

        positions = [self.names.index(name) for name in names]
        with self._open() as file:
            self._header(file)
            done = 0
            while True:
                block = self._block(file, positions, rows, done)
                if block.shape[0] or not done:
                    if not block.shape[0]:
                        raise UsageError(f"{self.path} has a header and no rows")
                    yield {name: np.ascontiguousarray(block[:, i]) for i, name in enumerate(names)}
                done += block.shape[0]
                if rows is None or block.shape[0] < rows:
                    return

    @property
    def absolute(self) -> str:
        """The path from the root, for processes that work elsewhere."""
        return str(Path(self.path).resolve())

    def cuts(self, rows: int) -> Iterator[tuple[int, int]]:
        """Where pieces of so many lines begin and end, in bytes; the header is in none."""
        with open(self.path, "rb") as file:
            for line in file:
                if any(cells.rows([line.decode("utf-8-sig")])):
                    break
            start = file.tell()
            for count, _ in enumerate(iter(file.readline, b""), 1):
                if count % rows == 0:
                    yield start, file.tell()
                    start = file.tell()
            if file.tell() > start:
                yield start, file.tell()

    def between(self, names: list[str], start: int, end: int) -> Columns:
        """The rows between two cuts."""
        import io

        with open(self.path, "rb") as file:
            file.seek(start)
            text = io.StringIO(file.read(end - start).decode("utf-8"))
        block = self._block(text, [self.names.index(name) for name in names], None, 0)
        return {name: block[:, i].copy() for i, name in enumerate(names)}

    def _block(self, file: TextIO, positions: list[int], rows: int | None, done: int) -> NDArray[Any]:
        """The next rows; every cell of the columns wanted must be a number."""
        import numpy as np

        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # no row is left: that is no fault
                return np.loadtxt(file, delimiter=self.delimiter, usecols=positions, max_rows=rows, ndmin=2, comments="#", quotechar='"')
        except (ValueError, UnicodeDecodeError):
            raise self._fault(positions, done) from None

    def _fault(self, positions: list[int], done: int) -> UsageError:
        """What is wrong after so many good rows."""
        try:
            self._look(positions, done)
        except UnicodeDecodeError:
            return UsageError(f"{self.path} is not UTF-8 text")
        except cells.TableError as error:
            return UsageError(f"{self.path} {error}")
        return UsageError(f"{self.path} is no table of numbers")

    def _look(self, positions: list[int], done: int) -> None:
        """Reads as `load` does, up to the first row that is none."""
        with self._open() as file:
            lines = cells.rows(file)
            header, _ = next(lines)
            for number, line in islice(lines, done, None):
                row = cells.split(line.rstrip("\r\n"), self.delimiter)
                if len(row) != len(self.names):
                    raise cells.ragged(number, len(row), header, len(self.names))
                for at in positions:
                    if not cells.is_number(row[at]):
                        raise cells.no_number(row[at], number, at + 1, self.names[at])


class Spool:
    """Columns that are gone through many times: parsed once, then read back from a temporary file without a name."""

    def __init__(self, table: Table, names: list[str], rows: int) -> None:
        self.table = table
        self.names = names
        self.rows = rows
        self._file: Any = None
        self._sizes: list[int] = []

    def __iter__(self) -> Iterator[Columns]:
        return self._parse() if self._file is None else self._read()

    def close(self) -> None:
        """Gives the temporary file back."""
        if self._file is not None:
            self._file.close()

    def _parse(self) -> Iterator[Columns]:
        file = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the spool
        sizes = []
        for columns in self.table.chunks(self.names, self.rows):
            for name in self.names:
                columns[name].tofile(file)
            sizes.append(len(columns[self.names[0]]))
            yield columns
        file.flush()
        self._file, self._sizes = file, sizes

    def _read(self) -> Iterator[Columns]:
        import numpy as np

        self._file.seek(0)
        for size in self._sizes:
            yield {name: np.fromfile(self._file, count=size) for name in self.names}
