"""Every sample is a test: its output is recorded in tests/expected/samples. `pytest tests/test_samples.py --record` records anew."""

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SAMPLES = ROOT / "samples"
EXPECTED = ROOT / "tests" / "expected" / "samples"
PROGRAMS = sorted(path.relative_to(SAMPLES) for path in SAMPLES.glob("*.dg"))
MISTAKES = sorted(path.relative_to(SAMPLES) for path in (SAMPLES / "errors").rglob("*.dg"))
EXIT = {"syntax": 3, "names": 3, "run": 1}


@pytest.fixture
def recorded(request):
    """Compares a text with its record, or records it."""

    def compare(name: Path, text: str) -> None:
        file = EXPECTED / name.with_suffix(".txt")
        if request.config.getoption("--record"):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8")
        assert file.is_file(), f"no record of {name}; pytest tests/test_samples.py --record makes one"
        assert text == file.read_text("utf-8")

    return compare


@pytest.mark.parametrize("name", PROGRAMS, ids=str)
def test_a_sample_prints_what_it_printed(dagrad, recorded, monkeypatch, name):
    monkeypatch.chdir(ROOT)
    answer = dagrad("run", "-q", Path("samples") / name)
    assert answer.err == ""
    assert answer.code == 0
    recorded(name, answer.out)


@pytest.mark.parametrize("name", MISTAKES, ids=str)
def test_a_mistake_is_reported_as_it_was(dagrad, recorded, monkeypatch, name):
    monkeypatch.chdir(ROOT)
    answer = dagrad("run", "-q", Path("samples") / name)
    assert answer.code == EXIT[name.parts[1]]
    assert "Traceback" not in answer.err
    recorded(name, answer.out + answer.err)


def test_every_record_has_its_sample():
    records = {path.relative_to(EXPECTED).with_suffix("") for path in EXPECTED.rglob("*.txt")}
    assert records == {path.with_suffix("") for path in [*PROGRAMS, *MISTAKES, Path("ci")]}


@pytest.mark.skipif(not shutil.which("sh"), reason="needs a POSIX shell")
def test_the_shell_script_runs(recorded, environment, tmp_path):
    tool = tmp_path / "dagrad"
    tool.write_text(f'#!/bin/sh\nexec "{sys.executable}" -P -m dagrad.cli "$@"\n')
    tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(["sh", "-eu", str(SAMPLES / "ci.sh")], capture_output=True, text=True, env=environment(PATH=path), timeout=120)
    assert done.stderr == ""
    assert done.returncode == 0
    recorded(Path("ci"), done.stdout)
