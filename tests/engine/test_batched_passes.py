"""Matrices of derivatives come from one pass with a leading axis; they must be what a pass for each row gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dagrad.engine import Tensor, grad, hessian, jacobian, ops, tensor

M = np.array([[1.0, 0.3, -0.2], [0.1, 2.0, 0.4], [0.5, -0.3, 1.5]])
START = np.array([0.4, 1.3, -0.7])

# Each goes through another kind of rule: elementwise, moved, reduced, read, written, multiplied, or one that knows no leading axis.
FUNCTIONS: dict[str, Any] = {
    "elementwise": lambda x: ops.tanh(x) * x / (1.0 + x * x),
    "a number spread": lambda x: x * ops.sum(x * x) - ops.mean(x),
    "outer product": lambda x: ops.outer(x, ops.exp(x)),
    "reshape and transpose": lambda x: ops.transpose(ops.reshape(ops.concat(x, x * x), 2, 3)) * 2.0,
    "permute": lambda x: ops.permute(ops.reshape(ops.stack(x, x * x), 2, 1, 3), [2, 0, 1]) * x[0],
    "squeeze": lambda x: ops.squeeze(ops.unsqueeze(x * x, 0), 0),
    "flip and roll": lambda x: ops.flip(x * x) + ops.roll(x, 1) * x,
    "expand": lambda x: ops.expand(x * x, 2, 3) * ops.expand(ops.unsqueeze(x[0:2], 1), 2, 3),
    "sums along axes": lambda x: ops.sum(ops.outer(x, x) * M, axis=0) + ops.mean(ops.outer(x, x), axis=1),
    "cumsum": lambda x: ops.cumsum(x * x),
    "cumprod": lambda x: ops.cumprod(x),
    "prod": lambda x: ops.prod(x) * x,
    "softmax": lambda x: ops.softmax(x) * x,
    "logsumexp": lambda x: ops.logsumexp(ops.outer(x, x), axis=0),
    "var": lambda x: ops.var(x) * x,
    "norm": lambda x: ops.norm(x) * x,
    "max": lambda x: ops.max(x * x) * x,
    "element": lambda x: x[1] * x,
    "slice": lambda x: x[0:2] * x[1:3],
    "index vector": lambda x: x[[0, 2, 2, 1]] * x[[1, 1, 0, 2]],
    "row and index vector": lambda x: ops.outer(x, x * x)[1, [0, 2]] * x[0:2],
    "index vectors apart": lambda x: ops.reshape(ops.outer(x, ops.concat(x, x * x)), 3, 2, 3)[[0, 1], :, [1, 2]],
    "mask": lambda x: (x * x)[START > 0] * x[1],
    "gather": lambda x: ops.gather(x * x, index=[2.0, 0.0, 1.0], axis=0) * x,
    "sort": lambda x: ops.sort(x) * x,
    "where": lambda x: ops.where(x > 0, x * x, ops.exp(x)),
    "clamp": lambda x: ops.clamp(x, min=-0.5, max=1.0) * x,
    "write": lambda x: ops.setitem(x * x, 1, x[0] * x[2]) * x,
    "write a slice": lambda x: ops.setitem(x * x, slice(0, 2), x[1:3] * x[0]),
    "matrix and vector": lambda x: (M @ x) * (x @ M),
    "matrices": lambda x: ops.reshape(ops.concat(x, x * x), 2, 3) @ M @ ops.reshape(x, 3, 1),
    "product of two": lambda x: ops.outer(x, x) @ ops.outer(x, ops.sin(x)),
    "stacks of matrices": lambda x: ops.stack(ops.outer(x, x), M * x) @ (M * x[0]),
    "dot": lambda x: ops.dot(x, x * x) * x,
    "einsum": lambda x: ops.einsum("i,j,ij->j", x, x * x, M),
    "inverse": lambda x: ops.inv(M + ops.outer(x, x)),
    "solve": lambda x: ops.solve(M + ops.diag(x * x), x),
    "determinant": lambda x: ops.det(M + ops.diag(x)) * x,
    "cholesky": lambda x: ops.cholesky(M @ M.T + ops.outer(x, x)),
    "diag and triangle": lambda x: ops.tril(ops.diag(x) + ops.outer(x, x)),
    "pad and tile": lambda x: ops.tile(ops.pad(x * x, [1, 2]), 2),
    "literal": lambda x: ops.vector([[x[0] * x[1], 1.0], [x[2], x[0]]]) * x[0],
    "split": lambda x: ops.split(x * x, 2)[1] * x[0],
    "layer_norm": lambda x: ops.layer_norm(x) * x,
    "power": lambda x: (x * x) ** x,
}


def var(value: Any) -> Tensor:
    return tensor(value, requires_grad=True)


def by_rows(y: Any, x: Tensor) -> Any:
    """A pass for each element of y."""
    flat = ops.reshape(y, -1)
    rows = [grad(flat[i], x, retain_graph=True, materialize_grads=True)[0].detach().numpy() for i in range(y.size)]
    return np.array(rows).reshape(*y.shape, *x.shape)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_jacobian_is_what_its_rows_are(name: str) -> None:
    x = var(START)
    np.testing.assert_allclose(jacobian(FUNCTIONS[name](x), x).detach().numpy(), by_rows(FUNCTIONS[name](x), x), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_hessian_is_the_jacobian_of_the_gradient(name: str) -> None:
    x = var(START)
    y = ops.sum(ops.sin(FUNCTIONS[name](x)))
    (slope,) = grad(y, x, create_graph=True)
    np.testing.assert_allclose(hessian(y, x).detach().numpy(), by_rows(slope, x), rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize(
    "name", ["elementwise", "matrix and vector", "index vector", "row and index vector", "write", "sums along axes", "inverse"]
)
def test_a_hessian_can_be_differentiated(name: str) -> None:
    """Third derivatives, from a pass that records what it does with the leading axis."""
    x = var(START)

    def curvature(v: Any) -> Any:
        return ops.sum(hessian(ops.sum(ops.sin(FUNCTIONS[name](v))), v))

    (slope,) = grad(curvature(x), x)
    step = 1e-5
    for i in range(3):
        moved = [curvature(var(START + sign * step * np.eye(3)[i])).item() for sign in (1.0, -1.0)]
        np.testing.assert_allclose(slope.data[i], (moved[0] - moved[1]) / (2 * step), rtol=1e-5, atol=1e-6)


def test_seeds_with_a_leading_axis() -> None:
    x, seeds = var(START), np.array([[1.0, 0.0, 2.0], [0.5, -1.0, 0.0]])
    (found,) = grad(M @ ops.exp(x), x, seeds, is_grads_batched=True)
    np.testing.assert_allclose(found.numpy(), seeds @ M * np.exp(START))


def test_a_gradient_that_is_the_same_for_every_seed_is_repeated() -> None:
    x = var(2.0)
    np.testing.assert_array_equal(jacobian(ops.expand(x, 3) * 1.0, x).detach().numpy(), np.ones(3))
