"""The tree of commands as Typer has it: for help, for mistakes, and for every command line that is not plain (direct.py)."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Sequence
from importlib import import_module
from math import isnan
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.main import get_command

from .help import Command, Group
from .options import call, declared
from .parameters import REQUIRED, Argument, File, Option, Parameter
from .status import Exit, UsageError

if TYPE_CHECKING:
    from .app import Session

ABOUT = """Derivatives of programs and expressions, and the graphs they come from.

dagrad grad 'x^2*sin(y)' --at x=3 --at y=1     # value and gradients of one expression
dagrad run model.dg --set lr=0.01              # run a program; its params and their gradients
dagrad graph dump model.dg --format dot        # the graph that a backward pass goes through
"""


def invoke(arguments: Sequence[str], session: Session) -> int:
    """Parses the arguments and calls the command they name."""
    root = build(arguments, session)
    try:
        with root.make_context("dagrad", list(arguments), obj=session) as context:
            return root.invoke(context) or Exit.OK
    except typer.Exit as done:
        return done.exit_code
    except typer.TyperException as error:
        context = getattr(error, "ctx", None)
        where = context.command_path if context else " ".join(["dagrad", *session.path])
        raise UsageError(reworded(error.format_message()), f"{where} --help shows what there is") from None


def reworded(message: str) -> str:
    """Typer's message in the form of all others: a sentence of one line, without the names of Python's types."""
    message = message[:1].lower() + re.sub(r",?\s*\n\s*", ", ", message[1:].rstrip(".")).replace(". Choose from:, ", "; choose from ")
    return re.sub(r"valid (int|float)( range)?$", lambda found: "valid integer" if found[1] == "int" else "valid number", message)


def build(arguments: Sequence[str], session: Session) -> Any:
    """The tree of commands. Where the arguments name one, only that is imported: start-up time is what users feel first."""
    from . import commands

    return get_command(collect(commands, list(arguments), session.path, ABOUT))


def collect(package: Any, words: list[str], path: list[str], about: str) -> typer.Typer:
    """A group from a folder: a file is a command, a folder a group."""
    settings = {"help_option_names": ["-h", "--help"]}
    group = typer.Typer(cls=Group, help=about, add_completion=False, rich_markup_mode=None, context_settings=settings)
    group.callback()(lambda: None)  # keeps a group of one command a group
    modules = {module.name: module.ispkg for module in iter_modules(package.__path__)}
    named = words[0] if words and words[0] in modules else None
    if named:
        path.append(named)
    for name in [named] if named else modules:
        module = import_module(f"{package.__name__}.{name}")
        if modules[name]:
            group.add_typer(collect(module, words[1:] if named else [], path if named else [], module.__doc__ or ""), name=name)
        else:
            group.command(name, cls=Command, context_settings=settings)(flat(module.command))
    return group


def flat(command: Callable[..., Any]) -> Callable[..., Any]:
    """The command with its groups of options spread out and all of them declared as Typer wants them."""

    takes = list(declared(command))

    def flattened(context: typer.Context, **values: Any) -> int | None:
        for parameter in takes:
            check_number(parameter, values[parameter.name])
        names = [parameter.name for parameter in takes if parameter.type is File and values[parameter.name] is not None]
        files = {name: File(values[name]) for name in names}
        return call(command, {**values, **files}, context.obj)

    kind = inspect.Parameter.KEYWORD_ONLY
    parameters = [inspect.Parameter("context", kind, annotation=typer.Context)]
    for parameter in takes:
        hint = str | None if parameter.type is File else parameter.hint
        default = inspect.Parameter.empty if parameter.default is REQUIRED else parameter.default
        annotation = Annotated[hint, as_typer(parameter)]  # type: ignore[valid-type]
        parameters.append(inspect.Parameter(parameter.name, kind, default=default, annotation=annotation))
    flattened.__doc__ = command.__doc__
    flattened.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    flattened.__annotations__ = {}
    return flattened


def check_number(parameter: Parameter, value: Any) -> None:
    """NaN is in no range, though Typer takes it for in each."""
    if value.__class__ is float and isnan(value) and isinstance(parameter.mark, Option):
        raise UsageError(f"invalid value for '{parameter.mark.names[0]}': nan is not a number")


def as_typer(parameter: Parameter) -> Any:
    """The declaration of a parameter as one of Typer's."""
    mark = parameter.mark
    if isinstance(mark, Argument):
        return typer.Argument(metavar=mark.metavar, help=mark.help)
    parser = refusing(mark.parser) if mark.parser else None
    return typer.Option(
        *mark.names, help=mark.help, metavar=mark.metavar, min=mark.min, max=mark.max, parser=parser, show_default=mark.show_default
    )


def refusing(parser: Callable[[str], Any]) -> Callable[[str], Any]:
    """A parser that says what is wrong in the way Typer wants to hear it."""

    @functools.wraps(parser)
    def parsed(text: str) -> Any:
        try:
            return parser(text)
        except ValueError as error:
            raise typer.BadParameter(str(error)) from None

    return parsed
