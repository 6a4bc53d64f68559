"""One gradient worked out in the open: the values forward, each local derivative by its rule, and what adds up at each name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dagrad.engine.inspect import formulas_of, inputs_of

from .draw.gradients import short
from .graphs import Observer, of_expression
from .values import cell

if TYPE_CHECKING:
    from dagrad.engine.inspect import Gradient, Graph, GraphNode, Step

    from .screen import Screen


class Steps:
    """The graph of an expression with its values, and the pass through it."""

    def __init__(self, text: str, at: Sequence[str]) -> None:
        self.trace = Observer()
        self.graph: Graph = of_expression(text, list(at), True, self.trace)
        self.nodes = {node.id: node for node in self.graph.nodes}

    def called(self, id: str) -> str:
        """A node as the reader knows it: a name, or the text of the expression."""
        node = self.nodes[id]
        return node.variable or node.source or node.op

    def rule(self, node: GraphNode, slot: int) -> tuple[str, str]:
        """What the op calls this input, and the rule for its gradient."""
        rules = formulas_of(node.function)
        rule = rules[slot] if slot < len(rules) else rules[0] if rules else None
        return inputs_of(node.function, len(node.inputs))[slot], rule or "-"

    # as data -------------------------------------------------------------------------------------------------------

    def document(self) -> dict[str, Any]:
        forward = [{"node": node.id, "expression": self.called(node.id), "op": node.op, "value": node.value} for node in self.graph.nodes]
        backward = [self._turn(step) for step in self.trace.steps if step.variable is None]
        totals = [
            {"name": step.variable, "from": [sender for sender, _ in self._arrivals(step.node)], "gradient": plain(step.total)}
            for step in self.trace.steps
            if step.variable is not None
        ]
        return {"forward": forward, "backward": backward, "accumulated": totals}

    def _turn(self, step: Step) -> dict[str, Any]:
        node = self.nodes[step.node]
        sent = []
        for edge in step.sent:
            name, rule = self.rule(node, edge.slot)
            sent.append({"to": edge.to, "input": name, "rule": rule, "gradient": plain(edge.gradient)})
        arrived = [plain(gradient) for gradient in step.gradient]
        return {"node": node.id, "expression": self.called(node.id), "op": node.op, "gradient": arrived, "sent": sent}

    def _arrivals(self, id: str) -> list[tuple[str, Gradient | None]]:
        """Who sent a gradient to a node, and which, in the order of the engine."""
        return [(step.node, edge.gradient) for step in self.trace.steps for edge in step.sent if edge.to == id]

    # as rows -------------------------------------------------------------------------------------------------------

    def forward(self, digits: int | None) -> list[list[str]]:
        return [[node.id, self.called(node.id), node.op, cell(node.value, digits)] for node in self.graph.nodes]

    def backward(self, digits: int | None) -> list[list[str]]:
        """A row a gradient that a node sends, in the order of the engine."""
        rows = []
        for step in self.trace.steps:
            node = self.nodes[step.node]
            arrived = " ".join(short(gradient, digits) for gradient in step.gradient)
            for edge in step.sent:
                name, rule = self.rule(node, edge.slot)
                ends = [f"{node.id} {self.called(node.id)}", arrived, f"{edge.to} {self.called(edge.to)}"]
                rows.append([*ends, name, rule, short(edge.gradient, digits)])
        return rows

    def accumulated(self, digits: int | None) -> list[list[str]]:
        """A row a name: what arrived, and the sum."""
        rows = []
        for step in self.trace.steps:
            if step.variable is not None:
                parts = " + ".join(short(gradient, digits) for _, gradient in self._arrivals(step.node))
                rows.append([step.variable, parts, short(step.total, digits)])
        return rows


def plain(gradient: Gradient | None) -> dict[str, Any] | None:
    return None if gradient is None else {"shape": list(gradient.shape), "norm": gradient.norm, "value": gradient.value}


def show(screen: Screen, steps: Steps, digits: int | None) -> None:
    """Three tables on a terminal; elsewhere the same rows, each led by the word that says to which it belongs."""
    tables = [
        ("forward", ["node", "expression", "records", "value"], steps.forward(digits)),
        ("backward", ["from", "its gradient g", "to", "input", "rule", "gives"], steps.backward(digits)),
        ("sum", ["name", "arrived", "gradient"], steps.accumulated(digits)),
    ]
    for title, columns, rows in tables:
        if screen.is_terminal:
            screen.table(columns, rows, title=title)
        else:
            screen.table([], [[title, *row] for row in rows])
