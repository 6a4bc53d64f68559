"""The arrows between the layers: cli → grammar → engine, through the facades, and nobody else talks to the terminal."""

import ast
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LAYERS = ("engine", "grammar", "cli")
FILES = sorted(file for layer in LAYERS for file in (ROOT / layer).rglob("*.py"))
NAMES = [str(file.relative_to(ROOT)) for file in FILES]

MAY_USE = {
    "engine": {"numpy", "scipy"},
    "grammar": {"numpy", "dagrad.engine", "dagrad.engine.inspect"},
    "cli": {
        *("typer", "rich", "pygments", "prompt_toolkit", "numpy", "joblib", "distributed"),
        *("dagrad.engine", "dagrad.engine.inspect", "dagrad.grammar"),
    },
}

every_file = pytest.mark.parametrize("file", FILES, ids=NAMES)


@cache
def tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text("utf-8"))


def layer(file: Path) -> str:
    return file.relative_to(ROOT).parts[0]


def absolute_imports(file: Path) -> set[str]:
    """What a file imports by its full name, `from dagrad import engine` as dagrad.engine; the standard library is left out."""
    found = set()
    for node in ast.walk(tree(file)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            assert node.module
            found |= {f"dagrad.{alias.name}" for alias in node.names} if node.module == "dagrad" else {node.module}
    return {name for name in found if name.partition(".")[0] not in sys.stdlib_module_names}


@every_file
def test_imports_follow_the_arrows(file):
    allowed = MAY_USE[layer(file)]
    if file == ROOT / "grammar" / "build.py":  # run after a change of the language, and by no program
        allowed = allowed | {"lark"}
    for name in absolute_imports(file):
        package = name if name.startswith("dagrad") else name.partition(".")[0]
        assert package in allowed, f"{layer(file)}/ must not import {name}"


@every_file
def test_only_the_screen_draws(file):
    if file != ROOT / "cli" / "screen.py":
        assert not {name for name in absolute_imports(file) if name.partition(".")[0] == "rich"}


@every_file
def test_a_relative_import_stays_in_its_layer(file):
    depth = len(file.relative_to(ROOT).parts) - 1
    for node in ast.walk(tree(file)):
        if isinstance(node, ast.ImportFrom):
            assert node.level <= depth, f"line {node.lineno} leaves the layer"


@every_file
def test_files_are_short_and_say_what_they_are_for(file):
    lines = file.read_text("utf-8").count("\n")
    assert lines <= 400, f"{lines} lines: two ideas live here"
    if lines:
        assert ast.get_docstring(tree(file)), "the first line says the job of the file"


def test_no_module_is_imported_under_two_names():
    """`import engine` works in the root of the repository and would make a second Tensor class."""
    for file in [*FILES, *(ROOT / "tests").rglob("*.py")]:
        if "import_root" not in file.parts:
            assert not {name.partition(".")[0] for name in absolute_imports(file)} & set(LAYERS), file


def module_imports(file: Path) -> set[Path]:
    """The files of the same layer that a file imports when it is loaded: not inside functions, not for type checkers."""
    found = set()
    body = list(tree(file).body)
    while body:
        node = body.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            body += node.orelse
        elif isinstance(node, (ast.If, ast.Try)):
            body += [*node.body, *node.orelse]
        elif isinstance(node, ast.ImportFrom) and node.level:
            folder = file.parents[node.level - 1]
            base = folder.joinpath(*(node.module or "").split(".")) if node.module else folder
            for alias in node.names:
                found |= {path for path in (base / f"{alias.name}.py", base / alias.name / "__init__.py") if path.is_file()}
            if node.module:
                found |= {path for path in (base.with_suffix(".py"), base / "__init__.py") if path.is_file()}
    return found - {file}


def test_no_cycle_of_imports():
    """A module can be understood after those that it imports, and there always is a first one."""
    waiting = {file: module_imports(file) for file in FILES if file.name != "__init__.py"}
    while waiting:
        ready = {file for file, needs in waiting.items() if not needs & waiting.keys()}
        assert ready, f"these import each other: {sorted(str(file.relative_to(ROOT)) for file in waiting)}"
        for file in ready:
            del waiting[file]
