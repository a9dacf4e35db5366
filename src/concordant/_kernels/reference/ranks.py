"""The products of ranks of spearman: the twin of ranks.cpp."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import FloatArray
from .pairing import Value, entry_points, tied_places


class Ranks(NamedTuple):
    """Sums for spearman, of doubled centred ranks; tied items have the mean of their ranks."""

    product: Value
    square_truth: Value
    square_candidate: Value


def _ranks(truth: FloatArray, candidate: FloatArray) -> FloatArray:
    """Compute `Ranks` of one truth with each row of candidates."""
    r, s = centred_ranks(truth[None]), centred_ranks(candidate)
    return np.column_stack([(r * s).sum(axis=1), np.full(len(s), (r * r).sum()), (s * s).sum(axis=1)])


def centred_ranks(scores: FloatArray) -> FloatArray:
    """Return twice the centred rank of each score in its row, a whole number."""
    order = np.argsort(scores, axis=1)
    ascending = np.take_along_axis(scores, order, axis=1)
    first, last = tied_places(ascending[:, 1:] == ascending[:, :-1])
    ranks = np.empty(scores.shape)
    np.put_along_axis(ranks, order, (first + last + 1 - scores.shape[1]).astype(np.float64), axis=1)
    return ranks


ranks_pair, ranks_rows = entry_points(_ranks)
