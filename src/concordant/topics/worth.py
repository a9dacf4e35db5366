"""`judge_worth`: what a candidate's topics are worth, counted in topics of the truth."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..arrays import FloatArray, IntArray, read_only
from ..options import checked
from ..read.door import Collection
from ..resampling import Resampling, Seed
from ..results import Interval, Result, columns
from ..words import counted
from .agreement_curves import DEFAULT, Curves
from .judged import Judged, curves_of, matched_sides
from .worth_core import Beyond, beyond_half, worth_of

LEAST_TO_EXTRAPOLATE = 3  # topics: below, intervals of the law held too rarely (docs/measured/worth.md)


@dataclass(frozen=True, eq=False)
class WorthCurves:
    """Agreement with the truth on other topics, by number of topics: of the truth itself, and of the candidate."""

    sizes: IntArray
    truth: FloatArray
    candidate: FloatArray
    truth_low: FloatArray
    """Lower limit of the band around it, point by point."""
    truth_high: FloatArray
    candidate_low: FloatArray
    candidate_high: FloatArray

    def __post_init__(self) -> None:
        read_only(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, WorthCurves):
            return NotImplemented
        return all(np.array_equal(*pair, equal_nan=True) for pair in zip(self._arrays(), other._arrays(), strict=True))

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[type[WorthCurves], tuple[Any, ...]]:
        return WorthCurves, self._arrays()  # read-only again after pickling

    def _arrays(self) -> tuple[Any, ...]:
        return tuple(vars(self).values())


@dataclass(frozen=True, eq=False, repr=False)
class JudgeWorth(Result):
    """What `judge_worth` found. `print` shows it, `plot` draws both curves, `to_dict` has everything."""

    coefficient: str
    names: tuple[str, str]
    """Names of the truth and of the candidate."""
    n_topics: int
    half: int
    """How many topics of the candidate are valued: half of them, because the other half is the reference."""
    worth: float
    """The number of topics of the truth that rank the systems as well as `half` topics of the candidate."""
    rate: float
    """worth / half."""
    interval: Interval
    """Interval for the worth."""
    status: str
    """How it was counted. "within": worth is at most `half`. "beyond": the candidate is better than as many topics of
    the truth, so `equal` was counted, and worth stands for half * half / equal. "below": less than one topic.
    "unknown": more topics of the truth do not visibly rank the systems better, so nothing can be counted in them;
    all numbers of worth are nan."""
    equal: float
    """The number of topics of the candidate that rank the systems as well as `half` of the truth; nan unless
    "beyond"."""
    monte_carlo: float
    """Standard error of log(worth) from the random splits alone; `standard_error` is from the topics."""
    standard_error: float
    agreement: float
    """Agreement across topics: of the candidate on `half` topics with the truth on the other topics."""
    agreement_interval: Interval
    truth_agreement: float
    """The same of the truth itself."""
    all_topics: float
    """Worth of all topics of the candidate, by the law 1 / worth = bias + noise / topics; nan where the worth of half
    of them is below 3, which is too little to extrapolate from."""
    all_topics_interval: Interval
    limit: float
    """Worth of any number of topics of the candidate: the limit that its own bias sets. inf: no bias was found."""
    limit_interval: Interval
    curves: WorthCurves

    @property
    def units(self) -> str:
        """What is counted: topics, or groups of them."""
        return "groups" if "groups" in self.settings else "topics"

    @property
    def cell(self) -> str:
        """The worth as tables show it."""
        return shown(self.worth)

    @property
    def verdict(self) -> str:
        """How many topics of the truth the candidate's are worth."""
        return self.sentence("judged by")

    def sentence(self, of: str) -> str:
        """The verdict, with the words between the topics and whose they are: "judged by", "of"."""
        truth, candidate = self.names
        level = f"{100 * self.interval.confidence_level:g}% interval"
        if self.status == "unknown":
            return (
                f"what {self.units} {of} {candidate} are worth is not known: {self.half} {self.units} {of} {truth} do "
                f"not rank the systems better than 1 ({self.coefficient} with other {self.units} "
                f"{self.truth_agreement:.3f}, and {float(self.curves.truth[0]):.3f})"
            )
        if self.status == "below":
            most = f" ({level} {_told(0, self.interval.high)})" if self.interval.high >= 1 else ""
            return f"{self.half} {self.units} {of} {candidate} are worth less than 1 {of} {truth}{most}"
        if self.status == "within":
            between = f"{level} {_told(self.interval.low, self.interval.high)}"
            return f"{self.half} {self.units} {of} {candidate} are worth {shown(self.worth)} {of} {truth} ({between})"
        if not self.equal > 0:
            return f"1 {self.units[:-1]} {of} {candidate} is worth more than {self.half} {of} {truth}"
        low, high = (self.half**2 / end if end else math.inf for end in (self.interval.high, self.interval.low))
        between = f"{level} {_told(low, high)}"
        return f"{shown(self.equal)} {self.units} {of} {candidate} ({between}) are worth {self.half} {of} {truth}"

    @property
    def title(self) -> str:
        """The numbers of the verdict, for a figure whose key has the names."""
        if self.status == "unknown":
            return "worth is not known"
        if self.status == "below":
            return f"{self.half} {self.units} are worth less than 1"
        if self.status == "within":
            return f"{self.half} {self.units} are worth {shown(self.worth)} ({span(self.interval)})"
        return (
            f"{shown(self.equal)} {self.units} are worth {self.half}"
            if self.equal > 0
            else f"1 {self.units[:-1]} is worth > {self.half}"
        )

    def table(self) -> str:
        """Agreement across topics, the worth of half, of all and of any number of topics."""
        n, a = self.n_topics, self.half
        head = f"  {self.coefficient}, {counted(self.settings['n_systems'], 'system')}, {counted(n, self.units[:-1])}"
        rows = [
            ["agreement across topics", f"{self.agreement:.3f}", span(self.agreement_interval, "{:.3f}")],
            [f"  of {self.names[0]} itself", f"{self.truth_agreement:.3f}", ""],
            [f"worth of {a} {self.units}", self.cell, span(self.interval)],
        ]
        if not math.isnan(self.all_topics):
            rows += [
                [
                    f"worth of {n} {self.units}, by extrapolation",
                    shown(self.all_topics),
                    span(self.all_topics_interval),
                ],
                [f"worth of any number of {self.units}", shown(self.limit), span(self.limit_interval)],
            ]
        lines = [head, columns(rows)]
        if math.isfinite(self.monte_carlo) and self.standard_error > 0:
            share = self.monte_carlo / self.standard_error
            lines.append(f"  Monte Carlo error: {share:.2f} of the standard error of log(worth)")
        return "\n".join(lines)

    def rows(self) -> list[dict[str, Any]]:
        """One row."""
        spans = {"": self.interval, "agreement_": self.agreement_interval, "limit_": self.limit_interval}
        ends = {f"{name}{end}": getattr(of, end) for name, of in spans.items() for end in ("low", "high")}
        return [
            {
                "candidate": self.names[1],
                "coefficient": self.coefficient,
                "topics": self.half,
                "worth": self.worth,
                "low": ends["low"],
                "high": ends["high"],
                "rate": self.rate,
                "agreement": self.agreement,
                "agreement_low": ends["agreement_low"],
                "agreement_high": ends["agreement_high"],
                "truth_agreement": self.truth_agreement,
                "all_topics": self.all_topics,
                "limit": self.limit,
                "limit_low": ends["limit_low"],
                "limit_high": ends["limit_high"],
            }
        ]

    def plot(self, ax: Any = None) -> Any:
        """Draw both curves with bands, and the arrow from the candidate's topics to those of the truth."""
        from ..plots import curves

        return curves.worth(self, ax)


@checked
def judge_worth(
    truth: Collection,
    candidate: Collection,
    coefficient: str = "tau_b",
    *,
    confidence_level: float = 0.95,
    names: tuple[str, str] = ("truth", "candidate"),
    rng: Seed = None,
) -> JudgeWorth:
    """How many topics judged by the truth rank the systems as well as these topics judged by the candidate?

    The topics are split at random into halves A and B, over and over. The reference is the truth's ranking on B. The
    candidate's ranking on A agrees with it to some degree. So does the truth's own ranking on k topics of A, and better
    as k grows. The worth of the candidate's topics is the k with the same mean agreement. Candidate and reference
    never share a topic, so the candidate gains nothing from noise that it shares with the truth.

    Parameters
    ----------
    truth, candidate : what `as_topics` takes
        `Scores`, files, frames or results of an evaluation tool, or topics x systems matrices, matched by label. What
        only one side has is left out, with an `AlignmentWarning` that names it. At least 10 topics.
    coefficient : str
        A name from `list_coefficients`. It must admit ties on both sides, as in `correlate`.
    confidence_level : float
        Confidence level of the intervals.
    names : tuple of str
        What to call the sides.
    rng : int, Generator or None
        Draws the splits. The same seed gives the same bits. Without one, a seed is drawn, and the settings record it.

    Returns
    -------
    JudgeWorth
        With the worth of half of the topics and its interval, both curves, the agreement across topics, and by a model
        the worth of all topics and of any number.

    Notes
    -----
    The interval is log-symmetric, from a jackknife over topics on the same splits and Student's t with n - 1 degrees of
    freedom. The definition and its conditions are in docs/theory/worth.md; how often the intervals hold, as measured by
    benchmarks/coverage_worth.py, is in docs/measured/worth.md.

    Examples
    --------
    >>> import concordant as cc
    >>> people, careful = cc.load_collection("people"), cc.load_collection("careful")
    >>> found = cc.judge_worth(people, careful, names=("people", "careful"), rng=7)
    >>> print(found.verdict)
    20 topics judged by careful are worth 12 judged by people (95% interval 8.8 to 16)

    """
    drawn = Resampling.of(DEFAULT.splits, rng)
    sides = matched_sides({"truth": truth, "candidate": candidate}, names, coefficient, confidence_level)
    return worth_from(curves_of(sides, drawn), 1, sides, drawn.seed)


def worth_from(curves: Curves, k: int, sides: Judged, seed: int | None) -> JudgeWorth:
    """The result for the k-th candidate (1...)."""
    found = worth_of(curves, k, sides.critical)
    law = beyond_half(curves, k, sides.critical)
    if not curves.is_rising(sides.critical):
        nothing = dict.fromkeys(("worth", "rate", "low", "high", "standard_error", "monte_carlo", "equal"), math.nan)
        found = replace(found, status="unknown", **nothing)
    if not found.worth >= LEAST_TO_EXTRAPOLATE:
        law = Beyond(0, *[math.nan] * 8)
    bands = []
    for side in (0, k):
        reach = sides.critical * curves.point_errors(side)
        bands += [np.clip(curves.values[side] + sign * reach, -1, 1) for sign in (-1, 1)]

    def interval(low: float, high: float) -> Interval:
        return Interval(low, high, sides.level, "jackknife over topics")

    notes = list(sides.notes)
    if curves.undefined:
        notes.append(
            f"{sides.coefficient.name} is undefined on {100 * curves.undefined:.2g}% of the splits, where a side is "
            "all tied, and counted as 0 there"
        )
    return JudgeWorth(
        coefficient=sides.coefficient.name,
        names=(sides.names[0], sides.names[k]),
        n_topics=curves.n_topics,
        half=curves.half,
        worth=found.worth,
        rate=found.rate,
        interval=interval(found.low, found.high),
        status=found.status,
        equal=found.equal,
        monte_carlo=found.monte_carlo,
        standard_error=found.standard_error,
        agreement=found.agreement,
        agreement_interval=interval(float(bands[2][-1]), float(bands[3][-1])),
        truth_agreement=float(curves.values[0, -1]),
        all_topics=law.worth,
        all_topics_interval=interval(law.low, law.high),
        limit=law.limit,
        limit_interval=interval(law.limit_low, law.limit_high),
        curves=WorthCurves(curves.sizes, curves.values[0], curves.values[k], *bands),
        notes=tuple(notes),
        settings=sides.settings(curves, seed),
    )


def shown(topics: float) -> str:
    """A number of topics, as precise as it can be: "< 1", "6.9", "16", "no limit". 0 stands for anything below 1."""
    if math.isnan(topics):
        return "-"
    if math.isinf(topics):
        return "no limit"
    if topics == 0:
        return "< 1"
    return f"{topics:.0f}" if topics >= 9.95 else f"{topics:.1f}"


def span(interval: Interval, form: str = "") -> str:
    """From low to high; where both ends are below 1 topic, that once."""
    low, high = (form.format(end) if form else shown(end) for end in (interval.low, interval.high))
    if math.isnan(interval.low):
        return "-"
    return low if low == high == "< 1" else f"{low} to {high}"


def _told(low: float, high: float) -> str:
    """The ends of an interval for a number of topics, in a sentence."""
    if low > 0:
        return f"{shown(low)} to {shown(high)}"
    return "without an upper limit" if math.isinf(high) else f"up to {shown(high)}"
