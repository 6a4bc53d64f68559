"""`dagrad explain`, `dagrad ops`, `dagrad completion`: what the tool knows about itself."""

import math
from pathlib import Path

import pytest


def catalogue():
    from dagrad.grammar import ENTRIES

    return ENTRIES


@pytest.mark.parametrize("entry", catalogue(), ids=lambda entry: entry.code)
def test_every_code_is_explained(dagrad, entry):
    answer = dagrad("explain", entry.code)
    assert answer.code == 0
    assert entry.title in answer.out
    assert entry.wrong.split("\n")[0] in answer.out


def test_codes_are_listed(dagrad):
    answer = dagrad("explain")
    assert any(line.startswith("DG020\tunknown-name\t") for line in answer.lines)
    assert dagrad("explain", "--json").json["errors"]


def test_an_unknown_code(dagrad):
    assert dagrad("explain", "DG999").code == 2


def test_the_code_of_a_message_is_the_code_that_is_explained(dagrad):
    error = dagrad("run", "-c", "y = nosuch", "--json").json["error"]
    assert dagrad("explain", error["code"].lower(), "--json").json["kind"] == error["kind"]


def test_an_operation(dagrad):
    found = dagrad("ops", "mul", "--json").json
    assert found["derivatives"] == {"a": "g * b", "b": "g * a"}
    assert found["saved"] == ["a", "b"]
    assert found["nodes"] == ["MulBackward0"]
    assert "g * b" in dagrad("ops", "mul").out


def test_all_operations_are_listed(dagrad):
    from dagrad.engine import registry

    public = [name for name in registry if not name.startswith("_")]
    assert len(dagrad("ops").lines) == len(public)
    assert len(dagrad("ops", "--json").json["ops"]) == len(public)


def test_a_composition_says_what_it_is_made_of(dagrad):
    found = dagrad("ops", "mse", "--json").json
    assert found["written"] == "_reduced(square(p - t), reduction)"
    assert {"mean", "square"} <= set(found["made_of"])
    assert found["where"]["_reduced(losses, reduction)"].startswith("The mean")
    assert found["parts"] == []


def test_the_op_behind_a_name_shows_its_rule(dagrad):
    found = dagrad("ops", "softmax", "--json").json
    assert found["parts"][0]["derivatives"] == {"x": "y * (g - _sum_axes(g * y, (axis,), True))"}
    assert found["parts"][0]["saved"] == ["y"]
    assert "softmax(x, axis=none)\tx: y * (g - _sum_axes(g * y, (axis,), True))\ty" in dagrad("ops").lines


def test_a_rule_that_is_a_function_is_shown_as_it_is_written(dagrad):
    where = dagrad("ops", "cholesky", "--json").json["where"]
    assert "triangular_solve(transposed(y), inner, True)" in where["_cholesky_slope(g, y)"]
    assert where["_half_lower(X)"] == "The lower triangle with its diagonal halved."


def test_constants_of_a_rule(dagrad):
    assert dagrad("ops", "erf", "--json").json["where"] == {"_TWO_OVER_ROOT_PI": repr(2 / math.sqrt(math.pi))}


def test_every_operation_has_a_rule_or_parts_or_no_derivative(dagrad):
    for entry in dagrad("ops", "--json").json["ops"]:
        assert entry["derivatives"] or entry["written"] or entry["nodes"] == [], entry["name"]
        if entry["written"]:
            assert "\n" not in entry["written"], entry["name"]


def test_the_reference_is_fresh(dagrad, request):
    page = dagrad("ops", "--markdown").out
    file = Path(__file__).parents[2] / "docs" / "reference.md"
    if request.config.getoption("--record"):
        file.write_text(page, "utf-8")
    assert file.read_text("utf-8") == page, "dagrad ops --markdown > docs/reference.md makes it anew"


def test_the_page_is_of_all_operations(dagrad):
    assert dagrad("ops", "exp", "--markdown").code == 2


def test_a_misspelt_operation(dagrad):
    answer = dagrad("ops", "sinn")
    assert answer.code == 2
    assert "sin" in answer.err


def test_completion(dagrad):
    assert dagrad("completion", "bash").out.startswith("# Completion of dagrad for bash")
    assert dagrad("completion", "fish", "--nosuch").code == 2
    assert dagrad("completion", "tcsh").code == 2
