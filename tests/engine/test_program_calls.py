"""What a compiled program calls: leaves and their gradients, one derivative at a time, and numbers that stay floats."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from dagrad import engine
from dagrad.engine import EngineError, Tensor, leaf, no_grad, ops, partials, plain_scalars, tensor


def refused(words: str) -> Any:
    return pytest.raises(EngineError, match=words)


# ---------------------------------------------------------------- leaves


def test_a_gradient_is_read_where_there_is_one() -> None:
    w = leaf(3.0, "w")
    with refused("w has no gradient yet"):
        engine.gradient_of(w)
    (w * w).backward()
    assert float(engine.gradient_of(w)) == 6.0


def test_a_gradient_that_was_cleared_says_where() -> None:
    w = leaf([1.0, 2.0], "w")
    ops.sum(w).backward()
    engine.zero_grad(w)
    with refused("it was cleared") as caught:
        engine.gradient_of(w)
    assert caught.value.labels[0][0].position[0] == __file__


def test_only_a_param_has_a_gradient() -> None:
    w = leaf(3.0, "w")
    with refused("this value is not tracked"):
        engine.gradient_of(2.0)
    with refused("this value was computed"):
        engine.gradient_of(w * 2.0)
    with refused("takes params"):
        engine.zero_grad(w * 2.0)


def test_a_gradient_with_a_graph_stays_tracked() -> None:
    w = leaf(3.0, "w")
    engine.backward([w * w * w], [None], create_graph=True)
    slope = engine.gradient_of(w)
    assert slope.requires_grad
    assert float(slope) == 27.0


def test_an_update_replaces_the_value_and_keeps_the_gradient() -> None:
    w = leaf([1.0, 2.0], "w")
    ops.sum(w * w).backward()
    old = engine.alias(w)
    assert engine.assign(w, w - 0.5 * w.grad) is w
    np.testing.assert_array_equal(w.data, [0.0, 0.0])
    np.testing.assert_array_equal(old.data, [1.0, 2.0])
    np.testing.assert_array_equal(w.grad.data, [2.0, 4.0])


def test_an_update_takes_a_copy_of_what_belongs_to_others() -> None:
    w, table = leaf([0.0, 0.0], "w"), np.array([[1.0, 2.0], [3.0, 4.0]])
    engine.assign(w, table[0])
    table[0] = 9.0
    np.testing.assert_array_equal(w.data, [1.0, 2.0])


def test_updates_that_are_refused() -> None:
    w = leaf([1.0, 2.0], "w")
    with refused("of shape .* for w of shape"):
        engine.assign(w, 3.0)
    with refused("only a leaf"):
        engine.assign(w * 2.0, [1.0, 2.0])


def test_what_is_detached() -> None:
    w = leaf(3.0)
    assert not engine.detach(w * 2.0).requires_grad
    assert engine.detach(2.0) == 2.0


# ---------------------------------------------------------------- one derivative


def test_partial_derivatives_are_differentiable_and_keep_the_graph() -> None:
    x, y = leaf(2.0, "x"), leaf(3.0, "y")
    z = x * x * y
    by_x, by_y = partials(z, x, y)
    assert (float(by_x), float(by_y)) == (12.0, 4.0)
    assert float(partials(by_x, y)) == 4.0
    assert x.grad is None


def test_the_derivative_of_a_derivative_by_what_it_does_not_contain_is_zero() -> None:
    x, y = leaf(2.0, "x"), leaf(3.0, "y")
    slope = partials(3.0 * x + y, x)
    assert float(slope) == 3.0
    assert float(partials(slope, y)) == 0.0
    assert float(partials(slope, x)) == 0.0


def test_partials_of_vectors_have_their_shape() -> None:
    v = leaf([1.0, 2.0], "v")
    slope = partials(ops.sum(v), v)
    np.testing.assert_array_equal(slope.detach().data, [1.0, 1.0])
    np.testing.assert_array_equal(partials(ops.sum(slope), v).detach().data, [0.0, 0.0])


def test_partials_that_are_slips() -> None:
    x, y = leaf(2.0, "x"), leaf(3.0, "y")
    with refused("argument 2 is not tracked"):
        partials(x * x, 2.0)
    with refused("first argument is not tracked"):
        partials(2.0, x)
    with refused("does not depend on y"):
        partials(x * x, y)
    with refused("does not depend on argument 2"):
        partials(x * x, y * 2.0)


# ---------------------------------------------------------------- products and matrices without dependence


def test_matrices_of_what_does_not_depend_are_zero() -> None:
    x, other = leaf([1.0, 2.0]), leaf([3.0, 4.0])
    np.testing.assert_array_equal(engine.jacobian(other * 2.0, x).data, np.zeros((2, 2)))
    np.testing.assert_array_equal(engine.jacobian(tensor([1.0, 2.0, 3.0]), x).data, np.zeros((3, 2)))
    np.testing.assert_array_equal(engine.hessian(ops.sum(x), x).data, np.zeros((2, 2)))
    assert engine.jacobian(2.0, leaf(1.0)) == 0.0
    np.testing.assert_array_equal(engine.numeric_jacobian(x * x, x).data, np.diag([2.0, 4.0]))


def test_products_of_what_does_not_depend_are_zero() -> None:
    x, other = leaf([1.0, 2.0]), leaf([3.0, 4.0])
    v = [1.0, 1.0]
    for found in (
        engine.vjp(other * 2.0, x, v),
        engine.jvp(other * 2.0, x, v),
        engine.hvp(ops.sum(other), x, v),
        engine.hvp(ops.sum(x), x, v),
        engine.vjp(tensor([1.0, 2.0]), x, v),
        engine.jvp(tensor([1.0, 2.0]), x, v),
        engine.gradient(2.0, x),
        engine.gradient(ops.sum(other), x),
    ):
        np.testing.assert_array_equal(getattr(found, "data", found), [0.0, 0.0])
    assert engine.jvp(2.0, x, v) == 0.0


def test_products_agree_with_the_matrix() -> None:
    x = leaf([0.5, 1.5])
    v = np.array([2.0, -1.0])

    def function() -> Any:
        return ops.vector([x[0] * x[1], ops.sin(x[0]), ops.exp(x[1])])

    matrix = engine.jacobian(function(), x).detach().data
    np.testing.assert_allclose(engine.jvp(function(), x, v).detach().data, matrix @ v)
    np.testing.assert_allclose(engine.vjp(function(), x, [1.0, 2.0, 3.0]).detach().data, np.array([1.0, 2.0, 3.0]) @ matrix)
    second = engine.hessian(ops.sum(function()), x).detach().data
    np.testing.assert_allclose(engine.hvp(ops.sum(function()), x, v).detach().data, second @ v)


def test_products_need_vectors_that_fit() -> None:
    x = leaf([0.5, 1.5])
    for call in (engine.jvp, engine.vjp):
        with refused("the vector has shape"):
            call(x * x, x, [1.0, 2.0, 3.0])
    with refused("hessian.. needs one element"):
        engine.hessian(x * x, x)


def test_a_product_can_be_differentiated() -> None:
    x = leaf([0.5, 1.5])
    along = engine.jvp(x * x * x, x, [1.0, 0.0])
    np.testing.assert_allclose(partials(ops.sum(along), x).detach().data, [6.0 * 0.5, 0.0])


def test_a_jacobian_can_be_differentiated() -> None:
    x = leaf([0.5, 1.5])
    matrix = engine.jacobian(x * x * x, x)
    np.testing.assert_allclose(partials(ops.sum(matrix), x).detach().data, 6.0 * x.data)
    ops.sum(engine.jacobian(x * x, x)).backward(create_graph=True)
    np.testing.assert_allclose(engine.gradient_of(x).detach().data, [2.0, 2.0])


# ---------------------------------------------------------------- numbers


def test_a_programs_numbers_are_floats() -> None:
    with plain_scalars():
        assert type(ops.sum(tensor([1.0, 2.0]))) is float
        assert type(tensor([1.0, 2.0])[0]) is float
        assert isinstance(tensor([1.0, 2.0])[0:1], Tensor)
        assert type(engine.detach(leaf(2.0) * 3.0)) is float
    assert isinstance(ops.sum(tensor([1.0, 2.0])), Tensor)


def test_an_element_of_a_mask_is_a_truth_value() -> None:
    mask = tensor([1.0, -1.0]) > 0.0
    assert mask[0] is True
    assert mask[[0, 1]].data.dtype == bool
    assert ops.argsort(tensor([3.0, 1.0]))[0] == 1.0


def test_elements_of_tuples_and_vectors() -> None:
    assert ops.getitem((1.0, 2.0), 1.0) == 2.0
    assert ops.select(tensor([1.0, 5.0]), 1).item() == 5.0
    assert ops.getitem(np.array([[1.0, 2.0]]), (0, tensor(1.0))) == 2.0
    np.testing.assert_array_equal(tensor([1.0, 2.0, 3.0])[..., 0:2].data, [1.0, 2.0])
    np.testing.assert_array_equal(tensor([[1.0, 2.0]])[..., 0].data, [1.0])
    assert tensor([1.0, 2.0])[[]].shape == (0,)


def test_an_untracked_mask_is_written_to() -> None:
    mask = tensor([1.0, -1.0]) > 0.0
    mask = ops.setitem(mask, 1, 1.0)
    np.testing.assert_array_equal(mask.data, [1.0, 1.0])


def test_nothing_is_recorded_of_writes_under_no_grad() -> None:
    x = leaf([1.0, 2.0])
    with no_grad():
        v = ops.setitem(x * 1.0, 0, x[1])
    assert not v.requires_grad


def test_values_of_tensors() -> None:
    t = tensor([1.5, 2.5])
    assert (t.ndim, t.size, t.tolist()) == (1, 2, [1.5, 2.5])
    assert (tensor(2.0).size, tensor(2.0).tolist(), tensor(2.0).dtype) == (1, 2.0, np.dtype(np.float64))
    assert (int(tensor(2.7)), float(tensor([2.5])), bool(tensor(0.0))) == (2, 2.5, False)
    assert [x.item() for x in t] == [1.5, 2.5]
    assert repr(tensor(2.0)) == "tensor(2.0)"
    assert "requires_grad=True" in repr(leaf(2.0))
    assert "grad_fn=<MulBackward0>" in repr(leaf([1.0]) * 2.0)
    assert np.asarray(t, dtype=np.float32).dtype == np.float32
    assert tensor(tensor(3.0)).item() == 3.0
    assert tensor(np.float64(3.0)).item() == 3.0


def test_tracking_is_switched_by_the_attribute() -> None:
    t = tensor([1.0])
    t.requires_grad = True
    assert t.requires_grad_(True) is t
    assert t.is_leaf
    t.requires_grad = False
    assert not t.requires_grad
    y = leaf(1.0) * 2.0
    assert y.requires_grad_() is y


def test_a_gradient_can_be_set() -> None:
    x = leaf([1.0, 2.0])
    x.grad = tensor([5.0, 6.0])
    ops.sum(x).backward()
    np.testing.assert_array_equal(x.grad.data, [6.0, 7.0])


def test_numbers_of_every_kind_are_taken() -> None:
    for value in (2, True, np.float32(2.0), np.int64(2), np.array(2), np.array(2.0), [1.0, 2.0], np.array([1, 2])):
        found = ops.exp(value)
        np.testing.assert_allclose(found, np.exp(np.asarray(value, dtype=np.float64)))


def test_special_values_of_ops_on_numbers() -> None:
    """Reductions and orders of a number are the number."""
    for function in (ops.max, ops.min, ops.median, ops.sum, ops.mean, ops.prod, ops.sort, ops.cummax, ops.cumsum, ops.cumprod, ops.flip):
        assert function(3.0) == 3.0
    assert ops.argmax(3.0) == ops.argmin(3.0) == 0.0
    assert (ops.any(3.0), ops.all(0.0)) == (True, False)
    assert (ops.softmax(3.0), ops.log_softmax(3.0)) == (1.0, 0.0)
    assert (ops.norm(-3.0), ops.norm(3.0, 0)) == (3.0, 1.0)
    assert ops.transpose(3.0) == 3.0
    assert float(ops.quantile([1.0, 2.0], 1.0)) == 2.0
    assert math.isnan(ops.logdet(np.diag([1.0, -1.0])))
    assert ops.logdet(np.zeros((2, 2))) == -math.inf
    np.testing.assert_allclose(ops.quantile([1.0, 2.0, 3.0], [0.0, 0.5]), [1.0, 2.0])


def test_a_wide_system_has_its_shortest_solution() -> None:
    A, b = np.array([[1.0, 2.0, 2.0]]), np.array([9.0])
    np.testing.assert_allclose(ops.lstsq(A, b), [1.0, 2.0, 2.0])
