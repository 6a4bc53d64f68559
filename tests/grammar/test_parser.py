"""The grammar itself: free of conflicts, its tables fresh, and read as the language says."""

from __future__ import annotations

import functools
import math

import pytest

from dagrad.grammar import Source, compile_program
from dagrad.grammar.build import build, table_text
from dagrad.grammar.parser import Machine
from dagrad.grammar.tables import TABLES


def test_grammar_has_no_conflicts_and_no_colliding_terminals():
    pytest.importorskip("interegular")
    build(strict=True)


def test_shipped_tables_fit_the_grammar():
    with open(TABLES, encoding="utf-8") as file:
        assert file.read() == table_text(), "run python -m dagrad.grammar"


class Shape:
    """Builds nested tuples from any rule, to compare two parsers."""

    def __getattr__(self, rule: str):
        if rule.startswith("_") or rule.isupper():
            raise AttributeError(rule)
        return lambda children: (rule, *(c if isinstance(c, tuple) else (c.type, str(c), c.start_pos, c.end_pos) for c in children))


@pytest.mark.parametrize(
    "text",
    [
        "x = 1 + 2*-3^-x^2 // y % z @ w",
        "f(x, n=3) = x^n if n > 0 else g'(x)[1:2, ::3].T",
        "if a and not b or c < d <= e { y = 1 } elif z { } else { return; }\nfor i, j in range(3) { break }",
        'a, b = (1, 2), [[3], [4]]; v[i] += 2; import "lib.dg"',
        'x = "a\\n{x:.3f}" # why\ny = θ̂_1\u00a0* 1_0.5e-3; z = true or false\n\n',
        "",
    ],
)
def test_machine_reads_as_lark_does(text):
    machine = Machine(Shape())
    assert machine.parse(machine.lex(text), "program") == lark().parse(text, start="program")


@functools.cache
def lark():
    return build(transformer=Shape())


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("-2^2", -4),
        ("2^3^2", 512),
        ("2**3**2", 512),
        ("2^-1", 0.5),
        ("2^-2^2", 0.0625),
        ("(-2)^2", 4),
        ("--2", 2),
        ("-2 - -3", 1),
        ("1 - 2 - 3", -4),
        ("8 / 4 / 2", 1),
        ("7 // 2 * 2", 6),
        ("-7 // 2", -4),
        ("-7 % 3", 2),
        ("7 % -3", -2),
        ("2 * 3 + 4 * 5", 26),
        ("2 * (3 + 4) * 5", 70),
        ("1 if 0 else 2 if 0 else 3", 3),
        ("(1 if 1 else 2) + 10", 11),
        ("1 < 2 < 3", 1),
        ("3 > 2 > 2", 0),
        ("1 < 3 > 2", 1),
        ("1 == 1 == 1", 1),
        ("not 1 == 2", 1),
        ("not 0 and 0", 0),
        ("1 or 0 and 0", 1),
        ("1_000.5", 1000.5),
        (".5 + 1.", 1.5),
        ("1e-3", 0.001),
        ("1.5E3", 1500),
        ("2.sin() if 0 else 4".replace("2.sin()", "(2).sin()"), 4),
        ("[1, 2, 3][-1]", 3),
        ("[[1, 2], [3, 4]][1, 0]", 3),
        ("[1, 2, 3,][1]", 2),
        ("sin'(0)", 1),
        ("sin''(0)", 0),
        ("(1, 2)[1]", 2),
        ("-inf", -math.inf),
    ],
)
def test_precedence_and_forms(value, expression, expected):
    assert value(expression) == expected


@pytest.mark.parametrize(
    "text",
    [
        "x = 1 +\n 2",
        "x = (1\n + 2)",
        "x = [1,\n 2,\n\n 3][2]",
        "x = 1 and\n 2",
        "x = 1 <\n 3",
        "x = 3;;; ; y = 4;",
        "\n\n# comment\nx = 3 # and more\n\n",
        "if 1 { x = 1 } y = 2",
        "if 0 { x = 1 }\n\n# why\nelif 0 { x = 2 }\nelse { x = 3 }",
        "if 1 {\n\n x = 1\n\n}\nx = 2",
        "if 1 { }\nx = 1",
        "x = 1 if 1\n else 2",
        "def f(\n  a,\n  b=2\n) { return a }\nx = f(1)",
        "#!/usr/bin/env dagrad\nx = 1",
        "\ufeffx = 1\r\ny = 2\r\n",
        "x = 1\t+ 2",
    ],
)
def test_layouts(run, text):
    assert run(text).values["x"] is not None


def test_names_are_compared_in_normal_form(run):
    assert run("caf\u0065\u0301 = 3\nx = 2 * caf\u00e9").values["x"] == 6


def test_python_words_are_names(run):
    assert run("class = 1; None = 2; lambda = 3; x = class + None + lambda; __builtins__ = 4").values["x"] == 6


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = " + "(" * 2000 + "1" + " + 1)" * 2000, 2001),
        ("x = " + " + ".join(["1"] * 10_000), 10_000),
        ("x = " + "-" * 5000 + "1", 1),
        ("x = " + "abs(" * 2000 + "1" + ")" * 2000, 1),
        ("x = " + "not " * 1001 + "1", 0),
        ("x = " + "^".join(["1"] * 2000), 1),
        ("y = 999\nx = " + "".join(f"{i} if y == {i} else " for i in range(1000)) + "-1", 999),
        ("y = 999\nif y == 0 { x = 0 } " + "".join(f"elif y == {i} {{ x = {i} }} " for i in range(1, 1000)) + "else { x = -1 }", 999),
        ("x = " + " and ".join(["1"] * 2000), 1),
        ("x = " + "(0 or " * 1000 + "1" + ")" * 1000, 1),
        ("x = " + " < ".join(str(i) for i in range(500)), 1),
    ],
    ids=["parentheses", "sum", "minus", "calls", "not", "power", "conditionals", "elif", "and", "or in parentheses", "chain"],
)
def test_deep_programs(run, text, expected):
    assert run(text).values["x"] == expected


@pytest.mark.parametrize(
    "text", ["x = " + "(" * 200_000, "x = " + "(" * 30_000 + "1" + ")" * 30_000, "if 1 {" * 30_000], ids=["open", "closed", "blocks"]
)
def test_too_deep_programs_end_in_one_error(errors, text):
    (error,) = errors(text)[:1]
    assert error.kind in {"nesting", "unclosed-bracket"}


def test_long_program():
    lines = [f"y{i} = (a*x + b^2 - sin(c))*3 + v[{i}]" for i in range(2000)]
    program = compile_program(Source("long.dg", "\n".join(["a = 1; b = 2; c = 3; x = 4; v = zeros(2000)", *lines])))
    assert len(program.run().values) == 2005
