"""Runs programs for the tests of the language."""

from __future__ import annotations

from typing import Any

import pytest

from dagrad.grammar import DagradError, Diagnostic, Run, Settings, Source, compile_program


@pytest.fixture
def run():
    """Runs a program that must succeed."""

    def action(text: str, **settings: Any) -> Run:
        result = compile_program(Source("test.dg", text)).run(Settings(**settings))
        if result.error is not None:
            raise AssertionError(result.error.diagnostics)
        return result

    return action


@pytest.fixture
def errors():
    """All errors of a program that must fail."""

    def action(text: str, **settings: Any) -> list[Diagnostic]:
        try:
            result = compile_program(Source("test.dg", text)).run(Settings(**settings))
        except DagradError as error:
            return error.diagnostics
        assert result.error is not None, f"no error, but {result.values}"
        return result.error.diagnostics

    return action


@pytest.fixture
def value(run):
    """The value of an expression, as a number, list or text."""

    def action(expression: str) -> Any:
        found = run(f"it = {expression}").values["it"]
        return found.tolist() if hasattr(found, "tolist") else found

    return action
