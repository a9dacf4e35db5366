"""The products of ranks of spearman: the twin of ranks.cpp."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import FloatArray
from .pairing import Value, entry_points


class Ranks(NamedTuple):
    """Sums for spearman, of twice the ranks minus their mean; tied items have the mean of their ranks."""

    product: Value
    square_truth: Value
    square_candidate: Value


def _ranks(truth: FloatArray, candidate: FloatArray) -> FloatArray:
    """`Ranks` of one truth with each row of candidates."""
    r, s = centred_ranks(truth[None]), centred_ranks(candidate)
    return np.column_stack([(r * s).sum(axis=1), np.full(len(s), (r * r).sum()), (s * s).sum(axis=1)])


def centred_ranks(scores: FloatArray) -> FloatArray:
    """Twice the rank of each score in its row, minus the mean: whole numbers."""
    rows, m = scores.shape
    order = np.argsort(scores, axis=1)
    ascending = np.take_along_axis(scores, order, axis=1)
    first, last = np.ones((rows, m), dtype=bool), np.ones((rows, m), dtype=bool)
    first[:, 1:] = last[:, :-1] = ascending[:, 1:] != ascending[:, :-1]
    place = np.arange(m)
    below = np.maximum.accumulate(np.where(first, place, 0), axis=1)
    up_to = np.minimum.accumulate(np.where(last, place + 1, m)[:, ::-1], axis=1)[:, ::-1]
    ranks = np.empty((rows, m))
    np.put_along_axis(ranks, order, (below + up_to - m).astype(np.float64), axis=1)
    return ranks


ranks_pair, ranks_rows = entry_points(_ranks)
