"""Functions with a backward of the user's own: what they keep (g7), what they may return (a13), and what they are told."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np
import pytest

from dagrad.engine import (
    EngineError,
    FreedGraphError,
    Function,
    Tensor,
    VersionError,
    grad,
    is_grad_enabled,
    ops,
    saved_tensors_hooks,
    tensor,
)
from dagrad.engine.inspect import MemoryRecorder


def var(value: Any) -> Tensor:
    return tensor(value, requires_grad=True)


class Square(Function):
    contexts: tuple[Any, ...] = ()

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        Square.contexts = (ctx,)
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        (x,) = ctx.saved_tensors
        return 2.0 * x * g


def test_g7_a_saved_value_cannot_be_read_after_it_was_freed() -> None:
    x = var(3.0)
    y = Square.apply(x)
    (ctx,) = Square.contexts
    assert ctx.saved_tensors[0].item() == 3.0
    y.backward()
    with pytest.raises(FreedGraphError, match="a second time"):
        ctx.saved_tensors  # noqa: B018 - reading is what is tested


class Returns(Function):
    """x + y, with whatever `answer` makes of the gradient."""

    answer: Any = None

    @staticmethod
    def forward(ctx: Any, x: Any, y: Any) -> Any:
        return x + y

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return Returns.answer(g)


def run(answer: Any) -> tuple[Tensor, Tensor]:
    Returns.answer = staticmethod(answer)
    x, y = var([1.0, 2.0]), var([3.0, 4.0])
    ops.sum(Returns.apply(x, y)).backward()
    return x, y


def test_a13_too_few_gradients_are_refused_with_both_numbers() -> None:
    with pytest.raises(EngineError, match=r"Returns.*expected 2, got 1"):
        run(lambda g: g)


def test_a13_nones_too_many_are_accepted_and_gradients_too_many_are_not() -> None:
    x, y = run(lambda g: (g, g * 2.0, None, None))
    np.testing.assert_array_equal(x.grad.data, [1.0, 1.0])
    np.testing.assert_array_equal(y.grad.data, [2.0, 2.0])
    with pytest.raises(EngineError, match=r"Returns.*expected 2, got 3"):
        run(lambda g: (g, g, g))


def test_a13_a_gradient_of_the_wrong_shape_is_refused() -> None:
    with pytest.raises(EngineError, match=r"Returns.*index 1.*\[?\(?3.*\[?\(?2"):
        run(lambda g: (g, tensor([1.0, 2.0, 3.0])))


def test_a13_a_gradient_that_can_be_summed_to_the_shape_is() -> None:
    x, _ = run(lambda g: (tensor([[1.0, 1.0], [1.0, 1.0], [1.0, 1.0]]), g))
    np.testing.assert_array_equal(x.grad.data, [3.0, 3.0])


def test_a13_a_gradient_must_be_a_tensor() -> None:
    with pytest.raises((TypeError, EngineError)):
        run(lambda g: (g, "gradient"))


def test_a_custom_function_is_a_node_with_its_name() -> None:
    y = Square.apply(var(3.0))
    assert y.grad_fn.name() == "SquareBackward"


def test_a_custom_function_says_which_inputs_need_gradients() -> None:
    seen = []

    class Product(Function):
        @staticmethod
        def forward(ctx: Any, a: Any, b: Any) -> Any:
            ctx.save_for_backward(a, b)
            return a * b

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            seen.append(ctx.needs_input_grad)
            _, b = ctx.saved_tensors
            return g * b, None

    x = var(2.0)
    Product.apply(x, tensor(5.0)).backward()
    assert seen == [(True, False)]
    assert x.grad.item() == 5.0


def test_a_custom_function_may_be_differentiated_again() -> None:
    x = var(3.0)
    (first,) = grad(Square.apply(x), x, create_graph=True)
    (second,) = grad(first, x)
    assert (first.item(), second.item()) == (6.0, 2.0)


def test_the_forward_of_a_custom_function_is_not_recorded() -> None:
    modes = []

    class Asks(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            modes.append(is_grad_enabled())
            return ops.sin(x)

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g

    y = Asks.apply(var(1.0))
    assert modes == [False]
    assert y.grad_fn.name() == "AsksBackward"


def test_a_custom_function_of_untracked_values_records_nothing() -> None:
    assert not Square.apply(tensor(3.0)).requires_grad


def test_what_a_custom_function_saved_must_not_change() -> None:
    y = var([1.0, 2.0]) * 1.0
    z = Square.apply(y)
    y.mul_(2.0)
    with pytest.raises(VersionError, match="modified by an inplace operation"):
        ops.sum(z).backward()


def test_what_a_custom_function_saved_counts_as_memory_until_it_is_freed() -> None:
    x = var(np.ones(1000))
    with MemoryRecorder() as recorder:
        y = ops.sum(Square.apply(x))
        kept = recorder.report({"y": y})["at_exit"]["saved_bytes"]
        y.backward()
    assert kept == 8000


def test_what_a_custom_function_saved_goes_through_the_hooks() -> None:
    shapes, x = [], var([1.0, 2.0])
    with saved_tensors_hooks(lambda value: (shapes.append(value.shape), value)[1], lambda value: value):
        y = ops.sum(Square.apply(x))
    y.backward()
    assert shapes == [(2,)]
    np.testing.assert_array_equal(x.grad.data, [2.0, 4.0])


def test_a_custom_function_frees_what_it_saved_with_the_graph() -> None:
    array = np.ones(10)
    x = var(array)
    y = Square.apply(x * 1.0)
    (ctx,), Square.contexts = Square.contexts, ()
    held = weakref.ref(ctx.saved_tensors[0])
    assert held() is not None
    ops.sum(y).backward()
    del ctx
    assert held() is None


def test_a_custom_function_may_change_an_input_in_place() -> None:
    class Doubles(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            x.mul_(2.0)
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2.0

    x = var([1.0, 2.0])
    y = x * 3.0
    z = Doubles.apply(y)
    assert z is y
    np.testing.assert_array_equal(y.data, [6.0, 12.0])
    ops.sum(z).backward()
    np.testing.assert_array_equal(x.grad.data, [6.0, 6.0])
    with pytest.raises(EngineError, match="leaf"):
        Doubles.apply(x)


def test_a_custom_function_may_take_settings_and_set_its_context_up_apart() -> None:
    class Scale(Function):
        @staticmethod
        def forward(x: Any, factor: float) -> Any:
            return x * factor

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.factor = inputs[1]

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * ctx.factor, None

    x = var([1.0, 2.0])
    ops.sum(Scale.apply(x, 5.0)).backward()
    np.testing.assert_array_equal(x.grad.data, [5.0, 5.0])


def test_a_custom_function_that_returns_its_input_makes_a_new_tensor() -> None:
    class Same(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 10.0

    x = var(2.0)
    y = Same.apply(x)
    assert y is not x
    y.backward()
    assert x.is_leaf
    assert x.grad.item() == 10.0


def test_an_output_may_be_marked_as_not_differentiable() -> None:
    class Parts(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            sign = ops.sign(x)
            ctx.mark_non_differentiable(sign)
            return x * 2.0, sign

        @staticmethod
        def backward(ctx: Any, g: Any, _: Any) -> Any:
            return g * 2.0

    x = var([1.0, -2.0])
    double, sign = Parts.apply(x)
    assert double.requires_grad
    assert not sign.requires_grad
    ops.sum(double * sign).backward()
    np.testing.assert_array_equal(x.grad.data, [2.0, -2.0])
