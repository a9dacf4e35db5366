"""`RankIntervals`: the ranks that each system could have, with borders and possible k best systems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ..arrays import FloatArray, IntArray
from ..data.means import RULES, Total
from ..data.results import Estimate, Result, as_html
from ..data.scores import Means, with_sign
from ..errors import InputError, counted, listing, nearest, one_line, require
from ..inference.resampling import is_borderline
from ..options import checked

BoolArray: TypeAlias = "npt.NDArray[np.bool_]"
SCHEMA, FORMAT = "concordant-board", 2
"""Format of the JSON (docs/reference/board-json.md). The number grows when a field is removed or changes meaning."""
SHOWN = 20  # systems in the printed table
NAMED = 5  # systems named in the verdict


@dataclass(frozen=True)
class Best:
    """The systems that are, or could be, among the k best."""

    k: int
    possible: tuple[str, ...]
    """The systems that could be among the k best: with the confidence of the intervals, all of the k best are here."""
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


@dataclass(frozen=True)
class Outlook:
    """The expected board with more topics, averaged over draws of these topics."""

    topics: int
    """The number of topics to add."""
    tau_now: float
    """Expected tau of the ranking with the true one."""
    tau_then: float
    """Expected tau with the true ranking after more topics."""
    tau_between: float
    """Expected tau between the rankings now and then."""
    leader_stays: float
    """The probability that the first system, or one of several tied for first, is still first."""
    places_moved: float
    """The number of places by which a system moves, averaged over systems."""

    def sentences(self, unit: str = "topic") -> tuple[str, ...]:
        """Describe the changes in sentences."""
        if self.topics == 0:
            return ()
        stays = f"{self.leader_stays:.1f}" if 0.05 <= self.leader_stays <= 0.95 else ""
        stays = f"of about {stays}" if stays else "above 0.95" if self.leader_stays > 0.5 else "below 0.05"
        now, then = round(self.tau_now, 2), round(self.tau_then, 2)
        raised, at = ("raise", f"from {now:.2f} to {then:.2f}") if then > now else ("leave", f"at {now:.2f}")
        return (
            f"{counted(self.topics, f'more {unit}')} would {raised} the expected tau {at} and move a system by "
            f"{self.places_moved:.1f} places on average",
            f"The first system would stay first with a probability {stays}",
        )


@dataclass(frozen=True, eq=False, repr=False)
class RankIntervals(Result):
    """A board, the result of `rank_intervals`, `board` and `rank_votes`, with systems in their observed order."""

    _figure = "intervals.rank_intervals"
    _index = "system"
    systems: tuple[str, ...]
    """The systems, best first; tied ones in the order given."""
    means: FloatArray
    """Totals by the rule `total`. Higher is better, so mean ranks and errors are negated."""
    observed: IntArray
    """The rank on these topics: 1 + the number of systems with a strictly better total."""
    low: IntArray
    """The best rank that a system may have: 1 + the number of significantly better systems."""
    high: IntArray
    """The worst rank that a system may have: the number of systems - the number of significantly worse ones."""
    pvalues: FloatArray
    """Corrected p-values of all differences; row i is for the interval of system i."""
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

    @property
    def rank(self) -> IntArray:
        """The rank to print: 1 + the number of significantly better systems, so systems can share one."""
        return self.low

    def better(self) -> BoolArray:
        """Whether, at `[i, j]`, system j is significantly better than i, as counted in the interval of i."""
        return self._significant() & (self.means[None, :] > self.means[:, None])

    def _significant(self) -> BoolArray:
        return np.asarray(self.pvalues <= 1 - self.confidence_level + 1e-12)

    @property
    def borders(self) -> tuple[int, ...]:
        """Numbers of systems above each border: all of them are significantly better than all systems below.

        There are no borders if the level holds for each system alone, because a border concerns many systems at once.
        """
        if not self.simultaneous:
            return ()
        better = self.better() & self._significant().T
        ahead = np.argmin(better, axis=1)  # number of first systems that are all better than this one
        least = np.minimum.accumulate(ahead[::-1])[::-1]  # better than this one and all below it
        return tuple(k for k in range(1, len(self.systems)) if least[k] >= k)

    @property
    def borderline(self) -> tuple[tuple[str, str], ...]:
        """Pairs with a p-value so close to the level that another seed could decide differently."""
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
        return (f"{len(pairs)} {are} too close to call ({shown}); more resamples settle it",)

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
    def inseparable(self) -> int:
        """Number of the m - 1 pairs of neighbours in the ranking that are not significantly different."""
        significant = self._significant()
        k = np.arange(len(self.systems) - 1)
        return int((~(significant[k, k + 1] & significant[k + 1, k])).sum())

    @property
    def verdict(self) -> str:
        """State which system is, or which could be, the best."""
        first, m = self.best(1).possible, len(self.systems)
        alone = "" if self.simultaneous else ", each taken by itself"
        if len(first) == 1:
            return (
                f"{one_line(first[0])} is the best of {m} systems{alone} ({100 * self.confidence_level:g}% confidence)."
            )
        if len(first) == m > 2:
            return f"Any of the {m} systems could be the best{alone}."
        shown = [one_line(system) for system in first[:NAMED]]
        rest = f" and {len(first) - NAMED} more" if len(first) > NAMED else f" and {shown.pop()}"
        return f"{len(first)} of {m} systems could be the best{alone}: {', '.join(shown)}{rest}."

    @property
    def border_sentence(self) -> str:
        """State where the borders are."""
        if not self.simultaneous:
            return ""
        if not (borders := self.borders):
            return "No border: nowhere are all systems above significantly better than all below."
        *others, last = map(str, borders)
        after = f"after the first {', '.join(others)}{' and ' if others else ''}{last}"
        if len(borders) > NAMED:
            after = f"({len(borders)} of them, as lines in the table)"
        noun = "Borders" if others else "Border"
        return f"{noun} {after}: all systems above are significantly better than all below."

    def _answers(self) -> tuple[str, ...]:
        return tuple(line for line in (self.verdict, self.border_sentence) if line)

    def _value(self) -> str:
        """Heading of the column of means."""
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
        return f"{drawn} of {self._sample}"

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per system, best first; "rank" is the low end of the interval, "total" has its usual sign."""
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
        """Print the first systems, or all with None, the confidence, and the reliability of the ranking."""
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
        """State how close the ranking is to the true one and what more topics would change, if estimated."""
        if not self.reliability:
            return ()
        tau = self.reliability[0]
        assert tau.interval is not None  # the posterior gives one
        close = (
            f"Expected tau with the true ranking {tau.value:.2f} ({tau.interval.low:.2f} to {tau.interval.high:.2f})"
        )
        unit = "group" if "groups" in self.settings else "topic"
        return (close, *(self.outlook.sentences(unit) if self.outlook is not None else ()))

    @property
    def _sample(self) -> str:
        """Describe the sample in words."""
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
        """Return one number per system, for `compare` and other functions that take a ranking."""
        return Means(self.means, self.systems, str(self.settings.get("method", "")))
