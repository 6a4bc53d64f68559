"""`dagrad graph diff`: what one graph has more or less than another, by source line."""

from pathlib import Path

import pytest

BRANCHES = Path(__file__).parents[2] / "samples" / "branches.dg"


@pytest.fixture
def diff(dagrad):
    return lambda *options: dagrad("graph", "diff", *options)


def test_the_branch_and_nothing_else(diff):
    assert diff(BRANCHES).lines == [
        "-\tnode\t10\tPowBackward0\tx^2",
        "+\tnode\t12\tAddBackward0\t2 * log(x) + 1",
        "+\tnode\t12\tMulBackward0\t2 * log(x)",
        "+\tnode\t12\tLogBackward0\tlog(x)",
        "-\tedge\t10\tPowBackward0 (x^2) → x\tinput 0",
        "+\tedge\t12\tAddBackward0 (2 * log(x) + 1) → MulBackward0 (2 * log(x))\tinput 0",
        "+\tedge\t12\tMulBackward0 (2 * log(x)) → LogBackward0 (log(x))\tinput 0",
        "+\tedge\t12\tLogBackward0 (log(x)) → x\tinput 0",
    ]


def test_the_document(diff):
    found = diff(BRANCHES, "--json").json
    assert (found["command"], found["ok"], found["equal"], found["steps"]) == ("graph diff", True, False, [1, 2])
    assert [(node["op"], node["line"], node["count"]) for node in found["nodes"]["lost"]] == [("PowBackward0", 10, 1)]
    assert [node["source"] for node in found["nodes"]["gained"]] == ["2 * log(x) + 1", "2 * log(x)", "log(x)"]
    assert [edge["to"]["variable"] for edge in found["edges"]["lost"]] == ["x"]
    assert found["by_line"] == [{"line": 10, "gained": 0, "lost": 1}, {"line": 12, "gained": 3, "lost": 0}]


def test_equal_graphs(diff):
    answer = diff(BRANCHES, "--steps", "2,3", "--exit-code")
    assert (answer.code, answer.out) == (0, "")
    assert "equal" in answer.err
    assert diff(BRANCHES, "--steps", "2,-1", "--json").json["equal"] is True


def test_the_exit_code_on_request(diff):
    assert diff(BRANCHES).code == 0
    answer = diff(BRANCHES, "--exit-code", "-q")
    assert (answer.code, answer.out, answer.err) == (1, "", "")


def test_two_programs(diff, tmp_path):
    old, new = tmp_path / "old.dg", tmp_path / "new.dg"
    old.write_text("param x = 2\nbackward(sin(x) * x)\n")
    new.write_text("# a line more\nparam x = 2\nbackward(cos(x) * x)\n")
    assert [line.split("\t")[0::3] for line in diff(old, new).lines[:4]] == [
        ["-", "MulBackward0"],
        ["-", "SinBackward0"],
        ["+", "CosBackward0"],
        ["+", "MulBackward0"],
    ]
    assert diff(old, old, "--exit-code").code == 0


@pytest.mark.parametrize("steps", ["1", "1,2,3", "a,b", "0,1", "1,9"])
def test_steps_that_are_none(diff, steps):
    assert diff(BRANCHES, "--steps", steps).code == 2


def test_a_step_that_is_not_there_is_named_by_its_option(dagrad):
    answer = dagrad("graph", "diff", "-c", "param x = 1", "-c", "backward(x)", "--steps", "1,2")
    assert answer.code == 2
    assert "--steps 2: the program calls backward once" in answer.err
    assert "f'(x) and grad(…) are none" in answer.err
