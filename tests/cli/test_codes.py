"""The errors of the command line itself: what provokes each code, and every form of every message."""

import json
import shlex

import pytest

from dagrad.grammar import ENTRIES

FILES = {
    "model.dg": "param w = 1\ninput x = 1\ninput y = 1\nresidual = y - exp(w * x)\n",
    "load.dg": 'x = load("-")\n',
    "data.csv": "1,2\n",
    "points.csv": "x,y\n1,1\n2,4\n3,9\n",
    "samples/errors/fails.dg": "assert 1 > 2\n",
    "samples/nist/holds.dg": "assert 2 > 1\n",
}
COMMANDS = [entry for entry in ENTRIES if entry.is_command]


@pytest.fixture
def shell(process, tmp_path):
    """Runs a line as a shell would, `< FILE` included, in a folder with the files above."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")

    def run(line):
        command, _, file = line.partition(" < ")
        return process(*shlex.split(command)[1:], stdin=FILES[file] if file else "", cwd=tmp_path)

    return run


@pytest.mark.parametrize("entry", COMMANDS, ids=lambda entry: entry.code)
def test_the_command_line_gives_the_code(shell, recorded_message, entry):
    answer = shell(entry.wrong)
    assert answer.code == {"runtime": 1}.get(entry.category, 2)
    recorded_message(entry.code, answer.err)


@pytest.mark.parametrize("entry", COMMANDS, ids=lambda entry: entry.code)
def test_the_right_command_line_does_not(shell, entry):
    answer = shell(entry.right)
    assert answer.err == ""
    assert answer.code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "model.dg", "--set", "w=1 +"], "--set w=1 +: "),
        (["run", "model.dg", "--set", "w=u"], "--set w=u: unknown name 'u' in a value that must be constant"),
        (["run", "model.dg", "--set", 'w="a"'], "--set w: neither a number nor a tensor"),
        (["grad", "x^2", "--at", "x=1", "--at", "y=1"], "--at y: the expression has no such name"),
        (["grad", "x^2", "--at", "x=1", "--at", "x=2"], "--at x: given twice, as 1 and as 2"),
        (["run", "model.dg", "--set", "w=1", "--set", "w=2"], "--set w: given twice, as 1 and as 2"),
        (["fit", "model.dg", "--data", "points.csv", "--start", "w=1", "--start", "w=2"], "--start w: given twice, as 1 and as 2"),
        (["grad", "x^2", "--at", "x=1", "--hvp", "x=1", "--hvp", "x=2"], "--hvp x: given twice, as 1 and as 2"),
    ],
)
def test_a_setting_that_does_not_fit(dagrad, tmp_path, monkeypatch, arguments, message):
    for name in ("model.dg", "points.csv"):
        (tmp_path / name).write_text(FILES[name], "utf-8")
    monkeypatch.chdir(tmp_path)
    answer = dagrad(*arguments)
    assert answer.err.startswith(f"error[DG071]: {message}")
    assert answer.code == 2


@pytest.mark.parametrize("text", ["y = nosuch", "y = 2x", "y = [1][3]", "y = zeros(10^12)"])
def test_every_form(dagrad, text):
    full = dagrad("run", "-c", text).err
    assert "\n1 | y = " in full
    concise = dagrad("run", "-c", text, "--error-format", "concise").err
    assert concise.startswith("<-c>:1:")
    assert concise.count("\n") == 1
    github = dagrad("run", "-c", text, "--error-format", "github").err
    assert github.startswith("::error file=<-c>,line=1,col=")
    (found,) = json.loads(dagrad("run", "-c", text, "--error-format", "json").err)
    assert {"code", "kind", "message", "file", "line", "column", "end_line", "end_column", "help", "labels", "stack"} == set(found)
    assert f"[{found['code']}]" in concise
