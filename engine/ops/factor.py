"""Factorisations of matrices and their derivatives: Cholesky, eigenvalues, singular values, QR, and least squares."""

from __future__ import annotations

from typing import Any

from ..errors import EngineError, ShapeError
from ..lazy import np
from ..op import formula, op
from ..shapes import shape_of
from .choose import choose
from .linear import solve, square_matrix, transposed, triangular_solve
from .shape import _diagonal, _embed, _tril, unsqueeze


def _half_lower(X: Any) -> Any:
    """The lower triangle with its diagonal halved."""
    n = shape_of(X)[0]
    return _tril(X, 0) - 0.5 * _embed(_diagonal(X, 0), (n, n), 0)


def _cholesky_slope(g: Any, y: Any) -> Any:
    """Murray (2016), "Differentiation of the Cholesky decomposition", eq. 10; symmetric."""
    inner = _half_lower(transposed(y) @ _tril(g, 0))
    left = triangular_solve(transposed(y), inner, True)
    whole = transposed(triangular_solve(transposed(y), transposed(left), True))
    return 0.5 * (whole + transposed(whole))


@op(name="_cholesky", builtin=False, node="LinalgCholeskyExBackward0", A=_cholesky_slope)
def _cholesky(A: Any) -> Any:
    try:
        return np.linalg.cholesky(A)
    except np.linalg.LinAlgError:
        raise EngineError("cholesky: the matrix is not positive definite", kind="singular", help="add a small multiple of eye(n)") from None


@formula(direct=True, domain="positive definite")
def cholesky(A: Any) -> Any:
    """The lower triangular L with L @ L.T = A; its gradient is symmetric."""
    return _cholesky(square_matrix(A, "cholesky"))


def _gaps(w: Any) -> Any:
    """1 / (w[j] - w[i]), and 0 on the diagonal (Giles 2008, section 3.1)."""
    difference = unsqueeze(w, 0) - unsqueeze(w, 1)
    n = shape_of(w)[0]
    same = np.eye(n, dtype=bool)
    return choose(same, 0.0, 1.0 / choose(same, 1.0, difference))


def _eigh_slope(g: Any, y: Any) -> Any:
    (gw, gU), (w, U) = g, y
    n = shape_of(w)[0]
    middle = _embed(gw, (n, n), 0) if gw is not None else np.zeros((n, n))
    if gU is not None:
        middle = middle + _gaps(w) * (transposed(U) @ gU)
    whole = U @ middle @ transposed(U)
    return 0.5 * (whole + transposed(whole))


@op(name="_eigh", builtin=False, outputs=2, node="LinalgEighBackward0", A=_eigh_slope)
def _eigh(A: Any) -> Any:
    w, U = np.linalg.eigh(A)
    return w, U


@formula(direct=True, outputs=2, domain="symmetric", kinks="the gradient of vectors is infinite where values coincide")
def eigh(A: Any) -> Any:
    """(eigenvalues ascending, eigenvectors in columns) of a symmetric matrix; its lower triangle is read."""
    return _eigh(square_matrix(A, "eigh"))


def _svd_slope(g: Any, y: Any) -> Any:
    """Giles (2008), section 3.2, for U, V with their columns only up to the rank k."""
    (gU, gS, gV), (U, S, V) = g, y
    m, n, k = shape_of(U)[0], shape_of(V)[0], shape_of(S)[0]
    middle = _embed(gS, (k, k), 0) if gS is not None else np.zeros((k, k))
    squares = _gaps(S * S)
    row, column = unsqueeze(S, 0), unsqueeze(S, 1)
    extra: Any = 0.0
    if gU is not None:
        inner = squares * _skew(transposed(U) @ gU)
        middle = middle + inner * row
        if m > k:
            extra = extra + ((gU - U @ (transposed(U) @ gU)) / row) @ transposed(V)
    if gV is not None:
        inner = squares * _skew(transposed(V) @ gV)
        middle = middle + column * inner
        if n > k:
            extra = extra + (U / row) @ transposed(gV - V @ (transposed(V) @ gV))
    return U @ middle @ transposed(V) + extra


def _skew(X: Any) -> Any:
    return X - transposed(X)


@op(name="_svd", builtin=False, outputs=3, node="LinalgSvdBackward0", A=_svd_slope)
def _svd(A: Any) -> Any:
    U, S, Vh = np.linalg.svd(A, full_matrices=False)
    return U, S, Vh.T


@formula(direct=True, outputs=3, domain="matrix", kinks="the gradient of U and V is infinite where singular values coincide")
def svd(A: Any) -> Any:
    """(U, S descending, V) with U @ diag(S) @ V.T = A."""
    if len(shape_of(A)) != 2:
        raise ShapeError(f"svd() takes a matrix, not shape {shape_of(A)}")
    return _svd(A)


def _qr_slope(g: Any, y: Any) -> Any:
    """Walter and Lehmann (2010): for a tall matrix (rows >= columns) of full rank."""
    (gQ, gR), (Q, R) = g, y
    if shape_of(Q)[0] < shape_of(R)[1]:
        raise EngineError("the derivative of qr() needs at least as many rows as columns")
    zero = np.zeros
    gQ = zero(shape_of(Q)) if gQ is None else gQ
    gR = zero(shape_of(R)) if gR is None else gR
    M = R @ transposed(gR) - transposed(gQ) @ Q
    symmetric = _tril(M, -1) + transposed(_tril(M, -1)) + _embed(_diagonal(M, 0), shape_of(M), 0)
    return transposed(triangular_solve(R, transposed(gQ + Q @ symmetric), True))


@op(name="_qr", builtin=False, outputs=2, node="LinalgQrBackward0", A=_qr_slope)
def _qr(A: Any) -> Any:
    Q, R = np.linalg.qr(A)
    return Q, R


@formula(direct=True, outputs=2, domain="tall", kinks="needs full column rank")
def qr(A: Any) -> Any:
    """(Q with orthonormal columns, R upper triangular), reduced."""
    if len(shape_of(A)) != 2:
        raise ShapeError(f"qr() takes a matrix, not shape {shape_of(A)}")
    return _qr(A)


@formula(domain="tall system")
def lstsq(A: Any, b: Any) -> Any:
    """The x that minimises |A @ x - b|, for A of full column rank: R x = Q.T b with A = Q R."""
    if len(shape_of(A)) != 2 or shape_of(b)[:1] != shape_of(A)[:1]:
        raise ShapeError(f"lstsq() of shapes {shape_of(A)} and {shape_of(b)}: both need the same number of rows")
    if shape_of(A)[0] < shape_of(A)[1]:
        return transposed(A) @ solve(A @ transposed(A), b)
    Q, R = qr(A)
    return triangular_solve(R, transposed(Q) @ b, True)
