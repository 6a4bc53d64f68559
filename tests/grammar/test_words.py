"""How messages put counts."""

import pytest

from dagrad.grammar import Settings, Source, compile_program, words


@pytest.mark.parametrize(
    ("count", "form", "text"), [(0, "", "0 rows"), (1, "", "1 row"), (2, ",", "2 rows"), (1.0, "g", "1 row"), (0.5, "g", "0.5 rows")]
)
def test_plural(count, form, text):
    assert words.plural(count, "row", form) == text


@pytest.mark.parametrize(
    ("text", "settings", "said"),
    [
        ("x = 1; x = 2", {"max_steps": 1}, "more than 1 step"),
        ("f(n) = f(n)\nf(1)", {"max_depth": 1}, "recursion depth above 1 call"),
        ("a, b = [1]", {}, "1 value cannot be unpacked into 2 names"),
    ],
)
def test_one_of_a_thing_is_no_plural(text, settings, said):
    assert compile_program(Source("one.dg", text)).run(Settings(**settings)).error.diagnostics[0].message == said
