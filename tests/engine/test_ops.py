"""Every op of the registry: values, first and second derivatives against differences, on floats, arrays and broadcasts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dagrad import engine
from dagrad.engine import Tensor, no_grad, registry, tensor
from tests.engine.differences import numeric_gradient

from .sampling import ELEMENTWISE, SPECIAL, elementwise

ELEMENT_OPS = sorted(n for n, op in registry.items() if op.plain and op.scalar is not op.array)
OTHER_UNARY = ["leaky_relu", "elu", "hardtanh", "polygamma", "mish", "softsign", "logit", "clamp"]


def weighted(result: Any) -> Any:
    """A number out of any result, with different weights so that no error cancels."""
    if isinstance(result, tuple):
        total: Any = 0.0
        for part in result:
            total = total + weighted(part)
        return total
    shape = getattr(result, "shape", ())
    if not shape:
        return result
    weights = np.cos(np.arange(np.prod(shape))).reshape(shape) + 0.3
    return engine.ops.sum(result * weights) if isinstance(result, Tensor) else float((result * weights).sum())


def check(function: Any, values: list[Any], second: bool = True) -> None:
    """First derivatives of every argument, and derivatives of a combination of those."""
    leaves = [tensor(v, requires_grad=True) for v in values]
    y = weighted(function(*leaves))
    slopes = engine.grad(y, leaves, create_graph=True, materialize_grads=True)

    def numeric(*raw: Any) -> float:
        with no_grad():
            return float(weighted(function(*map(tensor, raw))))

    for slot, slope in enumerate(slopes):
        expected = numeric_gradient(numeric, values, slot)
        np.testing.assert_allclose(slope.detach().numpy(), expected, rtol=2e-5, atol=2e-6, err_msg=f"first derivative, argument {slot}")
    if not second:
        return

    def combined(*raw: Any) -> Any:
        inner = [tensor(v, requires_grad=True) for v in raw]
        found = engine.grad(weighted(function(*inner)), inner, create_graph=True, materialize_grads=True)
        total: Any = 0.0
        for part in found:
            total = total + weighted(engine.ops.sin(part))
        return total, inner

    total, inner = combined(*values)
    if not isinstance(total, Tensor) or not total.requires_grad:
        found: Any = tuple(tensor(np.zeros_like(v)) for v in values)
    else:
        found = engine.grad(total, inner, materialize_grads=True)
    for slot, slope in enumerate(found):
        expected = numeric_gradient(lambda *raw: float(combined(*raw)[0]), values, slot)
        np.testing.assert_allclose(slope.numpy(), expected, rtol=5e-5, atol=2e-5, err_msg=f"second derivative, argument {slot}")


def domains(name: str) -> list[str]:
    op = registry[name]
    declared = op.domain if isinstance(op.domain, tuple) else (op.domain,) * len(op.inputs)
    return [d or "any" for d in declared]


@pytest.mark.parametrize("name", ELEMENT_OPS)
@pytest.mark.parametrize("shape", [(), (3,), (2, 3)])
def test_derivatives_of_elementwise_ops(name: str, shape: tuple[int, ...]) -> None:
    check(registry[name].function, [elementwise(d, shape) for d in domains(name)])


@pytest.mark.parametrize("name", [n for n in ELEMENT_OPS if len(registry[n].inputs) == 2])
@pytest.mark.parametrize("shapes", [((3,), ()), ((), (2, 3)), ((2, 1), (3,)), ((2, 3), (3,))])
def test_derivatives_are_summed_back_over_broadcast_axes(name: str, shapes: Any) -> None:
    check(registry[name].function, [elementwise(d, s) for d, s in zip(domains(name), shapes, strict=True)])


@pytest.mark.parametrize("name", ELEMENT_OPS)
def test_floats_and_arrays_have_the_same_values(name: str) -> None:
    op = registry[name]
    arrays = [elementwise(d, (7,)) for d in domains(name)]
    by_array = op.function(*arrays)
    by_float = [op.function(*(float(a[i]) for a in arrays)) for i in range(7)]
    np.testing.assert_allclose(by_array, by_float, rtol=1e-14, atol=1e-15)


SPECIAL_OPS = sorted(n for n, op in registry.items() if op.domain in SPECIAL)


@pytest.mark.parametrize("name", SPECIAL_OPS)
def test_derivatives_of_functions_of_tensors(name: str) -> None:
    op = registry[name]
    for values, settings in SPECIAL[op.domain]:
        # The gradient for a symmetric matrix is symmetric, so the differences must stay among symmetric ones.
        symmetric = name in ("cholesky", "eigh")
        check(lambda *xs, s=settings, y=symmetric: op.function(*((x + x.T) / 2.0 if y else x for x in xs), **s), values)


AXIS_OPS = ["sum", "mean", "prod", "var", "std", "max", "min", "median", "norm", "logsumexp"]


@pytest.mark.parametrize("name", AXIS_OPS)
@pytest.mark.parametrize("settings", [{}, {"axis": 0}, {"axis": -1, "keepdims": True}, {"axis": (0, 1)}])
def test_derivatives_of_reductions(name: str, settings: dict[str, Any]) -> None:
    check(lambda x: registry[name].function(x, **settings), [elementwise("distinct", (3, 4))])


@pytest.mark.parametrize("name", ["sum", "mean", "prod", "max", "min", "norm", "logsumexp", "median"])
def test_reductions_of_a_number(name: str) -> None:
    check(registry[name].function, [1.3])


@pytest.mark.parametrize("name", ["cumsum", "cumprod", "cummax", "softmax", "log_softmax", "sort"])
def test_derivatives_along_an_axis(name: str) -> None:
    check(registry[name].function, [elementwise("distinct", (4,))])
    check(lambda x: registry[name].function(x, axis=0), [elementwise("distinct", (3, 2))])


@pytest.mark.parametrize("p", [1, 1.5, 2, 3, float("inf"), float("-inf")])
def test_norms(p: float) -> None:
    check(lambda x: engine.ops.norm(x, p), [elementwise("distinct", (4,))], second=p not in (1.5,))


ZEROS = [np.array([0.0, 2.0, 3.0]), np.array([0.0, 0.0, 3.0]), np.array([[1.0, 0.0], [2.0, 3.0]])]


@pytest.mark.parametrize("x", ZEROS)
def test_products_with_zeros(x: Any) -> None:
    check(engine.ops.prod, [x])
    check(lambda v: engine.ops.cumprod(v, axis=0), [x])


SHAPES: dict[str, Any] = {
    "reshape": lambda x: engine.ops.reshape(x, 3, -1),
    "flatten": lambda x: engine.ops.flatten(x),
    "transpose": lambda x: engine.ops.transpose(x, 0, 1),
    "T": lambda x: x.T,
    "permute": lambda x: engine.ops.permute(x, [1, 0]),
    "unsqueeze": lambda x: engine.ops.unsqueeze(x, 1),
    "squeeze": lambda x: engine.ops.squeeze(engine.ops.unsqueeze(x, 0)),
    "expand": lambda x: engine.ops.expand(x, 5, 2, 3),
    "concat": lambda x: engine.ops.concat(x, x * 2.0, axis=1),
    "stack": lambda x: engine.ops.stack([x, x * x], axis=1),
    "split": lambda x: engine.ops.split(x, 2, axis=1)[0] * 3.0,
    "flip": lambda x: engine.ops.flip(x, axis=1),
    "roll": lambda x: engine.ops.roll(x, 1, axis=0),
    "roll two axes": lambda x: engine.ops.roll(x, [1, -1], axis=(0, 1)),
    "tile": lambda x: engine.ops.tile(x, 2, 3),
    "pad": lambda x: engine.ops.pad(x, [1, 2]),
    "diag": lambda x: engine.ops.diag(x) + engine.ops.diag(engine.ops.diag(x, 1), 1)[0, 1],
    "tril": lambda x: engine.ops.tril(x, -1) + engine.ops.triu(x),
    "select": lambda x: x[1] * x[0, 2],
    "slice": lambda x: x[:, ::2],
    "index": lambda x: x[[0, 1, 1], [2, 0, 0]],
    "mask": lambda x: x[x > 0],
    "gather": lambda x: engine.ops.gather(x, index=[[0, 0], [2, 1]], axis=1),
    "where": lambda x: engine.ops.where(x > 0, x * x, 3.0 * x),
    "meshgrid": lambda x: engine.ops.meshgrid(x[0], x[1])[1],
    "full": lambda x: engine.ops.full([2, 2], x[0, 1]),
    "vector": lambda x: engine.ops.vector([[x[0, 0], 1.0], [x[1, 2], x[0, 1]]]),
    "lerp": lambda x: engine.ops.lerp(x, x * x, 0.25),
    "einsum": lambda x: engine.ops.einsum("ij,kj->ik", x, x),
    "einsum diagonal": lambda x: engine.ops.einsum("ii,j->i", x @ x.T, x[0]),
    "matmul": lambda x: x @ x.T,
    "batched matmul": lambda x: engine.ops.stack(x, x + 1.0) @ x.T,
    "matmul vectors": lambda x: (x[0] @ x.T) * (x @ x[1]),
    "dot": lambda x: engine.ops.dot(x[0], x[1]),
    "outer": lambda x: engine.ops.outer(x[0], x[1]),
    "trace": lambda x: engine.ops.trace(x @ x.T),
    "layer_norm": lambda x: engine.ops.layer_norm(x),
    "write element": lambda x: _written(x * 1.0, (0, 1), x[1, 2] * 2.0),
    "write row": lambda x: _written(x * 1.0, 0, x[1] * x[0]),
    "write slice": lambda x: _written(x * 1.0, (slice(None), slice(0, 2)), x[0, 0]),
    "write mask": lambda x: _written(x * 1.0, x > 0, x[0, 2]),
}


def _written(v: Any, key: Any, value: Any) -> Any:
    v = engine.ops.setitem(v, key, value)
    return v * v


@pytest.mark.parametrize("name", SHAPES)
def test_derivatives_of_shapes_and_indices(name: str) -> None:
    check(SHAPES[name], [elementwise("distinct", (2, 3))])


def test_every_builtin_op_is_covered() -> None:
    """An op with a derivative that no table above names would go unchecked."""
    named = {*ELEMENT_OPS, *SPECIAL_OPS, *AXIS_OPS, *SHAPES, "cumsum", "cumprod", "cummax", "softmax", "log_softmax", "sort", *OTHER_UNARY}
    undifferentiable = {n for n, op in registry.items() if op.inputs and not op.differentiable}
    making = {"zeros", "ones", "zeros_like", "ones_like", "eye", "arange", "linspace", "seed", "rand", "randn", "randint", "permutation"}
    rest = {n for n, op in registry.items() if op.builtin} - named - undifferentiable - making
    assert rest <= {"triu"}, rest


@pytest.mark.parametrize("name", ["leaky_relu", "elu", "hardtanh", "mish", "softsign", "logit"])
def test_derivatives_of_functions_with_settings(name: str) -> None:
    domain = registry[name].domain
    for shape in ((), (4,)):
        check(registry[name].function, [elementwise(domain, shape)])


def test_the_domains_are_all_known() -> None:
    for op in registry.values():
        for name in op.domain if isinstance(op.domain, tuple) else (op.domain,):
            assert name is None or name in ELEMENTWISE or name in SPECIAL or name in ("several", "einsum"), (op.name, name)
