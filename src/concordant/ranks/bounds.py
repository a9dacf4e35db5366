"""`rank_intervals`: the ranks that each system could have, given the topics; borders and the k best from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ..arrays import FloatArray, IntArray
from ..chance.signs import takes_all_signs
from ..data.groups import places_of_groups
from ..data.holes import ASSUMED
from ..data.scores import Means, Scores, with_sign
from ..data.totals import RULES, Total
from ..errors import InputError, require
from ..options import checked
from ..parallel import Workers
from ..read.door import Collection, as_scores, as_topics, is_bare
from ..resampling import Progress, Resampling, Seed, is_borderline
from ..results import Estimate, Result, as_html, settings_of
from ..words import counted, listing, named, nearest, one_line
from .common_topics import corrected_pvalues as pvalues_on_common_topics
from .from_estimates import pvalues_from_errors
from .pair_tests import corrected_pvalues

if TYPE_CHECKING:
    from ..boards.outlook import Outlook

BoolArray: TypeAlias = "npt.NDArray[np.bool_]"
SCHEMA, FORMAT = "concordant-board", 2
"""Of the JSON: docs/reference/board-json.md. The number grows when a field changes its meaning or goes."""
SHOWN = 20  # systems in the table that is printed
NAMED = 5  # systems that the verdict names


@dataclass(frozen=True)
class Best:
    """Who is among the k best."""

    k: int
    possible: tuple[str, ...]
    """The systems that could be among the k best; none is missing, at the confidence level of the intervals."""
    certain: tuple[str, ...]
    """The systems that are among the k best, with the same confidence."""

    def __str__(self) -> str:
        if self.k == 1:
            single = f"{one_line(self.possible[0])} is the best" if len(self.possible) == 1 else ""
            return single or f"{len(self.possible)} systems could be the best"
        certain = len(self.certain)
        which = f"{certain or 'none'} certainly {'is' if certain <= 1 else 'are'}"
        return f"{counted(len(self.possible), 'system')} could be among the {self.k} best, {which}"

    def _repr_html_(self) -> str:
        return as_html(str(self))


@dataclass(frozen=True, eq=False, repr=False)
class RankIntervals(Result):
    """A board: what `rank_intervals`, `board` and `rank_votes` found, systems by their observed order."""

    _index = "system"
    systems: tuple[str, ...]
    """Best first; tied ones in the order given."""
    means: FloatArray
    """Totals by the rule `total`, higher is better: mean ranks, or errors, have their sign changed."""
    observed: IntArray
    """The rank on these topics: 1 + the number of systems with a strictly better total."""
    low: IntArray
    """The best rank that a system may have: 1 + the number of significantly better systems."""
    high: IntArray
    """The worst one: the number of systems minus that of the significantly worse ones."""
    pvalues: FloatArray
    """Corrected p-values of all differences; row i is for the interval of system i."""
    confidence_level: float
    simultaneous: bool
    total: Total
    lower_is_better: bool = False
    """Whether totals are shown with the sign changed back, because lower is better."""
    topics: IntArray | None = None
    """How many topics each system has; None where only standard errors, or votes, are known."""
    reliability: tuple[Estimate, ...] = ()
    """From `board`: expected tau and tau_ap with the true ranking, with intervals."""
    outlook: Outlook | None = None
    """From `board`: what more topics would change."""

    @property
    def rank(self) -> IntArray:
        """The rank to print: 1 + the number of significantly better systems, so systems can share one."""
        return self.low

    def better(self) -> BoolArray:
        """`[i, j]` says whether system j is significantly better than i, as the interval of i counts it."""
        return self._significant() & (self.means[None, :] > self.means[:, None])

    def _significant(self) -> BoolArray:
        return np.asarray(self.pvalues <= 1 - self.confidence_level + 1e-12)

    @property
    def borders(self) -> tuple[int, ...]:
        """After how many systems a border lies: every one above is significantly better than every one below.

        There are none where the level holds for each system by itself: a border speaks of many systems at once.
        """
        if not self.simultaneous:
            return ()
        better = self.better() & self._significant().T
        ahead = np.argmin(better, axis=1)  # how many systems, from the first on, are all better than this one
        least = np.minimum.accumulate(ahead[::-1])[::-1]  # than this one and all below it
        return tuple(k for k in range(1, len(self.systems)) if least[k] >= k)

    @property
    def borderline(self) -> tuple[tuple[str, str], ...]:
        """Pairs whose p-value lies so close to the level that another seed could decide otherwise."""
        if self.settings.get("exact"):
            return ()
        draws = self.settings.get("normal_draws") or self.settings["n_resamples"]
        close = is_borderline(self.pvalues, 1 - self.confidence_level, draws)
        return tuple((self.systems[i], self.systems[j]) for i, j in np.argwhere(np.triu(close | close.T, 1)))

    def doubts(self) -> tuple[str, ...]:
        """Name the pairs that another seed could decide otherwise, in a sentence."""
        if not (pairs := self.borderline):
            return ()
        are = "pair is" if len(pairs) == 1 else "pairs are"
        shown = listing((f"{a} and {b}" for a, b in pairs), 2)
        return (f"{len(pairs)} {are} too close to call ({shown}); raise {named('n_resamples')}",)

    def __getitem__(self, system: str) -> tuple[int, int]:
        """The best and the worst rank of a system."""
        if system not in self.systems:
            raise InputError(f"there is no system {system!r}{nearest(str(system), self.systems)}")
        k = self.systems.index(system)
        return int(self.low[k]), int(self.high[k])

    @checked
    def best(self, k: int = 1) -> Best:
        """The systems that could be among the k best, and those that certainly are."""
        m = len(self.systems)
        require(k <= m, "k", k, f"give a whole number from 1 to the {m} systems")
        possible, certain = (
            tuple(s for s, rank in zip(self.systems, ranks, strict=True) if rank <= k)
            for ranks in (self.low, self.high)
        )
        return Best(k, possible, certain)

    @property
    def inseparable(self) -> int:
        """How many of the m - 1 pairs of neighbours in the ranking are not significantly different."""
        significant = self._significant()
        k = np.arange(len(self.systems) - 1)
        return int((~(significant[k, k + 1] & significant[k + 1, k])).sum())

    @property
    def verdict(self) -> str:
        """Who is, or could be, the best."""
        first, m = self.best(1).possible, len(self.systems)
        alone = "" if self.simultaneous else ", each taken by itself"
        if len(first) == 1:
            return (
                f"{one_line(first[0])} is the best of {m} systems{alone} ({100 * self.confidence_level:g}% confidence)."
            )
        shown = [one_line(system) for system in first[:NAMED]]
        rest = f" and {len(first) - NAMED} more" if len(first) > NAMED else f" and {shown.pop()}"
        return f"{len(first)} of {m} systems could be the best{alone}: {', '.join(shown)}{rest}."

    @property
    def border_sentence(self) -> str:
        """Where the borders are, in words."""
        if not self.simultaneous:
            return ""
        if not (borders := self.borders):
            return "No border: nowhere are all systems above significantly better than all below."
        places = [str(k) for k in borders]
        after = " and ".join([", ".join(places[:-1]), places[-1]] if len(places) > 1 else places)
        noun = "Border" if len(borders) == 1 else "Borders"
        return f"{noun} after the first {after}: all systems above are significantly better than all below."

    def _answers(self) -> tuple[str, ...]:
        return tuple(line for line in (self.verdict, self.border_sentence) if line)

    def _value(self) -> str:
        """The head of the column of means."""
        return RULES[self.total].column if "topics" in self.settings else "estimate"

    def _draws(self) -> str:
        """What the intervals were made from."""
        n, freedom = self.settings["n_resamples"], self.settings.get("degrees_of_freedom")
        if "resampled" in self.settings:
            return f"{n:,} resamples of {self.settings['resampled']}s"
        if "topics" not in self.settings:
            normal = "normal draws" if freedom is None else f"draws from Student's t, {freedom:.3g} degrees of freedom"
            return f"{n:,} {normal}"
        drawn = "all signs" if self.settings.get("exact") else f"{n:,} resamples"
        return f"{drawn} of {self._sample}"

    def rows(self) -> list[dict[str, Any]]:
        """One row per system, best first; "rank" is the lower end of the interval, "total" as people print it."""
        shown, borders = with_sign(self.means, self.lower_is_better), set(self.borders)
        topics = [None] * len(shown) if self.topics is None else self.topics.tolist()
        columns = zip(self.systems, shown, self.low, self.high, self.observed, topics, strict=True)
        return [
            {
                "system": system,
                "rank": int(low),
                "high": int(high),
                "observed": int(observed),
                "total": float(total),
                "topics": n,
                "border_below": k in borders,
            }
            for k, (system, total, low, high, observed, n) in enumerate(columns, start=1)
        ]

    def table(self, most: int | None = SHOWN) -> str:
        """The first systems, or all with None; what the intervals hold, and how reliable the ranking is."""
        scope = "all intervals together" if self.simultaneous else "each interval by itself"
        held = f"{100 * self.confidence_level:g}% confidence for {scope}; {self._draws()}"
        return "\n".join([*self._lines(most), "", *(f"{said}." for said in (held, *self.outlook_sentences()))])

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
            lines.append(f"  ... {counted(more, 'more system')}: --all, or table(None) in Python")
        return lines

    def outlook_sentences(self) -> tuple[str, ...]:
        """How close the ranking is to the true one, and what more topics would change; nothing if not estimated."""
        if not self.reliability:
            return ()
        tau = self.reliability[0]
        assert tau.interval is not None  # by the posterior
        close = (
            f"Expected tau with the true ranking {tau.value:.2f} ({tau.interval.low:.2f} to {tau.interval.high:.2f})"
        )
        unit = "group" if "groups" in self.settings else "topic"
        future = self.outlook.sentence(unit) if self.outlook is not None else ""
        return tuple(said for said in (close, future) if said)

    @property
    def _sample(self) -> str:
        """What was resampled, in words."""
        topics, groups = counted(self.settings["topics"], "topic"), self.settings.get("groups")
        return topics if groups is None else f"{topics} in {counted(groups, 'group')}"

    def _contents(self) -> dict[str, Any]:
        differs = self.better()
        return {
            "schema": SCHEMA,
            "format": FORMAT,
            "borders": self.borders,
            "border_sentence": self.border_sentence,
            "rows": self.rows(),
            "could_be_best": self.best(1).possible,
            "neighbours": {"pairs": len(self.systems) - 1, "different": len(self.systems) - 1 - self.inseparable},
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
        """One number per system, for `compare` and all else that takes a ranking."""
        return Means(self.means, self.systems, str(self.settings.get("method", "")))

    def plot(self, ax: Any = None) -> Any:
        """Draw a line for the ranks of each system, a dot for the observed one, and the borders."""
        from ..plots import intervals

        return intervals.rank_intervals(self, ax)


@checked
def rank_intervals(
    scores: Collection,
    confidence_level: float = 0.95,
    *,
    simultaneous: bool = True,
    n_resamples: int = 49_999,
    rng: Seed = None,
    workers: Workers = 1,
    progress: Progress | None = None,
) -> RankIntervals:
    """The ranks that each system may have, from its scores on topics, or from its mean and the standard error of that.

    What is estimated: the ranks of the systems by their mean across a population of which the topics are a sample. Systems that are tied
    there share the ranks from 1 + the number of strictly better systems to m - the number of strictly worse ones, and
    an interval must cover all of them. With `simultaneous` the confidence level holds for all intervals together;
    without it, for each by itself.

    All pairs of systems are compared by Student's t over the topics, corrected for their number by the largest
    statistic of resamples in which each topic's scores keep or change their sign, step by step (Westfall and Young,
    Romano and Wolf); t is shrunk where the pair's differences are skewed in the direction that makes it too large. The
    interval of a system goes from 1 + the number of significantly better systems to m - the number of
    significantly worse ones.

    Parameters
    ----------
    scores : Collection
        Scores on each topic, in any form that `as_scores` takes, or a topics x systems array, whose columns are called
        0, 1, 2, ...; higher is better; at least 2 topics and 2 systems. Or `Means` with standard errors or a
        covariance, as of published tables with limits: the scores are then taken as normal.
    confidence_level : float
        Between 0 and 1.
    simultaneous : bool
        Whether the level holds for all intervals together (a leaderboard) or for each by itself (one system of
        interest), which makes them shorter.
    n_resamples : int
        Number of resamples, or of normal draws for `Means`. Where the topics have no more signs than that, as up to 16 topics by default, all of them
        are used, and nothing depends on the seed.
    rng : int, Generator or None
        The same seed gives the same result at any number of workers.
    workers : int or Executor
        Threads, or an executor of concurrent.futures.
    progress : callable, optional
        Called with the number of resamples done and the total.

    Returns
    -------
    RankIntervals
        One interval per system; `borders`, `best(k)` and `pvalues` say more, and `borderline` which pairs another seed
        could decide otherwise.

    See Also
    --------
    board : A leaderboard with the ranks that are real.
    rank_test : Could this ranking be the true one, given the topics?

    Notes
    -----
    With holes, systems are ranked by what their mean on all topics would be if each score is the sum of a topic effect
    and a system effect. A system with few topics has a wide interval, because it shares few topics with others.

    Identical systems are tied, and never differ significantly. A difference that is the same on every topic is as much
    evidence as n topics can give: about p = 2^(1 - n).

    How much t is shrunk is our own calibration, and measured (`concordant.calibration.UNSEEN`). The derivation, the
    coverage that was measured, and that of the common alternatives are in docs/guide/rank-intervals.md. All intervals
    together held in 96.8 to 100% of samples of 14 designs with 10 to 50 topics (nominal 95%, 600 samples each), and in
    91% where 15 topics of real scores had been shifted until all systems tied: nearly identical runs then differ by the
    same on almost every topic. Take such duplicates out first.

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
    95% confidence for all intervals together; 49,999 resamples of 40 topics.

    >>> published = cc.Means([527.0, 525.9, 417.4], ["Japan", "Korea", "Chile"], errors=[2.5, 3.1, 2.4])
    >>> found = cc.rank_intervals(published, rng=1)
    >>> found["Japan"], found["Korea"], found["Chile"]
    ((1, 2), (1, 2), (3, 3))

    """  # noqa: E501
    level, how = confidence_level, Resampling.of(n_resamples, rng, workers, progress)
    if 1 / (how.n_resamples + 1) > 1 - level + 1e-12:
        least = int(np.ceil(1 / (1 - level) - 1e-9)) - 1
        raise InputError(
            f"{named('n_resamples')} is {how.n_resamples}: {named('confidence_level')} {level:g} needs at least {least}"
        )
    side = scores if is_bare(scores) else as_scores(scores, "scores")
    if isinstance(side, Means):
        known, said = side.settled()
        pvalues = pvalues_from_errors(known, how, simultaneous=bool(simultaneous))
        notes = (*said, *(_INDEPENDENT if known.covariance is None else ()))
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
    """What was done about missing scores."""
    if not given.has_holes:
        return ()
    lacking = (
        f"{counted(int((given.counts() < len(given.topics)).sum()), 'system')} of {len(given.systems)} lack topics"
    )
    if not points.has_holes:
        return (f"{lacking}, which give 0 points, as MTEB counts them",)
    return (f"{lacking}; two systems are compared on the topics that both have, and {ASSUMED}",)
