"""The data with the fitted curve, and the residuals below, in characters or as SVG."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .fit import Curve

    Array = NDArray[Any]

WIDTH, HEIGHT, LOW = 64, 15, 7  # characters of the curve's panel, and the lines of the residuals'
MARGIN, WIDE, HIGH, SHORT = 60, 640, 300, 140  # the same in SVG units


class Panel:
    """A frame with its ranges."""

    def __init__(self, x: Array, *y: Array) -> None:
        import numpy as np

        values = np.concatenate([part[np.isfinite(part)] for part in y])
        self.left, self.right = spread(float(x.min()), float(x.max()))
        self.bottom, self.top = spread(float(values.min()), float(values.max())) if values.size else (0.0, 1.0)

    def place(self, x: float, y: float, width: float, height: float) -> tuple[float, float]:
        """Where a point lies, from the upper left corner."""
        return (x - self.left) / (self.right - self.left) * width, (self.top - y) / (self.top - self.bottom) * height


def spread(low: float, high: float) -> tuple[float, float]:
    """A range that is not empty."""
    return (low, high) if high > low else (low - 1, high + 1)


def abscissa(curve: Curve) -> Array:
    import numpy as np

    return np.arange(1.0, curve.y.size + 1) if curve.x is None else curve.x


def text(curve: Curve) -> str:
    """Two panels of characters: `o` data, `*` fitted values, `+` residuals."""
    x, residuals = abscissa(curve), curve.y - curve.fitted
    lines = [f"{curve.y_name}   o data   * fitted"]
    lines += drawn(Panel(x, curve.y, curve.fitted), HEIGHT, [(x, curve.y, "o"), (x, curve.fitted, "*")])
    lines += ["", f"residuals of {curve.y_name} over {curve.x_name}"]
    return "\n".join(lines + drawn(Panel(x, residuals, residuals * 0), LOW, [(x, residuals, "+")]))


def drawn(panel: Panel, height: int, points: list[tuple[Array, Array, str]]) -> list[str]:
    """A panel's lines, with the ends of its ranges at the margin."""
    grid = [[" "] * WIDTH for _ in range(height)]
    for xs, ys, mark in points:
        for x, y in zip(xs.tolist(), ys.tolist(), strict=True):
            if y - y == 0:
                column, row = panel.place(x, y, WIDTH - 1, height - 1)
                grid[round(row)][round(column)] = mark
    labels = {0: f"{panel.top:.4g}", height - 1: f"{panel.bottom:.4g}"}
    lines = [f"{labels.get(i, ''):>10} |{''.join(row).rstrip()}" for i, row in enumerate(grid)]
    foot = f"{panel.left:.4g}"
    return [*lines, " " * 11 + "+" + "-" * WIDTH, " " * 12 + foot + f"{panel.right:.4g}".rjust(WIDTH - len(foot))]


def svg(curve: Curve) -> str:
    """A picture of its own, that needs no other file."""
    x, residuals = abscissa(curve), curve.y - curve.fitted
    order = x.argsort(kind="stable")
    upper, lower = Panel(x, curve.y, curve.fitted), Panel(x, residuals, residuals * 0)
    line = " ".join(point(upper, x[i], curve.fitted[i], HIGH, 20) for i in order)
    zero = lower.place(lower.left, 0.0, WIDE, SHORT)[1] + HIGH + 60
    body = [
        f'<polyline points="{line}" fill="none" stroke="#c33" stroke-width="1.5"/>',
        *dots(upper, x, curve.y, HIGH, 20),
        f'<line x1="{MARGIN}" y1="{zero:.1f}" x2="{MARGIN + WIDE}" y2="{zero:.1f}" stroke="#c33"/>',
        *dots(lower, x, residuals, SHORT, HIGH + 60),
        *frame(upper, HIGH, 20, curve.y_name),
        *frame(lower, SHORT, HIGH + 60, f"residuals over {curve.x_name}"),
    ]
    size = f'width="{WIDE + MARGIN + 20}" height="{HIGH + SHORT + 100}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="11">\n' + "\n".join(body) + "\n</svg>\n"


def point(panel: Panel, x: Any, y: Any, height: int, top: int) -> str:
    across, down = panel.place(float(x), float(y), WIDE, height)
    return f"{across + MARGIN:.1f},{down + top:.1f}"


def dots(panel: Panel, xs: Array, ys: Array, height: int, top: int) -> list[str]:
    places = (point(panel, x, y, height, top).split(",") for x, y in zip(xs, ys, strict=True) if y - y == 0)
    return [f'<circle cx="{across}" cy="{down}" r="2.5" fill="#247"/>' for across, down in places]


def frame(panel: Panel, height: int, top: int, title: str) -> list[str]:
    from html import escape

    return [
        f'<rect x="{MARGIN}" y="{top}" width="{WIDE}" height="{height}" fill="none" stroke="#888"/>',
        f'<text x="{MARGIN}" y="{top - 5}">{escape(title)}</text>',
        f'<text x="{MARGIN - 4}" y="{top + 10}" text-anchor="end">{panel.top:.4g}</text>',
        f'<text x="{MARGIN - 4}" y="{top + height}" text-anchor="end">{panel.bottom:.4g}</text>',
        f'<text x="{MARGIN}" y="{top + height + 14}">{panel.left:.4g}</text>',
        f'<text x="{MARGIN + WIDE}" y="{top + height + 14}" text-anchor="end">{panel.right:.4g}</text>',
    ]
