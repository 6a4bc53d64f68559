"""The names that the language has of itself: the engine's ops, and the few functions that are no ops."""

from __future__ import annotations

import functools
import math

from .record import Value
from .words import plural

# Functions through which a program sees more of the graph than `backward` does, or differentiates a pass.
DERIVING = frozenset({"grad", "jacobian", "hessian", "jvp", "vjp", "hvp", "minimize", "least_squares", "lbfgs"})

CONSTANTS = {"pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan}


class Signature(Value):
    """How a function may be called: its parameters, how many of them have no default, and whether any number may follow."""

    parameters: tuple[str, ...]
    required: int
    variadic: bool = False
    returns: bool = True
    kept: str | None = None  # what to write so that the result is kept; a call whose result is not does nothing

    def describe(self) -> str:
        """ "2 arguments", "1 to 3 arguments"."""
        most, least = len(self.parameters), self.required
        if self.variadic:
            return f"{least} or more arguments" if least else "any number of arguments"
        return plural(least, "argument") if most == least else f"{least} to {most} arguments"


# Functions that belong to a run rather than to the engine; runtime.py has their bodies.
OWN = {
    "print": Signature((), 0, variadic=True, returns=False),
    "str": Signature(("x",), 1),
    "len": Signature(("x",), 1),
    "load": Signature(("path", "column"), 1),
    "save": Signature(("path", "x"), 2, returns=False),
    "assert_close": Signature(("a", "b", "rtol", "atol"), 2, returns=False),
    "seed": Signature(("n",), 1, returns=False),
    "backward": Signature(("y", "gradient", "retain_graph", "create_graph"), 1, returns=False),
    "zero_grad": Signature((), 0, variadic=True, returns=False),
    "grad": Signature(("y", "x"), 2, variadic=True),
    "jacobian": Signature(("y", "x"), 2),
    "hessian": Signature(("y", "x"), 2),
    "jvp": Signature(("y", "x", "v"), 3),
    "vjp": Signature(("y", "x", "v"), 3),
    "hvp": Signature(("y", "x", "v"), 3),
    "detach": Signature(("x",), 1),
    "minimize": Signature(("f", "x0", "method"), 2, kept="x = minimize(…)"),
    "least_squares": Signature(("r", "x0", "method"), 2, kept="x = least_squares(…)"),
    "sgd": Signature(("lr", "momentum"), 0, variadic=True, kept="opt = sgd(…) and step(opt)"),
    "adam": Signature(("lr", "beta1", "beta2", "eps"), 0, variadic=True, kept="opt = adam(…) and step(opt)"),
    "lbfgs": Signature(("lr", "history"), 0, variadic=True, kept="opt = lbfgs(…) and step(opt)"),
    "step": Signature(("opt",), 1, returns=False),
    "range": Signature(("start", "stop", "step"), 1),
}


@functools.cache
def signatures() -> dict[str, Signature]:
    """Every function of the language by name."""
    from dagrad.engine import registry

    ops = {name: Signature(tuple(op.parameters), op.required, op.variadic) for name, op in registry.items() if op.builtin}
    return {**ops, **OWN}
