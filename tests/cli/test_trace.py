"""`dagrad graph trace`: the engine's steps in its own order, with what went in and out."""

import json

import pytest

from dagrad.cli.commands.graph.trace import row
from dagrad.engine.inspect import TraceRecorder
from dagrad.engine.observe import Listener
from dagrad.grammar import Settings, Source, compile_program


@pytest.fixture
def trace(dagrad):
    def run(*options):
        answer = dagrad("graph", "trace", *options, "--json")
        assert answer.code == 0, answer.err
        return [json.loads(line) for line in answer.lines]

    return run


AT = ("-e", "x*y + sin(x)", "--at", "x=1", "--at", "y=2")


def test_the_order_and_the_reasons(trace):
    *steps, summary = trace(*AT)
    assert [(s["node"], s["variable"] or s["op"], s["waited"], s["because"], s["ready"]) for s in steps] == [
        ("%5", "AddBackward0", 1, None, []),
        ("%4", "SinBackward0", 1, "%5", ["%3"]),
        ("%3", "MulBackward0", 1, "%5", []),
        ("%2", "y", 1, "%3", ["%1"]),
        ("%1", "x", 2, "%3", []),
    ]
    assert summary["steps"] == 5
    assert summary["by_op"]["AccumulateGrad"]["nodes"] == 2


def test_gradients_and_releases(trace):
    steps = {step["node"]: step for step in trace(*AT)[:-1]}
    assert [(edge["to"], edge["slot"], edge["gradient"]["value"]) for edge in steps["%3"]["sent"]] == [("%1", 0, 2), ("%2", 1, 1)]
    assert steps["%3"]["released_bytes"] == 16
    assert steps["%1"]["gradient"][0]["value"] == steps["%1"]["total"]["value"] == pytest.approx(2.5403023058681398)
    assert steps["%4"]["source"] == "sin(x)"


def test_the_diamond_waits_for_both(trace):
    steps = trace("-c", "param x = 2", "-c", "y = x * x", "-c", "backward(y * y + y)")[:-1]
    assert [step["waited"] for step in steps] == [1, 1, 3, 2]


def test_tensors_are_told_by_shape_and_norm(trace):
    steps = trace("-c", "param v = [3, 4]", "-c", "backward(sum(v) * v[1])")[:-1]
    read = next(step for step in steps if step["op"] == "SelectBackward0")
    assert read["sent"][0]["gradient"] == {"shape": [], "norm": 7, "value": 7, "index": "1"}
    leaf = steps[-1]
    assert leaf["total"]["shape"] == [2]
    assert leaf["total"]["norm"] == pytest.approx((4**2 + 11**2) ** 0.5)


def test_a_kept_graph_releases_nothing(trace):
    steps = trace("-c", "param x = 2", "-c", "y = x * x", "-c", "backward(y, retain_graph=true)")[:-1]
    assert all(step["released_bytes"] is None for step in steps)


def test_accumulation_shows_the_sum(trace):
    code = ("-c", "param x = 2", "-c", "backward(x * 3)", "-c", "backward(x * 4)", "--step", "2")
    leaf = trace(*code)[-2]
    assert (leaf["accumulated"]["value"], leaf["total"]["value"]) == (4, 7)


def test_the_run_stops_after_the_step(trace):
    assert len(trace("-c", "param x = 2", "-c", "backward(x * x)", "-c", "assert false")) == 3


def test_inner_derivatives_are_no_steps(trace):
    steps = trace("-c", "param x = 2", "-c", "g = grad(x^3, x)", "-c", "backward(g * g)")[:-1]
    assert steps[0]["source"] == "g * g"


def test_lines_for_scripts(dagrad):
    first = dagrad("graph", "trace", *AT).lines[0].split("\t")
    assert first == ["1", "%5 AddBackward0", "1", "1 of 1, last from the caller", "1", "%3[0]←1 %4[0]←1", "freed 0 B", "-"]


def test_a_pass_that_fails(dagrad):
    answer = dagrad("graph", "trace", "-c", "param x = 2", "-c", "y = x * x", "-c", "x = 3", "-c", "backward(y)")
    assert answer.code == 1
    assert "error" in answer.err


@pytest.mark.parametrize("step", ["0", "7", "-7"])
def test_a_step_that_is_not_there(dagrad, step):
    assert dagrad("graph", "trace", "-c", "param x = 2", "-c", "backward(x)", "--step", step).code == 2


LONG = ("-c", "param w = 1", "-c", "y = w", "-c", "for i in range(5000) { y = y + 1 }")


@pytest.mark.parametrize("end", [("-c", "backward(y)"), ()])
def test_a_long_pass_is_shown_in_full(dagrad, trace, end):
    lines = dagrad("graph", "trace", *LONG, *end).lines
    assert len(lines) == 5001
    assert lines[-1].split("\t")[:2] == ["5001", "%1 w"]
    *steps, summary = trace(*LONG, *end)
    assert (len(steps), summary["steps"]) == (5001, 5001)
    assert {op: entry["nodes"] for op, entry in summary["by_op"].items()} == {"AddBackward0": 5000, "AccumulateGrad": 1}
    rows = [line.split("\t") for line in dagrad("graph", "trace", *LONG, *end, "--summary").lines]
    assert sorted(row[:2] for row in rows) == [["AccumulateGrad", "1"], ["AddBackward0", "5000"]]


@pytest.mark.parametrize("end", [("-c", "backward(y)"), ()])
def test_a_page_leaves_a_long_pass_out(dagrad, end):
    page = dagrad("graph", "dump", *LONG, *end, "--format", "html").out
    assert '"steps": []' in page or '"steps":[]' in page


PASSES = [
    "y = x * sin(x) + frac(x) - (x + x)",
    "y = relu(x - 3) + maximum(x, 1) * 1e7 - x / 1e-9",
    "y = x; for i in range(1500) { y = y + sin(y) * 1e-3 }",
    "y = x * 0",
    "y = log(x - 2)",
    "y = x",
]


class Attending(Listener):
    """Has every pass told turn by turn."""

    def started(self, node, gradient):
        pass


@pytest.mark.parametrize("code", PASSES)
@pytest.mark.parametrize("call", ["backward(y)", "backward(y, retain_graph=true)"])
def test_the_lines_are_those_of_the_steps(dagrad, code, call):
    """They are written many at a time, from what the pass left; here the same pass is recorded step by step."""
    compiled = compile_program(Source("-c", f"param x = 2\n{code}\n{call}"))
    with Attending(), TraceRecorder() as recorder:
        compiled.run(Settings(on_backward=lambda *place: recorder.arm()))
    steps = ["\t".join(row(step, 6)) for step in recorder.steps]
    program = ("-c", "param x = 2", "-c", code, "-c", call)
    assert dagrad("graph", "trace", *program).lines == steps
    lines = dagrad("run", "-q", "--trace", *program).lines
    assert lines[: len(steps)] == steps
    assert all(line.count("\t") == 4 and line.endswith(" B") for line in lines[len(steps) :])
