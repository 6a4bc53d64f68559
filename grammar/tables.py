"""The tables of the grammar, which Lark makes ahead (build.py): how tokens look, the rules, and what to do in each state.

dagrad.tables is plain text. A program visits few of the states, so that a line is taken apart when its state is first entered;
Lark itself takes as long to import as all else that a short program needs, and is used only to make the tables.
"""

from __future__ import annotations

import functools
import os
import re
from typing import TYPE_CHECKING, Any

from .record import Record
from .tokens import Token, scan

if TYPE_CHECKING:
    from collections.abc import Iterator

TABLES = os.path.join(os.path.dirname(__file__), "dagrad.tables")


class Rule(Record):
    """One alternative of a rule."""

    origin: str  # the rule it belongs to
    size: int  # how many symbols it has
    name: str  # the class that its node is of
    single: bool  # whether a lone child stands for the node
    kept: list[tuple[int, bool]]  # the symbols that are children, and whether it is their children that are


class Tables:
    """dagrad.tables, read."""

    def __init__(self, text: str) -> None:
        head, rules, states = text.split("\n\n", 2)
        _, pattern, skipped, keywords, starts = head.split("\n")
        self.pattern = re.compile(pattern)
        self.skipped = frozenset(skipped.split())
        self.keywords = dict(word.split("=") for word in keywords.split())
        # The first state of each start rule, and the one in which it is complete.
        self.starts = {name: (int(first), int(last)) for name, first, last in (word.split(":") for word in starts.split())}
        self.rules = [_rule(line) for line in rules.split("\n")]
        self._states = states.split("\n")

    def scan(self, text: str) -> Iterator[Token]:
        """The tokens of `text` with every newline, before anything is laid out."""
        return scan(text, self.pattern, self.keywords, self.skipped)

    def row(self, state: int, moves: list[Any]) -> dict[str, Any]:
        """What to do in a state, by the kind of what comes next: (None, the state to go to), or the member of `moves` of a rule."""
        row: dict[str, Any] = {}
        for group in filter(None, self._states[state].split(";")):
            action, *kinds = group.split(" ")
            number = int(action[1:])
            row.update(dict.fromkeys(kinds, moves[number] if action[0] == "r" else (None, number)))
        return row


def _rule(line: str) -> Rule:
    origin, size, name, single, *kept = line.split(" ")
    return Rule(origin, int(size), name, single == "?", [(int(child.rstrip("*")), child.endswith("*")) for child in kept])


@functools.cache
def tables() -> Tables:
    """The tables, read once."""
    with open(TABLES, encoding="utf-8") as file:
        return Tables(file.read())
