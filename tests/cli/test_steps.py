"""`dagrad grad --steps`: a gradient worked out in the open."""

import pytest

AT = ("x*y + sin(x)", "--at", "x=1", "--at", "y=2", "--steps")


def test_values_rules_and_sums_in_the_order_of_the_engine(dagrad):
    rows = [line.split("\t") for line in dagrad("grad", *AT, "--digits", "6").lines]
    assert [row[1:] for row in rows if row[0] == "forward"] == [
        ["%1", "x", "AccumulateGrad", "1"],
        ["%2", "y", "AccumulateGrad", "2"],
        ["%3", "x*y", "MulBackward0", "2"],
        ["%4", "sin(x)", "SinBackward0", "0.841471"],
        ["%5", "x*y + sin(x)", "AddBackward0", "2.84147"],
    ]
    assert [row[3:] for row in rows if row[0] == "backward"] == [
        ["%3 x*y", "a", "g", "1"],
        ["%4 sin(x)", "b", "g", "1"],
        ["%1 x", "x", "g * cos(x)", "0.540302"],
        ["%1 x", "a", "g * b", "2"],
        ["%2 y", "b", "g * a", "1"],
    ]
    assert [row[1:] for row in rows if row[0] == "sum"] == [["y", "1", "1"], ["x", "0.540302 + 2", "2.5403"]]


def test_the_document(dagrad):
    found = dagrad("grad", *AT, "--json").json
    assert found["gradients"]["x"] == pytest.approx(2.5403023058681398)
    steps = found["steps"]
    assert [entry["expression"] for entry in steps["forward"]] == ["x", "y", "x*y", "sin(x)", "x*y + sin(x)"]
    assert steps["backward"][1]["sent"] == [
        {"to": "%1", "input": "x", "rule": "g * cos(x)", "gradient": {"shape": [], "norm": 0.5403023058681398, "value": 0.5403023058681398}}
    ]
    assert steps["accumulated"][1]["from"] == ["%4", "%3"]


def test_tensors(dagrad):
    lines = dagrad("grad", "sum(v*v)*v[1]", "--at", "v=[1,2]", "--steps").lines
    assert lines[-1] == "sum\tv\t5 at [1] + [2, 4] + [2, 4]\t[4, 13]"


@pytest.mark.parametrize("text", ["1 + 1", "detach(x)", "x * [1, 2]"])
def test_what_has_no_steps(dagrad, text):
    at = ["--at", "x=1"] if "x" in text else []
    assert dagrad("grad", text, *at, "--steps").code in (1, 2)
