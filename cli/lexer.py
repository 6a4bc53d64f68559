"""The language for Pygments, which finds it as `dagrad` and by the ending .dg: documentation tools and the interactive session."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pygments.lexer import Lexer
from pygments.token import Comment, Keyword, Name, Number, Operator, String, Text, _TokenType

from dagrad.grammar import highlighted

if TYPE_CHECKING:
    from collections.abc import Iterator

TOKENS: dict[str, _TokenType] = {
    "comment": Comment.Single,
    "string": String.Double,
    "number": Number,
    "keyword": Keyword,
    "constant": Keyword.Constant,
    "attribute": Name.Attribute,
    "builtin": Name.Builtin,
    "function": Name.Function,
    "variable": Name,
    "operator": Operator,
    "plain": Text,
}


class DagradLexer(Lexer):  # type: ignore[misc]
    """Programs of dagrad."""

    name = "dagrad"
    aliases: ClassVar[list[str]] = ["dagrad", "dg"]
    filenames: ClassVar[list[str]] = ["*.dg"]

    def get_tokens_unprocessed(self, text: str) -> Iterator[tuple[int, _TokenType, str]]:
        """Place, token and text of every piece."""
        at = 0
        for role, piece in highlighted(text):
            yield at, TOKENS[role], piece
            at += len(piece)
