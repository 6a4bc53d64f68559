"""Buffers have owners: what may be changed in place is, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from dagrad.engine import accumulate, ops, plain_scalars, tensor


@pytest.fixture
def taken_over(monkeypatch):
    """For each gradient that reaches a leaf: whether the leaf takes its array over without a copy."""
    seen = []
    real = accumulate.accumulate

    def spy(leaf, gradient, ours):
        seen.append(ours)
        real(leaf, gradient, ours)

    monkeypatch.setattr(accumulate, "accumulate", spy)
    return seen


def test_a_gradient_that_nobody_else_holds_is_not_copied(taken_over):
    x, w = (tensor([1.0, 2.0, 3.0], requires_grad=True) for _ in range(2))
    (x * w).sum().backward()
    assert taken_over == [True, True]


def test_two_leaves_that_get_one_gradient_do_not_share_its_array(taken_over):
    x, w = (tensor([1.0, 2.0, 3.0], requires_grad=True) for _ in range(2))
    ((x + w) * np.array([1.0, 2.0, 3.0])).sum().backward()
    assert sorted(taken_over) == [False, True]
    assert not np.shares_memory(x.grad.data, w.grad.data)


def test_an_expanded_gradient_is_copied():
    x = tensor([1.0, 2.0], requires_grad=True)
    x.sum().backward()
    assert x.grad.data.strides == (8,)


def test_a_saved_value_is_never_taken_for_a_gradient():
    x, w = (tensor([1.0, 2.0], requires_grad=True) for _ in range(2))
    y = (x * w).sum()
    y.backward(retain_graph=True)
    x.grad.data[:] = 100.0
    y.backward()
    np.testing.assert_array_equal(w.grad.data, [2.0, 4.0])


def test_accumulation_reuses_the_array_unless_somebody_holds_it():
    x = tensor([1.0, 2.0], requires_grad=True)
    (x * x).sum().backward()
    array = x.grad.data
    (x * x).sum().backward()
    np.testing.assert_array_equal(array, [2.0, 4.0])
    del array
    before = id(x.grad.data)
    (x * x).sum().backward()
    assert id(x.grad.data) == before


def test_writing_an_element_is_done_in_place_where_nobody_else_looks():
    with plain_scalars():
        v = ops.zeros(4)
        address = v.data.ctypes.data
        v = ops.setitem(v, 1, 5.0)
        assert v.data.ctypes.data == address


def test_writing_an_element_leaves_other_names_alone():
    with plain_scalars():
        v = ops.zeros(4)
        other = v
        v = ops.setitem(v, 1, 5.0)
        assert other.tolist() == [0.0, 0.0, 0.0, 0.0]
        assert v.tolist() == [0.0, 5.0, 0.0, 0.0]


def test_writing_an_element_leaves_views_and_saved_values_alone():
    with plain_scalars():
        v = tensor([1.0, 2.0, 3.0], requires_grad=True) * 1.0
        part = v[0:2]
        squared = v * v
        v = ops.setitem(v, 0, 9.0)
        assert part.tolist() == [1.0, 2.0]
        assert v.tolist() == [9.0, 2.0, 3.0]
        part = ops.setitem(part, 1, 7.0)
        assert v.tolist() == [9.0, 2.0, 3.0]
        (squared.sum() + part.sum() + v.sum()).backward()
