"""Tensor: a value and the node that its gradient flows to."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from .errors import ArgumentError, EngineError
from .lazy import np
from .node import AccumulateGrad, Edge, Node

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from .hooks import RemovableHandle

    Value = float | NDArray[Any]


class Tensor:
    """A float or an n-dimensional array of floats, tracked where `node` is set.

    `data` is a Python float for a 0-d value and a NumPy array otherwise. `node` is where the gradient of this value goes: its
    AccumulateGrad for a leaf that requires grad, the node (or Edge to one of its outputs) of the operation that made it, or
    None. Operators and most methods are installed by the ops that they belong to.
    """

    __slots__ = ("__weakref__", "data", "node", "view")

    data: Any
    node: Node | Edge | None
    # What it shares memory with (views.py); unset on most tensors, so read it with getattr.
    view: Any

    if TYPE_CHECKING:
        # Installed by the ops (ops/__init__.py); a test holds this list against what is installed.
        T: Tensor
        __add__: Callable[..., Tensor]
        __radd__: Callable[..., Tensor]
        __sub__: Callable[..., Tensor]
        __rsub__: Callable[..., Tensor]
        __mul__: Callable[..., Tensor]
        __rmul__: Callable[..., Tensor]
        __truediv__: Callable[..., Tensor]
        __rtruediv__: Callable[..., Tensor]
        __floordiv__: Callable[..., Tensor]
        __rfloordiv__: Callable[..., Tensor]
        __mod__: Callable[..., Tensor]
        __rmod__: Callable[..., Tensor]
        __pow__: Callable[..., Tensor]
        __rpow__: Callable[..., Tensor]
        __matmul__: Callable[..., Tensor]
        __rmatmul__: Callable[..., Tensor]
        __neg__: Callable[[], Tensor]
        __pos__: Callable[[], Tensor]
        __abs__: Callable[[], Tensor]
        __invert__: Callable[[], Tensor]
        __and__: Callable[..., Tensor]
        __or__: Callable[..., Tensor]
        __lt__: Callable[..., Any]
        __le__: Callable[..., Any]
        __gt__: Callable[..., Any]
        __ge__: Callable[..., Any]
        __getitem__: Callable[..., Tensor]

        def __getattr__(self, name: str) -> Callable[..., Any]: ...

    __hash__ = object.__hash__

    # No __init__: `untracked` and the recording of an op set the two fields themselves, which takes half the time.

    # ---- what it is

    @property
    def requires_grad(self) -> bool:
        """Whether gradients flow to this tensor."""
        return self.node is not None

    @requires_grad.setter
    def requires_grad(self, wanted: bool) -> None:
        self.requires_grad_(wanted)

    @property
    def is_leaf(self) -> bool:
        """Whether no recorded operation made it."""
        return self.node is None or isinstance(self.node, AccumulateGrad)

    @property
    def grad_fn(self) -> Node | None:
        """The node of the operation that made it; None for a leaf."""
        if self.is_leaf:
            return None
        return self.node.node if isinstance(self.node, Edge) else self.node

    @property
    def output_nr(self) -> int:
        """Which output of `grad_fn` it is."""
        return self.node.input_nr if isinstance(self.node, Edge) else 0

    @property
    def shape(self) -> tuple[int, ...]:
        """The length of each axis; () for a scalar."""
        return () if self.data.__class__ is float else self.data.shape

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return 1 if self.data.__class__ is float else int(self.data.size)

    @property
    def dtype(self) -> np.dtype[Any]:
        """NumPy's type of an element."""
        return np.dtype(np.float64) if self.data.__class__ is float else self.data.dtype

    @property
    def _version(self) -> int:
        """How often its memory, or that of a view of it, was changed in place."""
        from .versions import version_of

        if isinstance(self.node, AccumulateGrad) and self.data.__class__ is float:
            return self.node.changed.version if self.node.changed else 0
        return version_of(self.data)

    # ---- its value

    def item(self) -> float:
        """The one element as a Python float; an EngineError where there are several."""
        if self.size != 1:
            raise EngineError(f"item() takes one element, this tensor has shape {self.shape}", kind="value")
        return float(self.data) if self.data.__class__ is float else float(self.data.reshape(-1)[0])

    def numpy(self) -> NDArray[Any]:
        """The value as an array that shares memory; refused while gradients flow here, since writing to it would bypass the graph."""
        from .modes import is_grad_enabled

        if self.node is not None and is_grad_enabled():
            raise EngineError("numpy() of a tensor that requires grad", help="use detach().numpy()")
        array: NDArray[Any] = np.asarray(self.data)
        return array

    def tolist(self) -> Any:
        """The value as a float or nested lists of floats."""
        return self.data if self.data.__class__ is float else self.data.tolist()

    def detach(self) -> Tensor:
        """The same value, cut from the graph."""
        return untracked(self.data)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        array: NDArray[Any] = np.array(self.numpy(), dtype=dtype, copy=True) if copy else np.asarray(self.numpy(), dtype=dtype)
        return array

    def __float__(self) -> float:
        return self.item()

    def __int__(self) -> int:
        return int(self.item())

    def __bool__(self) -> bool:
        if self.size != 1:
            raise EngineError(
                f"a condition must have one element, this one has shape {self.shape}",
                kind="condition",
                help="reduce it with any() or all(), or choose elementwise with where()",
            )
        return self.item() != 0.0

    def __len__(self) -> int:
        if not self.shape:
            raise ArgumentError("a number has no length")
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return iter([self[i] for i in range(len(self))])

    def __repr__(self) -> str:
        value = repr(self.data) if self.data.__class__ is float else np.array2string(self.data, separator=", ", prefix="tensor(")
        if self.is_leaf:
            return f"tensor({value}{', requires_grad=True' if self.requires_grad else ''})"
        return f"tensor({value}, grad_fn=<{self.grad_fn.name()}>)"  # type: ignore[union-attr]

    # ---- its gradient

    @property
    def grad(self) -> Tensor | None:
        """What backward accumulated here: of a leaf, or of another tensor after `retain_grad()`."""
        node = self.node
        if isinstance(node, AccumulateGrad):
            return node.accumulated
        hooks = getattr(self.grad_fn, "extra", None)
        if hooks is not None and self.output_nr in hooks.retained:
            return hooks.retained[self.output_nr]  # type: ignore[no-any-return]
        if node is not None:
            warnings.warn(
                "the .grad attribute of a Tensor that is not a leaf Tensor is being accessed; call retain_grad() first", stacklevel=2
            )
        return None

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        node = self.node
        if not isinstance(node, AccumulateGrad):
            raise EngineError("only a leaf that requires grad has a settable .grad")
        if value is not None and value.shape != self.shape:
            raise EngineError(f"a gradient of shape {value.shape} for a tensor of shape {self.shape}", kind="shape")
        if value is not None and value.dtype != self.dtype:
            raise EngineError(f"a gradient of {value.dtype} for a tensor of {self.dtype}", kind="type")
        node.accumulated = value

    def requires_grad_(self, wanted: bool = True) -> Tensor:
        """Makes this leaf tracked or not, in place."""
        if not self.is_leaf:
            if not wanted:
                raise EngineError("only a leaf can stop requiring grad", help="use detach()")
            return self
        if wanted and isinstance(self, Mask):
            raise EngineError("only Tensors of floating point dtype can require gradients")
        if wanted and self.node is None:
            self.node = AccumulateGrad(self)
        elif not wanted:
            self.node = None
        return self

    def retain_grad(self) -> None:
        """Keeps the gradient of a tensor that is no leaf in its `.grad` too."""
        from .hooks import retain_grad

        retain_grad(self)

    def register_hook(self, hook: Callable[[Tensor], Tensor | None]) -> RemovableHandle:
        """Calls `hook(gradient)` whenever the gradient of this tensor is computed; what it returns replaces the gradient."""
        from .hooks import register_hook

        return register_hook(self, hook)

    def register_post_accumulate_grad_hook(self, hook: Callable[[Tensor], None]) -> RemovableHandle:
        """Calls `hook(leaf)` after a gradient was added into this leaf's `.grad`."""
        from .hooks import register_post_accumulate_grad_hook

        return register_post_accumulate_grad_hook(self, hook)

    def backward(
        self, gradient: Any = None, retain_graph: bool | None = None, create_graph: bool = False, inputs: Sequence[Tensor] | None = None
    ) -> None:
        """Adds the gradient of this tensor into `.grad` of every leaf it depends on, then dismantles the graph.

        `gradient` is the vector of the vector-Jacobian product (needed for more than one element); `retain_graph` keeps the
        graph for another pass (default: as `create_graph`); `create_graph` records the pass itself, so that gradients can be
        differentiated again; `inputs` restricts the pass to these leaves.
        """
        from .calls import backward

        backward([self], [gradient], retain_graph=retain_graph, create_graph=create_graph, inputs=inputs)


def untracked(data: Any, node: Node | Edge | None = None) -> Tensor:
    """The Tensor of a raw value (a float, or an array that nobody else will write to)."""
    result = Mask() if data.__class__ is not float and data.dtype.kind != "f" else Tensor()
    result.data = data
    result.node = node
    return result


class Mask(Tensor):
    """Truth values or whole numbers: what a comparison or `argsort` gives. Never tracked; arithmetic takes it as floats."""

    __slots__ = ()


def tensor(value: Any, requires_grad: bool = False) -> Tensor:
    """A new leaf from a number, a (nested) list or an array; its data are copied.

    Integers become floats, as everywhere here; an array of float32 stays one.
    """
    result = untracked(as_data(value))
    return result.requires_grad_() if requires_grad else result


def leaf(value: Any, name: str | None = None) -> Tensor:
    """A tracked leaf that is called `name` in dumps and errors."""
    result = untracked(as_data(value))
    result.node = AccumulateGrad(result, name)
    return result


def as_data(value: Any) -> Any:
    """A fresh float or float array with the value of `value`."""
    if isinstance(value, (int, float)):
        return float(value)
    if isinstance(value, Tensor):
        value = value.data
        if value.__class__ is float:
            return value
    try:
        array = np.array(value)
        if array.dtype.kind != "f":
            array = array.astype(np.float64)
    except (ValueError, TypeError):
        raise ArgumentError("a tensor is made of numbers in rows of equal length") from None
    return float(array) if array.ndim == 0 and array.dtype == np.float64 else array
