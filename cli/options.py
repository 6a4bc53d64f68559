"""The options that commands share. A group of options is a dataclass: a command takes the group as one parameter.

`expand` turns `def command(screen: Screen, program: Program)` into the flat signature that Typer reads, and puts the groups together again.
"""

import inspect
from collections.abc import Callable
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from .screen import Screen
from .status import UsageError

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
        raise typer.BadParameter(f"{text!r} is no size; write 512M or 2G") from None
    if found < LEAST_MEMORY:
        raise typer.BadParameter(f"{text} is too little to work with; at least 256M are needed")
    return found


@dataclass
class Form:
    """Where the answer goes and what it looks like."""

    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False
    output: Annotated[Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write the answer to FILE.")] = None
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Leave out what is not the answer itself.")] = False
    color: Annotated[Color, typer.Option("--color", help="When to use colours.")] = Color.AUTO
    error_format: Annotated[ErrorFormat, typer.Option("--error-format", help="The form of error messages.")] = ErrorFormat.FULL

    def screen(self) -> Screen:
        return Screen(json=self.json, color=self.color, error_format=self.error_format, output=self.output, quiet=self.quiet)


@dataclass
class Limits:
    """What a program may use up; exit code 4 when it does."""

    timeout: Annotated[float | None, typer.Option("--timeout", min=0.001, metavar="S", help="Stop after S seconds.  [default: none]")] = (
        None
    )
    max_steps: Annotated[
        int | None, typer.Option("--max-steps", min=1, metavar="N", help="Stop after N statements and loop turns.  [default: unlimited]")
    ] = None
    max_depth: Annotated[int, typer.Option("--max-depth", min=1, metavar="N", help="Calls inside calls.")] = 100_000
    max_elements: Annotated[int, typer.Option("--max-elements", min=1, metavar="N", help="Elements of one tensor.")] = MAX_ELEMENTS
    max_memory: Annotated[
        int,
        typer.Option(
            "--max-memory", parser=size, metavar="SIZE", show_default=False, help="Memory of the process, as 512M or 2G.  [default: 4G]"
        ),
    ] = MEMORY


@dataclass
class Script:
    """The text of a program."""

    file: Annotated[str | None, typer.Argument(metavar="[FILE]", help="The program; - reads it from stdin.")] = None
    code: Annotated[list[str] | None, typer.Option("--code", "-c", metavar="CODE", help="Program text instead of FILE; repeatable.")] = None


@dataclass
class Program(Script):
    """A program and what it is given."""

    set: Annotated[list[str] | None, typer.Option("--set", metavar="NAME=EXPR", help="The value of a param or input; repeatable.")] = None
    seed: Annotated[int, typer.Option("--seed", min=0, metavar="N", help="Where random numbers start.")] = 0
    allow_write: Annotated[
        Path | None, typer.Option("--allow-write", metavar="DIR", help="The folder that save() may write to.  [default: none]")
    ] = None
    check_finite: Annotated[
        bool, typer.Option("--check-finite", help="Stop at the first value or gradient that is not finite and name its line.")
    ] = False
    limits: Limits = field(default_factory=Limits)


ExpressionOption = Annotated[str | None, typer.Option("-e", metavar="EXPR", help="An expression instead of a program.")]
At = Annotated[
    list[str] | None,
    typer.Option(
        "--at", metavar="NAME=VALUE", help="The value of a name: a constant expression, @file.npy or @file.csv:column; repeatable."
    ),
]
Digits = Annotated[int | None, typer.Option("--digits", min=1, max=17, metavar="N", help="Significant digits in tables.  [default: all]")]


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


Command = Callable[..., int | None]


def expand(command: Command) -> Command:
    """The command with its option groups spread out, as Typer wants them; `screen` is made from the `Form` options."""
    hints = get_type_hints(command, include_extras=True)
    groups = {name: Form if hint is Screen else hint for name, hint in hints.items() if hint is Screen or is_dataclass(hint)}
    parameters = [inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)]
    for name, parameter in inspect.signature(command).parameters.items():
        if name not in groups:
            parameters.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[name]))
    for group in groups.values():
        parameters += _spread(group)

    def flat(context: typer.Context, **values: Any) -> int | None:
        own = {name: values[name] for name in hints if name in values}
        built = {name: _gather(group, values) for name, group in groups.items()}
        for name, group in built.items():
            if isinstance(group, Form):
                built[name] = context.obj.begin(group.screen())
        limits = next((found for group in built.values() if (found := limits_in(group)) is not None), None)
        if limits is None:
            return command(**own, **built)
        from .limiting import limited

        with limited(limits):
            return command(**own, **built)

    flat.__doc__ = command.__doc__
    flat.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    flat.__annotations__ = {}
    return flat


def limits_in(group: Any) -> Limits | None:
    """The limits among the options of a command."""
    return group if isinstance(group, Limits) else getattr(group, "limits", None)


def _spread(group: Any) -> list[inspect.Parameter]:
    """One keyword parameter for each field of a group and of the groups inside it."""
    hints = get_type_hints(group, include_extras=True)
    parameters = []
    for part in fields(group):
        if is_dataclass(hints[part.name]):
            parameters += _spread(hints[part.name])
        else:
            default = inspect.Parameter.empty if part.default is MISSING else part.default
            parameters.append(inspect.Parameter(part.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hints[part.name]))
    return parameters


def _gather(group: Any, values: dict[str, Any]) -> Any:
    hints = get_type_hints(group)
    return group(**{name: _gather(hint, values) if is_dataclass(hint) else values[name] for name, hint in hints.items()})
