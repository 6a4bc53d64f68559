"""Losses and the layers of small networks: compositions, but for the convolutions and pools."""

from __future__ import annotations

from typing import Any

from ..errors import ArgumentError, ShapeError
from ..lazy import np
from ..op import formula, op
from ..shapes import shape_of, whole
from ..values import as_raw
from .arithmetic import div, square
from .choose import choose
from .exponential import rsqrt, xlogy
from .index import gather, taker
from .linear import einsum, matmul, transposed
from .piecewise import abs_, clamp
from .reduce import mean, raw, sum_
from .shape import reshape, unsqueeze
from .soft import log_softmax
from .special import softplus


def _reduced(losses: Any, reduction: Any) -> Any:
    """The mean, the sum, or the losses as they are."""
    if reduction not in ("mean", "sum", "none"):
        raise ArgumentError(f'reduction must be "mean", "sum" or "none", not {str(reduction)!r}')
    return mean(losses) if reduction == "mean" else sum_(losses) if reduction == "sum" else losses


def _paired(a: Any, b: Any, name: str) -> None:
    if shape_of(a) != shape_of(b):
        raise ShapeError(f"{name}() of shapes {shape_of(a)} and {shape_of(b)}: prediction and target must agree")


@formula(domain="pair")
def mse(p: Any, t: Any, reduction: Any = "mean") -> Any:
    """The mean of (p - t)^2."""
    _paired(p, t, "mse")
    return _reduced(square(p - t), reduction)


@formula(domain="pair", kinks="0 where prediction and target agree")
def l1_loss(p: Any, t: Any, reduction: Any = "mean") -> Any:
    """The mean of |p - t|."""
    _paired(p, t, "l1_loss")
    return _reduced(abs_(p - t), reduction)


@formula(domain="pair", kinks="at distance delta the two branches agree")
def huber(p: Any, t: Any, delta: Any = 1.0, reduction: Any = "mean") -> Any:
    """The mean of d^2/2 where d = |p - t| <= delta, and of delta * (d - delta/2) beyond."""
    _paired(p, t, "huber")
    width = float(delta)
    distance = abs_(p - t)
    near = clamp(distance, None, width)
    return _reduced(near * (distance - 0.5 * near), reduction)


_LOG_FLOOR = -100.0


@op(
    name="_log_from_below",
    builtin=False,
    node="LogBackward0",
    x=lambda g, x: div(g, choose(x > 1e-12, x, 1e-12)),
)
def _floored_log(x: Any) -> Any:
    """log(x), at least -100; its slope is at most 1e12, as PyTorch's binary cross entropy has it."""
    from .. import ieee

    if x.__class__ is float:
        return ieee.maximum(ieee.log(x), _LOG_FLOOR)
    return np.maximum(np.log(x), _LOG_FLOOR)


def _bce_slope(g: Any, p: Any, t: Any) -> Any:
    """g (p - t) / max(p (1 - p), 1e-12)."""
    spread = p * (1.0 - p)
    return g * div(p - t, choose(spread > 1e-12, spread, 1e-12))


@op(
    name="_bce",
    builtin=False,
    node="BinaryCrossEntropyBackward0",
    p=_bce_slope,
    t=lambda g, p: g * (_floored_log(1.0 - p) - _floored_log(p)),
)
def _bce(p: Any, t: Any) -> Any:
    with np.errstate(all="ignore"):
        return -(t * _floored_log(p) + (1.0 - t) * _floored_log(1.0 - p))


@formula(domain="probabilities", kinks="logarithms are at least -100")
def bce(p: Any, t: Any, reduction: Any = "mean") -> Any:
    """Binary cross entropy of probabilities p: -(t log p + (1 - t) log(1 - p))."""
    _paired(p, t, "bce")
    return _reduced(_bce(p, t), reduction)


@formula(domain="pair")
def bce_with_logits(z: Any, t: Any, reduction: Any = "mean") -> Any:
    """Binary cross entropy of sigmoid(z), without overflow."""
    _paired(z, t, "bce_with_logits")
    return _reduced(softplus(z) - t * z, reduction)


_pick_class = taker("_pick_class", "NllLossBackward0")


@formula(domain="classes")
def nll(log_p: Any, classes: Any, reduction: Any = "mean") -> Any:
    """The mean of minus the log-probability of each row's class number."""
    rows = log_p if len(shape_of(log_p)) == 2 else unsqueeze(log_p, 0)
    if len(shape_of(rows)) != 2:
        raise ShapeError(f"one row of log-probabilities a sample is needed, not shape {shape_of(log_p)}")
    numbers = np.reshape(as_raw(classes, keep=True), (-1,))
    count, width = shape_of(rows)
    if numbers.shape != (count,):
        raise ShapeError(f"{count} rows, but {numbers.size} class numbers")
    if not np.array_equal(numbers, np.floor(numbers)) or (numbers < 0).any() or (numbers >= width).any():
        raise ArgumentError(f"class numbers must be whole numbers from 0 to {width - 1}")
    picked = reshape(_pick_class(rows, numbers.astype(np.int64).reshape(-1, 1), 1), (count,))
    losses = -picked
    return _reduced(losses if len(shape_of(log_p)) == 2 else reshape(losses, ()), reduction)


@formula(domain="classes")
def cross_entropy(logits: Any, classes: Any, reduction: Any = "mean") -> Any:
    """nll(log_softmax(logits), classes)."""
    return nll(log_softmax(logits, -1), classes, reduction)


@formula(domain="log probabilities")
def kl_div(log_q: Any, p: Any, reduction: Any = "mean") -> Any:
    """The mean of p * (log p - log_q); 0 where p is 0."""
    _paired(log_q, p, "kl_div")
    return _reduced(xlogy(p, p) - p * log_q, reduction)


# ---------------------------------------------------------------- layers


@formula(domain="layer")
def linear(x: Any, W: Any, b: Any = None) -> Any:
    """x @ W.T + b."""
    y = matmul(x, transposed(W))
    return y if b is None else y + b


@formula()
def layer_norm(x: Any, eps: Any = 1e-5) -> Any:
    """Shifted and scaled to mean 0 and variance 1 along the last axis (variance with n, plus eps)."""
    centred = x - mean(x, -1, True)
    return centred * rsqrt(mean(square(centred), -1, True) + float(eps))


def _windows(x: Any, sizes: tuple[int, ...], stride: tuple[int, ...]) -> Any:
    """Every window of the last axes as a view with two axes for each: (place, offset)."""
    view = np.lib.stride_tricks.sliding_window_view(x, sizes, tuple(range(x.ndim - len(sizes), x.ndim)))
    lead = x.ndim - len(sizes)
    return view[(slice(None),) * lead + tuple(slice(None, None, s) for s in stride)]


def _unfold_slope(g: Any, x_shape: Any, sizes: Any, stride: Any) -> Any:
    return _fold(g, x_shape, sizes, stride)


@op(name="_unfold", builtin=False, node="UnfoldBackward0", x=_unfold_slope)
def _unfold(x: Any, sizes: Any, stride: Any) -> Any:
    """The windows of x, copied."""
    return np.ascontiguousarray(_windows(x, sizes, stride))


@op(name="_fold", builtin=False, node="Col2ImBackward0", g=lambda g, sizes, stride: _unfold(g, sizes, stride))
def _fold(g: Any, shape: Any, sizes: Any, stride: Any) -> Any:
    """Windows added up where they overlap: one strided sum for each offset in the window, none for each element."""
    out = np.zeros(shape)
    lead = len(shape) - len(sizes)
    places = g.shape[lead : lead + len(sizes)]
    for offset in np.ndindex(*sizes):
        target = tuple(slice(o, o + s * (n - 1) + 1, s) for o, s, n in zip(offset, stride, places, strict=True))
        out[(slice(None),) * lead + target] += g[(..., *offset)]
    return out


def _per_axis(value: Any, count: int, what: str) -> tuple[int, ...]:
    parts = value if isinstance(value, (tuple, list)) else value.data.tolist() if getattr(value, "shape", ()) else [value] * count
    found = tuple(whole(p, what) for p in parts)
    if len(found) != count or min(found) < 0:
        raise ArgumentError(f"{what}: {count} numbers from 0 up are needed")
    return found


def _convolve(x: Any, w: Any, b: Any, stride: Any, padding: Any, count: int, spec: str) -> Any:
    name = f"conv{count}d()"
    shape, kernel = shape_of(x), shape_of(w)
    if len(shape) != count + 2 or len(kernel) != count + 2 or shape[1] != kernel[1]:
        axes = "L" if count == 1 else "H, W"
        raise ShapeError(f"{name} of shapes {shape} and {kernel}: it takes (N, C, {axes}) and (O, C, {'K' if count == 1 else 'K, K'})")
    step, around = _per_axis(stride, count, f"{name}: stride"), _per_axis(padding, count, f"{name}: padding")
    if min(step) < 1:
        raise ArgumentError(f"{name}: stride must be at least 1")
    padded = _pad_around(x, around)
    if any(n < k for n, k in zip(shape_of(padded)[2:], kernel[2:], strict=True)):
        raise ShapeError(f"{name}: the kernel {kernel[2:]} is larger than the input {shape_of(padded)[2:]}")
    y = einsum(spec, _unfold(padded, kernel[2:], step), w)
    return y if b is None else y + reshape(b, (-1,) + (1,) * count)


def _pad_around(x: Any, around: tuple[int, ...]) -> Any:
    from .shape import _pad

    widths = (0, 0, *around)
    return _pad(x, widths, widths) if any(around) else x


@formula(domain="conv1d")
def conv1d(x: Any, w: Any, b: Any = None, stride: Any = 1, padding: Any = 0) -> Any:
    """Cross-correlation of (N, C, L) with (O, C, K), without flipping the kernel."""
    return _convolve(x, w, b, stride, padding, 1, "nclk,ock->nol")


@formula(domain="conv2d")
def conv2d(x: Any, w: Any, b: Any = None, stride: Any = 1, padding: Any = 0) -> Any:
    """Cross-correlation of (N, C, H, W) with (O, C, K, K)."""
    return _convolve(x, w, b, stride, padding, 2, "nchwij,ocij->nohw")


def _pool(x: Any, size: Any, stride: Any, name: str, reduce: Any) -> Any:
    shape = shape_of(x)
    if not 3 <= len(shape) <= 4:
        raise ShapeError(f"{name}() takes (N, C, L) or (N, C, H, W), not shape {shape}")
    count = len(shape) - 2
    window = _per_axis(size, count, f"{name}(): size")
    step = window if stride is None else _per_axis(stride, count, f"{name}(): stride")
    if min(window) < 1 or min(step) < 1 or any(n < k for n, k in zip(shape[2:], window, strict=True)):
        raise ShapeError(f"{name}(): a window {window} does not fit into {shape[2:]}")
    view = _unfold(x, window, step)
    places = shape_of(view)[: 2 + count]
    return reduce(reshape(view, (*places, -1)), -1)


@formula(domain="pool")
def avg_pool(x: Any, size: Any, stride: Any = None) -> Any:
    """The mean of each window of the last axes; windows side by side unless a stride is given."""
    return _pool(x, size, stride, "avg_pool", mean)


@formula(domain="pool", kinks="the first of equal elements gets all")
def max_pool(x: Any, size: Any, stride: Any = None) -> Any:
    """The largest element of each window of the last axes."""

    def largest(windows: Any, axis: int) -> Any:
        chosen = np.argmax(raw(windows), axis)[..., None]
        return reshape(gather(windows, chosen, -1), shape_of(windows)[:-1])

    return _pool(x, size, stride, "max_pool", largest)
