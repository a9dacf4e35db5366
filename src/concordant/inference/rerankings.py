"""Random rankings at a given Kendall's tau, uniformly among all that have it.

For a ranking of m systems let C(k) be the number of systems that the truth puts above the k-th one and that are below
it. The C(k) run freely over 0 .. k-1, fix the ranking, and their sum is the number of discordant pairs. So there are
as many rankings with q discordant pairs as ways to write q as such a sum (the Mahonian numbers), counted by adding one
system after the other, and a ranking is drawn by going back through these counts.
"""

from __future__ import annotations

import math

import numpy as np

from ..arrays import FloatArray, IntArray


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
