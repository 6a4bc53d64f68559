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
    assert {line.split(".")[0] for line in answer.lines} == {"backward", "peak", "at_exit", "held_by", "line", "category", "process"}
    assert "backward.1.line\t4" in answer.lines
    assert "backward.1.retained\tfalse" in answer.lines
    assert "held_by.kept.saved_bytes\t800" in answer.lines
    assert "line.2.nodes\t2" in answer.lines


def test_the_programs_output_is_dropped(memory):
    assert "hello" not in memory(source='print("hello")\nparam w = 1\nbackward(w * w)\n').out


def test_a_failing_program(memory):
    assert memory(source="assert false\n").code == 1


LEAK = """\
param w = 0.5
total = 0
for i in range(40) {
    loss = (w * i - 3)^2
    backward(loss)
    total += loss
}
"""


def test_a_graph_that_grows_is_named_with_its_line_and_the_remedy(memory):
    answer = memory("--json", source=LEAK)
    (warning,) = answer.json["warnings"]
    assert (warning["line"], warning["backward_line"], warning["name"], warning["nodes_per_call"]) == (6, 5, "total", 1)
    for word in ("line 6", "total", "detach"):
        assert word in warning["message"]
    assert "warning: the graph grows" in answer.err


@pytest.mark.parametrize("remedy", ["total += detach(loss)", "total = total + 1"])
def test_one_that_does_not_grow_is_not(memory, remedy):
    answer = memory("--json", source=LEAK.replace("total += loss", remedy))
    assert answer.json["warnings"] == []
    assert answer.err == ""


def test_a_long_run_that_grows_takes_no_square_of_the_time(memory):
    answer = memory("--json", source=LEAK.replace("40", "20000"))
    assert answer.json["at_exit"]["nodes"] == 20000
    assert len(answer.json["timeline"]) <= 402


def test_the_timeline_and_the_categories(memory):
    found = memory("--json").json
    assert [(point["event"], point["line"]) for point in found["timeline"]] == [
        ("began", 4),
        ("ended", 4),
        ("began", 6),
        ("ended", 6),
        ("exit", 6),
    ]
    assert set(found["categories"]) == {"parameter", "gradient", "saved", "graph", "temporary"}
    assert found["categories"]["parameter"] == {"peak": 800, "at_exit": 800}
    assert found["categories"]["temporary"]["peak"] >= 800


def test_what_keeping_the_graphs_would_cost(memory):
    found = memory("--json", "--compare", "retain_graph", source=LEAK.replace("total += loss", "last = loss")).json["compare"]
    assert found["with"] == "retain_graph"
    assert found["plain"]["at_exit_nodes"] == 0
    assert found["retained"]["at_exit_nodes"] == 3
    assert found["retained"]["peak_nodes"] > found["plain"]["peak_nodes"]
    assert memory("--compare", "nosuch").code == 2


def test_the_chart(memory, tmp_path):
    import xml.etree.ElementTree as ElementTree

    file = tmp_path / "memory.svg"
    assert memory("--svg", file).code == 0
    root = ElementTree.parse(file).getroot()
    assert len(root.findall("{http://www.w3.org/2000/svg}polygon")) == 5
    assert memory("--svg", tmp_path / "nosuch" / "x.svg").code == 2


@pytest.mark.parametrize("nodes", [10, 1024, 1025, 5000])
def test_the_peak_leaves_out_what_a_pass_has_dismantled(dagrad, nodes):
    lines = ["param w = 1", "y = w", f"for i in range({nodes}) {{ y = y*w }}", "backward(y)", "y = w*w", "backward(y)"]
    document = dagrad("memory", "--json", *(word for line in lines for word in ("-c", line))).json
    assert document["peak"] == {"nodes": nodes, "saved_bytes": 16 * nodes, "line": 4}
    assert [point["nodes"] for point in document["timeline"] if point["event"] == "ended"] == [0, 0]
