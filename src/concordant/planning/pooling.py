"""Variances of pairs, each pooled with those of all pairs: few topics say little about one pair alone."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..arrays import FloatArray
from .differences import Block, PairDifferences

_MOST = 1e6  # degrees of freedom: as good as infinitely many


class Pooling(NamedTuple):
    """What all pairs say about the variance of one."""

    variance: float
    """The mean of the variances."""
    weight: float
    """As many degrees of freedom as that counts, beside the n - 1 of a pair's own variance; 0 for less than 3 pairs."""


def pooling(pairs: PairDifferences) -> Pooling:
    """By how much the variances of pairs differ beyond chance: empirical Bayes, after Smyth (2004).

    If the true variances have an inverse chi-squared distribution with w degrees of freedom, then the logarithms of the
    observed ones have the variance trigamma((n - 1) / 2) + trigamma(w / 2). Pairs that never vary are left out.
    """
    from scipy.special import polygamma

    found = [_variances(block)[~block.constant] for block in map(pairs.block, pairs.pieces())]
    variances = np.concatenate(found)
    if len(variances) < 3:
        return Pooling(0.0, 0.0)
    beyond = float(np.log(variances).var(ddof=1) - polygamma(1, (pairs.n - 1) / 2))
    return Pooling(float(variances.mean()), min(2 * _inverse_trigamma(beyond), _MOST) if beyond > 0 else _MOST)


def pooled_deviations(block: Block, pool: Pooling) -> FloatArray:
    """The standard deviation of each pair's differences: both variances, weighted by their degrees of freedom."""
    free = block.differences.shape[1] - 1
    return np.asarray(np.sqrt((free * _variances(block) + pool.weight * pool.variance) / (free + pool.weight)))


def _variances(block: Block) -> FloatArray:
    return np.asarray(block.differences.var(axis=1, ddof=1))


def _inverse_trigamma(value: float) -> float:
    """Newton's method on 1 / trigamma, which is convex and nearly linear: it converges from below, in a few steps."""
    from scipy.special import polygamma

    if value < 1 / _MOST:
        return 1 / value
    y = 0.5 + 1 / value
    for _ in range(100):
        trigamma = float(polygamma(1, y))
        step = trigamma * (1 - trigamma / value) / float(polygamma(2, y))
        y += step
        if abs(step) < 1e-12 * y:
            break
    return y if math.isfinite(y) else _MOST
