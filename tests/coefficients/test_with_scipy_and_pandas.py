"""Coefficients inside scipy's tests and intervals and pandas' corr, against concordant's own."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import concordant as cc
from concordant.coefficients.registry import Coefficient

ALL = pytest.mark.parametrize("c", cc.list_coefficients(), ids=lambda c: c.name)
TIES = pytest.mark.parametrize("c", [c for c in cc.list_coefficients() if len(c.ties) == 2], ids=lambda c: c.name)
X, Y = np.random.default_rng(4).random((2, 7))


@ALL
def test_statistic_takes_any_axis(c: Coefficient) -> None:
    x, y = np.random.default_rng(1).random((2, 3, 6))
    assert c.statistic(X, Y) == c.function(X, Y)
    assert np.array_equal(np.asarray(c.statistic(x, y, axis=-1)), c.function(x, y))
    assert np.array_equal(np.asarray(c.statistic(x.T, y.T, axis=0)), c.function(x, y))
    assert np.array_equal(np.asarray(c.statistic(x.T, y.T, 0)), c.function(x, y))


@ALL
def test_scipys_permutation_test_calls_whole_batches_and_gives_the_same(c: Coefficient) -> None:
    calls: list[tuple[int, ...]] = []

    def counted(truth: Any, candidate: Any, axis: int = -1) -> Any:
        calls.append(np.shape(candidate))
        return c.statistic(truth, candidate, axis=axis)

    options: dict[str, Any] = {"permutation_type": "pairings", "n_resamples": 99, "alternative": "greater"}
    batch = stats.permutation_test((X, Y), counted, rng=3, **options)
    assert any(len(shape) == 2 for shape in calls)
    one_by_one = stats.permutation_test((X, Y), c.function, rng=3, **options)
    assert batch.statistic == one_by_one.statistic == c.function(X, Y)
    assert batch.null_distribution == pytest.approx(one_by_one.null_distribution, abs=1e-12)
    assert batch.pvalue == one_by_one.pvalue
    vectorised = stats.permutation_test((X, Y), c.statistic, vectorized=True, rng=3, **options)
    assert vectorised.pvalue == batch.pvalue


@pytest.mark.parametrize("alternative", ["greater", "less"])
@pytest.mark.parametrize("name", ["tau", "tau_ap"])
def test_scipys_permutation_test_has_the_p_value_of_the_exact_distribution(name: str, alternative: Any) -> None:
    c = cc.get_coefficient(name)
    null = cc.null_distribution("tau", 7) if name == "tau" else cc.null_distribution("tau_ap", 7)
    options: dict[str, Any] = {"permutation_type": "pairings", "n_resamples": np.inf, "alternative": alternative}
    found = stats.permutation_test((Y,), partial(c.statistic, X), **options)
    assert len(found.null_distribution) == 5040
    exact = null.pvalue(float(c.function(X, Y)), alternative=alternative)
    assert found.pvalue == pytest.approx(exact, abs=1e-12)
    small = cc.null_distribution("tau", 4) if name == "tau" else cc.null_distribution("tau_ap", 4)
    both = stats.permutation_test((X[:4], Y[:4]), c.statistic, **options)  # permutes both sides
    assert len(both.null_distribution) == 24 * 24
    assert both.pvalue == pytest.approx(small.pvalue(both.statistic, alternative=alternative), abs=1e-12)


def test_scipys_permutation_test_agrees_with_ours() -> None:
    x, y = np.random.default_rng(8).random((2, 15))
    y = y + 0.8 * x
    for name in ("tau_ap", "pearson_rank", "spearman"):
        ours = cc.permutation_test(x, y, coefficient=name, n_resamples=1_999, rng=1).pvalue
        theirs = stats.permutation_test(
            (x, y), cc.get_coefficient(name).statistic, permutation_type="pairings", n_resamples=1_999, rng=1,
        ).pvalue  # fmt: skip
        spread = np.sqrt(4 * max(ours, 1e-4) / 2_000)  # of twice a share, drawn twice
        assert abs(ours - theirs) < 4 * spread


@TIES
def test_scipys_bootstrap_draws_systems(c: Coefficient) -> None:
    x, y = np.random.default_rng(9).random((2, 12))
    options: dict[str, Any] = {"paired": True, "n_resamples": 99, "rng": 5, "method": "percentile"}
    batch = stats.bootstrap((x, y), c.statistic, **options)
    one_by_one = stats.bootstrap((x, y), c.function, **options)
    assert batch.bootstrap_distribution == pytest.approx(one_by_one.bootstrap_distribution, abs=1e-12)
    rows = np.random.default_rng(5).integers(0, 12, (99, 12))  # as scipy draws them
    assert batch.bootstrap_distribution == pytest.approx(np.asarray(c.function(x[rows], y[rows])), abs=1e-12)
    low, high = batch.confidence_interval
    assert low < c.function(x, y) < high


def test_scipys_bootstrap_of_a_coefficient_without_ties_says_which_to_take() -> None:
    with pytest.raises(cc.errors.TiesError, match="use tau_b"):
        stats.bootstrap((X, Y), cc.get_coefficient("tau").statistic, paired=True, n_resamples=9, rng=1)


# pandas -------------------------------------------------------------------------------------------


def frame(*, decimals: int = 6) -> pd.DataFrame:
    values = np.round(np.random.default_rng(6).random((9, 4)), decimals)
    return pd.DataFrame(values, index=list("abcdefghi"), columns=["people", "gpt", "llama", "qwen"])


@ALL
def test_corr_of_pandas_is_right_for_symmetric_coefficients_and_only_for_them(c: Coefficient) -> None:
    table = frame()
    matrix = c.matrix(table)
    assert list(matrix.index) == list(matrix.columns) == list(table.columns)
    for truth in table:
        for candidate in table:
            expected = c.function(table[truth].to_numpy(), table[candidate].to_numpy())
            assert matrix.loc[truth, candidate] == pytest.approx(expected, abs=1e-12)
    corr = table.corr(method=c.function).to_numpy()
    upper = np.triu_indices(4, 1)
    assert corr[upper] == pytest.approx(matrix.to_numpy()[upper], abs=1e-12)
    if c.name != "tau_a":  # which is tau, and symmetric, where nothing is tied
        assert np.allclose(corr, matrix.to_numpy(), rtol=0, atol=1e-12) is c.symmetric


def test_corr_of_pandas_writes_1_where_a_ranking_does_not_agree_with_itself() -> None:
    tied = frame(decimals=1)
    assert np.diag(tied.corr(method=cc.rbo)).tolist() == [1, 1, 1, 1]
    assert (np.diag(cc.get_coefficient("rbo").matrix(tied)) < 1).all()


def test_matrix_names_the_ranking_with_ties_and_refuses_what_is_missing() -> None:
    table = frame()
    table["llama"] = table["llama"].round(0)
    with pytest.raises(cc.errors.TiesError, match=r"^llama has ties, and tau_ap is not defined") as caught:
        cc.get_coefficient("tau_ap").matrix(table)
    assert caught.value.side in ("truth", "candidate")
    table = frame()
    table.iloc[2, 1] = np.nan
    with pytest.raises(cc.errors.InputError, match="nan"):
        cc.get_coefficient("tau_b").matrix(table)
