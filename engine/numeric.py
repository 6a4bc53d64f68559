"""Derivatives by differences, and the verdict on an exact one: right, wrong, at a kink, or not to be decided so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, isfinite

Function = Callable[[float], float]

HALVINGS = 10
RELATIVE = 1e-6
ABSOLUTE = 1e-9


@dataclass(frozen=True)
class Estimate:
    """A number, and how far it may be off."""

    value: float
    error: float


def extrapolate(difference: Function, step: float, power: int) -> Estimate:
    """Ridders' method: differences over ever smaller steps, extrapolated to step 0; the best is where neighbours agree most.

    `power` is the order of the first error term: 2 for central differences, 1 for one-sided ones.
    """
    best = Estimate(difference(step), inf)
    row = [best.value]
    for _ in range(HALVINGS):
        step /= 2
        before, row = row, [difference(step)]
        for level, old in enumerate(before):
            factor = 2.0 ** (power * (level + 1))
            row.append(row[level] + (row[level] - old) / (factor - 1))
            error = max(abs(row[-1] - row[level]), abs(row[-1] - old))
            if error < best.error:
                best = Estimate(row[-1], error)
        if abs(row[-1] - before[-1]) > 2 * best.error and isfinite(best.error):
            break  # rounding has taken over
    return best


def central(f: Function, step: float) -> Estimate:
    """The derivative of f at 0."""
    return extrapolate(lambda h: (f(h) - f(-h)) / (2 * h), step, 2)


def one_sided(f: Function, step: float) -> Estimate:
    """The derivative of f at 0 from the right; for a negative step from the left."""
    start = f(0.0)
    return extrapolate(lambda h: (f(h) - start) / h, step, 1)


@dataclass(frozen=True)
class Comparison:
    """An exact derivative beside the numerical one."""

    analytic: float
    numeric: float
    verdict: str

    @property
    def abs_error(self) -> float:
        return abs(self.analytic - self.numeric)

    @property
    def rel_error(self) -> float:
        size = max(abs(self.analytic), abs(self.numeric))
        return self.abs_error / size if size else 0.0


def compare(f: Function, at: float, analytic: float) -> Comparison:
    """Compares `analytic` with the slope of f at 0, where f(t) is the function with its variable at `at` + t.

    The steps start from several widths: a wide one suits a smooth function best, a narrow one stays clear of a pole or kink nearby.
    """
    size = ABSOLUTE * max(1.0, abs(f(0.0)))
    slope, allowed = Estimate(inf, inf), inf
    steps = [width * size for size in sizes(at) for width in (2e-2, 2e-4, 2e-6)]
    for step in steps:
        slope = min(slope, central(f, step), key=badness)
        allowed = RELATIVE * max(abs(analytic), abs(slope.value)) + size
        if isfinite(slope.value) and abs(analytic - slope.value) <= allowed:
            # At a kink the central difference is the mean of both slopes, which a convention may well agree with.
            return Comparison(analytic, slope.value, "kink" if bends(f, step) and has_kink(f, step, allowed) else "ok")
    if isfinite(analytic) and any(has_kink(f, step, allowed) for step in steps):
        return Comparison(analytic, slope.value, "kink")
    undecided = not isfinite(analytic) or not isfinite(slope.error) or abs(analytic - slope.value) <= 10 * slope.error
    if abs(slope.value) <= 10 * slope.error:  # no slope is seen: at an optimum an exact one is rounding noise as well
        undecided = undecided or abs(analytic - slope.value) <= noise(f(0.0), at)
    return Comparison(analytic, slope.value, "ill-conditioned" if undecided else "wrong")


def noise(value: float, at: float) -> float:
    """How much the rounding of the function's value makes of a slope that is no more: over the customary step of 2^-17 |at|, the cube
    root of the precision. Never as much as a slope that would count."""
    most = RELATIVE * max(1.0, abs(value))
    return min(2.0**-52 * abs(value) / (2.0**-17 * abs(at)), most) if at else 0.0


def sizes(at: float) -> list[float]:
    """What a step is measured by: 1 or so, and the variable itself where it is small."""
    return [max(abs(at), 0.5), *([abs(at)] if 0 < abs(at) < 1e-2 else [])]


def badness(estimate: Estimate) -> float:
    """How far an estimate may be off; what is no number comes last."""
    return estimate.error if isfinite(estimate.value) else inf


def bends(f: Function, step: float) -> bool:
    """Whether the slopes of the two sides differ as much at a small step as at a large one: a smooth function straightens out."""
    here = f(0.0)
    wide, narrow = (abs(f(h) + f(-h) - 2.0 * here) / h for h in (step, step / 64.0))
    return narrow > 0.25 * wide > 0.0


def has_kink(f: Function, step: float, allowed: float) -> bool:
    """Whether the slopes from the two sides are both clear and differ."""
    right, left = one_sided(f, step), one_sided(f, -step)
    return abs(right.value - left.value) > 10 * (right.error + left.error) + allowed
