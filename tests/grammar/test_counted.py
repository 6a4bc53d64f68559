"""Memory statistics of a run whose expressions take one step: they count the operations that these stand for."""

from random import Random

import pytest

from dagrad.engine.inspect import MemoryRecorder
from dagrad.grammar import DagradError, Settings, Source, compile_program, fusing
from tests.fuzz.programs import Programs

from .test_fusing import PROGRAMS


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    """The functions of formulas are written when they are first called."""
    monkeypatch.setattr(fusing, "OFTEN", 1)


def counted(text, **settings):
    """The report of a run, without the clock, and the most bytes of gradients under way."""
    program = compile_program(Source("test.dg", text))
    with MemoryRecorder() as recorder:
        run = program.run(Settings(**settings))
    report = recorder.report({**run.values, **run.params})
    for call in report["backward"]:
        del call["seconds"]
    return report, report["categories"]["temporary"]["peak"]


# A function may compute, or be given, what its value does not depend on: in one step nothing is recorded for that.
UNUSED = {
    "functions of several lines",
    "arguments that are not used",
    "lines that are not used",
    "a value that is not used and was changed",
    "signs of functions",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_figures_are_those_of_the_operations(name):
    report, under_way = counted(PROGRAMS[name], fused=True, counted=True)
    by_operation, least = counted(PROGRAMS[name])
    assert report["backward"] == by_operation["backward"]
    assert report["at_exit"] == by_operation["at_exit"]
    assert least / 2 <= under_way < least + 8 * 2 * fusing.MOST_STEPS  # a step has the gradients of all its parts in hand at once
    if name not in UNUSED:
        assert report["by_line"] == by_operation["by_line"]


def test_a_value_that_was_dropped_is_not_held_by_the_step_that_made_it():
    dropped = "y = w\nfor i in range(2000) { y = y*w + 1 }\ny = 0\nfor i in range(5) { z = w*2 + i }\n"
    report, _ = counted("param w = 0.5\n" + dropped + "backward(w^2)", fused=True, counted=True)
    assert report["timeline"][0]["event"] == "began"
    assert report["timeline"][0]["nodes"] < 10


@pytest.mark.parametrize("seed", range(40))
def test_any_program_is_counted_like_that(seed):
    text = Programs(Random(seed)).text(8)
    try:
        compile_program(Source("test.dg", text))
    except DagradError:
        return
    assert counted(text, fused=True, counted=True)[0]["backward"] == counted(text)[0]["backward"]


def test_a_pass_through_passes_tells_what_it_let_go():
    text = "param v = [0.5, 1]\nparam p = 0.3\ny = 0\nfor i in range(2) { y = 0.1*sum(jacobian(y*v, v)) }\nbackward((y - p)^2)"
    (call,) = [call for call in counted(text)[0]["backward"] if not call["retained"]]
    assert (call["nodes"], call["freed_nodes"], call["freed_bytes"]) == (7, 5, call["saved_bytes"])


def test_the_line_of_a_graph_that_grows_is_that_of_most_operations():
    text = "param p = 0.5\ntotal = 0\nfor i in range(1500) {\n  a = p*p; b = a*a\n  loss = 0.5*b + (p*i - 1)^2*0.01\n"
    report, _ = counted(text + "  backward(loss, retain_graph=true)\n  total = total + loss\n}", fused=True, counted=True)
    assert [warning["line"] for warning in report["warnings"]] == [5]
