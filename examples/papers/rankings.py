"""Random rankings with a given tau or AP correlation, uniformly among all that have it: figures 4 and 6 of yilmaz2008.

For AP correlation the sum of C(k) / (k - 1) has too many values to be counted, as `rankings_at_tau` counts them for
tau, so rankings are proposed with tilted weights, and kept with a probability that takes the tilt out again.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from concordant.inference.inversion import UniformSum
from concordant.inference.rerankings import rankings_at_tau, ranks_of

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
