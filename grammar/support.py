"""The functions of the language that belong neither to the engine nor to one run: loops, unpacking, assertions, checks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dagrad import engine
from dagrad.engine import EngineError, Tensor, ops

from .values import Text, Tuple, format_number, format_value, kind_of, no_value
from .words import plural

if TYPE_CHECKING:
    from collections.abc import Iterator


def value(result: Any) -> Any:
    """The result of a function that may have returned nothing."""
    if result is None:
        raise no_value()
    return result


def boxed(result: Any) -> Any:
    """What an op made of plain numbers alone, as the language holds it: an array as a tensor."""
    if result.__class__ is float or isinstance(result, (float, Tensor)):
        return result
    return engine.untracked(result) if result.ndim else float(result)


def call(function: Any, *arguments: Any, **named: Any) -> Any:
    """A call with named arguments of a function that was not known before the run."""
    code = getattr(function, "__code__", None)
    if code is not None and function.__globals__.get("r_call") is call:
        named = {f"v_{name}": item for name, item in named.items()}
    return function(*arguments, **named)


def unset(name: str) -> None:
    """A call before the definition's own line, where its defaults are evaluated."""
    raise EngineError(
        f"the default of '{name}' is not evaluated yet",
        kind="unset-name",
        help="call the function after its definition, or pass the argument",
    )


def keep(item: Any) -> Any:
    """A parameter that is returned: a param of the program keeps its present value."""
    return engine.alias(item) if item.__class__ is Tensor and item.node is not None and item.is_leaf else item


def bare(leaf: Tensor, other: Any) -> Any:
    """The value of a param without its history, where it meets another value in an update; with it where they do not fit."""
    if other.__class__ is float and leaf.data.__class__ is float:
        return leaf.data
    return engine.detach(leaf) if other.__class__ is float or other.__class__ is Tensor else leaf


def text(*parts: str) -> Text:
    """A string from its pieces."""
    return Text("".join(parts))


def whole_number(number: Any) -> int:
    """An argument of range as an int."""
    if number.__class__ is int:
        return int(number)
    if isinstance(number, (float, int, Tensor)):
        number = float(number)
        if number == number and abs(number) != float("inf") and number == int(number):
            return int(number)
        raise EngineError(
            f"range counts in whole numbers, not {format_number(number)}", kind="value", help="linspace(a, b, n) gives fractions"
        )
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
        yield ops.index.select(tensor, i)


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
    return EngineError(f"{plural(have, 'value')} cannot be unpacked into {plural(count, 'name')}", kind="value")


def assign_element(leaf: Tensor, key: Any, item: Any) -> None:
    """`w[key] = item` on a param: the leaf gets the changed value."""
    engine.assign(leaf, ops.index.setitem(engine.detach(leaf), key, engine.detach(item) if isinstance(item, Tensor) else item))


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
        shown = format_number(data) if isinstance(data, float) else "a tensor with inf or nan in it"
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
    difference: Any = data - data if isinstance(data, float) or hasattr(data, "shape") else 0.0
    return bool((difference == 0.0).all()) if hasattr(difference, "all") else difference == 0.0


def assert_close(a: Any, b: Any, rtol: Any = 1e-7, atol: Any = 0.0) -> None:
    """Stops where a and b differ by more than atol + rtol * |b|."""
    pairs = list(_pairs(a, b))
    x, y = max(pairs, key=lambda pair: _excess(pair[0], pair[1], rtol, atol), default=(0.0, 0.0))
    if _excess(x, y, rtol, atol) > 0:
        raise EngineError(
            f"not close: {format_number(x)} and {format_number(y)} differ by {format_number(abs(x - y))}",
            kind="assertion",
            help=f"allowed is {format_number(float(atol) + float(rtol) * abs(y))} (rtol={format_value(rtol)}, atol={format_value(atol)})",
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
        raise EngineError(
            f"assert_close compares numbers and tensors, not {kind_of(b if isinstance(a, (float, Tensor)) else a)}", kind="type"
        )
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
