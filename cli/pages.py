"""Memory pages for arrays: what a freed array leaves is kept for the next one."""

from __future__ import annotations

import sys

from dagrad.engine import when_numpy_is_imported

# Parameters of glibc's mallopt, and their values: up to 1 GiB comes from the heap instead of a mapping of its own, the heap is never
# given back, and it grows by 64 MiB. A pass over large arrays then touches pages it already has; fresh ones cost up to half its time.
_M_MMAP_THRESHOLD, _M_TRIM_THRESHOLD, _M_TOP_PAD = -3, -1, -2
_SETTINGS = {_M_MMAP_THRESHOLD: 1 << 30, _M_TRIM_THRESHOLD: (1 << 31) - 1, _M_TOP_PAD: 64 << 20}


def keep_freed_pages() -> None:
    """Has the process keep freed memory, from the moment that NumPy is imported; does nothing where the C library is not glibc."""
    if _keep not in when_numpy_is_imported:
        when_numpy_is_imported.append(_keep)


def _keep() -> None:
    if not sys.platform.startswith("linux"):
        return
    import ctypes  # NumPy brings it along

    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        for parameter, value in _SETTINGS.items():
            mallopt(parameter, value)
