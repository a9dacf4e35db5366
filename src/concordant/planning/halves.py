"""Split halves, the baseline estimator: extrapolate the correlation between two halves of the topics to all topics.

Two sets of topics rank the systems, and the two rankings are correlated. The sets are disjoint for "sh(w/o)", and
drawn with replacement for "sh(w)". Up to 20 sizes are tried: `unique(round(linspace(1, n // 2, 21)))` without the
first, with 100 splits each. A line in the size is fitted to the logarithm of the discordant share, (1 - tau) / 2, over
all splits with discordant pairs, and extrapolated to n topics. The result is clipped to [-1, 1].

A pair tied in a half is not discordant; for tau_ap, systems tied in one half take the order of the other half. With 2
to 5 topics there is only one size, so the curve is flat: size 2 with 4 or 5 topics, size 1 with 2 or 3. If no split has
a discordant pair, the result is 1.
"""

from __future__ import annotations

import math

import numpy as np

from ..arrays import FloatArray, IntArray, rows_at_a_time
from ..coefficients.registry import break_ties
from ..coefficients.sums import concordance
from ..inference.resampling import resampled_means

SPLITS = 100  # number of splits of each size


def extrapolated(
    values: FloatArray, replace: bool, n_splits: int, rng: np.random.Generator, workers: int = 1
) -> tuple[float, float]:
    """Estimate tau and tau_ap between the collection's ranking of the systems and the true ranking."""
    n = len(values)
    sizes = np.unique(np.round(np.linspace(1, n // 2, 21))).astype(np.int64)
    sizes = np.repeat(sizes[1:] if len(sizes) > 1 else sizes, n_splits)
    shares = discordant_shares(*half_means(values, sizes, replace, rng, workers), workers)
    found = [1 - 2 * _extrapolate(sizes, share, n) for share in shares]
    return found[0], found[1]


def half_means(
    values: FloatArray, sizes: IntArray, replace: bool, rng: np.random.Generator, workers: int
) -> tuple[FloatArray, FloatArray]:
    """Compute the means of the systems over two halves of topics, one row per split, in batches of splits."""
    n, most, step = len(values), 2 * int(sizes.max()), rows_at_a_time(len(values), len(sizes))
    at = np.arange(most)
    found: tuple[list[FloatArray], list[FloatArray]] = ([], [])
    for lo in range(0, len(sizes), step):
        some = sizes[lo : lo + step, None]
        rows = len(some)
        drawn = rng.integers(0, n, (rows, most)) if replace else np.argsort(rng.random((rows, n)), axis=1)[:, :most]
        for half, means in zip((at < some, (at >= some) & (at < 2 * some)), found, strict=True):
            flat = (drawn + n * np.arange(rows)[:, None])[half]
            weights = np.bincount(flat, minlength=rows * n).reshape(rows, n)
            # resampled_means divides by n, although halves are smaller; orders and ties do not change.
            means.append(resampled_means(values, weights, workers=workers))
    return np.concatenate(found[0]), np.concatenate(found[1])


def discordant_shares(truth: FloatArray, candidate: FloatArray, workers: int = 1) -> tuple[FloatArray, FloatArray]:
    """Compute the discordant shares (1 - tau) / 2 and (1 - tau_ap) / 2, with ties counted as concordant."""
    m, counts = concordance(truth, candidate, workers=workers)
    discordant = np.array(counts.discordant)
    down = np.array(counts.down_candidate)
    tied = np.flatnonzero(np.asarray(counts.tied_truth) + np.asarray(counts.tied_candidate))
    if tied.size:
        t, c = truth[tied], candidate[tied]
        down[tied] = concordance(break_ties(t, c), break_ties(c, t), workers=workers)[1].down_candidate
    return discordant / (m * (m - 1) / 2), 1 - down / (m - 1)


def _extrapolate(sizes: IntArray, shares: FloatArray, n: int) -> float:
    """Extrapolate the share to n topics, by a line through the logarithms of the positive shares; at most 1."""
    some = shares > 1e-12
    if not some.any():
        return 0.0
    x, y = sizes[some].astype(np.float64), np.log(shares[some])
    off = x - x.mean()
    across = float(off @ off)
    slope = float(off @ y) / across if across > 0 else 0.0
    return min(1.0, math.exp(min(0.0, float(y.mean()) + slope * (n - float(x.mean())))))
