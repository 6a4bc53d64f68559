"""Random programs: derivatives against differences, and one way through the Engine against the others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagrad.engine import Listener, Tensor, grad, ops, tensor
from tests.engine.differences import numeric_gradient

# The same examples every time: a test that fails now and then tells less than one that fails.
PROPERTY = settings(deadline=None, derandomize=True, max_examples=150)


class Attending(Listener):
    """Wants to hear of each turn of every pass, so that the ready queue runs."""

    def attends(self, task: Any) -> bool:
        return True


def var(value: Any) -> Tensor:
    return tensor(value, requires_grad=True)


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
    """The plain pass walks the nodes from the latest to the first; where a listener attends, the ready queue of the Engine runs."""
    plain, observed = ([var(numbers[:4]), var(numbers[4:])] for _ in range(2))
    run_arrays(program, *plain).backward()
    with Attending():
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
