"""Views of the graph and of the engine at work, as plain data: what dumps and reports are drawn from."""

from . import formats
from .collapse import collapse
from .memory import MemoryRecorder
from .snapshot import Graph, GraphEdge, GraphNode, Group, Location, Saved, ValueRecorder, snapshot

__all__ = [
    "Graph",
    "GraphEdge",
    "GraphNode",
    "Group",
    "Location",
    "MemoryRecorder",
    "Saved",
    "ValueRecorder",
    "collapse",
    "formats",
    "snapshot",
]
