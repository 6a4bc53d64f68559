"""Completion scripts, static so that no Python starts on TAB: the files beside this one, as the shells read them."""

from __future__ import annotations

import os

SHELLS = ("bash", "zsh", "fish")


def script(shell: str) -> str:
    """The script for a shell, as `generate` made it."""
    with open(os.path.join(os.path.dirname(__file__), f"dagrad.{shell}"), encoding="utf-8") as file:
        return file.read()
