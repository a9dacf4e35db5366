"""The worth of a candidate in topics of the truth, against a literal reading of its definition."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import concordant as cc
from concordant.arrays import FloatArray
from concordant.data.means import tied_sums
from concordant.topics import agreement_curves as ac
from concordant.topics import jackknife as jk
from concordant.topics import splits as sp
from concordant.topics import worth_core as wc

ONCE = ac.Effort(splits=40, jackknife=25, most_splits=40, most_jackknife=25, groups=0)


def settle(means: FloatArray, size: FloatArray) -> FloatArray:
    return tied_sums(means, size, 100)


def collection(
    n: int, m: int, n_candidates: int, decimals: int | None, seed: int
) -> tuple[FloatArray, list[FloatArray]]:
    rng = np.random.default_rng(seed)
    effects = rng.normal(0, 0.3, m)
    sides = [effects * (1 - 0.3 * j) + rng.normal(0, 0.4 + 0.2 * j, (n, m)) for j in range(n_candidates + 1)]
    first, *others = (side if decimals is None else np.round(side, decimals) for side in sides)
    return first, others


# The definition, one split, one topic and one system at a time, with exact totals ------------------------------------


def ranks(scores: FloatArray, topics: list[int]) -> FloatArray:
    """Places by the totals of scores of up to 2 decimals, in whole numbers."""
    totals = [sum(round(100 * x) for x in scores[topics, j].tolist()) for j in range(scores.shape[1])]
    return np.array([float(sum(other < total for other in totals)) for total in totals])


def agreement(f: sp.Formula, truth: FloatArray, b: list[int], side: FloatArray, some: list[int]) -> float:
    """Of places, not of floats that could be tied or not by their rounding."""
    return float(f(ranks(truth, b), ranks(side, some)))


def literal(
    truth: FloatArray, candidates: list[FloatArray], f: sp.Formula, splits: sp.Splits, sizes: list[int]
) -> tuple[FloatArray, FloatArray]:
    """Values by split and point; changes by split, topic and point."""
    n, half, sides = len(truth), splits.half, [truth, *candidates]
    values = np.zeros((len(splits), len(sides) * len(sizes)))
    changes = np.zeros((len(splits), n, len(sides) * len(sizes)))
    for s, order in enumerate(splits.order.tolist()):
        a, b = order[:half], order[half:]
        for p, (side, k) in enumerate((side, k) for side in sides for k in sizes):
            values[s, p] = agreement(f, truth, b, side, a[:k])
            for topic in range(n):
                less_a, less_b = [t for t in a if t != topic], [t for t in b if t != topic]
                changes[s, topic, p] = agreement(f, truth, less_b, side, less_a[:k]) - values[s, p]
    return values, changes


@pytest.mark.parametrize("decimals", [1, 2])
@pytest.mark.parametrize("f", [cc.tau_b, cc.tau_ap_b], ids=["tau_b", "tau_ap_b"])
def test_curves_and_jackknife_are_the_definition(f: sp.Formula, decimals: int) -> None:
    truth, candidates = collection(11, 6, 2, decimals, seed=decimals)
    splits = sp.draw_splits(11, 14, np.random.default_rng(8))
    sizes = [1, 2, 4, 5]
    values, changes = literal(truth, candidates, f, splits, sizes)
    sides = [sp.Side.of(x) for x in (truth, *candidates)]
    assert all(side.size is None for side in sides)
    problem = sp.Problem(sides, [(i, k) for i in range(3) for k in sizes], f, settle)
    np.testing.assert_allclose(sp.agreements(problem, splits), values, rtol=0, atol=1e-14)
    np.testing.assert_allclose(jk.changes_without(problem, splits), changes, rtol=0, atol=1e-14)


def test_scores_that_are_no_decimals_are_settled_by_the_rule() -> None:
    # Thirds: equal totals in exact arithmetic, unequal ones in floating point.
    rng = np.random.default_rng(5)
    thirds = rng.integers(0, 4, (12, 8))
    truth, candidate = thirds / 3.0, np.roll(thirds, 1, axis=0) / 3.0
    sides = [sp.Side.of(x) for x in (truth, candidate)]
    whole = [sp.Side.of(x.astype(float)) for x in (thirds, np.roll(thirds, 1, axis=0))]
    assert all(side.size is not None for side in sides)
    splits, points = sp.draw_splits(12, 50, rng), [(i, k) for i in range(2) for k in range(1, 7)]
    for function in (sp.agreements, jk.changes_without):
        found, expected = (function(sp.Problem(x, points, cc.tau_b, settle), splits) for x in (sides, whole))
        np.testing.assert_array_equal(found, expected)
    unsettled = jk.changes_without(sp.Problem(sides, points, cc.tau_b, lambda means, size: means), splits)
    assert (unsettled != expected).any()  # so the rule did something


def test_averages_of_the_changes_are_their_definition() -> None:
    rng = np.random.default_rng(3)
    splits = sp.draw_splits(10, 30, rng)
    changes = rng.normal(size=(30, 10, 3))
    mean, noise = jk.mean_changes(changes, splits)
    expected, rest = np.zeros((10, 3)), np.zeros((30, 10, 3))
    for topic in range(10):
        in_a = [topic in order[:5] for order in splits.order.tolist()]
        for inside in (True, False):
            where = [s for s in range(30) if in_a[s] is inside]
            these = changes[where, topic]
            expected[topic] += these.mean(axis=0) / 2
            # Squared and summed over splits: the variance of the mean, times the squared chance of the half.
            rest[where, topic] = (these - these.mean(axis=0)) / math.sqrt(len(these) * (len(these) - 1)) / 2
    np.testing.assert_allclose(mean, expected - expected.mean(axis=0), atol=1e-14)
    expected_noise = sum(((rest[s] - rest[s].mean(axis=0)) ** 2).sum(axis=0) for s in range(30))
    np.testing.assert_allclose(np.diag(noise), expected_noise, rtol=1e-12)


def test_the_noise_of_few_splits_is_taken_out_of_the_variance() -> None:
    # Pure noise: nothing differs between topics, so that the sum of squares is the noise alone. A part of it that all
    # topics share in a split is in neither.
    rng = np.random.default_rng(4)
    for shared in (0.0, 1.0):
        ratios = []
        for _ in range(200):
            splits = sp.draw_splits(10, 60, rng)
            changes = rng.normal(size=(60, 10, 1)) + shared * rng.normal(size=(60, 1, 1))
            mean, noise = jk.mean_changes(changes, splits)
            ratios.append([float((mean**2).sum()), float(noise[0, 0])])
        squares, noises = np.mean(ratios, axis=0)
        assert squares == pytest.approx(noises, rel=0.1)


# The steps from curves to worth --------------------------------------------------------------------------------------


def test_monotone_is_the_max_min_formula() -> None:
    rng = np.random.default_rng(1)
    for _ in range(50):
        values, weights = rng.normal(size=7) + 0.3 * np.arange(7), rng.uniform(0.5, 2, 7)
        expected = [
            max(
                min(np.average(values[lo : hi + 1], weights=weights[lo : hi + 1]) for hi in range(i, 7))
                for lo in range(i + 1)
            )
            for i in range(7)
        ]
        np.testing.assert_allclose(ac.monotone(values, weights), expected, atol=1e-13)


def test_a_size_is_interpolated_in_its_logarithm() -> None:
    sizes, curve = [1, 2, 8], np.array([0.1, 0.3, 0.7])
    assert ac.size_with(sizes, curve, 0.1) == 1
    assert ac.size_with(sizes, curve, 0.2) == pytest.approx(math.sqrt(2))
    assert ac.size_with(sizes, curve, 0.5) == pytest.approx(4)
    assert ac.size_with(sizes, curve, 0.7) == pytest.approx(8)
    assert ac.size_with(sizes, curve, 0.09) == 0
    assert ac.size_with(sizes, curve, 0.71) == math.inf
    assert ac.size_with(sizes, np.array([0.1, 0.5, 0.5]), 0.5) == pytest.approx(4)  # the middle of the flat part


def test_the_grid_holds_every_small_size_and_ends_at_half() -> None:
    assert sp.grid_of(5).tolist() == [1, 2, 3, 4, 5]
    assert sp.grid_of(26)[[0, -1]].tolist() == [1, 26]
    assert len(sp.grid_of(500)) == sp.GRID


def test_splits_are_permutations_and_fewer_than_ten_topics_are_refused() -> None:
    splits = sp.draw_splits(13, 20, np.random.default_rng(0))
    assert splits.half == 6
    assert (np.sort(splits.order, axis=1) == np.arange(13)).all()
    with pytest.raises(ValueError, match="9 topics"):
        sp.draw_splits(9, 20, np.random.default_rng(0))


def curves_of(truth: FloatArray, *candidates: FloatArray, seed: int = 2, effort: ac.Effort = ONCE) -> ac.Curves:
    return ac.compute_curves(truth, candidates, cc.tau_b, np.random.default_rng(seed), settle=settle, effort=effort)


def test_the_truth_itself_is_worth_what_it_counts() -> None:
    truth, _ = collection(24, 15, 0, 3, seed=1)
    found = wc.worth_of(curves_of(truth, truth), 1, 2.0)
    assert found.status == "within"
    assert found.worth == pytest.approx(12)
    assert found.rate == pytest.approx(1)
    assert found.standard_error == pytest.approx(0, abs=1e-7)
    assert found.low == pytest.approx(12)
    assert found.high == pytest.approx(12)


def test_a_candidate_that_ranks_the_wrong_way_round_is_worth_nothing() -> None:
    truth, _ = collection(24, 15, 0, 3, seed=1)
    found = wc.worth_of(curves_of(truth, -truth), 1, 2.0)
    assert (found.worth, found.low, found.high, found.status) == (0, 0, 0, "below")
    assert found.agreement < 0


@pytest.mark.filterwarnings("ignore::concordant.errors.UndefinedCorrelationWarning")
def test_a_candidate_that_ties_everything_agrees_with_nothing() -> None:
    truth, _ = collection(24, 15, 0, 3, seed=1)
    curves = curves_of(truth, np.ones_like(truth))
    assert (curves.values[1] == 0).all()
    assert curves.undefined == 0.5
    assert wc.worth_of(curves, 1, 2.0).status == "below"


def noisy(n: int, m: int, noise: float, bias: float, seed: int) -> tuple[FloatArray, FloatArray]:
    """A truth whose noise has 16 times the variance of its signal, and a candidate with its own noise and bias."""
    rng = np.random.default_rng(seed)
    effects = rng.normal(0, 0.1, m)
    truth = effects + rng.normal(0, 0.4, (n, m))
    return truth, effects + rng.normal(0, bias, m) + rng.normal(0, noise, (n, m))


@pytest.mark.parametrize(("noise", "status", "rate"), [(0.2, "beyond", 4.0), (0.4 * math.sqrt(2), "within", 0.5)])
def test_worth_is_the_ratio_of_the_variances_of_noise(noise: float, status: str, rate: float) -> None:
    # Unbiased candidates: k of their topics equal k times the ratio of the truth's.
    found = [
        wc.worth_of(curves_of(*noisy(80, 40, noise, 0, seed=s), effort=ac.Effort(150, 60, 150, 60, groups=0)), 1, 3.0)
        for s in range(8)
    ]
    assert {w.status for w in found} == {status}
    off = np.array([math.log(w.rate / rate) for w in found])
    errors = np.array([w.standard_error for w in found])
    assert abs(off.mean()) < 3 * math.sqrt((errors**2).mean() / 8)
    assert (abs(off) < 3 * errors).all()
    for w in found:
        assert w.worth == pytest.approx(40 * w.rate)
        assert w.low < w.worth < w.high
        if status == "beyond":
            assert w.worth == pytest.approx(40 * 40 / w.equal)
            assert w.fit_high == math.inf


def test_the_interval_holds_nothing_where_one_topic_is_not_told_from_the_candidate() -> None:
    # Half as much signal as a topic of the truth has: worth about 1, so that less than 1 cannot be excluded.
    found = [wc.worth_of(curves_of(*noisy(30, 25, 1.5, 0, seed=s)), 1, 2.0) for s in range(12)]
    within = [w for w in found if w.status == "within"]
    assert {w.low for w in within if w.fit_low == 0} == {0}
    assert all(w.low > 0 for w in within if w.fit_low > 0)
    good = wc.worth_of(curves_of(*noisy(60, 40, 0.4, 0, seed=3)), 1, 2.0)
    assert good.fit_low > 0
    assert good.low == pytest.approx(good.worth * math.exp(-2 * good.standard_error))


def test_without_bias_no_limit_is_found() -> None:
    curves = curves_of(*noisy(160, 60, 0.4 * math.sqrt(2), 0, seed=7), effort=ac.Effort(300, 60, 300, 60, groups=0))
    beyond = wc.beyond_half(curves, 1, 3.0)
    assert beyond.low <= 80 <= beyond.high
    assert beyond.limit_high == math.inf


def test_the_bias_of_a_candidate_sets_the_limit() -> None:
    # The law is exact for normal effects: 1 + s / W = (1 + t / k) / r^2; s = 16, t = 12.8, r^2 = 0.8, so W -> 64.
    curves = curves_of(*noisy(200, 150, 0.4, 0.05, seed=9), effort=ac.Effort(200, 30, 200, 30, groups=0))
    found = wc.beyond_half(curves, 1, 3.0)
    assert found.limit_low <= 64 <= found.limit_high
    assert found.limit == pytest.approx(64, rel=0.4)
    assert found.worth == pytest.approx(1 / (found.bias + found.noise / 200))
    assert found.limit == pytest.approx(1 / found.bias)


def test_two_candidates_differ_by_their_agreement_and_worth() -> None:
    truth, good = noisy(60, 40, 0.4, 0.02, seed=12)
    bad = good + np.random.default_rng(1).normal(0, 0.3, 40)
    curves = curves_of(truth, good, bad, effort=ac.Effort(300, 60, 300, 60, groups=8))
    there, back = wc.difference_of(curves, 1, 2), wc.difference_of(curves, 2, 1)
    assert there.difference == -back.difference == curves.values[1, -1] - curves.values[2, -1]
    assert there.statistic == there.difference / there.standard_error > 0
    one, two = (wc.worth_of(curves, j, 2.0) for j in (1, 2))
    assert there.log_ratio == pytest.approx(math.log(one.worth / two.worth))
    assert there.log_ratio_error > 0


def test_a_side_and_its_copy_differ_by_exactly_nothing_however_products_are_rounded() -> None:
    truth, good = noisy(60, 40, 0.4, 0.02, seed=12)
    curves = curves_of(truth, good, good, truth, effort=ac.Effort(300, 60, 300, 60, groups=8))
    rng, forms = np.random.default_rng(1), {}
    for name in ("monte_carlo", "noise", "second"):  # as another processor would round them, and worse
        form = getattr(curves, name)
        forms[name] = form + rng.normal(0, 1e-9, form.shape)
    for made in (curves, ac.Curves(**{**vars(curves), **forms})):
        same = wc.difference_of(made, 1, 2)
        assert (same.difference, same.standard_error, same.monte_carlo, same.statistic) == (0, 0, 0, 0)
        assert (same.log_ratio, same.log_ratio_error) == (0, 0)
        for size in range(len(curves.sizes)):
            assert made.errors(made.unit(made.point(3, size), made.point(0, size))) == (0, 0)
        assert made.errors(made.unit(made.point(1), made.point(0)))[0] > 0
        assert made.errors(made.unit(made.point(2))) == made.errors(made.unit(made.point(1)))


def test_second_differences_are_their_definition() -> None:
    truth, candidates = collection(11, 6, 1, 2, seed=21)
    splits, sizes = sp.draw_splits(11, 20, np.random.default_rng(1)), [1, 3, 4, 5]
    points = [(i, k) for i in range(2) for k in sizes]
    problem = sp.Problem([sp.Side.of(x) for x in (truth, *candidates)], points, cc.tau_b, settle)
    groups = np.array([(0, 1), (2, 7), (9, 3), (10, 5)])
    found = jk.second_order(problem, splits, sp.agreements(problem, splits), groups)

    def value(order: list[int], gone: list[int], side: FloatArray, k: int) -> float:
        a, b = ([t for t in part if t not in gone] for part in (order[:5], order[5:]))
        return agreement(cc.tau_b, truth, b, side, a[:k])

    pairs = []  # by split and point
    for one, two in itertools.combinations(groups.tolist(), 2):
        these = np.array(
            [
                [
                    value(order, [], side, k)
                    - 9 / 11 * (value(order, one, side, k) + value(order, two, side, k))
                    + 7 / 11 * value(order, one + two, side, k)
                    for side in (truth, *candidates)
                    for k in sizes
                ]
                for order in splits.order.tolist()
            ]
        )
        pairs.append(these)
    centred = np.array(pairs) - np.mean(pairs, axis=0)  # what all pairs share in a split is no interaction
    noise = centred.var(axis=1, ddof=1).sum(axis=0) / 20 / 5
    expected = 55 / 4 * (np.var(np.mean(pairs, axis=1), axis=0, ddof=1) - noise) / (1 + 2 * 2 * 7 / 121)
    np.testing.assert_allclose(np.diag(found), expected, atol=1e-12)


def test_second_differences_find_the_interactions_of_topics() -> None:
    # "Coefficients" of known interactions. The product of two means, over all splits, is the mean of x_i y_j, i != j;
    # for independent standard normal scores the interactions sum to its variance, 1 / (n (n - 1)). A mean has none.
    def product(truth: FloatArray, candidate: FloatArray) -> FloatArray:
        return np.asarray(truth[..., 0] * candidate[..., 0])

    def mean(truth: FloatArray, candidate: FloatArray) -> FloatArray:
        return np.asarray(0 * truth[..., 0] + candidate[..., 0])

    rng, found = np.random.default_rng(2), []
    for _ in range(40):
        sides = [sp.Side.of(rng.normal(size=(30, 2))) for _ in range(2)]
        splits, groups = sp.draw_splits(30, 60, rng), rng.permutation(30).reshape(15, 2)
        problems = [sp.Problem(sides, [(1, 15)], f, settle) for f in (product, mean)]
        found.append([jk.second_order(p, splits, sp.agreements(p, splits), groups)[0, 0] * 30 * 29 for p in problems])
    averages, errors = np.mean(found, axis=0), np.std(found, axis=0) / math.sqrt(40)
    assert errors[0] < 0.2
    assert abs(averages[0] - 1) < 3 * errors[0]
    assert abs(averages[1]) < 0.03 * 29  # of the variance of the mean, 1 / n


def test_the_same_seed_gives_the_same_bits_and_others_nearly_the_same_worth() -> None:
    truth, (candidate,) = collection(30, 20, 1, 3, seed=3)
    first, again, other = (curves_of(truth, candidate, seed=s, effort=ac.Effort(200, 60, groups=8)) for s in (1, 1, 2))
    for name in ("values", "deletions", "noise", "monte_carlo"):
        np.testing.assert_array_equal(getattr(first, name), getattr(again, name))
    a, b = (wc.worth_of(c, 1, 2.0) for c in (first, other))
    assert first.n_splits > 200  # more were drawn until the error was small
    assert max(a.monte_carlo / a.standard_error, b.monte_carlo / b.standard_error) < 0.1
    assert abs(math.log(a.worth / b.worth)) < 4 * math.hypot(a.monte_carlo, b.monte_carlo)


def test_a_candidate_does_not_change_the_others() -> None:
    truth, (first, second) = collection(20, 12, 2, 3, seed=14)
    alone, together = curves_of(truth, first), curves_of(truth, first, second)
    np.testing.assert_array_equal(together.values[:2], alone.values)
    np.testing.assert_array_equal(together.deletions[:, : alone.values.size], alone.deletions)


def test_the_variance_keeps_half_where_noise_seems_to_be_all() -> None:
    truth, (candidate,) = collection(20, 12, 1, 3, seed=14)
    curves = curves_of(truth, candidate)
    contrast = np.zeros(curves.values.size)
    contrast[curves.point(1)] = 1
    squares = 19 / 20 * float((curves.deletions[:, curves.point(1)] ** 2).sum())
    for noise, kept in ((0.0, 1.0), (0.2, 0.8), (0.9, 0.5), (1.5, 0.5)):
        noisy = ac.Curves(**{**vars(curves), "noise": np.diag(np.full(contrast.size, noise * squares * 20 / 19))})
        assert noisy.variance(contrast) == pytest.approx(kept * squares)
        assert noisy.noise_share(contrast) == pytest.approx(noise)


@pytest.mark.parametrize("noise", [0.3, 1.0, 3.0])
def test_a_yardstick_values_as_the_curves_do(noise: float) -> None:
    truth, _ = collection(40, 15, 0, None, 3)
    rng = np.random.default_rng(4)
    candidate = truth.mean(axis=0) + rng.normal(0, noise, truth.shape)
    effort = ac.Effort(splits=200, jackknife=25, most_splits=200, most_jackknife=25, groups=0)
    curves = ac.compute_curves(truth, [candidate], cc.tau_b, np.random.default_rng(1), settle=settle, effort=effort)
    splits = sp.draw_splits(40, 200, np.random.default_rng(1))
    found = wc.Yardstick.of(truth, cc.tau_b, settle, splits).worth(candidate)
    assert found == pytest.approx(wc.worth_of(curves, 1, 2.0).worth)
