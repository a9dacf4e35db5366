"""Could the agreement be chance? The exact null distribution where there is one, permutations elsewhere."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ..arrays import FloatArray
from ..coefficients.registry import Coefficient
from ..resampling import Progress, Seed
from .nulls import tau_ap_null, tau_null
from .permutation import permutation_test

Test = Literal["chance"]
_NULLS = {"tau": tau_null, "tau_ap": tau_ap_null}


def chance_pvalue(
    coefficient: Coefficient,
    truth: FloatArray,
    candidate: FloatArray,
    *,
    n_resamples: int = 9_999,
    rng: Seed = None,
    workers: int = 1,
    progress: Progress | None = None,
) -> float:
    """Two-sided p-value of the hypothesis that which system got which candidate score is chance.

    >>> from concordant import get_coefficient
    >>> chance_pvalue(get_coefficient("tau_ap"), np.arange(8.0), np.array([0.0, 1, 3, 2, 4, 5, 7, 6]))
    0.018948412698412697
    """
    untied = all(len(np.unique(side)) == len(side) for side in (truth, candidate))
    if untied and coefficient.null:
        null = _NULLS[coefficient.null](len(truth))
        return float(null.pvalue(float(coefficient.function(truth, candidate))))
    return permutation_test(
        truth,
        candidate,
        coefficient.name,
        n_resamples=n_resamples,
        rng=rng,
        workers=workers,
        progress=progress,
    ).pvalue
