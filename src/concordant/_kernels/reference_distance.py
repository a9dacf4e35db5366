"""The kernels of the rank distance in NumPy and SciPy: what distance.cpp computes, in a form to read.

Systems in the order of `candidate`, best first, have m - 1 differences of adjacent columns of X, with means d and
covariance S (eps on its diagonal). carterette2009, equation 2, asks for the nearest point that keeps the order:

    minimum over delta >= 0 of (delta - d)' S^-1 (delta - d).

Its dual needs no inverse: delta = d + S v with v >= 0 and v' delta = 0, so v minimises v' S v / 2 + d' v over v >= 0,
and the minimum above is v' S v. With S = L L' that is |L' v + L^-1 d|, a problem of non-negative least squares.

Results fill `out`, one row a problem: v' S v, and the number of steps, -1 where the solver gave up.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..arrays import FloatArray, IntArray

FIELDS = 2  # columns of `out`


def order_of(candidate: FloatArray, means: FloatArray) -> IntArray:
    """The systems, best first, by each row of candidate; ties in favour of the means, then as they stand."""
    return np.lexsort((np.broadcast_to(-means, candidate.shape), -candidate), axis=-1)


def differences_of(covariance: FloatArray, order: IntArray, eps: float) -> FloatArray:
    """S: the covariance of the differences between neighbours in the order, and eps on its diagonal."""
    ordered = covariance[np.ix_(order, order)]
    s = np.diff(np.diff(ordered, axis=0), axis=1)
    s[np.diag_indices_from(s)] += eps
    return np.asarray(s)


def rank_distances(
    covariance: FloatArray,
    means: FloatArray,
    candidate: FloatArray,
    eps: float,
    out: FloatArray,
    duals: FloatArray,
    workers: int,
) -> None:
    """Distances to the ranking of each row of candidate, given the covariance and the means of the systems.

    Fills `duals` with v as well, unless it has no rows.
    """
    for row, order in enumerate(order_of(candidate, means)):
        d = -np.diff(means[order])
        v, out[row] = _solve(differences_of(covariance, order, eps), d)
        if len(duals):
            duals[row] = v


def recentred_distances(
    differences: FloatArray,
    projection: FloatArray,
    weights: IntArray,
    eps: float,
    out: FloatArray,
    workers: int,
) -> None:
    """Distances to one ranking, of topics resampled from a collection for which that ranking is true.

    `differences` are those between neighbours in the ranking, topics x (m - 1), with their means taken off; the
    collection's are `projection`. `weights` say how often each topic was drawn, a row a resample.
    """
    n = len(differences)
    for row, w in enumerate(weights):
        shift = w @ differences / n
        s = (differences.T @ (w[:, None] * differences) - n * np.outer(shift, shift)) / (n - 1)
        s[np.diag_indices_from(s)] += eps
        _, out[row] = _solve(s, projection + shift)


def resampled_sums(values: FloatArray, weights: IntArray, out: FloatArray, workers: int) -> None:
    """Sums of the scores over resampled topics; `weights` say how often each topic was drawn, a row a resample."""
    np.matmul(weights.astype(np.float64), values, out=out)


def _solve(s: FloatArray, d: FloatArray) -> tuple[FloatArray, tuple[float, float]]:
    """The dual v, and a row of `out`."""
    from scipy.linalg import solve_triangular
    from scipy.optimize import nnls

    if (d >= 0).all():  # the order is the one of X: nothing to move, and exactly 0
        return np.zeros(len(d)), (0.0, 0.0)
    try:
        lower = np.linalg.cholesky(s)
        v, _ = nnls(lower.T, -solve_triangular(lower, d, lower=True), maxiter=30 * len(d) + 100)
    except (np.linalg.LinAlgError, RuntimeError, ValueError):  # no inverse, no end, or not finite
        return np.zeros(len(d)), (np.nan, -1.0)
    # Least squares stops at the accuracy of L, and may leave out a difference or take one by rounding. From there on it
    # goes as in Lawson and Hanson, with S itself.
    active = v > 0
    for _ in range(len(d) + 10):
        v = _least_on(s, d, v, active)
        delta = d + s @ v
        worst = int(np.argmin(delta))
        # As in the solver of distance.cpp, but for differences that are 0 beside the largest.
        if delta[worst] >= -1e-13 * (s.diagonal().max() * v.sum() + np.abs(d).max()):
            break
        active = v > 0
        if active[worst]:  # it should be 0, and is not
            return np.zeros(len(d)), (np.nan, -1.0)
        active[worst] = True
    else:
        return np.zeros(len(d)), (np.nan, -1.0)
    # The dual's value, -v'(d + delta), errs by the square of an error in v only; v' S v, its equal, does not.
    return v, (max(0.0, float(-v @ (d + delta))), float((v > 0).sum()))


def _least_on(s: FloatArray, d: FloatArray, v: FloatArray, active: npt.NDArray[np.bool_]) -> FloatArray:
    """The dual where only `active` may be above 0, from one that is near; what would be negative leaves the set."""
    v, active = np.where(active, v, 0.0), active.copy()
    while True:
        step = np.zeros(len(d))
        step[active] = -np.linalg.solve(s[np.ix_(active, active)], (d + s @ v)[active])
        below = active & (v + step <= 0)
        if not below.any():
            return v + step
        shares = np.where(below, v / np.where(below, -step, 1.0), np.inf)  # how far each can go
        v = v + shares.min() * step
        active &= shares > shares.min()
        v[~active] = 0.0
