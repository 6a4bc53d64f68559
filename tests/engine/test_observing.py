"""What listeners want to hear, and that a recorder finds the same in a pass that it was told of as in one that it was not."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagrad.engine import Listener, leaf, modes, no_grad, ops
from dagrad.engine.inspect import MemoryRecorder, TraceRecorder
from dagrad.engine.op import registry

from .test_random_graphs import BINARY, PROPERTY, UNARY, Attending


def as_programs_call(name: str) -> Any:
    """The function of an op that has the path of numbers written out; Python's operators go the general way."""
    return registry[name].function


# Rules that give what they were given, a constant, or nothing are where the gradients under way are hard to tell.
MORE = [
    ops.relu,
    ops.abs,
    ops.sign,
    ops.floor,
    ops.frac,
    lambda x: x + x,
    lambda x: x + 1.0,
    lambda x: 2.0 - x,
    lambda x: x**3.0,
]
PAIRS = [*map(as_programs_call, ("add", "sub", "mul", "add", "maximum") * 3)]
PAIRS += [*BINARY, lambda a, b: a + b, ops.maximum, ops.minimum, lambda a, b: a * b, lambda a, b: ops.remainder(a, 1.5) + b]
ONES = [*UNARY, *MORE, *map(as_programs_call, ("sin", "exp", "relu", "frac", "abs", "neg", "square") * 3)]
STEPS = st.lists(
    st.tuples(st.integers(0, len(ONES) + len(PAIRS) - 1), st.integers(0, 5), st.integers(0, 5), st.booleans()), min_size=1, max_size=30
)


class Everything(Attending):
    """Wants to hear of each node as well, so that none is collected."""

    def created(self, node: Any, result: Any) -> None:
        pass


def run(steps: list[tuple[int, int, int, bool]]) -> None:
    """A program on numbers: a few of its values are differentiated, a few graphs are kept, and the rest is dropped."""
    values: list[Any] = [leaf(0.7, "a"), leaf(-0.4, "b"), leaf(1.0, "c")]
    for which, i, j, differentiates in steps:
        a, b = values[-1 - i % len(values)], values[-1 - j % len(values)]
        if a.grad_fn is not None and a.grad_fn.released:
            a = values[0]
        if b.grad_fn is not None and b.grad_fn.released:
            b = values[1]
        values.append(ONES[which](a) if which < len(ONES) else PAIRS[which - len(ONES)](a, b))
        if differentiates:
            values[-1].backward(retain_graph=i > 3)
            values = values if i > 3 else values[:3]


def without_times(found: Any) -> Any:
    if isinstance(found, dict):
        return {name: without_times(value) for name, value in found.items() if name != "seconds"}
    return [without_times(value) for value in found] if isinstance(found, list) else found


@PROPERTY
@given(STEPS)
def test_memory_figures_are_those_of_a_recorder_that_is_told_everything(steps: list[tuple[int, int, int, bool]]) -> None:
    with MemoryRecorder() as alone:
        run(steps)
    with MemoryRecorder() as told, Everything():
        run(steps)
    assert without_times(alone.report({})) == without_times(told.report({}))


@PROPERTY
@given(STEPS)
def test_a_trace_is_that_of_a_recorder_that_is_told_everything(steps: list[tuple[int, int, int, bool]]) -> None:
    found = []
    for others in ([], [Attending()]):
        for listener in others:
            listener.attach()
        with TraceRecorder() as trace:
            trace.arm()
            run([*steps, (0, 0, 0, True)])
        for listener in others:
            listener.detach()
        found.append(([without_times(step.as_dict()) for step in trace.steps], without_times(trace.by_op())))
    (alone, costs), (told, told_costs) = found
    assert alone == told
    assert costs == told_costs


def test_nodes_of_numbers_are_collected_and_the_others_told() -> None:
    class Told(MemoryRecorder):
        def __init__(self) -> None:
            super().__init__()
            self.told = 0

        def created(self, node: Any, result: Any) -> None:
            self.told += 1
            super().created(node, result)

    x, v = leaf(2.0, "x"), leaf([1.0, 2.0], "v")
    sin, mul = as_programs_call("sin"), as_programs_call("mul")
    with Told() as recorder:
        y = mul(sin(x), x)
        assert (recorder.told, len(recorder.collection.nodes)) == (0, 2)
        w = mul(sin(v), x)
        assert (recorder.told, len(recorder.collection.nodes)) == (2, 4)
        with no_grad():
            sin(x)
        assert len(recorder.collection.nodes) == 4
        with MemoryRecorder():
            z = sin(y)
        assert recorder.told == 3
    sin(w)
    assert (z.grad_fn in recorder.collection.nodes, len(recorder.collection.nodes)) == (True, 5)


@pytest.mark.parametrize("recorder", [TraceRecorder, Listener])
def test_who_does_not_hear_of_nodes_does_not_slow_down_their_making(recorder: Any) -> None:
    before = modes.special
    with recorder():
        assert modes.special == before
    with MemoryRecorder():
        assert modes.special == before + 1
    assert modes.special == before


def test_a_pass_of_numbers_is_not_attended_unless_somebody_must() -> None:
    class Seen(Listener):
        attended: list[bool] = []  # noqa: RUF012

        def began(self, task: Any) -> None:
            self.attended.append(task.attended)

    x = leaf(2.0, "x")
    with Seen() as seen, MemoryRecorder(), TraceRecorder() as trace:
        trace.arm()
        ops.sin(x).backward()
        ops.sum(ops.sin(leaf([1.0, 2.0], "v"))).backward()
        with Attending():
            ops.sin(x).backward()
    assert seen.attended == [False, True, True]


def test_a_graph_that_was_there_before_the_recorder_counts_in_its_passes() -> None:
    x = leaf(2.0, "x")
    y = ops.sin(x) * x
    with MemoryRecorder() as recorder:
        (y + x).backward()
    (call,) = recorder.calls
    assert (call["nodes"], call["edges"], call["saved_bytes"], call["freed_nodes"], call["freed_bytes"]) == (4, 5, 24, 3, 24)
