"""`rank_probabilities`: at which ranks a system may stand, over all rankings that are close enough."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from ..arrays import FloatArray, IntArray, require_room_for_pairs
from ..data.results import Result, settings_of
from ..errors import InputError, import_extra, require
from ..inference.rerankings import rankings_at_tau
from ..inference.resampling import Progress, Resampling, Seed, over_resamples, resampled_means
from ..options import checked
from ..parallel import Workers
from ..read.door import Collection, as_topics
from ..words import counted, nearest, one_line
from .distance import Problem
from .distribution import DistanceDistribution

By = Literal["rank_distance", "tau"]


@dataclass(frozen=True, eq=False, repr=False)
class RankProbabilities(Result):
    """Probability of each system at each rank over acceptable rankings."""

    _figure = "matrices.rank_probabilities"
    values: FloatArray
    """`values[i, k]` is the probability of `systems[i]` at rank k + 1; rows and columns sum to 1."""
    systems: tuple[str, ...]
    """In the order of the truth, best first."""
    by: By
    threshold: float
    """Rankings with a distance of at most this, or with a tau of at least this, are acceptable."""
    n_rankings: int
    """How many acceptable rankings were drawn."""
    n_drawn: int

    @checked
    def ranks(self, system: str) -> tuple[int, int]:
        """The best and the worst rank at which a system occurs, from 1."""
        if system not in self.systems:
            raise InputError(f"there is no system {system!r}{nearest(str(system), self.systems)}")
        found = np.flatnonzero(self.values[self.systems.index(system)] > 0)
        return int(found[0]) + 1, int(found[-1]) + 1

    @property
    def verdict(self) -> str:
        """How many rankings are acceptable."""
        rule = f"d_rank <= {self.threshold:.4g}" if self.by == "rank_distance" else f"tau >= {self.threshold:.4g}"
        return f"{self.n_rankings:,} rankings with {rule}, of {self.n_drawn:,} drawn"

    def rows(self) -> list[dict[str, Any]]:
        """One row per system: its best, worst and mean rank."""
        expected = (self.values @ np.arange(1, len(self.systems) + 1)).tolist()
        return [
            {"system": system, **dict(zip(("best", "worst"), self.ranks(system), strict=True)), "mean": mean}
            for system, mean in zip(self.systems, expected, strict=True)
        ]

    def table(self) -> str:
        """One line per system."""
        names = [one_line(system) for system in self.systems]
        width = max(map(len, names))
        return "\n".join(
            f"  {place:>3}  {name:<{width}}  ranks {row['best']:>3} to {row['worst']:>3}, mean {row['mean']:.1f}"
            for place, (name, row) in enumerate(zip(names, self.rows(), strict=True), start=1)
        )

    def to_frame(self) -> Any:
        """The probabilities as a pandas frame: one row per system, best first, one column per rank."""
        pandas = import_extra("pandas")
        return pandas.DataFrame(
            self.values.copy(),
            index=pandas.Index(self.systems, name="system"),
            columns=pandas.Index(range(1, len(self.systems) + 1), name="rank"),
        )


@checked
def rank_probabilities(  # noqa: PLR0913
    truth: Collection,
    *,
    by: By = "rank_distance",
    threshold: float | None = None,
    n_resamples: int = 9_999,
    alpha: float = 0.05,
    eps: float = 1e-5,
    rng: Seed = None,
    workers: Workers = 1,
    progress: Progress | None = None,
) -> RankProbabilities:
    """Probability of each system at each rank, over the rankings that are close enough to the truth's: figure 3.

    - by="rank_distance": rankings by the means of resampled topics, of which those with a `rank_distance` of at most
      `threshold` are acceptable. The default is the critical value at level `alpha` of the same resamples.
      Systems that are tied in such a ranking share its ranks evenly.
    - by="tau": all rankings with a tau of at least `threshold`, by default 0.9, each with the same probability.

    Parameters
    ----------
    truth : Collection
        Scores on each topic, in any form that `as_scores` takes, or a topics x systems array; higher is better.
    by : {"rank_distance", "tau"}
        What decides which rankings are acceptable, and how they are drawn.
    threshold : float, optional
        The largest distance, or the smallest tau.
    n_resamples : int
        How many rankings to draw.
    alpha : float
        Level of the critical value.
    eps : float
        What is added to the variances, as in `rank_distance`.
    rng : int, Generator or None
        The same seed gives the same bits at any number of workers.
    workers : int or Executor
        Threads, or an executor of concurrent.futures.
    progress : callable, optional
        Called with the number of rankings done and the total.

    Returns
    -------
    RankProbabilities
        A systems x ranks matrix, and the threshold that was used.

    See Also
    --------
    rank_intervals : The ranks that each system may have.
    ranking_probability : How probable a ranking is.

    References
    ----------
    B. Carterette (2009). On Rank Correlation and the Distance Between Rankings. SIGIR, section 4.2 and figure 3.

    Examples
    --------
    >>> import concordant as cc
    >>> ap = [[0.04, 0.55, 0.51], [0.39, 0.55, 0.56], [0.10, 0.60, 0.63], [0.11, 0.61, 0.66]]
    >>> scores = cc.Scores(ap, topics=range(4), systems=["A", "B", "C"])
    >>> print(cc.ranks.rank_probabilities(scores, n_resamples=1000, rng=1))
    1,000 rankings with d_rank <= 0.6451, of 1,000 drawn
    <BLANKLINE>
        1  C  ranks   1 to   2, mean 1.2
        2  B  ranks   1 to   2, mean 1.8
        3  A  ranks   3 to   3, mean 3.0

    """
    least, most = (-1, 1) if by == "tau" else (0, np.inf)
    fits = threshold is None or least <= threshold <= most
    require(fits, "threshold", threshold, f"give a number from {least:g} to {most:g}")
    how = Resampling.of(n_resamples, rng, workers, progress)
    given = as_topics(truth, "truth")
    scores = given.observations()
    require_room_for_pairs(len(scores.systems), "the probability of each rank", 5)
    own = np.argsort(-scores.means(), kind="stable")  # the truth's own order
    settings: dict[str, Any] = {"alpha": None, "eps": None}
    notes: tuple[str, ...] = ()
    if given.groups is not None and by == "rank_distance":
        settings["groups"] = len(scores.topics)
    if by == "tau":
        threshold = 0.9 if threshold is None else threshold
        places, accepted = _by_tau(len(own), threshold, how), how.n_resamples
    else:
        problem = Problem.of(scores, eps, "the distance")
        settings |= {"alpha": alpha, "eps": problem.eps}
        notes = problem.doubts
        threshold, accepted, places = _by_distance(problem, own, threshold, alpha, how)
        problem.warn()
    return RankProbabilities(
        values=places / accepted,
        systems=tuple(scores.systems[k] for k in own),
        by=by,
        threshold=threshold,
        n_rankings=accepted,
        n_drawn=how.n_resamples,
        notes=notes,
        settings=settings_of(seed=how.seed, n_resamples=how.n_resamples, measure=scores.measure, **settings),
    )


def _count(best: IntArray, worst: IntArray) -> FloatArray:
    """How often each system, by column, has each rank; tied systems have those from best to worst in equal parts."""
    m, size = best.shape[1], worst - best + 1
    cells, places = best + m * np.arange(m), np.zeros(m * m)
    for step in range(int(size.max(initial=1))):
        some = size > step
        places += np.bincount((cells + step)[some], 1 / size[some], m * m)
    return places.reshape(m, m)


def _by_tau(m: int, threshold: float, how: Resampling) -> FloatArray:
    step, rng = max(1, 2**20 // m), how.generator()
    places = np.zeros((m, m))
    for done in range(0, how.n_resamples, step):
        ranks = rankings_at_tau(m, threshold, min(step, how.n_resamples - done), rng, at_least=True)
        places += _count(ranks, ranks)
        if how.progress is not None:
            how.progress(min(how.n_resamples, done + step), how.n_resamples)
    return places


def _by_distance(
    problem: Problem, own: IntArray, threshold: float | None, alpha: float, how: Resampling
) -> tuple[float, int, FloatArray]:
    """Threshold, acceptable rankings, and how often each system has each rank among them."""
    work = partial(_distances_and_ranks, problem, own, how.threads)
    found = list(over_resamples(work, problem.n, how))
    distances, best, worst = (np.concatenate(parts) for parts in zip(*found, strict=True))
    if threshold is None:
        threshold = DistanceDistribution.made("paper", problem, distances, how.seed).critical_value(alpha)
    accepted = distances <= threshold * (1 + 1e-9)
    if not accepted.any():
        raise InputError(
            f"threshold is {threshold:g}, and none of {counted(how.n_resamples, 'resampled ranking')} is as near "
            f"(the nearest has {distances.min():.4g}): give a larger one, or None for the critical value"
        )
    return threshold, int(accepted.sum()), _count(best[accepted].astype(np.int64), worst[accepted].astype(np.int64))


def _distances_and_ranks(
    problem: Problem, own: IntArray, workers: int, weights: IntArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Of the rankings of some resamples, with the best and the worst rank of each system, in the truth's order."""
    from scipy.stats import rankdata

    means = resampled_means(problem.scores.values, weights, workers=workers)
    small = np.min_scalar_type(problem.m)
    best, worst = (rankdata(-means[:, own], method, axis=1) - 1 for method in ("min", "max"))
    return problem.distances(means, workers=workers), best.astype(small), worst.astype(small)
