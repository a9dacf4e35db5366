"""`compare`: one ranking against another, by every coefficient that the data admit, with what to mind."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from . import __version__
from .arrays import FloatArray
from .coefficients.registry import Coefficient, get_coefficient, list_coefficients
from .coefficients.sums import concordance
from .coefficients.ties import TieBounds, tie_bounds
from .distance_distribution import DistanceDistribution, Method
from .errors import InputError, TiesError, UndefinedCorrelationWarning
from .rank_testing import RankTest, rank_test
from .resampling import Progress
from .scores import Scores
from .sides import Labelled, Side, aligned, best_of, measure_of, side_of
from .tables import counted, listing


@dataclass(frozen=True)
class Value:
    """A coefficient's value, or why there is none."""

    coefficient: str
    value: float
    why: str = ""


@dataclass(frozen=True)
class PerTopic:
    """A coefficient on the scores of each topic: its mean and spread over the topics on which it is defined."""

    coefficient: str
    mean: float
    sd: float
    values: tuple[float, ...]
    """One value a topic, nan where it is undefined."""
    why: str = ""

    @property
    def undefined(self) -> int:
        """On how many topics it is undefined."""
        return sum(map(math.isnan, self.values))


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """What `compare` found. `comparison["tau_b"]` is a value; `print` shows a table; `to_dict` has everything."""

    truth: str
    observed: str
    measure: str
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    """Empty where a side came without topics, or was averaged over its own."""
    truth_means: FloatArray
    observed_means: FloatArray
    values: tuple[Value, ...]
    tied_truth: int
    """Pairs of systems with equal means in truth."""
    tied_observed: int
    tied_both: int
    tie_bounds: tuple[TieBounds, ...]
    """What the ties in observed leave open; empty without them."""
    per_topic: tuple[PerTopic, ...]
    rank_test: RankTest | None
    """Whether the ranking in observed could be the true one, given the topics; None without topics in truth."""
    notes: tuple[str, ...]
    """What to mind: what was left out, ties that rounding may have made, identical systems."""
    settings: Mapping[str, Any]

    def __getitem__(self, coefficient: str) -> float:
        """The value of a coefficient, nan where it has none."""
        for value in self.values:
            if value.coefficient == coefficient:
                return value.value
        have = ", ".join(value.coefficient for value in self.values)
        raise KeyError(f"there is no {coefficient!r} in this comparison: it has {have}")

    def heading(self) -> str:
        """What is compared, in a line."""
        ties = f"; {counted(self.tied_observed, 'tied pair')} in {self.observed}" if self.tied_observed else ""
        ties += f"; {counted(self.tied_truth, 'tied pair')} in {self.truth}" if self.tied_truth else ""
        topics = f", {counted(len(self.topics), 'topic')}" if self.topics else ""
        measure = f", {self.measure}" if self.measure else ""
        return f"{counted(len(self.systems), 'system')}{topics}{measure}; truth: {self.truth}{ties}"

    def __str__(self) -> str:
        lines = [self.heading(), ""]
        for v in self.values:
            shown = f"{v.value:8.4f}" if not v.why else f"{'-':>8}"
            lines.append(f"  {v.coefficient:<23}{shown}{'   ' + v.why if v.why else ''}")
        lines += [""] * bool(self.tie_bounds) + [f"  {bounds}" for bounds in self.tie_bounds]
        if self.per_topic:
            lines += ["", "  on each topic:"]
            for p in self.per_topic:
                undefined = f", undefined on {p.undefined}" if p.undefined else ""
                what = f"mean {p.mean:.4f}, standard deviation {p.sd:.4f}{undefined}" if not p.why else p.why
                lines.append(f"  {p.coefficient:<23} {what}")
        if self.rank_test:
            lines += ["", f"  {self.rank_line()}"]
        lines += [""] * bool(self.notes) + [f"Mind: {note}" for note in self.notes]
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
        verdict = "significantly different from" if t.significant else "not distinguishable from"
        return (
            f"rank distance {t.distance:.4f}: {verdict} the truth given the topics (p = {t.pvalue:.4f}, "
            f"{t.distribution.method} bootstrap, {counted(t.distribution.n_resamples, 'resample')}"
            f"{'; ties in observed are taken in the order of the truth' if self.tied_observed else ''})"
        )

    __repr__ = __str__

    def to_dict(self) -> dict[str, Any]:
        """Everything, in full precision and ready for JSON; None where there is no value."""
        return {
            "truth": self.truth,
            "observed": self.observed,
            "measure": self.measure,
            "systems": list(self.systems),
            "topics": list(self.topics),
            "truth_means": self.truth_means.tolist(),
            "observed_means": self.observed_means.tolist(),
            "coefficients": {v.coefficient: _plain(v.value) for v in self.values},
            "not_defined": {v.coefficient: v.why for v in self.values if v.why},
            "tied_pairs": {"truth": self.tied_truth, "observed": self.tied_observed, "both": self.tied_both},
            "tie_bounds": {
                b.coefficient: {"minimum": b.minimum, "expected": b.expected, "maximum": b.maximum}
                for b in self.tie_bounds
            },
            "per_topic": {
                p.coefficient: {"mean": _plain(p.mean), "sd": _plain(p.sd), "values": [_plain(v) for v in p.values]}
                | ({"why": p.why} if p.why else {})
                for p in self.per_topic
            },
            "rank_test": None if self.rank_test is None else self.rank_test.to_dict(),
            "notes": list(self.notes),
            "settings": dict(self.settings),
        }

    def to_frame(self) -> Any:
        """A pandas frame: a row a coefficient, with its value and why there is none."""
        from .errors import import_extra

        rows = [(v.coefficient, v.value, v.why) for v in self.values]
        return import_extra("pandas").DataFrame(rows, columns=["coefficient", "value", "why"]).set_index("coefficient")


def compare(
    truth: Labelled,
    observed: Labelled,
    coefficients: Iterable[str] | None = None,
    *,
    top: int | None = None,
    per_topic: bool = False,
    on: Literal["both", "systems"] = "both",
    names: tuple[str, str] = ("truth", "observed"),
    test: Method | None = "recentred",
    n_resamples: int = 9_999,
    distribution: DistanceDistribution | None = None,
    rng: int | np.random.Generator | None = None,
    workers: int = 1,
    progress: Progress | None = None,
) -> Comparison:
    """Compare the ranking of the systems in `observed` with that in `truth`.

    Parameters
    ----------
    truth, observed
        `Scores`; a file that `read_scores` reads; or one score for each system, as a dictionary or a pandas Series.
        Systems and topics are matched by their labels. What only one side has is left out: an `AlignmentWarning` and
        the result's notes say what.
    coefficients
        Names from `list_coefficients`; by default all. Where one is not defined for these data (ties, say) the result
        says why.
    top
        Compare the k best systems of the truth only, those tied with the k-th included.
    per_topic
        Also compute the coefficients on the scores of each topic; their mean and spread over topics.
    on
        "both": means over the topics that both sides have. "systems": each side's means over its own topics, for
        rankings from different topics.
    names
        What to call the sides.
    test, n_resamples, distribution
        The test of the rank distance, where the truth has topics: see `rank_test`. None: no test.
    rng
        Seed or generator of the resampling. Where none is given, one is drawn, and the settings say which.
    workers
        Threads.
    progress
        Called with the number of resamples done and of all.

    Examples
    --------
    >>> import concordant as cc
    >>> people = {"dense": 0.61, "hybrid": 0.64, "bm25": 0.45, "rm3": 0.47}
    >>> model = {"bm25": 0.50, "rm3": 0.58, "dense": 0.70, "hybrid": 0.70}
    >>> print(cc.compare(people, model, ["tau", "tau_a", "tau_b"]))
    4 systems; truth: truth; 1 tied pair in observed
    <BLANKLINE>
      tau                           -   ties in observed
      tau_a                    0.8333
      tau_b                    0.9129
    <BLANKLINE>
      tau over all orders of the tied systems: 0.6667 to 1.0000, expected 0.8333
    """
    wanted = _wanted(coefficients)
    if on not in ("both", "systems"):
        raise InputError(f"on is {on!r}: use 'both' (systems and topics) or 'systems'")
    if len(names) != 2 or not all(isinstance(name, str) for name in names):
        raise InputError(f"names is {names!r}: give two strings, what to call the truth and what the observed")
    if per_topic and on == "systems":
        raise InputError("per_topic compares topic by topic, and on='systems' says that the topics differ: choose one")
    sides, notes = aligned(side_of(truth, "truth"), side_of(observed, "observed"), on, names)
    sides, more = best_of(sides, top)
    x, y = sides[0].means, sides[1].means
    if len(x) < 2:
        raise InputError(f"{counted(len(x), 'system')} to compare: at least 2 are needed that both sides have")
    x.flags.writeable = y.flags.writeable = False
    _, counts = concordance(x, y)
    values = tuple(_value(c, x, y) for c in wanted)
    bounds = _bounds([c.name for c in wanted], x, y) if counts.tied_observed else ()
    if rng is None:
        rng = int(np.random.SeedSequence().generate_state(1)[0])
    options = {
        "n_resamples": n_resamples,
        "rng": rng,
        "workers": workers,
        "distribution": distribution,
        "progress": progress,
    }
    all_tied = counts.tied_observed == len(x) * (len(x) - 1) / 2
    tested, test_notes = _rank_test(sides, None if all_tied else test, options)
    shared = sides[0].scores is not None and sides[1].scores is not None and on == "both"
    return Comparison(
        truth=names[0],
        observed=names[1],
        measure=measure_of(sides),
        systems=sides[0].systems,
        topics=sides[0].scores.topics if shared and sides[0].scores else (),
        truth_means=x,
        observed_means=y,
        values=values,
        tied_truth=int(counts.tied_truth),
        tied_observed=int(counts.tied_observed),
        tied_both=int(counts.tied_both),
        tie_bounds=bounds,
        per_topic=_per_topic(wanted, sides) if per_topic else (),
        rank_test=tested,
        notes=(*notes, *more, *_minds(sides, counts.tied_truth, counts.tied_observed, names), *test_notes),
        settings={
            "top": top,
            "per_topic": per_topic,
            "on": on,
            "test": test,
            "n_resamples": n_resamples,
            "rng": rng if isinstance(rng, int) else None,
            "version": __version__,
        },
    )


# Values -------------------------------------------------------------------------------------------


def _wanted(coefficients: Iterable[str] | None) -> tuple[Coefficient, ...]:
    if coefficients is None:
        return list_coefficients()
    if isinstance(coefficients, str):
        coefficients = [coefficients]
    return tuple(get_coefficient(name) for name in dict.fromkeys(coefficients))


def _value(c: Coefficient, x: FloatArray, y: FloatArray) -> Value:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = float(c.function(x, y))
        except TiesError:
            side = "truth" if "truth" not in c.ties and len(np.unique(x)) < len(x) else "observed"
            return Value(c.name, math.nan, f"ties in {side}")
    undefined = [str(w.message) for w in caught if issubclass(w.category, UndefinedCorrelationWarning)]
    return Value(c.name, value, undefined[0].removeprefix("undefined, so nan: ") if undefined else "")


def _bounds(wanted: Sequence[str], x: FloatArray, y: FloatArray) -> tuple[TieBounds, ...]:
    found = []
    for name in ("tau", "tau_ap", "tau_gap"):
        if any(w in (name, name + "_a", name + "_b") for w in wanted):
            try:
                found.append(tie_bounds(x, y, name))
            except TiesError:  # the truth has ties as well: it is no objective ranking
                continue
    return tuple(found)


def _per_topic(wanted: Sequence[Coefficient], sides: tuple[Side, Side]) -> tuple[PerTopic, ...]:
    a, b = sides[0].scores, sides[1].scores
    if a is None or b is None:
        raise InputError("per_topic needs the scores of topics on both sides: give Scores or files of them")
    return tuple(_over_topics(c, a, b) for c in wanted)


def _over_topics(c: Coefficient, truth: Scores, observed: Scores) -> PerTopic:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            values = np.asarray(c.function(truth.values, observed.values))
        except TiesError as error:
            return PerTopic(c.name, math.nan, math.nan, (math.nan,) * len(truth.topics), _on_topic(error, truth.topics))
    defined = values[~np.isnan(values)]
    mean = float(defined.mean()) if defined.size else math.nan
    sd = float(defined.std(ddof=1)) if defined.size > 1 else math.nan
    return PerTopic(c.name, mean, sd, tuple(values.tolist()), "" if defined.size else "undefined on every topic")


def _on_topic(error: TiesError, topics: Sequence[str]) -> str:
    side, _, rest = str(error).partition("[")
    return f"ties in {side} on topic {topics[int(rest.split(',')[0])]}"


def _rank_test(
    sides: tuple[Side, Side], test: Method | None, options: dict[str, Any]
) -> tuple[RankTest | None, list[str]]:
    """The test of the rank distance, and what it warns of."""
    truth = sides[0].scores
    if test is None or truth is None or len(truth.topics) < 2:
        return None, []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        tested = rank_test(truth, sides[1].means, test, **options)
    return tested, list(dict.fromkeys(str(w.message) for w in caught))


def _plain(value: float) -> float | None:
    return None if math.isnan(value) else value


# What to mind -------------------------------------------------------------------------------------


def _minds(sides: tuple[Side, Side], tied_truth: Any, tied_observed: Any, names: tuple[str, str]) -> list[str]:
    notes = []
    for side, tied, name in zip(sides, (tied_truth, tied_observed), names, strict=True):
        if side.scores is None:
            continue
        decimals = side.scores.decimals()
        if tied and decimals is not None and 2 <= decimals <= 4:
            notes.append(
                f"the scores of {name} have {decimals} decimals, which may have made its "
                f"{counted(int(tied), 'tied pair')} of means: more decimals would tell"
            )
        twins = _twins(side.scores)
        if twins:
            groups = "; ".join(listing(group) for group in twins[:5]) + ("; ..." if len(twins) > 5 else "")
            notes.append(f"systems of {name} with the same score on every topic, so perhaps one run twice: {groups}")
    return notes


def _twins(scores: Scores) -> list[list[str]]:
    """Groups of systems with the same score on every topic."""
    groups: dict[bytes, list[str]] = {}
    for k, system in enumerate(scores.systems):
        groups.setdefault(scores.values[:, k].tobytes(), []).append(system)
    return [group for group in groups.values() if len(group) > 1]
