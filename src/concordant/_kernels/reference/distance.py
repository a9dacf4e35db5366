"""The rank distance: the twin of distance.cpp, constraints.hpp and active_set.hpp.

Put the columns of X, one per system, in the order of `candidate`, best first. The m - 1 differences of adjacent columns
have the means d and the covariance S (with eps added to its diagonal). carterette2009, equation 2, seeks the nearest
point that keeps the order:

    minimum over delta >= 0 of (delta - d)' S^-1 (delta - d).

The dual problem needs no inverse: delta = d + S v with v >= 0 and v' delta = 0. So v minimises v' S v / 2 + d' v over
v >= 0, and the minimum above is v' S v. If S = L L', v also minimises |L' v + L^-1 d|, which is a non-negative
least-squares problem.

Systems that are tied in `candidate` imply no order. We then seek the nearest means mu in which no system of a tied
group is below a system of the next group. Let C be the covariance of the systems (with eps / 2 added to its diagonal,
which adds eps to each difference), and let each row of A give the difference of such a pair. Then mu = x + C A' w with
w >= 0 and w' A mu = 0. This is the same problem with S = A C A' and d = A x. There may be very many pairs, so the
solver adds only pairs that mu violates.

Each problem fills one row of `out`: v' S v, and about the number of steps, or -1 if the solver gave up.
"""

from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt

from ...arrays import FloatArray, IntArray

FIELDS = 2  # columns of `out`


def order_of(candidate: FloatArray, means: FloatArray) -> IntArray:
    """Order the systems by each row of candidates, best first. Break ties by the means, then by position."""
    return np.lexsort((np.broadcast_to(-means, candidate.shape), -candidate), axis=-1)


def ends_of(ordered: FloatArray) -> IntArray:
    """Return where each tied group ends in scores sorted best first, or an empty array if there are no ties."""
    ends = np.append(np.flatnonzero(np.diff(ordered)) + 1, len(ordered))
    return ends if len(ends) < len(ordered) else ends[:0]


def differences_of(covariance: FloatArray, order: IntArray, eps: float) -> FloatArray:
    """Compute S, the covariance of the differences between neighbours in the order, plus eps on its diagonal."""
    ordered = covariance[np.ix_(order, order)]
    s = np.diff(np.diff(ordered, axis=0), axis=1)
    s[np.diag_indices_from(s)] += eps
    return np.asarray(s)


def raised(covariance: FloatArray, eps: float) -> FloatArray:
    """Compute C, the covariance of the systems plus eps / 2 on its diagonal, which adds eps to every difference."""
    return np.asarray(covariance + eps / 2 * np.eye(len(covariance)))


def rank_distances(
    covariance: FloatArray,
    means: FloatArray,
    candidate: FloatArray,
    eps: float,
    out: FloatArray,
    duals: FloatArray,
    workers: int,
) -> None:
    """Compute distances to the ranking of each row of candidates, from the covariance and means of the systems.

    Also fill `duals` with v, unless it has no rows. If systems are tied, v has one value between each two neighbours in
    the order, and mu = x + C u, where u contains the differences of v.
    """
    for row, order in enumerate(order_of(candidate, means)):
        ends = ends_of(candidate[row, order])
        if ends.size:
            u, out[row] = _solve_pairs(raised(covariance, eps), means, np.split(order, ends[:-1]))
            v = np.cumsum(u[order])[:-1]
        else:
            v, out[row] = _solve(differences_of(covariance, order, eps), -np.diff(means[order]))
        if len(duals):
            duals[row] = v


def recentred_distances(
    columns: FloatArray,
    projection: FloatArray,
    ends: IntArray,
    weights: IntArray,
    eps: float,
    out: FloatArray,
    workers: int,
) -> None:
    """Compute distances to one ranking, for topics resampled from a collection in which that ranking is true.

    `columns` contains the centred differences between neighbours in the ranking, topics x (m - 1), and `projection` the
    mean differences of the collection. If systems are tied, both contain systems instead of differences, best first,
    and `ends` tells where each tied group ends. `weights` says how often each topic was drawn, one row per resample.
    """
    n, p = columns.shape
    for row, w in enumerate(weights):
        shift = w @ columns / n
        s = (columns.T @ (w[:, None] * columns) - n * np.outer(shift, shift)) / (n - 1)
        if ends.size:
            _, out[row] = _solve_pairs(raised(s, eps), projection + shift, np.split(np.arange(p), ends[:-1]))
        else:
            s[np.diag_indices_from(s)] += eps
            _, out[row] = _solve(s, projection + shift)


def _solve(s: FloatArray, d: FloatArray) -> tuple[FloatArray, tuple[float, float]]:
    """Solve for the dual v, and make a row of `out`."""
    from scipy.linalg import solve_triangular
    from scipy.optimize import nnls

    if (d >= 0).all():  # the means have this order, so the distance is exactly 0
        return np.zeros(len(d)), (0.0, 0.0)
    try:
        lower = np.linalg.cholesky(s)
        v, _ = nnls(lower.T, -solve_triangular(lower, d, lower=True), maxiter=30 * len(d) + 100)
    except (np.linalg.LinAlgError, RuntimeError, ValueError):  # singular, not converged, or not finite
        return np.zeros(len(d)), (np.nan, -1.0)
    # Least squares stops at the accuracy of L, so rounding may omit or add a difference. Continue with Lawson
    # and Hanson's method, on S itself.
    active = v > 0
    for _ in range(len(d) + 10):
        v = _least_on(s, d, v, active)
        delta = d + s @ v
        worst = int(np.argmin(delta))
        # The limit at which active_set.hpp gives up, plus the rounding error of the largest difference.
        if delta[worst] >= -1e-13 * (s.diagonal().max() * v.sum() + np.abs(d).max()):
            break
        active = v > 0
        if active[worst]:  # the delta of an active difference should be 0
            return np.zeros(len(d)), (np.nan, -1.0)
        active[worst] = True
    else:
        return np.zeros(len(d)), (np.nan, -1.0)
    # The dual's value, -v'(d + delta), equals v' S v but depends on an error in v only by its square.
    return v, (max(0.0, float(-v @ (d + delta))), float((v > 0).sum()))


def _solve_pairs(c: FloatArray, x: FloatArray, groups: list[IntArray]) -> tuple[FloatArray, tuple[float, float]]:
    """Solve for u = A' w, which has one value per system, and make a row of `out`."""
    from scipy.linalg import solve_triangular
    from scipy.optimize import nnls

    m, value, least_squares = len(x), 0.0, True
    pairs = _violated(x, groups, np.zeros(m))
    if not pairs.size and np.isfinite(x).all():  # the distance is exactly 0
        return np.zeros(m), (0.0, 0.0)
    x = x - np.median(x)  # a common offset would cost digits
    try:
        lower = np.linalg.cholesky(c)
        target = -solve_triangular(lower, x, lower=True)
        while True:
            first, second = pairs.T
            if least_squares:
                w, _ = nnls((lower[first] - lower[second]).T, target, maxiter=30 * len(first) + 100)
            else:  # go beyond the accuracy of L, as in `_solve`, one pair at a time
                w = np.append(w, 0.0)
            s = c[first] - c[second]
            s, d = s[:, first] - s[:, second], x[first] - x[second]
            active = (w > 0) | (not least_squares)
            w, before = _least_on(s, d, w, active), value
            u = np.bincount(first, w, m).astype(np.float64) - np.bincount(second, w, m)
            mu = x + c @ u
            value = max(0.0, float(-w @ (d + mu[first] - mu[second])))
            rounding = 1e-15 * (c.diagonal().max() * w.sum() + np.abs(x))  # rounding error of a mean in mu
            more = _violated(mu, groups, rounding)
            if not more.size or not (value > before or least_squares):
                break
            least_squares = value > before and least_squares
            if not least_squares:
                more = more[[np.argmax(mu[more[:, 1]] - mu[more[:, 0]])]]
            pairs, w = np.concatenate([pairs[w > 0], more]), w[w > 0]
        # Accept violations up to rounding (the limit of `_solve`), or too small to change the value.
        if not _violated(mu, groups, np.maximum(100 * rounding, 1e-9 * value / max(w.sum(), 1e-300))).size:
            return u, (value, float((w > 0).sum()))
    except (np.linalg.LinAlgError, RuntimeError, ValueError):  # singular, not converged, or not finite
        pass
    return np.zeros(m), (np.nan, -1.0)


def _violated(mu: FloatArray, groups: list[IntArray], tolerance: FloatArray) -> IntArray:
    """Find violated pairs of each system with the highest of the next group, or the lowest of the previous group."""
    found = [np.empty((0, 2), dtype=np.int64)]
    for upper, lower in itertools.pairwise(groups):
        low, high = upper[mu[upper].argmin()], lower[mu[lower].argmax()]
        found += [np.column_stack([upper, np.full(len(upper), high)])]
        found += [np.column_stack([np.full(len(lower) - 1, low), lower[lower != high]])]
    pairs = np.concatenate(found)
    return np.asarray(pairs[mu[pairs[:, 1]] - mu[pairs[:, 0]] > tolerance[pairs].sum(axis=1)])


def _least_on(s: FloatArray, d: FloatArray, v: FloatArray, active: npt.NDArray[np.bool_]) -> FloatArray:
    """Solve the dual on the `active` set, starting from v. Entries of v that would turn negative leave the set."""
    v, active = np.where(active, v, 0.0), active.copy()
    while True:
        step = np.zeros(len(d))
        step[active] = -np.linalg.solve(s[np.ix_(active, active)], (d + s @ v)[active])
        below = active & (v + step <= 0)
        if not below.any():
            return v + step
        shares = np.where(below, v / np.where(below, -step, 1.0), np.inf)  # how much of the step each entry can take
        v = v + shares.min() * step
        active &= shares > shares.min()
        v[~active] = 0.0
