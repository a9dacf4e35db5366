"""The weighted pairs of weighted_tau: the twin of weights.cpp."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import FloatArray, IntArray
from .pairing import Value, entry_points
from .permutations import earlier_smaller


class Weights(NamedTuple):
    """Sums over the pairs for weighted_tau, each with the weights of both items, which are 1 / rank.

    First with the ranks in truth, where candidate breaks ties; then with the ranks in candidate, where truth does.
    """

    by_truth: Value  # pairs ordered alike, minus pairs ordered differently
    by_truth_untied_truth: Value
    by_truth_untied_candidate: Value
    by_candidate: Value
    by_candidate_untied_truth: Value
    by_candidate_untied_candidate: Value


def _weights(truth: FloatArray, candidate: FloatArray) -> FloatArray:
    """`Weights` of one truth with each row of candidates."""
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
    """For each item, how many others have its value."""
    _, group, count = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray(count[group] - 1)


def _above_on_both(x: IntArray, y: IntArray) -> IntArray:
    """For each item, how many are above it on both sides."""
    if x.size <= 256:
        return np.asarray(((x[:, None] > x) & (y[:, None] > y)).sum(axis=0))
    # Best first by x, and ranks by y; what is tied is put in the order in which it does not count.
    order = np.lexsort((y, -x))
    ranks = np.empty(x.size, np.int64)
    ranks[np.lexsort((-np.argsort(order), x, -y))] = np.arange(x.size)
    counts = np.empty(x.size, np.int64)
    counts[order] = earlier_smaller(ranks[order])[0]
    return counts


weights_pair, weights_rows = entry_points(_weights)
