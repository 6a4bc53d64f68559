"""The only place that knows the terminal: results on stdout, everything else on stderr, painted by Rich where a person reads.

Rich is imported when something is drawn on a terminal: off one, lines are written as they are, without boxes, escapes or wrapping.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TextIO

from .status import Exit, Failure, UsageError
from .stream import Stream, Unwritable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from dagrad.grammar import Diagnostic, Source

    from .parameters import File

STYLES = {
    "error": "bold red",
    "code": "bold red",
    "warning": "yellow",
    "location": "cyan",
    "gutter": "blue",
    "caret": "bold red",
    "label": "blue",
    "help": "green",
    "name": "cyan",
    "dim": "bright_black",
    "keyword": "magenta",
    "constant": "magenta",
    "builtin": "cyan",
    "number": "yellow",
    "string": "green",
    "comment": "bright_black",
}


def wants_color(stream: TextIO, choice: str, environment: Mapping[str, str]) -> bool:
    """--color decides, then NO_COLOR, FORCE_COLOR (0: off), TERM=dumb, and last whether the stream is a terminal."""
    if choice != "auto":
        return choice == "always"
    if environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR"):
        return environment["FORCE_COLOR"] != "0"
    return environment.get("TERM") != "dumb" and stream.isatty()


class Screen:
    """Where a command's answer goes, in the form that was asked for."""

    def __init__(
        self, *, json: bool = False, color: str = "auto", error_format: str = "full", output: File | None = None, quiet: bool = False
    ) -> None:
        self.command = ""  # as in the document: "graph dump"
        self.json = json
        self.color = color
        self.error_format = error_format
        self.quiet = quiet
        self._file = None if output is None else self._open(output)
        self._begun = False
        self.err = sys.stderr

    @staticmethod
    def _open(file: File) -> Any:
        if not file:
            raise UsageError("-o '': an empty file name")
        try:
            return Stream(file.path.open("a", encoding="utf-8"), str(file.path))
        except (OSError, ValueError) as error:
            raise UsageError(f"cannot write {file.path}: {getattr(error, 'strerror', None) or error}") from None

    @property
    def out(self) -> Any:
        """Where results go. A file is emptied when the first of them comes, unless it is continued."""
        if self._file is None:
            return sys.stdout
        if not self._begun:
            self._begun = True
            with contextlib.suppress(OSError):  # a device has nothing to empty
                self._file.truncate(0)
        return self._file

    def keep(self) -> None:
        """What the file of -o holds stays; results are added to it."""
        self._begun = True

    @property
    def is_terminal(self) -> bool:
        """Whether a person reads the results: tables are drawn then, lines written otherwise."""
        return bool(self.out.isatty())

    # results -------------------------------------------------------------------------------------------------------

    def line(self, text: str) -> None:
        """One line (or a text of several) of the answer, as it is."""
        self.out.write(text + "\n")

    def table(self, columns: Sequence[str], rows: Iterable[Sequence[str]], *, title: str | None = None) -> None:
        """A table on a terminal; elsewhere the cells of a row, joined by tabs."""
        rows = list(rows)
        if not self.is_terminal:
            for row in rows:
                self.line("\t".join(row))
        elif rows:
            self._draw_table(columns, rows, title)

    def document(self, **fields: Any) -> None:
        """The answer as one JSON document."""
        from . import document

        self.line(document.dump(self.command, True, fields))

    def close(self) -> None:
        """Everything is on its way to its reader."""
        self.out.flush()
        self.err.flush()
        if self._file is not None:
            self._file.close()

    def unwritable(self, error: Unwritable) -> Exit:
        """Says that results could not be written; nothing more is tried."""
        from dagrad.grammar import Diagnostic

        failure = Failure([Diagnostic("file", str(error))])
        self._diagnostics(failure.diagnostics, {})
        return failure.exit

    def _draw_table(self, columns: Sequence[str], rows: Sequence[Sequence[str]], title: str | None) -> None:
        from rich import box
        from rich.table import Table
        from rich.text import Text

        table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
        for position, column in enumerate(columns):
            table.add_column(column, style=STYLES["name"] if position == 0 else None, overflow="fold")
        for row in rows:
            table.add_row(*(Text(cell) for cell in row))
        self._console(self.out).print(table)

    # messages ------------------------------------------------------------------------------------------------------

    def note(self, text: str) -> None:
        """A remark beside the results."""
        if not self.quiet:
            self.err.write(text + "\n")

    @property
    def is_watched(self) -> bool:
        """Whether a person sees stderr while the command runs."""
        return self.err.isatty() and not self.quiet and os.environ.get("TERM") != "dumb"

    def progress(self, text: str) -> None:
        """A line on stderr that the next one overwrites; an empty one wipes it."""
        import shutil

        width = shutil.get_terminal_size().columns - 1
        self.err.write(f"\r{text[:width]}\x1b[K")
        self.err.flush()

    def failure(self, failure: Failure) -> Exit:
        """Reports a failure: the text on stderr, with --json the document on stdout as well. Returns the exit code."""
        try:
            if self.json:
                from . import document

                errors = [diagnostic.as_json() for diagnostic in failure.diagnostics]
                self.line(document.dump(self.command, False, {**failure.document, "error": errors[0], "errors": errors}))
            self.out.flush()  # what the program printed comes before what became of it
        finally:
            self._diagnostics(failure.diagnostics, failure.sources)
        return failure.exit

    def _diagnostics(self, diagnostics: Sequence[Diagnostic], sources: Mapping[str, Source]) -> None:
        from dagrad.grammar import parts, render

        if self.error_format == "json":
            from . import document

            self.err.write(document.text([diagnostic.as_json() for diagnostic in diagnostics]) + "\n")
            return
        for diagnostic in diagnostics:
            if self.error_format == "full" and wants_color(self.err, self.color, os.environ):
                self._paint(parts(diagnostic, sources))
            else:
                self.err.write(render(diagnostic, sources, self.error_format).rstrip("\n") + "\n")

    def _paint(self, pieces: Iterable[tuple[str, str]]) -> None:
        from rich.text import Text

        from dagrad.grammar import highlighted

        text = Text()
        for role, piece in pieces:
            for part, painted in highlighted(piece) if role == "source" else [(role, piece)]:
                text.append(painted, STYLES.get(part, ""))
        self._print_unwrapped(text)

    def _print_unwrapped(self, text: Text) -> None:
        """Carets must stand under their text, so no line is folded."""
        text.rstrip()
        self._console(self.err).print(text, soft_wrap=True)

    def _console(self, stream: TextIO) -> Console:
        """A console that only draws: whether and how to colour was decided here, not by the environment."""
        from rich.console import Console

        painted = wants_color(stream, self.color, os.environ)
        return Console(
            file=stream,
            force_terminal=painted,
            color_system="auto" if painted else None,
            no_color=not painted,
            markup=False,
            highlight=False,
            emoji=False,
            legacy_windows=False,
        )
