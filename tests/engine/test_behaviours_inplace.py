"""Changes in place, views and version counters (f).

Left out: changing one of several views made at once (unbind) in place, which PyTorch forbids; pieces are slices here, and a
slice may be changed. Keeping the counter when `.data` is assigned, since a counter belongs to the memory here. An element of a
tensor is a number, not a view of it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dagrad.engine import EngineError, Tensor, VersionError, no_grad, ops, tensor


def var(value: Any) -> Tensor:
    return tensor(value, requires_grad=True)


CHANGED = "modified by an inplace operation"


@pytest.mark.parametrize("value", [0.5, [0.5, 1.5]])
def test_f1_a_saved_result_that_was_changed_is_found_out(value: Any) -> None:
    x = var(value)
    y = ops.exp(x)
    z = ops.sum(y)
    y.add_(1.0)
    with pytest.raises(VersionError, match=CHANGED) as caught:
        (z + ops.sum(y)).backward()
    assert "Exp" in str(caught.value)


def test_f1_the_error_names_both_lines() -> None:
    x = var([0.5, 1.5])
    y = ops.exp(x)
    y.add_(1.0)
    with pytest.raises(VersionError) as caught:
        ops.sum(y).backward()
    saved, changed = (place.line for place, _ in caught.value.labels)
    assert changed == saved + 1


def test_f1_an_operation_that_saved_nothing_does_not_mind() -> None:
    x = var([1.0, 2.0])
    y = x + 1.0
    y.add_(1.0)
    ops.sum(y).backward()
    np.testing.assert_array_equal(x.grad.data, [1.0, 1.0])


@pytest.mark.parametrize("value", [2.0, [2.0, 3.0]])
def test_f2_a_leaf_that_was_changed_after_it_was_saved_is_found_out(value: Any) -> None:
    x, y = var(value), var(value)
    z = x * y
    with no_grad():
        x.mul_(2.0)
    with pytest.raises(VersionError, match=CHANGED):
        ops.sum(z).backward()


def test_f2_a_change_before_saving_is_harmless() -> None:
    x, y = var(2.0), var(3.0)
    with no_grad():
        x.mul_(2.0)
    (x * y).backward()
    assert (x.grad.item(), y.grad.item()) == (3.0, 4.0)


def test_f2_a_value_may_be_added_to_itself_in_place() -> None:
    x = var([1.0, 2.0])
    y = x * 3.0
    y.add_(y)
    ops.sum(y).backward()
    np.testing.assert_array_equal(x.grad.data, [6.0, 6.0])


def test_f2_a_value_that_is_multiplied_with_itself_in_place_lost_its_factor() -> None:
    x = var([1.0, 2.0])
    y = x * 3.0
    y.mul_(y)
    with pytest.raises(VersionError, match=CHANGED):
        ops.sum(y).backward()


def test_f3_a_leaf_cannot_be_changed_in_place_while_it_is_tracked() -> None:
    x = var([1.0, 2.0])
    for change in (lambda: x.add_(1.0), lambda: x.mul_(2.0), lambda: x.copy_(tensor([0.0, 0.0])), lambda: x.__setitem__(0, 5.0)):
        with pytest.raises(EngineError, match="leaf"):
            change()
    np.testing.assert_array_equal(x.data, [1.0, 2.0])


def test_f3_nor_can_a_view_of_it() -> None:
    x = var([1.0, 2.0, 3.0])
    v = x[:2]
    with pytest.raises(EngineError, match="leaf"):
        v.mul_(2.0)
    np.testing.assert_array_equal(x.data, [1.0, 2.0, 3.0])


def test_f3_an_expanded_tensor_cannot_be_changed_in_place() -> None:
    y = ops.expand(tensor([1.0]), 3)
    with pytest.raises(EngineError):
        y.add_(1.0)


def test_f4_views_share_memory_and_the_version_counter() -> None:
    y = var([1.0, 2.0, 3.0, 4.0]) * 1.0
    v = y[:2]
    assert (y._version, v._version) == (0, 0)
    v.add_(10.0)
    np.testing.assert_array_equal(y.data, [11.0, 12.0, 3.0, 4.0])
    assert (y._version, v._version) == (1, 1)
    y.mul_(2.0)
    np.testing.assert_array_equal(v.data, [22.0, 24.0])
    assert (y._version, v._version) == (2, 2)


@pytest.mark.parametrize(
    "view", [lambda t: t.T, lambda t: ops.reshape(t, 4), lambda t: ops.unsqueeze(t, 0), lambda t: t[1], lambda t: t[:, 0]]
)
def test_f4_every_kind_of_view_shares_the_counter(view: Any) -> None:
    t = tensor([[1.0, 2.0], [3.0, 4.0]])
    v = view(t)
    v.add_(1.0)
    assert (t._version, v._version) == (1, 1)
    assert t.data.sum() > 10.0


def test_f4_a_copy_has_a_counter_of_its_own() -> None:
    t = tensor([1.0, 2.0, 3.0])
    c = t[[0, 1]]
    c.add_(1.0)
    assert (t._version, c._version) == (0, 1)
    np.testing.assert_array_equal(t.data, [1.0, 2.0, 3.0])


def test_f4_detach_shares_the_counter_and_data_does_not() -> None:
    x = var([1.0, 2.0]) * 1.0
    d = x.detach()
    d.add_(1.0)
    assert (x._version, d._version) == (1, 1)
    np.testing.assert_array_equal(x.data, [2.0, 3.0])
    x.data[0] = 7.0
    assert x._version == 1


def test_f5_an_element_that_was_assigned_gets_the_gradient_of_what_was_assigned() -> None:
    x = var([1.0, 2.0, 3.0])
    y = x * 1.0
    y[0] = 2.0 * x[2]
    ops.sum(y).backward()
    np.testing.assert_array_equal(x.grad.data, [0.0, 1.0, 3.0])


def test_f5_a_view_that_was_changed_changes_the_gradient_of_the_whole() -> None:
    x = var([1.0, 2.0, 3.0, 4.0])
    y = x * 1.0
    v = y[:2]
    v.mul_(10.0)
    ops.sum(y).backward()
    np.testing.assert_array_equal(x.grad.data, [10.0, 10.0, 1.0, 1.0])


def test_f5_a_view_follows_a_change_of_its_base() -> None:
    x = var([1.0, 2.0, 3.0, 4.0])
    y = x * 1.0
    v = y[:2]
    y.mul_(10.0)
    ops.sum(v).backward()
    np.testing.assert_array_equal(x.grad.data, [10.0, 10.0, 0.0, 0.0])


def test_f5_slices_and_masks_can_be_assigned() -> None:
    x = var([1.0, -2.0, 3.0, -4.0])
    y = x * 1.0
    y[y < 0.0] = 0.0
    y[1:3] = x[0] * tensor([5.0, 7.0])
    ops.sum(y).backward()
    np.testing.assert_array_equal(x.grad.data, [13.0, 0.0, 0.0, 0.0])


def test_f6_an_index_that_repeats_counts_as_often_as_it_stands_there() -> None:
    x = var([1.0, 2.0, 3.0])
    ops.sum(x[[0, 0, 2]]).backward()
    np.testing.assert_array_equal(x.grad.data, [2.0, 0.0, 1.0])


def test_f6_lists_of_indices_for_two_axes() -> None:
    A = var(np.arange(16.0).reshape(4, 4))
    ops.sum(A[[[1, 2], [0, 0]], [[0, 1], [1, 1]]]).backward()
    expected = np.zeros((4, 4))
    np.add.at(expected, (np.array([[1, 2], [0, 0]]), np.array([[0, 1], [1, 1]])), 1.0)
    assert expected[0, 1] == 2.0
    np.testing.assert_array_equal(A.grad.data, expected)


def test_f7_reading_elements_does_not_save_their_source() -> None:
    x, a = var([1.0, 0.0, 3.0]), tensor([1.0, 0.0, 1.0])
    t = x * 2.0
    t[a != 0.0] = t[a != 0.0]
    ops.sum(t).backward()
    np.testing.assert_array_equal(x.grad.data, [2.0, 2.0, 2.0])


def test_f8_a_change_through_a_detached_alias_is_found_out() -> None:
    x = var([1.0, 2.0])
    y = ops.exp(x)
    y.detach().mul_(0.0)
    with pytest.raises(VersionError, match=CHANGED):
        ops.sum(y).backward()


def test_changes_in_place_return_the_tensor() -> None:
    t = tensor([1.0, 2.0])
    assert t.add_(1.0) is t
    assert t.mul_(2.0) is t
    assert t.copy_(tensor([7.0, 8.0])) is t
    np.testing.assert_array_equal(t.data, [7.0, 8.0])
    assert t._version == 3


def test_copy_passes_the_gradient_on_to_what_was_copied() -> None:
    x, z = var([1.0, 2.0]), var([3.0, 4.0])
    y = x * 1.0
    y.copy_(z * 5.0)
    ops.sum(y).backward()
    np.testing.assert_array_equal(z.grad.data, [5.0, 5.0])
    assert x.grad is None or not x.grad.data.any()


def test_a_change_in_place_broadcasts_but_does_not_grow() -> None:
    t = tensor([1.0, 2.0])
    t.add_(tensor([[10.0, 20.0]])[0])
    np.testing.assert_array_equal(t.data, [11.0, 22.0])
    with pytest.raises(EngineError):
        t.add_(tensor([[1.0, 1.0], [1.0, 1.0]]))


def test_an_untracked_tensor_that_takes_in_a_tracked_value_becomes_tracked() -> None:
    x, buffer = var(3.0), tensor([0.0, 0.0])
    buffer[1] = x * x
    assert buffer.requires_grad
    ops.sum(buffer).backward()
    assert x.grad.item() == 6.0


@pytest.mark.parametrize("shape", [(), (3,)])
@pytest.mark.parametrize(
    ("change", "x_slope", "y_slope"),
    [
        (lambda a, y: a.mul_(y), lambda x, y: 2 * y, lambda x, y: 2 * x),
        (lambda a, y: a.div_(y), lambda x, y: 2 / y, lambda x, y: -2 * x / y**2),
        (lambda a, y: a.pow_(3.0), lambda x, y: 24 * x**2, None),
        (lambda a, y: a.sin_(), lambda x, y: 2 * np.cos(2 * x), None),
        (lambda a, y: a.log_().mul_(y), lambda x, y: y / x, lambda x, y: np.log(2 * x)),
    ],
)
def test_an_operation_in_place_keeps_what_it_overwrites(shape: Any, change: Any, x_slope: Any, y_slope: Any) -> None:
    at_x, at_y = (np.full(shape, 1.5), np.full(shape, 5.0)) if shape else (1.5, 5.0)
    x, y = tensor(at_x, requires_grad=True), tensor(at_y, requires_grad=True)
    a = x * 2.0
    change(a, y)
    ops.sum(a).backward()
    np.testing.assert_allclose(x.grad.data, x_slope(at_x, at_y))  # type: ignore[union-attr]
    if y_slope:
        np.testing.assert_allclose(y.grad.data, y_slope(at_x, at_y))  # type: ignore[union-attr]


@pytest.mark.parametrize("shape", [(), (3,)])
def test_an_earlier_operation_does_not(shape: Any) -> None:
    x = tensor(np.full(shape, 1.5) if shape else 1.5, requires_grad=True)
    a = x * 2.0
    b = a * a
    a.mul_(x)
    with pytest.raises(VersionError):
        ops.sum(a + b).backward()
    c = x * 2.0
    c.mul_(c)
    with pytest.raises(VersionError):
        ops.sum(c).backward()
