"""What the names of a file may hold when it runs: whether they are tracked, whether they are set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .control import For
from .expressions import Name
from .functions import Define
from .postfix import Call
from .statements import Assign, Augment
from .syntax import nodes_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .emitter import Emitter
    from .scope import Symbol
    from .syntax import Block, Node, Program


def is_value(symbol: Symbol | None) -> bool:
    """Whether a name stands for a value, no function."""
    return symbol is not None and symbol.kind in {"variable", "param", "parameter", "input"}


def may_be_tracked(symbol: Symbol, emitter: Emitter) -> bool:
    """Whether a name can hold a tracked value: then it pays to try."""
    if symbol.kind == "variable" and symbol.unit is emitter.unit:
        return not symbol.counter and symbol in emitter.unit.tracked
    return symbol.kind != "input"


def is_set(symbol: Symbol, emitter: Emitter) -> bool:
    """Whether a name is set for certain when one comes to what is written at present."""
    if symbol.kind == "parameter" or symbol in emitter.certain:
        return True
    return emitter.in_function and symbol in emitter.unit.settled


def tracked_names(blocks: Iterable[Block]) -> set[Symbol]:
    """The variables to which something tracked may be assigned, in whatever order the statements run."""
    gets: dict[Symbol, list[Symbol]] = {}  # from a variable to those that are computed with it
    waiting: list[Symbol] = []
    for block in blocks:
        for symbols, value in _assignments(block):
            names, certain = _sources(value)
            waiting += symbols if certain else []
            for name in names:
                gets.setdefault(name, []).extend(symbols)
    known: set[Symbol] = set()
    while waiting:
        symbol = waiting.pop()
        if symbol not in known:
            known.add(symbol)
            waiting += gets.get(symbol, [])
    return known


def _assignments(block: Block) -> Iterator[tuple[list[Any], Node]]:
    """What a block assigns, with the blocks in it."""
    for statement in block.statements:
        if isinstance(statement, Assign):
            yield [target.symbol for target in statement.targets], statement.value
        elif isinstance(statement, Augment):
            yield [statement.target.symbol], statement.value
        elif isinstance(statement, For):
            yield statement.symbols, statement.values
        for inner in statement.blocks():
            yield from _assignments(inner)


def _sources(value: Node) -> tuple[set[Symbol], bool]:
    """The variables of an expression, and whether it is tracked for certain or might be for a reason that is not looked into."""
    names: set[Symbol] = set()
    certain = False
    for item in nodes_in(value):
        if isinstance(item, Name) and item.symbol is not None:
            certain = certain or item.symbol.kind in {"param", "parameter", "function"}
            names.add(item.symbol)
    return names, certain


def settled_names(program: Program) -> set[Symbol]:
    """The names of a file that are set before its main part comes to a function of its own: on them every function can rely."""
    found: set[Symbol] = set()
    for statement in program.statements:
        if _speaks_of_functions(statement.parameters if isinstance(statement, Define) else statement):
            break
        found.update(statement.sets())
    return found


def _speaks_of_functions(part: Any) -> bool:
    """Whether a function of the program is named in a part of it."""
    named = (item.symbol for item in nodes_in(part) if isinstance(item, (Name, Call)))
    return any(symbol is not None and symbol.kind == "function" for symbol in named)
