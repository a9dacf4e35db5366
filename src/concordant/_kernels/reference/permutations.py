"""Counting in permutations, for concordance and gaps."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ...arrays import FloatArray, IntArray


@lru_cache(maxsize=8)
def later_positions(m: int) -> npt.NDArray[np.bool_]:
    """Return a matrix that tells whether position j, the row, is later than position i, the column."""
    return np.tri(m, k=-1, dtype=bool)


def count_later_greater(ranks: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Count the later positions with a greater rank, for each position; each row is a permutation."""
    rows, m = ranks.shape
    if rows >= 8 and m <= 4096:
        columns = np.ascontiguousarray(ranks.T)
        dtype = np.uint8 if m <= 256 else np.uint16
        counts = np.zeros((m, rows), dtype)
        greater = np.empty((m, rows), bool)
        for i in range(m - 1):
            np.greater(columns[i + 1 :], columns[i], out=greater[i + 1 :])
            np.add.reduce(greater[i + 1 :].view(np.uint8), axis=0, dtype=dtype, out=counts[i])
        return counts.T
    if m <= 256:
        greater = ranks[:, None, :] > ranks[:, :, None]
        greater &= later_positions(m).T
        return np.asarray(np.add.reduce(greater.view(np.uint8), axis=2, dtype=np.uint8))
    flipped = m - 1 - ranks[:, ::-1].astype(np.int64)  # later and greater becomes earlier and smaller
    return np.array([earlier_smaller(row)[0] for row in flipped])[:, ::-1]


def earlier_smaller(ranks: IntArray, x: FloatArray | None = None) -> tuple[IntArray, FloatArray, FloatArray]:
    """Count for each position of a permutation the earlier positions with a smaller rank, in O(n log n).

    From the highest bit down, ranks fall into nodes of equal leading bits, each in its original order. Of two ranks
    that first differ in this bit, the smaller has a 0, so each 1 counts the zeros before it in its node. Node k of
    width w holds the ranks k w .. (k+1) w - 1, so nodes are the rows of a matrix with w columns. (Ranks beyond the last
    fill it up; they come after all others and do not count.)

    With scores x by rank, descending, also sum the gaps to these items, x_j - x_i, and the gaps x_i - x_j to earlier
    items of greater rank. Both are measured from the node's middle, so that all terms are >= 0.
    """
    n = ranks.size
    bits = max(1, (n - 1).bit_length())
    ranks = np.concatenate((ranks, np.arange(n, 1 << bits)))
    where = np.arange(1 << bits)
    counts = np.zeros(1 << bits, np.int64)
    up, down = np.zeros((2, 1 << bits))
    score = np.zeros(0) if x is None else np.concatenate((x, np.full((1 << bits) - n, x[-1])))
    for bit in reversed(range(bits)):
        half = 1 << bit
        nodes, at = ranks.reshape(-1, 2 * half), where.reshape(-1, 2 * half)
        one = (nodes & half) != 0
        zeros = np.cumsum(~one, axis=1) - ~one
        ones = np.arange(2 * half) - zeros
        counts[at[one]] += zeros[one]
        if x is not None:
            gap = np.abs(score[nodes] - score[half - 1 :: 2 * half, None])
            for mine, others, count, sums in ((one, ~one, zeros, up), (~one, one, ones, down)):
                before = np.cumsum(np.where(others, gap, 0), axis=1)
                sums[at[mine]] += before[mine] + count[mine] * gap[mine]
        place = np.where(one, half + ones, zeros)
        ranks, where = np.empty_like(nodes), np.empty_like(at)
        np.put_along_axis(ranks, place, nodes, 1)
        np.put_along_axis(where, place, at, 1)
    return counts[:n], up[:n], down[:n]
