"""Programs in several files, and data files."""

from __future__ import annotations

import numpy as np
import pytest

from dagrad.grammar import DagradError, Settings, Source, compile_program, format_value


@pytest.fixture
def folder(tmp_path):
    """Writes files and runs the first of them."""

    def action(settings: Settings | None = None, **files: str):
        for name, text in files.items():
            (tmp_path / f"{name}.dg").write_text(text, encoding="utf-8")
        return compile_program(Source.read(str(tmp_path / f"{next(iter(files))}.dg"))).run(settings)

    action.path = tmp_path
    return action


def test_import(folder):
    run = folder(
        main='import "lib.dg"\nparam w = 2\ny = scaled(w) + offset\nbackward(y)\noffset = 1\nz = scaled(1) + offset + k',
        lib='import "deep.dg"\noffset = 7\nfactor = 3\nprint("once")\ndef scaled(x) { return factor * x + 0 * offset }',
        deep='param k = 5\nimport "lib2.dg"',
        lib2="q = 1",
    )
    assert run.error is None
    assert (format_value(run.values["y"]), format_value(run.values["z"])) == ("13", "9")
    assert (sorted(run.params), run.output) == (["k", "w"], ["once"])


def test_private_functions_of_a_library_stay_its_own(folder):
    run = folder(main='import "lib.dg"\nhelper(x) = -x\ny = f(1) + helper(1)', lib="helper(x) = 10 * x\nf(x) = helper(x)")
    assert run.values["y"] == 9


@pytest.mark.parametrize(
    ("files", "said", "place"),
    [
        ({"main": 'import "nosuch.dg"'}, "nosuch.dg", ("main.dg", 1)),
        ({"main": 'import "a.dg"', "a": 'import "main.dg"'}, "circle", ("a.dg", 1)),
        ({"main": 'x = 1\nimport "a.dg"', "a": "y = 2x"}, "2x", ("a.dg", 1)),
        ({"main": 'import "a.dg"\ny = twcie(2)', "a": "twice(x) = 2*x"}, "twcie", ("main.dg", 2)),
    ],
)
def test_imports_that_fail(folder, files, said, place):
    with pytest.raises(DagradError) as caught:
        folder(**files)
    error = caught.value.diagnostics[0]
    assert said in error.message
    assert error.file.endswith(place[0])
    assert error.line == place[1]
    assert error.category in {"syntax", "name"}
    assert error.file in caught.value.sources


def test_an_error_in_a_library_is_shown_there(folder):
    run = folder(main='import "lib.dg"\ny = f([1])', lib="f(v) = v[3]")
    error = run.error.diagnostics[0]
    assert error.file.endswith("lib.dg")
    assert [frame.name for frame in error.stack] == ["program", "f"]


def test_unreadable_programs(tmp_path):
    (tmp_path / "binary.dg").write_bytes(b"x = 1\0")
    (tmp_path / "latin.dg").write_bytes("x = 'é'".encode("latin-1"))
    for name in ("nosuch.dg", "binary.dg", "latin.dg", "."):
        with pytest.raises(DagradError) as caught:
            Source.read(str(tmp_path / name))
        assert caught.value.category == "file"


@pytest.mark.parametrize(
    ("text", "expression", "expected"),
    [
        ("x,y\n1,2\n3,4\n", 'load("d.csv")', "[[1, 2], [3, 4]]"),
        ("1,2\n3,4\n", 'load("d.csv")', "[[1, 2], [3, 4]]"),
        ("x,y\n1,2\n3,4\n", 'load("d.csv", "y")', "[2, 4]"),
        ("x,y\n1,2\n3,4\n", 'load("d.csv", 0)', "[1, 3]"),
        ("x,y\n1,2\n3,4\n", 'load("d.csv", -1)', "[2, 4]"),
        ("# note\n\n1;2\n", 'load("d.csv")', "[[1, 2]]"),
        ("1 2\n3  4\n", 'load("d.csv")', "[[1, 2], [3, 4]]"),
        ('"a","b"\n1, nan\n', 'load("d.csv")', "[[1, nan]]"),
        ("\ufeffx\n1\n2\n", 'load("d.csv", "x")', "[1, 2]"),
    ],
)
def test_csv(folder, text, expression, expected):
    (folder.path / "d.csv").write_text(text, encoding="utf-8")
    assert format_value(folder(main=f"v = {expression}").values["v"]) == expected


@pytest.mark.parametrize(
    ("text", "call", "said"),
    [
        ("a,b\n1,2\n3,oops\n", 'load("d.csv")', "row 3, column 2 (b): 'oops' is not a number"),
        ("a,b\n1,\n", 'load("d.csv")', "row 2, column 2 (b): the cell is empty"),
        ("1,2\n3\n", 'load("d.csv")', "row 2 has 1 cell, row 1 has 2"),
        ("height,width\n1,2\n", 'load("d.csv", "weight")', "no column 'weight'"),
        ("1,2\n", 'load("d.csv", "x")', "no header"),
        ("1,2\n", 'load("d.csv", 2)', "no column 2"),
        ("1\n", 'load("d.csv", 2)', "has 1 column;"),
        ("", 'load("d.csv")', "empty"),
        ("1\n", 'load("nosuch.csv")', "nosuch.csv"),
        ("1\n", "load(3)", "a string"),
    ],
)
def test_csv_errors_name_the_cell(folder, text, call, said):
    (folder.path / "d.csv").write_text(text)
    error = folder(main=f"v = {call}").error.diagnostics[0]
    assert said in error.message
    assert (error.line, error.category) == (1, "runtime")


def test_numpy_files(folder):
    np.save(folder.path / "a.npy", np.arange(3))
    np.savez(folder.path / "b.npz", x=np.ones(2), y=np.zeros((1, 1)))
    np.save(folder.path / "o.npy", np.array([{}], dtype=object), allow_pickle=True)
    run = folder(main='a = load("a.npy")\nx = load("b.npz", "x")')
    assert {name: format_value(v) for name, v in run.values.items()} == {"a": "[0, 1, 2]", "x": "[1, 1]"}
    for call in ('load("b.npz")', 'load("b.npz", "z")', 'load("o.npy")'):
        assert folder(main=f"v = {call}").error.diagnostics[0].kind == "file"


def test_save_needs_permission(folder):
    text = 'save("out.npy", [1, 2])\nsave("out.csv", [[1, 0.5]])'
    error = folder(main=text).error.diagnostics[0]
    assert "--allow-write" in (error.help or "")
    allowed = Settings(allow_write=str(folder.path))
    assert folder(allowed, main=text).error is None
    assert np.load(folder.path / "out.npy").tolist() == [1, 2]
    assert (folder.path / "out.csv").read_text() == "1,0.5\n"
    for path in ("../out.npy", "/out.npy", "out.txt"):
        assert folder(allowed, main=f'save("{path}", 1)').error.diagnostics[0].kind == "file"
