"""Tensors from nothing: constants, ranges, grids, and random numbers from one seed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dagrad.engine import ops, tensor

MADE: dict[str, tuple[Any, Any]] = {
    "zeros": (lambda: ops.zeros(2, 3), np.zeros((2, 3))),
    "zeros of a list": (lambda: ops.zeros([2, 3]), np.zeros((2, 3))),
    "ones of a tuple": (lambda: ops.ones((2,)), np.ones(2)),
    "ones of a vector": (lambda: ops.ones(tensor([2.0, 1.0])), np.ones((2, 1))),
    "full": (lambda: ops.full([2], 7.0), np.full(2, 7.0)),
    "zeros_like": (lambda: ops.zeros_like(np.ones((2, 1))), np.zeros((2, 1))),
    "ones_like": (lambda: ops.ones_like([1.0, 2.0]), np.ones(2)),
    "eye": (lambda: ops.eye(2), np.eye(2)),
    "eye that is wide": (lambda: ops.eye(2, 3), np.eye(2, 3)),
    "arange": (lambda: ops.arange(3), np.arange(3.0)),
    "arange with steps": (lambda: ops.arange(1, 2, 0.25), np.arange(1, 2, 0.25)),
    "arange of nothing": (lambda: ops.arange(2, 1), np.zeros(0)),
    "linspace": (lambda: ops.linspace(0, 1, 5), np.linspace(0, 1, 5)),
    "meshgrid": (lambda: ops.meshgrid(tensor([1.0, 2.0]), tensor([3.0, 4.0, 5.0]))[1], np.array([[3.0, 4.0, 5.0]] * 2)),
}


@pytest.mark.parametrize("name", MADE)
def test_what_is_made(name: str) -> None:
    make, expected = MADE[name]
    made = make()
    assert not made.requires_grad
    np.testing.assert_array_equal(made.data, expected)


@pytest.mark.parametrize("make", [ops.zeros, ops.ones])
def test_no_size_makes_a_number(make: Any) -> None:
    assert make() in (0.0, 1.0)
    assert type(ops.zeros_like(3.0)) is float


RANDOM: dict[str, tuple[Any, float, float]] = {
    "rand": (lambda: ops.rand(4, 5), 0.0, 1.0),
    "randn": (lambda: ops.randn(4, 5), -10.0, 10.0),
    "randint": (lambda: ops.randint(2, 5, 4, 5), 2.0, 5.0),
}


@pytest.mark.parametrize("name", RANDOM)
def test_random_numbers_start_anew_from_a_seed(name: str) -> None:
    draw, low, high = RANDOM[name]
    ops.seed(7)
    first, second = draw(), draw()
    ops.seed(7)
    np.testing.assert_array_equal(draw().data, first.data)
    assert first.shape == (4, 5)
    assert not np.array_equal(first.data, second.data)
    assert low <= first.data.min() <= first.data.max() < high


def test_whole_random_numbers_are_whole() -> None:
    drawn = ops.randint(0, 100, 50).data
    np.testing.assert_array_equal(drawn, np.floor(drawn))


def test_a_permutation_has_every_number_once() -> None:
    np.testing.assert_array_equal(np.sort(ops.permutation(9).data), np.arange(9.0))


def test_the_generator_is_numpys() -> None:
    ops.seed(3)
    np.testing.assert_array_equal(ops.rand(4).data, np.random.default_rng(3).random(4))
