"""Random rankings at a given Kendall's tau or AP correlation, uniformly among all that have it.

For a ranking of m systems let C(k) be the number of systems that the truth puts above the k-th one and that are below
it. The C(k) run freely over 0 .. k-1, fix the ranking, and their sum is the number of discordant pairs. So there are
as many rankings with q discordant pairs as ways to write q as such a sum (the Mahonian numbers), counted by adding one
system after the other, and a ranking is drawn by going back through these counts. For AP correlation each C(k) is
divided by k - 1: the sum has too many values to be counted, and `_in_window` draws instead.
"""

from __future__ import annotations

import math

import numpy as np

from ..arrays import FloatArray, IntArray
from ..errors import InputError, LimitError
from ..options import checked
from .inversion import UniformSum
from .resampling import Seed

_DEFAULT_TOLERANCE = 0.005
_COUNTED = 2**24  # counts that the dynamic programming may keep
_BATCH = 2**21  # numbers drawn at a time, at most
_MOST = 2**25  # numbers drawn before giving up, where nothing was found


@checked
def random_rankings(
    m: int,
    size: int = 1,
    *,
    tau: float | None = None,
    tau_ap: float | None = None,
    tolerance: float | None = None,
    rng: Seed = None,
) -> FloatArray:
    """Draw random rankings of m systems, uniformly among all that have a given tau or AP correlation.

    Parameters
    ----------
    m : int
        Number of systems, at least 2.
    size : int
        Number of rankings.
    tau, tau_ap : float
        The value that the rankings have. Give one of them, or neither: then all rankings are equally probable.
    tolerance : float, optional
        How far tau_ap may be from its value, 0.005 if not given. Drawing takes the longer the smaller it is.
    rng : int, Generator or None
        A seed or a generator.

    Returns
    -------
    ndarray of shape (size, m)
        The truth ranks the m systems in the order of the columns, best first: its scores are
        ``numpy.arange(m, 0, -1)``. Each row holds the scores m .. 1 of one ranking, higher is better, with
        ``tau(truth, row)`` or ``tau_ap(truth, row)`` as asked.

    Raises
    ------
    InputError
        If no ranking has that value; the message names the nearest values.

    See Also
    --------
    null_distribution : Tau and AP correlation between random rankings.

    Notes
    -----
    tau holds exactly: the rankings are drawn by dynamic programming over the numbers of discordant pairs. For tau_ap,
    which has too many values for that, every ranking within the tolerance is equally probable.

    References
    ----------
    E. Yilmaz, J. A. Aslam and S. Robertson (2008). A New Rank Correlation Coefficient for Information Retrieval. SIGIR,
    figure 6.

    Examples
    --------
    >>> import numpy as np, concordant as cc
    >>> truth = np.arange(6, 0, -1)
    >>> rankings = cc.study.random_rankings(6, 3, tau=0.6, rng=1)
    >>> rankings
    array([[5., 4., 3., 6., 2., 1.],
           [5., 6., 4., 1., 3., 2.],
           [6., 3., 5., 4., 1., 2.]])
    >>> cc.tau(truth, rankings)
    array([0.6, 0.6, 0.6])
    >>> cc.tau_ap(truth, cc.study.random_rankings(6, 3, tau_ap=0.6, tolerance=0.05, rng=1)).round(3)
    array([0.6  , 0.627, 0.553])

    """
    drawn_by = np.random.default_rng(rng)
    if tau is not None and tau_ap is not None:
        raise InputError("tau and tau_ap are both given: rankings are drawn at one of them")
    if tolerance is not None and tau_ap is None:
        raise InputError(f"tolerance is {tolerance!r}, and it is for tau_ap: rankings have a given tau exactly")
    if tau is not None:
        ranks = _at_tau(m, tau, size, drawn_by)
    elif tau_ap is not None:
        near = _DEFAULT_TOLERANCE if tolerance is None else tolerance
        ranks = _at_tau_ap(m, tau_ap, near, size, drawn_by)
    else:
        ranks = drawn_by.permuted(np.tile(np.arange(m), (size, 1)), axis=1)
    return np.asarray(m - ranks, np.float64)


def _at_tau(m: int, tau: float, size: int, rng: np.random.Generator) -> IntArray:
    pairs = m * (m - 1) // 2
    discordant = round(pairs * (1 - tau) / 2)
    if abs(1 - 2 * discordant / pairs - tau) > 1e-9:
        below = math.ceil(pairs * (1 - tau) / 2)
        raise InputError(
            f"tau is {tau!r}, and no ranking of {m} systems has it: the nearest values are "
            f"{1 - 2 * below / pairs:.12g} and {1 - 2 * (below - 1) / pairs:.12g}"
        )
    if m * (min(discordant, pairs - discordant) + 1) <= _COUNTED:
        return rankings_at_tau(m, 1 - 2 * discordant / pairs, size, rng)
    moves, tried, _ = _in_window(np.ones(m - 1), float(discordant), float(discordant), size, rng)
    if not len(moves):
        raise LimitError(
            f"tau is {tau!r}, and of {tried:,} rankings of {m:,} systems drawn near it none has exactly that: "
            "take fewer systems, or give tau_ap with a tolerance"
        )
    return _ranks_of(moves)


def _at_tau_ap(m: int, tau_ap: float, tolerance: float, size: int, rng: np.random.Generator) -> IntArray:
    # In places of candidate, best first: moves[:, j] of the j systems above place j+1 should be below it.
    half = (m - 1) / 2
    missing = (half * (1 - tau_ap - tolerance) - 1e-12 * m, half * (1 - tau_ap + tolerance) + 1e-12 * m)
    moves, tried, nearest = _in_window(1 / np.arange(1.0, m), *missing, size, rng)
    if not len(moves):
        values = " and ".join(f"{1 - d / half:.12g}" for d in sorted(nearest, reverse=True))
        raise InputError(
            f"tau_ap is {tau_ap!r} and tolerance {tolerance!r}, and of {tried:,} rankings of {m} systems drawn "
            f"near it none is that close: the nearest are {values}. Take one of these, or a larger tolerance"
        )
    return np.argsort(_ranks_of(moves), axis=1)


def _in_window(
    spacing: FloatArray, low: float, high: float, size: int, rng: np.random.Generator
) -> tuple[IntArray, int, list[float]]:
    """Rows of (D_1, D_2, ...), D_j in 0 .. j, equally probable among all with low <= sum_j spacing_j D_j <= high.

    All but the last are drawn with probability in proportion to exp(-theta sum), theta such that the whole sum would be
    near the window; the values of the last that bring the sum into it are counted, and the row is kept with probability
    in proportion to that count times exp(theta sum), which takes the tilt out again. The last is one of these values.

    Also how many were tried and, where no row was found, the nearest sums on both sides of the window.
    """
    last, unit = len(spacing), float(spacing[-1])
    j = np.arange(1, last + 1)
    most = float(spacing @ j)
    if low + high > most:  # mirrored, D_j to j - D_j, this is a window at the small sums
        rows, tried, nearest = _in_window(spacing, most - high, most - low, size, rng)
        return j - rows, tried, [most - d for d in nearest]
    theta = _tilt(spacing, high)  # most of the rows are near the upper end; so is the mean of what is proposed
    # The largest value of options times exp(theta (sum - high)): k units below high there are k + 1 options.
    k, fit = np.arange(last + 1), math.floor((high - low) / unit + 1e-6)
    bound = float(np.max((np.minimum(k, fit) + 1) * np.exp(-theta * unit * k)))
    found: list[IntArray] = []
    kept, tried, below, above, step = 0, 0, -math.inf, math.inf, 8 * size + 64
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
        if not kept:
            middle = (low + high) / 2
            place = np.clip(np.floor((middle - sums) / unit), 0, last)
            reached = np.concatenate([sums + place * unit, sums + np.minimum(place + 1, last) * unit])
            below = float(np.max(reached[reached <= middle], initial=below))
            above = float(np.min(reached[reached > middle], initial=above))
    return np.concatenate(found)[:size], tried, [d for d in (below, above) if math.isfinite(d)]


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
    return _ranks_of(moves[1:].T)


def _ranks_of(moves: IntArray) -> IntArray:
    """The rank, from 0, of each system in turn, of which moves[:, k - 1] of the k before it are below it."""
    count, m = moves.shape[0], moves.shape[1] + 1
    ranks = np.zeros((count, m), np.int64)
    for k in range(1, m):  # the k-th system goes in below all but these, and pushes them down
        rank = k - moves[:, k - 1]
        ranks[:, :k] += ranks[:, :k] >= rank[:, None]
        ranks[:, k] = rank
    return ranks
