"""Chosen topics: the choice against all subsets and literal loops, and tests that the choice cannot have seen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import concordant as cc
from concordant.data.collection import path
from concordant.errors import InputError
from concordant.planning import choosing, selection
from concordant.planning.choosing import SplitTask, at_random, choose, run_splits
from tests.commands import bad, good

FloatArray = npt.NDArray[np.float64]
PEOPLE = cc.load_collection("people")


def task(values: FloatArray, k: int, groups: Any = None) -> SplitTask:
    n = len(values)
    places = np.arange(n) if groups is None else np.asarray(groups)
    return SplitTask(values, np.ones(n), float(k), places, cc.get_coefficient("tau_b"))


def chosen_from(values: FloatArray, costs: FloatArray, budget: float) -> list[int]:
    """The choice of one split from all topics."""
    return list(choose(values[None], np.ones((1, len(values)), dtype=bool), costs, budget)[0])


def test_one_topic_at_a_time_against_loops() -> None:
    rng = np.random.default_rng(1)
    values, allowed = rng.random((3, 9, 12)), rng.random((3, 9)) < 0.8
    found = choose(values, allowed, np.ones(9), 4)
    for scores, may, order in zip(values, allowed, found, strict=True):
        target = scores[may].mean(axis=0)
        chosen: list[int] = []
        for _ in range(4):
            left = [int(t) for t in np.flatnonzero(may) if t not in chosen]
            worth = {t: float(cc.tau_b(target, scores[[*chosen, t]].mean(axis=0))) for t in left}
            chosen.append(max(left, key=worth.__getitem__))
        assert list(order) == chosen


def test_topics_that_tie_all_systems_come_last() -> None:
    values = np.random.default_rng(2).random((4, 9))
    values[:2] = 0.5
    assert sorted(chosen_from(values, np.ones(4), 2)) == [2, 3]


def test_costs_are_kept_to() -> None:
    values = np.random.default_rng(3).random((10, 9))
    costs, every = np.arange(1.0, 11), np.ones((1, 10), dtype=bool)
    for budget in (1, 7, 23.5):
        chosen = chosen_from(values, costs, budget)
        assert costs[chosen].sum() <= budget
        assert len(set(chosen)) == len(chosen) > 0
        left = [t for t in range(10) if t not in chosen]
        assert costs[left].min() > budget - costs[chosen].sum()  # nothing more fits in
        drawn = at_random(every, costs, budget, np.random.default_rng(1))[0]
        assert costs[drawn].sum() <= budget
        assert costs[~drawn].min() > budget - costs[drawn].sum()


def test_splits_end_where_their_own_budgets_end() -> None:
    """A split that may choose cheap topics takes more of them than one that may not."""
    values = np.random.default_rng(3).random((2, 6, 9))
    allowed = np.array([[True] * 6, [False] * 4 + [True] * 2])
    order = choose(values, allowed, np.array([1.0, 1, 1, 1, 3, 4]), 4)
    assert order[1, 0] in (4, 5)
    assert (order[1, 1:] == -1).all()
    assert (order >= 0).sum(axis=1)[0] > 1


def test_random_topics_are_as_many_and_each_as_often() -> None:
    allowed = np.tile(np.arange(8) < 6, (4_000, 1))
    taken = at_random(allowed, np.ones(8), 3, np.random.default_rng(1))
    assert (taken.sum(axis=1) == 3).all()
    assert not taken[:, 6:].any()
    np.testing.assert_allclose(taken[:, :6].mean(axis=0), 0.5, atol=0.04)


def test_what_tests_has_no_part_in_the_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other systems and topics of a split may change as they like: what was chosen stays."""
    values = np.random.default_rng(4).random((20, 16))
    inside, train, test = (part[0] for part in task(values, 5).halves(1, np.random.default_rng(7)))
    assert inside.sum() == 13  # those needed, 5, and half of the rest
    assert sorted([*train, *test]) == list(range(16))
    seen: list[Any] = []
    plain = choosing.choose

    def kept(by: FloatArray, allowed: Any, *rest: Any) -> Any:
        seen.append(plain(by, allowed, *rest))
        return seen[-1]

    monkeypatch.setattr("concordant.planning.choosing.choose", kept)
    changed = np.random.default_rng(5).random((20, 16))
    changed[np.ix_(inside, train)] = values[np.ix_(inside, train)]
    for scores in (values, changed):
        run_splits(task(scores, 5), 1, np.random.default_rng(7))
    assert np.array_equal(seen[0], seen[2])
    assert not np.array_equal(seen[1], seen[3])  # chosen from all topics


def test_splits_against_loops() -> None:
    """Every number of some splits, from the topics and systems that they drew."""
    values = np.random.default_rng(6).random((12, 10)) + np.linspace(0, 1, 10)
    given, tau = task(values, 3), cc.tau_b
    found = run_splits(given, 5, np.random.default_rng(3))
    for j, (inside, train, test) in enumerate(zip(*given.halves(5, np.random.default_rng(3)), strict=True)):
        a, outer = np.flatnonzero(inside), values[np.ix_(~inside, test)].mean(axis=0)
        everywhere = values[:, test].mean(axis=0)
        chosen = a[chosen_from(values[np.ix_(a, train)], np.ones(len(a)), 3)]
        assert found.both[j] == pytest.approx(tau(outer, values[np.ix_(chosen, test)].mean(axis=0)))
        assert found.both_all[j] == pytest.approx(tau(outer, values[np.ix_(a, test)].mean(axis=0)))
        means = values[np.ix_(chosen_from(values[:, train], np.ones(12), 3), test)].mean(axis=0)
        assert found.systems[j] == pytest.approx(tau(everywhere, means))
    assert (np.abs(found.both_random) <= 1).all()


def test_groups_stay_on_one_side() -> None:
    groups = np.repeat(np.arange(7), 3)
    for inside in task(np.zeros((21, 8)), 4, groups).halves(50, np.random.default_rng(1))[0]:
        assert not set(groups[inside]) & set(groups[~inside])
        assert 0 < inside.sum() < 21


def test_noise_gains_nothing_and_a_copy_of_the_truth_is_found() -> None:
    rng = np.random.default_rng(5)
    noise = cc.select_topics(cc.Scores(rng.random((24, 40)), range(24), range(40)), 5, n_splits=10, rng=1)
    assert abs(noise.both.chosen) < 0.2  # whatever was chosen knows nothing of other topics
    assert noise.in_sample > 0.5
    assert noise.both.gain.low < 0 < noise.both.gain.high
    truth = 4 * rng.random(40)
    values = truth + rng.normal(0, 2, (24, 40))
    values[[3, 11]] = truth + rng.normal(0, 0.01, (2, 40))
    found = cc.select_topics(cc.Scores(values, range(24), range(40)), 1, n_splits=10, rng=1)
    assert set(found.topics) < {"3", "11"}
    assert found.systems.gain.low > 0


def test_the_interval_is_that_of_overlapping_splits(monkeypatch: pytest.MonkeyPatch) -> None:
    from scipy import stats

    seen: list[choosing.Splits] = []

    def kept(*args: Any) -> choosing.Splits:
        seen.append(run_splits(*args))
        return seen[-1]

    monkeypatch.setattr("concordant.planning.selection.run_splits", kept)
    found = cc.select_topics(PEOPLE, 8, n_splits=6, confidence_level=0.9, rng=2)
    values = np.concatenate([one.both for one in seen])
    half = stats.t.ppf(0.95, 5) * np.sqrt((1 / 6 + 1) * values.var(ddof=1))
    assert found.both.chosen == pytest.approx(values.mean())
    assert found.both.interval.low == pytest.approx(values.mean() - half)
    assert found.all_topics == pytest.approx(np.mean(np.concatenate([one.both_all for one in seen])))


def test_there_are_as_many_splits_as_stable_limits_need(monkeypatch: pytest.MonkeyPatch) -> None:
    """Over 12 seeds, limits move by about the standard deviation that is asked for, and the topics not at all."""
    monkeypatch.setattr(selection, "MEMORY", 2**15)
    monkeypatch.setattr(selection, "STILL", 0.012)
    told: list[tuple[int, int]] = []
    found = [cc.select_topics(PEOPLE, 8, rng=seed, progress=lambda *done: told.append(done)) for seed in range(12)]
    assert len({one.topics for one in found}) == 1
    assert all(100 < one.settings["n_splits"] < 1_000 for one in found)
    limits = np.array([[one.both.interval.low, one.systems.interval.low, one.both.gain.low] for one in found])
    assert (limits.std(axis=0, ddof=1) < 1.7 * 0.012).all()
    assert told[-1] == (found[-1].settings["n_splits"],) * 2


def test_it_prints_the_held_out_number_first_and_the_same_seed_gives_the_same() -> None:
    found = cc.select_topics(PEOPLE, 8, n_splits=4, rng=2)
    assert found == cc.select_topics(PEOPLE, 8, n_splits=4, rng=2)
    assert f"{found.both.chosen:.2f} with other topics on other systems" in found.verdict
    assert f"{found.in_sample:.2f}" not in found.verdict
    assert "too high" in found.table()
    assert [row["test"] for row in found.rows()] == ["other systems and topics", "other systems"]


def test_command(tmp_path: Path) -> None:
    scores = str(path("people"))
    options = ("--splits", "3", "-o", tmp_path / "topics.txt", "-f", "json")
    made = json.loads(good("select", scores, "-k", "5", *options))
    found = cc.select_topics(PEOPLE, 5, n_splits=3, rng=0)
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
        ({"k": 5, "n_splits": 1}, "n_splits is 1"),
        ({"k": 5, "n_splits": 10**11}, "n_splits is 100,000,000,000: give at most 100,000,000"),
        ({"k": 5, "n_splits": 10**5000}, "n_splits is a number of 5001 digits: give at most 100,000,000"),
        ({"budget": 10**400}, "budget is a number of 401 digits: give a finite number"),
        ({"budget": 1e-319, "costs": dict.fromkeys(PEOPLE.topics, 1e-320)}, "costs has '1e-320' for topic '401': give"),
        ({"k": 5, "costs": dict.fromkeys(PEOPLE.topics, 2)}, "costs needs budget"),
        ({"budget": 5, "costs": dict.fromkeys(PEOPLE.topics, "two")}, "costs has 'two' for topic '401': give"),
        ({"budget": 5, "costs": dict.fromkeys(PEOPLE.topics, 0)}, "costs has '0' for topic '401': give"),
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
        found = cc.select_topics(PEOPLE, costs=costs, budget=9 * unit, n_splits=2, rng=1)
        assert found.cost == sum(costs[topic] for topic in found.topics) <= 9 * unit
        assert len(found.topics) < 10
