"""Seldom roads: representations, hooks that err, declarations that are wrong, writes from Python, NumPy's own functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dagrad import engine
from dagrad.engine import Edge, EngineError, LimitError, Tensor, grad, ops, tensor
from dagrad.engine import op as declarations


def var(value: Any) -> Tensor:
    return tensor(value, requires_grad=True)


# ---------------------------------------------------------------- nodes and edges


def test_nodes_and_edges_show_what_they_are() -> None:
    x = var(2.0)
    y = x * 3.0
    assert repr(y.grad_fn).startswith(f"<MulBackward0 #{y.grad_fn.sequence_nr} at ")
    (edge, nothing) = y.grad_fn.next_edges
    assert (edge.node.variable, edge.input_nr) == (x, 0)
    assert edge == (edge.node, 0)
    assert len({edge, Edge(edge.node, 0)}) == 1
    assert repr(edge).startswith("Edge(<AccumulateGrad")
    assert nothing is None or nothing.node is None


def test_a_node_without_a_place_in_a_file_has_no_position() -> None:
    code = compile("y = x * 2.0", "<made>", "exec")
    bare = code.replace(co_linetable=b"")
    names: dict[str, Any] = {"x": var(1.0)}
    exec(bare, names)
    assert names["y"].grad_fn.span.position is None


# ---------------------------------------------------------------- hooks


def test_a_post_accumulate_hook_returns_nothing() -> None:
    x = var(2.0)
    x.register_post_accumulate_grad_hook(lambda leaf: leaf)
    with pytest.raises(EngineError, match="should return None"):
        (x * x).backward()


def test_a_node_hook_that_returns_too_few_is_refused() -> None:
    x = var(2.0)
    y = x * var(3.0)
    y.grad_fn.register_hook(lambda inputs, outputs: (inputs[0],))
    with pytest.raises(EngineError, match="incorrect number of values"):
        y.backward()


def test_a_node_hook_that_returns_nothing_changes_nothing() -> None:
    x = var(2.0)
    y = x * x
    y.grad_fn.register_prehook(lambda outputs: None)
    y.grad_fn.register_hook(lambda inputs, outputs: None)
    y.backward()
    assert x.grad.item() == 4.0


def test_hooks_that_cannot_be() -> None:
    with pytest.raises(EngineError, match="retain_grad"):
        tensor(1.0).retain_grad()
    with pytest.raises(ValueError, match="Expects mode"):
        engine.register_multi_grad_hook([var(1.0)], print, mode="some")
    with pytest.raises(EngineError, match="require"):
        tensor(1.0).register_hook(print)


def test_a_leaf_may_be_told_to_retain_what_it_keeps_anyway() -> None:
    x = var(2.0)
    x.retain_grad()
    (x * x).backward()
    assert x.grad.item() == 4.0


def test_the_retained_gradient_of_a_read() -> None:
    x = var([1.0, 2.0])
    y = x * 2.0
    y.retain_grad()
    (y[0] * 3.0).backward()
    np.testing.assert_array_equal(y.grad.data, [3.0, 0.0])


def test_hooks_on_one_of_several_results() -> None:
    A = var(np.array([[2.0, 1.0], [1.0, 3.0]]))
    w, U = ops.eigh(A)
    seen = []
    w.register_hook(lambda g: seen.append(g.shape))
    w.retain_grad()
    (ops.sum(w) + ops.sum(U) * 0.0).backward()
    assert seen == [(2,)]
    np.testing.assert_array_equal(w.grad.data, [1.0, 1.0])


# ---------------------------------------------------------------- declarations


def test_a_rule_that_names_no_input_is_found_when_it_is_first_used() -> None:
    made = declarations.Op(lambda x: x, {"x": lambda g, nonsense: g}, {"name": "_odd"})
    with pytest.raises(TypeError, match="nonsense"):
        made.derivative(1)


@pytest.mark.parametrize(
    ("rules", "settings", "words"),
    [({"b": lambda g: g}, {}, "must come first"), ({"a": lambda g: g}, {"colour": "red"}, "colour")],
)
def test_a_declaration_that_is_wrong_is_refused_at_once(rules: Any, settings: Any, words: str) -> None:
    with pytest.raises(TypeError, match=words):
        declarations.Op(lambda a, b: a, rules, settings)


def test_an_unknown_op_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="no op is called 'nonsense'"):
        _ = ops.nonsense


def test_a_limit_on_elements_names_who_would_pass_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dagrad.engine.limits.max_elements", 100)
    for call in (
        lambda: ops.zeros(11, 10),
        lambda: ops.outer(np.ones(11), np.ones(10)),
        lambda: ops.arange(1e300),
        lambda: ops.tile([1.0], 101),
    ):
        with pytest.raises(LimitError, match="the limit is 100"):
            call()


# ---------------------------------------------------------------- writes in place


def test_python_writes_through_to_views() -> None:
    x = var([1.0, 2.0, 3.0])
    y = x * 1.0
    part = y[0:2]
    y[0] = x[2] * 5.0
    assert part.data[0] == 15.0
    ops.sum(part).backward()
    np.testing.assert_array_equal(x.grad.data, [0.0, 1.0, 5.0])


def test_python_writes_that_do_not_fit() -> None:
    y = var([1.0, 2.0]) * 1.0
    with pytest.raises(EngineError, match="does not fit"):
        y[0:2] = [1.0, 2.0, 3.0]
    with pytest.raises(EngineError, match="a number has no elements"):
        (var(1.0) * 2.0)[0] = 1.0


def test_a_leaf_may_be_written_to_where_nothing_is_recorded() -> None:
    x = var([1.0, 2.0])
    y = ops.sum(x * x)
    with engine.no_grad():
        x[0] = 5.0
    np.testing.assert_array_equal(x.data, [5.0, 2.0])
    with pytest.raises(EngineError, match=r"in.?place"):
        y.backward()


# ---------------------------------------------------------------- NumPy's own functions


def test_numpys_functions_record_too() -> None:
    x = var([1.0, 2.0])
    y = np.sum(np.sin(x) * np.maximum(x, 1.5) + np.matmul(np.eye(2), x))
    (slope,) = grad(y, x)
    np.testing.assert_allclose(slope.numpy(), [1.5 * np.cos(1.0) + 1.0, 2.0 * np.cos(2.0) + np.sin(2.0) + 1.0])
    np.testing.assert_array_equal(np.greater(x, 1.5).data, [False, True])


def test_numpys_functions_that_are_none_of_the_ops_are_refused() -> None:
    x = var([1.0, 2.0])
    with pytest.raises(TypeError):
        np.add.reduce(x)
    with pytest.raises(TypeError):
        np.heaviside(x, 0.5)
    with pytest.raises(TypeError):
        np.histogram(x)


# ---------------------------------------------------------------- masks and truth


def test_masks_combine() -> None:
    x = tensor([1.0, 2.0, 3.0])
    both = (x > 1.0) & (x < 3.0)
    np.testing.assert_array_equal(both.data, [False, True, False])
    np.testing.assert_array_equal((~both | (x == 2.0)).data, [True, True, True])
    np.testing.assert_array_equal((x * both).data, [0.0, 2.0, 0.0])
    assert (tensor(1.0) < 2.0) is True
    assert (x != 2.0)[1] is False
    assert tensor(1.0) != None  # noqa: E711 - PyTorch answers so, too


def test_where_on_one_truth_value() -> None:
    np.testing.assert_array_equal(ops.where(True, np.ones(2), 0.0), [1.0, 1.0])
    assert ops.where(0.0, 1.0, 2.0) == 2.0


def test_a_gradient_of_a_number_that_met_a_vector() -> None:
    x = var(2.0)
    ops.sum(x + np.ones((2, 3))).backward()
    assert x.grad.item() == 6.0


# ---------------------------------------------------------------- derivatives at singular points


def test_the_determinant_of_a_singular_matrix_has_all_its_derivatives() -> None:
    """By cofactors, recorded: d det / dA is the matrix of cofactors, and its derivative is linear in A for two rows."""
    A = var([[1.0, 2.0], [2.0, 4.0]])
    (cofactors,) = grad(ops.det(A), A, create_graph=True)
    np.testing.assert_allclose(cofactors.detach().data, [[4.0, -2.0], [-2.0, 1.0]], atol=1e-12)
    (second,) = grad(cofactors[0, 0], A)
    np.testing.assert_allclose(second.data, [[0.0, 0.0], [0.0, 1.0]], atol=1e-12)


def test_the_determinant_of_a_single_zero() -> None:
    A = var([[0.0]])
    (slope,) = grad(ops.det(A), A, create_graph=True)
    np.testing.assert_array_equal(slope.detach().data if isinstance(slope, Tensor) else slope, [[1.0]])


def test_singular_vectors_of_tall_and_wide_matrices() -> None:
    for shape in ((3, 2), (2, 3)):
        A = var(np.cos(np.arange(6.0)).reshape(shape))
        assert engine.gradcheck(lambda a: ops.sum(ops.abs(ops.svd(a)[0])) + ops.sum(ops.svd(a)[1]) + ops.sum(ops.abs(ops.svd(a)[2])), (A,))


def test_the_running_product_of_zeros_of_a_number() -> None:
    x = var(0.0)
    (ops.cumprod(x) * ops.prod(x)).backward()
    assert x.grad.item() == 0.0


def test_losses_of_one_row() -> None:
    x = var([0.5, 1.5, -1.0])
    ops.nll(ops.log_softmax(x), [1.0]).backward()
    shares = np.exp(x.data) / np.exp(x.data).sum()
    np.testing.assert_allclose(x.grad.data, shares - [0.0, 1.0, 0.0])


def test_reductions_of_losses() -> None:
    p, t = var([1.0, 3.0]), np.array([0.0, 0.0])
    np.testing.assert_array_equal(ops.mse(p, t, reduction="none").data, [1.0, 9.0])
    assert ops.mse(p, t, reduction="sum").item() == 10.0


def test_an_operator_is_written_out_when_it_is_first_used(monkeypatch: pytest.MonkeyPatch) -> None:
    multiplied = engine.registry["mul"].function
    for slot in ("__mul__", "__rmul__"):
        monkeypatch.setattr(Tensor, slot, ops._written_when_used(slot, engine.registry["mul"]))
    x = var(3.0)
    nodes = [(x * x).grad_fn, (x * x).grad_fn, (2.0 * x).grad_fn]
    assert Tensor.__mul__ is multiplied
    assert Tensor.__rmul__ is multiplied
    assert {node.name() for node in nodes} == {"MulBackward0"}
    # The first use stands where it is written, as all others do.
    positions = [engine.Place(node.code, node.lasti).position for node in nodes]
    assert {place[:2] for place in positions if place} == {(__file__, positions[0][1])}
    assert len({place[2] for place in positions if place}) == 3
