"""How messages put things: a count with its noun."""

from __future__ import annotations


def plural(count: float, noun: str, form: str = "") -> str:
    """ "1 row", "3 rows"; `form` is the format of the number."""
    return f"{count:{form}} {noun}{'' if count == 1 else 's'}"
