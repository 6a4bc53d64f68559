"""What programs do when they run: order, values, loops, params, limits."""

from __future__ import annotations

import sys

import pytest

from dagrad.grammar import Settings, Source, StopRun, compile_expression, compile_program, evaluate_constant, format_value
from dagrad.grammar.diagnostic import DagradError


def texts(run):
    """The values of a run as they print."""
    return {name: format_value(value) for name, value in run.values.items()}


def test_order_of_evaluation_survives_the_cutting_of_deep_expressions(run):
    deep = "(" * 200 + "say(2)" + " + 0)" * 200
    text = f"def say(n) {{ print(n); return n }}\nx = say(1) + {deep} * say(3)\ny = [say(4), {deep.replace('2', '5')}, say(6)]"
    assert run(text).output == ["1", "2", "3", "4", "5", "6"]


def test_only_the_chosen_branch_runs_in_deep_expressions(run):
    deep = "(" * 200 + "say(1)" + " + 0)" * 200
    text = f"def say(n) {{ print(n); return n }}\nx = 2 if 1 else {deep}\ny = 0 and {deep}\nz = 1 or {deep}\nw = 3 < 2 < {deep}"
    assert run(text).output == []


def test_middle_of_a_chain_is_evaluated_once_and_the_rest_only_if_needed(run):
    text = "def say(n) { print(n); return n }\na = 1 < say(2) < 3\nb = 1 > say(4) > say(5)\nc = 0 < say(6) < say(7) < 8"
    result = run(text)
    assert result.output == ["2", "4", "6", "7"]
    assert [texts(result)[n] for n in "abc"] == ["true", "false", "true"]


def test_chains_of_tensors_are_elementwise(run):
    assert texts(run("x = [1, 2, 3]\ny = 1 < x < 3"))["y"] == "[false, true, false]"


def test_loop_counters(run):
    text = """
s = 0; v = zeros(4); n = 0
for i in range(4) { v[i] = i * 2; s += i / 2; if i % 2 == 1 and i < 3 { n += 1 } }
for i in range(3, 0, -1) { s += v[i - 1] }
last = i
for j in range(2) { }
for k in range(2) { k = k + 0.5; s += k }
"""
    assert texts(run(text)) == {"s": "11", "v": "[0, 2, 4, 6]", "n": "1", "i": "1", "last": "1", "j": "1", "k": "1.5"}


def test_counters_read_by_functions(run):
    assert run("f() = i * 2\ns = 0\nfor i in range(3) { s += f() }").values["s"] == 6


def test_while_with_a_deep_test(run):
    deep = "(" * 200 + "x" + " + 0)" * 200
    assert run(f"x = 0\nwhile {deep} < 5 {{ x += 1; if x == 2 {{ continue }} }}").values["x"] == 5


def test_unpacking(run, errors):
    text = "a, b = 1, 2\na, b = b, a\nc, d = [5, 6]\nv = [1, 2]\nv[0], v[1] = v[1], v[0]\nfor p, q in [[1, 2], [3, 4]] { c += p * q }"
    assert texts(run(text)) == {"a": "2", "b": "1", "c": "19", "d": "6", "v": "[2, 1]", "p": "3", "q": "4"}
    for wrong in ("a, b = 3", "a, b = (1, 2, 3)", "a, b = [1]"):
        assert len(errors(wrong)) == 1


def test_values_are_values(run):
    text = "a = [1, 2]\nb = a\nb[0] = 9\ndef f(v) { v[1] = 7; return v }\nc = f(a)"
    assert texts(run(text)) == {"a": "[1, 2]", "b": "[9, 2]", "c": "[1, 7]"}


def test_params_keep_their_past(run):
    text = "param w = 2\ny = w\nz = (w, 1)\nsame(x) = x\nu = same(w)\nk = w if 1 else 0\nw = 5\nw += 1"
    result = run(text)
    assert texts(result) == {"y": "2", "z": "(2, 1)", "u": "2", "k": "2"}
    assert format_value(result.params["w"]) == "6"


def test_elements_of_params(run):
    assert format_value(run("param w = [1, 2]\nw[0] = 5\nw[1] += 1").params["w"]) == "[5, 3]"


def test_derivatives_of_functions(run):
    text = "param k = 3\nf(x) = k * x^3\na = f'(2)\nb = f''(2)\ng = f'\nc = g(1)\nbackward(a)"
    result = run(text)
    assert [texts(result)[n] for n in "abc"] == ["36", "36", "9"]
    assert format_value(result.params["k"].grad) == "12"


def test_interpolation(run):
    text = 'x = 3.14159; n = 42\nprint("{x:.2f}|{x:8.3f}|{n:d}|{n:05}|{n}|{x:*^9.1f}|{n:.1%}|{1 < 2}|{[1, 2.5]}|{[1, 2]:.1f}|{{}}")'
    assert run(text).output == ["3.14|   3.142|42|00042|42|***3.1***|4200.0%|true|[1, 2.5]|[1.0, 2.0]|{}"]


def test_strings_and_tuples_have_no_arithmetic(errors):
    for text in ('y = "a" + 1', 'y = 1 * "a"', 'y = "a" < "b"', "y = (1, 2) + (3, 4)", "f(x) = x\ny = f + 1", 'y = -"a"', 'y = [1] + "a"'):
        (error,) = errors(text)
        assert error.kind in {"type", "argument"}, text
        assert error.column >= 5


def test_conditions_need_one_truth(errors):
    for text in ("if [1, 2] > 1 { }", "y = [1, 2] and 1", "y = not [1, 2]", "while [1, 2] { }", 'if "a" { }', "f(x) = x\nif f { }"):
        (error,) = errors(text)
        assert error.kind == "condition", text


def test_errors_point_at_the_failing_part_and_name_the_callers(errors):
    (error,) = errors("inner(v) = v[9]\nouter(v) = 1 + inner(v)\n\ny = 2 * outer([1, 2])")
    assert (error.kind, error.line, error.column, error.end_column) == ("index", 1, 12, 16)
    assert [(f.name, f.line, f.count) for f in error.stack] == [("program", 4, 1), ("outer", 2, 1), ("inner", 1, 1)]


def test_recursion(run, errors):
    text = "def total(n) { if n == 0 { return 0 }; return n + total(n - 1) }\n"
    assert run(text + "y = total(50000)").values["y"] == 1250025000
    (error,) = errors("f(n) = g(n)\ng(n) = 1 + f(n)\ny = f(0)")
    assert (error.kind, error.category) == ("depth", "limit")
    assert [f.name for f in error.stack][:3] == ["program", "f", "g"]  # a last f where the limit fell on it
    assert error.stack[1].count > 40_000


def test_depth_limit_is_exact_where_it_is_small(run, errors):
    text = "def f(n) { return 0 if n == 0 else f(n - 1) }\n"
    run(text + "y = f(49)", max_depth=50)
    assert errors(text + "y = f(50)", max_depth=50)[0].kind == "depth"


def test_other_limits(errors):
    assert errors("while true { x = 1 }", max_steps=1000)[0].kind == "steps"
    assert errors("while true { x = 1 }", timeout=0.1)[0].kind == "time"
    assert errors("x = zeros(1000, 1000)", max_elements=1000)[0].kind == "limit"
    assert errors("if 1 {" * 100 + "}" * 100)[0].kind == "nesting"
    assert errors("for i in range(2) {" * 30 + "}" * 30)[0].kind == "nesting"


def test_limits_are_put_back(errors):
    import signal
    import sys

    before = sys.getrecursionlimit(), signal.getsignal(signal.SIGALRM)
    errors("f(n) = f(n)\ny = f(0)", timeout=10)
    assert (sys.getrecursionlimit(), signal.getsignal(signal.SIGALRM)) == before


def test_finite_check(errors):
    (error,) = errors("param x = 0\ny = 1 + log(x)", check_finite=True)
    assert (error.kind, error.line, error.column) == ("non-finite", 2, 9)
    (error,) = errors("param x = 0\ny = sqrt(x)\nbackward(y)", check_finite=True)
    assert (error.kind, error.line, error.labels[0].line) == ("non-finite", 3, 2)


def test_values_before_an_error_are_kept():
    run = compile_program(Source("t", "param w = 2\nx = 1\nprint(x)\ny = [1][5]\nz = 3")).run()
    assert run.error is not None
    assert (run.values, run.output, list(run.params)) == ({"x": 1.0}, ["1"], ["w"])


def test_settings():
    program = compile_program(Source("t", "param w = rand(2)\ninput n = 1\ny = sum(w) * n\nr = rand(1)"))
    assert (program.params, program.inputs) == (["w"], ["n"])
    plain, given = program.run(), program.run(Settings(set={"w": evaluate_constant("[1, 2]", "w"), "n": 3.0}))
    assert given.values["y"].item() == 9
    assert format_value(plain.values["r"]) == format_value(given.values["r"]), "a setting must not shift later random numbers"
    with pytest.raises(DagradError) as caught:
        program.run(Settings(set={"m": 1.0}))
    assert caught.value.category == "usage"


def test_runs_do_not_touch_each_other():
    program = compile_program(Source("t", "param w = 1\nfor i in range(3) { zero_grad(); backward(w^2); w -= 0.1 * w.grad }"))
    assert format_value(program.run().params["w"]) == format_value(program.run().params["w"]) == "0.512"


def test_backward_can_be_watched_and_stopped():
    seen: list[tuple[int, int]] = []

    def watch(root, place, index):
        seen.append((index, place.position[1]))
        if index == 2:
            raise StopRun

    text = "param w = 1\nbackward(w * 2)\nloss = w * 3\nloss.backward()\nbackward(w)"
    run = compile_program(Source("t", text)).run(Settings(on_backward=watch))
    assert (run.stopped, run.error, seen) == (True, None, [(1, 2), (2, 4)])


def test_last_tracked_value():
    assert format_value(compile_program(Source("t", "param w = 2\ny = w * 3\nz = 4")).run().last) == "6"


def test_expressions():
    expression = compile_expression(Source("<expression>", "x^2 * sin(y) + pi * x"))
    assert expression.names == ["x", "y"]
    assert expression.evaluate({"x": 2.0, "y": 0.0}) == pytest.approx(6.283185307179586)
    assert format_value(evaluate_constant("arange(3) * pi / pi", "x")) == "[0, 1, 2]"
    for text, kind in (("2x", "bad-number"), ("foo(x)", "unknown-name"), ("x +", "missing-expression"), ("x = 1", None), ("", None)):
        with pytest.raises(DagradError) as caught:
            compile_expression(Source("e", text))
        assert kind is None or caught.value.diagnostics[0].kind == kind
    for text in ("yy + 1", "1 +", "nosuch(1)", "[1, 2][5]"):
        with pytest.raises(DagradError) as caught:
            evaluate_constant(text, "--at x")
        assert caught.value.category == "usage"
        assert caught.value.diagnostics[0].message.startswith("--at x: ")


def test_numbers_alone_need_no_numpy():
    import subprocess
    import sys

    code = (
        "import sys; from dagrad.grammar import *\n"
        "print(compile_expression(Source('e', 'x^2*sin(y)')).evaluate({'x': 2.0, 'y': 1.0}))\n"
        "p = compile_program(Source('p', 'param w = 2\\nbackward(w^2)\\nfor i in range(3) { w -= w.grad }\\nprint(w)'))\n"
        "assert p.run().error is None\n"
        "assert 'numpy' not in sys.modules and 'rich' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env={"PYTHONPATH": ":".join(sys.path)}, timeout=60)


@pytest.mark.parametrize(
    ("expression", "shown"),
    [
        ("stack(1, 2).shape", "(2,)"),
        ("stack(x[0] > 1, x[1] > 1)", "[false, true]"),
        ("tile(true, 2)", "[1, 1]"),
        ("expand(3, [2])", "[3, 3]"),
        ("reshape(2, 1)", "[2]"),
        ("roll(2, 2)", "2"),
        ("meshgrid(1, 2)", "([[1]], [[2]])"),
        ("x[[true, false]]", "[1]"),
        ("x[flip(x > 1)]", "[1]"),
    ],
)
def test_functions_of_numbers_alone_and_of_masks(run, expression, shown):
    assert texts(run(f"x = [1, 2]\ny = {expression}"))["y"] == shown


def test_a_name_that_is_not_set_has_its_place_in_code_that_ran_before():
    """Python 3.11 runs two loads as one once it has run them often, and then says the place of the first."""
    program = compile_program(Source("test.dg", "x = 2\nif x > 3 { z = 1 }\nfor i in range(2) { y = 1 ^ z }"))
    for _ in range(12):
        error = program.run().error.diagnostics[0]
        assert (error.kind, error.line, error.column) == ("unset-name", 3, 29)


def test_a_name_that_the_engine_lacks_is_no_mistake_of_the_program(run, monkeypatch):
    def broken(*arguments):
        raise NameError("name 'helper' is not defined")

    monkeypatch.setattr(sys.modules["dagrad.engine.backward"], "discover", broken)
    with pytest.raises(NameError):
        run("param a = 2\nbackward(a^2)")
