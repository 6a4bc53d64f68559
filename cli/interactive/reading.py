"""Reads entries: with prompt_toolkit where it is installed, with plain lines otherwise."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from dagrad.grammar import is_incomplete

from .completion import candidates, word_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dagrad.grammar import Session

PROMPT, MORE = "dagrad> ", "   ...> "


def reader(session: Session) -> Callable[[], str]:
    """Asks for the next entry; EOFError at the end of the input."""
    try:
        import prompt_toolkit  # noqa: F401 - only asked whether it is there
    except ImportError:
        return plain_reader(session)
    return rich_reader(session)


def plain_reader(session: Session) -> Callable[[], str]:
    """Lines through Python's own input(), with its history and completion where readline is there."""
    try:
        import readline

        def complete(word: str, state: int) -> str | None:
            found = candidates(readline.get_line_buffer()[: readline.get_endidx()], session)
            return found[state] if state < len(found) else None

        readline.set_completer(complete)
        readline.set_completer_delims(" \t\n()[]{}+-*/%^@=<>,;.'\"")
        readline.parse_and_bind("tab: complete")
    except ImportError:
        pass

    def read() -> str:
        text = input(PROMPT)
        while not text.startswith(":") and is_incomplete(text):
            line = input(MORE)
            if not line.strip():
                break
            text += "\n" + line
        return text

    return read


def rich_reader(session: Session) -> Callable[[], str]:
    """Several lines, history, completion and colours by prompt_toolkit. DAGRAD_HISTORY names a file that keeps the history."""
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import Completer, Completion
    from prompt_toolkit.history import FileHistory, InMemoryHistory
    from prompt_toolkit.key_binding import KeyBindings
    from prompt_toolkit.lexers import PygmentsLexer

    from ..lexer import DagradLexer

    class Names(Completer):
        """Completions at the cursor."""

        def get_completions(self, document: Any, event: Any) -> Iterator[Any]:
            before = document.text_before_cursor
            start = -len(before) if before.startswith(":") else -len(word_of(before))
            for name in candidates(before, session):
                yield Completion(name, start)

    keys = KeyBindings()

    @keys.add("enter")
    def enter(event: Any) -> None:
        buffer = event.current_buffer
        whole = not buffer.document.text_after_cursor.strip()
        if whole and not buffer.text.startswith(":") and not buffer.text.endswith("\n") and is_incomplete(buffer.text):
            buffer.insert_text("\n")
        else:
            buffer.validate_and_handle()

    kept = os.environ.get("DAGRAD_HISTORY")
    asking: Any = PromptSession(
        PROMPT,
        multiline=True,
        prompt_continuation=MORE,
        completer=Names(),
        complete_while_typing=False,
        lexer=PygmentsLexer(DagradLexer),
        history=FileHistory(kept) if kept else InMemoryHistory(),
        key_bindings=keys,
        include_default_pygments_style=True,
    )
    read: Callable[[], str] = asking.prompt
    return read
