"""`difference`: test whether one system is better than another; `neighbours`: test each system against the next."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..arrays import FloatArray, IntArray
from ..data.means import ROUNDING, group_rows, mean_over_topics, places_of_groups
from ..data.results import Interval, Result, columns, plain, settings_of
from ..data.runs import Scale, on_these_topics, scale_of, within
from ..data.scores import Scores
from ..errors import InputError, counted, nearest, number, one_line, p_cell, p_equals, require
from ..inference.resampling import Seed
from ..options import checked
from ..read.reader import Collection, as_topic_side, as_topics
from .intervals import RankIntervals, rank_intervals
from .noise import RunsAs, on_these_topics_only, seed_noise, taken_as_seeds
from .paired import POWER, Paired, paired, smallest_difference, topics_needed, variance_limits

_RESAMPLES = 49_999  # for rank intervals, as on a board
SHOWN = 20  # pairs in the printed table
SEEDS = "runs as seeds"  # ends the name of a method
_COLUMNS = ("pvalue", "wins", "ties", "losses", "smallest", "n_topics_needed", "significant", "from_runs")


@dataclass(frozen=True)
class Pair:
    """A pair of systems. Positive numbers mean that `a` is better."""

    a: str
    b: str
    difference: float
    """The mean of a minus the mean of b over the topics that both have."""
    interval: Interval
    """Interval of the difference for topics like these; nan if all topics show the same difference."""
    pvalue: float
    """Two-sided."""
    exact_pvalue: float
    """p-value by all sign flips of up to 12 topics or groups, or McNemar's exact test; nan if not computed."""
    smallest: float
    """The true difference that these topics detect with 80% power."""
    n_topics_needed: float
    """Number of topics that detect a true difference as large as the observed one with 80% power."""
    n_topics_interval: Interval
    """Interval of that number, which reflects that the spread of the differences is estimated."""
    wins: int
    """Number of topics on which a is better."""
    ties: int
    losses: int
    ranks: tuple[tuple[int, int], tuple[int, int]]
    """The best and worst ranks of a and b among all systems."""
    n_topics: int
    from_runs: float
    """Share of the variance of the difference due to repeated runs, 0 to 1; nan without runs."""
    significant: bool = field(metadata={"in_dict": False})
    """Whether the p-value lies below 1 - the confidence level."""
    n_groups: int | None = field(metadata={"in_dict": False})
    notes: tuple[str, ...] = field(metadata={"in_dict": False})


@dataclass(frozen=True, eq=False, repr=False)
class Difference(Result):
    """The result of `difference` and `neighbours`. For one pair every number is an attribute: `found.interval`."""

    pairs: tuple[Pair, ...]
    """One pair; or each system and the next, best first, corrected for the number of pairs."""

    def __getattr__(self, name: str) -> Any:
        pairs = vars(self).get("pairs", ())
        if len(pairs) == 1 and not name.startswith("_"):
            return getattr(pairs[0], name)
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")

    @property
    def verdict(self) -> str:
        """State which system is better and by how much, or how many neighbours differ significantly."""
        if len(self.pairs) > 1:
            found, n = sum(pair.significant for pair in self.pairs), len(self.pairs)
            which = "no two neighbours" if not found else f"{found} of {counted(n, 'pair')} of neighbours"
            level = 100 * self.settings["confidence_level"]
            return f"{self._sample} separate {which} ({level:g}% confidence for all together)."
        (pair,) = self.pairs
        better, worse = (pair.a, pair.b) if pair.difference >= 0 else (pair.b, pair.a)
        size, evidence = number(abs(pair.difference), 4), p_equals(pair.pvalue)
        if not math.isnan(pair.interval.low):
            # The interval of the better system's lead, so that its numbers fit the sentence.
            low, high = sorted(
                math.copysign(1, pair.difference) * end for end in (pair.interval.low, pair.interval.high)
            )
            level = 100 * pair.interval.confidence_level
            evidence = f"{level:.4g}% interval {number(low, 4)} to {number(high, 4)}, {evidence}"
        if pair.significant:
            return f"{better} is better than {worse} by {size} ({evidence})."
        leads = f"{better} leads by {size}" if pair.difference else "their means are equal"
        return f"{self._sample} cannot separate {pair.a} and {pair.b}: {leads} ({evidence})."

    @property
    def _sample(self) -> str:
        first = self.pairs[0]
        topics = counted(first.n_topics, "topic")
        return topics if first.n_groups is None else f"{topics} in {counted(first.n_groups, 'group')}"

    def _contents(self) -> dict[str, Any]:
        return dict(plain(self.pairs[0])) if len(self.pairs) == 1 else super()._contents()

    def rows(self) -> list[dict[str, Any]]:
        """One row per pair, best first."""
        return [
            {
                "a": pair.a,
                "b": pair.b,
                "difference": pair.difference,
                "low": pair.interval.low,
                "high": pair.interval.high,
                **{name: getattr(pair, name) for name in _COLUMNS},
            }
            for pair in self.pairs
        ]

    def table(self, most: int | None = SHOWN) -> str:
        """Print the facts behind the verdict, or one line for each of several pairs; None prints all."""
        if len(self.pairs) == 1:
            return self._facts(self.pairs[0])
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

    def _facts(self, pair: Pair) -> str:
        """Print one fact per line."""
        exact = "" if math.isnan(pair.exact_pvalue) else f"; exact {p_cell(pair.exact_pvalue)}"
        ranks = [f"{name} {low} to {high}" for name, (low, high) in zip((pair.a, pair.b), pair.ranks, strict=True)]
        facts = {
            "method": f"{pair.interval.method}{exact}",
            "topics": f"{pair.a} better on {pair.wins}, {pair.b} on {pair.losses}, {pair.ties} tied",
            "ranks": f"{', '.join(ranks)} (of {self.settings['systems']} systems)",
        }
        if not math.isnan(pair.smallest):
            facts["smallest"] = (
                f"{number(pair.smallest, 4)} is the smallest difference that {self._sample} detect with "
                f"{100 * POWER:g}% power"
            )
        if not self.settings.get("these_topics"):
            facts["needed"] = _need(pair)
        if not math.isnan(pair.from_runs):
            facts["runs"] = f"{100 * pair.from_runs:.0f}% of the variance of the difference comes from runs"
        width = max(map(len, facts))
        return "\n".join(f"  {name:<{width}}  {one_line(fact)}" for name, fact in facts.items())


def _need(pair: Pair) -> str:
    """Say in words how many topics the observed difference would need."""
    if pair.interval.method.endswith(SEEDS):
        return "not known: more topics do not remove the noise of seeds"
    if math.isinf(pair.n_topics_needed) or math.isnan(pair.n_topics_interval.low):
        return "not known, because the topics show no spread" if pair.difference else "not known: no difference"
    low, high = (math.ceil(end) for end in (pair.n_topics_interval.low, pair.n_topics_interval.high))
    return (
        f"{math.ceil(pair.n_topics_needed):,} topics ({low:,} to {high:,}) if the true difference is "
        f"{number(abs(pair.difference), 4)}"
    )


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
    """Test whether system a is better than b, and estimate by how much.

    The systems are compared on the topics that both have, as a sample of topics like these.

    Parameters
    ----------
    scores : Collection
        Scores on each topic, as `as_scores` takes them, of these two systems and any others.
    a, b : str
        The two systems.
    these_topics : bool
        Ask about these topics only, so that repeated runs alone are random; needs several runs per topic.
    runs : {"auto", "trials", "seeds"}
        Whether repeated runs are independent trials, or run r is one trained system on all topics, as in `run_noise`.
    confidence_level : float
        Confidence level of the intervals; 1 minus it is the level of the tests.
    rng : int, Generator or None
        Seed of the rank intervals. All other results are exact.

    Returns
    -------
    Difference
        `difference` is positive if a is better, with `interval` and `pvalue`. `smallest` is the smallest difference
        that these topics detect with 80% power, `n_topics_needed` the number that detects the observed one. Also
        `wins`, `ties`, `losses`, and the `ranks` of both among all systems.

    See Also
    --------
    neighbours : Every system and the next one, corrected for the number of pairs.
    rank_intervals : The ranks that each system may have.

    Notes
    -----
    Interval and p-value come from a paired t test. For binary scores they are Bonett and Price's interval and McNemar's
    mid-p. For topics in groups, at least 5, they use the cluster-robust variance CR2 with Bell and McCaffrey's degrees
    of freedom. Up to 12 topics, `exact_pvalue` counts all sign flips; 5 topics cannot give less than 0.0625.

    `n_topics_needed` takes the observed difference as the true one. It does not estimate the topics that the true
    difference needs: the observed difference varies too much.

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
    return _differences(side, confidence_level, rng, (a, b), these=these_topics, runs=runs)


@checked
def neighbours(
    scores: Collection,
    *,
    these_topics: bool = False,
    runs: RunsAs = "auto",
    confidence_level: float = 0.95,
    rng: Seed = None,
) -> Difference:
    """Test each system of a leaderboard against the next one, and estimate by how much it is better.

    Parameters
    ----------
    scores : Collection
        Scores on each topic, as `as_scores` takes them.
    these_topics : bool
        Ask about these topics only, so that repeated runs alone are random; needs several runs per topic.
    runs : {"auto", "trials", "seeds"}
        What repeated runs are, as in `difference`.
    confidence_level : float
        Confidence level for all pairs together.
    rng : int, Generator or None
        Seed of the rank intervals.

    Returns
    -------
    Difference
        `pairs`, best first, each with the results of `difference`. Intervals and p-values are corrected for the number
        of pairs by Bonferroni's rule.

    See Also
    --------
    difference : Two systems of your choice.
    board : A leaderboard with the ranks that are real.

    Examples
    --------
    >>> import concordant as cc
    >>> found = cc.ranks.neighbours(cc.load_collection("people"), rng=1)
    >>> len(found.pairs), sum(pair.significant for pair in found.pairs)
    (19, 0)

    """
    return _differences(_given(scores), confidence_level, rng, these=these_topics, runs=runs)


def _given(scores: Collection) -> Scores:
    side = as_topic_side(scores, "scores")
    return as_topics(side.described(missing="available") if side.missing == "error" else side, holes=True)


def _differences(
    side: Scores,
    level: float,
    rng: Seed,
    pair: tuple[str, str] | None = None,
    *,
    these: bool,
    runs: RunsAs,
) -> Difference:
    """Compare one pair, or each system and the next, with intervals and p-values corrected for their number."""
    ranked = on_these_topics_only(side) if these else side
    ranks = rank_intervals(ranked, runs=runs, confidence_level=level, n_resamples=_RESAMPLES, rng=rng)
    names = [pair] if pair else list(zip(ranks.systems, ranks.systems[1:], strict=False))
    pairs = tuple(_pair(side, a, b, level, ranks, len(names), these=these, runs=runs) for a, b in names)
    return Difference(
        pairs=pairs,
        notes=tuple(dict.fromkeys(note for one in pairs for note in one.notes)),
        data=side,
        settings=settings_of(
            seed=ranks.settings["seed"],
            n_resamples=_RESAMPLES,
            confidence_level=level,
            **({"method": pairs[0].interval.method} if pair else {"pairs": len(pairs)}),
            **({} if side.groups is None else {"groups": pairs[0].n_groups}),
            systems=len(side.systems),
            **({"these_topics": True} if these else {}),
            measure=side.measure,
        ),
    )


def _pair(
    side: Scores, a: str, b: str, level: float, ranks: RankIntervals, n_pairs: int, *, these: bool, runs: RunsAs
) -> Pair:
    """Compare one of n_pairs pairs, with interval and p-value corrected for their number."""
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
    d, mean = _by_topic(x, y)
    each = 1 - (1 - level) / n_pairs
    found = paired(d, mean, each, groups, binary=side.runs is None and _are_binary(x, y))
    share, said = math.nan, tuple[str, ...]()
    if side.runs is not None and side.total == "mean":
        every, here = side.runs[both], [side.systems.index(system) for system in (a, b)]
        scale = scale_of(side.shown(side.runs)) if these else None
        found, share, said = _with_runs(found, every, here, each, scale, runs)
    pvalue = min(1.0, n_pairs * found.pvalue)
    return Pair(
        a=a,
        b=b,
        difference=found.difference,
        interval=Interval(found.low, found.high, each, found.method),
        pvalue=pvalue,
        exact_pvalue=min(1.0, n_pairs * found.exact) if not math.isnan(found.exact) else math.nan,
        smallest=smallest_difference(found.se, found.df, each) if found.se > 0 else math.nan,
        **_needed(d, found, groups, each, these),
        wins=int((d > 0).sum()),
        ties=int((d == 0).sum()),
        losses=int((d < 0).sum()),
        ranks=(ranks[a], ranks[b]),
        n_topics=len(d),
        from_runs=share,
        significant=bool(pvalue <= 1 - level + 1e-12),
        n_groups=None if groups is None else int(groups.max()) + 1,
        notes=(*said, *_notes(side, a, b, int(both.sum()), found, each)),
    )


def _with_runs(
    found: Paired, every: FloatArray, here: list[int], level: float, scale: Scale | None, runs: RunsAs
) -> tuple[Paired, float, tuple[str, ...]]:
    """Add the error of repeated runs to a difference of the two systems at `here`; `every` is topics x systems x runs.

    Runs cause V_a + V_b of its variance. With a scale only runs are random, so that is the whole variance. Seeds add to
    it.
    """
    cells = every[:, here]
    if scale is not None:
        variances, dfs = on_these_topics(cells, scale)
        return found.again(math.sqrt(variances.sum()), float(dfs.sum()), level, "runs only"), math.nan, ()
    noise, variance = float(within(cells).runs.sum()), found.se**2
    share = min(noise / variance, 1.0) if variance > 0 else math.nan
    seeds, p = seed_noise(cells, runs, every)
    if seeds is None or not (added := float(seeds.variance.sum())):
        return found, share, ()
    total = variance + added
    df = total**2 / (variance**2 / found.df + float(seeds.parts.sum()))
    said = (taken_as_seeds(p),) if runs == "auto" else ()
    crossed = found.again(math.sqrt(total), df, level, f"{found.method}, {SEEDS}")
    return crossed, (share * variance + added) / total if variance > 0 else 1.0, said


def _needed(d: FloatArray, found: Paired, groups: IntArray | None, level: float, these: bool) -> dict[str, Any]:
    """Compute the topics that the observed difference needs, with an interval for the estimated spread."""
    n = len(d)
    if these or found.method.endswith(SEEDS):  # V = S^2 / n does not hold
        n_needed, low, high = math.nan, math.nan, math.nan
    elif found.difference == 0 or found.se == 0:
        n_needed, low, high = math.inf if found.difference == 0 else math.nan, math.nan, math.nan
    else:
        units = d if groups is None else group_rows(d[:, None], groups)[:, 0]
        variance, per_topic = n * found.se**2, found.df / (n - 1)
        factors = (1.0, *sorted(variance_limits(units, level)))
        n_needed, low, high = (topics_needed(variance * f, found.difference, level, per_topic) for f in factors)
    return {"n_topics_needed": n_needed, "n_topics_interval": Interval(low, high, level, "chi-square")}


def _by_topic(x: FloatArray, y: FloatArray) -> tuple[FloatArray, float]:
    """Differences by topic, without rounding errors of equal scores, and their mean, 0 if the totals are tied."""
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
