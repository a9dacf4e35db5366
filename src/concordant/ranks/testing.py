"""`rank_test`: test whether a ranking could be the true one, given the topics."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np

from ..arrays import FloatArray, IntArray, Workers
from ..data.results import Result, settings_of
from ..errors import InputError, counted, p_cell, p_equals
from ..inference.resampling import (
    Progress,
    Resampling,
    Seed,
    in_blocks,
    is_borderline,
    over_resamples,
    resampled_means,
)
from ..options import checked
from ..pairing import two_sides
from ..read.reader import Collection, as_topics
from .distance import LEAST_EPS, Problem, Projection, rankings_beside, solved

RankTestMethod: TypeAlias = Literal["recentred", "paper"]
_EQUAL = 1e-9  # relative: distances closer than this differ by rounding only


@dataclass(frozen=True, eq=False, repr=False)
class RankTest(Result):
    """The result of `rank_test`."""

    _figure = "distributions.rank_test"
    distance: float
    """d_rank of the candidate ranking."""
    pvalue: float
    standard_error: float
    """Monte Carlo error of the p-value."""
    critical_value: float
    """Larger distances are significant at level alpha; infinite with too few resamples for that level."""
    alpha: float
    distances: FloatArray = field(metadata={"in_dict": False})
    """Distances of the resamples, in the order drawn; empty if no test was made."""

    @property
    def significant(self) -> bool:
        """Whether the candidate ranking is rejected as the true one at level alpha."""
        return self.pvalue <= self.alpha

    @property
    def borderline(self) -> bool:
        """Whether the p-value is so close to alpha that another seed could decide differently."""
        return bool(is_borderline(self.pvalue, self.alpha, len(self.distances)))

    @property
    def verdict(self) -> str:
        """State whether the candidate ranking could be the true one."""
        if math.isnan(self.pvalue):
            return "Whether the candidate ranking could be the true one is not known: there are too few topics"
        topics = counted(self.settings["n_topics"], "group" if "groups" in self.settings else "topic")
        says = "rule out" if self.significant else "are too few to rule out"
        return f"{topics} {says} the candidate's ranking ({self.p_in_words()})"

    def p_in_words(self) -> str:
        """Format the p-value and, if it is borderline, its Monte Carlo error."""
        doubt = f", borderline: Monte Carlo error {self.standard_error:.4f}" if self.borderline else ""
        return f"{p_equals(self.pvalue)}{doubt}"

    def rows(self) -> list[dict[str, Any]]:
        """One row."""
        names = ("distance", "pvalue", "standard_error", "critical_value", "alpha")
        return [{name: getattr(self, name) for name in names}]

    def table(self) -> str:
        """Print distance, p-value and critical value, and how they were computed."""
        made, unit = self.settings, "group" if "groups" in self.settings else "topic"
        return "\n".join(
            [
                f"  rank distance    {self.distance:10.4f}",
                f"  p-value          {p_cell(self.pvalue):>10}   standard error {self.standard_error:.4f}",
                f"  critical value   {self.critical_value:10.1f}   alpha = {self.alpha:g}",
                f"  {made['method']} bootstrap, {made['n_resamples']:,} resamples of "
                f"{counted(made['n_topics'], unit)}, {counted(made['n_systems'], 'system')}",
            ]
        )

    def _contents(self) -> dict[str, Any]:
        known = not math.isnan(self.pvalue)
        return {
            **super()._contents(),
            "significant": self.significant if known else None,
            "borderline": self.borderline if known else None,
        }


@checked
def rank_test(  # noqa: PLR0913
    truth: Collection,
    candidate: Collection = None,
    *,
    method: RankTestMethod = "recentred",
    n_resamples: int = 9_999,
    alpha: float = 0.05,
    eps: float = 1e-5,
    rng: Seed = None,
    workers: Workers = 1,
    progress: Progress | None = None,
) -> RankTest:
    """Test whether the ranking `candidate` could be the true one, given how systems vary over the topics of `truth`.

    The hypothesis is that over the population of topics the systems rank as in `candidate`; systems tied there may have
    any order. The statistic is `rank_distance`, and its null distribution comes from resampling topics.

    - "recentred": shift each system's scores so that their means are the nearest ones with the ranking `candidate`,
      resample topics, and compute the distance of that ranking again, with new means and covariance.
      p = (1 + resamples at least as far) / (1 + resamples). It keeps its level (docs/guide/rank-distance.md).
    - "paper": rank the systems by the means of resampled topics, and compute how far these rankings are from the truth.
      p = share of them at least as far as `candidate` (the paper's algorithm 2). It rejects true rankings far too
      often, and more often with more systems: use it to reproduce papers.

    Parameters
    ----------
    truth : Collection
        Scores on each topic, in any form that `as_scores` takes, or a topics x systems array; higher is better.
    candidate : Collection or array_like
        One score per system, as in `rank_distance`: one ranking.
    method : {"recentred", "paper"}
        How the null distribution is computed.
    n_resamples : int
        Number of resamples. More than 10,000 topics are resampled in random blocks (docs/guide/rank-distance.md).
    alpha : float
        Significance level, for the critical value and the verdict.
    eps : float
        Added to the variances, as in `rank_distance`.
    rng : int, Generator or None
        The same seed gives the same bits at any number of workers.
    workers : int or Executor
        Threads, or an executor of concurrent.futures.
    progress : callable, optional
        Called with the number of resamples done and the total.

    Returns
    -------
    RankTest
        `pvalue`, `distance`, `critical_value`, and the `distances` of the resamples.

    See Also
    --------
    rank_distance : How far a ranking is from the scores, in standard errors.
    compare : All coefficients between a truth and its candidates.

    References
    ----------
    B. Carterette (2009). On Rank Correlation and the Distance Between Rankings. SIGIR, section 3.2.

    Examples
    --------
    >>> import numpy as np, concordant as cc
    >>> scores = np.random.default_rng(1).random((50, 8)) + np.linspace(0, 0.2, 8)
    >>> print(cc.rank_test(scores, [1, 2, 3, 4, 5, 6, 8, 7], n_resamples=999, rng=1))
    50 topics are too few to rule out the candidate's ranking (p = 0.706)
    <BLANKLINE>
      rank distance        1.1120
      p-value               0.706   standard error 0.0144
      critical value          3.2   alpha = 0.05
      recentred bootstrap, 999 resamples of 50 topics, 8 systems

    """
    truth, candidate = two_sides(truth, candidate)
    how = Resampling.of(n_resamples, rng, workers, progress)
    scores = as_topics(truth, "truth")
    problem = Problem.of(scores.observations(), eps, "the test")
    found = rank_test_of(problem, rankings_beside(scores, candidate), method, how, alpha)
    problem.warn()
    groups = {} if scores.groups is None else {"groups": problem.n}
    return replace(found, data=scores, settings={**found.settings, **groups})


def rank_test_of(
    problem: Problem, candidate: FloatArray, method: RankTestMethod | None, how: Resampling, alpha: float = 0.05
) -> RankTest:
    """Run `rank_test` on checked scores in the same order; doubts go to the notes only.

    Without a method, compute only the distance: the test needs more topics than systems.
    """
    if candidate.ndim != 1:
        raise InputError(
            f"candidate has shape {candidate.shape}: a test takes one ranking at a time. rank_distance takes many"
        )
    found, notes = problem.project(candidate), problem.doubts
    p, critical, distances = math.nan, math.nan, np.empty(0)
    if method is not None:
        paper = method == "paper"
        distances = paper_distances(problem, how) if paper else _recentred_distances(problem, found, how)
        # Under the hypothesis the observed collection is one more draw; the paper's p is a plain share.
        p = share_as_far(distances, found.distance, int(not paper))
        critical = critical_value(distances, alpha, int(not paper))
        if paper and problem.m < problem.n:
            notes += ("this test rejects true rankings too often; method='recentred' keeps its level",)
    return RankTest(
        distance=found.distance,
        pvalue=p,
        standard_error=math.sqrt(p * (1 - p) / len(distances)) if method is not None else math.nan,
        critical_value=critical,
        alpha=alpha,
        distances=distances,
        notes=notes,
        settings=settings_of(
            seed=how.seed,
            n_resamples=len(distances),
            method=method or "recentred",
            n_topics=problem.n,
            n_systems=problem.m,
            eps=problem.eps,
            measure=problem.scores.measure,
        ),
    )


def share_as_far(distances: FloatArray, distance: float, observed: int = 0) -> float:
    """Share of these distances, with the observed ones added, that are at least as far."""
    return int(np.count_nonzero(distances >= distance * (1 - _EQUAL)) + observed) / (len(distances) + observed)


def critical_value(distances: FloatArray, alpha: float = 0.05, observed: int = 0) -> float:
    """Find the 1 - alpha quantile: larger distances have a p-value of at most alpha.

    Infinite where there are too few distances for such a p-value.
    """
    allowed = int(np.floor(alpha * (len(distances) + observed) + 1e-9)) - observed
    return float("inf") if allowed < 0 else float(np.sort(distances)[::-1][allowed])


def paper_distances(problem: Problem, how: Resampling) -> FloatArray:
    """Compute distances of the rankings of resampled topics from the collection (carterette2009, algorithm 2)."""
    values = in_blocks(problem.scores.values)
    return np.concatenate(list(over_resamples(partial(_paper, problem, values, how.threads), len(values), how)))


def _paper(problem: Problem, values: FloatArray, workers: int, weights: IntArray) -> FloatArray:
    means = resampled_means(values, weights, workers=workers)
    return problem.distances(means, workers=workers)


def _recentred_distances(problem: Problem, found: Projection, how: Resampling) -> FloatArray:
    """Compute distances of a ranking from resamples of the collection, shifted so that the ranking is true.

    Each system's scores are shifted so that the means are the nearest ones with that ranking; resampling then shows
    what distances chance alone makes, with means and covariance measured anew each time.
    """
    ordered = problem.scores.values[:, found.order]
    if found.ends.size:
        columns = ordered - ordered.mean(axis=1, keepdims=True)  # a common shift does not change the order
        projection = _in_order(-np.append(0.0, np.cumsum(found.delta)), found.ends)
    else:
        columns, projection = ordered[:, :-1] - ordered[:, 1:], found.delta
    columns = in_blocks(np.ascontiguousarray(columns - columns.mean(axis=0)))
    # A resample may have no more topics than systems. Blocks of k topics have 1 / k of their variance.
    eps = max(problem.eps, LEAST_EPS * float(problem.covariance.diagonal().max())) * (len(columns) / problem.n)
    work = partial(_recentred, columns, projection, found.ends, eps, how.threads)
    return np.concatenate(list(over_resamples(work, len(columns), how)))


def _in_order(means: FloatArray, ends: IntArray) -> FloatArray:
    """Means of systems, best first, without rounding errors that would lift one above a better group."""
    starts = np.append(0, ends[:-1])
    lowest = np.minimum.accumulate(np.minimum.reduceat(means, starts))
    return np.asarray(np.minimum(means, np.repeat(np.append(np.inf, lowest[:-1]), np.diff(ends, prepend=0))))


def _recentred(
    columns: FloatArray, projection: FloatArray, ends: IntArray, eps: float, workers: int, weights: IntArray
) -> FloatArray:
    def solve(kernels: Any, rows: IntArray, out: FloatArray) -> None:
        kernels.recentred_distances(columns, projection, ends, weights[rows], eps, out, workers)

    return np.sqrt(len(columns) * solved(solve, len(weights), eps))
