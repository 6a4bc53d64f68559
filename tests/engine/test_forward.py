"""Forward mode gives what the backward passes give, for every op and through loops, writes and several results."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dagrad import engine
from dagrad.engine import FreedGraphError, Tensor, jacobian, jvp, ops, plain_scalars, registry, tensor
from dagrad.engine.forward import push_forward
from dagrad.engine.transforms import batched_vjp

from .sampling import SPECIAL, elementwise
from .test_ops import AXIS_OPS, ELEMENT_OPS, SHAPES, SPECIAL_OPS, domains


def flat(result: Any) -> Any:
    """All results in one vector."""
    if isinstance(result, tuple):
        return ops.concat([flat(part) for part in result if isinstance(part, Tensor) and part.requires_grad])
    return ops.reshape(result, (-1,))


def check(function: Any, values: list[Any]) -> None:
    leaves = [tensor(v, requires_grad=True) for v in values]
    y = flat(function(*leaves))
    for x in leaves:
        tangents = np.eye(x.size).reshape(-1, *x.shape)
        forward = push_forward(y, x, tangents)
        backward = batched_vjp(y, x, np.eye(y.size), False)
        expected = np.zeros((y.size, x.size)) if backward is None else backward.data.reshape(y.size, x.size)
        found = np.zeros((x.size, y.size)) if forward is None else forward.reshape(x.size, y.size)
        np.testing.assert_allclose(found.T, expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("name", ELEMENT_OPS)
@pytest.mark.parametrize("shape", [(), (2, 3)])
def test_elementwise_ops(name: str, shape: tuple[int, ...]) -> None:
    check(registry[name].function, [elementwise(d, shape) for d in domains(name)])


@pytest.mark.parametrize("name", [n for n in ELEMENT_OPS if len(registry[n].inputs) == 2])
def test_broadcasts(name: str) -> None:
    for shapes in (((3,), ()), ((2, 1), (3,))):
        check(registry[name].function, [elementwise(d, s) for d, s in zip(domains(name), shapes, strict=True)])


@pytest.mark.parametrize("name", SHAPES)
def test_shapes_indices_and_writes(name: str) -> None:
    check(SHAPES[name], [elementwise("distinct", (2, 3))])


@pytest.mark.parametrize("name", AXIS_OPS)
@pytest.mark.parametrize("settings", [{}, {"axis": 0}, {"axis": -1, "keepdims": True}])
def test_reductions(name: str, settings: dict[str, Any]) -> None:
    check(lambda x: registry[name].function(x, **settings), [elementwise("distinct", (3, 4))])


@pytest.mark.parametrize("name", SPECIAL_OPS)
def test_functions_of_tensors(name: str) -> None:
    values, settings = SPECIAL[registry[name].domain][0]
    check(lambda *xs: registry[name].function(*xs, **settings), values)


def test_a_loop_that_fills_a_vector() -> None:
    def orbit(x: Any) -> Any:
        v = ops.zeros(6)
        v = ops.setitem(v, 0, x[0])
        for i in range(5):
            v = ops.setitem(v, i + 1, v[i] * x[1] + ops.sin(v[i]))
        return v

    with plain_scalars():
        check(orbit, [np.array([0.4, 1.2])])


def test_a_jacobian_of_few_inputs_is_taken_forwards() -> None:
    """By reverse mode 20,000 rows would need 20,000 seeds of 20,000 elements: 3.2 GB."""
    x = tensor([1.0, 2.0], requires_grad=True)
    t = np.linspace(0.0, 1.0, 20_000)
    y = x[0] * (1.0 - ops.exp(-x[1] * t))
    np.testing.assert_allclose(jacobian(y, x).detach().numpy(), np.stack([1.0 - np.exp(-2.0 * t), t * np.exp(-2.0 * t)], 1))


def test_a_product_is_differentiable_again() -> None:
    x = tensor([1.0, 2.0], requires_grad=True)
    moved = jvp(x * x * x, x, [1.0, 0.5])
    np.testing.assert_allclose(moved.detach().numpy(), [3.0, 6.0])
    (slope,) = engine.grad(moved.sum(), x)
    np.testing.assert_allclose(slope.numpy(), [6.0, 6.0])


def test_what_does_not_depend_on_the_input_does_not_move() -> None:
    x, w = tensor([1.0, 2.0], requires_grad=True), tensor([3.0, 4.0], requires_grad=True)
    assert jvp(w * w, x, [1.0, 1.0]).tolist() == [0.0, 0.0]


def test_a_dismantled_graph_is_refused() -> None:
    x = tensor([1.0, 2.0], requires_grad=True)
    y = x * x
    y.sum().backward()
    with pytest.raises(FreedGraphError):
        jvp(y, x, [1.0, 1.0])
