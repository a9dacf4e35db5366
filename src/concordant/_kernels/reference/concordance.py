"""Concordant pairs of two rankings: the twin of concordance.cpp, concordance_large.cpp and concordance_tolerant.cpp.

This module makes the entry points of all kernels that compare two rankings. `*_pair` takes two vectors and returns a
tuple of sums, or None if a score is not finite. `*_rows` takes many pairs, fills one row of sums in `out` for each
pair, and returns whether all scores were finite.

Throughout, an item is *above* another when its score is higher. Rows are walked in ascending order of `candidate`, so
the items above a given one come after it.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ...arrays import FloatArray, IntArray

# A field of a kernel's result: a float for one pair, an array for a batch. Formulas are the same for both.
Value: TypeAlias = FloatArray
Block: TypeAlias = Callable[..., FloatArray]
"""A function of one truth, rows of candidates and the kernel's settings that returns one row of sums per candidate."""
Pair: TypeAlias = Callable[..., tuple[float, ...] | None]
Rows: TypeAlias = Callable[..., bool]


def finite(truth: FloatArray, candidate: FloatArray) -> bool:
    """Tell whether all scores are finite."""
    # A finite dot product proves that all scores are finite. An infinite one may also come from an overflow.
    with np.errstate(all="ignore"):
        product = np.dot(truth, candidate)
    return isfinite(product) or bool(np.isfinite(truth).all() and np.isfinite(candidate).all())


def entry_points(block: Block) -> tuple[Pair, Rows]:
    """Make the entry points of a kernel, for one pair and for many pairs, from its `Block`."""

    def pair(truth: FloatArray, candidate: FloatArray, *settings: Any) -> tuple[float, ...] | None:
        if not finite(truth, candidate):
            return None
        return tuple(block(truth, candidate[None], *settings)[0].tolist())

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
        step = max(1, 2**16 // truth.shape[1])  # few enough rows for the cache
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
    """Return the first and last position of each item's run of equal items. `equal` marks equal neighbours."""
    rows, m = equal.shape[0], equal.shape[1] + 1
    place = np.arange(m)
    if not equal.any():
        return (np.broadcast_to(place, (rows, m)),) * 2
    starts = np.ones((rows, m), dtype=bool)
    starts[:, 1:] = ~equal
    ends = np.roll(starts, -1, axis=1)
    first = np.maximum.accumulate(np.where(starts, place, 0), axis=1)
    last = np.minimum.accumulate(np.where(ends, place, m - 1)[:, ::-1], axis=1)[:, ::-1]
    return first, last


def count_later_greater(ranks: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Count, for each position, the later positions with a greater rank."""
    rows, m = ranks.shape
    if rows >= 8 and m <= 4096:
        columns = np.ascontiguousarray(ranks.T)
        dtype = np.uint8 if m <= 256 else np.uint16
        counts = np.zeros((m, rows), dtype)
        greater = np.empty((m, rows), bool)
        for i in range(m - 1):
            np.greater(columns[i + 1 :], columns[i], out=greater[i + 1 :])
            np.add.reduce(greater[i + 1 :].view(np.uint8), axis=0, dtype=dtype, out=counts[i])
        return np.ascontiguousarray(counts.T)
    if m <= 256:
        place = np.arange(m, dtype=np.uint8)
        greater = ranks[:, None, :] > ranks[:, :, None]
        greater &= place > place[:, None]
        return np.asarray(np.add.reduce(greater.view(np.uint8), axis=2, dtype=np.uint8))
    # Reverse the positions and number the ranks from the greatest. "Later and greater" then becomes "earlier and
    # smaller". Of two equal ranks, the earlier in `flipped` gets the larger number, so the pair does not count.
    flipped = np.empty((rows, m), np.int64)
    order = np.argsort(-ranks.astype(np.int64), axis=1, kind="stable")
    np.put_along_axis(flipped, m - 1 - order, np.broadcast_to(np.arange(m), (rows, m)), 1)
    return np.array([earlier_smaller(row) for row in flipped])[:, ::-1]


def earlier_smaller(ranks: IntArray) -> IntArray:
    """Count, for each position of a permutation, the earlier positions with a smaller rank, in O(n log n).

    Go through the bits from the highest down. Ranks with the same leading bits form a node and keep their original
    order. If two ranks of a node differ in the current bit, the smaller has a 0, so each 1 counts the zeros before it
    in its node. Node k of width w holds the ranks k w .. (k+1) w - 1, so nodes are the rows of a matrix with w columns.
    Extra ranks fill up the matrix. They come after all given ranks, so no given rank counts them.
    """
    n = ranks.size
    bits = max(1, (n - 1).bit_length())
    ranks = np.concatenate((ranks, np.arange(n, 1 << bits)))
    where = np.arange(1 << bits)
    counts = np.zeros(1 << bits, np.int64)
    for bit in reversed(range(bits)):
        half = 1 << bit
        nodes, at = ranks.reshape(-1, 2 * half), where.reshape(-1, 2 * half)
        one = (nodes & half) != 0
        zeros = np.cumsum(~one, axis=1) - ~one
        ones = np.arange(2 * half) - zeros
        counts[at[one]] += zeros[one]
        place = np.where(one, half + ones, zeros)
        ranks, where = np.empty_like(nodes), np.empty_like(at)
        np.put_along_axis(ranks, place, nodes, 1)
        np.put_along_axis(where, place, at, 1)
    return counts[:n]


MEAN, STRICT, BACK, PAIRS = 1, 2, 4, 8
"""Flags for sums that only some coefficients need; pass the sum of the flags as `extra`. PAIRS alone asks only for the
numbers of pairs: the fields after `tied_both` are then meaningless."""


class Counts(NamedTuple):
    """Counts and sums over two rankings. C(i) is the number of items above i on both sides."""

    concordant: Value  # pairs that both rankings order the same way
    discordant: Value  # pairs that the rankings order differently
    tied_truth: Value  # pairs tied in truth
    tied_candidate: Value
    tied_both: Value
    top_truth: Value  # items with no item above them
    top_candidate: Value
    down_truth: Value  # BACK: sum of C(i) / (items above i in truth)
    down_candidate: Value  # sum of C(i) / (items above i in candidate)
    mean_candidate: Value  # MEAN: down_candidate, averaged over the places of i in its tied group
    within_candidate: Any  # MEAN: the part from pairs within tied groups, concordant in half of the orders
    strict_candidate: Value  # STRICT: sum of (C(i) + items tied with i on both sides) / (items above or tied with i)
    alone_candidate: Value  # STRICT: 1 if an item has no item above it or tied with it


Compared: TypeAlias = tuple[npt.NDArray[Any], ...]
"""Arrays with one row per candidate and one column per item, in any order of the items. The first three count the items
above each item: on both sides, in candidate, and in truth. If there are ties, three more arrays count the items tied
with each item, including itself: in candidate, in truth, and on both sides."""


def _by_sorting(truth: FloatArray, candidate: FloatArray) -> Compared:
    """Compare the items of one truth and rows of candidates, in ascending order of candidate."""
    m = truth.size
    ascending, y = np.sort(truth), np.sort(candidate, axis=1)
    equal = y[:, 1:] == y[:, :-1]
    if tied := np.count_nonzero(equal):  # order ties by truth, best first: a later item is not above in truth
        order = np.lexsort((np.broadcast_to(-truth, candidate.shape), candidate), axis=1)
    else:
        order = candidate.argsort(axis=1)
    below = ascending.searchsorted(truth)
    ranks = below.astype(np.uint8 if m <= 256 else np.uint16 if m <= 2**16 else np.int64)[order]
    both = count_later_greater(ranks)
    if not tied and not np.count_nonzero(ascending[1:] == ascending[:-1]):
        return both, np.arange(m)[::-1], m - 1 - ranks
    first, last = tied_places(equal)
    begin, end = tied_places(equal & (ranks[:, 1:] == ranks[:, :-1]))
    upto = ascending.searchsorted(truth, side="right")
    tied_truth = np.broadcast_to(upto - below, order.shape)
    return both, m - 1 - last, (m - upto)[order], last - first + 1, tied_truth, end - begin + 1


def _by_pairs(truth: FloatArray, candidate: FloatArray, tolerance: float) -> Compared:
    """Compare all pairs of items, some pairs at a time, because ties within a tolerance are not transitive."""
    m = truth.size
    found = np.zeros((6, len(candidate), m), np.int64)
    step = max(1, 2**22 // m)
    with np.errstate(over="ignore"):
        for row, scores in enumerate(candidate):
            for lo in range(0, m, step):
                i = slice(lo, lo + step)
                x, y = truth[:, None] - truth[i], scores[:, None] - scores[i]
                x_up, y_up, x_tied, y_tied = x >= tolerance, y >= tolerance, abs(x) < tolerance, abs(y) < tolerance
                for k, relation in enumerate((x_up & y_up, y_up, x_up, y_tied, x_tied, x_tied & y_tied)):
                    found[k, row, i] = relation.sum(axis=0)
    return tuple(found)


def _concordance(truth: FloatArray, candidate: FloatArray, tolerance: float, extra: int) -> FloatArray:
    """Compute the `Counts` of one truth with each row of candidates."""
    items = _by_pairs(truth, candidate, tolerance) if tolerance > 0 else _by_sorting(truth, candidate)
    both, above, above_truth, *ties = items
    rows, m = candidate.shape
    out = np.zeros((rows, len(Counts._fields)))
    column = Counts(*out.T)
    column.concordant[:] = np.add.reduce(both, axis=1, dtype=np.float64)
    column.discordant[:] = m * (m - 1) / 2 - column.concordant
    column.down_truth[:] = _sum_ratios(both, above_truth) if extra & BACK else 0
    column.down_candidate[:] = _sum_ratios(both, above)
    if not ties:
        column.top_truth[:] = column.top_candidate[:] = column.alone_candidate[:] = 1
        column.mean_candidate[:] = column.down_candidate if extra & MEAN else 0
        column.strict_candidate[:] = column.down_candidate
        return out
    tied, tied_truth, same = ties
    column.tied_truth[:], column.tied_candidate[:], column.tied_both[:] = (
        (count - 1).sum(axis=1) / 2 for count in (tied_truth, tied, same)
    )
    column.discordant[:] -= column.tied_truth + column.tied_candidate - column.tied_both
    column.top_truth[:], column.top_candidate[:] = ((count == 0).sum(axis=1) for count in (above_truth, above))
    if extra & MEAN:
        column.mean_candidate[:], column.within_candidate[:] = _mean_over_places(both, above, tied)
    others = above + tied - 1
    column.strict_candidate[:] = _sum_ratios(both + same - 1, others)
    column.alone_candidate[:] = (others == 0).any(axis=1)
    return out


def _sum_ratios(part: npt.NDArray[Any], whole: npt.NDArray[Any]) -> FloatArray:
    """Sum part / whole along the rows. Where whole is 0, part is 0 too."""
    return np.asarray(np.add.reduce(part / np.maximum(whole, 1), axis=1))


def _mean_over_places(
    both: npt.NDArray[Any], above: npt.NDArray[Any], tied: npt.NDArray[Any]
) -> tuple[FloatArray, FloatArray]:
    """Average over the orders of tied groups (urbano2017, equations 6 and 8); t tied items have places p .. p+t-1."""
    rows, m = both.shape
    mean, within = np.empty(rows), np.empty(rows)
    place = np.arange(m)  # from 0, so a place is also the number of items above it
    inverse = 1 / np.maximum(place, 1)
    inverse[0] = 0
    for row in range(rows):
        begins = np.unique(above[row])
        sums = np.zeros(m)
        sums[begins] = np.add.reduceat(inverse, begins)
        first = np.repeat(begins, np.diff(begins, append=m))
        within[row] = ((place - first) * inverse).sum() / 2
        alone = tied[row] == 1  # an untied item adds exactly both / place
        share = np.where(alone, both[row], both[row] * sums[above[row]])
        mean[row] = (share / np.where(alone, np.maximum(above[row], 1), tied[row])).sum()
    return mean, within


concordance_pair, concordance_rows = entry_points(_concordance)
