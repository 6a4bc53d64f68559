"""Forward mode over a recorded graph: how a result moves when an input moves, in one walk from the input to the result.

A vector-Jacobian rule is linear in its gradient, so it says all there is to know of the product the other way round too: for an
op that works element by element the rule itself is that product; an op that only moves elements moves tangents likewise; and any other
rule is transposed by differentiating it with respect to its gradient. No op needs a second rule.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any

from .backward import GraphTask
from .batch import Batched, at_once, is_raw_batch
from .calls import run_task
from .gradient import Scatter, written
from .lazy import np
from .node import AccumulateGrad, Edge, Node, here, node_of
from .ops.index import _put, _read
from .ops.reduce import sum_axes
from .ops.shape import expand, reshape
from .refusal import freed
from .tensor import Tensor, untracked

Tangents = dict[Any, Any]


def push_forward(y: Tensor, x: Tensor, tangents: Any) -> Any:
    """The Jacobian of y by x times each vector along the first axis of the raw array `tangents`; None where y does not depend on x."""
    start, end = x.node, y.node
    assert start is not None
    assert end is not None
    known: Tangents = {_key(start): Batched(tangents)}
    for node in _between(node_of(start), node_of(end)):
        _push(node, known)
    found = known.get(_key(end))
    if found is None:
        return None
    data = found.data if isinstance(found, Batched) else found
    return data.data if isinstance(data, Tensor) else data


def _key(edge: Node | Edge) -> Any:
    """What a tangent is known by: the node, with the number of the output where there are several."""
    return (edge.node, edge.input_nr) if isinstance(edge, Edge) else edge


def _between(start: Node, end: Node) -> list[Node]:
    """The nodes that depend on `start` and that `end` depends on, in the order of creation, without `start`."""
    dependent = {start}
    ordered = []
    for node in sorted(_under(end), key=attrgetter("sequence_nr")):
        if node is not start and any(e is not None and node_of(e) in dependent for e in node.edges):
            dependent.add(node)
            ordered.append(node)
    return [node for node in ordered if not isinstance(node, AccumulateGrad)]


def _push(node: Node, known: Tangents) -> None:
    """Adds the tangent of a node's result to those that are known."""
    arrived = [None if e is None else known.get(_key(e)) for e in node.edges]
    if not any(tangent is not None for tangent in arrived):
        return  # nothing moves here: what the inputs contribute is flat
    op = node.derivative.op
    if op.outputs > 1:
        for number, tangent in enumerate(_transposed(node, arrived)):
            known[node, number] = tangent
        return
    rule = _MOVES.get(op.name)
    if rule is not None:
        known[node] = rule(node, arrived)
    elif getattr(op, "elementwise", False):
        known[node] = _elementwise(node, arrived)
    else:
        (known[node],) = _transposed(node, arrived)


def _total(parts: Sequence[Any], shape: tuple[int, ...]) -> Any:
    """The sum of what the inputs contribute, in the shape of the result."""
    found: Any = None
    for part in parts:
        if part is not None:
            found = part if found is None else found + part
    return found if found is None or found.shape == shape else expand(found, shape)


def _elementwise(node: Node, arrived: Sequence[Any]) -> Any:
    """The diagonal of each Jacobian is what the rule multiplies by, whichever way one goes."""
    derivative = node.derivative
    saved = dict(zip(derivative.saved_names, derivative.opened(node), strict=True))
    parts = []
    for rule, tangent in zip(derivative.rules, arrived, strict=True):
        if rule is not None and tangent is not None:
            code = rule.__code__
            values = [saved[name] for name in code.co_varnames[1 : code.co_argcount]]
            whole = is_raw_batch(tangent) and tangent.shape == node.shape
            parts.append(at_once(rule, tangent, values) if whole else rule(tangent, *values))
    return _total([p for p in parts if isinstance(p, Batched)], node.shape)


def _transposed(node: Node, arrived: Sequence[Any]) -> list[Any]:
    """The rules as functions of their gradient g, differentiated with respect to g: their transposes, applied to the tangents."""
    outputs = node.derivative.op.outputs
    shapes = node.shape if outputs > 1 else (node.shape,)
    seeds = [untracked(np.zeros(s) if s else 0.0).requires_grad_() for s in shapes]
    pulled = node.derivative.apply(node.saved, tuple(seeds) if outputs > 1 else seeds[0])
    roots = []
    for edge, part, tangent in zip(node.edges, pulled, arrived, strict=True):
        if edge is None or tangent is None or part is None:
            continue
        value = _put(part.value, part.index, edge.shape) if isinstance(part, Scatter) else written(part)
        if isinstance(value, Tensor) and value.node is not None:
            roots.append((value.node, _widened(tangent, value.shape)))
    task = GraphTask(False, False, [s.node for s in seeds], here(), accumulate=False)  # type: ignore[misc]
    run_task(task, roots)
    return [task.captures[s.node] for s in seeds]


def _widened(tangent: Batched, shape: tuple[int, ...]) -> Batched:
    """A tangent in the shape that a rule's gradient has before it is summed back over broadcast axes."""
    return tangent if tangent.shape == shape else expand(tangent, shape)


# ---------------------------------------------------------------- ops that move elements


def _saved(node: Node) -> dict[str, Any]:
    return dict(zip(node.derivative.saved_names, node.derivative.opened(node), strict=True))


def _reshaped(node: Node, arrived: Sequence[Any]) -> Any:
    return reshape(arrived[0], node.shape)


def _expanded(node: Node, arrived: Sequence[Any]) -> Any:
    return expand(arrived[0], node.shape)


def _read_there(node: Node, arrived: Sequence[Any]) -> Any:
    return _read(arrived[0], _saved(node)["index"])


def _summed(node: Node, arrived: Sequence[Any]) -> Any:
    return reshape(sum_axes(arrived[0], tuple(range(len(arrived[0].shape)))), ())


def _summed_along(node: Node, arrived: Sequence[Any]) -> Any:
    return reshape(sum_axes(arrived[0], _saved(node)["axes"]), node.shape)


def _written_into(node: Node, arrived: Sequence[Any]) -> Any:
    """The tangent of the old value, overwritten at the index by that of the new one."""
    value, x = arrived
    index = _saved(node)["index"]
    count = (value if x is None else x).count
    data = np.zeros((count, *node.shape)) if x is None else np.array(x.data)
    place = (slice(None), *(index if isinstance(index, tuple) else (index,)))
    if value is None:
        data[place] = 0.0
    else:
        missing = data[place].ndim - value.data.ndim
        data[place] = value.data.reshape((count, *(1,) * missing, *value.shape)) if missing > 0 else value.data
    return Batched(data)


_MOVES: dict[str, Callable[[Node, Sequence[Any]], Any]] = {
    "_view": _reshaped,
    "_squeeze": _reshaped,
    "_unsqueeze": _reshaped,
    "_expand": _expanded,
    "_select": _read_there,
    "_slice": _read_there,
    "_index": _read_there,
    "_sum_all": _summed,
    "_sum_axes": _summed_along,
    "_write": _written_into,
}


def can_push(y: Tensor) -> bool:
    """Whether every derivative under y can be gone through forwards: a user's own Function says only how to go back."""
    return all(hasattr(node.derivative, "rules") for node in _under(node_of(y.node)) if not isinstance(node, AccumulateGrad))  # type: ignore[arg-type]


def _under(root: Node) -> list[Node]:
    """Every node that `root` depends on, itself included."""
    seen = {root}
    found = [root]
    for node in found:
        if node.released:
            raise freed(node)
        for edge in node.edges:
            if edge is not None and node_of(edge) not in seen:
                seen.add(node_of(edge))
                found.append(node_of(edge))
    return found
