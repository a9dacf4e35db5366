"""`rank_probabilities`: at which ranks a system may stand, over all rankings that are close enough."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from .. import __version__
from .._kernels.reference_distance import order_of
from ..arrays import FloatArray, IntArray, require_room_for_pairs
from ..chance.rerankings import rankings_at_tau
from ..coefficients.sums import check_workers
from ..errors import InputError
from ..matrices import Collection, matrix_of
from ..notebook import Displayed
from ..resampling import Progress, Seed, check_alpha, check_count, generator, resampled_means, resampled_weights
from ..scores import Scores, mean_over_topics
from ..words import counted
from .distance import Problem
from .distribution import DistanceDistribution

By = Literal["rank_distance", "tau"]


@dataclass(frozen=True, eq=False)
class RankProbabilities(Displayed):
    """Probability of each system at each rank over acceptable rankings. `to_frame` and `plot` show it."""

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
    settings: Mapping[str, Any]

    def ranks(self, system: str) -> tuple[int, int]:
        """The best and the worst rank at which a system occurs, from 1."""
        if system not in self.systems:
            raise InputError(f"there is no system {system!r}")
        found = np.flatnonzero(self.values[self.systems.index(system)] > 0)
        return int(found[0]) + 1, int(found[-1]) + 1

    def __str__(self) -> str:
        rule = f"d_rank <= {self.threshold:.4g}" if self.by == "rank_distance" else f"tau >= {self.threshold:.4g}"
        width = max(map(len, self.systems))
        lines = [f"{self.n_rankings:,} rankings with {rule}, of {self.n_drawn:,} drawn", ""]
        expected = self.values @ np.arange(1, len(self.systems) + 1)
        for place, system in enumerate(self.systems):
            best, worst = self.ranks(system)
            lines.append(
                f"  {place + 1:>3}  {system:<{width}}  ranks {best:>3} to {worst:>3}, mean {expected[place]:.1f}"
            )
        return "\n".join(lines)

    def to_frame(self) -> Any:
        """A pandas frame: a row a system, best first, a column a rank."""
        from ..errors import import_extra

        pandas = import_extra("pandas")
        return pandas.DataFrame(
            self.values.copy(),
            index=pandas.Index(self.systems, name="system"),
            columns=pandas.Index(range(1, len(self.systems) + 1), name="rank"),
        )

    def plot(self, ax: Any = None) -> Any:
        """The paper's figure 3: systems across, ranks up, the colour a logarithm of the probability."""
        from ..plots import matrices

        return matrices.rank_probabilities(self, ax)


def rank_probabilities(  # noqa: PLR0913
    truth: Collection,
    by: By = "rank_distance",
    threshold: float | None = None,
    *,
    n_resamples: int = 9_999,
    alpha: float = 0.05,
    eps: float = 1e-5,
    rng: Seed = None,
    workers: int = 1,
    progress: Progress | None = None,
) -> RankProbabilities:
    """Probability of each system at each rank, over the rankings that are close enough to the truth's: figure 3.

    - by="rank_distance": rankings by the means of resampled topics, of which those with a `rank_distance` of at most
      `threshold` are acceptable. The default is the critical value at level `alpha` of the same resamples.
    - by="tau": all rankings with a tau of at least `threshold`, by default 0.9, each with the same probability.

    Parameters
    ----------
    truth, eps, rng, workers, progress
        As in `rank_test`.
    by : {"rank_distance", "tau"}
        What decides which rankings are acceptable, and how they are drawn.
    threshold : float, optional
        The largest distance, or the smallest tau.
    n_resamples : int
        How many rankings to draw.
    alpha : float
        Level of the critical value.

    References
    ----------
    B. Carterette (2009). On Rank Correlation and the Distance Between Rankings. SIGIR, section 4.2 and figure 3.

    Examples
    --------
    >>> import concordant as cc
    >>> ap = [[0.04, 0.55, 0.51], [0.39, 0.55, 0.56], [0.10, 0.60, 0.63], [0.11, 0.61, 0.66]]
    >>> scores = cc.Scores(ap, topics=range(4), systems=["A", "B", "C"])
    >>> print(cc.rank_probabilities(scores, n_resamples=1000, rng=1))
    1,000 rankings with d_rank <= 0.6451, of 1,000 drawn
    <BLANKLINE>
        1  C  ranks   1 to   2, mean 1.2
        2  B  ranks   1 to   2, mean 1.8
        3  A  ranks   3 to   3, mean 3.0
    """
    if by not in get_args(By):
        raise InputError(f"by is {by!r}: use 'rank_distance' or 'tau'")
    count, random = check_count(n_resamples), generator(rng)
    check_workers(workers)
    values, _ = matrix_of(truth, "truth")
    require_room_for_pairs(values.shape[1], "the probability of each rank")
    own = order_of(mean_over_topics(values), mean_over_topics(values))  # the truth's own order
    problem = None
    if by == "tau":
        threshold = _threshold(threshold, 0.9, -1, 1)
        places = _by_tau(len(own), threshold, count, random, progress)
        accepted = count
    else:
        check_alpha(alpha)
        problem = Problem.of(truth, eps, "the distance")
        threshold, accepted, places = _by_distance(problem, own, threshold, alpha, (count, random, workers, progress))
    labels = truth.systems if isinstance(truth, Scores) else tuple(str(k) for k in range(len(own)))
    return RankProbabilities(
        values=places / accepted,
        systems=tuple(labels[k] for k in own),
        by=by,
        threshold=threshold,
        n_rankings=accepted,
        n_drawn=count,
        settings={
            "alpha": alpha if by == "rank_distance" else None,
            "eps": problem.eps if problem else None,
            "seed": int(rng) if isinstance(rng, (int, np.integer)) else None,
            "version": __version__,
        },
    )


def _threshold(given: Any, default: float, least: float, most: float) -> float:
    value = default if given is None else given
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not least <= value <= most:
        raise InputError(f"threshold is {given!r}: give a number from {least:g} to {most:g}")
    return float(value)


def _count(ranks: IntArray) -> FloatArray:
    """How often each system, by column, has each rank."""
    m = ranks.shape[1]
    return np.bincount((ranks + m * np.arange(m)).ravel(), minlength=m * m).reshape(m, m).astype(np.float64)


def _by_tau(m: int, threshold: float, count: int, rng: np.random.Generator, progress: Progress | None) -> FloatArray:
    step = max(1, 2**20 // m)
    places = np.zeros((m, m))
    for done in range(0, count, step):
        places += _count(rankings_at_tau(m, threshold, min(step, count - done), rng, at_least=True))
        if progress is not None:
            progress(min(count, done + step), count)
    return places


def _by_distance(
    problem: Problem, own: IntArray, threshold: float | None, alpha: float, settings: tuple[Any, ...]
) -> tuple[float, int, FloatArray]:
    """Threshold, acceptable rankings, and how often each system has each rank among them."""
    count, rng, workers, progress = settings
    distances = np.empty(count)
    ranks = np.empty((count, problem.m), np.min_scalar_type(problem.m))
    place = np.argsort(own)  # of each system in the truth's order
    for rows, weights in resampled_weights(problem.n, count, rng):
        means = resampled_means(problem.values, weights, workers=workers)
        distances[rows] = problem.distances(means, workers=workers)
        order = place[order_of(means, problem.means)]
        np.put_along_axis(ranks[rows], order, np.arange(problem.m, dtype=ranks.dtype)[None], axis=1)
        if progress is not None:
            progress(rows.stop, count)
    if threshold is None:
        threshold = DistanceDistribution(
            distances, "paper", "", problem.n, problem.m, problem.eps, None
        ).critical_value(alpha)
    threshold = _threshold(threshold, 0, 0, np.inf)
    accepted = distances <= threshold * (1 + 1e-9)
    if not accepted.any():
        raise InputError(
            f"threshold is {threshold:g}, and none of {counted(count, 'resampled ranking')} is as near "
            f"(the nearest has {distances.min():.4g}): give a larger one, or None for the critical value"
        )
    return threshold, int(accepted.sum()), _count(ranks[accepted].astype(np.int64))
