"""Plain command lines are read without Typer: to the same calls as with it."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dagrad.cli import direct, tree
from dagrad.cli.app import Session
from dagrad.cli.options import declared
from dagrad.cli.parameters import Argument
from dagrad.cli.status import UsageError

COMMANDS = [
    ["check"], ["completion"], ["explain"], ["fit"], ["fmt"], ["grad"], ["memory"], ["ops"], ["parse"], ["repl"], ["run"], ["sweep"],
    ["test"], ["graph", "diff"], ["graph", "dump"], ["graph", "trace"],
]  # fmt: skip
TEXTS = ["x", "x=3", "x^2*sin(y)", "a b", "", "-", "0", "1", "17", "99", "1_0", "1.5", "inf", "nan", "512M", "json", "svg", "never", "bash",
         "ä", "x=-1", "run", "/", ".", "retain_graph"]  # fmt: skip
ODD = ["--", "-x", "-x^2", "--jsn", "--json=", "-h", "-qo", "-1", "--format", "--at", "-e=x", "-", "--hel"]


def command_of(path):
    return direct.find(path)[1]


def by_typer(monkeypatch, words):
    """The values that Typer calls the command with, or the message."""
    with monkeypatch.context() as patch:
        found = []
        patch.setattr(tree, "call", lambda command, values, session: found.append((command, values)))
        try:
            tree.invoke(words, Session(words))
        except UsageError as error:
            return error.message
        return found[0] if found else None


@st.composite
def lines(draw):
    """A command line of options that the command has, in any order and form, with what is a mistake or rare in between."""
    path = draw(st.sampled_from(COMMANDS))
    words = []
    for parameter in draw(st.lists(st.sampled_from(list(declared(command_of(path)))), max_size=6)):
        text = draw(st.sampled_from(TEXTS))
        if isinstance(parameter.mark, Argument):
            words += [text]
            continue
        name = draw(st.sampled_from([name for name, _ in direct.names(parameter)]))
        if parameter.type is bool:
            words += [name]
        else:
            words += [f"{name}={text}"] if name.startswith("--") and draw(st.booleans()) else [name, text]
    for word in draw(st.lists(st.sampled_from(ODD), max_size=2)):
        words.insert(draw(st.integers(0, len(words))), word)
    return path, words


@settings(max_examples=400, deadline=None)
@given(line=lines())
@example((["grad"], ["x", "--at", "x=1", "--at=x=2", "--format", "value", "-q"]))
@example((["test"], ["a", "b", "-j", "2"]))
@example((["graph", "dump"], ["--no-collapse", "-"]))
@example((["run"], ["-"]))
def test_what_is_read_directly_is_what_typer_reads(line):
    path, words = line
    found = direct.read(path + words)
    if found is not None:
        assert found[0] == path
        assert repr(found[1:]) == repr(by_typer(pytest.MonkeyPatch(), path + words))  # nan is not nan


@pytest.mark.parametrize(
    "words",
    [
        ["grad", "x^2*sin(y)", "--at", "x=2", "--at=y=1", "--format", "value", "--digits", "3", "--timeout=1.5", "-o", "-"],
        ["run", "-c", "x = 1", "--code=y = 2", "--set", "a=-1", "--max-memory", "1G", "--json", "--seed", "7"],
        ["run", "model.dg", "-q", "--color", "never", "--memory"],
        ["graph", "dump", "--no-collapse", "--max-nodes", "9", "-"],
        ["test", "a", "b", "-j", "2", "--junit", "report.xml"],
        ["fmt", "a.dg", "--check"],
        ["ops"],
        ["grad", "-x^2", "--at", "x=3", "-q"],
        ["grad", "--(x)", "-o", "file"],
    ],
)
def test_plain_lines_are_read_directly(monkeypatch, words):
    found = direct.read(words)
    assert found is not None
    assert found[1:] == by_typer(monkeypatch, words)


@pytest.mark.parametrize(
    "words",
    [
        [], ["--help"], ["grad", "-h"], ["grd"], ["graph"], ["graph", "--help"], ["__init__"], ["commands"], ["grad", "-x", "-y"],
        ["grad", "x", "y"], ["grad", "x", "--at"], ["grad", "x", "--at", "--json"],
        ["grad", "x", "--digits", "18"], ["grad", "x", "--digits", "three"],
        ["grad", "x", "--json=1"], ["grad", "x", "--format", "tabel"], ["run", "x", "-qo", "y"], ["run", "--", "x"], ["completion"],
        ["run", "x", "--seed", "1", "--seed", "2"], ["run", "x", "--max-memory", "1K"], ["run", "x", "--timeout", "nan"],
    ],
)  # fmt: skip
def test_all_others_are_left_to_typer(words):
    assert direct.read(words) is None


def test_every_command_is_tried():
    from dagrad.cli.completion.generate import entries

    leaves = [entry.path.split() for entry in entries() if entry.path and entry.path != "graph"]
    assert sorted(leaves) == sorted(COMMANDS)
