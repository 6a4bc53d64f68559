"""Where each op is sampled: inputs away from its kinks and poles, by the name of the domain that it declares."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from dagrad.engine import Op

# Each call of _spread lies between the numbers of the others.
_CALLS = itertools.count(1)
RNG = np.random.default_rng(20260101)


def _spread(shape: tuple[int, ...]) -> Any:
    """Distinct numbers, none within 0.05 of another or of a whole number or half."""
    count = int(np.prod(shape)) if shape else 1
    values = RNG.permutation(np.arange(count) - count // 2) * 0.37 + 0.113 + 0.021 * int(next(_CALLS) % 13)
    return values.reshape(shape) if shape else float(values[0])


ELEMENTWISE = {
    "any": lambda shape: RNG.uniform(-2, 2, shape),
    "apart": lambda shape: RNG.choice([-1.0, 1.0], shape) * RNG.uniform(0.2, 0.45, shape) + RNG.choice([-1.0, 0.0, 1.0], shape) * 2,
    "positive": lambda shape: RNG.uniform(0.3, 3, shape),
    "unit": lambda shape: RNG.uniform(-0.8, 0.8, shape),
    "probability": lambda shape: RNG.uniform(0.1, 0.9, shape),
    "above one": lambda shape: RNG.uniform(1.3, 3, shape),
    "distinct": _spread,
}


def elementwise(name: Any, shape: tuple[int, ...]) -> Any:
    value = ELEMENTWISE[name or "any"](shape)
    return float(value) if shape == () else np.asarray(value, dtype=np.float64)


def _matrix(n: int = 3, m: int | None = None) -> Any:
    return RNG.uniform(-1, 1, (n, m or n)) + 2 * np.eye(n, m or n)


def _symmetric() -> Any:
    A = _matrix()
    return A + A.T + np.diag([0.0, 2.0, 5.0])


def _definite() -> Any:
    A = _matrix()
    return A @ A.T + np.eye(3)


# For functions of whole tensors: the differentiable arguments, then the settings.
SPECIAL: dict[str, list[tuple[list[Any], dict[str, Any]]]] = {
    "clamp": [([np.array([-3.0, 0.4, 4.0])], {"min": -1.0, "max": 2.0}), ([np.array([-3.0, 0.4])], {"min": 0.0}), ([0.4], {"max": 0.1})],
    "matrix": [([_matrix()], {}), ([_matrix(2)], {})],
    "positive definite": [([_definite()], {})],
    "symmetric": [([_symmetric()], {})],
    "tall": [([_matrix(4, 3)], {}), ([_matrix(3)], {})],
    "tall system": [([_matrix(4, 3), elementwise("any", (4,))], {})],
    "system": [([_matrix(), elementwise("any", (3,))], {}), ([_matrix(), elementwise("any", (3, 2))], {})],
    "triangle": [([_matrix(), elementwise("any", (3,))], {}), ([_matrix(), elementwise("any", (3, 2))], {"upper": True})],
    "matrices": [([_matrix(2), _matrix(2, 3)], {})],
    "threes": [([elementwise("any", (3,)), elementwise("any", (2, 3))], {})],
    "pair": [
        ([elementwise("distinct", (4,)), elementwise("apart", (4,)) * 0.1], {}),
        ([elementwise("distinct", (2, 2)), np.zeros((2, 2))], {"reduction": "sum"}),
    ],
    "probabilities": [([elementwise("probability", (4,)), elementwise("probability", (4,))], {})],
    "log probabilities": [([-elementwise("positive", (3,)), elementwise("probability", (3,))], {})],
    "classes": [([elementwise("any", (3, 4))], {"classes": np.array([0.0, 3.0, 1.0])})],
    "layer": [([elementwise("any", (2, 3)), elementwise("any", (4, 3)), elementwise("any", (4,))], {})],
    "conv1d": [([elementwise("any", (2, 2, 6)), elementwise("any", (3, 2, 3))], {"stride": 2, "padding": 1})],
    "conv2d": [([elementwise("any", (1, 2, 4, 5)), elementwise("any", (2, 2, 2, 2))], {})],
    "pool": [([elementwise("distinct", (1, 2, 4, 4))], {"size": 2}), ([elementwise("distinct", (1, 1, 6))], {"size": 3, "stride": 1})],
    "quantile": [([elementwise("distinct", (5,))], {"q": 0.3}), ([elementwise("distinct", (4, 3))], {"q": 0.6, "axis": 0})],
    "topk": [([elementwise("distinct", (6,))], {"k": 3})],
    "spread": [([elementwise("any", (5,))], {}), ([elementwise("any", (3, 4))], {"axis": 1})],
}


def special(op: Op) -> list[tuple[list[Any], dict[str, Any]]]:
    return SPECIAL[op.domain]
