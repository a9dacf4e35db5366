"""Every function of two or more sides gives the same answer for them and for their pairing."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import concordant as cc

from .read.test_reader import FAMILIES, FUNCTIONS, SIDES, plain

FEW: dict[str, Any] = {"n_resamples": 99, "rng": 1}
# By name, how each is called with the sides, or with their pairing in the place of them.
CALLS: dict[str, Callable[..., Any]] = {
    "audit": lambda truth, candidate=None: cc.audit(truth, candidate, reported="0.52"),
    "compare": lambda *given: cc.compare(*given, worth=False, **FEW),
    "correlate": lambda *given: cc.correlate(*given, n_resamples=600, rng=1),
    "ranks.discriminative_power": cc.ranks.discriminative_power,
    "explain": cc.explain,
    "judges.family_bias": lambda truth, candidate=None: cc.judges.family_bias(
        truth, candidate, families=FAMILIES, **FEW
    ),
    "judge_card": lambda *given: cc.judge_card(*given, **FEW),
    "judge_worth": cc.judge_worth,
    "permutation_test": lambda *given: cc.permutation_test(*given, **FEW),
    "judges.rank_changes": lambda *given: cc.judges.rank_changes(*given, n_resamples=199, rng=1),
    "rank_distance": cc.rank_distance,
    "rank_judges": cc.rank_judges,
    "rank_test": lambda *given: cc.rank_test(*given, **FEW),
    "judges.significance_agreement": cc.judges.significance_agreement,
    "soft_pairwise_accuracy": lambda *given: cc.soft_pairwise_accuracy(*given, **FEW),
    "judges.tie_calibration": lambda *given: cc.judges.tie_calibration(*given, rng=1),
}
OWN_TOPICS = {"combine", "plan_mix"}  # people and machine have different topics, so nothing is matched by them


def test_every_function_of_two_sides_is_here() -> None:
    assert set(CALLS) == {name for name, (count, _) in FUNCTIONS.items() if count > 1} - OWN_TOPICS


@pytest.mark.parametrize("name", CALLS)
def test_a_pairing_is_its_sides(name: str) -> None:
    truth, *others = list(SIDES.values())[: FUNCTIONS[name][0]]
    candidates = others[0] if len(others) == 1 else others
    with warnings.catch_warnings(action="ignore"):
        assert plain(CALLS[name](cc.pair(truth, candidates))) == plain(CALLS[name](truth, candidates))


@pytest.mark.parametrize("name", CALLS)
def test_a_pairing_is_all_there_is(name: str) -> None:
    truth, candidate, *_ = SIDES.values()
    with pytest.raises(cc.ConcordantError, match=r"a pairing(, which)? holds both sides|candidates"):
        CALLS[name](cc.pair(truth, candidate), candidate)
    with pytest.raises(cc.ConcordantError, match=r"candidates? is missing: give it, or a pairing"):
        CALLS[name](truth)


def test_what_takes_one_candidate_refuses_several() -> None:
    truth, *others = SIDES.values()
    both = cc.pair(truth, others[:2])
    for function in (cc.explain, cc.correlate, cc.rank_distance, cc.judge_worth):
        with pytest.raises(cc.ConcordantError, match=r"there are 2 candidates|the pairing has 2 candidates"):
            function(both)


def test_results_keep_what_they_were_made_from() -> None:
    truth, candidate, *_ = SIDES.values()
    both = cc.pair(truth, candidate)
    explained, tested = cc.explain(both), cc.permutation_test(both, **FEW)
    for found in (cc.compare(both, worth=False, **FEW), explained, tested, cc.soft_pairwise_accuracy(both, **FEW)):
        assert found.data == both
    joined = cc.judge_card(both, **FEW).data
    assert isinstance(joined, cc.Pairing)
    assert joined.sides == both.sides
    few = truth.select(topics=truth.topics[:5])
    for found in (cc.rank_intervals(truth, **FEW), cc.rank_test(both, **FEW)):
        assert found.data == truth
    assert cc.combine(few, candidate).data == few


def test_a_topic_that_a_side_dropped_itself_is_not_laid_to_the_other() -> None:
    """Once each: what one side drops by its own policy the other loses, but not the other way round."""
    full, holes = np.arange(12.0).reshape(4, 3), np.arange(12.0).reshape(4, 3)
    holes[1, 1] = np.nan
    sides = [cc.Scores(values, [*"wxyz"], [*"abc"], missing="drop") for values in (full, holes)]
    made = cc.pair(sides[0], [sides[1]], names=("full", "gaps"))
    said = [note for note in made.notes if "left out" in note]
    assert len(said) == 1
    assert said[0].startswith("1 topic of full left out, because gaps lacks it: x")
    assert made.left_out == (1, 0)
