"""`judge_study`: can other judges take the place of one whom we trust?"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import Any

from ..errors import InputError, InputTypeError
from ..judgments.agreement import label_agreement
from ..judgments.change import Change
from ..judgments.changes import check_kinds
from ..judgments.evaluation import evaluate_all
from ..judgments.qrels import Qrels
from ..judgments.runs import Runs
from ..resampling import Progress, check_count
from ..tables import Missing
from ..topics.bootstrap import TopicBootstrap
from ..topics.correlation import correlate
from ..topics.judges import compare_judges
from ..words import listing
from .judges_result import JudgeStudy
from .judgments import judgment_study


def judge_study(  # noqa: PLR0913
    runs: Runs,
    truth: Qrels,
    judges: Mapping[str, Qrels],
    measures: Iterable[str],
    coefficients: Iterable[str] = ("tau_b", "tau_ap_b"),
    rng: int = 0,
    *,
    rel: float | None = None,
    n_resamples: int = 4_999,
    missing: Missing = "error",
    workers: int = 1,
    progress: Progress | None = None,
) -> JudgeStudy:
    """Compare judges with one whose judgments are the truth: by the ranking of systems, and label by label.

    For each judge and measure: the coefficients between the means under the truth and under the judge, with intervals
    for their values over the population of topics (`correlate`); all coefficients and the rank distance as in
    `judgment_study`. By the first measure and the first coefficient, which judge is better than which
    (`compare_judges`; p-values as they are, not adjusted for the number of pairs). And how far the labels agree
    (`label_agreement`).

    Parameters
    ----------
    runs : Runs
        The runs.
    truth : Qrels
        The judge whom we trust.
    judges : mapping of str to Qrels
        The others by their names. Topics that the truth lacks are left out; one that a judge lacks is an error.
    measures : iterable of str
        Names as in `evaluate`.
    coefficients : iterable of str
        Those to give intervals; they must allow ties on both sides.
    rng : int
        The seed.
    rel : float, optional
        Compare labels only by whether grades are at least this, on all sides.
    n_resamples : int
        Of topics, for each interval and each test; at least 500.
    missing, workers, progress
        As in `evaluate` (missing); threads; a call with the steps done and of all.

    Returns
    -------
    JudgeStudy

    Examples
    --------
    >>> import concordant as cc
    >>> runs = {f"s{s}": {str(t): [f"d{(k * (s + 1) + t) % 7}" for k in range(7)] for t in range(9)} for s in range(4)}
    >>> human = cc.Qrels.from_dict({str(t): {f"d{k}": int(k < 3) for k in range(7)} for t in range(9)})
    >>> machine = human.with_grades(1 - human.grades)
    >>> found = cc.judge_study(cc.Runs.from_dict(runs), human, {"machine": machine}, ["AP"], n_resamples=500)
    >>> found.labels["machine"]["agreement"].value
    0.0
    """
    check_kinds(runs, truth)
    named = _checked(truth, judges)
    names = list(coefficients)
    if isinstance(coefficients, str) or not names:
        raise InputTypeError(f"coefficients is {coefficients!r}: give a list of names")
    count = check_count(n_resamples)
    changes = [Change("judge", name, qrels=qrels) for name, qrels in named.items()]
    study = judgment_study(runs, truth, changes, measures, None, rng, missing=missing)
    full = evaluate_all(runs, truth, study.measures, missing=missing)
    scores = {name: evaluate_all(runs, qrels, study.measures, missing=missing) for name, qrels in named.items()}
    pairs = list(itertools.combinations(named, 2))
    steps = len(named) * (len(study.measures) * len(names) + 1) + len(pairs)
    done = itertools.count(1)

    def step(value: Any) -> Any:
        if progress is not None:
            progress(next(done), steps)
        return value

    bootstrap = TopicBootstrap(count)
    estimates = {
        (name, measure, coefficient): step(
            correlate(full[measure], scores[name][measure], coefficient, interval=bootstrap, rng=rng, workers=workers)
        )
        for name in named
        for measure in study.measures
        for coefficient in names
    }
    first = study.measures[0]

    def against(a: str, b: str) -> Any:
        one, other = scores[a][first], scores[b][first]
        return compare_judges(
            full[first], one, other, names[0], n_resamples=count, names=(a, b), rng=rng, workers=workers
        )

    return JudgeStudy(
        study=study,
        estimates=estimates,
        tests={pair: step(against(*pair)) for pair in pairs},
        labels={name: step(label_agreement(truth, qrels, rel=rel, rng=rng)) for name, qrels in named.items()},
        settings={**study.settings, "rel": rel, "interval_resamples": count, "interval_coefficients": names},
    )


def _checked(truth: Qrels, judges: Any) -> dict[str, Qrels]:
    if not isinstance(judges, Mapping) or not judges:
        raise InputTypeError("judges must be a dictionary of Qrels by name, such as {'machine': qrels}")
    found = {}
    for name, qrels in judges.items():
        check_kinds(None, qrels)
        lost = [topic for topic in truth if topic not in qrels.topics]
        if lost:
            raise InputError(f"judge {name!r} lacks topics of the truth: {listing(lost)}; select those that both have")
        found[str(name)] = qrels if set(qrels) == set(truth) else qrels.select(truth.topics)
    return found
