"""Random rankings of examples/papers are uniform among those with the value asked for."""

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


@pytest.mark.parametrize("tau", [1 / 3, -0.6, 1.0])
def test_uniform_over_all_rankings_with_the_value(tau: float) -> None:
    fitting = ALL[np.abs(np.asarray(cc.tau(TRUTH, ALL)) - tau) <= 1e-9]
    drawn = 6.0 - rankings_at_tau(6, tau, 20_000, np.random.default_rng(7))
    counts = Counter(map(tuple, drawn.tolist()))
    found = [counts.pop(tuple(ranking), 0) for ranking in fitting.tolist()]
    assert not counts
    assert len(found) == 1 or stats.chisquare(found).pvalue > 1e-3


def test_uniform_over_all_rankings_with_the_value_of_tau_ap() -> None:
    fitting = ALL[np.abs(np.asarray(cc.tau_ap(TRUTH, ALL)) - 0.4) <= 0.1 + 1e-9]
    counts = Counter(map(tuple, script("rankings").with_tau_ap(6, 20_000, 0.4, 0.1, rng=7).tolist()))
    found = [counts.pop(tuple(ranking), 0) for ranking in fitting.tolist()]
    assert not counts
    assert stats.chisquare(found).pvalue > 1e-3


@pytest.mark.parametrize(("m", "tau"), [(50, 1 - 2 * 61 / 1225), (300, 0.0), (2, 1.0)])
def test_the_value_is_there(m: int, tau: float) -> None:
    rankings = m - rankings_at_tau(m, tau, 20, np.random.default_rng(1))
    assert (np.sort(rankings, axis=1) == np.arange(1, m + 1)).all()
    assert cc.tau(np.arange(m, 0, -1), rankings) == pytest.approx(tau, abs=1e-12)
