"""The graph as a picture that needs no other program: a layered drawing with the program's own text in each box."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from ..drawing import FRAME_HEAD, LINE, PAD, ROLES, Box, Drawing, Frame, Line, draw, path

if TYPE_CHECKING:
    from ..snapshot import Graph

MARGIN, LEGEND_ROW = 24.0, 20.0
FONT = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace"
COLORS = {
    "leaf": "#cfe8fc",
    "arithmetic": "#eceff4",
    "function": "#e3f4e1",
    "reduction": "#fdebd0",
    "shape": "#efe6f7",
    "linear": "#fbdfe3",
    "network": "#fff6c8",
    "other": "#e8e8e8",
}
STYLE = f"""
text{{font:12px {FONT};fill:#1b1f24;white-space:pre}} .head{{font-weight:bold}} .small{{fill:#57606a}}
.box rect{{stroke:#8c959f;stroke-width:1}} .leaf rect{{stroke:#2b6cb0}}
{" ".join(f".{role} rect{{fill:{color}}}" for role, color in COLORS.items())}
.root rect{{stroke:#d1242f;stroke-width:2.5}}
.frame rect{{fill:#8c959f;fill-opacity:.08;stroke:#8c959f;stroke-dasharray:5 4}}
.line path{{fill:none;stroke:#6e7781;stroke-width:1.2}} .back path{{stroke:#bf8700;stroke-dasharray:5 3}}
"""
ARROW = (
    '<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse">'
    '<path d="M0,0L8,4L0,8z" fill="#6e7781"/></marker></defs>'
)


def render(graph: Graph, *, values: bool, saved: bool) -> str:
    """One SVG document: frames, lines, boxes, then the legend and what is not shown."""
    drawing = draw(graph, values=values, saved=saved)
    legend = _legend(graph, drawing)
    longest = max((len(note) for note in graph.notes()), default=0) * 7.3
    width = max(drawing.width, 300.0, longest) + 2 * MARGIN
    height = drawing.height + 2 * MARGIN + (legend.count("<text") + 1) * LEGEND_ROW
    body = [*map(_frame, drawing.frames), *map(_line, drawing.lines), *(_box(box, box.node.id == graph.root) for box in drawing.boxes)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}">'
        f'<style>{STYLE}</style>{ARROW}<rect width="100%" height="100%" fill="#fff"/>\n'
        f'<g transform="translate({MARGIN},{MARGIN})">\n' + "\n".join(body) + f"\n{legend}</g></svg>\n"
    )


def _box(box: Box, root: bool) -> str:
    left, top = box.x - box.width / 2, box.y - box.height / 2
    texts = [
        f'<text class="{_text_class(i, row)}" x="{left + PAD:.1f}" y="{top + PAD + 9 + i * LINE:.1f}">{escape(row)}</text>'
        for i, row in enumerate(box.rows)
    ]
    node = box.node
    about = f"{node.id} {node.op} {node.place or ''} {node.source}".strip()
    radius = box.height / 2 if box.role == "leaf" else 5.0
    return (
        f'<g class="box {box.role}{" root" if root else ""}" data-node="{node.id}"><title>{escape(about)}</title>'
        f'<rect x="{left:.1f}" y="{top:.1f}" width="{box.width:.1f}" height="{box.height:.1f}" rx="{radius:.1f}"/>{"".join(texts)}</g>'
    )


def _text_class(number: int, row: str) -> str:
    return "head" if number == 0 else "small" if row.startswith(("line ", "shape ", "keeps ", "saves ")) else "source"


def _frame(frame: Frame) -> str:
    left, top = frame.x - frame.width / 2, frame.y - frame.height / 2
    group = frame.group
    return (
        f'<g class="frame"><rect x="{left:.1f}" y="{top:.1f}" width="{frame.width:.1f}" height="{frame.height:.1f}" rx="8"/>'
        f'<text class="head" x="{left + 10:.1f}" y="{top + FRAME_HEAD - 8:.1f}">{group.times} {group.where}</text></g>'
    )


def _line(line: Line) -> str:
    middle = (len(line.points) - 1) // 2
    (x0, y0), (x1, y1) = line.points[middle : middle + 2]
    count = line.edge.count
    times = f'<text class="small" x="{(x0 + x1) / 2 + 5:.1f}" y="{(y0 + y1) / 2 + 4:.1f}">×{count}</text>' if count > 1 else ""
    return f'<g class="line{" back" if line.back else ""}"><path d="{path(line.points)}" marker-end="url(#arrow)"/>{times}</g>'


def _legend(graph: Graph, drawing: Drawing) -> str:
    """The roles that occur, the signs, and what the picture leaves out."""
    top = drawing.height + MARGIN + LEGEND_ROW
    rows = [(role, text) for role, text in ROLES.items() if any(box.role == role for box in drawing.boxes)]
    rows += [("root other", "where backward starts")] + [("", note) for note in graph.notes()]
    parts = []
    for number, (role, text) in enumerate(rows):
        y = top + number * LEGEND_ROW
        mark = f'<rect x="0" y="{y - 11:.1f}" width="14" height="14" rx="3"/>' if role else ""
        parts.append(f'<g class="box {role}">{mark}<text x="{22 if role else 0}" y="{y:.1f}">{escape(text)}</text></g>')
    return "".join(parts)
