"""`select_topics`: choose a few topics or tasks, and test how well they rank on data not used to choose them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import FloatArray
from ..coefficients.registry import get_coefficient
from ..data.means import places_of_groups, require_labels
from ..data.results import Findings, Interval, columns, settings_of
from ..errors import InputError, counted, listing, named, require
from ..inference.resampling import Progress, Seed, silent
from ..options import checked
from ..read.labels import WANTED_COST, is_cost, labels_of
from ..read.reader import Collection, as_topics
from ..read.tables.vocabulary import plain_number
from .choosing import Splits, SplitTask, choose, run_splits

PILOT = 100  # number of splits in the first batch, from which the number of splits needed is computed
STILL = 0.004  # target standard deviation of a limit across seeds: its second decimal then moves by at most one
MEMORY = 2**20  # largest number of scores in memory, for splits that are computed together


@dataclass(frozen=True)
class HeldOut:
    """Agreement on held-out data."""

    chosen: float
    random: float
    """Agreement reached by random topics of the same number or total cost."""
    interval: Interval
    """Interval of `chosen`."""
    gain: Interval
    """Interval of the difference chosen - random."""


@checked
def select_topics(  # noqa: PLR0913
    scores: Collection,
    k: int | None = None,
    *,
    coefficient: str = "tau_b",
    costs: Mapping[str, float] | Any | None = None,
    budget: float | None = None,
    n_splits: int = 5_000,
    confidence_level: float = 0.95,
    rng: Seed = None,
    progress: Progress | None = None,
) -> Findings:
    """Choose topics whose mean ranks systems like the mean of all topics, and test the choice on held-out data.

    Topics are added one at a time, always the one that gives the largest tau_b with the ranking by all topics.

    Parameters
    ----------
    scores : Collection
        Scores on each topic, as `as_scores` takes them, without holes; at least 4 topics and 8 systems.
    k : int, optional
        How many topics to choose; give either this or `budget`.
    coefficient : str
        Any of `list_coefficients()`, to compare rankings. A coefficient that does not allow ties is replaced by one
        that does; both give the same value when there are no ties.
    costs : mapping, Series or path, optional
        The cost of each topic. With costs, the topic with the largest gain per unit of cost is added.
    budget : float, optional
        The most that the chosen topics may cost together; without `costs`, every topic costs 1.
    n_splits : int
        Largest number of splits of systems and topics; fewer are drawn if they give two stable decimals.
    confidence_level : float
        Confidence level of the intervals.
    rng : int, Generator or None
        The same seed gives the same bits.
    progress : callable, optional
        Called with the number of splits done and the total.

    Returns
    -------
    Findings
        `topics` are the chosen topics in the order added, `cost` their total cost.
        `both` is how well the chosen topics agree with other topics on the ranking of other systems. `systems` is how
        well they agree with all topics on the ranking of other systems. `all_topics` is `both` for all candidate topics
        instead of the chosen ones. `in_sample` is the agreement on the data used to choose, which is too high.

    See Also
    --------
    plan_topics : How many topics are enough.
    reliability : How close a ranking is to the true one, by all estimators.

    Notes
    -----
    All numbers except `in_sample` come from splits. In each split, the choice is made without the systems that test it
    and, for `both`, without the topics that test it. Each split chooses from fewer topics with half of the systems, so
    the topics named here should do a little better. Because splits overlap, intervals use the corrected variance of
    Nadeau and Bengio (2003).

    References
    ----------
    C. Nadeau and Y. Bengio (2003). Inference for the Generalization Error. Machine Learning 52.

    Examples
    --------
    >>> import concordant as cc
    >>> found = cc.select_topics(cc.load_collection("people"), 10, n_splits=10, rng=1)
    >>> len(found.topics), found.both.chosen < found.in_sample
    (10, True)

    """
    known, level = get_coefficient(coefficient), confidence_level
    if len(known.ties) < 2:
        known = get_coefficient(known.with_ties)
    if (k is None) == (budget is None):
        raise InputError(f"give either {named('k')}, the number of topics, or {named('budget')}, not both")
    given = as_topics(scores, "scores", least_systems=8)
    given = given.settled()[0]
    points = given.points()
    n, m = points.values.shape
    if n < 4:
        raise InputError(f"scores have {counted(n, 'topic')}: at least 4 are needed to choose some and test on others")
    scaled = np.ldexp(points.values, -int(np.frexp(np.abs(points.values).max())[1]))  # so that squares cannot overflow
    prices = _prices(costs, points.topics)
    money = _budget(k, budget, prices)
    places = np.arange(n) if points.groups is None else places_of_groups(points.groups, points.topics)[1]
    task = SplitTask(scaled, prices, money, places, known)
    found = _splits(task, n_splits, np.random.default_rng(rng), progress)
    chosen = choose(scaled[None], np.ones((1, n), dtype=bool), prices, money)[0]
    topics = tuple(points.topics[t] for t in chosen)
    both = _held_out(found.both, found.both_random, level)
    systems = _held_out(found.systems, found.systems_random, level)
    in_sample, why = known.attempt(scaled.mean(axis=0), scaled[chosen].mean(axis=0))
    in_sample = 0.0 if why else in_sample
    all_topics, gain = float(found.both_all.mean()), both.gain
    rows: list[dict[str, Any]] = [
        {
            "test": name,
            "chosen": of.chosen,
            "low": of.interval.low,
            "high": of.interval.high,
            "random": of.random,
            "gain_low": of.gain.low,
            "gain_high": of.gain.high,
        }
        for name, of in (("other systems and topics", both), ("other systems", systems))
    ]
    cells = [
        [row["test"], f"{row['chosen']:z.2f}", f"{row['low']:z.2f} to {row['high']:z.2f}", f"{row['random']:z.2f}",
         f"{row['gain_low']:z.2f} to {row['gain_high']:z.2f}"]
        for row in rows
    ]  # fmt: skip
    shown = (
        f"{columns([[coefficient, 'chosen', 'interval', 'random', 'gain'], *cells])}\n\n"
        f"All topics that could be chosen: {all_topics:.2f} on the first test. On the data used to choose: "
        f"{in_sample:.2f}, which is too high.\n\nTopics: {listing(topics, 60)}"
    )
    return Findings(
        kind="TopicSelection",
        answer=f"{len(topics)} of {counted(n, 'topic')}: {coefficient} {both.chosen:z.2f} with other topics on other "
        f"systems; {compared(gain)} random ones (difference {both.chosen - both.random:z.2f}, {gain.low:z.2f} to "
        f"{gain.high:z.2f})",
        numbers={
            "topics": topics,
            "coefficient": coefficient,
            "cost": float(prices[chosen].sum()),
            "both": both,
            "systems": systems,
            "in_sample": in_sample,
            "all_topics": all_topics,
            "n_topics": n,
            "n_systems": m,
        },
        lines=rows,
        shown=shown,
        data=given,
        settings=settings_of(
            seed=int(rng) if isinstance(rng, (int, np.integer)) else None,
            confidence_level=level,
            n_splits=len(found.both),
            total=given.total,
            budget=money,
        ),
    )


def compared(gain: Interval) -> str:
    """Say how chosen topics compare with random ones, given the limits as printed."""
    low, high = round(gain.low, 2), round(gain.high, 2)
    return "better than" if low > 0 else "worse than" if high < 0 else "not clearly better than"


def _splits(task: SplitTask, most: int, rng: np.random.Generator, progress: Progress | None) -> Splits:
    """Run as many splits as it takes to make two decimals of the limits stable."""
    at_once = max(1, MEMORY // task.values.size)
    found: list[Splits] = []
    done, wanted = 0, min(PILOT, most)
    while done < wanted:
        found.append(run_splits(task, min(at_once, wanted - done), rng))
        done += len(found[-1].both)
        if done == PILOT:
            # The variance of a limit, mean +- 2 s, over seeds: s^2 / J for the mean, and 4 s^2 / 2J for 2 s.
            every = Splits(*map(np.concatenate, zip(*found, strict=True)))
            printed = (every.both, every.systems, every.both - every.both_random, every.systems - every.systems_random)
            wanted = min(most, max(PILOT, int(3 * max(values.var() for values in printed) / STILL**2)))
        (progress or silent)(done, wanted)
    return Splits(*map(np.concatenate, zip(*found, strict=True)))


def _held_out(chosen: FloatArray, random: FloatArray, level: float) -> HeldOut:
    of = "corrected resampled t"
    low, high = _limits(chosen, level)
    worse, better = _limits(chosen - random, level)
    return HeldOut(
        float(chosen.mean()),
        float(random.mean()),
        Interval(low, min(high, 1.0), level, of),
        Interval(worse, better, level, of),
    )


def _limits(values: FloatArray, level: float) -> tuple[float, float]:
    """Confidence limits of a mean over J splits that test on half the data: variance (1 / J + 1) s^2, not s^2 / J."""
    from scipy.special import stdtrit

    j = len(values)
    half = float(stdtrit(j - 1, (1 + level) / 2)) * math.sqrt(1 / j + 1) * float(values.std(ddof=1))
    return float(values.mean()) - half, float(values.mean()) + half


def _prices(costs: Any, topics: tuple[str, ...]) -> FloatArray:
    if costs is None:
        return np.ones(len(topics))
    known = labels_of(costs, "costs")
    labels = [known.get(topic, "") for topic in topics]
    require_labels(labels, topics, "costs")
    prices = [plain_number(label) for label in labels]
    for topic, label, price in zip(topics, labels, prices, strict=True):
        if price is None or not is_cost(price):
            raise InputError(f"{named('costs')} has {label!r} for topic {topic!r}: {WANTED_COST}")
    return np.array(prices, dtype=np.float64)


def _budget(k: int | None, budget: float | None, prices: FloatArray) -> float:
    most = len(prices) - 2
    if k is not None:
        if (prices != 1).any():
            raise InputError(f"{named('costs')} needs {named('budget')}, the most to spend on topics, not k")
        require(k <= most, "k", k, f"give from 1 to {most} of the {len(prices)} topics")
        return float(k)
    wanted = f"give at least the cost of one topic, {prices.min():g}, and less than that of all, {prices.sum():g}"
    assert budget is not None
    require(prices.min() <= budget < prices.sum(), "budget", budget, wanted)
    return budget
