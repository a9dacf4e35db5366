"""A kernel of two rows, for one pair of them and for many.

`*_pair` takes two vectors and gives a tuple of its sums, or None where a score is not finite. `*_rows` takes many
pairs, fills `out`, one row of sums for each, and says whether all scores were finite.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import TypeAlias

import numpy as np

from ...arrays import FloatArray, IntArray

# A field of a kernel's result: a float for one pair, an array for a batch. Formulas are the same for both.
Value: TypeAlias = FloatArray
Block: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]
"""One truth with rows of candidates: one row of sums for each."""
Pair: TypeAlias = Callable[[FloatArray, FloatArray], tuple[float, ...] | None]
Rows: TypeAlias = Callable[[FloatArray, FloatArray, IntArray, IntArray, FloatArray, int], bool]


def finite(truth: FloatArray, candidate: FloatArray) -> bool:
    """Whether all scores are finite."""
    # A finite product is proof; one that is not may also be an overflow.
    with np.errstate(all="ignore"):
        product = np.dot(truth, candidate)
    return isfinite(product) or bool(np.isfinite(truth).all() and np.isfinite(candidate).all())


def for_each_truth(
    block: Block,
    truth: FloatArray,
    candidate: FloatArray,
    truth_row: IntArray,
    candidate_row: IntArray,
    out: FloatArray,
) -> bool:
    """Call `block` on each row of truth with all its rows of candidates, some at a time to bound the memory."""
    if not np.isfinite(truth[np.unique(truth_row)]).all():
        return False
    step = max(1, 2**18 // truth.shape[1])
    order = np.argsort(truth_row, kind="stable")
    for pairs in np.split(order, np.flatnonzero(np.diff(truth_row[order])) + 1):
        for lo in range(0, len(pairs), step):
            some = pairs[lo : lo + step]
            these = candidate[candidate_row[some]]
            if not np.isfinite(these).all():
                return False
            out[some] = block(truth[truth_row[some[0]]], these)
    return True


def entry_points(block: Block) -> tuple[Pair, Rows]:
    """The two calls that a kernel has, by its function of one truth with rows of candidates: one pair, many pairs."""

    def pair(truth: FloatArray, candidate: FloatArray) -> tuple[float, ...] | None:
        if not finite(truth, candidate):
            return None
        return tuple(block(truth, candidate[None])[0].tolist())

    def rows(
        truth: FloatArray,
        candidate: FloatArray,
        truth_row: IntArray,
        candidate_row: IntArray,
        out: FloatArray,
        workers: int,
    ) -> bool:
        return for_each_truth(block, truth, candidate, truth_row, candidate_row, out)

    return pair, rows
