"""What a graph keeps: the values that each op saves, when they are let go, and the figures that MemoryRecorder reports."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest

from dagrad.engine import Tensor, leaf, no_grad, ops, tensor
from dagrad.engine.derivative import saved_values
from dagrad.engine.inspect import MemoryRecorder, ValueRecorder, snapshot


def var(value: Any) -> Tensor:
    return tensor(value, requires_grad=True)


def saved(y: Any) -> list[str]:
    """What the node of y keeps: "result", or the names of inputs."""
    return ["result" if name == "y" else name for name, _ in saved_values(y.grad_fn)]


V = [0.25, 0.5, 0.75]
M = [[2.0, 0.5], [0.5, 3.0]]

NOTHING = {
    "add": lambda x: x + x,
    "sub": lambda x: x - x,
    "neg": lambda x: -x,
    "sum": lambda x: ops.sum(x),
    "sum of an axis": lambda x: ops.sum(x, axis=0, keepdims=True),
    "mean": lambda x: ops.mean(x),
    "reshape": lambda x: ops.reshape(x, 3, 1),
    "transpose": lambda x: ops.transpose(ops.reshape(x, 3, 1), 0, 1),
    "concat": lambda x: ops.concat(x, x),
    "stack": lambda x: ops.stack(x, x),
    "expand": lambda x: ops.expand(x, 2, 3),
    "cumsum": lambda x: ops.cumsum(x),
    "element": lambda x: x[0],
    "slice": lambda x: x[1:],
    "index vector": lambda x: x[[0, 0]],
    "floor": lambda x: ops.floor(x),
    "sign": lambda x: ops.sign(x),
    "sort": lambda x: ops.sort(x),
    "flip": lambda x: ops.flip(x),
    "sum with a constant": lambda x: x + 1.0,
}
RESULT = ["exp", "expm1", "sqrt", "rsqrt", "reciprocal", "tan", "tanh", "sigmoid", "relu", "softmax", "log_softmax"]
INPUT = ["log", "log1p", "sin", "cos", "asin", "atan", "sinh", "abs", "erf", "var"]
BOTH = ["prod", "cumprod", "norm", "max", "logsumexp", "std"]


@pytest.mark.parametrize("name", NOTHING)
def test_shapes_and_sums_save_no_values(name: str) -> None:
    assert saved(NOTHING[name](var(V))) == []


@pytest.mark.parametrize("name", RESULT)
@pytest.mark.parametrize("value", [V, 0.25])
def test_the_result_alone_is_saved_where_it_is_enough(name: str, value: Any) -> None:
    if isinstance(value, list) or "softmax" not in name:
        assert saved(getattr(ops, name)(var(value))) == ["result"]


@pytest.mark.parametrize("name", INPUT)
def test_the_input_is_saved_where_it_is_needed(name: str) -> None:
    assert saved(getattr(ops, name)(var(V))) == ["x"]


@pytest.mark.parametrize("name", BOTH)
def test_both_are_saved_where_both_are_needed(name: str) -> None:
    assert saved(getattr(ops, name)(var(V))) == ["x", "result"]


@pytest.mark.parametrize("value", [V, 0.25])
def test_a_product_saves_the_other_factor_of_what_is_tracked(value: Any) -> None:
    x, y = var(value), var(value)
    constant = tensor(value)
    assert saved(x * y) == ["a", "b"]
    assert saved(x * constant) == ["b"]
    assert saved(constant * x) == ["a"]
    assert saved(x * 2.0) == ["b"]


@pytest.mark.parametrize("value", [V, 0.25])
def test_a_quotient_saves_what_its_tracked_side_needs(value: Any) -> None:
    x, constant = var(value), tensor(value)
    assert saved(x / constant) == ["b"]
    assert saved(constant / x) == ["b", "result"]
    assert saved(x / x) == ["b", "result"]


def test_a_power_saves_its_exponent_only_as_a_number() -> None:
    x = var(V)
    assert saved(x**3.0) == ["a", "b"]
    assert dict(saved_values((x**3.0).grad_fn))["b"] == 3.0
    assert saved(x**x) == ["a", "b", "result"]


def test_a_matrix_product_saves_the_other_operand_of_what_is_tracked() -> None:
    A, B = var(M), tensor(M)
    assert saved(A @ B) == ["b"]
    assert saved(B @ A) == ["a"]
    assert saved(A @ A) == ["a", "b"]


def test_a_choice_saves_its_mask_and_no_values() -> None:
    x = var(V)
    ((name, value),) = saved_values(ops.where(x > 0.3, x, 2.0 * x).grad_fn)
    assert name == "c"
    assert value.dtype == bool


def test_what_is_saved_is_shared_and_not_copied() -> None:
    x = var(V)
    y = ops.exp(ops.sin(x))
    ((_, result),) = saved_values(y.grad_fn)
    assert result is y.data
    (sine,) = (node for node, _ in y.grad_fn.next_functions)
    ((_, argument),) = saved_values(sine)
    assert argument is x.data


def test_the_tensor_of_an_intermediate_dies_while_its_node_lives() -> None:
    x = var(V)
    y = ops.exp(x)
    reference = weakref.ref(y)
    z = y * 2.0
    del y
    assert reference() is None
    ops.sum(z).backward()
    np.testing.assert_allclose(x.grad.data, 2.0 * np.exp(V))


def test_backward_lets_go_of_each_array_as_it_goes() -> None:
    x = var(np.ones(1000))
    y = ops.exp(x)
    array = weakref.ref(y.data)
    z = ops.sum(y * 2.0)
    del y
    assert array() is not None
    z.backward()
    assert array() is None


def test_a_retained_graph_keeps_its_arrays() -> None:
    x = var(np.ones(10))
    y = ops.exp(x)
    array = weakref.ref(y.data)
    z = ops.sum(y)
    del y
    z.backward(retain_graph=True)
    assert array() is not None
    del z
    assert array() is None


def test_a_node_that_nobody_refers_to_is_gone_at_once() -> None:
    gc.disable()
    try:
        x = var(np.ones(10))
        array = weakref.ref(ops.exp(ops.exp(x)).data)
        assert array() is None
    finally:
        gc.enable()


# ---------------------------------------------------------------- the figures


def recorded(text: str, **names: Any) -> dict[str, Any]:
    """The report of a program whose lines count from 1."""
    names = {"ops": ops, "leaf": leaf, "np": np, "no_grad": no_grad, **names}
    recorder = MemoryRecorder()
    with recorder:
        exec(compile(text, "model.py", "exec"), names)
    report = recorder.report({name: value for name, value in names.items() if isinstance(value, Tensor)})
    for call in report["backward"]:
        assert call.pop("seconds") >= 0.0
    return report


STEP = """\
x = leaf([1.0, 2.0, 3.0, 4.0], "x")
y = ops.exp(x * x)
loss = ops.sum(y)
loss.backward()
"""


def test_the_figures_of_one_backward() -> None:
    """The square keeps x, which counts once though it is both factors; exp keeps its result; the sum nothing."""
    report = recorded(STEP)
    assert report["backward"] == [
        {
            "index": 1,
            "line": 4,
            "nodes": 4,
            "edges": 4,
            "saved_bytes": 64,
            "freed_nodes": 3,
            "freed_bytes": 64,
            "retained": False,
        }
    ]
    assert report["peak"] == {"nodes": 3, "saved_bytes": 64, "line": 4}
    assert report["at_exit"] == {"nodes": 0, "saved_bytes": 0, "held_by": []}


def test_a_line_counts_what_its_nodes_keep_once_as_dumps_do() -> None:
    by_line = recorded(STEP)["by_line"]
    assert by_line == [{"line": 2, "nodes": 2, "saved_bytes": 64}, {"line": 3, "nodes": 1, "saved_bytes": 0}]


def test_a_retained_graph_is_held_by_the_names_that_refer_to_it() -> None:
    report = recorded(STEP.replace("backward()", "backward(retain_graph=True)"))
    (call,) = report["backward"]
    assert (call["retained"], call["freed_nodes"], call["freed_bytes"]) == (True, 0, 0)
    assert (report["at_exit"]["nodes"], report["at_exit"]["saved_bytes"]) == (3, 64)
    assert report["at_exit"]["held_by"] == [
        {"name": "loss", "nodes": 3, "saved_bytes": 64, "line": 3},
        {"name": "y", "nodes": 2, "saved_bytes": 64, "line": 2},
    ]


def test_a_total_that_keeps_every_graph_is_found() -> None:
    """The classic leak: the tracked loss is added up instead of its number."""
    report = recorded(
        """\
x = leaf(0.5, "x")
total = 0.0
for i in range(100):
    loss = ops.sin(x) * x
    total = total + loss
"""
    )
    (first, *_) = report["at_exit"]["held_by"]
    assert (first["name"], first["nodes"]) == ("total", 300)
    assert report["peak"]["nodes"] == 300
    assert report["by_line"] == [{"line": 4, "nodes": 200, "saved_bytes": 2400}, {"line": 5, "nodes": 100, "saved_bytes": 0}]


def test_a_loop_of_steps_does_not_grow() -> None:
    report = recorded(
        """\
w = leaf([1.0, 2.0], "w")
for i in range(20):
    loss = ops.sum(w * w)
    loss.backward()
"""
    )
    assert len(report["backward"]) == 20
    assert {(call["nodes"], call["saved_bytes"], call["freed_bytes"]) for call in report["backward"]} == {(3, 16, 16)}
    assert report["peak"]["nodes"] == 2
    assert report["at_exit"]["nodes"] == 0


def test_graphs_that_were_dropped_are_not_counted_as_held() -> None:
    report = recorded(
        """\
x = leaf([1.0, 2.0], "x")
for i in range(50):
    y = ops.exp(x)
y = 0.0
"""
    )
    assert report["at_exit"]["nodes"] == 0
    assert report["by_line"] == [{"line": 3, "nodes": 50, "saved_bytes": 800}]


def test_what_is_not_recorded_is_not_counted() -> None:
    report = recorded(
        """\
x = leaf([1.0, 2.0], "x")
with no_grad():
    y = ops.exp(x)
"""
    )
    assert report["by_line"] == []


def test_a_view_counts_as_the_array_that_it_keeps_alive() -> None:
    """Saving ten elements of a million keeps the million."""
    report = recorded(
        """\
x = leaf(np.ones(1000), "x")
y = ops.sin((x * 1.0)[:10])
"""
    )
    held = {entry["name"]: entry["saved_bytes"] for entry in report["at_exit"]["held_by"]}
    assert held["y"] == 8000 + 8


def test_a_recorder_that_was_detached_hears_nothing() -> None:
    recorder = MemoryRecorder()
    with recorder:
        pass
    x = var(V)
    ops.sum(ops.exp(x)).backward()
    assert recorder.report({})["backward"] == []


def test_observers_do_not_keep_a_dropped_graph_for_ever() -> None:
    with MemoryRecorder() as recorder:
        pass
    recorder = MemoryRecorder()
    with recorder:
        x = var(1.0)
        for _ in range(200_000):
            x * 2.0
        assert len(recorder.collection.nodes) < 150_000


def test_recorded_values_are_those_of_the_nodes() -> None:
    x = leaf(2.0, "x")
    with ValueRecorder() as values:
        y = ops.exp(x * x)
    graph = snapshot(y, values)
    assert [node.value for node in graph.nodes] == [2.0, 4.0, float(np.exp(4.0))]
