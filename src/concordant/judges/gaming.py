"""`gaming_gap`: how much a system gains by asking the judge, and how much of the gain people see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..arrays import FloatArray, IntArray
from ..data.means import Missing
from ..data.results import Findings, Interval, columns, settings_of
from ..errors import InputError, counted, one_line, require
from ..inference.resampling import Resampling, Seed, resampled_weights
from ..judgments.agreement import expanded
from ..judgments.changes import grades_beside
from ..judgments.evaluation import check_thresholds, evaluate, score
from ..judgments.measures import Measure
from ..judgments.qrels import Qrels
from ..judgments.runs import Runs, numbered
from ..options import checked

DOSES = (10, 20, 30, 50, 70, 100)
FEWEST_TOPICS = 5
_DRAWS = 100  # draws of the favourite run, with the judge's ties broken at random
_SLACK = 1e-12  # systems whose means differ by less are tied


@dataclass(frozen=True)
class Dose:
    """Mean gain of the systems if the judge re-orders the first k documents of one system at a time."""

    k: int
    gain_judge: float
    gain_people: float
    rank_judge: float
    """Mean rank by the judge of a re-ordered system among the other systems, which are unchanged."""
    rank_people: float
    judged: float
    """Share of the first k documents of all runs that both people and the judge graded."""
    transfer: float
    """Gain as people see it, divided by the gain as the judge sees it; nan if the judge sees no gain."""


@checked
def gaming_gap(  # noqa: PLR0913
    runs: Runs,
    people: Qrels,
    judge: Qrels,
    measure: str = "nDCG@10",
    *,
    k: int = 50,
    missing: Missing = "error",
    names: Sequence[str] = ("people", "the judge"),
    n_permutations: int = 40,
    n_resamples: int = 1_999,
    confidence_level: float = 0.95,
    rng: Seed = None,
) -> Findings:
    """Measure what a system gains by asking the judge, and how much of the gain people see.

    A judge can rank systems as people do and still be gamed. A system that asks the judge which documents it likes
    rises on the judge's leaderboard, whether or not people like these documents. `gaming_gap` re-orders the first k
    documents of each run by the judge's grades, one system at a time, and compares the gains by judge and by people.

    Parameters
    ----------
    runs : Runs
        From `read_runs` or `Runs.from_dict`.
    people : Qrels
        The trusted judgments.
    judge : Qrels
        The other judge's judgments. Only the documents that people judged count, because the gain from other documents
        is unknown.
    measure : str
        As in `evaluate`.
    k : int
        How many documents of each run the judge re-orders. Documents without a grade follow in their old order.
    missing : {"error", "zero", "drop", "drop-systems"}
        What to do with runs that lack topics, as in `evaluate`.
    names : sequence of str
        Names of people and of the judge.
    n_permutations : int
        How many times the judge's errors are shuffled, at least 20.
    n_resamples : int
        Number of resamples of topics for the intervals.
    confidence_level : float
        Confidence level of each interval.
    rng : int, Generator or None
        Seed or generator for ties, permutations and resamples. The same seed gives exactly the same result.

    Returns
    -------
    Findings
        - `favourite_judge`, `favourite_people`: the rank of the judge's favourite run among the systems, by the judge
          and by people. `favourite_interval` is the interval of the rank by people.
        - `transfer`: people's gain divided by the judge's gain, with an interval.
        - `lost`: the share of people's gain lost to judge errors on the documents that systems retrieve, with an
          interval.
        - `gamed`: whether this loss is significant; None if there is no gain to lose.
        - `doses`: a `Dose` for each number of re-ordered documents.

    See Also
    --------
    judge_card : Report all statistics about judges.
    family_bias : Test whether a judge favours a family of systems.

    Notes
    -----
    - The favourite run holds the documents of each topic that the judge grades highest, down to the cutoff of the
      measure (k without a cutoff). Ties are broken at random, and scores are averaged over 100 draws.
    - Transfer is usually below 1 for a judge that makes errors.
    - The lost share is 1 - g / g0. Here g is the gain as people see it, and g0 is that gain when the judge's grades are
      shuffled among documents of the same topic and human grade. The shuffled judge is equally accurate, but its errors
      do not depend on what systems retrieve. The judge can be gamed if the interval of the lost share lies above 0. Of
      600 judges with random errors, 13 were called gameable, and 29 intervals excluded 0 (benchmarks/gaming_size.py).
    - Intervals are quantiles over resampled topics, slightly widened for few topics. They need a positive gain as
      denominator in every resample.

    Examples
    --------
    >>> import concordant as cc
    >>> runs = {f"s{s}": {str(t): [f"d{k * (s + 2) % 11}" for k in range(11)] for t in range(9)} for s in range(5)}
    >>> human = cc.Qrels.from_dict({str(t): {f"d{k}": int(k < 4) for k in range(11)} for t in range(9)})
    >>> found = cc.judges.gaming_gap(cc.Runs.from_dict(runs), human, human, "nDCG@5", k=11, rng=1)
    >>> found.favourite_judge, found.favourite_people, found.transfer, found.lost, found.gamed
    (1, 1, 1.0, 0.0, False)

    """
    require(len(names) == 2, "names", names, "give two, for people and the judge")
    how, wanted = Resampling.of(n_resamples, rng), Measure.parse(measure)
    draws, level = how.generator(), confidence_level
    full = evaluate(runs, people, str(wanted), missing=missing)
    beside = grades_beside(people, judge)
    # a missing grade is nan, for which >= 0 is false
    graded = people.take(both := (beside >= 0) & (people.grades >= 0)).with_grades(beside[both])
    check_thresholds(graded, [wanted])
    known = {people.topics[place] for place in graded.topic_of}
    topics = [topic for topic in full.topics if topic in known]
    if len(topics) < FEWEST_TOPICS:
        raise InputError(
            f"people and judge both graded documents on {counted(len(topics), 'topic')}: give at least {FEWEST_TOPICS}"
        )
    runs = runs.select(full.systems)

    def scores(of: Runs, judges: Sequence[Qrels] = (graded, people)) -> FloatArray:
        """Score runs by the judge and by people: 2 x topics x systems."""
        at = [of.pairs.topic_places[topic] for topic in topics]
        return np.array([score(of, by, [wanted])[0][:, at].T for by in judges])

    before, best = scores(runs), scores(favourite_runs(graded, wanted.cutoff or k, _DRAWS, draws)).mean(axis=2)
    doses, gains = [], {}
    for dose in sorted({*(dose for dose in DOSES if dose <= runs.depths.max()), k}):
        after = scores(reordered(runs, graded, dose))
        gains[dose] = (after - before).mean(axis=2)
        gain_j, gain_h = map(float, gains[dose].mean(axis=1))
        rank_j, rank_h = (_rank(new, old) for new, old in zip(after.mean(axis=1), before.mean(axis=1), strict=True))
        seen = gain_h / gain_j if gain_j > _SLACK else float("nan")
        doses.append(Dose(dose, gain_j, gain_h, rank_j, rank_h, _judged(runs, graded, topics, dose), seen))
    pairs = np.column_stack([graded.topic_of, people.grades[both]])
    alike = np.unique(pairs, axis=0, return_inverse=True)[1].ravel()
    null = [scores(reordered(runs, shuffled(graded, alike, draws), k), [people])[0] for _ in range(n_permutations)]
    parts = np.vstack([*gains[k], (np.mean(null, axis=0) - before[1]).mean(axis=1)])  # one column per topic

    drawn, places = [], []
    for _, weights in resampled_weights(len(topics), n_resamples, draws):
        drawn.append(parts @ weights.T)
        ahead = weights @ before[1] > (weights @ best[1])[:, None] + _SLACK * len(topics)
        places.append(1 + ahead.sum(axis=1))
    found = [int(1 + (b.mean(axis=0) > f.mean() + _SLACK).sum()) for b, f in zip(before, best, strict=True)]

    def share(of: int) -> tuple[float, Interval | None]:
        """Divide people's gain by the gain in row `of`; the interval needs a positive denominator in all resamples."""
        sums, whole = np.concatenate(drawn, axis=1), parts.sum(axis=1)
        value = float(whole[1] / whole[of]) if whole[of] > _SLACK else float("nan")
        positive = min(whole[of], sums[of].min()) > _SLACK
        return value, expanded(sums[1] / sums[of], level, len(topics)) if positive else None

    (transfer, of_transfer), (kept, of_kept) = share(0), share(2)
    left = len(full.topics) - len(topics)
    note = f"{counted(left, 'topic')} left out: the judge graded none of people's documents there"
    lost = of_kept and replace(of_kept, low=1 - of_kept.high, high=1 - of_kept.low)
    numbers = {
        "names": (names[0], names[1]),
        "measure": str(wanted),
        "k": k,
        "favourite_judge": found[0],
        "favourite_people": found[1],
        "favourite_interval": expanded(np.concatenate(places), level, len(topics), method="nearest"),
        "transfer": transfer,
        "transfer_interval": of_transfer,
        "lost": 1 - kept,
        "lost_interval": lost,
        "n_systems": len(full.systems),
        "n_topics": len(topics),
        "gamed": None if lost is None else lost.low > 0,
        "doses": tuple(doses),
    }
    return Findings(
        kind="GamingGap",
        answer=_verdict(numbers),
        numbers=numbers,
        lines=[vars(dose) for dose in doses],
        shown=_table(numbers),
        index="k",
        figure="curves.gaming_gap",
        notes=(note,) if left else (),
        settings=settings_of(
            seed=how.seed,
            n_resamples=n_resamples,
            confidence_level=level,
            n_permutations=n_permutations,
            missing=missing,
        ),
    )


def _verdict(found: Mapping[str, Any]) -> str:
    """Say whether the judge can be gamed, and the rank of its favourite run."""
    (people, judge), ends = map(one_line, found["names"]), found["favourite_interval"]
    where = (
        f"its favourite run is at rank {found['favourite_judge']} of {found['n_systems'] + 1} by {judge} and at "
        f"{found['favourite_people']} by {people} ({_level(ends)} {ends.low:g} to {ends.high:g})"
    )
    if found["gamed"] is None:
        return f"Nothing shows that systems gain anything according to {people} when they ask {judge}: {where}"
    if found["gamed"]:
        return f"{judge if judge != 'the judge' else 'The judge'} can be gamed: {where}"
    return f"Nothing shows that {judge} is easier to game than a judge with random errors: {where}"


def _table(found: Mapping[str, Any]) -> str:
    """Show the shares with their intervals, then the gains for each number of re-ordered documents."""
    people, judge = found["names"]
    ends = found["transfer_interval"] or found["lost_interval"]
    shares = [["", "", "" if ends is None else _level(ends)]]
    for label, name in (
        (f"transfer: gain by {people} per gain by {judge}", "transfer"),
        ("lost share: due to errors on what systems retrieve", "lost"),
    ):
        value, interval = found[name], found[f"{name}_interval"]
        between = "-" if interval is None else f"{interval.low:.2f} to {interval.high:.2f}"
        shares.append([label, "-" if np.isnan(value) else f"{value:.2f}", between])
    before = (found["n_systems"] + 1) / 2
    rows = [["documents re-ordered", "judged", f"gain by {judge}", f"by {people}", f"rank by {judge}", people]]
    rows.append(["none", "", "", "", f"{before:.1f}", f"{before:.1f}"])
    for d in found["doses"]:
        gains, ranks = (d.gain_judge, d.gain_people), (d.rank_judge, d.rank_people)
        rows.append([str(d.k), f"{d.judged:.0%}", *(f"{g:+z.3f}" for g in gains), *(f"{r:.1f}" for r in ranks)])
    about = f"{found['measure']}, {counted(found['n_systems'], 'system')}, {counted(found['n_topics'], 'topic')}"
    return f"{columns(shares)}\n\n{columns(rows)}\n\n  {about}; means over systems, one re-ordered at a time"


def _level(interval: Interval) -> str:
    return f"{100 * interval.confidence_level:g}% interval"


def reordered(runs: Runs, judge: Qrels, k: int) -> Runs:
    """Sort the first k documents of each run by grade. Tied documents keep their order; ungraded ones come last."""
    levels, level = np.unique(-judge.grades, return_inverse=True)
    of_pair = np.full(len(judge.pairs) + 1, len(levels))  # the last entry is for documents without a grade
    of_pair[judge.places] = level
    row = np.repeat(np.arange(len(runs.starts) - 1), np.diff(runs.starts))
    key = np.where(
        np.arange(len(row)) - runs.starts[row] < k, of_pair[judge.pairs.locate(runs.pairs)[runs.items]], len(levels) + 1
    )
    order = np.argsort(row * (len(levels) + 2) + key, kind="stable")
    return Runs(runs.systems, runs.pairs, runs.items[order], runs.starts)


def favourite_runs(judge: Qrels, depth: int, n_draws: int, rng: np.random.Generator) -> Runs:
    """Draw runs of the documents that the judge grades highest, with ties in random order."""
    topic = judge.topic_of
    counts = np.bincount(topic, minlength=len(judge))
    first = numbered(topic) <= depth
    orders = [np.lexsort((rng.random(judge.size), -judge.grades, topic))[first] for _ in range(n_draws)]
    starts = np.concatenate([[0], np.cumsum(np.tile(np.minimum(counts, depth), n_draws))])
    items = judge.places[np.concatenate(orders)].astype(np.int32)
    return Runs(tuple(f"draw {n + 1}" for n in range(n_draws)), judge.pairs, items, starts)


def shuffled(judge: Qrels, group: IntArray, rng: np.random.Generator) -> Qrels:
    """Shuffle the judge's grades within each group of documents."""
    grades = np.empty(judge.size)
    grades[np.argsort(group, kind="stable")] = judge.grades[np.lexsort((rng.random(judge.size), group))]
    return judge.with_grades(grades)


def _rank(new: FloatArray, old: FloatArray) -> float:
    """Compute the mean rank of the systems, each with its new mean among the old means of the others."""
    ahead = old[None, :] > new[:, None] + _SLACK
    return float(1 + (ahead.sum(axis=1) - ahead.diagonal()).mean())


def _judged(runs: Runs, judge: Qrels, topics: Sequence[str], k: int) -> float:
    """Compute the share of the first k documents of all runs on these topics that have a grade."""
    items = runs.cut(k).items
    there = np.isin(runs.pairs.topic_of[items], [runs.pairs.topic_places[topic] for topic in topics])
    return float(np.isin(judge.pairs.locate(runs.pairs)[items[there]], judge.places).mean())
