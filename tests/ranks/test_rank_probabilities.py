"""At which ranks systems may stand, and the rankings drawn for it."""

from __future__ import annotations

import itertools
import sys
from collections import Counter
from typing import Any

import numpy as np
import pytest

import concordant as cc
from concordant.inference.rerankings import rankings_at_tau


def collection() -> cc.Scores:
    rng = np.random.default_rng(4)
    values = rng.random((40, 6)) + np.array([0.5, 0, 0.25, 0.26, 0.02, 0.5])
    return cc.Scores(values, topics=range(40), systems=["best", "low", "mid1", "mid2", "low2", "best2"])


@pytest.mark.parametrize("tau", [1.0, 0.6, 0.2, 0.0, -0.2, -1.0])
def test_rankings_at_a_tau_are_uniform(tau: float) -> None:
    drawn = rankings_at_tau(5, tau, 20_000, np.random.default_rng(1))
    counts = Counter(map(tuple, drawn.tolist()))
    truth = np.arange(5, 0, -1)
    expected = [p for p in itertools.permutations(range(5)) if abs(float(cc.tau(truth, -np.array(p))) - tau) < 1e-9]
    assert set(counts) == set(expected)
    mean = 20_000 / len(expected)
    chi_squared = sum((counts[p] - mean) ** 2 / mean for p in expected)
    assert chi_squared < len(expected) + 5 * np.sqrt(2 * len(expected))


@pytest.mark.parametrize("tau", [0.4, -0.4])
def test_rankings_with_at_least_a_tau_are_uniform(tau: float) -> None:
    drawn = rankings_at_tau(4, tau, 20_000, np.random.default_rng(1), at_least=True)
    counts = Counter(map(tuple, drawn.tolist()))
    truth = np.arange(4, 0, -1)
    expected = [p for p in itertools.permutations(range(4)) if cc.tau(truth, -np.array(p)) >= tau - 1e-9]
    assert set(counts) == set(expected)
    mean = 20_000 / len(expected)
    assert sum((counts[p] - mean) ** 2 / mean for p in expected) < len(expected) + 5 * np.sqrt(2 * len(expected))


@pytest.mark.parametrize(("m", "tau"), [(110, 0.9), (300, 0.5), (300, -0.7)])
def test_rankings_of_many_systems(m: int, tau: float) -> None:
    drawn = rankings_at_tau(m, tau, 20, np.random.default_rng(1))
    assert (np.sort(drawn, axis=1) == np.arange(m)).all()
    found = np.asarray(cc.tau(np.arange(m, 0, -1), -drawn))
    assert np.ptp(found) == 0
    assert tau <= found[0] + 1e-12 < tau + 4 / (m * (m - 1)) + 1e-9


@pytest.mark.usefixtures("kernels")
def test_by_distance() -> None:
    scores = collection()
    found = cc.ranks.rank_probabilities(scores, n_resamples=400, rng=1)
    made = cc.ranks.DistanceDistribution.bootstrap(scores, n_resamples=400, rng=1)
    assert found.threshold == made.critical_value(0.05)
    assert found.n_rankings == (made.distances <= found.threshold).sum()
    assert found.values.sum(axis=0) == pytest.approx(np.ones(6))
    assert found.values.sum(axis=1) == pytest.approx(np.ones(6))
    assert found.systems == tuple(group[0] for group in scores.ranking())
    assert found.values.argmax(axis=1).tolist() == list(range(6))
    assert max(found.ranks("best") + found.ranks("best2")) == 2  # far above the others
    exact = cc.ranks.rank_probabilities(scores, threshold=0, n_resamples=400, rng=1)
    assert np.array_equal(exact.values, np.eye(6))
    assert exact.n_rankings == (made.distances == 0).sum()
    again = cc.ranks.rank_probabilities(scores, n_resamples=400, rng=1, workers=2)
    assert np.array_equal(found.values, again.values)


def test_by_tau() -> None:
    calls: list[tuple[int, int]] = []
    found = cc.ranks.rank_probabilities(
        collection().values, by="tau", threshold=0.7, n_resamples=5_000, rng=1, progress=lambda *a: calls.append(a)
    )
    truth = np.arange(6, 0, -1)
    expected = np.zeros((6, 6))
    for p in itertools.permutations(range(6)):
        if cc.tau(truth, -np.array(p)) >= 0.7 - 1e-9:
            expected[np.arange(6), p] += 1
    assert found.values == pytest.approx(expected / expected[0].sum(), abs=0.03)
    assert found.systems == ("5", "0", "2", "3", "4", "1")
    assert calls == [(5_000, 5_000)]
    assert cc.ranks.rank_probabilities(collection(), by="tau", n_resamples=10, rng=1).threshold == 0.9


def test_frame_plot_and_text() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    found = cc.ranks.rank_probabilities(collection(), n_resamples=200, rng=1)
    frame = found.to_frame()
    assert frame.loc["best"].sum() == pytest.approx(1)
    assert list(frame.columns) == [1, 2, 3, 4, 5, 6]
    assert str(found).count("ranks") == 6
    ax = found.plot()
    assert found.plot(ax) is ax
    assert ax.get_ylabel() == "rank"
    test = cc.rank_test(collection(), np.arange(6), n_resamples=99, rng=1)
    assert test.plot().get_xlabel() == "rank distance"
    from matplotlib import pyplot

    pyplot.close("all")


def test_without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    found = cc.ranks.rank_probabilities(collection(), n_resamples=20, rng=1)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(cc.errors.MissingExtraError, match=r"pip install 'concordant\[plots\]'"):
        found.plot()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"by": "rho"}, "by is 'rho'"),
        ({"by": "tau", "threshold": 2}, "threshold is 2"),
        ({"threshold": -1}, "threshold is -1"),
        ({"threshold": "low"}, "threshold is 'low'"),
        ({"n_resamples": 0}, "n_resamples is 0"),
        ({"alpha": 2}, "alpha is 2"),
        ({"rng": "x"}, "rng is 'x'"),
    ],
)
def test_bad_input(arguments: Any, message: str) -> None:
    with pytest.raises(cc.errors.InputError, match=message):
        cc.ranks.rank_probabilities(collection(), **arguments)


def test_a_threshold_that_nothing_meets() -> None:
    x = np.tile([0.3, 0.2, 0.1], (12, 1)) + np.random.default_rng(0).normal(0, 0.2, (12, 3))
    x[0] += [0, 5, 9]  # with and without this topic the ranking differs
    made = [cc.ranks.DistanceDistribution.bootstrap(x, n_resamples=1, rng=seed).distances[0] for seed in range(50)]
    with pytest.raises(cc.errors.InputError, match="none of 1 resampled ranking is as near"):
        cc.ranks.rank_probabilities(x, threshold=0, n_resamples=1, rng=int(np.argmax(made)))
    with pytest.raises(cc.errors.InputError, match="there is no system 'z'"):
        cc.ranks.rank_probabilities(collection(), n_resamples=5, rng=1).ranks("z")
