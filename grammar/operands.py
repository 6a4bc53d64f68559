"""What the names in a failing expression stand for, and where they got it: secondary labels of an error."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from dagrad.engine import Tensor

from .diagnostic import Label
from .values import format_number, format_value, kind_of

if TYPE_CHECKING:
    from .scope import Symbol
    from .source import Source, Span

MOST = 3  # labels
STRINGS = re.compile(r'"(?:[^"\\]|\\.)*"')
NAMES = re.compile(r"(?<![\w.])[^\W\d]\w*(?!\w|\s*[(=])")


def operands(error: BaseException, span: Span, sources: dict[str, Source], symbols: dict[str, Symbol]) -> list[Label]:
    """A label for each variable of the failing expression that is assigned in one place only."""
    values = _names_of(error, sources)
    found: list[Label] = []
    for name in dict.fromkeys(NAMES.findall(STRINGS.sub("", _text(span, sources)))):
        symbol = symbols.get(f"v_{name}")
        if symbol is None or symbol.unit is None or not symbol.end or len(symbol.bindings) > 1 or symbol.kind == "function":
            continue
        value = values.get(symbol.python)
        place = symbol.unit.source.span(symbol.start, symbol.end)
        if value is not None and (place.file, place.line) != (span.file, span.line):
            found.append(Label.at(place, described(value)))
    return found[:MOST]


def described(value: Any) -> str:
    """A scalar's value, a tensor's shape, the kind of anything else."""
    if isinstance(value, float):
        return f"this is {format_value(value)}"
    if isinstance(value, Tensor):
        return f"this has shape {value.shape}" if value.shape else f"this is {format_number(value.item())}"
    return f"this is {kind_of(value)}"


def _names_of(error: BaseException, sources: dict[str, Source]) -> dict[str, Any]:
    """The values of the names in the innermost frame of the program."""
    trace, frame = error.__traceback__, None
    while trace is not None:
        if trace.tb_frame.f_code.co_filename in sources:
            frame = trace.tb_frame
        trace = trace.tb_next
    return {} if frame is None else {**frame.f_globals, **frame.f_locals}


def _text(span: Span, sources: dict[str, Source]) -> str:
    line = sources[span.file].line(span.line)
    return line[span.column - 1 : span.end_column - 1 if span.end_line == span.line else None]
