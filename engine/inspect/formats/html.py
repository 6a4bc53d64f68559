"""The graph as one page that needs nothing else: to pan, search and click through, with the backward pass step by step."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..drawing import ROLES, Box, Drawing, draw, path
from ..rules import formulas_of, inputs_of
from ..values import written

if TYPE_CHECKING:
    from ..snapshot import Graph, GraphNode
    from ..trace import Gradient, Step

PAGE = Path(__file__).with_name("page")
# Longer values are cut off: the page is to be read.
LONGEST = 200


def render(graph: Graph, *, values: bool, saved: bool) -> str:
    """The page. Values and saved values are in it where they were recorded."""
    drawing = draw(graph, values=values, saved=saved)
    parts = {
        "TITLE": "dagrad graph",
        "STYLE": (PAGE / "page.css").read_text("utf-8"),
        "SCRIPT": (PAGE / "page.js").read_text("utf-8"),
        # The only text in it that is not ours; "</script>" must not end the block that it stands in.
        "DATA": json.dumps(_data(graph, drawing), ensure_ascii=False).replace("<", "\\u003c"),
    }
    pieces = (PAGE / "page.html").read_text("utf-8")
    for name in ("TITLE", "STYLE", "SCRIPT", "DATA"):
        pieces = pieces.replace(name, parts[name])
    return pieces


def _data(graph: Graph, drawing: Drawing) -> dict[str, Any]:
    whole = graph.whole or graph
    roles = {box.role for box in drawing.boxes}
    return {
        "root": graph.root,
        "width": drawing.width,
        "height": drawing.height,
        "nodes": [_node(box) for box in drawing.boxes],
        "lines": [
            {"from": line.edge.source, "to": line.edge.target, "d": path(line.points), "back": line.back, "count": line.edge.count}
            for line in drawing.lines
        ],
        "groups": [
            {
                "id": frame.group.id,
                "parent": frame.group.parent,
                "times": frame.group.times,
                "where": frame.group.where,
                "nodes": frame.group.nodes,
                "x": frame.x, "y": frame.y, "w": frame.width, "h": frame.height,
            }
            for frame in drawing.frames
        ],
        "program": [{"name": name, "lines": list(lines)} for name, lines in whole.program.items()],
        "steps": list(_steps(graph, whole.steps)),
        "roles": {role: text for role, text in ROLES.items() if role in roles},
        "notes": graph.notes(),
    }


def _node(box: Box) -> dict[str, Any]:
    node = box.node
    return {
        "id": node.id,
        "op": node.op,
        "variable": node.variable,
        "role": box.role,
        "rows": list(box.rows),
        "x": box.x, "y": box.y, "w": box.width, "h": box.height,
        "group": node.group,
        "count": node.count,
        "shape": list(node.shape),
        "dtype": node.dtype,
        "file": node.place.file if node.place else None,
        "line": node.place.line if node.place else None,
        "source": node.source,
        "value": _short(node.value),
        "saved": [{"name": s.name, "shape": list(s.shape), "bytes": s.bytes, "value": _short(s.value)} for s in node.saved],
        "rules": list(_rules(node)),
    }


def _rules(node: GraphNode) -> Iterator[dict[str, str]]:
    """For each input that gets a gradient: its name, the node it comes from, and the rule."""
    rules, names = formulas_of(node.function), inputs_of(node.function, len(node.inputs))
    for slot, source in enumerate(node.inputs):
        rule = rules[slot] if slot < len(rules) else rules[0] if rules else None
        if source is not None and rule is not None:
            yield {"input": names[slot], "to": source[0], "rule": rule}


def _steps(graph: Graph, steps: tuple[Step, ...]) -> Iterator[dict[str, Any]]:
    """The pass in terms of the nodes that are shown."""
    shown = {node.id for node in graph.nodes}
    stands = graph.stands

    def known(id: str) -> str:
        return stands.get(id, id)

    for step in steps:
        if known(step.node) not in shown:
            continue
        sender = known(step.because) if step.because else "the caller"
        yield {
            "number": step.number,
            "node": known(step.node),
            "gradient": " ".join(map(_gradient, step.gradient)),
            "sent": [{"to": known(s.to), "gradient": _gradient(s.gradient)} for s in step.sent if known(s.to) in shown],
            "ready": [known(id) for id in step.ready],
            "reason": f"{step.waited} of {step.waited} gradients had arrived, the last from {sender}",
            "total": None if step.total is None else _gradient(step.total),
            "outcome": _outcome(step),
        }


def _outcome(step: Step) -> str:
    if step.total is not None:
        return f".grad is {_gradient(step.total)}"
    return "kept" if step.released_bytes is None else f"let go of {step.released_bytes:,} B"


def _gradient(gradient: Gradient | None) -> str:
    if gradient is None:
        return "none"
    at = f" at [{gradient.index}]" if gradient.index is not None else ""
    if isinstance(gradient.value, float):
        return f"{gradient.value:.6g}{at}"
    if gradient.value is not None:
        return written(gradient.value) + at
    return f"{'×'.join(map(str, gradient.shape))} of norm {gradient.norm:.6g}{at}"


def _short(value: Any) -> str | None:
    """A value as text; of a large tensor its least, mean and greatest element."""
    if value is None:
        return None
    if getattr(value, "size", 0) > 12:
        return f"{value.min():.6g} … {value.mean():.6g} … {value.max():.6g} (least, mean, greatest)"
    text = written(value)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
