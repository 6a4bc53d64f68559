"""`dagrad repl`: an interactive session."""

import sys
from typing import TYPE_CHECKING, Annotated

from ..parameters import Option
from ..screen import Screen
from ..status import Failure, UsageError

if TYPE_CHECKING:
    from dagrad.engine.inspect import MemoryRecorder
    from dagrad.grammar import Session


def command(
    screen: Screen,
    seed: Annotated[int, Option("--seed", min=0, metavar="N", help="Where random numbers start.")] = 0,
) -> None:
    """An interactive session; :help shows its commands, Ctrl-D ends it.

    dagrad repl           # pip install 'dagrad[repl]' adds colours, completion as you type, several lines
    """
    from dagrad.engine import inspect
    from dagrad.grammar import Session, Settings

    from ..interactive.reading import reader
    from ..limiting import memory
    from ..options import MEMORY

    if not sys.stdin.isatty() or screen.json:
        raise UsageError("repl needs a terminal to talk to", help="dagrad run - runs a program from standard input")
    session = Session(Settings(seed=seed, output=screen.line))
    ask = reader(session)
    screen.line("dagrad: type an expression or a statement, :help for help, Ctrl-D to leave")
    with memory(MEMORY), inspect.MemoryRecorder() as recorder:
        while True:
            try:
                text = ask()
                if not answer(screen, session, recorder, text):
                    return
            except EOFError:
                screen.line("")
                return
            except KeyboardInterrupt:
                screen.line("interrupted")


def answer(screen: Screen, session: "Session", memory: "MemoryRecorder", text: str) -> bool:
    """Does what an entry says; False when it ends the session."""
    from dagrad.grammar import DagradError

    from ..interactive.commands import COMMANDS

    word = text.strip()
    if word.startswith(":"):
        if word not in COMMANDS:
            screen.line(f"there is no {word}; :help lists what there is")
            return True
        action = COMMANDS[word]
        if action is not None:
            action(screen, session, memory)
        return action is not None
    try:
        session.enter(text)
    except DagradError as error:
        screen.failure(Failure(error.diagnostics, error.sources))
    return True
