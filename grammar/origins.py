"""Where a name got its value: the statement or the argument that set it last, where the text of the program makes that certain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .control import For, Import, NoGrad, While
from .postfix import Call, Keyword
from .statements import Assign, Augment, Declaration
from .syntax import Node, nodes_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .functions import Define
    from .scope import Scope, Symbol
    from .syntax import Block, Statement


class Untouched(Exception):
    """Nothing before this place sets the name."""


def symbol_of(name: str, scope: Scope) -> Symbol | None:
    """What a name of the program means in a scope."""
    top = scope.outer or scope
    return scope.names.get(name) or top.names.get(name) or top.imported.get(name)


def only_place(symbol: Symbol, scope: Scope) -> Node | None:
    """The place of a name that is set in one place only."""
    top = scope.outer or scope
    own = symbol.kind in {"param", "input", "parameter"}
    copied = symbol.kind == "variable" and top.imported.get(symbol.name) not in {None, symbol}  # an import sets it, too
    if symbol.end and not copied and len(symbol.bindings) + own == 1 and symbol.kind != "parameter":
        return Node(symbol.start, symbol.end)
    return None


def last_place(block: Block, at: int, name: str) -> Node | None:
    """Where the statements up to the offset `at` set a name last: None where a loop or branch decides; Untouched."""
    before = [statement for statement in block.statements if statement.start <= at]
    if not before:
        raise Untouched
    here = before.pop()
    inside = next((inner for inner in here.blocks() if inner.start <= at < inner.end), None)
    if inside is not None:
        try:
            return last_place(inside, at, name)
        except Untouched:
            pass
        if isinstance(here, For):
            for target in here.targets:
                if target.id == name:
                    return target
    if isinstance(here, (For, While)) and _sets(here, name):  # in an earlier turn, perhaps
        return None
    if isinstance(here, Assign) and len(here.targets) > 1 and _sets(here, name):  # its first targets may be set already
        return None
    for statement in reversed(list(_one_after_another(before))):
        if _sets(statement, name):
            return _target(statement, name)
    raise Untouched


def argument(call: Call, define: Define, name: str) -> Node | None:
    """What a call gives for a parameter; its default where it gives nothing."""
    given = call.all_arguments()
    for each in given:
        if isinstance(each, Keyword) and each.name == name:
            return each.value
    positional = [each for each in given if not isinstance(each, Keyword)]
    at = [parameter.name for parameter in define.parameters].index(name)
    return positional[at] if at < len(positional) else define.parameters[at].default


def calls(node: Any) -> Iterator[Call]:
    """All calls in a piece of a program."""
    return (item for item in nodes_in(node) if isinstance(item, Call))


def _one_after_another(statements: Iterable[Statement]) -> Iterator[Statement]:
    """The statements with those of `no_grad { }` among them: it runs once, as they do."""
    for statement in statements:
        if isinstance(statement, NoGrad):
            yield from _one_after_another(statement.body.statements)
        else:
            yield statement


def _sets(statement: Statement, name: str) -> bool:
    """Whether a statement, or one inside it, can set the name."""
    if isinstance(statement, Import):
        return statement.unit is not None and name in statement.unit.scope.names
    if isinstance(statement, For) and any(target.id == name for target in statement.targets):
        return True
    if _target(statement, name) is not None:
        return True
    return any(_sets(inner, name) for block in statement.blocks() for inner in block.statements)


def _target(statement: Statement, name: str) -> Node | None:
    """The name in a statement that sets it for certain."""
    if isinstance(statement, Declaration) and statement.name == name:
        return Node(statement.name_start, statement.name_start + len(name))
    targets = statement.targets if isinstance(statement, Assign) else [statement.target] if isinstance(statement, Augment) else []
    return next((target.name for target in targets if target.element is None and target.name.id == name), None)
