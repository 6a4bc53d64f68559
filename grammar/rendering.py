"""Draws diagnostics as text: the user's own line with carets under it, or one line each."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from .record import Value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .diagnostic import Diagnostic, Label
    from .source import Source

Part = tuple[str, str]

# A source line longer than this is shown in part.
MAX_WIDTH = 160
CONTEXT = 60


class Mark(Value):
    """What stands under a source line: from column to just before end."""

    line: int
    column: int
    end: int
    text: str
    primary: bool


def render(diagnostic: Diagnostic, sources: Mapping[str, Source], style: str = "full") -> str:
    """A diagnostic as plain text; `style` is full, concise (one line) or github (a workflow command)."""
    if style == "concise":
        return concise(diagnostic)
    if style == "github":
        return github(diagnostic)
    return "".join(text for _, text in parts(diagnostic, sources))


def concise(diagnostic: Diagnostic) -> str:
    """`file:line:col: error[DG012]: message`."""
    return f"{_place(diagnostic)}error[{diagnostic.code}]: {shown(diagnostic.message)}"


def _place(diagnostic: Diagnostic) -> str:
    if diagnostic.file is None:
        return ""
    return f"{diagnostic.file}:{diagnostic.line}:{diagnostic.column}: " if diagnostic.line is not None else f"{diagnostic.file}: "


def github(diagnostic: Diagnostic) -> str:
    """The form that GitHub turns into an annotation."""
    where = [f"file={diagnostic.file}"] if diagnostic.file else []
    if diagnostic.line is not None:
        where += [
            f"line={diagnostic.line}",
            f"col={diagnostic.column}",
            f"endLine={diagnostic.end_line}",
            f"endColumn={diagnostic.end_column}",
        ]
    text = diagnostic.message if diagnostic.help is None else f"{diagnostic.message}\nhelp: {diagnostic.help}"
    escaped = shown(text, keep="\n").replace("%", "%25").replace("\n", "%0A")
    return f"::error {','.join([*where, f'title={diagnostic.code}'])}::{escaped}"


def parts(diagnostic: Diagnostic, sources: Mapping[str, Source]) -> list[Part]:
    """The full form in pieces with a role each: error, location, gutter, source, caret, label, help, plain."""
    out: list[Part] = [("error", f"error[{diagnostic.code}]"), ("plain", f": {shown(diagnostic.message)}\n")]
    marks, others = _marks(diagnostic)
    lines = [mark.line for mark in marks] + [label.line for label in others]
    width = len(str(max(lines, default=0)))
    if diagnostic.line is not None and diagnostic.file is not None and diagnostic.file in sources:
        out += _snippet(sources[diagnostic.file], marks, f"{diagnostic.file}:{diagnostic.line}:{diagnostic.column}", width)
    elif diagnostic.file is not None and diagnostic.line is not None:
        out += [("gutter", " " * width + "--> "), ("location", f"{diagnostic.file}:{diagnostic.line}:{diagnostic.column}\n")]
    for label in others:
        out += _other(label, sources, width)
    out += _stack(diagnostic, width)
    if diagnostic.help is not None:
        out += [("gutter", " " * width + " = "), ("help", f"help: {shown(diagnostic.help)}\n")]
    return out


def _marks(diagnostic: Diagnostic) -> tuple[list[Mark], list[Label]]:
    """The marks in the diagnostic's own file, by line, and the labels in other files."""
    if diagnostic.line is None:
        return [], diagnostic.labels
    same_line = diagnostic.end_line == diagnostic.line
    end = (diagnostic.end_column or 0) if same_line else 10**9
    marks = [Mark(diagnostic.line, diagnostic.column or 1, end, "", True)]
    others = []
    for label in diagnostic.labels:
        if label.file != diagnostic.file:
            others.append(label)
            continue
        end = label.end_column if label.end_line == label.line else 10**9
        marks.append(Mark(label.line, label.column, end, label.text, False))
    return sorted(marks, key=lambda m: (m.line, not m.primary)), others


def _snippet(source: Source, marks: list[Mark], location: str, width: int) -> list[Part]:
    blank = " " * width
    out: list[Part] = [("gutter", f"{blank}--> "), ("location", f"{location}\n"), ("gutter", f"{blank} |\n")]
    previous = None
    for number in sorted({mark.line for mark in marks}):
        here = [mark for mark in marks if mark.line == number]
        if previous is not None and number > previous + 1:
            out.append(("gutter", "...\n"))
        previous = number
        out += _line(source.line(number), number, here, width)
    out.append(("gutter", f"{blank} |\n"))
    return out


def _line(text: str, number: int, marks: list[Mark], width: int) -> list[Part]:
    text, shift, lead = _window(text, marks[0])
    out: list[Part] = [("gutter", f"{number:>{width}} | "), ("source", shown(lead + text, keep="\t") + "\n")]
    for mark in marks:
        column = max(mark.column - 1 - shift, 0)
        end = min(max(mark.end - 1 - shift, column + 1), max(len(text), column + 1))
        sign = "^" if mark.primary else "-"
        under = sign * max(cells(text[column:end]), 1)
        out += [("gutter", " " * width + " | "), ("plain", padding(lead + text[:column])), ("caret" if mark.primary else "label", under)]
        out.append(("label", f" {shown(mark.text)}\n" if mark.text else "\n"))
    return out


def _window(text: str, mark: Mark) -> tuple[str, int, str]:
    """A long line cut to the surroundings of a mark: the piece, where it begins, and what to show before it."""
    if len(text) <= MAX_WIDTH:
        return text, 0, ""
    start = max(0, mark.column - 1 - CONTEXT)
    piece = text[start : start + MAX_WIDTH] + ("…" if start + MAX_WIDTH < len(text) else "")
    return piece, start, "…" if start else ""


def _other(label: Label, sources: Mapping[str, Source], width: int) -> list[Part]:
    location = f"{label.file}:{label.line}:{label.column}"
    if label.file not in sources:
        return [("gutter", " " * width + "--> "), ("location", location), ("label", f": {shown(label.text)}\n")]
    mark = Mark(label.line, label.column, label.end_column if label.end_line == label.line else 10**9, label.text, False)
    return _snippet(sources[label.file], [mark], location, width)


def _stack(diagnostic: Diagnostic, width: int) -> list[Part]:
    out: list[Part] = []
    for frame in reversed(diagnostic.stack):
        times = f" (×{frame.count})" if frame.count > 1 else ""
        out += [
            ("gutter", " " * width + " = "),
            ("plain", f"in {frame.name}{times}, "),
            ("location", f"{frame.file}:{frame.line}:{frame.column}\n"),
        ]
    return out


def cells(text: str) -> int:
    """The width of text on a terminal (a tab counts as one cell: `padding` repeats it)."""
    return sum(_cell(character) for character in text)


def _cell(character: str) -> int:
    if character.isascii():
        return 1
    if unicodedata.combining(character) or unicodedata.category(character) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in {"W", "F"} else 1


def padding(text: str) -> str:
    """Blanks as wide as `text`, its tabs kept, so that what follows stands under the same column."""
    return "".join("\t" if character == "\t" else " " * _cell(character) for character in text)


def shown(text: str, keep: str = "") -> str:
    """Text without control characters, which could command a terminal."""
    if text.isprintable():
        return text
    return "".join(c if c in keep or c.isprintable() or unicodedata.category(c) not in {"Cc", "Cs"} else "�" for c in text)
