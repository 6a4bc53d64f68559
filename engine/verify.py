"""gradcheck: the derivatives of a function of tensors against central differences, element by element."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

from . import modes
from .errors import EngineError
from .lazy import np
from .tensor import Tensor, untracked
from .transforms import grad
from .values import as_raw


class GradcheckError(EngineError):
    """A derivative that differences do not confirm; the message shows both matrices."""

    kind = "wrong-gradient"


def numeric_columns(function: Callable[..., Any], values: Sequence[Any], slot: int, step: float) -> Any:
    """The Jacobian by central differences: one row an element of the argument, one column an element of the result."""
    value = values[slot]
    flat = np.array(value, dtype=np.float64).reshape(-1)
    rows = []
    for i in range(flat.size):
        sides = []
        for sign in (1.0, -1.0):
            moved = flat.copy()
            moved[i] += sign * step
            argument = float(moved[0]) if value.__class__ is float else moved.reshape(value.shape)
            sides.append(np.asarray(function(*values[:slot], argument, *values[slot + 1 :])).reshape(-1))
        if sides[0].shape != sides[1].shape:
            raise GradcheckError("the result changes its shape when an input is moved a little")
        rows.append((sides[0] - sides[1]) / (2.0 * step))
    return np.array(rows)


def gradcheck(
    function: Callable[..., Any],
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
) -> bool:
    """Whether the derivatives of `function` by every input that requires grad agree with central differences of width `eps`.

    Agreement is |analytic - numeric| <= atol + rtol * |numeric|. Raises GradcheckError, or returns False without `raise_exception`;
    ValueError where no input requires grad.
    """
    given = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    if not any(isinstance(x, Tensor) and x.requires_grad for x in given):
        raise ValueError("gradcheck expects at least one input tensor to require gradient, but none of the them have requires_grad=True.")
    for number, x in enumerate(given):
        if isinstance(x, Tensor) and x.requires_grad and x.dtype != np.float64:
            warnings.warn(f"Input #{number} requires gradient and is not a double precision floating point.", stacklevel=2)
    try:
        for slot, x in enumerate(given):
            if isinstance(x, Tensor) and x.requires_grad:
                _check_input(function, given, slot, eps, atol, rtol, nondet_tol)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def _check_input(function: Any, inputs: tuple[Any, ...], slot: int, eps: float, atol: float, rtol: float, nondet_tol: float) -> None:
    raws = [x.data if isinstance(x, Tensor) else x for x in inputs]
    for number in range(len(_outputs(function(*inputs)))):

        def of(*values: Any, number: int = number) -> Any:
            given = [
                untracked(v).requires_grad_(x.requires_grad) if isinstance(x, Tensor) else v for v, x in zip(values, inputs, strict=True)
            ]
            return np.asarray(as_raw(_outputs(function(*given))[number]))

        start = np.shape(of(*raws))
        numeric = numeric_columns(of, raws, slot, eps)
        if np.shape(of(*raws)) != start or numeric.shape[1:] != (int(np.prod(start)),):
            raise GradcheckError("the result changes its shape when an input is moved a little")
        analytic = _analytic(function, inputs, slot, number, 1.0)
        again = _analytic(function, inputs, slot, number, 1.0)
        if np.abs(analytic - again).max(initial=0.0) > nondet_tol:
            raise GradcheckError(
                "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times gives different values, "
                "although analytical gradient matches numerical gradient. The tolerance for nondeterminism was "
                f"{nondet_tol}."
            )
        if np.any(_analytic(function, inputs, slot, number, 0.0) != 0.0):
            raise GradcheckError("backward not multiplied by grad_output: a grad_output of 0 must give gradients of 0")
        if not np.allclose(analytic, numeric, rtol=rtol, atol=atol):
            raise GradcheckError(
                f"Jacobian mismatch for output {number} with respect to input {slot}, "
                f"numerical: {numeric.tolist()} analytical: {analytic.tolist()}"
            )


def _outputs(result: Any) -> tuple[Any, ...]:
    return result if isinstance(result, tuple) else (result,)


def _analytic(function: Any, inputs: tuple[Any, ...], slot: int, number: int, seed: float) -> Any:
    """The Jacobian by backward passes, one an element of the result, started from `seed`."""
    x = inputs[slot]
    y = _outputs(function(*inputs))[number]
    columns = []
    for i in range(y.size if isinstance(y, Tensor) else 1):
        weights = np.zeros(y.size if isinstance(y, Tensor) else 1)
        weights[i] = seed
        found = None
        if isinstance(y, Tensor) and y.requires_grad:
            (found,) = grad([y], [x], [untracked(weights.reshape(y.shape) if y.shape else seed)], retain_graph=True, allow_unused=True)
        columns.append(np.zeros(x.size) if found is None else np.asarray(found.detach().data, dtype=np.float64).reshape(-1))
    return np.array(columns).T


def gradgradcheck(function: Callable[..., Any], inputs: Any, grad_outputs: Any = None, **tolerances: Any) -> bool:
    """As `gradcheck`, for the gradients themselves: whether second derivatives are right."""
    given = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    outputs = _outputs(function(*given))
    rng = np.random.default_rng(0)
    seeds = grad_outputs if grad_outputs is not None else [rng.standard_normal(y.shape) if y.shape else 0.7 for y in outputs]
    weights = [untracked(np.asarray(as_raw(s)) if np.ndim(as_raw(s)) else as_raw(s)).requires_grad_() for s in seeds]
    tracked = [i for i, x in enumerate(given) if isinstance(x, Tensor) and x.requires_grad]

    def gradients(*everything: Any) -> tuple[Any, ...]:
        values, cotangents = everything[: len(given)], everything[len(given) :]
        with modes.enable_grad():
            points = [v if not (i in tracked and not v.requires_grad) else v.detach().requires_grad_() for i, v in enumerate(values)]
            found = grad(
                _outputs(function(*points)),
                [points[i] for i in tracked],
                list(cotangents),
                create_graph=True,
                allow_unused=True,
                materialize_grads=True,
            )
        return tuple(found)

    return gradcheck(gradients, (*given, *weights), **tolerances)
