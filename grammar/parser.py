"""From tokens to the syntax tree: runs the tables of the grammar."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .layout import Layout
from .tables import Rule, Tables, tables
from .tokens import Token

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


class UnexpectedToken(Exception):
    """`token` cannot stand after `before`; `accepts` are the kinds of token that can."""

    def __init__(self, token: Token, before: list[Any], accepts: frozenset[str]) -> None:
        super().__init__()
        self.token = token
        self.before = before
        self.accepts = accepts


def raw_tokens(text: str) -> list[Token]:
    """The tokens of `text` with every newline, before anything is laid out."""
    return list(tables().scan(text))


class Machine:
    """An LALR parser. `builder` has, for the name of each rule, a function from the list of its children to its node.

    A textbook's loop would spend most of its time on the ladder of precedence: a lone number is in turn a power, a product, a sum…
    and each step is a reduction that changes nothing. Here a run of such steps is looked up in one go, which is four times as fast.
    """

    def __init__(self, builder: Any) -> None:
        self._tables: Tables = tables()
        self._layout = Layout()
        self._moves = [_move(rule, builder) for rule in self._tables.rules]
        self._rows: dict[int, dict[str, Any]] = {}
        self._jumps: dict[tuple[int, int, str], int] = {}

    def lex(self, text: str) -> Iterable[Token]:
        """The tokens of `text`, laid out."""
        return self._layout.process(self._tables.scan(text))

    def parse(self, tokens: Iterable[Token], start: str) -> Any:
        """What the rule `start` makes of the tokens; UnexpectedToken where they do not fit it."""
        rows, jumps = self._rows, self._jumps
        first, last = self._tables.starts[start]
        states = [first]
        values: list[Any] = []
        token = None
        for token in tokens:
            kind = token.type
            while True:
                state = states[-1]
                action = (rows.get(state) or self.row(state)).get(kind)
                if action is None:
                    raise self._unexpected(last, token, states, values)
                if action[0] is None:
                    states.append(action[1])
                    values.append(token)
                    break
                self._reduce(action, states, values, kind, jumps)
        return self._finish(last, token, states, values)

    def _finish(self, last: int, token: Token | None, states: list[int], values: list[Any]) -> Any:
        end = Token.at("$END", "", token) if token is not None else Token("$END", "", 0, 0)
        while states[-1] != last:
            action = self.row(states[-1]).get("$END")
            if action is None:
                raise self._unexpected(last, end, states, values)
            if action[0] is None:
                states.append(action[1])
                values.append(end)
                continue
            self._reduce(action, states, values, "$END", self._jumps)
        return values[-1] if len(values) == 1 else values[0]

    def _reduce(self, action: Any, states: list[int], values: list[Any], kind: str, jumps: dict[tuple[int, int, str], int]) -> None:
        size, callback, origin, unit = action
        if unit:
            below, state = states[-2], states[-1]
            key = (below, state, kind)
            target = jumps.get(key)
            if target is None:
                target = jumps[key] = self._jump(below, state, kind)
            states[-1] = target
            return
        if size:
            children = values[-size:]
            del values[-size:], states[-size:]
        else:
            children = []
        values.append(callback(children))
        state = states[-1]
        states.append((self._rows.get(state) or self.row(state))[origin][1])

    def _jump(self, below: int, state: int, kind: str) -> int:
        """The state in which a run of reductions that change nothing ends."""
        while True:
            action = self.row(state).get(kind)
            if action is None or action[0] is None or not action[3]:
                return state
            state = self.row(below)[action[2]][1]

    def row(self, state: int) -> dict[str, Any]:
        """By the kind of what comes next: (None, next state) for a shift, or the rule to reduce by, as in `_moves`."""
        row = self._rows.get(state)
        if row is None:
            row = self._rows[state] = self._tables.row(state, self._moves)
        return row

    def _unexpected(self, last: int, token: Token, states: list[int], values: list[Any]) -> UnexpectedToken:
        kinds = [kind for kind in self.row(states[-1]) if kind.isupper() or kind == "$END"]
        return UnexpectedToken(token, list(values), frozenset(kind for kind in kinds if self._accepts(last, kind, states)))

    def _accepts(self, last: int, kind: str, states: list[int]) -> bool:
        """Whether a token of `kind` could be shifted after the reductions that it calls for."""
        states = list(states)
        while True:
            action = self.row(states[-1]).get(kind)
            if action is None or action[0] is None:
                return action is not None
            if action[0]:
                del states[-action[0] :]
            states.append(self.row(states[-1])[action[2]][1])
            if kind == "$END" and states[-1] == last:
                return True


def _move(rule: Rule, builder: Any) -> tuple[int, Any, str, bool]:
    """What the machine has to know of a rule: its size, what makes its node, its origin, and whether reducing by it changes nothing."""
    changes_nothing = rule.size == 1 and rule.single
    return rule.size, None if changes_nothing else _callback(rule, builder), rule.origin, changes_nothing


def _callback(rule: Rule, builder: Any) -> Callable[[list[Any]], Any]:
    """What makes the value of a rule from the values of its symbols: a node, or for a helper rule (`_x`) the list of its children."""
    build = list if rule.name.startswith("_") else getattr(builder, rule.name)
    kept = rule.kept
    if len(kept) == rule.size and not rule.single and not any(inlined for _, inlined in kept):
        return build

    def callback(values: list[Any]) -> Any:
        children: list[Any] = []
        for at, inlined in kept:
            if not inlined:
                children.append(values[at])
            elif children:
                children += values[at]
            else:
                children = values[at]  # the list is nobody else's: a long one grows in place
        return children[0] if rule.single and len(children) == 1 else build(children)

    return callback
