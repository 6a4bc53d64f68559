"""What is said about text that is no program: the place, and the fix where it is known."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("text", "kind", "place", "said"),
    [
        ("y = 2x", "bad-number", (1, 5), "2*x"),
        ("y = 3 x", "missing-operator", (1, 5), "3*x"),
        ("y = 2(x)", "missing-operator", (1, 5), "2*(x)"),
        ("y = (1 + x)(2)", "missing-operator", (1, 5), "(1 + x)*(2)"),
        ("y = 1e5x", "bad-number", (1, 5), "1e5*x"),
        ("y = 1..2", "bad-number", (1, 5), "range(1, 2)"),
        ("y = 0xg", "bad-number", (1, 5), "0*xg"),
        ("y = 0x10", "bad-number", (1, 5), "16"),
        ("y = 1.abs()", "bad-number", (1, 5), "abs(1) or (1).abs()"),
        ("y = 1.5.abs()", "bad-number", (1, 5), "abs(1.5) or (1.5).abs()"),
        ("y = 1.T", "bad-number", (1, 5), "(1).T"),
        ("y = 2.x", "bad-number", (1, 5), "2*x"),
        ("y = v[..., 0]", "unexpected", (1, 7), "x[:, :, 0]"),
        ("y = v[0, …]", "unexpected", (1, 10), "x[:, :, 0]"),
        ("g = lambda x: x^2", "unexpected", (1, 5), "g(x) = …"),
        ("y = minimize(lambda x: x^2, 1)", "unexpected", (1, 14), "f(x) = …"),
        ("y = 2.5.1", "bad-number", (1, 5), "numbers look like"),
        ("y = 'a'", "bad-character", (1, 5), "double quotes"),
        ("if x = 1 { }", "assignment-in-expression", (1, 6), "=="),
        ("y = x === 1", "assignment-in-expression", (1, 9), "=="),
        ("a = b = 3", "assignment-in-expression", (1, 7), "two statements"),
        ("y = x && z", "foreign-operator", (1, 7), "and"),
        ("y = x || z", "foreign-operator", (1, 7), "or"),
        ("y = !x", "foreign-operator", (1, 5), "not"),
        ("y = 1 <> 2", "foreign-operator", (1, 7), "!="),
        ("y = 3 − 2", "foreign-operator", (1, 7), "-"),
        ("x++", "foreign-operator", (1, 2), "x += 1"),
        ("x = y²", "bad-character", (1, 6), "y^2"),
        ("x = $y", "bad-character", (1, 5), "$"),
        ("y = a ? b : c", "bad-character", (1, 7), "a if c else b"),
        ("if 1 { } else if 2 { }", "unexpected", (1, 10), "elif"),
        ("if 1 { }\nelseif 2 { }", "unexpected", (2, 1), "elif"),
        ("else { }", "stray-else", (1, 1), "}"),
        ("if x > 0\n y = 1", "missing-block", (1, 9), "{"),
        ("if x > 0:\n y = 1", "missing-block", (1, 9), "not after ':'"),
        ("if x > 0\n{\n y = 1\n}", "missing-block", (1, 9), "same line"),
        ("def f(x) return x", "missing-block", (1, 10), "{"),
        ("for i range(3) { }", "unexpected", (1, 7), "in range(n)"),
        ("for = 3", "reserved-word", (1, 1), "another name"),
        ("param while = 2", "reserved-word", (1, 7), "another name"),
        ("f(if) = 2", "reserved-word", (1, 3), "another name"),
        ("true = 1", "reserved-word", (1, 1), "another name"),
        ("y = if 1 { 2 }", "reserved-word", (1, 5), "a if c else b"),
        ("y = 1 - not x", "unexpected", (1, 9), "(not …)"),
        ("let x = 3", "unexpected", (1, 1), "x = …"),
        ("function f(x) { }", "unexpected", (1, 1), "def f(x)"),
        ("print x", "missing-operator", (1, 7), "print(x)"),
        ("import os", "missing-expression", (1, 8), '"lib.dg"'),
        ("y = ", "missing-expression", (1, 4), "goes on"),
        ("y = 1 +", "missing-expression", (1, 8), ""),
        ("y = 1 * * 2", "missing-expression", (1, 9), ""),
        ("y = f(1,,2)", "missing-expression", (1, 9), ""),
        ("y = [1 2]", "missing-operator", (1, 8), ""),
        ("v = [1, 2; 3, 4]", "unexpected", (1, 10), "[[1, 2], [3, 4]]"),
        ("y = 1 if 2", "unexpected", (1, 11), "a if c else b"),
        ("param w", "missing-expression", (1, 8), "param w = 0.5"),
        ("// note", "unexpected", (1, 1), "#"),
        ("y = (1 + 2", "unclosed-bracket", (1, 5), ")"),
        ("v = [1,\n 2\nb = 2", "unclosed-bracket", (1, 5), "]"),
        ("if 1 {\n y = 1", "unclosed-bracket", (1, 6), "}"),
        ("f(x {\n return x\n}", "unclosed-bracket", (1, 2), ")"),
        ("y = (1 + 2]", "stray-bracket", (1, 11), ""),
        ("y = 1)", "stray-bracket", (1, 6), ""),
        ("}", "stray-bracket", (1, 1), ""),
        ('print("hello)', "unclosed-string", (1, 7), "same line"),
        ('y = "a\\q"', "bad-string", (1, 7), "escapes"),
        ('y = "50% {"', "bad-string", (1, 10), "{{"),
        ('y = "a }"', "bad-string", (1, 8), "}}"),
        ('y = "{}"', "bad-string", (1, 6), "{{"),
        ('y = "{1 +}"', "missing-expression", (1, 10), ""),
        ('y = "{nosuch}"', "unknown-name", (1, 7), ""),
        ('y = "{1:.3y}"', "bad-format", (1, 9), ".3f"),
        ('y = "{1:2000}"', "bad-format", (1, 9), ""),
        ("3 = x", "bad-target", (1, 1), ""),
        ("x.y = 3", "bad-target", (1, 1), ""),
        ("f(x)[0] = 1", "bad-target", (1, 1), "v[i, j]"),
        ("f(2) = 3", "bad-target", (1, 3), "a name"),
    ],
)
def test_mistakes(errors, text, kind, place, said):
    error = errors(text)[0]
    assert (error.kind, (error.line, error.column)) == (kind, place)
    assert said in (error.help or "")
    assert "\n" not in error.message


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a = 2x\nb = 3\nc = ) 4\nd = 5\nwhile = 1", [1, 3, 5]),
        ("def f(x) {\n return x +* 2\n}\ny = f(1)\nz = 4 4", [2, 5]),
        ("if x = 1 {\n y = 2x\n} else {\n z = 3 3\n}", [1, 2, 4]),
        ("x = 1\nwhile x < 3\n x += 1\n}\ny = 2", [2]),
        ("if x {\n y = (1 + 2\n}\nz = 3 3", [2, 4]),
        ("y = (1, 2]\nz = 2x", [1, 2]),
        ('print("a)\nz = 2x', [1, 2]),
        ('if x == "a {\n y = 2x\n}', [1, 2]),
        ("y = [1, 2\nz = 3\nw = 2x", [1, 3]),
        ("if a && b { x = 1 } elif c || d { y = 2x } else { z = 3 }", [1]),
        ("\n".join(f"a{i} = {i} {i}" for i in range(15)), list(range(1, 11))),
        ("x = 1 }\ny = 2x", [1, 2]),
    ],
)
def test_several_errors_without_echoes(errors, text, lines):
    assert [e.line for e in errors(text)] == lines


def test_mismatched_bracket_names_its_opener(errors):
    (error,) = errors("y = f((1 + 2]")
    assert [(label.line, label.column) for label in error.labels] == [(1, 7)]


def test_expected_things_are_in_the_users_words(errors):
    (error,) = errors("x = 1 in 2")
    assert error.message == "expected an operator or the end of the line, but found 'in'"


def test_an_ellipsis_is_named(errors):
    assert errors("y = v[..., 0]")[0].message == "'...' for the other axes is not supported in an index"


@pytest.mark.parametrize("text", ["y = " + "[" * 2000 + "1" + "]" * 2000, "x = reshape(1, ones(64))\ny = [x]", "y = tile([1], ones(70))"])
def test_too_many_axes(errors, text):
    assert errors(text)[0].message.startswith("a tensor has at most ")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("full([1, 2], [1, 2, 3])", "full(): the value is one number, not a tensor of shape (3,)"),
        ("arange([1, 2])", "arange(): stop is one number, not a tensor of shape (2,)"),
        ("arange(0, 1, [1, 2])", "arange(): step is one number, not a tensor of shape (2,)"),
        ("linspace(0, 1, [3, 4])", "linspace(): n is one number, not a tensor of shape (2,)"),
        ("permutation([3, 4])", "permutation(): n is one number, not a tensor of shape (2,)"),
        ("pad([1, 2], [1, 1], [1, 1])", "pad() takes all widths in one list"),
        ("pad([1, 2], [1])", "pad() takes a pair of widths an axis, here at most 2 numbers, not 1"),
        ("reshape(1, [2, 3])", "reshape of 1 element, shape (), to (2, 3)"),
    ],
)
def test_one_number_is_meant(errors, text, said):
    assert errors(f"y = {text}")[0].message == said
