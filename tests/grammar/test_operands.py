"""Where the operands of a failing expression got their values: secondary labels, each certain or left out."""

from __future__ import annotations

import pytest

from dagrad.grammar import DagradError, Session, Settings, Source, compile_program


def labels(text, **files):
    def read(path):
        return Source(path, files[path.removesuffix(".dg")])

    error = compile_program(Source("test.dg", text), loader=read).run(Settings()).error
    assert error is not None
    return [(label.file, label.line, label.column, label.text) for label in error.diagnostics[0].labels]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        # one place only
        ("v = [1, 2, 3]\ny = v + [1, 2]", [(1, 1, "this has shape (3,)")]),
        ("v = [1, 2, 3]\nfor i in range(5) {\n y = v[i]\n}", [(1, 1, "this has shape (3,)"), (2, 5, "this is 3")]),
        ("def f() {\n z = [1, 2, 3]\n return z + [1, 2]\n}\ny = f()", [(2, 2, "this has shape (3,)")]),
        # the nearest of several, in a straight line
        ("v = [1, 2]\nv = [1, 2, 3]\ny = v + [1, 2]\nv = 5", [(2, 1, "this has shape (3,)")]),
        ("v = [1, 2]\nv += [[1], [2]]\ny = v + [1, 2, 3]", [(2, 1, "this has shape (2, 2)")]),
        ("v = 1\nif v > 0 {\n v = [1, 2, 3]\n y = v + [1, 2]\n}", [(3, 2, "this has shape (3,)")]),
        ("v = 1\nv = [1, 2, 3]\nif true {\n y = v + [1, 2]\n}", [(2, 1, "this has shape (3,)")]),
        ("v = 1\nno_grad {\n v = [1, 2, 3]\n}\ny = v + [1, 2]", [(3, 2, "this has shape (3,)")]),
        ("v = 1\nfor i in range(2) {\n v = [1, 2, 3]\n y = v + [1, 2]\n}", [(3, 2, "this has shape (3,)")]),
        ("v = 1\nv = [1, 2, 3]\nfor i in range(2) {\n y = v + [1, 2]\n}", [(2, 1, "this has shape (3,)")]),
        ("r = 1\nfor r in ones(2, 3) {\n y = r + [1, 2]\n r = 2\n}", [(2, 5, "this has shape (3,)")]),
        ("param w = [1, 2]\nw = [5, 6]\ny = w + [1, 2, 3]", [(2, 1, "this has shape (2,)")]),
        ("v = 1\nv = [1, 2, 3]\nv[0] = 5\ny = v + [1, 2]", [(2, 1, "this has shape (3,)")]),
        # where a branch or a loop decides, nothing
        ("v = [1, 2]\nif true {\n v = [1, 2, 3]\n}\ny = v + [1, 2]", []),
        ("v = [1, 2, 3]\nfor i in range(3) {\n y = v + [1, 2, 3]\n v = [1, 2]\n}", []),
        ("v = [1, 2, 3]\nwhile sum(v + [1, 2, 3]) > 0 {\n v = [1, 2]\n}", []),
        ("i = 0\nv = [0, 0]\ni, v[i] = 5, 1", [(2, 1, "this has shape (2,)")]),
        # or the operation that recorded a tracked value
        ("param w = [1, 2]\nx = w * 2\nif true {\n x = concat(x, x)\n}\ny = x + [1, 2]", [(4, 6, "x has shape (4,)")]),
        # arguments of a call
        ("f(x) = x[5]\ny = f([1, 2])", [(2, 7, "x has shape (2,)")]),
        ("f(x, n) = x[n]\ny = f([1, 2], n=3)", [(2, 7, "x has shape (2,)"), (2, 17, "n is 3")]),
        ("f(x, n=3) = x[n]\nv = [1, 2]\ny = v.f()", [(3, 5, "x has shape (2,)")]),
        ("def f(x, n=3) {\n return x[n]\n}\nv = [1, 2]\ny = v.f()", [(5, 5, "x has shape (2,)"), (1, 12, "n is 3")]),
        ("f(x) = x[5]\ng = f\ny = g([1, 2])", [(3, 7, "x has shape (2,)")]),
        ('f(x) = x[5]\nprint("{f(ones(2))}")', [(2, 11, "x has shape (2,)")]),
        ("def f(x) {\n x = x + [1, 2]\n return x[5]\n}\ny = f(1)", [(2, 2, "this has shape (2,)")]),
        ("def f(x) {\n if sum(x) > 0 {\n  x = [1]\n }\n return x[5]\n}\ny = f(1)", []),
        # the parameter, not the name of the program that it hides
        ("x = [1, 2, 3]\nf(x) = x + [1, 2]\ny = f(ones(4))", [(3, 7, "x has shape (4,)")]),
        ("c = [1, 2, 3]\nf(x) = x + c\ny = f(ones(4))", [(3, 7, "x has shape (4,)"), (1, 1, "this has shape (3,)")]),
        # a function that the engine calls has no call in the program
        ("f(x) = x + ones(2)[x + 9]\ny = f'(3)", []),
        # an optimizer changes a param without naming it
        ("param w = 2\no = sgd(w, lr=0.1)\nbackward(w^2)\nstep(o)\nv = [1, 2]\ny = v[w]", [(5, 1, "this has shape (2,)")]),
    ],
)
def test_labels(text, found):
    assert labels(text) == [("test.dg", *each) for each in found]


def test_names_of_an_imported_file():
    assert labels('import "lib.dg"\ny = v + [1, 2]', lib="v = [1, 2, 3]") == [("lib.dg", 1, 1, "this has shape (3,)")]


def test_an_import_may_set_the_name():
    """The file's own v is not assigned yet; the one that is there came with the import."""
    assert labels('import "lib.dg"\ny = v + [1, 2]\nv = 5', lib="v = [1, 2, 3]") == []


def test_entries_of_a_session():
    session = Session(Settings())
    session.enter("v = [1, 2, 3]")
    session.enter("f(x) = x + v")
    with pytest.raises(DagradError) as caught:
        session.enter("y = f(ones(2))")
    assert [(label.file, label.text) for label in caught.value.diagnostics[0].labels] == [
        ("<3>", "x has shape (2,)"),
        ("<1>", "this has shape (3,)"),
    ]
    session.enter("v = [1, 2]")
    with pytest.raises(DagradError) as caught:
        session.enter("y = v + [1, 2, 3]")
    assert caught.value.diagnostics[0].labels == []
