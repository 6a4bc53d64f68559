"""A fit from its options to its result."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dagrad.engine import optimize

from ..program import guarded
from ..status import UsageError
from .parameters import Parameters
from .problem import Chunked, Problem, Whole, vector
from .table import Spool, Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .distributed import Distributed
    from .model import Model

    Array = NDArray[Any]
    Found = optimize.Estimate | optimize.Minimum


@dataclass
class Fit:
    """What was fitted and what came out."""

    parameters: Parameters
    found: Found
    curve: Curve | None = None

    @property
    def is_least_squares(self) -> bool:
        return hasattr(self.found, "residual_std")


@dataclass
class Curve:
    """Observed and fitted values of the response, over the one column that explains them (None: over the row number)."""

    y: Array
    fitted: Array
    x: Array | None
    x_name: str
    y_name: str

    @property
    def r_squared(self) -> float:
        total = float(((self.y - self.y.mean()) ** 2).sum())
        return 1 - float(((self.y - self.fitted) ** 2).sum()) / total if total else float("nan")


def fit(
    model: Model,
    table: Table | None,
    *,
    method: str = "auto",
    bounds: Sequence[str] = (),
    chunk: int | None = None,
    dask: str | None = None,
    max_evaluations: int | None = None,
) -> Fit:
    """Searches, by least squares where the model gives residuals, for the least loss otherwise."""
    require_columns(model, table, chunk)
    if dask is not None and chunk is None:
        raise UsageError("--dask needs --chunk", help="the workers share the pieces of a data file")
    data = model.begin({} if table is None else next(table.chunks(model.columns, chunk)))
    parameters = Parameters(model.start)
    whole = Whole(model, parameters, data)
    limits = parameters.bounds(bounds)
    is_residual = whole.at(parameters.start).is_residual
    method = chosen(method, is_residual)
    if table is None or chunk is None:
        found = search(whole, is_residual, parameters.start, method, limits, max_evaluations)
        return Fit(parameters, found, curve(whole, found.x) if is_residual else None)
    with closing(in_pieces(model, parameters, table, chunk, dask)) as problem:
        return Fit(parameters, search(problem, is_residual, parameters.start, method, limits, max_evaluations))


def in_pieces(model: Model, parameters: Parameters, table: Table, chunk: int, dask: str | None) -> Chunked | Distributed:
    """The pieces here, or on a cluster."""
    if dask is None:
        return Chunked(model, parameters, Spool(table, model.columns, chunk))
    from .distributed import Distributed

    return Distributed(model, parameters, table, chunk, dask)


def require_columns(model: Model, table: Table | None, chunk: int | None) -> None:
    if table is not None and not model.columns:
        help = f"its columns: {', '.join(table.names)}; declare those that are needed, as in input {table.names[0]} = 0"
        raise UsageError(f"no column of {table.path} is an input of the program", help=help)
    if chunk is not None and table is None:
        raise UsageError("--chunk needs --data", help="only a data file is read in pieces")


def chosen(method: str, is_residual: bool) -> str:
    """The method by name, of the kind that suits what the model gives."""
    method, known = method.lower(), (optimize.LEAST_SQUARES, optimize.MINIMA)
    if method not in (*known[0], *known[1], "auto"):
        raise UsageError(f"no method '{method}'", help=f"for residuals {', '.join(known[0])}; for a loss {', '.join(known[1])}")
    if method in known[0] and not is_residual:
        raise UsageError(f"--method {method} needs residuals", help="set residual = y - model instead of a loss")
    if method in known[1] and is_residual:
        raise UsageError(
            f"--method {method} needs a loss", help="set loss = sum((y - model)^2) instead of residual, or name it with --loss"
        )
    return method


def search(problem: Problem | Distributed, is_residual: bool, x0: Array, method: str, bounds: Any, limit: int | None) -> Found:
    """The search itself; what the engine refuses becomes the command's failure."""

    def run() -> Found:
        if is_residual:
            return optimize.least_squares(problem.least_squares(), x0, method=method, bounds=bounds, max_evaluations=limit)
        by = "l-bfgs-b" if method == "auto" else method
        return optimize.minimize(problem.loss, problem.hessian, x0, method=by, bounds=bounds, max_evaluations=limit)

    found: Found = guarded(run, {})
    return found


def curve(whole: Whole, x: Array) -> Curve | None:
    """The fitted values, where the residuals are y - model or model - y: a shift of y by 1 tells."""
    import numpy as np

    name = whole.model.y
    y = whole.data.get(name) if name else None
    residuals = whole.residuals(x)
    if name is None or y is None or y.shape != residuals.shape:
        return None
    shifted = whole.model.evaluate(whole.parameters.values(x), {**whole.data, name: y + 1.0})
    turned = vector(shifted.value) - residuals if np.shape(vector(shifted.value)) == residuals.shape else np.zeros(1)
    sign = float(np.sign(turned[0]))
    if not np.allclose(turned, sign, rtol=1e-6, atol=1e-6) or not sign:
        return None
    others = [column for column in whole.data if column != name and whole.data[column].shape == y.shape]
    single = others[0] if len(others) == 1 else None
    return Curve(y, y - sign * residuals, None if single is None else whole.data[single], single or "row", name)
