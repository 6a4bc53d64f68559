"""How a long run gets on, on one line of stderr: backward calls, calls a second, and what the program printed last."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..screen import Screen

# Nothing is shown before, and nothing oftener than this (seconds).
PATIENCE = 1.0
PAUSE = 0.1


class Progress:
    """Hears of each backward call and each printed line. It writes only where a person watches stderr."""

    def __init__(self, screen: Screen, output: Callable[[str], None]) -> None:
        self.screen = screen
        self.output = output
        self.calls = 0
        self.last = ""
        self.shown = False
        self.started = time.perf_counter()
        self.next = self.started + PATIENCE

    def printed(self, text: str) -> None:
        """Passes a line of the program on, with the progress out of its way."""
        self.wipe()
        self.output(text)
        self.last = text.rpartition("\n")[2]

    def stepped(self, root: Any, place: Any, index: int) -> None:
        """A backward call begins."""
        self.calls = index
        now = time.perf_counter()
        if now >= self.next:
            self.next = now + PAUSE
            self.screen.progress(self.text(now - self.started))
            self.shown = True

    def text(self, seconds: float) -> str:
        rate = self.calls / seconds
        return f"step {self.calls:,}  {rate:,.{0 if rate >= 10 else 2}f}/s  {self.last}".rstrip()

    def wipe(self) -> None:
        """Leaves the line empty for what is written next."""
        if self.shown:
            self.screen.progress("")
            self.shown = False
