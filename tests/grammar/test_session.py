"""A program that is typed in entry by entry."""

from __future__ import annotations

import pytest

from dagrad.grammar import DagradError, Session, Settings, is_incomplete


@pytest.fixture
def typed():
    """What a session prints for some entries; an error is a line with its kind."""

    def action(*entries: str) -> list[str]:
        out: list[str] = []
        session = Session(Settings(output=out.append))
        for entry in entries:
            try:
                session.enter(entry)
            except DagradError as error:
                out.append(error.diagnostics[0].kind if error.diagnostics[0].file in error.sources else "no source")
        return out

    return action


@pytest.mark.parametrize(
    ("entries", "shown"),
    [
        (["x = 3", "x^2", "_ + 1", "_"], ["9", "10", "10"]),
        (["_"], ["unset-name"]),
        (["param w = 2", "y = w^2", "backward(y)", "w.grad", "w -= 1", "w"], ["4", "1"]),
        (["param w = 2", "param w = 5", "w"], ["5"]),
        (["x = 1", "f(a) = a + x", "x = 10", "f(1)", "f(a) = -a", "f(1)"], ["11", "-1"]),
        (["y = nosuch", "y"], ["unknown-name", "unknown-name"]),
        (["y = (1", "y = 1", "y"], ["unclosed-bracket", "1"]),
        (["zeros(2)[5]", "1"], ["index", "1"]),
        (["for i in range(3) { s = i }", "s; i"], ["2", "2"]),
        (["v = [1, 2]", "u = v", "v[0] = 9", "v; u"], ["[9, 2]", "[1, 2]"]),
        (["def g(n) { if n == 0 { return 0 }; return n + g(n - 1) }", "g(10)", "g'(2)"], ["55", "2"]),
        (["print(1)", "true", "(1, 2)"], ["1", "true", "(1, 2)"]),
        (["f = 3", "f", "f(x) = x", "f(2)", "f"], ["3", "2", "function f"]),
        (['import "nosuch.dg"', "1"], ["import", "1"]),
    ],
)
def test_entries_see_those_before(typed, entries, shown):
    assert typed(*entries) == shown


def test_random_numbers_go_on(typed):
    first, second = typed("rand()", "rand()")
    assert first != second


def test_imports(typed, tmp_path):
    (tmp_path / "lib.dg").write_text("k = 7\ntwice(x) = 2 * x")
    assert typed(f'import "{tmp_path}/lib.dg"', "twice(k)", f'import "{tmp_path}/lib.dg"', "k") == ["14", "7"]


@pytest.mark.parametrize("text", ["x = (", "if a {", "1 +", "f(1,", "v = [1,\n 2"])
def test_entries_that_go_on(text):
    assert is_incomplete(text)


@pytest.mark.parametrize("text", ["x", "y = 2x", '"abc', "if a { }", "", "# note"])
def test_entries_that_are_whole(text):
    assert not is_incomplete(text)


def test_words():
    session = Session(Settings())
    session.enter("length = 1")
    assert {"length", "sin", "while", "pi"} <= set(session.words())
    assert {"grad", "T", "sum"} <= set(session.words(after_dot=True))
