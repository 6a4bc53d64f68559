"""Several syntax errors in one go: finds unbalanced brackets, then parses statement by statement.

It runs only after the parser has failed. An error is reported once and what belongs to it is taken out of the text: the whole
statement, or, where a block follows, only its head, so that the statements in the block are looked at too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .diagnostic import DagradError, Diagnostic
from .layout import CLOSERS, MAX_NESTING, OPENERS, Layout, TooDeep
from .mistakes import STATEMENTS, Spot
from .mistakes import diagnose as explain
from .parser import Machine, UnexpectedToken, raw_tokens
from .syntax import Mistake
from .tokens import Token

if TYPE_CHECKING:
    from .source import Source

MAX_ERRORS = 10
BOUNDARIES = frozenset({"_END", "LBRACE", "RBRACE"})


def diagnose(source: Source, start: str) -> DagradError:
    """All syntax errors of a text that does not parse."""
    mistakes: list[Mistake] = []
    try:
        tokens = balanced(raw_tokens(source.text), mistakes)
        tokens = list(Layout().process(tokens))
        if start == "program":
            _statements(tokens, mistakes, len(source.text))
        elif not mistakes:
            _try(tokens, start, mistakes, len(source.text))
    except TooDeep as deep:
        return too_deep(source, deep.token)
    mistakes = sorted(_without_consequences(mistakes), key=lambda m: (m.start, m.end))
    found = [_with_product(mistake, source).diagnostic(source) for mistake in mistakes]
    if not found:  # the parse failed, so there is an error even where the search for it found none
        found = [Diagnostic.at(source.span(0, 1), "unexpected", "this program does not parse")]
    return DagradError(_one_a_line(found)[:MAX_ERRORS])


def too_deep(source: Source, token: Token) -> DagradError:
    """The error for more open brackets than anybody writes."""
    mistake = Mistake("nesting", f"more than {MAX_NESTING:,} brackets are open here", token.start_pos, token.end_pos)
    return DagradError([mistake.diagnostic(source)])


def _with_product(mistake: Mistake, source: Source) -> Mistake:
    """Fills in the suggestion for a call of a number, which needs the text."""
    if mistake.split:
        head, rest = source.text[mistake.start : mistake.split], source.text[mistake.split : mistake.end]
        mistake.help = f"for a product write {head.strip()}*{rest.strip()}"
    return mistake


def _one_a_line(found: list[Diagnostic]) -> list[Diagnostic]:
    """The first error of each line: a second one is mostly its echo."""
    lines: set[int | None] = set()
    return [d for d in found if not (d.line in lines or lines.add(d.line))]  # type: ignore[func-returns-value]


def _without_consequences(mistakes: list[Mistake]) -> list[Mistake]:
    """A missing { (or one that a string swallowed) explains a } later on that closes nothing."""
    missing = min((m.start for m in mistakes if m.kind in {"missing-block", "unclosed-string"}), default=None)
    if missing is None:
        return mistakes
    return [m for m in mistakes if not (m.kind == "stray-bracket" and m.message.startswith("'}'") and m.start > missing)]


# ---------------------------------------------------------------- brackets


def balanced(tokens: list[Token], mistakes: list[Mistake]) -> list[Token]:
    """The tokens without the statements whose brackets do not match; the mismatches are reported."""
    kept: list[Token] = []
    stack: list[tuple[Token, int]] = []  # open brackets, and how many tokens are kept before each
    at = 0
    while at < len(tokens) and len(mistakes) < MAX_ERRORS:
        token = tokens[at]
        opener = stack[-1][0] if stack else None
        in_brackets = opener is not None and opener.type != "LBRACE"
        if token.type == "BAD_STRING":
            at = _unclosed_string(tokens, at, stack, kept, mistakes)
            continue
        if in_brackets and _breaks_off(tokens, at):
            at = _unclosed(tokens, at, stack, kept, mistakes)
            continue
        if token.type in OPENERS:
            stack.append((token, len(kept)))
        elif token.type in CLOSERS:
            if opener is not None and opener.type == CLOSERS[token.type]:
                stack.pop()
            else:
                at = _unmatched(tokens, at, stack, kept, mistakes)
                continue
        kept.append(token)
        at += 1
        while at == len(tokens) and stack:
            at = _unclosed(tokens, at, stack, kept, mistakes)
    return kept


def _unclosed_string(tokens: list[Token], at: int, stack: list[tuple[Token, int]], kept: list[Token], mistakes: list[Mistake]) -> int:
    """Reports a string that swallowed the rest of its line, and drops its statement."""
    start = tokens[at].start_pos
    mistakes.append(Mistake("unclosed-string", "this string is never closed", start, start + 1, 'a string ends with " on the same line'))
    count = len(kept)
    while stack and stack[-1][0].type != "LBRACE":
        count = stack.pop()[1]
    _drop_statement(kept, count, [])
    return at + 1


def _breaks_off(tokens: list[Token], at: int) -> bool:
    """Inside ( or [: whether a statement or block begins here, which cannot be."""
    kind = tokens[at].type
    if kind in {"LBRACE", "RBRACE"}:
        return True
    return kind in STATEMENTS and at > 0 and tokens[at - 1].type == "NEWLINE"


def _unclosed(tokens: list[Token], at: int, stack: list[tuple[Token, int]], kept: list[Token], mistakes: list[Mistake]) -> int:
    """Reports the innermost bracket that is open at `at`, and drops its statement. Gives the place to go on from."""
    while len(stack) > 1 and stack[-2][0].type != "LBRACE":
        stack.pop()
    opener, count = stack.pop()
    closer = {"LPAR": ")", "LSQB": "]", "LBRACE": "}"}[opener.type]
    start, end = opener.start_pos, opener.end_pos
    mistakes.append(Mistake("unclosed-bracket", f"this '{opener}' is never closed", start, end, f"close it with {closer}"))
    if opener.type == "LBRACE":
        # The statements inside are fine; a closer at the end keeps the block whole.
        kept.append(Token.at("RBRACE", "", kept[-1]))
        return at
    resume = at
    if at == len(tokens) or tokens[at].type not in STATEMENTS | {"LBRACE", "RBRACE"}:
        resume = _resume(tokens, next(i for i, token in enumerate(tokens) if token is opener))
    _drop_statement(kept, count, tokens[resume : resume + 1])
    return resume


def _resume(tokens: list[Token], opener: int) -> int:
    """The first line after an opener that looks like a new statement; else the next line."""
    lines = [i for i in range(opener, len(tokens)) if tokens[i].type == "NEWLINE"]
    for i in lines:
        following = [t.type for t in tokens[i + 1 : i + 3]]
        if following[:1] and (
            following[0] in STATEMENTS or following[0] == "IF" or (following[0] == "NAME" and following[1:] in (["ASSIGN"], ["AUGMENT"]))
        ):
            return i
    return lines[0] if lines else len(tokens)


def _unmatched(tokens: list[Token], at: int, stack: list[tuple[Token, int]], kept: list[Token], mistakes: list[Mistake]) -> int:
    """Reports a closing bracket that does not match, and drops its statement."""
    token = tokens[at]
    start, end = token.start_pos, token.end_pos
    if stack and stack[-1][0].type != "LBRACE":
        opener, count = stack[-1]
        while stack and stack[-1][0].type != "LBRACE":
            count = stack.pop()[1]
        place = (opener.start_pos, opener.end_pos, "opened here")
        mistakes.append(Mistake("stray-bracket", f"'{token}' does not close '{opener}'", start, end, None, (place,)))
    else:
        count = len(kept)
        mistakes.append(Mistake("stray-bracket", f"'{token}' closes nothing", start, end))
        if token.type == "RBRACE":
            return at + 1
    resume = at + 1
    while resume < len(tokens) and tokens[resume].type not in {"NEWLINE", "SEMICOLON", "LBRACE", "RBRACE"}:
        resume += 1
    _drop_statement(kept, count, tokens[resume : resume + 1])
    return resume


def _drop_statement(kept: list[Token], count: int, following: list[Token]) -> None:
    """Takes the unfinished statement off the end of `kept`; one whose block follows is replaced by a harmless head."""
    del kept[count:]
    while kept and kept[-1].type not in {"NEWLINE", "SEMICOLON", "LBRACE", "RBRACE"}:
        kept.pop()
    if following and following[0].type == "LBRACE":
        kept.extend(_head("IF", following[0]))


def _head(kind: str, near: Token) -> list[Token]:
    """A head for a block that is always right: `if true`, `elif true` or `else`."""
    word = Token.at(kind, "", near)
    return [word] if kind == "ELSE" else [word, Token.at("TRUE", "", near)]


# ---------------------------------------------------------------- statements


def _statements(tokens: list[Token], mistakes: list[Mistake], end: int) -> None:
    """Parses each top-level statement until it has no errors left."""
    for chunk in _chunks(tokens):
        while len(mistakes) < MAX_ERRORS and chunk:
            found = _try(chunk, "program", mistakes, end)
            if found is None:
                break
            chunk = _without(chunk, found)
        if len(mistakes) >= MAX_ERRORS:
            break


def _chunks(tokens: list[Token]) -> list[list[Token]]:
    chunks: list[list[Token]] = [[]]
    depth = 0
    for token, following in zip(tokens, [*tokens[1:], None], strict=False):
        depth += (token.type == "LBRACE") - (token.type == "RBRACE")
        if token.type == "_END" and depth == 0 and (following is None or following.type != "LBRACE"):
            chunks.append([])
        else:
            chunks[-1].append(token)
    return chunks


def _try(tokens: list[Token], start: str, mistakes: list[Mistake], end: int) -> int | None:
    """Parses; reports an error and gives the number of the token where it is, None where all is well."""
    from .reader import machine

    parser: Machine = machine()
    try:
        parser.parse(tokens, start)
    except UnexpectedToken as unexpected:
        at = next((i for i, token in enumerate(tokens) if token is unexpected.token), len(tokens))
        mistakes.append(explain(Spot(unexpected.token, tokens[:at], unexpected.accepts, end)))
        return at
    except Mistake as mistake:
        mistakes.append(mistake)
        return next((i for i, token in enumerate(tokens) if token.end_pos > mistake.start), len(tokens) - 1)
    return None


def _without(tokens: list[Token], at: int) -> list[Token]:
    """The tokens without the simple statement or block head in which the token number `at` stands."""
    first = at
    if first == len(tokens) or tokens[first].type in BOUNDARIES:
        first -= 1
    while first > 0 and tokens[first - 1].type not in BOUNDARIES:
        first -= 1
    last = max(at, first)
    while last < len(tokens) and tokens[last].type not in BOUNDARIES:
        last += 1
    replacement: list[Token] = []
    if [token.type for token in tokens[last : last + 2]] == ["_END", "LBRACE"]:  # a { on a line of its own
        last += 1
    if last < len(tokens) and tokens[last].type == "LBRACE":
        kinds = [token.type for token in tokens[first:last]]
        kind = "ELIF" if kinds[:1] == ["ELIF"] or kinds[:2] == ["ELSE", "IF"] else "ELSE" if kinds[:1] == ["ELSE"] else "IF"
        replacement = _head(kind, tokens[last])
    elif first == last:  # a boundary that cannot stand here
        last += 1
    return [*tokens[:first], *replacement, *tokens[last:]]
