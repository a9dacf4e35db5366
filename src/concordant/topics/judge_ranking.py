"""`rank_judges`: what several judges are worth, and which are better than which."""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..chance.adjustment import holm
from ..options import checked
from ..read.door import Collection
from ..resampling import Resampling, Seed
from ..results import Interval, Result, columns
from ..words import listing, one_line, p_cell, p_equals, some_of
from .agreement_curves import DEFAULT, Curves
from .judged import Judged, curves_of, matched_sides
from .worth import JudgeWorth, shown, span, worth_from
from .worth_core import Difference, difference_of, rate_of


@dataclass(frozen=True)
class JudgeComparison:
    """Two judges by their agreement with the truth on other topics, over the same splits."""

    coefficient: str
    names: tuple[str, str]
    value_a: float
    """Agreement of the first judge with the truth, across topics."""
    value_b: float
    difference: float
    """value_a - value_b."""
    standard_error: float
    interval: Interval
    """Interval for the difference."""
    pvalue: float
    """Two-sided, by Student's t with n - 1 degrees of freedom."""
    adjusted: float
    """The p-value for all pairs together, by Holm's method."""
    ratio: float
    """How many topics of the second judge one of the first is worth; nan where a worth is 0 or has no bounds."""
    ratio_interval: Interval | None


@dataclass(frozen=True, eq=False, repr=False)
class JudgeRanking(Result):
    """What `rank_judges` found. `print` shows it, `to_dict` has everything."""

    judges: tuple[JudgeWorth, ...]
    """The one with the best agreement across topics first."""
    pairs: tuple[JudgeComparison, ...]
    """All pairs, each better one first, with Holm's adjusted p-values."""
    best: tuple[str, ...]
    """The judges that could be the best: no other is significantly better."""

    @property
    def verdict(self) -> str:
        """Who ranks the systems most like the truth, or who could, and what the first one's topics are worth."""
        return self.sentence("judged by")

    def sentence(self, of: str) -> str:
        """The verdict, with the words between the topics and whose they are: "judged by", "of"."""
        first = self.judges[0]
        if len(self.judges) == 1:
            return first.sentence(of)
        truth, name = first.names
        if len(self.best) > 1:
            what = "judges" if of == "judged by" else "candidates"
            return (
                f"{undecided(what, truth, listing(self.best), len(self.best), len(self.judges))}; {first.sentence(of)}"
            )
        level = 1 - first.interval.confidence_level
        worse = {p.names[1]: p.adjusted for p in self.pairs if p.names[0] == name}
        worse = {other: p for other, p in worse.items() if p <= level}  # others are worse than one of these
        better = f"better than {listing(worse)} ({p_equals(max(worse.values()))})"
        return f"{name} ranks the systems most like {truth}: {first.sentence(of)}; {better}"

    def table(self) -> str:
        """One row per judge; then one per pair."""
        first = self.judges[0]
        level = f"{100 * first.interval.confidence_level:g}% interval"
        heads = ["", f"worth of {first.half}", level, "agreement", "limit", "best?"]
        rows = [
            [
                judge.names[1],
                judge.cell,
                span(judge.interval),
                f"{judge.agreement:.3f}",
                shown(judge.limit),
                "no" if judge.names[1] not in self.best else "yes" if len(self.best) == 1 else "maybe",
            ]
            for judge in self.judges
        ]
        table = [heads, *rows] if rows[1:] else [heads[:-1], rows[0][:-1]]
        parts = [f"  worth in {first.units} of {one_line(first.names[0])}; {first.coefficient}", columns(table)]
        with_first = [pair for pair in self.pairs if first.names[1] in pair.names]
        if with_first:
            pairs = [
                [
                    pair.names[1],
                    f"{pair.difference:.3f}",
                    span(pair.interval, "{:.3f}"),
                    shown(pair.ratio),
                    p_cell(pair.adjusted),
                ]
                for pair in with_first
            ]
            counted_in = f" of {len(self.pairs)} pairs" if len(self.pairs) > 1 else ""
            heads = [f"{first.names[1]} against", "difference", level, "ratio", f"p (Holm{counted_in})"]
            parts += ["", columns([heads, *pairs])]
        return "\n".join(parts)

    def rows(self) -> list[dict[str, Any]]:
        """One row per judge."""
        return [{**judge.rows()[0], "may_be_best": judge.names[1] in self.best} for judge in self.judges]

    def plot(self, ax: Any = None) -> Any:
        """Draw the worth of each judge with its interval."""
        from ..plots import intervals

        return intervals.worths(self.judges, ax)


def undecided(what: str, truth: str, names: str, best: int, count: int) -> str:
    """That several of the judges or candidates could be the best."""
    who = some_of(best, count, what)
    return f"{who} could rank the systems most like {truth}; the topics do not separate them: {names}"


@checked
def rank_judges(
    truth: Collection,
    candidates: Mapping[str, Collection],
    coefficient: str = "tau_b",
    *,
    confidence_level: float = 0.95,
    name: str = "truth",
    rng: Seed = None,
) -> JudgeRanking:
    """What several judges are worth, over the same splits of the topics; which are better than which, and who is best.

    Parameters
    ----------
    truth : what `as_topics` takes
        As in `judge_worth`.
    candidates : mapping of str to what `as_topics` takes
        The judges by name. All are compared on the systems and topics that all have, the truth included.
    coefficient : str
        As in `judge_worth`.
    confidence_level : float
        Confidence level of the intervals; pairs are tested at level 1 - confidence_level, all together (Holm).
    name : str
        What to call the truth.
    rng : int, Generator or None
        Draws the splits, as in `judge_worth`.

    Returns
    -------
    JudgeRanking
        The judges with their worths, all pairs, and those that could be the best.

    Examples
    --------
    >>> import concordant as cc
    >>> people, careful, hasty = (cc.load_collection(name) for name in ("people", "careful", "hasty"))
    >>> found = cc.rank_judges(people, {"careful": careful, "hasty": hasty}, name="people", rng=7)
    >>> found.best
    ('careful',)

    """
    named = (name, *map(str, candidates))
    given = {"truth": truth, **{f"candidates[{key!r}]": side for key, side in candidates.items()}}
    sides = matched_sides(given, named, coefficient, confidence_level)
    drawn = Resampling.of(DEFAULT.splits, rng)
    return judges_from(curves_of(sides, drawn), sides, drawn.seed)


def judges_from(curves: Curves, sides: Judged, seed: int | None) -> JudgeRanking:
    """All candidates, the one with the best agreement across topics first, and all pairs of them."""
    judges = [worth_from(curves, k, sides, seed) for k in range(1, len(sides.names))]
    order = sorted(range(len(judges)), key=lambda k: -judges[k].agreement)
    rates = {k: rate_of(curves, k) for k in range(1, len(sides.names))}
    rising = curves.is_rising(sides.critical)
    which = [(i + 1, j + 1) for i, j in itertools.combinations(order, 2)]
    tests = [difference_of(curves, *pair, rates) for pair in which]
    pvalues = [_pvalue(found.statistic, curves.n_topics - 1) for found in tests]
    adjusted = holm(np.array(pvalues)).tolist()
    pairs = [
        _pair(curves, sides, of_pair, found, p, all_p, rising=rising)
        for of_pair, found, p, all_p in zip(which, tests, pvalues, adjusted, strict=True)
    ]
    beaten = {pair.names[1] for pair in pairs if pair.adjusted <= 1 - sides.level}
    ranked = tuple(judges[k] for k in order)
    return JudgeRanking(
        judges=ranked,
        pairs=tuple(pairs),
        best=tuple(judge.names[1] for judge in ranked if judge.names[1] not in beaten),
        notes=tuple(dict.fromkeys(note for judge in ranked for note in judge.notes)),
        settings=ranked[0].settings,
    )


def _pvalue(t: float, df: int) -> float:
    """How likely a statistic as far from 0 is by chance; never 0."""
    from scipy.special import stdtr

    return max(float(2 * stdtr(df, -abs(t))), sys.float_info.min)


def _pair(
    curves: Curves, sides: Judged, which: tuple[int, int], found: Difference, p: float, adjusted: float, *, rising: bool
) -> JudgeComparison:
    """Two candidates (1...). Their worths have a ratio where more topics of the truth rank the systems better."""
    half = sides.critical * found.standard_error
    low, high = np.clip([found.difference - half, found.difference + half], -2, 2).tolist()
    ratio, interval = math.nan, None
    if rising and not math.isnan(found.log_ratio):
        reach = sides.critical * found.log_ratio_error
        ratio, *ends = (math.exp(found.log_ratio + by) for by in (0.0, -reach, reach))
        interval = Interval(ends[0], ends[1], sides.level, "jackknife over topics")
    return JudgeComparison(
        sides.coefficient.name,
        names=(sides.names[which[0]], sides.names[which[1]]),
        value_a=float(curves.values[which[0], -1]),
        value_b=float(curves.values[which[1], -1]),
        difference=found.difference,
        standard_error=found.standard_error,
        interval=Interval(low, high, sides.level, "jackknife over topics"),
        pvalue=p,
        adjusted=adjusted,
        ratio=ratio,
        ratio_interval=interval,
    )
