"""The path of tracked tensors, written out: one function an op that does all that a plain call needs, in one frame.

Loops over scalars and short vectors are what a graph in Python is slow at, and half their time would go into calls between small
functions. What is said here is nothing new: each function decides that the plain case is given (values in Tensors, no mode, no
listener), and then does what `op.record` does; in every other case it hands over to the op's general path.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from . import modes
from .node import Node, next_number
from .shapes import shape_of
from .tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Callable

    from .op import Op

_RECORD = """
    node = Node()
    node.derivative = {derivative}
    node.edge = {edge}
    node.others = {other}
    node.saved = {saved}
    node.sequence_nr = next_number()
    node.shape = () if y.__class__ is float else y.shape
    node.grad = None
    frame = getframe(1)
    node.code = frame.f_code
    node.lasti = frame.f_lasti
    out = Tensor()
    out.data = y
    out.node = node
    return out
"""

_UNARY = """
def call({a}):
    if {a}.__class__ is float:
        return {scalar}
    if {a}.__class__ is not Tensor or modes.special:
        return general({a})
    p = {a}.node
    if p is None:
        return general({a})
    {a} = {a}.data
    y = {scalar} if {a}.__class__ is float else array({a})
"""

_BINARY = """
def call({a}, {b}):
    if {a}.__class__ is Tensor:
        p = {a}.node
        x = {a}.data
    elif {a}.__class__ is float:
        p = None
        x = {a}
    else:
        return general({a}, {b})
    if {b}.__class__ is Tensor:
        q = {b}.node
        z = {b}.data
    elif {b}.__class__ is float:
        q = None
        z = {b}
    else:
        return general({a}, {b})
    if modes.special:
        return general({a}, {b})
    try:
        y = {value}
    except ValueError:  # the general path says what is wrong with the shapes
        return general({a}, {b})
    if q is None:
        if p is None:
            return general({a}, {b})
        derivative = only_a
        saved = {saved_a}
    elif p is None:
        derivative = only_b
        saved = {saved_b}
    else:
        derivative = both
        saved = {saved_both}
"""

# Where Python's operator does for floats and arrays alike, it is written itself.
_INLINE = {"add": "x + z", "sub": "x - z", "mul": "x * z"}
_EITHER = "scalar(x, z) if x.__class__ is float and z.__class__ is float else array(x, z)"


def specialise(op: Op) -> Callable[..., Any]:
    """The fast path of an elementwise op of one or two inputs."""
    namespace = {
        "__package__": __package__,
        "Node": Node,
        "Tensor": Tensor,
        "general": op.call,
        "getframe": sys._getframe,
        "modes": modes,
        "next_number": next_number,
        "array": op.array,
        "scalar": op.scalar,
        "shape_of": shape_of,
    }
    text = _unary(op, namespace) if len(op.inputs) == 1 else _binary(op, namespace)
    exec(text, namespace)
    call: Callable[..., Any] = namespace["call"]
    call.__name__ = call.__qualname__ = op.name
    call.__doc__ = op.doc
    return call


def _unary(op: Op, namespace: dict[str, Any]) -> str:
    (a,) = op.inputs
    namespace["derivative"] = op.derivative(1)
    record = _RECORD.format(derivative="derivative", edge="p", other="None", saved=_saved(op, 1))
    return _UNARY.format(a=a, scalar=f"scalar({a})") + record


def _binary(op: Op, namespace: dict[str, Any]) -> str:
    a, b = op.inputs
    namespace.update(only_a=op.derivative(1), only_b=op.derivative(2), both=op.derivative(3))
    saved = {f"saved_{name}": _saved(op, mask) for name, mask in (("a", 1), ("b", 2), ("both", 3))}
    text = _BINARY.format(a=a, b=b, value=_INLINE.get(op.name, _EITHER), **saved)
    return text + _RECORD.format(derivative="derivative", edge="p", other="q", saved="saved")


def _saved(op: Op, mask: int) -> str:
    text = op.derivative(mask).saving()
    if len(op.inputs) == 2:
        names = dict(zip(op.inputs, ("x", "z"), strict=True))
        parts = [part for part in text.strip("()").split(",") if part]
        text = f"({''.join(names.get(part, part) + ',' for part in parts)})"
    return text
