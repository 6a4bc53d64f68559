"""The words of the language for highlighters: pieces of text with a role, and the same rules as a TextMate grammar."""

from __future__ import annotations

import functools
import json
import os
import re
from typing import TYPE_CHECKING, Any

from .builtins import CONSTANTS, signatures

if TYPE_CHECKING:
    from collections.abc import Iterator

KEYWORDS = (
    "param", "input", "def", "return", "if", "elif", "else", "for", "in", "while", "break", "continue", "and", "or", "not", "no_grad",
    "assert", "import",
)  # fmt: skip
TEXTMATE = os.path.join(os.path.dirname(__file__), "dagrad.tmLanguage.json")

# Role, TextMate's name for it, and what it looks like; the first that fits counts. The words are filled in below.
RULES = [
    ("comment", "comment.line.number-sign.dagrad", r"#[^\n]*"),
    ("string", "string.quoted.double.dagrad", r'"(?:[^"\\\n]|\\.)*"?'),
    ("number", "constant.numeric.dagrad", r"(?<![\w.])(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)(?:[eE][+-]?[0-9]+)?(?![\w.])"),
    ("keyword", "keyword.control.dagrad", r"\b(?:{keywords})\b"),
    ("constant", "constant.language.dagrad", r"\b(?:{constants})\b"),
    ("attribute", "variable.other.property.dagrad", r"(?<=\.)(?:{attributes})\b(?!\s*\()"),
    ("builtin", "support.function.builtin.dagrad", r"\b(?:{builtins})\b(?=\s*\(|')"),
    ("function", "entity.name.function.dagrad", r"\b[^\W\d]\w*(?=\s*\(|')"),
    ("variable", "variable.other.dagrad", r"\b[^\W\d]\w*"),
    ("operator", "keyword.operator.dagrad", r"\*\*=?|//=?|[-+*/%@^<>=!]=|[-+*/%@^<>='.:]"),
]
NAMED = ("variable", "operator")  # which editors leave plain


def highlighted(text: str) -> Iterator[tuple[str, str]]:
    """The text in pieces, each with its role; "plain" for what has none."""
    at = 0
    for match in _pattern().finditer(text):
        if match.start() > at:
            yield "plain", text[at : match.start()]
        yield match.lastgroup or "plain", match[0]
        at = match.end()
    if at < len(text):
        yield "plain", text[at:]


@functools.cache
def _pattern() -> re.Pattern[str]:
    return re.compile("|".join(f"(?P<{role}>{_filled(pattern)})" for role, _, pattern in RULES))


def _filled(pattern: str) -> str:
    from .postfix import ATTRIBUTES

    words = {"keywords": KEYWORDS, "constants": [*CONSTANTS, "true", "false"], "attributes": ATTRIBUTES, "builtins": builtin_names()}
    for name, listed in words.items():
        pattern = pattern.replace(f"{{{name}}}", "|".join(listed))
    return pattern


@functools.cache
def builtin_names() -> list[str]:
    """The builtin functions."""
    return sorted(signatures())


def textmate() -> str:
    """The TextMate grammar, as editors read it."""
    rules: list[dict[str, Any]] = [{"name": name, "match": _filled(pattern)} for role, name, pattern in RULES if role not in NAMED]
    braces = {"name": "meta.interpolation.dagrad", "begin": r"\{(?!\{)", "end": r"\}", "patterns": [{"include": "#expression"}]}
    escapes = {"name": "constant.character.escape.dagrad", "match": r'\\[nt\\"]|\{\{|\}\}'}
    string = {"name": RULES[1][1], "begin": '"', "end": '"|$', "patterns": [escapes, braces]}
    plain = [rule for rule in rules if rule["name"] != RULES[1][1]]
    document = {
        "name": "dagrad",
        "scopeName": "source.dagrad",
        "fileTypes": ["dg"],
        "firstLineMatch": r"^#!.*\bdagrad\b",
        "patterns": [{"include": "#expression"}],
        "repository": {"expression": {"patterns": [string, *plain]}},
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def write_textmate(path: str = TEXTMATE) -> None:
    """Writes the grammar's file anew; `python -m dagrad.grammar` calls it."""
    with open(path, "w", encoding="utf-8") as file:
        file.write(textmate())
