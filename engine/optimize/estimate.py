"""What a fit found: estimates, how sure they are, and how well the search for them ended."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf, log, nan, pi, sqrt
from typing import TYPE_CHECKING, Any

from ..lazy import LazyModule

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[Any]
else:
    np = LazyModule("numpy")

# Beyond this condition number of the scaled Jacobian the last digit of a parameter is noise: the data do not determine it.
SINGULAR = 1e14
# The step that is left, as a part of the standard errors, below which the estimates are the answer.
OFFSET = 1e-6


@dataclass(frozen=True)
class System:
    """Residuals linearised at a point, brought to a triangle: as much as least squares ever needs of any number of rows."""

    triangle: Array
    projected: Array
    residual_sum: float
    count: int

    @classmethod
    def of(cls, jacobian: Array, residuals: Array) -> System:
        return cls._from(np.column_stack([jacobian, residuals]), residuals.size)

    @classmethod
    def _from(cls, stacked: Array, count: int) -> System:
        width = stacked.shape[1]
        top = np.zeros((width, width))
        reduced: Any = np.linalg.qr(stacked, mode="r")
        top[: reduced.shape[0]] = reduced
        return cls(top[:-1, :-1], top[:-1, -1], float(top[:, -1] @ top[:, -1]), count)

    def with_rows(self, other: System) -> System:
        """Both systems in one: the rows of the one under those of the other."""
        return self._from(np.vstack([self._square(), other._square()]), self.count + other.count)

    def _square(self) -> Array:
        width = self.triangle.shape[1]
        square = np.zeros((width + 1, width + 1))
        square[:width, :width], square[:width, width] = self.triangle, self.projected
        square[width, width] = sqrt(max(self.residual_sum - float(self.projected @ self.projected), 0.0))
        return square

    @property
    def scale(self) -> Array:
        """The length of each column: parameters are measured by what they do to the residuals."""
        lengths = np.linalg.norm(self.triangle, axis=0)
        return np.where(lengths > 0, lengths, 1.0)

    @property
    def condition(self) -> float:
        """How nearly the columns depend on each other, after scaling."""
        scaled = self.triangle / self.scale
        if not scaled.size or not np.isfinite(scaled).all():
            return inf
        return float(np.linalg.cond(scaled))

    def step(self, damping: float = 0.0) -> Array:
        """The Gauss-Newton step, shortened by `damping` in the scaled parameters (Levenberg and Marquardt)."""
        scaled, wanted = self.triangle / self.scale, -self.projected
        if damping:
            width = scaled.shape[1]
            scaled = np.vstack([scaled, sqrt(damping) * np.eye(width)])
            wanted = np.concatenate([wanted, np.zeros(width)])
        step: Array = np.linalg.lstsq(scaled, wanted, rcond=None)[0] / self.scale
        return step

    @property
    def gradient(self) -> Array:
        """Of the sum of squares."""
        return 2 * self.triangle.T @ self.projected

    def offset(self, free: Array) -> float:
        """How far the residuals are from a right angle to the free columns, in standard deviations: 0 at the answer."""
        if not free.any():
            return 0.0
        basis = np.linalg.qr(self.triangle[:, free])[0]
        inside = float(np.linalg.norm(basis.T @ self.projected))
        spread = sqrt(self.residual_sum / max(self.count - int(free.sum()), 1))
        return inside / (sqrt(int(free.sum())) * spread) if spread else 0.0


class Answer:
    """Where a search ended and how sure that is. A parameter at a bound (`free` false) counts as given: it has no standard error."""

    x: Array
    free: Array
    converged: bool
    reason: str
    evaluations: int
    method: str

    def spread(self) -> Array:
        """The covariance of the free parameters; LinAlgError where they are not determined."""
        raise NotImplementedError

    def quantile(self, part: float) -> float:
        """Of the distribution of an estimate, in standard errors."""
        raise NotImplementedError

    @property
    def covariance(self) -> Array:
        """Of the estimates; nan for a parameter at its bound, inf where they are not determined."""
        found = np.full((self.x.size, self.x.size), nan)
        if self.free.any():
            inside = np.ix_(self.free, self.free)
            try:
                found[inside] = self.spread()
            except np.linalg.LinAlgError:
                found[inside] = inf
        return found

    @property
    def std_errors(self) -> Array:
        with np.errstate(invalid="ignore"):
            found: Array = np.sqrt(np.diag(self.covariance))
            return found

    @property
    def correlation(self) -> Array:
        return correlation(self.covariance)

    def interval(self, percent: float) -> tuple[Array, Array]:
        """Both ends of the confidence interval."""
        width = self.quantile((1 + percent / 100) / 2) * self.std_errors
        return self.x - width, self.x + width


@dataclass(frozen=True)
class Estimate(Answer):
    """The answer of a least-squares fit."""

    x: Array
    system: System
    free: Array
    converged: bool
    reason: str
    evaluations: int
    method: str

    @property
    def count(self) -> int:
        return self.system.count

    @property
    def dof(self) -> int:
        """Degrees of freedom."""
        return self.count - int(self.free.sum())

    @property
    def residual_sum(self) -> float:
        return self.system.residual_sum

    @property
    def residual_std(self) -> float:
        """The residual standard deviation; nan where no degree of freedom is left."""
        return sqrt(self.residual_sum / self.dof) if self.dof > 0 else nan

    def spread(self) -> Array:
        scale = self.system.scale[self.free]
        root = np.linalg.inv(np.linalg.qr(self.system.triangle[:, self.free] / scale, mode="r"))
        found: Array = self.residual_std**2 * (root @ root.T) / np.outer(scale, scale)
        return found

    def quantile(self, part: float) -> float:
        """Student's."""
        from scipy.special import stdtrit

        return float(stdtrit(self.dof, part))

    @property
    def gradient_norm(self) -> float:
        return float(np.linalg.norm(self.system.gradient[self.free]))

    @property
    def aic(self) -> float:
        """Akaike's criterion for normal errors, the variance counted as a parameter."""
        if self.residual_sum <= 0:
            return -inf
        return self.count * (log(2 * pi * self.residual_sum / self.count) + 1) + 2 * (int(self.free.sum()) + 1)


def joined(systems: Iterable[System]) -> System:
    """The systems of all pieces as one."""
    total: System | None = None
    for system in systems:
        total = system if total is None else total.with_rows(system)
    if total is None:
        raise ValueError("no piece to join")
    return total


def correlation(covariance: Array) -> Array:
    """A covariance matrix by its standard deviations."""
    with np.errstate(all="ignore"):
        sizes = np.sqrt(np.diag(covariance))
        found: Array = np.clip(covariance / np.outer(sizes, sizes), -1.0, 1.0)
        return found
