"""What users attach to tensors and nodes: hooks, retained gradients, and the handles that take them off again."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from .errors import ArgumentError, EngineError
from .node import AccumulateGrad, Change, Edge, Node, here, next_number, node_of
from .tensor import Tensor, untracked

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class Hooks:
    """The hooks of one node. While any exist, passes run through the ready queue, which asks for them."""

    live = 0

    def __init__(self) -> None:
        self.tensor: dict[int, dict[int, Callable[..., Any]]] = {}
        self.pre: dict[int, Callable[..., Any]] = {}
        self.post: dict[int, Callable[..., Any]] = {}
        self.after_accumulate: dict[int, Callable[..., Any]] = {}
        # Gradients of outputs on which retain_grad() was called; None until a pass has come by.
        self.retained: dict[int, Tensor | None] = {}
        # The last change in place of a number that this node made: a number has no memory to carry a counter.
        self.changed: Change | None = None
        Hooks.live += 1

    def __del__(self) -> None:
        Hooks.live -= 1


def hooks_of(node: Node) -> Hooks:
    """The hooks of a node, made when first needed."""
    found: Hooks | None = getattr(node, "extra", None)
    if found is None:
        found = node.extra = Hooks()
    return found


def mark_number_changed(node: Node) -> None:
    """Notes that the number which `node` made was replaced in place, by the present caller."""
    hooks = hooks_of(node)
    hooks.changed = Change(next_number(), here(), hooks.changed.version + 1 if hooks.changed else 1)


class RemovableHandle:
    """Takes a hook off again; doing so twice is harmless, and so is doing it while hooks run."""

    _next = 0

    def __init__(self, registry: dict[int, Callable[..., Any]], hook: Callable[..., Any], others: Sequence[RemovableHandle] = ()) -> None:
        RemovableHandle._next += 1
        self.id = RemovableHandle._next
        self._registry = registry
        self._others = others
        registry[self.id] = hook

    def remove(self) -> None:
        self._registry.pop(self.id, None)
        for handle in self._others:
            handle.remove()

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *error: object) -> None:
        self.remove()


# ---------------------------------------------------------------- registering


def register_hook(tensor: Tensor, hook: Callable[[Tensor], Tensor | None]) -> RemovableHandle:
    """Calls `hook(gradient)` each time the gradient of `tensor` is computed; what it returns, if anything, replaces the gradient."""
    node, number = _tracked(tensor, "register_hook")
    return RemovableHandle(hooks_of(node).tensor.setdefault(number, {}), hook)


def register_post_accumulate_grad_hook(tensor: Tensor, hook: Callable[[Tensor], None]) -> RemovableHandle:
    """Calls `hook(leaf)` after a gradient was added into the leaf's `.grad`."""
    if not isinstance(tensor.node, AccumulateGrad):
        raise EngineError("post accumulate grad hooks cannot be registered on non-leaf tensors")
    return RemovableHandle(hooks_of(tensor.node).after_accumulate, hook)


def register_prehook(node: Node, hook: Callable[[tuple[Any, ...]], Any]) -> RemovableHandle:
    """Calls `hook(grad_outputs)` before the node runs; what it returns replaces them."""
    return RemovableHandle(hooks_of(node).pre, hook)


def register_node_hook(node: Node, hook: Callable[[tuple[Any, ...], tuple[Any, ...]], Any]) -> RemovableHandle:
    """Calls `hook(grad_inputs, grad_outputs)` after the node ran; what it returns replaces `grad_inputs`."""
    return RemovableHandle(hooks_of(node).post, hook)


def retain_grad(tensor: Tensor) -> None:
    """Makes a tensor that is no leaf keep its gradient in `.grad`."""
    if tensor.node is None:
        raise EngineError("can't retain_grad on Tensor that has requires_grad=False")
    if not tensor.is_leaf:
        hooks_of(node_of(tensor.node)).retained.setdefault(tensor.output_nr, None)


def move_retained(before: Node | Edge | None, after: Node | Edge | None) -> None:
    """Lets `retain_grad()` follow a tensor to its new node, when it was changed in place."""
    hooks = getattr(before, "extra", None) if isinstance(before, Node) else None
    if hooks is not None and hooks.retained and isinstance(after, Node):
        hooks_of(after).retained.update(hooks.retained)
        hooks.retained.clear()


def register_multi_grad_hook(tensors: Sequence[Tensor], function: Callable[..., Any], *, mode: str = "all") -> RemovableHandle:
    """Calls `function` once a backward pass: with all gradients when the last of `tensors` has its own ("all"; None for one that
    the pass does not reach), or with the first that arrives ("any")."""
    if mode not in ("all", "any"):
        raise ValueError(f'Expects mode to be one of ("all", "any") but got {mode}')
    watch = _Watch([_tracked(t, "register_multi_grad_hook")[0].sequence_nr for t in tensors], function, mode)
    return RemovableHandle({}, function, [register_hook(t, watch.hook(i)) for i, t in enumerate(tensors)])


class _Watch:
    """The tensors of a multi-gradient hook, and what has arrived of them in the present pass."""

    def __init__(self, numbers: list[int], function: Callable[..., Any], mode: str) -> None:
        self.function = function
        self.mode = mode
        # The nodes by their sequence numbers: to hold them here would be a cycle, since they hold the hook.
        self.numbers = numbers
        self.count = len(numbers)
        self.pass_number = 0
        self.arrived: dict[int, Any] = {}
        self.expected = 0
        self.lock = threading.Lock()

    def hook(self, i: int) -> Callable[[Tensor], None]:
        def hook(gradient: Tensor) -> None:
            with self.lock:
                self._begin()
                self.arrived[i] = gradient
                ready = len(self.arrived) == (1 if self.mode == "any" else self.expected)
            if ready:
                self.function(gradient if self.mode == "any" else [self.arrived.get(k) for k in range(self.count)])

        return hook

    def _begin(self) -> None:
        from .backward import current

        task = current.task
        if task is not None and self.pass_number != task.number:
            self.pass_number = task.number
            self.arrived = {}
            running = {node.sequence_nr for node in task.dependencies}
            self.expected = sum(number in running for number in self.numbers)


def _tracked(tensor: Tensor, name: str) -> tuple[Node, int]:
    if tensor.node is None:
        raise EngineError(f"cannot register a hook on a tensor that doesn't require gradient ({name})")
    return node_of(tensor.node), tensor.node.input_nr if isinstance(tensor.node, Edge) else 0


# ---------------------------------------------------------------- running


def run_tensor_hooks(hooks: Hooks, gradient: Any) -> Any:
    """What the tensor hooks of a node make of the gradient (or gradients) that arrived; retained gradients are kept on the way."""
    if isinstance(gradient, tuple):
        return tuple(_tensor_hooks(hooks, nr, g) for nr, g in enumerate(gradient))
    return _tensor_hooks(hooks, 0, gradient)


def _tensor_hooks(hooks: Hooks, number: int, gradient: Any) -> Any:
    if gradient is None:
        return None
    for hook in list(hooks.tensor.get(number, {}).values()):
        gradient = _replaced(gradient, hook(as_tensor(gradient)))
    if number in hooks.retained:
        before = hooks.retained[number]
        hooks.retained[number] = as_tensor(gradient) if before is None else before + as_tensor(gradient)
    return gradient


def run_pre_hooks(hooks: Hooks, gradient: Any) -> Any:
    """The gradients after the node's pre-hooks."""
    several = isinstance(gradient, tuple)
    values = tuple(None if g is None else as_tensor(g) for g in (gradient if several else (gradient,)))
    for hook in list(hooks.pre.values()):
        values = _tuple_replaced(values, hook(values))
    raw = tuple(map(as_gradient, values))
    return raw if several else raw[0]


def run_post_hooks(hooks: Hooks, gradients: Sequence[Any], gradient: Any) -> Sequence[Any]:
    """The gradients of the inputs after the node's post-hooks."""
    arrived = tuple(None if g is None else as_tensor(g) for g in (gradient if isinstance(gradient, tuple) else (gradient,)))
    values = tuple(None if g is None else as_tensor(g) for g in gradients)
    for hook in list(hooks.post.values()):
        values = _tuple_replaced(values, hook(values, arrived))
    return tuple(map(as_gradient, values))


def as_tensor(gradient: Any) -> Tensor:
    """A gradient as hooks see it; a read that was not written out yet is, here."""
    if isinstance(gradient, Tensor):
        return gradient
    if not (gradient.__class__ is float or hasattr(gradient, "dtype")):
        gradient = getattr(gradient, "array", gradient)
    return untracked(gradient)


def as_gradient(value: Any) -> Any:
    """Raw again, unless it is recorded."""
    return value.data if isinstance(value, Tensor) and value.node is None else value


def _replaced(gradient: Any, returned: Any) -> Any:
    if returned is None:
        return gradient
    if not isinstance(returned, Tensor):
        raise ArgumentError(f"expected Tensor, but hook returned {type(returned).__name__!r}")
    shape = getattr(gradient, "shape", ())
    if returned.shape != shape:
        raise EngineError(f"hook has changed the size of value: {shape} became {returned.shape}", kind="shape")
    return as_gradient(returned)


def _tuple_replaced(values: tuple[Any, ...], returned: Any) -> tuple[Any, ...]:
    if returned is None:
        return values
    found = tuple(returned) if isinstance(returned, (tuple, list)) else (returned,)
    if len(found) != len(values):
        raise EngineError(f"hook has returned an incorrect number of values (got {len(found)}, but expected {len(values)})")
    return found
