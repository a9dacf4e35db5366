"""`split_half`: the correlation with the truth, extrapolated from that between halves of the topics."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from ..arrays import FloatArray, IntArray, rows_at_a_time
from ..coefficients.sums import concordance
from ..coefficients.ties import break_ties
from ..data.results import Estimate, settings_of
from ..inference.resampling import Resampling, Seed, resampled_means
from ..options import checked
from ..parallel import Workers
from ..read.door import Collection, as_topics

SPLITS = 100  # of each size


@checked
def split_half(
    scores: Collection,
    *,
    coefficient: Literal["tau", "tau_ap"] = "tau",
    replace: bool = True,
    n_splits: int = SPLITS,
    rng: Seed = None,
    workers: Workers = 1,
) -> Estimate:
    """Correlation of the observed ranking with the true one, extrapolated from splits of the topics: the baseline.

    Two disjoint sets of topics (`replace=False`), or two sets drawn with replacement, rank the systems, and their
    correlation is measured: for up to 20 sizes of the sets, `unique(round(linspace(1, n // 2, 21)))` without the first,
    `n_splits` splits of each. The logarithm of the discordant share, (1 - tau) / 2, is fitted linearly in the size,
    over all splits that have discordant pairs, and extrapolated to n topics; the result is clipped to [-1, 1].

    urbano2016 finds it far more biased than the other estimators of `expected_correlation`; it is here to compare with.

    Parameters
    ----------
    scores : Collection
        Scores on each topic, as `as_scores` takes them, or a topics x systems array, at least 2 x 2; higher is better.
    coefficient : {"tau", "tau_ap"}
        What is estimated.
    replace : bool
        Whether topics are drawn with replacement.
    n_splits : int
        Splits of each size.
    rng : int, Generator or None
        The same seed gives the same bits at any number of workers.
    workers : int or Executor
        Threads; an executor is accepted, and needs none.

    Returns
    -------
    Estimate
        With method "sh(w)" or "sh(w/o)".

    See Also
    --------
    expected_correlation : Expected correlation with the true ranking, by one estimator.
    reliability : How close a ranking is to the true one, by all estimators.

    Notes
    -----
    A pair tied in a half is not discordant; for tau_ap, systems tied in one half stand in the order of the other. With
    4 or 5 topics one size is left, with 2 or 3 none, so the size is 1: the curve is then taken as flat. Where no
    split has a discordant pair the result is 1.

    References
    ----------
    J. Urbano and M. Marrero (2016). Toward Estimating the Rank Correlation between the Test Collection Results and the
    True System Performance. SIGIR, section 3.

    Examples
    --------
    >>> import concordant as cc
    >>> print(cc.planning.split_half(cc.load_collection("people"), replace=False, rng=1))
    tau = 0.9121 (sh(w/o))

    """
    how = Resampling.of(n_splits, rng, workers)
    given = as_topics(scores, "scores")
    values = given.observations().values
    found = extrapolated(values, replace, how.n_resamples, how.generator(), how.threads)
    return Estimate(
        coefficient,
        found[coefficient == "tau_ap"],
        "sh(w)" if replace else "sh(w/o)",
        data=given,
        settings=settings_of(
            seed=how.seed, n_splits=how.n_resamples, **({} if given.groups is None else {"groups": len(values)})
        ),
    )


def sizes_of(n: int) -> IntArray:
    """How many topics the halves have."""
    sizes = np.unique(np.round(np.linspace(1, n // 2, 21))).astype(np.int64)
    return sizes[1:] if len(sizes) > 1 else sizes


def extrapolated(
    values: FloatArray, replace: bool, n_splits: int, rng: np.random.Generator, workers: int = 1
) -> tuple[float, float]:
    """Tau and tau_ap of the collection with the truth."""
    n = len(values)
    sizes = np.repeat(sizes_of(n), n_splits)
    shares = discordant_shares(*half_means(values, sizes, replace, rng, workers), workers)
    found = [1 - 2 * _extrapolate(sizes, share, n) for share in shares]
    return found[0], found[1]


def half_means(
    values: FloatArray, sizes: IntArray, replace: bool, rng: np.random.Generator, workers: int
) -> tuple[FloatArray, FloatArray]:
    """Means of the systems over two halves of topics, one row per split."""
    most, step = 2 * int(sizes.max()), rows_at_a_time(len(values), len(sizes))
    parts = (
        _half_means(values, sizes[lo : lo + step], most, replace, rng, workers) for lo in range(0, len(sizes), step)
    )
    first, second = map(np.concatenate, zip(*parts, strict=True))
    return first, second


def _half_means(
    values: FloatArray, sizes: IntArray, most: int, replace: bool, rng: np.random.Generator, workers: int
) -> list[FloatArray]:
    """Of some of the splits; `most` topics are drawn for each."""
    n, rows = len(values), len(sizes)
    drawn = rng.integers(0, n, (rows, most)) if replace else np.argsort(rng.random((rows, n)), axis=1)[:, :most]
    at = np.arange(most)
    found = []
    for half in (at < sizes[:, None], (at >= sizes[:, None]) & (at < 2 * sizes[:, None])):
        flat = (drawn + n * np.arange(rows)[:, None])[half]
        weights = np.bincount(flat, minlength=rows * n).reshape(rows, n)
        # resampled_means divides by n; the halves are smaller. Orders and ties are the same.
        found.append(resampled_means(values, weights, workers=workers))
    return found


def discordant_shares(truth: FloatArray, candidate: FloatArray, workers: int = 1) -> tuple[FloatArray, FloatArray]:
    """The share of discordant pairs, and that of tau_ap: (1 - tau) / 2 and (1 - tau_ap) / 2 if ties are concordant."""
    m, counts = concordance(truth, candidate, workers=workers)
    discordant = np.array(counts.discordant)
    down = np.array(counts.down_candidate)
    tied = np.flatnonzero(np.asarray(counts.tied_truth) + np.asarray(counts.tied_candidate))
    if tied.size:
        t, c = truth[tied], candidate[tied]
        down[tied] = concordance(break_ties(t, c), break_ties(c, t), workers=workers)[1].down_candidate
    return discordant / (m * (m - 1) / 2), 1 - down / (m - 1)


def _extrapolate(sizes: IntArray, shares: FloatArray, n: int) -> float:
    """The share at n topics, by a line through the logarithms of those that are positive; at most 1."""
    some = shares > 1e-12
    if not some.any():
        return 0.0
    x, y = sizes[some].astype(np.float64), np.log(shares[some])
    off = x - x.mean()
    across = float(off @ off)
    slope = float(off @ y) / across if across > 0 else 0.0
    return min(1.0, math.exp(min(0.0, float(y.mean()) + slope * (n - float(x.mean())))))
