"""Keeps a command within its limits of time and memory, whatever it is doing when it meets them."""

from __future__ import annotations

import contextlib
import os
import time
from typing import TYPE_CHECKING, Any

from .status import Failure

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

    from .options import Limits

STATM = "/proc/self/statm"  # Linux only
INTERVAL = 0.05  # seconds of processor time between two looks at it
MARGIN = 64 * 2**20


@contextlib.contextmanager
def limited(limits: Limits) -> Iterator[None]:
    """Time and memory for what is done inside. The language reports them with the line; this is for all the rest."""
    from dagrad import engine
    from dagrad.grammar import Diagnostic, TimeIsUp, alarm, words

    elements: Any = engine.limits  # type: ignore[attr-defined]
    before, elements.max_elements = elements.max_elements, limits.max_elements
    began = time.monotonic()
    try:
        with memory(limits.max_memory), alarm(limits.timeout):
            yield
    except TimeIsUp:
        message = f"the time is up: more than {words.plural(limits.timeout or 0, 'second', 'g')}"
        raise Failure([Diagnostic("time", message, help="--timeout raises the limit")]) from None
    except (MemoryError, SystemError):  # the second is what Python says where a call finds no memory
        spent = f" after {time.monotonic() - began:.1f} s"
        raise Failure([Diagnostic("memory", f"not enough memory{spent}", help="--max-memory raises the limit")]) from None
    finally:
        elements.max_elements = before


@contextlib.contextmanager
def memory(size: int) -> Iterator[None]:
    """Allocations that would bring the process above `size` bytes fail inside, where the system can see to that."""
    try:
        import resource
    except ImportError:  # not a POSIX system
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = [bound for bound in (size, soft, hard) if bound != resource.RLIM_INFINITY]
    try:
        resource.setrlimit(resource.RLIMIT_AS, (min(wanted), hard))
    except (ValueError, OSError, OverflowError):  # some systems have the call but not the limit; more than there can be is none
        pass
    try:
        with watched(size):
            yield
    finally:
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


@contextlib.contextmanager
def watched(size: int) -> Iterator[None]:
    """Stops a program that comes near its limit in small steps, while there is still room to say where it was."""
    import signal
    import threading

    if not os.access(STATM, os.R_OK) or threading.current_thread() is not threading.main_thread():
        yield
        return

    def look(number: int, frame: FrameType | None) -> None:
        if pages() * page > size - margin and in_program(frame):
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            raise MemoryError(f"more memory than the {size >> 20:,} MiB it may have")

    page, margin = os.sysconf("SC_PAGE_SIZE"), min(size // 10, MARGIN)
    before = signal.signal(signal.SIGVTALRM, look)
    signal.setitimer(signal.ITIMER_VIRTUAL, INTERVAL, INTERVAL)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def in_program(frame: FrameType | None) -> bool:
    """Whether a .dg program is running, rather than the report of its error, which must be told in peace."""
    while frame is not None and "r_call" not in frame.f_globals:
        frame = frame.f_back
    return frame is not None


def pages() -> int:
    """The pages of the process's address space."""
    with open(STATM, "rb") as file:
        return int(file.read().split()[0])
