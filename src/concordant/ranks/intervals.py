"""`rank_intervals`: the ranks that each system could have, borders between groups, and possible best systems."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray, Workers
from ..data.means import ASSUMED, RULES, Total, places_of_groups
from ..data.results import Estimate, Result, settings_of
from ..data.scores import Means, Scores, with_sign
from ..errors import InputError, counted, listing, named, nearest, one_line, require
from ..inference.resampling import Progress, Resampling, Seed, is_borderline
from ..inference.sign_flips import takes_all_signs
from ..options import checked
from ..read.reader import Collection, as_scores, as_topics, is_bare
from .noise import RunsAs, with_seeds
from .pair_tests import corrected_pvalues, pvalues_from_errors, pvalues_on_common_topics

SCHEMA, FORMAT = "concordant-board", 2
"""Format of the JSON (docs/reference/board-json.md). FORMAT grows when a field is removed or changes meaning."""
SHOWN = 20  # number of systems in the printed table
NAMED = 5  # number of systems named in the verdict
FEWEST = 3  # topics needed to say how reliable a ranking is


@dataclass(frozen=True)
class Best:
    """The systems that are, or could be, among the k best."""

    k: int
    possible: tuple[str, ...]
    """The systems that could be among the k best. They include all k best, at the confidence level of the intervals."""
    certain: tuple[str, ...]
    """The systems that are among the k best, at the same confidence level."""

    def __str__(self) -> str:
        if self.k == 1:
            single = f"{one_line(self.possible[0])} is the best" if len(self.possible) == 1 else ""
            return single or f"{len(self.possible)} systems could be the best"
        certain = len(self.certain)
        which = f"{certain or 'none'} certainly {'is' if certain <= 1 else 'are'}"
        return f"{counted(len(self.possible), 'system')} could be among the {self.k} best, {which}"


@dataclass(frozen=True)
class Outlook:
    """How a board is expected to change with more topics, averaged over random draws of the added topics."""

    topics: int
    """The number of topics to add."""
    tau_now: float
    """Expected tau between the present ranking and the true ranking."""
    tau_then: float
    """Expected tau between the ranking with more topics and the true ranking."""
    leader_stays: float
    """The probability that the system now in first place, or one of those tied for it, is still first."""
    places_moved: float
    """The number of places by which a system moves, averaged over systems."""

    def sentences(self, unit: str = "topic", leader: str = "The first system") -> tuple[str, ...]:
        """Describe the changes in sentences; `leader` is empty if several systems tie for first."""
        if self.topics == 0:
            return ()
        stays = f"{self.leader_stays:.1f}" if 0.05 <= self.leader_stays <= 0.95 else ""
        stays = f"of about {stays}" if stays else "above 0.95" if self.leader_stays > 0.5 else "below 0.05"
        now, then = round(self.tau_now, 2), round(self.tau_then, 2)
        raised, at = ("raise", f"from {now:.2f} to {then:.2f}") if then > now else ("leave", f"at {now:.2f}")
        changes = (
            f"{counted(self.topics, f'more {unit}')} would {raised} the expected tau {at} and move a system by "
            f"{self.places_moved:.1f} places on average"
        )
        return (changes, f"{leader} would then still be first with a probability {stays}") if leader else (changes,)


@dataclass(frozen=True, eq=False, repr=False)
class RankIntervals(Result):
    """Rank intervals, the result of `rank_intervals`, `board` and `rank_votes`. Systems are in their observed order."""

    _figure = "intervals.rank_intervals"
    _index = "system"
    systems: tuple[str, ...]
    """The systems, best first; tied systems in the order given."""
    means: FloatArray
    """Totals by the rule `total`. Higher is better, so mean ranks and errors are negated."""
    observed: IntArray
    """The rank on these topics: 1 + the number of systems with a strictly better total."""
    low: IntArray
    """The best rank that a system may have: 1 + the number of significantly better systems."""
    high: IntArray
    """The worst rank that a system may have: the number of systems minus the number of significantly worse systems."""
    pvalues: FloatArray
    """Corrected p-values of the differences between all pairs. Row i decides the interval of system i."""
    confidence_level: float
    simultaneous: bool
    total: Total
    lower_is_better: bool = False
    """Whether lower is better, so that totals are printed with their original sign."""
    topics: IntArray | None = None
    """Number of topics of each system; None for standard errors or votes without topics."""
    reliability: tuple[Estimate, ...] = ()
    """From `board`: expected tau and tau_ap with the true ranking, with intervals."""
    outlook: Outlook | None = None
    """From `board`: what more topics would change."""

    def better(self) -> BoolArray:
        """Tell at `[i, j]` whether system j is significantly better than i, as counted in the interval of i."""
        return self._significant() & (self.means[None, :] > self.means[:, None])

    def _significant(self) -> BoolArray:
        return np.asarray(self.pvalues <= 1 - self.confidence_level + 1e-12)

    @property
    def borders(self) -> tuple[int, ...]:
        """Number of systems above each border, all of which are significantly better than all systems below the border.

        There are no borders if the confidence level holds for each system alone, because a border concerns many systems
        at once.
        """
        if not self.simultaneous:
            return ()
        better = self.better() & self._significant().T
        ahead = np.argmin(better, axis=1)  # how many systems, counted from the top, are all better than this one
        least = np.minimum.accumulate(ahead[::-1])[::-1]  # how many are better than this one and than all below it
        return tuple(k for k in range(1, len(self.systems)) if least[k] >= k)

    @property
    def borderline(self) -> tuple[tuple[str, str], ...]:
        """Pairs with a p-value so close to the significance level that another seed could decide differently."""
        if self.settings.get("exact"):
            return ()
        draws = self.settings.get("normal_draws") or self.settings["n_resamples"]
        close = is_borderline(self.pvalues, 1 - self.confidence_level, draws)
        return tuple((self.systems[i], self.systems[j]) for i, j in np.argwhere(np.triu(close | close.T, 1)))

    def doubts(self) -> tuple[str, ...]:
        """Name the pairs that another seed could decide differently."""
        if not (pairs := self.borderline):
            return ()
        are = "pair is" if len(pairs) == 1 else "pairs are"
        shown = listing((f"{a} and {b}" for a, b in pairs), 2)
        return (f"{len(pairs)} {are} too close to call ({shown}): another seed could decide them",)

    def __getitem__(self, system: str) -> tuple[int, int]:
        """Return the best and the worst rank of a system."""
        if system not in self.systems:
            raise InputError(f"there is no system {system!r}{nearest(str(system), self.systems)}")
        k = self.systems.index(system)
        return int(self.low[k]), int(self.high[k])

    @checked
    def best(self, k: int = 1) -> Best:
        """Find the systems that could be among the k best, and those that certainly are."""
        m = len(self.systems)
        require(k <= m, "k", k, f"give a whole number from 1 to the {m} systems")
        possible, certain = (
            tuple(s for s, rank in zip(self.systems, ranks, strict=True) if rank <= k)
            for ranks in (self.low, self.high)
        )
        return Best(k, possible, certain)

    @property
    def verdict(self) -> str:
        """State which system is, or which could be, the best."""
        first, m = self.best(1).possible, len(self.systems)
        alone = "" if self.simultaneous else ", each taken by itself"
        if len(first) == 1:
            return (
                f"{one_line(first[0])} is the best of {m} systems{alone} ({100 * self.confidence_level:g}% confidence)."
            )
        if len(first) == m:
            return f"{f'Any of the {m}' if m > 2 else 'Either of the 2'} systems could be the best{alone}."
        shown = [one_line(system) for system in first[:NAMED]]
        rest = f" and {len(first) - NAMED} more" if len(first) > NAMED else f" and {shown.pop()}"
        return f"{len(first)} of {m} systems could be the best{alone}: {', '.join(shown)}{rest}."

    @property
    def border_sentence(self) -> str:
        """State where the borders are."""
        if not self.simultaneous:
            return ""
        if not (borders := self.borders):
            return "No border: at no rank are all systems above significantly better than all below."
        *others, last = map(str, borders)
        after = f"after the first {', '.join(others)}{' and ' if others else ''}{last}"
        if len(borders) > NAMED:
            after = f"({len(borders)} of them, as lines in the table)"
        noun = "Borders" if others else "Border"
        return f"{noun} {after}: all systems above are significantly better than all below."

    def _answers(self) -> tuple[str, ...]:
        return tuple(line for line in (self.verdict, self.border_sentence) if line)

    def _value(self) -> str:
        """Return the heading of the column of means."""
        return RULES[self.total].column if "topics" in self.settings else "estimate"

    def _draws(self) -> str:
        """Describe the resamples or draws behind the intervals."""
        n, freedom = self.settings["n_resamples"], self.settings.get("degrees_of_freedom")
        if "resampled" in self.settings:
            return f"{n:,} resamples of {self.settings['resampled']}s"
        if "topics" not in self.settings:
            normal = "normal draws" if freedom is None else f"draws from Student's t, {freedom:.3g} degrees of freedom"
            return f"{n:,} {normal}"
        drawn = "all signs" if self.settings.get("exact") else f"{n:,} resamples"
        return f"{drawn} of {sample_of(self.settings['topics'], self.settings.get('groups'))}"

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per system, best first; "rank" is the low end of the interval, "total" has its usual sign."""
        shown, borders = with_sign(self.means, self.lower_is_better), set(self.borders)
        topics = [None] * len(shown) if self.topics is None else self.topics.tolist()
        names = ("system", "rank", "high", "observed", "total", "topics")
        numbers = (of.tolist() for of in (self.low, self.high, self.observed, shown))
        rows = zip(self.systems, *numbers, topics, strict=True)
        return [
            {**dict(zip(names, row, strict=True)), "border_below": k in borders} for k, row in enumerate(rows, start=1)
        ]

    def table(self, most: int | None = SHOWN) -> str:
        """Show the first `most` systems (all if None), the confidence level, and the reliability of the ranking."""
        scope = "all intervals together" if self.simultaneous else "each interval by itself"
        held = f"{100 * self.confidence_level:g}% confidence for {scope}; {self._draws()}"
        said = ("Rank: 1 + the number of significantly better systems", held, *self.outlook_sentences())
        return "\n".join([*self._lines(most), "", *(f"{one}." for one in said)])

    def _table(self, *, every: bool) -> str:
        return self.table(None if every else SHOWN)

    def _lines(self, most: int | None) -> list[str]:
        names, decimals = [one_line(system) for system in self.systems[:most]], RULES[self.total].decimals
        width = max(6, *map(len, names))
        lines = [f"  rank  {'system':<{width}}  {self._value():>9}  could be"]
        for name, row in zip(names, self.rows()[:most], strict=True):
            span = f"{row['rank']} to {row['high']}"
            lines.append(f"  {row['rank']:>4}  {name:<{width}}  {row['total']:>9.{decimals}f}  {span}")
            if row["border_below"]:
                lines.append(f"  {'-' * (width + 29)}")
        if more := len(self.systems) - len(names):
            lines.append(f"  ... {counted(more, 'more system')}: --all, or text(every=True) in Python")
        return lines

    def outlook_sentences(self) -> tuple[str, ...]:
        """State how close the ranking is to the true one, and what more topics would change, if both were estimated.

        Return no sentences if there are only two topics, whose spread is hardly known, or if all systems tie.
        """
        if not self.reliability or self.settings["topics"] < FEWEST or self.means[0] == self.means[-1]:
            return ()
        tau = self.reliability[0]
        assert tau.interval is not None  # the posterior gives an interval
        between = f"{tau.interval.low:.2f} to {tau.interval.high:.2f}"
        close = f"Expected tau of this ranking with the true one: {tau.value:.2f} ({between})"
        unit = "group" if "groups" in self.settings else "topic"
        leader = "" if self.means[0] == self.means[1] else "The first system"
        return (close, *(self.outlook.sentences(unit, leader) if self.outlook is not None else ()))

    def _contents(self) -> dict[str, Any]:
        differs = self.better()
        return {
            "schema": SCHEMA,
            "format": FORMAT,
            "borders": self.borders,
            "border_sentence": self.border_sentence,
            "rows": self.rows(),
            "could_be_best": self.best(1).possible,
            "reliability": [
                {"coefficient": e.coefficient, "value": e.value, "low": e.interval.low, "high": e.interval.high}
                for e in self.reliability
                if e.interval is not None
            ],
            "outlook": self.outlook,
            "outlook_sentences": self.outlook_sentences(),
            "borderline": self.borderline,
            "differs": [row.tobytes().hex() for row in np.packbits(differs | differs.T, axis=1)],
            "total": self.total,
            "simultaneous": self.simultaneous,
            "confidence_level": self.confidence_level,
            "lower_is_better": self.lower_is_better,
        }

    def estimates(self) -> Means:
        """Return one number per system, for `compare` and other functions that take a ranking."""
        return Means(self.means, self.systems, str(self.settings.get("method", "")))


def sample_of(topics: int, groups: int | None) -> str:
    """Describe a sample of topics, such as "40 topics in 8 groups"."""
    return counted(topics, "topic") + ("" if groups is None else f" in {counted(groups, 'group')}")


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

    The true ranks are the ranks by the means over the population of topics. Systems with the same true mean share the
    ranks from 1 + the number of strictly better systems to m - the number of strictly worse ones, and an interval must
    cover all of them. With `simultaneous`, the confidence level holds for all intervals together, otherwise for each
    interval alone.

    All pairs of systems are compared by Student's t over the topics. The stepdown method of Westfall and Young, and
    Romano and Wolf, corrects for the number of pairs. It uses the largest statistic in each resample. A resample keeps
    or changes the sign of each topic's scores. Where skewed differences make t too large, t is shrunk. The interval of
    a system goes from 1 + the number of significantly better systems to m - the number of significantly worse ones.

    Parameters
    ----------
    scores : Collection
        Scores on each topic, in any form that `as_scores` takes, or a topics x systems array with columns named 0, 1,
        2, ...; higher is better; at least 2 topics and 2 systems. Or `Means` with standard errors or a covariance, such
        as published tables with limits; these are assumed to be normal.
    confidence_level : float
        Between 0 and 1.
    simultaneous : bool
        True: the level holds for all intervals together (a leaderboard). False: it holds for each interval alone (one
        system of interest), and the intervals are shorter.
    runs : {"auto", "trials", "seeds"}
        How to treat repeated runs, as in `run_noise`. If runs are seeds, their error is included, and errors are
        assumed to be normal, as for `Means`.
    n_resamples : int
        Number of resamples, or of normal draws for `Means`. If the topics have at most that many sign vectors (by
        default up to 16 topics), all of them are used, and the seed does not matter.
    rng : int, Generator or None
        The same seed gives the same result with any number of workers.
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
    board : Find which ranks of a leaderboard are certain.
    rank_test : Test whether a ranking could be the true one, given the topics.

    Notes
    -----
    If scores are missing, systems are ranked by their expected mean on all topics. This assumes that each score is the
    sum of a topic effect and a system effect. A system with few topics has a wide interval, because it shares few
    topics with others.

    Identical systems are tied and never differ significantly. The same difference on all n topics is the strongest
    possible evidence: its p-value is about 2^(1 - n).

    We calibrated the shrinkage of t by measurement (`concordant.inference.calibration.UNSEEN`).
    docs/guide/rank-intervals.md has the derivation and the measured coverage of this and other methods. All intervals
    together held in 96.8 to 100% of the samples from 14 designs with 10 to 50 topics (nominal 95%, 600 samples each).
    They held in 91% for 15 topics of real scores that had been shifted until all systems tied, because nearly identical
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
        taken = ("only standard errors are known, so the systems were taken as independent",)
        notes = (*said, *seeds, *(taken if known.covariance is None else ()))
        about: dict[str, Any] = {"degrees_of_freedom": known.degrees_of_freedom}
        found = _ranked(known, known.values, pvalues, level, how, simultaneous=simultaneous, notes=notes, about=about)
        return replace(found, data=known)
    given = as_topics(side, "scores", holes=True)
    points, totals = given.points(), given.totals()
    pvalues, n_groups = _pvalues(points, totals, how, simultaneous=simultaneous)
    n = len(points.topics) if n_groups is None else n_groups
    few = f"{counted(n, 'topic' if n_groups is None else 'group')} cannot separate any systems at this confidence level"
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
    """Find the ranks that each system may have, best first, from the significantly better and worse systems."""
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
    """Compute corrected p-values of all pairs. Also return the number of groups, or None without groups."""
    if not points.has_holes:
        rows = points.observations()
        found = corrected_pvalues(rows.values, how, simultaneous=simultaneous)
        return found, None if points.groups is None else len(rows.topics)
    names, places = (None, None) if points.groups is None else places_of_groups(points.groups, points.topics)
    found, difference = pvalues_on_common_topics(points.values, how, places, simultaneous=simultaneous)
    agree = np.sign(difference) == np.sign(totals[:, None] - totals[None, :])
    # Do not separate two systems whose order on their common topics contradicts the order of their totals.
    return np.where(agree, found, 1.0), None if names is None else len(names)


def _holes(given: Scores, points: Scores) -> tuple[str, ...]:
    """Write the notes on missing scores."""
    if not given.has_holes:
        return ()
    n = int((given.counts() < len(given.topics)).sum())
    lacking = f"{n} of {len(given.systems)} systems {'lacks' if n == 1 else 'lack'} topics"
    if not points.has_holes:
        few = int((2 * given.counts() < len(given.topics)).sum())
        gain = f". {few} lack more than half of the {len(given.topics):,} topics, so systems with more topics gain"
        return (f"{lacking}, which give 0 points, as MTEB counts them{gain if 2 * few > len(given.systems) else ''}",)
    return (f"{lacking}; two systems are compared on the topics that both have, and {ASSUMED}",)
