"""Hooks on tensors, nodes and leaves, and the order in which they run (g1 to g5)."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

from dagrad.engine import EngineError, Tensor, grad, ops, register_multi_grad_hook, tensor


def var(value: Any) -> Tensor:
    return tensor(value, requires_grad=True)


# ---------------------------------------------------------------- g: hooks on tensors


def test_g1_hooks_run_in_order_and_replace_the_gradient() -> None:
    a, seen = var(1.0), []
    b = 2.0 * a
    b.retain_grad()
    b.register_hook(lambda g: g * 10.0)
    b.register_hook(lambda g: seen.append(g.item()))
    b.backward()
    assert seen == [10.0]
    assert (b.grad.item(), a.grad.item()) == (10.0, 20.0)


def test_g2_a_hook_on_a_leaf_runs_in_every_pass() -> None:
    a = var(1.0)
    a.register_hook(lambda g: g * 3.0)
    for _ in range(2):
        (2.0 * a).backward()
    assert a.grad.item() == 12.0


def test_g3_a_hook_may_be_removed_and_removed_again() -> None:
    a = var(1.0)
    handle = a.register_hook(lambda g: g * 100.0)
    handle.remove()
    handle.remove()
    (2.0 * a).backward()
    assert a.grad.item() == 2.0


def test_g3_a_hook_may_remove_another_while_they_run() -> None:
    a, handles = var(1.0), []
    a.register_hook(lambda g: handles[0].remove())
    handles.append(a.register_hook(lambda g: g * 1.0))
    (2.0 * a).backward()
    (2.0 * a).backward()
    assert a.grad.item() == 4.0


def test_g3_a_hook_needs_no_name() -> None:
    a = var(1.0)
    a.register_hook(functools.partial(lambda factor, g: g * factor, 5.0))
    (2.0 * a).backward()
    assert a.grad.item() == 10.0


def test_g3_a_handle_is_a_context() -> None:
    a = var(1.0)
    with a.register_hook(lambda g: g * 7.0):
        (1.0 * a).backward()
    (1.0 * a).backward()
    assert a.grad.item() == 8.0


def test_a_hook_on_an_untracked_tensor_is_refused() -> None:
    with pytest.raises(EngineError, match="doesn't require grad"):
        tensor(1.0).register_hook(lambda g: g)


def test_a_hook_must_return_a_tensor_of_the_same_shape() -> None:
    a = var([1.0, 2.0])
    a.register_hook(lambda g: "gradient")
    with pytest.raises(TypeError):
        ops.sum(a).backward()
    b = var([1.0, 2.0])
    b.register_hook(lambda g: tensor([1.0, 2.0, 3.0]))
    with pytest.raises(EngineError, match="size"):
        ops.sum(b).backward()


def test_a_hook_runs_for_grad_too() -> None:
    a, seen = var(2.0), []
    b = a * a
    b.register_hook(lambda g: seen.append(g.item()))
    grad(b * 3.0, a)
    assert seen == [3.0]


def test_hooks_under_create_graph_are_differentiated() -> None:
    x = var(2.0)
    y = x * x
    y.register_hook(lambda g: g * x)
    (first,) = grad(y * 1.0, x, create_graph=True)
    (second,) = grad(first, x)
    assert (first.item(), second.item()) == (8.0, 8.0)


def test_hooks_registered_before_a_change_in_place_stay_with_the_old_value() -> None:
    x, seen = var([1.0]), []
    y = x * 2.0
    y.register_hook(lambda g: seen.append(("old", g.item())))
    y.mul_(3.0)
    y.register_hook(lambda g: seen.append(("new", g.item())))
    (y * 5.0).backward()
    assert seen == [("new", 5.0), ("old", 15.0)]


def test_retain_grad_follows_a_change_in_place() -> None:
    x = var([1.0, 2.0])
    y = x * 1.0
    y.retain_grad()
    y.mul_(2.0)
    ops.sum(y).backward()
    np.testing.assert_array_equal(y.grad.data, [1.0, 1.0])
    np.testing.assert_array_equal(x.grad.data, [2.0, 2.0])


def test_retain_grad_sees_what_all_hooks_of_the_tensor_made() -> None:
    a = var(1.0)
    b = a * 1.0
    b.register_hook(lambda g: g * 2.0)
    b.retain_grad()
    b.register_hook(lambda g: g * 2.0)
    b.backward()
    assert b.grad.item() == 4.0


def test_retain_grad_does_not_see_what_hooks_of_the_node_made() -> None:
    a = var(1.0)
    b = a * 1.0
    b.retain_grad()
    b.grad_fn.register_prehook(lambda gs: (gs[0] * 10.0,))
    b.backward()
    assert (b.grad.item(), a.grad.item()) == (1.0, 10.0)


# ---------------------------------------------------------------- g: hooks on nodes


def test_a_prehook_replaces_the_gradients_that_arrive() -> None:
    a = var(2.0)
    b = a * 3.0
    b.grad_fn.register_prehook(lambda outputs: (outputs[0] * 10.0,))
    b.backward()
    assert a.grad.item() == 30.0


def test_a_node_hook_sees_both_sides_and_replaces_the_inputs() -> None:
    a, b, seen = var(2.0), var(5.0), []
    y = a * b

    def hook(inputs: Any, outputs: Any) -> Any:
        seen.append(([g.item() for g in inputs], [g.item() for g in outputs]))
        return inputs[0] * 100.0, inputs[1]

    y.grad_fn.register_hook(hook)
    y.backward()
    assert seen == [([5.0, 2.0], [1.0])]
    assert (a.grad.item(), b.grad.item()) == (500.0, 2.0)


def test_tensor_hooks_run_before_prehooks_whatever_was_registered_first() -> None:
    a, seen = var(1.0), []
    b = a * 1.0
    b.grad_fn.register_prehook(lambda outputs: seen.append("node"))
    b.register_hook(lambda g: seen.append("tensor"))
    b.backward()
    assert seen == ["tensor", "node"]


def test_all_hooks_of_a_leaf_run_in_their_order() -> None:
    """((1 - 2) / 5 + 0.5) * 10: tensor hook, pre-hook of the accumulator, accumulation, post-accumulate hook, node hook."""
    a, seen = var([1.0]), []
    ((accumulator, _), _) = (a * 1.0).grad_fn.next_functions
    accumulator.register_hook(lambda inputs, outputs: seen.append("node"))
    a.register_post_accumulate_grad_hook(lambda leaf: seen.append(("accumulated", leaf.grad.item())))
    accumulator.register_prehook(lambda outputs: (seen.append("prehook"), (outputs[0] / 5.0,))[1])
    a.register_hook(lambda g: (seen.append("tensor"), g - 2.0)[1])
    (a * 1.0).backward()
    assert seen == ["tensor", "prehook", ("accumulated", -0.2), "node"]


def test_g4_a_post_accumulate_hook_is_for_leaves() -> None:
    with pytest.raises(EngineError, match="non-leaf"):
        (var(1.0) * 2.0).register_post_accumulate_grad_hook(lambda leaf: None)


def test_g4_a_post_accumulate_hook_returns_nothing() -> None:
    a = var(1.0)
    a.register_post_accumulate_grad_hook(lambda leaf: leaf)
    with pytest.raises(EngineError, match="hooks should return None"):
        (a * 2.0).backward()


def test_g4_a_post_accumulate_hook_may_take_the_gradient_away() -> None:
    """What an optimizer that steps inside backward does: the gradient is gone as soon as it was used."""
    a, used = var(1.0), []

    def step(leaf: Tensor) -> None:
        used.append(leaf.grad.item())
        leaf.grad = None

    a.register_post_accumulate_grad_hook(step)
    (a * 2.0).backward()
    (a * 3.0).backward()
    assert used == [2.0, 3.0]
    assert a.grad is None


def test_g5_a_hook_on_several_waits_for_those_that_the_pass_reaches() -> None:
    a, b, c, calls = var(1.0), var(2.0), var(3.0), []
    register_multi_grad_hook([a, b, c], lambda gs: calls.append([None if g is None else g.item() for g in gs]))
    (a * b).backward()
    (a * b * c).backward()
    assert calls == [[2.0, 1.0, None], [6.0, 3.0, 2.0]]


def test_g5_a_hook_on_any_runs_once_a_pass() -> None:
    a, b, calls = var(1.0), var(2.0), []
    handle = register_multi_grad_hook([a, b], lambda g: calls.append(g.item()), mode="any")
    (a * b).backward()
    assert len(calls) == 1
    handle.remove()
    (a * b).backward()
    assert len(calls) == 1


def test_a_derivative_by_a_value_runs_its_tensor_hooks_and_not_those_of_its_node() -> None:
    x, calls = var(2.0), []
    y = x * x
    z = y * 3.0
    y.register_hook(lambda g: calls.append("tensor"))
    y.grad_fn.register_prehook(lambda outputs: calls.append("before"))
    y.grad_fn.register_hook(lambda inputs, outputs: calls.append("after"))
    grad(z, y, retain_graph=True)
    assert calls == ["tensor"]
    grad(z, [x, y])
    assert calls == ["tensor", "tensor", "before", "after"]
