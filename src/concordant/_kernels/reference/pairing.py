"""Entry points of kernels that compare two rows: for one pair, and for many.

`*_pair` takes two vectors and returns a tuple of sums, or None if a score is not finite. `*_rows` takes many pairs,
fills one row of sums in `out` for each, and returns whether all scores were finite.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ...arrays import FloatArray, IntArray

# A field of a kernel's result: a float for one pair, an array for a batch. Formulas are the same for both.
Value: TypeAlias = FloatArray
Block: TypeAlias = Callable[..., FloatArray]
"""Takes one truth, rows of candidates and the kernel's settings; returns one row of sums for each candidate."""
Quick: TypeAlias = Callable[..., tuple[float, ...] | None]
Pair: TypeAlias = Callable[..., tuple[float, ...] | None]
Rows: TypeAlias = Callable[..., bool]


def finite(truth: FloatArray, candidate: FloatArray) -> bool:
    """Tell whether all scores are finite."""
    # A finite product proves it; an infinite one may be an overflow.
    with np.errstate(all="ignore"):
        product = np.dot(truth, candidate)
    return isfinite(product) or bool(np.isfinite(truth).all() and np.isfinite(candidate).all())


def entry_points(block: Block, quick: Quick | None = None) -> tuple[Pair, Rows]:
    """Make a kernel's two entry points, for one pair and for many, from its function of one truth and many candidates.

    For one pair, `quick` is tried first; if it returns None, `block` is called.
    """

    def pair(truth: FloatArray, candidate: FloatArray, *settings: Any) -> tuple[float, ...] | None:
        if not finite(truth, candidate):
            return None
        found = None if quick is None else quick(truth, candidate, *settings)
        return tuple(block(truth, candidate[None], *settings)[0].tolist()) if found is None else found

    def rows(
        truth: FloatArray,
        candidate: FloatArray,
        truth_row: IntArray,
        candidate_row: IntArray,
        out: FloatArray,
        workers: int,
        *settings: Any,
    ) -> bool:
        if not np.isfinite(truth[np.unique(truth_row)]).all():
            return False
        step = max(1, 2**18 // truth.shape[1])  # to bound the memory
        order = np.argsort(truth_row, kind="stable")
        for pairs in np.split(order, np.flatnonzero(np.diff(truth_row[order])) + 1):
            for lo in range(0, len(pairs), step):
                some = pairs[lo : lo + step]
                these = candidate[candidate_row[some]]
                if not np.isfinite(these).all():
                    return False
                out[some] = block(truth[truth_row[some[0]]], these, *settings)
        return True

    return pair, rows


def tied_places(equal: npt.NDArray[np.bool_]) -> tuple[IntArray, IntArray]:
    """Return the first and last position of each item's run of equal items; `equal` compares neighbours."""
    rows, m = equal.shape[0], equal.shape[1] + 1
    place = np.arange(m)
    starts = np.ones((rows, m), dtype=bool)
    starts[:, 1:] = ~equal
    ends = np.roll(starts, -1, axis=1)
    first = np.maximum.accumulate(np.where(starts, place, 0), axis=1)
    last = np.minimum.accumulate(np.where(ends, place, m - 1)[:, ::-1], axis=1)[:, ::-1]
    return first, last
