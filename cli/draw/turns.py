"""The turns of a pass of numbers as lines: there may be millions of them, so they are written out many at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from .gradients import written

if TYPE_CHECKING:
    from dagrad.engine.inspect import Turns

# So many lines are handed on at a time.
LINES = 1 << 12


def lines(turns: Turns, digits: int) -> Iterator[str]:
    """Pieces of text, a line a turn: the cells that `dagrad graph trace` has of it, joined by tabs.

    One loop does it all, since a call for each part of a line would cost more than the line. A number is written out once on its
    way from node to node, and what is said of an operation at its place once for all its nodes.
    """
    turns.connect()
    waited, because = turns.waited, turns.because
    # Between these the language writes numbers as Python does.
    form, least, most = f"%.{digits}g", 1e-300, 10.0 ** min(digits, 15) - 1.0
    on_the_way: list[str | None] = [None] * len(waited)
    code: Any = None
    sites: dict[int, tuple[Any, str, str]] = {}
    rows: list[str] = []
    for step, (number, node, ready, gradient, first, second, parts) in enumerate(turns, 1):
        if not step % LINES:
            yield "".join(rows)
            rows.clear()
        if parts.__class__ is not tuple:
            rows.append(_rare(turns, step, number, node, ready, gradient, first, parts, digits))
            continue
        if node.code is not code:
            code, sites = node.code, {}
        site = sites.get(node.lasti)
        if site is None or site[0] is not node.derivative:
            site = sites[node.lasti] = (node.derivative, _before(node), _after(turns, node))
        _, before, after = site
        arrived = on_the_way[number]
        if arrived is None:
            arrived = form % gradient if least < gradient < most or -most < gradient < -least else written(gradient, digits)
        on_the_way[number] = None
        count = waited[number]
        sender = f"%{because[number]}" if because[number] else "the caller"
        queue = "-" if not ready else f"%{ready[0]}" if len(ready) == 1 else _queue(ready)
        if second:
            part = parts[1]
            if part is gradient:
                other = arrived
            else:
                other = form % part if part and (least < part < most or -most < part < -least) else _text(part, digits)
            on_the_way[second] = other if waited[second] == 1 else None
            if not first:
                start = f"{step}\t%{number}{before}{count} of {count}, last from {sender}\t{arrived}"
                rows.append(f"{start}\t%{second}[0]←{other}{after}{queue}\n")
                continue
        part = parts[0]
        if part is gradient:
            text = arrived
        else:
            text = form % part if part and (least < part < most or -most < part < -least) else _text(part, digits)
        on_the_way[first] = text if waited[first] == 1 else None
        rest = f" %{second}[0]←{other}{after}{queue}\n" if second else f"{after}{queue}\n"
        rows.append(f"{step}\t%{number}{before}{count} of {count}, last from {sender}\t{arrived}\t%{first}[0]←{text}{rest}")
    yield "".join(rows)


def _rare(
    turns: Turns, step: int, number: int, node: Any, ready: Sequence[int], gradient: Any, first: int | None, total: Any, digits: int
) -> str:
    """The turn of a leaf, or of a node that no gradient came to."""
    count, sender = turns.waited[number], turns.because[number]
    after = _after(turns, node) if first is not None or gradient is None else f"\t.grad = {written(total, digits)}\t"
    reason = f"{count} of {count}, last from {f'%{sender}' if sender else 'the caller'}"
    return f"{step}\t%{number}{_before(node)}{reason}\t{_text(gradient, digits)}\t-{after}{_queue(ready)}\n"


def _before(node: Any) -> str:
    return f" {getattr(node, 'label', None) or node.name()}\t{node.span.line or '-'}\t"


def _after(turns: Turns, node: Any) -> str:
    released = turns.released_bytes(node)
    return "\tkept\t" if released is None else f"\tfreed {released} B\t"


def _queue(ready: Sequence[int]) -> str:
    return " ".join([f"%{number}" for number in reversed(ready)]) or "-"


def _text(number: float | None, digits: int) -> str:
    return "none" if number is None else written(number, digits)
