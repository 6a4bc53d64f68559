"""Passes that ask for gradients: what they find, and that they leave nothing behind in the graph."""

import numpy as np
import pytest

from dagrad.engine import (
    EngineError,
    FreedGraphError,
    Function,
    VersionError,
    detect_anomaly,
    grad,
    gradient,
    hessian,
    hvp,
    jacobian,
    jvp,
    leaf,
    no_grad,
    ops,
    tensor,
    vjp,
)
from dagrad.engine.inspect import MemoryRecorder


class Both(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        return g * b, g * a


TOGETHER = {
    "stack": lambda k, r: ops.sum(ops.stack(k, r)),
    "list": lambda k, r: ops.sum(ops.joining.vector([k, r])),
    "concat": lambda k, r: ops.sum(ops.concat(ops.reshape(k, 1), ops.reshape(r, 1))),
    "einsum": lambda k, r: ops.einsum("i,i->", ops.stack(k, r), ops.stack(r, k)),
    "function": lambda k, r: Both.apply(k, r),
}


@pytest.mark.parametrize("function", TOGETHER.values(), ids=TOGETHER)
@pytest.mark.parametrize("create_graph", [False, True])
def test_what_is_older_than_what_is_asked_for_gets_nothing(function, create_graph):
    w = leaf(2.0)
    r = w * 3.0
    k = r * 5.0
    y = function(k, r)
    for _ in range(2):
        grad(y, k, retain_graph=True, create_graph=create_graph)
        y.backward(inputs=[k], retain_graph=True)
    r.backward()
    assert w.grad.item() == 3.0


@pytest.mark.parametrize("matrix", [jacobian, lambda y, x: hessian(ops.sum(y * y), x)])
def test_a_matrix_of_derivatives_leaves_nothing_behind(matrix):
    w = leaf(np.array([1.0, 2.0]))
    r = w * 3.0
    k = r * 5.0
    matrix(ops.concat(k * k, r), k)
    ops.sum(r).backward()
    assert w.grad.tolist() == [3.0, 3.0]


@pytest.mark.parametrize("index", [1, slice(1, 2), np.array([1, 2])])
def test_the_gradient_of_what_an_element_was_written_to(index):
    w = leaf(np.array([1.0, 2.0, 3.0]))
    v = ops.index.setitem(w * 2.0, index, 5.0)
    y = v[0] + 2.0 * v[1] + 3.0 * v[2] + ops.sum(v)
    for create_graph in (False, True):
        a, b = grad(y, [v, w], retain_graph=True, create_graph=create_graph)
        assert a.tolist() == [2.0, 3.0, 4.0]
        np.testing.assert_array_equal(b.data, np.where(np.isin([0, 1, 2], np.arange(3)[index]), 0.0, [4.0, 6.0, 8.0]))


PRODUCTS = [lambda y, x, product=product: product(ops.sum(y), x, 1.0) for product in (jvp, vjp, hvp)]


@pytest.mark.parametrize("what", [jacobian, lambda y, x: hessian(ops.sum(y), x), *PRODUCTS])
@pytest.mark.parametrize("x", [tensor([1.0, 2.0]), 3.0])
def test_what_is_not_tracked_is_refused(what, x):
    w = leaf(2.0)
    with pytest.raises(EngineError, match="argument 2 is not tracked"):
        what(w * x, x)


def test_a_jacobian_is_differentiated_by_a_jacobian():
    v = leaf(np.array([0.3, 0.2]))
    found = jacobian(ops.tanh(jacobian(v**3.0, v)[0]), v).data
    x = 3.0 * 0.3**2
    np.testing.assert_allclose(found, [[(1 - np.tanh(x) ** 2) * 6 * 0.3, 0.0], [0.0, 0.0]], rtol=1e-13)
    twice = hessian(ops.sum(hessian(ops.sum(v**4.0), v) ** 2.0), v).data
    np.testing.assert_allclose(twice, np.diag(144.0 * 12.0 * np.array([0.3, 0.2]) ** 2), rtol=1e-13)


def test_a_node_that_need_not_run_may_be_stale_or_gone():
    w = leaf(2.0)
    b = w**2.0
    b.backward()
    assert grad(b * 3.0, b)[0].item() == 3.0
    a = leaf(np.array([1.0, 2.0])) * 1.0
    b = ops.sin(a)
    a.mul_(3.0)
    assert grad(ops.sum(b * 2.0), b)[0].tolist() == [2.0, 2.0]
    with pytest.raises(VersionError):
        ops.sum(b * 2.0).backward()


def test_what_was_freed_and_may_lead_to_what_is_asked_for_is_refused():
    a = leaf(2.0)
    b = a * a
    b.backward()
    y = b * 5.0
    for asked in ([b, a], [a]):
        with pytest.raises(FreedGraphError):
            grad(y, asked, allow_unused=True, retain_graph=True)
        with pytest.raises(FreedGraphError):
            y.backward(inputs=asked, retain_graph=True)
    with MemoryRecorder(), detect_anomaly():
        assert grad(y, b)[0].item() == 5.0
    assert a.grad.item() == 4.0


def test_a_gradient_is_retained_by_a_tensor_that_was_changed_through_a_view():
    a = leaf(np.array([1.0, 2.0])) * 3.0
    a.retain_grad()
    a[0:1].add_(1.0)
    ops.sum(a * a).backward()
    assert a.grad.tolist() == [8.0, 12.0]


def test_a_gradient_is_retained_by_a_view_whose_base_was_changed():
    a = leaf(np.array([1.0, 2.0])) * 3.0
    first = a[0:1]
    first.retain_grad()
    a[0:1].mul_(2.0)
    ops.sum(first * first).backward()
    assert first.grad.tolist() == [12.0]


@pytest.mark.parametrize("keepdims", [False, True])
def test_a_norm_of_zeros_moves_nowhere(keepdims):
    x = leaf(np.zeros(3))
    y = ops.norm(x * 1.0, axis=0, keepdims=keepdims)
    assert not np.any(jvp(y, x, np.ones(3)).data if keepdims else float(jvp(y, x, np.ones(3))))
    assert not np.any(jacobian(y, x).data)


def test_a_choice_of_numbers_sends_numbers():
    v = leaf(np.array([1.0, -2.0]))
    y = ops.where(v[0] > 0.0, v[0] * v[0], -v[0]) + ops.where(v[1] > 0.0, v[1] * v[1], -v[1])
    assert gradient(y, v).tolist() == [2.0, -1.0]
    for _ in range(2):
        (y * 1.0).backward(retain_graph=True)
    assert v.grad.tolist() == [4.0, -2.0]
    with no_grad():
        v.grad.zero_()
