"""Python's recursion limit and the alarm clock, both put back afterwards."""

from __future__ import annotations

import contextlib
import gc
import signal
import sys
import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType


GRACE = 1.0  # seconds to report an error in, where the time is up


class TimeIsUp(BaseException):
    """The alarm rang. No Exception, so that nothing on the way up takes it for its own."""


@contextlib.contextmanager
def recursion_limit(frames: int) -> Iterator[None]:
    """Allows `frames` calls on top of those that are open now."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, frames + _open_frames()))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def _open_frames() -> int:
    frame: FrameType | None = sys._getframe()
    count = 0
    while frame is not None:
        count += 1
        frame = frame.f_back
    return count


@contextlib.contextmanager
def alarm(seconds: float | None) -> Iterator[None]:
    """Raises TimeIsUp inside after `seconds`; one inside another ends no later than it. Signals reach the main thread only:
    elsewhere there is no alarm, nor on a system that has none."""
    if seconds is None or threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return

    def ring(number: int, frame: FrameType | None) -> None:
        raise TimeIsUp

    outer, _ = signal.getitimer(signal.ITIMER_REAL)
    began = time.monotonic()
    before = signal.signal(signal.SIGALRM, ring)
    _ring_in(min(seconds, outer) if outer else seconds)
    try:
        yield
    finally:
        _ring_in(outer and max(outer - (time.monotonic() - began), GRACE))
        signal.signal(signal.SIGALRM, before)


def _ring_in(seconds: float) -> None:
    """0: never. It rings again later, since Python drops what is raised inside a finalizer."""
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 1e-6) if seconds else 0.0, 2.0 if seconds else 0.0)


@contextlib.contextmanager
def no_collection() -> Iterator[None]:
    """Switches the cycle collector off: a tree of many small objects would be scanned again and again while it grows."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


class Reserve:
    """Memory that is let go when there is none left, so that the error itself finds room."""

    SIZE = 4 * 2**20

    def __init__(self) -> None:
        self._held: bytes | None = bytes(self.SIZE)  # which the system only promises, and need not fill with zeros

    def let_go(self) -> None:
        self._held = None
