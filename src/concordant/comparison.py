"""`compare`: one ranking against another, by every coefficient that the data admit, with what to mind."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from typing import Any, Literal

import numpy as np

from . import __version__
from .arrays import FloatArray
from .chance.pvalues import chance_pvalue
from .coefficients.registry import Coefficient, get_coefficient, headlines, list_coefficients
from .coefficients.sums import concordance
from .coefficients.ties import TieBounds, tie_bounds
from .comparison_result import CoefficientValue, Comparison, PerTopic
from .errors import InputError, LimitError, TiesError, UndefinedCorrelationWarning
from .ranks import testing
from .ranks.distribution import DistanceDistribution, RankTestMethod
from .ranks.testing import RankTest
from .resampling import Progress, seeded
from .scores import Scores
from .sides import Labelled, Side, aligned, best_of, measure_of, side_of
from .topics.bootstrap import TopicBootstrap
from .topics.correlation import correlate
from .words import counted, listing

def compare(
    truth: Labelled,
    candidate: Labelled,
    coefficients: Iterable[str] | None = None,
    *,
    top: int | None = None,
    per_topic: bool = False,
    on: Literal["both", "systems"] = "both",
    names: tuple[str, str] = ("truth", "candidate"),
    interval: TopicBootstrap | None = None,
    test: bool = False,
    rank_test: RankTestMethod | None = "recentred",
    n_resamples: int = 9_999,
    distribution: DistanceDistribution | None = None,
    rng: int | np.random.Generator | None = None,
    workers: int = 1,
    progress: Progress | None = None,
) -> Comparison:
    """Compare the ranking of the systems in `candidate` with that in `truth`.

    Parameters
    ----------
    truth, candidate
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
    interval
        How to make intervals for the coefficients between the population means, such as `TopicBootstrap()`; see
        `correlate`. None: no intervals.
    test
        Whether to test each coefficient against chance: exactly, or by permutations of the candidate scores.
        Intervals and these tests are for tau_b, tau_ap_b and pearson_rank, or for those named in `coefficients`.
    rank_test, distribution
        The test of the rank distance, where the truth has topics: the method of `rank_test`. None: no test.
    n_resamples
        Resamples of the tests.
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
    4 systems; truth: truth; 1 tied pair in candidate
    <BLANKLINE>
      tau                           -   ties in candidate
      tau_a                    0.8333
      tau_b                    0.9129
    <BLANKLINE>
      tau over all orders of the tied systems: 0.6667 to 1.0000, expected 0.8333
    """
    wanted = _wanted(coefficients)
    if on not in ("both", "systems"):
        raise InputError(f"on is {on!r}: use 'both' (systems and topics) or 'systems'")
    if len(names) != 2 or not all(isinstance(name, str) for name in names):
        raise InputError(f"names is {names!r}: give two strings, what to call the truth and what the candidate")
    if per_topic and on == "systems":
        raise InputError("per_topic compares topic by topic, and on='systems' says that the topics differ: choose one")
    sides, notes = aligned(side_of(truth, "truth"), side_of(candidate, "candidate"), on, names)
    sides, more = best_of(sides, top)
    x, y = sides[0].means, sides[1].means
    if len(x) < 2:
        raise InputError(f"{counted(len(x), 'system')} to compare: at least 2 are needed that both sides have")
    x.flags.writeable = y.flags.writeable = False
    _, counts = concordance(x, y)
    bounds = _bounds(wanted, x, y) if counts.tied_candidate else ()
    rng = seeded(rng)
    options = {"n_resamples": n_resamples, "rng": rng, "workers": workers, "progress": progress}
    values = tuple(_value(c, x, y) for c in wanted)
    chosen = headlines("inferred") if coefficients is None else tuple(c.name for c in wanted)
    if interval is not None:
        values, more_notes = _with_intervals(values, chosen, sides, interval, options)
        notes += more_notes
    if test:
        values = tuple(_tested(value, sides, options) if value.coefficient in chosen else value for value in values)
    all_tied = counts.tied_candidate == len(x) * (len(x) - 1) / 2
    tested, test_notes = _rank_test(sides, None if all_tied else rank_test, {**options, "distribution": distribution})
    shared = sides[0].scores is not None and sides[1].scores is not None and on == "both"
    return Comparison(
        truth=names[0],
        candidate=names[1],
        measure=measure_of(sides),
        systems=sides[0].systems,
        topics=sides[0].scores.topics if shared and sides[0].scores else (),
        truth_means=x,
        candidate_means=y,
        values=values,
        tied_truth=int(counts.tied_truth),
        tied_candidate=int(counts.tied_candidate),
        tied_both=int(counts.tied_both),
        tie_bounds=bounds,
        per_topic=_per_topic(wanted, sides) if per_topic else (),
        rank_test=tested,
        notes=(*notes, *more, *_minds(sides, counts.tied_truth, counts.tied_candidate, names), *test_notes),
        settings={
            "top": top,
            "per_topic": per_topic,
            "on": on,
            "interval": None if interval is None else asdict(interval),
            "test": test,
            "rank_test": rank_test,
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


def _value(c: Coefficient, x: FloatArray, y: FloatArray) -> CoefficientValue:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = float(c.function(x, y))
        except TiesError:
            side = "truth" if "truth" not in c.ties and len(np.unique(x)) < len(x) else "candidate"
            return CoefficientValue(c.name, math.nan, f"ties in {side}")
        except LimitError as error:
            return CoefficientValue(c.name, math.nan, str(error))
    undefined = [str(w.message) for w in caught if issubclass(w.category, UndefinedCorrelationWarning)]
    return CoefficientValue(c.name, value, undefined[0].removeprefix("undefined, so nan: ") if undefined else "")


def _with_intervals(
    values: tuple[CoefficientValue, ...],
    chosen: Sequence[str],
    sides: tuple[Side, Side],
    interval: TopicBootstrap,
    options: dict[str, Any],
) -> tuple[tuple[CoefficientValue, ...], list[str]]:
    """The values with their intervals, and why some have none."""
    if sides[0].scores is None or sides[1].scores is None or sides[0].scores.topics != sides[1].scores.topics:
        raise InputError("interval resamples topics: give both sides by topic, on the same topics")
    how = {name: options[name] for name in ("rng", "workers", "progress")}
    found, notes = [], []
    for value in values:
        if value.coefficient not in chosen or value.why:
            found.append(value)
            continue
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                estimate = correlate(sides[0].scores, sides[1].scores, value.coefficient, interval=interval, **how)
            except TiesError as error:
                notes.append(f"{value.coefficient} has no interval: {error}")
                estimate = None
        notes += [f"{value.coefficient}: {w.message}" for w in caught]
        found.append(replace(value, estimate=estimate))
    return tuple(found), notes


def _tested(value: CoefficientValue, sides: tuple[Side, Side], options: dict[str, Any]) -> CoefficientValue:
    if value.why:
        return value
    known = get_coefficient(value.coefficient)
    return replace(value, pvalue=chance_pvalue(known, sides[0].means, sides[1].means, **options))


def _bounds(wanted: Sequence[Coefficient], x: FloatArray, y: FloatArray) -> tuple[TieBounds, ...]:
    found = []
    for name in dict.fromkeys(c.bounds for c in wanted if c.bounds):
        try:
            found.append(tie_bounds(x, y, name))
        except (TiesError, LimitError):  # the truth has ties as well, so is no objective ranking; or far too many
            continue
    return tuple(found)


def _per_topic(wanted: Sequence[Coefficient], sides: tuple[Side, Side]) -> tuple[PerTopic, ...]:
    a, b = sides[0].scores, sides[1].scores
    if a is None or b is None:
        raise InputError("per_topic needs the scores of topics on both sides: give Scores or files of them")
    return tuple(_over_topics(c, a, b) for c in wanted)


def _over_topics(c: Coefficient, truth: Scores, candidate: Scores) -> PerTopic:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            values = np.asarray(c.function(truth.values, candidate.values))
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
    sides: tuple[Side, Side], method: RankTestMethod | None, options: dict[str, Any]
) -> tuple[RankTest | None, list[str]]:
    """The test of the rank distance, and what it warns of."""
    truth = sides[0].scores
    if method is None or truth is None or len(truth.topics) < 2:
        return None, []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            tested = testing.rank_test(truth, sides[1].means, method, **options)
        except LimitError as error:  # all else can be compared
            return None, [f"no rank test: {error}"]
    return tested, list(dict.fromkeys(str(w.message) for w in caught))


# What to mind -------------------------------------------------------------------------------------


def _minds(sides: tuple[Side, Side], tied_truth: Any, tied_candidate: Any, names: tuple[str, str]) -> list[str]:
    notes = []
    for side, tied, name in zip(sides, (tied_truth, tied_candidate), names, strict=True):
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
