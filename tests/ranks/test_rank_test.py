"""The tests of the rank distance, and their distributions."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import concordant as cc
from concordant._kernels.reference.distance import order_of
from concordant.arrays import fingerprint
from concordant.data.means import mean_over_topics
from concordant.inference import resampling
from concordant.ranks.distance import RankTestMethod, critical_value, share_as_far
from tests.places import read_matrix

from .collections import FloatArray, literal_distance

METHODS: tuple[RankTestMethod, ...] = ("recentred", "paper")


def collection(seed: int = 0, n: int = 30, m: int = 6) -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(seed)
    x = rng.random((n, m)) + np.linspace(0, 0.3, m) + rng.random((n, 1))
    return x, np.arange(m) + rng.normal(0, 1, m)


@pytest.mark.usefixtures("kernels")
def test_the_papers_method_written_down_literally() -> None:
    x, y = collection()
    test = cc.rank_test(x, y, method="paper", n_resamples=300, rng=5)
    rng, expected = np.random.default_rng(5), []
    for topics in rng.integers(0, len(x), (300, len(x))):
        expected.append(literal_distance(x, x[topics].mean(axis=0)))
    assert test.distances == pytest.approx(np.array(expected), rel=1e-7, abs=1e-7)
    assert test.distance == pytest.approx(literal_distance(x, y), rel=1e-7)
    assert test.pvalue == pytest.approx(np.mean(np.array(expected) >= test.distance - 1e-7))


@pytest.mark.usefixtures("kernels")
def test_the_recentred_method_written_down_literally() -> None:
    x, y = collection()
    test = cc.rank_test(x, y, n_resamples=99, rng=5)
    order = order_of(y, mean_over_topics(x))
    delta = -np.diff(x[:, order], axis=1)
    d, s = delta.mean(axis=0), np.cov(delta.T) + 1e-5 * np.eye(len(order) - 1)
    from scipy.optimize import minimize

    inverse = np.linalg.inv(s)
    best = minimize(
        lambda e: (e - d) @ inverse @ (e - d),
        np.maximum(d, 0),
        jac=lambda e: 2 * inverse @ (e - d),
        bounds=[(0, None)] * len(d),
        method="L-BFGS-B",
        options={"ftol": 1e-15, "gtol": 1e-12, "maxiter": 10_000},
    )
    moved = np.empty(len(order))
    moved[order] = -np.concatenate([[0], np.cumsum(best.x)])
    shifted = x - x.mean(axis=0) + moved
    expected = [
        literal_distance(shifted[topics], y) for topics in np.random.default_rng(5).integers(0, len(x), (99, len(x)))
    ]
    assert test.distances == pytest.approx(np.array(expected), rel=1e-4, abs=1e-4)
    assert test.pvalue == pytest.approx((1 + np.sum(np.array(expected) >= test.distance)) / 100)


@pytest.mark.parametrize("method", METHODS)
def test_seeds_workers_and_chunks(method: RankTestMethod, monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = collection()
    one = cc.rank_test(x, y, method=method, n_resamples=700, rng=3)
    calls: list[tuple[int, int]] = []
    two = cc.rank_test(
        x,
        y,
        method=method,
        n_resamples=700,
        rng=np.random.default_rng(3),
        workers=2,
        progress=lambda *a: calls.append(a),
    )
    assert np.array_equal(one.distances, two.distances)
    assert one.pvalue == two.pvalue
    assert calls == [(512, 700), (700, 700)]
    assert one.settings["seed"] == 3
    assert two.settings["seed"] is None
    monkeypatch.setattr(resampling, "CHUNK", 100)
    assert np.array_equal(one.distances, cc.rank_test(x, y, method=method, n_resamples=700, rng=3).distances)


@pytest.mark.parametrize("method", METHODS)
def test_the_critical_value_is_where_significance_begins(method: RankTestMethod) -> None:
    x, y = collection()
    made = cc.rank_test(x, y, method=method, n_resamples=199, rng=1).distances
    observed = int(method == "recentred")
    for alpha in (0.01, 0.05, 0.2):
        critical = critical_value(made, alpha, observed)
        assert share_as_far(made, critical, observed) > alpha
        assert share_as_far(made, critical * (1 + 1e-6), observed) <= alpha
    if method == "paper":
        assert critical_value(made) == np.quantile(made, 0.95, method="inverted_cdf")
    assert share_as_far(made, 0.0, observed) == 1.0
    assert share_as_far(made, 1e9, observed) == (0.005 if method == "recentred" else 0.0)
    few = cc.rank_test(x, y, method="recentred", n_resamples=10, rng=1)
    assert few.critical_value == float("inf")
    assert few.to_dict()["critical_value"] is None


def test_the_same_ranking_has_p_1_and_the_reverse_is_rejected() -> None:
    x, _ = collection(n=60)
    means = mean_over_topics(x)
    for method in METHODS:
        same = cc.rank_test(x, means, method=method, n_resamples=99, rng=1)
        assert (same.distance, same.pvalue, same.significant) == (0, 1, False)
        other = cc.rank_test(x, -means, method=method, n_resamples=99, rng=1)
        assert other.significant
        assert other.standard_error < 0.02


def test_what_it_prints_and_gives() -> None:
    x, y = collection()
    test = cc.rank_test(x, y, n_resamples=199, rng=1)
    assert json.loads(json.dumps(test.to_dict()))["settings"]["n_resamples"] == 199
    assert test.to_frame().shape == (1, 5)
    assert not test.distances.flags.writeable


def test_equal_distances_are_equal_whatever_the_kernel() -> None:
    x, _ = collection()
    made = cc.rank_test(x, np.arange(6), method="paper", n_resamples=199, rng=1).distances
    largest = float(made.max())
    assert share_as_far(made, largest * (1 + 1e-12)) == share_as_far(made, largest) > 0


def test_quick_size(trec: Path) -> None:
    """The true ranking of a population is rejected about as often as the level says; `make coverage` has the table."""
    population = read_matrix(trec / "robust2004_ap.csv")
    rejected = dict.fromkeys(METHODS, 0)
    for seed in range(150):
        rng = np.random.default_rng(seed)
        systems = rng.choice(110, 20, replace=False)
        sample = population[np.ix_(rng.integers(0, 249, 50), systems)]
        for method in METHODS:
            test = cc.rank_test(
                sample, mean_over_topics(population[:, systems]), method=method, n_resamples=99, rng=rng
            )
            rejected[method] += test.significant
    assert rejected["recentred"] <= 0.08 * 150
    assert rejected["paper"] >= 0.12 * 150  # why it is not the default


def test_as_many_systems_as_topics_warns() -> None:
    x, y = collection(n=6)
    with pytest.warns(cc.errors.RegularisationWarning, match="p-values are not valid"):
        test = cc.rank_test(x, y, n_resamples=19, rng=1)
    assert len(test.notes) == 1
    assert "p-values are not valid" in test.notes[0]


def test_regularisation_warns_the_caller() -> None:
    x, y = collection(n=6)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        cc.rank_test(x, y, n_resamples=19, rng=1)
    assert [w.filename for w in caught] == [__file__]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"method": "permutation"}, "method is 'permutation': use 'recentred' or 'paper'"),
        ({"n_resamples": 0}, "n_resamples is 0"),
        ({"n_resamples": 10.5}, "n_resamples is 10.5"),
        ({"alpha": 5}, "alpha is 5"),
        ({"rng": "seed"}, "rng is 'seed'"),
        ({"rng": -1}, "rng is -1"),
        ({"workers": 0}, "workers is 0"),
        ({"eps": -1}, "eps is -1"),
    ],
)
def test_bad_settings(settings: Any, message: str) -> None:
    x, y = collection()
    with pytest.raises(cc.errors.InputError, match=message):
        cc.rank_test(x, y, **settings)


def test_more_bad_input() -> None:
    x, y = collection()
    with pytest.raises(cc.errors.InputError, match="one ranking at a time"):
        cc.rank_test(x, np.stack([y, y]))


def test_the_fingerprint_is_of_the_numbers() -> None:
    zero = fingerprint(np.array([[0.0, 1.0]]))
    assert fingerprint(np.array([[-0.0, 1.0]])) == zero
    assert fingerprint(np.asfortranarray([[0.0, 1.0]])) == zero
    assert len({zero, fingerprint(np.array([[0.0], [1.0]])), fingerprint(np.array([[0.0, np.nextafter(1, 2)]]))}) == 3


def test_what_was_regularised_is_named() -> None:
    x, y = collection(n=6)
    m = x.shape[1]
    calls: dict[str, Callable[[], Any]] = {
        "the rank distance": lambda: cc.rank_distance(x, y),
        "the test": lambda: cc.rank_test(x, y, n_resamples=19, rng=1),
    }
    for what, call in calls.items():
        with pytest.warns(cc.errors.RegularisationWarning) as caught:
            call()
        assert f"{m} systems on 6 topics" in str(caught[0].message)
        assert f"{what} needs more topics than systems, so it was regularised by eps = 1e-05" in str(caught[0].message)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.usefixtures("kernels")
def test_small_scores_are_tested_as_large_ones(method: RankTestMethod) -> None:
    """What keeps a covariance invertible is measured by the variances: scores of 1e-6 are not regularised away."""
    x, y = collection(4)
    scale = 2.0**-20
    plain = cc.rank_test(x, y, method=method, n_resamples=200, rng=2)
    small = cc.rank_test(x * scale, y, method=method, n_resamples=200, rng=2, eps=1e-5 * scale**2)
    assert small.distance == pytest.approx(plain.distance, rel=1e-6)
    assert small.distances == pytest.approx(plain.distances, rel=1e-6)


def test_a_raised_eps_is_said_only_where_it_was_raised() -> None:
    x = np.random.default_rng(3).random((10, 12))
    with pytest.warns(cc.errors.RegularisationWarning) as caught:
        cc.rank_distance(x, np.arange(12.0))
    assert "lost in float64" not in str(caught[0].message)
    with pytest.warns(cc.errors.RegularisationWarning, match=r"eps = 1e-20 is lost in float64"):
        cc.rank_distance(x, np.arange(12.0), eps=1e-20)
