"""Random rankings with a given tau or AP correlation, uniformly among all that have it.

For a ranking of m systems let C(k) be the number of systems that the truth puts above the k-th one and that are below
it. The C(k) run freely over 0 .. k-1, fix the ranking, and their sum is the number of discordant pairs. So there are
as many rankings with q discordant pairs as ways to write q as such a sum (the Mahonian numbers), counted by adding one
system after the other, and a ranking is drawn by going back through these counts.

For AP correlation the sum of C(k) / (k - 1) has too many values to be counted, so rankings are proposed with tilted
weights, and kept with a probability that takes the tilt out again.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from concordant.inference.nulls import UniformSum

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
_BATCH = 2**21  # numbers drawn at a time, at most
_MOST = 2**25  # numbers drawn before giving up, where nothing was found


def with_tau(m: int, size: int, tau: float, rng: int) -> FloatArray:
    """Scores m .. 1 of rankings with this tau; the truth has m, m - 1, ..., 1."""
    return np.asarray(m - rankings_at_tau(m, tau, size, np.random.default_rng(rng)), np.float64)


def with_tau_ap(m: int, size: int, tau_ap: float, tolerance: float, rng: int) -> FloatArray:
    """The same with this tau_ap, up to a tolerance."""
    # In places of the candidate, best first: moves[:, j] of the j systems above place j + 1 should be below it.
    half = (m - 1) / 2
    missing = (half * (1 - tau_ap - tolerance) - 1e-12 * m, half * (1 - tau_ap + tolerance) + 1e-12 * m)
    moves = _in_window(1 / np.arange(1.0, m), *missing, size, np.random.default_rng(rng))
    return np.asarray(m - np.argsort(ranks_of(moves), axis=1), np.float64)


def _in_window(spacing: FloatArray, low: float, high: float, size: int, rng: np.random.Generator) -> IntArray:
    """Rows of (D_1, D_2, ...), D_j in 0 .. j, equally probable among all with low <= sum_j spacing_j D_j <= high.

    All but the last are drawn with probability in proportion to exp(-theta sum), theta such that the whole sum would be
    near the window; the values of the last that bring the sum into it are counted, and the row is kept with probability
    in proportion to that count times exp(theta sum), which takes the tilt out again. The last is one of these values.
    """
    last, unit = len(spacing), float(spacing[-1])
    j = np.arange(1, last + 1)
    most = float(spacing @ j)
    if low + high > most:  # mirrored, D_j to j - D_j, this is a window at the small sums
        return np.asarray(j - _in_window(spacing, most - high, most - low, size, rng))
    theta = _tilt(spacing, high)  # most of the rows are near the upper end; so is the mean of what is proposed
    # The largest value of options times exp(theta (sum - high)): k units below high there are k + 1 options.
    k, fit = np.arange(last + 1), math.floor((high - low) / unit + 1e-6)
    bound = float(np.max((np.minimum(k, fit) + 1) * np.exp(-theta * unit * k)))
    found: list[IntArray] = []
    kept, tried, step = 0, 0, 8 * size + 64
    while kept < size and (kept or tried * last <= _MOST):
        step = min(2 * step, max(1, _BATCH // last))
        x = theta * spacing  # by inverting the distribution function
        rows = np.floor(np.log1p(rng.random((step, last)) * np.expm1(-(j + 1) * x)) / -x)
        rows = np.minimum(rows, j).astype(np.int64)
        sums = rows[:, :-1] @ spacing[:-1]
        first = np.maximum(np.ceil((low - sums) / unit), 0)
        options = np.maximum(np.minimum(np.floor((high - sums) / unit), last) - first + 1, 0)
        keep = rng.random(step) * bound < options * np.exp(theta * np.minimum(sums - high, 0))
        rows[:, -1] = first + np.floor(rng.random(step) * options)
        found.append(rows[keep])
        kept, tried = kept + len(found[-1]), tried + step
    return np.concatenate(found)[:size]


def _tilt(spacing: FloatArray, mean: float) -> float:
    """The theta, positive, under which the sum has this mean, by bisection."""
    whole = UniformSum(spacing)
    low, high = 1e-6 / float(spacing @ whole.counts), 100 / float(spacing.min())
    for _ in range(60):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if whole.moments(middle)[0] > mean else (low, middle)
    return low


def rankings_at_tau(m: int, tau: float, size: int, rng: np.random.Generator, *, at_least: bool = False) -> IntArray:
    """Draw rankings of m systems with this tau, or with `at_least` this tau.

    Row b gives the rank, from 0 for the best, of each system of the truth, best first. Where no ranking has exactly
    this tau, the nearest attainable one above is taken.

    >>> rankings_at_tau(4, 1 / 3, 3, np.random.default_rng(1)).tolist()
    [[2, 0, 1, 3], [0, 3, 1, 2], [1, 0, 3, 2]]
    """
    pairs = m * (m - 1) // 2
    most = math.floor(pairs * (1 - tau) / 2 + 1e-9)  # discordant pairs
    if 2 * most > pairs and not at_least:  # reversed, these are the rankings with the rest of the pairs discordant
        return np.asarray(m - 1 - _with_discordant(m, np.full(size, pairs - most), _sums(m, pairs - most), rng))
    sums = _sums(m, most)
    discordant = _pick(sums[m], np.zeros(size, np.int64), np.full(size, most), rng)
    return _with_discordant(m, discordant if at_least else np.full(size, most), sums, rng)


def _sums(m: int, most: int) -> list[FloatArray]:
    """Entry k: for q = 0 .. most, the rankings of k systems with at most q discordant pairs, up to a factor."""
    sums = [np.ones(most + 1), np.ones(most + 1)]
    for k in range(2, m + 1):
        counts = sums[-1].copy()
        counts[k:] -= sums[-1][:-k]  # with 0 .. k-1 more, so a window of width k over the counts before
        counts[k * (k - 1) // 2 + 1 :] = 0  # there are no more pairs, and rounding must not say otherwise
        sums.append(np.cumsum(counts / counts.max()))
    return sums


def _pick(cumulated: FloatArray, low: IntArray, high: IntArray, rng: np.random.Generator) -> IntArray:
    """An index from low to high for each, with probability in proportion to what was cumulated."""
    below = np.where(low > 0, cumulated[np.maximum(low - 1, 0)], 0.0)
    drawn = below + rng.random(len(low)) * (cumulated[high] - below)
    return np.clip(np.searchsorted(cumulated, drawn, side="right"), low, high)


def _with_discordant(m: int, discordant: IntArray, sums: list[FloatArray], rng: np.random.Generator) -> IntArray:
    left = discordant.astype(np.int64)
    moves = np.zeros((m, len(left)), np.int64)
    for k in range(m, 1, -1):  # C(k) = left - what the k-1 systems before have
        rest = _pick(sums[k - 1], np.maximum(left - (k - 1), 0), np.minimum(left, (k - 1) * (k - 2) // 2), rng)
        moves[k - 1] = left - rest
        left = rest
    return ranks_of(moves[1:].T)


def ranks_of(moves: IntArray) -> IntArray:
    """The rank, from 0, of each system in turn, of which moves[:, k - 1] of the k before it are below it."""
    count, m = moves.shape[0], moves.shape[1] + 1
    ranks = np.zeros((count, m), np.int64)
    for k in range(1, m):  # the k-th system goes in below all but these, and pushes them down
        rank = k - moves[:, k - 1]
        ranks[:, :k] += ranks[:, :k] >= rank[:, None]
        ranks[:, k] = rank
    return ranks
