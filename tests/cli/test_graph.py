"""`dagrad graph dump`: which graph is shown, and in which forms."""

import pytest

LOOP = """\
param w = 2
for i in range(3) {
    zero_grad()
    if i == 0 { loss = sin(w) } else { loss = w * 3 + w^2 }
    backward(loss)
    w -= 0.1 * w.grad
    print("step", i)
}
"""


@pytest.fixture
def dump(dagrad, tmp_path):
    def run(source, *options):
        file = tmp_path / "model.dg"
        file.write_text(source)
        return dagrad("graph", "dump", file, *options)

    return run


def ops(answer):
    assert answer.code == 0, answer.err
    return sorted(node["op"] for node in answer.json["nodes"])


def test_the_document(dagrad):
    found = dagrad("graph", "dump", "-e", "x * y", "--at", "x=2", "--at", "y=3", "--json").json
    assert (found["schema"], found["command"], found["ok"]) == (1, "graph dump", True)
    by_name = {node["name"]: node for node in found["nodes"]}
    root = by_name[found["root"]]
    assert root["op"] == "MulBackward0"
    assert (root["line"], root["column"], root["source"]) == (1, 1, "x * y")
    assert root["saved_bytes"] == 16
    assert {saved["name"] for saved in root["saved"]} == {"a", "b"}
    assert sorted(node["variable"] for node in found["nodes"] if node["op"] == "AccumulateGrad") == ["x", "y"]
    assert [(edge["from"], edge["slot"], by_id(found, edge["to"])["variable"], edge["input_nr"]) for edge in found["edges"]] == [
        (root["id"], 0, "x", 0),
        (root["id"], 1, "y", 0),
    ]
    summary = found["summary"]
    assert (summary["nodes"], summary["edges"], summary["saved_bytes"]) == (3, 2, 16)
    assert summary["by_op"] == {"AccumulateGrad": 2, "MulBackward0": 1}


def by_id(document, name):
    return next(node for node in document["nodes"] if node["id"] == name)


def test_one_line_a_node(dagrad):
    answer = dagrad("graph", "dump", "-e", "x * y", "--at", "x=2", "--at", "y=3")
    assert len([line for line in answer.lines if line.startswith("%")]) == 3
    assert "MulBackward0(" in answer.out
    assert "x * y" in answer.out


def test_the_step_that_was_asked_for(dump):
    assert ops(dump(LOOP, "--json")) == ["AccumulateGrad", "SinBackward0"]
    later = ["AccumulateGrad", "AddBackward0", "MulBackward0", "PowBackward0"]
    assert ops(dump(LOOP, "--json", "--step", "2")) == later
    assert ops(dump(LOOP, "--json", "--step", "-1")) == later
    assert ops(dump(LOOP, "--json", "--step", "-3")) == ["AccumulateGrad", "SinBackward0"]


@pytest.mark.parametrize("step", ["4", "-4", "0"])
def test_a_step_that_is_not_there(dump, step):
    answer = dump(LOOP, "--step", step)
    assert answer.code == 2
    assert step in answer.err


def test_the_programs_output_is_dropped_and_the_run_stops(dump):
    answer = dump("param w = 2\nprint(w)\nbackward(w^2)\nassert false\n")
    assert answer.code == 0
    assert answer.lines[0].startswith("%")


def test_without_backward_the_last_value_is_shown(dump):
    assert ops(dump("param w = 2\ny = exp(w) * w\nn = 3\n", "--json")) == ["AccumulateGrad", "ExpBackward0", "MulBackward0"]


def test_a_root_by_name(dump):
    source = "param w = 2\ny = exp(w)\nz = sin(y)\n"
    assert ops(dump(source, "--root", "y", "--json")) == ["AccumulateGrad", "ExpBackward0"]
    assert dump(source, "--root", "nosuch").code == 2


def test_a_root_that_backward_has_dismantled(dump):
    answer = dump("param w = 2\ny = exp(w)\nbackward(y)\n", "--root", "y")
    assert answer.code == 2
    assert "--step" in answer.err


def test_no_graph_at_all(dump):
    assert dump("x = 1\n").code == 2


def test_a_failing_program(dump):
    answer = dump("param w = 2\nassert w > 3\nbackward(w)\n", "--json")
    assert answer.code == 1
    assert answer.json["ok"] is False


@pytest.mark.parametrize(("form", "start"), [("text", "%"), ("tree", ""), ("dot", "digraph")])
def test_forms_are_deterministic(dump, form, start):
    first = dump(LOOP, "--format", form)
    assert first.code == 0
    assert first.out.startswith(start)
    assert dump(LOOP, "--format", form).out == first.out


def test_an_unknown_form(dump):
    assert dump(LOOP, "--format", "png").code == 2


def test_values(dump):
    assert "value" not in dump(LOOP, "--json").json["nodes"][-1]
    assert dump("param w = 2\nbackward(w * 3)\n", "--json", "--values").json["nodes"][-1]["value"] == 6


def test_a_long_chain(dump):
    source = "param x = 1\ny = x\nfor i in range(20000) { y = y * x }\nbackward(y)\n"
    assert dump(source, "--json").json["summary"]["nodes"] == 20001


def test_program_and_expression(dagrad):
    assert dagrad("graph", "dump", "-e", "x", "--at", "x=1", "-c", "y = 1").code == 2
    assert dagrad("graph", "dump", "-e", "1 + 1").code == 2
