"""`judge_study`: its parts are what `correlate`, `rank_judges`, `rank_test` and `label_agreement` say."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import concordant as cc
from concordant import Qrels
from concordant.judgments import label_agreement
from concordant.study.judges import verdict_of

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


def test_where_nothing_was_tested_the_verdict_is_of_these_topics_and_says_so(found: cc.study.StudyResult) -> None:
    asked = ("nDCG@5", "tau_b")
    assert verdict_of(None, found.estimates, *asked) == (
        "on these topics half ranks the systems most like the truth "
        f"(nDCG@5, tau_b {found.estimates['half', 'nDCG@5', 'tau_b'].value:.3f}); "
        "whether a difference is chance was not tested"
    )
    alike = verdict_of(None, {key: replace(of, value=0.5) for key, of in found.estimates.items()}, *asked)
    assert alike.startswith(f"on these topics {', '.join(JUDGES)} rank the systems most like the truth")
    none = verdict_of(None, {key: replace(of, value=np.nan) for key, of in found.estimates.items()}, *asked)
    assert none == "tau_b is undefined for all judges (nDCG@5)"


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
    assert len(found.drawings["judges.png"](found).axes) >= 3 + 4 * len(JUDGES)
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
        ({"x": QRELS.select(["0"])}, {}, "judge 'x' lacks topics of the truth: 1.*topics='common'"),
        ({"x": MACHINE}, {"topics": "all"}, "topics is 'all': use 'truth' or 'common'"),
        ({"x": MACHINE}, {"drop_grades": [7]}, "drop_grades holds 7, a grade that no judge gave"),
        ({"x": MACHINE}, {"drop_grades": [0, 1, 2]}, "leaves a judge no judgments"),
        ({"x": Qrels.from_dict({"z": {"d": 1}})}, {"topics": "common"}, "no topic of the truth is judged by all"),
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
        found = cc.study.judge_study(RUNS, QRELS, judges, ["AP"], ["tau_b"], 4, topics="common", n_resamples=500)
    assert found.study.topics == QRELS.topics[2:-1]
    assert found.notes[0] == "3 topics left out, which not all judges have: 0, 1, 11"
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


def test_grades_that_are_no_judgments_are_left_out() -> None:
    """999 and -1 stand for no answer; a topic of which nothing is left is one that the judge lacks."""
    silent = np.arange(MACHINE.size) % 5 == 0
    empty = MACHINE.topic_of == 3
    machine = MACHINE.with_grades(np.where(empty, -1, np.where(silent, 999, MACHINE.grades)))
    with pytest.raises(cc.errors.InputError, match="judge 'machine' lacks topics of the truth: 3"):
        cc.study.judge_study(RUNS, QRELS, {"machine": machine}, ["nDCG"], n_resamples=500, drop_grades=[999, -1])
    options: dict[str, Any] = {"rng": 4, "n_resamples": 500, "topics": "common", "drop_grades": [999, -1]}
    with pytest.warns(cc.errors.DataWarning, match="1 topic of the runs left out"):
        found = cc.study.judge_study(RUNS, QRELS, {"machine": machine}, ["nDCG"], ["tau_b"], **options)
    counts = int((silent & ~empty).sum()), int(empty.sum())
    assert found.notes == (
        f"{counts[0]} judgments of {machine.size} of machine left out, of grade 999",
        f"{counts[1]} judgments of {machine.size} of machine left out, of grade -1",
        "1 topic left out, which not all judges have: 3",
    )
    kept = MACHINE.take(~silent & ~empty).select([topic for topic in QRELS.topics if topic != "3"])
    assert found.labels["machine"].size == kept.size
    full = cc.evaluate(RUNS.select(RUNS.systems), QRELS, "nDCG").select(topics=kept.topics)
    with pytest.warns(cc.errors.DataWarning, match="1 topic of the runs left out"):
        scores = cc.evaluate(RUNS, kept, "nDCG")
    assert found.estimates["machine", "nDCG", "tau_b"].value == cc.tau_b(full.means(), scores.means())
    assert found.settings["drop_grades"] == [999, -1]
