"""What an op is: its `@op` declaration, the registry, and the path of a call from values to a recorded node."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import modes
from .batch import Batched, lift
from .derivative import Derivative
from .errors import ArgumentError
from .lazy import np
from .node import here
from .recording import record
from .shapes import misfit
from .tensor import Tensor
from .values import as_raw, wrap, wrap_any
from .views import note_view

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

registry: dict[str, Op] = {}

_TAKES_ANY_NUMBER = 0x04  # CPython's flag of a code object with *args


class Op:
    """One operation: how to compute it, and a vector-Jacobian product for each differentiable input.

    `inputs` are the parameters that may be tensors, in order; `statics` the others (`axis`). `rules` holds a rule an input,
    None for one that is not differentiable. `array` computes on raw arrays, `scalar` on Python floats. The attributes below
    are the settings of a declaration, here with their defaults.
    """

    # Whether a program may call it by name; the others stand behind operators or formulas.
    builtin: bool = True
    # The computation on Python floats, where the body is NumPy's.
    scalar: Any = None
    # The field's name of the node; several where it depends on which inputs are tracked (by mask, from 1). Made from the name if not given.
    node: str | tuple[str, ...] = ""
    # The symbol, for errors: "+".
    operator: str | None = None
    # Where tests sample it, by input.
    domain: Any = None
    # What holds where there is no derivative, and, in terms of saved values, where that is.
    kinks: str = ""
    kink: Callable[..., Any] | None = None
    # Whether each element of the result depends on the elements at its place alone; known by itself of ops with `scalar`.
    elementwise: bool = False
    # Whether inputs may be truth values and whole numbers; whether the result is one; whether elements only move, so that they stay so.
    masks: bool = False
    boolean: bool = False
    moves: bool = False
    # Whether the first parameter is a list of inputs; how many results there are; whether an array result shares memory.
    variadic: bool = False
    outputs: int = 1
    view: bool = False
    # Whether its rules take the engine's own buffer, to change it in place and pass it on.
    takes_owned: bool = False
    # What to do in a plain pass in place of applying the rules and delivering what they give: `run(node, g)`.
    run: Callable[..., None] | None = None

    def __init__(self, forward: Callable[..., Any], rules: dict[str, Callable[..., Any] | None], settings: dict[str, Any]) -> None:
        code = forward.__code__
        self.name: str = settings.pop("name", forward.__name__.rstrip("_"))
        self.parameters: tuple[str, ...] = code.co_varnames[: code.co_argcount]
        self.defaults: tuple[Any, ...] = forward.__defaults__ or ()
        self.inputs = tuple(p for p in self.parameters if p in rules)
        self.statics = self.parameters[len(self.inputs) :]
        if self.parameters[: len(self.inputs)] != self.inputs:
            raise TypeError(f"the inputs of {self.name} must come first: {self.inputs}")
        self.rules = tuple(rules[name] for name in self.inputs)
        self.array = forward
        self.doc = (forward.__doc__ or "").strip()
        for name, value in settings.items():
            if name not in Op.__annotations__:
                raise TypeError(f"unknown setting of {self.name}: {name}")
            setattr(self, name, value)
        self.node = self.node or _camel(self.name) + "Backward0"
        self.differentiable = sum(1 << i for i, rule in enumerate(self.rules) if rule is not None)
        # Whether it is a function of one or two differentiable inputs and nothing else.
        single = not (self.variadic or self.statics or self.masks or self.boolean or self.outputs > 1)
        self.plain = single and len(self.inputs) in (1, 2) and all(self.rules)
        self.elementwise = self.elementwise or (self.plain and self.scalar is not None)
        # Whether floats have a function of their own, so that the path of scalars can be written out.
        self.on_scalars = self.plain and self.scalar is not None
        self.scalar = self.scalar or forward
        self._derivatives: dict[int, Derivative] = {}
        self.call = self._call_path()
        self._function: Callable[..., Any] | None = None

    @classmethod
    def of_formula(cls, function: Callable[..., Any], settings: dict[str, Any]) -> Op:
        """The entry of a composition: no inputs of its own, so no rules."""
        direct = settings.pop("direct", False)
        made = cls(function, {}, settings)
        code = function.__code__
        made.variadic = bool(code.co_flags & _TAKES_ANY_NUMBER)
        made.parameters = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        made.defaults = (*made.defaults, *(function.__kwdefaults__ or {}).values())
        made.call = function if direct else _in_the_name_of_the_caller(function)
        return made

    @property
    def required(self) -> int:
        """How many arguments have no default."""
        return len(self.parameters) - len(self.defaults)

    def node_name(self, mask: int) -> str:
        """The field's name of the node for the inputs that `mask` says are tracked."""
        return self.node if isinstance(self.node, str) else self.node[mask - 1]

    def derivative(self, mask: int) -> Derivative:
        """The derivative for the inputs that `mask` says are tracked (bit i for input i)."""
        found = self._derivatives.get(mask)
        if found is None:
            found = self._derivatives[mask] = Derivative(self, mask)
        return found

    @property
    def function(self) -> Callable[..., Any]:
        """What a program calls: the general path, preceded by a fast one for scalars where the op has one. Written when first asked for."""
        if self._function is None:
            from .fastpath import specialise

            self._function = specialise(self) if self.on_scalars else self.call
        return self._function

    def _call_path(self) -> Callable[..., Any]:
        call = _general(self) if not self.plain else _unary(self) if len(self.inputs) == 1 else _binary(self)
        if not self.plain and len(self.inputs) == 1 and self.differentiable and not (self.variadic or self.masks or self.outputs > 1):
            call = _one_tensor(self, call)
        call.__name__ = call.__qualname__ = self.name
        call.__doc__ = self.doc
        return call


def op(**declaration: Any) -> Callable[[Callable[..., Any]], Any]:
    """Declares an op: `@op(x=lambda g, y: g * y) def exp(x): ...`.

    A keyword that is a parameter of the function is that input's rule, written with the functions the user calls, so that it
    runs on floats, arrays and Tensors alike. The other keywords are settings, the attributes of Op.
    """

    def declare(forward: Callable[..., Any]) -> Callable[..., Any]:
        parameters = forward.__code__.co_varnames[: forward.__code__.co_argcount]
        rules = {name: declaration[name] for name in declaration if name in parameters}
        made = Op(forward, rules, {name: value for name, value in declaration.items() if name not in rules})
        registry[made.name] = made
        return made.call

    return declare


def formula(**settings: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declares a function that is a composition of ops: it needs no rule, and its nodes are those of the ops it calls.

    `direct` says that it records nothing by an operator of its own, only by calling ops, which look for the caller themselves.
    """

    def declare(function: Callable[..., Any]) -> Callable[..., Any]:
        made = Op.of_formula(function, settings)
        registry[made.name] = made
        return made.call

    return declare


# ---------------------------------------------------------------- the path of a call


def _unary(op: Op) -> Callable[..., Any]:
    scalar, array, derivative = op.scalar, op.array, None

    def call(x: Any) -> Any:
        nonlocal derivative
        if x.__class__ is float:
            return scalar(x)
        if x.__class__ is Batched:
            return lift(op, [x])
        if x.__class__ is Tensor:
            data, node = x.data, x.node
            y = scalar(data) if data.__class__ is float else array(data)
            if node is None:
                return wrap(y)
            if derivative is None:
                derivative = op.derivative(1)
            return record(derivative, y, (node,), derivative.save(y, data))
        data = as_raw(x)
        y = scalar(data) if data.__class__ is float else array(data)
        return wrap(y) if isinstance(x, Tensor) else y

    return call


def _binary(op: Op) -> Callable[..., Any]:
    scalar, array = op.scalar, op.array
    derivatives: list[Any] = [None, None, None, None]

    def call(a: Any, b: Any) -> Any:
        if a.__class__ is Batched or b.__class__ is Batched:
            return lift(op, [a, b])
        if a.__class__ is Tensor:
            x, p = a.data, a.node
        elif a.__class__ is float:
            x, p = a, None
        else:
            x, p = as_raw(a), None
        if b.__class__ is Tensor:
            z, q = b.data, b.node
        elif b.__class__ is float:
            z, q = b, None
        else:
            z, q = as_raw(b), None
        if x.__class__ is float and z.__class__ is float:
            y = scalar(x, z)
        else:
            try:
                y = array(x, z)
            except ValueError:
                raise misfit(op.operator or op.name, x, z) from None
        if p is None and q is None:
            return wrap(y) if isinstance(a, Tensor) or isinstance(b, Tensor) else y
        mask = 3 if p is not None and q is not None else 1 if q is None else 2
        derivative = derivatives[mask]
        if derivative is None:
            derivative = derivatives[mask] = op.derivative(mask)
        return record(derivative, y, (p, q), derivative.save(y, x, z))

    return call


def _general(op: Op) -> Callable[..., Any]:
    """Any number of inputs, settings beside them, lists of inputs, several results."""
    input_count, keep = len(op.inputs), op.masks or op.moves

    def call(*args: Any, **named: Any) -> Any:
        values = bind(op, args, named)
        if any(v.__class__ is Batched for v in (values[0] if op.variadic else values[:input_count])):
            return lift(op, values)
        edges: Any
        if op.variadic:
            raws, edges, boxed = _unwrap_all(values[0], keep)
            values[0] = raws
            mask = 1 if any(e is not None for e in edges) else 0
        else:
            values[:input_count], edges, boxed = _unwrap_all(values[:input_count], keep)
            mask = sum(1 << i for i, e in enumerate(edges) if e is not None)
        mask &= op.differentiable
        y = op.array(*values)
        if not boxed:
            return y
        if not mask:
            found = tuple(map(wrap_any, y)) if op.outputs > 1 else wrap_any(y)
        else:
            derivative = op.derivative(mask)
            found = record(derivative, y, tuple(edges), derivative.save(y, *values))
        if op.view and y.__class__ is not float and modes.local.boxed:
            note_view(args[0], op, tuple(values[1:]), found)  # type: ignore[arg-type]
        return found

    return call


def _one_tensor(op: Op, general: Callable[..., Any]) -> Callable[..., Any]:
    """One tensor and settings, all given in their order, as the engine's own calls are: nothing has to be sorted out."""
    array, count, derivative, view = op.array, len(op.parameters), None, op.view

    def call(*args: Any, **named: Any) -> Any:
        nonlocal derivative
        if named or len(args) != count:
            return general(*args, **named)
        x = args[0]
        if x.__class__ is Tensor:
            node = x.node
            if node is not None and not (view and modes.local.boxed):
                if derivative is None:
                    derivative = op.derivative(1)
                y = array(x.data, *args[1:])
                return record(derivative, y, (node,), derivative.save(y, x.data, *args[1:]))
        elif x.__class__ is float or x.__class__ is np.ndarray:
            return array(*args)
        return general(*args)

    return call


def _in_the_name_of_the_caller(function: Callable[..., Any]) -> Callable[..., Any]:
    """A composition whose nodes all stand where it was called."""

    def call(*args: Any, **named: Any) -> Any:
        args = tuple(as_raw(a) if a.__class__ is list and not any(isinstance(item, Tensor) for item in a) else a for a in args)
        local = modes.local
        if local.place is not None or not any(isinstance(a, Tensor) for a in (*args, *named.values())):
            return function(*args, **named)
        local.place = here()
        modes.add_special(1)
        try:
            return function(*args, **named)
        finally:
            modes.add_special(-1)
            local.place = None

    call.__name__ = call.__qualname__ = function.__name__
    call.__doc__ = function.__doc__
    return call


def _unwrap_all(values: Sequence[Any], keep: bool) -> tuple[list[Any], list[Any], bool]:
    """Raw values, their edges, and whether any was a Tensor."""
    raws, edges, boxed = [], [], False
    for value in values:
        if value.__class__ is Tensor:
            raws.append(value.data)
            edges.append(value.node)
            boxed = True
        else:
            raws.append(value if value is None else as_raw(value, keep))
            edges.append(None)
            boxed = boxed or isinstance(value, Tensor)
    return raws, edges, boxed


def bind(op: Op, args: Sequence[Any], named: dict[str, Any]) -> list[Any]:
    """The arguments of a call in the order of the parameters, defaults filled in."""
    parameters = op.parameters
    if op.variadic:
        listed = args[0] if len(args) == 1 and isinstance(args[0], (list, tuple)) else args
        args = (listed,)
    if len(args) > len(parameters):
        raise ArgumentError(f"{op.name}() takes at most {len(parameters)} arguments, {len(args)} were given")
    values = list(args)
    for name in parameters[len(args) :]:
        if name in named:
            values.append(named.pop(name))
            continue
        place = len(values) - op.required
        if place < 0:
            raise ArgumentError(f"{op.name}() needs its argument {name!r}")
        values.append(op.defaults[place])
    for name in named:
        reason = "twice" if name in parameters else "but has no such parameter"
        raise ArgumentError(f"{op.name}() was given {name!r} {reason}")
    return values


def _camel(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))
