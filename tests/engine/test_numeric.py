"""The verdict on a derivative beside differences: right, wrong, at a kink, or not to be decided."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from dagrad.engine.numeric import central, compare, one_sided

CASES: list[tuple[str, Callable[[float], float], float, float, str]] = [
    ("a smooth function", lambda t: math.exp(1.0 + t), 1.0, math.e, "ok"),
    ("a wrong slope", lambda t: math.exp(1.0 + t), 1.0, 2.0, "wrong"),
    ("a line", lambda t: 3.0 * (2.0 + t), 2.0, 3.0, "ok"),
    ("a flat function", lambda t: 5.0, 0.0, 0.0, "ok"),
    ("a kink with the mean of both slopes", lambda t: abs(t), 0.0, 0.0, "kink"),
    ("a kink with one of its slopes", lambda t: max(t, 0.0), 0.0, 0.0, "kink"),
    ("a slope that is infinite", lambda t: math.sqrt(t) if t >= 0 else math.nan, 0.0, math.inf, "ill-conditioned"),
    ("a function that is nowhere", lambda t: math.nan, 1.0, 1.0, "ill-conditioned"),
    ("near a pole", lambda t: 1.0 / (1e-3 + t), 1e-3, -1e6, "ok"),
    ("rounding noise at an optimum", lambda t: 0.1245 + 1e-14 * math.sin(1e9 * t), 5.5e-4, 3.1e-9, "ill-conditioned"),
    ("a slope at an optimum", lambda t: 0.1245 + 1e-14 * math.sin(1e9 * t), 5.5e-4, 1e-6, "wrong"),
    ("a slope of a constant", lambda t: 1.0, 1e-12, 2e-6, "wrong"),
    ("a small slope that is seen", lambda t: 0.1245 + 1e-3 * (5.5e-4 + t), 5.5e-4, 1.1e-3, "wrong"),
    ("a tiny variable", lambda t: math.log(1e-6 + t) if t > -1e-6 else math.nan, 1e-6, 1e6, "ok"),
]


@pytest.mark.parametrize(("function", "at", "analytic", "verdict"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_verdicts(function: Callable[[float], float], at: float, analytic: float, verdict: str) -> None:
    assert compare(function, at, analytic).verdict == verdict


def test_errors_of_a_comparison() -> None:
    found = compare(lambda t: 2.0 * t, 0.0, 3.0)
    assert found.abs_error == pytest.approx(1.0)
    assert found.rel_error == pytest.approx(1.0 / 3.0)
    assert compare(lambda t: 0.0, 0.0, 0.0).rel_error == 0.0


def test_differences_are_extrapolated_to_rounding() -> None:
    assert central(math.sin, 0.1).value == pytest.approx(1.0, rel=1e-11)
    assert one_sided(math.exp, 0.1).value == pytest.approx(1.0, rel=1e-9)
    assert one_sided(math.exp, -0.1).value == pytest.approx(1.0, rel=1e-9)
