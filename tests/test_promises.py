"""What the project says of itself, checked: help, examples, README, completion scripts, documents."""

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")


def commands():
    """Every command by its path, such as `graph dump`."""
    from dagrad.cli.completion.generate import entries

    return [entry.path for entry in entries() if entry.path and not entry.commands]


def examples():
    """The example lines of all helps."""
    from dagrad.cli.app import Session
    from dagrad.cli.help import split
    from dagrad.cli.tree import ABOUT, build

    def walk(command):
        yield from split(command.help)[1]
        for sub in getattr(command, "commands", {}).values():
            yield from walk(sub)

    return sorted({*walk(build([], Session([]))), *split(ABOUT)[1]})


@pytest.mark.parametrize("path", commands())
def test_every_command_has_help_with_an_example(dagrad, path):
    answer = dagrad(*path.split(), "--help")
    assert answer.code == 0
    assert answer.out.startswith("Examples:\n  ")
    assert f"dagrad {path}" in answer.out


@pytest.mark.parametrize("path", commands())
def test_every_option_is_explained(path):
    from dagrad.cli.completion.generate import entries

    entry = next(entry for entry in entries() if entry.path == path)
    assert all(entry.options.values()), entry.options


@pytest.mark.parametrize("path", commands())
def test_the_readme_names_every_command(path):
    assert f"`dagrad {path}" in README


def test_the_readme_names_no_command_that_is_not_there():
    from dagrad.cli.completion.generate import entries

    known = {entry.path for entry in entries()}
    for words in re.findall(r"dagrad ((?:graph )?[a-z]+)\b", "\n".join(re.findall(r"`[^`]+`|```.*?```", README, re.S))):
        assert words in known or words.startswith("graph"), words


@pytest.mark.parametrize("example", [line for line in examples() if line.startswith("dagrad ") and not set(line) & set("|>")])
def test_examples_are_well_formed(dagrad, example):
    """An example that names no file of its own runs; the others are at least parsed without a usage error."""
    words = shlex.split(example, comments=True)[1:]
    answer = dagrad(*words)
    if words == ["repl"]:  # which needs a terminal
        assert "needs a terminal" in answer.err
        return
    missing_file = answer.code == 2 and any(f"cannot read {word}" in answer.err for word in words)
    different = answer.code == 1 and "--exit-code" in words  # as `diff` does: the answer is the exit code
    assert answer.code == 0 or missing_file or different, answer.err


def transcripts():
    """The README's examples: a line with `$ ` and what it prints, up to the next one."""
    for block in re.findall(r"```console\n(.*?)```", README, re.S):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, output = part.partition("\n")
            while command.endswith("\\"):
                more, _, output = output.partition("\n")
                command = command[:-1] + more.removeprefix("> ")
            yield command, output.rstrip("\n")


@pytest.mark.parametrize(("command", "output"), list(transcripts()), ids=lambda text: text.split("\n")[0][:60])
def test_the_readme_shows_what_is_printed(environment, command_line, request, tmp_path, command, output):
    tool = tmp_path / "dagrad"
    tool.write_text(f'#!/bin/sh\nexec {shlex.join(command_line)} "$@"\n')
    tool.chmod(0o755)
    path = f"{tmp_path}:{environment()['PATH']}"
    done = subprocess.run(
        ["sh", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=ROOT, env=environment(PATH=path)
    )
    printed = done.stdout.rstrip("\n")
    if request.config.getoption("--record"):
        old, new = (f"$ {command}\n{text}\n" if text else f"$ {command}\n" for text in (output, printed))
        file = ROOT / "README.md"
        file.write_text(file.read_text("utf-8").replace(old, new, 1), "utf-8")
    else:
        assert printed == output


def test_the_completion_scripts_are_fresh():
    from dagrad.cli.completion import SHELLS, script
    from dagrad.cli.completion.generate import MAKERS, entries

    found = entries()
    for shell in SHELLS:
        assert script(shell) == MAKERS[shell](found), "python -m dagrad.cli.completion.generate makes them anew"


@pytest.mark.skipif(not shutil.which("bash"), reason="needs bash")
def test_the_completion_script_for_bash_completes():
    from dagrad.cli.completion import script

    ask = 'COMP_WORDS=(dagrad grad --hess); COMP_CWORD=2; _dagrad; echo "${COMPREPLY[@]}"'
    done = subprocess.run(["bash", "-c", script("bash") + ask], capture_output=True, text=True)
    assert done.stdout == "--hessian\n"


def test_the_readme_command_is_what_ci_runs():
    assert "<!-- tests -->" in README
