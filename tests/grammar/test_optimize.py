"""minimize, least_squares and the optimizers, as a program uses them."""

import subprocess
import sys

import pytest

TRAINING = """
param w = [3, -2]
param b = 1
opt = {maker}
for i in range({turns}) {{
    loss = sum((w - [1, 2])^2 * [1, 3]) + (b + 1)^2
    zero_grad()
    backward(loss)
    step(opt)
}}
assert_close(w, [1, 2], rtol=1e-6)
assert_close(b, -1, rtol=1e-6)
"""


@pytest.mark.parametrize(
    ("maker", "turns"),
    [("sgd(lr=0.1)", 100), ("sgd(lr=0.05, momentum=0.5)", 150), ("adam(lr=0.1)", 500), ("lbfgs()", 30), ("sgd(w, b, lr=0.1)", 100)],
)
def test_a_training_loop_ends_at_the_minimum(dagrad, maker, turns):
    answer = dagrad("run", "-q", "-c", TRAINING.format(maker=maker, turns=turns))
    assert answer.code == 0, answer.err


def test_adam_takes_the_known_first_steps(dagrad):
    """The first step is the learning rate, whatever the gradient; the second follows from the formulas of Kingma and Ba."""
    code = "param w = 1\no = adam(lr=0.1)\nfor i in range(2) { zero_grad(); backward(w^2); o.step(); print(w) }"
    first, second = (float(line) for line in dagrad("run", "-q", "-c", code).lines)
    mean, square = 0.1 * 0.9 * 2 + 0.1 * 1.8, 0.001 * 0.999 * 4 + 0.001 * 1.8**2
    assert first == pytest.approx(0.9, rel=1e-7)
    assert second == pytest.approx(first - 0.1 * (mean / (1 - 0.9**2)) / (square / (1 - 0.999**2)) ** 0.5, rel=1e-7)


def test_numbers_alone_take_no_numpy(environment):
    code = "param w = 1\no = adam(lr=0.1)\nbackward(w^2)\nstep(o)"
    script = f"import sys; from dagrad.cli import main; main(['run', '-q', '-c', {code!r}]); sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], env=environment()).returncode == 0


@pytest.mark.parametrize("method", ["l-bfgs-b", "bfgs", "cg", "trust-exact", "newton-cg", "trust-krylov"])
def test_minimize(dagrad, method):
    code = f'f(x) = (1 - x[0])^2 + 100*(x[1] - x[0]^2)^2\nassert_close(minimize(f, [-1.2, 1], method="{method}"), [1, 1], rtol=1e-7)'
    answer = dagrad("run", "-q", "-c", code)
    assert answer.code == 0, answer.err


@pytest.mark.parametrize("method", ["auto", "lm", "trf"])
def test_least_squares(dagrad, method):
    model = "r(p) = [1.1, 2.9, 5.2, 6.9] - p[0] - p[1]*[0, 1, 2, 3]"
    code = f'{model}\nassert_close(least_squares(r, [0, 0], method="{method}"), [1.07, 1.97])'
    answer = dagrad("run", "-q", "-c", code)
    assert answer.code == 0, answer.err


def test_a_number_in_a_number_out_and_nothing_tracked(dagrad):
    code = "param a = 2\nf(x) = (x - a)^2\ny = minimize(f, 0)\nprint(y, y.requires_grad)"
    assert dagrad("run", "-q", "-c", code).lines == ["2 false"]


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("step(3)", "step() takes an optimizer, not a number"),
        ("param w = 1; o = sgd(0.1)", "sgd() moves params, not a number"),
        ("o = sgd()", "sgd() has no param to move"),
        ("param w = 1; o = sgd(lr=-1)", "a learning rate above 0"),
        ("param w = 1; o = sgd(w); step(o)", "no param has a gradient"),
        ("param w = 1; o = lbfgs(w); step(o)", "needs a gradient in every param"),
        ("f(x) = x * [1, 2]; y = minimize(f, 1)", "with one result"),
        ("f(x) = -x; y = minimize(f, 0)", "did not converge"),
        ('f(x) = x^2; y = minimize(f, 1, method="no")', "no method 'no'"),
        ("y = minimize(3, 1)", "takes a function, not a number"),
        ("f(x) = log(x); y = minimize(f, -1)", "at the start values"),
        ("r(p) = [1, 2] - p[0] - p[1]; y = least_squares(r, [0, 0])", "do not determine"),
    ],
)
def test_mistakes(dagrad, code, message):
    answer = dagrad("run", "-q", "-c", code)
    assert answer.code == 1
    assert message in answer.err


def test_an_error_inside_the_function_has_its_place(dagrad):
    answer = dagrad("run", "-q", "-c", "f(x) = x[3]", "-c", "y = minimize(f, [1, 2])", "--error-format", "concise")
    assert answer.err.startswith("<-c>:1:8: error[DG042]")
