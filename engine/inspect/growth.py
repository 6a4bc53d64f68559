"""Notices a graph that grows from call to call: a sum of losses that are still tracked, most often."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .living import Living


# So many looks in a row must find more nodes than the one before.
LOOKS = 5


class Growth:
    """For each line that calls backward: how many nodes stayed alive after its calls."""

    def __init__(self) -> None:
        self._looks: dict[int, list[tuple[int, int]]] = {}
        self._found: dict[int, dict[str, Any]] = {}

    def look(self, call: Mapping[str, Any], living: Living) -> None:
        """Notes how much is alive after a call, and warns once where that has grown at each of the last looks."""
        looks = self._looks.setdefault(call["line"] or 0, [])
        if looks and looks[-1][1] >= living.alive:
            looks.clear()
        looks.append((call["index"], living.alive))
        if len(looks) >= LOOKS:
            (first, before), (last, now) = looks[0], looks[-1]
            line, _ = living.lines().most_common(1)[0]
            growth = (now - before) / (last - first)
            self._found[call["line"] or 0] = {"line": line or None, "backward_line": call["line"], "nodes_per_call": growth}

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
