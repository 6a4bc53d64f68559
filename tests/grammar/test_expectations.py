"""Every state of the parser, with every token that cannot come next: the message is in the user's words."""

from __future__ import annotations

import re
from collections import deque

import pytest

from dagrad.grammar.build import STARTS
from dagrad.grammar.mistakes import KEYWORDS, MAX_WORDS, Spot, diagnose
from dagrad.grammar.reader import machine
from dagrad.grammar.tables import tables
from dagrad.grammar.tokens import Token

TEXTS = {
    "NAME": "x", "NUMBER": "2", "STRING": '"a"', "AUGMENT": "+=", "COMPARE": "<", "POWER": "^", "PRODUCT": "*", "SIGN": "-", "ASSIGN": "=",
    "PRIME": "'", "COMMA": ",", "COLON": ":", "DOT": ".", "LPAR": "(", "RPAR": ")", "LSQB": "[", "RSQB": "]", "LBRACE": "{", "RBRACE": "}",
    "SEMICOLON": ";", "_END": "\n", "BAD_NUMBER": "2x", "BAD_STRING": '"a', "BAD_OPERATOR": "&&", "BAD_CHARACTER": "$",
    "$END": "",
}  # fmt: skip
TEXTS |= {word: word.lower() for word in KEYWORDS}


def states(start):
    """Each state that can be reached by tokens: the shortest way there, and the kinds that can follow."""
    row, (first, _) = machine().row, tables().starts[start]
    terminals = [kind for kind in TEXTS if kind != "$END"]

    def following(stack):
        for kind in terminals:
            further = advance(stack, kind)
            if further is not None:
                yield kind, further

    def advance(stack, kind):
        stack = list(stack)
        while (found := row(stack[-1]).get(kind)) is not None:
            if found[0] is None:
                return [*stack, found[1]]
            if found[0]:
                del stack[-found[0] :]
            stack.append(row(stack[-1])[found[2]][1])
        return None

    seen = {first}
    waiting = deque([([first], [])])
    while waiting:
        stack, way = waiting.popleft()
        accepted = dict(following(stack))
        yield way, frozenset(accepted)
        for kind, further in accepted.items():
            if further[-1] not in seen:
                seen.add(further[-1])
                waiting.append((further, [*way, kind]))


def tokens(kinds):
    at = 0
    for kind in kinds:
        text = TEXTS[kind]
        yield Token(kind, text, at, at + len(text))
        at += len(text) + 1


@pytest.mark.parametrize("start", STARTS)
def test_no_state_speaks_in_terminals(start):
    count = 0
    for way, accepted in states(start):
        count += 1
        for kind in TEXTS:
            if kind in accepted:
                continue
            *before, token = tokens([*way, kind])
            mistake = diagnose(Spot(token, before, accepted, token.end_pos))
            said = f"{mistake.message} {mistake.help or ''}"
            where = f"{' '.join(TEXTS[k] for k in way)} … {kind}: {said}"
            assert not re.search(r"\b[A-Z_]{2,}\b|\$END|_END", said), where
            assert "\n" not in mistake.message, where
            if mistake.message.startswith("expected "):
                expected = mistake.message.removeprefix("expected ").split(", but ")[0]
                assert len(re.split(r", (?!')| or ", expected)) <= MAX_WORDS, where
    assert count > 30
