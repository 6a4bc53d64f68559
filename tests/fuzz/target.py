"""What is done with every input: read, laid out, checked, run; the answer is a diagnostic or a result, never another exception."""

from __future__ import annotations

from dagrad.engine.inspect import MemoryRecorder
from dagrad.grammar import (
    DagradError,
    Program,
    Run,
    Settings,
    Source,
    compile_expression,
    compile_program,
    formatted,
    outline,
    parenthesised,
    parts,
    read_program,
    render,
)
from dagrad.grammar import fusing as one_step
from dagrad.grammar.source import decode

LIMITS = Settings(max_steps=200, max_depth=50, max_elements=5_000, timeout=5)


class Broken(AssertionError):
    """A promise that an input breaks."""


def outcome(data: bytes) -> str:
    """What became of an input, in a word: "ok", or the kind of the first error."""
    try:
        source = Source("fuzz.dg", decode(data, "fuzz.dg"))
    except DagradError as error:
        return reported(error, {})
    try:
        tree = read_program(source)
    except DagradError as error:
        compared(source, error)
        return reported(error, {source.name: source})
    kept(source, outline(tree))
    try:
        program = compile_program(source, loader=nowhere)
    except DagradError as error:
        return reported(error, {source.name: source})
    run = program.run(LIMITS)
    same(run, program.run(LIMITS.replace(fused=True)))
    if run.error is None:
        uncounted = LIMITS.replace(max_steps=None, max_depth=20_000)  # calls are not counted, so they can be steps
        same(run, program.run(uncounted.replace(fused=True)))
        measured(program, uncounted)
    return "ok" if run.error is None else reported(run.error, program.sources)


def same(run: Run, other: Run) -> None:
    """Expressions of numbers in one step give what they give operation by operation."""
    seen = [(each.output, [str(d) for d in each.error.diagnostics] if each.error else []) for each in (run, other)]
    if seen[0] != seen[1] and not any(each.error and each.error.diagnostics[0].kind in {"time", "memory"} for each in (run, other)):
        raise Broken(f"in one step it gives {seen[1]}, operation by operation {seen[0]}")


def measured(program: Program, settings: Settings) -> None:
    """Of expressions in one step memory statistics count the operations."""
    reports = []
    for fused in (False, True):
        with MemoryRecorder() as recorder:
            run = program.run(settings.replace(fused=fused, counted=fused))
        calls = recorder.report({**run.values, **run.params})["backward"]
        reports.append([{**call, "seconds": None} for call in calls])
    if reports[0] != reports[1] and run.error is None:
        raise Broken(f"in one step memory is {reports[1]}, operation by operation {reports[0]}")


one_step.OFTEN = 1  # the functions of formulas are written at once


def nowhere(path: str) -> Source:
    """No program of the fuzzer reads files."""
    return Source.read("/nonexistent/" + path.replace("/", "_").replace("\0", "_"))


def kept(source: Source, tree: str) -> None:
    """The layout and the parentheses change nothing."""
    text = formatted(source)
    if outline(read_program(Source("fuzz.dg", text))) != tree or formatted(Source("fuzz.dg", text)) != text:
        raise Broken(f"the layout changes the program: {text!r}")
    plain = parenthesised(read_program(source), source)
    if outline(read_program(Source("fuzz.dg", plain))) != tree:
        raise Broken(f"the parentheses change the program: {plain!r}")


def compared(source: Source, error: DagradError) -> None:
    """An expression alone fails as a DagradError, too."""
    try:
        compile_expression(source)
    except DagradError:
        pass


def reported(error: DagradError, sources: dict[str, Source]) -> str:
    """Every diagnostic can be drawn in every form, and says where it is."""
    own = "".join(source.text for source in sources.values()).lower()  # a program may have such words itself
    foreign = [word for word in ("traceback", "object at 0x", "<class", "numpy") if word not in own]
    for diagnostic in error.diagnostics:
        for style in ("full", "concise", "github"):
            text = render(diagnostic, sources, style)
            if any(word in text.lower() for word in foreign):
                raise Broken(f"a message in Python's words: {text}")
        if not parts(diagnostic, sources) or not diagnostic.message or "\n" in diagnostic.message:
            raise Broken(f"a message of no line, or several: {diagnostic.message!r}")
        if diagnostic.category in {"syntax", "name", "runtime"} and diagnostic.kind != "setting" and diagnostic.line is None:
            raise Broken(f"no place: {diagnostic.message}")
        diagnostic.as_json()
    return error.diagnostics[0].kind
