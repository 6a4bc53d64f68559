"""Every option that takes a number, with numbers that are none, too large or in no range: at worst a usage error."""

import pytest

from dagrad.cli import direct
from dagrad.cli.options import declared
from dagrad.cli.parameters import Argument

SEVERAL = ["-c", "param w = 1", "-c", "backward(w^2)", "-c", "backward(w^2)"]
LINES = {
    "check": SEVERAL,
    "fit": ["-e", "a * x", "--data", "DATA", "--y", "y", "--start", "a=1"],
    "fmt": ["-c", "x = 1"],
    "grad": ["x^2", "--at", "x=1"],
    "graph diff": ["FILE"],
    "graph dump": SEVERAL,
    "graph trace": SEVERAL,
    "memory": SEVERAL,
    "ops": ["sin"],
    "parse": ["-c", "x = 1"],
    "run": SEVERAL,
    "sweep": ["-e", "x^2", "--over", "x=arange(2)"],
    "test": ["FILE"],
}
NUMBERS = ["0", "-1", "nan", "inf", "-inf", "1e400", "1" + "0" * 20, "-1" + "0" * 20, "2147483647", "1.5", "99999999999G", "x", ""]


def numeric(command):
    """The options of a command that take a number or a size."""
    for parameter in declared(direct.find(command.split())[1]):
        if not isinstance(parameter.mark, Argument) and (parameter.type in (int, float) or parameter.mark.parser):
            yield parameter.mark.names[0]


CASES = [(command, option) for command in LINES for option in numeric(command)]


@pytest.fixture
def line(tmp_path):
    (tmp_path / "m.dg").write_text("param w = 1\nbackward(w^2)\nbackward(w^2)\n", "utf-8")
    (tmp_path / "d.csv").write_text("x,y\n1,2\n2,4\n3,6\n4,8.5\n", "utf-8")
    files = {"FILE": tmp_path / "m.dg", "DATA": tmp_path / "d.csv"}
    return lambda command: [*command.split(), *(files.get(word, word) for word in LINES[command])]


@pytest.mark.parametrize(("command", "option"), CASES, ids=": ".join)
def test_no_number_is_a_fault_of_dagrad(dagrad, line, command, option):
    for number in NUMBERS:
        answer = dagrad(*line(command), f"{option}={number}")
        assert answer.code in (0, 1, 2, 4), (number, answer.err)
        if number in ("nan", "x", ""):
            assert answer.code == 2, (number, answer.err)
        if number.endswith("G") and option == "--max-memory":
            assert answer.code == 0, answer.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["run", "--timeout", "nan"], "invalid value for '--timeout': nan is not a number"),
        (["run", "--timeout", "inf"], "invalid value for '--timeout': inf is not in the range 0.001<=x<=100000000"),
        (["run", "--max-depth", "2147483647"], "invalid value for '--max-depth': 2147483647 is not in the range 1<=x<=10000000"),
        (["run", "--digits", "abc"], "invalid value for '--digits': 'abc' is not a valid integer"),
        (["run", "--timeout", "abc"], "invalid value for '--timeout': 'abc' is not a valid number"),
        (["graph", "dump", "--step", "1.5"], "invalid value for '--step': '1.5' is not a valid integer"),
        (["sweep", "-e", "x", "--over", "x=[1,2]", "--jobs", "0"], "--jobs 0: nobody would work"),
        (["test", "--jobs", "99999999999999"], "invalid value for '--jobs' / '-j': 99999999999999 is not in the range 0<=x<=1000"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_the_message_says_the_range(dagrad, words, message):
    answer = dagrad(*words)
    assert answer.code == 2
    assert f"error[DG073]: {message}\n" in answer.err


def test_mistakes_are_worded_alike(dagrad):
    answer = dagrad("completion")
    assert "error[DG073]: missing argument 'bash|zsh|fish'; choose from bash, zsh, fish\n" in answer.err
    assert "dagrad run --help shows" in dagrad("run", "--digits").err
    assert "dagrad graph dump --help shows" in dagrad("graph", "dump", "--step").err


def test_what_follows_two_dashes_is_no_option(dagrad):
    answer = dagrad("run", "-c", "x = 1", "--", "--json")
    assert (answer.code, answer.out) == (2, "")
