"""Linear algebra: products, determinants, inverses and solutions."""

from __future__ import annotations

import math
from typing import Any

from ..errors import ArgumentError, EngineError, ShapeError
from ..lazy import linalg, np
from ..limits import check_elements
from ..op import formula, op
from ..shapes import shape_of
from .exponential import log
from .reduce import raw
from .shape import _tril, _triu, reshape, unsqueeze


def transposed(x: Any) -> Any:
    """The last two axes swapped."""
    from .shape import _swap

    if x.__class__ is np.ndarray:
        return x.swapaxes(-1, -2) if x.ndim >= 2 else x
    ndim = len(shape_of(x))
    return _swap(x, ndim - 2, ndim - 1) if ndim >= 2 else x


# ---------------------------------------------------------------- products


@op(builtin=False, name="_mm", node="MmBackward0", a=lambda g, b: matmul(g, transposed(b)), b=lambda g, a: matmul(transposed(a), g))
def _mm(a: Any, b: Any) -> Any:
    return a.dot(b)  # which takes half the time of `@` where the matrices are small


@op(builtin=False, name="_bmm", node="BmmBackward0", a=lambda g, b: matmul(g, transposed(b)), b=lambda g, a: matmul(transposed(a), g))
def _bmm(a: Any, b: Any) -> Any:
    return a @ b


def _rows_times(g: Any, b: Any) -> Any:
    """The outer product, for a rule: raw vectors need no op."""
    return g[:, None] * b if g.__class__ is np.ndarray and b.__class__ is np.ndarray else outer(g, b)


def _columns_times(g: Any, a: Any) -> Any:
    """The transpose of a times g, for a rule: of raw arrays at once."""
    return g.dot(a) if g.__class__ is np.ndarray and a.__class__ is np.ndarray else matmul(transposed(a), g)


@op(builtin=False, name="_mv", node="MvBackward0", a=lambda g, b: _rows_times(g, b), b=lambda g, a: _columns_times(g, a))
def _mv(a: Any, b: Any) -> Any:
    return a.dot(b)


@op(name="_dot", builtin=False, node="DotBackward0", a=lambda g, b: g * b, b=lambda g, a: g * a)
def _dot(a: Any, b: Any) -> Any:
    return float(np.dot(a, b))


@formula(direct=True)
def dot(a: Any, b: Any) -> Any:
    """The inner product of two vectors."""
    if len(shape_of(a)) != 1 or shape_of(a) != shape_of(b):
        raise ShapeError(f"dot() of shapes {shape_of(a)} and {shape_of(b)}: it takes two vectors of one length")
    return _dot(a, b)


@formula(direct=True)
def matmul(a: Any, b: Any) -> Any:
    """The matrix product, as `@`: of matrices, a matrix and a vector, two vectors, or stacks of matrices."""
    left, right = shape_of(a), shape_of(b)
    if not left or not right:
        raise ShapeError(f"matrix product of shapes {left} and {right}: a number has no rows", help="use * for a product with a number")
    if left[-1] != (right[0] if len(right) == 1 else right[-2]):
        raise ShapeError(
            f"matrix product of shapes {left} and {right}: {left[-1]} columns meet {right[0] if len(right) == 1 else right[-2]} rows"
        )
    if len(left) == 1 and len(right) == 1:
        return _dot(a, b)
    if len(left) == 1:
        return _mv(transposed(b), a) if len(right) == 2 else reshape(matmul(unsqueeze(a, 0), b), right[:-2] + right[-1:])
    if len(right) == 1:
        return _mv(a, b) if len(left) == 2 else reshape(matmul(a, unsqueeze(b, 1)), left[:-1])
    check_elements((*left[:-1], right[-1]), "a matrix product")
    return _mm(a, b) if len(left) == 2 and len(right) == 2 else _bmm(a, b)


@formula()
def outer(a: Any, b: Any) -> Any:
    """The products of every element of a with every element of b."""
    if len(shape_of(a)) != 1 or len(shape_of(b)) != 1:
        raise ShapeError(f"outer() of shapes {shape_of(a)} and {shape_of(b)}: it takes two vectors")
    check_elements(shape_of(a) + shape_of(b), "outer()")
    return unsqueeze(a, 1) * b


def _cross_with(g: Any, b: Any) -> Any:
    return cross(b, g)


@op(name="_cross", builtin=False, node="LinalgCrossBackward0", a=_cross_with, b=lambda g, a: cross(g, a))
def _cross(a: Any, b: Any) -> Any:
    left, right = np.broadcast_arrays(a, b)
    ax, ay, az = np.moveaxis(left, -1, 0)
    bx, by, bz = np.moveaxis(right, -1, 0)
    return np.stack([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx], -1)


@formula(direct=True, domain="threes")
def cross(a: Any, b: Any) -> Any:
    """The cross product of vectors of length 3 (along the last axis)."""
    if shape_of(a)[-1:] != (3,) or shape_of(b)[-1:] != (3,):
        raise ShapeError(f"cross() of shapes {shape_of(a)} and {shape_of(b)}: the last axis must have length 3")
    return _cross(a, b)


@formula(domain="matrices")
def kron(a: Any, b: Any) -> Any:
    """The Kronecker product: b repeated, scaled by each element of a."""
    left, right = shape_of(a), shape_of(b)
    ndim = max(len(left), len(right))
    left, right = (1,) * (ndim - len(left)) + left, (1,) * (ndim - len(right)) + right
    check_elements(tuple(m * n for m, n in zip(left, right, strict=True)), "kron()")
    spaced = reshape(a, tuple(n for m in left for n in (m, 1)))
    packed = reshape(b, tuple(n for m in right for n in (1, m)))
    return reshape(spaced * packed, tuple(m * n for m, n in zip(left, right, strict=True)))


# ---------------------------------------------------------------- einsum


def _einsum_slope(g: Any, xs: Any, spec: str) -> list[Any]:
    """Each operand's gradient is an einsum too: the output and the other operands, to its letters."""
    inputs, output = spec.split("->")
    terms = inputs.split(",")
    return [_einsum_one(g, xs, terms, output, i) for i in range(len(terms))]


def _einsum_one(g: Any, xs: Any, terms: list[str], output: str, i: int) -> Any:
    others = [x for k, x in enumerate(xs) if k != i]
    letters = [t for k, t in enumerate(terms) if k != i]
    own = terms[i]
    unique = "".join(dict.fromkeys(own))
    present = set(output).union(*letters)
    operands, texts = [g, *others], [output, *letters]
    for letter in unique:
        if letter not in present:  # summed away in this operand alone: its gradient is the same all along
            operands.append(np.ones(shape_of(xs[i])[own.index(letter)]))
            texts.append(letter)
    found = einsum(f"{','.join(texts)}->{unique}", *operands)
    if unique == own:
        return found
    sizes = dict(zip(own, shape_of(xs[i]), strict=True))
    return _spread_diagonal(found, own, unique, tuple(sizes[letter] for letter in own))


@op(name="_spread_diagonal", builtin=False, node="DiagEmbedBackward0", x=lambda g, own, unique: einsum(f"{own}->{unique}", g))
def _spread_diagonal(x: Any, own: str, unique: str, shape: Any) -> Any:
    """A gradient of the diagonal that `ii->i` reads, put back on it."""
    out = np.zeros(shape)
    grids = np.meshgrid(*(np.arange(n) for n in x.shape), indexing="ij")
    out[tuple(grids[unique.index(letter)] for letter in own)] = x
    return out


@op(name="_einsum", builtin=False, variadic=True, node="EinsumBackward0", xs=_einsum_slope)
def _einsum(xs: Any, spec: str) -> Any:
    from .shape import unbox

    inputs, output = spec.split("->")
    terms = inputs.split(",")
    if len(terms) == 2 and all(len(set(t)) == len(t) for t in terms):
        return unbox(_pair(terms[0], terms[1], output, xs[0], xs[1]))
    return unbox(np.einsum(spec, *xs, optimize=len(xs) > 2))


def _pair(left: str, right: str, output: str, a: Any, b: Any) -> Any:
    """Two operands as one (batched) matrix product, which runs at the speed of BLAS where NumPy's own loop does not.

    Every letter is shared by all three (a batch), summed over, or belongs to one side; what only one operand has and the result
    has not is summed first.
    """
    if output and output[-1] in left and output[-1] not in right:
        # The letter that comes last in the result is to come last in the product: then its rows lie together in memory.
        a, left, b, right = b, right, a, left
    a, left = _summed(a, left, right + output)
    b, right = _summed(b, right, left + output)
    batch = [c for c in left if c in right and c in output]
    inner = [c for c in left if c in right and c not in output]
    rows = [c for c in left if c not in right]
    columns = [c for c in right if c not in left]
    sizes = {**dict(zip(left, np.shape(a), strict=True)), **dict(zip(right, np.shape(b), strict=True))}

    def laid_out(x: Any, term: str, *groups: list[str]) -> Any:
        order = [term.index(c) for group in groups for c in group]
        shape = [sizes[c] for c in groups[0]] + [math.prod(sizes[c] for c in group) for group in groups[1:]]
        return np.transpose(x, order).reshape(shape)

    product = laid_out(a, left, batch, rows, inner) @ laid_out(b, right, batch, inner, columns)
    letters = batch + rows + columns
    return product.reshape([sizes[c] for c in letters]).transpose([letters.index(c) for c in output])


def _summed(x: Any, term: str, elsewhere: str) -> tuple[Any, str]:
    """An operand with the axes summed away that nobody else speaks of."""
    lone = tuple(i for i, c in enumerate(term) if c not in elsewhere)
    return (np.add.reduce(x, lone), "".join(c for c in term if c in elsewhere)) if lone else (x, term)


@formula(direct=True, domain="einsum")
def einsum(spec: Any, *xs: Any) -> Any:
    """Sums of products, spelt by index letters: einsum("ij,jk->ik", A, B) is A @ B."""
    text = str(spec).replace(" ", "")
    inputs, arrow, output = text.partition("->")
    terms = inputs.split(",")
    if not arrow or not all(part.isalpha() or not part for part in (*terms, output)):
        raise ArgumentError(f"einsum(): {text!r} is no pattern like 'ij,jk->ik'")
    if len(terms) != len(xs):
        raise ArgumentError(f"einsum(): {len(terms)} operands in {text!r}, {len(xs)} were given")
    sizes: dict[str, int] = {}
    for term, x in zip(terms, xs, strict=True):
        shape = shape_of(x)
        if len(term) != len(shape):
            raise ShapeError(f"einsum(): {term!r} names {len(term)} axes, the operand has shape {shape}")
        for letter, size in zip(term, shape, strict=True):
            if sizes.setdefault(letter, size) != size:
                raise ShapeError(f"einsum(): the axis {letter!r} has length {sizes[letter]} and {size}")
    if not set(output) <= set(sizes) or len(set(output)) != len(output):
        raise ArgumentError(f"einsum(): the result {output!r} must name axes of the operands, each once")
    check_elements(tuple(sizes[letter] for letter in output), "einsum()")
    return _einsum(list(xs), spec=text)


# ---------------------------------------------------------------- square matrices


def square_matrix(A: Any, name: str) -> Any:
    shape = shape_of(A)
    if len(shape) != 2 or shape[0] != shape[1]:
        raise ShapeError(f"{name}() takes a square matrix, not shape {shape}")
    return A


def _singular(what: str) -> EngineError:
    return EngineError(
        f"{what}: the matrix is singular", kind="singular", help="its columns are linearly dependent; check det() or use lstsq()"
    )


@op(name="_trace", builtin=False, node="TraceBackward0", A=lambda g, A_shape: g * np.eye(A_shape[0]))
def _trace(A: Any) -> Any:
    return float(np.trace(A))


@formula(direct=True, domain="matrix")
def trace(A: Any) -> Any:
    """The sum of the diagonal."""
    return _trace(square_matrix(A, "trace"))


def _cofactors(A: Any, y: Any) -> Any:
    """The matrix of cofactors, the derivative of the determinant; finite for singular matrices too."""
    values = raw(A)
    if _is_regular(values):
        return y * transposed(inv(A))
    if values is A:
        U, S, Vh = np.linalg.svd(values)
        rest = np.array([np.prod(np.delete(S, i)) for i in range(len(S))])
        return np.linalg.det(U) * np.linalg.det(Vh) * ((U * rest) @ Vh)
    from .index import getitem
    from .joining import vector

    n = values.shape[0]
    if n == 1:
        return np.ones((1, 1))

    def minor(i: int, j: int) -> Any:
        rows, columns = [r for r in range(n) if r != i], [c for c in range(n) if c != j]
        return (-1.0) ** (i + j) * _det(getitem(getitem(A, rows), (slice(None), columns)))

    return vector([[minor(i, j) for j in range(n)] for i in range(n)])


def _is_regular(A: Any) -> bool:
    with np.errstate(all="ignore"):
        return bool(A.size == 0 or np.linalg.cond(A) < 1e12)


@op(name="_det", builtin=False, node="LinalgDetBackward0", A=lambda g, A, y: g * _cofactors(A, y))
def _det(A: Any) -> Any:
    return float(np.linalg.det(A))


@formula(direct=True, domain="matrix", kinks="the matrix of cofactors, also where singular")
def det(A: Any) -> Any:
    """The determinant."""
    return _det(square_matrix(A, "det"))


@formula(domain="positive definite")
def logdet(A: Any) -> Any:
    """The logarithm of the determinant; nan where it is negative."""
    sign, size = slogdet(A)
    return size if float(raw(sign)) > 0 else log(_det(A)) if float(raw(sign)) < 0 else size


@op(name="_log_size", builtin=False, node="LinalgSlogdetBackward0", A=lambda g, A: g * transposed(_inverse_or_inf(A)))
def _log_size(A: Any) -> Any:
    return float(np.linalg.slogdet(A)[1])


def _inverse_or_inf(A: Any) -> Any:
    """The inverse; of a singular matrix the infinities that its determinant's logarithm has there."""
    values = raw(A)
    if np.linalg.slogdet(values)[0] == 0.0:
        return transposed(np.where(_cofactors(values, 0.0) >= 0, np.inf, -np.inf))
    return inv(A)


@formula(direct=True, outputs=2, domain="matrix", kinks="infinite where singular")
def slogdet(A: Any) -> Any:
    """(sign, log of the absolute value) of the determinant."""
    square_matrix(A, "slogdet")
    sign = float(np.linalg.slogdet(raw(A))[0])
    return sign, _log_size(A)


@op(name="_inv", builtin=False, node="LinalgInvExBackward0", A=lambda g, y: -(transposed(y) @ g @ transposed(y)))
def _inv(A: Any) -> Any:
    try:
        found = np.linalg.inv(A)
    except np.linalg.LinAlgError:
        raise _singular("inv") from None
    return found


@formula(direct=True, domain="matrix")
def inv(A: Any) -> Any:
    """The inverse matrix; an error where there is none."""
    return _inv(square_matrix(A, "inv"))


def _solve_slope(g: Any, A: Any, y: Any) -> Any:
    back = solve(transposed(A), g)
    return -outer(back, y) if len(shape_of(y)) == 1 else -(back @ transposed(y))


@op(name="_solve", builtin=False, node="LinalgSolveExBackward0", A=_solve_slope, b=lambda g, A: solve(transposed(A), g))
def _solve(A: Any, b: Any) -> Any:
    try:
        return np.linalg.solve(A, b)
    except np.linalg.LinAlgError:
        raise _singular("solve") from None


@formula(direct=True, domain="system")
def solve(A: Any, b: Any) -> Any:
    """The x with A @ x = b, b a vector or a matrix; an error where A is singular."""
    square_matrix(A, "solve")
    if not 1 <= len(shape_of(b)) <= 2 or shape_of(b)[0] != shape_of(A)[0]:
        raise ShapeError(f"solve() of shapes {shape_of(A)} and {shape_of(b)}: b needs {shape_of(A)[0]} rows")
    return _solve(A, b)


def _triangle(x: Any, upper: bool) -> Any:
    return _triu(x, 0) if upper else _tril(x, 0)


def _triangular_slope(g: Any, A: Any, y: Any, upper: bool) -> Any:
    back = triangular_solve(transposed(A), g, not upper)
    return _triangle(-outer(back, y) if len(shape_of(y)) == 1 else -(back @ transposed(y)), upper)


@op(
    name="_triangular_solve",
    builtin=False,
    node="LinalgSolveTriangularBackward0",
    A=_triangular_slope,
    b=lambda g, A, upper: triangular_solve(transposed(A), g, not upper),
)
def _triangular_solve(A: Any, b: Any, upper: bool) -> Any:
    try:
        return linalg.solve_triangular(A, b, lower=not upper)
    except np.linalg.LinAlgError:
        raise _singular("triangular_solve") from None


@formula(direct=True, domain="triangle")
def triangular_solve(A: Any, b: Any, upper: Any = False) -> Any:
    """The x with A @ x = b for a triangular A; only the named triangle is read and gets a gradient."""
    square_matrix(A, "triangular_solve")
    if not 1 <= len(shape_of(b)) <= 2 or shape_of(b)[0] != shape_of(A)[0]:
        raise ShapeError(f"triangular_solve() of shapes {shape_of(A)} and {shape_of(b)}: b needs {shape_of(A)[0]} rows")
    return _triangular_solve(A, b, bool(upper))
