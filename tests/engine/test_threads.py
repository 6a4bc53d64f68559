"""Passes beside and inside one another: threads that share leaves or graphs, and hooks that run a pass of their own."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from dagrad.engine import FreedGraphError, Function, Tensor, enable_grad, grad, ops, tensor


def var(value: Any) -> Tensor:
    return tensor(value, requires_grad=True)


@pytest.fixture
def eager_switching() -> Iterator[None]:
    """Threads change so often that what is not safe shows."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def together(work: Callable[[int], Any], count: int = 4) -> list[Any]:
    """The results of `work` in several threads at once, an exception being a result too."""
    found: list[Any] = [None] * count
    ready = threading.Barrier(count)

    def run(number: int) -> None:
        ready.wait(30)
        try:
            found[number] = work(number)
        except Exception as error:  # what a thread raises is what is looked at
            found[number] = error

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return found


def tower(x: Any, steps: int) -> Any:
    for _ in range(steps):
        x = ops.sin(x) + x
    return x


# ---------------------------------------------------------------- passes inside passes


def test_a_hook_may_run_a_pass_that_ends_at_the_same_leaf() -> None:
    x = var(2.0)
    y = x * 3.0

    def hook(gradient: Tensor) -> None:
        with enable_grad():
            inner = x * x
        inner.backward()

    y.register_hook(hook)
    (y * 1.0).backward()
    assert x.grad.item() == 7.0


def test_a_hook_may_ask_for_the_derivative_by_the_same_leaf() -> None:
    x, seen = var(2.0), []
    y = x * 3.0

    def hook(gradient: Tensor) -> None:
        with enable_grad():
            inner = x * x
        seen.append(grad(inner, x)[0].item())

    y.register_hook(hook)
    (y * 1.0).backward()
    assert seen == [4.0]
    assert x.grad.item() == 3.0


def test_an_inner_pass_does_not_disturb_buffers_that_the_outer_one_has_begun_to_fill() -> None:
    """Half of x's gradient has arrived when the hook runs, and x is on the inner path too."""
    x = var([1.0, 2.0])
    early, late = x * 10.0, x * 3.0

    def hook(gradient: Tensor) -> None:
        with enable_grad():
            inner = ops.sum(x * x)
        inner.backward()

    early.register_hook(hook)
    ops.sum(early + late).backward()
    np.testing.assert_array_equal(x.grad.data, [15.0, 17.0])


class Inner(Function):
    """x -> w x^2, differentiated by a backward pass of its own."""

    @staticmethod
    def forward(ctx: Any, x: Any, w: Any) -> Any:
        ctx.x, ctx.w = x.detach().requires_grad_(), w
        with enable_grad():
            ctx.y = ctx.x * ctx.x * w
        return ctx.y.detach()

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        ctx.y.backward(g)
        return ctx.x.grad, None


def test_a_custom_function_may_run_a_pass_in_its_backward() -> None:
    x, w = var(3.0), var(5.0)
    (Inner.apply(x, w) * w).backward()
    assert (x.grad.item(), w.grad.item()) == (150.0, 90.0)


def test_passes_nest_deeply() -> None:
    x = var(1.0)
    depth = [0]

    def hook(gradient: Tensor) -> None:
        if depth[0] < 50:
            depth[0] += 1
            with enable_grad():
                y = x * 1.0
            y.register_hook(hook)
            y.backward()

    y = x * 1.0
    y.register_hook(hook)
    y.backward()
    assert x.grad.item() == 51.0


# ---------------------------------------------------------------- threads


@pytest.mark.usefixtures("eager_switching")
def test_threads_may_differentiate_by_one_leaf() -> None:
    x = var(np.linspace(0.0, 1.0, 50))
    (expected,) = grad(ops.sum(tower(x, 20)), x)
    for found in together(lambda number: [grad(ops.sum(tower(x, 20)), x)[0].data for _ in range(20)]):
        assert not isinstance(found, Exception), found
        for each in found:
            np.testing.assert_array_equal(each, expected.data)


@pytest.mark.usefixtures("eager_switching")
def test_threads_may_accumulate_into_one_leaf() -> None:
    x = var(1.0)

    def work(number: int) -> None:
        for _ in range(100):
            y: Any = x
            for _ in range(5):
                y = y * 1.0 + y
            y.backward()

    assert together(work) == [None] * 4
    assert x.grad.item() == 4 * 100 * 32


@pytest.mark.usefixtures("eager_switching")
def test_threads_with_graphs_of_their_own_do_not_meet() -> None:
    def work(number: int) -> float:
        x = var(0.1 * (number + 1))
        tower(x, 300).backward()
        return x.grad.item()

    alone = [work(number) for number in range(4)]
    assert together(work) == alone


def test_of_two_threads_that_run_one_graph_one_is_refused() -> None:
    for _ in range(20):
        x = var(2.0)
        y = tower(x, 50)
        z = var(2.0)
        tower(z, 50).backward()
        outcomes = together(lambda number, y=y: y.backward(), 2)
        assert sorted(type(outcome).__name__ for outcome in outcomes) == ["FreedGraphError", "NoneType"]
        assert any(isinstance(outcome, FreedGraphError) for outcome in outcomes)
        assert x.grad.item() == z.grad.item()
