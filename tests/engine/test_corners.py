"""What lies at the edge of a function: nothing to differentiate, seeds of a wrong shape, results of a wrong kind."""

import numpy as np
import pytest

from dagrad.engine import ArgumentError, Bool, ShapeError, derivative, grad, hvp, jacobian, ops, tensor, vector

A = tensor([[1.0, 3.0], [4.0, 2.0]])


@pytest.mark.parametrize(
    ("found", "wanted"),
    [
        (lambda: ops.argmax(A), 2.0),
        (lambda: ops.argmin(A), 0.0),
        (lambda: ops.argmax(A, axis=0), [1, 0]),
        (lambda: ops.argmin(A, axis=1, keepdims=True), [[0], [1]]),
        (lambda: ops.argmax(5.0), 0.0),
        (lambda: ops.any(A), True),
        (lambda: ops.all(A > 1.0, axis=1), [False, True]),
        (lambda: ops.any(0.0), False),
    ],
)
def test_positions_and_truths(found, wanted):
    found = found()
    assert np.asarray(getattr(found, "data", found)).tolist() == wanted


@pytest.mark.parametrize("position", [ops.argmax, ops.argmin])
def test_nothing_has_no_position(position):
    with pytest.raises(ShapeError, match="of no elements"):
        position(np.zeros((0, 3)), axis=0)


def test_a_batch_of_seeds_needs_a_leading_axis():
    x = tensor([1.0, 2.0], requires_grad=True)
    for seed in (None, tensor([1.0, 1.0])):
        with pytest.raises(ShapeError, match="needs a leading axis"):
            grad([x * x], [x], [seed], is_grads_batched=True)


def test_what_does_not_depend_has_zero_derivatives():
    x, other = tensor([1.0, 2.0], requires_grad=True), tensor([3.0], requires_grad=True)
    assert jacobian(x * x * x, other).data.tolist() == [[0.0], [0.0]]
    assert hvp(ops.sum(x * x), other, [1.0]).data.tolist() == [0.0]
    assert hvp(ops.sum(x * 2.0), x, [1.0, 1.0]).data.tolist() == [0.0, 0.0]


def test_primes_need_one_number():
    with pytest.raises(ShapeError, match="takes one number"):
        derivative(ops.sin, 1)(tensor([1.0, 2.0]))
    with pytest.raises(ShapeError, match="one result"):
        derivative(lambda x: vector([x, x]), 1)(2.0)


def test_tensors_from_tensors():
    assert tensor(tensor(2.0)).item() == 2.0
    assert tensor(tensor([2.0])).data.tolist() == [2.0]
    assert float(ops.exp(np.float64(0.0))) == 1.0
    with pytest.raises(ArgumentError, match="list of tensors"):
        ops.sin([tensor(1.0), tensor(2.0)])


def test_truth_values_print_as_words():
    assert (repr(Bool(1.0)), str(Bool(0.0)), Bool(1.0) + 1.0) == ("true", "false", 2.0)
