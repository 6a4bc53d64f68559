"""A fit as a document and as tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..values import rounded

if TYPE_CHECKING:
    from .fit import Fit


def fields(fit: Fit, level: float | None) -> dict[str, Any]:
    """The keys of the document."""
    found = fit.found
    return {
        "converged": found.converged,
        "reason": found.reason,
        "method": found.method,
        "evaluations": found.evaluations,
        "gradient_norm": found.gradient_norm,
        "estimates": estimates(fit, level),
        **quality(fit),
        "correlation": correlation(fit),
    }


def estimates(fit: Fit, level: float | None) -> dict[str, Any]:
    """Value and standard error by name, nested as the parameter is."""
    values, errors = fit.parameters.split(fit.found.x), fit.parameters.split(fit.found.std_errors)
    made = {name: {"value": values[name], "std_error": none_for_nan(errors[name])} for name in values}
    if level is not None:
        low, high = (fit.parameters.split(side) for side in fit.found.interval(level))
        for name, entry in made.items():
            entry[f"ci{level:g}"] = [none_for_nan(low[name]), none_for_nan(high[name])]
    return made


def none_for_nan(value: Any) -> Any:
    """A parameter at its bound has no standard error."""
    return None if isinstance(value, float) and value != value else value


def quality(fit: Fit) -> dict[str, Any]:
    """How well the model describes the data."""
    found: Any = fit.found
    if not fit.is_least_squares:
        return {"loss": found.value}
    return {
        "observations": found.count,
        "dof": found.dof,
        "residual_sum": found.residual_sum,
        "residual_std": none_for_nan(found.residual_std),
        "r_squared": None if fit.curve is None else none_for_nan(fit.curve.r_squared),
        "aic": found.aic,
    }


def correlation(fit: Fit) -> dict[str, dict[str, Any]]:
    """Of the estimates, by the names of both."""
    labels, matrix = fit.parameters.labels, fit.found.correlation.tolist()
    return {
        label: {other: none_for_nan(value) for other, value in zip(labels, row, strict=True)}
        for label, row in zip(labels, matrix, strict=True)
    }


def rows(fit: Fit, level: float | None, digits: int | None) -> Iterator[list[str]]:
    """A row for each element of each parameter."""
    found = fit.found
    ends = fit.found.interval(level) if level is not None else ()
    columns = [found.x, found.std_errors, *ends]
    for position, label in enumerate(fit.parameters.labels):
        yield [label, *(shown(float(column[position]), digits) for column in columns)]


def heads(level: float | None) -> list[str]:
    ends = [f"{(100 - level) / 2:g}%", f"{(100 + level) / 2:g}%"] if level is not None else []
    return ["parameter", "estimate", "std. error", *ends]


def summary(fit: Fit, digits: int | None) -> Iterator[list[str]]:
    """What stands below the table of parameters."""
    found: Any = fit.found
    for name, value in quality(fit).items():
        if value is not None:
            yield [name, str(value) if isinstance(value, int) else shown(value, digits)]
    yield ["gradient_norm", shown(found.gradient_norm, digits)]
    yield ["evaluations", str(found.evaluations)]
    yield ["method", found.method]
    yield ["converged", f"{'yes' if found.converged else 'no'}: {found.reason}"]


def correlation_rows(fit: Fit) -> Iterator[list[str]]:
    """The lower triangle of the correlation matrix."""
    labels, matrix = fit.parameters.labels, fit.found.correlation
    for i, label in enumerate(labels):
        yield [label, *(f"{matrix[i, j]:.3f}" if j <= i else "" for j in range(len(labels)))]


def shown(value: float, digits: int | None) -> str:
    return "-" if value != value else rounded(value, digits)
