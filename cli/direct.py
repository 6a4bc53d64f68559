"""Reads plain command lines: options by their full names, each once, with values that fit. Typer reads all others.

With Typer a short command takes half as long again. What is given up here (help, mistakes, several short options in one word)
is read from the beginning by Typer, so that there is one set of messages. A test compares the two.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from .options import Command, declared
from .parameters import REQUIRED, Argument, File, Option, Parameter, is_negative


class NotPlain(Exception):
    """Typer must have a look."""


def read(arguments: Sequence[str]) -> tuple[list[str], Command, dict[str, Any]] | None:
    """The words that name the command, its function, and the value of each of its parameters; None where Typer must have a look."""
    try:
        path, command = find(arguments)
        return path, command, values(declared(command), arguments[len(path) :])
    except (NotPlain, ValueError):
        return None


def find(arguments: Sequence[str]) -> tuple[list[str], Command]:
    """The command: a module, in as many packages as the groups it is in."""
    module, path = import_module(".commands", __package__), []
    for word in arguments:
        if not word.isidentifier() or word.startswith("_") or find_spec(f"{module.__name__}.{word}") is None:
            break
        path.append(word)
        module = import_module(f"{module.__name__}.{word}")
        if not hasattr(module, "__path__"):
            return path, module.command
    raise NotPlain


def values(parameters: Iterable[Parameter], words: Sequence[str]) -> dict[str, Any]:
    """The value of each parameter, by its name."""
    parameters = list(parameters)
    texts, positional = given(parameters, words)
    for parameter in parameters:
        if isinstance(parameter.mark, Argument) and positional:
            texts[parameter.name] = positional if parameter.many else [positional.pop(0)]
            if parameter.many:
                positional = []
    if positional:
        raise NotPlain
    found = {}
    for parameter in parameters:
        name = parameter.name
        if name in texts:
            converted = [value(parameter, text) for text in texts[name]]
            found[name] = converted if parameter.many else converted[0]
        elif parameter.default is REQUIRED:
            raise NotPlain
        else:
            found[name] = parameter.default
    return found


def given(parameters: Iterable[Parameter], words: Sequence[str]) -> tuple[dict[str, list[Any]], list[str]]:
    """What stands after each option (for a flag whether it is on), and what stands alone."""
    options = {name: found for parameter in parameters for name, found in names(parameter)}
    expression = any(parameter.name == "expression" and isinstance(parameter.mark, Argument) for parameter in parameters)
    texts: dict[str, list[Any]] = {}
    positional = []
    rest = iter(words)
    for word in rest:
        text: Any
        name, equals, text = word.partition("=") if word.startswith("--") else (word, "", "")
        if name not in options:
            if is_option(word) and (word in ("--", "-h") or not (expression and is_negative(word))):
                raise NotPlain
            positional.append(word)
            continue
        parameter, on = options[name]
        if parameter.type is bool:
            if equals:
                raise NotPlain
            text = on
        elif not equals:
            text = next(rest, "-?")
            if is_option(text):
                raise NotPlain
        if parameter.name in texts and not parameter.many:
            raise NotPlain
        texts.setdefault(parameter.name, []).append(text)
    return texts, positional


def names(parameter: Parameter) -> Iterable[tuple[str, tuple[Parameter, bool]]]:
    """The names of an option; `--x/--no-x` is a flag that can be put off, too."""
    if isinstance(parameter.mark, Option):
        for name in parameter.mark.names:
            on, _, off = name.partition("/")
            yield on, (parameter, True)
            if off:
                yield off, (parameter, False)


def is_option(word: str) -> bool:
    """Whether a word looks like an option; a dash alone means stdin."""
    return word.startswith("-") and word != "-"


def value(parameter: Parameter, text: Any) -> Any:
    """The value that a text stands for; ValueError or NotPlain where it is none."""
    mark, kind = parameter.mark, parameter.type
    if kind is bool:
        return text
    if kind is not File and hasattr(kind, "__fspath__") and (not text or (os.path.exists(text) and not os.access(text, os.R_OK))):
        raise NotPlain
    if isinstance(mark, Argument):
        return kind(text)
    found = (mark.parser or kind)(text)
    if (mark.min is not None and not found >= mark.min) or (mark.max is not None and not found <= mark.max):
        raise NotPlain
    return found
