"""`dagrad fit`: certified answers, reports, and what it says where there is no answer."""

import csv
import json
from itertools import groupby
from math import log10
from pathlib import Path

import pytest

NIST = Path(__file__).parents[2] / "samples" / "nist"
CERTIFIED = {
    name: list(rows)
    for name, rows in groupby(csv.DictReader((NIST / "certified.csv").read_text("utf-8").splitlines()), lambda row: row["set"])
}
LINE = "x,y\n0,1.1\n1,2.9\n2,5.2\n3,6.9\n"


def digits(found, wanted):
    """The significant digits that agree, of the worst pair."""
    return min(-log10(abs(a - b) / abs(b) or 1e-17) for a, b in zip(found, wanted, strict=True))


@pytest.mark.parametrize(("start", "needed"), [("start1", 6), ("start2", 8)])
@pytest.mark.parametrize("name", CERTIFIED)
@pytest.mark.parametrize("method", ["lm", "trf"])
def test_nist(dagrad, name, start, needed, method):
    rows = CERTIFIED[name]
    starts = [word for row in rows for word in ("--start", f"{row['parameter']}={row[start]}")]
    answer = dagrad("fit", NIST / f"{name}.dg", "--method", method, "--json", *starts)
    assert answer.code == 0, answer.err
    estimates = [answer.json["estimates"][row["parameter"]] for row in rows]
    assert digits([e["value"] for e in estimates], [float(row["value"]) for row in rows]) >= needed
    assert digits([e["std_error"] for e in estimates], [float(row["std_error"]) for row in rows]) >= 4


@pytest.mark.parametrize("name", CERTIFIED)
def test_the_gradients_of_the_models(dagrad, name):
    assert dagrad("check", NIST / f"{name}.dg").code == 0


@pytest.fixture
def line(tmp_path):
    (tmp_path / "line.csv").write_text(LINE)
    (tmp_path / "line.dg").write_text("input x = 0\ninput y = 0\nparam a = 0\nparam b = 0\nresidual = y - (a + b*x)\n")
    return tmp_path


def test_columns_become_inputs(dagrad, line):
    document = dagrad("fit", line / "line.dg", "--data", line / "line.csv", "--json").json
    assert document["estimates"]["b"]["value"] == pytest.approx(1.97)
    assert document["dof"] == 2
    assert document["observations"] == 4
    assert document["r_squared"] == pytest.approx(0.99676, abs=1e-4)
    assert document["correlation"]["a"]["b"] == pytest.approx(-0.80178, abs=1e-4)
    assert document["converged"] is True


def test_an_expression_and_confidence_intervals(dagrad, line):
    answer = dagrad("fit", "-e", "a + b*x", "--data", line / "line.csv", "--start", "a=0", "--start", "b=0", "--ci", 95, "--json")
    low, high = answer.json["estimates"]["b"]["ci95"]
    assert (high - low) / 2 == pytest.approx(4.302653 * answer.json["estimates"]["b"]["std_error"], rel=1e-6)


def test_lines_off_a_terminal(dagrad, line):
    answer = dagrad("fit", line / "line.dg", "--data", line / "line.csv", "-q", "--digits", 4)
    assert [row.split("\t")[:2] for row in answer.lines] == [["a", "1.07"], ["b", "1.97"]]


def test_a_vector_of_parameters(dagrad, line):
    code = "input x = 0\ninput y = 0\nparam b = [0, 0]\nresidual = y - b[0] - b[1]*x"
    document = dagrad("fit", "-c", code, "--data", line / "line.csv", "--json").json
    assert document["estimates"]["b"]["value"] == pytest.approx([1.07, 1.97])
    assert len(document["estimates"]["b"]["std_error"]) == 2
    assert set(document["correlation"]) == {"b[0]", "b[1]"}


def test_a_bound(dagrad, line):
    document = dagrad("fit", line / "line.dg", "--data", line / "line.csv", "--bound", "b=0,1.5", "--json").json
    assert document["estimates"]["b"] == {"value": 1.5, "std_error": None}
    assert document["estimates"]["a"]["value"] == pytest.approx(1.775)
    assert document["dof"] == 3


@pytest.mark.parametrize("method", ["l-bfgs-b", "bfgs", "trust-exact", "newton-cg"])
def test_a_loss(dagrad, method):
    code = "param x = -1\nparam y = 2\nloss = (1 - x)^2 + 100*(y - x^2)^2"
    document = dagrad("fit", "-c", code, "--method", method, "--json").json
    assert document["estimates"]["x"]["value"] == pytest.approx(1, abs=1e-8)
    assert document["loss"] == pytest.approx(0, abs=1e-12)
    assert document["estimates"]["x"]["std_error"] == pytest.approx((200 / 400) ** 0.5, rel=1e-6)  # of the inverse Hessian


def test_the_loss_may_be_what_backward_is_called_on(dagrad):
    code = ["-c", "param w = 3", "-c", "for i in range(3) { backward((w - 1)^2 + 2); w -= w.grad; zero_grad() }"]
    document = dagrad("fit", *code, "--json").json
    assert document["estimates"]["w"]["value"] == pytest.approx(1)
    assert document["loss"] == 2


def test_chunks_give_the_answer_of_one_piece(dagrad, tmp_path):
    lines = [f"{i / 50},{3 * 2.718281828 ** (-0.4 * i / 50) + ((i * 7919) % 13 - 6) / 100!r}" for i in range(300)]
    (tmp_path / "decay.csv").write_text("x,y\n" + "\n".join(lines) + "\n")
    command = ["fit", "-e", "a*exp(-b*x)", "--data", tmp_path / "decay.csv", "--start", "a=1", "--start", "b=1", "--json"]
    whole, pieces = dagrad(*command).json, dagrad(*command, "--chunk", 7).json
    for name in "ab":
        for key in ("value", "std_error"):
            assert pieces["estimates"][name][key] == pytest.approx(whole["estimates"][name][key], rel=1e-12)
    assert pieces["residual_sum"] == pytest.approx(whole["residual_sum"], rel=1e-12)


def test_a_loss_in_chunks(dagrad, line):
    code = "input x = 0\ninput y = 0\nparam a = 0\nparam b = 0\nloss = sum((y - a - b*x)^2)"
    document = dagrad("fit", "-c", code, "--data", line / "line.csv", "--chunk", 3, "--json").json
    assert document["estimates"]["b"]["value"] == pytest.approx(1.97)


def test_not_converged_is_1(dagrad, line):
    answer = dagrad("fit", NIST / "mgh17.dg", "--method", "lm", "--max-evaluations", 3, "--json")
    assert answer.code == 1
    assert answer.json["converged"] is False
    assert answer.json["ok"] is False
    assert "limit of evaluations" in answer.err


def test_parameters_that_the_data_do_not_determine(dagrad, line):
    answer = dagrad("fit", "-e", "a + b + 0*x", "--data", line / "line.csv", "--start", "a=0", "--start", "b=0")
    assert answer.code == 1
    assert "do not determine" in answer.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-e", "a*x"], "no start value for a"),
        (["-e", "a*x", "--start", "a=1", "--y", "z"], "--y z: no such column"),
        (["-e", "a*x", "--start", "c=1"], "--start c"),
        (["-e", "a*x", "--start", "a=1", "--bound", "a=3"], "two sides"),
        (["-e", "a*x", "--start", "a=1", "--bound", "q=0,1"], "--bound q"),
        (["-e", "x"], "no parameter"),
        (["-e", "a*x", "--start", "a=1", "--method", "no"], "no method 'no'"),
        (["-c", "param a = 1", "-c", "input z = 0", "-c", "residual = a - z"], "is an input of the program"),
        (["-c", "param a = 1", "-c", "input x = 0", "-c", "r = a - x"], "sets no residual or loss"),
        (["-c", "input x = 0", "-c", "residual = x"], "no param to fit"),
    ],
)
def test_usage(dagrad, line, words, message):
    answer = dagrad("fit", *words, "--data", line / "line.csv")
    assert answer.code == 2
    assert message in answer.err


@pytest.mark.parametrize(
    ("text", "message"),
    [("x,y\n1,2\n3,oops\n", "row 3, column 2 (y): 'oops' is not a number"),
     ("# by hand\n\nx,y\n1,\n", "row 4, column 2 (y): the cell is empty"),
     ("x,y\n1,2\n3\n", "row 3 has 1 cell, row 1 has 2"), ("x y\n1 2\n3 z\n", "row 3, column 2 (y): 'z' is not a number"),
     ("1,2\n3,4\n", "no header row"), ("x,y\n", "no rows"), ("", "is empty")],
)  # fmt: skip
def test_bad_data(dagrad, tmp_path, text, message):
    (tmp_path / "bad.csv").write_text(text)
    answer = dagrad("fit", "-e", "a*x", "--start", "a=1", "--data", tmp_path / "bad.csv")
    assert answer.code == 2
    assert message in answer.err


def test_pictures(dagrad, tmp_path):
    answer = dagrad("fit", NIST / "misra1a.dg", "--plot", "--svg", tmp_path / "fit.svg")
    assert "residuals of y over x" in answer.out
    svg = (tmp_path / "fit.svg").read_text()
    assert svg.startswith("<svg")
    assert svg.count("<circle") == 28


def test_the_document_is_strict(dagrad, line):
    answer = dagrad("fit", "-e", "a + b*x + c*x^2 + d*x^3", "--data", line / "line.csv", *(f"--start={n}=0" for n in "abcd"), "--json")
    assert answer.code == 0
    assert json.loads(answer.out)["residual_std"] is None  # no degree of freedom is left


def test_a_start_is_a_number(dagrad, tmp_path):
    data = tmp_path / "d.csv"
    data.write_text("x,y\n1,2\n2,4\n3,6\n", "utf-8")
    answer = dagrad("fit", "-e", "a*x", "--data", data, "--y", "y", "--start", 'a="s"')
    assert (answer.code, "neither a number nor a tensor" in answer.err) == (2, True)
