"""`compare`: one ranking against another, by every coefficient that the data admit, with its caveats."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal, get_args

import numpy as np

from .alignment import On, Side, alignment, best_of, matched, measures_of
from .arrays import FloatArray
from .chance.permutation import chance_pvalue
from .clusters import Groups
from .coefficients.registry import Coefficient, get_coefficient, headlines, list_coefficients
from .coefficients.sums import concordance
from .coefficients.ties import TieBounds, bounds_of
from .comparison_result import CoefficientValue, Comparison, PerTopic
from .door import Collection, as_side
from .errors import InputError, LimitError, TiesError, check_choice
from .incomplete import open_to_holes
from .judges.ranking import JudgeRanking, ranking_of
from .judges.verdicts import too_few
from .judges.worth import How, Judged, JudgeWorth, for_worth, worth_of
from .parallel import Workers
from .ranks.distance import Problem
from .ranks.distribution import RankTestMethod
from .ranks.testing import RankTest, rank_test_of
from .resampling import Progress, Resampling, Seed, check_level
from .results import settings_of
from .scores import Means, Scores
from .tables import Missing
from .topics.bootstrap import check_bootstrap, limits
from .topics.correlation import NO_INTERVAL, estimate_of, not_resampled, undefined_on
from .totals import Aggregate, Totalling, Types
from .words import counted, listing, nearly_reversed

Notes = list[str]
_FAR = 1e6  # times the median of the systems' largest scores


def compare(
    truth: Collection,
    candidate: Collection,
    *,
    coefficients: Iterable[str] | None = None,
    top: int | None = None,
    per_topic: bool = False,
    on: On = "both",
    missing: Missing = "error",
    aggregate: Aggregate = "mean",
    types: Types | None = None,
    groups: Groups | None = None,
    names: tuple[str, str] = ("truth", "candidate"),
    interval: bool = False,
    test: bool = False,
    worth: bool = True,
    rank_test: RankTestMethod | None = "recentred",
    confidence_level: float = 0.95,
    n_resamples: int = 9_999,
    rng: Seed = None,
    workers: Workers = 1,
    progress: Progress | None = None,
) -> Comparison:
    """Compare the ranking of the systems in `candidate` with that in `truth`.

    Parameters
    ----------
    truth, candidate : what `as_scores` takes
        `Scores`, files, frames, results of an evaluation tool, or one score per system as a dictionary, a pandas Series
        or `Means`. Systems and topics are matched by their labels. What only one side has is left out; an
        `AlignmentWarning` and the result's notes name it.
    coefficients : iterable of str, optional
        Names from `list_coefficients`; by default all. Where one is not defined for these data (ties, say) the result
        says why.
    top : int, optional
        Compare the k best systems of the truth only, those tied with the k-th included.
    per_topic : bool
        Also compute the coefficients on the scores of each topic; their mean and spread over topics.
    on : {"both", "systems"}
        "both": means over the topics that both sides have. "systems": each side's means over its own topics, for
        rankings from different topics.
    missing : {"error", "zero", "drop", "drop-systems", "mean", "available"}
        What to do where a system lacks a topic, of the systems and topics that are compared; as in `read_scores`. With
        "available" a side with holes is compared by its means on all topics, and has no tests over topics.
    aggregate : {"mean", "type-mean", "borda", "mean-rank", "z-score", "win-rate"}
        The total that both sides rank the systems by, as in `rank_intervals`. Points of a topic (ranks, say) are those
        among the systems that both sides have. `truth_means` and `candidate_means` then are mean points.
    types : mapping, Series or path, optional
        For "type-mean", the type of each topic.
    groups : mapping, Series or path, optional
        The group of each topic, where topics come in groups: one row per group takes their place, in
        intervals and tests, and in `topics`.
    names : tuple of str
        What to call the sides.
    interval : bool
        Whether to make intervals for the coefficients between the population means; see `correlate`, which gives the
        same.
    test : bool
        Whether to test each coefficient against chance: exactly, or by permutations of the candidate scores.
        Intervals and these tests are for tau_b, tau_ap_b and pearson_rank, or for those named in `coefficients`.
    worth : bool
        Whether to value the candidate's topics in topics of the truth, as `judge_worth` does, where both sides have
        topics in common. By tau_b, or by the first one named in `coefficients` that admits ties.
    rank_test : {"recentred", "paper"} or None
        The test of the rank distance, where the truth has topics: the method of `rank_test`. None: no test.
    confidence_level : float
        Confidence level of the intervals.
    n_resamples : int
        Resamples of the tests and of the intervals, which need at least 500.
    rng : int, Generator or None
        Seed or generator of the resampling. Without one, a seed is drawn, and the settings record it.
    workers : int or concurrent.futures.Executor
        Threads, or an executor.
    progress : callable, optional
        Called with the number of resamples done and the total.

    Returns
    -------
    Comparison
        `comparison["tau_b"]` is a value; `print` shows the verdict and a table, `to_dict` has everything.

    Warns
    -----
    AlignmentWarning
        Where a side has systems or topics that the other lacks.

    Examples
    --------
    >>> import concordant as cc
    >>> people = {"dense": 0.61, "hybrid": 0.64, "bm25": 0.45, "rm3": 0.47}
    >>> model = {"bm25": 0.50, "rm3": 0.58, "dense": 0.70, "hybrid": 0.70}
    >>> print(cc.compare(people, model, coefficients=["tau", "tau_a", "tau_b"], names=("people", "model")))
    model and people: tau_b = 0.9129
    <BLANKLINE>
      4 systems; truth: people; 1 tied pair in model
      tau                           -   ties in candidate
      tau_a                    0.8333
      tau_b                    0.9129
    <BLANKLINE>
      tau over all orders of the tied systems: 0.6667 to 1.0000, expected 0.8333

    """
    wanted, level = _wanted(coefficients), check_level(confidence_level)
    check_choice("on", on, get_args(On))
    check_choice("rank_test", rank_test, (*get_args(RankTestMethod), None))
    if len(names) != 2 or not all(isinstance(name, str) for name in names):
        raise InputError(f"names is {names!r}: give two strings, what to call the truth and what the candidate")
    if per_topic and on == "systems":
        raise InputError("per_topic compares topic by topic, and on='systems' says that the topics differ: choose one")
    drawn = Resampling.of(n_resamples, rng, workers, progress)
    if interval:
        check_bootstrap("auto", drawn.n_resamples)
    given = (as_side(truth, "truth", missing=missing), as_side(candidate, "candidate", missing=missing))
    found = matched(open_to_holes(given[0]), open_to_holes(given[1]), on, names)
    totalling = Totalling(aggregate, types, groups)
    sides = totalling(*found.scores)
    kept, more = best_of(sides[0], top)
    a, b = (side.select(kept) for side in sides)
    x, y = a.means(), b.means()
    if len(x) < 2:
        raise InputError(f"{counted(len(x), 'system')} to compare: at least 2 are needed that both sides have")
    x.flags.writeable = y.flags.writeable = False
    _, counts = concordance(x, y)
    notes: Notes = [*found.notes, *more, *nearly_reversed(get_coefficient("tau_b").attempt(x, y)[0], "tau_b")]
    values = [CoefficientValue(c.name, *c.attempt(x, y)) for c in wanted]
    chosen = headlines("inferred") if coefficients is None else tuple(c.name for c in wanted)
    tests = [k for k, v in enumerate(values) if test and v.coefficient in chosen and not v.why]
    stages = _stages(drawn, bool(interval) + len(tests) + 1)
    if interval:
        notes += _add_intervals(values, chosen, (a, b), level, next(stages))
    for k in tests:
        pvalue = chance_pvalue(get_coefficient(values[k].coefficient), x, y, next(stages))
        values[k] = replace(values[k], pvalue=pvalue)
    tied_truth, tied_candidate = int(counts.tied_truth), int(counts.tied_candidate)
    notes += [*_doubts(a, tied_truth, names[0]), *_doubts(b, tied_candidate, names[1]), *_twins((a, b), names)]
    all_tied = tied_candidate == len(x) * (len(x) - 1) / 2
    tested, test_notes = _rank_test(a, y, None if all_tied else rank_test, next(stages))
    by_topic = isinstance(a, Scores) and isinstance(b, Scores) and on == "both"
    same = _same(a, b)
    valued, worth_notes = (
        _worth((a, b), names, wanted, level, drawn, totalling) if worth and by_topic and not same else (None, [])
    )
    return Comparison(
        truth=names[0],
        candidate=names[1],
        measure=measures_of(a, b),
        systems=a.systems,
        topics=a.topics if by_topic else (),
        truth_means=x,
        candidate_means=y,
        lower_is_better=(a.lower_is_better, b.lower_is_better),
        values=tuple(values),
        tied_truth=tied_truth,
        tied_candidate=tied_candidate,
        tied_both=int(counts.tied_both),
        tie_bounds=_bounds(wanted, x, y) if tied_candidate else (),
        per_topic=tuple(_on_topics(c, a, b) for c in wanted) if per_topic else (),
        rank_test=tested,
        worth=valued,
        same=same,
        totalling=totalling,
        notes=(*notes, *test_notes, *worth_notes),
        settings=settings_of(
            seed=drawn.seed,
            n_resamples=drawn.n_resamples,
            confidence_level=level,
            top=top,
            per_topic=per_topic,
            on=on,
            interval=interval,
            test=test,
            worth=worth,
            rank_test=rank_test,
            **totalling.settings(),
        ),
    )


def _stages(drawn: Resampling, count: int) -> Iterator[Resampling]:
    """The same draws for each of so many stages, which together go once from nothing done to all of it."""
    for k in range(count):

        def part(done: int, total: int, before: int = k) -> None:
            if drawn.progress is not None:
                drawn.progress(int((before + done / total) * drawn.n_resamples), count * drawn.n_resamples)

        yield replace(drawn, progress=part)


def _wanted(coefficients: Iterable[str] | None) -> tuple[Coefficient, ...]:
    if coefficients is None:
        return list_coefficients()
    if isinstance(coefficients, str):
        coefficients = [coefficients]
    return tuple(get_coefficient(name) for name in dict.fromkeys(coefficients))


def _add_intervals(
    values: list[CoefficientValue],
    chosen: Sequence[str],
    sides: tuple[Scores | Means, Scores | Means],
    level: float,
    drawn: Resampling,
) -> Notes:
    """Give values their intervals, all from the same resamples; and say why some have none."""
    a, b = sides
    if isinstance(a, Means) or isinstance(b, Means) or a.topics != b.topics:
        raise InputError("interval resamples topics: give both sides by topic, on the same topics")
    if len(a.topics) < 2:
        raise InputError("there is only 1 topic that both sides have: an interval needs at least 2, better 25")
    places = [k for k, v in enumerate(values) if v.coefficient in chosen and not v.why]
    entries = {k: get_coefficient(values[k].coefficient) for k in places}
    notes = [f"{c.name} has no interval: {why}" for c in entries.values() if (why := not_resampled(c))]
    entries = {k: c for k, c in entries.items() if not not_resampled(c)}
    if not entries:
        return notes
    each = limits((a.values, b.values), list(entries.values()), "auto", level, drawn)
    for (k, c), found in zip(entries.items(), each, strict=True):
        if found is None:
            notes.append(f"{c.name} has no interval: {NO_INTERVAL}")
            continue
        if found.note and found.note not in notes:
            notes.append(found.note)
        if found.undefined:
            notes.append(f"{c.name}: {undefined_on(found)}")
        sizes: dict[str, Any] = {"n_systems": len(a.systems), "n_topics": len(a.topics), "test": None}
        estimate = estimate_of(c, values[k].value, found, level, seed=drawn.seed, **sizes)
        values[k] = replace(values[k], estimate=estimate)
    return notes


def _bounds(wanted: Sequence[Coefficient], x: FloatArray, y: FloatArray) -> tuple[TieBounds, ...]:
    found = []
    for name in dict.fromkeys(c.bounds for c in wanted if c.bounds):
        try:
            bounds = bounds_of(get_coefficient(name), x, y)
        except (TiesError, LimitError):  # the truth has ties as well, so is no objective ranking; or far too many
            continue
        if not np.isnan(bounds.expected):
            found.append(bounds)
    return tuple(found)


def _on_topics(c: Coefficient, truth: Scores | Means, candidate: Scores | Means) -> PerTopic:
    if isinstance(truth, Means) or isinstance(candidate, Means):
        raise InputError("per_topic needs the scores of topics on both sides: give Scores or files of them")
    none = (math.nan,) * len(truth.topics)
    try:
        values = np.asarray(c.formula(truth.values, candidate.values))
    except TiesError as error:
        topic = truth.topics[error.positions[0][0]]
        return PerTopic(c.name, math.nan, math.nan, none, f"ties in {error.side} on topic {topic}")
    except LimitError as error:
        return PerTopic(c.name, math.nan, math.nan, none, str(error))
    defined = values[~np.isnan(values)]
    mean = float(defined.mean()) if defined.size else math.nan
    sd = float(defined.std(ddof=1)) if defined.size > 1 else math.nan
    return PerTopic(c.name, mean, sd, tuple(values.tolist()), "" if defined.size else "undefined on every topic")


def _rank_test(
    truth: Scores | Means,
    candidate: FloatArray,
    method: RankTestMethod | None,
    drawn: Resampling,
) -> tuple[RankTest | None, Notes]:
    """The test of the rank distance, and what may be doubtful about it."""
    if method is None or isinstance(truth, Means) or len(truth.topics) < 2:
        return None, []
    try:
        problem = Problem.of(truth, 1e-5, "the test")
        if method == "recentred" and problem.m >= problem.n:  # nothing is claimed for it, so nothing is resampled
            return RankTest.untested(problem, candidate, drawn.seed), list(problem.doubts)
        tested = rank_test_of(problem, candidate, method, drawn)
    except LimitError as error:  # all else can be compared
        return None, [f"no rank test: {error}"]
    return tested, list(tested.notes)


def _worth(
    sides: Any,
    names: tuple[str, str],
    wanted: Sequence[Coefficient],
    level: float,
    drawn: Resampling,
    totalling: Totalling,
) -> tuple[JudgeWorth | None, Notes]:
    """What the candidate's topics are worth; or why that is not known."""
    known = for_worth(wanted)
    if known is None or known.attempt(sides[0].means(), sides[1].means())[1]:
        return None, []
    groups = None if totalling.groups is None else len(sides[0].topics)
    found = worth_of(Judged(sides[0], sides[1], names, groups=groups), How(known, level, drawn))
    return (None, [found.verdict]) if found.reason else (found, [])


def sides_of(c: Comparison, truth: Side, candidate: Side) -> tuple[Scores | Means, Scores | Means]:
    """What was compared, on the systems and topics of the comparison."""

    def taken(side: Scores | Means) -> Scores | Means:
        return side.select(c.systems) if isinstance(side, Means) else side.select(c.systems, c.topics or None)

    a, b = c.totalling(*alignment(truth, candidate, on="both" if c.topics else "systems").scores)
    return taken(a), taken(b)


def ranked(
    found: Sequence[Comparison], truth: Side, candidates: Sequence[Side], workers: Workers = 1
) -> tuple[list[Comparison], JudgeRanking | None]:
    """Several candidates, and which of them could be the best.

    None, and what was found as it is, where they were not all compared on the same topics.
    """
    first = found[0]
    names = (first.truth, *(c.candidate for c in found))
    alike = len({(c.systems, c.topics) for c in found}) == 1 and len(set(names)) == len(names)
    known = for_worth([get_coefficient(v.coefficient) for v in first.values])
    if known is None or not alike or len(found) < 2 or too_few(len(first.topics), len(first.systems)):
        return list(found), None
    if any(c.same or math.isnan(c[known.name]) for c in found):
        return list(found), None
    groups = None if first.totalling.groups is None else len(first.topics)
    sides = []
    for c, side in zip(found, candidates, strict=True):
        one, other = sides_of(c, truth, side)
        assert isinstance(one, Scores)
        assert isinstance(other, Scores)
        sides.append(Judged(one, other, (c.truth, c.candidate), groups=groups))
    drawn = Resampling.of(first.settings["n_resamples"], first.settings["seed"] or 0, workers)
    ranking = ranking_of(sides, sides, How(known, first.settings["confidence_level"], drawn))
    worths = {judge.names[1]: None if judge.reason else judge for judge in ranking.judges}
    return [replace(c, worth=worths[c.candidate], settings={**c.settings, "worth": True}) for c in found], ranking


def _same(truth: Scores | Means, candidate: Scores | Means) -> Literal["", "scores", "means"]:
    """What is equal on both sides for every system."""
    if isinstance(truth, Scores) and isinstance(candidate, Scores) and np.array_equal(truth.values, candidate.values):
        return "scores"
    return "means" if np.allclose(truth.means(), candidate.means(), rtol=1e-12, atol=0) else ""


def _doubts(side: Scores | Means, tied: int, name: str) -> Notes:
    """Scores that are far beyond all others, ties that rounding may have made, and systems that may be one."""
    notes = []
    size = np.abs(np.atleast_2d(side.values)).max(axis=0)
    far = np.flatnonzero(size > _FAR * np.median(size[size > 0])) if (size > 0).any() else np.empty(0, np.intp)
    if far.size:
        notes.append(
            f"scores of {name} are up to {size.max():.3g} in size for {listing(side.systems[k] for k in far)}, over a "
            "million times those of the others: a system that diverged, or a number that stands for a missing score?"
        )
    if isinstance(side, Means):
        return notes
    decimals = side.decimals()
    if tied and decimals is not None and 2 <= decimals <= 4:
        notes.append(
            f"the scores of {name} have {decimals} decimals, which may have made its "
            f"{counted(tied, 'tied pair')} of means: more decimals would tell"
        )
    return notes


def _twins(sides: tuple[Scores | Means, Scores | Means], names: tuple[str, str]) -> Notes:
    """Systems that score the same on every topic, each group once, with the sides on which they do."""
    where: dict[tuple[str, ...], list[str]] = {}
    for side, name in zip(sides, names, strict=True):
        groups: dict[bytes, list[str]] = {}
        for k, system in enumerate(side.systems if isinstance(side, Scores) else ()):
            groups.setdefault(side.values[:, k].tobytes(), []).append(system)
        for group in groups.values():
            if len(group) > 1:
                where.setdefault(tuple(group), []).append(name)
    notes = []
    for on in dict.fromkeys(map(tuple, where.values())):
        twins = [group for group, its in where.items() if tuple(its) == on]
        shown = "; ".join(map(listing, twins[:5])) + ("; ..." if len(twins) > 5 else "")
        sides_named = "on both sides" if len(on) == 2 else f"in {on[0]}"
        notes.append(f"systems with the same score on every topic {sides_named}, so perhaps one run twice: {shown}")
    return notes
