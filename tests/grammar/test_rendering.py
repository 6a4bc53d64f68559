"""Diagnostics as text: carets under what is meant, nothing that could command a terminal."""

from __future__ import annotations

import unicodedata

import pytest

from dagrad.grammar import Diagnostic, Label, Source, render
from dagrad.grammar.rendering import parts


def cells(text: str) -> int:
    """The width of text on a terminal, with tab stops every eight cells."""
    width = 0
    for c in text:
        if c == "\t":
            width += 8 - width % 8
        elif not unicodedata.combining(c) and unicodedata.category(c) not in ("Mn", "Me", "Cf"):
            width += 2 if unicodedata.east_asian_width(c) in "WF" else 1
    return width


@pytest.mark.parametrize(
    "line",
    [
        "y = lenght",
        "\ty = lenght",
        's = "数学和汉字"; y = lenght',
        "é = 1; y = lenght",
        "ﬁ\u200b = 1; y = lenght",
        "#" * 3 + "x" * 300 + " lenght",
    ],
)
def test_carets_stand_under_the_word(line):
    text = f"x = 1\n{line}\n"
    column = line.index("lenght") + 1
    found = Diagnostic("unknown-name", "unknown name 'lenght'", "t.dg", 2, column, 2, column + 6)
    shown = render(found, {"t.dg": Source("t.dg", text)}).splitlines()
    at = next(i for i, row in enumerate(shown) if "lenght" in row and "|" in row)
    assert cells(shown[at][: shown[at].index("lenght")]) == cells(shown[at + 1][: shown[at + 1].index("^")])
    assert shown[at + 1].count("^") == 6
    assert max(map(len, shown)) < 220


def test_full_form():
    source = Source("t.dg", "a = 1\nb = 2\nc = (3\nd = 4\n")
    found = Diagnostic("freed", "no", "t.dg", 3, 5, 3, 7, help="do", labels=[Label("t.dg", 1, 1, 1, 2, "here")])
    assert render(found, {"t.dg": source}) == (
        "error[DG047]: no\n --> t.dg:3:5\n  |\n1 | a = 1\n  | - here\n...\n3 | c = (3\n  |     ^^\n  |\n  = help: do\n"
    )


def test_short_forms():
    found = Diagnostic("freed", "no", "t.dg", 3, 5, 3, 7, help="50% of it")
    assert render(found, {}, "concise") == "t.dg:3:5: error[DG047]: no"
    assert render(found, {}, "github") == "::error file=t.dg,line=3,col=5,endLine=3,endColumn=7,title=DG047::no%0Ahelp: 50%25 of it"
    assert render(Diagnostic("setting", "wrong"), {}, "concise") == "error[DG071]: wrong"


def test_control_characters_are_not_passed_on():
    source = Source("t.dg", "x = \x1b[31m\x07")
    found = Diagnostic("bad-character", "unexpected '\x1b'", "t.dg", 1, 5, 1, 6)
    for style in ("full", "concise", "github"):
        assert "\x1b" not in render(found, {"t.dg": source}, style)


def test_pieces_join_to_the_full_form():
    source = Source("t.dg", "y = x\n")
    found = Diagnostic("unknown-name", "unknown name 'x'", "t.dg", 1, 5, 1, 6)
    pieces = parts(found, {"t.dg": source})
    assert "".join(text for _, text in pieces) == render(found, {"t.dg": source})
    assert {role for role, _ in pieces} <= {"error", "location", "gutter", "source", "caret", "label", "help", "plain"}


def test_an_error_as_json():
    data = Diagnostic("freed", "no", "t.dg", 3, 5, 3, 7, labels=[Label("t.dg", 1, 1, 1, 2, "here")]).as_json()
    assert list(data) == ["code", "kind", "message", "file", "line", "column", "end_line", "end_column", "help", "labels", "stack"]
    assert data["labels"][0]["text"] == "here"
