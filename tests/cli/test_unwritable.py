"""Output that cannot be written: one line says so, and never a traceback."""

import os
import subprocess

import pytest

pytestmark = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs the device that is always full")

MANY = ["run", "-c", "for i in range(20000) { print(i) }"]
COMMANDS = [
    ["run", "-c", "param w = 1", "-c", "backward(w)"],
    ["run", "-c", "print(1)", "--json"],
    ["run", "-c", "x = nosuch", "--json"],
    MANY,
    ["grad", "x^2", "--at", "x=1"],
    ["sweep", "-e", "x", "--over", "x=arange(3)"],
]


@pytest.fixture
def full(command_line, environment):
    """Runs a command line whose standard output is a full device."""

    def run(*arguments, stdout="/dev/full", stderr=subprocess.PIPE):
        with open(stdout, "w") as out:
            return subprocess.run([*command_line, *arguments], stdout=out, stderr=stderr, text=True, env=environment(), timeout=60)

    return run


@pytest.mark.parametrize("words", [*COMMANDS, ["--version"], ["--help"], ["run", "--help"], ["completion", "bash"]], ids=" ".join)
def test_standard_output(full, words):
    done = full(*words)
    assert done.returncode == 1
    assert done.stderr.endswith("error[DG055]: cannot write the output: no space left on device\n")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_the_file_of_an_option(process, words):
    answer = process(*words, "-o", "/dev/full")
    assert answer.code == 1
    assert answer.err.endswith("error[DG055]: cannot write /dev/full: no space left on device\n")
    assert "Traceback" not in answer.err


def test_what_went_wrong_before_is_said_too(full):
    assert "unknown name 'nosuch'" in full("run", "-c", "x = nosuch", "--json").stderr


@pytest.mark.parametrize(("code", "words"), [(0, ["run", "-c", "print(1)", "-q"]), (3, ["run", "-c", "x = nosuch"])])
def test_messages_that_cannot_be_written_change_no_code(full, code, words):
    with open("/dev/full", "w") as nowhere:
        assert full(*words, stdout=os.devnull, stderr=nowhere).returncode == code


@pytest.mark.parametrize(("closing", "code"), [(">&-", 1), ("2>&-", 0)])
def test_a_stream_that_is_closed(command_line, environment, closing, code):
    words = [*command_line, "run", "-c", "print(1)"]
    done = subprocess.run(["sh", "-c", f'"$@" {closing}', "sh", *words], capture_output=True, text=True, env=environment(), timeout=60)
    assert done.returncode == code
    assert done.stderr == ("error[DG055]: cannot write the output: it is closed\n" if code else "")


def test_an_empty_file_name(dagrad):
    answer = dagrad("run", "-c", "x = 1", "-o", "")
    assert answer.code == 2
    assert "-o '': an empty file name" in answer.err
