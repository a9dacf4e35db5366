"""The rank distance as a loss: against the distance itself, its gradient against differences, and what must be true."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import approx_fprime, isotonic_regression

import concordant as cc

from .collections import FloatArray, literal_distance

SEEDS = st.integers(0, 2**32 - 1)


def drawn(seed: int) -> tuple[FloatArray, FloatArray, float]:
    """Users x documents, scores and a margin."""
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(8, 30)), int(rng.integers(2, 8))
    truth = rng.random((n, 1)) + rng.random((n, m)) @ rng.random((m, m)) + np.linspace(0, 0.3, m)
    return truth, rng.normal(0, 0.5, m), float(rng.choice([0, 0.5, 1, 3]))


@given(SEEDS)
@settings(max_examples=40)
def test_it_is_the_squared_distance_of_users_whose_means_are_the_scores(seed: int) -> None:
    truth, scores, margin = drawn(seed)
    means = truth.mean(axis=0)
    moved = truth - means + scores - margin * means
    loss, _ = cc.ranks.rank_loss(truth, scores, margin=margin)
    assert loss == pytest.approx(literal_distance(moved, means) ** 2, rel=1e-7, abs=1e-9)


@given(SEEDS)
@settings(max_examples=40)
def test_the_gradient_is_that_of_finite_differences(seed: int) -> None:
    truth, scores, margin = drawn(seed)
    loss, gradient = cc.ranks.rank_loss(truth, scores, margin=margin)
    expected = approx_fprime(scores, lambda f: cc.ranks.rank_loss(truth, f, margin=margin)[0], 1e-7)
    assert gradient == pytest.approx(expected, rel=1e-3, abs=1e-3 * max(1.0, float(np.abs(expected).max())))
    assert gradient.sum() == pytest.approx(0, abs=1e-9 * max(1.0, float(np.abs(gradient).max())))
    assert (loss > 0) == bool(gradient.any())


@given(SEEDS)
@settings(max_examples=40)
def test_it_is_convex_and_lies_above_its_tangents(seed: int) -> None:
    truth, scores, margin = drawn(seed)
    other = np.random.default_rng(seed + 1).normal(0, 0.5, len(scores))
    loss, gradient = cc.ranks.rank_loss(truth, scores, margin=margin)
    there, _ = cc.ranks.rank_loss(truth, other, margin=margin)
    assert there >= (loss + gradient @ (other - scores)) - 1e-7 * max(1.0, loss, there)


@given(SEEDS)
@settings(max_examples=25)
def test_it_is_nought_where_the_order_and_the_margins_hold_and_nowhere_else(seed: int) -> None:
    truth, _, _ = drawn(seed)
    means = truth.mean(axis=0)
    loss, gradient = cc.ranks.rank_loss(truth, 2 * means + 7, margin=1.9)
    assert loss == 0
    assert not gradient.any()
    assert cc.ranks.rank_loss(truth, 2 * means + 7, margin=2.1)[0] > 0
    swapped = means.copy()
    best, second = np.argsort(-means)[:2]
    swapped[[best, second]] = means[[second, best]]
    assert cc.ranks.rank_loss(truth, swapped, margin=0)[0] > 0


def test_equal_scores_cost_what_the_reversed_ranking_costs_or_nothing_without_a_margin() -> None:
    truth = np.random.default_rng(3).random((20, 6))
    reversed_ = cc.rank_distance(truth, -truth.mean(axis=0))
    assert cc.ranks.rank_loss(truth, np.zeros(6))[0] == pytest.approx(reversed_**2)
    assert cc.ranks.rank_loss(truth, np.zeros(6), margin=0)[0] == 0


def test_shrinkage_moves_the_covariance_towards_equal_variances() -> None:
    rng = np.random.default_rng(8)
    truth, scores, means = rng.random((6, 9)), rng.random(9), np.arange(9.0)
    truth += means - truth.mean(axis=0)  # no ties, fewer users than documents
    loss, gradient = cc.ranks.rank_loss(truth, scores, shrinkage=1, eps=1e-12)
    # With equal variances and no covariance it is isotonic regression: pool what violates the order.
    variance = float(truth.var(axis=0, ddof=1).mean())
    rest = scores - means
    assert loss == pytest.approx(6 / variance * float(((isotonic_regression(rest).x - rest) ** 2).sum()), rel=1e-6)
    half = cc.ranks.rank_loss(truth, scores, shrinkage=0.5)
    expected = approx_fprime(scores, lambda f: cc.ranks.rank_loss(truth, f, shrinkage=0.5)[0], 1e-7)
    assert half[1] == pytest.approx(expected, rel=1e-3, abs=1e-3 * float(np.abs(expected).max()))
    assert half[0] != pytest.approx(loss)
    assert gradient.sum() == pytest.approx(0, abs=1e-6)


def test_a_pair_on_which_the_users_agree_costs_more() -> None:
    rng = np.random.default_rng(4)
    noise = rng.normal(0, 1, 30)
    noise -= noise.mean()
    agreed, contested = (np.column_stack([0.5 + spread * noise, np.zeros(30)]) for spread in (0.1, 1.0))
    assert cc.ranks.rank_loss(agreed, [0.0, 0.1])[0] > 50 * cc.ranks.rank_loss(contested, [0.0, 0.1])[0]


def test_descent_reaches_the_order_of_the_users() -> None:
    from scipy.optimize import minimize

    truth = np.random.default_rng(5).random((40, 5))
    found = minimize(lambda f: cc.ranks.rank_loss(truth, f), np.zeros(5), jac=True)
    assert found.fun < 1e-6
    assert cc.rank_distance(truth, found.x) == 0


def test_names_are_matched_and_what_cannot_be_is_refused() -> None:
    truth = cc.Scores(np.random.default_rng(6).random((9, 3)), range(9), ["a", "b", "c"])
    loss, gradient = cc.ranks.rank_loss(truth, {"c": 0.1, "a": 0.3, "b": 0.2})
    bare = cc.ranks.rank_loss(truth, [0.3, 0.2, 0.1])
    assert loss == bare[0]
    assert gradient.tolist() == bare[1].tolist()
    with pytest.raises(cc.errors.InputError, match=r"candidate has shape \(2, 3\): give one score for each column"):
        cc.ranks.rank_loss(truth, [[1, 2, 3], [3, 2, 1]])
    with pytest.raises(cc.errors.InputError, match="margin is -1"):
        cc.ranks.rank_loss(truth, [1, 2, 3], margin=-1)
    with pytest.raises(cc.errors.InputError, match=r"shrinkage is 1\.5"):
        cc.ranks.rank_loss(truth, [1, 2, 3], shrinkage=1.5)
    with pytest.warns(cc.errors.RegularisationWarning, match="the loss was regularised"):
        cc.ranks.rank_loss(truth.values[:3], [1, 2, 3])
