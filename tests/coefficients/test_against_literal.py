"""Every coefficient against its definition written down literally, on both kernels, at sizes around their switches."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import example, given

import concordant as cc
from concordant import _kernels
from concordant._kernels.reference import BACK, MEAN, PAIRS, STRICT
from concordant.coefficients.registry import Coefficient

from .. import literal
from ..conftest import KERNELS
from ..examples import share

LITERAL: dict[str, Callable[..., float]] = {
    "tau_a": literal.tau_a,
    "tau_b": literal.tau_b,
    "tau_strict": literal.tau_strict,
    "pairwise_accuracy": literal.pairwise_accuracy,
    "tau_ap": literal.tau_ap,
    "tau_ap_a": literal.tau_ap_a,
    "tau_ap_ties": literal.tau_ap_ties,
    "tau_ap_strict": literal.tau_ap_strict,
    "tau_gap": literal.tau_gap,
    "pearson_rank": literal.pearson_rank,
    "spearman": literal.spearman,
    "weighted_tau": literal.weighted_tau,
    "rbo": literal.rbo,
}
SYMMETRIC: dict[str, Callable[..., float]] = {
    "tau_ap_symmetric": literal.tau_ap,
    "tau_ap_b": literal.tau_ap_ties,
    "pearson_rank_symmetric": literal.pearson_rank,
}


def value(name: str, truth: Any, candidate: Any, **options: Any) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cc.errors.UndefinedCorrelationWarning)
        return float(cc.get_coefficient(name).function(truth, candidate, **options))


def make(rng: np.random.Generator, m: int, *, ties_truth: bool, ties_candidate: bool) -> tuple[Any, Any]:
    truth: Any = rng.integers(0, max(2, m // 2), m) / 8 if ties_truth else rng.permutation(m) + rng.random(m) / 2
    candidate: Any = (
        rng.integers(0, max(2, m // 2), m) / 8 if ties_candidate else rng.permutation(m) + truth * rng.random()
    )
    if not ties_candidate:
        candidate = np.argsort(np.argsort(candidate)) * 1.5
    return truth.astype(float), candidate.astype(float)


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize("m", [2, 3, 4, 5, 7, 8, 12, 31, 32, 33, pytest.param(60, marks=pytest.mark.long)])
def test_equal_to_the_definition(m: int) -> None:
    rng = np.random.default_rng(m)
    for k in range(8):
        for name in {**LITERAL, **SYMMETRIC}:
            admits = cc.get_coefficient(name).ties
            truth, candidate = make(
                rng, m, ties_truth=k % 2 == 1 and "truth" in admits, ties_candidate=k % 4 > 1 and "candidate" in admits
            )
            if name in LITERAL:
                expected = LITERAL[name](truth.tolist(), candidate.tolist())
            else:
                one_way = SYMMETRIC[name]
                expected = (
                    one_way(truth.tolist(), candidate.tolist()) / 2 + one_way(candidate.tolist(), truth.tolist()) / 2
                )
            assert value(name, truth, candidate) == pytest.approx(expected, abs=1e-12, nan_ok=True), (name, k)


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize("ties", ["a", "b", "w"])
@pytest.mark.parametrize("p", [0.5, 0.98])
def test_rbo_equal_to_the_definition(ties: str, p: float) -> None:
    rng = np.random.default_rng(5)
    for m in (2, 3, 8, 24):
        for k in range(4):
            truth, candidate = make(rng, m, ties_truth=k % 2 == 1, ties_candidate=k > 1)
            expected = literal.rbo(truth.tolist(), candidate.tolist(), p, ties)
            assert value("rbo", truth, candidate, p=p, ties=ties) == pytest.approx(expected, abs=1e-12)


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize("m", [383, 384, 385, 1500])
def test_spearman_and_weighted_tau_of_long_rankings_are_those_of_scipy(m: int) -> None:
    from scipy import stats

    rng = np.random.default_rng(m)
    for k in range(4):
        truth, candidate = make(rng, m, ties_truth=k % 2 == 1, ties_candidate=k > 1)
        assert value("spearman", truth, candidate) == pytest.approx(
            stats.spearmanr(truth, candidate).statistic, abs=1e-12
        )
        expected = stats.weightedtau(truth, candidate).statistic
        assert value("weighted_tau", truth, candidate) == pytest.approx(expected, abs=1e-12)


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize("name", ["spearman", "weighted_tau", "rbo"])
def test_batches_and_threads_give_the_same_bits(name: str) -> None:
    rng = np.random.default_rng(3)
    truth, candidate = np.round(rng.random((2, 40)) * 20), np.round(rng.random((5, 1, 40)) * 20)
    function = cc.get_coefficient(name).function
    found = function(truth, candidate)
    assert found.shape == (5, 2)
    each = [[value(name, one, other[0]) for one in truth] for other in candidate]
    np.testing.assert_allclose(found, each, rtol=0, atol=1e-15)
    if name != "rbo":
        np.testing.assert_array_equal(found, function(truth, candidate, workers=3))


@pytest.mark.usefixtures("kernels")
@pytest.mark.filterwarnings("ignore::concordant.errors.UndefinedCorrelationWarning")
@pytest.mark.parametrize(
    "coefficient", [c for c in cc.list_coefficients() if "candidate" in c.ties], ids=lambda c: c.name
)
def test_a_row_without_differences_says_nothing_of_the_others(coefficient: Coefficient) -> None:
    truth = np.array([5.0, 4.0, 3.0, 2.0, 1.0])
    rows = np.array([[2.0, 2, 2, 2, 2], [1, 2, 3, 4, 5], [9, 8, 7, 5, 6]])
    alone = [coefficient.function(truth, row) for row in rows]
    # Pearson's r is a product, whose last bits the linear algebra library decides: one rounding per system.
    slack = len(truth) * np.finfo(np.float64).eps if coefficient.name == "pearson" else 0.0
    np.testing.assert_allclose(coefficient.function(truth, rows), alone, rtol=slack, atol=0)


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize("name", ["tau_b", "tau_strict", "pairwise_accuracy", "tau_ap_ties", "tau_ap_strict"])
@pytest.mark.parametrize("tolerance", [0.01, 0.125, 0.3, 0.99, 5.0])
def test_tolerance_equal_to_the_definition(name: str, tolerance: float) -> None:
    rng = np.random.default_rng(7)
    for m in (2, 3, 5, 9, 40):
        for ties in (False, True):
            truth, candidate = rng.random((2, m))
            if ties:
                truth, candidate = np.round(truth * 8) / 8, np.round(candidate * 8) / 8
            expected = LITERAL[name](truth.tolist(), candidate.tolist(), tolerance)
            assert value(name, truth, candidate, tolerance=tolerance) == pytest.approx(expected, abs=1e-12, nan_ok=True)
    both_ways = (
        literal.tau_ap_ties(truth.tolist(), candidate.tolist(), tolerance)
        + literal.tau_ap_ties(candidate.tolist(), truth.tolist(), tolerance)
    ) / 2
    assert value("tau_ap_b", truth, candidate, tolerance=tolerance) == pytest.approx(both_ways, abs=1e-12, nan_ok=True)


FEW = st.integers(2, 7).flatmap(
    lambda m: st.tuples(st.permutations(range(m)), st.lists(st.integers(0, 3), min_size=m, max_size=m))
)


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize(
    ("name", "untied"), [("tau_a", literal.tau_a), ("tau_ap_a", literal.tau_ap), ("tau_gap_a", literal.tau_gap)]
)
@pytest.mark.parametrize("bounded", [False, True])
def test_the_mean_and_the_bounds_over_all_orders_of_ties(name: str, untied: Any, bounded: bool) -> None:
    @given(FEW)
    @share(0.7)
    def check(case: tuple[list[int], list[int]]) -> None:
        truth, candidate = [float(v) ** 1.5 for v in case[0]], [float(v) for v in case[1]]
        values = literal.over_tie_orders(untied, truth, candidate)
        mean = math.fsum(values) / len(values)
        if not bounded:
            assert value(name, truth, candidate) == pytest.approx(mean, abs=1e-9)
            return
        bounds = cc.tie_bounds(truth, candidate, coefficient=name.removesuffix("_a"))
        assert bounds.minimum == pytest.approx(min(values), abs=1e-12)
        assert bounds.expected == pytest.approx(mean, abs=1e-9)
        assert bounds.maximum == pytest.approx(max(values), abs=1e-12)

    check()


NUMBERS = st.one_of(
    st.integers(-3, 3).map(float),
    st.floats(-1, 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([0.0, -0.0, 5e-324, -5e-324, 1e-300, 1e-200, 1.7e308, -1.7e308, 1 + 2**-52, 1.0]),
)
RANKINGS = st.integers(2, 40).flatmap(
    lambda m: st.tuples(st.lists(NUMBERS, min_size=m, max_size=m), st.lists(NUMBERS, min_size=m, max_size=m))
)


@pytest.mark.skipif("native" not in KERNELS, reason="NOT BUILT: the native module, so it is not compared")
@given(RANKINGS, st.sampled_from([0.0, 1e-300, 0.5, 3.0]))
@example(([0.0, -0.0, 1.0], [1.0, 1.0 + 2**-52, 0.0]), 0.0)
def test_native_counts_equal_numpy_counts_on_any_numbers(
    case: tuple[list[float], list[float]], tolerance: float
) -> None:
    truth, candidate = np.array(case)
    native = KERNELS["native"]
    ours = native.concordance_pair(truth, candidate, tolerance, BACK | STRICT | (MEAN if not tolerance else 0))
    theirs = KERNELS["numpy"].concordance_pair(
        truth, candidate, tolerance, BACK | STRICT | (MEAN if not tolerance else 0)
    )
    np.testing.assert_allclose(ours, theirs, rtol=1e-13, atol=0)
    pairs = slice(0, 5)
    assert native.concordance_pair(truth, candidate, tolerance, PAIRS)[pairs] == theirs[pairs]


@pytest.mark.skipif("native" not in KERNELS, reason="NOT BUILT: the native module, so it is not compared")
@pytest.mark.parametrize("m", [2, 3, 15, 16, 17, 31, 32, 33, 60, 64, 127, 128, 129])
@pytest.mark.parametrize("kind", ["untied", "nearly tied", "ties in candidate", "ties in truth", "ties in both"])
def test_pairs_are_counted_alike_where_16_bits_tell_scores_apart_and_where_not(m: int, kind: str) -> None:
    rng = np.random.default_rng(m)
    truth, candidate = rng.random((2, 20, m))
    if kind == "nearly tied":  # neighbours that differ by less than a 65534th of the range
        candidate = np.sort(candidate, axis=1)
        candidate[:, 1] = candidate[:, 0] + 1e-9
        candidate = rng.permuted(candidate, axis=1)
    if kind in ("ties in candidate", "ties in both"):
        candidate = np.round(candidate, 1)
    if kind in ("ties in truth", "ties in both"):
        truth = np.round(truth, 1)
    for x, y in zip(truth, candidate, strict=True):
        dx, dy = (np.sign(z[:, None] - z)[np.triu_indices(m, 1)] for z in (x, y))
        counts = (dx * dy > 0, dx * dy < 0, dx == 0, dy == 0, (dx == 0) & (dy == 0))
        expected = tuple(float(of.sum()) for of in counts)
        for extra in (PAIRS, 0):
            for kernels in KERNELS.values():
                assert kernels.concordance_pair(x, y, 0.0, extra)[:5] == expected


@pytest.mark.skipif("native" not in KERNELS, reason="NOT BUILT: the native module, so it is not compared")
@pytest.mark.parametrize("m", [255, 256, 257, 383, 384, 385, 1000, 4095, 4097, 20_000])
@pytest.mark.parametrize(
    "kind", ["untied", "ties in candidate", "ties in truth", "ties in both", "few values", "sorted"]
)
def test_native_equals_numpy_at_every_size(m: int, kind: str) -> None:
    rng = np.random.default_rng(m)
    truth = rng.random(m)
    candidate = truth + rng.normal(size=m) * 0.2
    if kind == "sorted":
        candidate = truth = np.sort(truth)
    if kind in ("ties in candidate", "ties in both"):
        candidate = np.round(candidate, 2)
    if kind in ("ties in truth", "ties in both"):
        truth = np.round(truth, 2)
    if kind == "few values":
        truth, candidate = np.round(truth * 2), np.round(candidate * 2)
    native = KERNELS["native"]
    extra = MEAN | STRICT | BACK
    np.testing.assert_allclose(
        native.concordance_pair(truth, candidate, 0.0, extra),
        KERNELS["numpy"].concordance_pair(truth, candidate, 0.0, extra),
        rtol=1e-12,
    )
    np.testing.assert_allclose(
        native.cosines_pair(truth, candidate), KERNELS["numpy"].cosines_pair(truth, candidate), rtol=1e-11
    )
    if kind in ("untied", "ties in truth", "sorted"):
        np.testing.assert_allclose(
            native.gaps_pair(truth, candidate), KERNELS["numpy"].gaps_pair(truth, candidate), rtol=1e-12
        )
    if m <= 4097:
        np.testing.assert_allclose(
            native.concordance_pair(truth, candidate, 0.03, STRICT | BACK),
            KERNELS["numpy"].concordance_pair(truth, candidate, 0.03, STRICT | BACK),
            rtol=1e-12,
        )


def test_scores_that_agree_in_their_leading_digits() -> None:
    """The radix sort looks at 33 bits first, the small kernel at 32: what differs only below must be told apart."""
    rng = np.random.default_rng(5)
    for m in (100, 2000):
        truth = rng.permutation(m) * 2.0**-50 + 1
        candidate = rng.permutation(m) * 2.0**-50 + 1
        expected = cc.tau_ap(np.argsort(np.argsort(truth)), np.argsort(np.argsort(candidate)))
        assert cc.tau_ap(truth, candidate) == expected
        mixed = np.where(rng.random(m) < 0.5, candidate, candidate * 1e6)
        assert cc.tau_ap(truth, mixed) == cc.tau_ap(truth, np.argsort(np.argsort(mixed)))


ODD: dict[str, Any] = {
    "one far off": lambda u: np.where(np.arange(len(u)) == 3, 1e300, u),
    "of all magnitudes": lambda u: 10 ** (600 * u - 300),
    "beyond what a difference holds": lambda u: (2 * u - 1) * 1.7e308,
    "ties, and nearly": lambda u: np.round(u, 1) + np.round(u % 0.01 * 200) * 1e-13,
    "neighbouring numbers": lambda u: 1 + np.round(u * 300) * 2.0**-52,
    "subnormal": lambda u: np.round(u * 400) * 5e-324,
    "zeros of both signs": lambda u: np.where(u < 0.4, 0.0, np.where(u < 0.8, -0.0, u)),
    "all equal": np.zeros_like,
}


@pytest.mark.parametrize("kind", ODD)
def test_long_rankings_of_odd_scores_are_counted_pair_by_pair(kind: str, kernels: Any) -> None:
    m = 700
    truth, candidate = np.random.default_rng(6).random((2, m))
    odd = ODD[kind](candidate)
    for x, y in ((truth, odd), (odd, truth), (odd, ODD[kind](0.7 * candidate + 0.3 * truth))):
        i, j = np.triu_indices(m, 1)
        dx, dy = (np.where(z[i] > z[j], 1, np.where(z[i] < z[j], -1, 0)) for z in (x, y))
        counts = (dx * dy > 0, dx * dy < 0, dx == 0, dy == 0, (dx == 0) & (dy == 0))
        assert kernels.concordance_pair(x, y, 0.0, 0)[:5] == tuple(float(of.sum()) for of in counts)


@pytest.mark.skipif("native" not in KERNELS, reason="NOT BUILT: the native module, whose ways these sizes take")
@pytest.mark.parametrize("m", [65_535, 65_537, 2**18 + 1])
def test_only_the_order_of_scores_counts_at_every_number_of_passes(m: int) -> None:
    rng = np.random.default_rng(m)
    truth = np.exp(rng.normal(size=m) * 5)
    candidate = truth * np.exp(rng.normal(size=m))
    ranks = [np.argsort(np.argsort(z)) for z in (truth, candidate)]
    assert cc.tau_ap(truth, candidate) == cc.tau_ap(*ranks)
    assert cc.tau_ap_b(truth, np.round(candidate, 1)) == cc.tau_ap_b(
        ranks[0], np.unique(np.round(candidate, 1), return_inverse=True)[1]
    )


def test_active_kernels_are_native_where_built() -> None:
    assert cc.has_native == ("native" in KERNELS)
    assert _kernels.active is KERNELS["native" if cc.has_native else "numpy"]
