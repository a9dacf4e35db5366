"""Random rankings are uniform among those with the value asked for."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import numpy as np
import pytest
from scipy import stats

import concordant as cc
from concordant.inference import rerankings

TRUTH = np.arange(6, 0, -1)
ALL = np.array(list(itertools.permutations(range(1, 7))), float)


@pytest.mark.long
@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"tau": 1 / 3},
        {"tau": -0.6},
        {"tau": 1.0},
        {"tau_ap": 0.4, "tolerance": 0.1},
        {"tau_ap": -0.5, "tolerance": 0.03},
        {"tau_ap": 0.9, "tolerance": 0.2},
        {"tau_ap": 0.0, "tolerance": 0.5},
        {"tau_ap": 0.0, "tolerance": 2.0},
        {"tau_ap": 0.6, "tolerance": 0.0},
        {"tau_ap": -1.0},
    ],
)
@pytest.mark.parametrize("tilted", [False, True])
def test_uniform_over_all_rankings_with_the_value(
    asked: dict[str, float], tilted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if tilted:  # tau, too, by proposals that are kept or not, as for many systems
        monkeypatch.setattr(rerankings, "_COUNTED", 0)
    values: Any = np.zeros(720) if not asked else (cc.tau if "tau" in asked else cc.tau_ap)(TRUTH, ALL)
    target = asked.get("tau", asked.get("tau_ap", 0.0))
    fitting = ALL[np.abs(values - target) <= asked.get("tolerance", 0.005 if "tau_ap" in asked else 0) + 1e-9]
    drawn = cc.study.random_rankings(6, 20_000, rng=7, **asked)
    assert drawn.shape == (20_000, 6)
    counts = Counter(map(tuple, drawn.tolist()))
    found = [counts.pop(tuple(ranking), 0) for ranking in fitting.tolist()]
    assert not counts
    assert len(found) == 1 or stats.chisquare(found).pvalue > 1e-3


@pytest.mark.parametrize(
    ("m", "asked"),
    [
        (50, {"tau": 1 - 2 * 61 / 1225}),
        (50, {"tau_ap": 0.9}),
        (50, {"tau_ap": -0.9, "tolerance": 1e-4}),
        (200, {"tau_ap": 0.5, "tolerance": 0.1}),
        (300, {"tau": 0.0}),
        (600, {"tau": 0.0}),  # too many pairs to count
        (600, {"tau": 1 / 3}),
        (300, {"tau_ap": 1.0}),
        (2, {"tau_ap": -1.0}),
        (2, {"tau": 1.0}),
    ],
)
def test_the_value_is_there(m: int, asked: dict[str, float]) -> None:
    rankings = cc.study.random_rankings(m, 20, rng=1, **asked)
    assert (np.sort(rankings, axis=1) == np.arange(1, m + 1)).all()
    truth = np.arange(m, 0, -1)
    if "tau" in asked:
        assert cc.tau(truth, rankings) == pytest.approx(asked["tau"], abs=1e-12)
    else:
        off = np.abs(np.asarray(cc.tau_ap(truth, rankings)) - asked["tau_ap"])
        assert off.max() <= asked.get("tolerance", 0.005) + 1e-10
    assert (rankings == cc.study.random_rankings(m, 20, rng=1, **asked)).all()


def test_tilting_and_dynamic_programming_give_the_same_distribution(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, Any] = {"size": 4_000, "tau": 1 - 2 * 61 / 1225}
    counted = cc.study.random_rankings(50, rng=1, **asked)
    monkeypatch.setattr(rerankings, "_COUNTED", 0)
    tilted = cc.study.random_rankings(50, rng=2, **asked)
    truth = np.arange(50, 0, -1)
    for statistic in (lambda r: cc.tau_ap(truth, r), lambda r: cc.spearman(truth, r), lambda r: np.abs(r[:, 9] - 41)):
        assert stats.ks_2samp(statistic(counted), statistic(tilted)).pvalue > 1e-3


def test_values_that_no_ranking_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rerankings, "_MOST", 2**20)
    with pytest.raises(cc.errors.InputError, match=r"0\.898775510204 and 0\.900408163265"):
        cc.study.random_rankings(50, tau=0.9)
    with pytest.raises(cc.errors.InputError, match=r"0\.309523809524 and 0\.310204081633.*larger tolerance"):
        cc.study.random_rankings(8, tau_ap=0.31, tolerance=1e-6, rng=1)
    with pytest.raises(cc.errors.InputError, match=r"-0\.310204081633 and -0\.309523809524"):
        cc.study.random_rankings(8, tau_ap=-0.31, tolerance=1e-6, rng=1)


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ({"m": 1}, "m is 1"),
        ({"m": 2.5}, r"m is 2\.5"),
        ({"m": 5, "size": 0}, "size is 0"),
        ({"m": 5, "tau": 1.5}, r"tau is 1\.5"),
        ({"m": 5, "tau": "high"}, "tau is 'high'"),
        ({"m": 5, "tau_ap": float("nan")}, "tau_ap is nan"),
        ({"m": 5, "tau": 1.0, "tau_ap": 1.0}, "both given"),
        ({"m": 5, "tau": 1.0, "tolerance": 0.1}, "tolerance"),
        ({"m": 5, "tau_ap": 1.0, "tolerance": -0.1}, "tolerance"),
        ({"m": 5, "rng": "seed"}, "rng"),
    ],
)
def test_what_is_refused(arguments: dict[str, Any], match: str) -> None:
    with pytest.raises(cc.errors.InputError, match=match):
        cc.study.random_rankings(**arguments)
