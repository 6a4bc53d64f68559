"""The options that commands share, in groups: a command takes a group as one parameter.

`declared` spreads the groups of `def command(screen: Screen, program: Program)` out, and `call` puts them together again.
"""

from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

from .parameters import Argument, File, Option, Options, Parameter, is_group, spread
from .screen import Screen
from .status import UsageError

if TYPE_CHECKING:
    from .app import Session

MAX_SECONDS = 100_000_000  # three years; the system's timers end somewhere beyond
MAX_DEPTH = 10_000_000  # what 4 GiB hold
MAX_COUNT = 1_000_000_000  # rows at a time, evaluations
MAX_JOBS = 1_000
MAX_ELEMENTS = 100_000_000
MEMORY = 4 * 2**30
LEAST_MEMORY = 256 * 2**20  # less does not hold NumPy and SciPy themselves
UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}


class Color(StrEnum):
    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


class ErrorFormat(StrEnum):
    FULL = "full"
    CONCISE = "concise"
    JSON = "json"
    GITHUB = "github"


def size(text: str | int) -> int:
    """`512M` or `2G` in bytes; the default passes through."""
    if isinstance(text, int):
        return text
    number, unit = text.lower().removesuffix("ib").removesuffix("b"), ""
    if number[-1:] in UNITS and number[-1:]:
        number, unit = number[:-1], number[-1]
    try:
        found = int(float(number) * UNITS[unit])
    except (ValueError, OverflowError):
        raise ValueError(f"{text!r} is no size; write 512M or 2G") from None
    if found < LEAST_MEMORY:
        raise ValueError(f"{text} is too little to work with; at least 256M are needed")
    return found


class Form(Options):
    """Where the answer goes and what it looks like."""

    json: Annotated[bool, Option("--json", help="Print one JSON document.")] = False
    output: Annotated[File | None, Option("--output", "-o", metavar="FILE", help="Write the answer to FILE.")] = None
    quiet: Annotated[bool, Option("--quiet", "-q", help="Leave out what is not the answer itself.")] = False
    color: Annotated[Color, Option("--color", help="When to use colours.")] = Color.AUTO
    error_format: Annotated[ErrorFormat, Option("--error-format", help="The form of error messages.")] = ErrorFormat.FULL

    def screen(self) -> Screen:
        return Screen(json=self.json, color=self.color, error_format=self.error_format, output=self.output, quiet=self.quiet)


class Limits(Options):
    """What a program may use up; exit code 4 when it does."""

    timeout: Annotated[
        float | None, Option("--timeout", min=0.001, max=MAX_SECONDS, metavar="S", help="Stop after S seconds.  [default: none]")
    ] = None
    max_steps: Annotated[
        int | None, Option("--max-steps", min=1, metavar="N", help="Stop after N statements and loop turns.  [default: unlimited]")
    ] = None
    max_depth: Annotated[int, Option("--max-depth", min=1, max=MAX_DEPTH, metavar="N", help="Calls inside calls.")] = 100_000
    max_elements: Annotated[int, Option("--max-elements", min=1, metavar="N", help="Elements of one tensor.")] = MAX_ELEMENTS
    max_memory: Annotated[
        int,
        Option(
            "--max-memory", parser=size, metavar="SIZE", show_default=False, help="Memory of the process, as 512M or 2G.  [default: 4G]"
        ),
    ] = MEMORY


class Script(Options):
    """The text of a program."""

    file: Annotated[str | None, Argument(metavar="[FILE]", help="The program; - reads it from stdin.")] = None
    code: Annotated[list[str] | None, Option("--code", "-c", metavar="CODE", help="Program text instead of FILE; repeatable.")] = None


class Program(Script):
    """A program and what it is given."""

    set: Annotated[list[str] | None, Option("--set", metavar="NAME=EXPR", help="The value of a param or input; repeatable.")] = None
    seed: Annotated[int, Option("--seed", min=0, metavar="N", help="Where random numbers start.")] = 0
    allow_write: Annotated[
        File | None, Option("--allow-write", metavar="DIR", help="The folder that save() may write to.  [default: none]")
    ] = None
    check_finite: Annotated[
        bool, Option("--check-finite", help="Stop at the first value or gradient that is not finite and name its line.")
    ] = False
    limits: Limits


ExpressionOption = Annotated[str | None, Option("-e", metavar="EXPR", help="An expression instead of a program.")]
At = Annotated[
    list[str] | None,
    Option(
        "--at", metavar="NAME=VALUE", help="The value of a name: a constant expression, @file.npy or @file.csv:column; repeatable."
    ),
]
Digits = Annotated[int | None, Option("--digits", min=1, max=17, metavar="N", help="Significant digits in tables.  [default: all]")]
Chunk = Annotated[
    int | None, Option("--chunk", min=1, max=MAX_COUNT, metavar="N", help="Read and differentiate N rows at a time.")
]


Command = Callable[..., int | None]


def named(text: str, option: str) -> tuple[str, str]:
    """`x=3` as its two parts, the name in the form the language compares (NFC)."""
    from unicodedata import normalize

    name, equals, value = text.partition("=")
    name = normalize("NFC", name.strip())
    if not equals or not value.strip():
        raise UsageError(f"{option} {text}: a value is missing", help=f"write {option} {name or 'x'}=3")
    if not name.isidentifier():
        raise UsageError(f"{option} {text}: {name!r} is not a name", help=f"write {option} x=3")
    return name, value


def declared(command: Command) -> Iterator[Parameter]:
    """The options and arguments of a command: its own first, then those of its groups."""
    hints = {name: Form if hint is Screen else hint for name, hint in command.__annotations__.items() if name != "return"}
    defaults = command.__defaults__ or ()
    own = {name: hint for name, hint in hints.items() if not is_group(hint)}
    yield from spread(own, dict(zip(list(hints)[len(hints) - len(defaults) :], defaults, strict=True)))
    yield from spread({name: hint for name, hint in hints.items() if name not in own}, {})


def call(command: Command, values: dict[str, Any], session: "Session") -> int | None:
    """Calls a command with its groups of options put together; `screen` is made from those of `Form`."""
    arguments = {}
    for name, hint in command.__annotations__.items():
        if hint is Screen:
            arguments[name] = session.begin(Form.gather(values).screen())
        elif name != "return":
            arguments[name] = hint.gather(values) if is_group(hint) else values[name]
    limits = next((found for argument in arguments.values() if (found := limits_in(argument)) is not None), None)
    if limits is None:
        return command(**arguments)
    from .limiting import limited

    with limited(limits):
        return command(**arguments)


def limits_in(group: Any) -> Limits | None:
    """The limits among the options of a command."""
    return group if isinstance(group, Limits) else getattr(group, "limits", None)
