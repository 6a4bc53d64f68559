"""What the names in a failing expression stand for, and where they got it: secondary labels of an error.

A label stands only where it is certain: a wrong one would be worse than none.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from dagrad.engine import Tensor

from . import origins
from .diagnostic import Label
from .emitter import counter_name
from .record import Record
from .source import Span, normal_name
from .values import format_number, format_value, kind_of

if TYPE_CHECKING:
    from types import FrameType

    from .functions import Define
    from .scope import Scope, Symbol
    from .source import Source
    from .syntax import Node
    from .units import Unit

MOST = 3  # labels
STRINGS = re.compile(r'"(?:[^"\\]|\\.)*"')
NAMES = re.compile(r"(?<![\w.])[^\W\d]\w*(?!\w|\s*[(=])")


def operands(frame: FrameType, span: Span, caller: Span | None, sources: dict[str, Source], symbols: dict[str, Symbol]) -> list[Label]:
    """A label for each variable of the failing expression: it stands at `span` in the code of `frame`, which `caller` called."""
    place = Place.of(frame.f_code.co_name, span, caller, sources, symbols)
    if place is None:
        return []
    values = {**frame.f_globals, **frame.f_locals}
    found: list[Label] = []
    for name in dict.fromkeys(map(normal_name, NAMES.findall(STRINGS.sub("", _text(span, sources))))):
        symbol = origins.symbol_of(name, place.scope)
        if symbol is None or symbol.unit is None or symbol.kind == "function":
            continue
        value = float(values[whole]) if (whole := counter_name(symbol)) in values else values.get(symbol.python)
        if value is None or (symbol.kind == "param" and _stepped(value)):
            continue
        label = place.label(symbol, value) or _where_recorded(name, value, sources)
        if label is not None and (label.file, label.line) != (span.file, span.line):
            found.append(label)
    return found[:MOST]


class Place(Record):
    """The place of an error in the tree of its file. `define` is the function that it stands in, None in the program itself."""

    offset: int
    scope: Scope
    unit: Unit | None
    define: Define | None
    caller: Span | None
    units: dict[str, Unit]

    @classmethod
    def of(cls, code: str, span: Span, caller: Span | None, sources: dict[str, Source], symbols: dict[str, Symbol]) -> Place | None:
        """The place that a span in the code of this name has; None where it is not known which function that is."""
        units = {symbol.unit.source.name: symbol.unit for symbol in symbols.values() if symbol.unit is not None}
        offset = sources[span.file].offset(span.line, span.column)
        if code.startswith("m_"):
            unit = units.get(span.file)
            scope = unit.scope if unit is not None else next((each.scope for each in units.values() if each.interactive), None)
            return None if scope is None else cls(offset, scope, unit, None, None, units)
        symbol = symbols.get(code)
        define = symbol.definition if symbol is not None else None
        if symbol is None or define is None or symbol.unit is None or symbol.unit.source.name != span.file:
            return None
        inside = define.scope is not None and define.body.start <= offset < define.body.end
        return cls(offset, define.scope, symbol.unit, define, caller, units) if inside else None

    def label(self, symbol: Symbol, value: Any) -> Label | None:
        """Where the value of a name was set."""
        assert symbol.unit is not None
        if (only := origins.only_place(symbol, self.scope)) is not None:
            return Label.at(symbol.unit.source.span(only.start, only.end), described(value))
        body = self.define.body if self.define is not None else self.unit.tree if self.unit is not None else None
        if body is None or self.unit is None or self.scope.names.get(symbol.name) is not symbol:
            return None
        try:
            found = origins.last_place(body, self.offset, symbol.name)
        except origins.Untouched:
            return self._argument(symbol, value) if symbol.kind == "parameter" else None
        return None if found is None else Label.at(self.unit.source.span(found.start, found.end), described(value))

    def _argument(self, symbol: Symbol, value: Any) -> Label | None:
        """What the call gave for a parameter of the function."""
        if self.define is None or self.caller is None or (unit := self.units.get(self.caller.file)) is None:
            return None
        source = unit.source
        for call in origins.calls(unit.tree):
            if source.span(call.start, call.end) == self.caller:
                given = origins.argument(call, self.define, symbol.name)
                return None if given is None else self._given(given, symbol, value, source)
        return None

    def _given(self, node: Node, symbol: Symbol, value: Any, source: Source) -> Label:
        assert self.define is not None
        assert self.unit is not None
        default = any(node is parameter.default for parameter in self.define.parameters)
        span = (self.unit.source if default else source).span(node.start, node.end)
        return Label.at(span, described(value, symbol.name))


def described(value: Any, name: str = "this") -> str:
    """A scalar's value, a tensor's shape, the kind of anything else."""
    if isinstance(value, float):
        return f"{name} is {format_value(value)}"
    if isinstance(value, Tensor):
        return f"{name} has shape {value.shape}" if value.shape else f"{name} is {format_number(value.item())}"
    return f"{name} is {kind_of(value)}"


def _stepped(leaf: Any) -> bool:
    """Whether a number is not what its declaration says: an optimizer may have changed it, which no name in the program shows."""
    return isinstance(leaf, Tensor) and not leaf.shape and leaf._version > 0


def _where_recorded(name: str, value: Any, sources: dict[str, Source]) -> Label | None:
    """The operation that made a tracked value: its node knows the place."""
    node = value.grad_fn if isinstance(value, Tensor) else None
    position = None if node is None else node.span.position
    return None if position is None or position[0] not in sources else Label(*position, described(value, name))


def _text(span: Span, sources: dict[str, Source]) -> str:
    line = sources[span.file].line(span.line)
    return line[span.column - 1 : span.end_column - 1 if span.end_line == span.line else None]
