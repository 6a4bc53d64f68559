"""How large a tensor may become, asked before it is allocated."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from .errors import LimitError

# Elements of one tensor; None: no limit but the memory of the machine.
max_elements: int | None = None


def check_elements(shape: Iterable[int], what: str) -> None:
    """Raises LimitError when a tensor of `shape`, made by `what`, would pass the limit."""
    size = prod(shape)
    if max_elements is not None and size > max_elements:
        raise LimitError(
            f"{what} would make a tensor of {size} elements, the limit is {max_elements}",
            help="raise the limit with --max-elements",
        )
