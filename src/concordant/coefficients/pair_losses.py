"""Compute what each pair of systems adds to 1 - coefficient, for coefficients that are sums over pairs.

Every function returns a symmetric m x m matrix whose upper triangle sums to 1 - value. Pairs that both sides order the
same way contribute 0, and no contribution is negative.
"""

from __future__ import annotations

import math

import numpy as np

from ..arrays import BoolArray, FloatArray


def above(scores: FloatArray) -> BoolArray:
    """Return a matrix whose entry `[j, i]` tells whether system j is above system i."""
    return np.asarray(scores[:, None] > scores[None, :])


def _orders(truth: FloatArray, candidate: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the signs of the differences between every two systems, for truth and for candidate."""
    return np.sign(truth[:, None] - truth[None, :]), np.sign(candidate[:, None] - candidate[None, :])


def tau_a(truth: FloatArray, candidate: FloatArray) -> FloatArray:
    """Charge (1 - product of the signs) / N: 2 / N for a swapped pair, 1 / N for a tied pair."""
    x, y = _orders(truth, candidate)
    losses = (1 - x * y) / (len(truth) * (len(truth) - 1) / 2)
    np.fill_diagonal(losses, 0)
    return np.asarray(losses)


def tau_b(truth: FloatArray, candidate: FloatArray) -> FloatArray:
    """Charge 2 / R for a swapped pair. R = sqrt(A B), where A and B are the numbers of untied pairs of the two sides.

    The losses of the U pairs that both sides order sum to (1 - tau_b) - (R - U) / R. The rest, (R - U) / R >= 0, is
    divided equally among the pairs that only one side ties.
    """
    x, y = _orders(truth, candidate)
    root = math.sqrt(np.count_nonzero(x) / 2 * (np.count_nonzero(y) / 2))
    one = (x != 0) ^ (y != 0)
    x *= y
    left = (root - np.count_nonzero(x) / 2) / max(1.0, np.count_nonzero(one) / 2)
    np.subtract(x != 0, x, out=y)  # 2 where a pair is swapped
    y += left * one
    y /= root
    return y


def tau_strict(truth: FloatArray, candidate: FloatArray) -> FloatArray:
    """Charge 2 / N for a pair whose relation (above, below, tied) is not the same on both sides."""
    x, y = _orders(truth, candidate)
    return np.asarray((x != y) * 2 / (len(truth) * (len(truth) - 1) / 2))


def pairwise_accuracy(truth: FloatArray, candidate: FloatArray) -> FloatArray:
    """Charge 1 / N for a pair whose relation (above, below, tied) is not the same on both sides."""
    return tau_strict(truth, candidate) / 2


def _walked(passed: FloatArray | BoolArray, wrong: BoolArray) -> FloatArray:
    """Charge 2 / M times the share of each i's weights `passed[j, i]` that is wrong. Fill both halves of the matrix."""
    total = passed.sum(axis=0)
    costs = wrong * passed * (2 / (np.where(total > 0, total, 1) * max(1, (total > 0).sum())))
    return np.asarray(costs + costs.T)


def tau_ap_ties(truth: FloatArray, candidate: FloatArray) -> FloatArray:
    """Charge 2 / ((m - t_1) (p_i - 1)) for each j above i in candidate that the truth does not put above i."""
    return _walked(above(candidate), ~above(truth))


def tau_ap_b(truth: FloatArray, candidate: FloatArray) -> FloatArray:
    """Average the losses of `tau_ap_ties` over both directions."""
    return (tau_ap_ties(truth, candidate) + tau_ap_ties(candidate, truth)) / 2


def tau_ap_a(truth: FloatArray, candidate: FloatArray) -> FloatArray:
    """Average the losses of `tau_ap` over all orders of the systems tied in candidate.

    If j is above the tied group of i, the mean (1 / t_i) sum_{k=1..t_i} 1 / (p_i + k - 2) replaces 1 / (p_i - 1). If j
    is in the group of i and the truth puts i above j, then j is above i with probability (k - 1) / (t - 1) when i has
    place k in the group.
    """
    m, wrong = len(truth), above(candidate) & ~above(truth)
    outside, inside = np.zeros(m), np.zeros(m)
    for i in range(m):
        p, t = 1 + int((candidate > candidate[i]).sum()), int((candidate == candidate[i]).sum())
        k = np.arange(1, t + 1)
        outside[i] = (1 / (p + k - 2)).sum() / t if p > 1 else 0.0
        inside[i] = ((k[1:] - 1) / (p + k[1:] - 2)).sum() / (t * (t - 1)) if t > 1 else 0.0
    tied = (candidate[:, None] == candidate[None, :]) & above(truth).T  # the truth puts i, the column, above j
    costs = (wrong * outside + tied * inside) * (2 / (m - 1))
    return np.asarray(costs + costs.T)


def tau_ap_strict(truth: FloatArray, candidate: FloatArray) -> FloatArray:
    """Charge 2 / (M (A(i) + T(i))) for each j above or tied with i in candidate whose relation differs in the truth."""
    higher, lower = above(candidate), above(candidate).T
    beside = ~(higher | lower)
    np.fill_diagonal(beside, False)
    wrong = (higher & ~above(truth)) | (beside & (above(truth) | above(truth).T))
    return _walked(higher | beside, wrong)


def tau_gap(truth: FloatArray, candidate: FloatArray) -> FloatArray:
    """Charge 2 g_ji / (K * sum of i's gaps to systems above) for each j above i in candidate but not in the truth."""
    return _walked(above(candidate) * np.abs(truth[:, None] - truth[None, :]), ~above(truth))
