"""What an op's rules need, read off their parameters: which values to save, and how to hand them to each rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .gradient import deliver
from .node import Edge
from .shapes import shape_of, shapes_of
from .symbols import RAISES, formula_of
from .tensor import Tensor, untracked

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .node import Node
    from .op import Op

Rule = "Callable[..., Any] | None"


class Derivative:
    """The vector-Jacobian product of one op for one choice of tracked inputs (`mask`: bit i for input i).

    A rule is a function whose parameters say what it needs: `g` is the gradient of the result, `y` the result, an input's name
    its value, `<input>_shape` its shape, and any other name an argument such as `axis`. What no needed rule names is not kept.

    `save(y, *arguments)` picks the values to keep. `apply(saved, g)` gives one gradient an edge (None where nothing is tracked).
    `run(node, g)` does the same and delivers them at once: a plain backward pass is a loop of these. The three are written as
    text when the op first meets this choice of inputs, since unpacking by name at each call would cost more than the rules do.
    """

    __slots__ = ("_restricted", "apply", "arity", "mask", "name", "op", "rules", "run",
                 "save", "saved_names", "slots", "takes_owned", "value_count")  # fmt: skip

    # Whether also a pass that is attended leaves it to `run` to deliver.
    delivers = False

    def __init__(self, op: Op, mask: int) -> None:
        self.op = op
        self.mask = mask
        self.name = op.node_name(mask)
        self.takes_owned = op.takes_owned
        # The number of edges, where it is the same for every node.
        self.arity = 0 if op.variadic else len(op.inputs)
        self.rules = [rule if mask >> i & 1 else None for i, rule in enumerate(op.rules)]
        wanted = {name for rule in self.rules if rule is not None for name in needs(rule)}
        values = [name for name in (*op.inputs, "y") if name in wanted]
        details = [name for name in (*(f"{i}_shape" for i in op.inputs), *op.statics) if name in wanted]
        if unknown := wanted - {*values, *details}:
            raise TypeError(f"a rule of {op.name} names {sorted(unknown)}, which are no inputs of it")
        self.saved_names = (*values, *details)
        self.value_count = len(values)
        # Which input each saved value is; None: the result.
        self.slots = [None if name == "y" else op.inputs.index(name) for name in values]
        self.save = _function(f"lambda y, {', '.join(op.parameters)}: {self.saving()}", {"shape_of": shape_of, "shapes_of": shapes_of})
        self.apply = self._applier(self.rules)
        self.run = self._runner()
        self._restricted: dict[int, Callable[..., Any]] = {mask: self.apply}

    def saving(self) -> str:
        """The text of the tuple of saved values, in terms of `y` and the op's parameters."""
        known = {*self.op.parameters, "y"}
        look = "shapes_of" if self.op.variadic else "shape_of"
        parts = [name if name in known else f"{look}({name.removesuffix('_shape')})" for name in self.saved_names]
        return f"({''.join(part + ',' for part in parts)})"

    def _applier(self, rules: Sequence[Any]) -> Callable[..., Any]:
        # An op that takes a list (concat) has one rule, which gives the gradients of all its members.
        calls = [_call(i, rule) for i, rule in enumerate(rules)]
        result = calls[0] if self.op.variadic else f"{', '.join(calls)},"
        return _function(f"def function(saved, g):\n    {self._unpack('saved')}\n    return {result}", _named(rules))

    def _runner(self) -> Callable[..., Any]:
        if self.op.run is not None:
            return self.op.run
        if self.op.variadic:
            return _run_list
        edges = _UNPACK_EDGES.get(self.arity) or "".join(f"e{i}, " for i in range(self.arity)) + "= node.edges"
        names = {**_named(self.rules), "deliver": deliver}
        lines = ["def function(node, g):", f"    {self._unpack('node.saved')}", f"    {edges}"]
        formulas = self.formulas(names) if self.op.on_scalars else {0: None}
        if all(formulas.values()):
            lines.append(_SCALARS.format("; ".join(f"d{i} = {text}" for i, text in formulas.items()), RAISES))
            lines += [_ADD.format(i) for i in formulas]
            lines.append("            return")
        lines += [_DELIVER.format(edge=f"e{i}", call=_call(i, rule)) for i, rule in enumerate(self.rules) if rule is not None]
        return _function("\n".join(lines), names)

    def formulas(self, names: dict[str, Any]) -> dict[int, str | None]:
        """For each tracked input the formula of its rule on floats, in terms of `g` and what is saved; None where it is none.

        The functions that the formulas call are put in `names`.
        """
        return {i: formula_of(rule, ("g", *needs(rule)), names) for i, rule in enumerate(self.rules) if rule is not None}

    def _unpack(self, source: str) -> str:
        return f"{', '.join(self.saved_names)}, = {source}" if self.saved_names else "pass"

    def restricted(self, mask: int) -> Callable[..., Any]:
        """`apply` for some of the tracked inputs only: what no edge needs is not computed."""
        mask &= self.mask
        if self.op.variadic:
            return self.apply
        if mask not in self._restricted:
            self._restricted[mask] = self._applier([rule if mask >> i & 1 else None for i, rule in enumerate(self.rules)])
        return self._restricted[mask]

    def opened(self, node: Node) -> tuple[Any, ...]:
        """The saved values of a node, as the rules take them."""
        return node.saved

    def saves_input(self, slot: int) -> bool:
        """Whether the value of input number `slot` is among what is saved."""
        return not self.op.variadic and self.op.inputs[slot] in self.saved_names[: self.value_count]


# The formulas of floats, written out. Where they raise, the rules themselves say what IEEE has.
_SCALARS = """\
    if g.__class__ is float:
        try:
            {0}
        except ({1}):
            pass
        else:"""

_ADD = """\
            have = e{0}.grad
            e{0}.grad = d{0} if have is None else have + d{0}"""

_UNPACK_EDGES = {1: "e0 = node.edge", 2: "e0, e1 = node.edge, node.others"}

# A float's gradient goes to a scalar, where nothing has to be un-broadcast and nobody owns anything: it is added on the spot. And
# the first of its shape is borrowed; all the rest is `deliver`'s.
_DELIVER = """\
    d = {call}
    if d.__class__ is float:
        have = {edge}.grad
        {edge}.grad = d if have is None else have + d
    elif d.__class__ is g.__class__ and {edge}.grad is None and d.shape == {edge}.shape:
        {edge}.grad = d
    elif d is not None:
        deliver({edge}, d)"""


def _run_list(node: Node, g: Any) -> None:
    for edge, d in zip(node.edges, node.derivative.apply(node.saved, g), strict=True):
        if edge is not None and d is not None:
            deliver(edge, d)


def needs(rule: Callable[..., Any]) -> tuple[str, ...]:
    """What a rule asks for beside the gradient `g`, its first parameter."""
    code = rule.__code__
    return code.co_varnames[1 : code.co_argcount]


def saved_values(node: Node) -> list[tuple[str, Any]]:
    """What a node keeps alive for backward: (name, raw value), without shapes and settings."""
    derivative = getattr(node, "derivative", None)
    if derivative is None or node.released:
        return []
    if hasattr(derivative, "kept"):
        found: list[tuple[str, Any]] = derivative.kept(node)
        return found
    return list(zip(derivative.saved_names[: derivative.value_count], node.saved, strict=False))


def saved_tensors(node: Node) -> tuple[Any, ...]:
    """The saved values as Tensors tied to the graph, so that a rule applied to them can itself be differentiated.

    A saved input is what arrives over the edge of its slot, the saved result what leaves this node.
    """
    derivative = node.derivative
    edges, variadic = node.edges, derivative.op.variadic
    values = list(derivative.opened(node))
    for i, slot in enumerate(derivative.slots):
        value = values[i]
        if slot is None:
            several = derivative.op.outputs > 1
            values[i] = tuple(untracked(v, Edge(node, k)) for k, v in enumerate(value)) if several else _tied(value, node)
        elif variadic:
            values[i] = [v if e is None else untracked(v, e) for v, e in zip(value, edges, strict=True)]
        elif (edge := edges[slot]) is not None:
            values[i] = _tied(value, edge)
    return tuple(values)


def _tied(value: Any, edge: Node | Edge) -> Tensor:
    """As `untracked`, which asks whether the value is a mask; what is tracked is none."""
    tensor = Tensor()
    tensor.data, tensor.node = value, edge
    return tensor


def _call(i: int, rule: Any) -> str:
    return f"rule{i}({', '.join(('g', *needs(rule)))})" if rule is not None else "None"


def _named(rules: Sequence[Any]) -> dict[str, Any]:
    return {f"rule{i}": rule for i, rule in enumerate(rules) if rule is not None}


def _function(text: str, namespace: dict[str, Any]) -> Callable[..., Any]:
    """Compiles a lambda, or the function that `text` defines under the name `function`. The text is always of our own making."""
    namespace["__package__"] = __package__
    if text.startswith("lambda"):
        return eval(text, namespace)  # type: ignore[no-any-return]
    exec(text, namespace)
    return namespace["function"]  # type: ignore[no-any-return]
