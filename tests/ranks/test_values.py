"""The value of the rank distance: against golden values, the definition, other solvers, and the paper's theorems."""

from __future__ import annotations

import itertools
import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import piqp
import pytest
from hypothesis import given
from hypothesis import strategies as st

import concordant as cc
from concordant import _kernels
from concordant._kernels.reference.distance import differences_of, order_of
from concordant.data.means import mean_over_topics
from concordant.ranks.distance import Problem
from tests.places import read_matrix

from ..conftest import KERNELS
from .collections import FloatArray, fuzzed, literal_distance

seeds = st.integers(0, 2**32 - 1)


@pytest.fixture(autouse=True)
def _quiet() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cc.errors.RegularisationWarning)
        yield


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize("name", ["adhoc6", "adhoc7"])
def test_golden_values(trec: Path, golden: Path, name: str) -> None:
    x = read_matrix(trec / f"{name}.csv")
    means = mean_over_topics(x)
    expected = json.loads((golden / "real_data.json").read_text())["rank_distance"][name]
    assert cc.rank_distance(x, means) == expected["y = column means"] == 0
    assert cc.rank_distance(x, -means) == pytest.approx(expected["y = minus the column means"], rel=1e-9)
    first = mean_over_topics(x[:25])
    assert cc.rank_distance(x, first) == pytest.approx(expected["y = means of the first 25 topics"], rel=1e-9)


@pytest.mark.usefixtures("kernels")
def test_the_definition_written_down_literally() -> None:
    for seed in range(60):
        rng = np.random.default_rng(seed)
        truth = rng.random((int(rng.integers(2, 12)), int(rng.integers(2, 9)))).round(int(rng.integers(1, 5)))
        candidate = rng.random((4, truth.shape[1]))
        expected = [literal_distance(truth, y) for y in candidate]
        assert cc.rank_distance(truth, candidate) == pytest.approx(expected, rel=1e-7, abs=1e-7)


def test_a_general_solver_of_quadratic_programs() -> None:
    for seed in range(150):
        rng = np.random.default_rng(seed)
        truth, candidate = fuzzed(rng)
        problem = Problem.of(truth, 1e-5, "it")
        y = candidate[seed % len(candidate)]
        y = y + 1e-7 * rng.permutation(len(y))  # no ties: test_ties.py has those
        order = order_of(y, problem.means)
        s = differences_of(problem.covariance, order, 1e-5)
        d = -np.diff(problem.means[order])
        solver = piqp.DenseSolver()
        solver.settings.eps_abs = solver.settings.eps_rel = 1e-12
        solver.setup(np.asfortranarray(s), d, x_l=np.zeros(len(d)))
        solver.solve()
        dual = solver.result.x
        expected = np.sqrt(max(0.0, -problem.n * (dual @ s @ dual + 2 * d @ dual)))
        assert cc.rank_distance(truth, y) == pytest.approx(expected, rel=1e-6, abs=1e-5), seed
        assert (dual > -1e-6).all()


def residual(truth: FloatArray, candidate: FloatArray, eps: float) -> float:
    """By how much a solution fails the conditions of Karush, Kuhn and Tucker, which only the minimum fulfils."""
    problem = Problem.of(truth, eps, "it")
    found = problem.project(candidate)
    s = differences_of(problem.covariance, found.order, eps)
    delta = s @ found.dual - np.diff(problem.means[found.order])
    assert (found.dual >= 0).all()
    assert (found.delta[found.dual > 0] == 0).all()
    assert found.delta == pytest.approx(np.maximum(delta, 0), rel=1e-6, abs=1e-6 * max(1.0, float(np.abs(delta).max())))
    assert found.distance**2 == pytest.approx(problem.n * found.dual @ s @ found.dual, rel=1e-8, abs=1e-12)
    return max(float(-delta.min()), float(np.abs(delta[found.dual > 0]).max(initial=0.0)))


def residual_of_ties(truth: FloatArray, candidate: FloatArray, eps: float) -> float:
    """The same for groups of tied systems: means in the cone, a push in its polar cone, and both at right angles.

    It is relative to the numbers that the means are computed from, because rounding is.
    """
    problem = Problem.of(truth, eps, "it")
    found = problem.project(candidate)
    c = problem.covariance + problem.eps / 2 * np.eye(problem.m)
    order, push = found.order, np.diff(found.dual, prepend=0, append=0)  # both by place
    means = problem.means[order] + c[np.ix_(order, order)] @ push
    groups = np.split(np.arange(problem.m), found.ends[:-1])
    above = max(float(means[low].max() - means[high].min()) for high, low in itertools.pairwise(groups))
    # What is pushed up in a group is taken from the groups below, across its end; all of it, or some comes from above.
    across = np.append(found.dual, 0.0)[found.ends - 1]
    upwards = np.array([np.maximum(push[group], 0).sum() for group in groups])
    assert (upwards <= across + 1e-9 * (1 + np.abs(push).sum())).all()
    assert -np.diff(means) == pytest.approx(found.delta, rel=1e-6, abs=1e-9)
    squared = problem.n * push @ c[np.ix_(order, order)] @ push
    assert found.distance**2 == pytest.approx(squared, rel=1e-8, abs=1e-12)
    size = float(np.abs(problem.means).max() + c.max() * np.abs(push).sum())
    return max(above, abs(float(push @ means)) / (1 + float(np.abs(push).sum()))) / size


@pytest.mark.parametrize("seeds", [range(40), pytest.param(range(40, 300), marks=pytest.mark.long)])
def test_the_conditions_of_a_minimum_hold(kernels: Any, seeds: range) -> None:
    for seed in seeds[:: 5 if kernels is KERNELS["numpy"] else 1]:
        rng = np.random.default_rng(seed)
        truth, candidate = fuzzed(rng)
        eps = float(rng.choice([1e-5, 1e-4, 1e-2]))
        for y in candidate:
            if len(set(y.tolist())) < len(y):
                assert residual_of_ties(truth, y, eps) <= 2e-15, seed
            else:
                assert residual(truth, y, eps) <= 1e-10, seed


@pytest.mark.long
@pytest.mark.parametrize("eps", [1e-7, 1e-9, 1e-11])
def test_small_eps_ends_too(kernels: Any, eps: float) -> None:
    for seed in range(60 if kernels is not KERNELS["numpy"] else 10):
        truth, candidate = fuzzed(np.random.default_rng(seed))
        assert np.isfinite(cc.rank_distance(truth, candidate, eps=eps)).all()


@pytest.mark.long
@pytest.mark.skipif("native" not in KERNELS, reason="the native module was not built")
def test_both_kernels_agree_and_threads_change_no_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(15):
        truth, candidate = fuzzed(np.random.default_rng(seed))
        native = cc.rank_distance(truth, candidate)
        assert np.array_equal(native, cc.rank_distance(truth, candidate, workers=2))
        assert np.array_equal(native, np.array([cc.rank_distance(truth, y) for y in candidate]))
        with monkeypatch.context() as patch:
            patch.setattr(_kernels, "active", KERNELS["numpy"])
            assert native == pytest.approx(cc.rank_distance(truth, candidate), rel=1e-9, abs=1e-9)


@pytest.mark.usefixtures("kernels")
@given(seeds)
def test_theorem_1_zero_if_and_only_if_the_rankings_are_the_same(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth = rng.random((int(rng.integers(2, 9)), int(rng.integers(2, 9)))).round(int(rng.integers(1, 4)))
    means = mean_over_topics(truth)
    assert cc.rank_distance(truth, means) == 0
    assert cc.rank_distance(truth, np.argsort(np.argsort(means)) * 1.0) == 0  # the same, ties in some order
    assert cc.rank_distance(truth, np.zeros(len(means))) == 0  # ties claim nothing
    other = rng.random(len(means)).round(int(rng.integers(0, 3)))
    swapped = (np.subtract.outer(means, means) * np.subtract.outer(other, other) < 0).any()
    assert (cc.rank_distance(truth, other) > 0) == swapped


def with_moments(rng: np.random.Generator, n: int, means: FloatArray, covariance: FloatArray) -> FloatArray:
    """A matrix with exactly these means and this covariance."""
    z = rng.normal(size=(n, len(means)))
    z -= z.mean(axis=0)
    white = np.linalg.qr(z)[0] * np.sqrt(n - 1)
    return np.asarray(means + white @ np.linalg.cholesky(covariance).T)


@given(seeds)
def test_theorem_2_swapping_what_differs_more_costs_more(seed: int) -> None:
    """Two collections that differ in the t statistic of the swapped pair alone."""
    rng = np.random.default_rng(seed)
    m, i = 5, int(rng.integers(0, 4))
    root = rng.normal(size=(m, m)) / 4
    order = np.arange(m)
    order[[i, i + 1]] = i + 1, i  # y: system i+1 before i, all others in order
    d = rng.uniform(0.05, 0.3, m - 1)  # differences in the order of y, as in the theorem all but one right
    near, far = d.copy(), d.copy()
    near[i] = -rng.uniform(0.001, 0.02)
    far[i] = near[i] - rng.uniform(0.001, 0.02)
    candidate = np.empty(m)
    candidate[order] = np.arange(m, 0, -1)
    distances = []
    for differences in (near, far):
        means = np.empty(m)
        means[order] = -np.concatenate([[0], np.cumsum(differences)])
        assert (np.diff(means) < 0).all()  # both collections rank the systems 0, 1, 2, ...
        state = np.random.default_rng(seed)
        distances.append(cc.rank_distance(with_moments(state, 20, means, root @ root.T + 0.01 * np.eye(m)), candidate))
    assert distances[1] > distances[0] > 0


@given(seeds)
def test_theorem_2_two_systems_are_a_paired_t_test(seed: int) -> None:
    from scipy import stats

    x = np.random.default_rng(seed).random((12, 2))
    x = x[:, np.argsort(-x.mean(axis=0))]
    t = stats.ttest_rel(x[:, 0], x[:, 1]).statistic
    assert cc.rank_distance(x, [1, 2], eps=1e-14) == pytest.approx(t, rel=1e-9, abs=1e-9)


def in_order(rng: np.random.Generator, d: FloatArray, s: FloatArray, n: int = 40) -> FloatArray:
    """A collection whose columns have these differences to the next one, on average, with this covariance."""
    differences = with_moments(rng, n, d, s)
    return np.column_stack([np.zeros(n), -np.cumsum(differences, axis=1)]) + rng.random((n, 1))


@given(seeds)
def test_theorem_3_as_it_can_be_proved(seed: int) -> None:
    """If only the covariance of two differences falls by f, the squared distance rises by at least 2 n v_a v_b f."""
    rng = np.random.default_rng(seed)
    m, n = int(rng.integers(3, 9)), 40
    root = rng.normal(size=(m - 1, m - 1)) / 4
    s = root @ root.T + 0.02 * np.eye(m - 1)
    a = int(rng.integers(0, m - 2))
    lower = s.copy()
    lower[a, a + 1] = lower[a + 1, a] = s[a, a + 1] - rng.uniform(0, 0.2) * np.sqrt(s[a, a] * s[a + 1, a + 1])
    if np.linalg.eigvalsh(lower)[0] < 1e-3:
        return
    d = rng.normal(0, 0.1, m - 1)
    candidate = np.arange(m, 0, -1.0)  # the order of the columns
    before, after = (
        Problem.of(in_order(np.random.default_rng(seed), d, covariance), 1e-5, "it").project(candidate)
        for covariance in (s, lower)
    )
    fall = s[a, a + 1] - lower[a, a + 1]
    least = before.distance**2 + 2 * n * fall * before.dual[a] * before.dual[a + 1]
    assert after.distance**2 >= least - 1e-9 * (1 + least)


@given(seeds)
def test_the_slope_of_the_squared_distance_in_a_covariance(seed: int) -> None:
    rng = np.random.default_rng(seed)
    m, n, h = int(rng.integers(3, 9)), 40, 1e-5
    root = rng.normal(size=(m - 1, m - 1)) / 4
    s, d = root @ root.T + 0.05 * np.eye(m - 1), rng.normal(0, 0.1, m - 1)
    a, b = rng.choice(m - 1, 2, replace=False)
    candidate = np.arange(m, 0, -1.0)
    found = []
    for step in (-h, 0.0, h):
        moved = s.copy()
        moved[[a, b], [b, a]] += step
        problem = Problem.of(in_order(np.random.default_rng(seed), d, moved), 1e-5, "it")
        found.append(problem.project(candidate))
    low, at, high = found
    slope = (high.distance**2 - low.distance**2) / (2 * h)
    expected = -2 * n * at.dual[a] * at.dual[b]
    assert slope == pytest.approx(expected, rel=0.02, abs=0.02 * (1 + at.distance**2))


def of_correlated(correlations: dict[tuple[int, int], float], means: list[float], n: int, seed: int = 0) -> FloatArray:
    """A collection of systems with variances of 0.04 and these correlations; all others are 0."""
    c = np.eye(len(means))
    for (i, j), value in correlations.items():
        c[i, j] = c[j, i] = value
    return with_moments(np.random.default_rng(seed), n, np.array(means), 0.04 * c)


@given(seeds)
def test_theorem_3_holds_for_three_systems(seed: int) -> None:
    """Systems 0 > 1 > 2 ranked 1, 0, 2: the higher the correlation of 1 and 2, the larger the distance.

    The paper says larger; where the first swap alone is active it is equal, because 2 need not move.
    """
    rng = np.random.default_rng(seed)
    middle = 0.5 - rng.uniform(0.01, 0.2)
    means = [0.5, middle, middle - rng.uniform(0.001, 0.05)]
    first, second = rng.uniform(-0.3, 0.5, 2)
    alike = np.sort(rng.uniform(-0.2, 0.6, 2))
    found = [
        Problem.of(of_correlated({(0, 1): first, (0, 2): second, (1, 2): a}, means, 30, seed), 1e-5, "it").project(
            np.array([2.0, 3.0, 1.0])
        )
        for a in alike
    ]
    assert found[1].distance >= found[0].distance * (1 - 1e-9)
    if all((f.dual > 0).all() for f in found) and alike[1] - alike[0] > 1e-3:
        assert found[1].distance > found[0].distance


def test_theorem_3_fails_for_four_systems() -> None:
    """0 > 1 > 2 > 3 ranked 1, 0, 2, 3: 1 and 2 become more alike, and the distance falls."""
    distances = [
        cc.rank_distance(
            of_correlated({(0, 2): 0.6, (1, 3): 0.6, (1, 2): alike}, [0.6, 0.5, 0.3, 0.29], 50), [3, 4, 2, 1]
        )
        for alike in (0.0, 0.2, 0.4)
    ]
    # Active are the differences 1 - 0 and 2 - 3; by hand:
    by_hand = []
    for alike in (0.0, 0.2, 0.4):
        s = 0.04 * np.array([[2, alike - 1.2], [alike - 1.2, 2]]) + 1e-5 * np.eye(2)
        d = np.array([-0.1, 0.01])
        by_hand.append(np.sqrt(50 * d @ np.linalg.solve(s, d)))
    assert distances == pytest.approx(by_hand, rel=1e-9)
    assert distances[0] > distances[1] > distances[2]


def test_labels_and_batches() -> None:
    rng = np.random.default_rng(2)
    truth = cc.Scores(rng.random((9, 4)), topics=range(9), systems=list("abcd"))
    candidate = cc.Scores(rng.random((9, 4)), topics=range(9), systems=list("abcd"))
    expected = cc.rank_distance(truth.values, candidate.means())
    assert isinstance(expected, float)
    assert expected > 0
    assert cc.rank_distance(truth, candidate) == expected
    assert (
        cc.rank_distance(truth, candidate.select(systems=list("dbca"), topics=map(str, range(8, -1, -1)))) == expected
    )
    batch = rng.random((2, 3, 4))
    found = cc.rank_distance(truth, batch, workers=2)
    assert isinstance(found, np.ndarray)
    assert found.shape == (2, 3)
    assert found[1, 2] == cc.rank_distance(truth, batch[1, 2])


def test_a_candidate_with_labels_is_matched_by_name() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(np.random.default_rng(1).random((5, 3)), columns=list("abc"))
    expected = cc.rank_distance(frame, [1.0, 3.0, 2.0])
    assert expected == cc.rank_distance(frame.to_numpy(), [1.0, 3.0, 2.0]) > 0
    scores = {"c": 2.0, "a": 1.0, "b": 3.0}
    for candidate in (scores, pandas.Series(scores), cc.Means(list(scores.values()), list(scores))):
        assert cc.rank_distance(frame, candidate) == expected


def test_the_order_of_topics_and_systems_does_not_matter() -> None:
    rng = np.random.default_rng(3)
    x, y = rng.random((20, 8)), rng.random(8)
    columns, rows = rng.permutation(8), rng.permutation(20)
    assert cc.rank_distance(x[rows][:, columns], y[columns]) == pytest.approx(cc.rank_distance(x, y), rel=1e-12)


def test_it_says_that_it_regularised() -> None:
    with pytest.warns(cc.errors.RegularisationWarning, match=r"5 systems on 5 topics.*regularised by eps = 1e-05"):
        cc.rank_distance(np.random.default_rng(0).random((5, 5)), np.arange(5))


X = [[0.1, 0.2, 0.4], [0.3, 0.2, 0.1], [0.5, 0.4, 0.3], [0.2, 0.1, 0.6]]
LABELLED = cc.Scores(X, topics=range(4), systems=list("abc"))


@pytest.mark.parametrize(
    ("truth", "candidate", "settings", "message"),
    [
        (X[:1], [1, 2, 3], {}, "truth has 1 topic: at least 2"),
        ([[1], [2]], [1], {}, "truth has 1 system: at least 2"),
        (X, [1, 2, 3], {"eps": 0}, "eps is 0: give a positive number"),
        (X, [1, 2, 3], {"eps": float("nan")}, "eps is nan"),
        (X, [1, 2, 3], {"eps": "small"}, "eps is 'small'"),
        ([[1, float("nan")], [1, 2]], [1, 2], {}, "truth: 1 lacks topic row 1"),
        (X, [1, float("inf"), 2], {}, r"candidate\[1\] is inf"),
        (X, [1, 2], {}, "truth has 3 systems and candidate 2"),
        ([1, 2, 3], [1, 2, 3], {}, "truth has 1 dimension"),
        (X, [1, 2, 3], {"workers": 0}, "workers is 0"),
    ],
)
def test_bad_input(truth: Any, candidate: Any, settings: Any, message: str) -> None:
    with pytest.raises(cc.errors.InputError, match=message):
        cc.rank_distance(truth, candidate, **settings)
