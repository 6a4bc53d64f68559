"""A .dg program as the commands use it: read, compiled, given its settings, run."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from dagrad.engine import EngineError, tensor
from dagrad.grammar import DagradError, Diagnostic, Label, Settings, Source, compile_program, evaluate_constant

from .options import Program, Script, named
from .pages import keep_freed_pages
from .status import Failure, UsageError

if TYPE_CHECKING:
    from dagrad.grammar import Program as Compiled
    from dagrad.grammar import Run


def read(program: Script) -> Source:
    """The text: of a file, of stdin, or of the -c options, one a line."""
    if program.code:
        if program.file is not None:
            raise UsageError("FILE and -c are both given", help="give one of them")
        return Source("<-c>", "\n".join(program.code))
    if program.file is None:
        raise UsageError("no program is given", help="give a FILE, - for stdin, or -c CODE")
    if program.file == "-":
        return Source("<stdin>", standard_input())
    return Source.read(program.file)


def one_of(program: Script, e: str | None) -> None:
    """A command that takes a program or -e takes one of them."""
    if e is not None and (program.file or program.code):
        raise UsageError("a program and -e are both given", help="give one of them")


def standard_input() -> str:
    data = sys.stdin.buffer.read()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError("standard input is not UTF-8 text") from None
    if "\0" in text:
        raise UsageError("standard input is binary, not text")
    return text


def compiled(program: Program, document: dict[str, Any] | None = None) -> Compiled:
    """The program, with the --set names checked against its params and inputs; `document` is what a failure shows with --json."""
    keep_freed_pages()
    source = guarded(lambda: read(program), {})
    result: Compiled = guarded(lambda: compile_program(source), {source.name: source}, document)
    for name, text in assignments(program).items():
        if name not in (known := [*result.params, *result.inputs]):
            listed = ", ".join(known) or "none"
            message = f"--set {name}: the program has no param or input of that name"
            raise UsageError(message, help=f"its params and inputs: {listed}", kind="setting")
        if name in result.params:
            number(text, "--set", name)
    return result


def guarded(action: Callable[[], Any], sources: dict[str, Source], document: dict[str, Any] | None = None) -> Any:
    """The action's result; what the language finds wrong becomes the command's failure."""
    try:
        return action()
    except DagradError as error:
        raise Failure(error.diagnostics, sources, document) from None
    except EngineError as error:
        raise Failure([diagnostic(error)], sources, document) from None


def diagnostic(error: EngineError) -> Diagnostic:
    """What the engine found wrong when a command called it itself."""
    labels = [Label(*position, text) for place, text in error.labels if (position := place.position) is not None]
    return Diagnostic(error.kind, error.message, help=error.help, labels=labels)


def assignments(program: Program) -> dict[str, str]:
    """--set as name and text."""
    return pairs(program.set or [], "--set")


def pairs(options: Sequence[str], option: str) -> dict[str, str]:
    """The NAME=EXPR of an option by name; a name has one of them."""
    found: dict[str, str] = {}
    for each in options:
        name, text = named(each, option)
        if name in found:
            raise UsageError(f"{option} {name}: given twice, as {found[name]} and as {text}", help="give one of them", kind="setting")
        found[name] = text
    return found


def settings(program: Program, output: Callable[[str], None], on_backward: Callable[..., None] | None = None) -> Settings:
    """What the run is given. Nobody looks at its nodes, unless a command says otherwise."""
    limits = program.limits
    return Settings(
        set={name: constant(text, "--set", name) for name, text in assignments(program).items()},
        seed=program.seed,
        output=output,
        max_steps=limits.max_steps,
        max_depth=limits.max_depth,
        max_elements=limits.max_elements,
        timeout=limits.timeout,
        allow_write=None if program.allow_write is None else str(program.allow_write.path),
        check_finite=program.check_finite,
        on_backward=on_backward,
        fused=True,
    )


def constant(text: str, option: str, name: str) -> Any:
    """The value of a constant expression on the command line, or of @file.npy, @file.npz:name, @file.csv:column.

    Its faults are faults of the command line.
    """
    written = text.strip()
    try:
        return evaluate_constant(load_call(written[1:]) if written.startswith("@") else text, f"{option} {name}={text}")
    except DagradError as error:
        raise UsageError(error.diagnostics[0].message, error.diagnostics[0].help, error.diagnostics[0].kind) from None


def load_call(place: str) -> str:
    """The call that loads `file.csv:col`, as the language writes it."""
    path, colon, part = place.rpartition(":")
    file, part = (path, part) if colon and path.lower().endswith((".csv", ".npz", "-")) else (place, "")
    return f"load({', '.join(quoted(word) for word in (file, part) if word)})"


def quoted(text: str) -> str:
    """A string literal of the language; braces would interpolate."""
    for plain, escaped in (("\\", "\\\\"), ('"', '\\"'), ("{", "{{"), ("}", "}}")):
        text = text.replace(plain, escaped)
    return f'"{text}"'


def number(text: str, option: str, name: str) -> Any:
    """As `constant`, of what must be a number or a tensor."""
    value = constant(text, option, name)
    try:
        return value if isinstance(value, float) else tensor(value)
    except EngineError:
        example = f"write {option} {name}=3 or {option} {name}=[1,2,5]"
        raise UsageError(f"{option} {name}: neither a number nor a tensor", help=example, kind="setting") from None


def finished(run: Run, sources: dict[str, Source], document: dict[str, Any] | None = None) -> None:
    """Fails with what the run failed with."""
    if run.error is not None:
        raise Failure(run.error.diagnostics, sources, document)


def printed(run: Run) -> list[str]:
    """The program's output, one entry a line."""
    return [line for entry in run.output for line in entry.split("\n")]


def peak_rss() -> int:
    """The most memory the process has had, in bytes."""
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
