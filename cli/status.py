"""The exit codes by name, and the failure that a command reports with one of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dagrad.grammar import Diagnostic, Source


class Exit(IntEnum):
    """What the process says to the shell."""

    OK = 0
    FAILED = 1
    USAGE = 2
    SYNTAX = 3
    LIMIT = 4
    INTERNAL = 70
    INTERRUPTED = 130
    BROKEN_PIPE = 141


MEANING = {
    Exit.OK: "success",
    Exit.FAILED: "the program ran and failed: an assert, a run-time error, a wrong gradient",
    Exit.USAGE: "the command line is wrong, or a file cannot be read",
    Exit.SYNTAX: "a syntax error, an unknown name, wrong static arguments",
    Exit.LIMIT: "a limit or the timeout was reached",
    Exit.INTERNAL: "a fault in dagrad itself",
    Exit.INTERRUPTED: "interrupted with Ctrl-C",
    Exit.BROKEN_PIPE: "the reader of the output went away",
}

BY_CATEGORY = {
    "runtime": Exit.FAILED,
    "usage": Exit.USAGE,
    "file": Exit.USAGE,
    "syntax": Exit.SYNTAX,
    "name": Exit.SYNTAX,
    "limit": Exit.LIMIT,
}


class UsageError(Exception):
    """The command line asks for something that cannot be; `help` says what to write instead.

    `kind` is "setting" where a NAME=EXPR does not fit what it is given to.
    """

    def __init__(self, message: str, help: str | None = None, kind: str = "usage") -> None:
        super().__init__(message)
        self.message = message
        self.help = help
        self.kind = kind

    def as_failure(self) -> Failure:
        from dagrad.grammar import Diagnostic

        return Failure([Diagnostic(self.kind, self.message, help=self.help)])


class Failure(Exception):
    """The command ends here with diagnostics; `document` holds what was found before (the output so far)."""

    def __init__(
        self, diagnostics: Sequence[Diagnostic], sources: Mapping[str, Source] | None = None, document: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(diagnostics[0].message)
        self.diagnostics = diagnostics
        self.sources = dict(sources or {})
        self.document = dict(document or {})

    @property
    def exit(self) -> Exit:
        return BY_CATEGORY[self.diagnostics[0].category]
