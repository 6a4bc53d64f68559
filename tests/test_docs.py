"""The console examples of the pages in docs/ print what they show. `pytest tests/test_docs.py --record` writes it anew."""

import doctest
import re
import shlex
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "docs" / name for name in ("fitting.md", "sweep.md", "ci.md", "tools.md", "limits.md")]


def transcripts():
    """Each page with a command of it (its further lines begin with `> `) and the output below, up to the next command."""
    for page in PAGES:
        for block in re.findall(r"```console\n(.*?)```", page.read_text("utf-8"), re.S):
            for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
                lines = part.splitlines()
                more = next((i for i, line in enumerate(lines[1:], 1) if not line.startswith("> ")), len(lines))
                yield page, lines[:more], lines[more:]


@pytest.mark.parametrize(("page", "command", "output"), list(transcripts()), ids=lambda value: getattr(value, "name", ""))
def test_an_example_prints_what_it_shows(environment, command_line, request, tmp_path, page, command, output):
    tool = tmp_path / "dagrad"
    tool.write_text(f'#!/bin/sh\nexec {shlex.join(command_line)} "$@"\n')
    tool.chmod(0o755)
    text = "\n".join([command[0], *(line.removeprefix("> ") for line in command[1:])])
    path = f"{tmp_path}:{environment()['PATH']}"
    done = subprocess.run(
        ["sh", "-c", text], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=ROOT, env=environment(PATH=path), timeout=120
    )
    printed = done.stdout.splitlines()
    if request.config.getoption("--record"):
        head = "$ " + "\n".join(command)
        old, new = ("\n".join([head, *lines]) + "\n" for lines in (output, printed))
        page.write_text(page.read_text("utf-8").replace(old, new, 1), "utf-8")
    else:
        assert printed == output


def test_the_page_on_python_shows_what_happens():
    page = ROOT / "docs" / "python.md"
    text = "\n".join(re.findall(r"```pycon\n(.*?)```", page.read_text("utf-8"), re.S))
    parsed = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    wrong = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL)
    assert runner.run(parsed, out=wrong.append).attempted > 15
    assert not wrong, "".join(wrong)
