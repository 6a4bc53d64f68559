"""`dagrad fmt`: the canonical layout of programs."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated

from ..options import Script
from ..parameters import Argument, Option
from ..screen import Screen
from ..status import Exit, UsageError

if TYPE_CHECKING:
    from dagrad.grammar import Source


@dataclass
class Layout:
    """A program before and after."""

    file: str
    changed: bool
    text: str


def command(
    screen: Screen,
    files: Annotated[list[str] | None, Argument(metavar="[FILE]...", help="The programs; - reads one from stdin.")] = None,
    code: Annotated[list[str] | None, Option("--code", "-c", metavar="CODE", help="Program text instead; repeatable.")] = None,
    write: Annotated[bool, Option("--write", "-w", help="Write the result back into the files.")] = False,
    check: Annotated[bool, Option("--check", help="Only name the files that would change; exit code 1 if there are any.")] = False,
    diff: Annotated[bool, Option("--diff", help="Show what would change as a unified diff.")] = False,
) -> int:
    """Prints a program in canonical layout; comments and line breaks inside brackets stay.

    dagrad fmt -c 'y=x^2+3*x;z  =  -y'     # on stdout
    dagrad fmt --check samples/xor.dg      # for CI: exit code 1 where something would change
    dagrad fmt --diff samples/branches.dg  # what would change
    dagrad fmt --write model.dg lib.dg     # in place
    """
    if write and (check or diff):
        raise UsageError("--write goes with neither --check nor --diff", help="--check and --diff only look")
    several = len(files or []) > 1
    if several and not (write or check or diff or screen.json):
        raise UsageError("several files need --write, --check or --diff", help="without them one program is printed")
    layouts = [layout(source, diff) for source in sources(files, code)]
    changed = [made for made in layouts if made.changed]
    if write:
        rewrite(screen, changed)
    if screen.json:
        screen.document(files=[asdict(made) for made in layouts])
    elif diff or not (check or write):
        screen.out.write("".join(made.text for made in layouts))
    elif check:
        for made in changed:
            screen.line(made.file)
    return Exit.FAILED if check and changed else Exit.OK


def sources(files: list[str] | None, code: list[str] | None) -> "Iterator[Source]":
    """The programs that were named."""
    from ..program import guarded, read

    names: list[str | None] = [*files] if files else [None]
    for name in names:
        yield guarded(partial(read, Script(file=name, code=code)), {})


def layout(source: "Source", diff: bool) -> Layout:
    """A program's canonical form, or how it differs from that."""
    from dagrad.grammar import formatted

    from ..program import guarded

    text = guarded(lambda: formatted(source), {source.name: source})
    # The text of -c has no last line end of its own.
    changed = text != source.text and not (source.name == "<-c>" and text == source.text + "\n")
    return Layout(source.name, changed, difference(source, text) if diff else text)


def difference(source: "Source", text: str) -> str:
    """A unified diff."""
    from difflib import unified_diff

    before, after = source.text.splitlines(keepends=True), text.splitlines(keepends=True)
    lines = unified_diff(before, after, source.name, f"{source.name} (formatted)")
    return "".join(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n" for line in lines)


def rewrite(screen: Screen, changed: list[Layout]) -> None:
    """Writes the files that change."""
    for made in changed:
        if made.file.startswith("<"):
            raise UsageError(f"{made.file} is no file that could be written", help="without --write the result is printed")
        try:
            with open(made.file, "w", encoding="utf-8", newline="\n") as file:
                file.write(made.text)
        except OSError as error:
            raise UsageError(f"cannot write {made.file}: {(error.strerror or str(error)).lower()}") from None
        screen.note(f"formatted {made.file}")
