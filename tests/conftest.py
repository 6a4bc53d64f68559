"""Running the command line from a test: in this process for most, in a process of its own where that is what is tested."""

import gc
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
IMPORT_ROOT = ROOT / "tests" / "import_root"


@dataclass
class Answer:
    """What a command line gave."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        def refuse(word: str) -> None:
            raise ValueError(f"{word} is not strict JSON")

        return json.loads(self.out, parse_constant=refuse)

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


def pytest_addoption(parser):
    parser.addoption("--record", action="store_true", help="record the output of the samples anew")


@pytest.fixture
def dagrad(capsys, monkeypatch):
    """Runs a command line in this process."""
    from dagrad.cli import main

    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)

    def run(*arguments: object) -> Answer:
        capsys.readouterr()
        try:
            code = main([str(argument) for argument in arguments])
        finally:
            gc.enable()
        captured = capsys.readouterr()
        return Answer(int(code), captured.out, captured.err)

    return run


@pytest.fixture
def recorded_message(request):
    """Compares the text of an error with the record of its code, or records it."""

    def compare(code: str, text: str) -> None:
        file = ROOT / "tests" / "expected" / "messages" / f"{code}.txt"
        if request.config.getoption("--record"):
            file.write_text(text, "utf-8")
        assert file.is_file(), f"no record of {code}; pytest --record makes one"
        assert text == file.read_text("utf-8")
        assert f"error[{code}]: " in text

    return compare


def environment(**changes: str | None) -> dict[str, str]:
    """The environment of a child: colours as they come, and the package under test, working tree or wheel."""
    values = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR", "GITHUB_ACTIONS", "COLUMNS")}
    if str(IMPORT_ROOT) in sys.path:
        values["PYTHONPATH"] = str(IMPORT_ROOT)
    for name, value in changes.items():
        if value is None:
            values.pop(name, None)
        else:
            values[name] = value
    return values


@pytest.fixture(name="environment")
def environment_fixture():
    return environment


COMMAND = [sys.executable, "-P", "-m", "dagrad.cli"]


@pytest.fixture
def command_line():
    """The words that start dagrad in a process of its own."""
    return COMMAND


@pytest.fixture
def process(tmp_path):
    """Runs a command line in a process of its own, in an empty folder unless `cwd` is given."""

    def run(*arguments: object, stdin: str = "", cwd: Path = tmp_path, **changes: str | None) -> Answer:
        command = COMMAND + [str(argument) for argument in arguments]
        done = subprocess.run(
            command, input=stdin, capture_output=True, text=True, encoding="utf-8", cwd=cwd, env=environment(**changes), timeout=120
        )
        return Answer(done.returncode, done.stdout, done.stderr)

    return run
