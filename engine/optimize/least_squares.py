"""Nonlinear least squares: SciPy's searches with exact Jacobians, then Gauss-Newton steps to the last digit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from ..errors import ArgumentError, EngineError
from ..lazy import LazyModule
from .estimate import OFFSET, SINGULAR, Estimate, System

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[Any]
else:
    np = LazyModule("numpy")

METHODS = ("lm", "trf", "gauss-newton")
TOLERANCE = 1e-15  # SciPy's searches end where nothing changes any more; what they leave is for the last steps
LAST_STEPS = 80
SMALLEST = 1e-14  # the part of a parameter below which a step is rounding
HUGE = 1e150  # stands for a residual that is no number, so that MINPACK turns back


class Problem(Protocol):
    """Residuals by parameters. What a search asks of them fits in memory for any number of rows."""

    def residual_sum(self, x: Array) -> float:
        """The sum of squares; inf or nan where the model has no value."""

    def system(self, x: Array) -> System:
        """The residuals linearised at x."""


@dataclass
class Dense:
    """Residuals that fit in memory, with their Jacobian."""

    residuals: Callable[[Array], Array]
    jacobian: Callable[[Array], Array]

    def residual_sum(self, x: Array) -> float:
        residuals = self.residuals(x)
        return float(residuals @ residuals)

    def system(self, x: Array) -> System:
        return System.of(self.jacobian(x), self.residuals(x))


@dataclass(frozen=True)
class Search:
    """Where a search ended and why."""

    x: Array
    ended: bool
    reason: str
    evaluations: int
    method: str


def least_squares(
    problem: Problem, x0: Array, *, method: str = "auto", bounds: tuple[Array, Array] | None = None, max_evaluations: int | None = None
) -> Estimate:
    """The parameters with the least sum of squared residuals near x0.

    `auto` is lm, or trf under bounds; where lm ends nowhere, trf tries again from x0. Rows that come in pieces take
    gauss-newton, which needs the triangle of the system only.
    """
    if method not in (*METHODS, "auto"):
        raise ArgumentError(f"no method '{method}' for least squares; there are {', '.join(METHODS)}")
    x0 = np.asarray(x0, dtype=float)
    if not np.isfinite(start := problem.residual_sum(x0)):
        raise EngineError(f"at the start values the sum of squares is {start}", kind="value", help="start where the model has a value")
    lower, upper = bounds or (np.full(x0.size, -np.inf), np.full(x0.size, np.inf))
    found = None
    for each in methods(method, problem, bool(np.isfinite([lower, upper]).any())):
        estimate = finish(problem, SEARCHES[each](problem, x0, lower, upper, max_evaluations), lower, upper)
        if found is None or (estimate.converged, -estimate.residual_sum) > (found.converged, -found.residual_sum):
            found = estimate
        if found.converged:
            break
    assert found is not None
    return found


def methods(method: str, problem: Problem, bounded: bool) -> list[str]:
    """What is tried, in this order."""
    if bounded and method in {"lm", "gauss-newton"}:
        raise ArgumentError(f"the method {method} knows no bounds", help="use trf")
    if not isinstance(problem, Dense):
        if method not in {"auto", "gauss-newton"} or bounded:
            raise ArgumentError("data in pieces are fitted by gauss-newton, without bounds")
        return ["gauss-newton"]
    return (["trf"] if bounded else ["lm", "trf"]) if method == "auto" else [method]


def scipy_search(method: str) -> Callable[..., Search]:
    """SciPy's least_squares as a search."""

    def search(problem: Dense, x0: Array, lower: Array, upper: Array, limit: int | None) -> Search:
        from scipy.optimize import least_squares as scipy_least_squares

        if method == "lm" and problem.residuals(x0).size < x0.size:
            return Search(x0, False, "there are fewer residuals than parameters", 1, method)
        # MINPACK cannot take nan; trf steps back by itself.
        residuals = (
            (lambda x: np.nan_to_num(problem.residuals(x), nan=HUGE, posinf=HUGE, neginf=-HUGE)) if method == "lm" else problem.residuals
        )
        with np.errstate(all="ignore"):
            done = scipy_least_squares(
                residuals, inside(x0, lower, upper), problem.jacobian, (lower, upper), method,
                TOLERANCE, TOLERANCE, TOLERANCE, x_scale="jac", max_nfev=limit or 200 * (x0.size + 1),
            )  # fmt: skip
        return Search(done.x, done.status > 0, REASONS.get(done.status, "the search failed"), int(done.nfev), method)

    return search


REASONS = {
    0: "the limit of evaluations was reached",
    1: "the gradient vanished",
    2: "the sum of squares no longer changed",
    3: "the parameters no longer changed",
    4: "neither the sum of squares nor the parameters changed any more",
}


def inside(x: Array, lower: Array, upper: Array) -> Array:
    """A start between the bounds, off them where there is room."""
    return np.clip(x, lower, upper)


def damped(problem: Problem, x0: Array, lower: Array, upper: Array, limit: int | None) -> Search:
    """Levenberg-Marquardt on the triangle of the system: one pass over the data a step."""
    x, system, damping, growth, spent = x0, problem.system(x0), 1e-3, 2.0, 1
    while spent < (limit or 200 * (x0.size + 1)):
        step = system.step(damping)
        if np.all(np.abs(step) <= TOLERANCE * (np.abs(x) + TOLERANCE)):
            return Search(x, True, REASONS[3], spent, "gauss-newton")
        predicted = system.residual_sum - linear_sum(system, step)
        trial = problem.system(x + step)
        spent += 1
        gained = system.residual_sum - trial.residual_sum
        ratio = gained / predicted if predicted > 0 and np.isfinite(gained) else -1.0
        if ratio > 0:
            x, system, damping, growth = x + step, trial, damping * max(1 / 3, 1 - (2 * ratio - 1) ** 3), 2.0
        elif predicted <= 4 * TOLERANCE * system.residual_sum:
            return Search(x, True, REASONS[2], spent, "gauss-newton")
        else:
            damping, growth = damping * growth, growth * 2
    return Search(x, False, REASONS[0], spent, "gauss-newton")


def linear_sum(system: System, step: Array) -> float:
    """The sum of squares that the linearised residuals would have after a step."""
    rest = system.residual_sum - float(system.projected @ system.projected)
    moved = system.projected + system.triangle @ step
    return rest + float(moved @ moved)


SEARCHES: dict[str, Callable[..., Search]] = {"lm": scipy_search("lm"), "trf": scipy_search("trf"), "gauss-newton": damped}


def finish(problem: Problem, search: Search, lower: Array, upper: Array) -> Estimate:
    """The last digits, and the verdict: a search that ended has converged only where nothing is left to gain."""
    x, system = search.x, problem.system(search.x)
    if not (free := at_no_bound(x, system.gradient, lower, upper)).all():
        x = np.where(free, x, np.where(x - lower < upper - x, lower, upper))
        system = problem.system(x)
    if search.ended:
        x, system = last_steps(problem, x, system, free, lower, upper)
    narrow = System(system.triangle[:, free], system.projected, system.residual_sum, system.count)
    ended, reason = search.ended, search.reason
    if ended and narrow.condition > SINGULAR:
        ended, reason = False, "the data do not determine all parameters: some have the same effect, or none"
    elif ended and system.offset(free) > OFFSET and not perfect(system, x, free):
        ended, reason = False, "the search stopped where the sum of squares can still fall"
    return Estimate(x, system, free, ended, reason, search.evaluations, search.method)


def at_no_bound(x: Array, gradient: Array, lower: Array, upper: Array) -> Array:
    """Which parameters are free. A search from inside only comes near a bound: one that is pressed against it lies on it."""
    near = 1e-5 * np.maximum(np.abs(x), 1e-5)
    return ~((x - lower <= near) & (gradient >= 0)) & ~((upper - x <= near) & (gradient <= 0)) & (x > lower) & (x < upper)


def last_steps(problem: Problem, x: Array, system: System, free: Array, lower: Array, upper: Array) -> tuple[Array, System]:
    """Gauss-Newton steps while they shrink. A sum of squares is flat at its minimum to half the digits; the step is not."""
    before = np.inf
    for turn in range(LAST_STEPS):
        step = np.zeros(x.size)
        narrow = System(system.triangle[:, free], system.projected, system.residual_sum, system.count)
        if not free.any() or narrow.condition > SINGULAR:
            break
        step[free] = narrow.step()
        size = float(np.linalg.norm(step * system.scale))
        moved = x + step
        rounding = np.all(np.abs(step) <= SMALLEST * np.abs(x)) or (turn > 2 and not size < before)
        if rounding or np.any(moved < lower) or np.any(moved > upper):
            break
        next_system = problem.system(moved)
        # By more than rounding it must not rise: then the model is not flat here, and the search knew better.
        if not next_system.residual_sum <= system.residual_sum * (1 + 1e-8) + 1e-300:
            break
        x, system, before = moved, next_system, size
    return x, system


def perfect(system: System, x: Array, free: Array) -> bool:
    """Whether what is left is rounding: a model that meets its data exactly has residuals without a direction."""
    narrow = System(system.triangle[:, free], system.projected, system.residual_sum, system.count)
    return bool(np.all(np.abs(narrow.step()) <= 1e-9 * np.abs(x[free]) + 1e-12))
