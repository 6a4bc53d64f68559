"""`dagrad repl`, on a terminal of its own and without one."""

import os
import pty
import select
import subprocess
import time

import pytest


def test_it_refuses_without_a_terminal(process):
    answer = process("repl", stdin="1\n")
    assert (answer.code, answer.out) == (2, "")
    assert "dagrad run -" in answer.err


@pytest.fixture
def talk(command_line, environment, tmp_path):
    """Types lines into a session; what the terminal showed, and the exit code."""

    def action(*lines, plain=True):
        if plain:  # as if prompt_toolkit were not installed
            (tmp_path / "prompt_toolkit.py").write_text("raise ImportError\n")
        path = os.pathsep.join(filter(None, [str(tmp_path), environment().get("PYTHONPATH")]))
        master, slave = pty.openpty()
        child = subprocess.Popen(
            [*command_line, "repl"], stdin=slave, stdout=slave, stderr=slave, env=environment(PYTHONPATH=path, TERM="xterm", NO_COLOR="1"),
            start_new_session=True,
        )  # fmt: skip
        os.close(slave)
        shown = ""
        for line in [*lines, "\x04"]:
            shown += until(master, "> ")
            os.write(master, (line if line == "\x04" else line + "\r").encode())
        shown += until(master, None)
        code = child.wait(20)
        os.close(master)
        return shown, code

    return action


def until(master, prompt):
    """What comes up to a prompt, or to the end."""
    shown, begin = "", time.monotonic()
    while time.monotonic() - begin < 20:
        ready, _, _ = select.select([master], [], [], 0.3)
        if not ready:
            if prompt and shown.removesuffix("\x1b[?2004h").endswith(prompt):
                break
            continue
        try:
            data = os.read(master, 4096).decode("utf-8", "replace")
        except OSError:
            break
        if not data:
            break
        shown += data
    return shown


def test_a_session(talk):
    begin = ["x = 3", "x^2", ":graph", "param w = 2", "y = (w +", "x)", "backward(y)"]
    shown, code = talk(*begin, "_ + 1", "y = 2x", ":grad", ":help", ":nosuch")
    assert code == 0
    for text in ("9", "10", "write 2*x", "...>", "no value has a graph", "the params with their gradients", "there is no :nosuch"):
        assert text in shown
    assert "Traceback" not in shown


def test_quit_and_graphs(talk):
    shown, code = talk("param w = 2", "w^2 * 3", ":graph", ":memory", "print(1)", ":quit")
    assert code == 0
    assert "MulBackward0" in shown


def test_completion():
    from dagrad.cli.interactive.completion import candidates
    from dagrad.grammar import Session, Settings

    session = Session(Settings())
    session.enter("length = 3")
    assert candidates("y = leng", session) == ["length"]
    assert candidates("y = x.requi", session) == ["requires_grad"]
    assert candidates(":g", session) == [":graph", ":grad"]
    assert candidates("y = ", session) == []


@pytest.fixture
def session():
    from dagrad.grammar import Session, Settings

    return Session(Settings())


def test_plain_lines_go_on_until_a_bracket_is_closed(session, monkeypatch):
    from dagrad.cli.interactive.reading import plain_reader

    lines = iter(["x = (1 +", "2)", "if x {", "", ":help", "y = 1"])
    monkeypatch.setattr("builtins.input", lambda prompt: next(lines))
    read = plain_reader(session)
    assert [read() for _ in range(4)] == ["x = (1 +\n2)", "if x {", ":help", "y = 1"]


def test_entries_through_prompt_toolkit(session, tmp_path, monkeypatch):
    pytest.importorskip("prompt_toolkit")
    from prompt_toolkit.application import create_app_session
    from prompt_toolkit.input import create_pipe_input
    from prompt_toolkit.output import DummyOutput

    from dagrad.cli.interactive.reading import reader

    monkeypatch.setenv("DAGRAD_HISTORY", str(tmp_path / "history"))
    with create_pipe_input() as pipe, create_app_session(input=pipe, output=DummyOutput()):
        read = reader(session)
        pipe.send_text("x = (1 +\r2)\r:help\rsigm\t(1)\r")
        assert [read(), read()] == ["x = (1 +\n2)", ":help"]
        assert read() in {"sigmoid(1)", "sigm(1)"}  # completion may come after the key that follows
    assert "x = (1 +" in (tmp_path / "history").read_text()


def test_answers_in_this_process(dagrad, monkeypatch):
    lines = iter(["x = 2", "x^2", ":graph", "y = 2x", ":nosuch", ":help", ":grad", ":memory", ":quit"])
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("dagrad.cli.interactive.reading.reader", lambda session: lambda: next(lines))
    answer = dagrad("repl")
    assert answer.code == 0
    assert "4" in answer.lines
    assert "write 2*x" in answer.err
    assert next(lines, None) is None
