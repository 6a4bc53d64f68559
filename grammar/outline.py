"""A tree as data and as an outline: one line a node, what it holds indented below it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .strings import String
from .syntax import Node

if TYPE_CHECKING:
    from .source import Source

# What the check and the emission note in a node.
NOTES = frozenset({"start", "end", "symbol", "symbols", "scope", "unit", "statement", "over_range", "name_start", "name_end"})

DEEPEST = 100  # what lies deeper is not indented further: a sum of 10,000 terms is as deep as it is long


def outline(tree: Node, source: Source | None = None) -> str:
    """The outline of a tree; with its source each node's line and column, without it only what the tree means."""
    lines: list[str] = []
    waiting: list[tuple[int, str, Any]] = [(0, "", tree)]
    while waiting:
        depth, label, item = waiting.pop()
        lines.append("  " * min(depth, DEEPEST) + label + _head(item, source))
        waiting += [(depth + 1, f"{name}: " if name else "", child) for name, child in reversed(list(_children(item)))]
    return "\n".join(lines)


def as_data(tree: Node, source: Source) -> Any:
    """The tree as nested mappings: `node`, `line`, `column`, `end_line`, `end_column`, and the node's fields."""
    root: dict[str, Any] = {}
    waiting: list[tuple[Any, Any, Any]] = [(root, "tree", tree)]
    while waiting:
        holder, key, item = waiting.pop()
        made: Any = item
        if isinstance(item, Node):
            line, column = source.position(item.start)
            end_line, end_column = source.position(item.end)
            made = {"node": type(item).__name__, "line": line, "column": column, "end_line": end_line, "end_column": end_column}
            waiting += [(made, name, value) for name, value in reversed(_fields(item))]
        elif isinstance(item, (list, tuple)):
            made = [None] * len(item)
            waiting += [(made, at, value) for at, value in enumerate(item)]
        holder[key] = made
    return root["tree"]


def _fields(node: Node) -> list[tuple[str, Any]]:
    return [(name, value) for name, value in node.as_dict().items() if name not in NOTES]


def _head(item: Any, source: Source | None) -> str:
    if not isinstance(item, Node):
        return "(both)" if isinstance(item, tuple) else repr(item)
    plain = [_plain(value) for _, value in _fields(item) if _is_plain(value)]
    place = ":".join(map(str, source.position(item.start))) if source is not None else ""
    return " ".join(part for part in (type(item).__name__, *plain, place and f"@{place}") if part)


def _plain(value: Any) -> str:
    return " ".join(map(_plain, value)) if isinstance(value, list) else str(value)


def _is_plain(value: Any) -> bool:
    """Whether a field stands on the line of its node: numbers, names, operators."""
    if isinstance(value, list):
        return bool(value) and all(isinstance(item, str) for item in value)
    return isinstance(value, (str, float, int))


def _children(item: Any) -> list[tuple[str, Any]]:
    if isinstance(item, tuple):  # a test and its block
        return [("", child) for child in item]
    if not isinstance(item, Node):
        return []
    found: list[tuple[str, Any]] = []
    for name, value in _fields(item):
        if isinstance(value, list) and (not _is_plain(value) or isinstance(item, String)):
            found += [(name if at == 0 and len(value) == 1 else f"{name}[{at}]", child) for at, child in enumerate(value)]
        elif isinstance(value, Node):
            found.append((name, value))
    return found
