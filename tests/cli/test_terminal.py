"""The views for a person, drawn on a real terminal and held against recorded texts: `pytest --record` records them anew."""

import os
import pty
import re
import select
import struct
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXPECTED = ROOT / "tests" / "expected" / "terminal"

LONG = "param W = linspace(0, 1, 40)\nparam b = 2\nparam v = [1, 2]\nbackward(sum(sin(W) * b) + sum(v))\n"
LEAK = "param w = 0.5\ntotal = 0\nfor i in range(12) {\n    loss = (w * i - 3)^2\n    backward(loss)\n    total += loss\n}\n"

VIEWS = {
    "run": ["run", "-c", LONG, "--digits", "5"],
    "run_trace": ["run", "-c", "param x = 2", "-c", "backward(x * x)", "--trace"],
    "tree": ["graph", "dump", "samples/branches.dg", "--step", "2", "--saved"],
    "tree_collapsed": ["graph", "dump", "samples/newton_sqrt.dg", "--collapse"],
    "diff": ["graph", "diff", "samples/branches.dg"],
    "trace": ["graph", "trace", "-e", "x*y + sin(x)", "--at", "x=1", "--at", "y=2"],
    "memory": ["memory", "-c", LEAK, "--compare", "retain_graph"],
    "steps": ["grad", "x*y + sin(x)", "--at", "x=1", "--at", "y=2", "--steps", "--digits", "6"],
}


def on_a_terminal(command, environment, columns=110):
    """What a command writes to a terminal of this width."""
    import fcntl
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, cwd=ROOT, env=environment)
    os.close(theirs)
    written = b""
    while select.select([ours], [], [], 60)[0]:
        try:
            part = os.read(ours, 1 << 16)
        except OSError:
            break
        if not part:
            break
        written += part
    os.close(ours)
    assert process.wait(60) == 0, written.decode()
    return written.decode().replace("\r\n", "\n")


def masked(text):
    """Times, shares of time and sizes of Python's objects differ from run to run and from version to version."""
    text = re.sub(r"\d+\.\d{2,3}(?= {0,3}(\d+%)? *\n| +\d+%)", "T", text)
    text = re.sub(r" {0,2}\d+%", " P%", text)
    text = re.sub(r"(peak memory of the process:) .*", r"\1 …", text)
    text = re.sub(r"(graph nodes|peak_graph_bytes)( +).*", r"\1\2…", text)
    return re.sub(r" +\n", "\n", re.sub(r"─{3,}", "───", text))


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX terminal")
@pytest.mark.parametrize("name", VIEWS)
def test_a_view_looks_as_recorded(name, command_line, environment, request):
    text = masked(on_a_terminal([*command_line, *VIEWS[name]], environment(NO_COLOR="1", TERM="xterm")))
    if name in ("trace", "run_trace"):  # the summary is in the order of the times
        text = "\n".join(line for line in text.split("\n") if not line.rstrip().endswith(" B") or "%" in line[:8])
        text = re.sub(r"\n operation.*", "\n", text, flags=re.S)
    file = EXPECTED / f"{name}.txt"
    if request.config.getoption("--record"):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    assert text == file.read_text("utf-8")


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX terminal")
def test_progress_of_a_long_run(command_line, environment):
    source = 'param w = 1\nfor i in range(10000000) {\n  zero_grad()\n  backward(w^2)\n  if i % 1000 == 0 { print("loss", i) }\n}\n'
    command = [*command_line, "run", "-q", "-c", source, "--timeout", "2"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment(TERM="xterm"), cwd=ROOT)
    assert "\r" not in done.stderr
    assert done.returncode == 4
    shown = ["sh", "-c", '"$@" | tail -1; true', "sh", *[word for word in command if word != "-q"]]
    text = on_a_terminal(shown, environment(TERM="xterm", NO_COLOR="1"))
    assert re.search(r"\rstep [\d,]+  [\d,]+/s  loss \d+", text)
