"""The permutation test, against enumeration, the exact distributions and scipy."""

from __future__ import annotations

import itertools
import json
import math
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import concordant as cc

TRUTH, CANDIDATE = [6, 5, 4, 3, 2, 1], [5, 6, 3, 3, 1, 2]
NAMES = [c.name for c in cc.list_coefficients()]


def scores(name: str, m: int, seed: int = 0) -> tuple[Any, Any]:
    """With ties on the sides that may have them."""
    rng = np.random.default_rng(seed)
    ties = cc.get_coefficient(name).ties
    truth, candidate = rng.permutation(m) + 0.0, rng.permutation(m) + 0.0
    return truth // 2 if "truth" in ties else truth, candidate // 2 if "candidate" in ties else candidate


@pytest.mark.parametrize("name", NAMES)
def test_small_cases_are_enumerated(name: str) -> None:
    truth, candidate = scores(name, 5)
    function = cc.get_coefficient(name).function
    own = function(truth, candidate)
    values = [function(truth, order) for order in itertools.permutations(candidate)]
    greater = np.mean([v >= own - 1e-9 for v in values])
    less = np.mean([v <= own + 1e-9 for v in values])
    test = cc.permutation_test(truth, candidate, coefficient=name)
    assert test.exact
    assert test.standard_error == 0
    assert test.value == own
    assert test.pvalue == pytest.approx(min(1, 2 * min(greater, less)), abs=1e-12)
    assert len(test.null) == 120


@pytest.mark.parametrize("name", [pytest.param(n, marks=[pytest.mark.long] * n.startswith("tau_gap_a")) for n in NAMES])
def test_random_permutations_agree_with_all_of_them(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    truth, candidate = scores(name, 6, seed=3)
    exact = cc.permutation_test(truth, candidate, coefficient=name)
    monkeypatch.setattr("concordant.agreement.correlation._ENUMERATED", 5)
    drawn = cc.permutation_test(truth, candidate, coefficient=name, n_resamples=700, rng=5)
    assert not drawn.exact
    assert drawn.pvalue == pytest.approx(exact.pvalue, abs=9 * math.sqrt(0.25 / 700))  # twice a share
    assert drawn.standard_error == pytest.approx(math.sqrt(drawn.pvalue * (1 - drawn.pvalue) / 700))


@pytest.mark.parametrize(("name", "null"), [(name, partial(cc.null_distribution, name)) for name in ("tau", "tau_ap")])
def test_without_ties_it_is_the_exact_null_distribution(name: str, null: Any) -> None:
    rng = np.random.default_rng(2)
    truth, candidate = rng.random((2, 7))
    test = cc.permutation_test(truth, candidate, coefficient=name)
    assert test.pvalue == pytest.approx(null(7).pvalue(test.value), rel=1e-9)
    truth = rng.random(30)
    candidate = truth + rng.normal(0, 0.6, 30)
    test = cc.permutation_test(truth, candidate, coefficient=name, rng=1)
    assert test.pvalue == pytest.approx(null(30).pvalue(test.value), abs=5 * test.standard_error + 2e-4)


def test_it_is_scipys() -> None:
    def statistic(y: Any) -> Any:
        return stats.spearmanr(TRUTH, y).statistic

    theirs = stats.permutation_test((CANDIDATE,), statistic, permutation_type="pairings", n_resamples=10_000)
    assert cc.permutation_test(TRUTH, CANDIDATE, coefficient="spearman").pvalue == pytest.approx(
        theirs.pvalue, rel=1e-12
    )


def test_the_level_is_kept() -> None:
    rng = np.random.default_rng(8)
    truth = np.sort(rng.integers(0, 8, 15))
    rejected = 0
    for _ in range(300):
        test = cc.permutation_test(truth, rng.integers(0, 6, 15), coefficient="tau_ap_b", n_resamples=199, rng=rng)
        rejected += test.pvalue <= 0.05
    assert rejected <= 0.05 * 300 + 4 * math.sqrt(300 * 0.05 * 0.95)
    assert rejected >= 1


@pytest.mark.parametrize("name", ["tau_b", "tau_gap_a", "rbo", "pearson_rank"])
def test_the_same_seed_gives_the_same_bits_at_any_number_of_workers(name: str) -> None:
    truth, candidate = scores(name, 12)
    tests = [cc.permutation_test(truth, candidate, coefficient=name, n_resamples=300, rng=4, workers=w) for w in (1, 2)]
    assert (tests[0].null == tests[1].null).all()
    assert tests[0].to_dict() == tests[1].to_dict()


def test_collections_are_matched_by_name() -> None:
    names = [f"s{k}" for k in range(6)]
    expected = cc.permutation_test(TRUTH, CANDIDATE)
    one, other = dict(zip(names, TRUTH, strict=True)), dict(zip(names[::-1], CANDIDATE[::-1], strict=True))
    assert cc.permutation_test(one, other) == expected
    assert cc.permutation_test(cc.Means(TRUTH, names), pd.Series(other)) == expected
    people, hasty = cc.load_collection("people"), cc.load_collection("hasty")
    means = cc.permutation_test(people.means(), hasty.means(), n_resamples=99, rng=1)
    assert cc.permutation_test(people, hasty, n_resamples=99, rng=1) == means
    with pytest.warns(cc.errors.AlignmentWarning, match="1 system of truth left out"):
        left_out = cc.permutation_test({**one, "more": 1.0}, other)
    assert (left_out.pvalue, len(left_out.notes)) == (expected.pvalue, 1)


def test_an_undefined_value_has_no_p_value() -> None:
    with pytest.warns(cc.errors.UndefinedCorrelationWarning):
        test = cc.permutation_test(TRUTH, [1] * 6, coefficient="tau_b")
    assert math.isnan(test.pvalue)
    assert test.n_undefined == 720
    assert json.loads(json.dumps(test.to_dict(), allow_nan=False))["pvalue"] is None
    assert "undefined" in str(test)


def test_progress_and_no_p_value_of_zero() -> None:
    calls: list[tuple[int, int]] = []
    ranks = np.arange(40)
    test = cc.permutation_test(
        ranks, ranks, coefficient="tau", n_resamples=5_000, rng=1, progress=lambda *c: calls.append(c)
    )
    assert calls[-1] == (5_000, 5_000)
    assert len(calls) > 1
    assert test.pvalue == pytest.approx(2 / 5_001)


def test_how_it_shows_itself() -> None:
    test = cc.permutation_test(TRUTH, CANDIDATE, coefficient="tau_b")
    assert str(test).startswith("tau_b = ")
    assert "exact" in str(test)
    assert 0 < test.pvalue < 1
    json.dumps(test.to_dict(), allow_nan=False)
    assert test.to_frame().loc[0, "pvalue"] == test.pvalue


def test_what_is_refused() -> None:
    with pytest.raises(cc.errors.InputError, match="no coefficient 'tau_z'"):
        cc.permutation_test(TRUTH, CANDIDATE, coefficient="tau_z")
    with pytest.raises(cc.errors.InputError, match="one score per system"):
        cc.permutation_test(TRUTH, [CANDIDATE, CANDIDATE])
    with pytest.raises(cc.errors.TiesError):
        cc.permutation_test(TRUTH, CANDIDATE, coefficient="tau")
    with pytest.raises(cc.errors.InputError, match="n_resamples"):
        cc.permutation_test(TRUTH, CANDIDATE, n_resamples=0)
    with pytest.raises(cc.errors.InputError, match="workers"):
        cc.permutation_test(TRUTH, CANDIDATE, workers=0)
    with pytest.raises(cc.errors.InputError):
        cc.permutation_test(TRUTH, [1, 2, math.nan, 4, 5, 6])
