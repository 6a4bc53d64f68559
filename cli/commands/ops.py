"""`dagrad ops`: every differentiable operation, and what its derivative is."""

from typing import Annotated, Any

import typer

from ..screen import Screen
from ..status import UsageError


def command(
    screen: Screen, name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="One operation; without it, all are listed.")] = None
) -> None:
    """Every operation: how it is called, its derivative, what it keeps, and what holds at its kinks.

    dagrad ops               # all of them, one a line
    dagrad ops maximum       # one of them
    """
    from dagrad.engine import registry

    if name is None:
        found = [described(op) for name, op in sorted(registry.items()) if not name.startswith("_")]
        if screen.json:
            screen.document(ops=found)
        else:
            screen.table(["operation", "derivative", "keeps"], [row(entry) for entry in found])
    elif name in registry:
        show(screen, described(registry[name]))
    else:
        raise UsageError(f"there is no operation {name}{suggestion(name, registry)}", help="dagrad ops lists them")


def described(op: Any) -> dict[str, Any]:
    from ..formulas import formulas, saved, signature

    return {
        "name": op.name,
        "signature": signature(op),
        "about": op.doc,
        "nodes": nodes(op),
        "derivatives": formulas(op),
        "saved": saved(op),
        "kinks": op.kinks or None,
    }


def nodes(op: Any) -> list[str]:
    """The field's names of what it records; a formula records what the operations it is made of do."""
    return [] if not op.rules else [op.node] if isinstance(op.node, str) else list(dict.fromkeys(op.node))


def row(entry: dict[str, Any]) -> list[str]:
    rules = "; ".join(f"{name}: {rule}" for name, rule in entry["derivatives"].items())
    return [entry["signature"], rules or "-", " ".join(entry["saved"]) or "-"]


def show(screen: Screen, entry: dict[str, Any]) -> None:
    if screen.json:
        screen.document(**entry)
        return
    lines = [
        ["call", entry["signature"]],
        ["means", entry["about"]],
        ["records", " or ".join(entry["nodes"]) or "what the operations it is made of record"],
    ]
    lines += [[f"gradient of {name}", rule] for name, rule in entry["derivatives"].items()]
    lines += [["keeps", " ".join(entry["saved"]) or "nothing"]]
    lines += [["at kinks", entry["kinks"]]] if entry["kinks"] else []
    screen.table(["", entry["name"]], [[left, " ".join(right.split())] for left, right in lines])


def suggestion(name: str, known: Any) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, known, 1)
    return f"; did you mean {close[0]}?" if close else ""
