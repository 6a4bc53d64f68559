"""Did you mean: the closest of the names that exist."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

# What other languages call things.
FOREIGN = {
    "ln": "log", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2", "arcsinh": "asinh", "arccosh": "acosh",
    "arctanh": "atanh", "concatenate": "concat", "cat": "concat", "power": "x^y", "pow": "x^y", "mm": "matmul", "fabs": "abs",
    "range_": "range", "array": "[…]", "tensor": "[…]", "True": "true", "False": "false", "Inf": "inf", "infinity": "inf", "NaN": "nan",
    "PI": "pi", "Pi": "pi", "length": "len", "println": "print", "printf": "print", "echo": "print", "gamma": "exp(lgamma(x))",
    "clip": "clamp", "average": "mean", "mse_loss": "mse", "ceiling": "ceil", "signum": "sign", "sgn": "sign", "rad": "x*pi/180",
    "None": "a plain number or nothing at all",
    "float": "a number is always a float", "int": "trunc", "const": "a plain assignment", "let": "a plain assignment",
    "var_": "a plain assignment", "gradient": "grad", "derivative": "f'(x)", "diff": "f'(x)", "transposed": "transpose",
}  # fmt: skip

MODULES = frozenset({"np", "numpy", "math", "cmath", "torch", "tf", "jnp", "scipy"})


def closest(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate nearest to a misspelt name, if one is near enough."""
    limit = 1 if len(name) <= 3 else 2 if len(name) <= 7 else 3
    best, nearest, common = None, limit + 1, 0
    lowered = name.lower()
    for candidate in candidates:
        if abs(len(candidate) - len(name)) > nearest or (len(name) < 2 and candidate.lower() != lowered):
            continue
        distance = 0 if candidate.lower() == lowered else edits(name, candidate)
        if distance > limit or distance >= max(len(name), 2):
            continue
        shared = next((i for i, (a, b) in enumerate(zip(name, candidate, strict=False)) if a != b), min(len(name), len(candidate)))
        if distance < nearest or (distance == nearest and shared > common):
            best, nearest, common = candidate, distance, shared
    return best


def edits(a: str, b: str) -> int:
    """Insertions, deletions, changes and swaps of neighbours that turn one word into the other."""
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, last, row = row, before, [i]
        for j, y in enumerate(b, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
    return row[-1]


def suggestion(name: str, candidates: Iterable[str]) -> str | None:
    """The help line for an unknown name."""
    if name in MODULES:
        return f"there are no modules: write sin(x), not {name}.sin(x)"
    found = closest(name, candidates)
    if found is None or (name in FOREIGN and name.lower() != found.lower()):
        if name in FOREIGN:
            return f"in dagrad this is {FOREIGN[name]}"
        return None
    return f"did you mean '{found}'?"
