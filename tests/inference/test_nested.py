"""The three levels of resamples and what they sum up to, against plain loops and cases with a known answer."""

from __future__ import annotations

import statistics
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import concordant as cc
from concordant.arrays import IntArray
from concordant.inference.intervals import Nested, Summary, from_summary, nested_values, nested_weights, summarise
from concordant.inference.resampling import Resampling
from tests import literal

COEFFICIENTS: dict[str, Callable[..., float]] = {
    "tau_b": literal.tau_b,
    "tau_ap_b": lambda t, o: (literal.tau_ap_ties(t, o) + literal.tau_ap_ties(o, t)) / 2,
    "pearson_rank": literal.pearson_rank,
}


def tenths(seed: int, n: int, m: int) -> tuple[IntArray, IntArray]:
    """Scores in whole tenths: sums are exact in integers, means of 8 topics in decimals; many resampled means tie."""
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 11, (n, m))
    return x, np.clip(x + rng.integers(-3, 4, (n, m)), 0, 10)


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize("name", COEFFICIENTS)
def test_values_on_all_levels_by_plain_loops(name: str) -> None:
    x, y = tenths(1, 8, 6)
    outer, inner = 5, 3
    found = nested_values(
        (x / 10, y / 10),
        lambda means: np.asarray(cc.get_coefficient(name).function(*means)),
        Resampling.of(outer * (1 + 2 * inner), 2),
        inner=inner,
    )
    f = COEFFICIENTS[name]

    def value(topics: list[int]) -> float:
        return f(*([int(total) for total in side[topics].sum(axis=0)] for side in (x, y)))

    def drawn(weights: IntArray) -> list[int]:
        return [i for i, count in enumerate(weights) for _ in range(count)]

    ((first, second, third),) = nested_weights(8, outer, np.random.default_rng(2), inner=inner)
    assert found.sample == pytest.approx([value(list(range(8)))], abs=1e-12)
    for b in range(outer):
        assert found.first[0, b] == pytest.approx(value(drawn(first[b])), abs=1e-12)
        for k in range(inner):
            assert found.second[0, b, k] == pytest.approx(value(drawn(second[b * inner + k])), abs=1e-12)
            assert found.third[0, b, k] == pytest.approx(value(drawn(third[b * inner + k])), abs=1e-12)


def test_a_level_draws_only_what_the_one_above_drew() -> None:
    n, inner = 12, 4
    for first, second, third in nested_weights(n, 300, np.random.default_rng(0), inner=inner):
        assert (first.sum(axis=1) == n).all()
        assert (second.sum(axis=1) == n).all()
        assert (third.sum(axis=1) == n).all()
        assert (np.repeat(first, inner, axis=0)[second > 0] > 0).all()
        assert (second[third > 0] > 0).all()


def test_noise_adds_up_from_level_to_level() -> None:
    """As gene frequencies drift: after k rounds a count has variance (n - 1)(1 - (1 - 1/n)^k)."""
    n = 20
    blocks = list(nested_weights(n, 4000, np.random.default_rng(1)))
    for k in range(3):
        counts = np.concatenate([levels[k] for levels in blocks])
        assert counts.mean() == 1
        assert counts.var() == pytest.approx((n - 1) * (1 - (1 - 1 / n) ** (k + 1)), rel=0.03)


def levels(seed: int, outer: int = 40, inner: int = 5) -> Nested:
    rng = np.random.default_rng(seed)
    first = rng.normal(0.6, 0.1, outer)
    second = first[:, None] - 0.05 + rng.normal(0, 0.09, (outer, inner))
    third = second - 0.04 + rng.normal(0, 0.08, (outer, inner))
    return Nested(np.array([0.7]), first[None], second[None], third[None])


def summary(found: Nested, n: int) -> Summary:
    (only,) = summarise(found, n)
    assert only is not None
    return only


@given(st.integers(0, 200), st.integers(5, 300))
def test_the_summary_by_plain_loops(seed: int, n: int) -> None:
    found = levels(seed)
    s = summary(found, n)
    t = 0.7
    first = [float(v) for v in found.first[0]]
    second = [[float(v) for v in row] for row in found.second[0]]
    third = [[float(v) for v in row] for row in found.third[0]]
    mean, variance = statistics.fmean, statistics.variance
    assert s.centre == pytest.approx(3 * t - 3 * mean(first) + mean(v for row in second for v in row))
    centres = [3 * a - 3 * mean(b) + mean(c) for a, b, c in zip(first, second, third, strict=True)]
    noise = mean(
        variance([z - 3 * y for y, z in zip(b, c, strict=True)]) / len(b) for b, c in zip(second, third, strict=True)
    )
    growth = min(2.0, max(0.5, variance(first) / mean(variance(row) for row in second)))
    unbiased = n / (n - 1)
    expected = max(variance(centres) - noise, variance(first)) * unbiased * growth**1.5
    assert s.standard_error == pytest.approx(expected**0.5)
    assert s.undefined == 0
    assert s.outer == 40
    shifts = [mean(b) - 3 * a for a, b in zip(first, second, strict=True)]
    assert s.monte_carlo == pytest.approx((variance(shifts) / 40) ** 0.5)


@given(st.floats(-1, 1), st.floats(-0.1, 0.1), st.floats(-0.05, 0.05))
def test_a_bias_that_is_a_parabola_in_the_noise_is_taken_back(value: float, slope: float, curve: float) -> None:
    """With values f(1), f(2), f(3) at one, two and three doses of noise, the centre is f(0)."""

    def f(dose: float) -> float:
        return value + slope * dose + curve * dose**2

    shape = (1, 6, 4)
    found = Nested(np.array([f(1)]), np.full((1, 6), f(2)), np.full(shape, f(3)), np.full(shape, f(4)))
    s = summary(found, 50)
    assert s.centre == pytest.approx(f(0), abs=1e-12)
    assert s.standard_error == pytest.approx(0, abs=1e-7)


def test_the_standard_error_of_a_mean_is_the_known_one() -> None:
    """For a statistic that is linear in the means there is no bias, and se is sd / sqrt(n)."""
    rng = np.random.default_rng(0)
    x = rng.normal(0, 1, (60, 1)) * np.array([[1.0, 2.0]])
    found = nested_values((x,), lambda means: means[0][:, 0], Resampling.of(60_000, 1))
    s = summary(found, len(x))
    assert s.centre == pytest.approx(x[:, 0].mean(), abs=0.02)
    expected = x[:, 0].std(ddof=1) / np.sqrt(len(x))
    assert s.standard_error == pytest.approx(expected, rel=0.1)


def test_undefined_resamples_leave_their_family_out() -> None:
    found = levels(1)
    before = summary(Nested(found.sample, *(level[:, 1:] for level in found[1:])), 30)
    found.second[0, 0, 2] = np.nan
    found.third[0, 0, 2] = np.nan
    after = summary(found, 30)
    assert after == before._replace(undefined=2)
    found.first[:] = np.nan
    assert summarise(found, 30) == [None]


def test_limits_are_so_many_standard_errors_and_cut_to_the_range() -> None:
    s = summary(levels(3), 25)
    z = 2.0226909200367604  # Student's with 39 degrees of freedom
    error = (s.standard_error**2 + s.monte_carlo**2) ** 0.5
    near, far = 1.05 * z * error, 1.05 * z * 1.16 * error
    found = from_summary(s, (-10.0, 10.0), 0.95)
    assert (found.low, found.high) == pytest.approx((s.centre - near, s.centre + far))
    assert found.bias_corrected == s.centre
    mirrored = from_summary(s._replace(centre=-s.centre), (-10.0, 10.0), 0.95)
    assert (mirrored.low, mirrored.high) == pytest.approx((-found.high, -found.low))
    unclear = from_summary(s._replace(centre=near / 2), (-10.0, 10.0), 0.95)
    assert (unclear.low, unclear.high) == pytest.approx((near / 2 - far, near / 2 + far))
    cut = from_summary(s._replace(centre=1.5), (-1.0, 1.0), 0.95)
    assert (cut.high, cut.bias_corrected) == (1.0, 1.0)
    assert cut.low == pytest.approx(1.0 - near)
