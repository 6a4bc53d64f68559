"""What a pass goes through: found by place where numbers are dense, by sorting where they are not, and both find the same."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagrad.engine import discovery, grad, ops, tensor
from dagrad.engine.node import node_of
from tests.engine.test_random_graphs import ARRAY_STEP, PROPERTY, run_arrays, var


def by_place(root: Any, oldest: int = 0) -> tuple[list[Any], set[Any], set[Any]]:
    leaves: dict[Any, None] = {}
    older: dict[Any, None] = {}
    return discovery._placed({root: None}, leaves, older, oldest), set(leaves), set(older)


def by_sorting(root: Any, oldest: int = 0) -> tuple[list[Any], set[Any], set[Any]]:
    leaves: dict[Any, None] = {}
    older: dict[Any, None] = {}
    return discovery._collected({root: None}, leaves, older, oldest), set(leaves), set(older)


@PROPERTY
@given(st.lists(ARRAY_STEP, min_size=1, max_size=14))
def test_both_ways_find_the_same_nodes_in_the_same_order(program: list[tuple[int, int, int]]) -> None:
    root = node_of(run_arrays(program, var([0.1, 0.2, 0.3, 0.4]), var([0.4, 0.3, 0.2, 0.1])).node)
    found, leaves, older = by_place(root)
    assert (found, leaves, older) == by_sorting(root)
    assert not older
    assert [node.sequence_nr for node in found] == sorted({node.sequence_nr for node in found}, reverse=True)


@PROPERTY
@given(st.lists(ARRAY_STEP, min_size=1, max_size=14), st.integers(0, 40))
def test_what_is_older_than_what_is_asked_for_is_left_out(program: list[tuple[int, int, int]], back: int) -> None:
    root = node_of(run_arrays(program, var([0.1, 0.2, 0.3, 0.4]), var([0.4, 0.3, 0.2, 0.1])).node)
    oldest = root.sequence_nr - back
    found, leaves, older = by_place(root, oldest)
    assert (found, leaves, older) == by_sorting(root, oldest)
    assert found == [node for node in by_place(root)[0] if node.sequence_nr >= oldest]
    edges = {node_of(edge) for node in found for edge in node.edges if edge is not None}
    assert older == {node for node in edges - leaves if node.sequence_nr < oldest}
    assert leaves == edges - older - set(found)


@pytest.mark.parametrize("length", [10, 3_000])
def test_a_gradient_at_a_point_of_a_long_chain_looks_no_further(length: int) -> None:
    w, other = tensor(0.9, requires_grad=True), tensor(2.0, requires_grad=True)
    x = other * w
    for _ in range(length):
        x = x * w
    y = ops.exp(x * 2.0) * x * w
    nodes, leaves, cut = discovery.discover([node_of(y.node)], [node_of(x.node)])
    assert [node.name() for node in nodes] == ["MulBackward0", "MulBackward0", "ExpBackward0", "MulBackward0", "MulBackward0"]
    assert (len(leaves), cut) == (1, True)
    (found,) = grad(y, x, retain_graph=True)
    e, p = ops.exp(2.0 * x.item()), x.item()
    assert found.item() == pytest.approx(0.9 * e * (1 + 2 * p), rel=1e-13)
    y.backward()
    assert other.grad is not None
    assert other.grad.item() == pytest.approx(found.item() * 0.9 ** (length + 1), rel=1e-11)


def test_what_lies_below_an_asked_leaf_is_not_touched() -> None:
    w = tensor(3.0, requires_grad=True)
    old = w * 2.0
    x = tensor(5.0, requires_grad=True)
    for _ in range(2):
        assert grad(old * x, x)[0].item() == 6.0
    (old * x).backward()
    assert (w.grad.item(), x.grad.item()) == (10.0, 6.0)


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
