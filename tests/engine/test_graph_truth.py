"""Backward against known numbers: shared nodes, higher orders, deep chains, and random graphs that need no table."""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagrad.engine import Listener, Node, Tensor, backward, grad, hessian, hvp, jacobian, jvp, ops, tensor, vjp
from dagrad.engine.verify import numeric_gradient

# The same examples every time: a test that fails now and then tells less than one that fails.
PROPERTY = settings(deadline=None, derandomize=True, max_examples=150)


def var(value: Any) -> Tensor:
    return tensor(value, requires_grad=True)


def slopes(y: Any, x: Tensor, count: int) -> list[float]:
    """The first `count` derivatives of y by x."""
    found = []
    for _ in range(count):
        (y,) = grad(y, x, create_graph=True)
        found.append(y.item())
    return found


# ---------------------------------------------------------------- shared nodes


@pytest.mark.parametrize("shape", [(), (2,), (5, 5)])
def test_a_diamond_of_shared_buffers_gives_34_and_17(shape: tuple[int, ...]) -> None:
    """An engine that adds into the buffer that the first gradient came in would give the neighbours' sums too."""
    ones = np.ones(shape) if shape else 1.0
    x, y = var(ones), var(ones)
    a, b, c = x + 2.0, y + 2.0, x + 2.0
    out = a + b + c
    for _ in range(4):
        a, b, c = a + a, b + b, c + c
    out = out + a + b + c
    out.backward(ones)
    np.testing.assert_array_equal(x.grad.data, 34.0 * np.ones(shape))
    np.testing.assert_array_equal(y.grad.data, 17.0 * np.ones(shape))


def test_gradients_of_shared_nodes_can_be_differentiated_again() -> None:
    """z = x^2 + y x + y^2 by way of one shared square: s = 2 dz/dx + dz/dy has the constant derivatives 5 and 4."""
    x, y = var([[1.0, 2.0], [3.0, 4.0]]), var([[0.5, 1.5], [2.5, 3.5]])
    z = x * x + y * x + y * y
    z.backward(np.ones((2, 2)), create_graph=True)
    gx, gy = x.grad, y.grad
    np.testing.assert_array_equal(gx.data, 2 * x.data + y.data)
    np.testing.assert_array_equal(gy.data, x.data + 2 * y.data)
    second = 2.0 * gx + gy
    second.backward(np.ones((2, 2)))
    np.testing.assert_array_equal(x.grad.data, gx.data + 5.0)
    np.testing.assert_array_equal(y.grad.data, gy.data + 4.0)


def test_a_value_that_is_used_a_hundred_times_gets_the_sum() -> None:
    x = var(3.0)
    y = x * x
    total: Any = 0.0
    for k in range(100):
        total = total + float(k) * y
    total.backward()
    assert x.grad.item() == 4950.0 * 6.0


def test_dependent_roots_are_swept_together() -> None:
    """z = y^3 is made of the other root y = x^2; the gradient that enters at y meets the one that comes down from z."""
    x = var([1.0, 2.0, 0.5])
    y = x * x
    z = y * y * y
    gy, gz = np.array([1.0, -2.0, 0.25]), np.array([0.5, 3.0, -1.0])
    backward([y, z], [tensor(gy), tensor(gz)])
    np.testing.assert_allclose(x.grad.data, 2 * x.data * gy + 6 * x.data**5 * gz, rtol=1e-15)


def test_a_gradient_from_an_element_and_one_from_the_whole_meet() -> None:
    """The scatter of b[0] and the dense gradient of b go into one buffer."""
    a = var([1.0, 2.0, 3.0])
    b = a + 1.0
    c = b[0] + 1.5
    d = a + b
    e = d + c
    ops.sum(e).backward()
    np.testing.assert_array_equal(a.grad.data, [5.0, 2.0, 2.0])


# ---------------------------------------------------------------- higher orders


@pytest.mark.parametrize("fourth", [lambda x: x**4.0, lambda x: x * x * x * x, lambda x: ops.square(ops.square(x))])
def test_four_derivatives_of_the_fourth_power(fourth: Callable[[Any], Any]) -> None:
    x = var(2.0)
    assert slopes(fourth(x), x, 4) == [32.0, 48.0, 48.0, 24.0]


def test_three_derivatives_of_exp_of_sin() -> None:
    x = var(0.5)
    expected = [1.4174242246593913, 0.46956439926573423, -2.3644414408552015]
    np.testing.assert_allclose(slopes(ops.exp(ops.sin(x)), x, 3), expected, rtol=1e-14)


def test_the_tenth_derivative_of_sine() -> None:
    x = var(0.7)
    assert slopes(ops.sin(x), x, 10)[-1] == pytest.approx(-math.sin(0.7), rel=1e-14)


def test_a_taylor_series_out_of_derivatives() -> None:
    """1 / (1 - x) has the derivatives n! at 0."""
    x = var(0.0)
    assert slopes(1.0 / (1.0 - x), x, 6) == [1.0, 2.0, 6.0, 24.0, 120.0, 720.0]


def rosenbrock(v: Tensor) -> Any:
    return (1.0 - v[0]) ** 2.0 + 100.0 * (v[1] - v[0] ** 2.0) ** 2.0


def test_gradient_and_hessian_of_rosenbrock() -> None:
    v = var([-1.0, 2.0])
    (g,) = grad(rosenbrock(v), v)
    np.testing.assert_array_equal(g.data, [396.0, 200.0])
    np.testing.assert_array_equal(hessian(rosenbrock(v), v).data, [[402.0, 400.0], [400.0, 200.0]])


def test_gradient_and_hessian_of_a_cubic() -> None:
    v = var([2.0, 3.0])

    def f() -> Any:
        return v[0] * v[0] * v[1] + v[1] ** 3.0

    np.testing.assert_array_equal(grad(f(), v)[0].data, [12.0, 31.0])
    np.testing.assert_array_equal(hessian(f(), v).data, [[6.0, 4.0], [4.0, 18.0]])


def test_products_with_a_hessian_and_a_jacobian() -> None:
    x = var([1.0, 2.0, 3.0])
    np.testing.assert_array_equal(hvp(ops.sum(x**3.0), x, [1.0, 0.0, 2.0]).data, [6.0, 0.0, 36.0])
    np.testing.assert_array_equal(jvp(x**2.0, x, [1.0, 1.0, 1.0]).data, [2.0, 4.0, 6.0])
    np.testing.assert_array_equal(vjp(x**2.0, x, [1.0, 0.0, 2.0]).data, [2.0, 0.0, 12.0])
    np.testing.assert_array_equal(jacobian(x**2.0, x).data, np.diag([2.0, 4.0, 6.0]))


def test_a_power_of_two_tracked_numbers() -> None:
    x, y = var(2.0), var(3.0)
    by_x, by_y = grad(x**y, [x, y])
    assert by_x.item() == 12.0
    assert by_y.item() == pytest.approx(5.545177444479562, rel=1e-15)


# ---------------------------------------------------------------- programs: loops and recursion


def test_newton_steps_carry_the_derivative_of_the_root() -> None:
    """Six steps towards sqrt(2): the derivative of the last iterate is that of the root, 1 / (2 sqrt 2)."""
    a = var(2.0)
    x: Any = 1.0
    for _ in range(6):
        x = 0.5 * (x + a / x)
    x.backward()
    assert x.item() == pytest.approx(math.sqrt(2.0), rel=1e-15)
    assert a.grad.item() == pytest.approx(0.35355339059327373, rel=1e-15)


def test_ten_squarings() -> None:
    x = var(1.001)
    y: Any = x
    for _ in range(10):
        y = y * y
    y.backward()
    assert x.grad.item() == pytest.approx(1024 * 1.001**1023, rel=1e-12)


def test_a_recursion_with_two_branches() -> None:
    x = var(1.5)

    def f(n: int) -> Any:
        return x if n < 2 else f(n - 1) + f(n - 2) * x

    y = f(8)
    y.backward()
    assert (y.item(), x.grad.item()) == (126.09375, 283.5625)


# ---------------------------------------------------------------- deep graphs, and what is left of them


def nodes_alive() -> int:
    gc.collect()  # the traceback of an earlier failure may hold some
    return sum(isinstance(thing, Node) for thing in gc.get_objects())


def test_a_million_nodes_are_built_run_and_freed() -> None:
    started, before = time.perf_counter(), nodes_alive()
    x = var(1.0)
    y: Any = x
    for _ in range(1_000_000):
        y = y + 1.0
    assert y.item() == 1_000_001.0
    y.backward()
    assert x.grad.item() == 1.0
    del x, y
    assert nodes_alive() == before
    assert time.perf_counter() - started < 15.0


def test_a_chain_that_nobody_runs_is_freed_without_recursion() -> None:
    before = nodes_alive()
    y: Any = var(1.0)
    for _ in range(300_000):
        y = y * 1.0000001
    del y
    assert nodes_alive() == before


def test_a_hundred_and_fifty_thousand_nodes_with_skip_links() -> None:
    """Each value is made of the last and of one of ten before it; the derivative is compared with a recurrence on floats."""
    x = var(1.0)
    recent: list[Any] = [x] * 10
    tangents = [1.0] * 10
    for k in range(75_000):
        skip = (k * 7) % 10
        recent = [*recent[1:], recent[-1] * 0.5 + recent[skip]]
        tangents = [*tangents[1:], tangents[-1] * 0.5 + tangents[skip]]
        if k % 20 == 0:
            recent = [r * 2.0**-20 for r in recent]
            tangents = [t * 2.0**-20 for t in tangents]
    recent[-1].backward()
    assert x.grad.item() == pytest.approx(tangents[-1], rel=1e-12)


def test_the_gradient_of_a_long_chain_can_be_differentiated() -> None:
    x = var(1.0)
    y: Any = x
    for _ in range(20_000):
        y = ops.sin(y) + y * 1e-6
    (first,) = grad(y, x, create_graph=True)
    (second,) = grad(first, x)
    assert math.isfinite(first.item())
    assert math.isfinite(second.item())


@contextmanager
def no_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _exercise() -> None:
    x, v = var(0.5), var([1.0, 2.0, 3.0])
    y = ops.sum(ops.exp(v * x) / (1.0 + v[0])) + ops.sin(x) ** 2.0
    y.backward(retain_graph=True)
    (first,) = grad(y, x, create_graph=True)
    grad(first, v, retain_graph=True)
    y.backward()
    dropped = ops.tanh(v @ v) * x  # noqa: F841 - never run: reference counting alone must free it
    pieces = ops.split(v, 2)
    ops.sum(pieces[0]).backward()


def test_no_graph_leaves_anything_for_the_cycle_collector() -> None:
    _exercise()  # what is compiled when first used may leave garbage once
    with no_collector():
        _exercise()
        assert gc.collect() == 0


# ---------------------------------------------------------------- random graphs

UNARY = [ops.sin, ops.cos, ops.tanh, ops.sigmoid, ops.atan, ops.softplus, ops.square, ops.neg]
UNARY += [lambda x: ops.exp(-ops.square(x)), lambda x: 0.5 * x]
BINARY = [
    lambda a, b: a + b,
    lambda a, b: a - b,
    lambda a, b: ops.tanh(a) * b,
    lambda a, b: a / (2.0 + ops.sin(b)),
    lambda a, b: ops.atan2(a, 2.0 + ops.cos(b)),
    lambda a, b: ops.logaddexp(ops.tanh(a), ops.tanh(b)),
    lambda a, b: ops.sqrt(1.0 + ops.square(ops.tanh(a))) * ops.cos(b),
]

# A step of a random program: which function, and how far back (modulo what there is) its operands stand.
STEP = st.tuples(st.integers(0, len(UNARY) + len(BINARY) - 1), st.integers(0, 9), st.integers(0, 9))
PROGRAM = st.lists(STEP, min_size=1, max_size=14)
POINT = st.lists(st.floats(-1.5, 1.5), min_size=2, max_size=2)


def run(program: list[tuple[int, int, int]], *inputs: Any) -> Any:
    """The value of the last step of a random program, through `tanh` so that no chain of squares runs away."""
    values: list[Any] = list(inputs)
    for which, i, j in program:
        a, b = values[-1 - i % len(values)], values[-1 - j % len(values)]
        values.append(UNARY[which](a) if which < len(UNARY) else BINARY[which - len(UNARY)](a, b))
        if which == UNARY.index(ops.square):
            values[-1] = ops.tanh(values[-1])
    total: Any = 0.0
    for weight, value in enumerate(values, 1):
        total = total + value * (1.0 / weight)
    return total


@PROPERTY
@given(PROGRAM, POINT)
def test_random_programs_agree_with_finite_differences(program: list[tuple[int, int, int]], point: list[float]) -> None:
    leaves = [var(p) for p in point]
    run(program, *leaves).backward()
    for slot, leaf in enumerate(leaves):
        expected = numeric_gradient(lambda *raw: run(program, *raw), point, slot)
        assert leaf.grad.item() == pytest.approx(expected, rel=1e-5, abs=1e-6)


@PROPERTY
@given(PROGRAM, POINT)
def test_random_programs_have_the_derivative_of_their_derivative(program: list[tuple[int, int, int]], point: list[float]) -> None:
    def slope(*raw: float) -> float:
        leaves = [var(r) for r in raw]
        return sum(g.item() for g in grad(run(program, *leaves), leaves))

    leaves = [var(p) for p in point]
    firsts = grad(run(program, *leaves), leaves, create_graph=True)
    seconds = grad(firsts[0] + firsts[1] + 0.0 * leaves[0], leaves, materialize_grads=True)
    for slot, second in enumerate(seconds):
        assert second.item() == pytest.approx(numeric_gradient(slope, point, slot, 1e-5), rel=1e-4, abs=1e-5)


ARRAY_UNARY = [
    *UNARY,
    lambda x: x[0] + x,
    lambda x: ops.flip(x) * x,
    lambda x: ops.expand(ops.sum(x), 4) * 0.25,
    lambda x: ops.concat(x[2:], x[:2]),
    lambda x: ops.split(x, 2)[1][0] - x,
    lambda x: ops.setitem(x, 1, ops.sin(x[2])),
    lambda x: x[[0, 0, 3, 1]],
    lambda x: ops.softmax(x),
    lambda x: ops.reshape(ops.reshape(x, 2, 2) @ ops.reshape(x, 2, 2), 4) * 0.1,
    lambda x: ops.where(x > 0.0, x, ops.sin(x)),
]
ARRAY_STEP = st.tuples(st.integers(0, len(ARRAY_UNARY) + len(BINARY) - 1), st.integers(0, 9), st.integers(0, 9))


def run_arrays(program: list[tuple[int, int, int]], *inputs: Any) -> Any:
    values: list[Any] = list(inputs)
    for which, i, j in program:
        a, b = values[-1 - i % len(values)], values[-1 - j % len(values)]
        made = ARRAY_UNARY[which](a) if which < len(ARRAY_UNARY) else BINARY[which - len(ARRAY_UNARY)](a, b)
        values.append(ops.tanh(made))
    return ops.sum(values[-1] * [1.0, 2.0, 3.0, 4.0]) + ops.sum(values[len(values) // 2])


@PROPERTY
@given(st.lists(ARRAY_STEP, min_size=1, max_size=14), st.lists(st.floats(-1.5, 1.5), min_size=8, max_size=8))
def test_a_pass_that_is_observed_gives_the_same_numbers(program: list[tuple[int, int, int]], numbers: list[float]) -> None:
    """The plain pass walks the nodes from the latest to the first; with a listener the ready queue of the Engine runs."""
    plain, observed = ([var(numbers[:4]), var(numbers[4:])] for _ in range(2))
    run_arrays(program, *plain).backward()
    with Listener():
        run_arrays(program, *observed).backward()
    for a, b in zip(plain, observed, strict=True):
        assert (a.grad is None) == (b.grad is None)
        if a.grad is not None:
            np.testing.assert_array_equal(a.grad.data, b.grad.data)


@PROPERTY
@given(st.lists(ARRAY_STEP, min_size=1, max_size=14), st.lists(st.floats(-1.5, 1.5), min_size=8, max_size=8))
def test_a_pass_that_is_recorded_gives_the_same_numbers(program: list[tuple[int, int, int]], numbers: list[float]) -> None:
    """Rules that run on Tensors under `create_graph` compute what they compute on arrays."""
    leaves = [var(numbers[:4]), var(numbers[4:])]
    found = grad(run_arrays(program, *leaves), leaves, create_graph=True, materialize_grads=True)
    run_arrays(program, *leaves).backward()
    for leaf, gradient in zip(leaves, found, strict=True):
        expected = np.zeros(4) if leaf.grad is None else leaf.grad.data
        np.testing.assert_allclose(gradient.data, expected, rtol=1e-12, atol=1e-14)
