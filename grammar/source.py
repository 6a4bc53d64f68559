"""A program's text, its name, and the arithmetic of lines and columns."""

from __future__ import annotations

import bisect
import os
import unicodedata

from .diagnostic import DagradError, Diagnostic
from .record import Value

LARGEST = 64 * 2**20  # bytes of a program; a device file has no end


class Span(Value):
    """A stretch of a source, from line and column to just before the end column; both count from 1."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int


class Source:
    """The text of a program as it is shown (`name`), with the folder that relative paths in it start from."""

    def __init__(self, name: str, text: str, folder: str = "") -> None:
        self.name = name
        self.text = normal_lines(text)
        self.folder = folder
        self._starts = [0]
        for line in self.text.split("\n"):
            self._starts.append(self._starts[-1] + len(line) + 1)

    @classmethod
    def read(cls, path: str) -> Source:
        """The file at `path`; a DagradError of the kind "file" where there is no readable text."""
        name = os.fspath(path)
        try:
            with open(name, "rb") as file:
                data = file.read(LARGEST + 1)
        except OSError as error:
            raise unreadable(
                name, "is a folder, not a program" if os.path.isdir(name) else (error.strerror or str(error)).lower()
            ) from None
        if len(data) > LARGEST and b"\0" not in data[:1000]:
            raise unreadable(name, f"is larger than {LARGEST >> 20} MiB, the most that a program may be")
        return cls(name, decode(data, name), os.path.dirname(name))

    @property
    def lines(self) -> int:
        """The number of lines."""
        return len(self._starts) - 1

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of a place in the text, both from 1, in code points."""
        line = min(bisect.bisect_right(self._starts, offset), len(self._starts) - 1)
        return line, offset - self._starts[line - 1] + 1

    def offset(self, line: int, column: int) -> int:
        """The place in the text of a line and column."""
        return self._starts[line - 1] + column - 1

    def span(self, start: int, end: int) -> Span:
        """The stretch between two offsets; an empty one is widened so that a caret fits under it."""
        line, column = self.position(start)
        end_line, end_column = self.position(max(end, start + 1))
        if end_column == 1 and end_line > line:  # a stretch never reaches into the next line only by its newline
            end_line, end_column = line, self._starts[line] - self._starts[line - 1] + 1
        return Span(self.name, line, column, end_line, max(end_column, column + 1) if end_line == line else end_column)

    def line(self, number: int) -> str:
        """The text of a line without its end; "" past the end."""
        if not 1 <= number < len(self._starts):
            return ""
        return self.text[self._starts[number - 1] : self._starts[number] - 1]


def decode(data: bytes, name: str) -> str:
    """The text of a program file, which must be UTF-8 without NUL bytes."""
    if b"\0" in data:
        raise unreadable(name, "is binary, not text")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise unreadable(name, f"is not UTF-8 text (byte {error.start + 1}, line {line})") from None


def normal_lines(text: str) -> str:
    """The text without a byte order mark and with one kind of line end."""
    text = text.removeprefix("\ufeff")
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def normal_name(name: str) -> str:
    """A name in the form in which names are compared: two spellings of é are one."""
    return name if name.isascii() else unicodedata.normalize("NFC", name)


def unreadable(name: str, why: str) -> DagradError:
    """The error for a program file that cannot be used."""
    text = f"{name} {why}" if why.startswith("is ") else f"cannot read {name}: {why}"
    return DagradError([Diagnostic("unreadable-file", text, file=name)])
