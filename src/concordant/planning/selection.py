"""`select_topics`: choose a few topics or tasks, and test how well they rank on data not used to choose them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..arrays import FloatArray
from ..coefficients.registry import get_coefficient
from ..data.means import places_of_groups, require_labels
from ..data.results import Findings, Interval, columns, settings_of
from ..data.scores import Scores
from ..errors import InputError, counted, listing, named, require
from ..inference.resampling import Progress, Seed
from ..options import checked
from ..ranks.intervals import rank_intervals
from ..read.labels import WANTED_COST, is_cost, labels_of
from ..read.reader import Collection, as_topics
from ..read.tables.vocabulary import plain_number
from .choosing import Split, SplitTask, best_method, methods_of, split

Way = Literal["auto", "variance", "greedy"]


@dataclass(frozen=True)
class HeldOut:
    """Agreement on held-out data."""

    chosen: float
    random: float
    """Agreement of as many, or equally costly, random topics."""
    interval: Interval
    """Interval of `chosen`."""
    gain: Interval
    """Interval of chosen - random."""


@checked
def select_topics(  # noqa: PLR0913
    scores: Collection,
    k: int | None = None,
    *,
    coefficient: str = "tau_b",
    method: Way = "auto",
    costs: Mapping[str, float] | Any | None = None,
    budget: float | None = None,
    n_splits: int = 40,
    confidence_level: float = 0.95,
    rng: Seed = None,
    progress: Progress | None = None,
) -> Findings:
    """Choose topics whose mean ranks systems like the mean of all topics, and test the choice on held-out data.

    Parameters
    ----------
    scores : Collection
        Scores on each topic, as `as_scores` takes them, without holes; at least 4 topics and 8 systems.
    k : int, optional
        How many topics to choose; or `budget`.
    coefficient : str
        Any of `list_coefficients()`: how rankings are compared.
    method : {"auto", "variance", "greedy"}
        "greedy" adds the topic that gives the largest tau_b with the ranking by all topics. "variance" adds the topic
        that brings the means of the systems closest to their means on all topics. "auto" takes the method that is
        better on other systems and topics.
    costs : mapping, Series or path, optional
        The cost of each topic; topics with the largest gain per cost are added.
    budget : float, optional
        The most that the chosen topics may cost together; without `costs`, every topic costs 1.
    n_splits : int
        Number of splits of systems and topics, at least 2.
    confidence_level : float
        Confidence level of the intervals.
    rng : int, Generator or None
        The same seed gives the same bits.
    progress : callable, optional
        Called with the number of splits done and the total.

    Returns
    -------
    Findings
        `topics` are the chosen topics in the order added, `method` how they were chosen, `cost` their total cost.
        `both` is the agreement with the ranking of other systems by other topics, `systems` that with the ranking of
        other systems by all topics. `all_topics` is the agreement of all candidate topics on the test of `both`.
        `in_sample` is the agreement on the data used to choose, which is too high. Among the pairs of other systems
        that all topics separate, `kept` and `kept_random` are the shares that chosen and random topics order alike.

    See Also
    --------
    plan_topics : How many topics are enough.
    reliability : How close a ranking is to the true one, by all estimators.

    Notes
    -----
    Every number but `in_sample` comes from splits that choose without the systems of the test and, for `both`, without
    its topics. With "auto" the method, too, is chosen without them. Each split chooses from fewer topics with half of
    the systems, so the topics named here should do a little better. Because splits overlap, intervals use the corrected
    variance of Nadeau and Bengio (2003).

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
    if (k is None) == (budget is None):
        raise InputError(f"give either {named('k')}, the number of topics, or {named('budget')}, one of the two")
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
    task = SplitTask(scaled, prices, money, places, known, methods_of(method))
    rand = np.random.default_rng(rng)
    separated = _separated(points, rand)
    found = []
    for j in range(n_splits):
        found.append(split(task, separated, rand))
        if progress is not None:
            progress(j + 1, n_splits)
    way = best_method(task, rand)
    chosen = task.chosen(way)
    topics = tuple(points.topics[t] for t in chosen)
    both, systems = (_held_out(found, name, level) for name in ("both", "systems"))
    in_sample = task.agreement(chosen, task.values.mean(axis=0))
    kept, kept_random, all_topics = (_mean(found, name) for name in ("kept", "kept_random", "both_all"))
    gain = both.gain
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
        [row["test"], f"{row['chosen']:.3f}", f"{row['low']:.3f} to {row['high']:.3f}", f"{row['random']:.3f}",
         f"{row['gain_low']:.3f} to {row['gain_high']:.3f}"]
        for row in rows
    ]  # fmt: skip
    parts = [
        columns([[coefficient, "chosen", "interval", "random", "gain"], *cells]),
        f"All topics that could be chosen: {all_topics:.3f} on the first test. On the data that chose them: "
        f"{in_sample:.3f}, which is too high.",
    ]
    if not math.isnan(kept):
        parts.append(
            f"Of the pairs of systems that all topics separate, chosen topics order {kept:.1%} alike, random ones "
            f"{kept_random:.1%} (other systems)."
        )
    return Findings(
        kind="TopicSelection",
        answer=f"{len(topics)} of {counted(n, 'topic')}: {coefficient} {both.chosen:.3f} with other topics on other "
        f"systems; {compared(gain)} random ones (difference {both.chosen - both.random:z.3f}, {gain.low:z.3f} to "
        f"{gain.high:z.3f})",
        numbers={
            "topics": topics,
            "method": way,
            "coefficient": coefficient,
            "cost": float(prices[chosen].sum()),
            "both": both,
            "systems": systems,
            "in_sample": in_sample,
            "all_topics": all_topics,
            "kept": kept,
            "kept_random": kept_random,
            "n_topics": n,
            "n_systems": m,
        },
        lines=rows,
        shown="\n\n".join([*parts, f"Topics: {listing(topics, 60)}"]),
        data=given,
        settings=settings_of(
            seed=int(rng) if isinstance(rng, (int, np.integer)) else None,
            confidence_level=level,
            n_splits=n_splits,
            method=method,
            total=given.total,
            budget=money,
        ),
    )


def compared(gain: Interval) -> str:
    """Say in words how chosen topics compare with random ones."""
    return "better than" if gain.low > 0 else "worse than" if gain.high < 0 else "not clearly better than"


def _mean(found: list[Split], name: str) -> float:
    values = np.array([getattr(one, name) for one in found])
    return float(values[~np.isnan(values)].mean()) if not np.isnan(values).all() else math.nan


def _held_out(found: list[Split], name: str, level: float) -> HeldOut:
    chosen = np.array([getattr(one, name) for one in found])
    random = np.array([getattr(one, f"{name}_random") for one in found])
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
    """Confidence limits of a mean over J splits, each tested on half: variance (1 / J + 1) s^2 instead of s^2 / J."""
    from scipy.special import stdtrit

    j = len(values)
    half = float(stdtrit(j - 1, (1 + level) / 2)) * math.sqrt(1 / j + 1) * float(values.std(ddof=1))
    return float(values.mean()) - half, float(values.mean()) + half


def _separated(points: Scores, rng: np.random.Generator) -> Any:
    """Whether, at `[i, j]`, system j is significantly better than i on the whole collection; columns as given."""
    found = rank_intervals(points, n_resamples=999, rng=rng)
    place = [found.systems.index(system) for system in points.systems]
    return found.better()[np.ix_(place, place)]


def _prices(costs: Any, topics: tuple[str, ...]) -> FloatArray:
    if costs is None:
        return np.ones(len(topics))
    known = labels_of(costs, "costs")
    labels = [known.get(topic, "") for topic in topics]
    require_labels(labels, topics, "costs")
    prices = [plain_number(label) for label in labels]
    for topic, label, price in zip(topics, labels, prices, strict=True):
        if price is None or not is_cost(price):
            raise InputError(f"{named('costs')} of topic {topic!r} is {label!r}: {WANTED_COST}")
    return np.array(prices, dtype=np.float64)


def _budget(k: int | None, budget: float | None, prices: FloatArray) -> float:
    most = len(prices) - 2
    if k is not None:
        if (prices != 1).any():
            raise InputError(f"{named('costs')} needs {named('budget')}, what the topics may cost together, not k")
        require(k <= most, "k", k, f"give from 1 to {most} of the {len(prices)} topics")
        return float(k)
    wanted = f"give at least the cost of one topic, {prices.min():g}, and less than that of all, {prices.sum():g}"
    assert budget is not None
    require(prices.min() <= budget < prices.sum(), "budget", budget, wanted)
    return budget
