"""The cosines of pearson_rank: the twin of cosines.cpp."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import FloatArray
from .pairing import Value, entry_points


class Cosines(NamedTuple):
    """Sums for pearson_rank."""

    sum: Value  # over the items: weight times cosine
    weight: Value
    range_truth: Value  # 0 if all are tied; other values have no meaning
    range_candidate: Value


def _cosines(truth: FloatArray, candidate: FloatArray) -> FloatArray:
    """Compute `Cosines` of one truth with each row of candidates."""
    m = truth.size
    order = np.argsort(-truth, kind="stable")
    truth, candidate = truth[order], candidate[:, order]
    out = np.zeros((len(candidate), len(Cosines._fields)))
    column = Cosines(*out.T)
    x, y = _rescaled(truth[None])[0], _rescaled(candidate)
    column.range_truth[:] = x[0] - x[-1]
    column.range_candidate[:] = y.max(axis=1) - y.min(axis=1)
    defined = (column.range_truth > 0) & (column.range_candidate > 0)
    if not defined.any():
        return out
    weight = (x - x[-1]) / (x[0] - x[-1])
    x = (x - x[0]) / (x[0] - x[-1])  # 0 at the best, -1 at the worst
    y = (y[defined] - y[defined, :1]) / column.range_candidate[defined, None]
    first = np.searchsorted(-truth, -truth, side="left")  # items above, by the original scores
    some = np.flatnonzero(first > 0)
    above = first[some]
    # Means and centred second moments of the first k items: xx_k = xx_{k-1} + (x_k - mean_{k-1}) (x_k - mean_k).
    # The sum over j of (x_j - x_i)^2 is xx + above (mean - x_i)^2. Scores are measured from the first item, so every
    # sum is accurate relative to its norm.
    k = np.arange(1, m + 1)
    mean_x, mean_y = np.cumsum(x) / k, np.cumsum(y, axis=1) / k
    dev_x = x - np.concatenate(([0.0], mean_x[:-1]))
    dev_y = y - np.concatenate((np.zeros((len(y), 1)), mean_y[:, :-1]), axis=1)
    xx = np.cumsum(dev_x * (x - mean_x))[above - 1]
    yy = np.cumsum(dev_y * (y - mean_y), axis=1)[:, above - 1]
    xy = np.cumsum(dev_x * (y - mean_y), axis=1)[:, above - 1]
    dx, dy = mean_x[above - 1] - x[some], mean_y[:, above - 1] - y[:, some]
    norm_x, norm_y = xx + above * dx * dx, yy + above * dy * dy
    with np.errstate(all="ignore"):
        cosine = (xy + above * dx * dy) / np.sqrt(norm_x * norm_y)
    # If the item and all above it are tied in candidate, there are no gaps and the cosine is 0.
    differs = candidate[defined] != candidate[defined, :1]
    flat = ~np.logical_or.accumulate(differs, axis=1)[:, above - 1] & ~differs[:, some]
    cosine[flat] = 0
    some_x, some_y = norm_x > 1e-140, norm_y > 1e-140
    for row, i in np.argwhere(~(some_x & some_y) & ~flat):
        # Use the original scores of a side with tiny gaps, because rescaling may have made them 0.
        sides = x if some_x[i] else truth, y[row] if some_y[row, i] else candidate[defined][row]
        cosine[row, i] = _cosine_directly(*sides, int(above[i]), int(some[i]))
    column.sum[defined] = (weight[some] * np.clip(cosine, -1, 1)).sum(axis=1)
    column.weight[defined] = weight[some].sum()
    return out


def _rescaled(scores: FloatArray) -> FloatArray:
    """Scale rows by a power of two if needed, so that neither differences overflow nor squares vanish."""
    largest = np.abs(scores).max(axis=1, keepdims=True)
    exponent = np.where((largest < 1e-100) | (largest > 1e100), np.frexp(largest)[1], 0)
    scaled: FloatArray = np.ldexp(scores, -exponent)
    return scaled


def _cosine_directly(x: FloatArray, y: FloatArray, above: int, i: int) -> float:
    """Compute the cosine for gaps so small that their squares would vanish; each side has a nonzero gap."""
    dx, dy = x[:above] - x[i], y[:above] - y[i]
    dx, dy = dx / np.abs(dx).max(), dy / np.abs(dy).max()
    return float(dx @ dy / np.sqrt((dx @ dx) * (dy @ dy)))


cosines_pair, cosines_rows = entry_points(_cosines)
