"""`select_topics`: which topics or tasks would do, and how well they rank what they were not chosen on."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..arrays import FloatArray
from ..coefficients.registry import get_coefficient
from ..data.groups import places_of_groups, require_labels
from ..data.results import Interval, Result, columns, settings_of
from ..data.scores import Scores
from ..errors import InputError, require
from ..inference.resampling import Progress, Seed
from ..options import checked
from ..ranks.bounds import rank_intervals
from ..read.door import Collection, as_topics
from ..read.labels import WANTED_COST, is_cost, labels_of
from ..read.tables.cells import plain_number
from ..words import counted, listing, named
from .validation import Split, SplitTask, best_method, methods_of, split

Way = Literal["auto", "variance", "greedy"]


@dataclass(frozen=True)
class HeldOut:
    """Agreement on data that had no part in the choice."""

    chosen: float
    random: float
    """Agreement of random topics, as many or as costly."""
    interval: Interval
    """Of `chosen`."""
    gain: Interval
    """Of chosen - random."""


@dataclass(frozen=True, eq=False, repr=False)
class TopicSelection(Result):
    """What `select_topics` found."""

    _figure = "intervals.selection"
    topics: tuple[str, ...]
    """Those chosen, by all systems and topics, in the order in which they were added."""
    method: str
    """The way in which they were chosen."""
    coefficient: str
    cost: float
    both: HeldOut
    """Agreement with other topics on other systems."""
    systems: HeldOut
    """Agreement with all topics on other systems: the chosen ones are among all."""
    in_sample: float
    """Agreement with all topics on the systems that chose: too high."""
    all_topics: float
    """What all topics that could be chosen reach on the test of `both`: a choice is unlikely to do better."""
    kept: float
    """Of the pairs of other systems that the whole collection separates, the share that chosen topics order alike."""
    kept_random: float
    n_topics: int
    n_systems: int

    @property
    def verdict(self) -> str:
        """What chosen topics reach on other systems and topics, beside random ones."""
        gain = self.both.gain
        middle = self.both.chosen - self.both.random
        better = "better than" if gain.low > 0 else "worse than" if gain.high < 0 else "not clearly better than"
        return (
            f"{len(self.topics)} of {counted(self.n_topics, 'topic')}: {self.coefficient} {self.both.chosen:.3f} with "
            f"other topics on other systems; {better} random ones (difference {middle:z.3f}, {gain.low:z.3f} to "
            f"{gain.high:z.3f})"
        )

    def rows(self) -> list[dict[str, Any]]:
        """One row per test."""
        return [
            {
                "test": name,
                "chosen": held.chosen,
                "low": held.interval.low,
                "high": held.interval.high,
                "random": held.random,
                "gain_low": held.gain.low,
                "gain_high": held.gain.high,
            }
            for name, held in (("other systems and topics", self.both), ("other systems", self.systems))
        ]

    def table(self) -> str:
        """The tests, the pairs that stay in order, and the topics."""
        lines = [[self.coefficient, "chosen", "interval", "random", "gain"]]
        lines += [
            [row["test"], f"{row['chosen']:.3f}", f"{row['low']:.3f} to {row['high']:.3f}", f"{row['random']:.3f}",
             f"{row['gain_low']:.3f} to {row['gain_high']:.3f}"]
            for row in self.rows()
        ]  # fmt: skip
        kept = "" if math.isnan(self.kept) else (
            f"\n\nOf the pairs of systems that all topics separate, chosen topics order {self.kept:.1%} alike, random "
            f"ones {self.kept_random:.1%} (other systems)."
        )  # fmt: skip
        return (
            f"{columns(lines)}\n\nAll topics that could be chosen: {self.all_topics:.3f} on the first test. On the "
            f"data that chose them: {self.in_sample:.3f}, which is too high.{kept}\n\n"
            f"Topics: {listing(self.topics, 60)}"
        )


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
) -> TopicSelection:
    """Choose topics whose mean ranks systems as the mean of all does, and test the choice on data it did not see.

    Parameters
    ----------
    scores : Collection
        Scores on each topic, as `as_scores` takes them, without holes; at least 4 topics and 8 systems.
    k : int, optional
        How many topics to choose; or `budget`.
    coefficient : str
        Any of `list_coefficients()`: how rankings are compared.
    method : {"auto", "variance", "greedy"}
        "greedy" adds the topic that makes tau_b with the ranking by all topics largest; "variance" the one that brings
        the means of all systems nearest to their means on all topics; "auto" takes the one that is better on other
        systems and topics.
    costs : mapping, Series or path, optional
        The cost of each topic; topics with the largest gain per cost are added.
    budget : float, optional
        What the chosen topics may cost together; without `costs`, every topic costs 1.
    n_splits : int
        How often systems and topics are split, at least 2.
    confidence_level : float
        Confidence level of the intervals.
    rng : int, Generator or None
        The same seed gives the same bits.
    progress : callable, optional
        Called with the number of splits done and the total.

    Returns
    -------
    TopicSelection
        `topics` are those chosen; `both` says how well topics chosen in this way rank other systems, compared with
        other topics, and `systems` the same compared with all topics.

    See Also
    --------
    plan_topics : How many topics are enough.
    reliability : How close a ranking is to the true one, by all estimators.

    Notes
    -----
    Every number but `in_sample` comes from splits in which neither the systems of the test nor, in `both`, its topics
    had a part in the choice; with "auto" the method, too, is chosen without them. They describe choosing in this way
    from fewer topics and half of the systems, so the topics that are named should do a little better. Intervals are by
    the corrected variance of Nadeau and Bengio (2003), because splits overlap.

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
    scaled = np.ldexp(points.values, -int(np.frexp(np.abs(points.values).max())[1]))  # whose squares are numbers
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
    return TopicSelection(
        topics=tuple(points.topics[t] for t in chosen),
        method=way,
        coefficient=coefficient,
        cost=float(prices[chosen].sum()),
        both=_held_out(found, "both", level),
        systems=_held_out(found, "systems", level),
        in_sample=task.agreement(chosen, task.values.mean(axis=0)),
        all_topics=_mean(found, "both_all"),
        kept=_mean(found, "kept"),
        kept_random=_mean(found, "kept_random"),
        n_topics=n,
        n_systems=m,
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
    """Of a mean over splits, half of the systems in each test: the variance is (1 / J + 1) s^2, not s^2 / J."""
    from scipy.special import stdtrit

    j = len(values)
    half = float(stdtrit(j - 1, (1 + level) / 2)) * math.sqrt(1 / j + 1) * float(values.std(ddof=1))
    return float(values.mean()) - half, float(values.mean()) + half


def _separated(points: Scores, rng: np.random.Generator) -> Any:
    """`[i, j]`: whether the whole collection finds system j significantly better than i, columns as given."""
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
