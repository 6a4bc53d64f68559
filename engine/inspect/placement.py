"""A layered layout: boxes in rows, each above what it points to, ordered so that few edges cross, with straight long edges."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

# Between boxes of a row, between an edge that passes and its neighbours, between rows.
GAP, LANE, ROW_GAP = 22.0, 12.0, 34.0
ROUNDS = 12

Point = tuple[float, float]
# What stands in a row: a box, by its name, or an edge that passes, by the box it leads to and its row.
Item = str | tuple[str, int]


@dataclass(frozen=True, slots=True)
class Placement:
    """The centre of each box, the way of each edge from centre to centre, and the size of the whole."""

    centres: dict[str, Point]
    ways: dict[tuple[str, str], list[Point]]
    width: float
    height: float


@dataclass(slots=True)
class _Rows:
    rows: list[list[Item]]
    below: dict[Item, list[Item]] = field(default_factory=lambda: defaultdict(list))
    above: dict[Item, list[Item]] = field(default_factory=lambda: defaultdict(list))


def place(sizes: Mapping[str, tuple[float, float]], edges: Sequence[tuple[str, str]]) -> Placement:
    """Places boxes of these (width, height) for edges from upper to lower boxes; edges that close a cycle lead upwards."""
    forward, backward = _without_cycles(list(sizes), edges)
    down = list(dict.fromkeys([*forward, *((target, source) for source, target in backward)]))
    levels = _levels(list(sizes), down)
    rows = _with_lanes(levels, down)
    _order(rows)
    x = _columns(rows, sizes)
    y, height = _heights(rows, sizes)
    left = min((x[item] - _width(item, sizes) / 2 for item in x), default=0.0)
    right = max((x[item] + _width(item, sizes) / 2 for item in x), default=0.0)
    points = {item: (x[item] - left, y[row]) for row, items in enumerate(rows.rows) for item in items}
    ways = {edge: _way(edge, levels, points) for edge in forward}
    ways.update({(source, target): _way((target, source), levels, points)[::-1] for source, target in backward})
    return Placement({name: points[name] for name in sizes}, ways, right - left, height)


def _without_cycles(names: list[str], edges: Sequence[tuple[str, str]]) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """The edges, once each, as those that a walk finds leading on and those that lead back to where it came from."""
    out: dict[str, list[str]] = defaultdict(list)
    for source, target in dict.fromkeys(edges):
        if source != target:
            out[source].append(target)
    state: dict[str, int] = {}
    forward: list[tuple[str, str]] = []
    backward: list[tuple[str, str]] = []
    targets = {target for _, target in edges}
    for start in sorted(names, key=lambda name: name in targets):
        stack = [(start, iter(out[start]))] if start not in state else []
        state.setdefault(start, 1)
        while stack:
            name, rest = stack[-1]
            for target in rest:
                (backward if state.get(target) == 1 else forward).append((name, target))
                if target not in state:
                    state[target] = 1
                    stack.append((target, iter(out[target])))
                    break
            else:
                state[name] = 2
                stack.pop()
    return forward, backward


def _levels(names: list[str], edges: Sequence[tuple[str, str]]) -> dict[str, int]:
    """Each box's row: one below the lowest of those that point to it."""
    waiting, out = dict.fromkeys(names, 0), defaultdict(list)
    for source, target in edges:
        out[source].append(target)
        waiting[target] += 1
    levels = {name: 0 for name in names if not waiting[name]}
    for name in (queue := list(levels)):
        for target in out[name]:
            levels[target] = max(levels.get(target, 0), levels[name] + 1)
            waiting[target] -= 1
            if not waiting[target]:
                queue.append(target)
    return levels


def _with_lanes(levels: Mapping[str, int], edges: Sequence[tuple[str, str]]) -> _Rows:
    """The rows, with a lane wherever an edge passes one. Edges to the same box share their lanes: they join, as a bus does."""
    rows = _Rows([[] for _ in range(max(levels.values(), default=-1) + 1)])
    for name, level in levels.items():
        rows.rows[level].append(name)
    known: set[tuple[Item, Item]] = set()
    for source, target in edges:
        item: Item = source
        for level in range(levels[source] + 1, levels[target] + 1):
            following: Item = target if level == levels[target] else (target, level)
            if (item, following) in known:
                break
            known.add((item, following))
            if following not in rows.above and isinstance(following, tuple):
                rows.rows[level].append(following)
            rows.below[item].append(following)
            rows.above[following].append(item)
            item = following
    return rows


# ---------------------------------------------------------------- the order within a row


def _order(rows: _Rows) -> None:
    """Sorts each row by where its neighbours stand, down and up in turn, and keeps the order with the fewest crossings."""
    best, fewest = [list(row) for row in rows.rows], _crossings(rows)
    for turn in range(ROUNDS):
        if not fewest:
            break
        downwards = turn % 2 == 0
        neighbours = rows.above if downwards else rows.below
        for level in range(1, len(rows.rows)) if downwards else range(len(rows.rows) - 2, -1, -1):
            _sort_row(rows.rows, level, level - 1 if downwards else level + 1, neighbours)
        crossings = _crossings(rows)
        if crossings < fewest:
            best, fewest = [list(row) for row in rows.rows], crossings
    rows.rows[:] = best


def _sort_row(rows: list[list[Item]], level: int, fixed: int, neighbours: Mapping[Item, list[Item]]) -> None:
    position = {item: i for i, item in enumerate(rows[fixed])}
    own = {item: i * len(rows[fixed]) / max(len(rows[level]), 1) for i, item in enumerate(rows[level])}

    def middle(item: Item) -> float:
        found = [position[other] for other in neighbours.get(item, ())]
        return sum(found) / len(found) if found else own[item]

    rows[level].sort(key=middle)


def _crossings(rows: _Rows) -> int:
    """How many pairs of edges cross, row by row."""
    total = 0
    for upper, lower in zip(rows.rows, rows.rows[1:], strict=False):
        position = {item: i for i, item in enumerate(lower)}
        seen: list[int] = []
        for item in upper:
            ends = sorted(position[other] for other in rows.below.get(item, ()))
            for end in ends:
                total += len(seen) - bisect_right(seen, end)
            for end in ends:
                seen.insert(bisect_right(seen, end), end)
    return total


# ---------------------------------------------------------------- coordinates


def _width(item: Item, sizes: Mapping[str, tuple[float, float]]) -> float:
    return sizes[item][0] if isinstance(item, str) else 0.0


def _columns(rows: _Rows, sizes: Mapping[str, tuple[float, float]]) -> dict[Item, float]:
    """Where each item stands: as near to its neighbours as the order of its row allows, lanes above all, so that edges are straight."""
    x: dict[Item, float] = {}
    for row in rows.rows:
        x.update(zip(row, _spread(row, [0.0] * len(row), [1.0] * len(row), sizes), strict=True))
    for turn in range(ROUNDS):
        downwards = turn % 2 == 0
        for row in rows.rows if downwards else reversed(rows.rows):
            wishes, weights = [], []
            for item in row:
                near = [*rows.above.get(item, ()), *rows.below.get(item, ())]
                if turn < ROUNDS - 2:
                    near = (rows.above if downwards else rows.below).get(item) or near
                wishes.append(sum(x[other] for other in near) / len(near) if near else x[item])
                weights.append(8.0 if isinstance(item, tuple) else 1.0 + 0.1 * len(near))
            x.update(zip(row, _spread(row, wishes, weights, sizes), strict=True))
    return x


def _spread(
    row: Sequence[Item], wishes: Sequence[float], weights: Sequence[float], sizes: Mapping[str, tuple[float, float]]
) -> list[float]:
    """The places nearest to the wishes (least squares) that keep the order and the gaps: neighbours that collide move as one."""
    offsets, offset = [], 0.0
    for i, item in enumerate(row):
        if i:
            gap = GAP if isinstance(item, str) and isinstance(row[i - 1], str) else LANE
            offset += (_width(row[i - 1], sizes) + _width(item, sizes)) / 2 + gap
        offsets.append(offset)
    blocks: list[tuple[float, float, int]] = []  # mean, weight, how many items
    for wish, weight, shift in zip(wishes, weights, offsets, strict=True):
        mean, total, count = wish - shift, weight, 1
        while blocks and blocks[-1][0] > mean:
            other, other_total, other_count = blocks.pop()
            mean = (mean * total + other * other_total) / (total + other_total)
            total, count = total + other_total, count + other_count
        blocks.append((mean, total, count))
    means = [mean for mean, _, count in blocks for _ in range(count)]
    return [mean + shift for mean, shift in zip(means, offsets, strict=True)]


def _heights(rows: _Rows, sizes: Mapping[str, tuple[float, float]]) -> tuple[list[float], float]:
    """The middle of each row, and the height of all; where many edges pass between two rows there is more room."""
    middles, top = [], 0.0
    for row in rows.rows:
        height = max((sizes[item][1] for item in row if isinstance(item, str)), default=0.0)
        middles.append(top + height / 2)
        passing = sum(len(rows.below.get(item, ())) for item in row)
        top += height + ROW_GAP + min(2.0 * passing, 2 * ROW_GAP)
    last = rows.rows[-1] if rows.rows else []
    height = max((sizes[item][1] for item in last if isinstance(item, str)), default=0.0)
    return middles, (middles[-1] + height / 2 if middles else 0.0)


def _way(edge: tuple[str, str], levels: Mapping[str, int], points: Mapping[Item, Point]) -> list[Point]:
    source, target = edge
    lanes = [points[target, level] for level in range(levels[source] + 1, levels[target])]
    return [points[source], *lanes, points[target]]
