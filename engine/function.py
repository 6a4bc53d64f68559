"""Function: an operation with a backward of the user's own."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from typing import Any

from . import modes
from .errors import ArgumentError, EngineError, FreedGraphError
from .gradient import written
from .hooks import as_gradient, as_tensor
from .inplace import replace
from .lazy import np
from .node import AccumulateGrad, Edge, Node, here, next_number
from .recording import announce
from .saving import packed, unpacked
from .shapes import shape_of
from .tensor import Tensor, untracked
from .whole import Shape, WholeDerivative


class FunctionCtx:
    """What forward leaves for backward. Any attribute may be set; tensors go through `save_for_backward`."""

    needs_input_grad: tuple[bool, ...] = ()

    def __init__(self) -> None:
        # The value, which output it is, and where its gradient goes if it is another tensor in packed form.
        self._saved: list[tuple[Any, int | None, Any]] = []
        self._to_save: tuple[Any, ...] = ()
        self._dirty: tuple[Tensor, ...] = ()
        self._constant: tuple[Tensor, ...] = ()
        self._materialize = True
        self._node: Node | None = None
        self._alive: Callable[[], object] = lambda: self

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keeps tensors (inputs, outputs or others) until backward has run."""
        self._to_save = tensors

    def mark_dirty(self, *tensors: Tensor) -> None:
        """Says that these inputs were changed in place, and are returned."""
        self._dirty = tensors

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """Says that these outputs have no gradient."""
        self._constant = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Whether backward gets zeros (the default) or None for an output that nobody used."""
        self._materialize = value

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """What `save_for_backward` was given; a FreedGraphError once a backward pass has dismantled the graph."""
        if self._alive() is None:
            raise FreedGraphError(
                "Trying to backward through the graph a second time: the saved tensors were freed by an earlier backward",
                help="keep the graph with retain_graph",
            )
        return tuple(self._restored(*entry) for entry in self._saved)

    def _restored(self, value: Any, output: int | None, edge: Any) -> Any:
        if output is None:
            return value if value is None or isinstance(value, Tensor) else untracked(unpacked(value), edge)
        value = unpacked(value)
        if self._node is None:
            return untracked(value)
        several = self._node.derivative.op.outputs > 1
        return untracked(value, Edge(self._node, output) if several else self._node)


class CustomDerivative(WholeDerivative):
    """The user's backward."""

    def __init__(self, function: type[Function], outputs: int, arity: int) -> None:
        super().__init__(f"{function.__name__}Backward", Shape(function.__name__, outputs), arity)
        self.function = function

    def kept(self, node: Node) -> list[tuple[str, Any]]:
        """What the node keeps: the tensors given to `save_for_backward`, raw."""
        saved = [getattr(value, "data", value) if isinstance(value, Tensor) else value for value, _, _ in node.saved[0]._saved]
        return [(f"saved {i}", value) for i, value in enumerate(saved) if value is not None]

    def gradients(self, node: Node, g: Any, recording: bool) -> tuple[Any, ...]:
        ctx = node.saved[0]
        arrived = [
            _as_output(part, shape, ctx._materialize) for part, shape in zip(_several(g, self.op.outputs), _shapes(node), strict=True)
        ]
        ctx._node = node
        try:
            with modes.set_grad_enabled(recording):
                returned = self.function.backward(ctx, *arrived)
        finally:
            ctx._node = None
        return self._checked(node, returned if isinstance(returned, tuple) else (returned,), recording)

    def _checked(self, node: Node, returned: tuple[Any, ...], recording: bool) -> tuple[Any, ...]:
        expected = len(node.edges)
        extra = returned[expected:]
        if len(returned) < expected or any(g is not None for g in extra):
            raise EngineError(f"function {self.name} returned an incorrect number of gradients (expected {expected}, got {len(returned)})")
        found: list[Any] = []
        for i, (edge, g) in enumerate(zip(node.edges, returned, strict=False)):
            if g is not None and not isinstance(g, (Tensor, float, int)):
                raise ArgumentError(f"expected Variable or None from function {self.name} (got {type(g).__name__} at index {i})")
            if edge is None or g is None:
                found.append(None)
                continue
            raw = (g if recording else g.data) if isinstance(g, Tensor) else float(g)
            if not _spreads(edge.shape, shape_of(raw)):
                raise EngineError(
                    f"Function {self.name} returned an invalid gradient at index {i} - got {list(shape_of(raw))} "
                    f"but expected shape compatible with {list(edge.shape)}",
                    kind="shape",
                )
            found.append(as_gradient(raw) if isinstance(raw, Tensor) else raw)
        return tuple(found)


def _several(g: Any, outputs: int) -> tuple[Any, ...]:
    return g if outputs > 1 else (g,)


def _shapes(node: Node) -> Any:
    return node.shape if node.derivative.op.outputs > 1 else (node.shape,)


def _as_output(g: Any, shape: tuple[int, ...], materialize: bool) -> Tensor | None:
    if g is None:
        return untracked(np.zeros(shape) if shape else 0.0) if materialize else None
    return as_tensor(written(g))


def _spreads(shape: tuple[int, ...], wide: tuple[int, ...]) -> bool:
    """Whether `shape` broadcasts to `wide`: then a gradient of the wide shape is summed back to it."""
    lead = len(wide) - len(shape)
    return lead >= 0 and all(n in (1, m) for n, m in zip(shape, wide[lead:], strict=True))


class Function:
    """Subclass it with static methods `forward(ctx, *args)` and `backward(ctx, *gradients)`, and call `apply`.

    Or leave `ctx` out of forward and add `setup_context(ctx, inputs, output)`. backward returns one gradient an argument of forward,
    None for what is not differentiable.
    """

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError("a Function needs a static method forward")

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        raise NotImplementedError("a Function needs a static method backward to be differentiated")

    setup_context: Any = None

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Runs forward unrecorded, and records one node for it."""
        ctx = FunctionCtx()
        edges = tuple(a.node if isinstance(a, Tensor) else None for a in args)
        ctx.needs_input_grad = tuple(e is not None for e in edges)
        recording = modes.is_grad_enabled() and any(ctx.needs_input_grad)
        with modes.no_grad():
            if cls.setup_context is None:
                output = cls.forward(ctx, *args, **kwargs)
            else:
                output = cls.forward(*args, **kwargs)
                cls.setup_context(ctx, args, output)
        outputs = output if isinstance(output, tuple) else (output,)
        found = _recorded(cls, ctx, edges, outputs) if recording else outputs
        return found if isinstance(output, tuple) else found[0]


def _recorded(cls: type[Function], ctx: FunctionCtx, edges: tuple[Any, ...], outputs: tuple[Any, ...]) -> tuple[Any, ...]:
    node = Node()
    node.derivative = CustomDerivative(cls, len(outputs), len(edges))  # type: ignore[assignment]
    node.edges = edges
    token = _Token()
    ctx._alive = weakref.ref(token)
    node.saved = (ctx, token)
    node.sequence_nr = next_number()
    node.shape = outputs[0].shape if len(outputs) == 1 else tuple(o.shape for o in outputs)
    node.grad = None
    node.code, node.lasti = modes.local.place or here()
    announce(node, outputs[0].data if len(outputs) == 1 else tuple(o.data for o in outputs))
    results = tuple(_output(ctx, node, i, o, len(outputs) > 1) for i, o in enumerate(outputs))
    for tensor in ctx._to_save:
        number = next((i for i, o in enumerate(outputs) if o is tensor), None)
        if tensor is not None and modes.local.saving:
            ctx._saved.append((packed(tensor.data), number, tensor.node))
        else:
            ctx._saved.append((tensor, None, None) if number is None or tensor is None else (tensor.data, number, None))
    ctx._to_save = ()
    return results


class _Token:
    """Lives as long as a node keeps its saved values."""

    __slots__ = ("__weakref__",)


def _output(ctx: FunctionCtx, node: Node, number: int, output: Tensor, several: bool) -> Tensor:
    """A result tied to the node; an input that was changed in place keeps its identity."""
    if any(output is t for t in ctx._constant):
        return output
    tied = untracked(output.data, Edge(node, number) if several else node)
    if any(output is t for t in ctx._dirty):
        if isinstance(output.node, AccumulateGrad):
            raise EngineError("a leaf Variable that requires grad is being used in an in-place operation.")
        return replace(output, tied)
    return tied


def once_differentiable(backward: Callable[..., Any]) -> Callable[..., Any]:
    """For a backward that cannot be differentiated again: it runs unrecorded, and a second derivative through it is an error."""

    @functools.wraps(backward)
    def call(ctx: Any, *gradients: Any) -> Any:
        recording = modes.is_grad_enabled()
        with modes.no_grad():
            returned = backward(ctx, *gradients)
        if not recording or not any(isinstance(g, Tensor) and g.requires_grad for g in gradients):
            return returned
        several = returned if isinstance(returned, tuple) else (returned,)
        refused = tuple(_Refusing.apply(g, *gradients) if isinstance(g, Tensor) else g for g in several)
        return refused if isinstance(returned, tuple) else refused[0]

    return call


class _Refusing(Function):
    """Passes a value on, and refuses to be differentiated."""

    @staticmethod
    def forward(ctx: Any, value: Any, *others: Any) -> Any:
        return untracked(value.data)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        raise EngineError("trying to differentiate twice a function that was marked with @once_differentiable")
