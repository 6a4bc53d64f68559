"""Grad modes: what is recorded where (e).

Left out: inference mode, whose tensors without version counters have no counterpart here.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from dagrad.engine import EngineError, Tensor, enable_grad, is_grad_enabled, no_grad, ops, set_grad_enabled, tensor


def var(value: Any) -> Tensor:
    return tensor(value, requires_grad=True)


def test_e1_nothing_is_recorded_under_no_grad() -> None:
    x = var([1.0, 2.0])
    with no_grad():
        y = x * x
        assert not is_grad_enabled()
    assert not y.requires_grad
    assert y.grad_fn is None
    assert is_grad_enabled()
    assert (x * x).requires_grad


def test_e1_enable_grad_records_again_inside_no_grad() -> None:
    x = var(2.0)
    with no_grad():
        with enable_grad():
            y = x * x
        z = x * x
    assert y.requires_grad
    assert not z.requires_grad


def test_e1_a_leaf_made_under_no_grad_is_a_leaf() -> None:
    with no_grad():
        x = var(2.0)
    assert x.requires_grad
    assert (x * x).requires_grad


def test_e1_an_exception_restores_the_mode() -> None:
    with pytest.raises(KeyError), no_grad(), enable_grad(), no_grad():
        raise KeyError
    assert is_grad_enabled()


def test_e1_modes_decorate_functions() -> None:
    @no_grad()
    def quiet(x: Any) -> Any:
        """Its doc."""
        return x * x

    assert not quiet(var(2.0)).requires_grad
    assert quiet.__doc__ == "Its doc."
    assert is_grad_enabled()


def test_e1_modes_decorate_without_parentheses() -> None:
    @no_grad
    def quiet(x: Any) -> Any:
        return x * x

    assert not quiet(var(2.0)).requires_grad


def test_e1_a_generator_has_its_mode_and_the_caller_its_own() -> None:
    @no_grad()
    def steps() -> Iterator[bool]:
        for _ in range(3):
            yield is_grad_enabled()

    for inside in steps():
        assert not inside
        assert is_grad_enabled()


def test_e1_what_is_sent_to_and_thrown_into_a_generator_arrives_under_its_mode() -> None:
    seen = []

    @no_grad()
    def steps() -> Any:
        try:
            seen.append(((yield 1), is_grad_enabled()))
            yield 2
        except KeyError:
            seen.append(("thrown", is_grad_enabled()))
            yield 3
        finally:
            seen.append(("closed", is_grad_enabled()))

    running = steps()
    assert next(running) == 1
    assert running.send("sent") == 2
    assert running.throw(KeyError()) == 3
    running.close()
    assert seen == [("sent", False), ("thrown", False), ("closed", False)]
    assert is_grad_enabled()


def test_e1_the_result_of_a_generator_comes_through() -> None:
    @no_grad()
    def steps() -> Any:
        yield 1
        return "result"

    def outer() -> Any:
        return (yield from steps())

    running = outer()
    next(running)
    with pytest.raises(StopIteration, match="result"):
        next(running)


def test_e1_a_coroutine_has_its_mode() -> None:
    @no_grad()
    async def quiet(x: Any) -> Any:
        await asyncio.sleep(0)
        return (x * x).requires_grad

    async def main() -> tuple[bool, bool]:
        return await quiet(var(2.0)), is_grad_enabled()

    assert asyncio.run(main()) == (False, True)


def test_e2_set_grad_enabled_sets_the_mode_when_it_is_called() -> None:
    try:
        set_grad_enabled(False)
        assert not is_grad_enabled()
    finally:
        set_grad_enabled(True)
    with set_grad_enabled(False):
        assert not is_grad_enabled()
    assert is_grad_enabled()


def test_e2_as_a_decorator_it_does_not() -> None:
    @set_grad_enabled(False)
    def quiet(x: Any) -> Any:
        return x * x

    assert is_grad_enabled()
    assert not quiet(var(2.0)).requires_grad
    assert is_grad_enabled()


def test_e3_a_new_thread_starts_with_recording_on() -> None:
    found = []
    with no_grad():
        thread = threading.Thread(target=lambda: found.append(is_grad_enabled()))
        thread.start()
        thread.join()
    assert found == [True]


def test_e3_a_mode_of_one_thread_is_none_of_another() -> None:
    entered, done = threading.Event(), threading.Event()

    def other() -> None:
        with no_grad():
            entered.set()
            done.wait(10)

    thread = threading.Thread(target=other)
    thread.start()
    entered.wait(10)
    try:
        assert (var(2.0) * 2.0).requires_grad
    finally:
        done.set()
        thread.join()


def test_e4_an_optimizer_steps_in_place_under_no_grad() -> None:
    x = var([1.0, 2.0])
    ops.sum(x * x).backward()
    with pytest.raises(EngineError, match="leaf"):
        x.add_(x.grad * -0.1)
    with no_grad():
        x.add_(x.grad * -0.1)
    np.testing.assert_allclose(x.data, [0.8, 1.6])
    assert x.is_leaf
    assert x.requires_grad
    assert x._version == 1


def test_e4_a_step_in_place_on_a_number() -> None:
    x = var(2.0)
    (x * x).backward()
    with no_grad():
        x.add_(x.grad * -0.25)
    assert x.item() == 1.0
    (x * x).backward()
    assert x.grad.item() == 6.0


def test_backward_works_under_no_grad() -> None:
    x = var(2.0)
    y = x * x
    with no_grad():
        y.backward()
    assert x.grad.item() == 4.0
    assert not x.grad.requires_grad
