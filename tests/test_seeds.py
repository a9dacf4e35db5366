"""Nothing that is read as a result depends on the seed: over 20 seeds, less than a tenth of what the topics leave open."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import concordant as cc

pytestmark = pytest.mark.long
SEEDS = range(20)


def collections() -> list[cc.Scores]:
    """Ten systems of the collection that comes along, as three judges see them."""
    found = [cc.load_collection(name) for name in ("people", "careful", "hasty")]
    return [side.select(systems=found[0].systems[::2]) for side in found]


def on_normal_scale(pvalues: Any) -> npt.NDArray[np.float64]:
    """p-values as normal deviates, which vary by 1 over samples of topics where nothing differs."""
    from scipy.special import ndtri

    return np.asarray(ndtri(1 - np.asarray(pvalues) / 2))


@pytest.mark.parametrize("coefficient", ["tau_b", "tau_ap_b"])
def test_intervals_of_a_coefficient(coefficient: str) -> None:
    people, _, hasty = collections()
    found = [cc.correlate(people, hasty, coefficient, rng=seed) for seed in SEEDS]
    limits = [(e.interval.low, e.interval.high, e.bias_corrected) for e in found if e.interval is not None]
    assert (np.std(limits, axis=0, ddof=1) < 0.1 * np.mean([e.standard_error for e in found])).all()


@pytest.mark.parametrize("method", ["across", "shrinkage"])
def test_judge_against_judge(method: Any) -> None:
    found = [cc.compare_judges(*collections(), method=method, rng=seed) for seed in SEEDS]
    limits = [(e.interval.low, e.interval.high) for e in found]
    assert (np.std(limits, axis=0, ddof=1) < 0.1 * np.mean([e.standard_error for e in found])).all()
    assert on_normal_scale([e.pvalue for e in found]).std(ddof=1) < 0.1


def test_rank_intervals() -> None:
    people = cc.load_collection("people")
    found = [cc.rank_intervals(people, rng=seed) for seed in SEEDS]
    p = np.array([each.pvalues for each in found])
    shown = (p.min(axis=0) > 0.001) & (p.max(axis=0) < 1)
    assert shown.sum() > 100
    assert on_normal_scale(p[:, shown]).std(axis=0, ddof=1).max() < 0.1
    assert len({each.tiers for each in found}) == 1
    assert not any(each.borderline for each in found)


def test_rank_test() -> None:
    people, _, hasty = collections()
    p = [cc.rank_test(people, hasty.means(), rng=seed).pvalue for seed in SEEDS]
    assert 0.001 < np.mean(p) < 0.999
    assert on_normal_scale(p).std(ddof=1) < 0.1


def test_plans() -> None:
    people, _, _ = collections()
    found = [cc.plan_topics(people, target=0.9, most=400, rng=seed) for seed in SEEDS]
    spread = np.mean([plan.high - plan.low for plan in found], axis=0) / (2 * 1.645)  # 90% of collections
    assert (np.std([plan.expected for plan in found], axis=0, ddof=1) < 0.1 * spread).all()
