"""The forms in which a graph is written: a file here is a format, its name the format's name, its `render` makes the text."""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..snapshot import Graph


def names() -> list[str]:
    """The formats there are."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__))


def render(graph: Graph, name: str, *, values: bool = False, saved: bool = False) -> str:
    """The graph as text in the format `name`; `values` and `saved` add what nodes computed and what they keep."""
    if name not in names():
        raise ValueError(f"no graph format is called {name!r}; there are {', '.join(names())}")
    module = importlib.import_module(f".{name}", __name__)
    return str(module.render(graph, values=values, saved=saved))


def document(graph: Graph, *, values: bool = False) -> dict[str, Any]:
    """The graph as the JSON document's fields."""
    from .json import document as fields

    return fields(graph, values=values)
