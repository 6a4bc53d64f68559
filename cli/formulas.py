"""What an op is, as text read from its declaration: its call, its derivatives as written, what it keeps, what it is made of."""

from __future__ import annotations

import inspect
from typing import Any

from dagrad.engine.inspect import formulas, helpers_of, made_of, parameters, written

__all__ = ["described", "rules"]


def described(op: Any) -> dict[str, Any]:
    """All that is known of an op; `parts` are the ops behind a composition that have no name in the language, with their rules."""
    parts = made_of(op)
    return {
        "name": op.name,
        "signature": signature(op),
        "about": op.doc,
        **derivatives(op),
        "kinks": op.kinks or None,
        "written": None if op.rules or not parts else written(op.array),
        "made_of": [part.name for part in parts],
        "parts": [{"name": part.name, **derivatives(part)} for part in parts if part.rules and not part.builtin],
        "where": helpers(op, parts),
    }


def derivatives(op: Any) -> dict[str, Any]:
    return {"nodes": nodes(op), "derivatives": formulas(op), "saved": saved(op)}


def nodes(op: Any) -> list[str]:
    """The field's names of what it records; a composition records what the ops it is made of do."""
    return [] if not any(op.rules) else [op.node] if isinstance(op.node, str) else list(dict.fromkeys(op.node))


def helpers(op: Any, parts: list[Any]) -> dict[str, str]:
    """The helpers in the rules of an op; of a composition, in its text and in the rules of its parts. One of no derivative has none."""
    if not parts and not any(op.rules):
        return {}
    found = helpers_of(op)
    for part in parts:
        if part.rules and not part.builtin:
            found |= helpers_of(part)
    return found


def signature(op: Any) -> str:
    """How the op is called: `clamp(x, min=none, max=none)`."""
    words = []
    for name, parameter in inspect.signature(op.array).parameters.items():
        stars = "*" if parameter.kind is parameter.VAR_POSITIONAL else ""
        words.append(f"{stars}{name}" if parameter.default is parameter.empty else f"{name}={literal(parameter.default)}")
    return f"{op.name}({', '.join(words)})"


def literal(value: Any) -> str:
    """A default as the language writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else "none" if value is None else str(value)


def saved(op: Any) -> list[str]:
    """What the rules need, and a node therefore keeps, when every input is tracked."""
    wanted = {name for rule in op.rules if rule is not None for name in parameters(rule)[1:]}
    return [name for name in (*op.inputs, "y") if name in wanted]


def rules(entry: dict[str, Any]) -> str:
    """The derivative in a line: the rules, or for a composition its only part's, or the names of its parts."""
    if entry["derivatives"]:
        return "; ".join(f"{name}: {rule}" for name, rule in entry["derivatives"].items())
    if len(entry["made_of"]) == len(entry["parts"]) == 1:
        return rules({**entry["parts"][0], "made_of": []})
    return f"made of {', '.join(entry['made_of'])}" if entry["made_of"] else "-"
