"""`judge_study`: its parts are what `correlate`, `compare_judges`, `rank_test` and `label_agreement` say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import concordant as cc
from concordant.judgments import label_agreement

from .test_study import MACHINE, QRELS, RUNS

NOISY = QRELS.with_grades(np.where(np.random.default_rng(1).random(QRELS.size) < 0.2, 0, QRELS.grades))
JUDGES = {"noisy": NOISY, "machine": MACHINE, "half": QRELS.with_grades(QRELS.grades / 2)}


@pytest.fixture(scope="module")
def found() -> cc.study.JudgeStudy:
    return cc.judge_study(RUNS, QRELS, JUDGES, ["nDCG@5", "nDCG"], rng=4, n_resamples=500)


def test_parts(found: cc.study.JudgeStudy) -> None:
    scores = {name: cc.evaluate(RUNS, qrels, "nDCG@5") for name, qrels in {"truth": QRELS, **JUDGES}.items()}
    for judge, qrels in JUDGES.items():
        estimate = found.estimates[judge, "nDCG@5", "tau_ap_b"]
        assert estimate.value == cc.tau_ap_b(scores["truth"].means(), scores[judge].means())
        bootstrap = cc.TopicBootstrap(500)
        again = cc.correlate(scores["truth"], scores[judge], "tau_ap_b", interval=bootstrap, rng=4)
        assert estimate.interval == again.interval
        assert found.labels[judge].to_dict() == label_agreement(QRELS, qrels, rng=4).to_dict()
        distance = cc.rank_distance(scores["truth"], scores[judge].means())
        assert found.study.value("judge", judge, "nDCG@5", "d_rank") == pytest.approx(distance, abs=1e-9)
    test = cc.compare_judges(
        scores["truth"], scores["noisy"], scores["machine"], "tau_b", n_resamples=500, names=("noisy", "machine"), rng=4
    )
    assert found.tests["noisy", "machine"].to_dict() == test.to_dict()
    assert len(found.tests) == 3


def test_answers(found: cc.study.JudgeStudy) -> None:
    # Half of each grade is the same gain up to a factor.
    assert found.estimates["half", "nDCG", "tau_b"].value == 1.0
    assert found.verdict().startswith("half ranks the systems most like the truth (nDCG@5, tau_b 1.000)")
    assert found.notes() == [
        "the grades of half end elsewhere than the truth's: on another scale kappa and alpha say little"
    ]
    assert "Mind: the grades of half" in str(found)
    assert len(found.to_frame()) == 3 * 2 * 2
    content = found.to_dict()
    assert [row["judge"] for row in content["rows"][::4]] == list(JUDGES)
    alone = cc.judge_study(RUNS, QRELS, {"machine": MACHINE}, ["AP"], ["tau_b"], n_resamples=500)
    assert not alone.tests
    assert alone.verdict().endswith(").")


def test_figures(found: cc.study.JudgeStudy) -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    assert [text.get_text() for text in found.plot().texts][4] == "1.000"
    assert len(found.plot_scores("noisy", top=3).lines[0].get_xdata()) == 3
    with pytest.raises(cc.errors.InputError, match="coefficient is 'x'"):
        found.plot(coefficient="x")
    pyplot.close("all")


@pytest.mark.parametrize(
    ("judges", "changed", "message"),
    [
        ({}, {}, "judges must be a dictionary"),
        ({"x": {}}, {}, "qrels is a dict"),
        ({"x": QRELS.select(["0"])}, {}, "judge 'x' lacks topics of the truth: 1"),
        ({"x": MACHINE}, {"coefficients": "tau_b"}, "give a list of names"),
        ({"x": JUDGES["half"]}, {"measures": ["AP"]}, "rel="),
    ],
)
def test_bad_arguments(judges: Any, changed: dict[str, Any], message: str) -> None:
    with pytest.raises(cc.errors.InputError, match=message):
        cc.judge_study(RUNS, QRELS, judges, **({"measures": ["nDCG"]} | changed))


def test_topics_that_the_truth_lacks_are_left_out() -> None:
    few = QRELS.select(QRELS.topics[:9])
    with pytest.warns(cc.errors.DataWarning, match="3 topics of the runs left out"):
        found = cc.judge_study(RUNS, few, {"machine": MACHINE}, ["AP"], n_resamples=500)
    assert len(found.study.topics) == 9
