"""The probability of a ranking: against scipy's integral, sampling, and what must be true of it."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr
from scipy.stats import multivariate_normal

import concordant as cc


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=15)
def test_equal_to_scipys_integral(seed: int) -> None:
    rng = np.random.default_rng(seed)
    m = int(rng.integers(3, 7))
    truth = rng.random((20, 1)) + 0.3 * rng.random((20, m)) + np.linspace(0, 0.05, m)
    order = rng.permutation(m)
    differences = truth[:, order[:-1]] - truth[:, order[1:]]
    covariance = (np.cov(differences.T) + 1e-5 * np.eye(m - 1)) / 20
    expected = multivariate_normal(-differences.mean(axis=0), covariance).cdf(np.zeros(m - 1))
    candidate = np.empty(m)
    candidate[order] = -np.arange(m)
    assert cc.ranks.ranking_probability(truth, candidate, rng=1) == pytest.approx(float(expected), abs=2e-4)


def test_two_systems_are_one_normal_deviate() -> None:
    truth = np.random.default_rng(3).random((12, 2))
    d = truth[:, 0] - truth[:, 1]
    z = d.mean() / np.sqrt((d.var(ddof=1) + 1e-5) / 12)
    assert cc.ranks.ranking_probability(truth, [2, 1], rng=0) == pytest.approx(float(ndtr(z)), rel=1e-9)


def test_all_rankings_together_are_certain() -> None:
    truth = np.random.default_rng(5).random((15, 4))
    found = [cc.ranks.ranking_probability(truth, y, n_points=6_000, rng=2) for y in permutations(range(4))]
    assert sum(found) == pytest.approx(1, abs=2e-3)


def test_it_is_the_share_of_normal_means_with_that_ranking() -> None:
    rng = np.random.default_rng(7)
    truth = rng.random((30, 5)) + np.linspace(0, 0.2, 5)
    drawn = rng.multivariate_normal(truth.mean(axis=0), np.cov(truth.T) / 30, 40_000)
    order = np.argsort(-truth.mean(axis=0))
    order[[1, 2]] = order[[2, 1]]
    share = (np.diff(drawn[:, order], axis=1) < 0).all(axis=1).mean()
    candidate = np.empty(5)
    candidate[order] = -np.arange(5)
    found = cc.ranks.ranking_probability(truth, candidate, rng=1)
    assert abs(found - share) < 4 * np.sqrt(share / 40_000) + 1e-3  # eps moves it a little


def test_what_cannot_be_answered_is_refused() -> None:
    truth = np.random.default_rng(1).random((6, 3))
    with pytest.raises(cc.errors.InputError, match=r"candidate has shape \(2, 3\): give one ranking at a time"):
        cc.ranks.ranking_probability(truth, [[1, 2, 3], [3, 2, 1]])
    with pytest.raises(cc.errors.InputError, match="n_points is 0"):
        cc.ranks.ranking_probability(truth, [1, 2, 3], n_points=0)
    assert cc.ranks.ranking_probability(truth, [1, 2, 3], rng=4) == cc.ranks.ranking_probability(
        truth, [1, 2, 3], rng=4
    )
