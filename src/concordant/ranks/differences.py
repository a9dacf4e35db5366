"""`difference`: is one system better than another, and by how much; `neighbours`: each system and the next."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import FloatArray, IntArray
from ..data.groups import group_rows, places_of_groups
from ..data.means import ROUNDING, mean_over_topics
from ..data.results import Interval, Result, columns, settings_of
from ..data.runs import Scale, on_these_topics, scale_of, within
from ..data.scores import Scores
from ..errors import InputError, require
from ..inference.resampling import Resampling, Seed
from ..options import checked
from ..read.door import Collection, as_topic_side, as_topics, refuse
from ..words import counted, nearest, number, one_line, p_cell, p_equals
from .bounds import rank_intervals
from .intervals import RankIntervals
from .paired import POWER, Paired, paired, smallest_difference, topics_needed, variance_limits
from .run_noise import RunsAs, means_on_these_topics, seed_noise

_RESAMPLES = 49_999  # of the rank intervals, as for a board
SHOWN = 20  # pairs in the table that is printed


@dataclass(frozen=True, eq=False, repr=False)
class Difference(Result):
    """What `difference` found. Positive numbers say that `a` is better."""

    a: str
    b: str
    difference: float
    """The mean of a minus that of b over the topics that both have; positive where a is better."""
    interval: Interval
    """Of the difference for topics like these; nan where all topics show the same difference."""
    pvalue: float
    """Two-sided."""
    exact_pvalue: float
    """By all sign flips of up to 12 topics or groups; for binary scores McNemar's exact test. nan where not made."""
    smallest: float
    """The true difference that so many topics find significant with a probability of 80%."""
    n_topics_needed: float
    """Topics that find a true difference as large as the observed one with a probability of 80%."""
    n_topics_interval: Interval
    """The interval of that number, because the spread of the differences is estimated."""
    wins: int
    """Topics on which a is better."""
    ties: int
    losses: int
    ranks: tuple[tuple[int, int], tuple[int, int]]
    """The best and the worst rank of a, and of b, among all systems."""
    n_topics: int
    from_runs: float
    """The share of the variance of the difference that repeated runs cause, 0 to 1; nan without runs."""

    @property
    def significant(self) -> bool:
        """Whether the p-value lies below 1 - the confidence level."""
        return bool(self.pvalue <= 1 - self.settings["confidence_level"] + 1e-12)

    @property
    def verdict(self) -> str:
        """Which of the two is better and by how much, or that the topics cannot tell."""
        better, worse = (self.a, self.b) if self.difference >= 0 else (self.b, self.a)
        size, evidence = number(abs(self.difference), 4), f"({self._evidence()}{p_equals(self.pvalue)})"
        if self.significant:
            return f"{better} is better than {worse} by {size} {evidence}."
        if self.difference == 0:
            return f"{self._sample} cannot separate {self.a} and {self.b}: their means are equal {evidence}."
        return f"{self._sample} cannot separate {self.a} and {self.b}: {better} leads by {size} {evidence}."

    def _evidence(self) -> str:
        if math.isnan(self.interval.low):
            return ""
        # The interval of the better system's lead, so that its numbers fit the sentence.
        ends = (self.interval.low, self.interval.high)
        low, high = ends if self.difference >= 0 else (-ends[1], -ends[0])
        return f"{_percent(self.interval)} interval {number(low, 4)} to {number(high, 4)}, "

    @property
    def _sample(self) -> str:
        topics, groups = counted(self.n_topics, "topic"), self.settings.get("groups")
        return topics if groups is None else f"{topics} in {counted(groups, 'group')}"

    def rows(self) -> list[dict[str, Any]]:
        """One row."""
        return [
            {
                "a": self.a,
                "b": self.b,
                "difference": self.difference,
                "low": self.interval.low,
                "high": self.interval.high,
                "pvalue": self.pvalue,
                "wins": self.wins,
                "ties": self.ties,
                "losses": self.losses,
                "smallest": self.smallest,
                "n_topics_needed": self.n_topics_needed,
                "significant": self.significant,
                "from_runs": self.from_runs,
            }
        ]

    def table(self) -> str:
        """What the verdict rests on, one fact per line."""
        exact = "" if math.isnan(self.exact_pvalue) else f"; exact {p_cell(self.exact_pvalue)}"
        ranks = [f"{name} {low} to {high}" for name, (low, high) in zip((self.a, self.b), self.ranks, strict=True)]
        facts = {
            "method": f"{self.settings['method']}{exact}",
            "topics": f"{self.a} better on {self.wins}, {self.b} on {self.losses}, {self.ties} tied",
            "ranks": f"{', '.join(ranks)} (of {self.settings['systems']} systems)",
        }
        if not math.isnan(self.smallest):
            facts["smallest"] = (
                f"{number(self.smallest, 4)} is the smallest difference that {self._sample} detect with "
                f"{100 * POWER:g}% power"
            )
        if not self.settings.get("these_topics"):
            facts["needed"] = self.need()
        if not math.isnan(self.from_runs):
            facts["runs"] = f"{100 * self.from_runs:.0f}% of the variance of the difference comes from runs"
        width = max(map(len, facts))
        return "\n".join(f"  {name:<{width}}  {one_line(fact)}" for name, fact in facts.items())

    def need(self) -> str:
        """How many topics the observed difference would need, in words."""
        if math.isinf(self.n_topics_needed) or math.isnan(self.n_topics_interval.low):
            return "not known, because the topics show no spread" if self.difference else "not known: no difference"
        low, high = (math.ceil(end) for end in (self.n_topics_interval.low, self.n_topics_interval.high))
        return (
            f"{math.ceil(self.n_topics_needed):,} topics ({low:,} to {high:,}) if the true difference is "
            f"{number(abs(self.difference), 4)}"
        )

    def plot(self, ax: Any = None) -> Any:
        """Draw the difference as a dot, its interval as a line."""
        return _plot([self], ax)


@dataclass(frozen=True, eq=False, repr=False)
class Differences(Result):
    """What `neighbours` found: each system and the next, best first, corrected for the number of pairs."""

    pairs: tuple[Difference, ...]

    @property
    def verdict(self) -> str:
        """How many neighbours differ."""
        found, n = sum(pair.significant for pair in self.pairs), len(self.pairs)
        which = "no two neighbours" if not found else f"{found} of {counted(n, 'pair')} of neighbours"
        level = 100 * self.settings["confidence_level"]
        return f"{self.pairs[0]._sample} separate {which} ({level:g}% confidence for all together)."

    def rows(self) -> list[dict[str, Any]]:
        """One row per pair, best first."""
        return [row for pair in self.pairs for row in pair.rows()]

    def table(self, most: int | None = SHOWN) -> str:
        """One line for each of the first pairs; for all of them with None, and what their topics detect."""
        heads = ["neighbours", "difference", "interval", "p", "better/tied/worse"] + ["detectable"] * (most is None)
        cells = [
            [
                f"{pair.a} - {pair.b}",
                number(pair.difference, 4),
                "-" if math.isnan(pair.interval.low) else f"{pair.interval.low:.4f} to {pair.interval.high:.4f}",
                p_cell(pair.pvalue),
                f"{pair.wins}/{pair.ties}/{pair.losses}",
                *[number(pair.smallest, 4)] * (most is None),
            ]
            for pair in self.pairs[:most]
        ]
        more = len(self.pairs) - len(cells)
        rest = f"\n  ... {counted(more, 'more pair')}: --all, or text(every=True) in Python" if more > 0 else ""
        return columns([heads, *cells]) + rest

    def _table(self, *, every: bool) -> str:
        return self.table(None if every else SHOWN)

    def plot(self, ax: Any = None) -> Any:
        """Draw each difference as a dot, its interval as a line."""
        return _plot(self.pairs, ax)


@checked
def difference(
    scores: Collection,
    a: str,
    b: str,
    *,
    these_topics: bool = False,
    runs: RunsAs = "auto",
    confidence_level: float = 0.95,
    rng: Seed = None,
) -> Difference:
    """Is system a better than b, and by how much?

    Both are compared on the topics that both have, as a sample of topics like these.

    Parameters
    ----------
    scores : Collection
        Scores on each topic, as `as_scores` takes them, of these two systems and of any others.
    a, b : str
        The two systems.
    these_topics : bool
        Ask about these topics only, so that repeated runs alone are random; needs several runs per topic.
    runs : {"auto", "trials", "seeds"}
        Whether repeated runs are independent trials, or run r is one trained system on all topics, as `run_noise` has
        it.
    confidence_level : float
        Confidence level of the intervals; 1 minus it is the level of the tests.
    rng : int, Generator or None
        Seed of the rank intervals. Everything else is computed without random numbers.

    Returns
    -------
    Difference
        `difference` is positive where a is better; `interval`, `pvalue`, the `smallest` difference that so many topics
        detect with 80% power, `n_topics_needed`, wins, ties and losses, and the `ranks` of both among all systems.

    See Also
    --------
    neighbours : Every system and the next one, corrected for the number of pairs.
    rank_intervals : The ranks that each system may have.

    Notes
    -----
    Interval and p-value are those of a paired t test. Scores of 0 and 1 alone take Bonett and Price's interval and
    McNemar's mid-p. Topics in groups take the cluster-robust variance CR2 with Bell and McCaffrey's degrees of freedom,
    and at least 5 groups. Up to 12 topics, `exact_pvalue` counts all sign flips: 5 topics cannot give less than 0.0625.

    `n_topics_needed` takes the observed difference as the true one. It is no estimate of the topics that the true
    difference needs: the observed one varies too much for that.

    References
    ----------
    D. G. Bonett and R. M. Price (2012). Adjusted Wald Confidence Interval for a Difference of Binomial Proportions
    Based on Paired Data. Journal of Educational and Behavioral Statistics 37.
    M. W. Fagerland, S. Lydersen and P. Laake (2013). The McNemar Test for Binary Matched-Pairs Data. BMC Medical
    Research Methodology 13.
    R. M. Bell and D. F. McCaffrey (2002). Bias Reduction in Standard Errors for Linear Regression with Multi-Stage
    Samples. Survey Methodology 28.

    Examples
    --------
    >>> import concordant as cc
    >>> found = cc.difference(cc.load_collection("people"), "rerank-4", "bm25-1", rng=1)
    >>> round(found.difference, 4), found.significant
    (0.2447, True)

    """
    require(a != b, "b", b, "give two different systems")
    side = _given(scores)
    for system in (a, b):
        if system not in side.systems:
            raise InputError(f"there is no system {system!r}{nearest(system, side.systems)}")
    how = Resampling.of(_RESAMPLES, rng)
    ranks = _ranks(side, confidence_level, how, these_topics)
    return _difference(side, a, b, confidence_level, ranks, these=these_topics, runs=runs)


@checked
def neighbours(
    scores: Collection, *, these_topics: bool = False, confidence_level: float = 0.95, rng: Seed = None
) -> Differences:
    """Every system of a leaderboard and the next one: is it better, and by how much?

    Parameters
    ----------
    scores : Collection
        Scores on each topic, as `as_scores` takes them.
    these_topics : bool
        Ask about these topics only, so that repeated runs alone are random; needs several runs per topic.
    confidence_level : float
        For all pairs together.
    rng : int, Generator or None
        Seed of the rank intervals.

    Returns
    -------
    Differences
        `pairs`, best first, each as `difference` returns it. Intervals and p-values are corrected for the number of
        pairs by Bonferroni's rule.

    See Also
    --------
    difference : Two systems of your choice.
    board : A leaderboard with the ranks that are real.

    Examples
    --------
    >>> import concordant as cc
    >>> found = cc.neighbours(cc.load_collection("people"), rng=1)
    >>> len(found.pairs), sum(pair.significant for pair in found.pairs)
    (19, 0)

    """
    side = _given(scores)
    how = Resampling.of(_RESAMPLES, rng)
    ranks = _ranks(side, confidence_level, how, these_topics)
    names = list(zip(ranks.systems, ranks.systems[1:], strict=False))
    pairs = tuple(_difference(side, a, b, confidence_level, ranks, len(names), these=these_topics) for a, b in names)
    settings = settings_of(
        seed=how.seed, n_resamples=_RESAMPLES, confidence_level=confidence_level, pairs=len(names), measure=side.measure
    )
    notes = tuple(dict.fromkeys(note for pair in pairs for note in pair.notes))
    return Differences(pairs=pairs, notes=notes, settings=settings, data=side)


def _ranks(side: Scores, level: float, how: Resampling, these: bool) -> RankIntervals:
    if these:
        refuse(side, "scores", "total", why="these topics are judged by the mean of their runs")
    return rank_intervals(
        means_on_these_topics(side) if these else side, confidence_level=level, n_resamples=_RESAMPLES, rng=how.rng
    )


def _given(scores: Collection) -> Scores:
    side = as_topic_side(scores, "scores")
    return as_topics(side.described(missing="available") if side.missing == "error" else side, holes=True)


def _difference(
    side: Scores,
    a: str,
    b: str,
    level: float,
    ranks: RankIntervals,
    n_pairs: int = 1,
    *,
    these: bool = False,
    runs: RunsAs = "auto",
) -> Difference:
    """Of n_pairs pairs: intervals and p-values are corrected for their number."""
    points = side.points()
    x, y = (points.values[:, points.systems.index(system)] for system in (a, b))
    both = ~np.isnan(x) & ~np.isnan(y)
    if both.sum() < 2:
        raise InputError(f"{a} and {b} have {counted(int(both.sum()), 'topic')} in common: at least 2 are needed")
    x, y = x[both], y[both]
    groups = None
    if side.groups is not None:
        _, places = places_of_groups(side.groups, side.topics)
        groups = np.unique(places[both], return_inverse=True)[1]
    d, mean = _differences(x, y)
    each = 1 - (1 - level) / n_pairs
    found = paired(d, mean, each, groups, binary=side.runs is None and _are_binary(x, y))
    share, said = math.nan, tuple[str, ...]()
    if side.runs is not None and side.total == "mean":
        cells = side.runs[both][:, [side.systems.index(system) for system in (a, b)]]
        scale = scale_of(side.shown(side.runs)) if these else None
        found, share, said = _with_runs(found, cells, each, scale, runs)
    return Difference(
        a=a,
        b=b,
        difference=found.difference,
        interval=Interval(found.low, found.high, each, found.method),
        pvalue=min(1.0, n_pairs * found.pvalue),
        exact_pvalue=min(1.0, n_pairs * found.exact) if not math.isnan(found.exact) else math.nan,
        smallest=smallest_difference(found.se, found.df, each) if found.se > 0 else math.nan,
        **_needed(d, found, groups, each, these),
        wins=int((d > 0).sum()),
        ties=int((d == 0).sum()),
        losses=int((d < 0).sum()),
        ranks=(ranks[a], ranks[b]),
        n_topics=len(d),
        from_runs=share,
        notes=(*said, *_notes(side, a, b, int(both.sum()), found, each)),
        data=side,
        settings=settings_of(
            seed=ranks.settings["seed"],
            n_resamples=ranks.settings["n_resamples"],
            confidence_level=level,
            method=found.method,
            **({} if groups is None else {"groups": int(groups.max()) + 1}),
            systems=len(side.systems),
            **({} if n_pairs == 1 else {"pairs": n_pairs}),
            **({"these_topics": True} if these else {}),
            measure=side.measure,
        ),
    )


def _with_runs(
    found: Paired, cells: FloatArray, level: float, scale: Scale | None, runs: RunsAs
) -> tuple[Paired, float, tuple[str, ...]]:
    """A difference with what repeated runs say: topics x the two systems x runs.

    Runs cause V_a + V_b of its variance. With a scale only runs are random, and that is all of it. Seeds add to it.
    """
    if scale is not None:
        variances, dfs = on_these_topics(cells, scale)
        return found.again(math.sqrt(variances.sum()), float(dfs.sum()), level, "runs only"), math.nan, ()
    noise, variance = float(within(cells).runs.sum()), found.se**2
    share = min(noise / variance, 1.0) if variance > 0 else math.nan
    seeds, p = seed_noise(cells, runs)
    if seeds is None or not (added := float(seeds.variance.sum())):
        return found, share, ()
    total = variance + added
    df = total**2 / (variance**2 / found.df + float(seeds.parts.sum()))
    said = (f"Some runs are better on all topics (p = {p:.3g}), so runs were taken as seeds",) if runs == "auto" else ()
    crossed = found.again(math.sqrt(total), df, level, "paired t, runs as seeds")
    return crossed, (share * variance + added) / total if variance > 0 else 1.0, said


def _needed(d: FloatArray, found: Paired, groups: IntArray | None, level: float, these: bool) -> dict[str, Any]:
    """The topics that the observed difference needs, with the interval that the spread leaves."""
    n = len(d)
    if these:
        n_needed, low, high = math.nan, math.nan, math.nan
    elif found.difference == 0 or found.se == 0:
        n_needed, low, high = math.inf if found.difference == 0 else math.nan, math.nan, math.nan
    else:
        units = d if groups is None else group_rows(d[:, None], groups)[:, 0]
        variance, per_topic = n * found.se**2, found.df / (n - 1)
        factors = (1.0, *sorted(variance_limits(units, level)))
        n_needed, low, high = (topics_needed(variance * f, found.difference, level, per_topic) for f in factors)
    return {"n_topics_needed": n_needed, "n_topics_interval": Interval(low, high, level, "chi-square")}


def _differences(x: FloatArray, y: FloatArray) -> tuple[FloatArray, float]:
    """Topic by topic, without what rounding makes of equal scores; and their mean, 0 where the totals are tied."""
    means = mean_over_topics(np.column_stack([x, y]))
    d, slack = x - y, ROUNDING * float(np.abs([x, y]).max())
    d = np.full_like(d, d.mean()) if np.ptp(d) <= slack else d
    return np.where(np.abs(d) <= slack, 0.0, d), float(means[0] - means[1])


def _are_binary(x: FloatArray, y: FloatArray) -> bool:
    return bool(np.isin(np.concatenate([x, y]), (0.0, 1.0)).all())


def _notes(side: Scores, a: str, b: str, common: int, found: Paired, level: float) -> tuple[str, ...]:
    notes: list[str] = []
    if common < len(side.topics):
        notes.append(f"{a} and {b} are compared on the {common} of {len(side.topics)} topics that both have")
    if math.isnan(found.low):
        notes.append(f"{a} and {b} differ by the same on every topic, so there is no interval")
    elif (found.pvalue <= 1 - level) != (found.low > 0 or found.high < 0):
        notes.append("Interval and p-value disagree about 0, because they come from two methods: too close to call")
    return tuple(notes)


def _percent(interval: Interval) -> str:
    return f"{100 * interval.confidence_level:.4g}%"


def _plot(pairs: Iterable[Difference], ax: Any) -> Any:
    from ..render.figures import intervals

    return intervals.differences(list(pairs), ax)
