"""Four estimators of discordance: the probability that the true order of two systems is not the observed order.

Each takes the differences of a block of pairs and returns a probability for every pair. A constant difference is
certain: the probability is 0 or 1, by its sign. Identical systems differ by 0 on every topic and get 1/2, or 0 if they
are to count as concordant.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Literal

import numpy as np

from .. import _kernels
from ..arrays import BoolArray, FloatArray, shared_out
from ..data.means import ROUNDING
from ..inference.resampling import Resampling
from .differences import Block, PairDifferences

Identical = Literal["half", "concordant"]

ENUMERATED = 7  # up to this many topics, the sums of resamples are enumerated
_TAIL = 21.0  # an inversion covers all but exp(-21) of each tail
_TERMS = 64  # terms of an inversion for each topic; at least 2,048 and at most 4,096 terms in all
_MORE_TERMS = 2**16  # terms for the few pairs whose inversion has not converged with the usual number
_MERGED = 12  # up to this many topics, pairs whose inversion has not converged are enumerated
_UNSEPARATED = 0.01  # an inversion has converged if its characteristic function is smaller than this at the last term


def probabilities(
    pairs: PairDifferences, estimators: Sequence[str], how: Resampling, identical: Identical = "half"
) -> dict[str, FloatArray]:
    """Estimate the probability of discordance of each pair; "res" and "kd" stand for infinitely many resamples."""
    work = partial(_of_block, pairs, tuple(estimators), identical, how.threads)
    found = list(shared_out(work, pairs.pieces(), how.workers))
    return dict(zip(estimators, np.concatenate(found, axis=1), strict=True))


def _of_block(
    pairs: PairDifferences, estimators: tuple[str, ...], identical: Identical, workers: int, rows: slice
) -> FloatArray:
    """Estimate the probabilities of one block of pairs, one row per estimator."""
    block = pairs.block(rows)
    student = set(estimators) & {"ml", "msqd"}
    found = {name: by_student(block, deviations(block, name)) for name in student}
    if "res" in estimators or "kd" in estimators:
        h = bandwidths(block, workers) if "kd" in estimators else np.zeros(len(block.means))
        found["res"], found["kd"] = by_inversion(block, h, workers)
    p = np.stack([found[name] for name in estimators])
    if identical == "concordant":
        p[:, block.identical] = 0.0
    return p


def deviations(block: Block, estimator: str) -> FloatArray:
    """Compute the standard deviation of each pair's differences (urbano2016, equations 7 and 9)."""
    from scipy.special import ndtri

    n = block.differences.shape[1]
    if estimator == "ml":
        c = math.sqrt((n - 1) / 2) * math.exp(math.lgamma((n - 1) / 2) - math.lgamma(n / 2))
        return np.asarray(block.differences.std(axis=1, ddof=1) * c)
    z = np.asarray(ndtri(np.arange(1, n + 1) / (n + 1)))
    found = np.asarray(block.sorted @ z / (z @ z))
    tied = np.flatnonzero((np.diff(block.sorted, axis=1) <= ROUNDING).any(axis=1) & ~block.constant)
    if tied.size:
        found[tied] = _deviations_with_ties(block.sorted[tied])
    return found


def _deviations_with_ties(ascending: FloatArray) -> FloatArray:
    """Compute the standard deviations of "msqd" with average ranks for ties; 0.3 - 0.2 and 0.4 - 0.3 count as tied."""
    from scipy.special import ndtri
    from scipy.stats import rankdata

    groups = np.cumsum(np.diff(ascending, axis=1, prepend=-np.inf) > ROUNDING, axis=1)
    z = ndtri(rankdata(groups, axis=1) / (ascending.shape[1] + 1))
    return np.asarray((ascending * z).sum(axis=1) / (z * z).sum(axis=1))


def by_student(block: Block, sd: FloatArray) -> FloatArray:
    """Estimate p from Student's t distribution: p = T_{n-1}(-sqrt(n) mean / sd) (urbano2016, equation 5)."""
    from scipy.special import stdtr

    n = block.differences.shape[1]
    free = ~block.constant & (sd > 0)
    t = np.where(block.means > 0, -np.inf, np.where(block.means < 0, np.inf, 0.0))
    t[free] = -math.sqrt(n) * block.means[free] / sd[free]
    return np.asarray(stdtr(n - 1, t))


def bandwidths(block: Block, workers: int = 1) -> FloatArray:
    """Compute the bandwidth of a Gaussian kernel density of each pair's differences; 0 where they are constant.

    The two-stage direct plug-in rule of Sheather and Jones reproduces the results of urbano2016.
    """
    n = block.differences.shape[1]
    sd = block.differences.std(axis=1, ddof=1)
    low, high = np.percentile(block.sorted, [25, 75], axis=1) if n < 4 else _quartiles(block.sorted)
    spread = (high - low) / 1.349
    # If more than half of the differences are equal, the quartiles may coincide: use the sd alone.
    scale = np.where(spread > ROUNDING, np.minimum(sd, spread), sd)
    h = np.zeros(len(sd))
    free = np.flatnonzero(~block.constant & (scale > 0))
    if free.size:
        found = np.empty(free.size)
        # Compute in units of the scale, so that powers of a bandwidth neither overflow nor underflow.
        unit = np.ascontiguousarray(block.differences[free] / scale[free, None])
        _kernels.active.plug_in_widths(unit, np.ones(free.size), found, workers)
        h[free] = found * scale[free]
    return h


def _quartiles(ascending: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Compute quartiles of sorted rows, with the linear interpolation of NumPy and R."""
    n = ascending.shape[1]

    def at(q: float) -> FloatArray:
        place = q * (n - 1)
        k = int(place)
        return np.asarray(ascending[:, k] + (place - k) * (ascending[:, min(k + 1, n - 1)] - ascending[:, k]))

    return at(0.25), at(0.75)


def by_inversion(block: Block, h: FloatArray, workers: int = 1) -> tuple[FloatArray, FloatArray]:
    """Compute "res" and "kd" for infinitely many resamples, by inversion; `h` holds the bandwidths for "kd"."""
    n, lattice = block.differences.shape[1], block.lattice
    res = np.where(block.means > 0, 0.0, np.where(block.means < 0, 1.0, 0.5))
    kd = res.copy()
    # Use the difference of the means, which is exactly 0 for tied systems; rounding may change the mean difference.
    mean = np.abs(block.means)
    sd = block.differences.std(axis=1)
    largest = np.maximum(block.sorted[:, -1] - mean, mean - block.sorted[:, 0])
    # Bernstein's inequality: the tail beyond `reach` standard deviations is below exp(-21).
    spread = np.sqrt(n * (sd * sd + h * h))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(spread > 0, largest / spread, 0.0)
    reach = _TAIL / 3 * ratio + np.sqrt((_TAIL / 3 * ratio) ** 2 + 2 * _TAIL)
    total = n * mean
    free = np.flatnonzero(~block.constant & (total < reach * spread))  # other pairs: p is within 1e-9 of 0 or 1
    if not free.size:
        return res, kd
    bound = n * np.maximum(np.abs(block.sorted[:, 0]), np.abs(block.sorted[:, -1])) + 7 * math.sqrt(n) * h
    span = np.minimum(total + reach * spread, 1.001 * bound)[free]
    unit = span if lattice == 0 else np.full(free.size, lattice)
    most = int(np.clip(_TERMS * n, 2048, 4096))
    count = np.ceil(span / unit).astype(np.int64) + 1
    points = np.where((lattice > 0) & (count < 2 * most), count, 0)
    steps = 2 * math.pi / np.where(points > 0, points * unit, span)
    widths = n * h[free] ** 2
    found = np.empty((free.size, 2))
    rows = np.ascontiguousarray(block.differences[free])
    shares = _kernels.active.negative_shares
    shares(rows, steps, points, widths, most, found, workers)
    plain, smooth = _unseparated(block.sorted[free], steps * most, widths)
    again = np.flatnonzero((points == 0) & (smooth | plain) & (n > _MERGED))
    if again.size:
        better = np.empty((again.size, 2))
        shares(rows[again], steps[again], points[again], widths[again], _MORE_TERMS, better, workers)
        found[again] = better
    listed = np.flatnonzero(plain & (points == 0) & (n <= _MERGED) | (n <= ENUMERATED))
    if listed.size:
        found[listed, 0] = _by_enumeration(rows[listed])
        found[widths == 0, 1] = found[widths == 0, 0]
    res[free], kd[free] = found.T
    return res, kd


def _unseparated(ascending: FloatArray, end: FloatArray, widths: FloatArray) -> tuple[BoolArray, BoolArray]:
    """Mark the pairs whose inversions have not converged, for "res" and for "kd".

    Their characteristic functions are still large at the last terms. This happens if the difference on one topic is
    hundreds of times as large as on the others. In resamples without that topic, the sum is so close to 0 that more
    terms are needed.
    """
    n = ascending.shape[1]
    plain, smooth = np.zeros(len(end)), np.zeros(len(end))
    some = np.arange(len(end))
    if n > _MERGED:  # a pair has converged unless half of its differences are close together
        half = (n - 1) // 2
        some = np.flatnonzero((ascending[:, half:] - ascending[:, : n - half]).min(axis=1) * end < 64)
    for part in (0.15, 0.2, 0.25, 0.3):  # the terms fade as exp(-(4.5 part)^2 / 2)
        t = part * end[some]
        size = np.abs(np.exp(1j * t[:, None] * ascending[some]).mean(axis=1)) ** n
        plain[some] += size / 4
        smooth[some] += size * np.exp(-0.5 * widths[some] * t * t) / 4
    # Enumeration is cheap, so use it even for errors ten times as small.
    return plain > _UNSEPARATED / (10 if n <= _MERGED else 1), (smooth > _UNSEPARATED) & (widths > 0)


def _by_enumeration(rows: FloatArray) -> FloatArray:
    """Compute P(S < 0) + P(S = 0) / 2 for the sum S of n draws, by enumerating the sums of each half of the draws."""
    from itertools import combinations_with_replacement

    n = rows.shape[1]

    def ways(draws: int) -> tuple[FloatArray, FloatArray]:
        drawn = list(combinations_with_replacement(range(n), draws))
        weights = np.array([np.bincount(d, minlength=n) for d in drawn], dtype=np.float64)
        orders = [math.factorial(draws) / math.prod(map(math.factorial, map(int, w))) for w in weights]
        return weights, np.array(orders) / n**draws

    (first, p), (second, q) = ways(n // 2), ways(n - n // 2)
    found = np.empty(len(rows))
    for k, row in enumerate(rows):
        sums, others = first @ row, second @ row
        order = np.argsort(sums)
        below = np.append(0.0, np.cumsum(p[order]))
        zero = 1e-11 * np.abs(row).max() * n
        at = [np.searchsorted(sums[order], edge - others) for edge in (-zero, zero)]
        found[k] = (below[at[0]] + below[at[1]]) @ q / 2
    return found
