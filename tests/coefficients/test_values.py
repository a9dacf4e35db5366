"""Known values: the spec's examples, the authors' own software, scipy."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import concordant as cc

from .. import literal

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "coefficients_ircor.json").read_text())
AUTHORS = ("tau", "tau_a", "tau_b", "tau_ap", "tau_ap_a", "tau_ap_b")

pytestmark = pytest.mark.usefixtures("kernels")


def scores(order: list[int]) -> list[int]:
    """Scores of items 1..m that give this order, best first."""
    return [-order.index(item) for item in range(1, len(order) + 1)]


def ranks(*values: float) -> list[float]:
    return [-v for v in values]


@pytest.mark.parametrize(
    ("order", "tau", "tau_ap"),
    [([4, 3, 1, 2, 5, 6, 7, 8], 0.642857, 0.238095), ([1, 2, 3, 4, 8, 7, 5, 6], 0.642857, 0.765986)],
)
def test_yilmaz2008_example(order: list[int], tau: float, tau_ap: float) -> None:
    truth = scores(list(range(1, 9)))
    assert cc.tau(truth, scores(order)) == pytest.approx(tau, abs=5e-7)
    assert cc.tau_ap(truth, scores(order)) == pytest.approx(tau_ap, abs=5e-7)


X, Y = ranks(1, 2, 3, 4, 5, 6), ranks(2, 3, 1, 4, 6, 5)
TIED_Y, TIED_X = ranks(2, 4, 1, 4, 6, 4), ranks(1, 2, 3.5, 3.5, 5, 6)


@pytest.mark.parametrize(
    ("name", "truth", "candidate", "value"),
    [
        ("tau", X, Y, 0.6),
        ("tau_ap", X, Y, 0.32),
        ("tau_a", X, TIED_Y, 0.4),
        ("tau_ap_a", X, TIED_Y, 0.208889),
        ("tau_b", TIED_X, TIED_Y, 0.385758),
        ("tau_ap_ties", TIED_X, TIED_Y, 0.12),
        ("tau_ap_ties", TIED_Y, TIED_X, 0.16),
        ("tau_ap_b", TIED_X, TIED_Y, 0.14),
    ],
)
def test_urbano2017_examples(name: str, truth: list[float], candidate: list[float], value: float) -> None:
    assert cc.get_coefficient(name).function(truth, candidate) == pytest.approx(value, abs=5e-7)


@pytest.mark.parametrize("name", AUTHORS)
def test_all_cases_of_ircor(name: str) -> None:
    checked = 0
    for case in GOLDEN:
        if case[name] is None:
            continue
        assert cc.get_coefficient(name).function(case["truth"], case["observed"]) == pytest.approx(
            case[name], abs=1e-12
        )
        checked += 1
    assert checked > 10


@pytest.mark.parametrize("name", ["tau", "tau_ap", "tau_a", "tau_ap_a"])
def test_ircor_and_concordant_refuse_the_same_cases(name: str) -> None:
    for case in GOLDEN:
        if case[name] is None:
            with pytest.raises(cc.errors.TiesError):
                cc.get_coefficient(name).function(case["truth"], case["observed"])


def test_the_golden_file_is_whole() -> None:
    assert len(GOLDEN) == 72


@pytest.mark.long
@pytest.mark.parametrize(
    ("draw_truth", "draw_candidate", "median"),
    [("zipf", "zipf", 0.962), ("zipf", "normal", 0.945), ("zipf", "uniform", 0.915)],
)
def test_pearson_rank_medians_of_gao2016(draw_truth: str, draw_candidate: str, median: float) -> None:
    rng = np.random.default_rng(20161)
    n = 4_000

    def draw(kind: str) -> Any:
        size = (n, 50)
        values = (
            rng.zipf(2.0, size) if kind == "zipf" else rng.normal(size=size) if kind == "normal" else rng.random(size)
        )
        return np.sort(values, axis=1)[:, ::-1]

    value = np.median(cc.pearson_rank(draw(draw_truth), draw(draw_candidate)))
    assert value == pytest.approx(median, abs=0.006)


def tied_vectors(rng: np.random.Generator, m: int) -> tuple[Any, Any]:
    truth = rng.integers(0, max(2, m // 2), m) / 7
    candidate = truth + rng.integers(-2, 3, m) / 7
    return truth, candidate


@pytest.mark.parametrize("m", [2, 3, 10, 100, 400, 3000])
def test_equal_to_scipy(m: int) -> None:
    rng = np.random.default_rng(m)
    for _ in range(20):
        truth, candidate = tied_vectors(rng, m)
        if len(set(truth)) == 1 or len(set(candidate)) == 1:
            continue
        for name, reference in (
            ("tau_b", stats.kendalltau),
            ("weighted_tau", stats.weightedtau),
            ("spearman", stats.spearmanr),
            ("pearson", stats.pearsonr),
        ):
            expected = reference(truth, candidate).statistic
            assert cc.get_coefficient(name).function(truth, candidate) == pytest.approx(expected, abs=1e-12)


UNDEFINED_IF_TIED = ["tau_b", "tau_ap_ties", "tau_ap_b", "spearman", "pearson", "weighted_tau", "pearson_rank"]


@pytest.mark.parametrize("name", UNDEFINED_IF_TIED)
@pytest.mark.parametrize(("truth", "candidate"), [([1, 2, 3], [5, 5, 5]), ([5, 5, 5], [1, 2, 3]), ([5, 5], [1, 1])])
def test_undefined_when_a_side_is_all_tied(name: str, truth: list[float], candidate: list[float]) -> None:
    with pytest.warns(cc.errors.UndefinedCorrelationWarning, match="tied"):
        assert math.isnan(cc.get_coefficient(name).function(truth, candidate))


@pytest.mark.parametrize("name", UNDEFINED_IF_TIED)
def test_undefined_values_warn_the_caller(name: str) -> None:
    with pytest.warns(cc.errors.UndefinedCorrelationWarning) as caught:
        cc.get_coefficient(name).function([1, 2, 3], [5, 5, 5])
    assert [w.filename for w in caught] == [__file__]


def test_undefined_values_of_the_score_based() -> None:
    with pytest.warns(cc.errors.UndefinedCorrelationWarning):
        assert math.isnan(cc.pearson_rank([1, 2], [1, 2]))
    with pytest.warns(cc.errors.UndefinedCorrelationWarning):
        assert math.isnan(cc.pearson_rank([3, 1, 1, 1], [4, 3, 2, 1]))
    for name in ("tau_gap", "tau_gap_a"):
        with pytest.warns(
            cc.errors.UndefinedCorrelationWarning, match="undefined, so nan: all systems are tied in truth$"
        ):
            assert math.isnan(cc.get_coefficient(name).function([1, 1, 1], [1, 2, 3]))


@pytest.mark.parametrize(
    ("truth", "candidate", "value"),
    [
        ([0.9, 0.1, 0.3 - 0.2, 0.0, 0.05], [0.9, 0.1, 0.8, 0.3, 0.2], 0.613336016536722),
        ([0.9, 0.1, 0.3 - 0.2, 0.0, 0.05], [0.5, 0.9, 0.1, 0.3, 0.2], -0.1341119378239697),
        ([10, 1 + 2**-52, 1, 0], [0, 1, 3, 2], -0.9160251471689219),
        ([1e17, 3, 2, 1], [4, 3, 2, 1], 0.9648090636666387),
        ([5e-324, 1e-323, 2e-323], [1, 2, 3], 1.0),
    ],
)
def test_pearson_rank_of_scores_that_rounding_would_merge(truth: Any, candidate: Any, value: float) -> None:
    assert literal.pearson_rank(truth, candidate) == pytest.approx(value, abs=1e-12)
    assert cc.pearson_rank(truth, candidate) == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize(
    "truth",
    [
        [0, -1e-80, -3e-80, -1],
        [0, -1e-200, -3e-200, -1e200],
        [4, 3, 2, 1],
        [1e308, 9, 8, 0],
        [1.5e308, -1.5e308, -1.6e308, -1.7e308],
    ],
)
@pytest.mark.parametrize(
    "candidate",
    [
        [2, 3, 1, 0],
        [0, 1e-90, 3e-90, 1],
        [0, 0, 2e-300, -1e200],
        [0, 5e-324, 1e-323, 1],
        [-1e308, 0, 2, 1e308],
        [-1.5e308, 1.5e308, 2, 1],
    ],
)
def test_pearson_rank_of_gaps_whose_squares_vanish(truth: list[float], candidate: list[float]) -> None:
    expected = literal.pearson_rank(truth, candidate)
    assert cc.pearson_rank(truth, candidate) == pytest.approx(expected, abs=1e-12)
    rows = np.array([[1, 2, 3, 4], candidate, [1, 1, 1, 0]])
    batch = np.asarray(cc.pearson_rank(truth, rows))
    assert batch[1] == cc.pearson_rank(truth, candidate)


def test_pearson_rank_of_scores_of_all_sizes() -> None:
    rng = np.random.default_rng(8)
    for shape in (0.5, 0.2, 0.1, 0.02):
        truth, candidate = rng.pareto(shape, (2, 30))
        expected = literal.pearson_rank(truth.tolist(), candidate.tolist())
        assert cc.pearson_rank(truth, candidate) == pytest.approx(expected, abs=1e-12)


def test_pearson_rank_where_the_best_are_tied_in_candidate() -> None:
    truth = np.arange(200_000.0)[::-1]
    candidate = np.where(truth >= 100_000, 1.0, 0.0)  # a sum over all items above each would take minutes
    few = cc.pearson_rank(truth[::1000], candidate[::1000])
    assert cc.pearson_rank(truth, candidate) == pytest.approx(few, abs=0.01)


def test_pearson_of_scores_that_hardly_differ() -> None:
    assert cc.pearson([0.1, 0.1, 0.1 + 2e-17], [1, 2, 3]) == pytest.approx(math.sqrt(0.75), abs=1e-12)
    step = 2.0**-26
    exact = [1e8, 1e8 + step, 1e8 + 3 * step]
    assert cc.pearson(exact, [1, 2, 3]) == pytest.approx(stats.pearsonr([0, 1, 3], [1, 2, 3])[0], abs=1e-12)
    assert cc.pearson([1.7e308, -1.7e308, 0], [1, 2, 3]) == pytest.approx(-0.5, abs=1e-12)


@pytest.mark.parametrize("outlier", [1e6, 1e10, 1e16, 1e25, 1e300])
@pytest.mark.parametrize("m", [100, 300])
def test_tau_gap_with_an_outlier(outlier: float, m: int) -> None:
    truth, candidate = np.random.default_rng(1).random((2, m))
    truth[0], candidate[0] = outlier, -1  # last in candidate: it is above nothing, so only its own place is about it
    expected = literal.tau_gap(truth.tolist(), candidate.tolist())
    assert cc.tau_gap(truth, candidate) == pytest.approx(expected, abs=1e-12)
    assert cc.tau_gap([1e300, 1e-310, 0], [0, 2, 1]) == 0


def test_a_batch_says_how_many_are_undefined() -> None:
    with pytest.warns(cc.errors.UndefinedCorrelationWarning, match="2 of 3"):
        values = cc.tau_b([1, 2, 3], [[1, 1, 1], [1, 2, 3], [4, 4, 4]])
    np.testing.assert_array_equal(values, [math.nan, 1, math.nan])


def test_all_tied_in_candidate() -> None:
    assert cc.tau_a([1, 2, 3, 4], [1, 1, 1, 1]) == 0
    assert cc.tau_ap_a([1, 2, 3, 4], [1, 1, 1, 1]) == 0
    assert cc.get_coefficient("tau_strict")([1, 2, 3, 4], [1, 1, 1, 1]) == -1
    assert cc.get_coefficient("tau_strict")([2, 2, 2], [1, 1, 1]) == 1
    assert cc.pairwise_accuracy([1, 2, 3, 4], [1, 1, 1, 1]) == 0
    assert cc.pairwise_accuracy([2, 2, 2], [1, 1, 1]) == 1
    assert cc.get_coefficient("tau_ap_strict")([1, 2, 3, 4], [1, 1, 1, 1]) == -1
    assert cc.get_coefficient("tau_ap_strict")([2, 2, 2], [1, 1, 1]) == 1
