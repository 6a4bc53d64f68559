"""The Engine: counts dependencies, runs the nodes that are ready, the latest first, and accumulates into leaves."""

from __future__ import annotations

import threading
from array import array
from heapq import heappop, heappush
from time import perf_counter
from typing import TYPE_CHECKING, Any

from . import modes
from .accumulate import finish_leaf
from .batch import Batched, all_at_once
from .derivative import saved_tensors, saved_values
from .discovery import discover
from .gradient import Collected, Owned, Uniform, deliver, send_back, settled, written
from .hooks import Hooks, run_post_hooks, run_pre_hooks, run_tensor_hooks
from .node import AccumulateGrad, Edge, Node, Place, next_number, node_of
from .observe import listeners
from .refusal import check_versions
from .shapes import spread
from .versions import any_changes

if TYPE_CHECKING:
    from collections.abc import Sequence


class GraphTask:
    """One backward pass: what it was asked for, and what it has found out."""

    # What it goes through, the latest first.
    nodes: Sequence[Node] = ()
    leaves: Sequence[AccumulateGrad] = ()
    # Whether it runs inside another pass of this thread; then the buffers of that one are set aside while it lasts.
    nested = False
    set_aside: Sequence[tuple[Node, Any]] = ()
    # How many roots it starts from, and whether a listener or a hook is told of each turn.
    roots = 1
    attended = False
    # Where a listener wants to know of a pass of numbers without attending it.
    notes: Notes | None = None
    # The node whose rules run at present.
    node: Node | None = None
    # The nodes on a path to something that was asked for, with the edges on it (bit i for edge i); None where all of them are.
    needed: dict[Node, int] | None = None
    # How many gradients each node still waits for, where that is counted.
    dependencies: dict[Node, int]

    def __init__(self, retain_graph: bool, create_graph: bool, captures: Sequence[Node | Edge], place: Place, accumulate: bool) -> None:
        self.retain_graph = retain_graph
        self.create_graph = create_graph
        self.place = place
        self.captures: dict[Any, Any] = dict.fromkeys(captures)
        self.accumulate = accumulate
        self.number = next_number()

    @property
    def visited(self) -> list[Node]:
        """All that it goes through: the nodes, the latest first, then the leaves."""
        return [*self.nodes, *self.leaves]


class Notes:
    """What is left of a pass of numbers when it is over: for each node in its order what it had saved, where its two edges go, and the
    gradient that it got; then, the leaves included, when its turn ended; and what the leaves have then."""

    saved: Sequence[tuple[Any, ...]] = ()
    first: Sequence[Any] = ()
    second: Sequence[Any] = ()

    def __init__(self) -> None:
        self.gradients: list[float | None] = []
        self.totals: list[float | None] = []
        self.began = perf_counter()
        self.ended = array("d")


class _Current(threading.local):
    """The pass that this thread is in, for hooks that span several tensors."""

    task: GraphTask | None = None


current = _Current()


class Engine:
    """Runs backward passes. It keeps no state between them."""

    @staticmethod
    def execute(task: GraphTask, roots: Sequence[tuple[Node | Edge, Any]]) -> None:
        """Runs the graph under `roots`, pairs of a node (or one of its outputs) and the gradient that enters there.

        Every node runs once, when the last of the gradients it waits for has arrived; of several ready nodes the one made
        last runs first. Raises FreedGraphError, VersionError, and whatever a rule raises; what has not been dismantled by
        then can be used again.
        """
        try:
            starts = [node_of(root) for root, _ in roots]
            _prepare(task, starts)
            task.roots = len(roots)
            task.attended = bool(Hooks.live) or (bool(listeners) and any(listener.attends(task) for listener in listeners))
            if task.attended:
                _count(task, starts)
            for listener in listeners:
                listener.began(task)
            if task.attended:
                _run_ready(task, roots)
            else:
                _sweep(task, roots)
        except BaseException:
            for node in task.visited:
                node.grad = None
            raise


def _prepare(task: GraphTask, roots: Sequence[Node]) -> None:
    """Finds the nodes of the pass, refuses what must not run, and empties the buffers."""
    asked = [node_of(edge) for edge in task.captures] if task.captures else ()
    task.nodes, task.leaves, cut = discover(roots, asked)
    if asked:
        # Every node leads to a leaf: where all leaves are asked for, and nothing else, every node is needed.
        all_leaves = all(leaf in task.captures for leaf in task.leaves) and all(isinstance(node, AccumulateGrad) for node in asked)
        if cut or not all_leaves:
            _prune(task)
    buffers = any_changes()
    last_change = 0
    for leaf in task.leaves:
        if leaf.stamp > last_change:
            last_change = leaf.stamp
    if buffers or Hooks.live or (task.nodes and task.nodes[-1].sequence_nr < last_change):
        for node in task.nodes:
            # Only what was recorded before the last change can have saved a value that is gone, and only what runs needs it.
            if (node.sequence_nr < last_change or buffers or Hooks.live) and (task.needed is None or task.needed.get(node)):
                check_versions(node, buffers)
    if task.nested:
        # In a pass within a pass: what the outer one has in the buffers is set aside.
        task.set_aside = [(node, node.grad) for node in task.visited if node.grad is not None]
        for node, _ in task.set_aside:
            node.grad = None


# ---------------------------------------------------------------- the plain pass


def _sweep(task: GraphTask, roots: Sequence[tuple[Node | Edge, Any]]) -> None:
    """The pass that nobody attends: the visited nodes from the latest to the first.

    A node is made after all that it depends on, so whoever sends it a gradient is later than it: in this order every node has
    all its gradients when its turn comes, as it would have in the ready queue, and nothing needs to be counted.
    """
    needed, retain, place = task.needed, task.retain_graph, task.place
    for root, gradient in roots:
        if needed is None or node_of(root) in needed:
            deliver(root, gradient)
    if task.captures or task.create_graph:
        _sweep_asked(task)
        return
    if task.notes is not None:
        _sweep_noting(task, task.notes)
        return
    for node in task.nodes:
        gradient = node.grad
        node.grad = None
        if gradient.__class__ is float:
            node.derivative.run(node, gradient)
        elif gradient.__class__ is Uniform and node.derivative.op.elementwise:
            send_back(node, gradient.value)
        elif gradient is not None:
            derivative = node.derivative
            if gradient.__class__ is Owned and not derivative.takes_owned:
                gradient = gradient.array
            elif gradient.__class__ is list:
                gradient = _outputs(gradient)
            elif gradient.__class__ is Uniform:
                gradient = spread(gradient.value, node.shape)
            derivative.run(node, gradient)
        if not retain:
            node.saved = place
            node.edge = node.others = None
    for leaf in task.leaves:
        gradient, leaf.grad = leaf.grad, None
        if gradient is not None and task.accumulate:
            finish_leaf(leaf, gradient.owned(leaf.shape) if gradient.__class__ is Uniform else gradient)


def _sweep_asked(task: GraphTask) -> None:
    """The same where some gradients are asked for, or where the pass is recorded."""
    needed, captures, retain = task.needed, task.captures, task.retain_graph
    for node in task.visited:
        gradient, node.grad = node.grad, None
        mask = -1 if needed is None else needed.get(node)
        if mask is None:
            continue
        if gradient.__class__ is Collected:
            gradient = gradient.written()
        elif gradient.__class__ is list:
            gradient = _outputs(gradient)
        if node in captures or gradient.__class__ is tuple:
            gradient = _capture(task, node, gradient)
        if node.__class__ is AccumulateGrad:
            if gradient is not None and task.accumulate:
                finish_leaf(node, gradient)
            continue
        if not mask:
            continue
        others: Any = node.others
        edges = (node.edge, *others) if others.__class__ is tuple else (node.edge, others)  # as node.edges, of one input with a None more
        gradients = () if gradient is None else _apply(task, node, gradient, mask)
        if not retain:
            node.release(task.place)
        for i, d in enumerate(gradients):
            # Some derivatives give all gradients, whichever are asked for; what is not on a path is not in this pass.
            if d is not None and (edge := edges[i]) is not None and mask >> i & 1:
                deliver(edge, d)


def _sweep_noting(task: GraphTask, notes: Notes) -> None:
    """The same of numbers, with notes of each turn."""
    nodes, retain, place = task.nodes, task.retain_graph, task.place
    notes.saved = [node.saved for node in nodes]
    notes.first = [node.edge for node in nodes]
    notes.second = [node.others for node in nodes]
    got, ended = notes.gradients.append, notes.ended.append
    for node in nodes:
        gradient = node.grad
        node.grad = None
        if gradient is not None:
            node.derivative.run(node, gradient)
        if not retain:
            node.saved = place
            node.edge = node.others = None
        got(gradient)
        ended(perf_counter())
    for leaf in task.leaves:
        gradient, leaf.grad = leaf.grad, None
        if gradient is not None:
            finish_leaf(leaf, gradient)
        got(gradient)
        notes.totals.append(None if gradient is None else leaf.accumulated.data)  # type: ignore[union-attr]
        ended(perf_counter())


def _outputs(buffers: Sequence[Any]) -> tuple[Any, ...]:
    """The gradients of a node's several outputs; None for one that nobody used."""
    return tuple(g.array if g.__class__ is Owned else settled(g) for g in buffers)


def _prune(task: GraphTask) -> None:
    """Keeps the nodes from which something that was asked for can be reached."""
    needed = task.needed = {node_of(edge): 0 for edge in task.captures}
    for node in reversed(task.nodes):
        mask = 0
        for i, edge in enumerate(node.edges):
            if edge is not None and (edge.node if edge.__class__ is Edge else edge) in needed:
                mask |= 1 << i
        if mask:
            needed[node] = mask


def _step(task: GraphTask, node: Node, gradient: Any) -> Sequence[Node | Edge]:
    """The turn of one node, with all that may be asked of it: hooks, captures, a recorded derivative, listeners.

    Returns the edges over which something, or the news of nothing, was sent.
    """
    gradient = settled(gradient)
    if gradient.__class__ is list:
        gradient = _outputs(gradient)
    hooks: Hooks | None = getattr(node, "extra", None)
    if hooks is not None and gradient is not None:
        gradient = run_tensor_hooks(hooks, written(gradient))
    if task.captures:
        gradient = _capture(task, node, gradient)
    edges = node.edges
    mask = -1 if task.needed is None else task.needed[node]
    if task.captures and not mask and node.__class__ is not AccumulateGrad:
        return ()
    if hooks is not None and hooks.pre and gradient is not None:
        gradient = run_pre_hooks(hooks, gradient)
    for listener in listeners:
        listener.started(node, gradient)
    if node.__class__ is AccumulateGrad:
        if gradient is not None and task.accumulate:
            finish_leaf(node, gradient)
        return ()
    if gradient is not None and node.derivative.delivers and hooks is None and mask == -1:
        # A formula puts the gradient of each element that it reads in its place; one gradient an edge would be an array for each node.
        node.derivative.run(node, gradient)
        for listener in listeners:
            listener.ran(node, gradient, ())
        if not task.retain_graph:
            _release(node, task.place)
        return [edge for edge in edges if edge is not None]
    gradients: Sequence[Any] = (None,) * len(edges) if gradient is None else _apply(task, node, gradient, mask)
    if hooks is not None and hooks.post:
        gradients = run_post_hooks(hooks, [written(p) for p in gradients], gradient)
    if not task.retain_graph:
        _release(node, task.place)
    sent = []
    for i, edge in enumerate(edges):
        if edge is not None and mask >> i & 1:
            if gradients[i] is not None:
                deliver(edge, gradients[i])
            sent.append(edge)
    return sent


def _apply(task: GraphTask, node: Node, gradient: Any, mask: int) -> Sequence[Any]:
    """Runs the rules of a node for the edges in `mask`; recorded in the node's own name under `create_graph`."""
    derivative = node.derivative
    apply = derivative.apply if task.needed is None else derivative.restricted(mask)
    if gradient.__class__ is Owned and not derivative.takes_owned:
        gradient = gradient.array
    task.node = node
    if task.create_graph:
        modes.local.place = (node.code, node.lasti)
        gradients: Sequence[Any] = apply(saved_tensors(node), gradient)
    elif gradient.__class__ is Batched and derivative.op.elementwise:
        gradients = all_at_once(apply, node.saved, gradient)
    else:
        gradients = apply(node.saved, gradient)
    for listener in listeners:
        listener.ran(node, gradient, gradients)
    return gradients


# ---------------------------------------------------------------- the pass that is attended


def _count(task: GraphTask, roots: Sequence[Node]) -> None:
    """Counts for each node on a path to what is asked for how many gradients it will get; a root gets one from the caller."""
    waiting = task.dependencies = {node: 0 for node in task.visited if task.needed is None or node in task.needed}
    for node in list(waiting):
        for edge in node.edges:
            if edge is not None and node_of(edge) in waiting:
                waiting[node_of(edge)] += 1
    for node in roots:
        if node in waiting:
            waiting[node] += 1


def _run_ready(task: GraphTask, roots: Sequence[tuple[Node | Edge, Any]]) -> None:
    """The ready queue: a node enters when its count reaches 0; the latest leaves first, and a leaf is served at once."""
    ready: list[tuple[int, Node]] = []
    waiting = task.dependencies

    def arrived(edge: Node | Edge) -> None:
        node = node_of(edge)
        waiting[node] -= 1
        if waiting[node] == 0:
            heappush(ready, (-node.sequence_nr - (_PRIORITY if node.__class__ is AccumulateGrad else 0), node))
        for listener in listeners:
            listener.arrived(node, waiting[node])

    for root, gradient in roots:
        if node_of(root) in waiting:
            deliver(root, gradient)
            arrived(root)
    while ready:
        node = heappop(ready)[1]
        gradient, node.grad = node.grad, None
        for edge in _step(task, node, gradient):
            arrived(edge)
    for node in task.visited:
        node.grad = None


# The place of a leaf in the queue: before every node.
_PRIORITY = 1 << 62


def _capture(task: GraphTask, node: Node, gradient: Any) -> Any:
    """Keeps what arrived at something that was asked for. Returns the gradient to go on with, whose memory is nobody's to write to."""
    if node in task.captures:
        gradient = task.captures[node] = written(gradient)
    elif gradient.__class__ is tuple:
        for i, part in enumerate(gradient):
            if Edge(node, i) in task.captures:
                task.captures[Edge(node, i)] = part
    return gradient


def _release(node: Node, place: Place) -> None:
    """Lets go of the saved values and edges, and tells who listens."""
    told = [listener for listener in listeners if listener.hears("released")]
    saved = [value for _, value in saved_values(node)] if told else []
    node.release(place)
    for listener in told:
        listener.released(node, saved)
