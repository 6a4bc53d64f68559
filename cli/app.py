"""Answers a command line: finds the command, runs it, and turns every failure into a message and an exit code."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from typing import TYPE_CHECKING, Any

from .completion import SHELLS, script
from .screen import Screen
from .status import Exit, Failure, UsageError
from .stream import Messages, Stream, Unwritable
from .version import __version__

if TYPE_CHECKING:
    from typing import TextIO


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command line and returns its exit code."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    out: Any = Stream(sys.stdout, "the output")
    err: Any = Messages(sys.stderr, "messages")
    with redirect_stdout(out), redirect_stderr(err):
        session = Session(arguments)
        try:
            code: int | None = quick(arguments)
            if code is None:
                prepare()
                code = answer(arguments, session)
            session.screen.close()
            return code
        except BrokenPipeError:
            give_up(out.stream)
            return Exit.BROKEN_PIPE
        except Unwritable as error:
            give_up(out.stream)
            return session.screen.unwritable(error)
        except KeyboardInterrupt:
            return Exit.INTERRUPTED


def quick(arguments: Sequence[str]) -> Exit | None:
    """Answers what takes no preparation."""
    match arguments:
        case ["--version"]:
            sys.stdout.write(f"dagrad {__version__}\n")
        case ["completion", shell] if shell in SHELLS:
            sys.stdout.write(script(shell))
        case _:
            return None
    return Exit.OK


def give_up(stream: TextIO | None) -> None:
    """Nothing more can be written, and Python must not try again while it shuts down."""
    if stream is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def prepare() -> None:
    """Settings of the process that must stand before NumPy is imported."""
    # Threads cost more than they give on the small arrays of a program; whoever knows better sets the variable.
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    # A graph holds no cycle, so reference counting frees it. The collector would find nothing, and its passes over
    # a growing graph double the time of a loop over scalars.
    gc.disable()
    # Nor is there anything to be found when the process ends, where Python looks all the same: at the modules, above all.
    atexit.register(gc.freeze)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


class Session:
    """The command under way and its screen; until the options are parsed, the screen is what the arguments look like."""

    def __init__(self, arguments: Sequence[str]) -> None:
        self.path: list[str] = []
        arguments = arguments[: arguments.index("--")] if "--" in arguments else arguments  # no option comes after it
        self.screen = Screen(
            json="--json" in arguments or follows(arguments, "--format") == "json",
            color=follows(arguments, "--color") or "auto",
            error_format=follows(arguments, "--error-format") or "full",
        )

    def begin(self, screen: Screen) -> Screen:
        """Puts the screen that the parsed options ask for in place of the guessed one."""
        self.screen = screen
        screen.command = " ".join(self.path)
        return screen

    def report(self, failure: Failure) -> Exit:
        self.screen.command = " ".join(self.path)
        return self.screen.failure(failure)


def follows(arguments: Sequence[str], option: str) -> str | None:
    """The value of an option in arguments that have not been parsed."""
    for position, argument in enumerate(arguments):
        if argument == option:
            return "".join(arguments[position + 1 : position + 2])
        if argument.startswith(option + "="):
            return argument.partition("=")[2]
    return None


def answer(arguments: Sequence[str], session: Session) -> int:
    """Runs the command; the one funnel through which every failure goes."""
    try:
        try:
            return invoke(arguments, session)
        except UsageError as error:
            return session.report(error.as_failure())
        except Failure as failure:
            return session.report(failure)
    except (BrokenPipeError, Unwritable):
        raise
    except Exception as error:
        return internal(error)


def internal(error: Exception) -> Exit:
    """A fault of ours: one line, and the traceback only for who asks."""
    if os.environ.get("DAGRAD_TRACEBACK") == "1":
        import traceback

        traceback.print_exception(error)
    sys.stdout.flush()
    sys.stderr.write(f"dagrad: internal error: {type(error).__name__}: {error}\n")
    sys.stderr.write("help: this is a fault in dagrad; DAGRAD_TRACEBACK=1 shows where\n")
    return Exit.INTERNAL


def invoke(arguments: Sequence[str], session: Session) -> int:
    """Reads the arguments and calls the command they name."""
    from . import direct

    found = direct.read(arguments)
    if found is None:
        from . import tree

        return tree.invoke(arguments, session)
    from .options import call

    session.path, command, values = found
    return call(command, values, session) or Exit.OK
