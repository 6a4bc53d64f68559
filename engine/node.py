"""The recorded graph: Node, Edge, AccumulateGrad, and Place, where in the source a node was made."""

from __future__ import annotations

import sys
import weakref
from itertools import count, islice
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from types import CodeType, FrameType

    from .derivative import Derivative
    from .tensor import Tensor

next_number = count(1).__next__

# Frames of these packages are never the place where a node was made: they work on behalf of the frame that called them.
TRANSPARENT = frozenset({"dagrad.engine", "dagrad.engine.ops", "dagrad.engine.inspect", "dagrad.engine.optimize", "dagrad.grammar"})


class Place(NamedTuple):
    """A point of the user's source: a code object and the offset of an instruction in it."""

    code: CodeType
    lasti: int

    @property
    def position(self) -> tuple[str, int, int, int, int] | None:
        """(file, line, column, end line, end column), lines and columns from 1; None where the compiler left none."""
        found = next(islice(self.code.co_positions(), self.lasti // 2, None), None)
        if found is None:
            return None
        line, end_line, column, end_column = found
        if line is None or column is None:
            return None
        return self.code.co_filename, line, column + 1, end_line or line, (column if end_column is None else end_column) + 1

    @property
    def line(self) -> int:
        """The line number, from 1; 0 where it is unknown."""
        found = self.position
        return found[1] if found else 0

    def __str__(self) -> str:
        found = self.position
        return f"{found[0]}:{found[1]}:{found[2]}" if found else self.code.co_filename


class Change(NamedTuple):
    """The last change of a value in place: when (a number from the sequence of nodes), where, and how many there were so far."""

    stamp: int
    place: Place
    version: int


def here(inside: int = 1) -> Place:
    """The nearest place outside the engine; that many frames are known to be inside."""
    frame = caller(inside + 1)
    return Place(frame.f_code, frame.f_lasti)


def caller(inside: int) -> FrameType:
    """The nearest frame outside the engine; that many frames are known to be inside."""
    frame = sys._getframe(inside)
    while frame.f_back is not None and frame.f_globals.get("__package__") in TRANSPARENT:
        frame = frame.f_back
    return frame


class Node:
    """One operation of the forward pass, seen from the backward pass.

    `edges` holds, an input each, where that input's gradient goes: a Node, an Edge to one output of a Node that has several,
    None for what is not tracked. `saved` are the values its rules need (raw floats and arrays). `grad` is the buffer in which
    gradients add up during a pass, and None outside one.

    Nearly every operation has one or two inputs, so two slots hold the edges: `edge` the first, `others` the second, or a tuple
    of all but the first where there are more. A tuple for every node would be a quarter of a graph's memory.
    """

    __slots__ = ("code", "derivative", "edge", "extra", "grad", "lasti", "others", "saved", "sequence_nr", "shape")

    derivative: Derivative
    edge: Node | Edge | None
    others: Node | Edge | tuple[Node | Edge | None, ...] | None
    saved: tuple[Any, ...]
    sequence_nr: int
    shape: tuple[int, ...]
    code: CodeType
    lasti: int
    grad: Any
    # Hooks; unset on most nodes, so read it with getattr.
    extra: Any

    def name(self) -> str:
        """The field's name: `MulBackward0`."""
        return self.derivative.name

    @property
    def edges(self) -> tuple[Node | Edge | None, ...]:
        """Where the gradient of each input goes."""
        others = self.others
        if self.saved.__class__ is Place:  # released
            return ()
        if others.__class__ is tuple:
            return (self.edge, *others)
        return (self.edge, others) if self.derivative.arity == 2 else (self.edge,)  # type: ignore[return-value]

    @edges.setter
    def edges(self, edges: tuple[Node | Edge | None, ...]) -> None:
        self.edge = edges[0]
        arity = self.derivative.arity
        self.others = None if arity == 1 else edges[1] if arity == 2 else edges[1:]

    @property
    def next_edges(self) -> tuple[Edge, ...]:
        """The edges as (node, input number), one an input of the operation; (None, 0) is a null edge."""
        return tuple(e if isinstance(e, Edge) else Edge(e, 0) for e in self.edges)

    @property
    def next_functions(self) -> tuple[Edge, ...]:
        """PyTorch's name for `next_edges`."""
        return self.next_edges

    @property
    def span(self) -> Place:
        """Where in the source the operation stands."""
        return Place(self.code, self.lasti)

    @property
    def released(self) -> bool:
        """Whether a backward pass has dismantled this node."""
        return self.saved.__class__ is Place

    def release(self, place: Place) -> None:
        """Lets go of the saved values and the edges; what remains is where that happened."""
        self.saved = place
        self.edge = self.others = None

    @property
    def released_at(self) -> Place | None:
        """Where the backward pass stands that dismantled this node: a released node keeps that in place of its saved values."""
        return Place(*self.saved) if self.released else None

    def _sequence_nr(self) -> int:
        """PyTorch's name for `sequence_nr`."""
        return self.sequence_nr

    def register_hook(self, hook: Any) -> Any:
        """Calls `hook(grad_inputs, grad_outputs)` after the node ran; see hooks.py."""
        from .hooks import register_node_hook

        return register_node_hook(self, hook)

    def register_prehook(self, hook: Any) -> Any:
        """Calls `hook(grad_outputs)` before the node runs; see hooks.py."""
        from .hooks import register_prehook

        return register_prehook(self, hook)

    def __repr__(self) -> str:
        return f"<{self.name()} #{self.sequence_nr} at {self.span}>"


class Edge:
    """Where a gradient goes: to input number `input_nr` of `node`'s backward, that is output `input_nr` of its operation.

    A null edge (`node` None) belongs to an input that is not differentiated. `grad` is the buffer of that one output; a node of
    several outputs holds a list of them.
    """

    __slots__ = ("input_nr", "node")

    def __init__(self, node: Node | None, input_nr: int) -> None:
        self.node = node
        self.input_nr = input_nr

    @property
    def grad(self) -> Any:
        buffers = self.node.grad  # type: ignore[union-attr]
        return buffers[self.input_nr] if buffers.__class__ is list else buffers

    @grad.setter
    def grad(self, value: Any) -> None:
        node: Node = self.node  # type: ignore[assignment]
        if node.grad.__class__ is not list:
            node.grad = [None] * node.derivative.op.outputs
        node.grad[self.input_nr] = value

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the output."""
        return self.node.shape[self.input_nr]  # type: ignore[union-attr, return-value]

    def __iter__(self) -> Any:
        return iter((self.node, self.input_nr))

    def __getitem__(self, index: int) -> Any:
        return (self.node, self.input_nr)[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (Edge, tuple)) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash((self.node, self.input_nr))

    def __repr__(self) -> str:
        return f"Edge({self.node!r}, {self.input_nr})"


def node_of(edge: Node | Edge) -> Node:
    """The node that an edge leads to."""
    return edge.node if edge.__class__ is Edge else edge  # type: ignore[return-value]


class AccumulateGrad(Node):
    """The end of the graph at a leaf: adds what arrives into the leaf's `.grad`.

    It owns what belongs to the leaf for good: its gradient, name and hooks. The leaf's Tensor points here and is pointed back
    at weakly, so no cycle arises, and any number of Tensors that stand for the same leaf share one accumulator.
    """

    __slots__ = ("accumulated", "changed_by", "changes", "cleared", "dtype", "label", "reference", "stamp")

    accumulated: Tensor | None
    # Of the last change of the leaf's value: when it was (0: never), the frame's code and instruction, and which change it was. An
    # update of a param should cost little, so that these are put together only where somebody asks for `changed`.
    stamp: int
    changed_by: tuple[CodeType, int] | None
    changes: int
    # Where the gradient was last set to none.
    cleared: Place | None
    dtype: Any
    label: str | None
    reference: weakref.ref[Tensor]

    def __init__(self, variable: Tensor, label: str | None = None) -> None:
        data = variable.data
        self.edge = self.others = None
        self.saved = ()
        self.sequence_nr = next_number()
        self.shape = () if data.__class__ is float else data.shape
        self.dtype = None if data.__class__ is float else data.dtype
        self.code, self.lasti = here()
        self.grad = self.accumulated = self.changed_by = self.cleared = None
        self.stamp = self.changes = 0
        self.label = label
        self.reference = weakref.ref(variable)

    def name(self) -> str:
        return "AccumulateGrad"

    @property  # type: ignore[misc]
    def edges(self) -> tuple[Node | Edge | None, ...]:
        return ()

    @property
    def changed(self) -> Change | None:
        """The last change of the leaf's value."""
        return None if self.changed_by is None else Change(self.stamp, Place(*self.changed_by), self.changes)

    def mark_changed(self) -> None:
        """Notes that the leaf has a new value, by the present caller."""
        frame = caller(3)
        self.stamp = next_number()
        self.changed_by = frame.f_code, frame.f_lasti
        self.changes += 1

    @property
    def variable(self) -> Tensor | None:
        """The leaf; None once nobody holds it any more."""
        return self.reference()
