"""`dagrad memory`: what the graph keeps, and where."""

import pytest

MODEL = """\
param w = ones(100)
kept = sum(exp(w))
loss = sum(sin(w))
backward(loss)
loss = sum(w * w)
backward(loss, retain_graph=true)
"""


@pytest.fixture
def memory(dagrad, tmp_path):
    def run(*options, source=MODEL):
        file = tmp_path / "model.dg"
        file.write_text(source)
        return dagrad("memory", file, *options)

    return run


def test_the_document(memory):
    found = memory("--json").json
    assert (found["schema"], found["command"], found["ok"]) == (1, "memory", True)
    first, second = found["backward"]
    assert (first["index"], first["line"], first["saved_bytes"], first["freed_bytes"], first["retained"]) == (1, 4, 800, 800, False)
    assert (second["index"], second["line"], second["freed_nodes"], second["retained"]) == (2, 6, 0, True)
    assert found["peak"]["saved_bytes"] >= 1600
    held = {entry["name"]: entry for entry in found["at_exit"]["held_by"]}
    assert held["kept"]["saved_bytes"] == 800
    assert held["kept"]["line"] == 2
    lines = {entry["line"]: entry for entry in found["by_line"]}
    assert lines[2]["saved_bytes"] == 800
    assert found["process"]["peak_rss_bytes"] > 1e6


def test_lines_begin_with_what_they_are(memory):
    answer = memory()
    assert answer.code == 0
    assert {line.split(".")[0] for line in answer.lines} == {"backward", "peak", "at_exit", "held_by", "line", "process"}
    assert "backward.1.line\t4" in answer.lines
    assert "backward.1.retained\tfalse" in answer.lines
    assert "held_by.kept.saved_bytes\t800" in answer.lines
    assert "line.2.nodes\t2" in answer.lines


def test_the_programs_output_is_dropped(memory):
    assert "hello" not in memory(source='print("hello")\nparam w = 1\nbackward(w * w)\n').out


def test_a_failing_program(memory):
    assert memory(source="assert false\n").code == 1
