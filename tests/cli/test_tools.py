"""`dagrad parse` and `dagrad fmt`, as they are used in a shell."""

import pytest


def test_parse_prints_parentheses(dagrad):
    answer = dagrad("parse", "-c", "y = -x^2 + 3*x", "-c", "z = 2^-1")
    assert (answer.code, answer.out) == (0, "y = ((-(x^2)) + (3 * x))\nz = (2^(-1))\n")


def test_what_parse_prints_evaluates_to_the_same(dagrad):
    text = "x = 3; y = -x^2 + 3*x % 2 // 1 if 0 < x < 4 and not x == 2 else 1"
    printed = dagrad("parse", "-c", text).out
    assert dagrad("run", "-c", printed, "--json").json["values"] == dagrad("run", "-c", text, "--json").json["values"]


def test_parse_the_tree(dagrad):
    assert dagrad("parse", "--ast", "-c", "y = -x").lines[-1] == "      operand: Name x @1:6"
    found = dagrad("parse", "--ast", "--json", "-c", "y = -x").json
    assert found["text"] == "y = (-x)\n"
    assert found["tree"]["statements"][0]["value"]["operator"] == "-"
    assert "tree" not in dagrad("parse", "--json", "-c", "y = -x").json


def test_parse_nothing(dagrad):
    assert (dagrad("parse", "-c", "# only a comment").out, dagrad("parse").code) == ("", 2)


def test_parse_reports_errors_like_run(dagrad):
    answer = dagrad("parse", "-c", "y = 2x")
    assert answer.code == 3
    assert "write 2*x" in answer.err


def test_a_tree_too_deep_for_json(dagrad):
    answer = dagrad("parse", "--ast", "--json", "-c", "y = " + "-" * 3000 + "1")
    assert answer.code == 4
    assert answer.json["error"]["kind"] == "nesting"


@pytest.fixture
def model(tmp_path):
    file = tmp_path / "model.dg"
    file.write_text("x=1 # one\n", "utf-8")
    return file


def test_fmt_prints_and_leaves_the_file_alone(dagrad, model):
    assert dagrad("fmt", model).out == "x = 1  # one\n"
    assert model.read_text() == "x=1 # one\n"


def test_fmt_in_a_pipe(process):
    assert process("fmt", "-", stdin="y=x;z=2").out == "y = x\nz = 2\n"


def test_fmt_check(dagrad, model):
    answer = dagrad("fmt", "--check", model)
    assert (answer.code, answer.out, answer.err) == (1, f"{model}\n", "")
    assert dagrad("fmt", "--write", model).code == 0
    assert model.read_text() == "x = 1  # one\n"
    assert (dagrad("fmt", "--check", model).code, dagrad("fmt", "--check", model).out) == (0, "")


def test_fmt_diff(dagrad, model):
    answer = dagrad("fmt", "--diff", model)
    assert answer.code == 0
    assert answer.lines[2:] == ["@@ -1 +1 @@", "-x=1 # one", "+x = 1  # one"]
    assert dagrad("fmt", "--diff", "--check", model).code == 1
    assert dagrad("fmt", "--diff", "-c", "x=1").lines[-3:] == ["-x=1", "\\ No newline at end of file", "+x = 1"]


def test_fmt_several_files(dagrad, model, tmp_path):
    other = tmp_path / "other.dg"
    other.write_text("y = 2\n", "utf-8")
    assert dagrad("fmt", model, other).code == 2
    assert dagrad("fmt", "--check", model, other).out == f"{model}\n"
    assert [f["changed"] for f in dagrad("fmt", "--json", model, other).json["files"]] == [True, False]
    answer = dagrad("fmt", "-w", model, other)
    assert answer.err == f"formatted {model}\n"


def test_fmt_usage(dagrad, model):
    assert dagrad("fmt", "--write", "--check", model).code == 2
    assert dagrad("fmt", "--write", "-c", "x=1").code == 2
    assert dagrad("fmt", model.with_name("nosuch.dg")).code == 2
    assert dagrad("fmt", "-c", "x = (1").code == 3


def test_code_on_the_command_line_needs_no_last_line_end(dagrad):
    assert dagrad("fmt", "-c", "x = 1", "--check").code == 0
    assert dagrad("fmt", "-c", "x=1", "--check").code == 1
