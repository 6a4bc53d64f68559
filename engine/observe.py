"""Who is told of nodes made, run and released; with no listener nobody asks."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any

from . import modes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .backward import GraphTask
    from .node import Node

listeners: list[Listener] = []


class Listener:
    """Override what you want to hear of; use it as a context manager, or `attach` and `detach` it."""

    def created(self, node: Node, result: Any) -> None:
        """A node was recorded, for an operation that gave `result` (raw)."""

    def began(self, task: GraphTask) -> None:
        """A backward pass starts; its dependencies are counted."""

    def arrived(self, node: Node, waiting: int) -> None:
        """A gradient, or the news that none comes, reached a node that still waits for `waiting` more; at 0 it is ready."""

    def started(self, node: Node, gradient: Any) -> None:
        """A node left the ready queue; `gradient` is what has added up for it, None where nothing did."""

    def ran(self, node: Node, gradient: Any, gradients: Sequence[Any]) -> None:
        """A node turned `gradient` (of its output) into `gradients` (of its inputs)."""

    def accumulated(self, node: Node, gradient: Any) -> None:
        """A gradient was added into a leaf."""

    def released(self, node: Node, saved: Sequence[Any]) -> None:
        """A node let go of its saved values and edges."""

    def ended(self) -> None:
        """The backward pass is over, also when it failed."""

    def attach(self) -> None:
        listeners.append(self)
        modes.add_special(1)

    def detach(self) -> None:
        listeners.remove(self)
        modes.add_special(-1)

    def __enter__(self) -> Any:
        self.attach()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.detach()
