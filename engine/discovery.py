"""What a backward pass goes through: the nodes under its roots, the latest first, and then the leaves.

A node is made after all that it depends on, so in this order whoever sends a node a gradient comes before it.
"""

from __future__ import annotations

from itertools import islice
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from .node import AccumulateGrad, Node, Place, node_of
from .refusal import freed

if TYPE_CHECKING:
    from collections.abc import Sequence

    Leaves = dict[AccumulateGrad, None]
    Far = dict[Node, None]


def discover(roots: Sequence[Node], asked: Sequence[Node] = ()) -> tuple[list[Node], list[AccumulateGrad], bool]:
    """The nodes and the leaves that `roots` depend on, themselves included. Raises FreedGraphError for one that was dismantled.

    Where only the gradients of some nodes are `asked` for, those that are older than all of these, and what is only to be reached
    through them, are left out: what the asked ones were made of does not matter. The third result says whether there were any.
    Of the oldest asked one it does not matter either if it was dismantled; of any other it does, since it may lead to one of them.
    """
    oldest = min(map(_number, asked)) if asked else 0
    leaves: Leaves = {}
    far: Far = {}
    older: Far = {}
    for root in roots:
        if root.__class__ is AccumulateGrad:
            leaves[root] = None
        else:
            far[root] = None
    nodes = _placed(far, leaves, older, oldest) if far else []
    if far:
        nodes += _collected(far, leaves, older, oldest)
    return nodes, sorted(leaves, key=_number, reverse=True) if len(leaves) > 1 else list(leaves), bool(older)


def _placed(far: Far, leaves: Leaves, older: Far, oldest: int = 0) -> list[Node]:
    """Nodes are numbered as they are made, so a node's number is its place: this list is filled while it is walked, and nothing
    need be sorted, counted or marked. What is too far from all the rest stays in `far`. Leaves are kept apart, since most are
    much older than what depends on them."""
    top = max(map(_number, far))
    end = max(top - oldest + 1, 0)
    places: list[Node | None] = [None] * min(end, 32)
    _fetch(places, top, far)
    walked = 0
    for node in islice(places, end):
        if node is None:
            continue
        walked += 1
        # What the slots hold is looked at one by one: nearly always they are plain nodes.
        target: Any = node.edge
        if target.__class__ is Node:
            try:
                places[top - target.sequence_nr] = target
            except IndexError:
                _place(places, top, target, far, walked)
        elif target.__class__ is AccumulateGrad:
            leaves[target] = None
        elif target is not None:
            _place(places, top, node_of(target), far, walked)
        elif node.saved.__class__ is Place and node.sequence_nr != oldest:
            raise freed(node)
        target = node.others
        if target.__class__ is Node:
            try:
                places[top - target.sequence_nr] = target
            except IndexError:
                _place(places, top, target, far, walked)
        elif target.__class__ is AccumulateGrad:
            leaves[target] = None
        elif target.__class__ is tuple:
            for edge in target:
                if edge.__class__ is Node:
                    try:
                        places[top - edge.sequence_nr] = edge
                    except IndexError:
                        _place(places, top, edge, far, walked)
                elif edge.__class__ is AccumulateGrad:
                    leaves[edge] = None
                elif edge is not None:
                    _place(places, top, node_of(edge), far, walked)
        elif target is not None:
            _place(places, top, node_of(target), far, walked)
    if oldest:
        for node in [node for node in (*places[end:], *far) if node is not None and node.sequence_nr < oldest]:
            older[node] = None
            far.pop(node, None)
        del places[end:]
    return [node for node in places if node is not None]


def _place(places: list[Node | None], top: int, node: Node, far: Far, walked: int) -> None:
    """Puts a node in its place. Where there is none yet, more are made if most of them will be taken."""
    at = top - node.sequence_nr
    if at < len(places):
        places[at] = node
        return
    far[node] = None
    if len(places) <= at < 8 * walked + _NEAR:
        places.extend([None] * (at + 1 - len(places) + len(places) // 2))
    if at < len(places):
        _fetch(places, top, far)


# How many numbers a small graph may span before its nodes are sorted.
_NEAR = 1024


def _fetch(places: list[Node | None], top: int, far: Far) -> None:
    """Puts in their places the nodes that are not too far any more."""
    for node in list(far):
        if top - node.sequence_nr < len(places):
            places[top - node.sequence_nr] = node
            del far[node]


def _collected(roots: Far, leaves: Leaves, older: Far, oldest: int = 0) -> list[Node]:
    """The same by a set and a sort: each node costs more, the numbers between the nodes cost nothing."""
    seen = set(roots)
    found = list(roots)
    for node in found:
        if node.released and node.sequence_nr != oldest:
            raise freed(node)
        for edge in node.edges:
            target = None if edge is None else node_of(edge)
            if isinstance(target, AccumulateGrad):
                leaves[target] = None
            elif target is not None and target.sequence_nr < oldest:
                older[target] = None
            elif target is not None and target not in seen:
                seen.add(target)
                found.append(target)
    return sorted(found, key=_number, reverse=True)


_number = attrgetter("sequence_nr")
