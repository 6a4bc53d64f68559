"""The graph as data for other programs."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..snapshot import Graph, GraphNode


def render(graph: Graph, *, values: bool, saved: bool) -> str:
    """One JSON document. What nodes keep is always in it."""
    return json.dumps(document(graph, values=values), ensure_ascii=False, allow_nan=False) + "\n"


def document(graph: Graph, *, values: bool = False) -> dict[str, Any]:
    """The fields `root`, `nodes`, `edges` (from the consumer, as `next_edges` points) and `summary`; of a folded graph `collapsed` too."""
    fields: dict[str, Any] = {
        "root": graph.root,
        "nodes": [node_fields(node, values) for node in graph.nodes],
        "edges": [{"from": e.source, "to": e.target, "slot": e.slot, "input_nr": e.input_nr} for e in graph.edges],
        "summary": graph.summary(),
    }
    if graph.whole is not None:
        for entry, edge in zip(fields["edges"], graph.edges, strict=True):
            entry["count"] = edge.count
        for entry, node in zip(fields["nodes"], graph.nodes, strict=True):
            entry["count"], entry["group"] = node.count, node.group
        fields["collapsed"] = {
            "nodes": len(graph.nodes),
            "edges": len(graph.edges),
            "hidden": graph.hidden,
            "groups": [{**asdict(group), "lines": list(group.lines)} for group in graph.groups],
        }
    return fields


def node_fields(node: GraphNode, values: bool) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "id": node.id,
        "name": node.id,
        "op": node.op,
        "sequence": node.sequence,
        "file": node.place.file if node.place else None,
        "line": node.place.line if node.place else None,
        "column": node.place.column if node.place else None,
        "source": node.source,
        "shape": list(node.shape),
        "dtype": node.dtype,
        "variable": node.variable,
        "saved": [{"name": s.name, "shape": list(s.shape), "bytes": s.bytes} for s in node.saved],
        "saved_bytes": node.saved_bytes,
    }
    if values and node.value is not None:
        fields["value"] = strict(node.value)
    return fields


def strict(value: Any) -> Any:
    """A value in JSON's terms: what is not finite becomes the words "NaN", "Infinity", "-Infinity"."""
    if isinstance(value, float):
        return value if math.isfinite(value) else "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, (list, tuple)):
        return [strict(v) for v in value]
    return strict(value.tolist()) if hasattr(value, "tolist") else value
