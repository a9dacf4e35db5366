"""`judge_study`: its parts are what `correlate`, `rank_judges`, `rank_test` and `label_agreement` say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import concordant as cc
from concordant import Qrels
from concordant.judgments import label_agreement

from .test_study import MACHINE, QRELS, RUNS

NOISY = QRELS.with_grades(np.where(np.random.default_rng(1).random(QRELS.size) < 0.2, 0, QRELS.grades))
JUDGES = {"noisy": NOISY, "machine": MACHINE, "half": QRELS.with_grades(QRELS.grades / 2)}


@pytest.fixture(scope="module")
def found() -> cc.study.StudyResult:
    return cc.study.judge_study(RUNS, QRELS, JUDGES, ["nDCG@5", "nDCG"], rng=4, n_resamples=500)


def test_parts(found: cc.study.StudyResult) -> None:
    scores = {name: cc.evaluate(RUNS, qrels, "nDCG@5") for name, qrels in {"truth": QRELS, **JUDGES}.items()}
    for judge, qrels in JUDGES.items():
        estimate = found.estimates[judge, "nDCG@5", "tau_ap_b"]
        assert estimate.value == cc.tau_ap_b(scores["truth"].means(), scores[judge].means())
        again = cc.correlate(scores["truth"], scores[judge], coefficient="tau_ap_b", n_resamples=500, rng=4)
        assert estimate.interval == again.interval
        assert found.labels[judge].to_dict() == label_agreement(QRELS, qrels, rng=4).to_dict()
        distance = cc.rank_distance(scores["truth"], scores[judge].means())
        assert found.study.cell("judge", judge, "nDCG@5", "d_rank")["mean"] == pytest.approx(distance, abs=1e-9)
    sides = {name: of for name, of in scores.items() if name != "truth"}
    assert found.ranking == cc.rank_judges(
        scores["truth"], sides, coefficient="tau_b", names=("the truth", *sides), rng=4
    )


def test_answers(found: cc.study.StudyResult) -> None:
    # Half of each grade is the same gain up to a factor.
    assert found.estimates["half", "nDCG", "tau_b"].value == 1.0
    assert found.verdict.startswith("The best judge is any of the 3; 12 topics cannot tell which. ")
    assert found.verdict.endswith("(nDCG@5)")
    assert found.notes == (
        "the grades of half are on another scale than the truth's: kappa and alpha are not comparable",
    )
    assert "Note: the grades of half" in str(found)
    assert len(found.to_frame()) == 3 * 2 * 2
    content = found.to_dict()
    assert [row["judge"] for row in content["rows"][::4]] == list(JUDGES)
    alone = cc.study.judge_study(RUNS, QRELS, {"machine": MACHINE}, ["AP"], ["tau_b"], n_resamples=500)
    assert alone.ranking is not None
    assert len(alone.ranking.judges) == 1


@pytest.mark.filterwarnings("ignore:.*undefined, so nan")
def test_where_nothing_was_tested_the_verdict_is_of_these_topics() -> None:
    few = {name: qrels.select(QRELS.topics[:9]) for name, qrels in {**JUDGES, "truth": QRELS}.items()}
    with pytest.warns(cc.errors.DataWarning, match="3 topics of the runs left out"):
        found = cc.study.judge_study(RUNS, few.pop("truth"), few, ["nDCG@5"], rng=4, n_resamples=500)
    value = {name: found.estimates[name, "nDCG@5", "tau_b"].value for name in JUDGES}
    assert value["half"] > max(value["noisy"], value["machine"])
    assert found.verdict == "on these topics half ranks the systems most like the truth, by tau_b (nDCG@5)"
    none = {"none": QRELS.with_grades(QRELS.grades * 0).select(QRELS.topics[:9])}
    with pytest.warns(cc.errors.DataWarning, match="3 topics of the runs left out"):
        found = cc.study.judge_study(RUNS, QRELS.select(QRELS.topics[:9]), none, ["nDCG@5"], ["tau_b"], n_resamples=500)
    assert found.verdict == "tau_b is undefined for all judges (nDCG@5)"


def test_gaming_has_its_shares_with_intervals_and_a_conclusion(found: cc.study.StudyResult) -> None:
    assert list(found.gaming) == list(JUDGES)
    text = str(found)
    for judge, gap in found.gaming.items():
        alone = cc.judges.gaming_gap(RUNS, QRELS, JUDGES[judge], "nDCG@5", names=("the truth", judge), rng=4)
        assert gap.to_dict() == alone.to_dict()
        assert gap.transfer_interval is not None
        ends = f"{gap.transfer_interval.low:.2f} to {gap.transfer_interval.high:.2f}"
        assert f"{gap.transfer:.2f} ({ends})" in text
        assert gap.verdict in text


def test_figures(found: cc.study.StudyResult) -> None:
    assert len(found.drawings["judges.png"](found).axes) >= 3 + 2 * len(JUDGES)
    pyplot = pytest.importorskip("matplotlib.pyplot")
    assert [text.get_text() for text in found.plot().texts][4] == "1.000"
    with pytest.raises(cc.errors.InputError, match="coefficient is 'x'"):
        found.plot(coefficient="x")
    pyplot.close("all")


@pytest.mark.parametrize(
    ("judges", "changed", "message"),
    [
        ({}, {}, r"judges is \{\}: give a dictionary of Qrels"),
        ({"x": {}}, {}, "judges is .*: give a dictionary of Qrels"),
        ({"x": Qrels.from_dict({"z": {"d": 1}})}, {}, "no topic of the truth is judged by all"),
        ({"x": MACHINE}, {"coefficients": "tau_b"}, "give a list of names"),
        ({"x": JUDGES["half"]}, {"measures": ["AP"]}, "rel="),
    ],
)
def test_bad_arguments(judges: Any, changed: dict[str, Any], message: str) -> None:
    with pytest.raises(cc.errors.InputError, match=message):
        cc.study.judge_study(RUNS, QRELS, judges, **({"measures": ["nDCG"]} | changed))


def test_topics_that_the_truth_lacks_are_left_out() -> None:
    few = QRELS.select(QRELS.topics[:9])
    with pytest.warns(cc.errors.DataWarning, match="3 topics of the runs left out"):
        found = cc.study.judge_study(RUNS, few, {"machine": MACHINE}, ["AP"], n_resamples=500)
    assert len(found.study.topics) == 9


def test_judges_that_lack_topics_are_compared_on_common_ones() -> None:
    judges = {"machine": MACHINE.select(QRELS.topics[2:]), "noisy": NOISY.select(QRELS.topics[:-1])}
    with pytest.warns(cc.errors.DataWarning, match="3 topics of the runs left out"):
        found = cc.study.judge_study(RUNS, QRELS, judges, ["AP"], ["tau_b"], 4, n_resamples=500)
    assert found.study.topics == QRELS.topics[2:-1]
    assert found.notes[0] == "3 topics left out, not judged by all judges: 0, 1, 11"
    assert (found.ranking, found.notes[1][:21]) == (None, "fewer than 10 topics:")
    common = {name: qrels.select(QRELS.topics[2:-1]) for name, qrels in {**judges, "truth": QRELS}.items()}
    with pytest.warns(cc.errors.DataWarning, match="3 topics of the runs left out"):
        same = cc.study.judge_study(
            RUNS, common.pop("truth"), dict(reversed(common.items())), ["AP"], ["tau_b"], 4, n_resamples=500
        )
    assert {(row["judge"], row["value"], row["low"]) for row in found.rows()} == {
        (row["judge"], row["value"], row["low"]) for row in same.rows()
    }
    assert found.labels == {name: same.labels[name] for name in found.labels}
