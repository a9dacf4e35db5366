"""Totals by each rule against literal loops and MTEB's own points; with holes, with types, and where they are used."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import concordant as cc
from concordant.errors import InputError
from concordant.totals import RULES, mean_ranks, points_of

FloatArray = npt.NDArray[np.float64]
HOLES = [[0.5, 0.4, 0.4, 0.1], [0.2, math.nan, 0.3, 0.3], [0.9, 0.8, math.nan, 0.7], [0.1, 0.2, 0.6, 0.6]]
TYPES = {"1": "easy", "2": "easy", "3": "easy", "4": "hard"}


def scores(values: Any = HOLES) -> cc.Scores | cc.IncompleteScores:
    kind = cc.IncompleteScores if np.isnan(values).any() else cc.Scores
    return kind(values, ["1", "2", "3", "4"], [*"abcd"])


def literal(rule: str, row: list[float]) -> list[float]:
    """The points of one topic, written out."""
    there = [x for x in row if not math.isnan(x)]
    mean = sum(there) / len(there)
    deviation = math.sqrt(sum((x - mean) ** 2 for x in there) / len(there))
    found = []
    for x in row:
        better, same = sum(y > x for y in there), sum(y == x for y in there)
        rank = better + (same + 1) / 2
        if math.isnan(x):
            found.append(0.0 if rule == "borda" else math.nan)
        elif rule in ("mean", "type-mean"):
            found.append(x)
        elif rule == "borda":
            found.append(len(row) - rank)
        elif rule == "mean-rank":
            found.append(-rank)
        elif rule == "z-score":
            found.append((x - mean) / deviation)
        else:
            found.append((sum(y < x for y in there) + (same - 1) / 2) / (len(there) - 1))
    return found


@pytest.mark.parametrize("rule", [name for name in RULES if name != "type-mean"])
@pytest.mark.parametrize("values", [HOLES, [HOLES[0], HOLES[3], HOLES[3][::-1], HOLES[0][::-1]]])
def test_points_are_what_each_rule_says(rule: Any, values: Any) -> None:
    found = points_of(scores(values), rule)
    expected = np.array([literal(rule, row) for row in values])
    np.testing.assert_allclose(found.scores.values, expected, atol=1e-14)
    if not np.isnan(expected).any():
        wanted = expected.sum(axis=0) if rule == "borda" else expected.mean(axis=0)
        np.testing.assert_allclose(found.totals, wanted, atol=1e-12)


def test_every_type_counts_the_same() -> None:
    values = np.array([HOLES[0], HOLES[3], HOLES[3][::-1], HOLES[0][::-1]])
    found = points_of(scores(values), "type-mean", TYPES)
    np.testing.assert_allclose(found.totals, (values[:3].mean(axis=0) + values[3]) / 2, atol=1e-12)
    np.testing.assert_allclose(found.scores.values.mean(axis=0), found.totals, atol=1e-12)
    holes = points_of(scores(), "type-mean", TYPES)
    filled = cc.IncompleteScores(HOLES, ["1", "2", "3", "4"], [*"abcd"]).filled()
    np.testing.assert_allclose(holes.totals, (filled[:3].mean(axis=0) + filled[3]) / 2, atol=1e-12)


def test_a_topic_on_which_all_are_equal_has_no_z_scores() -> None:
    found = points_of(cc.Scores([[0.1 + 0.2, 0.3], [0.1, 0.2]], [*"12"], [*"ab"]), "z-score")
    assert found.scores.values[0].tolist() == [0.0, 0.0]
    np.testing.assert_allclose(found.scores.values[1], [-1, 1])


def test_mteb_counts_its_points_so(data: Path) -> None:
    with (data / "mteb" / "eng_v2__borda.csv").open(encoding="utf-8") as file:
        expected = {row["model"]: (float(row["points"]), int(row["rank"])) for row in csv.DictReader(file)}
    found = cc.rank_intervals(
        data / "mteb" / "eng_v2.csv", aggregate="borda", missing="available", n_resamples=19, rng=1
    )
    assert {row["system"]: (row["mean"], row["rank"]) for row in found.rows()} == expected
    assert len(expected) == 242
    assert found.notes[0] == "51 systems of 242 lack topics, which give 0 points, as MTEB counts them"


def test_the_same_rule_everywhere() -> None:
    people, careful = cc.load_collection("people"), cc.load_collection("careful")
    ranks = [cc.Scores(points_of(side, "mean-rank").scores.values, side.topics, side.systems)
             for side in (people, careful)]  # fmt: skip
    how: dict[str, Any] = {"rng": 1, "n_resamples": 99}
    by: dict[str, Any] = {"aggregate": "mean-rank"}
    assert (
        cc.rank_intervals(people, **how, **by).pvalues.tolist() == cc.rank_intervals(ranks[0], **how).pvalues.tolist()
    )
    assert cc.reliability(people, rng=1, **by).estimates == cc.reliability(ranks[0], rng=1).estimates
    plan = (cc.plan_topics(people, **how, **by), cc.plan_topics(ranks[0], **how))
    assert plan[0].n_topics == plan[1].n_topics
    compared = [
        cc.compare(people, careful, worth=False, **how, **by),
        cc.compare(ranks[0], ranks[1], worth=False, **how),
    ]
    assert compared[0].values == compared[1].values
    assert compared[0].settings["aggregate"] == "mean-rank"


def test_mean_ranks_are_shown_with_the_best_lowest() -> None:
    found = cc.rank_intervals(cc.load_collection("people"), aggregate="mean-rank", n_resamples=99, rng=1)
    shown = [row["mean"] for row in found.rows()]
    assert shown == sorted(shown)
    assert 1 <= shown[0] < shown[-1] <= 20
    assert "mean rank" in found.table()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"aggregate": "median"}, "aggregate is 'median'"),
        ({"aggregate": "type-mean"}, "needs the type of each topic: give types"),
        ({"types": TYPES}, "types is for aggregate 'type-mean', and it is 'mean'"),
        ({"aggregate": "type-mean", "types": {"1": "easy"}}, "types lacks 3 topics of 4: 2, 3, 4"),
        ({"aggregate": "type-mean", "types": 3}, "types is a int"),
        ({"groups": dict.fromkeys("1234", "one")}, "groups has 1 group for 4 topics"),
        ({"missing": "all"}, "missing is 'all'"),
    ],
)
def test_bad_arguments_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        cc.rank_intervals(np.eye(4) if "missing" in options else scores(np.eye(4)), **options)


def test_one_score_per_system_has_no_points() -> None:
    with pytest.raises(InputError, match="aggregate needs scores on topics, and a side has one score per system"):
        cc.compare({"a": 1, "b": 2, "c": 3}, {"a": 1, "b": 2, "c": 4}, aggregate="borda")


def test_ranks_within_rows_are_those_of_scipy() -> None:
    from scipy.stats import rankdata

    values = np.random.default_rng(1).integers(0, 4, (50, 7)) / 2
    values[0] = 1.0
    values[np.random.default_rng(2).random(values.shape) < 0.2] = np.nan
    expected = rankdata(-values, axis=1, nan_policy="omit")
    np.testing.assert_array_equal(mean_ranks(values), expected)
