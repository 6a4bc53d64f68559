"""Values that are not finite, and errors inside a backward pass (g8, g10)."""

from __future__ import annotations

import math
from typing import Any

import pytest

from dagrad.engine import EngineError, Function, Tensor, detect_anomaly, grad, ops, set_detect_anomaly, tensor


def var(value: Any) -> Tensor:
    return tensor(value, requires_grad=True)


# ---------------------------------------------------------------- g: anomalies


def test_g8_a_nan_in_backward_is_traced_to_the_node_that_made_it() -> None:
    x = var(0.0)
    with detect_anomaly():
        y = ops.sqrt(x) * 0.0
        with pytest.raises(EngineError, match=r"SqrtBackward0.*nan.*0th output") as caught:
            y.backward()
    assert caught.value.labels[0][0].position[0] == __file__


def test_g8_the_line_is_known_without_anomaly_detection_in_forward() -> None:
    x = var([0.0, 1.0])
    y = ops.sum(ops.sqrt(x) * 0.0)
    with detect_anomaly(), pytest.raises(EngineError, match="SqrtBackward0") as caught:
        y.backward()
    assert caught.value.labels[0][0].line > 0


def test_g8_an_infinite_gradient_is_an_anomaly_too() -> None:
    """PyTorch looks for nan only; a division by 0 is found out here as well."""
    a, b = var(1.0), var(0.0)
    with detect_anomaly(), pytest.raises(EngineError, match=r"DivBackward0.*inf"):
        (a / b).backward()


def test_g8_the_search_for_nan_can_be_turned_off() -> None:
    x = var(0.0)
    with detect_anomaly(check_nan=False):
        (ops.sqrt(x) * 0.0).backward()
    assert math.isnan(x.grad.item())


def test_g8_the_inner_of_two_contexts_counts() -> None:
    x = var(0.0)
    with detect_anomaly():
        with detect_anomaly(check_nan=False):
            (ops.sqrt(x) * 0.0).backward()
        with pytest.raises(EngineError):
            (ops.sqrt(x) * 0.0).backward()
    (ops.sqrt(x) * 0.0).backward()


def test_g8_a_nan_in_a_second_derivative_is_found() -> None:
    x = var(0.0)
    with detect_anomaly():
        (first,) = grad(x**1.5, x, create_graph=True)
        with pytest.raises(EngineError, match="nan"):
            (first * 0.0).backward()


# ---------------------------------------------------------------- g: errors inside backward


class Angry(Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 1.0

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        raise KeyError("angry")


def test_g10_an_exception_inside_backward_comes_through_unchanged() -> None:
    x = var(2.0)
    with pytest.raises(KeyError, match="angry"):
        (Angry.apply(x) * x).backward()
    x.grad = None
    (x * x).backward()
    assert x.grad.item() == 4.0


def test_g10_what_an_exception_interrupted_can_be_run_again() -> None:
    x, armed = var(2.0), [True]
    y = x * x

    def hook(gradient: Tensor) -> None:
        if armed[0]:
            raise KeyError

    y.register_hook(hook)
    z = y * 3.0
    with pytest.raises(KeyError):
        z.backward(retain_graph=True)
    armed[0] = False
    x.grad = None
    z.backward()
    assert x.grad.item() == 12.0


# ---------------------------------------------------------------- forward, and switches


def test_an_overflow_is_found_where_it_is_made() -> None:
    x = var(1000.0)
    with detect_anomaly(check_forward=True), pytest.raises(EngineError, match="exp gave inf") as caught:
        ops.exp(x)
    assert caught.value.labels[0][0].position[0] == __file__


def test_what_was_not_finite_before_is_not_blamed_on_the_next() -> None:
    x, far = var([1.0, 2.0]), tensor([math.inf, 1.0])
    with detect_anomaly(check_forward=True):
        y = x * far
    assert math.isinf(y.data[0])


def test_several_results_are_looked_at() -> None:
    A = var([[1.0, 0.0], [0.0, 1.0]])
    with detect_anomaly(check_forward=True):
        w, _ = ops.eigh(A)
    with detect_anomaly(), pytest.raises(EngineError, match=r"SqrtBackward0.* returned"):
        ops.sum(ops.sqrt(w - 1.0)).backward()


def test_the_switch_for_a_block() -> None:
    x = var(0.0)
    with set_detect_anomaly(True), pytest.raises(EngineError, match="returned nan"):
        (ops.sqrt(x) * 0.0).backward()
    with set_detect_anomaly(False):
        (ops.sqrt(x) * 0.0).backward()
    assert math.isnan(x.grad.item())


def test_a_read_of_something_infinite() -> None:
    x = var([0.0, 1.0])
    with detect_anomaly(), pytest.raises(EngineError, match="returned inf"):
        ops.sqrt(x)[0].backward()
