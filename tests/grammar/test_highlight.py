"""Roles of pieces of text, the TextMate grammar, the Pygments lexer."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from dagrad.grammar import highlighted
from dagrad.grammar.build import GRAMMAR
from dagrad.grammar.highlight import KEYWORDS, TEXTMATE, textmate


@pytest.mark.parametrize(
    ("text", "role", "piece"),
    [
        ("x = 1 # note", "comment", "# note"),
        ('print("# no")', "string", '"# no"'),
        ("y = 1_000.5e-3", "number", "1_000.5e-3"),
        ("no_grad { }", "keyword", "no_grad"),
        ("y = pi", "constant", "pi"),
        ("y = sin(x)", "builtin", "sin"),
        ("y = f'(x)", "function", "f"),
        ("y = sin", "variable", "sin"),
        ("y = w.grad", "attribute", "grad"),
        ("y = θ", "variable", "θ"),
        ("inner = 1", "variable", "inner"),
    ],
)
def test_roles(text, role, piece):
    assert (role, piece) in list(highlighted(text))
    assert "".join(found for _, found in highlighted(text)) == text


def test_every_word_of_the_grammar_is_a_keyword():
    words = set(re.findall(r'^[A-Z_]+: "([a-z_]+)"', Path(GRAMMAR).read_text("utf-8"), re.M))
    assert words == {*KEYWORDS, "true", "false"}


def test_the_textmate_grammar_is_fresh():
    assert Path(TEXTMATE).read_text("utf-8") == textmate(), "python -m dagrad.grammar makes it anew"
    for rule in json.loads(textmate())["repository"]["expression"]["patterns"]:
        re.compile(rule.get("match", rule.get("begin")))


def test_pygments():
    pytest.importorskip("pygments")
    from pygments.token import Keyword, Name

    from dagrad.cli.lexer import DagradLexer

    found = list(DagradLexer().get_tokens("if x { y = sin(1) }\n"))
    assert (Keyword, "if") in found
    assert (Name.Builtin, "sin") in found
