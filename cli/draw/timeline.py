"""The memory of a run as an SVG chart: what each category took, one above the other, from the first backward call to the exit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from dagrad.grammar import words

from .units import size

WIDTH, HEIGHT = 760, 300
LEFT, RIGHT, TOP, BOTTOM = 70, 150, 34, 40
COLORS = {"parameter": "#4e79a7", "gradient": "#59a14f", "saved": "#f28e2b", "graph": "#b07aa1", "temporary": "#e15759"}
STYLE = (
    "text{font:12px sans-serif;fill:#222}.title{font-weight:bold}line{stroke:#ccc}"
    "@media(prefers-color-scheme:dark){svg{background:#16181d}text{fill:#ddd}line{stroke:#444}}"
)


def timeline(points: Sequence[Mapping[str, Any]], title: str) -> str:
    """The chart; `points` are those of the memory report."""
    highest = max(sum(point[name] for name in COLORS) for point in points) or 1
    layers = _layers(points, highest)
    body = [_grid(highest), *layers, _legend(), _axis(points)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img">'
        f'<title>{escape(title)}</title><style>{STYLE}</style><text class="title" x="{LEFT}" y="20">{escape(title)}</text>'
        f"{''.join(body)}</svg>\n"
    )


def _x(number: int, count: int) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * (number / (count - 1) if count > 1 else 0.5)


def _y(amount: float, highest: float) -> float:
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * amount / highest


def _layers(points: Sequence[Mapping[str, Any]], highest: float) -> list[str]:
    """An area a category, each on top of the one before."""
    below = [0.0] * len(points)
    areas = []
    for name, color in COLORS.items():
        above = [base + point[name] for base, point in zip(below, points, strict=True)]
        outline = [(_x(i, len(points)), _y(value, highest)) for i, value in enumerate(above)]
        outline += [(_x(i, len(points)), _y(value, highest)) for i, value in reversed(list(enumerate(below)))]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in outline)
        most = size(max(point[name] for point in points))
        areas.append(f'<polygon points="{path}" fill="{color}" fill-opacity=".85"><title>{name}: at most {most}</title></polygon>')
        below = above
    return areas


def _grid(highest: float) -> str:
    lines = []
    for share in (0.0, 0.5, 1.0):
        y = _y(share * highest, highest)
        lines.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        lines.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{size(share * highest)}</text>')
    return "".join(lines)


def _legend() -> str:
    rows = []
    for number, (name, color) in enumerate(reversed(COLORS.items())):
        y = TOP + 8 + 22 * number
        rows.append(f'<rect x="{WIDTH - RIGHT + 18}" y="{y}" width="12" height="12" fill="{color}"/>')
        rows.append(f'<text x="{WIDTH - RIGHT + 36}" y="{y + 11}">{name}</text>')
    return "".join(rows)


def _axis(points: Sequence[Mapping[str, Any]]) -> str:
    """What the left and right ends are."""
    last = max(point["call"] for point in points)
    left, right, y = LEFT, WIDTH - RIGHT, HEIGHT - BOTTOM + 20
    calls = words.plural(last, "backward call")
    return f'<text x="{left}" y="{y}">start</text><text x="{right}" y="{y}" text-anchor="end">exit, after {calls}</text>'
