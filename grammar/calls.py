"""Whether a call fits the function it calls, as far as that is known before the run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .names import closest
from .postfix import Call, Keyword
from .syntax import Node

if TYPE_CHECKING:
    from .builtins import Signature
    from .scope import Scope, Symbol


def check_call(scope: Scope, call: Call, symbol: Symbol) -> None:
    """Reports a call of something that is no function, or with the wrong arguments."""
    arguments = call.all_arguments()
    if not _in_order(scope, call):
        return
    if symbol.kind in {"constant", "param", "input"} or symbol.counter:
        inner = ", ".join(scope.text(a) for a in call.arguments)
        help = f"for a product write {symbol.name}*({inner})" if inner else None
        scope.error("not-a-function", f"'{symbol.name}' is not a function", call, help, scope.label(symbol, "defined here"))
        return
    if not symbol.fixed or symbol.signature is None:
        return
    if not _fits(scope, call, symbol, symbol.signature, [a for a in arguments if not isinstance(a, Keyword)]):
        return
    if call.statement and symbol.signature.kept and not scope.unit.interactive:
        scope.error("unused-value", "the value is not used", call, f"write {symbol.signature.kept}")
    if not call.statement and not symbol.signature.returns:
        scope.error(
            "no-value", f"{symbol.name}() returns nothing that could be used here", call, labels=scope.label(symbol, "defined here")
        )


def _in_order(scope: Scope, call: Call) -> bool:
    seen: set[str] = set()
    for argument in call.arguments:
        if not isinstance(argument, Keyword):
            if seen:
                scope.error("arguments", "an argument without a name follows one with a name", argument)
                return False
        elif argument.name in seen:
            scope.error("duplicate", f"the argument '{argument.name}' is given twice", argument)
            return False
        else:
            seen.add(argument.name)
    return True


def _fits(scope: Scope, call: Call, symbol: Symbol, signature: Signature, positional: list[object]) -> bool:
    labels = scope.label(symbol, "defined here")
    named = [a for a in call.arguments if isinstance(a, Keyword)]
    if len(positional) > len(signature.parameters) and not signature.variadic:
        count = len(positional) + len(named)
        scope.error(
            "arguments", f"{symbol.name} takes {signature.describe()}, {count} {'was' if count == 1 else 'were'} given", call, labels=labels
        )
        return False
    if symbol.kind == "builtin" and symbol.name in {"max", "min"} and len(positional) > 1:
        scope.error(
            "arguments",
            f"{symbol.name} takes one tensor",
            call,
            f"of two values: {symbol.name}imum(a, b); along an axis: {symbol.name}(x, axis=0)",
        )
        return False
    taken = set(signature.parameters[: len(positional)])
    for argument in named:
        at = Node(argument.start, argument.name_end)
        if argument.name in taken and not signature.variadic:
            scope.error("arguments", f"{symbol.name} is given its argument '{argument.name}' twice", at, labels=labels)
            return False
        if argument.name not in signature.parameters:
            near = closest(argument.name, signature.parameters)
            known = f"its parameters are {', '.join(signature.parameters)}" if signature.parameters else "it takes no named arguments"
            scope.error(
                "arguments", f"{symbol.name} has no parameter '{argument.name}'", at, f"did you mean '{near}'?" if near else known, labels
            )
            return False
        taken.add(argument.name)
    missing = [p for p in signature.parameters[: signature.required] if p not in taken]
    if missing:
        count = len(positional) + len(named)
        names = " and ".join(f"'{name}'" for name in missing)
        scope.error(
            "arguments",
            f"{symbol.name} takes {signature.describe()}, {count} {'was' if count == 1 else 'were'} given: {names} is missing",
            call,
            labels=labels,
        )
        return False
    return True
