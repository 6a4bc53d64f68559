"""Makes the parser's tables from dagrad.lark with Lark, which only this needs. `python -m dagrad.grammar` writes them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from lark import Lark
from lark.lexer import BasicLexer
from lark.parsers.lalr_analysis import Shift

from .layout import Layout
from .tables import TABLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

GRAMMAR = os.path.join(os.path.dirname(__file__), "dagrad.lark")
STARTS = ("program", "solo")


class PostLex:
    """Layout as Lark wants it."""

    # No rule names these, and Lark would drop them; the last four exist to be named in messages.
    always_accept = ("NEWLINE", "SEMICOLON", "BAD_NUMBER", "BAD_STRING", "BAD_OPERATOR", "BAD_CHARACTER")

    def process(self, tokens: Iterable[Any]) -> Iterator[Any]:
        return Layout().process(tokens)


def build(*, transformer: Any = None, strict: bool = False) -> Lark:
    """Lark's own parser of dagrad.lark, which takes half a second to make."""
    with open(GRAMMAR, encoding="utf-8") as file:
        grammar = file.read()
    return Lark(
        grammar,
        parser="lalr",
        lexer="basic",
        start=list(STARTS),
        postlex=PostLex(),
        transformer=transformer,
        maybe_placeholders=False,
        strict=strict,
    )


def table_text() -> str:
    """What dagrad.tables holds; tables.py reads it."""
    parser = build()
    conf = parser.parse_interactive(start=STARTS[0]).parser_state.parse_conf
    rules = {rule: number for number, rule in enumerate(conf.callbacks)}
    firsts, lasts, states = conf.parse_table.start_states, conf.parse_table.end_states, conf.states
    numbers = _numbered(states, [firsts[start] for start in STARTS])
    head = [
        "The tables of dagrad.lark, made by `python -m dagrad.grammar`.",
        *_lexer(parser),
        " ".join(f"{start}:{numbers[firsts[start]]}:{numbers[lasts[start]]}" for start in STARTS),
    ]
    rows = [_row(states.get(state, {}), rules, numbers) for state in numbers]
    return "\n\n".join("\n".join(lines) for lines in (head, map(_rule, rules), rows))


def write_tables(path: str = TABLES) -> None:
    """Makes the tables anew, after a change of the grammar."""
    with open(path, "w", encoding="utf-8") as file:
        file.write(table_text())


def _lexer(parser: Lark) -> tuple[str, str, str]:
    """The pattern of all tokens, the kinds that are skipped, and the names that are keywords."""
    lexer = BasicLexer(parser.parser.lexer_conf)
    (pattern,) = (found.pattern for found in lexer.scanner._mres)
    for character in "\n\r\t\f":
        pattern = pattern.replace(character, repr(character)[1:-1])
    ((kind, unless),) = lexer.callback.items()
    assert kind == "NAME"  # the only kind that scan() looks for among the keywords
    keywords = sorted(f"{terminal.pattern.value}={terminal.name}" for terminal in unless.scanner.terminals)  # type: ignore[attr-defined]
    return pattern.encode("ascii", "backslashreplace").decode(), " ".join(sorted(lexer.ignore_types)), " ".join(keywords)


def _numbered(states: Any, firsts: list[Any]) -> dict[Any, int]:
    """Numbers for the states, in an order that is the same each time: as they are reached from the first ones."""
    numbers = {state: number for number, state in enumerate(firsts)}
    waiting = list(firsts)
    for state in waiting:  # which grows meanwhile
        for _, (move, target) in sorted(states.get(state, {}).items()):
            if move is Shift and target not in numbers:
                numbers[target] = len(numbers)
                waiting.append(target)
    return numbers


def _row(row: Any, rules: dict[Any, int], numbers: dict[Any, int]) -> str:
    """`s7 NAME;r3 SIGN _END`: shift a name and go to state 7, reduce by rule 3 before a sign or the end of a statement."""
    groups: dict[str, list[str]] = {}
    for kind, (move, target) in sorted(row.items()):
        groups.setdefault(f"s{numbers[target]}" if move is Shift else f"r{rules[target]}", []).append(kind)
    return ";".join(" ".join([action, *kinds]) for action, kinds in groups.items())


def _rule(rule: Any) -> str:
    """`sum 3 binary - 0 1 2`: origin, size, name, whether a lone child replaces it, children (`*`: a rule whose children they are)."""
    kept = [
        f"{at}{'*' if not symbol.is_term and symbol.name.startswith('_') else ''}"
        for at, symbol in enumerate(rule.expansion)
        if not (symbol.is_term and symbol.filter_out)
    ]
    single = "?" if rule.options.expand1 and not rule.alias else "-"
    return " ".join([rule.origin.name, str(len(rule.expansion)), rule.alias or rule.origin.name, single, *kept])
