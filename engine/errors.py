"""The engine's errors: a short fact, a remedy, and the places in the source that explain it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .node import Place

Label = tuple["Place", str]


class EngineError(RuntimeError):
    """What went wrong (`message`), its class (`kind`), what to do (`help`) and where its causes are (`labels`).

    It is a RuntimeError because PyTorch's are: code that guards a backward with `except RuntimeError` keeps working.
    """

    kind = "runtime"

    def __init__(self, message: str, *, kind: str | None = None, help: str | None = None, labels: Sequence[Label] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.kind = kind or self.kind
        self.help = help
        self.labels = list(labels)

    def __str__(self) -> str:
        lines = [self.message]
        lines += [f"  {place}: {text}" for place, text in self.labels]
        if self.help:
            lines.append(f"  help: {self.help}")
        return "\n".join(lines)


class ShapeError(EngineError, ValueError):
    """Shapes that do not fit together."""

    kind = "shape"


class IndexRangeError(EngineError, IndexError):
    """An index outside its axis, or one that is no whole number."""

    kind = "index"


class ArgumentError(EngineError, TypeError):
    """An argument of the wrong type or number."""

    kind = "argument"


class FreedGraphError(EngineError):
    """A backward pass through a graph that an earlier one dismantled."""

    kind = "freed"


class VersionError(EngineError):
    """A value that backward needs was changed after it had been saved."""

    kind = "version"


class LimitError(EngineError):
    """More elements than the limit allows, found before they were allocated."""

    kind = "limit"
