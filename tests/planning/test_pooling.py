"""The estimator with pooled variances: against its definition, a t-test, and what must be true of it."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats
from scipy.optimize import brentq

import concordant as cc

FloatArray = npt.NDArray[np.float64]
seeds = st.integers(0, 2**32 - 1)


def by_definition(values: FloatArray) -> FloatArray:
    """p of each pair, best first; the weight of the mean variance by a root finder."""
    n, m = values.shape
    ordered = values[:, np.argsort(-values.mean(axis=0), kind="stable")]
    differences = {(i, j): ordered[:, i] - ordered[:, j] for i in range(m) for j in range(i + 1, m)}
    variances = np.array([d.var(ddof=1) for d in differences.values()])
    beyond = np.log(variances).var(ddof=1) - special.polygamma(1, (n - 1) / 2)
    weight = 2 * brentq(lambda y: special.polygamma(1, y) - beyond, 1e-6, 1e9, xtol=1e-12) if beyond > 0 else math.inf
    found = np.full((m, m), np.nan)
    for (i, j), d in differences.items():
        share = 1.0 if weight == math.inf else weight / (weight + n - 1)
        variance = share * variances.mean() + (1 - share) * d.var(ddof=1)
        found[i, j] = stats.t.cdf(-math.sqrt(n) * d.mean() / math.sqrt(variance), n - 1)
    return found


@given(seeds)
def test_probabilities_against_the_definition(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(2, 12)), int(rng.integers(3, 7))
    values = rng.random((n, m)) * rng.uniform(0.1, 1, m) ** rng.integers(0, 5)
    upper = np.triu_indices(m, 1)
    found = np.asarray(cc.planning.discordance(values, estimator="pooled"))
    np.testing.assert_allclose(found[upper], by_definition(values)[upper], atol=2e-6)
    np.testing.assert_allclose(
        np.asarray(cc.planning.discordance(1000 * values, estimator="pooled")), found, atol=1e-9
    )  # units


def test_two_systems_are_a_paired_t_test() -> None:
    values = np.random.default_rng(1).random((15, 2))
    p = stats.ttest_rel(*values.T).pvalue / 2
    assert np.asarray(cc.planning.discordance(values, estimator="pooled"))[0, 1] == pytest.approx(p, rel=1e-12)


def test_variances_that_are_alike_count_as_one() -> None:
    from concordant.planning.differences import PairDifferences
    from concordant.planning.pooling import pooling

    rng = np.random.default_rng(4)
    alike = rng.normal(size=(8, 40))
    unlike = alike * np.exp(rng.normal(0, 2, 40))
    assert pooling(PairDifferences(alike)).weight > 20
    assert 0 < pooling(PairDifferences(unlike)).weight < 3


def test_identical_systems_and_constant_differences() -> None:
    x = np.random.default_rng(2).random((9, 3))
    found = np.asarray(cc.planning.discordance(np.column_stack([x, x[:, 0], x[:, 0] - 0.25]), estimator="pooled"))
    same = [(i, j) for i in range(5) for j in range(i + 1, 5) if found[i, j] == 0.5]
    assert len(same) == 1
    assert np.count_nonzero(found[np.triu_indices(5, 1)] == 0) == 2  # the shifted one below both of them


def test_it_is_chosen_by_name() -> None:
    people = cc.load_collection("people")
    assert (
        cc.expected_correlation(people, coefficient="tau_ap", estimator="pooled").value
        == cc.planning.discordance(people, estimator="pooled").tau_ap
    )
    assert "pooled" not in cc.reliability(people, rng=1).estimates
