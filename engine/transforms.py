"""Derivatives as values: grad, jacobian, hessian, the products vjp, jvp, hvp, and f'(x)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .backward import GraphTask
from .batch import Batched
from .calls import root_of, run_task
from .deferred import deferred
from .errors import EngineError, ShapeError
from .forward import can_push, push_forward
from .identity import WeakTable
from .lazy import np
from .modes import enable_grad, is_grad_enabled
from .node import here
from .op import op
from .ops.arithmetic import add
from .ops.reduce import sum_
from .ops.shape import expand, reshape
from .shapes import shape_of
from .tensor import Tensor, untracked
from .values import as_raw, wrap

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    *,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool | None = None,
    materialize_grads: bool = False,
    is_grads_batched: bool = False,
) -> tuple[Any, ...]:
    """The gradients of (the sum of) `outputs` with respect to each of `inputs`, as a tuple; `.grad` is left alone.

    An input that the outputs do not depend on is an EngineError, None under `allow_unused`, zeros under `materialize_grads`.
    With `is_grads_batched` each of `grad_outputs` has a leading axis, and so has each result: many products in one pass.
    """
    outputs = [outputs] if isinstance(outputs, Tensor) else list(outputs)
    inputs = [inputs] if isinstance(inputs, Tensor) else list(inputs)
    if not inputs:
        raise EngineError("grad requires non-empty inputs.")
    if allow_unused is False and materialize_grads:
        raise ValueError("expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False")
    single = grad_outputs is None or isinstance(grad_outputs, (Tensor, float, int)) or hasattr(grad_outputs, "dtype")
    seeds = [grad_outputs] if single else list(grad_outputs)
    seeds += [None] * (len(outputs) - len(seeds))
    for number, x in enumerate(inputs):
        if not isinstance(x, Tensor) or x.node is None:
            raise EngineError(f"One of the differentiated Tensors (index {number}) does not require grad", kind="no-grad")
    retain = create_graph if retain_graph is None else retain_graph
    found = (_batched if is_grads_batched else gradients)(outputs, inputs, seeds, retain, create_graph)
    if None in found and not (allow_unused or materialize_grads):
        raise EngineError(
            f"One of the differentiated Tensors (index {found.index(None)}) appears to not have been used in the graph. "
            "Set allow_unused=True if this is the desired behavior.",
            kind="unused",
        )
    if not materialize_grads:
        return tuple(found)
    return tuple(_zeros(x).requires_grad_(create_graph) if g is None else g for g, x in zip(found, inputs, strict=True))


def gradients(outputs: Sequence[Tensor], inputs: Sequence[Tensor], seeds: Sequence[Any], retain: bool, create_graph: bool) -> list[Any]:
    """The gradient for each input, None where it is not on the path."""
    roots = [root_of(y, s, i, create_graph) for i, (y, s) in enumerate(zip(outputs, seeds, strict=True))]
    nodes = [x.node for x in inputs]
    task = GraphTask(retain, create_graph, nodes, here(), accumulate=False)  # type: ignore[arg-type]
    run_task(task, roots)
    return [None if task.captures[n] is None else _boxed(task.captures[n]) for n in nodes]


def _batched(outputs: Sequence[Tensor], inputs: Sequence[Tensor], seeds: Sequence[Any], retain: bool, create_graph: bool) -> list[Any]:
    """As `gradients`, for seeds with a leading axis."""
    raws = [as_raw(seed) if seed is not None else None for seed in seeds]
    for i, (y, seed) in enumerate(zip(outputs, raws, strict=True)):
        if seed is None or shape_of(seed)[1:] != y.shape:
            given = None if seed is None else shape_of(seed)
            raise ShapeError(f"is_grads_batched: grad_output[{i}] needs a leading axis before {y.shape}, it has shape {given}")
    nodes = [x.node for x in inputs]
    task = GraphTask(retain, create_graph, nodes, here(), accumulate=False)  # type: ignore[arg-type]
    run_task(task, [(y.node, Batched(seed)) for y, seed in zip(outputs, raws, strict=True)])  # type: ignore[misc]
    count = shape_of(raws[0])[0]
    return [None if task.captures[n] is None else _rows(task.captures[n], count, x.shape) for n, x in zip(nodes, inputs, strict=True)]


def _rows(found: Any, count: int, shape: tuple[int, ...]) -> Any:
    """A captured gradient with its leading axis; one that is the same for every seed has none yet."""
    batched = found if isinstance(found, Batched) else Batched(expand(found, (count, *shape)))
    return batched.data if isinstance(batched.data, Tensor) else wrap(_written(batched.data))


def _boxed(value: Any) -> Any:
    """A raw gradient as the caller sees values."""
    return value if isinstance(value, Tensor) else wrap(_written(value))


def _written(value: Any) -> Any:
    """An array of its own: a captured gradient may be a view with strides 0."""
    return value if value.__class__ is float or value.base is None else value.copy()


def _zeros(x: Any) -> Any:
    return wrap(np.zeros(x.shape) if x.shape else 0.0)


# ---------------------------------------------------------------- one derivative, as a program asks for it

# Values that are derivatives themselves. Of these, the derivative with respect to something they do not contain is 0, not a mistake.
_derivatives: WeakTable[bool] = WeakTable()


@op(name="_constant", builtin=False, node="ConstantBackward0", x=lambda g, x_shape: np.zeros(x_shape) if x_shape else 0.0)
def _constant(x: Any, value: Any) -> Any:
    """A value that no longer depends on x, kept in the graph all the same."""
    return value


def partials(y: Any, *xs: Any) -> Any:
    """dy/dx for each x (a tuple where there are several): differentiable again, the graph kept, `.grad` left alone.

    Raises EngineError where y or an x is not tracked, or y does not depend on x, unless y is a derivative itself.
    """
    for number, x in enumerate(xs):
        _check_tracked(x, "grad", number + 2)
    if not isinstance(y, Tensor) or y.node is None:
        raise EngineError(
            "grad(): the first argument is not tracked",
            kind="no-grad",
            help="it depends on no param: look for a detach, a no_grad or a comparison on the way",
        )
    found = gradients([y], xs, [None], True, True)
    results = [_partial(y, x, g, number) for number, (x, g) in enumerate(zip(xs, found, strict=True))]
    return results[0] if len(results) == 1 else tuple(results)


def _check_tracked(x: Any, what: str, number: int = 2) -> None:
    """Raises EngineError where an argument is nothing that can be differentiated by."""
    if not isinstance(x, Tensor) or x.node is None:
        raise EngineError(
            f"{what}(): argument {number} is not tracked",
            kind="no-grad",
            help="only a param, or what is computed from one, can be differentiated by",
        )


def _partial(y: Tensor, x: Tensor, found: Any, number: int) -> Any:
    if found is None:
        if y not in _derivatives:
            called = getattr(x.node, "label", None) or f"argument {number + 2}"
            raise EngineError(
                f"grad(): the first argument does not depend on {called}",
                kind="unused",
                help="a derivative by something unused is most often a slip",
            )
        found = _zeros(x)
    if not isinstance(found, Tensor) or found.node is None:
        found = _constant(x, as_raw(found))
    if isinstance(found, Tensor):
        _derivatives[found] = True
    return found


# ---------------------------------------------------------------- matrices of derivatives


def gradient(y: Any, x: Tensor) -> Any:
    """dy/dx of one element, recorded so that it can be differentiated again; zeros where y does not depend on x."""
    if not isinstance(y, Tensor) or y.node is None:
        return _zeros(x)
    (found,) = gradients([y], [x], [None], True, True)
    return _zeros(x) if found is None else found


def jacobian(y: Any, x: Tensor) -> Any:
    """All dy[i]/dx[j], of shape y.shape + x.shape; zeros where there is no dependence. It can be differentiated again.

    One backward pass serves all rows: its gradients carry a leading axis with a copy for each element of y (batch.py). By a leaf it
    is computed as plain numbers, and recorded only when its own derivative is asked for (deferred.py).
    """
    _check_tracked(x, "jacobian")
    if not isinstance(y, Tensor) or y.node is None or not shape_of(y) or not is_grad_enabled() or not x.is_leaf:
        return _jacobian(y, x, True)
    value = _jacobian(y, x, False)
    return deferred(value, y, lambda: _jacobian(y, x, True)) if shape_of(value) else value


def numeric_jacobian(y: Any, x: Tensor) -> Any:
    """As `jacobian`, not recorded, which takes half the time."""
    return _jacobian(y, x, False)


def _jacobian(y: Any, x: Tensor, recorded: bool) -> Any:
    shape = shape_of(y)
    if not isinstance(y, Tensor) or y.node is None or 0 in shape:
        return wrap(np.zeros(shape + x.shape)) if shape + x.shape else wrap(0.0)
    if not shape:
        (found,) = gradients([y], [x], [None], True, recorded)
        return _zeros(x) if found is None else found
    if not recorded and x.size < y.size and can_push(y):
        return _columns(y, x)
    found = batched_vjp(y, x, np.eye(y.size).reshape(-1, *shape), recorded)
    if found is None:
        return wrap(np.zeros(shape + x.shape))
    return reshape(found, shape + x.shape) if recorded else wrap(found.data.reshape(shape + x.shape))


def _columns(y: Tensor, x: Tensor) -> Any:
    """The Jacobian by forward mode, a column at a time as it were: cheaper where there are fewer inputs than outputs."""
    columns = push_forward(y, x, np.eye(x.size).reshape(-1, *x.shape))
    if columns is None:
        return wrap(np.zeros(y.shape + x.shape))
    rows = np.moveaxis(columns, 0, -1)
    return wrap(np.ascontiguousarray(rows).reshape(y.shape + x.shape))


def batched_vjp(y: Tensor, x: Tensor, seeds: Any, recorded: bool) -> Any:
    """v times the Jacobian of y for each v along the first axis of `seeds`, in one pass; None where y does not depend on x."""
    task = GraphTask(True, recorded, [x.node], here(), accumulate=False)  # type: ignore[list-item]
    run_task(task, [(y.node, Batched(seeds))])  # type: ignore[list-item]
    found = task.captures[x.node]
    if found is None:
        return None
    return _rows(found, len(seeds), x.shape)


def hessian(y: Any, x: Tensor) -> Any:
    """The second derivatives of one element, of shape x.shape + x.shape."""
    _check_tracked(x, "hessian")
    if shape_of(y) and y.size != 1:
        raise ShapeError(f"hessian() needs one element, not shape {y.shape}", help="reduce it with sum() or mean(), or take jacobian()")
    return jacobian(gradient(y if not shape_of(y) else reshape(y, ()), x), x)


# ---------------------------------------------------------------- products


def _same_shape(v: Any, shape: tuple[int, ...], what: str) -> Any:
    value = v if isinstance(v, Tensor) else as_raw(v)
    if shape_of(value) != shape:
        raise ShapeError(f"{what}: the vector has shape {shape_of(value)}, {shape} is needed")
    return value


def vjp(y: Any, x: Tensor, v: Any) -> Any:
    """v times the Jacobian of y: the gradient of sum(v * y) with respect to x."""
    _check_tracked(x, "vjp")
    weight = _same_shape(v, shape_of(y), "vjp()")
    if not isinstance(y, Tensor) or y.node is None:
        return _zeros(x)
    (found,) = gradients([y], [x], [weight], True, True)
    return _zeros(x) if found is None else found


def jvp(y: Any, x: Tensor, v: Any) -> Any:
    """The Jacobian of y times v: the derivative of y along v, in one forward walk over the graph.

    Where its own derivative is asked for, and where the walk cannot be made, a vjp is differentiated with respect to its vector.
    """
    _check_tracked(x, "jvp")
    direction = _same_shape(v, x.shape, "jvp()")
    if not isinstance(y, Tensor) or y.node is None:
        return _zeros(y) if isinstance(y, Tensor) else 0.0
    plain = as_raw(direction) if not isinstance(direction, Tensor) or direction.node is None else None
    if plain is None or not x.is_leaf or not can_push(y):
        return _twice_back(y, x, direction)
    moved = push_forward(y, x, np.asarray(plain)[None])
    if moved is None:
        return _zeros(y)
    value = untracked(moved[0] if y.shape else float(moved[0]))
    return deferred(value, y, lambda: _twice_back(y, x, direction)) if is_grad_enabled() else wrap(value.data)


def _twice_back(y: Tensor, x: Tensor, direction: Any) -> Any:
    """The same product, recorded."""
    dummy = untracked(np.zeros(y.shape) if y.shape else 0.0).requires_grad_()
    (pulled,) = gradients([y], [x], [dummy], True, True)
    if pulled is None or not isinstance(pulled, Tensor) or pulled.node is None:
        return _zeros(y)
    (found,) = gradients([pulled], [dummy], [direction], True, True)
    return _zeros(y) if found is None else found


def hvp(y: Any, x: Tensor, v: Any) -> Any:
    """The Hessian of y times v, without forming it: the gradient of grad(y) . v."""
    _check_tracked(x, "hvp")
    direction = _same_shape(v, x.shape, "hvp()")
    slope = gradient(y, x)
    if not isinstance(slope, Tensor) or slope.node is None:
        return _zeros(x)
    return gradient(sum_(slope * direction), x)


# ---------------------------------------------------------------- f'(x)


def derivative(function: Callable[[Any], Any], order: int = 1) -> Callable[[Any], Any]:
    """The derivative of a scalar function of one argument, of any order, itself differentiable.

    It works under `no_grad` too: what is recorded there serves the derivative alone.
    """

    def derived(x: Any) -> Any:
        enabled = is_grad_enabled()
        with enable_grad():
            point = _probe(x)
            y = function(point)
            for _ in range(order):
                if shape_of(y) and y.size != 1:
                    raise ShapeError(
                        f"f' needs a function with one result, this one has shape {shape_of(y)}",
                        help="jacobian(f(x), x) gives all derivatives",
                    )
                y = gradient(y, point)
        return y if enabled or not isinstance(y, Tensor) else wrap(y.data)

    return derived


def _probe(x: Any) -> Tensor:
    """The argument as a tensor of its own on the way, so that the derivative is taken at this place alone."""
    if shape_of(x) and x.size != 1:
        raise ShapeError(f"f' takes one number, not shape {shape_of(x)}", help="jacobian(f(x), x) gives all derivatives")
    if isinstance(x, Tensor) and x.node is not None:
        return add(x, 0.0)  # type: ignore[no-any-return]
    return untracked(as_raw(x)).requires_grad_()
