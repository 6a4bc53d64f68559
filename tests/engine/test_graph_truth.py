"""Backward against known numbers: shared nodes, higher orders, loops and recursion."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from dagrad.engine import Tensor, backward, grad, hessian, hvp, jacobian, jvp, ops, tensor, vjp


def var(value: Any) -> Tensor:
    return tensor(value, requires_grad=True)


def slopes(y: Any, x: Tensor, count: int) -> list[float]:
    """The first `count` derivatives of y by x."""
    found = []
    for _ in range(count):
        (y,) = grad(y, x, create_graph=True)
        found.append(y.item())
    return found


# ---------------------------------------------------------------- shared nodes


@pytest.mark.parametrize("shape", [(), (2,), (5, 5)])
def test_a_diamond_of_shared_buffers_gives_34_and_17(shape: tuple[int, ...]) -> None:
    """An engine that adds into the buffer that the first gradient came in would give the neighbours' sums too."""
    ones = np.ones(shape) if shape else 1.0
    x, y = var(ones), var(ones)
    a, b, c = x + 2.0, y + 2.0, x + 2.0
    out = a + b + c
    for _ in range(4):
        a, b, c = a + a, b + b, c + c
    out = out + a + b + c
    out.backward(ones)
    np.testing.assert_array_equal(x.grad.data, 34.0 * np.ones(shape))
    np.testing.assert_array_equal(y.grad.data, 17.0 * np.ones(shape))


def test_gradients_of_shared_nodes_can_be_differentiated_again() -> None:
    """z = x^2 + y x + y^2 by way of one shared square: s = 2 dz/dx + dz/dy has the constant derivatives 5 and 4."""
    x, y = var([[1.0, 2.0], [3.0, 4.0]]), var([[0.5, 1.5], [2.5, 3.5]])
    z = x * x + y * x + y * y
    z.backward(np.ones((2, 2)), create_graph=True)
    gx, gy = x.grad, y.grad
    np.testing.assert_array_equal(gx.data, 2 * x.data + y.data)
    np.testing.assert_array_equal(gy.data, x.data + 2 * y.data)
    second = 2.0 * gx + gy
    second.backward(np.ones((2, 2)))
    np.testing.assert_array_equal(x.grad.data, gx.data + 5.0)
    np.testing.assert_array_equal(y.grad.data, gy.data + 4.0)


def test_a_value_that_is_used_a_hundred_times_gets_the_sum() -> None:
    x = var(3.0)
    y = x * x
    total: Any = 0.0
    for k in range(100):
        total = total + float(k) * y
    total.backward()
    assert x.grad.item() == 4950.0 * 6.0


def test_dependent_roots_are_swept_together() -> None:
    """z = y^3 is made of the other root y = x^2; the gradient that enters at y meets the one that comes down from z."""
    x = var([1.0, 2.0, 0.5])
    y = x * x
    z = y * y * y
    gy, gz = np.array([1.0, -2.0, 0.25]), np.array([0.5, 3.0, -1.0])
    backward([y, z], [tensor(gy), tensor(gz)])
    np.testing.assert_allclose(x.grad.data, 2 * x.data * gy + 6 * x.data**5 * gz, rtol=1e-15)


def test_a_gradient_from_an_element_and_one_from_the_whole_meet() -> None:
    """The scatter of b[0] and the dense gradient of b go into one buffer."""
    a = var([1.0, 2.0, 3.0])
    b = a + 1.0
    c = b[0] + 1.5
    d = a + b
    e = d + c
    ops.sum(e).backward()
    np.testing.assert_array_equal(a.grad.data, [5.0, 2.0, 2.0])


# ---------------------------------------------------------------- higher orders


@pytest.mark.parametrize("fourth", [lambda x: x**4.0, lambda x: x * x * x * x, lambda x: ops.square(ops.square(x))])
def test_four_derivatives_of_the_fourth_power(fourth: Callable[[Any], Any]) -> None:
    x = var(2.0)
    assert slopes(fourth(x), x, 4) == [32.0, 48.0, 48.0, 24.0]


def test_three_derivatives_of_exp_of_sin() -> None:
    x = var(0.5)
    expected = [1.4174242246593913, 0.46956439926573423, -2.3644414408552015]
    np.testing.assert_allclose(slopes(ops.exp(ops.sin(x)), x, 3), expected, rtol=1e-14)


def test_the_tenth_derivative_of_sine() -> None:
    x = var(0.7)
    assert slopes(ops.sin(x), x, 10)[-1] == pytest.approx(-math.sin(0.7), rel=1e-14)


def test_a_taylor_series_out_of_derivatives() -> None:
    """1 / (1 - x) has the derivatives n! at 0."""
    x = var(0.0)
    assert slopes(1.0 / (1.0 - x), x, 6) == [1.0, 2.0, 6.0, 24.0, 120.0, 720.0]


def rosenbrock(v: Tensor) -> Any:
    return (1.0 - v[0]) ** 2.0 + 100.0 * (v[1] - v[0] ** 2.0) ** 2.0


def test_gradient_and_hessian_of_rosenbrock() -> None:
    v = var([-1.0, 2.0])
    (g,) = grad(rosenbrock(v), v)
    np.testing.assert_array_equal(g.data, [396.0, 200.0])
    np.testing.assert_array_equal(hessian(rosenbrock(v), v).data, [[402.0, 400.0], [400.0, 200.0]])


def test_gradient_and_hessian_of_a_cubic() -> None:
    v = var([2.0, 3.0])

    def f() -> Any:
        return v[0] * v[0] * v[1] + v[1] ** 3.0

    np.testing.assert_array_equal(grad(f(), v)[0].data, [12.0, 31.0])
    np.testing.assert_array_equal(hessian(f(), v).data, [[6.0, 4.0], [4.0, 18.0]])


def test_products_with_a_hessian_and_a_jacobian() -> None:
    x = var([1.0, 2.0, 3.0])
    np.testing.assert_array_equal(hvp(ops.sum(x**3.0), x, [1.0, 0.0, 2.0]).data, [6.0, 0.0, 36.0])
    np.testing.assert_array_equal(jvp(x**2.0, x, [1.0, 1.0, 1.0]).data, [2.0, 4.0, 6.0])
    np.testing.assert_array_equal(vjp(x**2.0, x, [1.0, 0.0, 2.0]).data, [2.0, 0.0, 12.0])
    np.testing.assert_array_equal(jacobian(x**2.0, x).data, np.diag([2.0, 4.0, 6.0]))


def test_a_power_of_two_tracked_numbers() -> None:
    x, y = var(2.0), var(3.0)
    by_x, by_y = grad(x**y, [x, y])
    assert by_x.item() == 12.0
    assert by_y.item() == pytest.approx(5.545177444479562, rel=1e-15)


# ---------------------------------------------------------------- programs: loops and recursion


def test_newton_steps_carry_the_derivative_of_the_root() -> None:
    """Six steps towards sqrt(2): the derivative of the last iterate is that of the root, 1 / (2 sqrt 2)."""
    a = var(2.0)
    x: Any = 1.0
    for _ in range(6):
        x = 0.5 * (x + a / x)
    x.backward()
    assert x.item() == pytest.approx(math.sqrt(2.0), rel=1e-15)
    assert a.grad.item() == pytest.approx(0.35355339059327373, rel=1e-15)


def test_ten_squarings() -> None:
    x = var(1.001)
    y: Any = x
    for _ in range(10):
        y = y * y
    y.backward()
    assert x.grad.item() == pytest.approx(1024 * 1.001**1023, rel=1e-12)


def test_a_recursion_with_two_branches() -> None:
    x = var(1.5)

    def f(n: int) -> Any:
        return x if n < 2 else f(n - 1) + f(n - 2) * x

    y = f(8)
    y.backward()
    assert (y.item(), x.grad.item()) == (126.09375, 283.5625)
