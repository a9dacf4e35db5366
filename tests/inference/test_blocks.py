"""More than 10,000 topics are resampled in random blocks: what stays exact, and the literal bootstrap beside it."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
from scipy import stats

import concordant as cc
from concordant.arrays import FloatArray
from concordant.data.results import Findings
from concordant.inference import resampling
from concordant.inference.intervals import limits
from concordant.inference.resampling import Resampling, in_blocks, resampled_means, resampled_weights

N, M, DRAWS = 12_003, 6, 1_000
WITHIN = 5 * np.sqrt((1 / DRAWS + 1 / 6_001) / 2)
"""Five standard errors of a standard deviation, from so many draws and so many blocks."""


def sides(n: int = N) -> tuple[FloatArray, FloatArray]:
    """Skewed scores whose systems are one to two standard errors apart; half of the noise is shared."""
    rng = np.random.default_rng(3)
    x = rng.exponential(1, (n, M)) + 1.5 / np.sqrt(n) * np.arange(M)
    return x, 0.5 * x + 0.5 * rng.exponential(1, (n, M)) + np.array([3, 0, 4, 1, 2, 5]) / np.sqrt(n)


@functools.cache
def literal_counts() -> FloatArray:
    return np.random.default_rng(7).multinomial(N, np.full(N, 1 / N), DRAWS).astype(float)


@pytest.mark.parametrize("n", [2, 9_999, 10_000])
def test_up_to_ten_thousand_topics_are_themselves(n: int) -> None:
    values = np.ones((n, 2))
    assert in_blocks(values) is values


@pytest.mark.parametrize(("n", "count", "larger"), [(10_001, 5_000, 1), (20_000, 5_000, 0), (100_003, 5_000, 3)])
def test_blocks_are_equal_but_for_left_over_topics(n: int, count: int, larger: int) -> None:
    rows = in_blocks(np.ones((n, 1)))[:, 0] * (n / count)
    sizes, times = np.unique(np.rint(rows), return_counts=True)
    expected = {n // count: count - larger} | ({n // count + 1: larger} if larger else {})
    assert dict(zip(sizes.tolist(), times.tolist(), strict=True)) == expected
    numbered = in_blocks(np.arange(float(n))[:, None])
    assert numbered.mean() == pytest.approx((n - 1) / 2)  # every topic once
    assert abs(np.corrcoef(np.arange(count), numbered[:, 0])[0, 1]) < 5 / np.sqrt(count)  # and in no order


def test_identical_systems_stay_identical() -> None:
    x, _ = sides()
    blocks = in_blocks(x[:, [0, 1, 0]])
    assert (blocks[:, 0] == blocks[:, 2]).all()


@pytest.mark.parametrize("name", ["tau_b", "tau_ap_b", "pearson"])
def test_coefficients_are_distributed_as_in_the_literal_bootstrap(name: str) -> None:
    x, y = sides()
    f, blocks, counts = cc.get_coefficient(name), (in_blocks(x), in_blocks(y)), literal_counts()
    drawn = resampled_weights(len(blocks[0]), DRAWS, np.random.default_rng(1))
    blocked = np.concatenate([f(*(resampled_means(side, weights) for side in blocks)) for _, weights in drawn])
    plain = np.asarray(f(counts @ x, counts @ y))
    assert stats.ks_2samp(blocked, plain).pvalue > 1e-3
    assert blocked.std() == pytest.approx(plain.std(), rel=2 * WITHIN)


def test_means_are_distributed_as_in_the_literal_bootstrap() -> None:
    x, _ = sides()
    blocks = in_blocks(x)
    counts = np.random.default_rng(8).multinomial(len(blocks), np.full(len(blocks), 1 / len(blocks)), DRAWS)
    found, plain = counts @ blocks / len(blocks), literal_counts() @ x / N
    assert found.std(axis=0) == pytest.approx(plain.std(axis=0), rel=2 * WITHIN)
    assert blocks.std(axis=0) / np.sqrt(len(blocks)) == pytest.approx(x.std(axis=0) / np.sqrt(N), rel=2 * WITHIN)


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("method", ["recentred", "paper"])
def test_rank_tests_are_those_of_the_literal_bootstrap(
    method: Any, ties: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    x, y = sides()
    candidate = np.floor(np.arange(M) / 2) if ties else y.mean(axis=0)[[0, 1, 2, 4, 3, 5]]

    def test(seed: int) -> Findings:
        return cc.rank_test(x, candidate, method=method, n_resamples=DRAWS, eps=0.1, rng=seed)

    blocked = test(1)
    monkeypatch.setattr(resampling, "MOST_TOPICS", N)
    plain = test(2)
    assert blocked.distance == plain.distance
    assert stats.ks_2samp(blocked.distances, plain.distances).pvalue > 1e-3
    assert blocked.distances.std() == pytest.approx(plain.distances.std(), rel=2 * WITHIN)


@pytest.mark.parametrize(
    ("method", "draws", "within"),
    [
        ("auto", 2_000, 0.25),
        ("shrinkage", 2_000, 0.25),
        pytest.param("iterated", 20_000, 0.6, marks=pytest.mark.long),
    ],
)
def test_intervals_are_those_of_topics(method: Any, draws: int, within: float, monkeypatch: pytest.MonkeyPatch) -> None:
    pearson = [cc.get_coefficient("pearson")]
    (blocked,) = limits(sides(), pearson, method, 0.95, Resampling.of(draws, 1))
    monkeypatch.setattr(resampling, "MOST_TOPICS", N)
    (plain,) = limits(sides(), pearson, method, 0.95, Resampling.of(draws, 2))
    assert blocked is not None
    assert plain is not None
    near = within * plain.standard_error  # four errors that so few resamples leave
    for name in ("low", "high", "standard_error"):
        assert getattr(blocked, name) == pytest.approx(getattr(plain, name), abs=near), name
