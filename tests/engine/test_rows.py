"""Reductions over a last axis that is short: they go other ways than NumPy's, and give what NumPy gives."""

import numpy as np
import pytest

from dagrad.engine import leaf, ops
from dagrad.engine.ops.rows import extreme, highest, total, total_of_all

# On both sides of every bound: 512 elements, and 8, 16 and 128 in a row.
SHAPES = [(2, 3), (3, 0), (300, 1), (300, 2), (300, 7), (300, 8), (40, 5, 3), (100, 16), (100, 17), (50, 128), (50, 129), (600,)]


@pytest.fixture
def rng():
    return np.random.default_rng(1)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("keepdims", [False, True])
def test_sums(rng, shape, keepdims):
    x = rng.normal(size=shape) * 10.0 ** rng.integers(-6, 6, size=shape)
    for axes in [len(shape) - 1, (len(shape) - 1,), (0,), tuple(range(len(shape)))]:
        found, known = total(x, axes, keepdims), np.add.reduce(x, axes, keepdims=keepdims)
        assert np.shape(found) == np.shape(known)
        if shape[-1] < 8:
            assert np.array_equal(found, known)
        assert np.allclose(found, known, rtol=0, atol=1e-14 * np.abs(x).sum(axis=axes).max(initial=1))


@pytest.mark.parametrize("shape", [shape for shape in SHAPES if 0 not in shape])
@pytest.mark.parametrize("function", [np.maximum, np.minimum])
def test_extremes(rng, shape, function):
    x = rng.normal(size=shape)
    x.flat[0] = np.nan
    for keepdims in (False, True):
        found = extreme(function, x, (len(shape) - 1,), keepdims)
        assert np.array_equal(found, function.reduce(x, len(shape) - 1, keepdims=keepdims), equal_nan=True)


@pytest.mark.parametrize("count", range(1, 10))
def test_the_sum_of_a_few_is_numpys_to_the_last_bit(rng, count):
    for _ in range(50):
        x = rng.normal(size=count) * 10.0 ** rng.integers(-8, 8, size=count)
        assert total_of_all(x) == float(np.add.reduce(x))
    assert str(total_of_all(np.full(count, -0.0))) == str(float(np.add.reduce(np.full(count, -0.0))))
    assert total_of_all(np.full(count, 0.1, np.float32)) == float(np.add.reduce(np.full(count, 0.1, np.float32)))


def test_the_highest_of_nothing():
    assert highest(np.zeros((2, 0)), 1).tolist() == [[-np.inf], [-np.inf]]


@pytest.mark.parametrize("layout", [np.asfortranarray, lambda x: x[:, ::-1], lambda x: x > 0, lambda x: x.astype(np.float32)])
def test_other_layouts_and_kinds_of_numbers(rng, layout):
    x = layout(rng.normal(size=(300, 5)))
    known = np.add.reduce(x, 1)
    assert np.array_equal(total(x, 1), known)
    assert total(x, 1).dtype == known.dtype


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("length", [3, 20])
def test_what_is_not_finite_stays_in_its_row(rng, value, length):
    x = rng.normal(size=(300, length))
    x[7, 1] = value
    found = total(x, 1)
    assert np.array_equal(found[7], value, equal_nan=True)
    assert np.isfinite(np.delete(found, 7)).all()


@pytest.mark.parametrize("name", ["sum", "mean", "max", "min", "norm", "logsumexp", "var"])
@pytest.mark.parametrize("length", [3, 12])
def test_long_tables_have_the_values_and_gradients_of_their_rows(rng, name, length):
    data, operation = rng.normal(size=(200, length)), getattr(ops, name)
    x = leaf(data, "x")
    y = operation(x, axis=1)
    ops.sum(y).backward()
    for i in (0, 99, 199):
        row = leaf(data[i], "row")
        value = operation(row)
        value.backward()
        assert y.data[i] == pytest.approx(value.item(), rel=1e-14)
        assert x.grad.data[i] == pytest.approx(row.grad.data, rel=1e-13, abs=1e-15)


@pytest.mark.parametrize("spec", ["kij,nkj->nki", "ij,jk->ki", "ij,kj->ik", "bij,bjk->bki", "i,j->ji"])
def test_a_product_whose_last_letter_is_of_the_first_operand(rng, spec):
    letters = {"i": 3, "j": 4, "k": 5, "n": 6, "b": 2}
    terms = spec.split("->")[0].split(",")
    a, b = (rng.normal(size=[letters[c] for c in term]) for term in terms)
    assert np.allclose(ops.einsum(spec, leaf(a, "a"), leaf(b, "b")).data, np.einsum(spec, a, b), rtol=1e-13)
