"""Views of the graph and of the engine at work, as plain data: what dumps and reports are drawn from."""

from . import formats
from .collapse import collapse
from .diff import Difference, difference
from .memory import MemoryRecorder
from .rules import formulas, formulas_of, inputs_of, parameters
from .snapshot import Graph, GraphEdge, GraphNode, Group, Location, Saved, ValueRecorder, snapshot
from .trace import Gradient, Sent, Step, TraceRecorder
from .turns import Turns
from .writing import helpers_of, made_of, written

__all__ = [
    "Difference",
    "Gradient",
    "Graph",
    "GraphEdge",
    "GraphNode",
    "Group",
    "Location",
    "MemoryRecorder",
    "Saved",
    "Sent",
    "Step",
    "TraceRecorder",
    "Turns",
    "ValueRecorder",
    "collapse",
    "difference",
    "formats",
    "formulas",
    "formulas_of",
    "helpers_of",
    "inputs_of",
    "made_of",
    "parameters",
    "snapshot",
    "written",
]
