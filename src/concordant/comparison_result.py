"""`Comparison`: what `compare` found, and how it is shown."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, get_args

from .arrays import FloatArray, IntArray
from .coefficients.registry import get_coefficient, headlines, list_coefficients
from .errors import InputError, check_choice, import_extra
from .ranks.testing import RankTest
from .results import Interval, Result, plain
from .scores import with_sign
from .totals import Totalling
from .words import counted, listing, one_line, p_equals

if TYPE_CHECKING:
    from .coefficients.ties import TieBounds
    from .judges.worth import JudgeWorth
    from .topics.correlation import CorrelationEstimate

Kind = Literal["scatter", "ranks", "panels", "forest"]


POPULATION = "population: between the means over all topics of this kind, corrected for the bias of having few"


@dataclass(frozen=True)
class CoefficientValue:
    """A coefficient's value, or why there is none."""

    coefficient: str
    value: float
    why: str = ""
    estimate: CorrelationEstimate | None = None
    """With its interval, where one was asked for and this coefficient has one."""
    pvalue: float | None = None
    """p-value of the hypothesis that only chance orders the systems, where that was tested."""

    @property
    def interval(self) -> Interval | None:
        """For the coefficient between the population means."""
        return None if self.estimate is None else self.estimate.interval


@dataclass(frozen=True)
class PerTopic:
    """A coefficient on the scores of each topic: its mean and spread over the topics on which it is defined."""

    coefficient: str
    mean: float
    sd: float
    values: tuple[float, ...]
    """One value per topic, nan where it is undefined."""
    why: str = ""

    @property
    def undefined(self) -> int:
        """On how many topics it is undefined."""
        return sum(map(math.isnan, self.values))


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result):
    """What `compare` found. `comparison["tau_b"]` is a value; `print` shows a table; `to_dict` has everything."""

    truth: str
    candidate: str
    measure: str
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    """Empty where a side came without topics, or was averaged over its own."""
    truth_means: FloatArray
    """Higher is better, as in `Scores.means`; tables and figures show them as they were given."""
    candidate_means: FloatArray
    values: tuple[CoefficientValue, ...]
    tied_truth: int
    """Pairs of systems with equal means in truth."""
    tied_candidate: int
    tied_both: int
    tie_bounds: tuple[TieBounds, ...]
    """What the ties in candidate leave open; empty without them."""
    per_topic: tuple[PerTopic, ...]
    rank_test: RankTest | None
    """Whether the ranking in candidate could be the true one, given the topics; None without topics in truth."""
    worth: JudgeWorth | None = None
    """What the candidate's topics are worth, in topics of the truth; None without common topics."""
    lower_is_better: tuple[bool, bool] = (False, False)
    """Of truth and candidate, whether lower scores are better, so that means have their sign changed."""
    same: Literal["", "scores", "means"] = ""
    """What is equal on both sides for every system ("scores" or "means"), so they may be the same data."""
    totalling: Totalling = field(default=Totalling(), compare=False, metadata={"in_dict": False})
    """How totals were made."""

    def __getitem__(self, coefficient: str) -> float:
        """The value of a coefficient, nan where it has none."""
        for value in self.values:
            if value.coefficient == coefficient:
                return value.value
        have = ", ".join(value.coefficient for value in self.values)
        raise KeyError(f"there is no {coefficient!r} in this comparison: it has {have}")

    def tau_b_among(self, systems: IntArray) -> float:
        """tau_b of some of the systems, by their indices, among themselves; nan where it is undefined."""
        return get_coefficient("tau_b").attempt(self.truth_means[systems], self.candidate_means[systems])[0]

    def heading(self) -> str:
        """What is compared, in a line."""
        ties = f"; {counted(self.tied_candidate, 'tied pair')} in {self.candidate}" if self.tied_candidate else ""
        ties += f"; {counted(self.tied_truth, 'tied pair')} in {self.truth}" if self.tied_truth else ""
        topics = f", {counted(len(self.topics), 'topic')}" if self.topics else ""
        measure = f", {self.measure}" if self.measure else ""
        size = counted(len(self.systems), "system")
        return f"{size}{topics}{measure}; truth: {self.truth}{ties}{where_lower_is_better([self])}"

    @property
    def main_values(self) -> tuple[CoefficientValue, ...]:
        """Those of the main coefficients, or else of the first one."""
        return tuple(v for v in self.values if v.coefficient in headlines("main")) or self.values[:1]

    @property
    def verdict(self) -> str:
        """What the candidate's topics are worth, where that is known, and what the main coefficients say."""
        if self.same:
            return (
                f"{self.candidate} and {self.truth} have the same {self.same} for every system, so they are "
                f"{'the same data' if self.same == 'scores' else 'perhaps the same data'}: agreement says nothing here"
            )
        said = [
            f"{v.coefficient} = {v.value:.4f}" if not v.why else f"no {v.coefficient}: {v.why}"
            for v in self.main_values
        ]
        if self.worth is not None:
            return f"{self.worth.verdict}; {', '.join(said)}"
        verdict = f"{self.candidate} and {self.truth}: {', '.join(said)}"
        if self.rank_test is not None and self.tested:
            differ = "differ significantly" if self.rank_test.significant else "cannot be distinguished"
            verdict += f"; given the topics, the rankings {differ} ({self.rank_test.p_in_words()})"
        return verdict

    def shown(self, *, every: bool) -> tuple[CoefficientValue, ...]:
        """What the text shows: the headlines among all coefficients, whichever were asked for, or every one."""
        headline = [v for v in self.values if v.coefficient in headlines("inferred")]
        return self.values if every or len(self.values) < len(list_coefficients()) else tuple(headline)

    def text(self, *, every: bool) -> str:
        """The verdict, the table and the notes; with `every`, the table of all coefficients."""
        return self._text(self.table(every=every))

    def table(self, *, every: bool = False) -> str:
        """What was compared, one row per coefficient, and what ties and topics add.

        Parameters
        ----------
        every : bool
            Whether to show every coefficient, or the headlines where all were computed.

        Returns
        -------
        str

        """
        shown = self.shown(every=every)
        families = {get_coefficient(v.coefficient).bounds for v in shown}
        bounds = [b for b in self.tie_bounds if every or b.coefficient in families]
        lines = [f"  {one_line(self.heading())}", *(f"  {v.coefficient:<23}{_shown(v)}" for v in shown)]
        lines += ["", f"  {POPULATION}"] if any(v.interval for v in shown) else []
        lines += [""] * bool(bounds) + [f"  {b}" for b in bounds]
        if self.per_topic:
            lines += ["", "  on each topic:"]
            for p in self.per_topic:
                if p.coefficient not in [v.coefficient for v in shown]:
                    continue
                undefined = f", undefined on {p.undefined}" if p.undefined else ""
                what = f"mean {p.mean:.4f}, standard deviation {p.sd:.4f}{undefined}" if not p.why else p.why
                lines.append(f"  {p.coefficient:<23} {what}")
        if self.rank_test:
            lines += ["", f"  {self.rank_line()}"]
        return "\n".join(lines)

    @property
    def tested(self) -> bool:
        """Whether there is a test that keeps its level: a truth with topics, more of them than systems."""
        return (
            self.rank_test is not None and self.rank_test.distribution.n_systems < self.rank_test.distribution.n_topics
        )

    def rank_line(self) -> str:
        """What the test of the rank distance says, in a line."""
        t = self.rank_test
        if t is None:
            return "no rank distance: the truth came without topics"
        if not self.tested:
            return f"rank distance {t.distance:.4f}; its p-value says nothing with as many systems as topics or more"
        verdict = "differs significantly" if t.significant else "cannot be distinguished"
        return (
            f"rank distance {t.distance:.4f}: {verdict} from the truth given the topics ({t.p_in_words()}, "
            f"{t.distribution.method} bootstrap, {counted(t.distribution.n_resamples, 'resample')}"
            f"{'; tied systems claim no order' if self.tied_candidate else ''})"
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything, in full precision and ready for JSON; None where there is no value."""
        return {
            "verdict": self.verdict,
            "truth": self.truth,
            "candidate": self.candidate,
            "measure": self.measure,
            "same": self.same,
            "systems": list(self.systems),
            "topics": list(self.topics),
            "truth_means": with_sign(self.truth_means, self.lower_is_better[0]).tolist(),
            "candidate_means": with_sign(self.candidate_means, self.lower_is_better[1]).tolist(),
            "lower_is_better": list(self.lower_is_better),
            "coefficients": {v.coefficient: plain(v.value) for v in self.values},
            "not_defined": {v.coefficient: v.why for v in self.values if v.why},
            "intervals": {
                v.coefficient: {
                    **v.interval.to_dict(),
                    "bias_corrected": v.estimate.bias_corrected,
                    "standard_error": v.estimate.standard_error,
                }
                for v in self.values
                if v.estimate is not None and v.interval is not None
            },
            "pvalues": {v.coefficient: v.pvalue for v in self.values if v.pvalue is not None},
            "tied_pairs": {"truth": self.tied_truth, "candidate": self.tied_candidate, "both": self.tied_both},
            "tie_bounds": {
                b.coefficient: {"minimum": b.minimum, "expected": b.expected, "maximum": b.maximum}
                for b in self.tie_bounds
            },
            "per_topic": {
                p.coefficient: {"mean": plain(p.mean), "sd": plain(p.sd), "values": plain(p.values)}
                | ({"why": p.why} if p.why else {})
                for p in self.per_topic
            },
            "rank_test": None if self.rank_test is None else self.rank_test.to_dict(),
            "worth": None if self.worth is None else self.worth.to_dict(),
            "notes": list(self.notes),
            "settings": dict(self.settings),
        }

    def rows(self) -> list[dict[str, Any]]:
        """One row per coefficient: its value, interval and p-value, or why there is none."""
        return [
            {
                "coefficient": v.coefficient,
                "value": v.value,
                "low": v.interval.low if v.interval else math.nan,
                "high": v.interval.high if v.interval else math.nan,
                "pvalue": math.nan if v.pvalue is None else v.pvalue,
                "why": v.why,
            }
            for v in self.values
        ]

    def to_frame(self) -> Any:
        """The table as a pandas frame, by coefficient."""
        return import_extra("pandas").DataFrame(self.rows()).set_index("coefficient")

    def plot(self, kind: Kind = "scatter", ax: Any = None, *, top: int = 10) -> Any:  # type: ignore[override]
        """Draw it, on new axes one column wide if none are given.

        Parameters
        ----------
        kind : {"scatter", "ranks", "panels", "forest"}
            "scatter": candidate means against those of the truth, with the diagonal, the `top` best highlighted, tied
            systems linked, and the names of those whose ranks differ most. "ranks": ranks linked to ranks.
            "panels": the `top` best and worst by themselves, as in figures 1 and 2 of yilmaz2008, and all systems where
            there is room for three panels. "forest": the coefficients with their intervals.
        ax : Axes, optional
            matplotlib axes; for "panels" two or three of them.
        top : int
            How many systems are the best ones.

        Returns
        -------
        Axes
            A list of them for "panels".

        """
        from .plots import agreement, intervals

        check_choice("kind", kind, get_args(Kind))
        if isinstance(top, bool) or not isinstance(top, int) or top < 1:
            raise InputError(f"top is {top!r}: give a whole number from 1")
        if kind == "forest":
            return intervals.coefficients(self, ax)
        draw: Any = {"scatter": agreement.scatter, "ranks": agreement.ranks, "panels": agreement.panels}[kind]
        return draw(self, ax, top=top)


def where_lower_is_better(found: Iterable[Comparison]) -> str:
    """In which sides lower scores are better, to end a heading; nothing where higher scores are."""
    sides = [side for c in found for side in zip((c.truth, c.candidate), c.lower_is_better, strict=True)]
    lower = dict.fromkeys(name for name, changed in sides if changed)
    return f"; lower is better in {listing(lower, 3)}" if lower else ""


def _shown(value: CoefficientValue) -> str:
    """A value with its interval and p-value, or why there is none."""
    if value.why:
        return f"{'-':>8}   {value.why}"
    tested = "" if value.pvalue is None else f"   {p_equals(value.pvalue)} against chance"
    if value.estimate is None or value.interval is None:
        return f"{value.value:8.4f}{tested}"
    level, corrected = f"{100 * value.interval.confidence_level:g}%", value.estimate.bias_corrected
    estimate = "" if corrected is None else f" {corrected:.4f},"
    return f"{value.value:8.4f}   population{estimate} {level} {value.interval}{tested}"
