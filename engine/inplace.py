"""Operations in place: a new value and history for a tensor that keeps its memory."""

from __future__ import annotations

from typing import Any

from . import modes
from .derivative import Derivative
from .errors import EngineError, ShapeError
from .hooks import mark_number_changed, move_retained
from .lazy import np
from .node import AccumulateGrad, next_number, node_of
from .op import op
from .ops.index import as_index, check_fit, written_to
from .ops.shape import expand
from .recording import record
from .tensor import Tensor, untracked
from .values import as_raw
from .versions import mark_changed
from .views import Steps, View, renew_views, view_of


@op(
    name="_copy_slices",
    builtin=False,
    node="CopySlices",
    value=lambda g, steps: _looked_at(g, steps),
    x=lambda g, steps: steps.hollow(g),
)
def _copy_slices(value: Any, x: Any, steps: Any) -> Any:
    """x, into which `value` has been written where the view looks."""
    return x


def _looked_at(g: Any, steps: Steps) -> Any:
    found = steps.of(g)
    return found.copy() if found.__class__ is np.ndarray else found


def replace(x: Tensor, result: Tensor) -> Tensor:
    """Gives x the value and the history of `result`, in place. Raises EngineError for a leaf that requires grad, or a view of one."""
    recording = modes.is_grad_enabled()
    view = view_of(x)
    if recording:
        _refuse_leaves(x, view)
    if result.shape != x.shape:
        raise ShapeError(f"output with shape {x.shape} doesn't match the broadcast shape {result.shape}")
    _overwrite(x, result.data)
    if recording:
        _rebase(x, view, result)
    return x


def _rebase(x: Tensor, view: View | None, result: Tensor) -> None:
    """Ties x, its base and the other views of that to the history of what was written."""
    if view is None:
        before, x.node = x.node, result.node
        move_retained(before, x.node)
        renew_views(x)
    elif result.node is not None or view.base.node is not None:
        base = view.base
        before, base.node = base.node, _copy_slices(untracked(result.data, result.node), untracked(base.data, base.node), view.steps).node
        move_retained(before, base.node)
        renew_views(base)


def _refuse_leaves(x: Tensor, view: View | None) -> None:
    if isinstance(x.node, AccumulateGrad):
        raise EngineError("a leaf Variable that requires grad is being used in an in-place operation.", help="do it under no_grad()")
    if view is not None and isinstance(view.base.node, AccumulateGrad):
        raise EngineError(
            "a view of a leaf Variable that requires grad is being used in an in-place operation.", help="do it under no_grad()"
        )
    if x.data.__class__ is not float and 0 in x.data.strides and x.data.size > 1:
        raise EngineError(
            "unsupported operation: more than one element of the written-to tensor refers to a single memory location",
            help="clone() the tensor before the change",
        )


def _overwrite(x: Tensor, data: Any) -> None:
    if x.data.__class__ is float:
        x.data = data
        if x.node is not None and not isinstance(x.node, AccumulateGrad):
            mark_number_changed(node_of(x.node))
    else:
        np.copyto(x.data, data)
        mark_changed(x.data)
    if isinstance(x.node, AccumulateGrad):
        x.node.mark_changed()


def _keeping_original(result: Tensor, x: Tensor) -> bool:
    """Has the node of a result save a copy of x, if it saves x, which is about to be overwritten. Returns whether it saves x."""
    node = result.node
    derivative: Any = getattr(node, "derivative", None)
    if derivative.__class__ is not Derivative or not derivative.op.inputs or derivative.op.inputs[0] not in derivative.saved_names:
        return False
    at = derivative.saved_names.index(derivative.op.inputs[0])
    if node.saved[at] is x.data and x.data.__class__ is not float:  # type: ignore[union-attr]
        node.saved = (*node.saved[:at], x.data.copy(), *node.saved[at + 1 :])  # type: ignore[union-attr]
    return True


def in_place(name: str, function: Any) -> Any:
    """The in-place form of an operation: `x.add_(y)` computes `x + y` and writes it into x."""

    def call(x: Tensor, *args: Any, **settings: Any) -> Tensor:
        found = function(x, *args, **settings)
        if not isinstance(found, Tensor):
            found = untracked(as_raw(found))
        original = _keeping_original(found, x) and not any(arg is x for arg in args)
        replace(x, found)
        if original and x.data.__class__ is float:
            # Later than the change, so that its own saved value counts as the one from before.
            node_of(x.node).sequence_nr = next_number()  # type: ignore[arg-type]
        return x

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"{name.rstrip('_')}, written into the tensor itself."
    return call


def copy_(x: Tensor, value: Any) -> Tensor:
    """Writes `value`, broadcast to the shape of x, into x."""
    return replace(x, expand(value if isinstance(value, Tensor) else untracked(as_raw(value)), x.shape))


def set_item(x: Tensor, key: Any, value: Any) -> None:
    """`x[key] = value` for Python callers: the memory of x changes, and with it all its views."""
    if not x.shape:
        raise ShapeError("a number has no elements", kind="index")
    index = as_index(key, x.shape)
    view, recording = view_of(x), modes.is_grad_enabled()
    if recording:
        _refuse_leaves(x, view)
    raw, edge = (value.data, value.node) if isinstance(value, Tensor) else (as_raw(value), None)
    if raw.__class__ is not float:
        check_fit(x.data, index, raw)
    x.data[index] = raw
    mark_changed(x.data)
    if isinstance(x.node, AccumulateGrad):
        x.node.mark_changed()
    if recording and (edge is not None or x.node is not None):
        mask = (edge is not None) + 2 * (x.node is not None)
        _rebase(x, view, record(written_to(mask), x.data, (edge, x.node), (index,)))


def install(names: dict[str, Any]) -> None:
    """Gives Tensor its in-place methods and augmented assignments."""
    for name, function in names.items():
        setattr(Tensor, f"{name}_", in_place(f"{name}_", function))
    for symbol, name in {"iadd": "add", "isub": "sub", "imul": "mul", "itruediv": "div", "ipow": "pow"}.items():
        setattr(Tensor, f"__{symbol}__", in_place(f"{name}_", names[name]))
    for method, function in {"copy_": copy_, "__setitem__": set_item, "fill_": copy_, "zero_": lambda x: copy_(x, 0.0)}.items():
        setattr(Tensor, method, function)
