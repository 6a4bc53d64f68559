"""Passes in which every value is a number: what the recorders want to know of them follows from the graph alone.

Graphs of numbers are those with many nodes, where a call for each turn of a pass costs many times what the turn itself does. A node of
a whole formula (see fused.py) counts as the operations that it stands for.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeGuard

from ..derivative import Derivative
from ..fused import FusedDerivative
from .ledger import node_bytes, number_bytes
from .snapshot import FLOAT_BYTES, saved_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ..backward import GraphTask
    from ..node import AccumulateGrad, Node

derivative_of = attrgetter("derivative")
shape_of = attrgetter("shape")


def is_plain(task: GraphTask) -> bool:
    """Whether a pass goes from one root to the leaves, and asks for nothing else."""
    return not (task.captures or task.create_graph or task.nested) and task.roots == 1


def is_of_numbers(nodes: Sequence[Node], leaves: Iterable[AccumulateGrad]) -> bool:
    """Whether all values of a graph are numbers, and its operations the elementwise ones."""
    return not any(map(shape_of, leaves)) and not any(map(shape_of, nodes)) and all(map(takes_numbers, set(map(derivative_of, nodes))))


def gives_numbers(nodes: Sequence[Node], leaves: Iterable[AccumulateGrad]) -> bool:
    """The same, but that elements may be read from leaves with axes."""
    return not any(map(shape_of, nodes or leaves)) and all(map(saves_numbers, set(map(derivative_of, nodes))))


def takes_numbers(derivative: Any) -> bool:
    """Whether, for a result that is a number, the operation has nothing but numbers to save and to pass on."""
    return derivative.__class__ is Derivative and derivative.op.on_scalars


def saves_numbers(derivative: Any) -> bool:
    """Whether it has, for such a result, nothing but numbers to save; an array, to which it may pass on, gets them element by element."""
    return takes_numbers(derivative) or is_formula(derivative) or is_read(derivative)


def is_formula(derivative: Any) -> TypeGuard[FusedDerivative]:
    """Whether it stands for several operations that were computed in one step."""
    return derivative.__class__ is FusedDerivative


def is_read(derivative: Any) -> bool:
    """Whether it reads an element."""
    return derivative.__class__ is Derivative and derivative.op.name == "_select"


# ---------------------------------------------------------------- counting operations


class Count(NamedTuple):
    """How many operations nodes stand for, with how many edges, how many bytes of numbers these keep, and what they take themselves."""

    nodes: int
    edges: int
    kept_bytes: int
    graph_bytes: int


@lru_cache(maxsize=4096)
def count_one(derivative: Derivative) -> Count:
    """The figures of a node of numbers."""
    parts = [each.derivative for each in derivative.operations] if is_formula(derivative) else [derivative]
    edges, values = sum(part.mask.bit_count() for part in parts), sum(part.value_count for part in parts)
    return Count(len(parts), edges, FLOAT_BYTES * values, sum(map(number_bytes, parts)))


def count(kinds: Mapping[Derivative, int]) -> Count:
    """The sums over so many nodes of each derivative, all of numbers."""
    found = [0, 0, 0, 0]
    for derivative, times in kinds.items():
        for i, each in enumerate(count_one(derivative)):
            found[i] += times * each
    return Count(*found)


def count_nodes(nodes: Iterable[Node]) -> int:
    """How many operations these nodes stand for, of numbers or not."""
    kinds = Counter(map(derivative_of, nodes))
    return sum(times * (count_one(derivative).nodes if is_formula(derivative) else 1) for derivative, times in kinds.items())


def count_edges(nodes: Iterable[Node]) -> int:
    """How many edges they have."""
    formulas, others = _apart(nodes)
    return count(formulas).edges + sum(edge is not None for node in others for edge in node.edges)


def kept_bytes(nodes: Iterable[Node]) -> int:
    """What they keep."""
    formulas, others = _apart(nodes)
    return count(formulas).kept_bytes + saved_bytes(others)


def graph_bytes(nodes: Iterable[Node]) -> int:
    """What they take themselves."""
    formulas, others = _apart(nodes)
    return count(formulas).graph_bytes + sum(map(node_bytes, others))


def _apart(nodes: Iterable[Node]) -> tuple[Counter[Any], list[Node]]:
    """Of the formulas how many there are of each, and the other nodes."""
    formulas: Counter[Any] = Counter()
    others = []
    for node in nodes:
        if is_formula(node.derivative):
            formulas[node.derivative] += 1
        else:
            others.append(node)
    return formulas, others
