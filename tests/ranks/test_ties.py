"""Systems that are tied in a ranking claim no order: the distance, its tests, and all that is built on them."""

from __future__ import annotations

import itertools
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import piqp
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import concordant as cc
from concordant import _kernels
from concordant._kernels.reference import distance
from concordant.data.means import mean_over_topics
from concordant.ranks.distance import Problem, RankTestMethod
from tests.literal import orders_of_ties
from tests.places import read_matrix

from ..conftest import KERNELS
from .collections import FloatArray, fuzzed, literal_distance, literal_tied_distance

SEEDS = st.integers(0, 2**32 - 1)
X = np.array(
    [
        [0.6, 0.3, 0.3, 0.9],
        [0.6, 0.7, 0.5, 0.1],
        [0.3, 0.6, 0.9, 0.0],
        [0.0, 0.0, 0.5, 0.0],
        [0.7, 0.6, 0.4, 0.7],
        [0.7, 0.7, 0.2, 0.2],
    ]
)
Y = np.array([1.0, 1.0, 0.0, 2.0])  # tied in the first two, whose means in X are tied as well


@pytest.fixture(autouse=True)
def _quiet() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cc.errors.RegularisationWarning)
        yield


def drawn(rng: np.random.Generator, most: int = 12) -> tuple[FloatArray, FloatArray]:
    """A collection and a ranking of 3 systems or more, with ties in both, and systems that are tied on both sides."""
    m, n = int(rng.integers(3, most + 1)), int(rng.integers(2, 30))
    truth = rng.integers(0, 5, (n, m)) / 4 if rng.random() < 0.5 else rng.random((n, m)).round(1)
    copied, other = rng.choice(m, 2, replace=False)
    truth[:, copied] = rng.permutation(truth[:, other])  # the same mean, not the same system
    candidate = rng.integers(0, int(rng.integers(1, m)), m).astype(np.float64)
    candidate[copied] = candidate[other]
    return truth, candidate


@pytest.mark.usefixtures("kernels")
def test_the_order_of_columns_no_longer_decides() -> None:
    found = [cc.rank_distance(X[:, order], Y[order]) for order in map(list, itertools.permutations(range(4)))]
    assert found == pytest.approx([1.3542381531337815] * 24, rel=1e-12)


@pytest.mark.usefixtures("kernels")
def test_a_real_collection_with_many_ties(data: Path) -> None:
    scores = cc.as_scores(data / "covid1" / "P_5.csv")
    assert isinstance(scores, cc.Scores)
    first = scores.select(topics=scores.topics[:15])
    assert cc.rank_distance(scores, first.means()) == pytest.approx(4.53503650609, rel=1e-9)  # in favour of X: 4.829


@pytest.mark.parametrize("cases", [range(500), pytest.param(range(500, 10_000), marks=pytest.mark.long)])
def test_no_order_of_systems_changes_it(cases: range) -> None:
    for seed in cases:
        rng = np.random.default_rng(seed)
        truth, candidate = drawn(rng)
        order = rng.permutation(len(candidate))
        found = cc.rank_distance(truth[:, order], candidate[order])
        assert found == pytest.approx(cc.rank_distance(truth, candidate), rel=1e-9, abs=1e-12), seed


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize("seed", range(60))
def test_every_face_of_the_cone_in_exact_arithmetic(seed: int) -> None:
    truth, candidate = drawn(np.random.default_rng(seed), 5)
    expected = literal_tied_distance(truth, candidate)
    assert cc.rank_distance(truth, candidate) == pytest.approx(expected, rel=1e-9, abs=1e-12)


def pairs_of(candidate: FloatArray) -> list[tuple[int, int]]:
    """All claims of a ranking, between neighbouring groups or not."""
    m = len(candidate)
    return [(i, j) for i in range(m) for j in range(m) if candidate[i] > candidate[j]]


@pytest.mark.usefixtures("kernels")
def test_a_general_solver_of_quadratic_programs() -> None:
    """The means themselves, under all claims at once."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        m, n = int(rng.integers(3, 26)), int(rng.integers(30, 60))
        truth = rng.random((n, 1)) + rng.random((n, m)) @ rng.random((m, m)) + rng.normal(0, 0.2, m)
        candidate = rng.integers(0, int(rng.integers(2, m)), m).astype(np.float64)
        means, c = mean_over_topics(truth), np.cov(truth.T) + 1e-5 / 2 * np.eye(m)
        inverse, claims = np.linalg.inv(c), pairs_of(candidate)
        rows = np.zeros((len(claims), m))
        for row, (i, j) in zip(rows, claims, strict=True):
            row[[i, j]] = 1, -1
        solver = piqp.DenseSolver()
        solver.settings.eps_abs = solver.settings.eps_rel = 1e-12
        solver.settings.max_iter = 1_000
        solver.setup(np.asfortranarray(inverse), -inverse @ means, None, None, rows, np.zeros(len(rows)), None)
        solver.solve()
        moved = solver.result.x - means
        expected = np.sqrt(n * moved @ inverse @ moved)
        assert cc.rank_distance(truth, candidate) == pytest.approx(expected, rel=1e-6, abs=1e-5), seed


@given(SEEDS)
@settings(max_examples=60)
def test_it_is_the_least_distance_of_all_orders_of_tied_systems(seed: int) -> None:
    """The cone is the union of those of all orders; with a vanishing eps, which they add in different ways."""
    rng = np.random.default_rng(seed)
    m = int(rng.integers(3, 6))
    truth = rng.random((25, m)) + rng.normal(0, 0.2, m)
    candidate = rng.integers(0, m - 1, m).astype(np.float64)
    orders = np.array(list(orders_of_ties(candidate.tolist())))
    least = np.min(cc.rank_distance(truth, orders, eps=1e-12))
    assert cc.rank_distance(truth, candidate, eps=1e-12) == pytest.approx(least, rel=1e-6, abs=1e-9)


@pytest.mark.usefixtures("kernels")
@given(SEEDS)
def test_it_is_0_if_and_only_if_no_claim_is_contradicted(seed: int) -> None:
    truth, candidate = drawn(np.random.default_rng(seed))
    means = mean_over_topics(truth)
    contradicted = any(means[i] < means[j] for i, j in pairs_of(candidate))
    assert (cc.rank_distance(truth, candidate) > 0) == contradicted
    assert cc.rank_distance(truth, np.zeros(len(means))) == 0  # all tied
    assert cc.rank_distance(truth, means > np.median(means)) == 0


@pytest.mark.skipif("native" not in KERNELS, reason="the native module was not built")
@pytest.mark.parametrize("sizes", [(100, 100), (1, 109), (55, *[1] * 55), (30, 40, 40), (2,) * 55])
def test_large_groups(sizes: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """Two groups of 100 are 10,000 pairs, of which few are ever looked at; both kernels find the same."""
    rng, m = np.random.default_rng(len(sizes)), sum(sizes)
    truth = rng.random((50, m)) + rng.random((50, 1)) + rng.normal(0, 0.1, m)
    near = np.argsort(np.argsort(mean_over_topics(truth) + rng.normal(0, 0.1, m)))
    group = np.repeat(np.arange(len(sizes)), sizes)
    candidate = np.array([group[near], group[rng.permutation(m)], -group[near]], dtype=np.float64)
    native = np.asarray(cc.rank_distance(truth, candidate))
    assert np.array_equal(native, cc.rank_distance(truth, candidate, workers=2))
    monkeypatch.setattr(_kernels, "active", KERNELS["numpy"])
    some = candidate if m == 110 else candidate[:1]  # NumPy takes its time
    assert native[: len(some)] == pytest.approx(cc.rank_distance(truth, some), rel=1e-9)


def test_means_are_tied_by_one_rule_and_bare_numbers_as_they_are() -> None:
    rng = np.random.default_rng(3)
    truth = cc.Scores(rng.random((3, 3)) + np.array([0.3, 0.0, 0.3]), topics=range(3), systems=list("abc"))
    candidate = cc.Scores([[0.1, 0.3, 0.9], [0.2, 0.3, 0.9], [0.3, 0.0, 0.9]], topics=range(3), systems=list("abc"))
    assert sum([0.1, 0.2, 0.3]) != sum([0.3, 0.3, 0.0])  # equal on paper
    tied = cc.rank_distance(truth, [1.0, 1.0, 2.0])
    assert cc.rank_distance(truth, candidate) == tied
    above = np.nextafter(1.0, 2.0)
    apart = [cc.rank_distance(truth, [1.0, above, 2.0]), cc.rank_distance(truth, [above, 1.0, 2.0])]
    assert max(apart) > tied * (1 + 1e-6)


# What is built on the distance ----------------------------------------------------------------------


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize("seed", range(4))
def test_the_recentred_test_on_the_same_cone(seed: int) -> None:
    """Shifted to the nearest means in the cone; every resample is then measured against the same cone."""
    rng = np.random.default_rng(seed)
    truth, candidate = (rng.random((12, 4)) + np.array([0, 0.1, 0.3, 0.1])).round(2), np.array([2.0, 1, 1, 0])
    test = cc.rank_test(truth, candidate, n_resamples=25, rng=5)
    assert test.distance == pytest.approx(literal_tied_distance(truth, candidate), rel=1e-9)
    problem = Problem.of(truth, 1e-5, "it")
    found = problem.project(candidate)
    nearest = np.empty(4)
    nearest[found.order] = -np.append(0.0, np.cumsum(found.delta))
    assert all(nearest[i] >= nearest[j] - 1e-12 for i, j in pairs_of(candidate))
    c = problem.covariance + 1e-5 / 2 * np.eye(4)
    moved = nearest - problem.means
    moved -= moved @ np.linalg.solve(c, np.ones(4)) / np.linalg.solve(c, np.ones(4)).sum()  # the best constant
    assert np.sqrt(12 * moved @ np.linalg.solve(c, moved)) == pytest.approx(test.distance, rel=1e-9)
    shifted = (truth - problem.means + nearest).round(14)
    expected = [
        literal_tied_distance(shifted[topics], candidate)
        for topics in np.random.default_rng(5).integers(0, 12, (25, 12))
    ]
    assert test.distances == pytest.approx(np.array(expected), rel=1e-9, abs=1e-9)
    assert test.pvalue == (1 + np.sum(np.array(expected) >= test.distance * (1 - 1e-9))) / 26


@pytest.mark.usefixtures("kernels")
def test_the_papers_test_counts_tied_resamples_in_the_same_way() -> None:
    truth = np.random.default_rng(2).integers(0, 3, (9, 4)) / 4
    test = cc.rank_test(truth, [2, 1, 1, 0], method="paper", n_resamples=60, rng=5)
    resamples = [mean_over_topics(truth[topics]) for topics in np.random.default_rng(5).integers(0, 9, (60, 9))]
    tied = [len(set(means.tolist())) < 4 for means in resamples]
    assert 10 < sum(tied) < 60
    expected = [
        (literal_tied_distance if some else literal_distance)(truth, means)
        for means, some in zip(resamples, tied, strict=True)
    ]
    assert test.distances == pytest.approx(np.array(expected), rel=1e-7, abs=1e-7)


@pytest.mark.parametrize("method", ["recentred", "paper"])
def test_no_order_of_systems_changes_a_test(method: RankTestMethod) -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        truth, candidate = drawn(rng)
        order = rng.permutation(len(candidate))
        one = cc.rank_test(truth, candidate, method=method, n_resamples=50, rng=1)
        two = cc.rank_test(truth[:, order], candidate[order], method=method, n_resamples=50, rng=1)
        assert two.distances == pytest.approx(one.distances, rel=1e-8, abs=1e-8)
        assert two.pvalue == one.pvalue


# Where rounding is all that is left -----------------------------------------------------------------


def test_what_cannot_be_solved_is_given_up() -> None:
    groups = [np.array([0, 1]), np.array([2])]
    for c, x in (
        (np.array([[1.0, 2, 0], [2, 1, 0], [0, 0, 1]]), np.array([0.0, 1.0, 2.0])),  # not positive definite
        (np.eye(3), np.array([0.0, np.nan, 2.0])),
    ):
        push, (value, steps) = distance._solve_pairs(c, x, groups)
        assert (push.tolist(), steps) == ([0, 0, 0], -1)
        assert np.isnan(value)


def test_a_collection_in_which_p_at_10_ties_most_resamples(trec: Path) -> None:
    truth = read_matrix(trec / "robust2004_p10.csv")
    problem = Problem.of(truth, 1e-5, "it")
    for seed in range(5):
        rng = np.random.default_rng(seed)
        candidate = mean_over_topics(truth[rng.integers(0, len(truth), 20)])
        assert len(set(candidate.tolist())) < 100
        order = rng.permutation(problem.m)
        found = cc.rank_distance(truth[:, order], candidate[order])
        assert found == pytest.approx(problem.project(candidate).distance, rel=1e-10)


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize("beyond", [1e6, 1e14])
def test_a_system_that_is_far_beyond_the_others_costs_them_no_digits(beyond: float) -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        truth, candidate = rng.random((20, 7)), rng.integers(0, 4, 7).astype(np.float64)
        outlier = np.column_stack([np.full(20, beyond), truth])
        expected = cc.rank_distance(truth, candidate)
        assert cc.rank_distance(outlier, np.append(9.0, candidate)) == pytest.approx(expected, rel=1e-9)


@pytest.mark.skipif("native" not in KERNELS, reason="the native module was not built")
@pytest.mark.parametrize("eps", [1e-7, 1e-9, 1e-11])
def test_both_kernels_agree_as_far_as_a_small_eps_lets_them(eps: float, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(5):
        rng = np.random.default_rng(seed)
        truth, _ = fuzzed(rng)
        m = truth.shape[1]
        candidate = np.round(rng.random((3, m)) * m / 2)
        native = cc.rank_distance(truth, candidate, eps=eps)
        with monkeypatch.context() as patch:
            patch.setattr(_kernels, "active", KERNELS["numpy"])
            # Rounding moves variances of 0.1 by 1e-17, which is 1e-17 / eps of what keeps S invertible.
            assert native == pytest.approx(cc.rank_distance(truth, candidate, eps=eps), rel=1e-15 / eps, abs=1e-9)
