"""Answers a command line: finds the command, runs it, and turns every failure into a message and an exit code."""

import sys
from collections.abc import Sequence

from .version import __version__


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    if arguments[:1] == ["--version"]:
        sys.stdout.write(f"dagrad {__version__}\n")
        return 0
    return 2
