"""Saved-tensor hooks: what becomes of the values that nodes keep for backward, and checkpoints made of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import modes
from .errors import ArgumentError, EngineError
from .gradient import deliver
from .node import Node
from .shapes import shape_of
from .tensor import Tensor, untracked


class saved_tensors_hooks:
    """Inside, every value that a node saves goes through `pack`, and comes back through `unpack` when backward needs it.

    `pack` gets a Tensor and may return anything, `unpack` gets that and must return a Tensor of the same value.
    """

    def __init__(self, pack: Callable[[Tensor], Any], unpack: Callable[[Any], Tensor]) -> None:
        self.pack = pack
        self.unpack = unpack

    def __enter__(self) -> saved_tensors_hooks:
        modes.local.saving = [*modes.local.saving, self]
        modes.add_special(1)
        return self

    def __exit__(self, *error: object) -> None:
        modes.local.saving = modes.local.saving[:-1]
        modes.add_special(-1)


class _Packed:
    """A saved value in its packed form."""

    __slots__ = ("form", "unpack")

    def __init__(self, form: Any, unpack: Callable[[Any], Tensor]) -> None:
        self.form = form
        self.unpack = unpack

    def value(self) -> Any:
        found = self.unpack(self.form)
        if not isinstance(found, Tensor):
            raise ArgumentError(f"Output of saved tensor unpack_hook expected to be a Tensor but got {type(found).__name__}")
        return found.data


class PackedDerivative:
    """A derivative whose saved values are unpacked before its rules see them."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner
        self.name, self.op = inner.name, inner.op
        self.saved_names, self.value_count, self.slots = inner.saved_names, inner.value_count, inner.slots
        self.takes_owned = inner.takes_owned
        self.arity = inner.arity
        self.saves_input = inner.saves_input

    def opened(self, node: Node) -> tuple[Any, ...]:
        """The saved values, unpacked."""
        return opened(node.saved)

    def apply(self, saved: tuple[Any, ...], g: Any) -> Any:
        """As the inner derivative's, on the unpacked values."""
        return self.inner.apply(opened(saved), g)

    def restricted(self, mask: int) -> Callable[..., Any]:
        apply = self.inner.restricted(mask)
        return lambda saved, g: apply(opened(saved), g)

    def run(self, node: Node, g: Any) -> None:
        mask = sum(1 << i for i, e in enumerate(node.edges) if e is not None)
        for edge, d in zip(node.edges, self.restricted(mask)(node.saved, g), strict=True):
            if edge is not None and d is not None:
                deliver(edge, d)


def opened(saved: tuple[Any, ...]) -> tuple[Any, ...]:
    """Saved values as the rules take them; the last first, which lets a checkpoint drop what it computed when its first is asked for."""
    return tuple(reversed([unpacked(value) for value in reversed(saved)]))


def unpacked(value: Any) -> Any:
    """A saved value as the rules take it."""
    return value.value() if isinstance(value, _Packed) else value


def pack_saved(node: Node) -> None:
    """Puts the saved values of a new node through the innermost hooks."""
    count = node.derivative.value_count
    if not count:
        return
    node.saved = tuple(packed(value) if i < count else value for i, value in enumerate(node.saved))
    node.derivative = PackedDerivative(node.derivative)  # type: ignore[assignment]


def packed(raw: Any) -> Any:
    """A raw value put through the innermost hooks."""
    if raw.__class__ is not float and not hasattr(raw, "dtype"):
        return raw
    hooks, tensor = modes.local.saving[-1], untracked(raw)
    version = tensor._version
    with _suspended():
        form = hooks.pack(tensor)
    if tensor.data is not raw or tensor._version != version:
        raise EngineError("A saved tensor pack hook is modifying its input in place.")
    return _Packed(form, hooks.unpack)


class _suspended:
    """While a hook runs, what it saves itself is not packed, and what it computes not recorded."""

    def __enter__(self) -> None:
        self.before = modes.local.saving
        modes.local.saving = []
        self.mode = modes.set_grad_enabled(False)

    def __exit__(self, *error: object) -> None:
        self.mode.__exit__(None, None, None)
        modes.local.saving = self.before


# ---------------------------------------------------------------- checkpoints


class _Frame:
    """One checkpointed call: how many values it saved and of which shapes, and the values once they were computed again."""

    def __init__(self, function: Callable[..., Any], args: tuple[Any, ...]) -> None:
        self.function = function
        self.args = args
        self.shapes: list[tuple[int, ...]] = []
        self.values: list[Tensor] = []

    def pack(self, tensor: Tensor) -> int:
        self.shapes.append(shape_of(tensor))
        return len(self.shapes) - 1

    def unpack(self, number: int) -> Tensor:
        if not self.values:
            self._compute_again()
        found = self.values[number]
        if number == 0:  # the earliest value is needed last: the next pass computes anew
            self.values = []
        return found

    def _compute_again(self) -> None:
        values: list[Tensor] = []

        def keep(tensor: Tensor) -> Tensor:
            values.append(tensor)
            return tensor

        with modes.enable_grad(), saved_tensors_hooks(keep, lambda tensor: tensor):
            self.function(*(a.detach().requires_grad_() if isinstance(a, Tensor) and a.requires_grad else a for a in self.args))
        if [shape_of(v) for v in values] != self.shapes:
            raise EngineError(
                "checkpoint: the function saved other values when it was computed again "
                f"({len(self.shapes)} of shapes {self.shapes} before, {len(values)} of shapes {[shape_of(v) for v in values]} now)",
                help="the function must do the same each time it is called with the same arguments",
            )
        self.values = values


def checkpoint(function: Callable[..., Any], *args: Any) -> Any:
    """function(*args), without keeping what its nodes save: backward computes the function again to get it."""
    frame = _Frame(function, args)
    with saved_tensors_hooks(frame.pack, frame.unpack):
        return function(*args)
