"""Rank changes: by scipy's ranks, over all orders of ties, and coverage of the intervals in a known population."""

from __future__ import annotations

import itertools
from statistics import fmean

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from scipy import stats

import concordant as cc
from concordant.data.means import mean_ranks
from concordant.judges.rank_shifts import _shares

PEOPLE, CAREFUL, HASTY = (cc.load_collection(name) for name in ("people", "careful", "hasty"))
COARSE = st.integers(2, 6).flatmap(lambda m: st.lists(st.integers(0, 3), min_size=m, max_size=m))


@pytest.mark.parametrize("candidate", [CAREFUL, HASTY], ids=["careful", "hasty"])
def test_ranks_and_changes_by_scipy(candidate: cc.Scores) -> None:
    found = cc.judges.rank_changes(PEOPLE, candidate, n_resamples=199, rng=1)
    ranks = [stats.rankdata(-side.means()) for side in (PEOPLE, candidate)]
    np.testing.assert_array_equal(found.truth_rank, ranks[0])
    np.testing.assert_array_equal(found.candidate_rank, ranks[1])
    change = dict(zip(PEOPLE.systems, ranks[1] - ranks[0], strict=True))
    assert found.largest_drop.value == max(change.values())
    assert found.largest_rise.value == -min(change.values())
    assert set(found.largest_drop.systems) == {s for s, c in change.items() if c == max(change.values())}
    assert set(found.largest_rise.systems) == {s for s, c in change.items() if c == min(change.values())}
    best = PEOPLE.systems[int(PEOPLE.means().argmax())]
    assert found.best_rank.systems == (best,)
    assert found.best_rank.value == ranks[1][PEOPLE.systems.index(best)]
    changes = [row["change"] for row in found.rows()]
    assert changes == sorted(changes, reverse=True)
    assert {row["system"]: row["change"] for row in found.rows()} == change
    for statistic in (found.largest_drop, found.largest_rise, found.best_rank, found.candidate_best_rank):
        assert statistic.value in statistic.interval


@given(COARSE, st.integers(1, 5))
@hypothesis_settings(max_examples=60)
def test_ties_are_means_over_all_orders(scores: list[int], k: int) -> None:
    m = len(scores)
    orders = [
        order
        for order in itertools.permutations(range(m))
        if all(scores[a] >= scores[b] for a, b in itertools.pairwise(order))
    ]
    values = np.array(scores, dtype=float)
    expected = [fmean(order.index(i) + 1 for order in orders) for i in range(m)]
    np.testing.assert_allclose(mean_ranks(values[None])[0], expected, atol=1e-12)
    among = [fmean(order.index(i) < k for order in orders) for i in range(m)]
    np.testing.assert_allclose(_shares(values, k), among, atol=1e-12)
    assert _shares(values, k).sum() == pytest.approx(min(k, m))


def test_overlap_by_hand() -> None:
    truth, candidate = np.tile([4.0, 3, 2, 1], (6, 1)), np.tile([1.0, 4, 3, 3], (6, 1))
    found = cc.judges.rank_changes(truth, candidate, k=2, rng=1)
    assert found.overlap.value == 0.5  # system 1 is among the two best of both
    assert found.overlap.systems == ("1",)
    assert found.largest_drop.value == 3
    assert found.largest_drop.systems == ("0",)
    assert found.candidate_best_rank.value == 2


def test_clear_changes_are_shown_by_the_topics() -> None:
    rng = np.random.default_rng(1)
    noise = rng.normal(0, 0.01, (30, 5))
    truth, candidate = noise + np.array([5, 4, 3, 2, 1]), noise + np.array([1, 4, 3, 2, 5])
    found = cc.judges.rank_changes(truth, candidate, k=2, rng=1)
    assert (found.largest_drop.interval.low, found.largest_drop.interval.high) == (4, 4)
    assert (found.largest_rise.interval.low, found.largest_rise.interval.high) == (4, 4)
    assert (found.best_rank.interval.low, found.best_rank.interval.high) == (5, 5)
    assert (found.overlap.interval.low, found.overlap.interval.high) == (0.5, 0.5)


def test_nothing_changes_for_the_same_side() -> None:
    found = cc.judges.rank_changes(PEOPLE, PEOPLE, n_resamples=199, rng=1)
    assert found.largest_drop.value == found.largest_rise.value == 0
    assert found.largest_drop.systems == ()
    assert found.overlap.value == 1
    assert found.verdict.startswith("no system drops")


def test_all_intervals_hold_together_in_a_known_population() -> None:
    """Topics drawn from the 40 of a collection: what its means say is the truth. Nominal 95%, all five together."""
    rng, held = np.random.default_rng(8), 0
    truth, candidate = PEOPLE.values[:, ::2], HASTY.values[:, ::2] + np.linspace(0, 0.3, 10)
    known = cc.judges.rank_changes(truth, candidate, k=3, n_resamples=99, rng=1)
    names = known.systems
    for seed in range(60):
        drawn = rng.integers(0, 40, 30)
        found = cc.judges.rank_changes(truth[drawn], candidate[drawn], k=3, n_resamples=199, rng=seed)
        held += (
            known.largest_drop.value in found.largest_drop.interval
            and known.largest_rise.value in found.largest_rise.interval
            and known.overlap.value in found.overlap.interval
            and known.candidate_rank[names.index(found.best_rank.systems[0])] in found.best_rank.interval
            and known.truth_rank[names.index(found.candidate_best_rank.systems[0])]
            in found.candidate_best_rank.interval
        )
    assert held >= 55


def test_k_is_checked_and_the_seed_kept() -> None:
    with pytest.raises(cc.errors.InputError, match="k is 20: give a whole number from 1 to 19"):
        cc.judges.rank_changes(PEOPLE, HASTY, k=20)
    assert cc.judges.rank_changes(PEOPLE.values[:, :2], HASTY.values[:, :2], n_resamples=99).k == 1
    one, again = (cc.judges.rank_changes(PEOPLE, HASTY, n_resamples=199, rng=4) for _ in range(2))
    assert one == again
    assert one.settings["seed"] == 4
    assert max(map(len, one.table().splitlines())) <= 80
