"""Folding of what repeats: loop bodies, levels of a recursion and runs of equal structure are drawn once and marked ×N."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from .snapshot import Graph, GraphEdge, GraphNode, Group

# Beyond so many nodes a graph is folded unasked.
AUTOMATIC = 500
# Beyond so many boxes a picture is folded further, by ever coarser notions of equality.
READABLE = 60
# How many earlier places of a symbol are tried as the start of the repetition that it might complete.
TRIED = 8


@dataclass(eq=False, slots=True)
class Repeat:
    """The same body several times in a row; an item is the number of a node or a Repeat."""

    symbol: Hashable
    body: tuple[Hashable, ...]
    turns: list[list[Item]] = field(default_factory=list)


Item = int | Repeat


class Folder:
    """Reads items from left to right and folds what has just repeated; inner loops fold first, so outer ones see equal bodies."""

    def __init__(self, symbol: Callable[[int], Hashable]) -> None:
        self.symbol = symbol
        self.items: list[Item] = []
        self.symbols: list[Hashable] = []
        self.places: dict[Hashable, list[int]] = {}
        self.repeats: list[int] = []  # the places of the Repeats among the items

    def push(self, item: Item) -> None:
        symbol = item.symbol if isinstance(item, Repeat) else self.symbol(item)
        if isinstance(item, Repeat):
            self.repeats.append(len(self.items))
        self.places.setdefault(symbol, []).append(len(self.items))
        self.items.append(item)
        self.symbols.append(symbol)
        if not self._one_more_turn():
            self._first_two_turns()

    def _one_more_turn(self) -> bool:
        """Whether the last items were one more turn of a Repeat that stands right before them."""
        top = len(self.items)
        for place in reversed(self.repeats[-TRIED:]):
            repeat = self.items[place]
            assert isinstance(repeat, Repeat)
            if len(repeat.body) == top - place - 1 and self._equal(repeat.body, place + 1):
                repeat.turns.append(self._pop(top - place - 1))
                return True
        return False

    def _first_two_turns(self) -> None:
        """Where the last items say twice the same, they become a Repeat, which may itself complete something."""
        top = len(self.items)
        for place in reversed(self.places[self.symbols[-1]][-TRIED - 1 : -1]):
            length = top - 1 - place
            body = self.symbols[top - length :]
            if 2 * length <= top and self._equal(body, top - 2 * length):
                second, first = self._pop(length), self._pop(length)
                self.push(Repeat(("repeat", *body), tuple(body), [first, second]))
                return

    def _equal(self, body: Sequence[Hashable], start: int) -> bool:
        return all(self.symbols[start + i] == body[i] for i in range(len(body) - 1, -1, -1))

    def _pop(self, count: int) -> list[Item]:
        popped = self.items[-count:]
        for symbol in reversed(self.symbols[-count:]):
            self.places[symbol].pop()
        del self.items[-count:], self.symbols[-count:]
        while self.repeats and self.repeats[-1] >= len(self.items):
            self.repeats.pop()
        return popped


class Plan:
    """Which node stands for which (`chosen`), how often it is met, and the groups, as folding found them."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.chosen = list(range(len(graph.nodes)))
        self.group: dict[int, str] = {}
        self.groups: list[Group] = []

    @property
    def shown(self) -> list[int]:
        return sorted(set(self.chosen))

    def fold(self, symbol: Callable[[GraphNode], Hashable]) -> None:
        """Folds runs of nodes that are equal under `symbol`, in the order of their creation."""
        nodes = self.graph.nodes
        folder = Folder(lambda i: symbol(nodes[i]))
        for i in self.shown:
            if nodes[i].variable is None and nodes[i].op != "AccumulateGrad" and i not in self.group:
                folder.push(i)
        stands: dict[int, int] = {}
        for item in folder.items:
            if isinstance(item, Repeat):
                self._describe([item], None, stands)
        self._stand(stands)

    def _describe(self, same: list[Repeat], parent: str | None, stands: dict[int, int]) -> None:
        """Notes a group for a Repeat and for those inside it; `same` are the Repeats that fell together in it."""
        turns = [turn for repeat in same for turn in repeat.turns]
        id = f"g{len(self.groups) + 1}"
        counts = [len(repeat.turns) for repeat in same]
        self.groups.append(Group(id, parent, min(counts), max(counts), 0, ()))
        for column in zip(*turns, strict=True):
            if isinstance(column[0], Repeat):
                self._describe(list(column), id, stands)
            else:
                self.group[column[0]] = id
                stands.update(dict.fromkeys(column, column[0]))

    def merge(self, symbol: Callable[[GraphNode], Hashable]) -> None:
        """Lets the first of all nodes that are equal under `symbol` stand for them, wherever they are."""
        nodes, first, stands = self.graph.nodes, dict[Any, int](), dict[int, int]()
        for i in self.shown:
            if nodes[i].variable is None and nodes[i].op != "AccumulateGrad":
                stands[i] = first.setdefault(symbol(nodes[i]), i)
                if stands[i] != i and self.group.get(i) != self.group.get(stands[i]):
                    self.group.pop(stands[i], None)
        self._stand(stands)

    def _stand(self, stands: dict[int, int]) -> None:
        self.chosen = [stands.get(i, i) for i in self.chosen]

    def result(self, max_nodes: int | None) -> Graph:
        """The graph of the nodes that stand for others; of more than `max_nodes` those that were made last."""
        graph, chosen = self.graph, self.chosen
        ids = {node.id: graph.nodes[chosen[i]].id for i, node in enumerate(graph.nodes)}
        met, bytes = Counter(chosen), Counter[int]()
        for i, node in enumerate(graph.nodes):
            bytes[chosen[i]] += node.saved_bytes
        kept = self.shown[-max_nodes:] if max_nodes is not None else self.shown
        edges = Counter((ids[e.source], ids[e.target], e.slot, e.input_nr) for e in graph.edges)
        inputs = _commonest(edges)
        nodes = []
        for i in kept:
            node = graph.nodes[i]
            sources = tuple(inputs.get((node.id, slot)) for slot in range(len(node.inputs)))
            nodes.append(replace(node, count=met[i], saved_bytes=bytes[i], inputs=sources, group=self.group.get(i)))
        known = {node.id for node in nodes}
        lines = [GraphEdge(*key, count) for key, count in edges.items() if key[0] in known and key[1] in known]
        root = ids[graph.root]
        hidden = len(graph.nodes) - sum(node.count for node in nodes)
        return Graph(root, nodes, lines, self._filled(nodes), graph, hidden, ids)

    def _filled(self, nodes: Sequence[GraphNode]) -> tuple[Group, ...]:
        """The groups that still hold something, with their nodes and lines; an outer group counts those of its inner ones."""
        inside = {group.id: [node for node in nodes if node.group == group.id] for group in self.groups}
        for group in reversed(self.groups):
            if group.parent:
                inside[group.parent] = inside[group.parent] + inside[group.id]
        return tuple(
            replace(g, nodes=sum(n.count for n in inside[g.id]), lines=tuple(sorted({n.place.line for n in inside[g.id] if n.place})))
            for g in self.groups
            if inside[g.id]
        )


def _commonest(edges: Counter[tuple[str, str, int, int]]) -> dict[tuple[str, int], tuple[str, int]]:
    """For each slot of a node that stands for many the input that most of them have."""
    best: dict[tuple[str, int], tuple[int, tuple[str, int]]] = {}
    for (source, target, slot, input_nr), count in edges.items():
        if count > best.get((source, slot), (0,))[0]:
            best[source, slot] = (count, (target, input_nr))
    return {key: found for key, (_, found) in best.items()}


def _by_place(node: GraphNode) -> Hashable:
    return node.op, node.place


def collapse(graph: Graph, *, fold: bool | None = None, max_nodes: int | None = None) -> Graph:
    """The graph with what repeats folded: as asked by `fold`, where that is None when it has more than 500 nodes.

    First loops and recursions are found, as runs of the same places in the source; where many nodes are left, all nodes of one
    place fall together (the turns of a loop with an `if` in it), and last runs of equal operations at different places do.
    """
    plan = Plan(graph)
    if fold or (fold is None and len(graph.nodes) > AUTOMATIC):
        plan.fold(_by_place)
        if len(plan.shown) > READABLE:
            plan.merge(_by_place)
        if len(plan.shown) > READABLE:
            plan.fold(lambda node: (node.op, node.shape))
    elif max_nodes is None or len(graph.nodes) <= max_nodes:
        return graph
    return plan.result(max_nodes)
