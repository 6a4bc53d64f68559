"""Every state of the parser, with every token that cannot come next: the message is in the user's words."""

from __future__ import annotations

import re
from collections import deque

import pytest
from lark import Token
from lark.parsers.lalr_analysis import Shift

from dagrad.grammar.layout import Layout
from dagrad.grammar.mistakes import KEYWORDS, MAX_WORDS, Spot, diagnose
from dagrad.grammar.parser import STARTS, load

TEXTS = {
    "NAME": "x", "NUMBER": "2", "STRING": '"a"', "AUGMENT": "+=", "COMPARE": "<", "POWER": "^", "PRODUCT": "*", "SIGN": "-", "ASSIGN": "=",
    "PRIME": "'", "COMMA": ",", "COLON": ":", "DOT": ".", "LPAR": "(", "RPAR": ")", "LSQB": "[", "RSQB": "]", "LBRACE": "{", "RBRACE": "}",
    "SEMICOLON": ";", "_END": "\n", "BAD_NUMBER": "2x", "BAD_STRING": '"a', "BAD_OPERATOR": "&&", "BAD_CHARACTER": "$",
    "$END": "",
}  # fmt: skip
TEXTS |= {word: word.lower() for word in KEYWORDS}


def states(start):
    """Each state that can be reached by tokens: the shortest way there, and the kinds that can follow."""
    lark = load(Layout())
    conf = lark.parse_interactive(start=start).parser_state.parse_conf
    terminals = [kind for kind in TEXTS if kind != "$END"]

    def following(stack):
        for kind in terminals:
            further = advance(stack, kind)
            if further is not None:
                yield kind, further

    def advance(stack, kind):
        stack = list(stack)
        while (found := conf.states[stack[-1]].get(kind)) is not None:
            move, target = found
            if move is Shift:
                return [*stack, target]
            if target.expansion:
                del stack[-len(target.expansion) :]
            stack.append(conf.states[stack[-1]][target.origin.name][1])
        return None

    seen = {conf.start_state}
    waiting = deque([([conf.start_state], [])])
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
        yield Token(kind, text, at, 1, at + 1, 1, at + 1 + len(text), at + len(text))
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
            mistake = diagnose(Spot(token, before, accepted, token.end_pos or 0))
            said = f"{mistake.message} {mistake.help or ''}"
            where = f"{' '.join(TEXTS[k] for k in way)} … {kind}: {said}"
            assert not re.search(r"\b[A-Z_]{2,}\b|\$END|_END", said), where
            assert "\n" not in mistake.message, where
            if mistake.message.startswith("expected "):
                expected = mistake.message.removeprefix("expected ").split(", but ")[0]
                assert len(re.split(r", (?!')| or ", expected)) <= MAX_WORDS, where
    assert count > 30
