"""Formulas of numbers in one step: a whole expression of floats computed, recorded and differentiated by one function each.

In a loop over numbers the arithmetic itself takes a tenth of the time; the rest goes into a node, a Tensor and two calls for every
operation. A fused formula has one node for them all. Its two functions are written out from the same values and rules that the
operations have on their own, in the same order, so that every result and every gradient is the same to the last bit. What does not
fit (arrays, a mode, IEEE's inf where Python raises) is left to the operations: the function gives None.
"""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from . import modes
from .derivative import saved_values
from .fastpath import COLLECTED, RECORD, serve
from .formula import READ, Formula, number, texts
from .gradient import Owned, add_element, written
from .node import Node, next_number
from .op import registry
from .symbols import RAISES, formula_of, value_of
from .tensor import Tensor
from .whole import Shape, WholeDerivative

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import CodeType

    from .derivative import Derivative
    from .node import Edge, Place
    from .op import Op


def fuse(formula: Formula, place: Place, tracked: Callable[[], None]) -> Callable[..., Any]:
    """The function of a formula's arguments, for the one place where it is called.

    It gives a Tensor with one node, a float where nothing is tracked, None where it does not apply. `tracked` is called, and the result
    is None, where an argument is tracked that should be constant. Where somebody collects the nodes of numbers (see observe.py), its
    nodes are put there too.
    """
    derivative = FusedDerivative(formula) if formula.tracked else None
    names: dict[str, Any] = {
        "__package__": __package__,
        "Node": Node,
        "Tensor": Tensor,
        "modes": modes,
        "next_number": next_number,
        "code": place.code,
        "lasti": place.lasti,
        "tracked": tracked,
        "derivative": derivative,
    }
    collected = serve(names)
    return _compiled(_forward(formula, derivative.saves if derivative is not None else (), names, collected), names)


# ---------------------------------------------------------------- forwards

_NUMBER = """
    n{0} = None
    if x{0}.__class__ is Tensor:
        n{0} = x{0}.node
        x{0} = x{0}.data
    if x{0}.__class__ is not float:
        return None"""

_ELEMENT = """
    if x{0}.__class__ is not Tensor:
        return None
    n{0} = x{0}.node
    v{0} = x{0}.data
    if v{0}.__class__ is float or v{0}.ndim != {ndim}:
        return None"""

_CONSTANT = """
    if n{0} is not None:
        return tracked()"""

_INDEX = """
    if x{0}.__class__ is not int:
        if x{0}.__class__ is not float or x{0} % 1.0 != 0.0:
            return None
        x{0} = int(x{0})"""

_RESULT = """
    if {untracked}:
        return {result}
    y = {result}"""


# Whether anything is out of the ordinary; where it is a collection, the function was written for that one.
_SPECIAL = {False: "modes.special", True: "modes.special != 1 or collection is None"}


def _forward(formula: Formula, saves: Sequence[str], names: dict[str, Any], collected: bool) -> str:
    """The text of the function: arguments taken apart, the formula, the record."""
    read, indices, used = formula.read_from, formula.indices, formula.used
    text = f"def function({', '.join(f'x{i}' for i in range(formula.arguments))}):\n    if {_SPECIAL[collected]}:\n        return None"
    for i in range(formula.arguments):
        if i in indices:
            text += _INDEX.format(i)
        else:
            text += (_ELEMENT if i in read else _NUMBER).format(i, ndim=read.get(i))
            text += _CONSTANT.format(i) if i in formula.constant and f"x{i}" in used else ""
    text += "\n    try:"
    met: dict[str, str] = {}
    for j, step in enumerate(formula.steps):
        if step.op == READ:
            value = f"v{number(step.operands[0])}.item({', '.join(texts(step.operands[1:]))})"
        else:
            value = value_of(registry[step.op], texts(step.operands), names)
        text += f"\n        t{j} = {met.setdefault(value, value)}"
        met[value] = f"t{j}"  # the same again is the same number
    text += f"\n    except ({RAISES}, IndexError):\n        return None"
    edges, result = [f"n{i}" for i in formula.tracked], f"t{len(formula.steps) - 1}"
    if not edges:
        return f"{text}\n    return {result}"
    others = edges[1:]
    text += _RESULT.format(untracked=" and ".join(f"{edge} is None" for edge in edges), result=result)
    whole = " and ".join(f"{edge} is not None" for edge in edges)
    return text + RECORD.format(
        derivative=f"derivative if {whole} else derivative.of({', '.join(edges)})" if collected and others else "derivative",
        edge=edges[0],
        other="None" if not others else others[0] if len(others) == 1 else f"({', '.join(others)})",
        saved=f"({''.join(name + ', ' for name in saves)})",
        shape="()",
        place="node.code = code; node.lasti = lasti",
        collected=COLLECTED if collected else "",
    )


# ---------------------------------------------------------------- backwards


class FusedDerivative(WholeDerivative):
    """The vector-Jacobian product of a formula."""

    delivers = True

    def __init__(self, formula: Formula) -> None:
        last = formula.steps[-1].op
        super().__init__(registry[last].node_name(1), Shape(last, 1), len(formula.tracked))
        self.formula = formula
        self.tracked = (True,) * self.arity
        self._variants = {self.tracked: self}
        names: dict[str, Any] = {"__package__": __package__, "add_element": add_element, "Owned": Owned}
        called, written_out = _adjoint(formula, names, False), _adjoint(formula, names, True)
        # How many numbers there are when the gradients have been computed and not yet delivered.
        self.in_hand = 1 + len({line.partition(" = ")[0] for line in written_out[0]})
        self.saves = _spoken_of([*called[0], *called[1], *written_out[0], *written_out[1]])

        def careful(node: Node, g: float) -> None:
            names["careful"] = _compiled(_backward(formula, self.saves, *called, "{}"), names)  # it is rarely needed
            names["careful"](node, g)

        names["careful"] = careful
        self.run = _compiled(_backward(formula, self.saves, *written_out, _TRY), names)  # type: ignore[method-assign]

    def gradients(self, node: Node, g: Any, recording: bool) -> tuple[Any, ...]:
        """For passes that look at each node. None can be recorded: the program's compiler sees to it that none is asked for."""
        assert not recording
        sinks: list[Any] = [None if edge is None else Sink(edge) for edge in node.edges]
        other = Node()
        other.derivative, other.saved, other.edges = self, node.saved, tuple(sinks)  # type: ignore[assignment]
        self.run(other, g)
        return tuple(None if sink is None else written(sink.grad) for sink in sinks)

    def of(self, *edges: Node | Edge | None) -> FusedDerivative:
        """The same for those who count operations: which of them are recorded depends on which arguments are tracked."""
        tracked = tuple(edge is not None for edge in edges)
        if tracked not in self._variants:
            self._variants[tracked] = variant = FusedDerivative.__new__(FusedDerivative)
            variant.__dict__.update(self.__dict__, tracked=tracked)
            variant.__dict__.pop("operations", None)
        return self._variants[tracked]

    @cached_property
    def operations(self) -> tuple[Operation, ...]:
        """What is recorded where the formula is computed operation by operation, in that order."""
        edges = dict(zip(self.formula.tracked, self.tracked, strict=True))
        used = self.formula.used
        found: dict[str, Operation] = {}
        for j, step in enumerate(self.formula.steps):
            inputs = step.operands[:1] if step.op == READ else step.operands
            into = [ref if ref in found or (isinstance(ref, str) and ref[0] == "x" and edges.get(number(ref))) else None for ref in inputs]
            mask = sum(1 << i for i, ref in enumerate(into) if ref is not None)
            if mask and f"t{j}" in used:
                derivative = registry["_select" if step.op == READ else step.op].derivative(mask)
                found[f"t{j}"] = Operation(j, derivative, into, step.position[0])
        return tuple(found.values())

    def unfolded(self, node: Node) -> Iterator[Node]:
        """The nodes of the operations that a node of the formula stands for: where they are and what they would save."""
        made: dict[Any, Any] = {f"x{i}": edge for i, edge in zip(self.formula.tracked, node.edges, strict=True)}
        known: dict[Any, Any] = dict(zip(self.saves, node.saved, strict=True))
        code: Any = Places(self.formula)
        for j, derivative, into, _ in self.of(*node.edges).operations:
            values = [known.get(ref, ref) for ref in self.formula.steps[j].operands]
            saved = {**dict(zip(derivative.op.inputs, values, strict=False)), "y": known.get(f"t{j}")}
            inner = made[f"t{j}"] = Node()
            inner.derivative, inner.saved = derivative, tuple(map(saved.get, derivative.saved_names))
            inner.edges = tuple(made.get(ref) for ref in into)
            inner.shape, inner.grad = (), None
            inner.sequence_nr, inner.code, inner.lasti = node.sequence_nr, code, 2 * j
            yield inner

    def kept(self, node: Node) -> list[tuple[str, Any]]:
        """What those would save, by name."""
        return [pair for inner in self.unfolded(node) for pair in saved_values(inner)]


class Operation(NamedTuple):
    """A step that is recorded where it is done on its own: its number, its derivative, what its edges lead to, and its line."""

    step: int
    derivative: Derivative
    into: Sequence[Any]
    line: int


class Sink:
    """Where a gradient is caught instead of delivered."""

    __slots__ = ("grad", "shape")

    def __init__(self, edge: Node | Edge) -> None:
        self.grad: Any = None
        self.shape = edge.shape


class Places:
    """What stands for a code object where operations have no instructions of their own."""

    def __init__(self, formula: Formula) -> None:
        self.co_filename = formula.file
        self.formula = formula

    def co_positions(self) -> Iterator[tuple[int, int, int, int]]:
        """(line, end line, column, end column) of each step."""
        for step in self.formula.steps:
            line, column, end_line, end = step.position
            yield line, end_line, column, end


# Where Python's arithmetic raises, the form that calls the rules takes over.
_TRY = f"""
    try:{{}}
    except ({RAISES}):
        return careful(node, g)"""


def _backward(formula: Formula, saves: Sequence[str], lines: Sequence[str], sent: Sequence[str], frame: str) -> str:
    """The text of `run(node, g)`: the steps from the last to the first, then what each of them delivers, in the same order."""
    edges = [f"e{i}" for i in formula.tracked]
    text = f"def function(node, g):\n    {edges[0]} = node.edge"
    if len(edges) > 1:
        text += f"\n    {', '.join(edges[1:])} = node.others"
    if saves:
        text += f"\n    {', '.join(saves)}, = node.saved"
    indent = "\n        " if frame == _TRY else "\n    "
    return text + frame.format("".join(indent + line for line in lines or ["pass"])) + "".join(sent)


_DELIVER = """
    if {edge} is not None:
        have = {edge}.grad
        {edge}.grad = {d} if have is None else have + {d}"""

_DELIVER_READ = """
    if {edge} is not None:
        add_element({edge}, {index}, {d})"""

# What add_element does most often, without its call.
_DELIVER_ELEMENT = """
    if {edge} is not None:
        have = {edge}.grad
        if have.__class__ is Owned and have.view is not None:
            have.view[{index}] += {d}
        else:
            add_element({edge}, {index}, {d})"""


def _adjoint(formula: Formula, names: dict[str, Any], written_out: bool) -> tuple[list[str], list[str]]:
    """The gradients of the steps' operands from that of the result, and the deliveries to the edges."""
    lines: list[str] = []
    sent: list[str] = []
    last, wanted = len(formula.steps) - 1, formula.wanted
    reached = {"g"}
    for j in range(last, -1, -1):
        step, g = formula.steps[j], "g" if j == last else f"g{j}"
        if g not in reached:  # nobody uses its value
            continue
        if step.op == READ:
            whole, *index = texts(step.operands)
            text, at = (_DELIVER_ELEMENT, index[0]) if len(index) == 1 else (_DELIVER_READ, f"({', '.join(index)})")
            sent.append(text.format(edge=f"e{number(whole)}", index=at, d=g))
            continue
        op = registry[step.op]
        for i, ref in enumerate(step.operands):
            if ref not in wanted:
                continue
            d = f"g{number(ref)}" if str(ref)[0] == "t" else f"d{j}_{i}"
            rule = _rule(op, i, g, f"t{j}", step.operands, names, written_out)
            lines.append(f"{d} = {d} + ({rule})" if d in reached else f"{d} = {rule}")
            reached.add(d)
            if d[0] == "d":
                sent.append(_DELIVER.format(edge=f"e{number(ref)}", d=d))
    return lines, sent


def _rule(op: Op, i: int, g: str, y: str, operands: Sequence[Any], names: dict[str, Any], written_out: bool) -> str:
    """The rule of an op's input as text: its formula, or its call."""
    rule: Any = op.rules[i]
    known = {"g": g, "y": y, **dict(zip(op.inputs, operands, strict=True))}
    code = rule.__code__
    given = [known.get(name, ()) for name in code.co_varnames[: code.co_argcount]]  # the shape of a number is ()
    formula = formula_of(rule, given, names) if written_out and () not in given else None
    if formula is not None:
        return formula
    names[f"rule_{op.name}_{i}"] = rule
    return f"rule_{op.name}_{i}({', '.join(each if each.__class__ is str else repr(each) for each in given)})"


def _spoken_of(lines: Sequence[str]) -> list[str]:
    """The arguments and results that a backward speaks of: what has to be saved."""
    found = set(re.findall(r"\b[xt]\d+\b", " ".join(lines)))
    return sorted(found, key=lambda name: (name[0], int(name[1:])))


def _compiled(text: str, names: dict[str, Any]) -> Callable[..., Any]:
    exec(_code(text), names)
    return names.pop("function")  # type: ignore[no-any-return]


@lru_cache(maxsize=1024)
def _code(text: str) -> CodeType:
    """The same text comes again when a program runs again."""
    return compile(text, "<string>", "exec")
