"""Where a backward pass may start and what it refuses (a), and how gradients add up and share memory (b).

Left out: integer leaves, since integers become floats here. The diamond of shared buffers, dependent roots and the meeting of
an element's gradient with a dense one stand in test_graph_truth.py.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from dagrad.engine import EngineError, FreedGraphError, Tensor, backward, grad, no_grad, ops, tensor


def var(value: Any) -> Tensor:
    return tensor(value, requires_grad=True)


# ---------------------------------------------------------------- a: roots and errors


def test_a1_a_second_backward_is_refused() -> None:
    x = var(2.0)
    y = x * x
    y.backward()
    with pytest.raises(FreedGraphError, match="Trying to backward through the graph a second time") as caught:
        y.backward()
    assert "retain_graph" in str(caught.value)
    assert x.grad.item() == 4.0


def test_a1_the_refusal_names_the_operation_and_both_lines() -> None:
    x = var(2.0)
    y = ops.exp(x)
    y.backward()
    with pytest.raises(FreedGraphError, match="ExpBackward0") as caught:
        y.backward()
    recorded, freed = (place.line for place, _ in caught.value.labels)
    assert freed == recorded + 1


def test_a2_a_second_backward_is_refused_where_nothing_was_saved_too() -> None:
    """PyTorch lets this one pass, since an addition saves nothing; here a dismantled graph is dismantled."""
    x = var(2.0)
    y = x + 1.0
    y.backward()
    with pytest.raises(FreedGraphError):
        y.backward()
    assert x.grad.item() == 1.0


def test_a2_a_graph_of_which_a_part_was_dismantled_is_refused() -> None:
    x = var(2.0)
    shared = ops.exp(x)
    first, second = shared * 2.0, shared * 3.0
    first.backward()
    before = x.grad.item()
    with pytest.raises(FreedGraphError):
        second.backward()
    assert x.grad.item() == before


def test_a3_a_retained_graph_can_be_run_once_more_and_then_no_more() -> None:
    x = var(2.0)
    y = x * x
    y.backward(retain_graph=True)
    y.backward()
    assert x.grad.item() == 8.0
    with pytest.raises(FreedGraphError):
        y.backward()


def test_a4_a_root_of_several_elements_needs_a_gradient() -> None:
    x = var([1.0, 2.0])
    with pytest.raises(EngineError, match="grad can be implicitly created only for scalar outputs"):
        (x * 2.0).backward()
    (x * 2.0).backward(tensor([1.0, 10.0]))
    np.testing.assert_array_equal(x.grad.data, [2.0, 20.0])


@pytest.mark.parametrize("value", [[3.0], [[3.0]]])
def test_a4_one_element_is_enough_whatever_the_shape(value: Any) -> None:
    x = var(value)
    (x * x).backward()
    np.testing.assert_array_equal(x.grad.data, np.asarray(value) * 2.0)


def test_a5_a_root_without_a_graph_is_refused() -> None:
    with pytest.raises(EngineError, match="element 0 of tensors does not require grad"):
        (tensor(1.0) * 2.0).backward()
    x = var(1.0)
    with pytest.raises(EngineError, match="element 1 of tensors does not require grad"):
        backward([x * 2.0, x.detach()])


def test_a6_a_gradient_of_another_shape_is_refused_with_both_shapes() -> None:
    x = var([1.0, 2.0])
    with pytest.raises(EngineError, match=r"Mismatch in shape: grad_output\[0\].*\(3,\).*output\[0\].*\(2,\)"):
        grad(x * 2.0, x, tensor([1.0, 1.0, 1.0]))


def test_a7_an_unused_input_is_an_error_unless_allowed() -> None:
    x, z = var(2.0), var(3.0)
    with pytest.raises(EngineError, match=r"(?s)index 1.*allow_unused=True"):
        grad(x * x, [x, z])
    assert grad(x * x, z, allow_unused=True) == (None,)


def test_a7_an_unused_input_can_be_given_zeros() -> None:
    x, z = var(2.0), var([3.0, 4.0])
    (zeros,) = grad(x * x, z, materialize_grads=True)
    np.testing.assert_array_equal(zeros.data, [0.0, 0.0])
    assert not zeros.requires_grad
    with pytest.raises(ValueError, match="allow_unused"):
        grad(x * x, z, allow_unused=False, materialize_grads=True)


def test_a7_zeros_require_grad_when_the_pass_is_recorded() -> None:
    x, z = var(2.0), var([3.0, 4.0])
    (zeros,) = grad(x * x, z, materialize_grads=True, create_graph=True)
    assert zeros.requires_grad


def test_a8_inputs_are_needed_and_must_be_tracked() -> None:
    x = var(2.0)
    with pytest.raises(EngineError, match="empty"):
        grad(x * x, [])
    for allowed in (False, True):
        with pytest.raises(EngineError, match="does not require grad"):
            grad(x * x, tensor(1.0), allow_unused=allowed)


def test_a9_a_mask_cannot_require_grad() -> None:
    mask = tensor([1.0, -1.0]) > 0.0
    with pytest.raises(EngineError):
        mask.requires_grad_()


def test_a10_only_a_leaf_can_stop_requiring_grad() -> None:
    x = var(2.0)
    y = x * x
    with pytest.raises(EngineError, match="detach"):
        y.requires_grad = False
    x.requires_grad = False
    assert not x.requires_grad
    assert not (x * x).requires_grad


def test_a11_numpy_of_a_tracked_tensor_is_refused_outside_no_grad() -> None:
    x = var([1.0, 2.0])
    with pytest.raises(EngineError, match="detach"):
        x.numpy()
    with no_grad():
        np.testing.assert_array_equal(x.numpy(), [1.0, 2.0])
    np.testing.assert_array_equal(x.detach().numpy(), [1.0, 2.0])


def test_a11_numbers_can_be_taken_out() -> None:
    x = var(2.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert float(x * 2.0) == 4.0
    assert (x * 2.0).item() == 4.0
    with pytest.raises(EngineError, match=r"\(2,\)"):
        var([1.0, 2.0]).item()


def test_a12_a_gradient_of_another_shape_cannot_be_assigned() -> None:
    x = var([1.0, 2.0, 3.0])
    with pytest.raises(EngineError, match=r"\(2,\).*\(3,\)"):
        x.grad = tensor([1.0, 2.0])
    x.grad = tensor([1.0, 2.0, 3.0])
    ops.sum(x).backward()
    np.testing.assert_array_equal(x.grad.data, [2.0, 3.0, 4.0])


def test_a12_a_gradient_of_another_dtype_cannot_be_assigned() -> None:
    x = var([1.0, 2.0])
    with pytest.raises(EngineError):
        x.grad = tensor(np.ones(2, np.float32))


def test_a12_reading_the_gradient_of_a_value_that_is_no_leaf_warns() -> None:
    x = var(2.0)
    y = x * x
    with pytest.warns(UserWarning, match="not a leaf"):
        assert y.grad is None
    y.retain_grad()
    y.backward()
    assert y.grad.item() == 1.0


# ---------------------------------------------------------------- b: accumulation and sharing


def test_b1_uses_of_a_leaf_add_up() -> None:
    x = var(3.0)
    (x + x).backward()
    assert x.grad.item() == 2.0
    x = var(3.0)
    (x * x * x).backward()
    assert x.grad.item() == 27.0


@pytest.mark.parametrize("value", [3.0, [3.0, 3.0]])
def test_b1_passes_add_up_in_the_same_object(value: Any) -> None:
    x = var(value)
    ops.sum(x * x).backward()
    first = x.grad
    for _ in range(2):
        ops.sum(x * x).backward()
    np.testing.assert_array_equal(x.grad.data, 18.0 * np.ones(np.shape(value)))
    assert x.grad is first


@pytest.mark.parametrize("value", [3.0, [3.0, 3.0]])
def test_b2_a_recorded_pass_leaves_the_earlier_gradient_alone(value: Any) -> None:
    x = var(value)
    ops.sum(x * x).backward(create_graph=True)
    first = x.grad
    ops.sum(x * x).backward(create_graph=True)
    np.testing.assert_array_equal(first.data, 6.0 * np.ones(np.shape(value)))
    np.testing.assert_array_equal(x.grad.data, 12.0 * np.ones(np.shape(value)))
    assert x.grad.requires_grad


def test_b3_the_gradients_of_several_outputs_are_summed() -> None:
    x = var(1.0)
    assert grad([2.0 * x, 3.0 * x], [x])[0].item() == 5.0
    assert grad([2.0 * x, 3.0 * x], [x], [tensor(10.0), None])[0].item() == 23.0


def test_b3_a_root_that_is_named_twice_counts_twice() -> None:
    x = var([1.0, 2.0])
    q, g = x * x, tensor([1.0, 1.0])
    backward([q, q], [g, g])
    np.testing.assert_array_equal(x.grad.data, [4.0, 8.0])


def test_b6_an_input_that_is_named_twice_gets_its_gradient_twice() -> None:
    x = var(2.0)
    assert [g.item() for g in grad(x * x, [x, x])] == [4.0, 4.0]


def test_b6_a_leaf_is_its_own_derivative() -> None:
    x = var(2.0)
    assert grad(x, x)[0].item() == 1.0
    x.backward()
    x.backward()
    assert x.grad.item() == 2.0


def test_b7_leaves_never_share_a_gradient_array() -> None:
    a, b, g = var([1.0, 2.0]), var([3.0, 4.0]), tensor([5.0, 6.0])
    (a + b).backward(g)
    assert not np.shares_memory(a.grad.data, b.grad.data)
    assert not np.shares_memory(a.grad.data, g.data)
    a.grad.data[0] = 100.0
    assert (b.grad.data[0], g.data[0]) == (5.0, 5.0)


def test_b7_a_gradient_that_was_spread_is_written_out() -> None:
    """The gradient of a sum is one number seen at every place: as `.grad` it must be an array that can be written to."""
    x = var([1.0, 2.0, 3.0])
    ops.sum(x).backward()
    x.grad.data[0] = 7.0
    np.testing.assert_array_equal(x.grad.data, [7.0, 1.0, 1.0])


def test_b7_a_gradient_that_was_read_stays_what_it_was() -> None:
    x = var([1.0, 2.0])
    ops.sum(x * x).backward()
    kept = x.grad.data
    ops.sum(x * x).backward()
    np.testing.assert_array_equal(kept, [2.0, 4.0])
    np.testing.assert_array_equal(x.grad.data, [4.0, 8.0])


def test_b9_broadcast_axes_are_summed_back() -> None:
    a, b = var(np.ones((3, 1))), var(np.ones(4))
    ops.sum(a * b).backward()
    np.testing.assert_array_equal(a.grad.data, [[4.0], [4.0], [4.0]])
    np.testing.assert_array_equal(b.grad.data, [3.0, 3.0, 3.0, 3.0])


def test_b9_a_number_against_an_array() -> None:
    x = var(2.0)
    ops.sum(x * tensor([1.0, 1.0, 1.0])).backward()
    assert x.grad.item() == 3.0
    assert x.grad.shape == ()


def test_b9_empty_tensors_have_empty_gradients() -> None:
    a, b = var(np.zeros((0, 3))), var(np.zeros((1, 3)))
    ops.sum(a + b).backward()
    assert a.grad.shape == (0, 3)
    np.testing.assert_array_equal(b.grad.data, [[0.0, 0.0, 0.0]])


def test_inputs_of_backward_restrict_where_gradients_go() -> None:
    x, y = var(2.0), var(3.0)
    (x * y).backward(inputs=[x])
    assert x.grad.item() == 3.0
    assert y.grad is None


def test_inputs_of_backward_may_be_values_that_are_no_leaves() -> None:
    x = var(2.0)
    y = x * x
    y.retain_grad()
    (y * 3.0).backward(inputs=[y])
    assert y.grad.item() == 3.0
    assert x.grad is None


def test_a_derivative_by_an_intermediate_leaves_alone_what_lies_below_it() -> None:
    """The node of the intermediate did not run, so that it is not dismantled."""
    x = var(2.0)
    middle = x * x
    upper, other = middle * 3.0, middle * 4.0
    assert grad(upper, middle)[0].item() == 3.0
    other.backward()
    assert x.grad.item() == 16.0
