"""`dagrad ops`: every differentiable operation, and what its derivative is."""

from typing import Annotated, Any

from ..parameters import Argument, Option
from ..screen import Screen
from ..status import UsageError


def command(
    screen: Screen,
    name: Annotated[str | None, Argument(metavar="[NAME]", help="One operation; without it, all are listed.")] = None,
    markdown: Annotated[bool, Option("--markdown", help="All operations as a page in Markdown.")] = False,
) -> None:
    """Every operation: how it is called, its derivative, what it keeps, and what holds at its kinks.

    dagrad ops               # all of them, one a line
    dagrad ops maximum       # one of them: its rules as they are written
    dagrad ops --markdown    # all of them, as docs/reference.md has them
    """
    from dagrad.engine import registry

    from ..formulas import described

    if name is not None and markdown:
        raise UsageError("--markdown is for all operations", help="leave out the name")
    if name is None:
        found = [described(op) for name, op in sorted(registry.items()) if not name.startswith("_")]
        if screen.json:
            screen.document(ops=found)
        elif markdown:
            screen.line(page(found))
        else:
            screen.table(["operation", "derivative", "keeps"], [row(entry) for entry in found])
    elif name in registry:
        show(screen, described(registry[name]))
    else:
        raise UsageError(f"there is no operation {name}{suggestion(name, registry)}", help="dagrad ops lists them")


def row(entry: dict[str, Any]) -> list[str]:
    from ..formulas import rules

    return [entry["signature"], rules(entry), " ".join(kept(entry)) or "-"]


def kept(entry: dict[str, Any]) -> list[str]:
    """What its node keeps; of a composition with one part, what the node of that keeps."""
    only_part = entry["parts"] if len(entry["made_of"]) == 1 else []
    names: list[str] = only_part[0]["saved"] if only_part else entry["saved"]
    return names


def show(screen: Screen, entry: dict[str, Any]) -> None:
    if screen.json:
        screen.document(**entry)
    else:
        screen.table(["", entry["name"]], [[left, " ".join(right.split())] for left, right in lines(entry)])


def lines(entry: dict[str, Any]) -> list[list[str]]:
    """What is to say of one operation, each with its heading."""
    found = [["call", entry["signature"]], ["means", entry["about"]]]
    if entry["written"]:
        found += [["written as", entry["written"]], ["made of", ", ".join(entry["made_of"])]]
    else:
        found += derivative(entry, "")
    for part in entry["parts"]:
        found += derivative(part, f" in {part['name']}")
    found += [[f"where {call}", text] for call, text in entry["where"].items()]
    return found + ([["at kinks", entry["kinks"]]] if entry["kinks"] else [])


def derivative(entry: dict[str, Any], where: str) -> list[list[str]]:
    """The rows of something with rules of its own."""
    if not entry["derivatives"]:
        return [["derivative", "none"]]
    gradients = [[f"gradient of {name}{where}", rule] for name, rule in entry["derivatives"].items()]
    return [[f"records{where}", " or ".join(entry["nodes"])], *gradients, [f"keeps{where}", " ".join(entry["saved"]) or "nothing"]]


def page(entries: list[dict[str, Any]]) -> str:
    """A section an operation, as docs/reference.md shows them."""
    sections = [INTRODUCTION]
    for entry in entries:
        about = "\n".join(f"- {marked(left)}: {text(left, right)}" for left, right in lines(entry)[2:])
        sections.append(f"## {entry['name']}\n\n`{entry['signature']}`: {' '.join(entry['about'].split())}\n\n{about}")
    return "\n\n".join(sections)


def marked(heading: str) -> str:
    """A heading with its names in code."""
    words, _, name = heading.partition("where ")
    return f"where `{name}`" if name else words


def text(heading: str, content: str) -> str:
    """Code as code; sentences, which end in a full stop, and remarks as they are."""
    return content if (content.endswith(".") and "#" not in content) or heading in ("at kinks", "derivative") else f"`{content}`"


INTRODUCTION = """# The operations

Made by `dagrad ops --markdown` from the declarations in `engine/ops/`; `dagrad ops NAME` shows one. In a rule, `g` is the gradient of the
result, `y` the result, and the other names are the inputs; broadcasting is undone where a gradient arrives, so no rule speaks of it.
A composition has no rule: its gradient is that of what it is written with. Names that begin with `_` cannot be called by programs."""


def suggestion(name: str, known: Any) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, known, 1)
    return f"; did you mean {close[0]}?" if close else ""
