"""A kernel that finds no solution says so; the other one then tries, and if that fails too the caller hears of it."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import concordant as cc
from concordant import _kernels
from concordant._kernels.reference import distance
from concordant.ranks.distance import Problem

X = np.random.default_rng(4).random((12, 5))
RANKINGS = np.random.default_rng(5).random((3, 5))
REVERSED = -X.mean(axis=0)


def _gives_up_on(rows: list[int]) -> Any:
    """The NumPy kernels, but for some rows."""

    def distances(*arguments: Any) -> None:
        _kernels.reference.rank_distances(*arguments)
        *_, out, duals, _ = arguments
        out[rows] = np.nan, -1
        if len(duals):
            duals[rows] = np.nan

    def recentred(*arguments: Any) -> None:
        _kernels.reference.recentred_distances(*arguments)
        *_, out, _ = arguments
        out[rows] = np.nan, -1

    changed = {"rank_distances": distances, "recentred_distances": recentred}
    return SimpleNamespace(**(vars(_kernels.reference) | changed))


def test_the_other_kernel_solves_what_one_gave_up(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = Problem.of(X, 1e-5, "a test")
    expected, projected = cc.rank_distance(X, RANKINGS), problem.project(REVERSED)
    tested = cc.rank_test(X, REVERSED, method="recentred", n_resamples=49, rng=3)
    monkeypatch.setattr(_kernels, "active", _gives_up_on([0, 2]))
    np.testing.assert_allclose(cc.rank_distance(X, RANKINGS), expected, rtol=1e-9)
    monkeypatch.setattr(_kernels, "active", _gives_up_on([0]))
    again = problem.project(REVERSED)
    assert again.distance == pytest.approx(projected.distance, rel=1e-9)
    np.testing.assert_allclose(again.delta, projected.delta, atol=1e-9)
    again_tested = cc.rank_test(X, REVERSED, method="recentred", n_resamples=49, rng=3)
    assert again_tested.distance == pytest.approx(tested.distance, rel=1e-9)
    np.testing.assert_allclose(again_tested.distances, tested.distances, rtol=1e-9)


@pytest.mark.parametrize("method", ["paper", "recentred"])
def test_what_both_give_up_is_refused(monkeypatch: pytest.MonkeyPatch, method: Any) -> None:
    def singular(s: Any, d: Any) -> Any:
        return np.zeros(len(d)), (np.nan, -1.0)

    monkeypatch.setattr(_kernels, "active", _kernels.reference)
    monkeypatch.setattr(distance, "_solve", singular)
    says = re.escape("eps = 1e-05 is too small for such variances in float64; give a larger one")
    with pytest.raises(cc.errors.InputError, match=f"no solution was found for 3 rankings: {says}"):
        cc.rank_distance(X, RANKINGS)
    with pytest.raises(cc.errors.InputError, match=f"no solution was found for 1 ranking: {says}"):
        cc.rank_test(X, REVERSED, method=method, n_resamples=9, rng=1)


def test_a_matrix_that_is_not_positive_definite_is_given_up() -> None:
    dual, (value, active) = distance._solve(np.array([[1.0, 2.0], [2.0, 1.0]]), np.array([-1.0, 1.0]))
    assert (dual.tolist(), active) == ([0, 0], -1)
    assert np.isnan(value)


@pytest.mark.parametrize("start", [0.0, 1.0])
def test_a_wrong_start_from_least_squares_is_mended(monkeypatch: pytest.MonkeyPatch, start: float) -> None:
    rng = np.random.default_rng(5)
    for _ in range(30):
        factor, d = rng.normal(size=(7, 6)), rng.normal(size=6)
        s = factor.T @ factor
        right, (value, _) = distance._solve(s, d)
        with monkeypatch.context() as patch:
            patch.setattr("scipy.optimize.nnls", lambda a, b, maxiter: (np.full(a.shape[1], start), 0.0))
            dual, (again, active) = distance._solve(s, d)
        np.testing.assert_allclose(dual, right, atol=1e-9)
        assert again == pytest.approx(value)
        assert active == (right > 0).sum()
