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


def test_judge_against_judge_by_shrinkage() -> None:
    people, a, b = (cc.load_collection(name) for name in ("people", "careful", "hasty"))
    found = [cc.compare_judges(people, a, b, method="shrinkage", rng=seed) for seed in SEEDS]
    limits = [(e.interval.low, e.interval.high) for e in found]
    assert (np.std(limits, axis=0, ddof=1) < 0.1 * np.mean([e.standard_error for e in found])).all()
    assert on_normal_scale([e.pvalue for e in found]).std(ddof=1) < 0.1


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
