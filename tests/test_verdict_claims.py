"""Sentences of tiers, boards, reliability, plans and judgments: data where each is right, and where it would be wrong.

What no data can show is not said: who is the best where the topics do not tell, a difference that nobody tested, an
expected correlation that the systems do not have.
"""

from __future__ import annotations

import numpy as np
import pytest

import concordant as cc

NAMES = ("a", "b", "c", "d", "e", "f")


def scores(strengths: tuple[float, ...], noise: float, n: int = 40, seed: int = 0) -> cc.Scores:
    """Systems of these strengths on topics of different difficulty."""
    rng = np.random.default_rng(seed)
    difficulty = rng.normal(0, 0.1, (n, 1))
    values = np.array(strengths) + difficulty + rng.normal(0, noise, (n, len(strengths)))
    return cc.Scores(values, range(n), NAMES[: len(strengths)])


APART = (0.9, 0.75, 0.6, 0.45, 0.3, 0.15)
EQUAL = (0.5,) * 6


# Tiers -------------------------------------------------------------------------------------------------------------


def test_one_system_is_called_the_best_only_where_all_others_are_significantly_worse() -> None:
    clear = cc.rank_intervals(scores(APART, 0.05), rng=1)
    assert clear.verdict == (
        "6 tiers; a is the best system (95% confidence); 0 of 5 adjacent ranks are not separable with 40 topics"
    )
    assert clear.best(1).possible == ("a",)
    unclear = cc.rank_intervals(scores(EQUAL, 0.2), rng=1)
    assert "is the best system" not in unclear.verdict
    assert "5 other systems could be the best" in unclear.verdict


def test_the_best_of_equal_systems_is_named_too_often_in_no_more_than_a_twentieth_of_samples() -> None:
    samples = [scores(EQUAL, 0.2, n=20, seed=seed) for seed in range(120)]
    named = sum(
        "is the best system" in cc.rank_intervals(sample, n_resamples=499, rng=seed).verdict
        for seed, sample in enumerate(samples)
    )
    assert named <= 12  # binomial with 120 and 1/20: more has a chance of 1%


def test_how_many_could_be_the_best_counts_those_that_are_not_significantly_worse() -> None:
    two = cc.rank_intervals(scores((0.9, 0.895, 0.5, 0.4, 0.3, 0.2), 0.05), rng=1)
    first = two.systems[0]
    assert two.verdict.startswith(f"5 tiers; {first} ranks first, but 1 other system could be the best; ")
    assert set(two.best(1).possible) == {"a", "b"}


def test_systems_with_equal_means_tie_for_first() -> None:
    made = scores(APART, 0.05)
    values = made.values.copy()
    values[:, 1] = values[::-1, 0]  # the same scores, on other topics
    tied = cc.rank_intervals(cc.Scores(values, made.topics, made.systems), rng=1)
    assert "a, b tie for first; " in tied.verdict
    assert "is the best" not in tied.verdict
    assert "tie for first" not in cc.rank_intervals(made, rng=1).verdict


def test_neighbours_that_are_not_separable_are_counted() -> None:
    found = cc.rank_intervals(scores((0.9, 0.895, 0.5, 0.495, 0.1, 0.095), 0.05), rng=1)
    assert found.verdict.endswith("3 of 5 adjacent ranks are not separable with 40 topics")
    assert found.inseparable == 3


def test_a_board_says_no_more_of_its_ranks_than_their_intervals() -> None:
    for strengths, noise, best in ((APART, 0.05, True), (EQUAL, 0.2, False)):
        made = cc.board(scores(strengths, noise), rng=1)
        assert made.verdict.startswith(made.ranks.verdict)
        assert ("is the best system" in made.verdict) is best
        interval = made.reliability[0].interval
        assert interval is not None
        assert f"({interval.low:.3f} to {interval.high:.3f})" in made.verdict


# Reliability -------------------------------------------------------------------------------------------------------


def test_the_expected_correlation_is_high_for_systems_far_apart_and_low_for_equal_ones() -> None:
    apart = cc.reliability(scores(APART, 0.05), rng=1)
    assert f"tau {apart.tau:.3f}, tau_ap {apart.tau_ap:.3f}" in apart.verdict
    assert apart.tau > 0.97
    equal = [cc.reliability(scores(EQUAL, 0.2, seed=seed), rng=1).tau for seed in range(10)]
    assert np.mean(equal) < 0.6  # single samples of equal systems may look spread


def test_the_expected_correlation_is_that_of_samples_with_the_truth() -> None:
    strengths = (0.6, 0.56, 0.52, 0.48, 0.44, 0.4)
    samples = [scores(strengths, 0.3, n=25, seed=seed) for seed in range(40)]
    actual = np.mean([cc.tau(strengths, sample.means()) for sample in samples])
    said = np.mean([cc.reliability(sample, rng=1).tau for sample in samples])
    assert said == pytest.approx(actual, abs=0.1)


def test_a_plan_says_that_topics_are_not_enough_only_where_they_are_not() -> None:
    enough = cc.plan_topics(scores(APART, 0.05), "tau", target=0.9, rng=1)
    assert "not enough" not in enough.verdict
    assert enough.n_topics is not None
    assert enough.verdict.startswith(f"{enough.n_topics} topic")
    never = cc.plan_topics(scores(EQUAL, 0.2), "tau", target=0.99, most=60, rng=1)
    assert never.n_topics is None
    assert never.verdict.startswith("60 topics are not enough for an expected tau of 0.99")


# Judgments ---------------------------------------------------------------------------------------------------------


def test_discriminative_power_has_nothing_to_confirm_where_nothing_differs() -> None:
    candidate = dict(zip(NAMES, APART, strict=True))
    with pytest.warns(cc.errors.UndefinedCorrelationWarning):
        same = cc.discriminative_power(scores(EQUAL, 0.2, n=20), candidate, correction="holm")
    assert same.verdict.startswith("0 of 15 pairs differ significantly")
    assert same.verdict.endswith("so that there is nothing to confirm")
    apart = cc.discriminative_power(scores(APART, 0.05), candidate)
    assert "nothing to confirm" not in apart.verdict
    assert apart.verdict.endswith("candidate confirms 15 of them: 1.0000")
    against = cc.discriminative_power(scores(APART, 0.05), dict(zip(NAMES, APART[::-1], strict=True)))
    assert against.verdict.endswith("candidate confirms 0 of them: 0.0000")
