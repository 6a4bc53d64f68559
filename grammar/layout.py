"""Where statements end: newlines and semicolons become _END tokens, or nothing where the line goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .tokens import Token

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# A line that ends in one of these goes on in the next one.
CONTINUES = frozenset({"SIGN", "PRODUCT", "POWER", "COMPARE", "AND", "OR", "COMMA", "LBRACE"})
OPENERS = {"LPAR": "RPAR", "LSQB": "RSQB", "LBRACE": "RBRACE"}
CLOSERS = {closer: opener for opener, closer in OPENERS.items()}

MAX_NESTING = 20_000


class TooDeep(Exception):
    """More open brackets than MAX_NESTING; `token` is the one too many."""

    def __init__(self, token: Token) -> None:
        super().__init__()
        self.token = token


class Layout:
    """Stands between the tokens and the parser. It keeps no state between calls: a string's expressions are parsed within a parse."""

    def process(self, tokens: Iterable[Token]) -> Iterator[Token]:
        """The same tokens, with the ends of statements marked."""
        brackets: list[str] = []  # the closers that are due
        before = ""
        end: Token | None = None  # a line end that counts unless the next token says otherwise
        for token in tokens:
            kind = token.type
            if kind == "NEWLINE":
                if end is None and before not in CONTINUES and not (brackets and brackets[-1] != "RBRACE"):
                    end = token
                continue
            if kind == "SEMICOLON" and not (brackets and brackets[-1] != "RBRACE"):
                end = token
                continue
            if end is None and before == "RBRACE":
                end = Token("NEWLINE", "", token.start_pos, token.start_pos)
            if end is not None:
                if kind == "RBRACE" or (end.type == "NEWLINE" and (kind == "ELSE" or kind == "ELIF")):
                    pass
                else:
                    yield Token.at("_END", str(end), end)
                end = None
            if kind in OPENERS:
                brackets.append(OPENERS[kind])
                if len(brackets) > MAX_NESTING:
                    raise TooDeep(token)
            elif brackets and kind == brackets[-1]:
                brackets.pop()
            before = kind
            yield token
