"""`rank_changes`: systems that rise or drop when the candidate ranks them, with intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from ..arrays import FloatArray, IntArray, require_room_for_pairs
from ..data.means import mean_ranks
from ..data.results import Findings, Interval, columns
from ..data.scores import Scores
from ..errors import counted, listing, require
from ..inference.resampling import Resampling, Seed
from ..options import checked
from ..pairing import Matched, matched_topics
from ..ranks.intervals import rank_intervals
from ..read.reader import Collection

Bounds: TypeAlias = tuple[IntArray, IntArray]
_METHOD = "projection of simultaneous rank intervals"


@dataclass(frozen=True)
class RankStatistic:
    """A statistic of ranks, its systems, and its interval across the population of topics."""

    value: float
    systems: tuple[str, ...]
    """The systems that the statistic is about; several if they are tied."""
    interval: Interval


@checked
def rank_changes(
    truth: Collection,
    candidate: Collection = None,
    *,
    k: int | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 9_999,
    rng: Seed = None,
) -> Findings:
    """Find the systems that drop and rise most when the candidate ranks them, and the rank of the truth's best system.

    Parameters
    ----------
    truth, candidate : Collection
        Scores on each topic, in any form that `as_scores` takes, or topics x systems arrays, matched by label. Systems
        and topics that only one side has are left out, and an `AlignmentWarning` names them.
    k : int, optional
        Number of best systems to compare, less than the number of systems. By default 5, or all but one if there are 5
        or fewer systems.
    confidence_level : float
        Simultaneous confidence level of all intervals.
    n_resamples : int
        Number of resamples for `rank_intervals`, on which the intervals are based.
    rng : int, Generator or None
        Seed of the resamples. The same seed gives exactly the same result. If None, a seed is drawn, and the settings
        record it.

    Returns
    -------
    Findings
        Each of these is a `RankStatistic` with an interval:

        - `largest_drop`, `largest_rise`: the most ranks that a system loses or gains.
        - `best_rank`: the candidate's rank of the truth's best system.
        - `candidate_best_rank`: the truth's rank of the candidate's best system.
        - `overlap`: the share of the truth's k best systems that are also among the candidate's k best.

        `truth_rank` and `candidate_rank` have the ranks of the `systems`: 1 for the best, and the mean rank for ties.
        `rows` and `to_frame` have all systems, the largest drop first.

    See Also
    --------
    rank_intervals : Compute the ranks that each system may have.
    judge_card : Report all statistics about judges.

    Notes
    -----
    Tied systems share the mean of their ranks. If the k-th place is tied, the overlap is the mean over all orders of
    the tied systems. The orders on the two sides are independent.

    The intervals are for the same statistics across the population of topics. The largest of many observed changes is
    biased upwards, in the sample and in every resample, so bootstrap quantiles are invalid. Instead we use the
    simultaneous `rank_intervals` of both sides, each at level 1 - (1 - confidence_level) / 2. The intervals of both
    sides hold together with at least the requested confidence. Each statistic then lies between its smallest and
    largest value over the ranks that these intervals allow. So all intervals hold simultaneously, whichever systems
    were selected. They are wide, because they ignore that both sides share topics. If the lower end for the largest
    drop is above 0, some system truly drops.

    References
    ----------
    M. Mogstad, J. P. Romano, A. M. Shaikh and D. Wilhelm (2024). Inference for Ranks with Applications to Mobility
    across Neighbourhoods and Academic Achievement across Countries. Review of Economic Studies 91.

    Examples
    --------
    >>> import concordant as cc
    >>> people, hasty = cc.load_collection("people"), cc.load_collection("hasty")
    >>> found = cc.judges.rank_changes(people, hasty, rng=7)
    >>> found.largest_drop.systems, found.largest_drop.value
    (('hybrid-3', 'rerank-2'), 4.0)
    >>> found.largest_rise.systems, found.largest_rise.value
    (('splade-1',), 9.0)

    """
    level, how = confidence_level, Resampling.of(n_resamples, rng)
    sides = matched_topics(truth, candidate)
    m = len(sides.scores[0].systems)
    require_room_for_pairs(m, "rank changes", 5)
    size = default_k(m) if k is None else k
    require(size < m, "k", k, f"give a whole number from 1 to {m - 1}, fewer than the {m} systems")
    draws = how.generator()
    bounds = [rank_bounds(side, level, how.n_resamples, draws) for side in sides.scores]
    return changes_from(sides, (bounds[0], bounds[1]), size, level, how)


def default_k(m: int) -> int:
    """Return the default number of best systems to compare, out of m."""
    return min(5, m - 1)


def changes_from(sides: Matched, bounds: tuple[Bounds, Bounds], k: int, level: float, how: Resampling) -> Findings:
    """Compute the rank changes, with intervals from each side's bounds on the ranks."""
    truth, candidate = sides.scores
    systems, means = truth.systems, (truth.means(), candidate.means())
    ranks = mean_ranks(np.array(means))  # 1 for the largest; ties share their mean rank
    (low_t, high_t), (low_c, high_c) = bounds
    change = ranks[1] - ranks[0]

    def statistic(value: float, which: Any, low: float, high: float) -> RankStatistic:
        chosen = tuple(system for system, is_it in zip(systems, which, strict=True) if is_it)
        return RankStatistic(float(value), chosen, Interval(float(low), float(high), level, _METHOD))

    def best_rank(of: FloatArray, rank: FloatArray, low: IntArray, high: IntArray) -> RankStatistic:
        best = of == of.max()
        return statistic(rank[best].mean(), best, low[best].mean(), high[best].mean())

    share = [_shares(of, k) for of in means]
    certain, possible = ((high_t <= k) & (high_c <= k)).sum(), ((low_t <= k) & (low_c <= k)).sum()
    found = {
        "largest_drop": statistic(
            change.max(), change == max(change.max(), 0.5), max(0, (low_c - high_t).max()), (high_c - low_t).max()
        ),
        "largest_rise": statistic(
            (-change).max() + 0.0,
            change == min(change.min(), -0.5),
            max(0, (low_t - high_c).max()),
            (high_t - low_c).max(),
        ),
        "best_rank": best_rank(means[0], ranks[1], low_c, high_c),
        "candidate_best_rank": best_rank(means[1], ranks[0], low_t, high_t),
        "overlap": statistic(
            (share[0] * share[1]).sum() / k, (share[0] * share[1]) > 0, certain / k, min(k, possible) / k
        ),
    }
    drop, best = found["largest_drop"], found["best_rank"]
    size = counted(int(drop.value), "rank") if drop.value.is_integer() else f"{drop.value:g} ranks"
    fallen = f"largest drop {size} ({listing(drop.systems, 3)})" if drop.value else "no system drops"
    by_truth, by_candidate = sides.names
    labels = "largest drop", "largest rise", f"rank of {by_truth}'s best", f"rank of {by_candidate}'s best"
    rows = [["", "value", f"{100 * level:g}% interval", "system"]]
    for label, one in zip((*labels, f"overlap of the {k} best"), found.values(), strict=True):
        about = "" if one is found["overlap"] else listing(one.systems, 2)
        rows.append([label, f"{one.value:.3g}", f"{one.interval.low:.3g} to {one.interval.high:.3g}", about])
    columns_of = {"truth_rank": ranks[0], "candidate_rank": ranks[1], "change": change}
    return Findings(
        kind="RankChanges",
        answer=f"{fallen}; {by_truth}'s best system, {listing(best.systems, 3)}, is at rank {best.value:g} of "
        f"{len(systems)} by {by_candidate}; {k * found['overlap'].value:.3g} of the {k} best are the same",
        numbers={"systems": systems, "truth_rank": ranks[0], "candidate_rank": ranks[1], **found, "k": k},
        lines=[
            {"system": systems[i]} | {name: float(values[i]) for name, values in columns_of.items()}
            for i in np.argsort(-change, kind="stable")
        ],
        shown=columns(rows),
        index="system",
        **sides.about(seed=how.seed, n_resamples=how.n_resamples, confidence_level=level, k=k),
    )


def rank_bounds(side: Scores, level: float, n_resamples: int, rng: np.random.Generator) -> Bounds:
    """Find the best and worst rank of each system, with bounds of both sides that hold together at `level`."""
    found = rank_intervals(side, confidence_level=1 - (1 - level) / 2, n_resamples=n_resamples, rng=rng)
    at = [found.systems.index(system) for system in side.systems]
    return found.low[at], found.high[at]


def _shares(means: FloatArray, k: int) -> FloatArray:
    """Compute the share of orders of tied systems that put each system among the k best."""
    above = (means[None, :] > means[:, None]).sum(axis=1)
    tied = (means[None, :] == means[:, None]).sum(axis=1)
    return np.asarray(np.clip((k - above) / tied, 0.0, 1.0))
