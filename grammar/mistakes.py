"""What a syntax error most likely is, in the user's words, and how to mend it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from .builtins import OWN, signatures
from .layout import CLOSERS, OPENERS
from .postfix import ATTRIBUTES
from .syntax import Mistake, Node, end_of, start_of
from .tokens import Token

if TYPE_CHECKING:
    from collections.abc import Callable

    from .parser import UnexpectedToken

KEYWORDS = frozenset({
    "PARAM", "INPUT", "DEF", "RETURN", "IF", "ELIF", "ELSE", "FOR", "IN", "WHILE", "BREAK", "CONTINUE", "AND", "OR", "NOT", "TRUE", "FALSE",
    "NO_GRAD", "ASSERT", "IMPORT",
})  # fmt: skip
STATEMENTS = frozenset({"PARAM", "INPUT", "DEF", "RETURN", "FOR", "WHILE", "BREAK", "CONTINUE", "NO_GRAD", "ASSERT", "IMPORT"})
OPERATORS = frozenset({"SIGN", "PRODUCT", "POWER", "COMPARE", "AND", "OR", "NOT", "ASSIGN", "AUGMENT", "COMMA", "COLON"})
VALUES = frozenset({"NAME", "NUMBER", "STRING", "TRUE", "FALSE", "RPAR", "RSQB", "PRIME"})
OPERANDS = frozenset({"NAME", "NUMBER", "STRING", "TRUE", "FALSE", "LPAR", "LSQB", "BAD_NUMBER"})

# The words for what may come next. Kinds with the same words are named once.
WORDS = {
    "NAME": "a name", "NUMBER": "a value", "STRING": "a value", "TRUE": "a value", "FALSE": "a value", "LSQB": "'['", "LPAR": "'('",
    "RPAR": "')'", "RSQB": "']'", "LBRACE": "'{'", "RBRACE": "'}'", "SIGN": "an operator", "PRODUCT": "an operator", "POWER": "an operator",
    "COMPARE": "an operator", "AND": "an operator", "OR": "an operator", "NOT": "a value", "ASSIGN": "'='", "AUGMENT": "'='",
    "COMMA": "','",
    "COLON": "':'", "DOT": "'.'", "PRIME": "an operator", "_END": "the end of the line", "$END": "the end of the line", "IN": "'in'",
    "IF": "'if'", "ELSE": "'else'", "ELIF": "'elif'",
}  # fmt: skip
MAX_WORDS = 6

FOREIGN_OPERATORS = {
    "&&": "and", "||": "or", "!": "not", "&": "and", "|": "or", "~": "not", "<>": "!=", ":=": "=", "→": "=", "×": "*", "·": "*", "÷": "/",
    "−": "-", "–": "-", "—": "-", "≤": "<=", "≥": ">=", "≠": "!=", "≈": "assert_close(a, b)", "√": "sqrt(x)", "∞": "inf",
    "“": '"', "”": '"', "‘": '"', "’": '"', "„": '"', "«": '"', "»": '"', "`": '"',
}  # fmt: skip

CHARACTERS = {
    "$": "names have no $; write the name alone",
    "?": "a choice is written a if c else b",
    "\\": "a line that ends in an operator goes on by itself",
}

DECLARATIONS = {"let", "var", "const", "val", "auto", "float", "double", "int", "real", "set", "global", "local", "nonlocal"}
CONTROL = {"try", "except", "catch", "switch", "match", "do", "repeat", "until", "loop", "unless", "then", "begin", "with"}
FUNCTIONS = {"function", "fn", "func", "fun", "define"}


class Spot:
    """A place where a token cannot stand: the token, those before it, and what could stand there."""

    def __init__(self, token: Token, before: list[Token], accepts: frozenset[str], end: int) -> None:
        self.token = token
        self.before = before
        self.accepts = accepts
        self.last = before[-1] if before else None
        self.at_end = token.type in {"_END", "$END"}
        self.start, self.end = (
            (end_of(self.last), end_of(self.last)) if self.at_end and self.last else (token.start_pos or 0, token.end_pos or end)
        )
        self.kind = token.type
        self.previous = self.last.type if self.last is not None else ""
        self.head = self._head()

    def _head(self) -> Token | None:
        """The first token of the statement."""
        head = None
        for token in reversed(self.before):
            if token.type in {"_END", "LBRACE", "RBRACE"}:
                break
            head = token
        return head

    def mistake(self, kind: str, message: str, help: str | None = None, labels: tuple[tuple[int, int, str], ...] = ()) -> Mistake:
        """A mistake at the token."""
        return Mistake(kind, message, self.start, self.end, help, labels)

    def over_last(self, kind: str, message: str, help: str | None = None) -> Mistake:
        """A mistake that spans the token before and this one."""
        return Mistake(kind, message, start_of(self.last), self.end, help)


def explain(unexpected: UnexpectedToken, end: int) -> Mistake:
    """The mistake behind an unexpected token of a lone expression."""
    return diagnose(Spot(unexpected.token, list(_tokens(unexpected.before)), unexpected.accepts, end))


def _tokens(values: list[Any]) -> Any:
    for value in values:
        if isinstance(value, Token):
            yield value
        elif isinstance(value, Node):
            yield Token("RPAR", "", value.start, value.end)


def diagnose(spot: Spot) -> Mistake:
    """The first explanation that fits."""
    for explanation in EXPLANATIONS:
        found = explanation(spot)
        if found is not None:
            return found
    return _general(spot)


def _bad_number(spot: Spot) -> Mistake | None:
    if spot.kind != "BAD_NUMBER":
        return None
    text = str(spot.token)
    return spot.mistake("bad-number", f"'{text}' is not a number", _number_help(text))


def _number_help(text: str) -> str:
    if re.fullmatch(r"0[xX][0-9a-fA-F_]+", text):
        return f"there is no hexadecimal; write {int(text.replace('_', ''), 16)}"
    if re.fullmatch(r"0[bB][01_]+", text):
        return f"there is no binary; write {int(text.replace('_', ''), 2)}"
    if match := re.fullmatch(r"(\d+)\.\.(\d+)", text):
        return f"write range({match[1]}, {match[2]}) to count, {match[1]}:{match[2]} in an index, or {match[1]}.{match[2]} for a number"
    match = re.fullmatch(r"((?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\.?([^\W\d_]\w*)", text)
    if match and match[2] in {"j", "J"}:
        return "there are no complex numbers"
    if match:
        number, name = match[1].rstrip("."), match[2]
        if text[len(number)] == "." and name in signatures():
            return f"write {name}({number}) or ({number}).{name}()"
        return f"write ({number}).{name}" if text[len(number)] == "." and name in ATTRIBUTES else f"write {number}*{name}"
    return "numbers look like 1, 1_000, 1.5, .5, 1e-3"


def _bad_string(spot: Spot) -> Mistake | None:
    if spot.kind == "BAD_STRING":
        return spot.mistake(
            "unclosed-string",
            "this string is never closed",
            'a string ends with " on the same line',
            ((spot.start, spot.start + 1, "opened here"),),
        )
    return None


def _quotes(spot: Spot) -> Mistake | None:
    if spot.kind == "PRIME" and spot.previous in VALUES:
        return spot.mistake("bad-character", "' is the prime of a derivative and follows the name of a function", "write f'(x)")
    if spot.kind == "PRIME":
        return spot.mistake("bad-character", "' is the prime of a derivative, not a quote", 'strings stand in double quotes: "text"')
    return None


def _ellipsis(spot: Spot) -> Mistake | None:
    if (spot.kind == "DOT" or str(spot.token) == "…") and _in_index(spot.before) and spot.previous in {"LSQB", "COMMA"}:
        help = "write a ':' for each axis that is left as it is: x[:, :, 0]"
        return spot.mistake("unexpected", "'...' for the other axes is not supported in an index", help)
    return None


def _lambda(spot: Spot) -> Mistake | None:
    """`f = lambda x: …`, where nothing is called lambda."""
    word = spot.last
    if word is None or word.type != "NAME" or str(word) != "lambda" or spot.kind not in {"NAME", "COLON"}:
        return None
    statement = _statement(spot.before)[::-1]
    name = str(statement[0]) if [token.type for token in statement] == ["NAME", "ASSIGN", "NAME"] else "f"
    parameter = str(spot.token) if spot.kind == "NAME" else ""
    return Mistake(
        "unexpected", "there is no 'lambda'", start_of(word), end_of(word), f"write {name}({parameter}) = … as a statement of its own"
    )


def _foreign_operator(spot: Spot) -> Mistake | None:
    text = str(spot.token)
    if spot.kind == "BAD_OPERATOR" or (spot.kind == "BAD_CHARACTER" and text in FOREIGN_OPERATORS):
        instead = FOREIGN_OPERATORS.get(text)
        return spot.mistake("foreign-operator", f"there is no '{text}'", f"write {instead}" if instead else None)
    if spot.kind == "COMPARE" and text == ">" and spot.previous == "COMPARE" and str(spot.last) == "<":
        return spot.over_last("foreign-operator", "there is no '<>'", "write !=")
    if spot.kind == "BAD_CHARACTER":
        return spot.mistake("bad-character", f"unexpected character '{text}'", CHARACTERS.get(text))
    return None


def _increment(spot: Spot) -> Mistake | None:
    name, first, second = spot.before[-3:] if len(spot.before) > 2 else (None, None, None)
    if not spot.at_end or name is None or [t.type for t in spot.before[-3:]] != ["NAME", "SIGN", "SIGN"]:
        return None
    if first != second or end_of(first) != start_of(second):
        return None
    return Mistake("foreign-operator", f"there is no '{first}{second}'", start_of(first), end_of(second), f"write {name} {first}= 1")


def _stray_else(spot: Spot) -> Mistake | None:
    if spot.kind in {"ELSE", "ELIF"} and (spot.head is None or "NAME" not in spot.accepts):
        return spot.mistake("stray-else", f"'{spot.token}' without an if before it", "else and elif follow the } of an if")
    if spot.kind == "IF" and spot.previous == "ELSE":
        return spot.over_last("unexpected", "'else if' is one word here", "write elif")
    if spot.head is not None and spot.head.type == "NAME" and str(spot.head) in {"elseif", "elsif", "elif_"}:
        return Mistake("unexpected", f"'{spot.head}' is written elif here", start_of(spot.head), end_of(spot.head), "write elif")
    return None


def _reserved(spot: Spot) -> Mistake | None:
    if spot.kind == "NOT" and spot.previous in {"SIGN", "PRODUCT", "POWER", "COMPARE"}:
        return spot.mistake("unexpected", f"'not' binds more loosely than '{spot.last}'", "put it in parentheses: (not …)")
    if spot.kind == "IF" and spot.previous in OPERATORS:
        return spot.mistake("reserved-word", "'if' begins a statement, and has no value", "a choice is written a if c else b")
    if spot.kind in KEYWORDS and "NAME" in spot.accepts:
        return spot.mistake("reserved-word", f"'{spot.token}' is a reserved word, not a name", "choose another name")
    if spot.kind in {"ASSIGN", "AUGMENT"} and spot.previous in KEYWORDS and spot.last is not None:
        return Mistake(
            "reserved-word", f"'{spot.last}' is a reserved word, not a name", start_of(spot.last), end_of(spot.last), "choose another name"
        )
    return None


def _assignment(spot: Spot) -> Mistake | None:
    if spot.kind != "ASSIGN" or spot.head is None:
        return None
    if spot.head.type in {"IF", "ELIF", "WHILE", "ASSERT", "RBRACE", "ELSE"} or _inside_brackets(spot.before):
        return spot.mistake("assignment-in-expression", "'=' binds a name, it does not compare", "write == to compare")
    if any(t.type in {"ASSIGN", "AUGMENT"} for t in _statement(spot.before)):
        return spot.mistake("assignment-in-expression", "a statement has one '='", "write == to compare, or two statements to assign twice")
    return None


def _foreign_word(spot: Spot) -> Mistake | None:
    head = spot.head
    if head is None or head.type != "NAME" or spot.last is not head or spot.kind not in {"NAME", "STRING", "NUMBER", "LBRACE"}:
        return None
    word = str(head)
    if word in CONTROL:
        return Mistake(
            "unexpected", f"there is no '{word}'", start_of(head), end_of(head), "the statements that steer are if, for, while and def"
        )
    if word in DECLARATIONS and spot.kind == "NAME":
        return Mistake("unexpected", f"there is no '{word}'", start_of(head), end_of(head), f"write {spot.token} = …")
    if word in FUNCTIONS and spot.kind == "NAME":
        return Mistake(
            "unexpected", f"there is no '{word}'", start_of(head), end_of(head), f"write def {spot.token}(x) {{ … }} or {spot.token}(x) = …"
        )
    if word in {"print", "echo", "println"}:
        return spot.mistake("missing-operator", "a call needs parentheses", f"write print({spot.token})")
    if word in {"from", "use", "include", "using", "require"}:
        return Mistake("unexpected", f"there is no '{word}'", start_of(head), end_of(head), 'write import "file.dg"')
    return None


def _import(spot: Spot) -> Mistake | None:
    if spot.previous == "IMPORT":
        return spot.mistake("missing-expression", "import takes the path of a .dg file as a string", 'write import "lib.dg"')
    return None


def _missing_block(spot: Spot) -> Mistake | None:
    if "LBRACE" not in spot.accepts:
        return None
    if (
        spot.at_end
        or spot.kind in STATEMENTS
        or (spot.kind == "COLON")
        or (spot.kind in OPERANDS and spot.previous in VALUES)
        or spot.previous in {"ELSE", "NO_GRAD"}
    ):
        word = str(spot.head) if spot.head is not None else "this"
        help = (
            "blocks stand in { }, not after ':'" if spot.kind == "COLON" else f"the body of {word} stands in {{ }}, opened on the same line"
        )
        return spot.mistake("missing-block", "expected '{'", help)
    return None


def _side_by_side(spot: Spot) -> Mistake | None:
    if spot.kind not in OPERANDS or spot.previous not in VALUES or spot.last is None:
        return None
    if spot.previous == "NUMBER" and spot.kind in {"NAME", "LPAR"}:
        rest = str(spot.token) if spot.kind == "NAME" else "("
        if rest in OWN and not OWN[rest].returns:
            return spot.mistake("missing-operator", f"the end of the statement is missing before '{rest}'", "begin a new line or write ;")
        return spot.over_last("missing-operator", "a number and a name side by side", f"write {spot.last}*{rest}")
    if spot.previous in {"RPAR", "RSQB", "NAME", "NUMBER"} and spot.kind in {"NAME", "NUMBER"}:
        inside = _inside_brackets(spot.before)
        what = "a comma or an operator" if inside else "an operator or the end of the line"
        help = None if inside else "for a product write *, for a new statement begin a new line or write ;"
        return spot.mistake("missing-operator", f"{what} is missing before '{spot.token}'", help)
    return None


def _semicolon(spot: Spot) -> Mistake | None:
    if spot.kind == "SEMICOLON":
        return spot.mistake(
            "unexpected", "';' ends a statement, and a bracket is still open", "rows of a matrix are lists: [[1, 2], [3, 4]]"
        )
    return None


def _missing_expression(spot: Spot) -> Mistake | None:
    if (
        spot.previous in OPERATORS
        and "NUMBER" in spot.accepts
        and (spot.at_end or spot.kind in {*CLOSERS, "COMMA", "ASSIGN", "COLON", "LBRACE", "ELSE"})
    ):
        help = "a line that goes on ends in an operator or a comma, or stands in ( )" if spot.at_end and spot.previous == "ASSIGN" else None
        if spot.kind == "LBRACE":
            help = "a vector stands in [ ], a block after if, for, while, def or no_grad"
        return spot.mistake("missing-expression", f"a value is missing after '{spot.last}'", help)
    if spot.previous in OPERATORS and spot.kind in {"PRODUCT", "POWER", "COMPARE", "AND", "OR"}:
        return spot.mistake("missing-expression", f"a value is missing between '{spot.last}' and '{spot.token}'")
    if spot.kind == "PRODUCT" and spot.head is None:
        return spot.mistake("unexpected", f"a statement cannot begin with '{spot.token}'", "comments begin with #")
    if spot.previous in {"IF", "ELIF", "ELSE", "WHILE", "ASSERT", "IN"} and "NUMBER" in spot.accepts:
        return spot.mistake("missing-expression", f"a value is missing after '{spot.last}'")
    return None


def _stray_closer(spot: Spot) -> Mistake | None:
    if spot.kind in CLOSERS and spot.kind not in spot.accepts and not _inside_brackets(spot.before):
        return spot.mistake("stray-bracket", f"'{spot.token}' closes nothing")
    return None


def _keyword_head(spot: Spot) -> Mistake | None:
    if spot.last is not None and spot.previous in {"PARAM", "INPUT"}:
        return spot.mistake("unexpected", f"'{spot.last}' needs a name", f"write {spot.last} w = 0.5")
    if spot.head is not None and spot.head.type in {"PARAM", "INPUT"} and spot.accepts == {"ASSIGN"}:
        message = f"the {spot.head} has no value" if spot.at_end else "expected '='"
        return spot.mistake("missing-expression", message, f"write {spot.head} {spot.last} = 0.5")
    if spot.head is not None and spot.head.type == "FOR" and "IN" in spot.accepts:
        return spot.mistake("unexpected", "expected 'in'", "write for i in range(n) { … }, or for x in v { … }")
    return None


EXPLANATIONS: list[Callable[[Spot], Mistake | None]] = [
    _bad_number, _bad_string, _quotes, _increment, _ellipsis, _foreign_operator, _stray_else, _import, _reserved, _assignment, _lambda,
    _foreign_word, _keyword_head, _missing_block, _missing_expression, _side_by_side, _semicolon, _stray_closer,
]  # fmt: skip


def _general(spot: Spot) -> Mistake:
    """What was expected, at most six kinds of thing, and what was found."""
    if spot.kind == "_END" and "$END" in spot.accepts:
        return spot.mistake("unexpected", "one expression is wanted, and more follows", "several statements are a program, for dagrad run")
    words = list(dict.fromkeys(WORDS[kind] for kind in WORDS if kind in spot.accepts))
    if "a value" in words:
        words = [w for w in words if w not in {"a name", "'('", "'['"}]
        words = [w for w in words if w != "an operator" or "PRODUCT" in spot.accepts]  # a sign begins a value
    if "an operator" in words:
        words = [w for w in words if w not in {"'['", "'('", "'.'", "'if'"} and (w != "','" or _inside_brackets(spot.before))]
    words = words[:MAX_WORDS]
    help = "a choice is written a if c else b" if "'else'" in words else None
    expected = f"expected {_joined(words)}" if words else "nothing can follow here"
    found = "the line ends" if spot.at_end else f"found '{spot.token}'"
    return spot.mistake("unexpected", f"{expected}, but {found}", help)


def _joined(words: list[str]) -> str:
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " or " + words[-1]


def _statement(before: list[Token]) -> list[Token]:
    found = []
    for token in reversed(before):
        if token.type in {"_END", "LBRACE", "RBRACE"}:
            break
        found.append(token)
    return found


def _inside_brackets(before: list[Token]) -> bool:
    depth = 0
    for token in reversed(_statement(before)):
        depth += (token.type in {"LPAR", "LSQB"}) - (token.type in {"RPAR", "RSQB"})
    return depth > 0


def _in_index(before: list[Token]) -> bool:
    """Whether the innermost open bracket is that of an index, which follows a value."""
    depth = 0
    for at, token in reversed(list(enumerate(before))):
        depth += (token.type in OPENERS) - (token.type in CLOSERS)
        if depth > 0:
            return token.type == "LSQB" and at > 0 and before[at - 1].type in VALUES
    return False
