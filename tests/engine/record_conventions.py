"""Records PyTorch's values and gradients at kinks, ties and singular points into conventions.json, which the tests compare with.

    python tests/engine/record_conventions.py        # in an environment with PyTorch 2.13; the tests themselves need none

Each row is an expression over `F` and its inputs that PyTorch and dagrad can both evaluate; TORCH maps dagrad's names to
PyTorch's functions. A row that dagrad answers differently on purpose says why (`deviates`) and carries dagrad's own answer.
"""

from __future__ import annotations

import json
import math
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

VERSION = "2.13.0"
TARGET = Path(__file__).with_name("conventions.json")
inf, nan = math.inf, math.nan

# (section, expression, inputs) and, where given: second derivatives too, the sign of zeros, dagrad's own answer and the reason for
# it, and the expression in PyTorch's terms where it is another.
ROWS: list[dict[str, Any]] = []


def row(section: str, expression: str, **settings: Any) -> None:
    inputs = {name: settings.pop(name) for name in ("x", "y", "z") if name in settings}
    ROWS.append({"section": section, "expression": expression, "inputs": inputs, **settings})


def rows(section: str, expressions: str, *points: float, **settings: Any) -> None:
    """Each of several functions of one number at each of several points."""
    for name in expressions.split():
        for point in points:
            row(section, f"F.{name}(x)", x=point, **settings)


# ---------------------------------------------------------------- piecewise linear

KINKS = "piecewise linear"
rows(KINKS, "abs", 0.0, -0.0, nan)
rows(KINKS, "sign", 0.0, 3.0, nan)
rows(KINKS, "relu", 0.0, -0.0, nan)
rows(KINKS, "leaky_relu elu selu softplus logsigmoid gelu silu softsign mish", 0.0)
rows(KINKS, "hardtanh", -1.0, 1.0, 0.5)
rows(KINKS, "floor ceil round trunc frac", 2.0, -2.5, 0.5, -0.5)
row(KINKS, "F.l1_loss(x, y)", x=1.5, y=1.5)
row(KINKS, "F.huber(x, y)", x=2.0, y=1.0)
row(KINKS, "F.huber(x, y)", x=1.0, y=1.0)
row(KINKS, "x // y", x=7.0, y=2.0, torch_expression="torch.div(x, y, rounding_mode='floor')")
row(
    KINKS,
    "x // y",
    x=7.0,
    y=2.0,
    deviates="floor division has gradient 0, as floor has; PyTorch has no derivative for it",
    own={"value": 3.0, "grads": {"x": 0.0, "y": 0.0}},
)

# ---------------------------------------------------------------- clamp

CLAMP = "clamp"
for point in (0.0, 1.0, -1.0, 2.0, 0.5, nan):
    row(CLAMP, "F.clamp(x, 0.0, 1.0)", x=point, second=point == 0.5)
row(CLAMP, "F.clamp(x, min=0.0)", x=0.0)
row(CLAMP, "F.clamp(x, max=1.0)", x=1.0)
for point, low, high in (
    (0.0, 0.0, 1.0),
    (1.0, 0.0, 1.0),
    (-1.0, 0.0, 1.0),
    (2.0, 0.0, 1.0),
    (0.5, 0.0, 1.0),
    (0.5, 2.0, 1.0),
    (3.0, 2.0, 1.0),
    (1.5, 2.0, 1.0),
):
    row(CLAMP, "F.clamp(x, y, z)", x=point, y=low, z=high)

# ---------------------------------------------------------------- the larger, the smaller, and order

ORDER = "order"
for name in ("maximum", "minimum", "fmax", "fmin"):
    for a, b in ((1.0, 1.0), (nan, 1.0), (1.0, nan), (nan, nan), (0.0, -0.0), (inf, inf)):
        row(ORDER, f"F.{name}(x, y)", x=a, y=b)
row(ORDER, "F.max(x)", x=[1.0, 3.0, 3.0])
row(ORDER, "F.min(x)", x=[1.0, 1.0, 3.0])
row(ORDER, "F.max(x)", x=[1.0, nan, nan])
row(ORDER, "F.max(x)", x=[2.0, 2.0, 2.0])
row(ORDER, "F.max(x, axis=0)", x=[1.0, 3.0, 3.0])
row(ORDER, "F.min(x, axis=0)", x=[1.0, 1.0, 3.0])
row(ORDER, "F.max(x, axis=1)", x=[[1.0, 3.0, 3.0], [2.0, 2.0, 2.0]])
EVENLY = "equal elements share evenly with an axis too; PyTorch gives everything to the element that its index names"
row(
    ORDER,
    "F.max(x, axis=0)",
    x=[1.0, 3.0, 3.0],
    torch_expression="torch.max(x, 0).values",
    deviates=EVENLY,
    own={"value": 3.0, "grads": {"x": [0.0, 0.5, 0.5]}},
)
row(
    ORDER,
    "F.min(x, axis=0)",
    x=[1.0, 1.0, 3.0],
    torch_expression="torch.min(x, 0).values",
    deviates=EVENLY,
    own={"value": 1.0, "grads": {"x": [0.5, 0.5, 0.0]}},
)
row(ORDER, "F.median(x)", x=[1.0, 2.0, 2.0, 3.0])
row(ORDER, "F.median(x)", x=[1.0, 2.0, 3.0, 4.0])
row(ORDER, "F.median(x)", x=[1.0, nan, 3.0])
row(
    ORDER,
    "F.median(x, axis=0)",
    x=[1.0, 2.0, 2.0, 3.0],
    torch_expression="torch.median(x, 0).values",
    deviates=EVENLY,
    own={"value": 2.0, "grads": {"x": [0.0, 0.5, 0.5, 0.0]}},
)
row(ORDER, "F.quantile(x, 0.5)", x=[1.0, 2.0, 3.0, 4.0])
row(ORDER, "F.quantile(x, 0.3)", x=[4.0, 1.0, 3.0, 2.0])
row(ORDER, "F.quantile(x, 0.3, keepdims=True)", x=[[4.0, 1.0], [3.0, 2.0]], torch_expression="torch.quantile(x, 0.3, keepdim=True)")
row(ORDER, "F.max(x, axis=[0, 2])", x=[[[1.0, 3.0], [2.0, 2.0]], [[3.0, 0.0], [1.0, 2.0]]])
row(ORDER, "F.topk(x, 2)", x=[3.0, 3.0, 3.0])
row(ORDER, "F.sort(x) * F.vector([1.0, 2.0, 3.0])", x=[2.0, 1.0, 2.0])
row(ORDER, "F.sort(x, descending=True) * F.vector([1.0, 2.0, 3.0])", x=[2.0, 1.0, 2.0])
row(ORDER, "F.cummax(x)", x=[1.0, 1.0, 0.0, 2.0])

# ---------------------------------------------------------------- roots, logarithms, division

POLES = "roots, logarithms, division"
row(POLES, "F.sqrt(x)", x=0.0, second=True)
row(POLES, "0.0 * F.sqrt(x)", x=0.0)
row(POLES, "F.sqrt(x)", x=-1.0)
rows(POLES, "rsqrt reciprocal", 0.0)
row(POLES, "1.0 / x", x=0.0)
row(POLES, "x / y", x=1.0, y=0.0)
row(POLES, "x / y", x=0.0, y=0.0)
row(POLES, "x / x", x=0.0)
rows(POLES, "log log2 log10", 0.0, -1.0)
rows(POLES, "log1p", -1.0)
row(POLES, "x * F.log(x)", x=0.0)
row(POLES, "F.xlogy(x, y)", x=0.0, y=0.0)
row(POLES, "F.xlogy(x, y)", x=0.0, y=1.0)
row(POLES, "F.xlogy(x, y)", x=0.0, y=-1.0)
row(POLES, "F.xlogy(x, y)", x=0.0, y=nan)
rows(POLES, "erfinv", 1.0, -1.0, 2.0)
rows(POLES, "lgamma", 0.0, -1.0)
rows(POLES, "logit", 0.0, 1.0, -1.0, 2.5)
row(POLES, "F.logit(x, eps=1e-6)", x=0.0)
row(POLES, "F.logit(x, eps=1e-6)", x=1e-6)

# ---------------------------------------------------------------- exponential and trigonometric

CURVES = "exponential and trigonometric"
rows(CURVES, "exp", 1000.0, -1000.0)
rows(CURVES, "sigmoid softplus logsigmoid", 1000.0, -1000.0)
rows(CURVES, "tanh", inf, -inf)
rows(CURVES, "asin", 1.0, 2.0)
rows(CURVES, "acos", 1.0, -1.0)
rows(CURVES, "atanh acosh", 1.0)
rows(CURVES, "sin cos tan", inf)
rows(CURVES, "tan", math.pi / 2)
row(CURVES, "F.atan2(x, y)", x=0.0, y=0.0, signed=True)
row(CURVES, "F.hypot(x, y)", x=0.0, y=0.0)
row(
    CURVES,
    "F.sinc(x)",
    x=0.0,
    second=True,
    deviates="the second derivative at 0 exists: it is -pi^2 / 3",
    own={"value": 1.0, "grads": {"x": 0.0}, "second": {"x": -(math.pi**2) / 3.0}},
)

# ---------------------------------------------------------------- powers

POWERS = "powers"
for base, exponent in (
    *((0.0, e) for e in (0.0, -0.0, 1.0, 2.0, 3.0, 0.5, -1.0)),
    *(
        (b, e)
        for b, e in (
            (-1.0, 2.0),
            (-2.0, 3.0),
            (-2.0, 0.0),
            (-1.0, 0.5),
            (1.0, 0.0),
            (2.0, 0.0),
            (inf, 0.0),
            (nan, 0.0),
            (1.0, nan),
            (2.0, 3.0),
        )
    ),
):
    row(POWERS, "x ** y", x=base, y=exponent)
for exponent in (0.0, 1.0, 2.0, 3.0, 0.5, -1.0):
    row(POWERS, f"x ** {exponent}", x=0.0, second=True)
row(POWERS, "x ** 0.0", x=nan)
row(POWERS, "x ** 0.5", x=-1.0)
for exponent in (0.0, 1.0, -1.0):
    row(POWERS, "0.0 ** x", x=exponent)
row(POWERS, "(-2.0) ** x", x=2.0)
row(POWERS, "2.0 ** x", x=0.0)

# ---------------------------------------------------------------- norms, statistics, products, masks

SETS = "norms, statistics, products, masks"
NORM = "the gradient 0 is a convention, and a constant one: its derivative is 0 as that of std's is, not nan"
row(
    SETS, "F.norm(x)", x=[0.0, 0.0], second=True, deviates=NORM, own={"value": 0.0, "grads": {"x": [0.0, 0.0]}, "second": {"x": [0.0, 0.0]}}
)
row(SETS, "F.norm(x)", x=[3.0, 4.0], second=True)
row(SETS, "F.sqrt(F.sum(x * x))", x=[0.0, 0.0])
row(SETS, "F.norm(x, 1.0)", x=[0.0, 1.0, -1.0])
row(SETS, f"F.norm(x, {inf!r})".replace("inf", "float('inf')"), x=[1.0, -1.0, 0.0])
row(SETS, f"F.norm(x, {-inf!r})".replace("inf", "float('inf')"), x=[1.0, -1.0, 2.0])
row(SETS, "F.norm(x, 0.0)", x=[0.0, 1.0, 2.0])
row(SETS, "F.norm(x, 0.5)", x=[0.0, 1.0])
row(SETS, "F.norm(x, 1.5)", x=[0.0, 0.0])
row(SETS, "F.norm(x, 3.0)", x=[0.0, 0.0])
row(SETS, "F.std(x)", x=[1.0, 1.0], second=True)
row(SETS, "F.std(x)", x=[1.0, 2.0, 4.0], second=True)
row(SETS, "F.norm(x, axis=1)", x=[[6.0, 8.0], [3.0, 4.0]], second=True)
row(SETS, "F.norm(x, axis=1)", x=[[0.0, 0.0], [3.0, 4.0]])
row(SETS, "F.std(x, axis=1)", x=[[1.0, 1.0], [1.0, 3.0]], second=True)
row(SETS, "F.prod(x, axis=1)", x=[[0.0, 2.0, 3.0], [0.0, 0.0, 3.0], [1.0, 2.0, 3.0]], second=True)
row(SETS, "F.logsumexp(x, axis=1)", x=[[-inf, -inf], [0.0, 0.0]])
for name in ("std", "var"):
    row(SETS, f"F.{name}(x)", x=[1.0])
    row(SETS, f"F.{name}(x, correction=0)", x=[1.0])
row(SETS, "F.prod(x)", x=[0.0, 2.0, 3.0], second=True)
row(SETS, "F.prod(x)", x=[0.0, 0.0, 3.0])
row(SETS, "F.cumprod(x)", x=[2.0, 0.0, 3.0])
row(SETS, "F.cumprod(x)", x=[0.0, 2.0, 0.0, 4.0])
for name in ("mean", "sum", "prod"):
    row(SETS, f"F.{name}(x)", x=[])
row(SETS, "F.logsumexp(x)", x=[-inf, -inf])
row(SETS, "F.logsumexp(x)", x=[inf, 0.0])
row(SETS, "F.logsumexp(x)", x=[1000.0, 1001.0])
row(SETS, "F.logaddexp(x, y)", x=-inf, y=-inf)
row(SETS, "F.logaddexp(x, y)", x=0.0, y=0.0)
row(SETS, "F.softmax(x)", x=[-inf, 0.0])
row(SETS, "F.log_softmax(x)", x=[1000.0, 1001.0])
row(SETS, "F.where(x > 0.0, F.sqrt(x), 0.0)", x=0.0)
row(SETS, "F.where(x > 0.0, 1.0 / x, 0.0)", x=0.0)
row(SETS, "F.where(x > 0.0, F.sqrt(F.where(x > 0.0, x, 1.0)), 0.0)", x=0.0)
row(SETS, "F.where(x > 0.0, F.log(x), 0.0)", x=-1.0, signed=True)
row(SETS, "F.where(F.isnan(x), 0.0, x)", x=[nan, 1.0])
row(SETS, "(x / F.vector([0.0, 1.0]))[F.vector([0.0, 1.0]) > 0.5]", x=[1.0, 1.0])
rows(SETS, "nan_to_num", nan, inf, -inf, 1.5)
row(SETS, "x % y", x=-5.0, y=3.0)
row(SETS, "x % y", x=6.0, y=3.0)
row(SETS, "F.copysign(x, y)", x=0.0, y=1.0)
row(SETS, "F.copysign(x, y)", x=2.0, y=-0.0)
BCE = "the target's gradient is that of the clamped logarithms, as the value is; the least p (1 - p) is 1e-12, not its float32"
row(SETS, "F.bce(x, y)", x=0.0, y=0.0, deviates=BCE, own={"value": 0.0, "grads": {"x": 0.0, "y": 100.0}})
row(SETS, "F.bce(x, y)", x=1.0, y=0.0, deviates=BCE, own={"value": 100.0, "grads": {"x": 1e12, "y": -100.0}})
row(SETS, "F.bce(x, y)", x=0.0, y=1.0, deviates=BCE, own={"value": 100.0, "grads": {"x": -1e12, "y": 100.0}})
row(SETS, "F.bce_with_logits(x, y)", x=1000.0, y=0.0)
row(SETS, "F.kl_div(x, y)", x=[-1.0, -2.0], y=[0.0, 0.5])
row(
    SETS,
    "F.det(x)",
    x=[[1.0, 2.0], [2.0, 4.0]],
    deviates="the cofactors, which are the derivative; PyTorch multiplies an inverse by a determinant that rounds to 0",
    own={"value": 0.0, "grads": {"x": [[4.0, -2.0], [-2.0, 1.0]]}},
)
row(SETS, "F.det(x)", x=[[0.0, 0.0], [0.0, 0.0]])
row(
    SETS,
    "F.slogdet(x)[1]",
    x=[[1.0, 2.0], [2.0, 4.0]],
    deviates="the determinant is 0 there, so that the sign of the infinities is free: dagrad's are those of the cofactors",
    own={"value": -inf, "grads": {"x": [[inf, -inf], [-inf, inf]]}},
)
row(SETS, "F.inv(x)", x=[[1.0, 2.0], [2.0, 4.0]])
row(SETS, "F.solve(x, y)", x=[[1.0, 2.0], [2.0, 4.0]], y=[1.0, 1.0])


def adapter(torch: Any) -> SimpleNamespace:
    """dagrad's names, each as the function of PyTorch that it stands for."""
    nn = torch.nn.functional
    same = "abs sign relu floor ceil round trunc frac maximum minimum fmax fmin clamp sqrt rsqrt reciprocal log log2 log10 log1p xlogy"
    same += " erfinv lgamma logit exp sigmoid tanh asin acos atanh acosh sin cos tan atan2 hypot sinc sum mean logaddexp isnan"
    same += " nan_to_num copysign det quantile"
    table = {name: getattr(torch, name) for name in same.split()}
    table |= {
        name: getattr(nn, name)
        for name in ["leaky_relu", "elu", "selu", "softplus", "logsigmoid", "gelu", "silu", "softsign", "mish", "hardtanh", "l1_loss"]
    }
    table |= {
        "huber": nn.huber_loss,
        "bce": nn.binary_cross_entropy,
        "bce_with_logits": nn.binary_cross_entropy_with_logits,
        "kl_div": lambda log_q, p: nn.kl_div(log_q, p, reduction="mean"),
        "max": lambda x, axis=None: torch.max(x) if axis is None else torch.amax(x, axis),
        "min": lambda x, axis=None: torch.min(x) if axis is None else torch.amin(x, axis),
        "median": torch.median,
        "prod": lambda x, axis=None: torch.prod(x) if axis is None else torch.prod(x, axis),
        "topk": lambda x, k: torch.topk(x, k).values,
        "sort": lambda x, descending=False: torch.sort(x, stable=True, descending=descending).values,
        "cummax": lambda x: torch.cummax(x, 0).values,
        "cumprod": lambda x: torch.cumprod(x, 0),
        "norm": lambda x, p=2.0, axis=None: torch.linalg.vector_norm(x, p, axis),
        "std": lambda x, axis=None, correction=1: torch.std(x, axis, correction=correction),
        "var": lambda x, correction=1: torch.var(x, correction=correction),
        "logsumexp": lambda x, axis=0: torch.logsumexp(x, axis),
        "softmax": lambda x: torch.softmax(x, 0),
        "log_softmax": lambda x: torch.log_softmax(x, 0),
        "where": torch.where,
        "vector": torch.tensor,
        "slogdet": torch.linalg.slogdet,
        "inv": torch.linalg.inv,
        "solve": torch.linalg.solve,
    }
    return SimpleNamespace(**table)


def plain(value: Any) -> Any:
    """A number, or nested lists or a mapping of numbers, in JSON's terms: what is not finite is written as a word that `float` reads."""
    if isinstance(value, list):
        return [plain(v) for v in value]
    if isinstance(value, dict):
        return {name: plain(v) for name, v in value.items()}
    return value if math.isfinite(value) else repr(value)


def measure(torch: Any, F: SimpleNamespace, entry: dict[str, Any]) -> dict[str, Any]:
    """What PyTorch answers: a value, a gradient for each input (null where it is undefined) and second derivatives, or an error."""
    leaves = {name: torch.tensor(value, requires_grad=True) for name, value in entry["inputs"].items()}
    text = entry.get("torch_expression", entry["expression"])
    try:
        y = eval(text, {"F": F, "torch": torch, **leaves})
        # Not recorded: with create_graph some of PyTorch's derivatives take another formula, which rounds and fails elsewhere.
        found = torch.autograd.grad(y.sum(), list(leaves.values()), retain_graph=True, allow_unused=True)
    except RuntimeError as error:
        return {"error": str(error).splitlines()[0]}
    answer = {"value": plain(y.tolist()), "grads": named(leaves, found)}
    if entry.get("second"):
        recorded = torch.autograd.grad(y.sum(), list(leaves.values()), create_graph=True, allow_unused=True)
        total = sum(g.sum() for g in recorded if g is not None)
        again = torch.autograd.grad(total, list(leaves.values()), allow_unused=True) if total.requires_grad else [None] * len(leaves)
        answer["second"] = named(leaves, again)
    return answer


def title(entry: dict[str, Any]) -> str:
    point = ", ".join(f"{name}={value}" for name, value in entry["inputs"].items())
    text = entry["expression"].replace("F.", "")
    return f"{text} at {point}{' (deviates)' if 'deviates' in entry else ''}"


def named(leaves: dict[str, Any], gradients: Any) -> dict[str, Any]:
    return {name: None if g is None else plain(g.tolist()) for name, g in zip(leaves, gradients, strict=True)}


def main() -> None:
    import torch

    if torch.__version__.split("+")[0] != VERSION:
        raise SystemExit(f"the conventions are those of PyTorch {VERSION}, not {torch.__version__}")
    torch.set_default_dtype(torch.float64)
    F = adapter(torch)
    warnings.simplefilter("ignore")  # PyTorch warns of degrees of freedom and of changes to come
    lines = []
    for entry in ROWS:
        inputs = {name: plain(value) for name, value in entry["inputs"].items()}
        found = {"id": title(entry), "section": entry["section"], "expression": entry["expression"], "inputs": inputs}
        found |= measure(torch, F, entry)
        found |= {name: entry[name] for name in ("signed", "torch_expression", "deviates") if name in entry}
        found |= {"own": plain(entry["own"])} if "own" in entry else {}
        lines.append(json.dumps({**found, "torch": VERSION}, allow_nan=False))
    TARGET.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")
    print(f"{len(lines)} rows written to {TARGET.name}")


if __name__ == "__main__":
    main()
