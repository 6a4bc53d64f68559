"""What the ops refuse, and that the message says why: shapes, axes, indices, settings, matrices that have no inverse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from dagrad.engine import EngineError, Tensor, ops, tensor

V = np.array([1.0, 2.0, 3.0])
A = np.array([[1.0, 2.0], [3.0, 4.0]])
WIDE = np.ones((2, 3))
CUBE = np.ones((2, 2, 2))
SINGULAR = np.array([[1.0, 2.0], [2.0, 4.0]])

REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    # indices
    "a fraction": (lambda: tensor(V)[0.5], "whole number, not 0.5"),
    "a fraction in a matrix": (lambda: tensor(A)[0, 0.5], "whole number, not 0.5"),
    "nan": (lambda: tensor(V)[float("nan")], "whole number, not nan"),
    "beyond the end": (lambda: tensor(V)[3], "index 3 is out of range for size 3"),
    "beyond the end of an axis": (lambda: tensor(A)[0, -3], "out of range for size 2 along axis 1"),
    "of an empty tensor": (lambda: tensor([])[0], "out of range for size 0"),
    "too many": (lambda: tensor(V)[0, 0], "2 indices for a tensor of shape"),
    "a new axis": (lambda: tensor(V)[None], "None is no index"),
    "a string": (lambda: tensor(V)["a"], "a string is no index"),
    "a mask of another shape": (lambda: tensor(V)[np.array([True, False])], "a mask of shape"),
    "a vector with a fraction": (lambda: tensor(V)[[0.0, 1.5]], "whole number, not 1.5"),
    "a vector out of range": (lambda: tensor(V)[[0.0, 7.0]], "index 7 is out of range"),
    "of a number": (lambda: ops.getitem(2.0, 0), "a number has no elements"),
    "of a string": (lambda: ops.getitem("text", 0), "a string has no elements"),
    "beyond a tuple": (lambda: ops.getitem((1.0, 2.0), 2.0), "out of range for size 2"),
    "writing to a number": (lambda: ops.setitem(2.0, 0, 1.0), "a number has no elements"),
    "writing to a tracked number": (lambda: ops.setitem(tensor(2.0), 0, 1.0), "a number has no elements"),
    "writing to a string": (lambda: ops.setitem("text", 0, 1.0), "elements of a string cannot be assigned"),
    "writing what does not fit": (lambda: ops.setitem(tensor(A), 0, V), "does not fit into a place of shape"),
    "gather with an index of fewer axes": (lambda: ops.gather(A, index=[0], axis=0), "as many axes"),
    "gather with an index that is larger": (lambda: ops.gather(A, index=[[0, 0, 0]], axis=0), "larger than the tensor"),
    "gather out of range": (lambda: ops.gather(A, index=[[5]], axis=0), "out of range"),
    # shapes
    "reshape to another count": (lambda: ops.reshape(V, 2), "reshape of 3 elements"),
    "reshape with two free sizes": (lambda: ops.reshape(V, -1, -1), "reshape of 3 elements"),
    "permute with too few axes": (lambda: ops.permute(A, [0]), "needs 2 axes, not 1"),
    "an axis named twice": (lambda: ops.permute(A, [0, 0]), "named twice"),
    "an axis that is not there": (lambda: ops.sum(A, axis=2), "axis 2 of a tensor with 2 axes"),
    "an axis with a fraction": (lambda: ops.sum(A, axis=0.5), "axis must be a whole number"),
    "an axis that is no number": (lambda: ops.sum(A, axis="rows"), "not a string"),
    "transpose without saying which": (lambda: ops.transpose(CUBE), "must say which two"),
    "expand of an axis that is longer": (lambda: ops.expand(V, 2), "a size must be kept or be 1"),
    "concat of nothing": (lambda: ops.concat([]), "concat() of nothing"),
    "concat of numbers": (lambda: ops.concat(1.0, 2.0), "concat() of numbers"),
    "concat of rows that differ": (lambda: ops.concat(A, WIDE), "concat() along axis 0"),
    "stack of shapes that differ": (lambda: ops.stack(V, A), "stack() of different shapes"),
    "a list of shapes that differ": (lambda: ops.vector([tensor(V), 1.0]), "differ in shape"),
    "rows that differ in length": (lambda: ops.vector([[1.0], [1.0, 2.0]]), "differ in length"),
    "split into nothing": (lambda: ops.split(V, 0), "pieces of length 0"),
    "tile a negative number of times": (lambda: ops.tile(V, -1), "negative number of times"),
    "pad one side": (lambda: ops.pad(V, 1), "a pair of widths"),
    "diag of three axes": (lambda: ops.diag(CUBE), "takes a vector or a matrix"),
    "tril of a vector": (lambda: ops.tril(V), "tril() takes a matrix"),
    "len of a number": (lambda: ops.len(1.0), "len() of a number"),
    "shapes that do not broadcast": (lambda: tensor(V) + A, "do not broadcast"),
    "a comparison that does not broadcast": (lambda: tensor(V) < A, "do not broadcast"),
    "a comparison with a string": (lambda: tensor(V) < "a", "a string cannot be compared"),
    # reductions
    "max of nothing": (lambda: ops.max(np.zeros(0)), "max of no elements"),
    "max of two": (lambda: ops.max(V, V), "reduces one tensor"),
    "median of nothing": (lambda: ops.median(np.zeros(0)), "median of no elements"),
    "softmax without an axis": (lambda: ops.softmax(A), "must say along which"),
    "roll by several shifts of no axes": (lambda: ops.roll(V, [1, 2]), "as many axes"),
    "quantile beyond 1": (lambda: ops.quantile(V, 1.5), "between 0 and 1"),
    "quantile of nothing": (lambda: ops.quantile(np.zeros(0), 0.5), "quantile of no elements"),
    "topk of too many": (lambda: ops.topk(V, 4), "k = 4 of 3"),
    # matrices
    "a product with a number": (lambda: ops.matmul(A, 2.0), "a number has no rows"),
    "a product that does not fit": (lambda: ops.matmul(A, V), "2 columns meet 3 rows"),
    "dot of lengths that differ": (lambda: ops.dot(V, A[0]), "two vectors of one length"),
    "outer of matrices": (lambda: ops.outer(A, V), "takes two vectors"),
    "cross of pairs": (lambda: ops.cross(A, A), "must have length 3"),
    "det of no square": (lambda: ops.det(WIDE), "a square matrix"),
    "inv of a singular matrix": (lambda: ops.inv(np.zeros((2, 2))), "inv: the matrix is singular"),
    "solve with a singular matrix": (lambda: ops.solve(np.zeros((2, 2)), A), "solve: the matrix is singular"),
    "solve with too few rows": (lambda: ops.solve(A, V), "b needs 2 rows"),
    "a triangle that is singular": (lambda: ops.triangular_solve(np.zeros((2, 2)), A), "triangular_solve: the matrix is singular"),
    "a triangle with too few rows": (lambda: ops.triangular_solve(A, V), "b needs 2 rows"),
    "cholesky of what is not definite": (lambda: ops.cholesky(-np.eye(2)), "not positive definite"),
    "svd of a vector": (lambda: ops.svd(V), "svd() takes a matrix"),
    "qr of a vector": (lambda: ops.qr(V), "qr() takes a matrix"),
    "lstsq of rows that differ": (lambda: ops.lstsq(A, V), "the same number of rows"),
    "einsum without an arrow": (lambda: ops.einsum("ij", A), "no pattern"),
    "einsum with too few operands": (lambda: ops.einsum("i,i->", V), "2 operands"),
    "einsum with too many letters": (lambda: ops.einsum("ij->", V), "names 2 axes"),
    "einsum of lengths that differ": (lambda: ops.einsum("i,i->", V, A[0]), "has length 3 and 2"),
    "einsum to an unknown letter": (lambda: ops.einsum("i->k", V), "must name axes of the operands"),
    # networks
    "a reduction that is not there": (lambda: ops.mse(V, V, reduction="max"), "reduction must be"),
    "prediction and target of two shapes": (lambda: ops.mse(V, A), "prediction and target must agree"),
    "nll of a tensor with three axes": (lambda: ops.nll(CUBE, [0.0]), "one row of log-probabilities"),
    "nll with too few classes": (lambda: ops.nll(A, [0.0]), "2 rows, but 1 class numbers"),
    "nll with a class that is not there": (lambda: ops.nll(A, [0.0, 2.0]), "whole numbers from 0 to 1"),
    "conv1d of a vector": (lambda: ops.conv1d(V, V), "it takes (N, C, L)"),
    "conv1d with a stride of 0": (lambda: ops.conv1d(np.ones((1, 1, 4)), np.ones((1, 1, 2)), stride=0), "stride must be at least 1"),
    "conv1d with a kernel that is larger": (lambda: ops.conv1d(np.ones((1, 1, 2)), np.ones((1, 1, 4))), "larger than the input"),
    "conv2d with three strides": (lambda: ops.conv2d(np.ones((1, 1, 4, 4)), np.ones((1, 1, 2, 2)), stride=[1, 1, 1]), "2 numbers"),
    "a pool of a vector": (lambda: ops.max_pool(V, 2), "takes (N, C, L)"),
    "a pool that does not fit": (lambda: ops.avg_pool(np.ones((1, 1, 2)), 3), "does not fit"),
    # tensors from nothing
    "a negative size": (lambda: ops.zeros(-1), "a size is negative"),
    "a size with a fraction": (lambda: ops.zeros(1.5), "must be a whole number, not 1.5"),
    "steps of nothing": (lambda: ops.arange(0, 1, 0), "step must not be 0"),
    "a negative seed": (lambda: ops.seed(-1), "from 0 up"),
    "randint of nothing": (lambda: ops.randint(3, 3, 2), "nothing lies between"),
    # arguments
    "a string for a number": (lambda: ops.exp("a"), "not a string"),
    "nothing for a number": (lambda: ops.exp(None), "not nothing"),
    "an array of words": (lambda: ops.exp(np.array(["a"])), "holds no numbers"),
    "a tuple for a tensor": (lambda: ops.shape.shape_of((1.0,)), "not a tuple"),
    "too many arguments": (lambda: ops.clamp(1.0, 0.0, 1.0, 2.0), "at most 3 arguments"),
    "too few arguments": (lambda: ops.lerp(1.0, 2.0), "needs its argument 'w'"),
    "an argument twice": (lambda: ops.clamp(1.0, 0.0, min=0.0), "'min' twice"),
    "an argument that is not there": (lambda: ops.clamp(1.0, low=0.0), "no such parameter"),
    "ragged rows": (lambda: tensor([[1.0], [1.0, 2.0]]), "rows of equal length"),
    # values
    "item of several": (lambda: tensor(V).item(), "item() takes one element"),
    "the truth of several": (lambda: bool(tensor(V)), "must have one element"),
    "the length of a number": (lambda: len(tensor(1.0)), "no length"),
    "a gradient for what is no leaf": (lambda: setattr(tensor(V), "grad", None), "settable"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_wrong_call_says_what_is_wrong(name: str) -> None:
    call, words = REFUSED[name]
    with pytest.raises(EngineError) as caught:
        call()
    assert words in caught.value.message


def var(value: Any) -> Tensor:
    return tensor(value, requires_grad=True)


LATE: dict[str, tuple[Callable[[], Any], str]] = {
    "qr of a wide matrix": (lambda: ops.sum(ops.qr(var(WIDE))[0]).backward(), "at least as many rows as columns"),
    "a leaf's gradient of another shape": (lambda: setattr(var(V), "grad", tensor(A)), "a gradient of shape"),
    "a leaf's gradient of another type": (lambda: setattr(var(V), "grad", tensor(V.astype(np.float32))), "a gradient of float32"),
    "a tracked value as an array": (lambda: var(V).numpy(), "use detach().numpy()"),
    "what is no leaf to be untracked": (lambda: (var(V) * 2.0).requires_grad_(False), "only a leaf"),
    "a mask to be tracked": (lambda: (tensor(V) > 0.0).requires_grad_(), "floating point"),
}


@pytest.mark.parametrize("name", LATE)
def test_what_a_tracked_value_refuses(name: str) -> None:
    call, words = LATE[name]
    with pytest.raises(EngineError) as caught:
        call()
    assert words in f"{caught.value.message} {caught.value.help}"
