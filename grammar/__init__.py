"""The .dg language: programs are parsed, checked, compiled to Python and run on the engine."""

from dagrad.engine import Bool

from .catalogue import BY_CODE, ENTRIES, Entry, entry
from .diagnostic import DagradError, Diagnostic, Frame, Label
from .formatting import formatted
from .highlight import highlighted
from .limits import TimeIsUp, alarm
from .outline import as_data, outline
from .parentheses import parenthesised
from .program import Expression, Program, Run, Settings, StopRun, compile_expression, compile_program, evaluate_constant
from .reader import read_program
from .rendering import parts, render
from .session import Session, is_incomplete
from .source import Source, Span
from .values import Text, Tuple, format_number, format_value

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
