"""Snapshots and the forms they are written in: stable ids, recorded texts, and graphs of any depth.

The recorded texts stand in tests/expected/graphs; `pytest --record` writes them anew.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from dagrad.engine import Tensor, leaf, ops, tensor
from dagrad.engine.inspect import Graph, ValueRecorder, formats, snapshot

EXPECTED = Path(__file__).parents[1] / "expected" / "graphs"

# The page is tried in a browser (tests/browser); its text would be that of its scripts.
FORMS = [form for form in formats.names() if form != "html"]

# Of operations that every machine rounds alike.
PROGRAMS = {
    "shared": """\
x = leaf(-1.0, "x")
y = leaf(2.0, "y")
square = x * x
root = (1.0 - x) ** 2.0 + 100.0 * (y - square) ** 2.0 + square
""",
    "layers": """\
W = leaf([[0.5, -1.0, 2.0], [1.0, 0.0, -0.5]], "W")
b = leaf([0.25, 2.0], "b")
hidden = ops.relu(W @ ops.vector([1.0, 2.0, 3.0]) + b)
values, vectors = ops.eigh(ops.diag(hidden))
root = values[1] + ops.sum(vectors[:, 0] * hidden)
""",
    "loop": """\
x = leaf(0.25, "x")
root = x
for i in range(5):
    root = ops.sqrt(root) * x
""",
}


def build(name: str) -> tuple[Tensor, ValueRecorder]:
    """The root of a program, run under a file name of its own so that places are the same everywhere."""
    names: dict[str, Any] = {"leaf": leaf, "ops": ops}
    with ValueRecorder() as values:
        exec(compile(PROGRAMS[name], "model.py", "exec"), names)
    return names["root"], values


def graph(name: str) -> Graph:
    return snapshot(*build(name))


def without_numbers_of_creation(text: str) -> str:
    """Sequence numbers count every node of the process, so they are no property of the graph."""
    return re.sub(r'("sequence": ?|data-sequence=")\d+', r"\g<1>0", text)


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("form", FORMS)
def test_a_graph_is_written_as_recorded(name: str, form: str, request: pytest.FixtureRequest) -> None:
    text = without_numbers_of_creation(formats.render(graph(name), form, values=True, saved=True))
    file = EXPECTED / f"{name}.{form}"
    if request.config.getoption("--record"):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    assert file.exists(), f"no text is recorded for {file.name}: run pytest with --record"
    assert text == file.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("form", formats.names())
def test_a_graph_is_written_the_same_each_time(name: str, form: str) -> None:
    once, again = (without_numbers_of_creation(formats.render(graph(name), form)) for _ in range(2))
    assert once == again
    assert once.endswith("\n")


def test_every_recorded_text_belongs_to_a_graph_and_a_format() -> None:
    wanted = {f"{name}.{form}" for name in PROGRAMS for form in FORMS}
    assert {file.name for file in EXPECTED.iterdir()} == wanted


def test_an_unknown_format_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"dot.*json.*text.*tree"):
        formats.render(graph("shared"), "pdf")


# ---------------------------------------------------------------- the snapshot


def test_ids_count_the_nodes_in_the_order_of_creation() -> None:
    found = graph("shared")
    assert [node.id for node in found.nodes] == [f"%{number}" for number in range(1, len(found.nodes) + 1)]
    numbers = [node.sequence for node in found.nodes]
    assert numbers == sorted(numbers)
    assert found.root == found.nodes[-1].id


def test_ids_are_stable_whatever_else_was_computed() -> None:
    before = [(node.id, node.op) for node in graph("layers").nodes]
    noise = tensor(1.0, requires_grad=True)
    ops.exp(noise * noise)
    assert [(node.id, node.op) for node in graph("layers").nodes] == before


def test_edges_point_from_the_consumer_to_what_it_is_made_of() -> None:
    x, y = leaf(2.0, "x"), leaf(3.0, "y")
    found = snapshot(x * y)
    assert [(e.source, e.target, e.slot, e.input_nr) for e in found.edges] == [("%3", "%1", 0, 0), ("%3", "%2", 1, 0)]


def test_an_edge_says_which_output_it_belongs_to() -> None:
    found = graph("layers")
    eigh = next(node.id for node in found.nodes if node.op == "LinalgEighBackward0")
    assert {e.input_nr for e in found.edges if e.target == eigh} == {0, 1}


def test_a_constant_is_no_node() -> None:
    x = leaf(2.0, "x")
    (_, product) = snapshot(x * 5.0).nodes
    assert product.inputs == (("%1", 0), None)


def test_nodes_say_where_they_stand() -> None:
    places = {node.op: (node.place.file, node.place.line, node.place.column) for node in graph("loop").nodes if node.place}
    assert places["SqrtBackward0"] == ("model.py", 4, 12)
    assert places["MulBackward0"] == ("model.py", 4, 12)


def test_leaves_carry_their_names() -> None:
    assert {node.variable for node in graph("layers").nodes if node.op == "AccumulateGrad"} == {"W", "b"}


def test_the_summary_counts() -> None:
    summary = graph("shared").summary()
    assert summary == {
        "nodes": 10,
        "edges": 12,
        "depth": 7,
        "width": 2,
        "saved_bytes": summary["saved_bytes"],
        "by_op": {"AccumulateGrad": 2, "AddBackward0": 2, "MulBackward0": 2, "PowBackward0": 2, "SubBackward0": 2},
    }


def test_an_untracked_tensor_has_no_graph() -> None:
    with pytest.raises(ValueError, match="not tracked"):
        snapshot(tensor(1.0))


def test_a_snapshot_survives_the_backward_pass() -> None:
    root, values = build("shared")
    found = snapshot(root, values)
    before = formats.render(found, "text")
    root.backward()
    assert formats.render(found, "text") == before


# ---------------------------------------------------------------- the forms


def test_the_document_is_strict_json() -> None:
    x = leaf([float("nan"), float("inf")], "x")
    with ValueRecorder() as values:
        y = ops.exp(-x)
    text = formats.render(snapshot(y, values), "json", values=True, saved=True)

    def refuse(word: str) -> None:
        raise AssertionError(word)

    found = json.loads(text, parse_constant=refuse)
    assert found["nodes"][0]["value"] == ["NaN", "Infinity"]
    assert set(found) >= {"root", "nodes", "edges", "summary"}


def test_a_line_of_text_says_everything() -> None:
    lines = formats.render(graph("shared"), "text").splitlines()
    assert lines[2].startswith("%3 = MulBackward0(%1[0], %1[0])  # model.py:3:10  ")
    assert lines[2].endswith("shape () saved 16 B")
    assert len(lines) == 10


def test_a_tree_draws_a_shared_node_once_and_refers_to_it() -> None:
    text = formats.render(graph("shared"), "tree")
    (shared,) = re.findall(r"(%\d+) MulBackward0 \(\)  model.py:3", text)
    assert text.count(f"{shared} MulBackward0") == 1
    assert f"{shared} above" in text


def chain(count: int) -> Tensor:
    root = leaf(0.5, "x")
    for _ in range(count):
        root = ops.sin(root)
    return root


def test_a_deep_tree_says_what_it_leaves_for_below() -> None:
    text = formats.render(snapshot(chain(100)), "tree")
    lines = text.splitlines()
    assert sum("SinBackward0" in line for line in lines) == 100
    below = [line.split()[-2] for line in lines if line.endswith(" below")]
    assert below
    for id in below:
        assert any(line.startswith(f"{id} SinBackward0") for line in lines), "what stands below starts a tree of its own"
    assert max(map(len, lines)) < 200


@pytest.mark.parametrize("form", formats.names())
def test_no_form_recurses(form: str) -> None:
    found = snapshot(chain(20_000))
    assert len(found.nodes) == 20_001
    assert formats.render(found, form)


def test_the_summary_of_a_very_deep_graph() -> None:
    summary = snapshot(chain(200_000)).summary()
    assert (summary["nodes"], summary["depth"], summary["width"]) == (200_001, 200_001, 1)
