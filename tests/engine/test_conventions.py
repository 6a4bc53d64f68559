"""Values and gradients at kinks, ties and singular points are PyTorch's, as record_conventions.py measured them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dagrad.engine import EngineError, Tensor, grad, no_grad, ops, tensor

ENTRIES = json.loads(Path(__file__).with_name("conventions.json").read_text(encoding="utf-8"))
BY_ID = {entry["id"]: entry for entry in ENTRIES}


# NumPy warns where an array makes an inf or a nan; here they are what is asked for.
pytestmark = pytest.mark.usefixtures("quiet")


@pytest.fixture
def quiet() -> Iterator[None]:
    with np.errstate(all="ignore"):
        yield


def number(value: Any) -> Any:
    """A recorded value: words such as "nan" and "-inf" are numbers."""
    return [number(v) for v in value] if isinstance(value, list) else float(value)


def array(value: Any) -> Any:
    return np.asarray(number(value), dtype=np.float64)


def point(entry: dict[str, Any], as_arrays: bool) -> dict[str, Tensor]:
    """The inputs as leaves; numbers as arrays of one element on request."""
    raw = {name: number(value) for name, value in entry["inputs"].items()}
    return {name: tensor([v] if as_arrays and isinstance(v, float) else v, requires_grad=True) for name, v in raw.items()}


def evaluate(entry: dict[str, Any], leaves: dict[str, Tensor]) -> Any:
    return eval(entry["expression"], {"F": ops, **leaves})


def assert_same(found: Any, expected: Any, what: str, signed: bool) -> None:
    """Equal within rounding; nan equals nan, an infinity only itself, and where `signed` a zero only one of its sign.

    An undefined gradient (None) and zeros are the same statement: nothing flows there.
    """
    if expected is None:
        assert found is None or not np.any(raw(found)), f"{what}: {found} where PyTorch has no gradient"
        return
    wanted = array(expected)
    got = np.zeros(wanted.shape) if found is None else raw(found).reshape(wanted.shape)
    np.testing.assert_allclose(got, wanted, rtol=1e-12, atol=1e-15, err_msg=what)
    if signed:
        np.testing.assert_array_equal(np.signbit(got), np.signbit(wanted), err_msg=f"sign of {what}")


def raw(value: Any) -> Any:
    return np.asarray(value.data if isinstance(value, Tensor) else value, dtype=np.float64)


def check(entry: dict[str, Any], as_arrays: bool) -> None:
    """The value, the gradients, and second derivatives where they were recorded."""
    answer = entry.get("own", entry)
    leaves = point(entry, as_arrays)
    if "error" in answer:
        with pytest.raises(EngineError):
            evaluate(entry, leaves)
        return
    y = evaluate(entry, leaves)
    total = ops.sum(y)
    signed = entry.get("signed", False)
    assert_same(y, answer["value"], "value", signed)
    for name, found in zip(leaves, grad(total, leaves.values(), retain_graph=True, allow_unused=True), strict=True):
        assert_same(found, answer["grads"][name], f"gradient of {name}", signed)
    if "second" in answer:
        firsts = [g for g in grad(total, leaves.values(), create_graph=True, allow_unused=True) if g is not None]
        again = sum((ops.sum(g) for g in firsts), start=tensor(0.0))
        seconds = grad(again, leaves.values(), allow_unused=True) if again.requires_grad else [None] * len(leaves)
        for name, found in zip(leaves, seconds, strict=True):
            assert_same(found, answer["second"][name], f"second derivative by {name}", signed)


@pytest.mark.parametrize("id", BY_ID)
def test_conventions_are_pytorchs(id: str) -> None:
    check(BY_ID[id], as_arrays=False)


OF_NUMBERS = [entry["id"] for entry in ENTRIES if all(not isinstance(v, list) for v in entry["inputs"].values())]


@pytest.mark.parametrize("id", OF_NUMBERS)
def test_arrays_follow_the_conventions_of_numbers(id: str) -> None:
    check(BY_ID[id], as_arrays=True)


@pytest.mark.parametrize("id", [entry["id"] for entry in ENTRIES if "error" not in entry.get("own", entry)])
def test_untracked_values_are_the_recorded_ones(id: str) -> None:
    """What nothing is recorded of takes another path through the engine, on raw floats and arrays too."""
    entry = BY_ID[id]
    answer = entry.get("own", entry)
    with no_grad():
        assert_same(evaluate(entry, point(entry, as_arrays=False)), answer["value"], "value of tensors", False)
    plain = {name: number(v) if isinstance(number(v), float) else array(v) for name, v in entry["inputs"].items()}
    if "F." in entry["expression"] and not any(sign in entry["expression"] for sign in "/[*"):
        assert_same(evaluate(entry, plain), answer["value"], "value of raw numbers", False)


def test_every_row_that_deviates_says_why() -> None:
    for entry in ENTRIES:
        assert ("own" in entry) == ("deviates" in entry), entry["id"]
        assert entry["torch"] == "2.13.0"
