"""Which name means what, and what is found before anything runs."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("text", "kind", "place", "said"),
    [
        ("length = 3\ny = 2 * lenght", "unknown-name", (2, 9), "did you mean 'length'?"),
        ("y = sgimoid(1)", "unknown-name", (1, 5), "did you mean 'sigmoid'?"),
        ("y = arcsin(1)", "unknown-name", (1, 5), "asin"),
        ("y = np.sin(1)", "unknown-name", (1, 5), "no modules"),
        ("y = True", "unknown-name", (1, 5), "true"),
        ('y = __import__("os")', "unknown-name", (1, 5), None),
        ("y += 1", "unknown-name", (1, 1), None),
        ("v[0] = 1", "unknown-name", (1, 1), None),
        ("def f() { x += 1; return x }", "unknown-name", (1, 11), None),
        ("x = [1]\ny = x[None]", "unknown-name", (2, 7), "unsqueeze(x, 0)"),
        ("x = 2\ny = x.sinn()", "unknown-attribute", (2, 7), "did you mean 'sin'?"),
        ("x = 2\ny = x.sum", "unknown-attribute", (2, 7), ".sum()"),
        ("x = 2\ny = x.__class__", "unknown-attribute", (2, 7), None),
        ("f(x, y) = x\nz = f(1)", "arguments", (2, 5), None),
        ("f(x, y) = x\nz = f(1, 2, 3)", "arguments", (2, 5), None),
        ("f(x, y) = x\nz = f(1, x=2)", "arguments", (2, 10), None),
        ("f(x) = x\nz = f(yy=2)", "arguments", (2, 7), None),
        ("f(x) = x\nz = f(x=1, 2)", "arguments", (2, 12), None),
        ("y = sin(1, 2)", "arguments", (1, 5), None),
        ("y = clamp(1, minn=0)", "arguments", (1, 14), "did you mean 'min'?"),
        ("y = max(3, 5)", "arguments", (1, 5), "maximum(a, b)"),
        ("for i in range() { }", "arguments", (1, 10), None),
        ("f(x, y) = x\ng = f'(1)", "arguments", (2, 5), None),
        ("def f(x=1, y) { return x }", "arguments", (1, 12), None),
        ("def f(x, x) { return x }", "duplicate", (1, 10), None),
        ("pi = 3", "constant", (1, 1), None),
        ("e += 1", "constant", (1, 1), None),
        ("f(inf) = 1", "constant", (1, 3), None),
        ("param w = 1\nparam w = 2", "param-rule", (2, 7), None),
        ("param w = 1\nfor w in range(3) { }", "param-rule", (2, 5), None),
        ("param w = 1\nw, a = (1, 2)", "param-rule", (2, 1), None),
        ("param w = 1\ndef f() { w = 2 }", "param-rule", (2, 11), None),
        ("t = 0\ndef f() { t += 1 }", "read-only", (2, 11), None),
        ("v = [1]\ndef f() { v[0] = 1 }", "read-only", (2, 11), None),
        ("y = print(3)", "no-value", (1, 5), None),
        ("def f() { print(1) }\ny = f()", "no-value", (2, 5), None),
        ("param w = 2\ny = w(3)", "not-a-function", (2, 5), "w*(3)"),
        ("y = range(3)", "not-a-function", (1, 5), "arange"),
        ("return 1", "misplaced", (1, 1), None),
        ("break", "misplaced", (1, 1), None),
        ("while 1 { def f() { } }", "misplaced", (1, 11), None),
        ("if 1 { param w = 2 }", "misplaced", (1, 8), None),
        ("x = 1\nx + 1", "unused-value", (2, 1), None),
        ("param w = 1\nsgd(lr=0.01)", "unused-value", (2, 1), "step(opt)"),
        ("param w = 1\nadam(w)", "unused-value", (2, 1), "step(opt)"),
        ("param w = 1\nlbfgs()", "unused-value", (2, 1), "step(opt)"),
        ("f(x) = x^2\nminimize(f, 1)", "unused-value", (2, 1), "x = minimize(…)"),
        ("f(x) = x^2\nleast_squares(f, 1)", "unused-value", (2, 1), "x = least_squares(…)"),
        ("x = 1\n- x", "unused-value", (2, 1), "continue"),
        ("x = 1\nx == 2", "unused-value", (2, 1), "="),
    ],
)
def test_found_before_the_run(errors, text, kind, place, said):
    error = errors('print("started")\n' + text)[0]
    assert (error.kind, (error.line - 1, error.column)) == (kind, place)
    assert said is None or said in (error.help or "")


def test_each_unknown_name_is_reported_once_and_several_are(errors):
    found = errors("x = foo + foo\ny = bar + foo")
    assert [(e.line, e.column) for e in found] == [(1, 5), (2, 5)]


def test_nothing_runs_when_a_name_is_wrong(errors):
    said: list[str] = []
    errors('print("started")\ny = nosuch', output=said.append)
    assert said == []


def test_definitions_are_visible_before_their_line_and_the_last_one_counts(run):
    assert run("x = f(1)\nf(x) = x + 1\nf(x) = x + 2").values["x"] == 3


def test_locals_are_local_and_top_level_names_readable(run):
    values = run("a = 1\nb = 2\ndef f(x) { a = 10; return a + b + x }\ny = f(3)\nb = 5\nz = f(3)").values
    assert (values["y"], values["z"], values["a"]) == (15, 18, 1)


def test_parameters_hide_params(run):
    assert run("param w = 1\nf(w) = w * 2\ny = f(5)").values["y"] == 10


def test_builtin_names_may_be_variables(run, errors):
    assert run("sum = 0\nfor i in range(3) { sum += i }\nmax = [1, 2].sum()").values["sum"] == 3
    (error,) = errors("sum = 0\ny = sum([1])")
    assert "hides the builtin function sum" in error.message
    assert error.labels[0].line == 1


def test_functions_are_values(run):
    values = run("f(x) = x^2\napply(g, x) = g(x)\na = apply(f, 3)\nb = apply(sqrt, 9)\nh = f\nc = h(4)\nd = h(x=5)").values
    assert [values[n] for n in "abcd"] == [9, 3, 16, 25]
    assert run("f(x) = x\nprint(f, max, isnan)").output == ["function f function max function isnan"]


def test_defaults_are_evaluated_once_at_the_definition(run, errors):
    assert run("n = 2\ndef f(x, k=n) { return x * k }\nn = 10\ny = f(3)").values["y"] == 6
    (error,) = errors("n = 2\ny = f(3)\ndef f(x, k=n*1) { return x * k }")
    assert error.kind == "unset-name"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("a = b\nb = 1", "b"),
        ("if 0 { z = 1 }\ny = z", "z"),
        ("def f() { if 0 { q = 1 }; return q }\ny = f()", "q"),
        ("f() = later\ny = f()\nlater = 1", "later"),
    ],
)
def test_names_that_are_not_set_on_the_way(errors, text, name):
    (error,) = errors(text)
    assert error.kind == "unset-name"
    assert f"'{name}'" in error.message


def test_a_function_that_may_return_nothing(run, errors):
    text = "def f(n) { if n > 0 { return 1 } }\n"
    assert run(text + "f(-1)\ny = f(1)").values["y"] == 1
    for use in ("y = f(-1)", "y = 1 + f(-1)", "print(f(-1))"):
        (error,) = errors(text + use)
        assert "returned no value" in error.message
