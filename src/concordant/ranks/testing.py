"""`rank_test`: could this ranking be the true one, given the topics?"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..arrays import FloatArray
from ..data.results import Result
from ..errors import InputError
from ..inference.resampling import Progress, Resampling, Seed, is_borderline
from ..options import checked
from ..pairing import two_sides
from ..parallel import Workers
from ..read.door import Collection, as_topics
from ..words import counted, p_cell, p_equals
from .distance import Problem, rankings_beside
from .distribution import DistanceDistribution, RankTestMethod, paper_distances, recentred_distances


@dataclass(frozen=True, eq=False, repr=False)
class RankTest(Result):
    """What `rank_test` found."""

    _figure = "distributions.rank_test"
    distance: float
    """d_rank of the candidate ranking."""
    pvalue: float
    standard_error: float
    """Monte Carlo error of the p-value."""
    critical_value: float
    """Distances beyond it are significant at level alpha; infinite with too few resamples for that level."""
    alpha: float
    distribution: DistanceDistribution = field(metadata={"in_dict": False})
    """The distances of the resamples."""

    @classmethod
    def untested(cls, problem: Problem, candidate: FloatArray, seed: int | None) -> RankTest:
        """The distance alone, without a p-value: where there are as many systems as topics, no size is claimed."""
        none = DistanceDistribution.made("recentred", problem, np.empty(0), seed)
        distance, nan = problem.project(candidate).distance, math.nan
        return cls(distance, nan, nan, nan, 0.05, none, notes=problem.doubts, settings=none.settings)

    @property
    def significant(self) -> bool:
        """Whether the candidate ranking is rejected as the true one at level alpha."""
        return self.pvalue <= self.alpha

    @property
    def borderline(self) -> bool:
        """Whether the p-value lies so close to alpha that another seed could decide otherwise."""
        return bool(is_borderline(self.pvalue, self.alpha, self.distribution.n_resamples))

    @property
    def verdict(self) -> str:
        """Whether the candidate ranking could be the true one."""
        if math.isnan(self.pvalue):
            return "Whether the candidate ranking could be the true one is not known: there are too few topics"
        says = "differs significantly from" if self.significant else "cannot be distinguished from"
        return f"The candidate ranking {says} the truth's ({self.p_in_words()})"

    def p_in_words(self) -> str:
        """The p-value, and where it is borderline its Monte Carlo error."""
        doubt = f", borderline: Monte Carlo error {self.standard_error:.4f}" if self.borderline else ""
        return f"{p_equals(self.pvalue, 4)}{doubt}"

    def rows(self) -> list[dict[str, Any]]:
        """One row."""
        names = ("distance", "pvalue", "standard_error", "critical_value", "alpha")
        return [{name: getattr(self, name) for name in names}]

    def table(self) -> str:
        """Distance, p-value and critical value, and how they were made."""
        made, unit = self.distribution, "group" if "groups" in self.settings else "topic"
        return "\n".join(
            [
                f"  rank distance    {self.distance:10.4f}",
                f"  p-value          {p_cell(self.pvalue, 4):>10}   standard error {self.standard_error:.4f}",
                f"  critical value   {self.critical_value:10.4f}   alpha = {self.alpha:g}",
                f"  {made.method} bootstrap, {made.n_resamples:,} resamples of {counted(made.n_topics, unit)}, "
                f"{counted(made.n_systems, 'system')}",
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
    distribution: DistanceDistribution | None = None,
    progress: Progress | None = None,
) -> RankTest:
    """Test whether the ranking `candidate` could be the true one, given how systems vary over the topics of `truth`.

    The hypothesis is that across the population of topics the systems rank as in `candidate`; of systems that are tied
    there it says nothing. The statistic is `rank_distance`; what it does by chance is learnt from resampling topics.

    - "recentred": shift each system's scores so that their means are the nearest ones with the ranking `candidate`,
      resample topics, and measure the distance of that ranking anew, means and covariance included.
      p = (1 + resamples at least as far) / (1 + resamples). It keeps its level; how well is
      in docs/guide/rank-distance.md.
    - "paper": rank the systems by the means of resampled topics, and measure how far these rankings are from the truth;
      p = share of them that are at least as far as `candidate` (the paper's algorithm 2). It rejects true rankings far
      too often, and more often the more systems there are: use it to reproduce papers.

    Parameters
    ----------
    truth : Collection
        Scores on each topic, in any form that `as_scores` takes, or a topics x systems array; higher is better.
    candidate : Collection or array_like
        One score per system, as in `rank_distance`: one ranking.
    method : {"recentred", "paper"}
        How the distribution is made.
    n_resamples : int
        Number of resamples.
    alpha : float
        Level, for the critical value and the verdict.
    eps : float
        What is added to the variances, as in `rank_distance`.
    rng : int, Generator or None
        The same seed gives the same bits at any number of workers.
    workers : int or Executor
        Threads, or an executor of concurrent.futures.
    distribution : DistanceDistribution, optional
        For method "paper": one made before for this collection, instead of new resamples.
    progress : callable, optional
        Called with the number of resamples done and the total.

    Returns
    -------
    RankTest
        `pvalue`, `distance`, `critical_value`, and the `distribution` of the resamples.

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
    The candidate ranking cannot be distinguished from the truth's (p = 0.7060)
    <BLANKLINE>
      rank distance        1.1120
      p-value              0.7060   standard error 0.0144
      critical value       3.2064   alpha = 0.05
      recentred bootstrap, 999 resamples of 50 topics, 8 systems

    """
    truth, candidate = two_sides(truth, candidate)
    how = Resampling.of(n_resamples, rng, workers, progress)
    scores = as_topics(truth, "truth")
    problem = Problem.of(scores.observations(), eps, "the test")
    found = rank_test_of(problem, rankings_beside(scores, candidate), method, how, alpha, distribution)
    problem.warn()
    return found if scores.groups is None else replace(found, settings={**found.settings, "groups": problem.n})


def rank_test_of(
    problem: Problem,
    candidate: FloatArray,
    method: RankTestMethod,
    how: Resampling,
    alpha: float = 0.05,
    distribution: DistanceDistribution | None = None,
) -> RankTest:
    """Like `rank_test`, for what is checked and in the same order on both sides; what to doubt is in the notes only."""
    if candidate.ndim != 1:
        raise InputError(
            f"candidate has shape {candidate.shape}: a test takes one ranking at a time. For many rankings and the "
            "paper's method: DistanceDistribution.bootstrap(truth).pvalue(rank_distance(truth, candidate))"
        )
    found = problem.project(candidate)
    if distribution is None:
        distances = paper_distances(problem, how) if method == "paper" else recentred_distances(problem, found, how)
        distribution = DistanceDistribution.made(method, problem, distances, how.seed)
    elif method != "paper" or distribution.method != "paper":
        raise InputError(
            "a distribution made before can be used with method='paper' only: a recentred one is made for one ranking"
        )
    else:
        distribution.require(problem.scores, problem.eps)
    p = float(distribution.pvalue(found.distance))
    notes = problem.doubts
    if method == "paper" and problem.m < problem.n:
        notes += ("this test rejects true rankings too often; method='recentred' keeps its level",)
    return RankTest(
        distance=found.distance,
        pvalue=p,
        standard_error=math.sqrt(p * (1 - p) / distribution.n_resamples),
        critical_value=distribution.critical_value(alpha),
        alpha=alpha,
        distribution=distribution,
        notes=notes,
        settings=distribution.settings,
    )
