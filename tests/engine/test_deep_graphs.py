"""Graphs of any depth are built, run and freed without recursion, and leave nothing for the cycle collector."""

from __future__ import annotations

import gc
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from dagrad.engine import (
    EngineError,
    Function,
    Node,
    Tensor,
    checkpoint,
    grad,
    ops,
    register_multi_grad_hook,
    saved_tensors_hooks,
    tensor,
)


def var(value: Any) -> Tensor:
    return tensor(value, requires_grad=True)


def nodes_alive() -> int:
    gc.collect()  # the traceback of an earlier failure may hold some
    return sum(isinstance(thing, Node) for thing in gc.get_objects())


def test_a_million_nodes_are_built_run_and_freed() -> None:
    before = nodes_alive()
    x = var(1.0)
    y: Any = x
    for _ in range(1_000_000):
        y = y + 1.0
    assert y.item() == 1_000_001.0
    y.backward()
    assert x.grad.item() == 1.0
    del x, y
    assert nodes_alive() == before


def test_a_chain_that_nobody_runs_is_freed_without_recursion() -> None:
    before = nodes_alive()
    y: Any = var(1.0)
    for _ in range(300_000):
        y = y * 1.0000001
    del y
    assert nodes_alive() == before


def test_a_hundred_and_fifty_thousand_nodes_with_skip_links() -> None:
    """Each value is made of the last and of one of ten before it; the derivative is compared with a recurrence on floats."""
    x = var(1.0)
    recent: list[Any] = [x] * 10
    tangents = [1.0] * 10
    for k in range(75_000):
        skip = (k * 7) % 10
        recent = [*recent[1:], recent[-1] * 0.5 + recent[skip]]
        tangents = [*tangents[1:], tangents[-1] * 0.5 + tangents[skip]]
        if k % 20 == 0:
            recent = [r * 2.0**-20 for r in recent]
            tangents = [t * 2.0**-20 for t in tangents]
    recent[-1].backward()
    assert x.grad.item() == pytest.approx(tangents[-1], rel=1e-12)


def test_the_gradient_of_a_long_chain_can_be_differentiated() -> None:
    x = var(1.0)
    y: Any = x
    for _ in range(20_000):
        y = ops.sin(y) + y * 1e-6
    (first,) = grad(y, x, create_graph=True)
    (second,) = grad(first, x)
    assert math.isfinite(first.item())
    assert math.isfinite(second.item())


@contextmanager
def no_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _exercise() -> None:
    x, v = var(0.5), var([1.0, 2.0, 3.0])
    y = ops.sum(ops.exp(v * x) / (1.0 + v[0])) + ops.sin(x) ** 2.0
    y.backward(retain_graph=True)
    (first,) = grad(y, x, create_graph=True)
    grad(first, v, retain_graph=True)
    y.backward()
    dropped = ops.tanh(v @ v) * x  # noqa: F841 - never run: reference counting alone must free it
    pieces = ops.split(v, 2)
    ops.sum(pieces[0]).backward()


class Cube(Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        y = x * x * x
        ctx.save_for_backward(x, y)
        return y

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        x, y = ctx.saved_tensors
        return g * 3.0 * y / x


def _change_in_place() -> None:
    v = var([1.0, 2.0, 3.0])
    y = v * 1.0
    view = y[:2]
    view.mul_(10.0)
    y[2] = view[0]
    ops.sum(y * y).backward()
    lost = (v * 1.0)[1:]
    lost.add_(1.0)


def _hook() -> None:
    x = var([1.0, 2.0])
    y = ops.exp(x)
    y.register_hook(lambda g: g * 2.0)
    y.retain_grad()
    y.grad_fn.register_prehook(lambda outputs: None)
    x.register_post_accumulate_grad_hook(lambda leaf: None)
    register_multi_grad_hook([x, y], lambda gradients: None)
    ops.sum(y).backward()


def _customise() -> None:
    x = var([1.0, 2.0])
    ops.sum(Cube.apply(x)).backward()
    (first,) = grad(ops.sum(Cube.apply(x)), x, create_graph=True)
    ops.sum(first).backward()
    Cube.apply(x)


def _save_elsewhere() -> None:
    x = var([1.0, 2.0])
    ops.sum(checkpoint(lambda v: ops.exp(ops.sin(v)), x)).backward()
    checkpoint(lambda v: ops.exp(v), x)
    with saved_tensors_hooks(lambda value: value, lambda value: value):
        ops.sum(ops.exp(x)).backward()
        ops.exp(x)


def _fail() -> None:
    x = var([1.0, 2.0])
    y = ops.sum(ops.exp(x))
    y.backward()
    with pytest.raises(EngineError):
        y.backward()


@pytest.mark.parametrize("work", [_exercise, _change_in_place, _hook, _customise, _save_elsewhere, _fail])
def test_no_graph_leaves_anything_for_the_cycle_collector(work: Callable[[], None]) -> None:
    work()  # what is compiled when first used may leave garbage once
    with no_collector():
        work()
        left = gc.collect()
        if work is _fail:  # an exception and the frames of its traceback refer to each other; no node is among them
            assert not nodes_alive()
        else:
            assert left == 0
