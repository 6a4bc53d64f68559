"""Writes a tree back as a program in which parentheses show how every expression was read."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from .limits import no_collection, recursion_limit
from .units import FRAMES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .control import Assert, For, If, Import, NoGrad, While
    from .expressions import Bare, Binary, Comparison, Conditional, List, Logical, Name, Negation, Number, Truth, Unary
    from .functions import Define, Parameter, Return
    from .postfix import Attribute, Call, Index, Keyword, Prime, Slice
    from .source import Source
    from .statements import Assign, Augment, Declaration, Evaluate, Target
    from .strings import String
    from .syntax import Block, Node

INDENT = "    "


def parenthesised(tree: Node, source: Source) -> str:
    """The text of a tree; it means what the source means."""
    writer = Parentheses(source.text)
    with no_collection(), recursion_limit(FRAMES):
        writer.write(tree)
    return "".join(writer.out)


class Parentheses:
    """Collects the text in pieces. The method for a class of the tree has its name."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.out: list[str] = []
        self.depth = 0

    def write(self, node: Any) -> None:
        """A node of any class."""
        _method(type(node).__name__)(self, node)

    def put(self, *pieces: Any) -> None:
        """Texts and nodes, one after the other."""
        for piece in pieces:
            if isinstance(piece, str):
                self.out.append(piece)
            else:
                self.write(piece)

    def joined(self, items: Iterable[Any], between: str = ", ") -> None:
        for at, item in enumerate(items):
            self.put(*([between] if at else []), item)

    def line(self, *pieces: Any) -> None:
        self.put(INDENT * self.depth, *pieces, "\n")

    # ---- statements

    def program(self, node: Block) -> None:
        for statement in node.statements:
            self.write(statement)

    def block(self, node: Block) -> None:
        """The braces and what is in them; the line goes on after it."""
        self.put("{\n")
        self.depth += 1
        self.program(node)
        self.depth -= 1
        self.put(INDENT * self.depth, "}")

    def param(self, node: Declaration) -> None:
        self.line(node.kind, " ", node.name, " = ", node.value)

    input = param

    def assign(self, node: Assign) -> None:
        self.put(INDENT * self.depth)
        self.joined(node.targets)
        self.put(" = ", node.value, "\n")

    def augment(self, node: Augment) -> None:
        self.line(node.target, f" {node.operator}= ", node.value)

    def target(self, node: Target) -> None:
        self.put(node.name if node.element is None else node.element)

    def evaluate(self, node: Evaluate) -> None:
        self.line(node.value)

    def define(self, node: Define) -> None:
        one_line = node.start == node.name_start
        self.put(INDENT * self.depth, "" if one_line else "def ", node.name, "(")
        self.joined(node.parameters)
        if one_line:
            result: Any = node.body.statements[0]
            self.put(") = ", result.value, "\n")
        else:
            self.put(") ", node.body, "\n")

    def parameter(self, node: Parameter) -> None:
        self.put(node.name, *(["=", node.default] if node.default is not None else []))

    def return_(self, node: Return) -> None:
        self.line("return", *([" ", node.value] if node.value is not None else []))

    def if_(self, node: If) -> None:
        self.put(INDENT * self.depth)
        for at, (test, block) in enumerate(node.branches):
            self.put(" elif " if at else "if ", test, " ", block)
        self.put(*([" else ", node.otherwise] if node.otherwise is not None else []), "\n")

    def for_(self, node: For) -> None:
        self.put(INDENT * self.depth, "for ")
        self.joined(node.targets)
        self.put(" in ", node.values, " ", node.body, "\n")

    def while_(self, node: While) -> None:
        self.line("while ", node.test, " ", node.body)

    def break_(self, node: Node) -> None:
        self.line("break")

    def continue_(self, node: Node) -> None:
        self.line("continue")

    def nograd(self, node: NoGrad) -> None:
        self.line("no_grad ", node.body)

    def assert_(self, node: Assert) -> None:
        self.line("assert ", node.test, *([", ", node.message] if node.message is not None else []))

    def import_(self, node: Import) -> None:
        self.line("import ", node.path)

    # ---- expressions

    def verbatim(self, node: Number | String) -> None:
        self.put(self.text[node.start : node.end])

    number = string = verbatim

    def truth(self, node: Truth) -> None:
        self.put("true" if node.value else "false")

    def name(self, node: Name) -> None:
        self.put(node.id)

    def unary(self, node: Unary) -> None:
        self.put("(", node.operator, node.operand, ")")

    def binary(self, node: Binary | Logical) -> None:
        tight = node.operator in {"^", "**"}
        self.put("(", node.left, node.operator if tight else f" {node.operator} ", node.right, ")")

    logical = binary

    def comparison(self, node: Comparison) -> None:
        self.put("(", node.operands[0])
        for operator, operand in zip(node.operators, node.operands[1:], strict=True):
            self.put(f" {operator} ", operand)
        self.put(")")

    def negation(self, node: Negation) -> None:
        self.put("(not ", node.operand, ")")

    def conditional(self, node: Conditional) -> None:
        self.put("(", node.then, " if ", node.test, " else ", node.otherwise, ")")

    def bare(self, node: Bare) -> None:
        self.put("(")
        self.joined(node.items)
        self.put(",)" if len(node.items) == 1 else ")")

    def list(self, node: List) -> None:
        self.put("[")
        self.joined(node.items)
        self.put("]")

    def call(self, node: Call) -> None:
        self.put(node.callee, "(")
        self.joined(node.arguments)
        self.put(")")

    def keyword(self, node: Keyword) -> None:
        self.put(node.name, "=", node.value)

    def index(self, node: Index) -> None:
        self.put(node.value, "[")
        self.joined(node.keys)
        self.put("]")

    def slice(self, node: Slice) -> None:
        parts = [node.lower, node.upper] if node.step is None else [node.lower, node.upper, node.step]
        self.joined([part or "" for part in parts], ":")

    def attribute(self, node: Attribute) -> None:
        digits = type(node.value).__name__ == "Number"  # 1.T would be read as a number
        self.put(*(["(", node.value, ")"] if digits else [node.value]), ".", node.name)

    def prime(self, node: Prime) -> None:
        self.put(node.function, "'" * node.order)


@functools.cache
def _method(name: str) -> Callable[[Parentheses, Any], None]:
    """How a class of the tree is written."""
    found: Callable[[Parentheses, Any], None] = getattr(Parentheses, name.lower(), None) or getattr(Parentheses, name.lower() + "_")
    return found
