"""The errors of the command line itself: what provokes each code, and every form of every message."""

import json

import pytest

from dagrad.grammar import BY_CODE, ENTRIES

FILES = {
    "model.dg": "param x = 2\ny = detach(x) * x\nbackward(y)\n",
    "load.dg": 'x = load("-")\n',
    "bad/fails.dg": "assert 1 > 2\n",
    "points.csv": "x,y\n1,1\n2,4\n3,9\n",
    "fit.dg": 'param a = 1\nx = load("points.csv", "x")\ny = load("points.csv", "y")\nresidual = y - a * exp(x)\n',
}
COMMANDS = {
    "DG057": ["check", "model.dg"],
    "DG058": ["fit", "b * exp(c * x)", "--data", "points.csv", "--target", "y", "--max-evaluations", "1"],
    "DG059": ["test", "bad"],
    "DG070": ["run", "nosuch.dg"],
    "DG071": ["run", "model.dg", "--set", "nosuch=3"],
    "DG072": ["run", "-"],
    "DG073": ["grad", "x^2"],
}


@pytest.fixture
def folder(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def test_every_code_is_provoked_somewhere():
    here = {entry.code for entry in ENTRIES if entry.wrong.startswith("dagrad ")}
    assert here == set(COMMANDS)


@pytest.mark.parametrize("code", [c for c in COMMANDS if c != "DG058"])
def test_the_command_line_gives_the_code(process, folder, code):
    text = FILES["load.dg"] if code == "DG072" else ""
    answer = process(*COMMANDS[code], "--error-format", "concise", stdin=text, cwd=folder)
    assert answer.code == {"runtime": 1}.get(BY_CODE[code].category, 2)
    assert f"error[{code}]" in answer.err or code == "DG071", answer.err


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
