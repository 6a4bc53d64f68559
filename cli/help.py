"""What `--help` looks like: examples first, then the usage, the options and the exit codes."""

from __future__ import annotations

import sys
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from .parameters import is_negative
from .status import MEANING, Exit


def split(text: str | None) -> tuple[str, list[str]]:
    """A command's docstring as its first line and its examples (the lines after it)."""
    summary, *rest = (text or "").strip().splitlines() or [""]
    return summary, [line.strip() for line in rest if line.strip()]


def write_help(command: Any, context: Any, formatter: Any) -> None:
    summary, examples = split(command.help)
    if examples:
        with formatter.section("Examples"):
            for example in examples:
                formatter.write(f"{'':{formatter.current_indent}}{example}\n")
        formatter.write_paragraph()
    formatter.write_text(summary)
    formatter.write_paragraph()
    command.format_usage(context, formatter)
    command.format_options(context, formatter)
    with formatter.section("Exit codes"):
        formatter.write_dl([(str(int(code)), meaning) for code, meaning in MEANING.items()])


class Command(TyperCommand):
    """One command; where it takes an expression, that may begin with a minus sign."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        write_help(self, ctx, formatter)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if any(parameter.name == "expression" and parameter.param_type_name == "argument" for parameter in self.params):
            args = self._expressions_last(ctx, args)
        return super().parse_args(ctx, args)

    def _expressions_last(self, ctx: Any, args: list[str]) -> list[str]:
        """Moves `-x^2` behind a `--`. Two dashes and a letter are always an option, one dash only on an exact match."""
        takes_value = {
            name: not parameter.is_flag for parameter in self.get_params(ctx) for name in parameter.opts if hasattr(parameter, "is_flag")
        }
        kept: list[str] = []
        expressions: list[str] = []
        rest = iter(args)
        for token in rest:
            if token == "--":
                expressions += rest
            elif token in takes_value:
                kept += [token, *([value] if takes_value[token] and (value := next(rest, None)) is not None else [])]
            elif is_negative(token):
                expressions.append(token)
            else:
                kept.append(token)
        return [*kept, "--", *expressions] if expressions else kept


class Group(TyperGroup):
    """A folder of commands; without the name of one it shows its help, as a usage error."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args:
            sys.stderr.write(ctx.get_help() + "\n")
            raise typer.Exit(Exit.USAGE)
        return super().parse_args(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        write_help(self, ctx, formatter)
