"""The list of errors keeps its promises: each wrong example fails with its code, each right one does not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dagrad.grammar import BY_CODE, ENTRIES, DagradError, Settings, Source, compile_program, render

PROVOKED = {"nesting": "x = " + "(" * 30_000, "runtime": None}  # what no short example shows
RECORDS = Path(__file__).parents[1] / "expected" / "messages"
OPTIONS = {"non-finite": {"check_finite": True}, "steps": {"max_steps": 100}, "time": {"timeout": 0.1}, "limit": {"max_elements": 1000}}


def kind_of(text: str, settings: Settings) -> str | None:
    try:
        run = compile_program(Source("example.dg", text)).run(settings)
    except DagradError as error:
        return error.diagnostics[0].code
    return run.error.diagnostics[0].code if run.error is not None else None


@pytest.mark.parametrize(
    "entry", [e for e in ENTRIES if e.kind != "nesting" and not e.wrong.startswith("dagrad ")], ids=lambda e: e.kind
)
def test_examples(entry, tmp_path, monkeypatch):
    (tmp_path / "lib.dg").write_text("x = 1")
    (tmp_path / "points.csv").write_text("1,2\n")
    monkeypatch.chdir(tmp_path)
    settings = Settings(**OPTIONS.get(entry.kind, {}))
    if entry.kind != "runtime":
        assert kind_of(entry.wrong, settings) == entry.code
    assert kind_of(entry.right, settings) is None


def test_codes_and_kinds_are_unique():
    assert len({e.code for e in ENTRIES}) == len({e.kind for e in ENTRIES}) == len(ENTRIES) == len(BY_CODE)


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


@pytest.mark.parametrize("entry", [e for e in ENTRIES if not e.wrong.startswith("dagrad ")], ids=lambda e: e.code)
def test_messages_are_as_recorded(entry, tmp_path, monkeypatch, request):
    monkeypatch.chdir(tmp_path)
    text = PROVOKED.get(entry.kind) or entry.wrong
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
    file = RECORDS / f"{entry.code}.txt"
    if request.config.getoption("--record"):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(shown, "utf-8")
    assert file.read_text("utf-8") == shown
