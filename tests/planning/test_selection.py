"""Chosen topics: the choice against all subsets and literal loops, and tests that the choice cannot have seen."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import concordant as cc
from concordant.data.collection import path
from concordant.errors import InputError
from concordant.planning import choosing
from concordant.planning.choosing import SplitTask, at_random, choose, halves
from tests.commands import bad, good

FloatArray = npt.NDArray[np.float64]
PEOPLE = cc.load_collection("people")


def task(values: FloatArray, k: int, groups: Any = None, methods: Any = ("variance", "greedy")) -> SplitTask:
    n = len(values)
    places = np.arange(n) if groups is None else np.asarray(groups)
    return SplitTask(values, np.ones(n), float(k), places, cc.get_coefficient("tau_b"), methods)


@pytest.mark.parametrize("method", ["variance", "greedy"])
def test_one_topic_at_a_time_against_loops(method: Any) -> None:
    values = np.random.default_rng(1).random((9, 12))
    target = values.mean(axis=0)
    chosen: list[int] = []
    for _ in range(4):

        def worth(t: int) -> float:
            means = values[[*chosen, t]].mean(axis=0)
            if method == "greedy":
                return float(cc.tau_b(target, means))
            return -float(np.var(means - target))

        chosen.append(max((t for t in range(9) if t not in chosen), key=worth))
    assert choose(values, target, method, np.ones(9), 4) == chosen


def test_variance_finds_the_best_pair_of_topics_where_one_step_leads_there() -> None:
    rng = np.random.default_rng(2)
    values = rng.normal(size=(6, 30))
    values[0] = values[1:].mean(axis=0) * 6 - values[1:].sum(axis=0) + values.mean(axis=0)  # near the mean of all
    target = values.mean(axis=0)
    first = choose(values, target, "variance", np.ones(6), 1)[0]
    distances = [np.var(row - target) for row in values]
    assert first == int(np.argmin(distances))
    pairs = {p: np.var(values[list(p)].mean(axis=0) - target) for p in itertools.combinations(range(6), 2)}
    one, two = sorted(choose(values, target, "variance", np.ones(6), 2))
    assert pairs[one, two] <= min(v for p, v in pairs.items() if first in p) + 1e-12


def test_costs_are_kept_to() -> None:
    values = np.random.default_rng(3).random((10, 9))
    costs = np.arange(1.0, 11)
    for budget in (1, 7, 23.5):
        for method in ("variance", "greedy"):
            chosen = choose(values, values.mean(axis=0), method, costs, budget)
            assert costs[chosen].sum() <= budget
            assert len(set(chosen)) == len(chosen) > 0
            left = [t for t in range(10) if t not in chosen]
            assert costs[left].min() > budget - costs[chosen].sum()  # nothing more fits in
        drawn = at_random(costs, budget, np.random.default_rng(1))
        assert costs[drawn].sum() <= budget


def test_what_tests_has_no_part_in_the_choice() -> None:
    """Other systems and topics of a split may change as they like: what was chosen stays."""
    values = np.random.default_rng(4).random((20, 16))
    a, b, train, test = halves(task(values, 5), np.random.default_rng(7))
    assert set(a) | set(b) == set(range(20))
    assert not set(a) & set(b)
    assert not set(train) & set(test)
    changed = values.copy()
    changed[b] = changed[:, test] = -9.0
    changed[np.ix_(a, train)] = values[np.ix_(a, train)]
    again = halves(task(changed, 5), np.random.default_rng(7))
    assert all(np.array_equal(x, y) for x, y in zip((a, b, train, test), again, strict=True))
    for method in ("variance", "greedy"):
        parts = [task(v, 5).part(a, train).chosen(method) for v in (values, changed)]
        assert parts[0] == parts[1]


def test_groups_stay_on_one_side() -> None:
    groups = np.repeat(np.arange(7), 3)
    for seed in range(5):
        a, b, *_ = halves(task(np.zeros((21, 8)), 4, groups), np.random.default_rng(seed))
        assert not set(groups[a]) & set(groups[b])
        assert len(b) > 0


def test_noise_gains_nothing_and_a_copy_of_the_truth_is_found() -> None:
    rng = np.random.default_rng(5)
    noise = cc.select_topics(cc.Scores(rng.random((24, 40)), range(24), range(40)), 5, n_splits=10, rng=1)
    assert abs(noise.both.chosen) < 0.2  # whatever was chosen knows nothing of other topics
    assert noise.in_sample > 0.5
    assert noise.both.gain.low < 0 < noise.both.gain.high
    truth = 4 * rng.random(40)
    values = truth + rng.normal(0, 2, (24, 40))
    values[[3, 11]] = truth + rng.normal(0, 0.01, (2, 40))
    found = cc.select_topics(cc.Scores(values, range(24), range(40)), 2, method="variance", n_splits=10, rng=1)
    assert set(found.topics) == {"3", "11"}
    assert found.systems.gain.low > 0


def test_the_interval_is_that_of_overlapping_splits(monkeypatch: pytest.MonkeyPatch) -> None:
    from scipy import stats

    seen: list[choosing.Split] = []
    plain = choosing.split

    def kept(*args: Any) -> choosing.Split:
        seen.append(plain(*args))
        return seen[-1]

    monkeypatch.setattr("concordant.planning.selection.split", kept)
    found = cc.select_topics(PEOPLE, 8, n_splits=6, confidence_level=0.9, rng=2)
    values = np.array([one.both for one in seen])
    half = stats.t.ppf(0.95, 5) * np.sqrt((1 / 6 + 1) * values.var(ddof=1))
    assert found.both.chosen == pytest.approx(values.mean())
    assert found.both.interval.low == pytest.approx(values.mean() - half)
    assert found.all_topics == pytest.approx(np.mean([one.both_all for one in seen]))


def test_it_prints_the_held_out_number_first_and_the_same_seed_gives_the_same() -> None:
    found = cc.select_topics(PEOPLE, 8, n_splits=4, rng=2)
    assert found == cc.select_topics(PEOPLE, 8, n_splits=4, rng=2)
    assert f"{found.both.chosen:.3f} with other topics on other systems" in found.verdict
    assert f"{found.in_sample:.3f}" not in found.verdict
    assert "too high" in found.table()
    assert [row["test"] for row in found.rows()] == ["other systems and topics", "other systems"]


def test_command(tmp_path: Path) -> None:
    scores = str(path("people"))
    options = ("--splits", "3", "--method", "greedy", "-o", tmp_path / "topics.txt", "-f", "json")
    made = json.loads(good("select", scores, "-k", "5", *options))
    found = cc.select_topics(PEOPLE, 5, method="greedy", n_splits=3, rng=0)
    assert made["topics"] == list(found.topics)
    assert (tmp_path / "topics.txt").read_text().split() == list(found.topics)
    costs = tmp_path / "costs.csv"
    costs.write_text("topic,cost\n" + "".join(f"{t},{1 + k % 3}\n" for k, t in enumerate(PEOPLE.topics)))
    paid = json.loads(good("select", scores, "--costs", costs, "--budget", "9", "--splits", "2", "-f", "json"))
    assert paid["cost"] <= 9
    assert "give either -k" in bad("select", scores, status=1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "give either k, the number of topics, or budget"),
        ({"k": 39}, "k is 39: give from 1 to 38 of the 40 topics"),
        ({"k": 5, "method": "best"}, "method is 'best'"),
        ({"k": 5, "n_splits": 1}, "n_splits is 1"),
        ({"k": 5, "n_splits": 10**11}, "n_splits is 100,000,000,000: give at most 100,000,000"),
        ({"k": 5, "n_splits": 10**5000}, "n_splits is a number of 5001 digits: give at most 100,000,000"),
        ({"budget": 10**400}, "budget is a number of 401 digits: give a finite number"),
        ({"budget": 1e-319, "costs": dict.fromkeys(PEOPLE.topics, 1e-320)}, "costs of topic '401' is '1e-320': give"),
        ({"k": 5, "costs": dict.fromkeys(PEOPLE.topics, 2)}, "costs needs budget"),
        ({"budget": 5, "costs": dict.fromkeys(PEOPLE.topics, "two")}, "costs of topic '401' is 'two': give"),
        ({"budget": 5, "costs": dict.fromkeys(PEOPLE.topics, 0)}, "costs of topic '401' is '0': give"),
        ({"budget": 0.5}, "budget is 0.5: give at least the cost of one topic"),
    ],
)
def test_bad_arguments_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        cc.select_topics(PEOPLE, **options)


def test_few_systems_or_topics_are_refused() -> None:
    with pytest.raises(InputError, match="at least 8 are needed"):
        cc.select_topics(np.random.default_rng(1).random((9, 5)), 2)
    with pytest.raises(InputError, match="at least 4 are needed to choose some"):
        cc.select_topics(np.random.default_rng(1).random((3, 9)), 1)


@pytest.mark.parametrize("size", [1e299, 1e-200])
def test_scores_of_any_size_choose_the_same_topics(size: float) -> None:
    options: dict[str, Any] = {"n_splits": 2, "rng": 1}
    moved = cc.Scores(PEOPLE.values * size, PEOPLE.topics, PEOPLE.systems)
    assert cc.select_topics(moved, 5, **options).topics == cc.select_topics(PEOPLE, 5, **options).topics


def test_a_budget_is_kept_whatever_the_unit_of_costs() -> None:
    for unit in (1.0, 2.0**-40, 2.0**300):
        costs = {topic: unit * (1 + k % 3) for k, topic in enumerate(PEOPLE.topics)}
        found = cc.select_topics(PEOPLE, costs=costs, budget=9 * unit, n_splits=2, method="variance", rng=1)
        assert found.cost == sum(costs[topic] for topic in found.topics) <= 9 * unit
        assert len(found.topics) < 10
