"""Sizes of documents: how much the label of each document can change the differences between systems.

The probability that a document is drawn is proportional to its size, up to 1.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arrays import FloatArray
from ..errors import InputError
from .measures import Measure
from .pool import Pool

_COMMON = 0.1  # weight of an effect that is equal for all systems
_FLOOR = 1e-6  # smallest size, relative to the largest, so that every pair can be drawn
_KINDS = ("P", "DCG", "nDCG", "AP")


def check_kinds(measures: Sequence[Measure]) -> None:
    """Raise if a measure cannot be estimated from a sample of documents."""
    for measure in measures:
        if measure.kind not in _KINDS:
            raise InputError(f"{measure} cannot be estimated from a sample of documents: use P@k, DCG@k, nDCG@k or AP")


def discount(depth: int) -> FloatArray:
    """Return the discounts 1 / log2(rank + 1) of the first ranks."""
    return 1.0 / np.log2(np.arange(2, depth + 2))


def rank_weights(measure: Measure, depth: int) -> FloatArray:
    """Return the weight that a label at each rank down to the cutoff has in the score; for nDCG, in the numerator."""
    cutoff = measure.cutoff or depth
    return np.full(cutoff, 1.0 / cutoff) if measure.kind == "P" else discount(cutoff)


def sizes_of(pool: Pool, measures: Sequence[Measure]) -> FloatArray:
    """Combine the sizes of several measures: scale each to mean 1, and take the root mean square."""
    each = [_size(pool, measure) for measure in measures]
    size: FloatArray = np.sqrt(np.mean([(one / one.mean()) ** 2 for one in each], axis=0))
    return size.clip(_FLOOR * size.max())


def _size(pool: Pool, measure: Measure) -> FloatArray:
    """Return sqrt(variance + 0.1 mean^2), over systems, of the derivative of the score with respect to the label."""
    m, depth = len(pool.systems), pool.places.shape[2]
    if measure.kind == "AP":
        # x = 0.1 + 0.8 level / highest level, R = sum x, a = dS/dx / R - AP / R.
        guess = 0.1 + 0.8 * pool.share
        relevant = np.maximum(pool.by_topic(guess), 1.0)
        slope, score = ap_slopes(pool, guess, relevant, measure.cutoff or depth)
        down = score / relevant  # a relevant document increases R, which lowers all scores
        # Sums over systems of a and a^2. A system that does not rank the document has dS/dx = 0.
        total = pool.over_systems(slope) - down.sum(axis=0)[pool.topic_of]
        cross = pool.over_systems(slope * down[:, :, None])
        square = pool.over_systems(slope**2) - 2 * cross + (down**2).sum(axis=0)[pool.topic_of]
    else:
        # a = 1 / k for P@k, the discount of the rank for DCG, and the discount divided by the ideal DCG for nDCG.
        weights = rank_weights(measure, depth)
        weights = np.broadcast_to(weights, (*pool.places.shape[:2], len(weights)))
        total, square = pool.over_systems(weights), pool.over_systems(weights**2)
        if measure.kind == "nDCG":
            ideal = _ideal(pool, measure.cutoff or depth)[pool.topic_of]
            total, square = total / ideal, square / ideal**2
    # size = sqrt(mean a^2 - (mean a)^2 + 0.1 (mean a)^2).
    mean = total / m
    size: FloatArray = np.sqrt(np.maximum(square / m - mean**2, 0.0) + _COMMON * mean**2)
    return size


def _ideal(pool: Pool, cutoff: int) -> FloatArray:
    """Best possible DCG of each topic, with the machine's levels as gains from 0 to 1; 1 without a machine."""
    found = np.ones(len(pool.topics))
    for t in range(len(found)) if pool.share.any() else ():
        gains = np.sort(pool.share[pool.topic_of == t])[::-1][:cutoff]
        found[t] = max(0.1, float(gains @ discount(len(gains))))
    return found


def ap_slopes(pool: Pool, labels: FloatArray, relevant: FloatArray, cutoff: int) -> tuple[FloatArray, FloatArray]:
    """Return the derivative of average precision, S / R, with respect to each label x at fixed R; and S / R.

    Here S = sum_r x_r / r (1 + sum_{r' < r} x_r').
    """
    # dS/dx_r = (1 + sum before) / r + sum of x_r' / r' after, because the term of each later x_r' counts x_r as well.
    x = pool.at(labels, cutoff)
    by_rank = 1.0 / np.arange(1, x.shape[2] + 1)
    before = 1.0 + np.cumsum(x, axis=2) - x
    terms = x * by_rank
    after = terms.sum(axis=2, keepdims=True) - np.cumsum(terms, axis=2)
    return (by_rank * before + after) / relevant[:, None], (terms * before).sum(axis=2) / relevant
