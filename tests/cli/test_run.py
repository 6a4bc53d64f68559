"""`dagrad run`: programs, their settings, their output in each form."""

import numpy as np
import pytest

MODEL = """\
param w = 2
param unused = [1, 2]
input n = 3
y = n * w^2
print("y is", y)
backward(y)
"""


@pytest.fixture
def model(tmp_path):
    file = tmp_path / "model.dg"
    file.write_text(MODEL)
    return file


def test_output_then_params(dagrad, model):
    assert dagrad("run", model).out == "y is 12\nw\t2\t12\nunused\t[1, 2]\t-\n"


def test_quiet_drops_the_table(dagrad, model):
    assert dagrad("run", "-q", model).out == "y is 12\n"


def test_the_document(dagrad, model):
    document = dagrad("run", model, "--json").json
    assert document.pop("memory")["process"]["peak_rss_bytes"] > 1e6
    assert document == {
        "schema": 1,
        "command": "run",
        "ok": True,
        "nonfinite": 0,
        "output": ["y is 12"],
        "values": {"n": 3, "y": 12},
        "params": {"w": {"value": 2, "grad": 12}, "unused": {"value": [1, 2], "grad": None}},
    }


def test_set(dagrad, model):
    assert dagrad("run", model, "--set", "w=-1", "--set", "n=2*2", "-q").out == "y is 4\n"


@pytest.mark.parametrize("option", ["nosuch=3", "w", "w=", "w=1 +", "w=zz", "=3", "y=3"])
def test_a_wrong_set_is_a_usage_error(dagrad, model, option):
    answer = dagrad("run", model, "--set", option)
    assert answer.code == 2
    assert "--set" in answer.err


def test_code_from_the_command_line(dagrad):
    assert dagrad("run", "-c", "x = 3", "-c", "print(x^2)").out == "9\n"
    assert dagrad("run", "-c", "x = 3", "x.dg").code == 2


def test_a_program_from_stdin(process):
    assert process("run", "-", stdin="print(1 + 1)\n").out == "2\n"
    assert process("run", "-", stdin="x = \0").code == 2


def test_a_failure_keeps_the_output_so_far(dagrad):
    answer = dagrad("run", "-c", 'print("one\\ntwo"); x = 1', "-c", "assert x > 2", "--json")
    assert answer.code == 1
    assert answer.json["ok"] is False
    assert answer.json["output"] == ["one", "two"]
    assert answer.json["error"]["line"] == 2
    assert answer.json["errors"] == [answer.json["error"]]
    assert "error" in answer.err


def test_output_comes_before_the_error(process):
    answer = process("run", "-c", 'print("before"); assert false')
    assert answer.out == "before\n"
    assert answer.code == 1


def test_all_syntax_errors_are_in_the_document(dagrad):
    answer = dagrad("run", "-c", "x = (1", "-c", "y = 2x", "-c", "z = 3 4", "--json")
    assert answer.code == 3
    assert len(answer.json["errors"]) >= 2
    assert answer.json["output"] == [] if "output" in answer.json else True


@pytest.mark.parametrize(
    ("code", "options", "exit", "word"),
    [
        ("while true { }", ["--max-steps", "1000"], 4, "step"),
        ("while true { }", ["--timeout", "0.2"], 4, "time"),
        ("f(n) = 0 if n == 0 else f(n - 1); y = f(100)", ["--max-depth", "50"], 4, "depth"),
        ("x = zeros(1000, 1000)", ["--max-elements", "1000"], 4, "elements"),
        ("x = 1", ["--timeout", "abc"], 2, "abc"),
        ("x = 1", ["--max-steps", "-1"], 2, "--max-steps"),
        ("x = 1", ["--max-memory", "much"], 2, "much"),
        ("y = nosuch", [], 3, "nosuch"),
    ],
)
def test_exit_codes(dagrad, code, options, exit, word):
    answer = dagrad("run", "-c", code, *options)
    assert answer.code == exit
    assert word in answer.err


def test_the_memory_limit(process):
    answer = process("run", "-c", "x = zeros(9000, 9000)", "--max-memory", "512M")
    assert answer.code == 4
    assert "memory" in answer.err


@pytest.mark.parametrize("name", ["nosuch.dg", "."])
def test_an_unreadable_file_is_a_usage_error(dagrad, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    answer = dagrad("run", name)
    assert answer.code == 2
    assert name in answer.err


def test_runs_are_reproducible(dagrad):
    code = "print(randn(3))"
    first = dagrad("run", "-c", code).out
    assert dagrad("run", "-c", code).out == first
    assert dagrad("run", "-c", code, "--seed", "1").out != first


def test_writing_needs_leave(dagrad, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    answer = dagrad("run", "-c", 'save("a.npy", [1, 2])')
    assert answer.code == 1
    assert "--allow-write" in answer.err
    assert dagrad("run", "-c", 'save("a.npy", [1, 2])', "--allow-write", tmp_path).code == 0
    assert (tmp_path / "a.npy").is_file()


def test_check_finite_names_the_line(dagrad):
    answer = dagrad("run", "-c", "param x = 0", "-c", "y = log(x)", "-c", "z = 3", "--check-finite", "--json")
    assert answer.code == 1
    assert answer.json["error"]["line"] == 2


@pytest.mark.parametrize(
    ("form", "start"),
    [("concise", "<-c>:1:5: error[DG"), ("json", '[{"code": "DG'), ("github", "::error file=<-c>,line=1,"), ("full", "error[DG")],
)
def test_error_formats(dagrad, form, start):
    answer = dagrad("run", "-c", "y = nosuch", "--error-format", form)
    assert answer.code == 3
    assert answer.err.startswith(start)


def test_a_param_is_set_to_numbers_only(dagrad):
    answer = dagrad("run", "-c", "param w = 1", "--set", 'w="a"')
    assert (answer.code, "neither a number nor a tensor" in answer.err) == (2, True)
    assert dagrad("run", "-c", "input w = 1", "-c", "print(w)", "--set", 'w="a"').out == "a\n"


def test_the_document_of_a_program_that_does_not_parse_has_no_output(dagrad):
    answer = dagrad("run", "-c", "x = 2x", "--json")
    assert (answer.code, answer.json["output"]) == (3, [])


@pytest.mark.parametrize("value", ["[3,4]", "(3,4)", "@x.npy", "@x.csv:b"])
def test_values_that_are_set_are_written_as_those_of_a_point(dagrad, tmp_path, monkeypatch, value):
    monkeypatch.chdir(tmp_path)
    np.save(tmp_path / "x.npy", np.array([3.0, 4.0]))
    (tmp_path / "x.csv").write_text("a,b\n1,3\n2,4\n")
    (tmp_path / "w.dg").write_text("param w = [1, 2]\ny = sum(w^2)\nbackward(y)\nprint(y)\n")
    ran = dagrad("run", "w.dg", "--set", f"w={value}")
    assert (ran.code, ran.out.splitlines()[0]) == (0, "25")


def test_a_file_that_is_set_and_missing(dagrad, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "w.dg").write_text("param w = [1, 2]\n")
    ran = dagrad("run", "w.dg", "--set", "w=@nix.npy")
    assert (ran.code, "cannot read nix.npy" in ran.err) == (2, True)
