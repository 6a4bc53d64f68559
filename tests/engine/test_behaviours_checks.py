"""gradcheck and gradgradcheck (h), and what array libraries before taught (i).

Left out: gradients of views being views of the base's gradient, and read-only guards: nothing is locked here.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

from dagrad.engine import EngineError, Function, Tensor, derivative, grad, gradcheck, gradgradcheck, no_grad, ops, tensor


def var(value: Any) -> Tensor:
    return tensor(value, requires_grad=True)


class Wrong(Function):
    """2 x with the gradient of 3 x."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 2.0

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g * 3.0


# ---------------------------------------------------------------- h: gradient checks


def test_a_right_derivative_passes() -> None:
    assert gradcheck(lambda x, y: ops.sin(x) * y, (var([0.3, 0.7]), var([1.0, 2.0])))
    assert gradgradcheck(lambda x, y: ops.sin(x) * y, (var([0.3, 0.7]), var([1.0, 2.0])))
    assert gradcheck(ops.exp, var(0.5))


def test_h1_single_precision_gets_a_warning() -> None:
    x = tensor(np.ones(2, np.float32), requires_grad=True)
    with pytest.warns(UserWarning, match="#0"):
        gradcheck(lambda v: v * v, (x,), raise_exception=False)


def test_h1_an_input_must_require_grad() -> None:
    with pytest.raises(ValueError, match="require"):
        gradcheck(lambda v: v * v, (tensor([1.0]),))
    with pytest.raises(ValueError, match="require"):
        gradcheck(lambda v: v * v, (tensor([1.0]),), raise_exception=False)


def test_h2_a_wrong_derivative_is_shown_beside_the_right_one() -> None:
    with pytest.raises(RuntimeError, match=r"(?is)numerical.*2.*analytical.*3"):
        gradcheck(Wrong.apply, (var([1.0, 2.0]),))
    assert gradcheck(Wrong.apply, (var([1.0, 2.0]),), raise_exception=False) is False


def test_h2_a_wrong_second_derivative_is_found() -> None:
    class Square(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            (x,) = ctx.saved_tensors
            return 2.0 * x.detach() * g

    assert gradcheck(Square.apply, (var([1.0, 2.0]),))
    assert gradgradcheck(Square.apply, (var([1.0, 2.0]),), raise_exception=False) is False


def test_h3_a_backward_that_is_not_linear_has_a_message_of_its_own() -> None:
    def shifted(x: Any) -> Any:
        y = x * 2.0
        y.register_hook(lambda g: g + 0.01)
        return y

    with pytest.raises(RuntimeError, match="grad_output"):
        gradcheck(shifted, (var([1.0, 2.0]),), atol=1e-1)


def test_h3_a_backward_that_is_not_the_same_twice_is_found() -> None:
    calls = [0]

    class Drifting(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2.0

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            calls[0] += 1
            return g * (2.0 + 1e-9 * calls[0])

    with pytest.raises(RuntimeError, match="reentrant"):
        gradcheck(Drifting.apply, (var([1.0, 2.0]),))
    assert gradcheck(Drifting.apply, (var([1.0, 2.0]),), nondet_tol=1e-6)


@pytest.mark.parametrize(
    ("function", "passes"),
    [
        (ops.abs, True),
        (lambda x: ops.maximum(x, 0.0), True),
        (ops.relu, False),
        (lambda x: ops.clamp(x, min=0.0), False),
    ],
    ids=["abs", "maximum", "relu", "clamp"],
)
def test_h4_whether_a_kink_is_noticed_depends_on_the_convention(function: Any, passes: bool) -> None:
    """Central differences at a kink give the mean of both slopes, which is what abs and maximum answer."""
    assert gradcheck(function, (var([0.0]),), raise_exception=False) is passes


def test_h5_a_function_whose_result_changes_its_shape_is_refused() -> None:
    def growing(x: Any) -> Any:
        return ops.concat(x, x) if x.data[0] > 1.0 else x * 1.0

    with pytest.raises((AssertionError, RuntimeError)):
        gradcheck(growing, (var([1.0]),))


# ---------------------------------------------------------------- i: from array libraries


MAKERS = {"array", "ascontiguousarray", "copy", "empty", "empty_like", "full", "ones", "zeros"}


def arrays_made(work: Any) -> int:
    """How often an array is made: NumPy's makers are called from C or Python, so the interpreter is asked to tell of every call."""
    count = 0

    def listen(frame: Any, event: str, function: Any) -> None:
        nonlocal count
        count += event == "c_call" and function.__name__ in MAKERS

    sys.setprofile(listen)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def read_all(n: int) -> Tensor:
    x = var(np.ones(n))
    total: Any = 0.0
    for i in range(n):
        total = total + x[i] * x[i]
    total.backward()
    return x


def write_all(n: int) -> Tensor:
    x, v = var(2.0), tensor(np.zeros(n))
    for i in range(n):
        v = ops.setitem(v, i, x * 3.0)
    ops.sum(v).backward()
    return x


@pytest.mark.parametrize("work", [read_all, write_all])
def test_i1_reading_and_writing_elements_makes_no_array_an_element(work: Any) -> None:
    """An array for every read or write would make the time quadratic: ten times the elements must not need more of them."""
    work(10)  # what is prepared once
    assert arrays_made(lambda: work(1_000)) == arrays_made(lambda: work(100)) < 20


def test_i1_reading_elements_gives_the_right_gradient() -> None:
    np.testing.assert_array_equal(read_all(50).grad.data, np.full(50, 2.0))
    assert write_all(50).grad.item() == 150.0


def test_i2_the_derivative_of_a_constant_function_is_zero() -> None:
    slope = derivative(lambda x: 5.0)
    assert float(slope(2.0)) == 0.0


def test_i2_the_derivative_of_the_identity_is_one_and_then_zero() -> None:
    assert float(derivative(lambda x: x)(2.0)) == 1.0
    assert float(derivative(lambda x: x, 2)(2.0)) == 0.0


def test_i3_derivatives_nest() -> None:
    cube = derivative(derivative(derivative(lambda x: x**4.0)))
    assert float(cube(2.0)) == 48.0
    mixed = derivative(lambda x: x * derivative(lambda y: x * y * y)(3.0))
    assert float(mixed(2.0)) == 24.0


@pytest.mark.parametrize("kind", [np.float32, np.float16])
def test_i3_gradients_keep_the_precision_of_their_leaf(kind: Any) -> None:
    x = tensor(np.ones(3, kind), requires_grad=True)
    ops.sum(x * np.ones(3)).backward()
    assert x.grad.dtype == kind


def test_i4_zero_to_the_zero_has_flat_derivatives() -> None:
    x = var(0.0)
    (first,) = grad(x**0.0, x, create_graph=True)
    assert first.item() == 0.0
    assert not first.requires_grad or grad(first, x, materialize_grads=True)[0].item() == 0.0


def test_i4_three_equal_elements_share_in_thirds() -> None:
    x = var([2.0, 2.0, 2.0])
    ops.max(x).backward()
    np.testing.assert_allclose(x.grad.data, [1 / 3, 1 / 3, 1 / 3])


def test_i5_writing_into_a_tracked_tensor_never_drops_a_gradient_in_silence() -> None:
    """It is refused for a leaf and recorded for any other."""
    x = var([1.0, 2.0])
    with pytest.raises(EngineError, match="leaf"):
        x[0] = 5.0
    y = x * 1.0
    y[0] = x[1] * 5.0
    ops.sum(y).backward()
    np.testing.assert_array_equal(x.grad.data, [0.0, 6.0])


def test_i5_a_tracked_tensor_cannot_be_written_into_a_plain_array() -> None:
    """NumPy would take its numbers and drop the gradient without a word."""
    x, array = var([1.0, 2.0]), np.zeros(2)
    with pytest.raises((TypeError, ValueError, EngineError)):
        array[:] = x * 2.0


def test_i6_an_operation_that_fails_leaves_its_inputs_as_they_were() -> None:
    x, y = var([1.0, 2.0]), var([1.0, 2.0, 3.0])
    z = x * 2.0
    with pytest.raises(EngineError):
        z + y
    with pytest.raises(EngineError):
        z[5]
    with pytest.raises(EngineError):
        ops.setitem(z, 5, 0.0)
    ops.sum(z).backward()
    np.testing.assert_array_equal(x.grad.data, [2.0, 2.0])
    assert y.grad is None


def test_i6_an_exception_restores_every_nested_mode() -> None:
    x = var(2.0)
    with no_grad():
        with pytest.raises(EngineError), no_grad():
            x[0]
        assert not (x * 2.0).requires_grad
    assert (x * 2.0).requires_grad


def test_i6_the_memory_of_an_array_that_was_passed_in_stays_the_callers() -> None:
    array = np.array([1.0, 2.0])
    x = var(array)
    array[0] = 100.0
    np.testing.assert_array_equal(x.data, [1.0, 2.0])
    assert array.flags.writeable
