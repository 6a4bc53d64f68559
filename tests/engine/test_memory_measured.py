"""The memory figures against what is really allocated: Python's own count of it, and the sizes of NumPy's buffers."""

import tracemalloc

import numpy as np
import pytest

from dagrad.engine import leaf, ops
from dagrad.engine.inspect import MemoryRecorder

SIZE = 100_000


def grown(action):
    """The bytes that an action leaves allocated."""
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        kept = action()
        return tracemalloc.get_traced_memory()[0] - before, kept
    finally:
        tracemalloc.stop()


def chain(x, operation, count):
    y = x
    for _ in range(count):
        y = operation(y)
    return y


@pytest.mark.parametrize("name", ["sin", "sqrt", "sigmoid", "square"])
def test_saved_arrays_are_what_is_allocated(name):
    """Ten arrays each: sqrt and sigmoid keep the ten results, sin and square the first value and nine of them."""
    x = leaf(np.full(SIZE, 0.5), "x")
    with MemoryRecorder() as recorder:
        real, y = grown(lambda: chain(x, getattr(ops, name), 10))
    assert recorder.report({"y": y})["at_exit"]["saved_bytes"] == pytest.approx(real, rel=0.05)


def test_what_nodes_take_is_what_is_allocated():
    x = leaf(1.0, "x")
    operation = ops.neg
    operation(x)
    real, y = grown(lambda: chain(x, operation, 20_000))
    with MemoryRecorder() as recorder:
        z = chain(x, operation, 20_000)
    graph = recorder.report({"z": z})["categories"]["graph"]["at_exit"]
    assert graph == pytest.approx(real, rel=0.05)
    assert y.item() == z.item()


def test_parameters_and_gradients_are_the_buffers_of_numpy():
    w, b = leaf(np.ones((300, 200)), "w"), leaf(np.ones(200), "b")
    with MemoryRecorder() as recorder:
        ops.sum(ops.tanh(w + b)).backward()
    found = recorder.report({})["categories"]
    assert found["parameter"]["at_exit"] == w.data.nbytes + b.data.nbytes
    assert found["gradient"]["at_exit"] == w.grad.data.nbytes + b.grad.data.nbytes
    assert found["saved"] == {"peak": w.data.nbytes, "at_exit": 0}


def test_gradients_under_way_are_what_a_pass_allocates():
    x = leaf(np.full(SIZE, 0.5), "x")
    loss = ops.sum(chain(x, ops.sin, 8))
    with MemoryRecorder() as recorder:
        tracemalloc.start()
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        loss.backward(retain_graph=True)
        peak = tracemalloc.get_traced_memory()[1] - before
        tracemalloc.stop()
    temporary = recorder.report({})["categories"]["temporary"]["peak"]
    # A rule's own intermediate (cos(x)) is gone before anyone could look.
    assert temporary <= peak <= temporary + x.data.nbytes * 1.05
    assert temporary == pytest.approx(2 * x.data.nbytes, rel=0.05)


def test_freed_memory_is_really_free():
    x = leaf(np.full(SIZE, 0.5), "x")
    with MemoryRecorder() as recorder:
        tracemalloc.start()
        loss = ops.sum(chain(x, ops.sigmoid, 6))
        before = tracemalloc.get_traced_memory()[0]
        loss.backward()
        freed = before - tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
    assert recorder.calls[0]["freed_bytes"] - x.grad.data.nbytes == pytest.approx(freed, rel=0.05)


def test_a_dropped_graph_of_large_arrays_does_not_pile_up():
    x = leaf(np.ones(1_000_000), "x")
    with MemoryRecorder() as recorder:
        tracemalloc.start()
        for _ in range(40):
            ops.exp(x)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 20 * x.data.nbytes
    assert recorder.report({})["at_exit"]["nodes"] == 0
