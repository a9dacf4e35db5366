"""`compare`: compare rankings with a truth, using every coefficient that is defined for the data, and add caveats."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from ..arrays import FloatArray, Workers
from ..coefficients.registry import Coefficient, bounds_of, get_coefficient, headlines, list_coefficients
from ..coefficients.registry import all_pairs as all_pairs_of
from ..coefficients.sums import concordance
from ..data.results import Findings, seed_of, settings_of
from ..data.scores import Means, Scores
from ..errors import InputError, LimitError, TiesError, counted, listing, nearly_reversed
from ..inference.intervals import check_bootstrap, limits
from ..inference.resampling import Progress, Resampling, Seed
from ..judges.curves import Curve, How
from ..judges.worth import JudgeRanking, for_worth, matched_judge, on_the_same, ranking_of, worth_of
from ..options import checked
from ..pairing import Noun, On, Pairing, match, measures_of, pairings, rejoined, together
from ..ranks.distance import Problem, RankTestMethod, rank_test_of
from ..read.reader import Collection
from .comparison_result import CoefficientValue, Compared, Comparison, PerTopic
from .comparison_text import is_named
from .correlation import FEWEST, NO_INTERVAL, TOO_FEW, chance_pvalue, check_pairing, estimate_of, undefined_on
from .tables import compared_by, read_by

Notes = list[str]
_FAR = 1e6  # a score is an outlier above this many times the median of the systems' largest scores


@checked
def compare(
    truth: Collection | Pairing,
    candidates: Any = None,
    *,
    names: Sequence[str] | None = None,
    on: On = "both",
    top: int | None = None,
    noun: Noun | None = None,
    measures: str | Sequence[str] | None = None,
    collections: Mapping[str, Any] | None = None,
    coefficients: str | Iterable[str] | None = None,
    per_topic: bool = False,
    interval: bool = False,
    test: bool = False,
    worth: bool = True,
    new_systems: bool = True,
    rank_test: RankTestMethod | None = "recentred",
    all_pairs: bool = False,
    confidence_level: float = 0.95,
    n_resamples: int = 9_999,
    rng: Seed = None,
    workers: Workers = 1,
    progress: Progress | None = None,
) -> Any:  # Comparison, or Findings if measures or collections are given; a union would make callers check
    """Compare how one or more candidates rank the systems with how `truth` ranks them.

    Parameters
    ----------
    truth : what `as_scores` takes, or a Pairing
        `Scores`, files, frames, results of an evaluation tool, or one score per system as a dictionary, a pandas Series
        or `Means`. A `Pairing` holds all sides, restricted to their common systems and topics.
    candidates : what `as_scores` takes, a list of these, or a mapping from names to them
        One or more candidates. In a folder, each file with a table of several systems is one candidate. Each candidate
        is matched with the truth separately, so its numbers do not depend on the other candidates. Systems and topics
        that only one side has are left out; an `AlignmentWarning` and the notes name them.
    names, on, top, noun
        As in `pair`.
    measures : iterable of str or "all", optional
        Measures by which to compare files; "all" stands for every measure that the files have in common. The
        result has one row per measure and candidate, each equal to a separate call of `compare`.
    collections : mapping of str to path, optional
        Names and folders of several collections, such as language pairs. `truth` and `candidates` are then file names
        in each folder. The result has an average over the collections, with an interval.
    coefficients : iterable of str, optional
        Names from `list_coefficients`; by default all. If one is undefined for these data, for instance because of
        ties, the result says why.
    per_topic : bool
        Whether to compute the coefficients on each topic too, with their mean and standard deviation over topics.
    interval : bool
        Whether to compute intervals for the coefficients between the population means, as `correlate` does.
    test : bool
        Whether to test each coefficient against chance, exactly or by permuting the candidate scores. Intervals and
        tests cover tau_b, tau_ap_b and pearson_rank, or the coefficients named in `coefficients`.
    worth : bool
        Whether to estimate how many topics of the truth the candidates' topics are worth, as `judge_worth` and
        `rank_judges` do. This uses tau_b, or the first of `coefficients` that admits ties.
    new_systems : bool
        Whether the interval of the worth is for new systems and new topics. If False, it is for new topics and the
        same systems.
    rank_test : {"recentred", "paper"} or None
        Method by which `rank_test` tests the rank distance. The test needs a truth with topics. None: no test.
    all_pairs : bool
        Whether to compare all pairs of sides as well, on their common systems and topics. The result's `matrix` holds
        their tau_b, or the first of `coefficients`.
    confidence_level : float
        Confidence level of the intervals.
    n_resamples : int
        Number of resamples for tests and intervals. Intervals need at least 500.
    rng : int, Generator or None
        Seed or generator for the resampling. If it is None, a seed is drawn, and the settings record this seed.
    workers : int or concurrent.futures.Executor
        Number of threads, or an executor.
    progress : callable, optional
        Called with the number of resamples (or candidates) done, and the total.

    Returns
    -------
    Comparison
        `found["tau_b"]` is the value of tau_b; with several candidates, write `found["gpt"]["tau_b"]`. `print` shows
        the verdict and a table, `report` writes a page, and `to_dict` returns everything. With `measures` or
        `collections` the result is a table: `parts` holds each comparison, `averages` the averages over collections.

    Warns
    -----
    AlignmentWarning
        If one side has systems or topics that the other lacks.

    See Also
    --------
    pair : Match the sides first, to see what is left out.
    correlate : Compute one coefficient with its interval.
    explain : Find the systems and topics that make two rankings disagree.
    judge_worth : Estimate how many topics of the truth a judge's topics are worth.

    Examples
    --------
    >>> import concordant as cc
    >>> people = {"dense": 0.61, "hybrid": 0.64, "bm25": 0.45, "rm3": 0.47}
    >>> model = {"bm25": 0.50, "rm3": 0.58, "dense": 0.70, "hybrid": 0.70}
    >>> print(cc.compare(people, model, names=("people", "model")).verdict)
    model swaps none of 6 pairs of people's systems (tau_b 0.91).

    """
    if measures is not None or collections is not None:
        how_each = dict(
            names=names, on=on, top=top, noun=noun, coefficients=coefficients, per_topic=per_topic, interval=interval,
            test=test, worth=worth, new_systems=new_systems, rank_test=rank_test, confidence_level=confidence_level,
            n_resamples=n_resamples, rng=rng, workers=workers, progress=progress,
        )  # fmt: skip
        return compared_by(compare, read_by(truth, candidates, measures, collections), how_each)
    wanted, level = _wanted(coefficients), confidence_level
    if per_topic and on == "systems":
        raise InputError("per_topic needs common topics, but on='systems' matches systems only: choose one")
    drawn = Resampling.of(n_resamples, rng, workers, progress)
    if interval:
        check_bootstrap(drawn.n_resamples)
    pairs = pairings(truth, candidates, names=names, on=on, top=top, noun=noun)
    for one in pairs:
        check_pairing(one, interval=interval, per_topic=per_topic)
    settings = settings_of(
        seed=drawn.seed,
        n_resamples=drawn.n_resamples,
        confidence_level=level,
        top=top,
        per_topic=per_topic,
        on=on,
        interval=interval,
        test=test,
        worth=worth,
        new_systems=new_systems,
        rank_test=rank_test,
    )
    chosen = headlines("inferred") if coefficients is None else tuple(c.name for c in wanted)
    found = []
    for k, one in enumerate(pairs, 1):
        found.append(_compared(one, wanted, chosen, settings, drawn if len(pairs) == 1 else drawn.quiet()))
        if len(pairs) > 1:
            drawn.progress(k, len(pairs))
    found, ranking = _valued(found, drawn) if worth else (found, None)
    matrix = _matrix(pairs, wanted) if all_pairs else None
    if all_pairs:
        settings = {**settings, "matrix": _main(wanted).name}
    notes = found[0].notes if len(found) == 1 else [n for n in found[0].notes if all(n in c.notes for c in found)]
    return Comparison(
        tuple(found),
        ranking,
        matrix,
        notes=tuple(notes),
        settings=settings | pairs[0].settings,
        data=together(pairs),
    )


def _main(wanted: Sequence[Coefficient]) -> Coefficient:
    return get_coefficient("tau_b") if len(wanted) == len(list_coefficients()) else wanted[0]


def _matrix(pairs: Sequence[Pairing], wanted: Sequence[Coefficient]) -> FloatArray:
    """Compute a coefficient between every two sides, on the systems and topics that they share."""
    sides, names = rejoined(pairs)
    by_topic = all(one.by_topic for one in pairs)
    found = match(sides, names, "both" if by_topic else "systems", choice=True, holes=True)
    means = np.stack([side.means() for side in found.observations()])
    return all_pairs_of(_main(wanted).function, means, names)


def _compared(
    found: Pairing,
    wanted: Sequence[Coefficient],
    chosen: Sequence[str],
    settings: Mapping[str, Any],
    drawn: Resampling,
) -> Compared:
    """Compare one candidate with the truth."""
    a, b = found.observations()
    x, y = a.means(), b.means()
    x.flags.writeable = y.flags.writeable = False
    names = (found.names[0], found.names[1])
    _, counts = concordance(x, y)
    notes: Notes = [*found.notes, *nearly_reversed(get_coefficient("tau_b").attempt(x, y)[0], "tau_b")]
    values = [CoefficientValue(c.name, *c.attempt(x, y)) for c in wanted]
    tied_truth, tied_candidate = int(counts.tied_truth), int(counts.tied_candidate)
    notes += [*_doubts(a, tied_truth, names[0]), *_doubts(b, tied_candidate, names[1]), *_twins((a, b), names)]
    all_tied = tied_candidate == len(x) * (len(x) - 1) / 2
    asked = None if all_tied else settings["rank_test"]
    tested, test_notes = _rank_test(a, y, asked, drawn.quiet() if settings["interval"] else drawn)
    made = Compared(
        truth=names[0],
        candidate=names[1],
        measure=measures_of(a, b),
        systems=a.systems,
        topics=a.topics if found.by_topic else (),
        truth_means=x,
        candidate_means=y,
        lower_is_better=(a.lower_is_better, b.lower_is_better),
        values=tuple(values),
        tied_truth=tied_truth,
        tied_candidate=tied_candidate,
        tied_both=int(counts.tied_both),
        swapped=int(counts.discordant),
        tie_bounds=_bounds(wanted, x, y) if tied_candidate else (),
        per_topic=tuple(_on_topics(c, a, b) for c in wanted) if settings["per_topic"] else (),
        rank_test=tested,
        same=_same(a, b),
        pairing=found,
        notes=(*notes, *test_notes),
        settings={**settings, **found.settings},
    )
    return inferred(made, chosen, drawn, interval=settings["interval"], test=settings["test"])


def inferred(c: Compared, chosen: Sequence[str], drawn: Resampling, *, interval: bool, test: bool) -> Compared:
    """Add intervals for the chosen coefficients, and test these coefficients against chance."""
    values, notes = list(c.values), list(c.notes)
    if interval:
        notes += _add_intervals(values, chosen, c.pairing, c.settings["confidence_level"], drawn)
    for k, v in enumerate(values if test else ()):
        if v.coefficient in chosen and not v.why:
            p = chance_pvalue(get_coefficient(v.coefficient), c.truth_means, c.candidate_means, drawn.quiet())
            values[k] = replace(v, pvalue=p)
    return replace(c, values=tuple(values), notes=tuple(notes))


def whole(found: Comparison) -> Comparison:
    """Add intervals and tests, drawn with the comparison's own seed. A note says why if there can be no intervals."""
    settings = found.settings
    interval, test = not settings["interval"], not settings["test"]
    chosen = [v.coefficient for v in found.comparisons[0].values] if is_named(found) else headlines("inferred")
    made = []
    for c in found.comparisons:
        drawn = Resampling.of(settings["n_resamples"], seed_of(settings))
        why = ""
        try:
            check_bootstrap(drawn.n_resamples)
            check_pairing(c.pairing, interval=True)
        except InputError as error:
            why = f"there are no intervals: {error}"
        now = inferred(c, chosen, drawn, interval=interval and not why, test=test)
        known = {**now.settings, "interval": True, "test": True}
        made.append(replace(now, notes=(*now.notes, *[why] * bool(why)), settings=known))
    return replace(found, comparisons=tuple(made), settings={**settings, "interval": True, "test": True})


def _wanted(coefficients: Iterable[str] | None) -> tuple[Coefficient, ...]:
    if coefficients is None:
        return list_coefficients()
    if isinstance(coefficients, str):
        coefficients = [coefficients]
    return tuple(get_coefficient(name) for name in dict.fromkeys(coefficients))


def _add_intervals(
    values: list[CoefficientValue],
    chosen: Sequence[str],
    found: Pairing,
    level: float,
    drawn: Resampling,
) -> Notes:
    """Add intervals to the values, all from the same resamples. Return notes on coefficients that get no interval."""
    a, b = _rows(found)
    if len(a.values) < FEWEST:
        return [TOO_FEW]
    places = [k for k, v in enumerate(values) if v.coefficient in chosen and not v.why]
    entries = {k: get_coefficient(values[k].coefficient) for k in places}
    notes = [f"{c.name} has no interval: {why}" for c in entries.values() if (why := c.not_resampled)]
    entries = {k: c for k, c in entries.items() if not c.not_resampled}
    if not entries:
        return notes
    each = limits((a.values, b.values), list(entries.values()), "auto", level, drawn)
    for (k, c), made in zip(entries.items(), each, strict=True):
        if made is None:
            notes.append(f"{c.name} has no interval: {NO_INTERVAL}")
            continue
        if made.note and made.note not in notes:
            notes.append(made.note)
        if made.undefined:
            notes.append(f"{c.name}: {undefined_on(made)}")
        sizes: dict[str, Any] = {"n_systems": len(a.systems), "n_topics": len(a.topics)}
        estimate = estimate_of(c, values[k].value, made, level, seed=drawn.seed, **sizes)
        values[k] = replace(values[k], estimate=estimate)
    return notes


def _bounds(wanted: Sequence[Coefficient], x: FloatArray, y: FloatArray) -> tuple[Findings, ...]:
    found = []
    for name in dict.fromkeys(c.bounds for c in wanted if c.bounds):
        try:
            bounds = bounds_of(get_coefficient(name), x, y)
        except (TiesError, LimitError):  # bounds need a truth without ties, and not too many ties in candidate
            continue
        if not np.isnan(bounds.expected):
            found.append(bounds)
    return tuple(found)


def _on_topics(c: Coefficient, truth: Scores | Means, candidate: Scores | Means) -> PerTopic:
    assert isinstance(truth, Scores)
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
) -> tuple[Findings | None, Notes]:
    """Test the rank distance, and return the test with its caveats."""
    if method is None or isinstance(truth, Means) or len(truth.topics) < 2:
        return None, []
    try:
        problem = Problem.of(truth, 1e-5, "the test")
        if method == "recentred" and problem.m >= problem.n:  # the test needs more topics than systems
            return rank_test_of(problem, candidate, None, drawn), []
        tested = rank_test_of(problem, candidate, method, drawn)
    except LimitError as error:  # the rest of the comparison is still possible
        return None, [f"no rank test: {error}"]
    return tested, list(tested.notes)


def _valuing(found: Pairing, wanted: Sequence[Coefficient]) -> Coefficient | None:
    """Choose the coefficient by which to estimate a candidate's worth; None if the worth cannot be estimated."""
    known = for_worth(wanted)
    if known is None or not all(isinstance(side, Scores) and len(side.topics) > 1 for side in found.sides):
        return None
    if found.on == "systems" and known.name != "tau_b":  # other coefficients need common topics to split
        return None
    return None if known.attempt(found.truth.means(), found.candidates[0].means())[1] else known


def _rows(found: Pairing) -> tuple[Scores, ...]:
    """Return the sampling units of sides with the same topics: the topics themselves, or groups of topics."""
    return tuple(side for side in found.observations() if isinstance(side, Scores))


def _valued(found: list[Compared], drawn: Resampling) -> tuple[list[Compared], JudgeRanking | None]:
    """Add each candidate's worth, or the reason why its worth is unknown. Rank the candidates if there are several.

    Each worth uses all systems and topics that the candidate shares with the truth. The ranking uses the systems and
    topics that all sides share; it is None if these are too few.
    """
    settings, wanted = found[0].settings, [get_coefficient(v.coefficient) for v in found[0].values]
    different = [c for c in found if not c.same]
    valued = [c for c in different if _valuing(c.pairing, wanted)]
    known = for_worth(wanted)
    if known is None or not valued:
        return found, None
    how = How(known, settings["confidence_level"], drawn, new_systems=settings["new_systems"])
    sides = [replace(matched_judge(c.pairing), notes=()) for c in valued]
    together = on_the_same([c.pairing for c in valued], sides) if len(valued) == len(different) > 1 else None
    ranking = None if together is None else ranking_of(sides, together, how)
    curves: dict[bytes, Curve] = {}
    judges = [worth_of(one, how, curves) for one in sides] if ranking is None else ranking.judges
    worths, made = {judge.names[1]: judge for judge in judges}, []
    for c in found:
        worth = worths.get(c.candidate)
        if worth is not None and worth.reason:
            made.append(replace(c, notes=(*c.notes, worth.verdict)))
        else:
            made.append(replace(c, worth=worth))
    return made, ranking


def _same(truth: Scores | Means, candidate: Scores | Means) -> Literal["", "scores", "means"]:
    """Return "scores" or "means" if these are the same on both sides for every system, otherwise ""."""
    if isinstance(truth, Scores) and isinstance(candidate, Scores) and np.array_equal(truth.values, candidate.values):
        return "scores"
    return "means" if np.allclose(truth.means(), candidate.means(), rtol=1e-12, atol=0) else ""


def _doubts(side: Scores | Means, tied: int, name: str) -> Notes:
    """Write notes on outlying scores, and on ties that may come from rounding."""
    notes = []
    size = np.abs(np.atleast_2d(side.values)).max(axis=0)
    far = np.flatnonzero(size > _FAR * np.median(size[size > 0])) if (size > 0).any() else np.empty(0, np.intp)
    if far.size:
        notes.append(
            f"scores of {name} reach {size.max():.3g} in size for {listing(side.systems[k] for k in far)}, over a "
            "million times those of the others: check for a system that diverged, or a code for missing scores"
        )
    if isinstance(side, Means):
        return notes
    decimals = side.decimals()
    if tied and decimals is not None and 2 <= decimals <= 4:
        notes.append(f"{name} has {decimals} decimals: rounding may have caused its {counted(tied, 'tied pair')}")
    return notes


def _twins(sides: tuple[Scores | Means, Scores | Means], names: tuple[str, str]) -> Notes:
    """Write notes that list systems with identical scores on every topic, and the sides on which they are identical."""
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
        where_named = "everywhere" if len(on) == 2 else f"in {on[0]}"
        notes.append(f"Possible duplicates (identical scores {where_named}): {shown}")
    return notes
