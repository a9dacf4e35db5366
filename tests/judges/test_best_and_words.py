"""Which judge is best, and the words for a worth."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import t as student

import concordant as cc
from concordant.judges.curves import too_few
from concordant.judges.worth import could_be_best, judgment, question, sentence, shown, told, word_of


def test_best_is_the_rule_literally() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        values, left = rng.normal(0, 0.6, 4), rng.normal(0, 0.1, (4, 20))
        found = could_be_best(values, math.sqrt(19 / 20) * (left - left.mean(1, keepdims=True)), 20)
        for i in range(4):
            beaten = False
            for j in set(range(4)) - {i}:
                apart = left[j] - left[i]
                error = math.sqrt(19 / 20 * ((apart - apart.mean()) ** 2).sum())
                beaten |= (values[j] - values[i]) / error > student.isf(0.05 / 4, 19)
            assert found[i] == (not beaten)


def test_identical_judges_differ_by_nothing() -> None:
    left = np.random.default_rng(1).normal(size=(1, 12)).repeat(3, axis=0)
    assert could_be_best(np.full(3, 0.7), left, 12).all()
    assert could_be_best(np.array([0.7]), left[:1], 12).all()


@pytest.mark.parametrize(
    ("low", "high", "word"),
    [
        (2, 12.4, "much weaker"),
        (2, 12.5, "weaker"),
        (13, 24.9, "weaker"),
        (25.1, 90, "steadier"),
        (12.5, 50, "within a factor of two"),
        (12.4, 50, "cannot tell"),
        (12.5, 50.1, "cannot tell"),
        (0, 1, "much weaker"),
        (0, math.inf, "cannot tell"),
        (30, math.inf, "steadier"),
        (math.nan, math.nan, "not known"),
    ],
)
def test_words(low: float, high: float, word: str) -> None:
    assert word_of(low, high, 25) == word


def test_reasons() -> None:
    assert too_few(10, 8) == ""
    assert too_few(9, 8) == "there are only 9 topics (at least 10 are needed)"
    assert too_few(9, 7) == "there are only 9 topics (at least 10 are needed) and 7 systems (at least 8 are needed)"


def test_sentences() -> None:
    names = ("people", "gpt")
    assert judgment("much weaker", names, "") == "gpt is a much weaker judge than people"
    assert judgment("cannot tell", names, "9 topics and 8 systems").startswith("9 topics and 8 systems are too few")
    assert sentence(names, 25, (5.04, 2.2, 9), 0.95) == (
        "25 topics judged by gpt rank the systems only as well as 5.0 judged by people (95% interval 2.2 to 9.0)"
    )
    assert "rank these 9 systems as well as 26" in sentence(names, 25, (26, 20, 35), 0.95, systems="these 9 systems")
    assert "less well than 1 judged by people (95% interval up to 3.0)" in sentence(names, 25, (0, 0, 3), 0.95)
    assert "better than any number judged by people (95% interval 31 or more)" in sentence(
        names, 25, (math.inf, 31, math.inf), 0.95
    )


def test_numbers() -> None:
    assert [shown(x) for x in (math.nan, 0.4, 1.04, 9.96, math.inf)] == ["-", "< 1", "1.0", "10", "no limit"]
    assert told(0, 0.5) == "less than 1"
    assert told(0, math.inf) == "without limits"


def test_a_measure_is_no_judge() -> None:
    names, worth = ("map", "P_5"), (5.0, 2.0, 9.0)
    assert judgment("weaker", names, "", "measure") == "P_5 is a weaker measure than map"
    said = sentence(names, 25, worth, 0.95, noun="measure")
    assert (
        said
        == "25 topics measured by P_5 rank the systems only as well as 5.0 measured by map (95% interval 2.0 to 9.0)"
    )
    assert "25 topics of small rank" in sentence(("large", "small"), 25, worth, 0.95, noun="benchmark")
    assert question("measure", names) == "Can P_5 replace map as measure?"
    assert question("judge", ("people", "a", "b")) == "Which of 2 judges could replace people?"


def test_the_noun_follows_from_the_files(tmp_path: Path) -> None:
    rows = [f"s{k},t{t},{k * t % 7},{k + t}" for k in range(9) for t in range(12)]
    file = tmp_path / "scores.csv"
    file.write_text("\n".join(["system,topic,map,P_5", *rows, ""]))
    by_map, by_p5 = (cc.read_scores(file, measure=measure) for measure in ("map", "P_5"))
    assert isinstance(by_map, cc.Scores)
    assert cc.pair(by_map, by_p5).noun == "measure"
    assert cc.pair(by_map, by_p5, noun="pool").noun == "pool"
    halves = [by_map.select(topics=[t for t in by_map.topics if (int(t[1:]) < 6) == first]) for first in (True, False)]
    assert cc.pair(*halves, on="systems").noun == "benchmark"
    (other := tmp_path / "other.csv").write_text(file.read_text())
    assert cc.pair(by_map, cc.read_scores(other, measure="P_5")).noun == "judge"
