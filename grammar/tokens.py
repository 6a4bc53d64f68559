"""The tokens of a program: words with their kind and their place."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from re import Pattern


class Token(str):
    """A piece of the program's text: its kind, by the name of the terminal in dagrad.lark, and where it begins and ends."""

    __slots__ = ("end_pos", "start_pos", "type")

    type: str
    start_pos: int
    end_pos: int

    def __new__(cls, kind: str, text: str, start: int, end: int) -> Token:
        token = str.__new__(cls, text)
        token.type = kind
        token.start_pos = start
        token.end_pos = end
        return token

    @classmethod
    def at(cls, kind: str, text: str, place: Token) -> Token:
        """A token that stands where another one does."""
        return cls(kind, text, place.start_pos, place.end_pos)


def scan(text: str, pattern: Pattern[str], keywords: Mapping[str, str], skipped: frozenset[str]) -> Iterator[Token]:
    """The tokens of `text`. Every character belongs to one: what the language does not know is of a kind of its own."""
    for found in pattern.finditer(text):
        kind: str = found.lastgroup  # type: ignore[assignment]  # each alternative of the pattern is a group
        if kind in skipped:
            continue
        word = found[0]
        if kind == "NAME":
            kind = keywords.get(word, kind)
        yield Token(kind, word, *found.span())
