"""The .dg language: programs are parsed, checked, compiled to Python and run on the engine."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from dagrad.engine import Bool

from .diagnostic import DagradError, Diagnostic, Frame, Label
from .limits import TimeIsUp, alarm
from .outline import as_data, outline
from .program import Expression, Program, Run, Settings, StopRun, compile_expression, compile_program, evaluate_constant
from .reader import read_program
from .source import Source, Span
from .values import Text, Tuple, format_number, format_value

if TYPE_CHECKING:
    from .catalogue import BY_CODE, ENTRIES, Entry, entry
    from .formatting import formatted
    from .highlight import highlighted
    from .parentheses import parenthesised
    from .rendering import parts, render
    from .session import Session, is_incomplete

__all__ = [
    "BY_CODE",
    "ENTRIES",
    "Bool",
    "DagradError",
    "Diagnostic",
    "Entry",
    "Expression",
    "Frame",
    "Label",
    "Program",
    "Run",
    "Session",
    "Settings",
    "Source",
    "Span",
    "StopRun",
    "Text",
    "TimeIsUp",
    "Tuple",
    "alarm",
    "as_data",
    "compile_expression",
    "compile_program",
    "entry",
    "evaluate_constant",
    "format_number",
    "format_value",
    "formatted",
    "highlighted",
    "is_incomplete",
    "outline",
    "parenthesised",
    "parts",
    "read_program",
    "render",
]

# A run needs none of these: each module is imported when one of its names is first asked for.
_LATER = {
    "catalogue": ("BY_CODE", "ENTRIES", "Entry", "entry"),
    "formatting": ("formatted",),
    "highlight": ("highlighted",),
    "parentheses": ("parenthesised",),
    "rendering": ("parts", "render"),
    "session": ("Session", "is_incomplete"),
}

if not TYPE_CHECKING:  # a checker must not take every name for one of ours

    def __getattr__(name: str) -> Any:
        for module, names in _LATER.items():
            if name in names:
                value = globals()[name] = getattr(import_module(f".{module}", __name__), name)
                return value
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
