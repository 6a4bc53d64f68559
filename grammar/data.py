"""Reading and writing data files: load and save."""

from __future__ import annotations

import os
import stat
import sys
from typing import IO, TYPE_CHECKING, Any

from dagrad.engine import EngineError, Tensor, untracked

from .names import closest
from .values import format_number, kind_of
from .words import plural

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
    """A matrix of all cells, or the vector of one column."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise EngineError(f"{name} is not UTF-8 text", kind="file") from None
    from .cells import TableError

    try:
        return _table(text, name, column)
    except TableError as error:
        raise EngineError(f"{name} {error}", kind="file") from None


def _table(text: str, name: str, column: Any) -> Any:
    import numpy as np

    from . import cells

    lines = list(cells.rows(text.splitlines()))
    if not lines:
        raise cells.TableError("is empty")
    mark = cells.separator(lines[0][1])
    rows = [(number, cells.split(line, mark)) for number, line in lines]
    first, names = rows[0]
    header = names if cells.is_header(names) else None
    body = rows[1:] if header else rows
    width = len(names)
    for number, row in body:
        if len(row) != width:
            raise cells.ragged(number, len(row), first, width)
    chosen = range(width) if column is None else [_column(column, header, width, name)]
    for number, row in body:
        for at in chosen:
            if not cells.is_number(row[at]):
                raise cells.no_number(row[at], number, at + 1, header[at] if header else None)
    table = np.array([[float(row[at]) for at in chosen] for _, row in body], dtype=float).reshape(len(body), len(chosen))
    return untracked(table if column is None else table[:, 0].copy())


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
            f"{name} has {plural(width, 'column')}; there is no column {format_number(column)}", kind="index", help="columns count from 0"
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
