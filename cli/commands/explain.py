"""`dagrad explain`: what an error code means, with an example."""

from typing import TYPE_CHECKING, Annotated

from ..parameters import Argument
from ..screen import Screen
from ..status import UsageError

if TYPE_CHECKING:
    from dagrad.grammar import Entry


def command(
    screen: Screen,
    code: Annotated[str | None, Argument(metavar="[CODE]", help="As in error[DG020]; without one, all are listed.")] = None,
) -> None:
    """What an error code means, with an example.

    dagrad explain DG020     # one code
    dagrad explain           # all of them
    """
    from dagrad.grammar import BY_CODE, ENTRIES

    if code is None:
        listing(screen, ENTRIES)
        return
    entry = BY_CODE.get(code.upper())
    if entry is None:
        raise UsageError(f"there is no error code {code}", help="dagrad explain lists them")
    if screen.json:
        screen.document(**entry.as_dict())
    else:
        screen.line(text(entry))


def listing(screen: Screen, entries: "list[Entry]") -> None:
    if screen.json:
        screen.document(errors=[entry.as_dict() for entry in entries])
    else:
        screen.table(["code", "kind", "what"], [[entry.code, entry.kind, entry.title] for entry in entries])


def text(entry: "Entry") -> str:
    """The explanation, the mistake, and the program without it."""
    return f"{entry.code}: {entry.title}\n\n{entry.explanation}\n\nWrong:\n{indented(entry.wrong)}\n\nRight:\n{indented(entry.right)}"


def indented(program: str) -> str:
    return "\n".join("    " + line for line in program.split("\n"))
