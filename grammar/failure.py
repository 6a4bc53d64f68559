"""From a Python exception in compiled code to an error of the program, with its place and call stack."""

from __future__ import annotations

import re
from itertools import islice
from opcode import opname
from typing import TYPE_CHECKING, Any

from dagrad.engine import EngineError

from .catalogue import BY_KIND
from .diagnostic import Diagnostic, Frame, Label
from .limits import TimeIsUp
from .names import closest
from .operands import operands
from .runtime import DepthLimit, StepLimit
from .source import Source, Span
from .values import display_name
from .words import plural

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import CodeType, FrameType, TracebackType

    from .program import Settings
    from .scope import Symbol

# What Python calls the kinds of value, in the user's words.
WORDS = {
    "float": "a number", "int": "a number", "bool": "a truth value", "Bool": "a truth value", "Text": "a string", "str": "a string",
    "Tuple": "a tuple", "tuple": "a tuple", "function": "a function", "builtin_function_or_method": "a function", "NoneType": "nothing",
    "Tensor": "a tensor", "Mask": "a tensor", "list": "a list", "Unset": "a default that is not evaluated yet", "range": "a range",
}  # fmt: skip

# Exceptions that a program can provoke; any other is a fault of ours and goes on.
FAULTS = (
    EngineError,
    StepLimit,
    DepthLimit,
    TimeIsUp,
    RecursionError,
    MemoryError,
    TypeError,
    ValueError,
    ArithmeticError,
    NameError,
    IndexError,
)

MAX_STACK = 30

# What NumPy says of a tensor with too many axes.
AXES = re.compile(
    r"maximum supported dimension for an ndarray is currently (\d+), found (\d+)|(?:ndmax \(|maximum number of dimension of )(\d+)"
)

# What Python says of a name of compiled code that is not set.
UNSET = re.compile(r"'([a-z]\d*_[^']*)'")

# Kinds of error that the operands explain.
OPERANDS = frozenset({"shape", "type", "index", "condition", "argument", "value", "singular"})

# A call of the program: its code, the instruction that stands open, and how many times in a row.
Call = tuple["CodeType", int, int]


class Failure:
    """An exception, seen from the program. `sources` are its files by name, `symbols` its names by their Python name."""

    def __init__(self, error: BaseException, sources: dict[str, Source], symbols: dict[str, Symbol], settings: Settings) -> None:
        self.error = error
        self.sources = sources
        self.symbols = symbols
        self.settings = settings

    def diagnostic(self) -> Diagnostic:
        """The error as data."""
        frames = self._frames(self.error.__traceback__)
        kind, message, help, labels = self._what(frames)
        if frames and kind in OPERANDS and not labels:
            frame, caller = self._innermost()
            labels = operands(frame, frames[-1][1], caller, self.sources, self.symbols)
        found = Diagnostic.at(frames[-1][1] if frames else None, kind, message, help, labels)
        if len(frames) > 1:
            found.stack = shortened([Frame(self._name(code), span.file, span.line, span.column, count) for code, span, count in frames])
        return found

    # ---- where

    def _frames(self, trace: TracebackType | None) -> list[tuple[CodeType, Span, int]]:
        """The program's frames from the outermost in, the same place several times in a row counted as one."""
        frames: list[Call] = []
        while trace is not None:
            code = trace.tb_frame.f_code
            if self._is_ours(trace.tb_frame):
                lasti = self._instruction(trace)
                if frames and frames[-1][0] is code and frames[-1][1] == lasti:
                    frames[-1] = (code, lasti, frames[-1][2] + 1)
                else:
                    frames.append((code, lasti, 1))
            trace = trace.tb_next
        return [(code, span, count) for code, lasti, count in folded(frames) if (span := span_of(code, lasti)) is not None]

    def _instruction(self, trace: TracebackType) -> int:
        """The instruction that stands open. Python 3.11 runs two loads as one in code that is run often, and then names the first of
        them where the name that the second loads is not set."""
        lasti = trace.tb_lasti
        if trace.tb_next is None and isinstance(self.error, UnboundLocalError) and (match := UNSET.search(str(self.error))):
            code = trace.tb_frame.f_code
            return next((at for at in (lasti, lasti + 2) if loads(code, at, match[1])), lasti)
        return lasti

    def _is_ours(self, frame: FrameType) -> bool:
        """Whether it runs code of the program."""
        return frame.f_code.co_filename in self.sources and frame.f_globals.get("__package__") is None

    def _innermost(self) -> tuple[FrameType, Span | None]:
        """The program's innermost frame; and the call that made it, where the program itself did."""
        before, trace = None, self.error.__traceback__
        frame, caller = None, None
        while trace is not None:
            if self._is_ours(trace.tb_frame):
                frame, caller = trace.tb_frame, before
            before, trace = trace, trace.tb_next
        assert frame is not None
        called = caller is not None and self._is_ours(caller.tb_frame)
        return frame, span_of(caller.tb_frame.f_code, caller.tb_lasti) if caller is not None and called else None

    @staticmethod
    def _name(code: CodeType) -> str:
        return "program" if code.co_name.startswith("m_") else display_name(code.co_name)

    # ---- what

    def _what(self, frames: list[Any]) -> tuple[str, str, str | None, list[Label]]:
        error = self.error
        if isinstance(error, EngineError):
            kind = error.kind if error.kind in BY_KIND else "runtime"
            labels = [made for place, text in error.labels if (made := self._label(place, text)) is not None]
            return kind, in_the_language(error.message), error.help and in_the_language(error.help), labels
        if isinstance(error, (RecursionError, DepthLimit)):
            return (
                "depth",
                f"recursion depth above {plural(self.settings.max_depth, 'call')}",
                "does the recursion end? --max-depth raises the limit",
                [],
            )
        if isinstance(error, StepLimit):
            return "steps", f"more than {plural(self.settings.max_steps or 0, 'step')}", "--max-steps raises the limit", []
        if isinstance(error, TimeIsUp):
            return (
                "time",
                f"the time is up: more than {plural(self.settings.timeout, 'second', 'g')}" if self.settings.timeout else "the time is up",
                "--timeout raises the limit",
                [],
            )
        if isinstance(error, MemoryError):
            return "memory", _memory(str(error)), "--max-memory raises the limit", []
        if isinstance(error, NameError):
            return self._unset(str(error))
        if isinstance(error, TypeError):
            return self._type(str(error), frames)
        text = str(error).splitlines()[0].lower() if str(error) else type(error).__name__
        if match := AXES.search(text):
            would = f"would have {match[2]}" if match[2] else "would have more"
            return "shape", f"a tensor has at most {match[1] or match[3]} axes, this one {would}", None, []
        return "value", text, None, []

    def _label(self, place: Any, text: str) -> Label | None:
        position = place.position
        if position is None or position[0] not in self.sources:
            return None
        file, line, column, end_line, end_column = position
        return Label(file, line, column, end_line, end_column, text)

    def _unset(self, message: str) -> tuple[str, str, str | None, list[Label]]:
        match = UNSET.search(message)
        if match is None:
            raise self.error  # no name of the program: a fault of ours
        python = match[1]
        name = display_name("v_" + python.partition("_")[2])
        symbol = self.symbols.get(re.sub(r"^i", "v", python))
        labels = []
        if symbol is not None and symbol.unit is not None and symbol.end:
            labels.append(Label.at(symbol.unit.source.span(symbol.start, symbol.end), "it is assigned here, but not on the way taken"))
        return "unset-name", f"'{name}' is not set yet", "assign it before it is used, on every path", labels

    def _type(self, message: str, frames: list[Any]) -> tuple[str, str, str | None, list[Label]]:
        if match := re.match(r"unsupported operand type\(s\) for ([^:]+): '(\w+)' and '(\w+)'", message):
            return self._operands(match[1], match[2], match[3])
        if match := re.match(r"'([^']+)' not supported between instances of '(\w+)' and '(\w+)'", message):
            return self._operands(match[1], match[2], match[3])
        if match := re.match(r"bad operand type for unary (.): '(\w+)'", message):
            return "type", f"'{match[1]}' does not apply to {word(match[2])}", None, []
        if match := re.match(r"'(\w+)' object is not callable", message):
            return self._not_callable(match[1], frames)
        if match := re.match(r"(\w+)\(\) (takes|missing|got)(.*)", message):
            return self._call(match[1], match[2] + match[3])
        return "type", message.splitlines()[0], None, []

    def _operands(self, operator: str, left: str, right: str) -> tuple[str, str, str | None, list[Label]]:
        if "NoneType" in (left, right):
            return "value", "the function returned no value that could be used here", "give it a return on every path", []
        help = "call the function first" if "function" in (left, right) else None
        return "type", f"'{operator.split(' ')[0]}' does not apply to {word(left)} and {word(right)}", help, []

    def _not_callable(self, kind: str, frames: list[Any]) -> tuple[str, str, str | None, list[Label]]:
        text = self._text(frames[-1][1]) if frames else ""
        name = text.partition("(")[0].strip()
        if not name.isidentifier():
            return "call", f"{word(kind)} is not a function", None, []
        from .builtins import signatures

        hidden = f"; it hides the builtin function {name}" if name in signatures() else ""
        help = f"give the variable another name to call {name}()" if hidden else f"for a product write {name}*{text[len(name) :].lstrip()}"
        symbol = self.symbols.get(f"v_{name}")
        labels = []
        if symbol is not None and symbol.unit is not None and symbol.end:
            labels.append(Label.at(symbol.unit.source.span(symbol.start, symbol.end), "assigned here"))
        return "call", f"'{name}' is {word(kind)} here, not a function{hidden}", help, labels

    def _text(self, span: Span) -> str:
        line = self.sources[span.file].line(span.line)
        return line[span.column - 1 : span.end_column - 1 if span.end_line == span.line else None]

    def _call(self, python: str, problem: str) -> tuple[str, str, str | None, list[Label]]:
        problem = re.sub(r"'v_(\w+)'", r"'\1'", problem).replace("positional ", "")
        problem = re.sub(r"missing \d+ required arguments?: (.*)", r"needs its argument \1", problem)
        if match := re.match(r"got an unexpected keyword argument '(\w+)'", problem):
            problem = f"has no parameter '{match[1]}'"
        name = display_name(python)
        symbol = self.symbols.get(python)
        labels = []
        if symbol is not None and symbol.unit is not None and symbol.end:
            labels.append(Label.at(symbol.unit.source.span(symbol.start, symbol.end), "defined here"))
        near = closest(name, [])
        return "call", f"{name} {problem}", near, labels


def in_the_language(text: str) -> str:
    """What the engine says to Python programs, as a .dg program writes it."""
    text = text[:1].lower() + text[1:] if re.match(r"[A-Z][a-z]+ ", text) else text
    text = text.replace("a missing requires_grad=True", "a missing param").replace("tracked leaf", "param")
    return text.replace("=True", "=true").replace("=False", "=false")


def _memory(message: str) -> str:
    """What there was no memory for, as far as NumPy says it."""
    if match := re.match(r"Unable to allocate ([\d.]+) (\w+) for an array with shape (\(.*?\))", message):
        return f"not enough memory for a tensor of shape {match[3]}, which takes {match[1].rstrip('.')} {match[2]}"
    return f"the program needs {message}" if message.startswith("more memory than") else "not enough memory for this operation"


def word(kind: str) -> str:
    """The user's word for a Python type."""
    return WORDS.get(kind, "a value of another kind")


def span_of(code: CodeType, lasti: int) -> Span | None:
    """The source of an instruction."""
    found = next(islice(code.co_positions(), lasti // 2, None), None)
    line, end_line, column, end_column = found or (None, None, None, None)
    if line is None:
        return None
    start = 1 if column is None else column + 1
    return Span(code.co_filename, line, start, end_line or line, start + 1 if end_column is None else end_column + 1)


def loads(code: CodeType, at: int, name: str) -> bool:
    """Whether the instruction at an offset loads a local name."""
    operation = code.co_code[at : at + 2]
    return len(operation) == 2 and opname[operation[0]].startswith("LOAD_FAST") and code.co_varnames[operation[1] :][:1] == (name,)


def folded(calls: list[Call]) -> list[Call]:
    """The calls with recursion of up to four functions in turn folded into one round with counts."""
    for period in (1, 2, 3, 4):
        calls = list(_folded(calls, period))
    return calls


def _folded(calls: list[Call], period: int) -> Iterator[Call]:
    at = 0
    while at < len(calls):
        group = [call[:2] for call in calls[at : at + period]]
        end = at + period
        while len(group) == period and [call[:2] for call in calls[end : end + period]] == group:
            end += period
        for i, (code, lasti) in enumerate(group):
            yield code, lasti, sum(call[2] for call in calls[at + i : end : period])
            if end == at + period and period > 1:
                break
        at = end if end > at + period else at + 1


def shortened(stack: list[Frame]) -> list[Frame]:
    """A long stack without its middle."""
    if len(stack) <= MAX_STACK:
        return stack
    half = MAX_STACK // 2
    left = stack[half:-half]
    gap = Frame(f"({plural(len(left), 'more call')})", left[0].file, left[0].line, left[0].column, len(left))
    return [*stack[:half], gap, *stack[-half:]]
