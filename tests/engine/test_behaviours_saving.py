"""Saved values packed away, and checkpoints that compute them again (g6, g9).

Left out: hooks on one saved value of one node, a door that PyTorch opens to its own tests.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from dagrad.engine import EngineError, Tensor, checkpoint, grad, is_grad_enabled, ops, saved_tensors_hooks, tensor
from dagrad.engine.inspect import MemoryRecorder


def var(value: Any) -> Tensor:
    return tensor(value, requires_grad=True)


# ---------------------------------------------------------------- g: saved values


def test_g6_saved_values_can_be_packed_away() -> None:
    packed, x = [], var([1.0, 2.0])

    def pack(value: Any) -> int:
        packed.append(value.detach().numpy().copy())
        return len(packed) - 1

    with saved_tensors_hooks(pack, lambda key: tensor(packed[key])):
        y = ops.sum(ops.exp(x * x))
    y.backward()
    np.testing.assert_allclose(x.grad.data, 2 * x.data * np.exp(x.data**2), rtol=1e-15)


def test_g6_packing_counts_every_saved_value() -> None:
    """x twice for the product, once the result of exp."""
    count, x = [0], var([1.0, 2.0])

    def pack(value: Any) -> Any:
        count[0] += 1
        return value

    with saved_tensors_hooks(pack, lambda value: value):
        ops.sum(ops.exp(x * x)).backward()
    assert count == [3]


def test_g6_the_innermost_hooks_count() -> None:
    seen, x = [], var([1.0, 2.0])

    def hooks(name: str) -> Any:
        return saved_tensors_hooks(lambda value: (seen.append(name), value)[1], lambda value: value)

    with hooks("outer"):
        with hooks("inner"):
            ops.exp(x)
        ops.exp(x)
    ops.exp(x)
    assert seen == ["inner", "outer"]


def test_g6_a_pack_hook_must_not_change_what_it_packs() -> None:
    x = var([1.0, 2.0])
    with pytest.raises(EngineError, match=r"in[- ]?place"), saved_tensors_hooks(lambda value: value.add_(1.0), lambda value: value):
        ops.sum(ops.exp(x * 1.0)).backward()


def test_g6_an_unpack_hook_must_return_a_tensor() -> None:
    x = var([1.0, 2.0])
    with saved_tensors_hooks(lambda value: value, lambda value: "value"):
        y = ops.sum(ops.exp(x))
    with pytest.raises(TypeError):
        y.backward()


# ---------------------------------------------------------------- g: checkpoints


def test_g9_a_checkpoint_computes_twice_and_keeps_nothing() -> None:
    x, runs = var(2.0), []

    def f(v: Any) -> Any:
        runs.append(is_grad_enabled())
        return ops.exp(ops.sin(v))

    y = checkpoint(f, x)
    assert len(runs) == 1
    y.backward()
    assert len(runs) == 2
    assert x.grad.item() == pytest.approx(math.cos(2.0) * math.exp(math.sin(2.0)), rel=1e-15)
    assert x.grad.item() == pytest.approx(-1.0331, abs=1e-4)


@pytest.mark.parametrize("f", [lambda v: v * v, lambda v: ops.sin(v * v) * v, lambda v: v / (1.0 + v * v), lambda v: v**v])
def test_g9_one_recomputation_serves_the_whole_pass(f: Any) -> None:
    x, runs = var(2.0), [0]

    def counted(v: Any) -> Any:
        runs[0] += 1
        return f(v)

    checkpoint(counted, x).backward()
    assert runs == [2]
    z = var(2.0)
    f(z).backward()
    assert x.grad.item() == z.grad.item()


def test_g9_a_checkpoint_runs_twice_under_a_retained_graph() -> None:
    x, runs = var(2.0), [0]

    def counted(v: Any) -> Any:
        runs[0] += 1
        return ops.exp(ops.sin(v))

    y = checkpoint(counted, x)
    y.backward(retain_graph=True)
    first = x.grad.item()
    y.backward()
    assert x.grad.item() == 2.0 * first


def test_g9_checkpoints_nest() -> None:
    x = var(0.5)
    checkpoint(lambda v: checkpoint(lambda w: ops.exp(w) * w, v) * ops.sin(v), x).backward()
    z = var(0.5)
    (ops.exp(z) * z * ops.sin(z)).backward()
    assert x.grad.item() == pytest.approx(z.grad.item(), rel=1e-15)


def test_g9_a_checkpoint_keeps_no_arrays() -> None:
    x = var(np.ones(1000))
    with MemoryRecorder() as recorder:
        y = ops.sum(checkpoint(lambda v: ops.exp(ops.sin(v)), x))
    assert recorder.report({"y": y})["at_exit"]["saved_bytes"] < 1000


def test_g9_checkpoints_follow_one_another() -> None:
    """A long chain of checkpoints must not nest their recomputations."""
    x = var(1.0)
    y: Any = x
    for _ in range(2_000):
        y = checkpoint(lambda v: v * 1.0001 + 0.0, y)
    y.backward()
    assert x.grad.item() == pytest.approx(1.0001**2_000, rel=1e-9)


def test_g9_a_checkpoint_reaches_what_the_function_refers_to() -> None:
    x, w = var(2.0), var(3.0)
    checkpoint(lambda v: ops.sin(v) * w, x).backward()
    assert (x.grad.item(), w.grad.item()) == pytest.approx((3.0 * math.cos(2.0), math.sin(2.0)))


def test_g9_a_checkpoint_can_be_differentiated_twice() -> None:
    x = var(2.0)
    (first,) = grad(checkpoint(lambda v: ops.sin(v) * v, x), x, create_graph=True)
    (second,) = grad(first, x)
    assert first.item() == pytest.approx(math.sin(2.0) + 2.0 * math.cos(2.0))
    assert second.item() == pytest.approx(2.0 * math.cos(2.0) - 2.0 * math.sin(2.0))


def test_g9_a_recomputation_that_saves_something_else_is_refused() -> None:
    x, runs = var([1.0, 2.0]), []

    def f(v: Any) -> Any:
        runs.append(1)
        return ops.exp(ops.sin(v)) if len(runs) == 1 else ops.exp(v)

    with pytest.raises(EngineError):
        ops.sum(checkpoint(f, x)).backward()


def test_g9_a_recomputation_of_another_shape_is_refused() -> None:
    x, runs = var([1.0, 2.0, 3.0]), []

    def f(v: Any) -> Any:
        runs.append(1)
        return ops.sum(ops.exp(v if len(runs) == 1 else v[:2]))

    with pytest.raises(EngineError):
        checkpoint(f, x).backward()
