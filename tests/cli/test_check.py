"""`dagrad check`, and what tables and files are refused with: verdicts an element, wrong command lines."""

import json
from pathlib import Path

import pytest


def verdicts(answer):
    return [(row["name"], row["index"], row["verdict"]) for row in answer.json["results"]]


def test_each_element_has_a_verdict(dagrad):
    answer = dagrad("check", "-e", "sum(x^2) * y", "--at", "x=[1,2]", "--at", "y=3", "--json")
    assert answer.code == 0
    assert verdicts(answer) == [("x", [0], "ok"), ("x", [1], "ok"), ("y", [], "ok")]


def test_a_kink_is_neither_right_nor_wrong(dagrad):
    answer = dagrad("check", "-e", "sum(abs(x))", "--at", "x=[0,1]", "--json")
    assert (answer.code, [verdict for *_, verdict in verdicts(answer)]) == (0, ["kink", "ok"])


def test_a_gradient_that_was_tampered_with_is_wrong(dagrad):
    code = ["-c", "param w = [1, 2]", "-c", "y = sum(w * detach(w))", "-c", "backward(y)"]
    answer = dagrad("check", *code, "--json")
    assert answer.code == 1
    assert {verdict for *_, verdict in verdicts(answer)} == {"wrong"}


def test_a_program_and_an_expression_are_one_too_many(dagrad):
    assert dagrad("check", "-e", "x", "--at", "x=1", "-c", "param w = 1").code == 2


def test_a_program_without_backward_has_nothing_to_check(dagrad):
    answer = dagrad("check", "-c", "param w = 1", "-c", "y = w^2")
    assert (answer.code, "calls backward nowhere" in answer.err) == (2, True)


def test_dask_needs_pieces(dagrad, tmp_path):
    data = tmp_path / "d.csv"
    data.write_text("x\n1\n2\n", "utf-8")
    answer = dagrad("grad", "a*x", "--data", data, "--sum", "--at", "a=1", "--dask", "tcp://127.0.0.1:9")
    assert (answer.code, "--chunk" in answer.err) == (2, True)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"1,2\n3,4\n", "no header row"),
        (b"x,x\n3,4\n", "two columns 'x'"),
        (b"\xff\xfe\n", "not UTF-8"),
        (b"", "is empty"),
        (None, "cannot read"),
    ],
)
def test_tables_that_are_none(dagrad, tmp_path, data, said):
    file = tmp_path / "t.csv"
    if data is not None:
        file.write_bytes(data)
    answer = dagrad("fit", "-e", "a*x", "--data", file, "--y", "x", "--start", "a=1")
    assert (answer.code, said in answer.err) == (2, True), answer.err


def test_fit_refuses_what_goes_together_with_nothing(dagrad, tmp_path):
    assert "needs data" in dagrad("fit", "-e", "a*x", "--start", "a=1").err
    assert "both given" in dagrad("fit", "-e", "a*x", "-c", "param a = 1").err
    data = tmp_path / "d.csv"
    data.write_text("x,y\n1,2\n2,4.1\n3,5.9\n", "utf-8")
    picture = tmp_path / "nowhere" / "p.svg"
    answer = dagrad("fit", "-e", "a*x", "--data", data, "--y", "y", "--start", "a=1", "--svg", picture)
    assert (answer.code, "cannot write" in answer.err) == (2, True)


def test_a_sweep_over_one_number(dagrad):
    (row,) = dagrad("sweep", "-e", "x^2", "--over", "x=3").lines
    assert (json.loads(row)["value"], json.loads(row)["gradients"]) == (9, {"x": 6})
    assert "neither a number nor a tensor" in dagrad("sweep", "-e", "x", "--over", 'x="a"').err


def test_rounding_noise_at_an_optimum_is_not_called_wrong(dagrad):
    answer = dagrad("check", Path(__file__).parents[2] / "samples" / "misra1a.dg", "--json")
    assert answer.code == 0
    assert "wrong" not in [result["verdict"] for result in answer.json["results"]]
