"""What compiled code may refer to: the globals of a run."""

from __future__ import annotations

import contextlib
import functools
import sys
from typing import TYPE_CHECKING, Any

from dagrad import engine
from dagrad.engine import EngineError, Place, Tensor, registry

from . import attributes, values
from .builtins import OWN, signatures
from .data import load, save
from .values import Text, Tuple, boolean, format_value, kind_of, no_value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .program import Settings
    from .source import Source


class StepLimit(Exception):
    """The program made more steps than allowed."""


class DepthLimit(Exception):
    """The program nested more calls than allowed."""


class Runtime:
    """One run: its params, its output, its counts. `globals()` is the namespace of the compiled code."""

    def __init__(self, settings: Settings, sources: list[Source]) -> None:
        self.settings = settings
        self.sources = sources
        self.params: dict[str, Tensor] = {}
        self.output: list[str] = []
        self.backward_calls = 0
        self.steps = 0
        self.depth = 0
        self.imported: set[int] = set()

    def globals(self) -> dict[str, Any]:
        """The namespace: the runtime's functions (r_) and the builtins (b_), nothing else."""
        names: dict[str, Any] = {"__builtins__": {}, **SHARED, **builtin_functions()}
        names.update(
            b_print=self.print, b_backward=self.backward, b_zero_grad=self.zero_grad, b_save=self.save,
            r_param=self.param, r_input=self.input, r_step=self.step, r_enter=self.enter, r_leave=self.leave, r_show=self.show,
        )  # fmt: skip
        for index, source in enumerate(self.sources):
            names[f"b{index}_load"] = self._loader(source)
            names[f"r_import_{index}"] = self._importer(index, names)
        names["b_load"] = names.get("b0_load")
        return names

    # ---- settings

    def param(self, name: str, value: Any) -> Tensor:
        """A tracked leaf with its default or the value that was set for it."""
        value = self.settings.value_of(name, value)
        if not isinstance(value, (float, int, Tensor)):
            raise EngineError(f"the param '{name}' must be a number or a tensor, not {kind_of(value)}", kind="type")
        made = self.params[name] = engine.leaf(value, name)
        return made

    def input(self, name: str, value: Any) -> Any:
        """An untracked constant with its default or the value that was set for it."""
        value = self.settings.value_of(name, value)
        return engine.detach(value) if isinstance(value, Tensor) else value

    # ---- statements and functions that belong to the run

    def print(self, *items: Any) -> None:
        """Its arguments, joined by a space."""
        self.write(" ".join([format_value(item) for item in items]))

    def write(self, text: str) -> None:
        """One entry of the output."""
        self.output.append(text)
        if self.settings.output is not None:
            self.settings.output(text)

    def show(self, value: Any) -> None:
        """What an interactive session prints of an expression."""
        if value is not None:
            self.write(format_value(value))

    def backward(self, y: Any, gradient: Any = None, retain_graph: Any = False, create_graph: Any = False) -> None:
        """The statement `backward(y)`."""
        self.backward_calls += 1
        if self.settings.on_backward is not None:
            frame = sys._getframe(1)
            self.settings.on_backward(y, Place(frame.f_code, frame.f_lasti), self.backward_calls)
        if not isinstance(y, Tensor):
            raise EngineError(f"backward needs a value that depends on a param, not {kind_of(y)} that is not tracked", kind="backward",
                              help="declare what it depends on with param")  # fmt: skip
        with FiniteGradients() if self.settings.check_finite else contextlib.nullcontext():
            engine.backward([y], [gradient], retain_graph=bool(retain_graph) or bool(create_graph), create_graph=bool(create_graph))

    def zero_grad(self, *leaves: Any) -> None:
        """Clears the gradients of the given params, or of all."""
        engine.zero_grad(*(leaves or self.params.values()))

    def save(self, path: Any, x: Any) -> None:
        """Writes a tensor where the command line allows it."""
        save(path, x, self.settings.allow_write)

    def _loader(self, source: Source) -> Callable[..., Any]:
        def load_relative(path: Any, column: Any = None) -> Any:
            return load(path, column, source)

        return load_relative

    def _importer(self, index: int, names: dict[str, Any]) -> Callable[[], None]:
        def run_once() -> None:
            if index not in self.imported:
                self.imported.add(index)
                names[f"m_{index}"]()

        return run_once

    # ---- limits

    def step(self) -> None:
        """Counts a statement or a turn of a loop."""
        self.steps += 1
        if self.settings.max_steps is not None and self.steps > self.settings.max_steps:
            raise StepLimit

    def enter(self) -> None:
        """Counts a call."""
        self.depth += 1
        if self.depth > self.settings.max_depth:
            raise DepthLimit

    def leave(self) -> None:
        """Counts a return."""
        self.depth -= 1


def value(result: Any) -> Any:
    """The result of a function that may have returned nothing."""
    if result is None:
        raise no_value()
    return result


def call(function: Any, *arguments: Any, **named: Any) -> Any:
    """A call with named arguments of a function that was not known before the run."""
    code = getattr(function, "__code__", None)
    if code is not None and function.__globals__.get("r_call") is call:
        named = {f"v_{name}": item for name, item in named.items()}
    return function(*arguments, **named)


def unset(name: str) -> None:
    """A call before the definition's own line, where its defaults are evaluated."""
    raise EngineError(f"the default of '{name}' is not evaluated yet", kind="unset-name", help="call the function after its definition, or pass the argument")


def keep(item: Any) -> Any:
    """A parameter that is returned: a param of the program keeps its present value."""
    return engine.alias(item) if item.__class__ is Tensor and item.node is not None and item.is_leaf else item


def text(*parts: str) -> Text:
    """A string from its pieces."""
    return Text("".join(parts))


def whole_number(number: Any) -> int:
    """An argument of range as an int."""
    if number.__class__ is int:
        return number  # type: ignore[no-any-return]
    if isinstance(number, (float, int, Tensor)):
        number = float(number)
        if number == number and abs(number) != float("inf") and number == int(number):
            return int(number)
        raise EngineError(f"range counts in whole numbers, not {values.format_number(number)}", kind="value", help="linspace(a, b, n) gives fractions")
    raise EngineError(f"range counts in numbers, not {kind_of(number)}", kind="type")


def span(*bounds: Any) -> range:
    """range(n), range(a, b), range(a, b, step)."""
    numbers = [whole_number(bound) for bound in bounds]
    if len(numbers) == 3 and numbers[2] == 0:
        raise EngineError("range with a step of 0 never ends", kind="value")
    return range(*numbers)


def iterate(sequence: Any) -> Iterator[Any]:
    """What a `for` runs through: the elements of a tuple, the elements or rows of a tensor."""
    if isinstance(sequence, tuple):
        return iter(sequence)
    if isinstance(sequence, Tensor) and sequence.shape:
        return _rows(sequence)
    help = "for i in range(n) counts" if isinstance(sequence, (float, Tensor)) else None
    raise EngineError(f"{kind_of(sequence)} has no elements to run through", kind="type", help=help)


def _rows(tensor: Tensor) -> Iterator[Any]:
    tensor = keep(tensor)
    for i in range(tensor.shape[0]):
        yield engine.select(tensor, i)


def unpack(sequence: Any, count: int) -> list[Any]:
    """The values for `a, b = …`."""
    if isinstance(sequence, tuple):
        items = list(sequence)
    elif isinstance(sequence, Tensor) and sequence.shape:
        if sequence.shape[0] != count:
            raise _misfit(sequence.shape[0], count)
        items = list(_rows(sequence))
    else:
        raise EngineError(f"{kind_of(sequence)} cannot be unpacked", kind="type")
    if len(items) != count:
        raise _misfit(len(items), count)
    return items


def _misfit(have: int, count: int) -> EngineError:
    return EngineError(f"{have} value{'' if have == 1 else 's'} cannot be unpacked into {count} names", kind="value")


def assign_element(leaf: Tensor, key: Any, item: Any) -> None:
    """`w[key] = item` on a param: the leaf gets the changed value."""
    engine.assign(leaf, engine.setitem(engine.detach(leaf), key, engine.detach(item) if isinstance(item, Tensor) else item))


def fail(condition: str, message: Any = None) -> None:
    """A failed assert."""
    told = condition if message is None else format_value(message)
    raise EngineError(f"assertion failed: {told}", kind="assertion")


def finite(item: Any) -> Any:
    """Under --check-finite: stops at the operation that made inf or nan."""
    data = item.data if isinstance(item, Tensor) else item
    if isinstance(data, float):
        fine = data - data == 0.0
    elif isinstance(item, Tensor) and data.dtype.kind == "f":
        difference = data - data
        fine = bool((difference == 0.0).all())
    else:
        fine = True
    if not fine:
        shown = values.format_number(data) if isinstance(data, float) else "a tensor with inf or nan in it"
        raise EngineError(f"a value that is not finite: {shown}", kind="non-finite")
    return item


class FiniteGradients(engine.Listener):
    """Stops a backward pass at the first node that makes inf or nan out of finite gradients."""

    def ran(self, node: Any, gradient: Any, gradients: Any) -> None:
        if all(_is_finite(part) for part in gradients):
            return
        label = (node.span, f"the backward of {node.name()} made it here")
        raise EngineError("a gradient that is not finite", kind="non-finite", labels=[label])


def _is_finite(gradient: Any) -> bool:
    if gradient is None:
        return True
    data = getattr(gradient, "value", getattr(gradient, "array", getattr(gradient, "data", gradient)))
    difference = data - data if isinstance(data, float) or hasattr(data, "shape") else 0.0
    return bool((difference == 0.0).all()) if hasattr(difference, "all") else difference == 0.0


def assert_close(a: Any, b: Any, rtol: Any = 1e-7, atol: Any = 0.0) -> None:
    """Stops where a and b differ by more than atol + rtol * |b|."""
    pairs = list(_pairs(a, b))
    worst = max(pairs, key=lambda p: _excess(*p, rtol, atol), default=None)
    if worst is not None and _excess(*worst, rtol, atol) > 0:
        x, y = worst
        raise EngineError(
            f"not close: {values.format_number(x)} and {values.format_number(y)} differ by {values.format_number(abs(x - y))}",
            kind="assertion",
            help=f"allowed is {values.format_number(float(atol) + float(rtol) * abs(y))} (rtol={format_value(rtol)}, atol={format_value(atol)})",
        )


def _excess(x: float, y: float, rtol: Any, atol: Any) -> float:
    if x == y:
        return 0.0
    difference = abs(x - y)
    allowed = float(atol) + float(rtol) * abs(y)
    return difference - allowed if difference - difference == 0 and allowed == allowed else float("inf")


def _pairs(a: Any, b: Any) -> Iterator[tuple[float, float]]:
    if isinstance(a, (float, int)) and isinstance(b, (float, int)):
        yield float(a), float(b)
        return
    if not isinstance(a, (float, Tensor)) or not isinstance(b, (float, Tensor)):
        raise EngineError(f"assert_close compares numbers and tensors, not {kind_of(b if isinstance(a, (float, Tensor)) else a)}", kind="type")
    import numpy as np

    left, right = (np.asarray(v.data if isinstance(v, Tensor) else v, dtype=float) for v in (a, b))
    try:
        left, right = np.broadcast_arrays(left, right)
    except ValueError:
        raise EngineError(f"assert_close of shapes {left.shape} and {right.shape}", kind="shape") from None
    yield from zip(left.ravel().tolist(), right.ravel().tolist(), strict=True)


def derivative(function: Any, order: int) -> Any:
    """f', f''…"""
    if not callable(function):
        raise EngineError(f"{kind_of(function)} has no derivative; a function is needed", kind="type")
    return engine.derivative(function, order)


def length(x: Any) -> float:
    """len(x): elements of a vector, rows of a matrix, values of a tuple."""
    if isinstance(x, (tuple, str)):
        return float(len(x))
    if isinstance(x, Tensor) and x.shape:
        return float(x.shape[0])
    raise EngineError(f"{kind_of(x)} has no length", kind="type")


def gradients(y: Any, *x: Any) -> Any:
    """grad(y, x), and a tuple for several x."""
    found = engine.partials(y, *x)
    return Tuple(found) if isinstance(found, tuple) else found


@functools.cache
def builtin_functions() -> dict[str, Any]:
    """The builtins by their names in compiled code."""
    return {**{f"b_{name}": _language(registry[name]) for name in signatures() if name not in OWN}, **OWN_FUNCTIONS}


def _language(op: Any) -> Any:
    """An op's function, with truth values and tuples as the language has them."""
    function = op.function
    if op.boolean:
        return _renamed(lambda *arguments, **named: boolean(function(*arguments, **named)), op.name)
    if op.outputs != 1:
        return _renamed(lambda *arguments, **named: Tuple(function(*arguments, **named)), op.name)
    return function


def _renamed(function: Any, name: str) -> Any:
    function.__name__ = name
    return function


OWN_FUNCTIONS: dict[str, Any] = {
    "b_str": lambda x: Text(format_value(x)),
    "b_len": length,
    "b_assert_close": assert_close,
    "b_seed": engine.seed,
    "b_grad": gradients,
    "b_jacobian": engine.jacobian,
    "b_hessian": engine.hessian,
    "b_jvp": engine.jvp,
    "b_vjp": engine.vjp,
    "b_hvp": engine.hvp,
    "b_detach": engine.detach,
}
SHARED: dict[str, Any] = {
    **{f"r_{name}": getattr(engine, name) for name in ("div", "floordiv", "mod", "pow", "matmul", "getitem", "setitem", "vector", "assign", "alias", "no_grad")},
    **{f"r_get_{name}": getattr(attributes, name) for name in attributes.__all__},
    "r_slice": slice, "r_locals": locals, "r_Tuple": Tuple, "r_TRUE": values.TRUE, "r_FALSE": values.FALSE, "r_UNSET": values.UNSET,
    "r_boolean": boolean, "r_truth": values.truth, "r_both": values.both, "r_fails": values.fails, "r_text": text, "r_format": values.format_with,
    "r_value": value, "r_call": call, "r_keep": keep, "r_range": span, "r_iterate": iterate, "r_unpack": unpack, "r_fail": fail,
    "r_finite": finite, "r_derivative": derivative, "r_unset": unset, "r_assign_element": assign_element,
}  # fmt: skip
