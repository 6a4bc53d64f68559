"""Making tensors: constants, ranges, and random numbers from one seeded generator."""

from __future__ import annotations

from typing import Any

from ..errors import ArgumentError, ShapeError
from ..lazy import np
from ..limits import check_elements
from ..op import formula
from ..shapes import shape_of, sizes_of, whole
from ..tensor import Tensor, untracked
from ..values import as_raw
from .shape import unbox


def _made(data: Any) -> Any:
    """A fresh array as an untracked tensor; a 0-d one as a float."""
    value = unbox(data)
    return value if value.__class__ is float else untracked(value)


def _number(value: Any, what: str) -> float:
    """One number, which a tensor of one element is, too."""
    raw = as_raw(value)
    if raw.__class__ is not float and raw.size != 1:
        raise ShapeError(f"{what} is one number, not a tensor of shape {raw.shape}")
    return float(raw.item() if hasattr(raw, "item") else raw)


def _size(shape: tuple[Any, ...], name: str) -> tuple[int, ...]:
    sizes = sizes_of(shape, f"{name}()")
    if min(sizes, default=0) < 0:
        raise ArgumentError(f"{name}(): a size is negative in {sizes}")
    check_elements(sizes, f"{name}()")
    return sizes


def _count(n: Any, name: str) -> int:
    """One size."""
    number = _number(n, f"{name}(): n")
    return _size((number,), name)[0]


@formula(direct=True)
def zeros(*shape: Any) -> Any:
    """A tensor of zeros."""
    return _made(np.zeros(_size(shape, "zeros")))


@formula(direct=True)
def ones(*shape: Any) -> Any:
    """A tensor of ones."""
    return _made(np.ones(_size(shape, "ones")))


@formula(direct=True)
def full(shape: Any, value: Any) -> Any:
    """A tensor of the given sizes with one value everywhere; a tracked value is tracked on."""
    from .shape import expand

    sizes = _size((shape,), "full")
    number = _number(value, "full(): the value")
    if isinstance(value, Tensor) and value.requires_grad:
        return expand(value, sizes)
    return _made(np.full(sizes, number))


@formula(direct=True)
def zeros_like(x: Any) -> Any:
    """Zeros in the shape of x."""
    return _made(np.zeros(shape_of(x)))


@formula(direct=True)
def ones_like(x: Any) -> Any:
    """Ones in the shape of x."""
    return _made(np.ones(shape_of(x)))


@formula(direct=True)
def eye(n: Any, m: Any = None) -> Any:
    """The identity matrix of n rows (and m columns)."""
    sizes = _size((n, n if m is None else m), "eye")
    return _made(np.eye(*sizes))


@formula(direct=True)
def arange(start: Any, stop: Any = None, step: Any = 1) -> Any:
    """The numbers from start up to, not including, stop; arange(n) counts from 0."""
    first, last = (0.0, start) if stop is None else (_number(start, "arange(): start"), stop)
    last, width = _number(last, "arange(): stop"), _number(step, "arange(): step")
    if width == 0.0 or width != width:
        raise ArgumentError("arange(): step must not be 0")
    count = (last - first) / width
    check_elements((int(max(count, 0.0)) if count < 1e18 else 1 << 62,), "arange()")
    return _made(np.arange(first, last, width, dtype=np.float64))


@formula(direct=True)
def linspace(start: Any, stop: Any, n: Any) -> Any:
    """n numbers from start to stop at equal distances, both ends included."""
    return _made(np.linspace(as_raw(start), as_raw(stop), _count(n, "linspace")))


@formula(direct=True, outputs=2, moves=True)
def meshgrid(*xs: Any) -> Any:
    """For vectors x, y, …: the coordinates of every point of their grid, a tensor each, rows along x (indexing "ij")."""
    from .shape import expand, reshape

    sizes = tuple(shape_of(x)[0] if shape_of(x) else 1 for x in xs)
    check_elements(sizes, "meshgrid()")
    return tuple(expand(reshape(x, tuple(-1 if i == k else 1 for i in range(len(xs)))), sizes) for k, x in enumerate(xs))


# ---------------------------------------------------------------- random numbers


class _Generator:
    """The one source of random numbers (NumPy's PCG64), made when first asked."""

    seed: int | None = 0
    made: Any = None


def _generator() -> Any:
    if _Generator.made is None:
        _Generator.made = np.random.default_rng(_Generator.seed)
    return _Generator.made


@formula(direct=True)
def seed(n: Any) -> None:
    """Starts the random numbers anew from the whole number n."""
    number = whole(n, "seed()")
    if number < 0:
        raise ArgumentError("seed() takes a whole number from 0 up")
    _Generator.seed, _Generator.made = number, None


@formula(direct=True)
def rand(*shape: Any) -> Any:
    """Random numbers, uniform in [0, 1)."""
    return _made(np.asarray(_generator().random(_size(shape, "rand"))))


@formula(direct=True)
def randn(*shape: Any) -> Any:
    """Random numbers, standard normal."""
    return _made(np.asarray(_generator().standard_normal(_size(shape, "randn"))))


@formula(direct=True)
def randint(low: Any, high: Any, *shape: Any) -> Any:
    """Random whole numbers from low up to, not including, high."""
    first, last = whole(low, "randint(): low"), whole(high, "randint(): high")
    if last <= first:
        raise ArgumentError(f"randint(): nothing lies between {first} and {last}")
    return _made(np.asarray(_generator().integers(first, last, _size(shape, "randint")), dtype=np.float64))


@formula(direct=True)
def permutation(n: Any) -> Any:
    """The whole numbers from 0 to n - 1 in random order."""
    return untracked(_generator().permutation(_count(n, "permutation")).astype(np.float64))
