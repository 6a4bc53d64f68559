"""A bar on a terminal's stderr while rows come in."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

from ..screen import Screen

Item = TypeVar("Item")
PATIENCE, PAUSE, WIDTH = 1.0, 0.1, 30


def counted(screen: Screen, items: Iterable[Item], total: int, done: int = 0) -> Iterator[Item]:
    """Passes the items on; once it takes longer than a second, the bar shows how many of `total` there were."""
    began, shown = time.monotonic(), 0.0
    try:
        for item in items:
            yield item
            done += 1
            now = time.monotonic()
            if screen.is_watched and now - began > PATIENCE and now - shown > PAUSE:
                shown = now
                screen.progress(f"[{'#' * (WIDTH * done // max(total, 1)):<{WIDTH}}] {done}/{total}")
    finally:
        if shown:
            screen.progress("")
