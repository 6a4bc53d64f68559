"""The gradient of a sum of all elements, which stays one number as long as nothing makes it differ from element to element."""

import numpy as np
import pytest

from dagrad import engine
from dagrad.engine import Tensor, gradient, leaf, ops

where, exp, sum_, mean, relu, stack, reshape, maximum, outer = (
    engine.registry[name].function for name in ("where", "exp", "sum", "mean", "relu", "stack", "reshape", "maximum", "outer")
)
split = engine.registry["split"].function

CASES = {
    "of a leaf": lambda a, b, c: sum_(a),
    "of a leaf, twice": lambda a, b, c: sum_(a) + mean(a),
    "of a leaf and of its square": lambda a, b, c: mean(a) - sum_(a * a),
    "of a sum": lambda a, b, c: sum_(a + a),
    "of a sum that broadcasts": lambda a, b, c: sum_(a + b + c),
    "of a product that broadcasts": lambda a, b, c: sum_(a * b * c),
    "of a column and a row": lambda a, b, c: mean(reshape(b, 3, 1) * b - reshape(b, 3, 1)),
    "of a power": lambda a, b, c: mean((a - b) ** 2) + sum_(a**3 - 2.0 / a) * c,
    "of a multiple": lambda a, b, c: sum_(3.0 * (-a) / 4.0),
    "of a flat function": lambda a, b, c: sum_(engine.registry["floor"].function(a)) + sum_(b),
    "of a choice": lambda a, b, c: sum_(where(a > 1.0, a, b)) + sum_(relu(b)) + sum_(maximum(a, b)),
    "of elements": lambda a, b, c: sum_(a[0]) + sum_(a[:, 1:]) + a[1, 2] + sum_(a[[0, 0, 1]]),
    "of elements before and after": lambda a, b, c: sum_(a) + sum_(a[1] * b) + a[0, 0],
    "of what was moved": lambda a, b, c: sum_(reshape(a.T, 6) * 2.0) + mean(stack(b, b)),
    "of a product of matrices": lambda a, b, c: sum_(a @ b) + mean(a @ a.T) + sum_(outer(b, b)),
    "of one part of several": lambda a, b, c: sum_(split(b, 2)[0] * 2.0) + sum_(split(a, 1)[1]),
    "of both parts": lambda a, b, c: sum_(split(a, 1)[1]) + sum_(split(a, 1)[0]) + sum_(split(a, 1)[0]),
    "of a number": lambda a, b, c: sum_(c) + mean(c * c),
    "of one element": lambda a, b, c: mean(reshape(a[0, 0], 1, 1) * 2.0),
    "of a sum along an axis": lambda a, b, c: sum_(sum_(a, axis=0) * b) + sum_(mean(a, axis=1)),
}


@pytest.mark.parametrize("function", CASES.values(), ids=CASES)
def test_the_gradient_is_the_one_that_is_written_out(function):
    values = np.array([[0.5, 2.0, 1.5], [3.0, 1.25, 0.75]]), np.array([1.0, 2.0, 0.5]), 1.5
    plain, recorded = [leaf(v) for v in values], [leaf(v) for v in values]
    function(*plain).backward()
    y = function(*recorded)
    for x, z in zip(plain, recorded, strict=True):
        wanted = gradient(y, z).data  # a recorded pass writes every gradient out
        found = 0.0 if x.grad is None else x.grad.data
        assert np.shape(found) in {np.shape(wanted), ()}
        np.testing.assert_allclose(found, wanted, rtol=1e-14)


def test_it_is_written_out_where_it_is_kept():
    a = leaf(np.ones((2, 2)))
    sum_(a).backward()
    first = a.grad.numpy()
    sum_(a * 2.0).backward()
    assert first.tolist() == [[1.0, 1.0], [1.0, 1.0]]
    assert a.grad.tolist() == [[3.0, 3.0], [3.0, 3.0]]
    assert first.flags.writeable
    assert all(first.strides)


def test_float32_stays_float32():
    a = engine.tensor(np.ones(3, np.float32), requires_grad=True)
    sum_(exp(a) * a).backward()
    assert a.grad.dtype == np.float32


def test_a_write_takes_its_part():
    b = leaf(np.array([1.0, 2.0, 3.0]))
    v = ops.index.setitem(b * 2.0, 1, b[0] * 5.0)
    sum_(v).backward()
    assert b.grad.tolist() == [7.0, 0.0, 2.0]
    assert isinstance(v, Tensor)
