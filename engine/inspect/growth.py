"""Notices a graph that grows from call to call: a sum of losses that are still tracked, most often."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..node import Node

# So many looks in a row must find more nodes than the one before.
LOOKS = 5


class Growth:
    """For each line that calls backward: how many nodes stayed alive after its calls."""

    def __init__(self) -> None:
        self._looks: dict[int, list[tuple[int, int]]] = {}
        self._found: dict[int, dict[str, Any]] = {}

    def look(self, line: int, call: int, count: int, alive: Sequence[Node]) -> None:
        """Notes what is alive after a call, and warns once where its `count` has grown at each of the last looks."""
        looks = self._looks.setdefault(line, [])
        if looks and looks[-1][1] >= count:
            looks.clear()
        looks.append((call, count))
        if len(looks) >= LOOKS:
            (first, before), (last, now) = looks[0], looks[-1]
            place, _ = Counter(node.span.line for node in alive).most_common(1)[0]
            self._found[line] = {"line": place or None, "backward_line": line or None, "nodes_per_call": (now - before) / (last - first)}

    def warnings(self, held: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """What was found, with the name that holds most of it and what to do."""
        name = held[0]["name"] if held else None
        return [{**found, "name": name, "message": _message(found, name)} for found in self._found.values()]


def _message(found: Mapping[str, Any], name: str | None) -> str:
    by = f", held by {name}" if name else ""
    return (
        f"the graph grows with each backward call: {found['nodes_per_call']:.3g} nodes a call stay alive, "
        f"most of them from line {found['line']}{by}; add up detach(…) of the value where no gradient is needed"
    )
