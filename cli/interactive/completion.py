"""What can follow in an interactive session: names, builtins, words of the language, attributes, commands."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .commands import COMMANDS

if TYPE_CHECKING:
    from dagrad.grammar import Session


def candidates(before: str, session: Session) -> list[str]:
    """The words that can complete the end of what has been typed."""
    if re.fullmatch(r":\w*", before):
        return [name for name in COMMANDS if name.startswith(before)]
    word = word_of(before)
    known = session.words(after_dot=before[: len(before) - len(word)].endswith("."))
    return sorted({name for name in known if word and name.startswith(word)})


def word_of(before: str) -> str:
    """The unfinished word at the end."""
    found = re.search(r"[^\W\d]\w*$", before)
    return found[0] if found else ""
