"""`dagrad completion`: prints a completion script for a shell."""

import sys
from enum import StrEnum
from typing import Annotated

from ..completion import script
from ..parameters import Argument


class Shell(StrEnum):
    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


def command(shell: Annotated[Shell, Argument(metavar="bash|zsh|fish", help="The shell.")]) -> None:
    """A completion script for a shell; it is static, so that no Python starts on TAB.

    dagrad completion bash > ~/.local/share/bash-completion/completions/dagrad
    dagrad completion fish > ~/.config/fish/completions/dagrad.fish
    """
    sys.stdout.write(script(shell))
