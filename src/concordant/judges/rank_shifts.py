"""`rank_changes`: who rises and who drops when the candidate ranks the systems, and how much of it the topics show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from ..arrays import FloatArray, IntArray, require_room_for_pairs
from ..data.means import mean_ranks
from ..data.results import Findings, Interval, columns
from ..data.scores import Scores
from ..errors import require
from ..inference.resampling import Resampling, Seed
from ..options import checked
from ..pairing import Matched, matched_topics
from ..ranks.bounds import rank_intervals
from ..read.door import Collection
from ..words import counted, listing

Bounds: TypeAlias = tuple[IntArray, IntArray]
_METHOD = "projection of simultaneous rank intervals"


@dataclass(frozen=True)
class RankStatistic:
    """A number made of ranks, the systems that it is about, and its interval across the population of topics."""

    value: float
    systems: tuple[str, ...]
    """Several where they are tied."""
    interval: Interval


def _ranks(count: float) -> str:
    return counted(int(count), "rank") if float(count).is_integer() else f"{count:g} ranks"


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
    """Find the systems that drop and rise most when the candidate ranks them, and the rank of the truth's best one.

    Parameters
    ----------
    truth, candidate : Collection
        Scores on each topic, in any form that `as_scores` takes, or topics x systems arrays, matched by label. What
        only one side has is left out, with an `AlignmentWarning` that names it.
    k : int, optional
        How many best systems to compare, fewer than there are; by default 5, or all but one where there are fewer.
    confidence_level : float
        Confidence level of the intervals, for all of them together.
    n_resamples : int
        Number of resamples of `rank_intervals`, from which the intervals come.
    rng : int, Generator or None
        Draws the resamples. The same seed gives the same bits. Without one, a seed is drawn, and the settings record
        it.

    Returns
    -------
    Findings
        `largest_drop` and `largest_rise`: how many ranks a system loses or gains at most; `best_rank`: the rank that
        the candidate gives to the truth's best system; `candidate_best_rank`: the rank that the truth gives to the
        candidate's; `overlap`: the share of the truth's k best that are among the candidate's. Each is a
        `RankStatistic`, with an interval. `truth_rank` and `candidate_rank` of the `systems`: 1 for the best, the mean
        for tied ones. `rows` and `to_frame` have all systems, the largest drop first.

    See Also
    --------
    rank_intervals : The ranks that each system may have.
    judge_card : All that papers report about judges.

    Notes
    -----
    Tied systems share the mean of their ranks. A tie at the k-th place counts in parts: the overlap is the mean over
    all orders of the tied systems, those of the two sides being independent.

    The intervals are for the same statistics across the population of topics. The largest of many changes is too large:
    noise chooses it, on these topics and in every resample of them, so quantiles of a bootstrap over topics do not
    hold. Instead the simultaneous `rank_intervals` of both sides are taken, each at the level 1 - (1 -
    confidence_level) / 2. Where they hold, and so do together with at least the confidence level, every number made of
    ranks lies between its least and its largest value over the ranks that they allow: the intervals hold together,
    whatever system was chosen. They are wide, because the two sides are treated as if they had no topic in common. A
    lower end above 0 for the largest drop says that the topics show a drop.

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
    """How many best of m systems are compared where nobody says so."""
    return min(5, m - 1)


def changes_from(sides: Matched, bounds: tuple[Bounds, Bounds], k: int, level: float, how: Resampling) -> Findings:
    """From the ranks that each side's systems may have."""
    truth, candidate = sides.scores
    systems, means = truth.systems, (truth.means(), candidate.means())
    ranks = [_ranks_of(of) for of in means]
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
            (share[0] * share[1]).sum() / k,
            (share[0] * share[1]) > 0,
            certain / k,
            min(k, possible) / k,
        ),
    }
    drop, best = found["largest_drop"], found["best_rank"]
    fallen = f"largest drop {_ranks(drop.value)} ({listing(drop.systems, 3)})" if drop.value else "no system drops"
    labels = "largest drop", "largest rise", "rank of the truth's best", "rank of the candidate's best"
    rows = [["", "value", f"{100 * level:g}% interval", "system"]]
    for label, one in zip((*labels, f"overlap of the {k} best"), found.values(), strict=True):
        about = "" if one is found["overlap"] else listing(one.systems, 2)
        rows.append([label, f"{one.value:.3g}", f"{one.interval.low:.3g} to {one.interval.high:.3g}", about])
    columns_of = {"truth_rank": ranks[0], "candidate_rank": ranks[1], "change": change}
    return Findings(
        kind="RankChanges",
        answer=f"{fallen}; candidate puts the truth's best system, {listing(best.systems, 3)}, at rank {best.value:g} "
        f"of {len(systems)}; {k * found['overlap'].value:.3g} of the {k} best are the same",
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
    """The best and the worst rank of each system, so that those of two sides hold together with the level."""
    found = rank_intervals(side, confidence_level=1 - (1 - level) / 2, n_resamples=n_resamples, rng=rng)
    at = [found.systems.index(system) for system in side.systems]
    return found.low[at], found.high[at]


def _ranks_of(means: FloatArray) -> FloatArray:
    """1 for the largest; ties share the mean of their ranks."""
    return np.asarray(mean_ranks(means[None])[0])


def _shares(means: FloatArray, k: int) -> FloatArray:
    """The share of the orders of tied systems in which each is among the k best."""
    above = (means[None, :] > means[:, None]).sum(axis=1)
    tied = (means[None, :] == means[:, None]).sum(axis=1)
    return np.asarray(np.clip((k - above) / tied, 0.0, 1.0))
