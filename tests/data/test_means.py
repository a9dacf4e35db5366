"""Means: equal totals are tied, and only those, whatever else is in the collection and in whatever order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import concordant as cc
from concordant import _kernels
from concordant._kernels import reference
from concordant.agreement.explanation import means_without_each
from concordant.data.means import identical_to, mean_over_topics, tied_means, tied_sums
from concordant.errors import DataWarning
from concordant.inference.resampling import resampled_means


def order_of(means: Any) -> list[list[int]]:
    """Places of the systems in groups, the best first: what a coefficient sees of them."""
    return [np.flatnonzero(means == mean).tolist() for mean in sorted(set(means.tolist()), reverse=True)]


def literal(units: Any) -> list[list[int]]:
    """The same from whole numbers, added without rounding."""
    return order_of(np.asarray(units).sum(axis=0))


decimals = st.sampled_from([1, 10, 100, 10_000])


@given(st.integers(1, 130), st.integers(2, 12), st.integers(0, 2**32 - 1), decimals, st.sampled_from([0, -1]))
def test_ties_are_those_of_exact_arithmetic(n: int, m: int, seed: int, scale: int, least: int) -> None:
    rng = np.random.default_rng(seed)
    units = rng.integers(least * scale, scale + 1, (n, m))
    for k in range(0, m - 1, 2):  # a system with the same total in another order, or with a topic moved
        units[:, k + 1] = rng.permutation(units[:, k])
        if n > 1 and rng.random() < 0.5:
            units[:2, k + 1] += (1, -1)
    values = units / scale
    assert order_of(mean_over_topics(values)) == literal(units)
    assert order_of(mean_over_topics(np.asfortranarray(values))) == literal(units)
    assert order_of(mean_over_topics(values.T, axis=1)) == literal(units)
    np.testing.assert_allclose(mean_over_topics(values), values.mean(axis=0), rtol=0, atol=6e-12)  # 12 digits
    weights = rng.multinomial(n, np.full(n, 1 / n), 5)
    for row, found in zip(weights, resampled_means(values, weights), strict=True):
        assert order_of(found) == literal(np.repeat(units, row, axis=0))
    if n > 1:
        for k, found in enumerate(means_without_each(values)):
            assert order_of(found) == literal(np.delete(units, k, axis=0))


@pytest.mark.parametrize("n", range(80, 131))
def test_thirds_in_reverse_order_are_tied(n: int) -> None:
    column = np.random.default_rng(n).integers(0, 4, n) / 3
    first, second = mean_over_topics(np.stack([column, column[::-1]], axis=1))
    assert first == second


@pytest.mark.parametrize("outlier", [3e13, -1e8, 1e300, -1e300])
def test_an_outlier_ties_nobody_else(outlier: float) -> None:
    values = np.array([[12.31, 12.42, 1.0], [12.30, 12.43, outlier], [0.3101, 0.3102, 1.0]])
    means = mean_over_topics(np.column_stack([values, values[:, 0]]))
    assert means[0] == means[3] < means[1]
    weights = np.array([[1, 1, 1], [0, 0, 3]])
    for found in resampled_means(values, weights):
        assert len(set(found.tolist())) == 3


def test_perplexities_with_a_diverged_system() -> None:
    """Rounded to the digits of the largest, all others tied, and tau_b was 1."""
    names = ["a", "b", "c", "diverged"]
    truth = cc.Scores(-np.array([[12.31, 12.42, 12.53, 3e13]]), ["t"], names)
    candidate = cc.Scores(-np.array([[12.42, 12.53, 12.31, 3e13]]), ["t"], names)
    assert cc.compare(truth, candidate)["tau_b"] == pytest.approx(2 / 6)
    three = [side.select(names[:3]) for side in (truth, candidate)]
    assert cc.compare(three[0], three[1])["tau_b"] == pytest.approx(-1 / 3)


def test_a_chain_of_ties_is_split() -> None:
    step = (
        3.9 * np.finfo(float).eps
    )  # two steps are more than rounding explains: (1 / 2 + 2) eps for each of two systems
    sums = 1 + step * np.arange(6)
    found = tied_sums(sums, np.ones(6), 1)
    assert found.tolist() == [sums[0], sums[0], sums[2], sums[2], sums[4], sums[4]]
    assert tied_sums(sums[::-1], np.ones(6), 1).tolist() == found[::-1].tolist()


def test_systems_that_floating_point_cannot_tell_apart_are_named() -> None:
    values = 1e13 + np.array([[0.0, 0.002, 0.004]])
    with pytest.warns(DataWarning, match="subtract the same number"):
        mean_over_topics(np.repeat(values, 50, axis=0))


def test_a_batch_is_its_rows() -> None:
    rng = np.random.default_rng(3)
    sums = rng.integers(0, 40, (200, 15)) / 10 + rng.choice([0, 1e-15], (200, 15))
    found = tied_sums(sums, sums, 20)
    for row, alone in zip(found, (tied_sums(row, row, 20) for row in sums), strict=True):
        assert row.tolist() == alone.tolist()


def test_tiny_and_huge_scores_keep_their_order() -> None:
    values = np.array([[3.0, 1.0, 2.0], [3.5, 1.5, 2.0]])
    for scale in (1e-300, 1e-250, 1e290):
        assert np.argsort(mean_over_topics(values * scale)).tolist() == [1, 2, 0]
        np.testing.assert_allclose(mean_over_topics(values * scale) / scale, [3.25, 1.25, 2.0], rtol=1e-11)


def test_means_of_decimals_are_decimals() -> None:
    rng = np.random.default_rng(9)
    for n in (7, 50, 249, 512, 1024):
        units = rng.integers(0, 10_001, (n, 30))
        for mean, total in zip(mean_over_topics(units / 10_000), units.sum(axis=0), strict=True):
            assert mean == float(f"{mean:.12g}")
            assert mean == pytest.approx(total / (10_000 * n), rel=6e-12)


def test_digits_are_not_cut_where_that_would_tie() -> None:
    values = np.array([[0.5, 0.5 + 1e-14, 0.25]])
    assert mean_over_topics(values).tolist() == values[0].tolist()


def test_ties_of_systems_of_unequal_size_stay() -> None:
    """Digits are counted from a system's own size: tied means of unequal sizes must not be cut apart."""
    rng = np.random.default_rng(4)
    for _ in range(200):
        units = rng.integers(-3, 4, (9, 8))
        units[0, 1::2] += 3000  # large scores that cancel: the same total as the system before, another size
        units[1, 1::2] -= 3000
        units[2:, 1::2] = units[2:, ::2]
        units[:2, 1::2] += units[:2, ::2] - units[:2, 1::2] + np.array([[3000], [-3000]])
        assert order_of(mean_over_topics(units / 3)) == literal(units)


def awkward(n: int, seed: int) -> Any:
    """Rows of sums of n scores: ties up to rounding and hardly beyond it, steps of the 12th digit, powers of ten."""
    rng = np.random.default_rng(seed)
    eps = np.finfo(float).eps
    # Sums whose means lie half way between two steps of the 12th digit, where rounding takes one up and one down.
    half = (rng.integers(10**11, 10**12, (60, 8)) + 0.52) / rng.choice([1e12, 1e11, 1e8], (60, 1)) * n
    rows = np.concatenate(
        [
            half,
            rng.integers(0, 40, (60, 8)) / 10,
            rng.random((60, 8)) * n,
            10.0 ** rng.integers(-3, 3, (60, 8)) * n,
            rng.random((60, 8)) * 10.0 ** rng.integers(-14, 15, (60, 1)),
        ]
    )
    rows[:, 4:] = rows[:, :4] * (1 + rng.integers(-n, n + 1, (len(rows), 4)) * eps * rng.choice([0.3, 2, 400]))
    return np.ascontiguousarray(rng.permuted(rows, axis=1))


@pytest.mark.parametrize("n", [1, 7, 50, 249, 1700, 5000])
@pytest.mark.parametrize("divisor", [None, 3])
def test_the_short_way_is_the_careful_way(n: int, divisor: int | None, kernels: Any) -> None:
    """Sums of scores that are not negative are tied by a kernel; given a copy as sizes, by `tied_sums`."""
    sums = awkward(n, n)
    found = tied_means(sums, sums, n, divisor)
    assert found.tobytes() == tied_means(sums, sums.copy(), n, divisor).tobytes()
    assert found.tobytes() == tied_means(sums, sums, n, divisor, workers=3).tobytes()
    tied = tied_sums(sums, sums, n)
    for mean, total in zip(found, tied, strict=True):
        assert order_of(mean) == order_of(total)


def short(kernels: Any, sums: Any, divisor: float, slack: float, workers: int = 1) -> Any:
    out = np.empty_like(sums)
    kernels.short_means(sums, divisor, slack, out, workers)
    return out


@pytest.mark.skipif(not _kernels.has_native, reason="built without the native module")
@given(st.integers(1, 1900), st.integers(0, 2**32 - 1))
def test_both_kernels_give_the_same_bits(n: int, seed: int) -> None:
    from concordant._kernels import native

    sums, slack = awkward(n, seed), (n / 2 + 2) * 2.0**-52
    wide = np.resize(sums, (6, 400))
    for rows in (sums, wide, sums[:, :1].copy(), sums[:0], -sums):
        expected = short(reference, rows, n, slack)
        np.testing.assert_array_equal(short(native, rows, n, slack), expected)
        np.testing.assert_array_equal(short(native, rows, n, slack, 3), expected)


def test_short_means_say_where_12_digits_are_not_enough(kernels: Any) -> None:
    rows = np.array(
        [
            [0.1 + 0.2, 0.3, 0.6],  # tied
            [0.0, -0.0, 1.0],
            [0.5, 0.5 + 1e-14, 1.0],  # 12 digits tie, rounding does not
            [0.12345678901252 - 3e-17, 0.12345678901252 + 3e-17, 1.0],  # rounding ties, 12 digits do not
            [1e-12, 0.5, 1.0],
            [1e12, 0.5, 1.0],
            [np.nan, 0.5, 1.0],
            [np.inf, 0.5, 1.0],
            [-0.5, 0.5, 1.0],
        ]
    )
    found = short(kernels, rows, 1.0, 2.5 * 2.0**-52)
    assert found[:2].tolist() == [[0.3, 0.3, 0.6], [0.0, 0.0, 1.0]]
    assert not np.signbit(found[1]).any()
    assert np.isnan(found[2:]).all()
    assert np.isnan(short(kernels, rows, 1.0, 2.1e-13)).all()


def test_a_chain_whose_ends_differ_is_left_to_the_careful_way(kernels: Any) -> None:
    near = 1 + np.array([0.0, 0.9e-13, 1.8e-13])  # the ends differ by less than 1e-13 of their sum
    far = 1 + np.array([0.0, 1.8e-13, 3.6e-13])  # neighbours do, and the ends differ by more
    rows = np.array([[*near, 2.0, 3.0, 4.0], [*far, 2.0, 3.0, 4.0], [*near, *(near + 1)], [*near, *(far + 3)]])
    found = short(kernels, rows[:, ::-1].copy(), 1.0, 1e-13)
    assert found[[0, 2]].tolist() == [[4.0, 3.0, 2.0, 1.0, 1.0, 1.0], [2.0, 2.0, 2.0, 1.0, 1.0, 1.0]]
    assert np.isnan(found[1]).all()
    assert found[3].tolist() == [4.0, 4.0, 4.0, 1.0, 1.0, 1.0]  # the same steps are nearer where sums are larger


def literally_identical(values: Any) -> list[int]:
    """By whole numbers: the first column that is the same."""
    columns = [tuple(column) for column in np.asarray(values).T.tolist()]
    return [columns.index(column) for column in columns]


@given(st.integers(0, 2**32 - 1))
def test_systems_are_identical_but_for_rounding_and_only_then(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(1, 12)), int(rng.integers(1, 9))
    units = rng.integers(0, int(rng.choice([2, 3, 100])), (n, m))  # few values: many systems with the same mean
    scores = units / 10 * float(rng.choice([1e-200, 1, 1e200]))
    noisy = scores * (1 + rng.integers(-4, 5, (n, m)) * 2.0**-52)
    assert identical_to(scores).tolist() == literally_identical(units)
    assert identical_to(noisy).tolist() == literally_identical(units)
    assert identical_to(noisy - scores.max() / 3).tolist() == literally_identical(units)
    assert identical_to(np.zeros((n, m))).tolist() == [0] * m
