"""`dagrad explain`, `dagrad ops`, `dagrad completion`: what the tool knows about itself."""

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


def test_a_misspelt_operation(dagrad):
    answer = dagrad("ops", "sinn")
    assert answer.code == 2
    assert "sin" in answer.err


def test_completion(dagrad):
    assert dagrad("completion", "bash").out.startswith("# Completion of dagrad for bash")
    assert dagrad("completion", "fish", "--nosuch").code == 2
    assert dagrad("completion", "tcsh").code == 2
