"""Sentences of judgments, judges and labels: data where each is right, and where it would be wrong."""

from __future__ import annotations

import functools
import warnings
from typing import Any

import numpy as np
import pytest

import concordant as cc
from concordant.judgments import Change, label_agreement
from concordant.study.judgments import summary_of

from .test_study import QRELS, RUNS, collection

CHANCE = "agreement beyond chance is not significant"


def labels(copied: float, n_topics: int = 12, grades: int = 3, seed: int = 1) -> tuple[cc.Qrels, cc.Qrels]:
    """A judge that copies this share of the truth's grades, and draws the others at random."""
    rng = np.random.default_rng(seed)
    truth = {str(t): {f"d{k}": int(rng.integers(0, grades)) for k in range(12)} for t in range(n_topics)}
    other = {
        t: {d: g if rng.random() < copied else int(rng.integers(0, grades)) for d, g in of.items()}
        for t, of in truth.items()
    }
    return cc.Qrels.from_dict(truth), cc.Qrels.from_dict(other)


@functools.cache
def judged(*noise: int, n_topics: int) -> cc.study.StudyResult:
    """Judges that change one grade in every so many (0: none), called a, b, ..."""
    runs, truth = collection(n_topics=n_topics)
    rng = np.random.default_rng(8)
    named = {}
    for name, of in zip("abc", noise, strict=False):
        grades = truth.grades.copy()
        if of:
            grades[::of] = rng.integers(0, 3, len(grades[::of]))
        named[name] = truth.with_grades(grades)
    with warnings.catch_warnings(action="ignore"):
        return cc.study.judge_study(runs, truth, named, ["nDCG@5"], ["tau_b"], n_resamples=500)


# Labels ------------------------------------------------------------------------------------------------------------


def test_agreement_of_labels_is_called_chance_where_it_may_be() -> None:
    good = label_agreement(*labels(0.6), rng=1)
    assert good.kappa.interval is not None
    assert good.kappa.interval.low > 0
    assert CHANCE not in good.verdict
    assert good.verdict.endswith("on 144 documents of 12 topics that both judged")
    random = label_agreement(*labels(0.0), rng=1)
    assert random.kappa.interval is not None
    assert 0 in random.kappa.interval
    assert CHANCE in random.verdict


def test_agreement_of_random_labels_is_rarely_shown() -> None:
    shown = sum(CHANCE not in label_agreement(*labels(0.0, seed=s), n_resamples=99, rng=1).verdict for s in range(40))
    assert shown <= 4  # one side of 95%: 1 is expected, and more than 4 have a chance below 1%


def test_labels_of_one_topic_have_no_interval() -> None:
    one = label_agreement(*labels(0.6, n_topics=1), rng=1)
    assert all(estimate.interval is None for estimate in one.estimates.values())
    assert one.verdict.endswith("; too few topics to tell whether they agree beyond chance")
    assert "not known" not in label_agreement(*labels(0.6), rng=1).verdict


def test_labels_that_are_all_the_same_have_no_kappa() -> None:
    same = label_agreement(*labels(1.0, grades=1), rng=1)
    assert same.verdict.startswith("agreement 1.000 on 144 documents of 12 topics that both judged; kappa and alpha")
    assert "nan" not in str(same)
    assert "have no value" not in label_agreement(*labels(1.0, grades=2), rng=1).verdict


# Changes of judgments ----------------------------------------------------------------------------------------------


def study(*changes: Change, coefficients: Any = ("tau_b",), qrels: cc.Qrels = QRELS) -> cc.study.StudyResult:
    with warnings.catch_warnings(action="ignore"):
        return cc.study.judgment_study(RUNS, qrels, changes, ["AP"], coefficients, n_draws=3, n_resamples=100)


def test_a_study_says_of_each_kind_of_change_where_the_ranking_holds_least_and_best() -> None:
    machine = QRELS.with_grades((QRELS.grades + np.arange(QRELS.size)) % 3)
    found = study(*(Change("mix", share, machine=machine) for share in (0.0, 0.5, 1.0)))
    values = {level: found.cell("mix", level, "AP", "tau_b")["mean"] for _, level in found.changes}
    least, most = min(values, key=lambda k: (values[k], k)), max(values, key=lambda k: (values[k], k))
    assert values[most] == 1.0
    assert values[least] < 0.9
    worst, best = found.verdict.split("; ")
    assert worst.startswith(f"mix {least}: 25 topics are worth ")
    assert worst.endswith(f" with all judgments, tau_b {values[least]:.3f} (AP)")
    assert best.startswith(f"mix {most}: 25 topics are worth 25 with all judgments, tau_b 1.000 (AP)")


def test_a_study_says_that_random_judgments_are_worth_next_to_nothing() -> None:
    reversed_grades = QRELS.with_grades(2 - QRELS.grades)
    bad = study(Change("judge", "against", qrels=reversed_grades))
    assert bad.cell("judge", "against", "AP", "tau_b")["mean"] < 0
    assert "judge against: 25 topics are worth less than 1 with all judgments, tau_b -" in bad.verdict
    assert "less than 1" not in study(Change("judge", "same", qrels=QRELS)).verdict


def test_a_study_without_a_value_says_so() -> None:
    nothing = QRELS.with_grades(np.zeros(QRELS.size))  # every system has a score of 0
    undefined = study(Change("judge", "none", qrels=nothing))
    assert undefined.verdict == "judge: tau_b is undefined"
    assert "nan" not in str(undefined)
    assert "undefined" not in study(Change("judge", "same", qrels=QRELS)).verdict


# Judges ------------------------------------------------------------------------------------------------------------


def test_judges_whom_the_topics_do_not_separate_are_all_named() -> None:
    found = judged(3, 3, n_topics=12)
    assert found.ranking is not None
    assert set(found.ranking.best) == {"a", "b"}
    assert found.verdict == f"{found.ranking.verdict} (nDCG@5)"
    assert found.verdict.startswith("The best judge is any of the 2; 12 topics cannot tell which. ")


@pytest.mark.parametrize(("n_topics", "tested"), [(12, True), (7, False)])
def test_numbers_stand_beside_their_own_intervals_and_a_test_that_says_nothing_has_no_p(
    n_topics: int, tested: bool
) -> None:
    found = judged(3, 3, n_topics=n_topics)
    estimate = found.estimates["a", "nDCG@5", "tau_b"]
    assert estimate.interval is not None
    table = [line.split() for line in str(found).split("\n")]
    assert ["value", "95%", "interval", "rank", "distance", "p"] in table
    ends = [f"{estimate.interval.low:.3f}", "to", f"{estimate.interval.high:.3f}"]
    assert ["a", "nDCG@5", "tau_b", f"{estimate.value:.3f}", *ends] in [line[:7] for line in table]
    assert len(found.study.systems) == 8
    assert found.study.tested is tested
    assert bool(np.isnan(found.study.cell("judge", "a", "nDCG@5", "p")["mean"])) is not tested
    assert ("p" in summary_of(found.study)[0]) is tested
