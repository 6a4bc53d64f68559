"""The ops, by family, and the operators and methods that they give to Tensor."""

from __future__ import annotations

import operator
from typing import Any

from ..batch import Batched
from ..op import Op, registry
from ..tensor import Tensor
from . import (
    arithmetic,
    choose,
    exponential,
    factor,
    index,
    joining,
    linear,
    making,
    nn,
    piecewise,
    reduce,
    running,
    shape,
    soft,
    special,
    trigonometric,
)

_FAMILIES = (
    arithmetic,
    choose,
    exponential,
    trigonometric,
    piecewise,
    special,
    shape,
    joining,
    index,
    reduce,
    soft,
    running,
    linear,
    factor,
    nn,
    making,
)


def _reflected(function: Any) -> Any:
    """The operator with its operands the other way round (`1 - x`)."""

    def call(b: Any, a: Any) -> Any:
        return function(a, b)

    return call


def _comparison(test: Any) -> Any:
    def call(a: Any, b: Any) -> Any:
        return NotImplemented if b is None else choose.compare(test, a, b)

    return call


def _written_when_used(slot: str, op: Op) -> Any:
    """The operator until it is first used: then its fast path is written and takes its place. A program uses few of them."""

    def call(*operands: Any) -> Any:
        setattr(Tensor, slot, op.function)
        return op.call(*operands)

    call.__name__ = call.__qualname__ = op.name
    call.__doc__ = op.doc
    return call


# Python's names of the operators that have a fast path; `-x` is the only one of one operand.
_OPERATORS = {
    "add": "add",
    "sub": "sub",
    "mul": "mul",
    "truediv": "div",
    "pow": "pow",
    "mod": "remainder",
    "floordiv": "floor_divide",
    "neg": "neg",
}
_COMMUTE = ("add", "mul")  # a number on the left needs no second function


def _install_operators() -> None:
    """Gives Tensor its operators."""
    for name, op_name in _OPERATORS.items():
        op = registry[op_name]
        for slot in (f"__{name}__", f"__r{name}__") if name in _COMMUTE else (f"__{name}__",):
            setattr(Tensor, slot, _written_when_used(slot, op))
        if name not in (*_COMMUTE, "neg"):
            setattr(Tensor, f"__r{name}__", _reflected(op.call))
    others = {
        "pos": lambda x: x,
        "abs": registry["abs"].call,
        "matmul": linear.matmul,
        "rmatmul": _reflected(linear.matmul),
        "getitem": index.getitem,
        "invert": registry["logical_not"].call,
    }
    others |= {name: _comparison(getattr(operator, name)) for name in ("lt", "le", "gt", "ge", "eq", "ne")}
    others |= {f"{side}{name}": registry[f"logical_{name}"].call for name in ("and", "or") for side in ("", "r")}
    for name, function in others.items():
        setattr(Tensor, f"__{name}__", function)
    # What stands in a rule may be batched.
    for name in ("add", "sub", "mul", "truediv", "pow", "neg", "matmul"):
        function = registry[_OPERATORS.get(name, name)].call
        setattr(Batched, f"__{name}__", function)
        if name != "neg":
            setattr(Batched, f"__r{name}__", function if name in _COMMUTE else _reflected(function))


# Builtins that make tensors out of nothing, or take something else first: no methods.
_NO_METHODS = {
    "zeros",
    "ones",
    "full",
    "eye",
    "arange",
    "linspace",
    "seed",
    "rand",
    "randn",
    "randint",
    "permutation",
    "einsum",
    "len",
    "meshgrid",
}


def _install_methods() -> None:
    """Every builtin whose first argument is a tensor is a method too: `x.sin()`, `A.sum(axis=0)`."""
    for name, op in registry.items():
        if op.builtin and name not in _NO_METHODS and not hasattr(Tensor, name):
            setattr(Tensor, name, op.call)
    setattr(Tensor, "T", property(shape.transpose))  # noqa: B010 - declared for type checkers in tensor.py


_install_operators()
_install_methods()


def builtins() -> dict[str, Op]:
    """The ops that a program may call by name."""
    return {name: op for name, op in registry.items() if op.builtin}


def __getattr__(name: str) -> Any:
    found = registry.get(name) or registry.get({"floordiv": "floor_divide", "mod": "remainder"}.get(name, ""))
    if found is not None:
        function = globals()[name] = found.function  # the next time it is found at once
        return function
    for family in _FAMILIES:
        if hasattr(family, name):
            return getattr(family, name)
    raise AttributeError(f"no op is called {name!r}")


__all__ = ["builtins"]
