"""Rank intervals of `Means`: another program's rank sets, a literal stepdown, coverage, and what is refused."""

from __future__ import annotations

import csv
import itertools
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import concordant as cc
from concordant.ranks.pair_tests import _pvalues

GOLDEN = Path(__file__).parents[1] / "golden" / "pisa2018_math_ranks.csv"
PISA = list(csv.DictReader(GOLDEN.read_text(encoding="utf-8").splitlines()))
SCORES = {row["country"]: float(row["score"]) for row in PISA}
ERRORS = {row["country"]: float(row["se"]) for row in PISA}
PUBLISHED = cc.Means(list(SCORES.values()), list(SCORES), errors=ERRORS)


def golden(suffix: str) -> dict[str, tuple[int, int]]:
    return {row["country"]: (int(row[f"low{suffix}"]), int(row[f"high{suffix}"])) for row in PISA}


def test_the_simultaneous_rank_sets_of_csranks() -> None:
    found = cc.rank_intervals(PUBLISHED, rng=1)
    assert {country: found[country] for country in SCORES} == golden("")


def test_the_marginal_rank_sets_of_csranks() -> None:
    """p-values of both programs are off by 0.002 (one standard error): some countries have pairs that close to 5%."""
    expected = golden("_marginal")
    found, narrow, wide = (
        cc.rank_intervals(PUBLISHED, confidence_level=level, simultaneous=False, rng=1)
        for level in (0.95, 0.943, 0.957)
    )
    for country, (low, high) in expected.items():
        assert wide[country][0] <= low <= narrow[country][0], country
        assert narrow[country][1] <= high <= wide[country][1], country
    assert sum(found[country] == expected[country] for country in expected) >= 35


def test_marginal_limits_differ_only_where_the_draws_of_csranks_could_not_tell() -> None:
    """Its 10,000 draws have a standard error of 0.0022 at 5%; all pairs that decide otherwise are within two of it."""
    found = cc.rank_intervals(PUBLISHED, simultaneous=False, n_resamples=40_000, rng=5)
    expected = golden("_marginal")
    other = [country for country in expected if found[country] != expected[country]]
    assert len(other) <= 4
    for country in other:
        p = found.pvalues[found.systems.index(country)]
        low, high = found[country]
        wider = (low - expected[country][0]) + (expected[country][1] - high)
        assert wider > 0  # ours is the narrower one
        assert np.count_nonzero((p > 0.05 - 2 * 0.0022) & (p <= 0.05)) >= wider


def test_a_stepdown_written_down_literally() -> None:
    """Critical values of what is left, round by round, until nothing more is rejected."""
    rng = np.random.default_rng(3)
    m, alpha = 5, 0.1
    for _ in range(10):
        x, a = rng.normal(0, 2, m), rng.normal(size=(m, m))
        sigma = a @ a.T / m
        draws = rng.multivariate_normal(np.zeros(m), sigma, 999)
        size = np.sqrt(np.diag(sigma)[:, None] + np.diag(sigma)[None, :] - 2 * sigma)
        np.fill_diagonal(size, 1)
        t = (x[:, None] - x[None, :]) / size
        p = _pvalues(t, size, draws, simultaneous=True)
        left, rejected = set(itertools.permutations(range(m), 2)), set()
        while left:
            largest = np.sort([max((z[i] - z[j]) / size[i, j] for i, j in left) for z in draws])[::-1]
            now = {(i, j) for i, j in left if (1 + (largest >= t[i, j]).sum()) / 1000 <= alpha}
            if not now:
                break
            rejected |= now
            left -= now
        expected = {pair for pair in rejected if x[pair[0]] > x[pair[1]]}
        assert {(i, j) for i, j in itertools.permutations(range(m), 2) if p[i, j] <= alpha and x[i] > x[j]} == expected


def test_two_systems_are_a_two_sided_z_test() -> None:
    for gap in (0.5, 1.5, 2.5):
        means = cc.Means([gap, 0.0], list("ab"), covariance=[[0.7, 0.1], [0.1, 0.5]])
        found = cc.rank_intervals(means, n_resamples=1_000_000, rng=2)
        expected = 2 * stats.norm.sf(gap)  # the variance of the difference is 1
        error = np.sqrt(expected * (1 - expected) / 1_000_000)
        assert found.pvalues[0, 1] == pytest.approx(expected, abs=4 * error)


@pytest.mark.parametrize("freedom", [3, 8.5])
def test_a_covariance_that_was_estimated_makes_it_a_t_test(freedom: float) -> None:
    means = cc.Means([2.0, 0.0], list("ab"), covariance=[[0.7, 0.1], [0.1, 0.5]], degrees_of_freedom=freedom)
    found = cc.rank_intervals(means, n_resamples=400_000, rng=3)
    expected = 2 * stats.t.sf(2, freedom)
    assert found.pvalues[0, 1] == pytest.approx(expected, abs=4 * np.sqrt(expected * (1 - expected) / 400_000))


@pytest.mark.parametrize("simultaneous", [True, False])
def test_intervals_hold_the_true_ranks(simultaneous: bool) -> None:
    """400 draws of estimates around known values, among them near ties: at 90% about 10% may fail, at most."""
    rng, truth = np.random.default_rng(7), np.array([3.0, 2.9, 2.0, 1.95, 1.9, 0.0])
    a = rng.normal(size=(6, 6))
    sigma = 0.05 * (a @ a.T + np.eye(6))
    held = 0
    for _ in range(400):
        x = rng.multivariate_normal(truth, sigma)
        means = cc.Means(x, range(6), covariance=sigma)
        found = cc.rank_intervals(means, confidence_level=0.9, simultaneous=simultaneous, n_resamples=299, rng=rng)
        inside = [found[str(k)][0] <= k + 1 <= found[str(k)][1] for k in range(6)]
        held += all(inside) if simultaneous else inside[2]
    assert held >= 0.9 * 400 - 3 * 6


def test_correlated_errors_separate_what_independent_ones_do_not() -> None:
    x, sigma = [1.0, 0.9, 0.0], np.full((3, 3), 0.25) + np.eye(3) * 1e-4
    together, apart = cc.Means(x, range(3), covariance=sigma), cc.Means(x, range(3), errors=[0.5] * 3)
    known, assumed = (cc.rank_intervals(means, rng=1) for means in (together, apart))
    assert (known["1"], assumed["1"]) == ((2, 2), (1, 3))
    assert "taken as independent" in str(assumed)
    assert "taken as independent" not in str(known)


def test_estimates_without_error_and_equal_ones() -> None:
    found = cc.rank_intervals(cc.Means([3.0, 2.0, 2.0], range(3), covariance=np.zeros((3, 3))), rng=1)
    assert [found[k] for k in "012"] == [(1, 1), (2, 3), (2, 3)]
    assert found.low.tolist() == [1, 2, 2]


def test_labels_go_with_their_numbers() -> None:
    expected = cc.rank_intervals(PUBLISHED, n_resamples=999, rng=1)
    turned = dict(reversed(ERRORS.items()))
    frame = pd.DataFrame(np.diag([e**2 for e in turned.values()]), index=list(turned), columns=list(turned))
    for how in ({"errors": turned}, {"errors": pd.Series(turned)}, {"errors": None, "covariance": frame}):
        found = cc.rank_intervals(PUBLISHED.described(**how), n_resamples=999, rng=1)
        assert found.systems == expected.systems
        np.testing.assert_array_equal(found.pvalues, expected.pvalues)
    text = str(expected)
    assert text.startswith(expected.verdict)
    assert "999 normal draws" in text
    assert expected.to_dict()["rows"][0]["system"] == "Japan"


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"covariance": np.eye(2), "errors": [1, 1]}, "both given: give one of the two"),
        ({"covariance": np.eye(3)}, r"shape \(3, 3\): give a matrix of 2 x 2"),
        ({"covariance": [[1, 0.5], [0.2, 1]]}, "not symmetric"),
        ({"covariance": [[1, 2], [2, 1]]}, "the eigenvalue -1"),
        ({"covariance": [[1, np.nan], [np.nan, 1]]}, "not finite"),
        ({"errors": [1, -1]}, "errors has -1 for system 'b'"),
        ({"errors": [1, 1e200]}, r"a standard error is a number from 0 to 1e\+150"),
        ({"errors": [np.nan, 1]}, "errors has nan for system 'a'"),
        ({"errors": [1, 1, 1]}, r"shape \(3,\)"),
        ({"errors": "ab"}, "not an array of numbers"),
        ({"errors": {"a": 1, "c": 2}}, r"different systems \(b, c\)"),
        ({"errors": [1, 1], "degrees_of_freedom": -1}, "degrees_of_freedom is -1"),
        ({"degrees_of_freedom": 3}, "neither errors nor covariance"),
    ],
)
def test_what_is_refused(options: Any, match: str) -> None:
    with pytest.raises(cc.errors.ConcordantError, match=match):
        cc.Means([1, 2], list("ab"), **options)


def test_one_system_has_no_ranks() -> None:
    with pytest.raises(cc.errors.InputError, match="1 system: at least 2"):
        cc.rank_intervals(cc.Means([1], ["a"], errors=[1]))


@pytest.mark.parametrize("kind", ["errors", "covariance"])
def test_errors_go_where_the_scores_go(kind: str) -> None:
    """Selection, description, pickling, equality; what was given stays the caller's own."""
    rng = np.random.default_rng(5)
    a = rng.normal(size=(4, 4))
    given = a @ a.T if kind == "covariance" else np.array([0.4, 0.3, 0.2, 0.1])
    how: dict[str, Any] = {"lower_is_better": True, "degrees_of_freedom": 7, kind: given}
    means = cc.Means([4.0, 3.0, 2.0, 1.0], list("abcd"), **how)
    held = getattr(means, kind)
    np.testing.assert_allclose(held, given, rtol=1e-15)
    assert held is not given
    assert not held.flags.writeable
    some = means.select(["d", "b"])
    places = np.ix_([3, 1], [3, 1]) if kind == "covariance" else [3, 1]
    np.testing.assert_array_equal(getattr(some, kind), held[places])
    assert some.degrees_of_freedom == 7
    again = pickle.loads(pickle.dumps(means))
    assert again == means
    assert hash(again) == hash(means)
    assert not getattr(again, kind).flags.writeable
    assert means.described(teams=list("wxyz")).described(teams=None) == means
    assert means.described(**{kind: 2 * given}) != means
    assert means != cc.Means([4.0, 3.0, 2.0, 1.0], list("abcd"), lower_is_better=True)


def test_a_missing_score_has_no_error() -> None:
    means = cc.Means([3.0, np.nan, 1.0], list("abc"), errors=[0.1, np.nan, 0.1], missing="drop-systems")
    found = cc.rank_intervals(means, rng=1)
    assert (found["a"], found["c"]) == ((1, 1), (2, 2))
    assert "left out: b" in str(found)
