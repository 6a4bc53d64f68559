"""The recorded graph: edges and names, which nodes run and in which order (d), and derivatives of derivatives (c).

Left out: `strict=True` of jacobian and hessian, which give zeros where there is no dependence by contract. Chains, skip links,
Newton steps, Rosenbrock and the series of derivatives stand in test_graph_truth.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dagrad.engine import AccumulateGrad, EngineError, Function, Listener, ShapeError, Tensor, grad, hessian, ops, tensor


def var(value: Any) -> Tensor:
    return tensor(value, requires_grad=True)


class Order(Listener):
    """The names of the nodes in the order in which they ran."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def ran(self, node: Any, gradient: Any, gradients: Any) -> None:
        self.names.append(node.name())

    def accumulated(self, node: Any, gradient: Any) -> None:
        self.names.append("AccumulateGrad")


# ---------------------------------------------------------------- c: higher order


def test_c7_the_hessian_of_several_elements_is_refused() -> None:
    x = var([1.0, 2.0])
    with pytest.raises(ShapeError, match=r"\(2,\)"):
        hessian(x * x, x)


def test_c8_a_backward_that_is_differentiable_once_refuses_a_second_time() -> None:
    from dagrad.engine import is_grad_enabled, once_differentiable

    modes = []

    class Square(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        @once_differentiable
        def backward(ctx: Any, g: Any) -> Any:
            modes.append(is_grad_enabled())
            (x,) = ctx.saved_tensors
            return 2.0 * x * g

    x = var(3.0)
    (first,) = grad(Square.apply(x) * x, x, create_graph=True)
    assert first.item() == 27.0
    assert modes == [False]
    with pytest.raises(EngineError, match="once_differentiable"):
        grad(first, x)


# ---------------------------------------------------------------- d: shape of the graph


def test_d1_next_functions_lead_to_the_leaves() -> None:
    a, b = var(1.0), var(2.0)
    (left, i), (right, j) = (a + b).grad_fn.next_functions
    assert (left.variable, right.variable) == (a, b) or (left.variable is a and right.variable is b)
    assert (i, j) == (0, 0)


def test_d1_a_constant_operand_has_a_null_edge() -> None:
    a = var(1.0)
    (_, (node, number)) = (a * 2.0).grad_fn.next_functions
    assert (node, number) == (None, 0)


def test_d1_a_value_used_twice_has_two_edges_to_one_node() -> None:
    x = var(1.0)
    (left, _), (right, _) = (x + x).grad_fn.next_functions
    assert left is right
    assert isinstance(left, AccumulateGrad)


def test_d1_an_output_of_several_is_named_by_its_number() -> None:
    w, U = ops.eigh(var([[2.0, 1.0], [1.0, 3.0]]))
    (total,) = ops.sum(U).grad_fn.next_functions
    assert total[0] is U.grad_fn is w.grad_fn
    assert (total[1], w.output_nr, U.output_nr) == (1, 0, 1)


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda x: x * x, "MulBackward0"),
        (lambda x: x + 1.0, "AddBackward0"),
        (lambda x: 1.0 - x, "SubBackward0"),
        (lambda x: 1.0 / x, "DivBackward0"),
        (lambda x: x**2.0, "PowBackward0"),
        (lambda x: 2.0**x, "PowBackward1"),
        (lambda x: ops.exp(x), "ExpBackward0"),
        (lambda x: ops.log1p(x), "Log1PBackward0"),
        (lambda x: ops.sum(x), "SumBackward0"),
        (lambda x: ops.sum(x, axis=0), "SumBackward1"),
        (lambda x: ops.mean(x), "MeanBackward0"),
        (lambda x: x[0], "SelectBackward0"),
        (lambda x: x[:2], "SliceBackward0"),
        (lambda x: x[[0, 1]], "IndexBackward0"),
        (lambda x: x @ x, "DotBackward0"),
        (lambda x: ops.stack(x, x), "StackBackward0"),
        (lambda x: ops.concat(x, x), "CatBackward0"),
        (lambda x: ops.relu(x), "ReluBackward0"),
        (lambda x: ops.softmax(x), "SoftmaxBackward0"),
        (lambda x: -x, "NegBackward0"),
    ],
)
def test_d2_nodes_carry_the_names_of_the_field(make: Any, name: str) -> None:
    assert make(var([0.5, 1.5, 2.5])).grad_fn.name() == name


def test_d2_sequence_numbers_grow_in_the_order_of_creation() -> None:
    x = var(1.0)
    numbers = [y.grad_fn._sequence_nr() for y in (ops.sin(x), ops.cos(x), x * x)]
    assert numbers == sorted(set(numbers))


def test_d2_nodes_know_the_shape_of_their_result() -> None:
    x = var(np.ones((2, 3)))
    assert (ops.exp(x).grad_fn.shape, ops.sum(x, axis=0).grad_fn.shape, ops.sum(x).grad_fn.shape) == ((2, 3), (3,), ())


def test_d2_the_accumulator_of_a_leaf_is_one_and_the_same() -> None:
    x = var(1.0)
    ((first, _), _) = (x * 2.0).grad_fn.next_functions
    ((second, _),) = ops.sin(x).grad_fn.next_functions
    assert first is second
    assert first.variable is x
    assert first.name() == "AccumulateGrad"


def test_d2_every_node_knows_its_line() -> None:
    x = var(1.0)
    a = ops.sin(x)
    b = x * x
    assert b.grad_fn.span.line == a.grad_fn.span.line + 1
    assert a.grad_fn.span.position[0] == __file__


class Trap(Function):
    """A function that must not be run backwards."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 1.0

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        raise AssertionError("a node off the path was run")


def test_d3_only_nodes_on_a_path_to_what_is_asked_for_run() -> None:
    x, y = var(2.0), var(3.0)
    out = x * x + Trap.apply(y)
    assert grad(out, x)[0].item() == 4.0


def test_d3_nothing_runs_for_an_input_that_cannot_be_reached() -> None:
    x, y = var(2.0), var(3.0)
    assert grad(Trap.apply(x), y, allow_unused=True) == (None,)


def test_d4_of_the_ready_nodes_the_latest_runs_first() -> None:
    a = var(0.5)
    b, c = ops.sin(a), ops.cos(a)
    e = ops.exp(b * c)
    with Order() as order:
        e.backward()
    assert order.names == ["ExpBackward0", "MulBackward0", "CosBackward0", "SinBackward0", "AccumulateGrad"]


def test_d4_a_leaf_is_served_as_soon_as_it_is_ready() -> None:
    a, b = var(0.5), var(1.5)
    y = ops.sin(a) * b
    with Order() as order:
        y.backward()
    assert order.names == ["MulBackward0", "AccumulateGrad", "SinBackward0", "AccumulateGrad"]


def test_d5_an_intermediate_that_the_program_drops_stays_in_the_graph() -> None:
    x = var(2.0)
    y = x * x
    z = y * 3.0
    del y
    z.backward()
    assert x.grad.item() == 12.0


def test_d5_a_leaf_that_the_program_drops_is_no_hindrance() -> None:
    x = var(2.0)
    y = x * var(5.0)
    y.backward()
    assert x.grad.item() == 5.0


def test_d5_a_dropped_output_of_several_contributes_nothing() -> None:
    A = var([[2.0, 0.0], [0.0, 3.0]])
    w, _ = ops.eigh(A)
    ops.sum(w).backward()
    np.testing.assert_allclose(A.grad.data, np.eye(2), atol=1e-15)


class Pair(Function):
    """Two results, and a note of the gradients that came back."""

    materialize = True
    seen: tuple[Any, ...] = ()

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.set_materialize_grads(Pair.materialize)
        return x * 2.0, x * 3.0

    @staticmethod
    def backward(ctx: Any, g: Any, h: Any) -> Any:
        Pair.seen = (g, h)
        return g * 2.0 if h is None else g * 2.0 + h * 3.0


@pytest.mark.parametrize("materialize", [True, False])
def test_d5_an_unused_output_of_a_function_is_zeros_or_none(materialize: bool) -> None:
    Pair.materialize = materialize
    x = var([1.0, 2.0])
    first, _ = Pair.apply(x)
    ops.sum(first).backward()
    np.testing.assert_array_equal(x.grad.data, [2.0, 2.0])
    if materialize:
        np.testing.assert_array_equal(Pair.seen[1].data, [0.0, 0.0])
    else:
        assert Pair.seen[1] is None


class Double(Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 1.0000001

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g * 1.0000001


def test_d6_a_deep_chain_of_custom_functions_runs_and_is_freed() -> None:
    x = var(1.0)
    y: Any = x
    for _ in range(50_000):
        y = Double.apply(y)
    y.backward()
    assert x.grad.item() == pytest.approx(1.0000001**50_000, rel=1e-9)
    del y


def test_a_graph_can_be_entered_at_any_value() -> None:
    """The derivative of a value by one on its way, which is no leaf."""
    x = var(2.0)
    y = x * x
    z = ops.exp(y)
    assert grad(z, y)[0].item() == z.item()


def test_backward_frees_the_saved_values_and_edges_of_what_it_ran() -> None:
    x = var(np.ones(4))
    y = ops.exp(x)
    node = y.grad_fn
    ops.sum(y).backward()
    assert node.released
    assert node.next_functions == ()
