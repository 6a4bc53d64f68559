"""Tensors among NumPy's functions and arrays, and the list of kinks that a pass came by."""

from __future__ import annotations

import numpy as np
import pytest

from dagrad.engine import EngineError, KinkRecorder, Tensor, grad, ops, tensor


def test_universal_functions_of_numpy_are_recorded() -> None:
    x = tensor([0.3, 0.7], requires_grad=True)
    y = np.sin(x) * np.exp(-x) + np.arctan2(x, 2.0)
    assert isinstance(y, Tensor)
    y.sum().backward()
    expected = np.cos(x.data) * np.exp(-x.data) - np.sin(x.data) * np.exp(-x.data) + 2.0 / (4.0 + x.data**2)
    np.testing.assert_allclose(x.grad.data, expected)


def test_other_functions_of_numpy_are_recorded() -> None:
    x = tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    assert np.sum(x, axis=0).tolist() == [4.0, 6.0]
    assert np.mean(x).requires_grad
    assert np.concatenate([x, x]).shape == (4, 2)


def test_an_array_on_the_left_leaves_the_operation_to_the_tensor() -> None:
    x = tensor([1.0, 2.0], requires_grad=True)
    for y in (np.array([3.0, 4.0]) * x, np.float64(2.0) * x, np.array([[1.0, 2.0]]) @ x):
        assert isinstance(y, Tensor)
        assert y.requires_grad


def test_comparisons_with_arrays_give_masks() -> None:
    assert (np.array([1.0, 3.0]) > tensor([2.0, 2.0])).tolist() == [False, True]


def test_what_has_no_op_is_refused_not_computed_unrecorded() -> None:
    x = tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(TypeError):
        np.fft.fft(x)
    with pytest.raises(TypeError):
        np.spacing(x)


def test_values_leave_by_array_and_by_dlpack() -> None:
    x = tensor([1.0, 2.0])
    assert np.asarray(x).tolist() == [1.0, 2.0]
    assert np.shares_memory(np.from_dlpack(x), x.data)
    with pytest.raises(EngineError, match="detach"):
        np.from_dlpack(tensor([1.0], requires_grad=True))


def test_kinks_are_listed_with_their_line_and_convention() -> None:
    x = tensor([0.0, 1.0, -1.0], requires_grad=True)
    with KinkRecorder() as recorder:
        (ops.abs(x).sum() + ops.maximum(x, 1.0).sum() + ops.max(ops.exp(x))).backward()
    assert [(k.name, k.elements) for k in recorder.kinks] == [("maximum", 1), ("abs", 1)]
    assert "0 at 0" in recorder.kinks[1].convention
    assert recorder.kinks[1].place.position[0] == __file__


@pytest.mark.parametrize(
    "function",
    [
        lambda x: ops.relu(x - 1.0),
        lambda x: ops.clamp(x, min=1.0),
        lambda x: ops.norm(x * 0.0),
        lambda x: ops.max(x * 0.0),
        lambda x: ops.std(x * 0.0),
        lambda x: ops.leaky_relu(x - 1.0),
        lambda x: ops.atan2(x - 1.0, x - 1.0),
    ],
)
def test_each_kind_of_kink_is_seen(function) -> None:
    x = tensor([1.0, 2.0], requires_grad=True)
    with KinkRecorder() as recorder:
        function(x).sum().backward()
    assert len(recorder.kinks) == 1
    assert str(recorder.kinks[0]).startswith(__file__)


def test_no_kink_is_seen_where_there_is_none() -> None:
    x = tensor([1.5, 2.0], requires_grad=True)
    with KinkRecorder() as recorder:
        (ops.abs(x).sum() + ops.relu(x).sum() + ops.norm(x) + ops.max(x)).backward()
    assert recorder.kinks == []


def test_many_products_in_one_pass() -> None:
    x = tensor([1.0, 2.0, 3.0], requires_grad=True)
    w = tensor(2.0, requires_grad=True)
    y = ops.cumsum(x * x) * w
    by_x, by_w = grad(y, [x, w], np.eye(3), is_grads_batched=True)
    expected = np.tril(np.ones((3, 3))) * 2.0 * x.data * 2.0
    np.testing.assert_allclose(by_x.data, expected)
    np.testing.assert_allclose(by_w.data, np.cumsum(x.data**2))
