"""Python's recursion limit and the alarm clock, both put back afterwards."""

from __future__ import annotations

import contextlib
import gc
import signal
import sys
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType


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


@contextlib.contextmanager
def exact_recursion_limit(frames: int) -> Iterator[None]:
    """Allows exactly `frames` calls on top of those that are open now."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(frames + _open_frames())
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
    """Raises TimeIsUp inside after `seconds`. Signals reach the main thread only; elsewhere there is no alarm."""
    if seconds is None or threading.current_thread() is not threading.main_thread():
        yield
        return

    def ring(number: int, frame: FrameType | None) -> None:
        raise TimeIsUp

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 1e-6))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


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
