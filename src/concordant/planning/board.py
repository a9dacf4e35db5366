"""`board` finds which ranks of a leaderboard are certain: rank intervals, borders, possible winners and an outlook."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..arrays import FloatArray, Workers
from ..coefficients.registry import get_coefficient
from ..data.means import mean_over_topics, mean_ranks
from ..data.scores import Means
from ..inference.posterior import correlations, draw
from ..inference.resampling import Progress, Resampling, Seed
from ..options import checked
from ..ranks.intervals import Outlook, RankIntervals, rank_intervals
from ..ranks.noise import RunsAs
from ..read.reader import Collection, as_scores, as_topic_side, as_topics, is_bare
from .estimation import DRAWS, expected_correlation


@checked
def board(
    scores: Collection,
    *,
    confidence_level: float = 0.95,
    more_topics: int = 10,
    simultaneous: bool = True,
    runs: RunsAs = "auto",
    n_resamples: int = 49_999,
    rng: Seed = None,
    workers: Workers = 1,
    progress: Progress | None = None,
) -> RankIntervals:
    """Find which ranks of a leaderboard are certain, how reliable it is, and what more topics would change.

    Parameters
    ----------
    scores : Collection
        Scores on each topic or task, as `as_scores` takes them; higher is better. Systems may lack topics. `Means` with
        standard errors or a covariance give rank intervals only.
    confidence_level : float
        Confidence level of the rank intervals, and of the intervals of the reliability.
    more_topics : int
        How many topics (or groups) the outlook adds; 0 adds none.
    simultaneous : bool
        If True, the confidence level holds for all rank intervals together. If False, it holds for each interval alone,
        which is enough if a single system is of interest.
    runs : {"auto", "trials", "seeds"}
        What repeated runs stand for, as in `run_noise`. With "seeds", only the rank intervals are computed.
    n_resamples : int
        Number of resamples for the rank intervals.
    rng : int, Generator or None
        The same seed gives the same bits with any number of workers.
    workers : int or Executor
        Number of threads, or an executor of concurrent.futures.
    progress : callable, optional
        Called with the number of resamples done and the total.

    Returns
    -------
    RankIntervals
        The result of `rank_intervals`, with `reliability` and `outlook`. `rows()` is the leaderboard; see also
        `borders`, `best(k)` and `pvalues`.

    See Also
    --------
    rank_intervals : The ranks that each system may have.
    plan_topics : How many topics are enough.
    rank_votes : Rank systems by battles.

    Notes
    -----
    Rank intervals come from `rank_intervals`, the reliability from `expected_correlation`. Scores on more topics
    are drawn as in `plan_topics`, from the posterior of the true means with the observed errors. New and old topics
    together then rank the systems. Where scores are missing, both steps use the residuals of the fit in
    `concordant.data.means`.

    References
    ----------
    M. Mogstad, J. P. Romano, A. M. Shaikh and D. Wilhelm (2024). Inference for Ranks with Applications to Mobility
    across Neighbourhoods and Academic Achievement across Countries. Review of Economic Studies 91.

    Examples
    --------
    >>> import concordant as cc
    >>> found = cc.board(cc.load_collection("people"), rng=1)
    >>> found.borders, found["rerank-4"], round(found.outlook.leader_stays, 1)
    ((), (1, 5), 0.9)

    """
    how = Resampling.of(n_resamples, rng, workers, progress)
    side = scores if is_bare(scores) else as_scores(scores, "scores")
    by: dict[str, Any] = {"confidence_level": confidence_level, "rng": how.rng, "workers": workers}
    if not isinstance(side, Means):
        side = as_topic_side(side, "scores")
        side = as_topics(side.described(missing="available") if side.missing == "error" else side, holes=True)
    found = rank_intervals(side, simultaneous=simultaneous, runs=runs, n_resamples=n_resamples, progress=progress, **by)
    if isinstance(found.data, Means):
        return found
    assert not isinstance(side, Means)
    observed = side.observations()
    return replace(
        found,
        reliability=tuple(expected_correlation(observed, coefficient=name, **by) for name in ("tau", "tau_ap")),
        outlook=outlook(observed.values, more_topics, Resampling(DRAWS, how.rng, how.workers)),
        settings={**found.settings, "missing": side.missing, "more_topics": more_topics},
    )


def outlook(values: FloatArray, topics: int, how: Resampling) -> Outlook:
    """Predict what more topics would change, from a matrix of topics (or groups) x systems.

    As in `plan_topics`, true means are drawn from their posterior, and means over new topics are drawn around the true
    means. All topics together, old and new, then rank the systems.
    """
    n = len(values)
    scaled = np.ldexp(values, -int(np.frexp(np.abs(values).max())[1]))  # the scale that `draw` uses
    now = mean_over_topics(scaled)
    drawn = draw(scaled, how.n_resamples, how.generator(), new=True)
    then = now - now.mean()
    if topics:
        then = (n * then + topics * drawn.observed(topics)) / (n + topics)
    then = np.broadcast_to(then, drawn.truth.shape)
    tau = get_coefficient("tau_a")
    before, after = mean_ranks(now[None]), mean_ranks(then)
    first = before[0] == before[0].min()
    return Outlook(
        topics=topics,
        tau_now=float(correlations(tau, drawn.truth, now, how.threads).mean()),
        tau_then=float(correlations(tau, drawn.truth, then, how.threads).mean()),
        leader_stays=float((after[:, first] == after.min(axis=1, keepdims=True)).any(axis=1).mean()),
        places_moved=float(np.abs(after - before).mean()),
    )
