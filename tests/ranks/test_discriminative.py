"""Discriminative power: the share of significant differences that another ranking confirms."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import concordant as cc
from concordant.inference.adjustment import holm
from concordant.ranks.distance import paired_pvalues
from tests.places import read_matrix

AP = [[0.04, 0.55, 0.51], [0.39, 0.55, 0.56], [0.10, 0.60, 0.63], [0.11, 0.61, 0.66]]


def test_the_papers_table() -> None:
    found = {}
    for ranking in ("ABC", "ACB", "BAC", "CAB", "BCA", "CBA"):
        scores = [-ranking.index(system) for system in "ABC"]
        power = cc.ranks.discriminative_power(AP, scores)
        assert "of 2 significant pairs confirmed, of 3 in all" in power.method
        found[ranking] = (round(float(power), 6), round(float(cc.tau([1, 2, 3], scores)), 2))
    assert [share for share, _ in found.values()] == [0, 0, 0.5, 0.5, 1, 1]
    assert [tau for _, tau in found.values()] == [-1, -0.33, -0.33, 0.33, 0.33, 1]


def test_against_scipy_pair_by_pair(trec: Path) -> None:
    x = read_matrix(trec / "adhoc8.csv")[:, :40]  # with identical systems among them or not, as they come
    x = np.column_stack([x, x[:, 3], x[:, 3] + 0.1])
    means, candidate = x.mean(axis=0), np.random.default_rng(1).random(42)
    significant = agreeing = 0
    p_values = []
    for i, j in itertools.combinations(range(42), 2):
        difference = x[:, i] - x[:, j]
        if np.ptp(difference) < 1e-12:
            p = float(abs(difference[0]) < 1e-12)
        else:
            p = float(stats.ttest_rel(x[:, i], x[:, j]).pvalue)
        p_values.append(p)
        if p <= 0.05:
            significant += 1
            agreeing += (means[i] > means[j]) == (candidate[i] > candidate[j])
    assert paired_pvalues(x) == pytest.approx(np.array(p_values), rel=1e-8, abs=1e-300)
    power = cc.ranks.discriminative_power(x, candidate)
    assert power.method.startswith(f"{agreeing} of {significant} significant pairs confirmed, of {42 * 41 // 2} in all")
    assert power.value == agreeing / significant
    corrected = cc.ranks.discriminative_power(x, candidate, correction="holm").method
    assert int(corrected.split()[2]) < significant
    assert corrected.endswith("paired t-test, alpha = 0.05, Holm")


def test_holm() -> None:
    assert holm(np.array([0.01, 0.04, 0.03, 0.005])) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_ties_and_undefined() -> None:
    found = [cc.ranks.discriminative_power(AP, ranking).value for ranking in ([1, 2, 3], [3, 2, 1], [0, 0, 0])]
    assert found == [1, 0, 0]
    with pytest.warns(cc.errors.UndefinedCorrelationWarning, match="no pair differs significantly"):
        none = cc.ranks.discriminative_power([[1, 2], [2, 1]], [1, 2])
    assert np.isnan(none.value)
    assert none.to_dict()["value"] is None


def test_rounding_is_no_significant_difference() -> None:
    x = np.random.default_rng(0).random((20, 5)).round(2)
    p = paired_pvalues(np.column_stack([x, x[:, 0] + 0.1 + 0.2 - 0.3]))
    first, second = np.triu_indices(6, 1)
    assert p[(first == 0) & (second == 5)].tolist() == [1.0]
    assert paired_pvalues(np.column_stack([x[:, 0], x[:, 0] + 1e-9])).tolist() == [0.0]  # the same on every topic


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"alpha": 0}, "alpha is 0"),
        ({"correction": "bonferroni"}, "correction is 'bonferroni'"),
        ({"candidate": [1, 2]}, "candidate 2: candidate needs one score per system"),
        ({"candidate": [[1, 2, 3], [3, 2, 1]]}, r"candidate has shape \(2, 3\)"),
        ({"truth": AP[:1]}, "truth has 1 topic"),
    ],
)
def test_bad_input(arguments: Any, message: str) -> None:
    with pytest.raises(cc.errors.InputError, match=message):
        cc.ranks.discriminative_power(**({"truth": AP, "candidate": [1, 2, 3]} | arguments))
