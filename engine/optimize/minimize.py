"""Minima of a function of several numbers: SciPy's searches with exact gradients and Hessians."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import nan
from typing import TYPE_CHECKING, Any

from ..errors import ArgumentError, EngineError
from ..lazy import LazyModule
from .estimate import Answer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[Any]
else:
    np = LazyModule("numpy")

# Those in the second row are given the Hessian.
METHODS = {"l-bfgs-b": False, "bfgs": False, "cg": False, "trust-exact": True, "newton-cg": True, "trust-krylov": True}
TOLERANCE = 1e-10
LAST_STEPS = 10
WIDEST = 200  # parameters up to which a Hessian costs little beside the search


@dataclass(frozen=True)
class Minimum(Answer):
    """Where a search ended, and the curvature there."""

    x: Array
    value: float
    gradient: Array
    hessian: Array | None
    free: Array
    converged: bool
    reason: str
    evaluations: int
    method: str

    @property
    def gradient_norm(self) -> float:
        return float(np.linalg.norm(self.gradient[self.free]))

    def spread(self) -> Array:
        """The inverse Hessian, where the loss is a negative log-likelihood; nan where no Hessian was computed."""
        if self.hessian is None:
            return np.full((self.free.sum(),) * 2, nan)
        found: Array = np.linalg.inv(self.hessian[np.ix_(self.free, self.free)])
        return found

    def quantile(self, part: float) -> float:
        """The normal one, for a likelihood."""
        from scipy.special import ndtri

        return float(ndtri(part))


def minimize(
    function: Callable[[Array], tuple[float, Array]],
    hessian: Callable[[Array], Array] | None,
    x0: Array,
    *,
    method: str = "l-bfgs-b",
    bounds: tuple[Array, Array] | None = None,
    max_evaluations: int | None = None,
) -> Minimum:
    """The least value near x0 of a function that gives its value and gradient."""
    from scipy.optimize import minimize as scipy_minimize

    method = method.lower()
    if method not in METHODS:
        raise ArgumentError(f"no method '{method}' for a minimum; there are {', '.join(METHODS)}")
    if bounds is not None and method != "l-bfgs-b":
        raise ArgumentError(f"the method {method} knows no bounds", help="use l-bfgs-b")
    if not np.isfinite(start := function(x0)[0]):
        raise EngineError(f"at the start values the loss is {start}", kind="value", help="start where the loss has a value")
    limit = max_evaluations or 2000 * x0.size
    options: dict[str, Any] = {"maxiter": limit, **({"gtol": TOLERANCE} if method != "newton-cg" else {"xtol": TOLERANCE})}
    if method == "l-bfgs-b":
        options |= {"ftol": 1e-15, "maxfun": limit, "maxcor": 20}
    with np.errstate(all="ignore"):
        done = scipy_minimize(
            function, x0, jac=True, method=method, options=options,
            hess=hessian if METHODS[method] else None, bounds=None if bounds is None else list(zip(*bounds, strict=True)),
        )  # fmt: skip
    lower, upper = bounds or (np.full(x0.size, -np.inf), np.full(x0.size, np.inf))
    return finish(function, hessian, done, (done.x > lower) & (done.x < upper), lower, upper, method, limit)


def finish(
    function: Callable[[Array], tuple[float, Array]],
    hessian: Callable[[Array], Array] | None,
    done: Any,
    free: Array,
    lower: Array,
    upper: Array,
    method: str,
    limit: int,
) -> Minimum:
    """Newton steps to the last digits, and the verdict by the gradient that is left."""
    x = np.asarray(done.x, dtype=float)
    value, slope = function(x)
    curved = hessian(x) if hessian is not None and x.size <= WIDEST and np.isfinite(value) else None
    spent = done.nfev < limit
    for _ in range(LAST_STEPS if curved is not None and spent else 0):
        step = newton(curved, slope, free)
        if step is None:
            break
        moved = x + step
        if np.any(moved < lower) or np.any(moved > upper) or np.all(moved == x):
            break
        next_value, next_slope = function(moved)
        if not np.linalg.norm(next_slope[free]) < 0.9 * np.linalg.norm(slope[free]) or next_value > value + 1e-9 * abs(value):
            break
        assert hessian is not None
        x, value, slope, curved = moved, next_value, next_slope, hessian(moved)
    small = bool(np.isfinite(value)) and settled(x, value, slope, curved, free)
    reason = (
        "the gradient vanished" if small else "the limit was reached" if not spent else str(done.message).split("\n")[0].rstrip(".").lower()
    )
    return Minimum(x, float(value), slope, curved, free, small, reason, int(done.nfev), method)


def newton(curved: Any, slope: Array, free: Array) -> Any:
    """The Newton step in the free parameters; none where the Hessian is no minimum's."""
    step = np.zeros(slope.size)
    try:
        np.linalg.cholesky(curved[np.ix_(free, free)])
        step[free] = np.linalg.solve(curved[np.ix_(free, free)], -slope[free])
    except np.linalg.LinAlgError:
        return None
    return step


def settled(x: Array, value: float, slope: Array, curved: Any, free: Array) -> bool:
    """Whether the gradient is small beside the loss, each part of it weighed by the size of its parameter."""
    if not free.any():
        return True
    step = None if curved is None else newton(curved, slope, free)
    if step is not None and np.all(np.abs(step) <= 1e-7 * np.abs(x) + 1e-9):
        return True
    size = np.maximum(np.abs(x), 1.0)
    return bool(np.max(np.abs(slope * size)[free]) <= 1e-6 * max(abs(value), 1.0))
