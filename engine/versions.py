"""Version counters: which buffers were changed in place, when, and by which line.

A change is stamped with a number from the sequence of nodes, so that saving needs no bookkeeping at all: a node whose number is lower
than the stamp of a buffer it saved has saved a value that is gone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .derivative import saved_values
from .identity import WeakTable
from .node import Change, here, next_number

if TYPE_CHECKING:
    from .node import Node


# By the array that owns the memory. Views share its counter, and so do tensors that were detached.
_changes: WeakTable[Change] = WeakTable()


def buffer_of(value: Any) -> Any:
    """What identifies the memory of a value: of a view, the array that owns it."""
    base = getattr(value, "base", None)
    while base is not None and hasattr(base, "nbytes"):
        value, base = base, getattr(base, "base", None)
    return value


def mark_changed(array: Any) -> None:
    """Notes that the memory of `array` was changed by the present caller."""
    buffer = buffer_of(array)
    before = _changes.get(buffer)
    _changes[buffer] = Change(next_number(), here(), before.version + 1 if before else 1)


def version_of(array: Any) -> int:
    """How often the memory of `array` was changed in place."""
    found = _changes.get(buffer_of(array)) if array.__class__ is not float else None
    return found.version if found else 0


def any_changes() -> bool:
    """Whether any living buffer was ever changed in place."""
    return len(_changes) > 0


def stale(node: Node) -> tuple[str, Any, Change] | None:
    """A value that `node` saved and that was changed since: its name, the array, and the change."""
    for name, value in saved_values(node):
        for part in value if isinstance(value, (list, tuple)) else (value,):
            change = _changes.get(buffer_of(part)) if hasattr(part, "nbytes") else None
            if change is not None and change.stamp > node.sequence_nr:
                return name, part, change
    return None
