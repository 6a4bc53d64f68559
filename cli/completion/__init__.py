"""Completion scripts, static so that no Python starts on TAB: the files beside this one, as the shells read them."""

from __future__ import annotations

from pathlib import Path

SHELLS = ("bash", "zsh", "fish")


def script(shell: str) -> str:
    """The script for a shell, as `generate` made it."""
    return Path(__file__).with_name(f"dagrad.{shell}").read_text("utf-8")
