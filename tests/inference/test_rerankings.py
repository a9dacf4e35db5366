"""Rankings drawn at a tau, or with at least that tau, or near a tau_ap, by examples/papers/rankings.py."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from scipy import stats

import concordant as cc
from tests.papers import script

rankings_at_tau = script("rankings").rankings_at_tau
TRUTH = np.arange(6, 0, -1)
ALL = 6.0 - np.array(list(itertools.permutations(range(6))))


@pytest.mark.parametrize("tau", [1.0, 0.6, 0.2, 0.0, -0.2, -1.0])
def test_rankings_at_a_tau_are_uniform(tau: float) -> None:
    drawn = rankings_at_tau(5, tau, 20_000, np.random.default_rng(1))
    counts = Counter(map(tuple, drawn.tolist()))
    truth = np.arange(5, 0, -1)
    expected = [p for p in itertools.permutations(range(5)) if abs(float(cc.tau(truth, -np.array(p))) - tau) < 1e-9]
    assert set(counts) == set(expected)
    mean = 20_000 / len(expected)
    chi_squared = sum((counts[p] - mean) ** 2 / mean for p in expected)
    assert chi_squared < len(expected) + 5 * np.sqrt(2 * len(expected))


@pytest.mark.parametrize("tau", [0.4, -0.4])
def test_rankings_with_at_least_a_tau_are_uniform(tau: float) -> None:
    drawn = rankings_at_tau(4, tau, 20_000, np.random.default_rng(1), at_least=True)
    counts = Counter(map(tuple, drawn.tolist()))
    truth = np.arange(4, 0, -1)
    expected = [p for p in itertools.permutations(range(4)) if cc.tau(truth, -np.array(p)) >= tau - 1e-9]
    assert set(counts) == set(expected)
    mean = 20_000 / len(expected)
    assert sum((counts[p] - mean) ** 2 / mean for p in expected) < len(expected) + 5 * np.sqrt(2 * len(expected))


@pytest.mark.parametrize(("m", "tau"), [(110, 0.9), (300, 0.5), (300, -0.7)])
def test_rankings_of_many_systems(m: int, tau: float) -> None:
    drawn = rankings_at_tau(m, tau, 20, np.random.default_rng(1))
    assert (np.sort(drawn, axis=1) == np.arange(m)).all()
    found = np.asarray(cc.tau(np.arange(m, 0, -1), -drawn))
    assert np.ptp(found) == 0
    assert tau <= found[0] + 1e-12 < tau + 4 / (m * (m - 1)) + 1e-9


def test_uniform_over_all_rankings_with_the_value_of_tau_ap() -> None:
    fitting = ALL[np.abs(np.asarray(cc.tau_ap(TRUTH, ALL)) - 0.4) <= 0.1 + 1e-9]
    counts = Counter(map(tuple, script("rankings").with_tau_ap(6, 20_000, 0.4, 0.1, rng=7).tolist()))
    found = [counts.pop(tuple(ranking), 0) for ranking in fitting.tolist()]
    assert not counts
    assert stats.chisquare(found).pvalue > 1e-3
