"""The null distributions, against enumeration, exact integers, exact fractions, sampling and scipy."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import concordant as cc
from concordant.inference import nulls
from concordant.inference.nulls import _MOST_NODES, near_perfect

NULLS = {
    "tau": (cc.tau, partial(cc.null_distribution, "tau")),
    "tau_ap": (cc.tau_ap, partial(cc.null_distribution, "tau_ap")),
}


def mahonian(m: int) -> list[int]:
    """Rankings of m systems by their number of discordant pairs, in exact integers."""
    counts = [1]
    for k in range(2, m + 1):
        longer, window = [], 0
        for q in range(len(counts) + k - 1):
            window += counts[q] if q < len(counts) else 0
            window -= counts[q - k] if q >= k else 0
            longer.append(window)
        counts = longer
    return counts


def of_all_rankings(function: Any, m: int) -> Any:
    return function(np.arange(m, 0, -1), np.array(list(itertools.permutations(range(m)))))


@pytest.mark.parametrize("name", NULLS)
@pytest.mark.parametrize("m", [*range(2, 8), pytest.param(8, marks=pytest.mark.long)])
def test_up_to_eight_systems_it_is_full_enumeration(name: str, m: int) -> None:
    function, null = NULLS[name]
    values = np.sort(of_all_rankings(function, m))
    for value in np.unique(values.round(12)):
        at_most, at_least = np.mean(values <= value + 1e-9), np.mean(values >= value - 1e-9)
        assert null(m).cdf(value) == pytest.approx(at_most, rel=1e-12)
        assert null(m).sf(value) == pytest.approx(at_least, rel=1e-12)
        assert null(m).pvalue(value, "less") == null(m).cdf(value)
        assert null(m).pvalue(value, "greater") == null(m).sf(value)
        assert null(m).pvalue(value) == pytest.approx(np.mean(np.abs(values) >= abs(value) - 1e-9), rel=1e-12)
    assert null(m).var == pytest.approx(values.var(), rel=1e-12)


@pytest.mark.parametrize("m", [21, 30, 50, 75])
def test_tau_has_relative_accuracy_at_every_value(m: int) -> None:
    counts, pairs = mahonian(m), m * (m - 1) // 2
    values = 1 - 2 * np.arange(pairs + 1) / pairs
    exact = np.array([float(Fraction(c, math.factorial(m))) for c in itertools.accumulate(counts)])
    np.testing.assert_allclose(cc.null_distribution("tau", m).sf(values), exact, rtol=1e-12)
    np.testing.assert_allclose(cc.null_distribution("tau", m).cdf(-values), exact, rtol=1e-12)
    assert (np.diff(np.asarray(cc.null_distribution("tau", m).sf(values))) >= 0).all()


def test_tau_far_in_the_tail_at_150_systems() -> None:
    counts = mahonian(150)
    pairs, cumulated = len(counts) - 1, list(itertools.accumulate(counts))
    for k in range(0, pairs // 2, 250):
        exact = Fraction(cumulated[k], math.factorial(150))
        assert cc.null_distribution("tau", 150).sf(1 - 2 * k / pairs) == pytest.approx(float(exact), rel=1e-11)
    assert Fraction(cumulated[0], math.factorial(150)) < Fraction(1, 10**260)


def test_the_two_ways_to_compute_tau_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    values = 1 - 2 * np.arange(191) / 190
    counted = np.asarray(cc.null_distribution("tau", 20).sf(values))
    monkeypatch.setitem(nulls._EXACT, "tau", 1)
    np.testing.assert_allclose(nulls.NullDistribution("tau", 20).sf(values), counted, rtol=1e-12)


@pytest.mark.parametrize("m", [5, 10, 30])
def test_tau_is_scipys_exact_test(m: int) -> None:
    rng = np.random.default_rng(m)
    for _ in range(20):
        x, y = rng.random((2, m))
        for alternative in ("two-sided", "less", "greater"):
            theirs = stats.kendalltau(x, y, method="exact", alternative=alternative).pvalue
            assert cc.null_distribution("tau", m).pvalue(cc.tau(x, y), alternative) == pytest.approx(theirs, rel=1e-9)


def exact_tau_ap_counts(m: int, upto: float) -> tuple[int, list[int]]:
    """lcm and, for each k / lcm from 0 on, how many rankings miss just that much of the largest sum: whole numbers."""
    unit = math.lcm(*range(1, m))
    size = int(upto * unit) + 1
    counts = np.zeros(size, dtype=object)
    counts[0] = 1
    for j in range(1, m):
        moved = counts.copy()
        for k in range(1, j + 1):
            shift = k * unit // j
            if shift >= size:
                break
            moved[shift:] += counts[: size - shift]
        counts = moved
    return unit, list(itertools.accumulate(counts.tolist()))


@pytest.mark.parametrize(("m", "upto"), [(13, 3.0), (14, 0.35), (16, 0.3)])
def test_tau_ap_beyond_enumeration_against_whole_numbers(m: int, upto: float) -> None:
    unit, cumulated = exact_tau_ap_counts(m, upto)
    attainable = [k for k in range(1, len(cumulated)) if cumulated[k] > cumulated[k - 1]]
    chosen = [0, *attainable[:50], *attainable[50 :: max(1, len(attainable) // 200)]]
    values = 1 - 2 / (m - 1) * np.array(chosen) / unit
    exact = np.array([float(Fraction(cumulated[k], math.factorial(m))) for k in chosen])
    few = np.array([cumulated[k] < 5e5 for k in chosen])
    found = np.asarray(cc.null_distribution("tau_ap", m).sf(values))
    np.testing.assert_allclose(found[few], exact[few], rtol=1e-12)  # counted
    np.testing.assert_allclose(found, exact, rtol=2e-3)
    assert (np.diff(found) >= 0).all()


def bounds_of_the_tail(m: int, missing: float, grid: int) -> tuple[float, float]:
    """Logs of numbers that P(D <= missing) of tau_ap is between, D = sum_j D_j / j.

    Each D_j / j is rounded up, or down, to a multiple of 1 / grid, and all is added up: positive terms, no
    cancellation, so that both are accurate to some 12 digits however small.
    """
    bounds = []
    for rounding, slack in ((np.ceil, -1e-9), (np.floor, 1e-9)):
        mass = np.zeros(int(missing * grid + 1e-6) + 1)
        mass[0], scale = 1.0, 0.0
        for j in range(1, m):
            steps = rounding(np.arange(j + 1) / j * grid + slack).astype(int)
            total = np.zeros(len(mass))
            for step in steps[steps < len(mass)]:
                total[step:] += mass[: len(mass) - step]
            scale += math.log(total.max() / (j + 1))
            mass = total / total.max()
        bounds.append(math.log(mass.sum()) + scale)
    return bounds[0], bounds[1]


@pytest.mark.parametrize(
    ("m", "missing", "grid"),
    [(20, 1.5, 60_000), (50, 0.55, 250_000), (50, 1.2, 120_000), (70, 0.2, 10**6), (75, 0.12, 10**6)],
)
def test_tau_ap_tails_within_bounds_from_a_grid(m: int, missing: float, grid: int) -> None:
    low, high = bounds_of_the_tail(m, missing, grid)
    assert high - low < 0.02
    assert low <= math.log(cc.null_distribution("tau_ap", m).sf(1 - 2 * missing / (m - 1))) <= high


@pytest.mark.parametrize("name", NULLS)
@pytest.mark.parametrize("m", [60, 200, 1_000])
def test_the_tilt_does_not_matter(name: str, m: int) -> None:
    """Down to 1e-300, the knots beside the nearest one give the same value from other nodes and another step."""
    sum_ = NULLS[name][1](m)._sum
    for k in range(1, len(sum_._knots) - 1, 3):
        knot = sum_._knots[k]
        few = name == "tau_ap" and knot.log_transform + knot.theta * knot.mean + math.lgamma(m + 1) < math.log(1e12)
        if few or knot.log_transform + knot.theta * knot.mean < -690:
            break
        d = np.floor(np.array([knot.mean])) if name == "tau" else np.array([knot.mean])
        values = [sum_._at_knot(other, d)[0] for other in (k - 1, k, k + 1)]
        smoothed = any(len(sum_._nodes[other].at) == _MOST_NODES for other in (k - 1, k, k + 1))
        assert not (smoothed and m > 60)
        np.testing.assert_allclose(values, values[1], rtol=0, atol=1e-4 if smoothed else 1e-9)
    assert k > 5


@pytest.mark.parametrize("m", [13, 30, pytest.param(170, marks=pytest.mark.long)])
def test_tau_ap_tails_are_positive_and_monotone_and_end_at_one_ranking(m: int) -> None:
    null = cc.null_distribution("tau_ap", m)
    tail = np.asarray(null.sf(np.concatenate([np.linspace(0, 0.9, 200), 1 - np.geomspace(0.1, 1e-6, 100), [1.0]])))
    assert (tail > 0).all()
    assert (np.diff(tail) <= 0).all()
    assert tail[-1] == pytest.approx(1 / math.factorial(m), rel=1e-10)
    second = 1 - 2 / (m - 1) ** 2  # one exchange at the very end
    assert null.sf(second) == pytest.approx(2 / math.factorial(m), rel=1e-10)


@pytest.mark.parametrize("m", [20, 40])
def test_where_counting_ends_both_ways_agree(m: int) -> None:
    null = cc.null_distribution("tau_ap", m)
    missing = np.geomspace(0.1, 1, 200)
    rankings = np.exp(null._sum.log_tail(missing) + math.lgamma(m + 1))
    chosen = (rankings > 2e5) & (rankings < 3e6)
    assert chosen.sum() > 10
    np.testing.assert_allclose(rankings[chosen], near_perfect(m, missing[chosen]), rtol=1e-3)


def test_a_count_of_near_perfect_rankings_by_hand() -> None:
    # Three systems: D = D_1 + D_2 / 2 over D_1 in 0, 1 and D_2 in 0, 1, 2.
    assert near_perfect(3, np.array([0, 0.4, 0.5, 1, 1.5, 2])).tolist() == [1, 1, 2, 4, 5, 6]


def test_the_value_in_the_specification() -> None:
    assert cc.null_distribution("tau_ap", 50).pvalue(0.9, "greater") == pytest.approx(4e-35, rel=0.05)
    for m in (4, 6, 7, 40):
        harmonic = sum(1 / k for k in range(1, m))
        assert cc.null_distribution("tau_ap", m).var == pytest.approx(
            (m - 1 + 2 * harmonic) / (3 * (m - 1) ** 2), rel=1e-12
        )
        assert cc.null_distribution("tau", m).var == pytest.approx(2 * (2 * m + 5) / (9 * m * (m - 1)), rel=1e-12)


@pytest.mark.long
@pytest.mark.parametrize("name", NULLS)
@pytest.mark.parametrize(("m", "draws"), [(20, 1_000_000), (50, 1_000_000), (200, 200_000)])
def test_it_is_what_random_rankings_have(name: str, m: int, draws: int) -> None:
    function, null = NULLS[name]
    rng = np.random.default_rng(m)
    counts, quantiles = np.zeros(9), null(m).std * np.array([-3.7, -2.3, -1.3, -0.5, 0.0, 0.5, 1.3, 2.3, 3.7])
    truth, rows = np.arange(m, 0, -1), 20_000
    for _ in range(draws // rows):
        rankings = rng.permuted(np.tile(np.arange(m), (rows, 1)), axis=1)
        counts += np.sum(np.asarray(function(truth, rankings))[:, None] <= quantiles + 1e-12, axis=0)
    expected = np.asarray(null(m).cdf(quantiles))
    assert (np.abs(counts / draws - expected) < 4 * np.sqrt(expected * (1 - expected) / draws)).all()


@pytest.mark.parametrize("name", NULLS)
@pytest.mark.parametrize("m", [1_000, 10_000])
def test_many_systems(name: str, m: int) -> None:
    null = NULLS[name][1](m)
    n, scale = np.arange(2.0, m + 1), 2 / null._most
    kurtosis = float(-np.sum(null._spacing**4 * (n**4 - 1)) / 120 * scale**4 / null.var**2)
    for z in (0.5, 2, 5):  # Edgeworth's series with the kurtosis
        near = stats.norm.sf(z) + stats.norm.pdf(z) * kurtosis / 24 * (z**3 - 3 * z)
        assert null.sf(z * null.std) == pytest.approx(near, rel=0.004)
    tail = np.asarray(null.pvalue(np.array([0.5, 0.9, 0.99, 1.0])))
    assert (tail > 0).all()
    assert (np.diff(tail) <= 0).all()
    assert null.pvalue(1.0) <= 1e-323


@given(st.sampled_from(sorted(NULLS)), st.integers(2, 60), st.integers(0, 10**6))
def test_tails_mirror(name: str, m: int, draw: int) -> None:
    function, make = NULLS[name]
    null = make(m)
    value = float(function(np.arange(m), np.random.default_rng(draw).permutation(m)))
    assert null.cdf(value) == pytest.approx(null.sf(-value), rel=1e-12)
    assert 0 < null.pvalue(value) <= 1


@given(st.sampled_from(sorted(NULLS)), st.integers(2, 40), st.floats(-1, 1), st.floats(-1, 1))
def test_it_is_monotone(name: str, m: int, a: float, b: float) -> None:
    null = NULLS[name][1](m)
    low, high = sorted((a, b))
    assert null.cdf(low) <= null.cdf(high) * (1 + 1e-12)
    assert null.sf(low) >= null.sf(high) * (1 - 1e-12)


def test_arrays_of_any_shape() -> None:
    for null in (
        cc.null_distribution("tau", 30),
        cc.null_distribution("tau", 31),
        cc.null_distribution("tau_ap", 30),
        cc.null_distribution("tau_ap", 5),
    ):
        values = np.linspace(-1, 1, 12).reshape(3, 4)
        for function in (null.cdf, null.sf, null.pvalue):
            found = np.asarray(function(values))
            assert found.shape == (3, 4)
            assert found[1, 2] == pytest.approx(function(float(values[1, 2])), rel=1e-13)
        assert np.shape(null.cdf([])) == (0,)
        assert isinstance(null.cdf(0), float)
        assert null.pvalue(0) == 1


@pytest.mark.parametrize("null", [null for _, null in NULLS.values()])
def test_what_is_refused(null: Any) -> None:
    for m in (1, 0, -3, 10**7):
        with pytest.raises(cc.errors.InputError, match=r"at least 2|at most 1,000,000"):
            null(m)
    for wrong in (2.5, "5", True, None):
        with pytest.raises(cc.errors.InputTypeError, match=r"m is .*: give a whole number, at least 2"):
            null(wrong)
    outside: list[Any] = [1.01, -1.5, math.nan, math.inf, [0, 2]]
    for value in outside:
        with pytest.raises(cc.errors.InputError, match="from -1 to 1"):
            null(10).pvalue(value)
    odd: list[Any] = ["high", "0.3", None, True, 1j, [[0.1], [0.2, 0.3]], {"tau": 0.3}]
    for value in odd:
        with pytest.raises(cc.errors.InputTypeError, match=r"value is .*: give a number"):
            null(10).cdf(value)
    with pytest.raises(cc.errors.InputError, match="two-sided"):
        null(10).pvalue(0.1, "both")


def test_how_it_shows_itself() -> None:
    null = cc.null_distribution("tau_ap", 50)
    assert str(null) == "tau_ap over all rankings of 50 systems: mean 0, standard deviation 0.0897"
    assert null.to_dict()["m"] == 50
    assert null == cc.null_distribution("tau_ap", 50)
    assert null != cc.null_distribution("tau", 50)
    with pytest.raises(cc.errors.InputError, match="has no figure"):
        null.plot()
