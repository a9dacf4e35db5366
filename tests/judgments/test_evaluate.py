"""What `evaluate` does about topics, grades and names that do not fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from concordant import Qrels, Runs, evaluate
from concordant.errors import DataWarning, InputError, InputTypeError
from concordant.judgments.measures import Measure

RUNS = Runs.from_dict({"a": {"1": ["x", "y"], "2": ["y", "x"]}, "b": {"1": ["y", "x"]}})
BOTH = Runs.from_dict({"a": {"1": ["x", "y"], "2": ["y", "x"]}, "b": {"1": ["y", "x"], "2": ["x"]}})
QRELS = Qrels.from_dict({"2": {"x": 1}, "1": {"x": 1, "y": 0}})


def test_topics_are_those_of_the_qrels_in_their_order() -> None:
    found = evaluate(BOTH, QRELS, "RR")
    assert (found.topics, found.systems, found.measure) == (("2", "1"), ("a", "b"), "RR")
    assert found.values.tolist() == [[0.5, 1.0], [1.0, 0.5]]


def test_topics_that_no_run_has() -> None:
    more = Qrels.from_dict({**QRELS.to_dict(), "7": {"x": 1}, "8": {"x": 1}})
    with pytest.warns(DataWarning, match="2 topics of the qrels left out, because no run has them: 7, 8"):
        found = evaluate(BOTH, more, "RR")
    assert found == evaluate(BOTH, QRELS, "RR")


def test_topics_without_qrels() -> None:
    with pytest.warns(DataWarning, match="1 topic of the runs left out, because no qrels have it: 2"):
        found = evaluate(BOTH, Qrels.from_dict({"1": {"x": 1}}), "RR")
    assert found.topics == ("1",)
    with pytest.raises(InputError, match=r"no topic of the qrels \(301\) is in the runs \(1, 2\)"):
        evaluate(BOTH, Qrels.from_dict({"301": {"x": 1}}), "RR")


def test_a_run_without_a_topic() -> None:
    with pytest.raises(InputError, match=r"b lacks topic 2 .*missing="):
        evaluate(RUNS, QRELS, "RR")
    with pytest.warns(DataWarning, match="1 score of 1 system missing, set to 0: b lacks topic 2") as caught:
        found = evaluate(RUNS, QRELS, ["RR", "AP"], missing="zero")
    assert len(caught) == 1  # not once a measure
    assert found["RR"].values.tolist() == [[0.5, 0.0], [1.0, 0.5]]
    with pytest.warns(DataWarning, match="1 topic dropped of 2"):
        assert evaluate(RUNS, QRELS, "RR", missing="drop").topics == ("1",)
    with pytest.warns(DataWarning, match="1 system dropped of 2"):
        assert evaluate(RUNS, QRELS, "RR", missing="drop-systems").systems == ("a",)
    with pytest.raises(InputError, match="missing is 'mean', which only reproduces"):
        evaluate(RUNS, QRELS, "RR", missing="mean")
    with pytest.raises(InputError, match="missing is 'skip'"):
        evaluate(RUNS, QRELS, "RR", missing="skip")  # type: ignore[arg-type]


def test_topics_without_a_relevant_document_score_zero() -> None:
    none = Qrels.from_dict({"1": {"x": 0, "y": -1}, "2": {"x": 1}})
    for measure in ("AP", "nDCG@10", "P@2", "R@2", "RR", "Rprec", "Bpref", "Success@1"):
        assert evaluate(BOTH, none, measure).select(topics=["1"]).values.tolist() == [[0.0, 0.0]]
    empty = none.take(np.zeros(none.size, dtype=np.bool_))
    assert evaluate(BOTH, empty, "nDCG").values.tolist() == [[0.0, 0.0]] * 2


def test_grades_with_fractions_are_gains_or_need_a_threshold() -> None:
    qrels = Qrels.from_dict({"1": {"x": 0.25, "y": 1.5}, "2": {"x": 1.0}})
    best = 1.5 + 0.25 / np.log2(3)
    np.testing.assert_allclose(
        evaluate(BOTH, qrels, "nDCG").values[0], [(0.25 + 1.5 / np.log2(3)) / best, 1], atol=1e-15
    )
    for measure in ("AP", "P@10", "RR", "Rprec", "Bpref"):
        with pytest.raises(
            InputError, match=r"whole numbers \(0.25\): give the lowest relevant grade with rel=, as in .*rel=0.5"
        ):
            evaluate(BOTH, qrels, measure)
    assert evaluate(BOTH, qrels, "RR(rel=1)").values.tolist() == [[0.5, 1.0], [0.5, 1.0]]
    assert evaluate(BOTH, qrels, "RR(rel=0.2)").values.tolist() == [[1.0, 1.0], [0.5, 1.0]]


def test_a_grade_far_above_the_others() -> None:
    odd = Qrels.from_dict({"1": {"x": 999, "y": 2}, "2": {"x": 1}})
    with pytest.warns(
        DataWarning, match=r"1 judgment with grade 999, far above the next one \(2\).*recode\({999: None}\)"
    ):
        evaluate(BOTH, odd, "nDCG")
    evaluate(BOTH, odd.recode({999: None}), "nDCG")
    evaluate(BOTH, Qrels.from_dict({"1": {"x": 999, "y": 0}, "2": {"x": 0}}), "nDCG")  # one gain: any scale is the same


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("MAPP", "unknown measure 'MAPP': choose from AP"),
        ("", "measures is ''"),
        ("ERR@10", "unknown measure"),
        ("P", "needs a depth: write P@10"),
        ("Rprec@5", "Rprec does not take"),
        ("nDCG@0", "depth that nDCG does not take"),
        ("nDCG(rel=2)@10", "leave out rel="),
        ("AP(rel=0)", "a number above 0"),
        ("AP(rel=1.2.3)", "a number above 0"),
        ("AP(rel=-1)", "unknown measure"),
        (3, "measures is 3: give a list of names"),
    ],
)
def test_bad_measures(name: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        evaluate(BOTH, QRELS, name)


@pytest.mark.parametrize("name", ["AP", "AP(rel=2)", "AP(rel=0.5)@100", "nDCG@10", "P@5", "RR", "Rprec", "Bpref"])
def test_printed_names_are_parsed_names(name: str) -> None:
    assert str(Measure.parse(name)) == name


def test_bad_arguments() -> None:
    with pytest.raises(InputError, match=r"measures is \[\]: give a list"):
        evaluate(BOTH, QRELS, [])
    with pytest.raises(InputTypeError, match=r"runs is .*: give Runs"):
        evaluate({}, QRELS, "AP")  # type: ignore[arg-type]
    with pytest.raises(InputTypeError, match=r"qrels is .*: give Qrels"):
        evaluate(BOTH, {}, "AP")  # type: ignore[arg-type]


def test_a_name_given_twice_counts_once() -> None:
    assert list(evaluate(BOTH, QRELS, ["map", "AP", "ndcg_cut_10"])) == ["AP", "nDCG@10"]
