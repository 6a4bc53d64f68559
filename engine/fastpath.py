"""The path of tracked tensors, written out: one function an op that does all that a plain call needs, in one frame.

Loops over scalars and short vectors are what a graph in Python is slow at, and half their time would go into calls between small
functions. What is said here is nothing new: each function decides that the plain case is given (values in Tensors, no mode, no
listener), and then does what `op.record` does; in every other case it hands over to the op's general path.

Each is written twice: while a listener collects, the functions run the code that also puts the node in its list.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from . import modes
from .node import Node, next_number
from .symbols import OPERATORS, RAISES, value_of
from .tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, FunctionType

    from .observe import Collection
    from .op import Op

RECORD = """
    node = Node()
    node.derivative = {derivative}
    node.edge = {edge}
    node.others = {other}
    node.saved = {saved}
    node.sequence_nr = next_number()
    node.shape = {shape}
    node.grad = None
    {place}{collected}
    out = Tensor()
    out.data = y
    out.node = node
    return out
"""

# In place of a call for each node, while a listener collects.
COLLECTED = """
    collection.nodes.append(node)
    if node.sequence_nr >= collection.limit:
        collection.look()"""

# How the path of an op fills in the record: any value, and a place that is that of the caller.
ANY = {
    "shape": "() if y.__class__ is float else y.shape",
    "place": "frame = getframe(1); node.code = frame.f_code; node.lasti = frame.f_lasti",
}

_UNARY = """
def call({a}):
    if {a}.__class__ is not Tensor or {special}:
        return scalar({a}) if {a}.__class__ is float else general({a})
    p = {a}.node
    if p is None:
        return general({a})
    raw_a = {a}.data{checked}
    try:
        y = {value} if raw_a.__class__ is float else array(raw_a)
    except ({raises}):
        return general({a})
"""

_BINARY = """
def call({a}, {b}):
    if {a}.__class__ is Tensor:
        p = {a}.node
        raw_a = {a}.data
    elif {a}.__class__ is float:
        p = None
        raw_a = {a}
    else:
        return general({a}, {b})
    if {b}.__class__ is Tensor:
        q = {b}.node
        raw_b = {b}.data
    elif {b}.__class__ is float:
        q = None
        raw_b = {b}
    else:
        return general({a}, {b})
    if {special}:
        return general({a}, {b}){checked}
    try:
        y = {value}
    except ({raises}):  # the general path says what is wrong with the shapes, and what IEEE has
        return general({a}, {b})
    if q is None:
        if p is None:
            return y if {a}.__class__ is float and {b}.__class__ is float else general({a}, {b})
        derivative = only_a
        saved = {saved_a}
    elif p is None:
        derivative = only_b
        saved = {saved_b}
    else:
        derivative = both
        saved = {saved_both}
"""

# The values of the inputs, by names that no op gives its own.
RAW = ("raw_a", "raw_b")

# What differs in the code for a collection: its listener is a reason to be special, and the only one; it takes numbers.
_PLAIN = {"special": "modes.special", "checked": "", "collected": ""}
_CHECKED = """
    if {}:
        return general({})"""

# Python's operators do for floats and arrays alike.
_EITHER = "{value} if raw_a.__class__ is float and raw_b.__class__ is float else array(raw_a, raw_b)"


def specialise(op: Op) -> Callable[..., Any]:
    """The fast path of an elementwise op of one or two inputs."""
    namespace: dict[str, Any] = {
        "__package__": __package__,
        "Node": Node,
        "Tensor": Tensor,
        "general": op.call,
        "getframe": sys._getframe,
        "modes": modes,
        "next_number": next_number,
        "array": op.array,
        "scalar": op.scalar,
    }
    exec(_text(op, namespace, _PLAIN), namespace)
    call: FunctionType = namespace["call"]
    _paths.append(_Path(op, call))
    _paths[-1].serve(_collection)
    call.__name__ = call.__qualname__ = op.name
    call.__doc__ = op.doc
    return call


class _Path:
    """One of the functions, with its code for a collection, which is compiled when there is one."""

    def __init__(self, op: Op, call: FunctionType) -> None:
        self.op = op
        self.call = call
        self.plain: CodeType = call.__code__
        self.collecting: CodeType | None = None

    def serve(self, collection: Collection | None) -> None:
        if collection is not None and self.collecting is None:
            self.collecting = self._compiled()
        self.call.__globals__["collection"] = collection
        self.call.__code__ = self.plain if collection is None or self.collecting is None else self.collecting

    def _compiled(self) -> CodeType:
        arrays = " or ".join(f"{raw}.__class__ is not float" for raw in RAW[: len(self.op.inputs)])
        checked = _CHECKED.format(arrays, ", ".join(self.op.inputs))
        names: dict[str, Any] = {}
        exec(_text(self.op, {}, {"special": "modes.special != 1", "checked": checked, "collected": COLLECTED}), names)
        code: CodeType = names["call"].__code__
        return code


_paths: list[_Path] = []
_collection: Collection | None = None


def exchange(collection: Collection | None) -> None:
    """Lets the fast paths put the nodes of numbers in `collection`; None: in nobody's."""
    global _collection
    _collection = collection
    for path in _paths:
        path.serve(collection)
    for names in _served:
        names["collection"] = None
    _served.clear()


def serve(names: dict[str, Any]) -> bool:
    """Gives a function that is being written, whose globals are `names`, the collection that there is, for as long as it is that one's
    turn: after that it finds None. Returns whether there is one."""
    names["collection"] = _collection
    if _collection is not None:
        _served.append(names)
    return _collection is not None


_served: list[dict[str, Any]] = []


def _text(op: Op, namespace: dict[str, Any], parts: dict[str, str]) -> str:
    return _unary(op, namespace, parts) if len(op.inputs) == 1 else _binary(op, namespace, parts)


def _unary(op: Op, namespace: dict[str, Any], parts: dict[str, str]) -> str:
    (a,) = op.inputs
    namespace["derivative"] = op.derivative(1)
    record = RECORD.format(derivative="derivative", edge="p", other="None", saved=_saved(op, 1), collected=parts["collected"], **ANY)
    return _UNARY.format(a=a, value=value_of(op, RAW[:1], namespace), raises=RAISES, **parts) + record


def _binary(op: Op, namespace: dict[str, Any], parts: dict[str, str]) -> str:
    a, b = op.inputs
    namespace.update(only_a=op.derivative(1), only_b=op.derivative(2), both=op.derivative(3))
    value = value_of(op, RAW, namespace)
    if op.name not in OPERATORS:
        value = _EITHER.format(value=value)
    saved = {f"saved_{name}": _saved(op, mask) for name, mask in (("a", 1), ("b", 2), ("both", 3))}
    text = _BINARY.format(a=a, b=b, value=value, raises=RAISES, **saved, **parts)
    return text + RECORD.format(derivative="derivative", edge="p", other="q", saved="saved", collected=parts["collected"], **ANY)


def _saved(op: Op, mask: int) -> str:
    """The saved values, in the names that the text gives them."""
    names = dict(zip(op.inputs, RAW, strict=False))
    parts = [names.get(part, part) + "," for part in op.derivative(mask).saving().strip("()").split(",") if part]
    return f"({''.join(parts)})"
