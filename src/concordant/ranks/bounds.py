"""`rank_intervals`: the ranks that each system could have, given the topics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..arrays import FloatArray, Workers
from ..data.means import ASSUMED, places_of_groups
from ..data.results import settings_of
from ..data.scores import Means, Scores
from ..errors import InputError, counted, named
from ..inference.resampling import Progress, Resampling, Seed
from ..inference.sign_flips import takes_all_signs
from ..options import checked
from ..read.reader import Collection, as_scores, as_topics, is_bare
from .common_topics import corrected_pvalues as pvalues_on_common_topics
from .from_estimates import pvalues_from_errors
from .intervals import RankIntervals
from .noise import RunsAs, with_seeds
from .pair_tests import corrected_pvalues


@checked
def rank_intervals(
    scores: Collection,
    *,
    confidence_level: float = 0.95,
    simultaneous: bool = True,
    runs: RunsAs = "auto",
    n_resamples: int = 49_999,
    rng: Seed = None,
    workers: Workers = 1,
    progress: Progress | None = None,
) -> RankIntervals:
    """Find the ranks that each system may have, from scores on topics or from means with standard errors.

    The true ranks are those by the means over the population of topics. Systems tied there share the ranks from 1 + the
    number of strictly better systems to m - the number of strictly worse ones, and an interval must cover all of them.
    With `simultaneous` the confidence level holds for all intervals together, otherwise for each alone.

    All pairs of systems are compared by Student's t over the topics. The stepdown method of Westfall and Young, and
    Romano and Wolf, corrects for their number. It uses the largest statistic of resamples in which each topic's scores
    keep or change their sign. Where skewed differences make t too large, t is shrunk. The interval of a system goes
    from 1 + the number of significantly better systems to m - the number of significantly worse ones.

    Parameters
    ----------
    scores : Collection
        Scores on each topic, in any form that `as_scores` takes, or a topics x systems array with columns named 0, 1,
        2, ...; higher is better; at least 2 topics and 2 systems. Or `Means` with standard errors or a covariance, such
        as published tables with limits; these are assumed to be normal.
    confidence_level : float
        Between 0 and 1.
    simultaneous : bool
        True: the level holds for all intervals together (a leaderboard). False: for each alone (one system of
        interest), which makes them shorter.
    runs : {"auto", "trials", "seeds"}
        What repeated runs are, as in `run_noise`. The error of seeds counts, with the normal distribution of `Means`.
    n_resamples : int
        Number of resamples, or of normal draws for `Means`. If the topics have at most that many signs (by default up
        to 16 topics), all are used and the seed does not matter.
    rng : int, Generator or None
        The same seed gives the same result at any number of workers.
    workers : int or Executor
        Threads, or an executor of concurrent.futures.
    progress : callable, optional
        Called with the number of resamples done and the total.

    Returns
    -------
    RankIntervals
        One interval per system; see also `borders`, `best(k)` and `pvalues`. `borderline` names the pairs that another
        seed could decide differently.

    See Also
    --------
    board : A leaderboard with the ranks that are real.
    rank_test : Could this ranking be the true one, given the topics?

    Notes
    -----
    With holes, systems are ranked by their expected mean on all topics if each score is the sum of a topic effect and a
    system effect. A system with few topics has a wide interval, because it shares few topics with others.

    Identical systems are tied and never differ significantly. The same difference on all n topics is the strongest
    possible evidence: about p = 2^(1 - n).

    We calibrated by measurement how much t is shrunk (`concordant.inference.calibration.UNSEEN`).
    docs/guide/rank-intervals.md has the derivation and the measured coverage, also of common alternatives. All
    intervals together held in 96.8 to 100% of samples of 14 designs with 10 to 50 topics (nominal 95%, 600 samples
    each). They held in 91% where 15 topics of real scores had been shifted until all systems tied: nearly identical
    runs then have the same difference on almost every topic. Remove such duplicates first.

    References
    ----------
    P. H. Westfall and S. S. Young (1993). Resampling-Based Multiple Testing. Wiley.
    J. P. Romano and M. Wolf (2005). Exact and Approximate Stepdown Methods for Multiple Hypothesis Testing. JASA 100.
    M. Mogstad, J. P. Romano, A. M. Shaikh and D. Wilhelm (2024). Inference for Ranks with Applications to Mobility
    across Neighbourhoods and Academic Achievement across Countries. Review of Economic Studies 91.

    Examples
    --------
    >>> import numpy as np, concordant as cc
    >>> values = np.random.default_rng(1).random((40, 4)) + [0.5, 0.5, 0.3, 0]
    >>> scores = cc.Scores(values, topics=range(40), systems=["a", "b", "c", "d"])
    >>> found = cc.rank_intervals(scores, rng=1)
    >>> found.verdict
    '2 of 4 systems could be the best: b and a.'
    >>> found.borders
    (2, 3)
    >>> print(found.table())
      rank  system       mean  could be
         1  b          1.0413  1 to 2
         1  a          1.0119  1 to 2
      -----------------------------------
         3  c          0.8137  3 to 3
      -----------------------------------
         4  d          0.4635  4 to 4
    <BLANKLINE>
    Rank: 1 + the number of significantly better systems.
    95% confidence for all intervals together; 49,999 resamples of 40 topics.

    >>> published = cc.Means([527.0, 525.9, 417.4], ["Japan", "Korea", "Chile"], errors=[2.5, 3.1, 2.4])
    >>> found = cc.rank_intervals(published, rng=1)
    >>> found["Japan"], found["Korea"], found["Chile"]
    ((1, 2), (1, 2), (3, 3))

    """
    level, how = confidence_level, Resampling.of(n_resamples, rng, workers, progress)
    if 1 / (how.n_resamples + 1) > 1 - level + 1e-12:
        least = int(np.ceil(1 / (1 - level) - 1e-9)) - 1
        raise InputError(
            f"{named('n_resamples')} is {how.n_resamples}: {named('confidence_level')} {level:g} needs at least {least}"
        )
    side = scores if is_bare(scores) else as_scores(scores, "scores")
    seeds = tuple[str, ...]()
    if isinstance(side, Scores):
        side, seeds = with_seeds(side, runs)
    if isinstance(side, Means):
        known, said = side.settled()
        pvalues = pvalues_from_errors(known, how, simultaneous=bool(simultaneous))
        notes = (*said, *seeds, *(_INDEPENDENT if known.covariance is None else ()))
        about: dict[str, Any] = {"degrees_of_freedom": known.degrees_of_freedom}
        found = _ranked(known, known.values, pvalues, level, how, simultaneous=simultaneous, notes=notes, about=about)
        return replace(found, data=known)
    given = as_topics(side, "scores", holes=True)
    points, totals = given.points(), given.totals()
    pvalues, n_groups = _pvalues(points, totals, how, simultaneous=simultaneous)
    n = len(points.topics) if n_groups is None else n_groups
    few = f"{counted(n, 'topic' if n_groups is None else 'group')} can separate nothing at this confidence level"
    notes = (*_holes(given, points), *((few,) if 2.0 ** (1 - n) > 1 - level else ()))
    about = {
        "topics": len(points.topics),
        **({} if n_groups is None else {"groups": n_groups}),
        "measure": points.measure,
        "exact": takes_all_signs(n, how.n_resamples, opposite=False),
    }
    found = _ranked(points, totals, pvalues, level, how, simultaneous=simultaneous, notes=notes, about=about)
    counts = given.counts()[[given.systems.index(system) for system in found.systems]]
    return replace(found, total=given.total, data=given, topics=counts)


_INDEPENDENT = ("only standard errors are known, so the systems were taken as independent",)


def _ranked(
    side: Scores | Means,
    totals: FloatArray,
    pvalues: FloatArray,
    level: float,
    how: Resampling,
    *,
    simultaneous: bool,
    notes: tuple[str, ...],
    about: Mapping[str, Any],
) -> RankIntervals:
    """Count for each system, best first, which ones are significantly better and worse."""
    order = np.argsort(-totals, kind="stable")
    means, pvalues = totals[order], pvalues[np.ix_(order, order)]
    significant = pvalues <= 1 - level + 1e-12
    higher = means[None, :] > means[:, None]  # [i, j]: j is better than i
    found = RankIntervals(
        systems=tuple(side.systems[k] for k in order),
        means=means,
        observed=1 + higher.sum(axis=1),
        low=1 + (significant & higher).sum(axis=1),
        high=len(means) - (significant & higher.T).sum(axis=1),
        pvalues=pvalues,
        confidence_level=level,
        simultaneous=simultaneous,
        total="mean",
        lower_is_better=side.lower_is_better,
        settings=settings_of(seed=how.seed, n_resamples=how.n_resamples, confidence_level=level, **about),
    )
    return replace(found, notes=(*notes, *found.doubts()))


def _pvalues(
    points: Scores, totals: FloatArray, how: Resampling, *, simultaneous: bool
) -> tuple[FloatArray, int | None]:
    """Corrected p-values of all pairs, and the number of groups, if there are any."""
    if not points.has_holes:
        rows = points.observations()
        found = corrected_pvalues(rows.values, how, simultaneous=simultaneous)
        return found, None if points.groups is None else len(rows.topics)
    names, places = (None, None) if points.groups is None else places_of_groups(points.groups, points.topics)
    found, difference = pvalues_on_common_topics(points.values, how, places, simultaneous=simultaneous)
    agree = np.sign(difference) == np.sign(totals[:, None] - totals[None, :])
    # Where the topics in common and the totals order a pair in two ways, it is not separated.
    return np.where(agree, found, 1.0), None if names is None else len(names)


def _holes(given: Scores, points: Scores) -> tuple[str, ...]:
    """Notes on missing scores."""
    if not given.has_holes:
        return ()
    lacking = (
        f"{counted(int((given.counts() < len(given.topics)).sum()), 'system')} of {len(given.systems)} lack topics"
    )
    if not points.has_holes:
        return (f"{lacking}, which give 0 points, as MTEB counts them",)
    return (f"{lacking}; two systems are compared on the topics that both have, and {ASSUMED}",)
