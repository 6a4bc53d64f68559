"""A program reaches its own names, the builtins and eight attributes; no Python object, module, frame or file besides."""

from __future__ import annotations

import os
import threading

import numpy as np
import pytest

from dagrad.grammar import DagradError, Settings, Source, compile_program
from dagrad.grammar.runtime import Runtime

INTERNALS = [
    "__builtins__", "__import__", "__class__", "__name__", "eval", "exec", "open", "globals", "locals",
    "vars", "getattr", "setattr", "type", "object", "compile", "breakpoint", "dir", "os", "sys", "np",
    "engine", "Tensor", "v_x", "b_print", "b0_load", "r_call", "r_locals", "r_get_grad", "m_0", "t_1", "i_i",
    "lambda_", "self", "None", "True", "__package__",
]  # fmt: skip


def outcome(text: str, **settings):
    try:
        return compile_program(Source("attack.dg", text)).run(Settings(**settings)).error.diagnostics[0]
    except DagradError as error:
        return error.diagnostics[0]


@pytest.mark.parametrize("name", INTERNALS)
def test_names_of_the_inside_mean_nothing(name):
    for text in (f"y = {name}", f"y = {name}(1)", f"x = 1; y = x.{name}", f"x = 1; y = x.{name}()", f'x = 1; y = "{{{name}}}"'):
        assert outcome(text).category in {"name", "syntax"}, text


@pytest.mark.parametrize("name", INTERNALS)
def test_names_of_the_inside_can_be_used_as_ones_own(name):
    run = compile_program(Source("attack.dg", f"{name} = 3\nf(x) = x + {name}\ny = f({name})\nprint(y)")).run()
    assert run.error is None
    assert run.output == ["6"]
    assert run.values[name] == 3


@pytest.mark.parametrize(
    "text",
    [
        "y = sin.__globals__", "y = sin.__code__", "f(x) = x; y = f.__globals__", "f(x) = x; y = f.__defaults__", 'y = "a".format(1)',
        'y = "a".join("b")', 'y = "abc".upper()', 'y = "{0.__class__}"', 'x = 1; y = "{x.__class__}"', 'x = 1; y = "{x!r}"',
        'x = 1; y = "{x:{x}}"', 'y = "%s" % 1', "y = (1, 2).count(1)", "y = (1).real", "y = [1].append(2)", "y = print.__self__",
        "x = [1]; y = x.data", "x = [1]; y = x.node", "x = [1]; y = x.numpy()", "x = [1]; x.data = 3", "y = f'.__class__",
        "y = sin(data=1)", "y = sum([1], dtype=1)", "y = sum([1], out=1)", "y = zeros(2, like=1)",
        "def f(__class__) { return __class__.x }",
        "x = 1; y = x.ｇｒａｄ", "import os", 'import "os"',
        'import "/etc/passwd"', "y = ｓｉｎ.x", "ｅｖａｌ(1)", "y = x. __class__", "@f",
    ],
)  # fmt: skip
def test_ways_out_are_closed(text):
    assert outcome(text).category in {"syntax", "name", "runtime"}


def test_look_alikes_are_names_of_their_own():
    run = compile_program(Source("attack.dg", "ѕin = 1\ny = ѕin + sin(0)\nﬁ = 2")).run()  # a Cyrillic s, a ligature
    assert run.error is None
    assert run.values["y"] == 1


def test_the_namespace_holds_no_module_and_no_python_builtin():
    names = Runtime(Settings(), [Source("a.dg", "")]).globals([])
    assert names["__builtins__"] == {}
    assert all(name[:2] in {"b_", "r_", "b0", "__"} for name in names)
    assert not any(type(value).__name__ == "module" for value in names.values())


def test_names_of_columns_and_files_are_data(tmp_path):
    (tmp_path / "a.csv").write_text('"__import__(\'os\').system(\'false\')",{x}\n1,2\n')
    source = Source("attack.dg", "x = load(\"a.csv\", \"__import__('os').system('false')\")\ny = load(\"a.csv\", \"{{x}}\")", str(tmp_path))
    run = compile_program(source).run()
    assert run.error is None
    assert run.values["y"].tolist() == [2]


# ---- files


def loaded(folder, name: str):
    return compile_program(Source("attack.dg", f'x = load("{name}")', str(folder))).run(Settings(timeout=5)).error.diagnostics[0]


def test_pickles_are_refused(tmp_path):
    np.save(tmp_path / "evil.npy", np.array([Evil()], dtype=object), allow_pickle=True)
    np.savez(tmp_path / "evil.npz", x=np.array([Evil()], dtype=object))
    (tmp_path / "raw.npy").write_bytes(b"cos\nsystem\n(S'false'\ntR.")
    for name in ("evil.npy", "evil.npz", "raw.npy"):
        error = loaded(tmp_path, name)
        assert error.kind == "file", name
        assert "allow_pickle" not in error.message
    assert not Evil.woken


class Evil:
    """Notes when somebody unpickles it."""

    woken: list[int] = []  # noqa: RUF012

    def __reduce__(self):
        return (Evil.woken.append, (1,))


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="needs device files")
@pytest.mark.parametrize("name", ["/dev/zero", "/dev/urandom", "/dev/stdin", "/dev/null", "/proc/self/mem", "/dev"])
def test_device_files_are_refused(tmp_path, name):
    assert loaded(tmp_path, name).kind == "file"
    assert outcome(f'import "{name}"').category in {"name", "syntax", "file"}


def test_a_pipe_that_nobody_writes_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    assert loaded(tmp_path, "pipe.csv").kind == "file"


def test_a_file_that_grows_is_read_as_long_as_it_was(tmp_path):
    file = tmp_path / "growing.csv"
    file.write_text("1,2\n" * 1000)
    stop = threading.Event()

    def grow() -> None:
        with file.open("a") as more:
            while not stop.is_set():
                more.write("1,2\n" * 1000)
                more.flush()

    writer = threading.Thread(target=grow)
    writer.start()
    try:
        run = compile_program(Source("attack.dg", 'x = load("growing.csv")', str(tmp_path))).run(Settings(timeout=20))
    finally:
        stop.set()
        writer.join()
    assert run.error is None or run.error.diagnostics[0].kind == "file"


@pytest.mark.parametrize("name", ["../out.npy", "/tmp/out.npy", "link/out.npy", "out.py", "", "a\\n.npy/../../b.npy"])
def test_save_stays_in_its_folder(tmp_path, name):
    (tmp_path / "allowed").mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "allowed" / "link").symlink_to(tmp_path / "outside")
    error = outcome(f'save("{name}", [1])', allow_write=str(tmp_path / "allowed"))
    assert error.kind == "file"
    assert not list((tmp_path / "outside").iterdir())
    assert outcome('save("x.npy", [1])').kind == "file"
