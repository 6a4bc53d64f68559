"""Why a backward pass is refused, with the lines of both sides: where a value was made or saved, and where it was freed or changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .errors import EngineError, FreedGraphError, VersionError
from .node import AccumulateGrad

if TYPE_CHECKING:
    from .node import Node


def freed(node: Node) -> EngineError:
    labels = [(node.span, f"{node.name()} was recorded here")]
    if node.released_at is not None:
        labels.append((node.released_at, "freed by this backward"))
    where = f" (line {node.span.line})" if node.span.line else ""
    by = f" by the backward of line {node.released_at.line}" if node.released_at and node.released_at.line else ""
    return FreedGraphError(
        f"Trying to backward through the graph a second time: {node.name()}{where} was freed{by}",
        help="keep the graph with retain_graph=True in the first backward, or compute the value again",
        labels=labels,
    )


def check_versions(node: Node) -> None:
    """Raises VersionError where `node` saved the value of a leaf that was changed since."""
    for slot, leaf in enumerate(node.edges):
        if isinstance(leaf, AccumulateGrad) and leaf.changed and leaf.changed[0] > node.sequence_nr and node.derivative.saves_input(slot):
            raise _modified(node, leaf)


def _modified(node: Node, leaf: AccumulateGrad) -> EngineError:
    place = leaf.changed[1]  # type: ignore[index]
    called = leaf.label or "a leaf"
    at = f" on line {place.line}" if place.line else ""
    return VersionError(
        f"{node.name()} needs the value that {called} had, but it was modified by an inplace operation{at} since",
        help=f"call backward before {called} changes, or compute the value again",
        labels=[(node.span, f"{called} was saved for backward here"), (place, f"{called} changed here")],
    )
