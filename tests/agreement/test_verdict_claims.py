"""Sentences of results other than comparisons and judgments: data where each is right, and where it would be wrong.

What no data can show is not said: who is the best where the topics do not tell, a difference that nobody tested, an
expected correlation that the systems do not have.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import concordant as cc
from concordant.data.results import Interval
from concordant.planning.combination import _first
from concordant.planning.selection import compared

NAMES = ("a", "b", "c", "d", "e", "f")


def scores(strengths: tuple[float, ...], noise: float, n: int = 40, seed: int = 0) -> cc.Scores:
    """Systems of these strengths on topics of different difficulty."""
    rng = np.random.default_rng(seed)
    difficulty = rng.normal(0, 0.1, (n, 1))
    values = np.array(strengths) + difficulty + rng.normal(0, noise, (n, len(strengths)))
    return cc.Scores(values, range(n), NAMES[: len(strengths)])


APART = (0.9, 0.75, 0.6, 0.45, 0.3, 0.15)
EQUAL = (0.5,) * 6


# Boards ------------------------------------------------------------------------------------------------------------


def test_one_system_is_called_the_best_only_where_all_others_are_significantly_worse() -> None:
    clear = cc.rank_intervals(scores(APART, 0.05), rng=1)
    assert clear.verdict == "a is the best of 6 systems (95% confidence)."
    assert clear.borders == (1, 2, 3, 4, 5)
    assert clear.best(1).possible == ("a",)
    unclear = cc.rank_intervals(scores(EQUAL, 0.2), rng=1)
    assert unclear.verdict == "Any of the 6 systems could be the best."
    assert unclear.borders == ()


def test_the_best_of_equal_systems_is_named_too_often_in_no_more_than_a_twentieth_of_samples() -> None:
    samples = [scores(EQUAL, 0.2, n=20, seed=seed) for seed in range(120)]
    named = sum(
        "is the best of" in cc.rank_intervals(sample, n_resamples=499, rng=seed).verdict
        for seed, sample in enumerate(samples)
    )
    assert named <= 12  # binomial with 120 and 1/20: more has a chance of 1%


def test_how_many_could_be_the_best_counts_those_that_are_not_significantly_worse() -> None:
    two = cc.rank_intervals(scores((0.9, 0.895, 0.5, 0.4, 0.3, 0.2), 0.05), rng=1)
    assert two.verdict == f"2 of 6 systems could be the best: {two.systems[0]} and {two.systems[1]}."
    assert two.border_sentence.startswith("Borders after the first 2, 3, 4 and 5: ")
    assert set(two.best(1).possible) == {"a", "b"}


def test_systems_with_equal_means_tie_for_first() -> None:
    made = scores(APART, 0.05)
    values = made.values.copy()
    values[:, 1] = values[::-1, 0]  # the same scores, on other topics
    tied = cc.rank_intervals(cc.Scores(values, made.topics, made.systems), rng=1)
    assert tied.verdict == "2 of 6 systems could be the best: a and b."
    assert tied.observed.tolist()[:3] == [1, 1, 3]


def test_neighbours_that_are_not_separable_share_a_rank() -> None:
    found = cc.rank_intervals(scores((0.9, 0.895, 0.5, 0.495, 0.1, 0.095), 0.05), rng=1)
    assert found.borders == (2, 4)
    assert found.low.tolist() == [1, 1, 3, 3, 5, 5]


def test_a_board_says_no_more_of_its_ranks_than_their_intervals() -> None:
    for strengths, noise, best in ((APART, 0.05, True), (EQUAL, 0.2, False)):
        made = cc.board(scores(strengths, noise), rng=1)
        assert made.verdict == cc.rank_intervals(scores(strengths, noise), rng=1).verdict
        assert ("is the best of" in made.verdict) is best
        interval = made.reliability[0].interval
        assert interval is not None
        assert f"({interval.low:.2f} to {interval.high:.2f})" in str(made)


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
    enough = cc.plan_topics(scores(APART, 0.05), coefficient="tau", target=0.9, rng=1)
    assert "not enough" not in enough.verdict
    assert enough.n_topics is not None
    assert enough.verdict.startswith(f"{enough.n_topics} topic")
    never = cc.plan_topics(scores(EQUAL, 0.2), coefficient="tau", target=0.99, most=60, rng=1)
    assert never.n_topics is None
    assert never.verdict.startswith("60 topics are not enough for an expected tau of 0.99")


# Judgments ---------------------------------------------------------------------------------------------------------


def test_discriminative_power_has_nothing_to_confirm_where_nothing_differs() -> None:
    candidate = dict(zip(NAMES, APART, strict=True))
    with pytest.warns(cc.errors.UndefinedCorrelationWarning):
        same = cc.ranks.discriminative_power(scores(EQUAL, 0.2, n=20), candidate, correction="holm")
    assert same.verdict.startswith("discriminative power = nan (0 of 0 significant pairs confirmed, of 15 in all")
    apart = cc.ranks.discriminative_power(scores(APART, 0.05), candidate)
    assert apart.verdict.startswith("discriminative power = 1.0000 (15 of 15 significant pairs confirmed")
    against = cc.ranks.discriminative_power(scores(APART, 0.05), dict(zip(NAMES, APART[::-1], strict=True)))
    assert against.verdict.startswith("discriminative power = 0.0000 (0 of 15 significant pairs confirmed")


# Judges ------------------------------------------------------------------------------------------------------------

LABELS = tuple(f"s{k}" for k in range(12))


def judge(noise: float, bias: float = 0.0, seed: int = 4, n: int = 30) -> tuple[cc.Scores, cc.Scores]:
    """The truth, and a judge that is off by chance on each topic, and by a constant for each system."""
    truth = np.linspace(0.7, 0.3, 12) + np.random.default_rng(3).normal(0, 0.08, (n, 12))
    rng = np.random.default_rng(seed)
    other = truth + rng.normal(0, noise, truth.shape) + rng.normal(0, bias, 12)
    return cc.Scores(truth, range(n), LABELS), cc.Scores(other, range(n), LABELS)


def test_a_judge_is_called_better_only_with_a_significant_difference() -> None:
    truth, good = judge(0.01, n=20)
    bad, similar = judge(0.4, 0.3, n=20)[1], judge(0.012, seed=9, n=20)[1]
    found = cc.rank_judges(truth, [good, similar, bad], names=("people", "good", "similar", "bad"), rng=1)
    assert set(found.best) == {"good", "similar"}
    names = ", ".join(found.best)
    assert found.verdict.startswith(f"The best judge is one of these 2: {names}; 20 topics cannot tell which. ")


def test_of_two_judges_one_is_called_best_only_with_a_significant_difference() -> None:
    truth, good = judge(0.01, n=20)
    similar = cc.rank_judges(truth, [good, judge(0.012, seed=9, n=20)[1]], names=("people", "good", "similar"))
    assert similar.verdict.startswith("The best judge is any of the 2; ")
    other = cc.rank_judges(truth, {"bad": judge(0.4, 0.3, n=20)[1], "good": good}, names=("people", "bad", "good"))
    assert other.verdict.startswith("good is the best of 2 judges. ")


def test_without_a_test_of_candidates_the_highest_value_is_named_as_no_more_than_that() -> None:
    truth, good = judge(0.01)
    means = {"good": good, "twin": good, "bad": judge(0.4, 0.3)[1]}
    how: dict[str, Any] = {"coefficients": ["tau_b"], "worth": False}
    value = cc.compare(truth, good, **how)["tau_b"]
    few = {name: means[name] for name in ("good", "bad")}
    one = cc.compare(truth, few, names=("people", *few), **how).verdict
    assert one.startswith(f"good has the highest tau_b ({value:.3f}) with people. Significance was not tested.")
    two = cc.compare(truth, means, names=("people", *means), **how).verdict
    assert two.startswith(f"good, twin tie for the highest tau_b ({value:.3f}) with people. ")


# Cards -------------------------------------------------------------------------------------------------------------

FAMILIES = {name: f"f{k // 3}" for k, name in enumerate(LABELS)}


def favouring(shift: float, family: str = "f1") -> tuple[cc.Scores, cc.Scores]:
    """A judge that adds something to the scores of a family."""
    truth, other = judge(0.05)
    return truth, cc.Scores(
        other.values + shift * np.array([FAMILIES[name] == family for name in LABELS]), other.topics, LABELS
    )


def test_a_family_is_called_favoured_or_harmed_only_with_a_significant_shift() -> None:
    for shift, says in ((0.4, "candidate favours f1 by "), (-0.4, "candidate harms f1 by ")):
        found = cc.judges.family_bias(*favouring(shift), families=FAMILIES, n_resamples=499, rng=1)
        assert found.verdict.startswith(says)
    fair = cc.judges.family_bias(*favouring(0.0), families=FAMILIES, n_resamples=499, rng=1)
    assert min(f.adjusted for f in fair.families) > 0.05
    largest = max(fair.families, key=lambda f: abs(f.shift))
    assert fair.verdict.startswith("no family is shown to be favoured or harmed; the largest shift, ")
    assert f"{largest.shift:+.2f} standard deviations for {largest.family}, may be chance" in fair.verdict


def test_a_tolerance_is_recommended_only_where_it_helps_on_other_topics() -> None:
    truth, other = judge(0.05)
    graded = cc.Scores(np.round(truth.values * 4), truth.topics, LABELS)
    helps = cc.judges.tie_calibration(graded, other, rng=1)
    assert helps.accuracy > helps.uncalibrated
    assert helps.verdict.endswith(f"; treat differences up to {helps.tolerance:.4g} as ties")
    useless = cc.judges.tie_calibration(truth, other, rng=1)  # a truth without ties
    assert useless.accuracy <= useless.uncalibrated
    assert useless.verdict.endswith("; a tolerance does not help here")


def test_rank_changes_are_those_of_the_truths_best_system() -> None:
    truth, close = judge(0.001)
    same = cc.judges.rank_changes(truth, close, k=3, n_resamples=99, rng=1)
    assert same.verdict == (
        "no system drops; truth's best system, s0, is at rank 1 of 12 by candidate; 3 of the 3 best are the same"
    )
    swapped = cc.Scores(close.values[:, ::-1], close.topics, LABELS)
    turned = cc.judges.rank_changes(truth, swapped, k=3, n_resamples=99, rng=1)
    assert turned.verdict == (
        "largest drop 11 ranks (s0); truth's best system, s0, is at rank 12 of 12 by candidate; 0 of the 3 best are "
        "the same"
    )


def test_significance_is_confirmed_contradicted_or_not_there() -> None:
    truth, close = judge(0.01)
    same = cc.judges.significance_agreement(truth, close)
    assert same.verdict.startswith(
        f"truth's scores confirm {same.active_agreements} of candidate's {same.significant_candidate} significant "
        "differences, and contradict 0; candidate misses "
    )
    assert same.active_agreements > 30
    turned = cc.judges.significance_agreement(truth, cc.Scores(-close.values, close.topics, LABELS))
    assert turned.verdict.startswith(
        f"truth's scores confirm 0 of candidate's {same.significant_candidate} significant differences"
    )
    assert f"and contradict {turned.active_disagreements};" in turned.verdict
    assert turned.active_disagreements > 30
    equal = cc.Scores(np.random.default_rng(2).normal(0, 1, (30, 12)), truth.topics, LABELS)
    none = cc.judges.significance_agreement(equal, close, correction="holm")
    assert none.significant_truth == 0
    assert "; no pair differs significantly by truth's scores (" in none.verdict
    assert "misses" not in none.verdict


# People and machines -----------------------------------------------------------------------------------------------


def test_a_mix_is_worth_more_with_a_good_machine_than_with_a_bad_one() -> None:
    truth, good = judge(0.01, n=60)
    people, bad = truth.select(topics=truth.topics[:20]), judge(3.0, n=60)[1]
    helps, useless = cc.combine(people, good), cc.combine(people, bad)
    assert helps.worth > 40
    assert helps.verdict == (
        f"20 topics by human and 40 more by machine rank the systems as well as {helps.worth:.0f} by human "
        f"(95% interval {helps.worth_interval.low:.0f} to {helps.worth_interval.high:.0f}); "
        f"{helps.means.systems[0]} ranks first"
    )
    assert 15 < useless.worth < 22
    assert _first(LABELS, np.ones(12)) == "s0, s1, s2, and 9 more tie for first"


def test_a_plan_of_a_mix_says_what_it_is_predicted_from_and_what_was_not_tried() -> None:
    truth, good = judge(0.01, n=60)
    people = truth.select(topics=truth.topics[:20])
    cheap = cc.plan_mix(people, good, as_good_as=40, costs=(20, 0.05))
    assert cheap.cheapest.cost < cheap.alone.cost
    assert cheap.verdict.endswith(
        f"cost {cheap.cheapest.cost:g} instead of {cheap.alone.cost:g}; predicted from 20 topics"
    )
    dear = cc.plan_mix(people, good, as_good_as=40, costs=(1, 1000))
    few = cc.plan_mix(people, good, as_good_as=10, costs=(20, 0.05))
    for plan in (dear, few):  # fewer human topics than 15 are not tried: a mix of 5 might be cheaper
        assert "no mix with at least 15 of them is cheaper than human alone" in plan.verdict


# Selection, votes and outlook --------------------------------------------------------------------------------------


def test_chosen_topics_are_called_better_only_where_the_interval_of_the_gain_says_so() -> None:
    equal = cc.select_topics(judge(0.1)[0], 5, n_splits=6, rng=1)
    assert equal.both.gain.low <= 0 <= equal.both.gain.high
    assert "; not clearly better than random ones (difference " in equal.verdict
    rng, m = np.random.default_rng(1), 40
    strength = np.linspace(0, 1, m)
    telling = strength + rng.normal(0, 0.05, (20, m))  # topics that rank the systems
    silent = rng.normal(0, 0.05, (20, m))  # and others that say nothing about them
    made = cc.Scores(np.vstack([telling, silent]), range(40), range(m))
    better = cc.select_topics(made, 1, n_splits=12, rng=1)
    assert better.both.gain.low > 0
    assert "; better than random ones (difference 0." in better.verdict
    assert compared(Interval(-0.3, -0.1, 0.95, "")) == "worse than"


def votes(strength: tuple[float, ...], count: int = 600) -> cc.votes.Votes:
    rng = np.random.default_rng(1)
    pairs = rng.permuted(np.tile(range(len(strength)), (count, 1)), axis=1)[:, :2]
    true = np.array(strength)
    first = rng.random(count) < 1 / (1 + np.exp(true[pairs[:, 1]] - true[pairs[:, 0]]))
    names = np.array(NAMES)[pairs]
    return cc.votes.Votes(names[:, 0], names[:, 1], np.where(first, "model_a", "model_b"))


def test_votes_name_a_best_system_only_where_all_others_are_significantly_worse() -> None:
    clear = cc.votes.rank_votes(votes((3.0, 0.0, 0.0, 0.0)), n_resamples=199, rng=1)
    assert clear.verdict == "a is the best of 4 systems (95% confidence)."
    unclear = cc.votes.rank_votes(votes((0.0, 0.0, 0.0, 0.0)), n_resamples=199, rng=1)
    assert unclear.verdict == "Any of the 4 systems could be the best."


def test_more_topics_raise_what_can_be_raised() -> None:
    few = cc.board(scores((0.6, 0.55, 0.5, 0.45, 0.4, 0.35), 0.3, n=10), more_topics=40, rng=1).outlook
    assert few is not None
    assert few.sentences()[0].startswith(
        f"40 more topics would raise the expected tau from {few.tau_now:.2f} to {few.tau_then:.2f} and "
    )
    done = cc.board(scores(APART, 0.001), more_topics=40, rng=1).outlook
    assert done is not None
    assert done.sentences()[0].startswith("40 more topics would leave the expected tau at 1.00 and ")
