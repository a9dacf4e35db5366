"""The weighted pairs of weighted_tau: the twin of weights.cpp."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import FloatArray, IntArray
from .pairing import Value, entry_points
from .permutations import earlier_smaller


class Weights(NamedTuple):
    """Sums over pairs for weighted_tau, weighted by 1 / rank of both items.

    First with the ranks in truth, ties broken by candidate; then with the ranks in candidate, ties broken by truth.
    """

    by_truth: Value  # pairs ordered alike, minus pairs ordered differently
    by_truth_untied_truth: Value
    by_truth_untied_candidate: Value
    by_candidate: Value
    by_candidate_untied_truth: Value
    by_candidate_untied_candidate: Value


def _weights(truth: FloatArray, candidate: FloatArray) -> FloatArray:
    """Compute `Weights` of one truth with each row of candidates."""
    x, m = np.unique(truth, return_inverse=True)[1], truth.size
    out = np.empty((len(candidate), len(Weights._fields)))
    for row, scores in enumerate(candidate):
        y = np.unique(scores, return_inverse=True)[1]
        tied_x, tied_y, tied_both = (_others_equal(values) for values in (x, y, x * m + y))
        alike = _above_on_both(x, y) + _above_on_both(-x, -y)
        swapped = m - 1 - tied_x - tied_y + tied_both - alike
        parts = np.stack([alike - swapped, m - 1 - tied_x, m - 1 - tied_y])
        weights = (1 / (1.0 + np.argsort(np.lexsort(keys)[::-1])) for keys in ((y, x), (x, y)))
        out[row] = np.concatenate([(parts * weight).sum(axis=1) for weight in weights])
    return out


def _others_equal(values: IntArray) -> IntArray:
    """Count for each item the others with its value."""
    _, group, count = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray(count[group] - 1)


def _above_on_both(x: IntArray, y: IntArray) -> IntArray:
    """Count for each item those above it on both sides."""
    if x.size <= 256:
        return np.asarray(((x[:, None] > x) & (y[:, None] > y)).sum(axis=0))
    # Order by x, best first, and rank by y; tied items are ordered so that they do not count.
    order = np.lexsort((y, -x))
    ranks = np.empty(x.size, np.int64)
    ranks[np.lexsort((-np.argsort(order), x, -y))] = np.arange(x.size)
    counts = np.empty(x.size, np.int64)
    counts[order] = earlier_smaller(ranks[order])[0]
    return counts


weights_pair, weights_rows = entry_points(_weights)
