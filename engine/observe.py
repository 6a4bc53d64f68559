"""Who is told of nodes made, run and released; with no listener nobody asks, and what none wants to hear costs nothing."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol

from . import modes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .backward import GraphTask
    from .node import Node

listeners: list[Listener] = []


class Listener:
    """Override what you want to hear of; use it as a context manager, or `attach` and `detach` it."""

    # Where nodes of numbers are put as long as no other listener hears of nodes, and nothing else is out of the ordinary; with that,
    # `created` is called for the other nodes only.
    collection: Collection | None = None

    def attends(self, task: GraphTask) -> bool:
        """Whether it wants to hear of each turn of a pass that is about to begin; the nodes that it goes through are known by then.

        A pass that nobody attends is the plain sweep. Of that, it hears that it began, what was accumulated, and that it ended.
        """
        return self.hears_turns()

    def created(self, node: Node, result: Any) -> None:
        """A node was recorded, for an operation that gave `result` (raw)."""

    def began(self, task: GraphTask) -> None:
        """A backward pass starts; its dependencies are counted where somebody attends it."""

    def arrived(self, node: Node, waiting: int) -> None:
        """A gradient, or the news that none comes, reached a node that still waits for `waiting` more; at 0 it is ready."""

    def started(self, node: Node, gradient: Any) -> None:
        """A node left the ready queue; `gradient` is what has added up for it, None where nothing did."""

    def ran(self, node: Node, gradient: Any, gradients: Sequence[Any]) -> None:
        """A node turned `gradient` (of its output) into `gradients` (of its inputs); none are shown by a formula, which delivers itself."""

    def accumulated(self, node: Node, gradient: Any) -> None:
        """A gradient was added into a leaf."""

    def released(self, node: Node, saved: Sequence[Any]) -> None:
        """A node let go of its saved values and edges."""

    def ended(self) -> None:
        """The backward pass is over, also when it failed."""

    @classmethod
    def hears(cls, event: str) -> bool:
        """Whether it overrides what is called at an event."""
        return getattr(cls, event) is not getattr(Listener, event)

    @classmethod
    def hears_turns(cls) -> bool:
        """Whether it overrides what is called at a turn."""
        return any(cls.hears(event) for event in ("arrived", "started", "ran", "released"))

    @classmethod
    def _is_special(cls) -> bool:
        """Whether it must be told operation by operation: of what is recorded, or of the turns of every pass."""
        return cls.hears("created") or (cls.hears_turns() and not cls.hears("attends"))

    def attach(self) -> None:
        listeners.append(self)
        if self._is_special():
            modes.add_special(1)
        if self.collection is not None:
            _exchange_fast_paths()

    def detach(self) -> None:
        listeners.remove(self)
        if self._is_special():
            modes.add_special(-1)
        if self.collection is not None:
            _exchange_fast_paths()

    def __enter__(self) -> Any:
        self.attach()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.detach()


class Collection(Protocol):
    """Where the nodes of operations on numbers are put in place of a call for each: in `nodes`, in the order of their creation.

    `look` is called when a sequence number has come to `limit`.
    """

    nodes: list[Node]
    limit: int

    def look(self) -> None: ...


def _exchange_fast_paths() -> None:
    """Has the fast paths serve the one who collects; where there are several, they hear of each node like everybody else."""
    from .fastpath import exchange

    collections = [listener.collection for listener in listeners if listener.collection is not None]
    exchange(collections[0] if len(collections) == 1 else None)
