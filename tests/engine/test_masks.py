"""Masks stay masks wherever elements are only moved: what is picked with them is what was meant."""

import numpy as np
import pytest

from dagrad.engine import Bool, Mask, ops, setitem, tensor, vector

X = tensor([1.0, 2.0, 3.0])
M = X > 1.0

MOVED = {
    "flip": (lambda: ops.flip(M), [True, True, False]),
    "roll": (lambda: ops.roll(M, 1), [True, False, True]),
    "tile": (lambda: ops.tile(M, 2), [False, True, True] * 2),
    "expand": (lambda: ops.expand(M, 2, 3), [[False, True, True]] * 2),
    "reshape": (lambda: ops.reshape(M, 3, 1), [[False], [True], [True]]),
    "unsqueeze": (lambda: ops.unsqueeze(M, 0), [[False, True, True]]),
    "flatten": (lambda: ops.flatten(M), [False, True, True]),
    "permute": (lambda: ops.permute(ops.stack(M, M), 1, 0), [[False] * 2, [True] * 2, [True] * 2]),
    "concat": (lambda: ops.concat(M, M), [False, True, True] * 2),
    "stack": (lambda: ops.stack(M, M, axis=1), [[False] * 2, [True] * 2, [True] * 2]),
    "gather": (lambda: ops.gather(M, [2, 0, 1]), [True, False, True]),
    "sort": (lambda: ops.sort(ops.flip(M)), [False, True, True]),
    "diag": (lambda: ops.diag(ops.diag(M)), [False, True, True]),
    "pad": (lambda: ops.pad(M, [1, 1]), [False, False, True, True, False]),
    "tril": (lambda: ops.tril(ops.stack(M, M)), [[False] * 3, [False, True, False]]),
    "meshgrid": (lambda: ops.meshgrid(M, M)[1], [[False, True, True]] * 3),
    "a list of masks": (lambda: vector([M, M]), [[False, True, True]] * 2),
    "a list of truth values": (lambda: vector([Bool(1.0), False, True]), [True, False, True]),
    "stacked truth values": (lambda: ops.stack(Bool(1.0), Bool(0.0)), [True, False]),
}


@pytest.mark.parametrize("how", MOVED)
def test_what_moves_elements_keeps_truth_values(how):
    found, wanted = MOVED[how][0](), MOVED[how][1]
    assert isinstance(found, Mask)
    assert found.data.dtype == bool
    assert found.data.tolist() == wanted


def test_a_mask_among_numbers_is_numbers():
    for found in (ops.concat(M, X), ops.stack(M, X), vector([Bool(1.0), 2.0]), M + 0.0):
        assert found.data.dtype == np.float64


def test_a_truth_value_written_into_a_mask_keeps_it_one():
    mask = X > 1.0
    other = mask
    other = setitem(other, 0, Bool(1.0))
    assert other.data.tolist() == [True, True, True]
    assert X[other].data.tolist() == [1.0, 2.0, 3.0]
    assert mask.data.tolist() == [False, True, True]


def test_a_number_written_into_a_mask_makes_numbers():
    assert setitem(X > 1.0, 0, 3.0).data.tolist() == [3.0, 1.0, 1.0]
