"""A test is a program; its record, where it has one, is the file beside it that ends in .out."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from difflib import unified_diff
from pathlib import Path
from typing import Any

from dagrad.grammar import DagradError, Diagnostic, Settings, Source, compile_program, render, words

from ..status import UsageError

RECORD = ".out"
SHOWN = 20  # lines of a difference


@dataclass
class Result:
    """How a test went. `text` is what it printed, with the error it ended with."""

    file: str
    ok: bool
    seconds: float
    text: str
    diagnostics: list[Diagnostic] = field(default_factory=list)
    sources: dict[str, Source] = field(default_factory=dict)


@dataclass(frozen=True)
class Job:
    """Runs a test; `record` writes what it prints instead of comparing."""

    settings: tuple[tuple[str, Any], ...] = ()
    record: bool = False

    def done(self, file: str) -> Result:
        began = time.perf_counter()
        text, error, sources = outcome(file, Settings(**dict(self.settings)))
        result = Result(
            file, error is None, time.perf_counter() - began, text, error.diagnostics if error else [], sources if error else {}
        )
        return recorded(result) if self.record else compared(result)

    def died(self, file: str) -> Result:
        return Result(file, False, 0.0, "", [Diagnostic("memory", "the process died in this test", file=file)])


def found(paths: Iterable[Path]) -> list[str]:
    """The programs in these folders and below, hidden folders left out; files as they are."""
    files: list[str] = []
    for path in paths:
        if path.is_file():
            files.append(str(path))
        elif path.is_dir():
            inside = sorted(file for file in path.rglob("*.dg") if file.is_file())
            files += [str(file) for file in inside if not any(part.startswith(".") for part in file.relative_to(path).parts)]
        else:
            raise UsageError(f"cannot read {path}: no such file or directory")
    if not files:
        raise UsageError(f"there is no .dg file in {', '.join(map(str, paths))}")
    return list(dict.fromkeys(files))


def outcome(file: str, settings: Settings) -> tuple[str, DagradError | None, dict[str, Source]]:
    """What a program prints, and the error it ends with."""
    lines: list[str] = []
    settings.output = lines.append
    settings.fused = True  # nobody looks at the nodes
    sources: dict[str, Source] = {}
    error: DagradError | None
    try:
        source = Source.read(file)
        sources[source.name] = source
        compiled = compile_program(source)
        sources.update(compiled.sources)
        error = compiled.run(settings).error
    except DagradError as fault:
        error = fault
    except Exception as fault:  # a fault of dagrad's own fails this test and not the others
        error = DagradError([Diagnostic("test-failed", f"internal error: {type(fault).__name__}: {fault}", file=file)])
    if error is not None:
        folder = str(Path(file).parent)
        shown = (render(diagnostic, sources).rstrip("\n") for diagnostic in error.diagnostics)
        # A record must read the same from wherever the tests are started.
        lines += [text.replace(f"{folder}/", "") if folder != "." else text for text in shown]
    return "".join(line + "\n" for line in lines), error, sources


def record_of(file: str) -> Path:
    return Path(file).with_suffix(RECORD)


def compared(result: Result) -> Result:
    """A test with a record passes when the texts agree, an error included; without one, when it ends well."""
    record = record_of(result.file)
    if not record.is_file():
        return result
    wanted = record.read_text("utf-8")
    if wanted == result.text:
        result.ok, result.diagnostics = True, []
    else:
        result.ok = False
        result.diagnostics.append(difference(record, wanted, result.text))
    return result


def difference(record: Path, wanted: str, got: str) -> Diagnostic:
    """Where the output leaves its record."""
    before, after = wanted.splitlines(), got.splitlines()
    line = next((i for i, (a, b) in enumerate(zip(before, after, strict=False), 1) if a != b), min(len(before), len(after)) + 1)
    lines = list(unified_diff(before, after, "recorded", "printed", lineterm="", n=1))
    more = [f"… {words.plural(len(lines) - SHOWN, 'more line')}"] if len(lines) > SHOWN else []
    message = f"the output differs from {record.name} in line {line}"
    return Diagnostic("test-failed", message, str(record), line, 1, line, 2, help="\n".join(lines[:SHOWN] + more))


def recorded(result: Result) -> Result:
    """Writes the record; a test that fails then is one that shall fail so."""
    record_of(result.file).write_text(result.text, "utf-8", newline="\n")
    result.ok, result.diagnostics = True, []
    return result
