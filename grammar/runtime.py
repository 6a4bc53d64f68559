"""What compiled code may refer to: the globals of a run."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING, Any

from dagrad import engine
from dagrad.engine import EngineError, Place, Tensor, ops, registry

from . import attributes, optimize, support, values
from .builtins import OWN, signatures
from .data import load, save
from .values import Text, Tuple, boolean, format_value, kind_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from .program import Settings
    from .source import Source


class StepLimit(Exception):
    """The program made more steps than allowed."""


class DepthLimit(Exception):
    """The program nested more calls than allowed."""


_NOTHING = contextlib.nullcontext()


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
        self.shown: Any = None

    def globals(self, used: Collection[str], names: dict[str, Any] | None = None) -> dict[str, Any]:
        """The namespace, or what is added to `names`: the runtime's functions (r_), and the operators and builtins (b_) `used`."""
        names = {} if names is None else names
        operators = {name: registry[op].function for name, op in OPERATORS.items() if name in used}
        names.update({"__builtins__": {}, **SHARED, **operators, **builtin_functions(used), **optimize.functions(self.params)})
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
        if isinstance(value, tuple) and name in self.settings.set:
            value = engine.tensor(list(value))  # on a command line (1,2) is a vector, as it is for --at
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
            self.shown = value
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
        with support.FiniteGradients() if self.settings.check_finite else _NOTHING:
            engine.backward(y, gradient, retain_graph=bool(retain_graph or create_graph), create_graph=bool(create_graph))

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


def builtin_functions(used: Iterable[str]) -> dict[str, Any]:
    """The builtins that compiled code names, by those names. The others are not made: an op's fast path takes time to write."""
    known = {f"b_{name}": name for name in signatures() if name not in OWN}
    return {**{name: _language(registry[known[name]]) for name in used if name in known}, **OWN_FUNCTIONS}


def _language(op: Any) -> Any:
    """An op's function, with truth values and tuples as the language has them."""
    function = op.function
    if op.boolean:
        return _renamed(lambda *arguments, **named: boolean(function(*arguments, **named)), op.name)
    if op.outputs != 1:
        return _renamed(lambda *arguments, **named: Tuple(map(support.boxed, function(*arguments, **named))), op.name)
    if op.moves:
        return _renamed(lambda *arguments, **named: support.boxed(function(*arguments, **named)), op.name)
    return function


def _renamed(function: Any, name: str) -> Any:
    function.__name__ = name
    return function


OWN_FUNCTIONS: dict[str, Any] = {
    "b_str": lambda x: Text(format_value(x)),
    "b_len": support.length,
    "b_assert_close": support.assert_close,
    "b_seed": ops.making.seed,
    "b_grad": support.gradients,
    "b_detach": engine.detach,
    "b_jacobian": engine.jacobian,
    "b_hessian": engine.hessian,
    "b_jvp": engine.jvp,
    "b_vjp": engine.vjp,
    "b_hvp": engine.hvp,
}
# As with builtins, only those that compiled code names are made.
OPERATORS = {"r_div": "div", "r_floordiv": "floor_divide", "r_mod": "remainder", "r_pow": "pow"}
_ENGINE = ("matmul", "getitem", "setitem", "vector", "assign", "alias", "no_grad")
_SUPPORT = ("value", "call", "keep", "bare", "text", "iterate", "unpack", "unset", "fail", "finite", "derivative", "assign_element")
_VALUES = ("TRUE", "FALSE", "UNSET", "several", "boolean", "truth", "both", "fails")
SHARED: dict[str, Any] = {
    **{f"r_{name}": getattr(engine, name) for name in _ENGINE},
    **{f"r_{name}": getattr(support, name) for name in _SUPPORT},
    **{f"r_{name}": getattr(values, name) for name in _VALUES},
    **{f"r_get_{name}": getattr(attributes, name) for name in attributes.__all__},
    "r_range": support.span,
    "r_format": values.format_with,
    "r_slice": slice,
    "r_locals": locals,
}
