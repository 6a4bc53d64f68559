"""Expressions of numbers in one step: the same output, gradients and errors, to the last bit, as operation by operation."""

import re
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dagrad import engine
from dagrad.engine import Tensor
from dagrad.grammar import Settings, Source, compile_program, fusing, render
from tests.fuzz.programs import Programs


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    """The functions of formulas are written when they are first called."""
    monkeypatch.setattr(fusing, "OFTEN", 1)


def numbers(value):
    return repr(value.data.tolist() if isinstance(value, Tensor) and value.shape else float(value))


def ran(text, fused, most=None):
    """What can be seen of a run, every digit of it; `most`: after how many steps it ends."""
    program = compile_program(Source("test.dg", text))
    run = program.run(Settings(fused=fused, max_steps=most))
    gradients = {name: None if leaf.grad is None else numbers(leaf.grad) for name, leaf in run.params.items()}
    values = {name: numbers(value) for name, value in run.values.items() if isinstance(value, (float, Tensor))}
    error = "".join(render(each, program.sources) for each in run.error.diagnostics) if run.error is not None else ""
    return run.output, values, gradients, error


def same(text, most=None):
    by_step, at_once = ran(text, False, most), ran(text, True, most)
    assert at_once == by_step
    return at_once


def python(text):
    """The names that the compiled code of a program speaks of."""
    from dagrad.grammar.emitter import Checks
    from dagrad.grammar.program import names_in

    program = compile_program(Source("test.dg", text))
    return names_in(program.code(Checks(fused=True)))


def formulas(text):
    return [name for name in python(text) if re.fullmatch(r"e\d+_\d+", name)]


PROGRAMS = {
    "a loop": "param w = 0.6\nparam k = 0.3\ny = w\nfor i in range(50) { y = y + w - k*sin(y) }\nbackward(y)",
    "powers and quotients": "param a = 1.5\ny = 0\nfor i in range(9) { y += 100*a^2/(1 + i) - a^-1.5 + a^0 }\nbackward(y)",
    "elements": "param v = [1, 2, 3, 4]\ns = 0\nfor i in range(3) { s += v[i]*v[i+1] + v[-1] - v[i]*v[i] }\nbackward(s)",
    "elements at computed places": "param v = [1, 2, 3, 4]\nn = 4\ns = 0\nf(k) = v[k]*2 + v[k*3 - n]\n"
    "for i in range(4) { s += v[n - 1 - i]*v[i] + v[-n*1 + i] }\nfor i in range(1, 3) { s = s + f(i)*2 }\nbackward(s)",
    "elements of a matrix": "param A = [[1, 2], [3, 4]]\nB = [[0.5, 1], [2, 3]]\ns = 0\n"
    "for i in range(2) { for j in range(2) { s += A[i, j]*B[j, i] - A[i, -1]/2 + A[i, j] } }\nbackward(s)",
    "elements of what is written": "param a = 2\nv = zeros(5)\nv[0] = a\nfor i in range(4) { v[i+1] = v[i]*a + v[i] }\nbackward(sum(v))",
    "functions": "param x = 0.5\nparam a = 1.01\ndef f(m) { if m < 2 { return a }; return f(m - 1) + x*f(m - 2) }\nbackward(f(12))",
    "a call between": "param x = 2\nf(u) = u*x + 1\ny = 1\nfor i in range(5) { y = y*x + f(y)*0.5 + x }\nbackward(y)",
    "nothing tracked at times": "param x = 2\ny = 0\nfor i in range(5) { z = y*2 + 1; y = z - 1 if i < 3 else z + x*y }\nbackward(y)",
    "a tensor at times": "param x = [1, 2]\nfor i in range(3) { y = x*2 + 1 - i*x }\nbackward(sum(y))",
    "no_grad": "param x = 2\ny = x\nfor i in range(4) { no_grad { z = x*x + 1 }\n y = y*z + x }\nbackward(y)",
    "retained": "param x = 2\ny = x\nfor i in range(4) { y = y*x + 1 }\nbackward(y, retain_graph=true)\nbackward(y)",
    "training": "param a = 0.1\nxs = [1, 2, 3]\nfor k in range(20) { zero_grad(); l = 0\n for i in range(3) { l += (a*xs[i] - 2)^2 }\n"
    "backward(l)\na -= 0.01*a.grad }",
    "updates": "param a = 0.1\nparam v = [1, 2]\nparam M = [[1, 2], [3, 4]]\nx = [1, 2]\n"
    "for k in range(9) { zero_grad(); l = sum((v*a - x)^2) + sum(M@v)\n"
    "backward(l)\n"
    "a -= 0.01*a.grad; v -= 0.01*v.grad; v *= 0.99; M /= 1.5; M += a*v; v ^= 1.01; a += (a*a - 0.5*a)*a*0.01; a ^= 2; "
    "a /= 0.9 }\nb = v[0]*a\nbackward(b)",
    "while": "param a = 0.9\ny = 1\nwhile y*a - 0.001 > 0.1 { y = y*a - 0.01*a }\nbackward(y)",
    "inf and nan": "param a = 0\nparam b = -1\ny = 0\n"
    "for i in range(3) { y += 1/a*b + log(b)*a + exp(1000 + a)*b - sqrt(b + i) }\nbackward(y)",
    "a condition": "param a = 2\ny = 0\nfor i in range(4) { if a*i - 3 > 1 { y = y + a*i } else { y = y - a/2*3 } }\nbackward(y)",
    "a long sum": "param a = 2\ny = 0\nfor i in range(3) { y = " + " + ".join(["a*2"] * 90) + " }\nbackward(y)",
    "many names": "param a = 2\n" + "".join(f"b{i} = a*{i}\n" for i in range(20)) + "y = 0\nfor i in range(2) { y = "
    + " + ".join(f"b{i}*2" for i in range(20)) + " }\nbackward(y)",
    "numbers without end": "param w = 2\ny = 1\nfor i in range(3) { y = y*0.5 + w^1e999 + -1e400*w + 1e999*0.5 }\nbackward(y)",
    "a truth value": "param a = 2\nt = true\ny = 0\nfor i in range(3) { y = y + t*a - t }\nbackward(y)",
    "a function of numbers": "param a = 1.3\nh = 0.01\nf(u) = a*u - u^3\nv = zeros(9)\nv[0] = a/2\n"
    "for i in range(8) { v[i+1] = v[i] + h*f(v[i]) + f(h) }\nbackward(sum(v))",
    "functions of functions": "param a = 0.7\nparam b = 0.2\nf(u) = a*u - sin(u*b)\ng(u, w) = f(u)*w - f(w)/u + u*u\n"
    "k(u) = g(f(u), u)*g(u, 2)\ny = a\nfor i in range(6) { y = 0.5*k(y) + g(y, b)*f(y) - y }\nbackward(y)",
    "functions of several lines": "param a = 0.7\nh = 0.1\n"
    "def step(y, t) { k = a*y - t; unused = exp(y*a); m = y + h*k; k = k + a*m; return y + h*k/2 }\n"
    "y = 1\nfor i in range(7) { y = 0.5*step(y, i*h) + 0.25*y - step(a, y) }\nbackward(y)",
    "functions that are called by functions": "param a = 0.9\nf(u) = u*a + 1\n"
    "def rec(n, y) { if n < 1 { return y*a }; return rec(n - 1, y - f(y)*0.1) + f(y)*y }\n"
    "backward(rec(12, 0.5))",
    "functions that stand for what they are given": "param a = 0.9\nsame(u) = u\none(u) = 1\nminus(u) = -u\ny = 1\n"
    "for i in range(5) { y = y*same(a) - one(y)*minus(2) + minus(same(y)) - same(y)*same(y) }\nbackward(y)",
    "functions that are more than arithmetic": "param a = 0.9\nparam v = [1, 2, 3]\nf(i) = v[i]*a\n"
    "def g(u) { if u > 1 { return u }; return u*a }\n"
    "k(u, n=2) = u*n\ny = 1\nfor i in range(3) { y = y*0.3 + f(i) + g(y)*0.1 + k(y)*0.5 + k(y, 3)*a + k(y, n=4)*a }\nbackward(y)",
    "a function of names set later": "param a = 0.9\nf(u) = u*a + b*c\nc = 1\nif a > 0 { b = 2 }\ny = 1\n"
    "for i in range(4) { c = c + 0.1*a; y = y*0.5 + f(y) }\nbackward(y)",
    "a function that is defined again": "param a = 0.9\nf(u) = u*a\ny = 1\nfor i in range(4) { y = 0.2*f(y) + 1 }\n"
    "f(u) = u - a\nbackward(y)",
    "a function of tensors at times": "param a = 0.9\nx = [1, 2]\nf(u) = u*a + 1\ny = 1\n"
    "for i in range(4) { y = 0.2*f(x if i == 2 else y) + a }\nbackward(sum(y))",
    "one element several times": "param v = [1, 2, 3]\ns = 0\n"
    "for i in range(2) { s += v[i]*v[i] - v[i + 1]*v[i+1]/v[i] + v[i] }\nbackward(s)",
    "a vector and one of its rows": "param A = [[1, 2], [3, 4]]\ns = 0\n"
    "for i in range(2) { s = s + sum(A[i])*2 + A[i, i]*A[i, 0]*A[0, i] }\nbackward(s)",
    "arguments that are not used": "param w = 2\nf(x, y) = x*2\nz = 0\nfor i in range(9) { z = f(w, z*1) + 1; backward(z) }",
    "lines that are not used": "param w = 2\nparam u = 3\ndef g(x, y) { t = x*y; return x + 1 }\nz = 0\n"
    "for i in range(9) { z = g(w, z)*2 - 1; backward(z); z = g(1, u)*0.5 + 1; print(z.requires_grad) }",
    "a value that is not used and was changed": "param w = 2\nparam u = 3\nf(x, y) = x*3 + y\ndef g(x, y) { t = y^2*x; return x*w + x }\n"
    "z = 1\nfor i in range(4) { z = g(z, u)*f(z, w) }\nu -= 1\nbackward(z)",
    "nothing that is used is tracked": "param u = 3\nf(x, y) = x*2\nz = 1\n"
    "for i in range(9) { z = f(z, u) + 1 - z; print(z.requires_grad) }\nbackward(u)",
    "signs of functions": "param w = 3\nconst(x, y) = y\nf(x, y) = x\nzero(x) = 0\ny = 1\nfor i in range(9) { y = +const(w^2 + 2*w, w)\n"
    "a = -f(3, w*w + 1) + 2*(+const(y*2*w, y)); b = -zero(w*w + 1); c = -(-const(w*w*2, w)); d = a*w + b }\nbackward(y + c + d)",
    "signs of what is computed before": "param w = 1\ndef g(x) { if x > 5 { return x }; return x + rand() }\nzero(x) = 0\ny = 0\n"
    "for i in range(4) { y = +g(1)*w + y; z = -zero(g(2))*w + w; t = -zero(+g(3))*w*2; print(y, z, t, rand()) }\nbackward(y)",
    "a choice": "param w = 0.7\nparam v = [1, -2]\nf(x) = where(x > 0, x^2, -x)\ny = 0\n"
    "for i in range(2) { y = y + f(v[i])*2 + where(w > 0, w, w*w) }\n"
    "backward(y)",
    "a param given back": "param a = 2\nf(u) = u\ny = 0\nfor i in range(3) { y = f(a)*2 + y }\na -= 1\nprint(y)",
}  # fmt: skip


@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_a_program_runs_the_same(text):
    _, _, gradients, error = same(text)
    assert not error
    if "zero_grad" not in text and "print" not in text:
        assert any(gradients.values())
    assert formulas(text)


ERRORS = {
    "an index": "param v = [1, 2]\ny = 0\nfor i in range(3) { y = y + v[i]*2 }",
    "an index with a fraction": "param v = [1, 2]\nh = 0.5\ny = 0\nfor i in range(3) { y = y + v[i*h]*2 }",
    "an index that is a tensor": "param v = [1, 2]\ny = 0\nf(k) = v[k]*2 + 1\nfor i in range(3) { y = f([0, 1, 5]) }",
    "two indices": "param v = [1, 2]\ny = 0\nfor i in range(3) { y = y + v[i, i]*2 }",
    "an index of a matrix": "param v = [[1, 2], [3, 4]]\ny = 0\nfor i in range(3) { y = y + v[0, i]*2 }",
    "no elements": "param v = 1\ny = 0\nfor i in range(3) { y = y + v[i]*2 }",
    "inside a function": "param v = [1, 2]\nparam w = 2\nf(u) = 1 + u*w\nfor i in range(3) { y = v*2 + f([1, 2, 3]) }",
    "a name that a function lacks": "param w = 2\nf(u) = u*w + k\ng(u) = f(u)*2 + 1\ny = g(1)\nk = 1\n"
    "for i in range(3) { y = y*0.5 + f(y) }",
    "a param that a function lacks": "y = 1\nfor i in range(3) { y = y*0.5 + f(y) }\nparam w = 2\nf(u) = u*w + 1",
    "a name that is set at times": "param w = 2\nif w > 3 { k = 1 }\nf(u) = u*w + k\nfor i in range(3) { y = w*0.5 + f(w) }",
    "an element before a name that is not set": "param v = [1, 2]\nparam w = 2\nfor i in range(3) { z = v[5]*w + late*w }\nlate = 1",
    "an element before a name that is set at times": "param v = [1, 2]\ndef f(i) { if i > 2 { k = 1 }; return v[i]*2 + k*v[0] }\n"
    "for i in range(4) { z = f(5 - i) }",
    "an element before a name that a function lacks": "param v = [1, 2]\nf(i) = v[i]*2 + k*v[0]\ny = f(5)\nk = 1",
    "a default that a function lacks": "param w = 2\nf(u) = u*w + k\ndef g(u, n=f(1)) { return u }\nk = 2\n"
    "for i in range(3) { y = w*0.5 + f(w) }",
    "a value in a function that was changed": "param w = 2\nf(u) = u*3*w\ny = 1\nfor i in range(3) { y = y - f(y)*0.1 }\n"
    "w -= 1\nbackward(y)",
    "an update between": "param v = 2\ny = 1\nfor i in range(3) { y = y*v + v*v; v -= 0.1 }\nbackward(y)",
    "a method before a name is set": "param w = 2\nf(u) = u*w + k\nz = w.f()\nk = 1\nfor i in range(3) { y = w*0.5 + f(w) }",
    "shapes": "param v = [1, 2]\nw = [1, 2, 3]\nfor i in range(3) { y = 2*v + w }",
    "a string": 'param v = 1\nf(u) = v*2 + u\nprint(f("a"))',
    "a value that was changed": "param w = 2\ny = 1\nfor i in range(3) { y = y + w*y - 1 }\nw -= 1\nbackward(y)",
    "a value that was changed deep inside": "param w = 2\ny = 1\nfor i in range(3) { y = (y - 1)*2 + 3*sin(w) }\nw -= 1\nbackward(y)",
    "a graph that was freed": "param w = 2\ny = 1\nfor i in range(3) { y = y + w*y - 1 }\nbackward(y)\nbackward(y)",
    "a graph that was freed below": "param w = 2\ny = w\nfor i in range(3) { y = y + w*y - 1 }\nz = y*2 + 1\nbackward(y)\nbackward(z)",
    "a name that is not set": "param w = 2\nfor i in range(3) { if i > 5 { v = 1 }\n y = v - (1 if w > 1 else v)*w }",
    "a graph of the first time that was freed": "param w = 2\nf(y) = y + w*y - 1\ny = f(1)\ny = f(1)\nbackward(y)\nbackward(y)",
    "depth": "param w = 2\nf(u) = f(u)*w + 1\nprint(f(1))",
}


@pytest.mark.parametrize("text", ERRORS.values(), ids=ERRORS)
def test_an_error_is_the_same(text):
    assert same(text)[3]
    assert formulas(text)


UPDATES = {
    "an update and a value that was kept": "param a = 2\nfor i in range(3) { b = a; a -= 0.5; c = b*a }\nprint(b, c)\nbackward(c)",
    "updates that are not finite": "param a = 1\nfor i in range(4) { a /= 0; a *= -1e308; a += 1e308 }\nprint(a)\n"
    "param b = -2\nfor i in range(3) { b ^= 0.5 }",
    "an update of another shape": "param v = [1, 2]\nfor i in range(3) { v -= [1, 2, 3] }",
    "an update that broadcasts": "param v = 1\nfor i in range(3) { v -= [1, 2, 3] }",
    "an update by a string": "param v = 1\nfor i in range(3) { v -= \"a\" }",
    "an update by a string of a vector": "param v = [1, 2]\nfor i in range(3) { v *= \"a\" }",
    "an update without a gradient": "param v = 1\nfor i in range(3) { v -= 0.1*v.grad }",
    "an update by a function": "param v = 1\nf(x) = x\nfor i in range(3) { v += f }",
}


@pytest.mark.parametrize("text", UPDATES.values(), ids=UPDATES)
def test_an_update_of_a_param_is_the_same(text):
    same(text)


@pytest.mark.parametrize("value", ["y + w*y - 1", "y + f(y)*0.5", "f(f(y)) - f(w)"])
def test_steps_are_counted_the_same(value):
    text = f"param w = 0.5\nf(u) = u*w - 1\ny = 1\nwhile true {{ y = {value} }}"
    for most in range(301, 311):
        assert same(text, most)[3]


def test_a_changed_param_that_no_operation_saved_is_no_error():
    assert not same("param w = 2\nparam v = 1\ny = 1\nfor i in range(3) { y = y + w - 2*v }\nw -= 1\nbackward(y)")[3]


# ---------------------------------------------------------------- what is left as it is


@pytest.mark.parametrize(
    "text",
    [
        "y = 0\nfor i in range(3) { y = y*2 + i }",  # nothing is tracked
        "param w = 2\ny = w*2 + 1",  # it runs once
        "param w = 2\nfor i in range(3) { y = w*2 }",  # one operation
        "param w = 2\nu = 1\nfor i in range(3) { u = u*2 + i }",  # this name is not tracked
        "param w = 2\nfor i in range(3) { y = w^w + w*2 }",  # a power of a tracked exponent
        "param w = 2\nf(x) = w*x + 1\nfor i in range(3) { y = w*2 + 1 }\nprint(f'(2))",
        "param w = 2\nfor i in range(3) { y = w*2 + 1 }\nprint(grad(y, w))",
        "param w = 2\nfor i in range(3) { y = w*2 + 1 }\nprint(y.hessian(w))",
        "param w = 2\nfor i in range(3) { y = w*2 + 1 }\nprint(y.grad_fn)",
        "param w = 2\nfor i in range(3) { y = w*2 + 1 }\nbackward(y, create_graph=true)",
        "param w = 2\nback = backward\nfor i in range(3) { y = w*2 + 1 }\nback(y, create_graph=true)",
        "param w = 2\ndef f(b, y) { b(y, create_graph=true); return 1 }\nfor i in range(3) { y = w*2 + 1 }\nf(backward, y)",
    ],
)
def test_what_is_not_done_in_one_step(text):
    assert not formulas(text)
    if not same(text, 20_000)[3]:
        same(text)


def test_it_is_done_only_where_asked():
    program = compile_program(Source("test.dg", "param w = 2\ny = 1\nfor i in range(3) { y = y + w*y - 1 }"))
    assert program.run().values["y"].grad_fn.next_functions[0][0].name() == "AddBackward0"


def test_the_function_is_written_when_the_expression_is_met_often(monkeypatch):
    monkeypatch.setattr(fusing, "OFTEN", 10)
    written = []
    monkeypatch.setattr(engine, "fuse", lambda formula, *more, fuse=engine.fuse: written.append(formula) or fuse(formula, *more))
    for turns, expected in ((9, 0), (10, 1), (30, 1)):
        written.clear()
        same(f"param w = 2\ny = 1\nfor i in range({turns}) {{ y = y + w*0.5 }}\nbackward(y)")
        assert len(written) == expected


def test_an_expression_of_tensors_is_tried_less_and_less_often(monkeypatch):
    monkeypatch.setattr(fusing, "OFTEN", 10)
    written = []
    monkeypatch.setattr(engine, "fuse", lambda formula, *more, fuse=engine.fuse: written.append(formula) or fuse(formula, *more))
    same("param w = [1, 2]\ny = 1\nfor i in range(1000) { y = w*0.5 + i }")
    assert len(written) == 2  # after 10 turns and after 100 more


@pytest.mark.parametrize(
    ("value", "names"),
    [
        ("y + f(y)*2", ["MulBackward0", "AddBackward0", "MulBackward0", "AddBackward0"]),
        ("f(f(y)) - 1", ["MulBackward0", "AddBackward0", "MulBackward0", "AddBackward0", "SubBackward0"]),
        ("f(v[i]) - v[i]", ["SelectBackward0", "MulBackward0", "AddBackward0", "SelectBackward0", "SubBackward0"]),
    ],
)
def test_the_steps_of_a_function_stand_in_place_of_its_call(value, names):
    text = f"param w = 2\nparam v = [1, 2, 3]\nf(u) = u*w + 1\ny = 1\nfor i in range(3) {{ y = {value} }}"
    node = compile_program(Source("test.dg", text)).run(Settings(fused=True)).values["y"].grad_fn
    assert [inner.name() for inner in node.derivative.unfolded(node)] == names
    assert [inner.span.line for inner in node.derivative.unfolded(node)][-1] == 5


def test_an_argument_that_is_tracked_later_gets_its_gradient(monkeypatch):
    monkeypatch.setattr(fusing, "OFTEN", 3)
    written = []
    monkeypatch.setattr(engine, "fuse", lambda formula, *more, fuse=engine.fuse: written.append(formula.constant) or fuse(formula, *more))
    text = "param w = 2\nparam k = 3\nc = 1\ny = 1\nfor i in range(9) { if i == 5 { c = k*2 }; y = y*0.5 + w*c }\nbackward(y)"
    assert set(same(text)[2]) == {"w", "k"}
    assert written == [{2}, set()]


def test_one_node_holds_the_whole_expression():
    program = compile_program(Source("test.dg", "param w = 2\ny = 1\nfor i in range(3) { y = y + w*y - 1 }"))
    node = program.run(Settings(fused=True)).values["y"].grad_fn
    assert node.name() == "SubBackward0"
    assert node.span.position[1:] == (3, 25, 3, 36)
    assert [inner.name() for inner in node.derivative.unfolded(node)] == ["MulBackward0", "AddBackward0", "SubBackward0"]


# ---------------------------------------------------------------- any program

LEAVES = ["a", "b", "y", "u", "v[i]", "v[i + 1]", "v[-1]", "A[i, 0]", "A[i, i]", "xs[i]", "i", "2", "0", "-1.5", "1e300", "pi"]
UNARY = ["sin", "exp", "log", "sqrt", "abs", "tanh", "relu", "sigmoid", "square", "atan", "floor", "sign", "cbrt", "softplus"]


def grown(parts):
    return st.one_of(
        st.tuples(parts, st.sampled_from("+-*/"), parts).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
        st.tuples(st.sampled_from(UNARY), parts).map(lambda t: f"{t[0]}({t[1]})"),
        st.tuples(parts, st.sampled_from(["2", "3", "0.5", "-1", "0"])).map(lambda t: f"{t[0]}^{t[1]}"),
        st.tuples(parts, parts).map(lambda t: f"atan2({t[0]}, {t[1]})"),
        parts.map(lambda p: f"(-{p})"),
        parts.map(lambda p: f"f({p})"),
        st.tuples(parts, parts).map(lambda t: f"g({t[0]}, {t[1]})"),
        st.tuples(st.sampled_from(["", "+", "-"]), parts, parts).map(lambda t: f"({t[0]}k({t[1]}, {t[2]}))"),
        st.tuples(st.sampled_from(["", "+", "-"]), parts).map(lambda t: f"({t[0]}none({t[1]}))"),
    )


EXPRESSIONS = st.recursive(st.sampled_from(LEAVES), grown, max_leaves=12)
VALUES = st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.5, 2.5, 1e200, -3.0]) | st.floats(-4, 4)


@settings(deadline=None, max_examples=150, suppress_health_check=list(HealthCheck))
@given(EXPRESSIONS, EXPRESSIONS, VALUES, VALUES)
def test_any_expression_is_the_same(first, second, a, b):
    same(
        f"param a = {a!r}\nparam b = {b!r}\nparam v = [0.5, -1, 2, 1]\nparam A = [[1, 2], [0.5, 3], [4, 5]]\n"
        f"xs = [1, 0, 3]\nu = 0.25\nf(t) = t*b + a\ndef g(s, t) {{ d = s*t - u; t = f(d)/s; return t + d*t - s }}\n"
        f"k(s, t) = t\nnone(s) = 0\n"
        f"y = 1\nfor i in range(3) {{ y = {first} }}\nfor i in range(2) {{ y = y + {second} }}\nbackward(y + a*0)"
    )


@settings(deadline=None, max_examples=150, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 2**32))
def test_any_program_is_the_same(seed):
    text = Programs(Random(seed)).text()
    try:
        compile_program(Source("test.dg", text))
    except Exception:  # not every one is a program
        return
    if not same(text, 20_000)[3]:
        same(text)
