"""The canonical layout of a program: its tokens as they are, its comments, and blanks and line ends by rule.

Line breaks inside brackets and after operators stay where the author put them; everything else follows from the tokens. A block
that stands on one line stays on one line; otherwise each statement has a line of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .layout import CLOSERS, CONTINUES, OPENERS, Layout
from .limits import no_collection
from .parser import raw_tokens
from .reader import read_program
from .record import Record, field

if TYPE_CHECKING:
    from .source import Source
    from .tokens import Token

INDENT = "    "
VALUES = frozenset({"NAME", "NUMBER", "STRING", "TRUE", "FALSE", "RPAR", "RSQB", "PRIME"})
TIGHT = frozenset({"POWER", "COLON", "DOT"})  # no blank on either side
BRACKETS = frozenset({"LPAR", "LSQB"})


class Line(Record):
    """A line of the result: its code, the comment behind it, and how far it is indented."""

    depth: int
    code: str = ""
    comment: str = ""
    blank_before: bool = False


class Opened(Record):
    """An open bracket: its kind, the depth of the line it stands on, and for a brace whether its block is on one line."""

    kind: str
    depth: int
    on_one_line: bool = False


class Formatter(Record):
    """Takes the tokens one by one and writes lines."""

    text: str
    tokens: list[Token]
    lines: list[Line] = field(default_factory=list)
    open: list[Opened] = field(default_factory=list)
    line: Line | None = None  # the one being written
    before: Token | None = None  # the token before, newlines left out
    unary: bool = False  # whether that is the sign of a number rather than an operator
    newlines: int = 0  # since then
    ended: bool = False  # a semicolon since then

    def run(self) -> list[Line]:
        """All lines."""
        at = 0
        for number, token in enumerate(self.tokens):
            self._comment(self.text[at : token.start_pos].strip())
            at = token.end_pos
            if token.type == "NEWLINE":
                self.newlines += 1
            elif token.type == "SEMICOLON":
                self._semicolon()
            else:
                self._token(token, number)
        self._comment(self.text[at:].strip())
        return self.lines

    def _semicolon(self) -> None:
        """The end of a statement; written only where the line end that replaces it would not be one, after the comma of `a,`."""
        if self._goes_on() and not (self.open and self.open[-1].on_one_line):
            last = next(at for at in reversed(range(len(self.lines))) if self.lines[at].code)
            self.lines[last].code += ";"
            for comment in self.lines[last + 1 :]:  # which no longer stand inside the statement
                comment.depth -= 1
        self.ended = True

    def _comment(self, text: str) -> None:
        if not text.startswith("#"):
            return
        if self.lines and not self.newlines and not self.lines[-1].comment:
            self.lines[-1].comment = text.rstrip()
        else:
            self.lines.append(Line(self._inside(), comment=text.rstrip(), blank_before=self._blank()))
            self.newlines = 0
        self.line = None

    def _blank(self) -> bool:
        """Whether a blank line of the author's stays: one, between statements."""
        between = bool(self.lines) and not self.lines[-1].code.endswith("{") and not self._in_brackets() and not self._goes_on()
        return self.newlines > 1 and between

    def _inside(self) -> int:
        """The depth of a new line here."""
        return (self.open[-1].depth + 1 if self.open else 0) + self._goes_on()

    def _in_brackets(self) -> bool:
        return bool(self.open) and self.open[-1].kind in BRACKETS

    def _goes_on(self) -> bool:
        """Whether the statement goes on in the next line because of the operator or comma before."""
        before = self.before.type if self.before is not None else ""
        return before in CONTINUES and before != "LBRACE" and not self.ended and not self._in_brackets()

    def _token(self, token: Token, number: int) -> None:
        kind = token.type
        binary = self.before is not None and self.before.type in VALUES
        opened = self.open.pop() if kind in CLOSERS and self.open else None
        if self._begins(token, opened):
            depth = opened.depth if opened is not None else self._inside()
            self.line = Line(depth, blank_before=self._blank() and kind != "RBRACE")
            self.lines.append(self.line)
        elif self._separated(token):
            self._current.code += " " if self._current.code.endswith(";") else "; "
        else:
            self._current.code += self._gap(token, binary)
        self._current.code += str(token)
        if kind in OPENERS:
            self.open.append(Opened(kind, self._current.depth, kind == "LBRACE" and self._one_line(number)))
        self.before, self.unary = token, kind == "SIGN" and not binary
        self.newlines, self.ended = 0, False

    @property
    def _current(self) -> Line:
        if self.line is None:
            self.line = Line(self._inside())
            self.lines.append(self.line)
        return self.line

    def _begins(self, token: Token, opened: Opened | None) -> bool:
        """Whether a token begins a line."""
        if self.before is None or self.line is None:
            return True
        kind, before = token.type, self.before.type
        if kind in {"ELSE", "ELIF"} and before == "RBRACE":
            return False
        block = opened if opened is not None and opened.kind == "LBRACE" else self.open[-1] if self.open else None
        if any(bracket is not None and bracket.kind in BRACKETS for bracket in (block, opened)):
            return self.newlines > 0
        if block is not None and block.on_one_line:
            return False
        if kind == "RBRACE":
            return True
        if before in CONTINUES and before != "LBRACE" and not self.ended:
            return self.newlines > 0
        return before in {"LBRACE", "RBRACE"} or self.newlines > 0 or self.ended

    def _separated(self, token: Token) -> bool:
        """Whether a statement of a block on one line ends before the token."""
        assert self.before is not None
        here = bool(self.open) and self.open[-1].on_one_line
        after = self.before.type
        return here and token.type not in {"RBRACE", "ELSE", "ELIF"} and (after == "RBRACE" or (self.ended and after != "LBRACE"))

    def _one_line(self, number: int) -> bool:
        """Whether the block that opens at a token has no line break between its braces."""
        depth = 0
        for token in self.tokens[number:]:
            depth += (token.type in OPENERS) - (token.type in CLOSERS)
            if token.type == "NEWLINE":
                return False
            if depth == 0:
                return True
        return False

    def _gap(self, token: Token, binary: bool) -> str:
        """The blank, or none, between a token and the one before it on its line."""
        assert self.before is not None
        kind, before = token.type, self.before.type
        if before in BRACKETS or kind in {"RPAR", "RSQB", "COMMA", "PRIME"} or self.unary:
            return ""
        if before == "COMMA":
            return " "
        if kind in TIGHT or before in TIGHT:
            return " " if kind == "DOT" and before == "NUMBER" else ""  # 1.T would be read as a number
        if kind in BRACKETS and binary:
            return ""
        named = self.open and self.open[-1].kind == "LPAR" and "ASSIGN" in (kind, before)
        return "" if named else " "


def formatted(source: Source) -> str:
    """The program in canonical layout; DagradError where it does not parse."""
    with no_collection():
        read_program(source)
        tokens = raw_tokens(source.text)
        text = "".join(line + "\n" for line in _written(Formatter(source.text, tokens).run()))
        if _meaning(raw_tokens(text)) != _meaning(tokens):  # better no answer than another program
            raise RuntimeError("the canonical layout would change the program")
    return text


def _meaning(tokens: list[Token]) -> list[tuple[str, str]]:
    """What the parser sees of the tokens, without ends of empty statements."""
    found: list[tuple[str, str]] = []
    for token in Layout().process(iter(tokens)):
        if token.type != "_END":
            found.append((token.type, str(token)))
        elif found and found[-1][0] != "LBRACE":
            found.append(("_END", ""))
    return found


def _written(lines: list[Line]) -> list[str]:
    """The lines as text; the comments behind neighbouring lines stand below one another."""
    columns = _comment_columns(lines)
    found: list[str] = []
    for line, column in zip(lines, columns, strict=True):
        found += [""] if line.blank_before else []
        code = INDENT * line.depth + line.code if line.code else ""
        if line.comment:
            code = code.ljust(column) + line.comment if code else INDENT * line.depth + line.comment
        found.append(code)
    return found


def _comment_columns(lines: list[Line]) -> list[int]:
    columns = [0] * len(lines)
    group: list[int] = []
    for at, line in enumerate(lines):
        if not (line.code and line.comment) or line.blank_before:
            group = []
        if line.code and line.comment:
            group.append(at)
            widest = max(len(INDENT) * lines[i].depth + len(lines[i].code) for i in group)
            for i in group:
                columns[i] = widest + 2
    return columns
