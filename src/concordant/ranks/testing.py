"""`rank_test`: could this ranking be the true one, given the topics?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args

from ..coefficients.sums import check_workers
from ..errors import InputError
from ..matrices import Collection
from ..notebook import Displayed
from ..resampling import Progress, Seed, check_alpha, check_count, generator
from ..words import counted
from .distance import Candidate, Problem, scores_beside
from .distribution import DistanceDistribution, RankTestMethod, paper_distances, recentred_distances


@dataclass(frozen=True)
class RankTest(Displayed):
    """What `rank_test` found. `print` shows it, `to_dict` has everything."""

    distance: float
    """d_rank of the candidate ranking."""
    pvalue: float
    standard_error: float
    """Of the p-value, because there are only so many resamples."""
    critical_value: float
    """Distances beyond it are significant at level alpha."""
    alpha: float
    distribution: DistanceDistribution
    """The distances of the resamples."""
    settings: Mapping[str, Any]

    @property
    def significant(self) -> bool:
        """Whether the candidate ranking is rejected as the true one at level alpha."""
        return self.pvalue <= self.alpha

    def __str__(self) -> str:
        made = self.distribution
        verdict = "differs significantly from" if self.significant else "is not distinguishable from"
        lines = [
            f"The candidate ranking {verdict} the truth's (p = {self.pvalue:.4f})",
            "",
            f"  rank distance    {self.distance:10.4f}",
            f"  p-value          {self.pvalue:10.4f}   standard error {self.standard_error:.4f}",
            f"  critical value   {self.critical_value:10.4f}   alpha = {self.alpha:g}",
            f"  {made.method} bootstrap, {made.n_resamples:,} resamples of {counted(made.n_topics, 'topic')}, "
            f"{counted(made.n_systems, 'system')}",
        ]
        if made.n_systems >= made.n_topics:
            lines += ["", "Mind: as many systems as topics or more, so that no size is claimed for this test"]
        elif made.method == "paper":
            lines += ["", "Mind: this test rejects true rankings too often; method='recentred' keeps its level"]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Everything but the distances of the resamples, ready for JSON."""
        critical = None if math.isinf(self.critical_value) else self.critical_value
        return {
            "distance": self.distance,
            "pvalue": self.pvalue,
            "standard_error": self.standard_error,
            "critical_value": critical,
            "alpha": self.alpha,
            "significant": self.significant,
            "settings": dict(self.settings),
        }

    def to_frame(self) -> Any:
        """A pandas frame of one row."""
        from ..errors import import_extra

        names = ("distance", "pvalue", "standard_error", "critical_value", "alpha")
        return import_extra("pandas").DataFrame([{name: getattr(self, name) for name in names}])

    def plot(self, ax: Any = None) -> Any:
        """A histogram of the resamples, with the observed distance and the critical value."""
        from ..plots import distributions

        return distributions.rank_test(self, ax)


def rank_test(  # noqa: PLR0913
    truth: Collection,
    candidate: Candidate,
    method: RankTestMethod = "recentred",
    *,
    n_resamples: int = 9_999,
    alpha: float = 0.05,
    eps: float = 1e-5,
    rng: Seed = None,
    workers: int = 1,
    distribution: DistanceDistribution | None = None,
    progress: Progress | None = None,
) -> RankTest:
    """Test whether the ranking `candidate` could be the true one, given how systems vary over the topics of `truth`.

    The hypothesis is that over the population of topics the systems rank as in `candidate`. The statistic is
    `rank_distance`; what it does by chance is learnt from resampling topics.

    - "recentred": shift each system's scores so that their means are the nearest ones with the ranking `candidate`,
      resample topics, and measure the distance of that ranking anew, means and covariance included.
      p = (1 + resamples at least as far) / (1 + resamples). It keeps its level; how well is
      in docs/guide/rank-distance.md.
    - "paper": rank the systems by the means of resampled topics, and measure how far these rankings are from the truth;
      p = share of them that are at least as far as `candidate` (the paper's algorithm 2). It rejects true rankings far
      too often, and more often the more systems there are: use it to reproduce papers.

    Parameters
    ----------
    truth, candidate, eps
        As in `rank_distance`; candidate is one ranking.
    method : {"recentred", "paper"}
        How the distribution is made.
    n_resamples : int
        Number of resamples.
    alpha : float
        Level, for the critical value and the verdict.
    rng : int, Generator or None
        The same seed gives the same bits at any number of workers.
    workers : int
        Threads.
    distribution : DistanceDistribution, optional
        For method "paper": one made before for this collection, instead of new resamples.
    progress : callable, optional
        Called with the number of resamples done and of all.

    Returns
    -------
    RankTest

    References
    ----------
    B. Carterette (2009). On Rank Correlation and the Distance Between Rankings. SIGIR, section 3.2.

    Examples
    --------
    >>> import numpy as np, concordant as cc
    >>> scores = np.random.default_rng(1).random((50, 8)) + np.linspace(0, 0.2, 8)
    >>> print(cc.rank_test(scores, [1, 2, 3, 4, 5, 6, 8, 7], n_resamples=999, rng=1))
    The candidate ranking is not distinguishable from the truth's (p = 0.7060)
    <BLANKLINE>
      rank distance        1.1120
      p-value              0.7060   standard error 0.0144
      critical value       3.2064   alpha = 0.05
      recentred bootstrap, 999 resamples of 50 topics, 8 systems
    """
    if method not in get_args(RankTestMethod):
        raise InputError(f"method is {method!r}: use 'recentred' or 'paper'")
    check_alpha(alpha)
    problem = Problem.of(truth, eps, "the test")
    scores = scores_beside(truth, candidate)
    if scores.ndim != 1:
        raise InputError(
            f"candidate has shape {scores.shape}: a test takes one ranking at a time. For many rankings and the "
            "paper's method: DistanceDistribution.bootstrap(truth).pvalue(rank_distance(truth, candidate))"
        )
    found = problem.project(scores)
    if distribution is None:
        settings = (check_count(n_resamples), generator(rng), check_workers(workers), progress)
        if method == "paper":
            distances = paper_distances(problem, *settings)
        else:
            distances = recentred_distances(problem, found, *settings)
        distribution = DistanceDistribution.made(distances, method, problem, rng, truth)
    else:
        _require(distribution, method, truth, problem.eps)
    p = float(distribution.pvalue(found.distance))
    return RankTest(
        distance=found.distance,
        pvalue=p,
        standard_error=math.sqrt(p * (1 - p) / distribution.n_resamples),
        critical_value=distribution.critical_value(alpha),
        alpha=float(alpha),
        distribution=distribution,
        settings=distribution.settings(),
    )


def _require(distribution: DistanceDistribution, method: RankTestMethod, truth: Collection, eps: float) -> None:
    if method != "paper" or distribution.method != "paper":
        raise InputError(
            "a distribution made before can be used with method='paper' only: a recentred one is made for one ranking"
        )
    distribution.require(truth, eps)
