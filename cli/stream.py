"""Streams that say what could not be written, where Python's own raise an OSError like any other."""

from __future__ import annotations

from typing import Any, TextIO


class Unwritable(Exception):
    """Output that cannot be written."""

    def __init__(self, name: str, error: OSError | None) -> None:
        reason = "it is closed" if error is None else (error.strerror or str(error)).lower()
        super().__init__(f"cannot write {name}: {reason}")


class Stream:
    """A stream and what it is called in a message. That the reader of a pipe went away is no fault, and stays what it is."""

    def __init__(self, stream: TextIO | None, name: str) -> None:
        self.stream = stream  # Python has none where the process was started without
        self.name = name

    def __getattr__(self, attribute: str) -> Any:
        return getattr(self.stream, attribute)

    def isatty(self) -> bool:
        return self.stream is not None and self.stream.isatty()

    def write(self, text: str) -> int:
        if self.stream is None:
            raise Unwritable(self.name, None)
        try:
            return self.stream.write(text)
        except OSError as error:
            raise self.fault(error) from None

    def writelines(self, lines: Any) -> None:
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        try:
            if self.stream is not None:
                self.stream.flush()
        except OSError as error:
            raise self.fault(error) from None

    def close(self) -> None:
        try:
            if self.stream is not None:
                self.stream.close()
        except OSError as error:
            raise self.fault(error) from None

    def fault(self, error: OSError) -> Exception:
        """What is raised for it."""
        return error if isinstance(error, BrokenPipeError) else Unwritable(self.name, error)


class Messages(Stream):
    """stderr: where it cannot be written, there is nobody left to tell."""

    def write(self, text: str) -> int:
        try:
            return super().write(text)
        except Unwritable:
            return len(text)

    def flush(self) -> None:
        try:
            super().flush()
        except Unwritable:
            pass
