"""Tie calibration: the definition written down, and that the choice is made on other topics."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import concordant as cc
from concordant.errors import InputError
from concordant.judges.accuracy import _best, _pairs


def literal_accuracy(truth: Any, candidate: Any, tolerance: float) -> float:
    """Pairs on each topic of which both say the same."""
    right, pairs = 0, 0
    for t, c in zip(truth, candidate, strict=True):
        for i, j in itertools.combinations(range(len(t)), 2):
            tied = abs(c[i] - c[j]) <= tolerance + 1e-12
            right += tied == (t[i] == t[j]) and (tied or (c[i] > c[j]) == (t[i] > t[j]))
            pairs += 1
    return right / pairs


def sides(seed: int, n: int = 12, m: int = 6) -> tuple[cc.Scores, cc.Scores]:
    rng = np.random.default_rng(seed)
    grades = rng.integers(0, 3, (n, m))
    noisy = np.round(grades + rng.normal(0, 0.6, (n, m)), 1)
    return cc.Scores(grades, range(n), range(m)), cc.Scores(noisy, range(n), range(m))


@pytest.mark.parametrize("seed", range(6))
def test_the_best_tolerance_is_that_of_a_search(seed: int) -> None:
    truth, candidate = sides(seed)
    found = cc.judges.tie_calibration(truth, candidate, rng=seed)
    tried = np.unique([0.0, *np.round(np.abs(candidate.values[:, :, None] - candidate.values[:, None, :]).ravel(), 9)])
    values = [literal_accuracy(truth.values, candidate.values, tolerance) for tolerance in tried]
    assert found.optimistic == pytest.approx(max(values))
    assert found.tolerance == pytest.approx(tried[int(np.argmax(np.round(values, 12)))])
    assert found.uncalibrated == pytest.approx(values[0])
    assert found.accuracy <= found.optimistic + 1e-12
    assert found.tau_strict == pytest.approx(2 * found.accuracy - 1)


def test_each_part_has_the_tolerance_of_the_others() -> None:
    truth, candidate = sides(3)
    found = cc.judges.tie_calibration(truth, candidate, n_folds=12, rng=1)
    signs, gaps, unit = _pairs(truth.values, candidate.values)
    own = sorted(_best(np.delete(signs, k, 0), np.delete(gaps, k, 0)) * unit for k in range(12))
    assert sorted(found.tolerances) == pytest.approx(own)
    total = 0.0
    for k in range(12):
        tolerance = _best(np.delete(signs, k, 0), np.delete(gaps, k, 0)) * unit
        total += literal_accuracy(truth.values[k : k + 1], candidate.values[k : k + 1], tolerance)
    assert found.accuracy == pytest.approx(total / 12)


def test_without_ties_in_the_truth_nothing_is_tied() -> None:
    rng = np.random.default_rng(1)
    truth = cc.Scores(rng.random((8, 5)), range(8), range(5))
    found = cc.judges.tie_calibration(truth, truth, rng=1)
    assert (found.tolerance, found.accuracy, found.uncalibrated) == (0, 1, 1)


def test_what_is_refused() -> None:
    truth, candidate = sides(1)
    for folds in (1, 13, 2.5):
        with pytest.raises(InputError, match="n_folds is"):
            cc.judges.tie_calibration(truth, candidate, n_folds=folds)
