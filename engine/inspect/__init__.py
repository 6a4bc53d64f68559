"""Views of the graph and of the engine at work, as plain data: what dumps and reports are drawn from."""

from . import formats
from .memory import MemoryRecorder
from .snapshot import Graph, GraphEdge, GraphNode, Location, Saved, ValueRecorder, snapshot

__all__ = ["Graph", "GraphEdge", "GraphNode", "Location", "MemoryRecorder", "Saved", "ValueRecorder", "formats", "snapshot"]
