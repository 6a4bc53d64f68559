"""What a backward pass goes through: the nodes under its roots, the latest first, and then the leaves.

A node is made after all that it depends on, so in this order whoever sends a node a gradient comes before it.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

from .node import AccumulateGrad, Node, Place, node_of
from .refusal import freed

if TYPE_CHECKING:
    from collections.abc import Sequence

    Leaves = dict[AccumulateGrad, None]


class _FarApart(Exception):
    """Most numbers between those of the graph's nodes belong to other nodes, or to none."""


def discover(roots: Sequence[Node]) -> tuple[list[Node], list[AccumulateGrad]]:
    """The nodes and the leaves that `roots` depend on, themselves included. Raises FreedGraphError for one that was dismantled."""
    leaves: Leaves = {root: None for root in roots if isinstance(root, AccumulateGrad)}
    inner = [root for root in roots if not isinstance(root, AccumulateGrad)]
    try:
        nodes = _placed(inner, leaves) if inner else []
    except _FarApart:
        nodes = _collected(inner, leaves)
    return nodes, sorted(leaves, key=_number, reverse=True)


def _placed(roots: Sequence[Node], leaves: Leaves) -> list[Node]:
    """Nodes are numbered as they are made, so a node's number is its place: this list is filled while it is walked, and nothing
    need be sorted, counted or marked. Leaves are kept apart, since most are much older than what depends on them."""
    top = max(root.sequence_nr for root in roots)
    places: list[Node | None] = [None] * 64
    for root in roots:
        _place(places, top - root.sequence_nr, root, 0)
    walked = 0
    for node in places:
        if node is None:
            continue
        walked += 1
        # The two slots are looked at one by one: nearly all they hold are plain nodes.
        target: Any = node.edge
        if target.__class__ is Node:
            try:
                places[top - target.sequence_nr] = target
            except IndexError:
                _place(places, top - target.sequence_nr, target, walked)
        elif target.__class__ is AccumulateGrad:
            leaves[target] = None
        elif target is not None:
            _place_all(places, top, target, walked, leaves)
        elif node.saved.__class__ is Place:
            raise freed(node)
        target = node.others
        if target.__class__ is Node:
            try:
                places[top - target.sequence_nr] = target
            except IndexError:
                _place(places, top - target.sequence_nr, target, walked)
        elif target.__class__ is AccumulateGrad:
            leaves[target] = None
        elif target is not None:
            _place_all(places, top, target, walked, leaves)
    return [node for node in places if node is not None]


def _place(places: list[Node | None], at: int, node: Node, walked: int) -> None:
    """Puts a node in its place, which may have to be made."""
    if at >= len(places):
        if at > 8 * walked + _NEAR:
            raise _FarApart
        places.extend([None] * (at + 1 - len(places) + len(places) // 2))
    places[at] = node


# How many numbers a small graph may span before its nodes are sorted.
_NEAR = 1024


def _place_all(places: list[Node | None], top: int, target: Any, walked: int, leaves: Leaves) -> None:
    """An Edge to one of several outputs, or the edges of an operation of more than two inputs."""
    for edge in target if target.__class__ is tuple else (target,):
        node = None if edge is None else node_of(edge)
        if node.__class__ is AccumulateGrad:
            leaves[node] = None
        elif node is not None:
            _place(places, top - node.sequence_nr, node, walked)


def _collected(roots: Sequence[Node], leaves: Leaves) -> list[Node]:
    """The same by a set and a sort: each node costs half as much again, the numbers between the nodes cost nothing."""
    seen = set(roots)
    found = list(seen)
    for node in found:
        if node.released:
            raise freed(node)
        for edge in node.edges:
            target = None if edge is None else node_of(edge)
            if isinstance(target, AccumulateGrad):
                leaves[target] = None
            elif target is not None and target not in seen:
                seen.add(target)
                found.append(target)
    return sorted(found, key=_number, reverse=True)


_number = attrgetter("sequence_nr")
