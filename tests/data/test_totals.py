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
from concordant.data.means import RULES, fitted, mean_ranks
from concordant.errors import InputError

FloatArray = npt.NDArray[np.float64]
HOLES = [[0.5, 0.4, 0.4, 0.1], [0.2, math.nan, 0.3, 0.3], [0.9, 0.8, math.nan, 0.7], [0.1, 0.2, 0.6, 0.6]]
TYPES = {"1": "easy", "2": "easy", "3": "easy", "4": "hard"}


def scores(values: Any = HOLES, **about: Any) -> cc.Scores:
    return cc.Scores(values, ["1", "2", "3", "4"], [*"abcd"], missing="available", **about)


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
    made = scores(values, total=rule)
    found = made.points()
    expected = np.array([literal(rule, row) for row in values])
    np.testing.assert_allclose(found.values, expected, atol=1e-14)
    if not np.isnan(expected).any():
        wanted = expected.sum(axis=0) if rule == "borda" else expected.mean(axis=0)
        np.testing.assert_allclose(made.totals(), wanted, atol=1e-12)


def test_every_type_counts_the_same() -> None:
    values = np.array([HOLES[0], HOLES[3], HOLES[3][::-1], HOLES[0][::-1]])
    found = scores(values, total="type-mean", types=TYPES)
    np.testing.assert_allclose(found.totals(), (values[:3].mean(axis=0) + values[3]) / 2, atol=1e-12)
    np.testing.assert_allclose(found.points().values.mean(axis=0), found.totals(), atol=1e-12)
    np.testing.assert_allclose(found.means(), found.totals(), atol=1e-12)
    holes = scores(total="type-mean", types=TYPES)
    filled = fitted(np.array(HOLES))
    np.testing.assert_allclose(holes.totals(), (filled[:3].mean(axis=0) + filled[3]) / 2, atol=1e-12)


def test_a_topic_on_which_all_are_equal_has_no_z_scores() -> None:
    found = cc.Scores([[0.1 + 0.2, 0.3], [0.1, 0.2]], [*"12"], [*"ab"], total="z-score").points()
    assert found.values[0].tolist() == [0.0, 0.0]
    np.testing.assert_allclose(found.values[1], [-1, 1])


def test_mteb_counts_its_points_so(data: Path) -> None:
    with (data / "mteb" / "eng_v2__borda.csv").open(encoding="utf-8") as file:
        expected = {row["model"]: (float(row["points"]), int(row["rank"])) for row in csv.DictReader(file)}
    given = cc.read_scores(data / "mteb" / "eng_v2.csv", total="borda", missing="available")
    found = cc.rank_intervals(given, n_resamples=19, rng=1)
    assert {row["system"]: (row["total"], row["observed"]) for row in found.rows()} == expected
    assert len(expected) == 242
    assert found.notes[0] == "51 of 242 systems lack topics, which give 0 points, as MTEB counts them"


def test_the_same_rule_everywhere() -> None:
    people, careful = cc.load_collection("people"), cc.load_collection("careful")
    ranks = [cc.Scores(-mean_ranks(side.values), side.topics, side.systems) for side in (people, careful)]
    how: dict[str, Any] = {"rng": 1, "n_resamples": 99}
    by = cc.as_scores(people, total="mean-rank")
    assert cc.rank_intervals(by, **how).pvalues.tolist() == cc.rank_intervals(ranks[0], **how).pvalues.tolist()
    assert cc.reliability(by, rng=1).estimates == cc.reliability(ranks[0], rng=1).estimates
    assert cc.plan_topics(by, **how).n_topics == cc.plan_topics(ranks[0], **how).n_topics
    compared = [cc.compare(*sides, worth=False, **how) for sides in ((by, careful), ranks)]
    assert compared[0].values == compared[1].values
    assert compared[0].settings["total"] == "mean-rank"


def test_points_are_those_among_the_systems_that_are_compared() -> None:
    people = cc.as_scores(cc.load_collection("people"), total="borda")
    some = people.select(systems=people.systems[:7])
    with pytest.warns(cc.errors.AlignmentWarning) as told:
        found = cc.compare(people, some, worth=False, rank_test=None)
    assert found.truth_means.tolist() == some.means().tolist()
    assert len(told) == 2
    assert found.notes[1] == "total='borda' ranks only the 7 compared systems"
    top = cc.compare(people, people, top=7, worth=False, rank_test=None)
    best = people.select(systems=top.systems)
    assert top.truth_means.tolist() == best.means().tolist()
    assert top.notes[0] == "total='borda' ranks only the 7 compared systems"


def test_mean_ranks_are_shown_with_the_best_lowest() -> None:
    found = cc.rank_intervals(cc.as_scores(cc.load_collection("people"), total="mean-rank"), n_resamples=99, rng=1)
    shown = [row["total"] for row in found.rows()]
    assert shown == sorted(shown)
    assert 1 <= shown[0] < shown[-1] <= 20
    assert "mean rank" in found.table()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"total": "median"}, "total is 'median'"),
        ({"total": "type-mean"}, "needs the type of each topic: give types"),
        ({"types": TYPES}, "types is for totals other than 'mean'"),
        ({"total": "type-mean", "types": {"1": "easy"}}, "types lacks 3 of 4 topics: 2, 3, 4"),
        ({"total": "type-mean", "types": 3}, "types is a int"),
        ({"groups": dict.fromkeys("1234", "one")}, "groups has 1 group for 4 topics"),
        ({"missing": "all"}, "missing is 'all'"),
    ],
)
def test_bad_arguments_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        cc.rank_intervals(cc.as_scores(scores(np.eye(4)), **options), n_resamples=19)


def test_one_score_per_system_has_no_points() -> None:
    with pytest.raises(InputError, match="total needs scores on topics, but there is one score per system"):
        cc.as_scores({"a": 1, "b": 2, "c": 3}, total="borda")
    people = cc.as_scores(cc.load_collection("people"), total="borda")
    with pytest.raises(InputError, match="total needs scores on topics, but a side has one score per system"):
        cc.compare(people, dict(zip(people.systems, range(20), strict=True)))


def test_ranks_within_rows_are_those_of_scipy() -> None:
    from scipy.stats import rankdata

    values = np.random.default_rng(1).integers(0, 4, (50, 7)) / 2
    values[0] = 1.0
    values[np.random.default_rng(2).random(values.shape) < 0.2] = np.nan
    expected = rankdata(-values, axis=1, nan_policy="omit")
    np.testing.assert_array_equal(mean_ranks(values), expected)
