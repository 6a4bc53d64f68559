"""The canonical layout and the parenthesised form: neither changes what a program means."""

from __future__ import annotations

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dagrad.grammar import (
    DagradError,
    Settings,
    Source,
    as_data,
    compile_program,
    format_value,
    formatted,
    outline,
    parenthesised,
    read_program,
)
from tests.fuzz.programs import Programs

TEXTS = st.builds(lambda source: Programs(source).text(), st.randoms(use_true_random=False))


def tree(text: str) -> str:
    return outline(read_program(Source("test.dg", text)))


def outcome(text: str) -> object:
    """What a program printed, left behind, and failed with."""
    try:
        run = compile_program(Source("test.dg", text)).run(Settings(max_steps=500, max_elements=10_000))
    except DagradError as error:
        return error.diagnostics[0].kind
    values = {name: format_value(value) for name, value in run.values.items() if not callable(value)}
    return run.output, values, run.error and run.error.diagnostics[0].kind


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(TEXTS)
def test_the_layout_changes_no_program(text):
    once = formatted(Source("test.dg", text))
    assert tree(once) == tree(text)
    assert formatted(Source("test.dg", once)) == once


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(TEXTS)
def test_parentheses_change_no_value(text):
    source = Source("test.dg", text)
    plain = parenthesised(read_program(source), source)
    assert tree(plain) == tree(text)
    assert outcome(plain) == outcome(text)
    assert parenthesised(read_program(Source("test.dg", plain)), Source("test.dg", plain)) == plain


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("\n\n  ;; \n", ""),
        ("# only\n", "# only\n"),
        ("#!/usr/bin/env dagrad\nx=1", "#!/usr/bin/env dagrad\nx = 1\n"),
        ("a=1;b  =  -2 ** -x", "a = 1\nb = -2**-x\n"),
        ("x = 1\r\ny = 2\r\n", "x = 1\ny = 2\n"),
        ("x = 1\n\n\n\ny = 2", "x = 1\n\ny = 2\n"),
        ("a = 1 # one\nbcd = 2 #two", "a = 1    # one\nbcd = 2  #two\n"),
        ("y = x[ 1 : , :: 2 ].T", "y = x[1:, ::2].T\n"),
        ("y = 1 . T", "y = 1 .T\n"),
        ("f( x , n = 3 )=x+n", "f(x, n=3) = x + n\n"),
        ("y = f ' ( x )", "y = f'(x)\n"),
        ("y = not(a)and(b)", "y = not (a) and (b)\n"),
        ("y = a<-b", "y = a < -b\n"),
        ("y = [\n1,2,\n [3\n]]", "y = [\n    1, 2,\n    [3\n    ]]\n"),
        ("y = 1 +\n2", "y = 1 +\n    2\n"),
        ("y = 2,;z = 1", "y = 2,;\nz = 1\n"),
        ("y = 2,;; # c\nz = 1", "y = 2,;  # c\nz = 1\n"),
        ("y = 2,\n# c\n;z = 1", "y = 2,;\n# c\nz = 1\n"),
        ("if a { y = 2,; z = 1 }", "if a { y = 2,; z = 1 }\n"),
        ("if a {\n y = 2,; z = 1; w = 3,;\n}", "if a {\n    y = 2,;\n    z = 1\n    w = 3,;\n}\n"),
        ("y = f(1,\n\n2) + (\n3)", "y = f(1,\n    2) + (\n        3)\n"),
        ("if a{b=1;c=2}", "if a { b = 1; c = 2 }\n"),
        ("if a{b=1\nc=2}", "if a {\n    b = 1\n    c = 2\n}\n"),
        ("if a { }\n\nelif b { }\nelse { }", "if a { } elif b { } else { }\n"),
        ("if a {\n} # why\nelse { f() }", "if a {\n}  # why\nelse { f() }\n"),
        ("while a { ; if b { break } c() }", "while a { if b { break }; c() }\n"),
        ("if a { # here\n\n  # first\n\n\n x = 1\n\n}", "if a {  # here\n    # first\n\n    x = 1\n}\n"),
        ("y = [1, # one\n 2, # two\n ]", "y = [1,  # one\n    2,   # two\n]\n"),
        ("y = (1 # c\n)", "y = (1  # c\n)\n"),
        ("a = 1 # c\n\n# d\nb = 2", "a = 1  # c\n\n# d\nb = 2\n"),
    ],
)
def test_layout(text, expected):
    assert formatted(Source("test.dg", text)) == expected
    assert formatted(Source("test.dg", expected)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("y = -x^2 + 3*x", "y = ((-(x^2)) + (3 * x))"),
        ("y = 2^3^2", "y = (2^(3^2))"),
        ("y = 2**-x", "y = (2**(-x))"),
        ("y = 0 < x < 1 and not a", "y = ((0 < x < 1) and (not a))"),
        ("y = (0 < x) < 1", "y = ((0 < x) < 1)"),
        ("y = a if b else c if d else e", "y = (a if b else (c if d else e))"),
        ("y = A[i + 1:, ::-1]", "y = A[(i + 1):, ::(-1)]"),
        ("y = (1).T", "y = (1).T"),
        ("y = (-x).sin()", "y = (-x).sin()"),
        ("a, b = b, a", "a, b = (b, a)"),
        ("y = 1,", "y = (1,)"),
        ("f(x, n=2) = x+n", "f(x, n=2) = (x + n)"),
        ("def f(x) { return }", "def f(x) {\n    return\n}"),
        ("y = f''(x)", "y = f''(x)"),
        ('print("{a+b:.2f}", [1, [2]])', 'print("{a+b:.2f}", [1, [2]])'),
        ("param w = +1\ninput n = true", "param w = (+1)\ninput n = true"),
        ("w[0] += 1; s @= t", "w[0] += 1\ns @= t"),
        ('import "a.dg"; assert a, "b"', 'import "a.dg"\nassert a, "b"'),
        ("no_grad { for i in x { break } }", "no_grad {\n    for i in x {\n        break\n    }\n}"),
        (
            "if a { } elif b { x = 1 } else { while c { continue } }",
            "if a {\n} elif b {\n    x = 1\n} else {\n    while c {\n        continue\n    }\n}",
        ),
    ],
)
def test_parentheses(text, expected):
    source = Source("test.dg", text)
    assert parenthesised(read_program(source), source) == expected + "\n"


def test_deep_trees():
    text = "y = " + " + ".join(["x"] * 5_000) + "\nz = " + "-(" * 3_000 + "1" + ")" * 3_000
    source = Source("test.dg", text)
    plain = parenthesised(read_program(source), source)
    assert tree(plain) == tree(text)
    assert formatted(Source("test.dg", plain)) == plain


def test_the_outline_has_places():
    source = Source("test.dg", 'y = -x\nf(1, n="a{b}")')
    assert outline(read_program(source), source).split("\n")[:6] == [
        "Program @1:1",
        "  statements[0]: Assign @1:1",
        "    targets: Target @1:1",
        "      name: Name y @1:1",
        "    value: Unary - @1:5",
        "      operand: Name x @1:6",
    ]
    found = as_data(read_program(source), source)
    assert found["statements"][0]["value"]["operand"] == {
        "node": "Name", "line": 1, "column": 6, "end_line": 1, "end_column": 7, "id": "x",
    }  # fmt: skip


@pytest.mark.parametrize("seed", range(30))
def test_long_programs(seed):
    text = Programs(random.Random(seed)).text(40)
    once = formatted(Source("test.dg", text))
    assert tree(once) == tree(text)
    assert formatted(Source("test.dg", once)) == once


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("v,;v", "v,;\nv\n"),
        ("v,;\nv", "v,;\nv\n"),
        ("if 1 { v,; v }", "if 1 { v,; v }\n"),
        ("v,;;", "v,;\n"),
    ],
)
def test_a_statement_that_ends_in_a_comma_keeps_its_semicolon(text, wanted):
    """A line end after a comma ends nothing."""
    text = "v = 1\n" + text
    assert formatted(Source("x.dg", text)) == "v = 1\n" + wanted
    assert formatted(Source("x.dg", "v = 1\n" + wanted)) == "v = 1\n" + wanted
