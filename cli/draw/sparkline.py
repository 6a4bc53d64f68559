"""Many numbers in the space of a word: a line of blocks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite

BLOCKS = "▁▂▃▄▅▆▇█"


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def sparkline(values: Sequence[float], width: int = 24, share: Callable[[Sequence[float]], float] = mean) -> str:
    """Blocks from the lowest to the highest value; of more values than `width` several share a block, `·` is no finite number."""
    step = max(1.0, len(values) / width)
    parts = [values[int(i * step) : max(int((i + 1) * step), int(i * step) + 1)] for i in range(min(width, len(values)))]
    heights = [share(part) for part in parts]
    finite = [height for height in heights if isfinite(height)]
    if not finite:
        return "·" * len(heights)
    low, spread = min(finite), max(finite) - min(finite)
    return "".join(BLOCKS[round((h - low) / spread * 7) if spread else 0] if isfinite(h) else "·" for h in heights)
