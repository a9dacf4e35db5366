"""The gaps of tau_gap: the twin of gaps.cpp."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import FloatArray
from .pairing import Value, entry_points
from .permutations import earlier_smaller


class Gaps(NamedTuple):
    """Sums for tau_gap."""

    sum: Value  # over the items: the concordant share of the gaps to the items above
    places: Value  # items with a positive gap to an item above
    tied_candidate: Value  # positive if there are ties


def _gaps(truth: FloatArray, candidate: FloatArray) -> FloatArray:
    """Compute `Gaps` of one truth with each row of candidates."""
    m = truth.size
    # Only ratios of gaps matter, so scores whose gaps could overflow are scaled down by the least power of two.
    size = int(np.frexp(np.abs(truth).max())[1] + np.frexp(m)[1])
    truth = truth * 2.0 ** min(0, 1022 - size)
    best_first = np.argsort(-truth, kind="stable")
    x = truth[best_first]
    ranks = np.empty(m, np.int64)
    ranks[best_first] = np.arange(m)
    out = np.empty((len(candidate), len(Gaps._fields)))
    for row, y in enumerate(candidate):
        order = np.argsort(-y, kind="stable")
        if m <= 256:
            gap = truth[:, None] - truth
            gap *= y[:, None] > y
            up, down = np.maximum(gap, 0).sum(axis=0), np.maximum(-gap, 0).sum(axis=0)
        else:
            _, up, down = earlier_smaller(ranks[order], x)
        whole = up + down
        some = whole > 0
        scores = y[order]
        out[row] = (up[some] / whole[some]).sum(), some.sum(), np.count_nonzero(scores[1:] == scores[:-1])
    return out


gaps_pair, gaps_rows = entry_points(_gaps)
