"""`Comparison`: the result of `compare`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Literal

from ..arrays import FloatArray
from ..coefficients.registry import headlines
from ..data.results import Interval, Result, plain, settings_of
from ..data.scores import with_sign
from ..errors import InputError, counted, import_extra, listing, p_equals
from ..judges.worth import NO_LIMIT
from ..options import checked
from . import comparison_text

if TYPE_CHECKING:
    from ..data.results import Estimate, Findings
    from ..judges.worth import JudgeRanking, JudgeWorth
    from ..pairing import Pairing

Kind = Literal["scatter", "ranks", "forest", "heatmap", "matrix", "worth"]


@dataclass(frozen=True)
class CoefficientValue:
    """The value of a coefficient, or the reason why it has no value."""

    coefficient: str
    value: float
    why: str = ""
    estimate: Estimate | None = None
    """The estimate with its interval, if requested and available."""
    pvalue: float | None = None
    """p-value of the hypothesis that the candidate orders the systems by chance; None if it was not tested."""

    @property
    def interval(self) -> Interval | None:
        """Interval for the coefficient between the population means."""
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
        """Number of topics on which the coefficient is undefined."""
        return sum(map(math.isnan, self.values))


@dataclass(frozen=True, eq=False)
class Compared:
    """Comparison of one candidate with the truth. `compared["tau_b"]` is the value of tau_b."""

    truth: str
    candidate: str
    measure: str
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    """Names of the common topics; empty if a side has no topics, or was averaged over its own topics."""
    truth_means: FloatArray
    """Mean of each system; higher is better, as in `Scores.means`. Tables and figures show the scores as given."""
    candidate_means: FloatArray
    values: tuple[CoefficientValue, ...]
    tied_truth: int
    """Number of pairs of systems with equal means in truth."""
    tied_candidate: int
    tied_both: int
    swapped: int
    """Number of pairs that truth and candidate order differently."""
    tie_bounds: tuple[Findings, ...]
    """Bounds on coefficients over all ways to break the ties in candidate; empty if candidate has no ties."""
    per_topic: tuple[PerTopic, ...]
    rank_test: Findings | None
    """Test of whether the candidate's ranking could be the true ranking; None if the test was not run."""
    pairing: Pairing
    """The matched sides."""
    worth: JudgeWorth | None = None
    """Number of topics of the truth that the candidate's topics are worth; None if it was not estimated."""
    lower_is_better: tuple[bool, bool] = (False, False)
    """Whether lower scores are better in truth, and in candidate. If so, the sign of that side's means is changed."""
    same: Literal["", "scores", "means"] = ""
    """What is exactly the same on both sides: "scores", "means" or nothing. Equal sides may be the same data."""
    notes: tuple[str, ...] = ()
    """Caveats, one sentence each."""
    settings: Mapping[str, Any] = field(default_factory=settings_of)

    def __getitem__(self, coefficient: str) -> float:
        """Return the value of a coefficient; nan if it is undefined."""
        for value in self.values:
            if value.coefficient == coefficient:
                return value.value
        have = ", ".join(value.coefficient for value in self.values)
        raise KeyError(f"there is no {coefficient!r} in this comparison: it has {have}")

    @property
    def pairs(self) -> int:
        """Number of pairs of systems."""
        return len(self.systems) * (len(self.systems) - 1) // 2

    @property
    def without_order(self) -> list[str]:
        """The sides that give all systems the same mean."""
        tied = ((self.truth, self.tied_truth), (self.candidate, self.tied_candidate))
        return [name for name, pairs in tied if pairs == self.pairs]

    @property
    def main_values(self) -> tuple[CoefficientValue, ...]:
        """Values of the main coefficients, or of the first coefficient if none of them was computed."""
        return tuple(v for v in self.values if v.coefficient in headlines("main")) or self.values[:1]

    @property
    def verdict(self) -> str:
        """The worth of the candidate's topics if known, otherwise how many pairs the candidate swaps."""
        return " ".join(self.answers())

    def answers(self) -> list[str]:
        """Write the sentences of the verdict."""
        if self.same:
            alike = f"{self.candidate} and {self.truth} have the same {self.same} for every system"
            doubt = "They are" if self.same == "scores" else "They may be"
            return [f"{alike}.", f"{doubt} the same data, so their agreement shows nothing."]
        if self.without_order:
            return [comparison_text.not_compared([self])]
        if self.worth is not None:
            return list(self.worth._answers())
        swapped = f"{self.swapped or 'none'} of {counted(self.pairs, 'pair')}"
        said = f"{self.candidate} swaps {swapped} of {self.truth}'s systems"
        values = [f"{v.coefficient} {v.value:.2f}" for v in self.main_values[:1] if not v.why]
        return [f"{said}{f' ({values[0]})' if values else ''}.", *self._ruled_out()]

    def _ruled_out(self) -> list[str]:
        """Say that the topics rule out the candidate's ranking if the rank test rejects it."""
        if self.rank_test is None or not self.tested or not self.rank_test.significant:
            return []
        return [f"{len(self.topics) or 'The'} topics rule out {self.candidate}'s ranking ({_p(self.rank_test)})."]

    @property
    def tested(self) -> bool:
        """Whether the rank test is valid. It needs more topics than systems in the truth."""
        return self.rank_test is not None and self.rank_test.settings["n_systems"] < self.rank_test.settings["n_topics"]

    def rank_line(self) -> str:
        """Summarize the rank test in one line."""
        t = self.rank_test
        if t is None:
            return f"Rank test not run: {self.truth} has no topics"
        if not self.tested:
            return f"Rank distance {t.distance:.2f}; rank test not run: it needs more topics than systems"
        topics = counted(t.settings["n_topics"], "group" if "groups" in self.settings else "topic")
        ties = "; tied systems may have any order" if self.tied_candidate else ""
        if t.distance == 0:
            return f"Rank distance 0: {self.candidate}'s ranking is that of {self.truth}'s means{ties}"
        says = f"{'rule' if t.significant else 'are too few to rule'} out {self.candidate}'s ranking"
        return f"Rank distance {t.distance:.2f}: {topics} {says} ({_p(t)}{ties})"

    def to_dict(self) -> dict[str, Any]:
        """Return everything in full precision, ready for JSON, with None where there is no value."""
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
            "not_defined": {v.coefficient: comparison_text.named(v.why, self) for v in self.values if v.why},
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
            "pairs": {"all": self.pairs, "swapped": self.swapped},
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
            "rank_test": None if self.rank_test is None else self.rank_test.to_dict() | {"verdict": self.rank_line()},
            "worth": None if self.worth is None else self.worth.to_dict(),
            "notes": list(self.notes),
            "settings": dict(self.settings),
        }


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result):
    """Comparison of one or more candidates with the truth, as `compare` returns it.

    `found["gpt"]` is the comparison of one candidate. With a single candidate, its numbers can also be read directly:
    `found["tau_b"]`, `found.worth`, `found.rank_test`.
    """

    comparisons: tuple[Compared, ...]
    """One comparison per candidate, in the order given."""
    ranking: JudgeRanking | None = None
    """With several candidates, the worth of each, and which of them could be the best."""
    matrix: FloatArray | None = None
    """With all_pairs=True, a coefficient between every two sides. The row serves as truth, the column as candidate."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the sides, the truth first."""
        return (self.comparisons[0].truth, *(c.candidate for c in self.comparisons))

    def __getitem__(self, name: str) -> Any:
        """Return the comparison of a named candidate, or the value of a coefficient if there is only one candidate."""
        for c in self.comparisons:
            if c.candidate == name:
                return c
        if len(self.comparisons) == 1:
            return self.comparisons[0][name]
        raise KeyError(f"there is no candidate {name!r}: there are {listing(self.names[1:])}")

    def __getattr__(self, name: str) -> Any:
        """Look up an attribute of the comparison when there is only one candidate."""
        found = vars(self).get("comparisons", ())
        if name.startswith("_") or not found or name not in _OF_ONE:
            raise AttributeError(f"a Comparison has no {name}")
        if len(found) > 1:
            raise AttributeError(f"with {len(found)} candidates, choose one first, as in [{self.names[1]!r}].{name}")
        return getattr(found[0], name)

    @property
    def verdict(self) -> str:
        """The worth of the candidates' topics if known, otherwise the candidates that agree most with the truth."""
        return " ".join(self._answers())

    def _answers(self) -> Sequence[str]:
        return comparison_text.answers(self)

    @checked
    def table(self, *, every: bool = False) -> str:
        """Show the facts behind the verdict on one screen, or all numbers if `every` is true.

        Parameters
        ----------
        every : bool
            Whether to show every coefficient and candidate, the rank test, and bounds for ties.

        Returns
        -------
        str

        """
        return comparison_text.table(self, every=every)

    def _table(self, *, every: bool) -> str:
        return self.table(every=every)

    def _notes(self) -> Sequence[str]:
        return comparison_text.notes_of(self)

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per candidate and coefficient, and two more per candidate: its worth and its rank distance.

        Columns without any value are left out.
        """
        rows = []
        for c in self.comparisons:
            about: dict[str, Any] = {"candidate": c.candidate, "systems": len(c.systems), "topics": len(c.topics)}
            on_topics = {p.coefficient: p for p in c.per_topic}
            if c.worth is not None:
                ends = {"value": c.worth.worth, "low": c.worth.interval.low, "high": c.worth.interval.high}
                known = {name: end if end <= NO_LIMIT else None for name, end in ends.items()}
                rows.append({**about, "coefficient": "worth", **known})
            for v in c.values:
                row = {**about, "coefficient": v.coefficient, "value": v.value}
                row |= {"low": v.interval.low, "high": v.interval.high} if v.interval else {}
                row |= {} if v.pvalue is None else {"pvalue": v.pvalue}
                row |= {"why": v.why} if v.why else {}
                p = on_topics.get(v.coefficient)
                rows.append(row | ({} if p is None else {"topics_mean": p.mean, "topics_sd": p.sd}))
            if c.rank_test:
                row = {**about, "coefficient": "d_rank", "value": c.rank_test.distance}
                rows.append(row | ({"rank_pvalue": c.rank_test.pvalue} if c.tested else {}))
        every = ("low", "high", "pvalue", "why", "topics_mean", "topics_sd", "rank_pvalue")
        there = [*rows[0]][:5] + [name for name in every if any(name in row for row in rows)]
        return [{name: row.get(name) for name in there} for row in rows]

    def to_frame(self) -> Any:
        """Return a pandas frame indexed by coefficient; with several candidates, by candidate and coefficient."""
        frame = import_extra("pandas").DataFrame(self.rows())
        return frame.set_index(["coefficient"] if len(self.comparisons) == 1 else ["candidate", "coefficient"])

    def printed(self) -> list[dict[str, Any]]:
        """Return rows for a paper: each candidate with its worth, its coefficients and their intervals."""
        return comparison_text.printed(self)

    def to_dict(self) -> dict[str, Any]:
        """Return everything in full precision, ready for JSON, with None where there is no value."""
        made: dict[str, Any] = {"verdict": self.verdict, "comparisons": [c.to_dict() for c in self.comparisons]}
        made |= {"ranking": self.ranking.to_dict()} if self.ranking else {}
        made |= {"matrix": plain(self.matrix)} if self.matrix is not None else {}
        return {**made, "notes": list(self.notes), "settings": plain(self.settings)}

    @checked
    def plot(self, kind: Kind | None = None, ax: Any = None, *, top: int = 10) -> Any:  # type: ignore[override]
        """Draw the comparison, by default on new axes one column wide.

        Parameters
        ----------
        kind : {"scatter", "ranks", "forest", "heatmap", "matrix", "worth"}, optional
            By default "scatter" for one candidate, "heatmap" for several.

            - "scatter": candidate means against truth means, with the diagonal. The `top` best systems are highlighted,
              tied systems are linked, and the systems that move most are named.
            - "ranks": a line from each system's rank in truth to its rank in candidate.
            - "forest": the coefficients with their intervals.
            - "heatmap": coefficients x candidates.
            - "matrix": all pairs of sides; needs all_pairs=True.
            - "worth": the worth of each candidate.
        ax : Axes, optional
            matplotlib axes.
        top : int
            Number of systems to highlight as the best.

        Returns
        -------
        Axes

        """
        from ..render.figures import agreement, intervals, matrices

        kind = kind or ("scatter" if len(self.comparisons) == 1 else "heatmap")
        if kind == "heatmap":
            return matrices.comparisons(self.comparisons, ax, coefficients=comparison_text.shown_coefficients(self))
        if kind == "matrix":
            if self.matrix is None:
                raise InputError("kind is 'matrix': compare with all_pairs=True first")
            return matrices.matrix(self.matrix, self.names, self.settings["matrix"], ax)
        if kind == "worth":
            if not (worths := [c.worth for c in self.comparisons if c.worth is not None]):
                raise InputError("kind is 'worth', but no worth was estimated: compare scores on topics")
            return intervals.worths(self.ranking or worths, ax)
        if len(self.comparisons) > 1:
            raise InputError(f"kind {kind!r} shows one candidate, and there are {len(self.comparisons)}: use 'heatmap'")
        (alone,) = self.comparisons
        if kind == "forest":
            return intervals.coefficients(alone, ax)
        return (agreement.scatter if kind == "scatter" else agreement.ranks)(alone, ax, top=top)


def _p(test: Findings) -> str:
    """Format the p-value with the digits that its Monte Carlo error supports."""
    doubt = "; another seed could decide otherwise" if test.borderline else ""
    return f"{p_equals(test.pvalue, 2 if test.pvalue >= 0.0995 else 3)}{doubt}"


_OF_ONE = {f.name for f in fields(Compared)} | {"main_values", "tested", "pairs", "rank_line"}
