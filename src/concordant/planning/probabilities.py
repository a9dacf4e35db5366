"""`discordance`: for each pair of systems, the probability that the truth orders it the other way."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from ..arrays import FloatArray, IntArray
from ..data.results import Result, settings_of
from ..errors import InputError, import_extra, warn
from ..inference.resampling import Progress, Resampling, Seed, over_resamples, resampled_means
from ..options import checked
from ..parallel import Workers, shared_out
from ..read.door import Collection, as_topics
from ..words import one_line
from .differences import PairDifferences
from .estimators import Bandwidth, bandwidths, by_inversion, by_student, deviations
from .pooling import Pooling, pooled_deviations, pooling

Estimator = Literal["ml", "msqd", "res", "kd", "pooled"]
Identical = Literal["half", "concordant"]
Ties = Literal["half", "strict"]


@dataclass(frozen=True, eq=False, repr=False)
class Discordance(Result):
    """Probabilities of discordance; `np.asarray` gives the matrix."""

    _figure = "matrices.discordance"
    values: FloatArray
    """`values[i, j]`, i < j, is the probability that `systems[i]` is truly below `systems[j]`; below the diagonal the
    complement to 1, on it nan."""
    systems: tuple[str, ...]
    """By their observed means, best first."""
    estimator: Estimator
    tau: float
    """Expected tau with the true ranking."""
    tau_ap: float
    """Expected AP correlation with the true ranking."""

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self.values, dtype=dtype)

    @property
    def verdict(self) -> str:
        """The expected correlations."""
        return (
            f"Expected correlation with the true ranking: tau {self.tau:.4f}, tau_ap {self.tau_ap:.4f} "
            f"({self.estimator})"
        )

    def rows(self) -> list[dict[str, Any]]:
        """One row per pair of neighbours: the probability that they are in the wrong order."""
        k = np.arange(len(self.systems) - 1)
        neighbours = zip(self.systems, self.systems[1:], self.values[k, k + 1].tolist(), strict=False)
        return [{"system": above, "below": below, "probability": p} for above, below, p in neighbours]

    def table(self) -> str:
        """One line per pair of neighbours."""
        width = max(len(one_line(system)) for system in self.systems)
        lines = ["Probability that neighbours are in the wrong order:"]
        lines += [
            f"  {one_line(row['system']):<{width}}  {one_line(row['below']):<{width}}  {row['probability']:.4f}"
            for row in self.rows()
        ]
        return "\n".join(lines)

    def to_frame(self) -> Any:
        """The matrix as a pandas frame, systems x systems, best first."""
        pandas = import_extra("pandas")
        names = pandas.Index(self.systems, name="system")
        return pandas.DataFrame(self.values.copy(), index=names, columns=names.rename("below"))


@checked
def discordance(  # noqa: PLR0913
    scores: Collection,
    *,
    estimator: Estimator = "msqd",
    identical: Identical = "half",
    ties: Ties = "half",
    n_resamples: int | None = None,
    bandwidth: Bandwidth = "plug-in",
    rng: Seed = None,
    workers: Workers = 1,
    progress: Progress | None = None,
) -> Discordance:
    """Probability that a pair of systems, as its observed means order it, is ordered the other way in truth.

    Sort the systems by their means over the n topics. For each pair, i above j, with differences D:

    - "ml": p = T_{n-1}(-sqrt(n) mean(D) / (c sd(D))), Student's distribution; c makes the standard deviation unbiased.
    - "msqd": the same without c, with sd = sum(D z) / sum(z^2), z = Phi^-1(rank(D) / (n + 1)), average ranks on ties:
      the deviation that a sample spread evenly over the quantiles would have. The least biased with few topics.
    - "res": the share of the means of n topics, drawn with replacement, that are below 0.
    - "kd": the same with draws from a Gaussian kernel density of D.
    - "pooled": as "ml" without c, with the variance of D pooled with the mean variance of all pairs, which counts more
      the more alike the variances are (empirical Bayes). Not in the paper; docs/papers/urbano2016.md has its error and
      bias beside those of the paper's.

    "res" and "kd" are exact by default, the limit of infinitely many resamples, by inversion of the characteristic
    function of the mean. With `n_resamples` topics are resampled, the same for all pairs. The accuracy
    of both is in docs/guide/reliability.md.

    Parameters
    ----------
    scores : Collection
        Scores on each topic, as `as_scores` takes them, or a topics x systems array, at least 2 x 2; higher is better.
    estimator : {"ml", "msqd", "res", "kd", "pooled"}
        How p is estimated.
    identical : {"half", "concordant"}
        What counts for two systems with the same scores.
    ties : {"half", "strict"}
        Whether a resampled mean of exactly 0 counts one half, or 0 as in the authors' code. "strict" needs
        `n_resamples` with "res"; with the other estimators such means have probability 0, and it changes nothing.
    n_resamples : int, optional
        Resamples for "res" and "kd"; None for the exact limit.
    bandwidth : {"plug-in", "scott", "silverman"}
        For "kd": the two-stage direct plug-in of Sheather and Jones; 1.06 sd n^(-1/5); or
        0.9 min(sd, IQR / 1.349) n^(-1/5).
    rng : int, Generator or None
        Seed of the resampling.
    workers : int or Executor
        Threads, or an executor of concurrent.futures.
    progress : callable, optional
        Called with the number of pairs done and the total; with `n_resamples`, of resamples.

    Returns
    -------
    Discordance
        A systems x systems matrix, best first, and the expected tau and tau_ap.

    See Also
    --------
    expected_correlation : Expected correlation with the true ranking, by one estimator.
    rank_intervals : The ranks that each system may have.

    Notes
    -----
    A pair of systems that differ by the same on every topic has p = 0. Identical systems have p = 1/2, or 0 with
    identical="concordant", which is what the authors' code does.

    References
    ----------
    J. Urbano and M. Marrero (2016). Toward Estimating the Rank Correlation between the Test Collection Results and the
    True System Performance. SIGIR.
    S. J. Sheather and M. C. Jones (1991). A Reliable Data-Based Bandwidth Selection Method for Kernel Density
    Estimation. Journal of the Royal Statistical Society B 53.
    G. K. Smyth (2004). Linear Models and Empirical Bayes Methods for Assessing Differential Expression in Microarray
    Experiments. Statistical Applications in Genetics and Molecular Biology 3(1).
    J. Gil-Pelaez (1951). Note on the inversion theorem. Biometrika 38(3/4).

    Examples
    --------
    >>> import concordant as cc
    >>> ap = [[0.04, 0.55, 0.51], [0.39, 0.55, 0.56], [0.10, 0.60, 0.63], [0.11, 0.61, 0.66]]
    >>> print(cc.planning.discordance(cc.Scores(ap, topics=range(4), systems=["A", "B", "C"])))
    Expected correlation with the true ranking: tau 0.7594, tau_ap 0.6532 (msqd)
    <BLANKLINE>
    Probability that neighbours are in the wrong order:
      C  B  0.3327
      B  A  0.0139

    """
    if ties == "strict" and estimator == "res" and n_resamples is None:
        raise InputError(
            "ties is 'strict', and the exact limit counts a mean of 0 one half: give n_resamples, or leave ties at "
            "'half'"
        )
    how = Resampling.of(1 if n_resamples is None else n_resamples, rng, workers, progress)
    grouped = as_topics(scores, "scores")
    given = grouped.observations()
    pairs = PairDifferences(given.values)
    for doubt in pairs.doubts:
        warn(doubt)
    if n_resamples is not None and estimator in ("res", "kd"):
        p = _resampled(given.values, pairs, bandwidth if estimator == "kd" else None, ties, how)
        if identical == "concordant":
            p[np.concatenate([pairs.block(rows).identical for rows in pairs.pieces()])] = 0.0
        settings = settings_of(seed=how.seed, n_resamples=how.n_resamples, identical=identical, ties=ties)
    else:
        p = exact_probabilities(pairs, (estimator,), how, identical, bandwidth)[estimator]
        settings = settings_of(identical=identical, ties=ties)
    if estimator == "kd":
        settings["bandwidth"] = bandwidth
    if grouped.groups is not None:
        settings["groups"] = len(given.topics)
    tau, tau_ap = pairs.expected(p)
    systems = tuple(given.systems[k] for k in pairs.order)
    about: Any = {"notes": pairs.doubts, "settings": settings, "data": grouped}
    return Discordance(pairs.matrix(p), systems, estimator, tau, tau_ap, **about)


def exact_probabilities(
    pairs: PairDifferences,
    estimators: Sequence[str],
    how: Resampling,
    identical: Identical = "half",
    bandwidth: Bandwidth = "plug-in",
) -> dict[str, FloatArray]:
    """By estimator, the probability of discordance of each pair; "res" and "kd" with infinitely many resamples."""
    pool = pooling(pairs) if "pooled" in estimators else Pooling(0.0, 0.0)
    work = partial(_exact, pairs, tuple(estimators), identical, bandwidth, how.threads, pool=pool)
    pieces, found = pairs.pieces(), []
    for rows, p in zip(pieces, shared_out(work, pieces, how.workers), strict=True):
        found.append(p)
        if how.progress is not None:
            how.progress(rows.stop, len(pairs))
    return dict(zip(estimators, np.concatenate(found, axis=1), strict=True))


def _exact(
    pairs: PairDifferences,
    estimators: tuple[str, ...],
    identical: Identical,
    bandwidth: Bandwidth,
    workers: int,
    rows: slice,
    *,
    pool: Pooling,
) -> FloatArray:
    """Of one piece of the pairs, one row per estimator."""
    block = pairs.block(rows)
    found: dict[str, FloatArray] = {}
    for name in ("ml", "msqd"):
        if name in estimators:
            found[name] = by_student(block, deviations(block, name))
    if "pooled" in estimators:
        found["pooled"] = by_student(block, pooled_deviations(block, pool))
    if "res" in estimators or "kd" in estimators:
        h = bandwidths(block, bandwidth, workers) if "kd" in estimators else np.zeros(len(block.means))
        found["res"], found["kd"] = by_inversion(block, h, workers)
    p = np.stack([found[name] for name in estimators])
    if identical == "concordant":
        p[:, block.identical] = 0.0
    return p


def _resampled(
    values: FloatArray, pairs: PairDifferences, bandwidth: Bandwidth | None, ties: Ties, how: Resampling
) -> FloatArray:
    """The share of resampled means below 0; for KD, its expectation over the noise of the kernels, N(0, h^2 / n)."""
    h = np.zeros(len(pairs))
    if bandwidth is not None:
        h = np.concatenate([bandwidths(pairs.block(rows), bandwidth, how.threads) for rows in pairs.pieces()])
    h = np.ldexp(h, pairs.exponent)  # in the units of the scores
    ordered = np.ascontiguousarray(values[:, pairs.order])
    work = partial(_below, ordered, h, 0.5 if ties == "half" else 0.0, how.threads)
    p = np.zeros(len(pairs))
    for counts in over_resamples(work, pairs.n, how):
        p += counts
    return p / how.n_resamples


def _below(ordered: FloatArray, h: FloatArray, zero: float, workers: int, weights: IntArray) -> FloatArray:
    """For each pair, in how many of some resamples the better system is below; `zero` is what a tie counts."""
    from scipy.special import ndtr

    n, m = ordered.shape
    means = resampled_means(ordered, weights, workers=workers)
    ends = np.cumsum(np.arange(m - 1, -1, -1))
    p = np.empty(len(h))
    for i in range(m - 1):
        some = slice(ends[i] - (m - 1 - i), ends[i])
        apart = means[:, i : i + 1] - means[:, i + 1 :]
        smooth = h[some] > 0
        below = np.where(apart < 0, 1.0, np.where(apart == 0, zero, 0.0))
        if smooth.any():
            below[:, smooth] = ndtr(-apart[:, smooth] * math.sqrt(n) / h[some][smooth])
        p[some] = below.sum(axis=0)
    return p
