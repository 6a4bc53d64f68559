"""What every command shares: colours, pipes, terminals, JSON, usage errors, exit codes."""

import os
import pty
import select
import signal
import subprocess

import pytest

ESCAPE = "\x1b"


def on_terminal(command, environment, **changes):
    """Runs a command with stdout and stderr on one terminal and returns what a person would see."""
    parent, child = pty.openpty()
    process = subprocess.Popen(command, stdout=child, stderr=child, stdin=child, env=environment(TERM="xterm", **changes))
    os.close(child)
    text = b""
    while select.select([parent], [], [], 30)[0]:
        try:
            piece = os.read(parent, 65536)
        except OSError:
            break
        if not piece:
            break
        text += piece
    os.close(parent)
    return process.wait(), text.decode()


@pytest.fixture
def terminal(environment, command_line):
    return lambda *arguments, **changes: on_terminal([*command_line, *arguments], environment, **changes)


def test_a_pipe_gets_lines_without_escapes(process):
    answer = process("grad", "x^2", "--at", "x=3")
    assert answer.out == "value\t9\nx\t6\n"
    assert answer.err == ""
    assert answer.code == 0


@pytest.mark.parametrize("variable", ["GITHUB_ACTIONS", "CI", "FORCE_COLOR"])
def test_ci_changes_no_result(process, variable):
    assert process("grad", "x^2", "--at", "x=3", **{variable: "1"}).out == "value\t9\nx\t6\n"


def test_ci_colours_no_message_in_a_pipe(process):
    answer = process("grad", "x^2", GITHUB_ACTIONS="true", CI="1")
    assert ESCAPE not in answer.err
    assert answer.code == 2


def test_a_terminal_gets_a_coloured_table(terminal):
    code, text = terminal("grad", "x^2", "--at", "x=3")
    assert code == 0
    assert ESCAPE in text
    assert "─" in text
    assert "\t" not in text


@pytest.mark.parametrize("changes", [{"NO_COLOR": "1"}, {"FORCE_COLOR": "0"}])
def test_a_terminal_without_colours(terminal, changes):
    code, text = terminal("grad", "y", **changes)
    assert code == 2
    assert ESCAPE not in text


def test_no_color_may_be_empty(terminal):
    assert ESCAPE in terminal("grad", "y", NO_COLOR="")[1]


def test_force_color_paints_messages_in_a_pipe(process):
    assert ESCAPE in process("grad", "y", FORCE_COLOR="1").err
    assert ESCAPE not in process("grad", "y", FORCE_COLOR="1", NO_COLOR="1").err


def test_the_option_beats_the_environment(process):
    assert ESCAPE in process("grad", "y", "--color", "always", NO_COLOR="1").err
    assert ESCAPE not in process("grad", "y", "--color=never", FORCE_COLOR="1").err


def test_a_long_number_is_not_shortened_in_a_narrow_terminal(terminal):
    _, text = terminal("grad", "x", "--at", "x=0.1234567890123456", COLUMNS="30")
    assert "0.1234567890123456" in text
    assert "…" not in text


def test_a_reader_that_goes_away_is_no_error(command_line, environment):
    code = "for i in range(100000) { print(i) }"
    process = subprocess.Popen([*command_line, "run", "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
    assert process.stdout.readline() == b"0\n"
    process.stdout.close()
    error = process.stderr.read()
    process.stderr.close()
    assert error == b""
    assert process.wait(30) == 141


def test_ctrl_c_ends_with_130(command_line, environment):
    """A shell starts what it runs in the background deaf to Ctrl-C, and its children with it: here the child must hear it."""
    process = subprocess.Popen(
        [*command_line, "run", "-c", 'print("ready"); while true { }'],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(PYTHONUNBUFFERED="1"),
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    try:
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=30)
    finally:
        process.kill()
    assert process.returncode == 130
    assert b"Traceback" not in error


def test_usage_errors_are_plain_and_end_with_2(dagrad):
    answer = dagrad("grad", "x^2", "--at", "x=3", "--jsn")
    assert answer.code == 2
    assert "--jsn" in answer.err
    assert "--json" in answer.err
    assert "╭" not in answer.err
    assert answer.out == ""


@pytest.mark.parametrize("arguments", [["rum", "x.dg"], ["grad", "x^2", "--nosuch"], ["grad"], ["run"], ["graph", "dmp", "x"]])
def test_a_usage_error_is_a_document_too(dagrad, arguments):
    answer = dagrad(*arguments, "--json")
    assert answer.code == 2
    assert answer.json["ok"] is False
    assert answer.json["schema"] == 1
    assert answer.json["error"]["kind"] == "usage"
    assert answer.err


def test_no_arguments_show_the_help(dagrad):
    answer = dagrad()
    assert answer.code == 2
    assert "dagrad grad" in answer.err


@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_help_begins_with_examples_and_ends_with_exit_codes(dagrad, flag):
    answer = dagrad("grad", flag)
    assert answer.code == 0
    assert answer.out.startswith("Examples:\n  dagrad grad ")
    assert "Exit codes:" in answer.out
    assert "141" in answer.out


def test_version(dagrad):
    answer = dagrad("--version")
    assert answer.out.startswith("dagrad 0.")
    assert answer.code == 0


LARGE = {"typer", "rich", "lark", "numpy", "scipy"}
SLOW = {"dataclasses", "inspect", "json", "logging", "pathlib", "pickle", "shutil", "subprocess"}  # of the standard library
MISTAKES = {"dagrad.cli.tree", "dagrad.grammar.catalogue", "dagrad.grammar.recovery", "dagrad.grammar.rendering"}
OTHERS = {f"dagrad.{module}" for module in ("engine.inspect", "engine.numeric", "engine.optimize", "grammar.formatting", "grammar.session")}


@pytest.mark.parametrize(
    ("arguments", "absent"),
    [
        (["--version"], LARGE | SLOW | {"dagrad.engine", "dagrad.grammar"}),
        (["completion", "bash"], LARGE | SLOW | {"dagrad.engine", "dagrad.grammar"}),
        (["grad", "--help"], LARGE - {"typer"} | {"dagrad.engine", "dagrad.grammar"}),
        (["grad", "-x^2", "--at", "x=3", "-qo", "/dev/null"], LARGE - {"typer"} | OTHERS),
        (["grad", "-x^2", "--at", "x=3"], LARGE | SLOW | MISTAKES | OTHERS),
        (["grad", "x^2*sin(y)", "--at", "x=3", "--at", "y=1"], LARGE | SLOW | MISTAKES | OTHERS),
        (["run", "-c", "param x = 3; backward(x^2)"], LARGE | SLOW | MISTAKES | OTHERS),
        (["run", "-c", "param x = [3, 4]; backward(sum(x^2))"], LARGE - {"numpy"} | MISTAKES | OTHERS),
        (["parse", "-c", "y = x + 1"], LARGE | SLOW | MISTAKES | OTHERS),
        (["fmt", "-c", "y = x+1"], LARGE | {"json", "pathlib", "dagrad.cli.tree", "dagrad.grammar.recovery"}),
        (["run", "-c", "y = "], LARGE | {"dagrad.cli.tree", "dagrad.engine.optimize"}),
        (["ops", "sin"], LARGE | {"dagrad.cli.tree", "dagrad.grammar"}),
    ],
)
def test_what_is_not_needed_is_not_imported(command_line, environment, arguments, absent):
    """Start-up is what a shell script feels first: nothing slow is imported that the command does without."""
    script = (
        "import sys; before = {*sys.modules}; from dagrad.cli import main; "  # what measures coverage may be there already
        f"main({arguments!r}); print(sorted({absent!r} & (sys.modules.keys() - before)), file=sys.stderr)"
    )
    done = subprocess.run([command_line[0], "-P", "-c", script], capture_output=True, text=True, env=environment())
    assert done.stderr.endswith("[]\n")


def test_an_internal_error_is_one_line(process, environment, tmp_path):
    """Nothing in the command line is known to fail so; a library that cannot be imported stands for it."""
    (tmp_path / "typer.py").write_text("raise RuntimeError('broken installation')")
    path = os.pathsep.join([str(tmp_path), environment().get("PYTHONPATH", "")])
    answer = process("grad", "--help", PYTHONPATH=path)
    assert answer.code == 70
    assert "Traceback" not in answer.err
    assert "broken installation" in answer.err
    assert "Traceback" in process("grad", "--help", PYTHONPATH=path, DAGRAD_TRACEBACK="1").err


def test_the_answer_goes_to_a_file(dagrad, tmp_path):
    file = tmp_path / "answer.json"
    answer = dagrad("grad", "x^2", "--at", "x=3", "--json", "-o", file)
    assert answer.out == ""
    assert '"gradients": {"x": 6}' in file.read_text()


def test_a_file_that_cannot_be_written_is_a_usage_error(dagrad, tmp_path):
    assert dagrad("grad", "x^2", "--at", "x=3", "-o", tmp_path / "no" / "where").code == 2


def test_nothing_is_written_that_was_not_asked_for(process, tmp_path):
    process("run", "-c", "param x = 3; backward(x^2)")
    process("grad", "y +")
    assert list(tmp_path.iterdir()) == []
