"""The moment an operation is recorded: its node is made where the user's source stands, and who listens is told."""

from __future__ import annotations

from sys import _getframe
from typing import TYPE_CHECKING, Any

from . import modes
from .node import TRANSPARENT, Edge, Node, next_number
from .observe import listeners
from .shapes import shape_of
from .tensor import Tensor, untracked
from .values import wrap_any

if TYPE_CHECKING:
    from types import CodeType

    from .derivative import Derivative


def record(derivative: Derivative, y: Any, edges: tuple[Any, ...], saved: tuple[Any, ...]) -> Any:
    """Makes the node of an operation, at the nearest place outside the engine, and the Tensor of its result (several: a tuple)."""
    place, special = None, modes.special
    if special:
        local = modes.local
        if not local.enabled:
            return wrap_any(y) if derivative.op.outputs == 1 else tuple(map(wrap_any, y))
        place = local.place
    if place is None:
        frame = _getframe(2)
        while frame.f_globals.get("__package__") in TRANSPARENT and frame.f_back is not None:
            frame = frame.f_back
        place = frame.f_code, frame.f_lasti
    arity = derivative.arity
    others = edges[1] if arity == 2 else None if arity == 1 else edges[1:]
    several = derivative.op.outputs > 1
    out = record_at(*place, derivative, y[0] if several else y, edges[0], others, saved)
    node: Node = out.node  # type: ignore[assignment]
    if several:
        node.shape = tuple(shape_of(part) for part in y)  # type: ignore[misc]
    if special and (listeners or local.saving):
        announce(node, y)
    return tuple(untracked(part, Edge(node, i)) for i, part in enumerate(y)) if several else out


def record_at(code: CodeType, lasti: int, derivative: Derivative, y: Any, edge: Any, others: Any, saved: tuple[Any, ...]) -> Tensor:
    """The node of an operation of one result that stands at a place, and its Tensor; nobody is told.

    This is the hottest code of the forward pass. The fields are set one by one, since a constructor call would cost half as much
    again as all of them together, and the place is two references, resolved to a line only when somebody asks.
    """
    node = Node()
    node.derivative = derivative
    node.edge = edge
    node.others = others
    node.saved = saved
    node.sequence_nr = next_number()
    node.shape = () if y.__class__ is float else y.shape
    node.grad = None
    node.code = code
    node.lasti = lasti
    out = Tensor()
    out.data = y
    out.node = node
    return out


def announce(node: Node, y: Any) -> None:
    """Packs what a new node saves, and tells the listeners of it."""
    if modes.local.saving:
        from .saving import pack_saved

        pack_saved(node)
    for listener in listeners:
        listener.created(node, y)
