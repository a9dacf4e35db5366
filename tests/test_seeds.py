"""Over 20 seeds, what is read as a result moves by less than a tenth of what the topics leave open."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import concordant as cc

pytestmark = pytest.mark.long
SEEDS = range(20)


def on_normal_scale(pvalues: Any) -> npt.NDArray[np.float64]:
    """p-values as normal deviates, which vary by 1 over samples of topics where nothing differs."""
    from scipy.special import ndtri

    return np.asarray(ndtri(1 - np.asarray(pvalues) / 2))


def limits_move_by(found: list[Any]) -> npt.NDArray[np.float64]:
    """Standard deviation of both limits over seeds, in standard errors."""
    limits = [(e.interval.low, e.interval.high) for e in found]
    return np.asarray(np.std(limits, axis=0, ddof=1) / np.mean([e.standard_error for e in found]))


def few(name: str) -> cc.Scores:
    """Part of a collection, for what takes a while."""
    scores = cc.load_collection(name)
    return scores.select(scores.systems[:12], scores.topics[:24])


@pytest.mark.parametrize("candidate", ["careful", "hasty"])
@pytest.mark.parametrize("coefficient", ["tau_b", "tau_ap_b", "pearson_rank"])
def test_correlate(candidate: str, coefficient: str) -> None:
    sides = cc.load_collection("people"), cc.load_collection(candidate)
    found = [cc.correlate(*sides, coefficient=coefficient, rng=seed) for seed in SEEDS]
    assert (limits_move_by(found) < 0.1).all()
    assert np.std([e.bias_corrected for e in found], ddof=1) < 0.1 * np.mean([e.standard_error for e in found])  # type: ignore[arg-type]


@pytest.mark.parametrize("candidate", ["careful", "hasty"])
def test_rank_test(candidate: str) -> None:
    found = [cc.rank_test(cc.load_collection("people"), cc.load_collection(candidate), rng=seed) for seed in SEEDS]
    assert on_normal_scale([e.pvalue for e in found]).std(ddof=1) < 0.1


def test_a_rank_test_that_seeds_decide_is_borderline() -> None:
    people, hasty = cc.load_collection("people"), cc.load_collection("hasty")
    level = float(np.median([cc.rank_test(people, hasty, rng=seed).pvalue for seed in range(5)]))
    found = [cc.rank_test(people, hasty, alpha=level, rng=seed) for seed in SEEDS]
    assert {e.significant for e in found} == {True, False}
    assert all(e.borderline and "borderline: Monte Carlo error" in e.verdict for e in found)


def test_plans() -> None:
    """Against plans from resampled topics, which vary about as much as those from other topics would."""
    people = few("people")
    plans = [cc.plan_topics(people, coefficient="tau", target=0.9, rng=seed).n_topics for seed in SEEDS]
    others = []
    for seed in range(10):
        topics = np.random.default_rng(seed).integers(0, len(people.topics), len(people.topics))
        again = cc.Scores(people.values[topics], people.topics, people.systems)
        others.append(cc.plan_topics(again, coefficient="tau", target=0.9, n_resamples=2_000, rng=1).n_topics)
    by_seed, by_topics = (np.log(np.array(some, dtype=np.float64)).std(ddof=1) for some in (plans, others))
    assert by_seed < 0.1 * by_topics


def test_rank_intervals() -> None:
    """Every pair that seeds decide otherwise is named as borderline."""
    found = [cc.rank_intervals(cc.load_collection("people"), rng=seed) for seed in SEEDS]
    p = np.array([each.pvalues for each in found])
    shown = (p.min(axis=0) > 0.001) & (p.max(axis=0) < 1)
    assert shown.sum() > 40
    assert on_normal_scale(p[:, shown]).std(axis=0, ddof=1).max() < 0.1
    significant, systems = p <= 0.05, found[0].systems
    otherwise = np.argwhere(np.triu(significant.any(axis=0) & ~significant.all(axis=0)))
    assert {(systems[i], systems[j]) for i, j in otherwise} <= {pair for each in found for pair in each.borderline}
