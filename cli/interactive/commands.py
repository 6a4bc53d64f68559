"""The commands of an interactive session, which begin with a colon."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from dagrad.engine.inspect import MemoryRecorder
    from dagrad.grammar import Session

    from ..screen import Screen

HELP = """\
An expression shows its value, which is then also called _; a statement does what it says. A line goes on
while a bracket is open or after an operator. Ctrl-C stops what is running, Ctrl-D ends the session."""


def graph(screen: Screen, session: Session, memory: MemoryRecorder) -> None:
    """the graph of the last value"""
    from dagrad.engine import Tensor, inspect

    value = session.values.get("v__")
    tracked = [v for v in [value, *reversed(session.variables.values())] if isinstance(v, Tensor) and v.node is not None]
    if not tracked:
        screen.line("no value has a graph; declare what it depends on with param")
        return
    screen.line(inspect.formats.render(inspect.snapshot(tracked[0]), "tree").rstrip("\n"))


def memory_report(screen: Screen, session: Session, memory: MemoryRecorder) -> None:
    """what the graphs of the session keep"""
    from ..commands.memory import show
    from ..program import peak_rss

    show(screen, {**memory.report({**session.variables, **session.params}), "process": {"peak_rss_bytes": peak_rss()}})


def gradients(screen: Screen, session: Session, memory: MemoryRecorder) -> None:
    """the params with their gradients"""
    from ..values import text

    if not session.params:
        screen.line("there are no params; param w = 0.5 declares one")
    screen.table(["param", "value", "gradient"], [[name, text(leaf), text(leaf.grad)] for name, leaf in session.params.items()])


def help_text(screen: Screen, session: Session, memory: MemoryRecorder) -> None:
    """this text"""
    screen.line(HELP)
    screen.line("\n".join(f"  {name:<9}{action.__doc__ if action else 'ends the session'}" for name, action in COMMANDS.items()))


COMMANDS: dict[str, Callable[[Screen, Session, MemoryRecorder], None] | None] = {
    ":graph": graph,
    ":memory": memory_report,
    ":grad": gradients,
    ":help": help_text,
    ":quit": None,
}
