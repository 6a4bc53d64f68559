"""Sets and tables of objects by identity that do not keep them alive: Tensors compare elementwise, so weak collections of the standard
library cannot hold them."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import Any, Generic, TypeVar

V = TypeVar("V")


class WeakTable(Generic[V]):
    """A table from objects to values; an entry goes when its object does."""

    def __init__(self) -> None:
        self._entries: dict[int, tuple[weakref.ref[Any], V]] = {}

    def __setitem__(self, key: object, value: V) -> None:
        number = id(key)
        entries = self._entries
        entries[number] = (weakref.ref(key, lambda _: entries.pop(number, None)), value)

    def get(self, key: object) -> V | None:
        found = self._entries.get(id(key))
        return found[1] if found is not None else None

    def __contains__(self, key: object) -> bool:
        return id(key) in self._entries

    def __len__(self) -> int:
        return len(self._entries)

    def keys(self) -> Iterator[Any]:
        """The objects that are alive."""
        for reference, _ in list(self._entries.values()):
            found = reference()
            if found is not None:
                yield found
