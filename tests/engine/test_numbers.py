"""Numbers are IEEE 754: where Python raises, floats give inf and nan as arrays do, and nothing ever turns complex or whole."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dagrad.engine import Tensor, ops, registry, tensor

inf, nan = math.inf, math.nan


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    """NumPy warns where an array makes an inf or a nan; here they are what is asked for."""
    with np.errstate(all="ignore"):
        yield


def same(found: Any, expected: float) -> bool:
    """The same number, nan being itself and the sign of a zero part of it."""
    found = float(found)
    return (found != found and expected != expected) or (found == expected and math.copysign(1.0, found) == math.copysign(1.0, expected))


CASES: list[tuple[str, tuple[float, ...], float]] = [
    ("div", (1.0, 0.0), inf),
    ("div", (-1.0, 0.0), -inf),
    ("div", (1.0, -0.0), -inf),
    ("div", (0.0, 0.0), nan),
    ("div", (nan, 0.0), nan),
    ("div", (inf, inf), nan),
    ("div", (-inf, 0.0), -inf),
    ("div", (1.0, inf), 0.0),
    ("div", (-1.0, inf), -0.0),
    ("div", (1e308, 1e-308), inf),
    ("floordiv", (7.0, 2.0), 3.0),
    ("floordiv", (-7.0, 2.0), -4.0),
    ("floordiv", (1.0, 0.0), inf),
    ("floordiv", (-1.0, 0.0), -inf),
    ("floordiv", (0.0, 0.0), nan),
    ("mod", (7.0, 3.0), 1.0),
    ("mod", (-7.0, 3.0), 2.0),
    ("mod", (7.0, -3.0), -2.0),
    ("mod", (1.0, 0.0), nan),
    ("mod", (0.0, 0.0), nan),
    ("mod", (inf, 3.0), nan),
    ("mod", (5.0, inf), 5.0),
    ("pow", (0.0, -1.0), inf),
    ("pow", (-0.0, -1.0), -inf),
    ("pow", (-0.0, -2.0), inf),
    ("pow", (0.0, -0.5), inf),
    ("pow", (0.0, -inf), inf),
    ("pow", (0.0, 0.0), 1.0),
    ("pow", (nan, 0.0), 1.0),
    ("pow", (1.0, nan), 1.0),
    ("pow", (-8.0, 1.0 / 3.0), nan),
    ("pow", (-1.0, 0.5), nan),
    ("pow", (-1.0, inf), 1.0),
    ("pow", (10.0, 400.0), inf),
    ("pow", (-10.0, 401.0), -inf),
    ("pow", (-10.0, 400.0), inf),
    ("pow", (10.0, -400.0), 0.0),
    ("pow", (2.0, -1074.0), 5e-324),
    ("pow", (1e200, 2.0), inf),
    ("pow", (-inf, 3.0), -inf),
    ("pow", (inf, -1.0), 0.0),
    ("exp", (1000.0,), inf),
    ("exp", (-1000.0,), 0.0),
    ("exp", (inf,), inf),
    ("exp", (-inf,), 0.0),
    ("exp", (nan,), nan),
    ("exp2", (2000.0,), inf),
    ("exp2", (-2000.0,), 0.0),
    ("expm1", (1000.0,), inf),
    ("expm1", (-inf,), -1.0),
    ("log", (0.0,), -inf),
    ("log", (-0.0,), -inf),
    ("log", (-1.0,), nan),
    ("log", (inf,), inf),
    ("log", (-inf,), nan),
    ("log2", (0.0,), -inf),
    ("log10", (0.0,), -inf),
    ("log10", (-2.0,), nan),
    ("log1p", (-1.0,), -inf),
    ("log1p", (-2.0,), nan),
    ("sqrt", (-1.0,), nan),
    ("sqrt", (-0.0,), -0.0),
    ("sqrt", (inf,), inf),
    ("sqrt", (-inf,), nan),
    ("rsqrt", (0.0,), inf),
    ("rsqrt", (-1.0,), nan),
    ("cbrt", (-8.0,), -2.0),
    ("cbrt", (-inf,), -inf),
    ("reciprocal", (0.0,), inf),
    ("reciprocal", (-0.0,), -inf),
    ("square", (1e200,), inf),
    ("sin", (inf,), nan),
    ("cos", (-inf,), nan),
    ("tan", (inf,), nan),
    ("asin", (2.0,), nan),
    ("acos", (-2.0,), nan),
    ("atan", (inf,), math.pi / 2),
    ("sinh", (1000.0,), inf),
    ("sinh", (-1000.0,), -inf),
    ("cosh", (-1000.0,), inf),
    ("tanh", (-inf,), -1.0),
    ("asinh", (-inf,), -inf),
    ("acosh", (0.5,), nan),
    ("acosh", (inf,), inf),
    ("atanh", (1.0,), inf),
    ("atanh", (-1.0,), -inf),
    ("atanh", (2.0,), nan),
    ("atan2", (0.0, -1.0), math.pi),
    ("atan2", (-0.0, -1.0), -math.pi),
    ("hypot", (inf, nan), inf),
    ("hypot", (1e200, 1e200), math.hypot(1e200, 1e200)),
    ("sigmoid", (1000.0,), 1.0),
    ("sigmoid", (-1000.0,), 0.0),
    ("sigmoid", (nan,), nan),
    ("softplus", (1000.0,), 1000.0),
    ("softplus", (-1000.0,), 0.0),
    ("softplus", (nan,), nan),
    ("softplus", (inf,), inf),
    ("logsigmoid", (-1000.0,), -1000.0),
    ("logsigmoid", (-inf,), -inf),
    ("silu", (-1000.0,), -0.0),
    ("gelu", (1000.0,), 1000.0),
    ("logit", (0.0,), -inf),
    ("logit", (1.0,), inf),
    ("logit", (2.0,), nan),
    ("lgamma", (0.0,), inf),
    ("lgamma", (-1.0,), inf),
    ("lgamma", (1e308,), inf),
    ("lgamma", (-inf,), inf),
    ("digamma", (0.0,), -inf),
    ("digamma", (-1.0,), nan),
    ("erfinv", (1.0,), inf),
    ("erfinv", (2.0,), nan),
    ("floor", (inf,), inf),
    ("floor", (nan,), nan),
    ("floor", (-0.0,), -0.0),
    ("floor", (1e300,), 1e300),
    ("ceil", (-0.5,), -0.0),
    ("ceil", (-inf,), -inf),
    ("round", (0.5,), 0.0),
    ("round", (1.5,), 2.0),
    ("round", (-0.5,), -0.0),
    ("round", (nan,), nan),
    ("trunc", (-0.5,), -0.0),
    ("trunc", (inf,), inf),
    ("frac", (-2.5,), -0.5),
    ("frac", (inf,), nan),
    ("sign", (nan,), 0.0),
    ("sign", (-0.0,), 0.0),
    ("abs", (-0.0,), 0.0),
    ("maximum", (nan, 1.0), nan),
    ("maximum", (1.0, nan), nan),
    ("minimum", (nan, 1.0), nan),
    ("fmax", (nan, 1.0), 1.0),
    ("fmin", (1.0, nan), 1.0),
    ("fmax", (nan, nan), nan),
    ("logaddexp", (-inf, -inf), -inf),
    ("logaddexp", (1000.0, 1000.0), 1000.0 + math.log(2.0)),
    ("logaddexp", (inf, -inf), inf),
    ("xlogy", (0.0, 0.0), 0.0),
    ("xlogy", (0.0, nan), nan),
    ("xlogy", (0.0, -1.0), 0.0),
    ("xlogy", (1.0, 0.0), -inf),
    ("copysign", (0.0, -1.0), -0.0),
    ("copysign", (nan, 1.0), nan),
    ("nan_to_num", (nan,), 0.0),
    ("nan_to_num", (inf,), 1.7976931348623157e308),
    ("relu", (nan,), nan),
    ("relu", (-1.0,), 0.0),
    ("hardtanh", (inf,), 1.0),
    ("elu", (-1000.0,), -1.0),
    ("sinc", (0.0,), 1.0),
    ("lerp", (1.0, inf, 0.0), nan),
    ("clamp", (nan, 0.0, 1.0), nan),
    ("clamp", (inf, 0.0, 1.0), 1.0),
]
IDS = [f"{name}{arguments}" for name, arguments, _ in CASES]


def function(name: str) -> Callable[..., Any]:
    return getattr(ops, name)  # type: ignore[no-any-return]


@pytest.mark.parametrize(("name", "arguments", "expected"), CASES, ids=IDS)
def test_floats_follow_ieee(name: str, arguments: tuple[float, ...], expected: float) -> None:
    found = function(name)(*arguments)
    assert type(found) is float
    assert same(found, expected), found


@pytest.mark.parametrize(("name", "arguments", "expected"), CASES, ids=IDS)
def test_arrays_follow_ieee(name: str, arguments: tuple[float, ...], expected: float) -> None:
    found = function(name)(*(np.array([a, a]) for a in arguments))
    assert found.dtype == np.float64
    assert same(found[0], expected), found
    assert same(found[1], expected), found


@pytest.mark.parametrize(("name", "arguments", "expected"), CASES, ids=IDS)
def test_tracked_numbers_follow_ieee(name: str, arguments: tuple[float, ...], expected: float) -> None:
    found = function(name)(*(tensor(a, requires_grad=True) for a in arguments))
    assert isinstance(found, Tensor)
    assert same(found.item(), expected), found
    found.backward()


OPERATORS: list[tuple[str, Callable[[Any, Any], Any]]] = [
    ("div", lambda a, b: a / b),
    ("pow", lambda a, b: a**b),
    ("mod", lambda a, b: a % b),
    ("floordiv", lambda a, b: a // b),
]


@pytest.mark.parametrize(("name", "operator"), OPERATORS)
def test_operators_of_tensors_follow_ieee(name: str, operator: Callable[[Any, Any], Any]) -> None:
    for case, arguments, expected in CASES:
        if case == name:
            a, b = arguments
            for left, right in ((tensor(a), tensor(b)), (tensor(a), b), (a, tensor(b)), (tensor([a]), tensor([b]))):
                assert same(operator(left, right).item(), expected), arguments


NUMBERS = st.floats(allow_nan=True, allow_infinity=True, width=64)
# The last digits of functions that libm and NumPy compute each in their own way.
LOOSE = 4e-15
# Beyond a few thousand, what is left of an angle after taking out its periods depends on the library.
PERIODIC = {"sin", "cos", "tan", "sinc"}
ONE = sorted(n for n, op in registry.items() if op.plain and op.scalar is not op.array and len(op.inputs) == 1)
TWO = sorted(n for n, op in registry.items() if op.plain and op.scalar is not op.array and len(op.inputs) == 2)
PROPERTY = settings(deadline=None, derandomize=True, max_examples=60)


def agrees(a: float, b: float, near_zero: float = 5e-324) -> bool:
    if a != a or b != b:
        return a != a and b != b
    return a == b or math.isclose(a, b, rel_tol=LOOSE, abs_tol=near_zero)


@pytest.mark.parametrize("name", ONE)
@PROPERTY
@given(x=NUMBERS)
def test_any_float_gives_what_its_array_gives(name: str, x: float) -> None:
    if name in PERIODIC and abs(x) > 1e4:
        return
    by_float = function(name)(x)
    assert type(by_float) is float
    with np.errstate(all="ignore"):
        # The roots of lgamma are where its two implementations cancel differently.
        assert agrees(by_float, float(function(name)(np.array([x]))[0]), 1e-14 if name == "lgamma" else 5e-324)


@pytest.mark.parametrize("name", TWO)
@PROPERTY
@given(a=NUMBERS, b=NUMBERS)
@example(a=-2.5e-281, b=-1.5)
def test_any_two_floats_give_what_their_arrays_give(name: str, a: float, b: float) -> None:
    by_float = function(name)(a, b)
    assert type(by_float) is float
    with np.errstate(all="ignore"):
        assert agrees(by_float, float(function(name)(np.array([a]), np.array([b]))[0]))


@pytest.mark.parametrize("name", ONE)
@PROPERTY
@given(x=NUMBERS)
def test_no_number_makes_a_derivative_raise(name: str, x: float) -> None:
    leaf = tensor(x, requires_grad=True)
    y = function(name)(leaf)
    y.backward()
    assert type(leaf.grad.data) is float


@pytest.mark.parametrize("name", TWO)
@PROPERTY
@given(a=NUMBERS, b=NUMBERS)
def test_no_two_numbers_make_a_derivative_raise(name: str, a: float, b: float) -> None:
    left, right = tensor(a, requires_grad=True), tensor(b, requires_grad=True)
    function(name)(left, right).backward()
    assert type(left.grad.data) is float
    assert type(right.grad.data) is float


def test_whole_numbers_and_truth_values_become_floats() -> None:
    for value in (3, True, np.int64(3), np.float32(0.5), np.bool_(True)):
        assert type(ops.exp(value)) is float
    assert ops.sum(np.array([1, 2, 3])) == 6.0
    assert tensor([1, 2, 3]).dtype == np.float64
    assert tensor(7).item() / tensor(2).item() == 3.5


@pytest.mark.parametrize(
    ("take", "expected"),
    [
        (lambda: ops.sum([1, 2, 3]), 6.0),
        (lambda: ops.max([[1.0, 5.0], [2.0, 3.0]], axis=1)[0], 5.0),
        (lambda: (tensor([[1.0, 2.0]]) @ [3.0, 4.0])[0], 11.0),
        (lambda: ops.dot([1.0, 2.0], [3.0, 4.0]), 11.0),
        (lambda: ops.det([[1.0, 2.0], [3.0, 5.0]]), -1.0),
        (lambda: ops.cumsum([1.0, 2.0])[1], 3.0),
        (lambda: ops.reshape([1.0, 2.0], 2, 1)[1, 0], 2.0),
        (lambda: ops.outer([1.0, 2.0], [3.0])[1, 0], 6.0),
        (lambda: ops.solve([[2.0, 0.0], [0.0, 4.0]], [2.0, 2.0])[1], 0.5),
        (lambda: ops.sort([3.0, 1.0])[0], 1.0),
        (lambda: ops.norm([3.0, 4.0]), 5.0),
        (lambda: ops.softmax([0.0, 0.0])[0], 0.5),
        (lambda: ops.mse([1.0, 2.0], [1.0, 4.0]), 2.0),
        (lambda: ops.transpose([[1.0, 2.0]])[1, 0], 2.0),
        (lambda: ops.exp([0.0])[0], 1.0),
    ],
)
def test_lists_of_numbers_are_taken_for_tensors(take: Callable[[], Any], expected: float) -> None:
    assert float(take()) == pytest.approx(expected, rel=1e-15)


def test_a_reduction_to_nothing_gives_a_float() -> None:
    for name in ("sum", "mean", "prod", "norm", "max", "logsumexp", "std"):
        assert type(function(name)(np.array([1.0, 2.0]))) is float
