"""An error as data: what is wrong, where, what else explains it, and how it was reached."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .record import Value, field

if TYPE_CHECKING:
    from .catalogue import Entry
    from .source import Source, Span


class Label(Value):
    """A second place that explains an error, such as the bracket that was opened."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    text: str

    @classmethod
    def at(cls, span: Span, text: str) -> Label:
        return cls(span.file, span.line, span.column, span.end_line, span.end_column, text)


class Frame(Value):
    """A call on the way to an error: in `name`, at this place, `count` times in a row."""

    name: str
    file: str
    line: int
    column: int
    count: int = 1


class Diagnostic(Value):
    """One error. `kind` is its class in words; its code, category and explanation stand in the catalogue."""

    kind: str
    message: str
    file: str | None = None
    line: int | None = None
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None
    help: str | None = None
    labels: list[Label] = field(default_factory=list)
    stack: list[Frame] = field(default_factory=list)

    @classmethod
    def at(cls, span: Span | None, kind: str, message: str, help: str | None = None, labels: list[Label] | None = None) -> Diagnostic:
        """A diagnostic that points at `span`."""
        found = cls(kind, " ".join(message.split()), help=help, labels=labels or [])
        if span is not None:
            found.file, found.line, found.column, found.end_line, found.end_column = (
                span.file, span.line, span.column, span.end_line, span.end_column,
            )  # fmt: skip
        return found

    @property
    def code(self) -> str:
        """The stable code that `dagrad explain` takes."""
        return self.entry.code

    @property
    def category(self) -> str:
        """One of usage, file, syntax, name, runtime, limit: it decides the exit code."""
        return self.entry.category

    @property
    def entry(self) -> Entry:
        """What the catalogue says of its kind."""
        from .catalogue import entry

        return entry(self.kind)

    def as_json(self) -> dict[str, Any]:
        """The documented form of an error in JSON."""
        nested = {"labels": [label.as_dict() for label in self.labels], "stack": [frame.as_dict() for frame in self.stack]}
        return {"code": self.code, **self.as_dict(), **nested}


class DagradError(Exception):
    """What a program did wrong. The only exception that the language raises."""

    def __init__(self, diagnostics: list[Diagnostic]) -> None:
        super().__init__(diagnostics[0].message if diagnostics else "")
        self.diagnostics = diagnostics
        self.sources: dict[str, Source] = {}  # the files of the program by name, for drawing

    @property
    def category(self) -> str:
        """The category of its first diagnostic."""
        return self.diagnostics[0].category
