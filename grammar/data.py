"""Reading and writing data files: load and save."""

from __future__ import annotations

import os
import stat
import sys
from typing import IO, TYPE_CHECKING, Any

from dagrad.engine import EngineError, Tensor, untracked

from .names import closest
from .values import format_number, kind_of

if TYPE_CHECKING:
    from .source import Source


def load(path: Any, column: Any, source: Source) -> Any:
    """The data in a csv, npy or npz file, "-" for standard input; paths are relative to the file that names them."""
    name = _path_of(path)
    if name == "-":
        if source.name in {"-", "<stdin>"}:
            raise EngineError(
                'load("-") in a program that is itself read from standard input', kind="stdin", help="write the program into a file"
            )
        return _csv(sys.stdin.buffer.read(), "<stdin>", column)
    full = os.path.join(source.folder, name)
    try:
        with plain_file(full, name) as file:
            if name.lower().endswith((".npy", ".npz")):
                return _numpy(file, name, column)
            return _csv(file.read(os.fstat(file.fileno()).st_size), name, column)  # no more than it had: it may be growing
    except OSError as error:
        raise EngineError(f"cannot read {name}: {(error.strerror or str(error)).lower()}", kind="file") from None


def _path_of(path: Any) -> str:
    if not isinstance(path, str):
        raise EngineError(f"a file name is a string, not {kind_of(path)}", kind="type")
    if not path or "\0" in path:
        raise EngineError("an empty file name" if not path else "a file name with a NUL character", kind="file")
    return str(path)


def plain_file(full: str, name: str) -> IO[bytes]:
    """An open file; a device or a pipe, which might never end, is refused without waiting for it."""
    file = open(os.open(full, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)), "rb")  # noqa: SIM115
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise EngineError(f"{name} is no plain file", kind="file", help='load("-") reads standard input')
    return file


def _numpy(file: IO[bytes], name: str, column: Any) -> Any:
    import numpy as np

    if file.read(6) not in {b"\x93NUMPY", b"PK\x03\x04\x14\x00", b"PK\x03\x04-\x00"}:
        raise EngineError(f"{name} is no file of NumPy arrays", kind="file")
    file.seek(0)
    try:
        found = np.load(file, allow_pickle=False)
        if hasattr(found, "files"):
            with found:
                found = _member(found, name, column)
        elif column is not None:
            raise EngineError(f"{name} holds one array, which has no name", kind="file")
    except (ValueError, EOFError) as error:
        why = "it holds Python objects" if "pickle" in str(error) else (str(error).splitlines() or ["it is damaged"])[0].lower()
        raise EngineError(f"{name} is no file of numbers: {why}", kind="file") from None
    if found.dtype.kind not in "biuf":
        raise EngineError(f"{name} holds {found.dtype} values, no numbers", kind="file")
    return tensor(found)


def _member(archive: Any, name: str, column: Any) -> Any:
    names = list(archive.files)
    if column is None:
        if len(names) == 1:
            return archive[names[0]]
        raise EngineError(
            f"{name} holds several arrays: {', '.join(names)}", kind="file", help=f'load("{name}", "{names[0] if names else "name"}")'
        )
    if str(column) not in names:
        raise EngineError(f"{name} holds no array '{column}'; it has {', '.join(names)}", kind="file")
    return archive[str(column)]


def tensor(array: Any) -> Any:
    """An array as a value of the language."""
    return float(array) if array.ndim == 0 else untracked(array.astype(float))


def _csv(data: bytes, name: str, column: Any) -> Any:
    import numpy as np

    rows = _rows(data, name)
    header = _header(rows)
    body = rows[1:] if header else rows
    width = len(rows[0][1])
    for number, cells in body:
        if len(cells) != width:
            raise EngineError(f"{name} row {number} has {len(cells)} cells, row {rows[0][0]} has {width}", kind="file")
    if column is None:
        table = [[_number(cell, name, number, i + 1, header) for i, cell in enumerate(cells)] for number, cells in body]
        return untracked(np.array(table, dtype=float).reshape(len(body), width))
    chosen = _column(column, header, width, name)
    return untracked(np.array([_number(cells[chosen], name, number, chosen + 1, header) for number, cells in body], dtype=float))


def _rows(data: bytes, name: str) -> list[tuple[int, list[str]]]:
    """The rows that are not blank or comments, with their line numbers."""
    import csv

    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise EngineError(f"{name} is not UTF-8 text", kind="file") from None
    lines = text.splitlines()
    delimiter = _delimiter(lines)
    kept = [(i, line) for i, line in enumerate(lines, 1) if line.strip() and not line.lstrip().startswith("#")]
    if not kept:
        raise EngineError(f"{name} is empty", kind="file")
    try:
        if delimiter is None:
            return [(i, line.split()) for i, line in kept]
        return [(i, [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter))]) for i, line in kept]
    except csv.Error as error:
        raise EngineError(f"{name} is no table: {error}", kind="file") from None


def _delimiter(lines: list[str]) -> str | None:
    """Comma, semicolon or tab, whichever the first row has; None for spaces."""
    first = next((line for line in lines if line.strip() and not line.lstrip().startswith("#")), "")
    for delimiter in ",;\t":
        if delimiter in first:
            return delimiter
    return None if " " in first.strip() else ","


def _header(rows: list[tuple[int, list[str]]]) -> list[str] | None:
    """The first row, where no cell of it is a number (an empty cell decides nothing)."""
    cells = rows[0][1]
    return cells if any(cells) and not any(_is_number(cell) for cell in cells if cell) else None


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell


def _number(cell: str, name: str, row: int, column: int, header: list[str] | None) -> float:
    if _is_number(cell):
        return float(cell)
    where = f"{name} row {row}, column {column}" + (f" ({header[column - 1]})" if header else "")
    raise EngineError(f"{where}: {'the cell is empty' if not cell else repr(cell) + ' is not a number'}", kind="file")


def _column(column: Any, header: list[str] | None, width: int, name: str) -> int:
    """The position of a column that is given by name or by number from 0."""
    if isinstance(column, str):
        if header is None:
            raise EngineError(
                f"{name} has no header row, so no column '{column}'", kind="file", help="give the number of the column, from 0"
            )
        if column in header:
            return header.index(column)
        near = closest(column, header)
        raise EngineError(
            f"{name} has no column '{column}'; it has {', '.join(header)}", kind="file", help=f"did you mean '{near}'?" if near else None
        )
    if not isinstance(column, (float, int)) or column != int(column):
        raise EngineError(f"a column is a name or a whole number, not {kind_of(column)}", kind="type")
    number = int(column)
    if not -width <= number < width:
        raise EngineError(
            f"{name} has {width} columns; there is no column {format_number(column)}", kind="index", help="columns count from 0"
        )
    return number % width


def save(path: Any, x: Any, allowed: str | None) -> None:
    """Writes a number or tensor to a .npy or .csv file inside the folder that --allow-write names."""
    name = _path_of(path)
    if allowed is None:
        raise EngineError(f"save is not allowed to write {name}", kind="file", help="allow it with --allow-write DIR")
    folder = os.path.realpath(allowed)
    full = os.path.realpath(os.path.join(folder, name))
    if os.path.commonpath([folder, full]) != folder:
        raise EngineError(
            f"save may write only inside {allowed}, and {name} is outside", kind="file", help="--allow-write DIR names the folder"
        )
    if not isinstance(x, (float, int, Tensor)):
        raise EngineError(f"save writes numbers and tensors, not {kind_of(x)}", kind="type")
    import numpy as np

    array = np.asarray(x.data if isinstance(x, Tensor) else x, dtype=float)
    try:
        if name.lower().endswith(".csv"):
            _write_csv(full, array, name)
        elif name.lower().endswith(".npy"):
            np.save(full, array, allow_pickle=False)
        else:
            raise EngineError(f"save writes .npy and .csv files, not {name}", kind="file")
    except OSError as error:
        raise EngineError(f"cannot write {name}: {(error.strerror or str(error)).lower()}", kind="file") from None


def _write_csv(full: str, array: Any, name: str) -> None:
    if array.ndim > 2:
        raise EngineError(f"a csv file holds a vector or a matrix, not shape {array.shape}", kind="shape")
    rows = array.reshape(-1, 1) if array.ndim < 2 else array
    with open(full, "w", encoding="utf-8", newline="\n") as file:
        file.writelines(",".join(format_number(x) for x in row) + "\n" for row in rows.tolist())
