"""The list of errors keeps its promises: each wrong example fails with its code, each right one does not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dagrad.grammar import BY_CODE, ENTRIES, DagradError, Settings, Source, compile_program, render

PROVOKED = {"nesting": "x = " + "(" * 30_000}  # what no short example shows
RECORDS = Path(__file__).parents[1] / "expected" / "messages"
PROGRAMS = [entry for entry in ENTRIES if not entry.is_command]  # the mistakes of command lines: tests/cli/test_codes.py
OPTIONS = {"non-finite": {"check_finite": True}, "steps": {"max_steps": 100}, "time": {"timeout": 0.1}, "limit": {"max_elements": 1000}}


def kind_of(text: str, settings: Settings) -> str | None:
    try:
        run = compile_program(Source("example.dg", text)).run(settings)
    except DagradError as error:
        return error.diagnostics[0].code
    return run.error.diagnostics[0].code if run.error is not None else None


@pytest.mark.parametrize("entry", [entry for entry in PROGRAMS if entry.kind not in PROVOKED], ids=lambda e: e.kind)
def test_examples(entry, tmp_path, monkeypatch):
    (tmp_path / "lib.dg").write_text("x = 1")
    (tmp_path / "points.csv").write_text("1,2\n")
    monkeypatch.chdir(tmp_path)
    settings = Settings(**OPTIONS.get(entry.kind, {}))
    assert kind_of(entry.wrong, settings) == entry.code
    assert kind_of(entry.right, settings) is None


def test_codes_and_kinds_are_unique():
    assert len({e.code for e in ENTRIES}) == len({e.kind for e in ENTRIES}) == len(ENTRIES) == len(BY_CODE)


def test_every_code_is_explained_and_its_message_recorded():
    """What provokes a code is `wrong`, a program here or a command line in tests/cli/test_codes.py; both compare with the record."""
    for entry in ENTRIES:
        assert entry.title
        assert entry.explanation
        assert entry.right
        assert f"error[{entry.code}]: " in (RECORDS / f"{entry.code}.txt").read_text("utf-8")
    assert {file.stem for file in RECORDS.iterdir()} == BY_CODE.keys()


def test_every_kind_in_use_has_an_entry():
    folder = Path(compile_program.__code__.co_filename).parent
    kinds = {e.kind for e in ENTRIES}
    used = {
        k
        for path in folder.glob("*.py")
        for k in re.findall(r'(?:Mistake|mistake|over_last|scope\.error|self\.error)\(\s*"([a-z-]+)"', path.read_text())
    }
    assert used
    assert used <= kinds


@pytest.mark.parametrize("entry", PROGRAMS, ids=lambda e: e.code)
def test_messages_are_as_recorded(entry, tmp_path, monkeypatch, recorded_message):
    monkeypatch.chdir(tmp_path)
    text = PROVOKED.get(entry.kind, entry.wrong)
    source = Source("example.dg", text)
    try:
        error = compile_program(source).run(Settings(**OPTIONS.get(entry.kind, {}))).error
    except DagradError as found:
        error = found
    assert error is not None
    shown = "".join(render(diagnostic, {source.name: source}) for diagnostic in error.diagnostics)
    shown = re.sub(r"×\d+", "×N", shown)  # Python's own limit counts the frames of the test, too
    if entry.kind == "time":  # which statement it meets is chance
        shown = shown.split("\n")[0] + "\n"
    recorded_message(entry.code, shown)
