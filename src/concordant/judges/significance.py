"""Tests of significance for all pairs of systems, with the corrections that papers use."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from ..arrays import FloatArray
from ..data.means import mean_over_topics
from ..errors import InputError, argument, named
from ..inference.adjustment import holm
from ..inference.resampling import Resampling
from ..inference.sign_flips import draw_signs, reached, two_sided
from ..ranks.discriminative import paired_pvalues

Test: TypeAlias = Literal["t", "permutation", "wilcoxon"]
Correction: TypeAlias = Literal["holm", "tukey"]
BoolArray: TypeAlias = npt.NDArray[np.bool_]

_EXACT = 50  # up to this many topics without ties, use Wilcoxon's exact null distribution


def significant_pairs(
    values: FloatArray, test: Test, correction: Correction | None, alpha: float, how: Resampling
) -> BoolArray:
    """Test whether each pair of columns differs significantly, in the order of np.triu_indices."""
    if correction == "tukey":
        if test != "t":
            raise InputError(
                f"{named('test')} is {test!r}, which has no Tukey HSD: use {argument('correction', 'holm')}, or "
                f"{argument('test', 't')}"
            )
        return tukey(values, alpha)
    if test == "t":
        p = paired_pvalues(values)
    elif test == "wilcoxon":
        p = wilcoxon_pvalues(values)
    else:
        signs = draw_signs(len(values), how.n_resamples, how.generator())
        p = two_sided(reached(values, signs), signs)
    return np.asarray((holm(p) if correction == "holm" else p) <= alpha)


def wilcoxon_pvalues(values: FloatArray) -> FloatArray:
    """Two-sided p-values of Wilcoxon's signed-rank test, without zero differences; 1 for identical systems.

    They are exact for up to 50 topics without tied or zero differences, otherwise by the normal approximation.
    """
    from scipy.stats import wilcoxon

    first, second = np.triu_indices(values.shape[1], 1)
    scaled = np.ldexp(values, -int(np.frexp(np.abs(values).max())[1]))
    found = np.ones(len(first))
    for i in range(values.shape[1] - 1):  # one system at a time, to bound memory
        pairs = np.flatnonzero(first == i)
        # Round, so that 0.3 - 0.1 and 0.2 are tied.
        d = np.round(scaled[:, i, None] - scaled[:, second[pairs]], 12)
        sizes = np.sort(np.abs(d), axis=0)
        coarse = (sizes[0] == 0) | (np.diff(sizes, axis=0) == 0).any(axis=0) | (len(d) > _EXACT)
        differs = sizes[-1] > 0
        for method, some in (("exact", ~coarse), ("asymptotic", coarse & differs)):
            if some.any():
                found[pairs[some]] = wilcoxon(d[:, some], axis=0, method=method).pvalue
    return found


def tukey(values: FloatArray, alpha: float) -> BoolArray:
    """Find Tukey's honestly significant differences in the two-way layout without interaction."""
    n, m = values.shape
    scaled = np.ldexp(values, -int(np.frexp(np.abs(values).max())[1]))
    residuals = scaled - scaled.mean(axis=0) - scaled.mean(axis=1, keepdims=True) + scaled.mean()
    freedom = (n - 1) * (m - 1)
    # Standard error of a mean: root of (residual sum of squares / ((n - 1)(m - 1)) / n).
    error = np.sqrt((residuals**2).sum() / freedom / n)
    difference = _differences(scaled)
    if error <= 1e-14:  # only rounding: systems differ by constants
        return np.asarray(difference > 0)
    return np.asarray(difference >= _critical(alpha, m, freedom) * error)


@lru_cache(maxsize=64)
def _critical(alpha: float, m: int, freedom: int) -> float:
    from scipy.stats import studentized_range

    return float(studentized_range.isf(alpha, m, freedom))


def _differences(values: FloatArray) -> FloatArray:
    """Absolute differences of the means; 0 for equal totals."""
    means = mean_over_topics(values)
    first, second = np.triu_indices(len(means), 1)
    return np.asarray(np.abs(means[first] - means[second]))
