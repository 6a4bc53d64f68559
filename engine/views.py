"""Tensors that share memory: how each is got from its base, so that a change of one can be told to the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .hooks import move_retained
from .identity import WeakTable
from .lazy import np
from .shapes import shape_of
from .tensor import Tensor, untracked

if TYPE_CHECKING:
    from .op import Op


class Steps:
    """A chain of ops that move no element: what is done to a base to get a view of it."""

    __slots__ = ("ops",)

    def __init__(self, ops: tuple[tuple[Op, tuple[Any, ...]], ...]) -> None:
        self.ops = ops

    def of(self, x: Any) -> Any:
        """The same view of another value: of an array it shares memory, of a Tensor it is recorded."""
        for step, settings in self.ops:
            x = step.call(x, *settings)
        return x

    def hollow(self, g: Any) -> Any:
        """g with zeros where the view looks."""
        mask = np.ones(shape_of(g))
        self.of(mask)[...] = 0.0
        return g * mask


class View:
    """How a tensor that shares memory with `base` is got from it."""

    __slots__ = ("base", "steps")

    def __init__(self, base: Tensor, steps: Steps) -> None:
        self.base = base
        self.steps = steps


# The views of each base that are alive.
_views: WeakTable[WeakTable[View]] = WeakTable()


def view_of(x: Tensor) -> View | None:
    """What x is a view of, if anything."""
    return getattr(x, "view", None)


def note_view(x: Tensor, step: Op, settings: tuple[Any, ...], result: Tensor) -> None:
    """Remembers that `result` is a view of `x`."""
    inner = view_of(x)
    own = (step, settings)
    view = View(x, Steps((own,))) if inner is None else View(inner.base, Steps((*inner.steps.ops, own)))
    result.view = view
    known = _views.get(view.base)
    if known is None:
        known = WeakTable()
        _views[view.base] = known
    known[result] = view


def renew_views(base: Tensor) -> None:
    """Records every living view of a base again, now that the base has another history."""
    known = _views.get(base)
    for x in list(known.keys()) if known is not None else ():
        before, x.node = x.node, x.view.steps.of(untracked(base.data, base.node)).node
        move_retained(before, x.node)
