"""Strings: escapes, and the expressions in braces."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from .syntax import Expression, Mistake, Node

if TYPE_CHECKING:
    import ast

    from .emitter import Emitter
    from .scope import Scope

ESCAPES = {"n": "\n", "t": "\t", "\\": "\\", '"': '"'}
FORMAT = re.compile(r"(?:.?[<>=^])?[-+ ]?z?#?0?(?P<width>[0-9]+)?[,_]?(?:\.(?P<precision>[0-9]+))?(?P<type>[bdeEfFgGnoxX%]?)", re.DOTALL)
MAX_WIDTH = 1000


class Interpolation(Node):
    """`{value:format}` inside a string."""

    value: Expression
    format: str

    def check(self, scope: Scope) -> None:
        self.value.check(scope)


class String(Expression):
    """A string: pieces of text and interpolations in turn."""

    parts: list[str | Interpolation]

    @classmethod
    def build(cls, children: list[Any]) -> String:
        token = children[0]
        text = str(token)
        if "\\" not in text and "{" not in text and "}" not in text:
            return cls(token.start_pos, token.end_pos, [text[1:-1]])
        return cls(token.start_pos, token.end_pos, list(Reader(text, token.start_pos).parts()))

    @property
    def plain(self) -> str | None:
        """The text, where nothing is interpolated."""
        return "".join(p for p in self.parts if isinstance(p, str)) if all(isinstance(p, str) for p in self.parts) else None

    def check(self, scope: Scope) -> None:
        for part in self.parts:
            if isinstance(part, Interpolation):
                part.check(scope)

    def emit(self, emitter: Emitter) -> ast.expr:
        texts = emitter.values([self._part(part) for part in self.parts])
        return emitter.call("r_text", texts, self)

    def _part(self, part: str | Interpolation) -> Any:
        if isinstance(part, str):
            return lambda emitter: emitter.constant(part, self)
        return lambda emitter: emitter.call("r_format", [part.value.emit(emitter), emitter.constant(part.format, part)], part)


class Reader:
    """Takes a string's text apart. `text` includes the quotes; `base` is where it begins in the program."""

    def __init__(self, text: str, base: int) -> None:
        self.text = text
        self.base = base
        self.at = 1

    def parts(self) -> list[str | Interpolation]:
        """The pieces, neighbouring texts joined."""
        found: list[str | Interpolation] = []
        plain: list[str] = []
        while self.at < len(self.text) - 1:
            character = self.text[self.at]
            if character == "\\":
                plain.append(self._escape())
            elif character in "{}" and self.text[self.at + 1] == character:
                plain.append(character)
                self.at += 2
            elif character == "{":
                if plain:
                    found.append("".join(plain))
                    plain = []
                found.append(self._interpolation())
            elif character == "}":
                raise self._mistake("bad-string", "a '}' without its '{'", self.at, self.at + 1, "write }} for the character itself")
            else:
                plain.append(character)
                self.at += 1
        if plain or not found:
            found.append("".join(plain))
        return found

    def _escape(self) -> str:
        letter = self.text[self.at + 1]
        if letter not in ESCAPES:
            raise self._mistake("bad-string", f"unknown escape '\\{letter}'", self.at, self.at + 2, 'the escapes are \\n \\t \\\\ \\"')
        self.at += 2
        return ESCAPES[letter]

    def _interpolation(self) -> Interpolation:
        from .reader import read_solo

        opener = self.at
        colon, closer = self._extent(opener)
        inner = self.text[opener + 1 : colon]
        if not inner.strip():
            raise self._mistake("bad-string", "an empty { }", opener, closer + 1, "write {{ }} for the characters themselves")
        value = read_solo(inner, self.base + opener + 1)
        format = self.text[colon + 1 : closer] if colon < closer else ""
        self._check_format(format, colon + 1, closer)
        self.at = closer + 1
        return Interpolation(self.base + opener, self.base + closer + 1, value, format)

    def _extent(self, opener: int) -> tuple[int, int]:
        """Where the format's colon and the closing brace are (the same place where there is no format)."""
        depth = 0
        colon = 0
        for at in range(opener + 1, len(self.text) - 1):
            character = self.text[at]
            if character == "}" and depth <= 0:
                return colon or at, at
            if colon:
                if character == "{":
                    break
            elif character in "([":
                depth += 1
            elif character in ")]":
                depth -= 1
            elif character == ":" and depth <= 0:
                colon = at
            elif character in '{\\"':
                break
        raise self._mistake(
            "bad-string",
            "a '{' without its '}'",
            opener,
            opener + 1,
            "an expression in braces has no string and no braces in it; write {{ for the character itself",
        )

    def _check_format(self, format: str, start: int, end: int) -> None:
        match = FORMAT.fullmatch(format)
        if match is None:
            raise self._mistake("bad-format", f"'{format}' is no format for a number", start, end, "formats look like .3f, 8.2f, >10, e, d")
        for what in ("width", "precision"):
            if match[what] and (len(match[what]) > 4 or int(match[what]) > MAX_WIDTH):
                raise self._mistake("bad-format", f"the {what} of a format is at most {MAX_WIDTH}", start, end)
        if match["type"] in tuple("bdoxXn") and match["precision"]:
            raise self._mistake("bad-format", f"the format {match['type']} takes no precision", start, end)

    def _mistake(self, kind: str, message: str, start: int, end: int, help: str | None = None) -> Mistake:
        return Mistake(kind, message, self.base + start, self.base + max(end, start + 1), help)
