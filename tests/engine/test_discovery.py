"""What a pass goes through: found by place where numbers are dense, by sorting where they are not, and both find the same."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagrad.engine import discovery, ops, tensor
from dagrad.engine.node import node_of
from tests.engine.test_random_graphs import ARRAY_STEP, PROPERTY, run_arrays, var


def by_place(root: Any) -> tuple[list[Any], set[Any]]:
    leaves: dict[Any, None] = {}
    return discovery._placed({root: None}, leaves), set(leaves)


def by_sorting(root: Any) -> tuple[list[Any], set[Any]]:
    leaves: dict[Any, None] = {}
    return discovery._collected({root: None}, leaves), set(leaves)


@PROPERTY
@given(st.lists(ARRAY_STEP, min_size=1, max_size=14))
def test_both_ways_find_the_same_nodes_in_the_same_order(program: list[tuple[int, int, int]]) -> None:
    root = node_of(run_arrays(program, var([0.1, 0.2, 0.3, 0.4]), var([0.4, 0.3, 0.2, 0.1])).node)
    found, leaves = by_place(root)
    assert (found, leaves) == by_sorting(root)
    assert [node.sequence_nr for node in found] == sorted({node.sequence_nr for node in found}, reverse=True)


def test_operations_of_many_inputs_and_many_outputs() -> None:
    x, y = var([1.0, 2.0, 3.0]), tensor(2.0, requires_grad=True)
    low, high = ops.split(ops.concat([x * y, x, ops.stack([y, y * y])]), 4)
    root = node_of((ops.sum(low) * ops.sum(high)).node)
    assert by_place(root) == by_sorting(root)


@pytest.mark.parametrize("between", [10, 100_000])
def test_nodes_made_long_before_the_rest(between: int) -> None:
    x = tensor(0.5, requires_grad=True)
    early = ops.exp(x)
    for _ in range(between):
        x * x
    (ops.sin(early) * early).backward()
    e = early.item()
    assert x.grad is not None
    assert x.grad.item() == pytest.approx(e * ops.sin(e) + e * e * ops.cos(e), rel=1e-14)


def test_numbers_far_apart_are_sorted() -> None:
    x = tensor(0.5, requires_grad=True)
    early = ops.exp(x)
    for _ in range(10_000):
        x * x
    late = early * early
    root = node_of(late.node)
    assert by_place(root)[0] == [root]
    assert [node.name() for node in discovery.discover([root])[0]] == ["MulBackward0", "ExpBackward0"]


def test_a_branch_made_long_before_the_other() -> None:
    """The first branch is far from the root until the walk of the second has come near it."""
    x = tensor(0.5, requires_grad=True)
    first = second = x
    for _ in range(3000):
        first = ops.sin(first)
    for _ in range(5000):
        second = ops.cos(second)
    root = node_of((first + second).node)
    assert by_place(root) == by_sorting(root)
    assert len(by_place(root)[0]) == 8001
