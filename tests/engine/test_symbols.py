"""Formulas as text: what is written out for floats is what the rules say, to the last bit."""

import math
from typing import Any

import pytest

from dagrad.engine import tensor
from dagrad.engine.node import Node
from dagrad.engine.op import Op, registry
from dagrad.engine.symbols import formula_of

ON_SCALARS = {name: op for name, op in registry.items() if op.on_scalars}
NUMBERS = (0.0, -0.0, 0.3, 1.0, -1.0, 2.0, -2.5, 710.0, 1e200, -1e-300, math.inf, -math.inf, math.nan)


def formula(rule: Any) -> Any:
    code = rule.__code__
    return formula_of(rule, code.co_varnames[: code.co_argcount], {})


def test_a_rule_spells_out_its_formula() -> None:
    assert formula(registry["sin"].rules[0]) == "(g * s_cos(x))"
    assert formula(registry["tanh"].rules[0]) == "(g * (1.0 - (y * y)))"
    assert [formula(rule) for rule in registry["div"].rules] == ["(g / b)", "((-g) * (y / b))"]


def test_a_rule_that_looks_at_values_is_no_formula() -> None:
    assert formula(registry["maximum"].rules[0]) is None
    assert formula(lambda g, x: g if x > 0.0 else -g) is None
    assert formula(lambda g, x: g * x.shape) is None
    assert formula(lambda g, x: g * NUMBERS[0]) is None


def test_a_constant_must_be_finite_to_be_written() -> None:
    assert formula(lambda g: g * math.inf) is None


class Sink(Node):
    """What receives a gradient."""

    __slots__ = ()

    def __init__(self) -> None:
        self.grad = None
        self.shape = ()


def points(op: Op) -> list[tuple[float, ...]]:
    return [(a,) for a in NUMBERS] if len(op.inputs) == 1 else [(a, b) for a in NUMBERS for b in NUMBERS]


@pytest.mark.parametrize("op", ON_SCALARS.values(), ids=ON_SCALARS)
def test_written_out_and_called_give_the_same(op: Op) -> None:
    derivative = op.derivative((1 << len(op.inputs)) - 1)
    for point in points(op):
        y = op.scalar(*point)  # type: ignore[misc]
        for g in (1.0, -0.5, 0.0, math.inf, math.nan):
            node, sinks = Node(), [Sink() for _ in op.inputs]
            node.derivative, node.saved = derivative, derivative.save(y, *point)
            node.edges = tuple(sinks)
            derivative.run(node, g)
            called = derivative.apply(node.saved, g)
            assert [repr(sink.grad) for sink in sinks] == [repr(part) for part in called], (point, g)


def test_tracked_and_plain_values_are_the_same() -> None:
    for name, op in ON_SCALARS.items():
        for point in points(op):
            tracked = [tensor(a, requires_grad=True) for a in point]
            assert repr(op.function(*tracked).item()) == repr(op.scalar(*point)), (name, point)  # type: ignore[misc]
