"""From text to syntax tree: loads the grammar's tables and runs them."""

from __future__ import annotations

import functools
import os
import pickle
import zlib
from typing import IO, TYPE_CHECKING, Any, cast

import lark
from lark import Lark, Token
from lark.parsers.lalr_analysis import Shift

from .layout import Layout, RawLayout

if TYPE_CHECKING:
    from collections.abc import Iterable

FOLDER = os.path.dirname(__file__)
GRAMMAR = os.path.join(FOLDER, "dagrad.lark")
TABLES = os.path.join(FOLDER, "dagrad.tables")
STARTS = ("program", "solo")


class UnexpectedToken(Exception):
    """`token` cannot stand after `before`; `accepts` are the kinds of token that can."""

    def __init__(self, token: Token, before: list[Any], accepts: frozenset[str]) -> None:
        super().__init__()
        self.token = token
        self.before = before
        self.accepts = accepts


def build(layout: Layout | None = None, *, transformer: Any = None, strict: bool = False) -> Lark:
    """The parser made from dagrad.lark, which takes half a second."""
    with open(GRAMMAR, encoding="utf-8") as file:
        grammar = file.read()
    return Lark(
        grammar,
        parser="lalr",
        lexer="basic",
        start=list(STARTS),
        postlex=cast("Any", layout or Layout()),
        transformer=transformer,
        maybe_placeholders=False,
        strict=strict,
    )


def load(layout: Layout, transformer: Any = None) -> Lark:
    """The parser from the tables that were built ahead, or from the grammar where those do not fit it."""
    with open(TABLES, "rb") as file:
        if file.readline().strip() == stamp():
            return _load(file, layout, transformer)
    return build(layout, transformer=transformer)


@functools.cache
def _raw_lexer() -> Lark:
    return load(RawLayout())


def raw_tokens(text: str) -> list[Token]:
    """The tokens of `text` with every newline, before anything is laid out."""
    return list(_raw_lexer().lex(text))


def _load(file: IO[bytes], layout: Layout, transformer: Any) -> Lark:
    return Lark.__new__(Lark)._load(pickle.load(file), postlex=layout, transformer=transformer)


def stamp() -> bytes:
    """What the tables depend on: the grammar's text and the release of Lark."""
    with open(GRAMMAR, "rb") as file:
        text = file.read()
    return f"dagrad tables: grammar {zlib.crc32(text):08x} of {len(text)} bytes, lark {lark.__version__}".encode()


def write_tables(path: str = TABLES) -> None:
    """Builds the tables anew; run `python -m dagrad.grammar` after a change of the grammar."""
    with open(path, "wb") as file:
        file.write(stamp() + b"\n")
        build().save(file)


class Machine:
    """Runs Lark's LALR tables over tokens.

    Lark's own loop spends most of its time on the ladder of precedence: a lone number is in turn a power, a product, a sum… and
    each step is a reduction that changes nothing. Here a run of such steps is looked up in one go, which is four times as fast.
    """

    def __init__(self, parser: Lark) -> None:
        self._parser = parser
        self._rows: dict[Any, dict[str, tuple[Any, ...]]] = {}
        self._jumps: dict[tuple[Any, Any, str], Any] = {}
        self._starts: dict[str, Any] = {}

    def lex(self, text: str) -> Iterable[Token]:
        """The tokens of `text`, laid out."""
        return self._parser.lex(text)

    def parse(self, tokens: Iterable[Token], start: str) -> Any:
        """What the rule `start` makes of the tokens; UnexpectedToken where they do not fit it."""
        conf = self._conf(start)
        rows, jumps, states = self._rows, self._jumps, [conf.start_state]
        values: list[Any] = []
        token = None
        for token in tokens:
            kind = token.type
            while True:
                state = states[-1]
                action = (rows.get(state) or self._row(conf, state)).get(kind)
                if action is None:
                    raise self._unexpected(conf, token, states, values)
                if action[0] is None:
                    states.append(action[1])
                    values.append(token)
                    break
                self._reduce(conf, action, states, values, kind, jumps)
        return self._finish(conf, token, states, values)

    def _finish(self, conf: Any, last: Token | None, states: list[Any], values: list[Any]) -> Any:
        end = Token.new_borrow_pos("$END", "", last) if last is not None else Token("$END", "", 0, 1, 1, 1, 1, 0)
        while states[-1] != conf.end_state:
            action = self._row(conf, states[-1]).get("$END")
            if action is None:
                raise self._unexpected(conf, end, states, values)
            if action[0] is None:
                states.append(action[1])
                values.append(end)
                continue
            self._reduce(conf, action, states, values, "$END", self._jumps)
        return values[-1] if len(values) == 1 else values[0]

    def _reduce(self, conf: Any, action: tuple[Any, ...], states: list[Any], values: list[Any], kind: str, jumps: dict[Any, Any]) -> None:
        size, callback, origin, unit = action
        if unit:
            below, state = states[-2], states[-1]
            key = (below, state, kind)
            target = jumps.get(key)
            if target is None:
                target = jumps[key] = self._jump(conf, below, state, kind)
            states[-1] = target
            return
        if size:
            children = values[-size:]
            del values[-size:], states[-size:]
        else:
            children = []
        values.append(callback(children))
        states.append(conf.states[states[-1]][origin][1])

    def _jump(self, conf: Any, below: Any, state: Any, kind: str) -> Any:
        """The state in which a run of reductions that change nothing ends."""
        while True:
            action = self._row(conf, state).get(kind)
            if action is None or action[0] is None or not action[3]:
                return state
            state = conf.states[below][action[2]][1]

    def _conf(self, start: str) -> Any:
        conf = self._starts.get(start)
        if conf is None:
            conf = self._starts[start] = self._parser.parse_interactive(start=start).parser_state.parse_conf
        return conf

    def _row(self, conf: Any, state: Any) -> dict[str, tuple[Any, ...]]:
        row = self._rows.get(state)
        if row is None:
            row = self._rows[state] = {kind: self._action(conf, move, target) for kind, (move, target) in conf.states[state].items()}
        return row

    def _action(self, conf: Any, move: Any, target: Any) -> tuple[Any, ...]:
        """(None, next state) for a shift; for a reduction its length, callback, rule name and whether it changes nothing."""
        if move is Shift:
            return (None, target)
        size = len(target.expansion)
        unit = size == 1 and target.options.expand1 and not target.alias
        return (size, conf.callbacks[target], target.origin.name, unit)

    def _unexpected(self, conf: Any, token: Token, states: list[Any], values: list[Any]) -> UnexpectedToken:
        kinds = [kind for kind in conf.states[states[-1]] if kind.isupper() or kind == "_END" or kind == "$END"]
        return UnexpectedToken(token, list(values), frozenset(kind for kind in kinds if self._accepts(conf, kind, states)))

    def _accepts(self, conf: Any, kind: str, states: list[Any]) -> bool:
        """Whether a token of `kind` could be shifted after the reductions that it calls for."""
        states = list(states)
        while True:
            found = conf.states[states[-1]].get(kind)
            if found is None:
                return False
            move, target = found
            if move is Shift:
                return True
            if target.expansion:
                del states[-len(target.expansion) :]
            states.append(conf.states[states[-1]][target.origin.name][1])
            if kind == "$END" and states[-1] == conf.end_state:
                return True
