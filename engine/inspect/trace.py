"""The engine at work: for each node of a backward pass why it was ready, what went in and out, and what was let go."""

from __future__ import annotations

import math
import time
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..gradient import Owned, Scatter
from ..node import AccumulateGrad, Edge, node_of
from ..observe import Listener
from ..tensor import Tensor
from ..versions import buffer_of
from .numbers import is_of_numbers, is_plain
from .snapshot import Location, bytes_of, identified
from .turns import Turns

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..backward import GraphTask
    from ..node import Node


# So many elements are kept as they are.
SMALL = 6


@dataclass(frozen=True, slots=True)
class Gradient:
    """A gradient in short: its shape, its 2-norm, and of a number or a small tensor the value.

    `index` is set where it goes to one part of a tensor only.
    """

    shape: tuple[int, ...]
    norm: float
    value: float | list[Any] | None
    index: str | None = None


@dataclass(frozen=True, slots=True)
class Sent:
    """A gradient on its way over the edge of input `slot` to output `input_nr` of `to`, None where a rule gave none."""

    to: str
    slot: int
    input_nr: int
    gradient: Gradient | None


@dataclass(slots=True)
class Step:
    """One turn of the engine's loop.

    The node had waited for `waited` gradients; the last one came from `because` (None: from the caller). `ready` is the queue
    after it was taken out, in the order in which its nodes will leave if nothing else comes in between.
    """

    number: int
    node: str
    op: str
    variable: str | None
    place: Location | None
    waited: int
    because: str | None
    ready: list[str]
    gradient: list[Gradient | None]
    sent: list[Sent] = field(default_factory=list)
    accumulated: Gradient | None = None
    total: Gradient | None = None
    released_bytes: int | None = None
    seconds: float = 0.0
    source: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The fields as plain data; the place as file, line and column."""
        place = self.place
        fields = {name: _plain(getattr(self, name)) for name in self.__slots__ if name != "place"}
        return {**fields, **{name: getattr(place, name) if place else None for name in ("file", "line", "column")}}


def _plain(value: Any) -> Any:
    """What dataclasses.asdict gives, which copies every string and number on its way, in a fifth of the time."""
    if isinstance(value, (Gradient, Sent)):
        return {name: _plain(getattr(value, name)) for name in value.__slots__}
    return [_plain(item) for item in value] if value.__class__ is list else value


class TraceRecorder(Listener):
    """Records the steps of one backward pass: of the first that begins after `arm` was last called."""

    def __init__(self) -> None:
        self.done = False
        # A pass of numbers, which is not attended; its steps are made when they are asked for.
        self.turns: Turns | None = None
        self._steps: list[Step] | None = []
        self._armed = False
        self._live = False

    def arm(self) -> None:
        """The next pass is the one to record."""
        self._armed = True

    @property
    def steps(self) -> list[Step]:
        """What was recorded, in the engine's order."""
        if self._steps is None:
            self._steps = list(self.each())
        return self._steps

    def each(self) -> Iterator[Step]:
        """The same one by one: of a pass of numbers, which may have millions, none is kept."""
        if self._steps is not None:
            yield from self._steps
        elif self.turns is not None:
            yield from _steps_of(self.turns)

    def attends(self, task: GraphTask) -> bool:
        return self._armed and not (is_plain(task) and is_of_numbers(task.nodes, task.leaves))

    def began(self, task: GraphTask) -> None:
        self._live, self._armed = self._armed, False
        if not self._live:
            return
        self.done = False
        self.turns = None if task.attended else Turns(task)
        self._steps = [] if task.attended else None
        if not task.attended:
            return
        self._ids = identified(sorted(task.visited, key=lambda node: node.sequence_nr))
        self._waited = dict(task.dependencies)
        self._senders: dict[Node, str | None] = {}
        self._ready: set[Node] = set()
        self._freed: set[int] = set()
        self._node: Node | None = None
        self._clock = time.perf_counter()

    def arrived(self, node: Node, waiting: int) -> None:
        if self._live and waiting == 0:
            self._ready.add(node)
            self._senders[node] = self.steps[-1].node if self.steps else None

    def started(self, node: Node, gradient: Any) -> None:
        if not self._live:
            return
        self._tick()
        self._ready.discard(node)
        self._node = node
        self.steps.append(
            Step(
                number=len(self.steps) + 1,
                node=self._ids[node],
                op=node.name(),
                variable=node.label if isinstance(node, AccumulateGrad) else None,
                place=Location.of(node.span),
                waited=self._waited[node],
                because=self._senders[node],
                ready=[self._ids[other] for other in sorted(self._ready, key=_turn)],
                gradient=[described(part) for part in (gradient if gradient.__class__ is tuple else (gradient,))],
            )
        )
        self._clock = time.perf_counter()

    def ran(self, node: Node, gradient: Any, gradients: Sequence[Any]) -> None:
        if not self._live:
            return
        self._tick()
        self.steps[-1].sent = [
            Sent(self._ids[node_of(edge)], slot, edge.input_nr if isinstance(edge, Edge) else 0, described(part))
            for slot, (edge, part) in enumerate(zip(node.edges, gradients, strict=True))
            if edge is not None and edge is not node
        ]

    def accumulated(self, node: Node, gradient: Any) -> None:
        if self._live and self.turns is None and self.steps and node is self._node and isinstance(node, AccumulateGrad):
            self.steps[-1].accumulated = described(gradient)
            self.steps[-1].total = described(node.accumulated)

    def released(self, node: Node, saved: Sequence[Any]) -> None:
        if not self._live:
            return
        freed = 0
        for value in saved:
            for part in value if isinstance(value, (list, tuple)) else [value]:
                owner = buffer_of(part)
                if part.__class__ is float or id(owner) not in self._freed:
                    self._freed.add(id(owner))
                    freed += bytes_of(part)
        self.steps[-1].released_bytes = freed

    def ended(self) -> None:
        if self._live:
            if self.turns is None:
                self._tick()
            self._live = False
            self.done = True

    def _tick(self) -> None:
        """The time since the last look belongs to the step under way."""
        if self.steps and self._node is not None:
            self.steps[-1].seconds += time.perf_counter() - self._clock
        self._clock = time.perf_counter()

    def by_op(self) -> dict[str, dict[str, Any]]:
        """Per op how many nodes ran, how long they took, what they let go; the longest first."""
        found: dict[str, dict[str, Any]] = defaultdict(lambda: {"nodes": 0, "seconds": 0.0, "released_bytes": 0})
        steps = ((step.op, 1, step.seconds, step.released_bytes or 0) for step in self.steps) if self.turns is None else self.turns.by_op()
        for op, nodes, seconds, released in steps:
            entry = found[op]
            entry["nodes"] += nodes
            entry["seconds"] += seconds
            entry["released_bytes"] += released
        return dict(sorted(found.items(), key=lambda item: -item[1]["seconds"]))


def _steps_of(turns: Turns) -> Iterator[Step]:
    """The steps of a pass of numbers."""
    turns.connect()
    seconds = dict(zip((*turns.nodes, *turns.leaves), turns.seconds(), strict=False))
    for position, (number, node, ready, gradient, first, second, rest) in enumerate(turns, 1):
        step = Step(
            number=position,
            node=f"%{number}",
            op=node.name(),
            variable=node.label if isinstance(node, AccumulateGrad) else None,
            place=Location.of(node.span),
            waited=turns.waited[number],
            because=f"%{turns.because[number]}" if turns.because[number] else None,
            ready=[f"%{other}" for other in reversed(ready)],
            gradient=[described(gradient)],
            released_bytes=turns.released_bytes(node),
            seconds=seconds[node],
        )
        if first is None:
            step.accumulated = described(gradient)
            step.total = None if gradient is None else described(rest)
        elif rest is not None:
            targets = zip((first, second), rest, strict=False)
            step.sent = [Sent(f"%{target}", slot, 0, described(part)) for slot, (target, part) in enumerate(targets) if target]
        yield step


def _turn(node: Node) -> tuple[bool, int]:
    """The engine's order: leaves at once, then the node made last."""
    return not isinstance(node, AccumulateGrad), -node.sequence_nr


def described(gradient: Any) -> Gradient | None:
    """A gradient in whatever form it travels: number, array, buffer, read of a part, tensor; None where there is none."""
    if gradient is None:
        return None
    if isinstance(gradient, Scatter):
        part = described(gradient.value)
        return None if part is None else Gradient(part.shape, part.norm, part.value, str(gradient.index))
    if isinstance(gradient, Owned):
        gradient = gradient.array
    if isinstance(gradient, Tensor):
        gradient = gradient.data
    if isinstance(gradient, float):
        return Gradient((), abs(gradient), gradient)
    if isinstance(gradient, (list, tuple)):
        return Gradient((len(gradient),), math.hypot(*(part.norm for part in map(described, gradient) if part)), None)
    if not hasattr(gradient, "shape"):
        return None
    norm = math.sqrt(float((gradient * gradient).sum()))
    return Gradient(tuple(gradient.shape), norm, gradient.tolist() if gradient.size <= SMALL else None)
