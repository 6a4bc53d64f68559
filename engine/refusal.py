"""Why a backward pass is refused, with the lines of both sides: where a value was made or saved, and where it was freed or changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .errors import EngineError, FreedGraphError, VersionError
from .node import AccumulateGrad, node_of
from .versions import stale

if TYPE_CHECKING:
    from .node import Change, Node


def freed(node: Node) -> EngineError:
    labels = [(node.span, f"{node.name()} was recorded here")]
    if node.released_at is not None:
        labels.append((node.released_at, "freed by this backward"))
    where = f" (line {node.span.line})" if node.span.line else ""
    by = f" by the backward of line {node.released_at.line}" if node.released_at and node.released_at.line else ""
    return FreedGraphError(
        f"Trying to backward through the graph a second time: {node.name()}{where} was freed{by}",
        help="keep the graph with retain_graph in the first backward, or compute the value again",
        labels=labels,
    )


def check_versions(node: Node, buffers: bool) -> None:
    """Raises VersionError where `node` saved a value that was changed in place since: of a leaf, or in a buffer (if any ever changed)."""
    unfolded = getattr(getattr(node, "derivative", None), "unfolded", None)
    if unfolded is not None:
        for inner in reversed(list(unfolded(node))):
            check_versions(inner, False)  # it saves numbers only
        return
    for slot, leaf in enumerate(node.edges):
        if (
            isinstance(leaf, AccumulateGrad)
            and leaf.changed
            and leaf.changed.stamp > node.sequence_nr
            and node.derivative.saves_input(slot)
        ):
            raise _modified(node, leaf.label or "a leaf", leaf.shape, leaf.changed)
        number = getattr(node_of(leaf), "extra", None) if leaf is not None else None
        if number is not None and number.changed and number.changed.stamp > node.sequence_nr and node.derivative.saves_input(slot):
            raise _modified(node, "an input", (), number.changed)
    own = getattr(node, "extra", None)
    if own is not None and own.changed and "y" in node.derivative.saved_names:
        raise _modified(node, "its result", (), own.changed)
    found = stale(node) if buffers else None
    if found is not None:
        name, array, change = found
        raise _modified(node, "its result" if name == "y" else f"its input {name}", array.shape, change)


def _modified(node: Node, called: str, shape: tuple[int, ...], change: Change) -> EngineError:
    at = f" on line {change.place.line}" if change.place.line else ""
    return VersionError(
        f"one of the variables needed for gradient computation has been modified by an inplace operation{at}: "
        f"{node.name()} needs {called} (shape {shape}) as it was, and it is at version {change.version} now",
        help="call backward before the change, or compute the value again",
        labels=[(node.span, f"{called} was saved for backward here"), (change.place, "changed here")],
    )
