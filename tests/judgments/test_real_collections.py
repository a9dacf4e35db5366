"""The numbers of `golden/real_data.json`: judges of dl21, pools of covid1."""

from __future__ import annotations

import csv
import json
import warnings
from pathlib import Path

import pytest

import concordant as cc
from concordant.read.reader import as_topics

pytestmark = pytest.mark.long


def test_judges_of_dl21(dl21: tuple[cc.Runs, cc.Qrels], data: Path, golden: Path) -> None:
    wanted = json.loads((golden / "real_data.json").read_text())["dl21_ndcg10_tau_b_against_human"]
    runs = dl21[0]
    human = cc.evaluate(*dl21, "nDCG@10")
    assert human.values.shape == (53, 63)
    files = {path.name.partition(".txt")[0]: path for path in sorted((data / "dl21" / "qrels").glob("*.gz"))}
    for judge, value in wanted.items():
        if judge != "about":
            scores = cc.evaluate(runs, cc.read_qrels(files[judge]), "nDCG@10").select(topics=human.topics)
            assert cc.tau_b(human.means(), scores.means()) == pytest.approx(value, abs=0.002)


def test_grades_with_fractions_are_not_truncated(dl21: tuple[cc.Runs, cc.Qrels], data: Path) -> None:
    runs = dl21[0]
    human = cc.evaluate(*dl21, "nDCG@10")
    mean = cc.read_qrels(data / "dl21" / "qrels" / "exam_graded_mean_gpt4.txt.gz")
    scores = cc.evaluate(runs, mean, "nDCG@10").select(topics=human.topics)
    whole = cc.evaluate(runs, mean.with_grades(mean.grades // 1), "nDCG@10").select(topics=human.topics)
    truncated = as_topics(data / "dl21" / "scores" / "ndcg_cut_10__exam_graded_mean_gpt4.csv")
    same = truncated.select(systems=whole.systems, topics=whole.topics)
    assert abs(same.values - whole.values).max() < 1e-5  # what the files have, written with five decimals
    assert abs(same.values - scores.values).max() > 0.1
    vital = cc.read_qrels(data / "dl21" / "qrels" / "nuggets_vital_gpt4o.txt.gz")
    with pytest.warns(cc.errors.DataWarning, match="topics of the qrels left out, because no run has them"):
        assert cc.evaluate(runs, vital, "nDCG@10").values.max() > 0.1
    with pytest.raises(cc.errors.InputError, match="rel="):
        cc.evaluate(runs, mean, "AP")


def test_pools_of_covid1(covid1: tuple[cc.Runs, cc.Qrels], data: Path, golden: Path) -> None:
    wanted = json.loads((golden / "real_data.json").read_text())["covid1_depth_pool_tau_ndcg10"]
    runs, qrels = covid1
    with open(data / "covid1" / "leaderboard.csv", newline="") as file:
        pooled = [row["run"] for row in csv.DictReader(file) if row["contributed judgments"] == "yes"]
    full = cc.evaluate(runs, qrels, "nDCG@10").means()
    for depth in (1, 2, 3, 5, 7):
        with warnings.catch_warnings(action="ignore"):
            part = cc.judgments.depth_pool(runs, qrels, depth, pooled)
        found = cc.tau_b(full, cc.evaluate(runs, part, "nDCG@10").means())
        assert found == pytest.approx(wanted[str(depth)], abs=0.002), depth


def test_scores_of_covid1_equal_the_official_ones(covid1: tuple[cc.Runs, cc.Qrels], data: Path) -> None:
    """Precision and nDCG at 10 and 20 do not see that the runs were cut to 100 documents."""
    runs, qrels = covid1
    for name, file in (("P@5", "P_5"), ("nDCG@10", "ndcg_cut_10"), ("nDCG@20", "ndcg_cut_20")):
        official = cc.read_scores(data / "covid1" / f"{file}.csv")
        found = cc.evaluate(runs, qrels, name).select(systems=official.systems, topics=official.topics)
        assert abs(found.values - official.values).max() < 6e-5
