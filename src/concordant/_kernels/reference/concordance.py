"""Concordant pairs of two rankings: the twin of concordance.cpp, concordance_large.cpp and concordance_tolerant.cpp.

The entry points of all kernels that compare two rows are made here, for one pair and for many. `*_pair` takes two
vectors and returns a tuple of sums, or None if a score is not finite. `*_rows` takes many pairs, fills one row of sums
in `out` for each, and returns whether all scores were finite.

Throughout, an item is *above* another when its score is higher. Rows are walked in ascending order of `candidate`, so
the items above a given one come after it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import isfinite
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ...arrays import FloatArray, IntArray

# A field of a kernel's result: a float for one pair, an array for a batch. Formulas are the same for both.
Value: TypeAlias = FloatArray
Block: TypeAlias = Callable[..., FloatArray]
"""Takes one truth, rows of candidates and the kernel's settings; returns one row of sums for each candidate."""
Pair: TypeAlias = Callable[..., tuple[float, ...] | None]
Rows: TypeAlias = Callable[..., bool]


def finite(truth: FloatArray, candidate: FloatArray) -> bool:
    """Tell whether all scores are finite."""
    # A finite product proves it; an infinite one may be an overflow.
    with np.errstate(all="ignore"):
        product = np.dot(truth, candidate)
    return isfinite(product) or bool(np.isfinite(truth).all() and np.isfinite(candidate).all())


def entry_points(block: Block) -> tuple[Pair, Rows]:
    """Make a kernel's two entry points, for one pair and for many, from its function of one truth and candidates."""

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


MEAN, STRICT, BACK, PAIRS = 1, 2, 4, 8
"""Flags for sums that only some coefficients need; pass their sum as `extra`. PAIRS alone asks for numbers of pairs:
the fields after `tied_both` are then meaningless."""


class Counts(NamedTuple):
    """Counts and sums over two rankings. C(i) is the number of items above i on both sides."""

    concordant: Value  # pairs that both order the same way
    discordant: Value  # pairs that they order differently
    tied_truth: Value  # pairs tied in truth
    tied_candidate: Value
    tied_both: Value
    top_truth: Value  # items with none above them
    top_candidate: Value
    down_truth: Value  # BACK: sum of C(i) / (items above i in truth)
    down_candidate: Value  # the same, walking candidate
    mean_candidate: Value  # MEAN: the same, averaged over the places of i in its tied group
    within_candidate: Any  # MEAN: the average over pairs within tied groups, which are concordant half of the time
    strict_candidate: Value  # STRICT: sum of (C(i) + tied with i on both sides) / (items above or tied with i)
    alone_candidate: Value  # STRICT: 1 if there is an item with none above it or tied with it


class _Walk(NamedTuple):
    """Rows of candidates in ascending order."""

    order: IntArray  # the item at each position
    first: npt.NDArray[Any]  # position of the first and of the last item tied with it
    last: npt.NDArray[Any]
    ties: bool


def _walk(truth: FloatArray, candidate: FloatArray) -> _Walk:
    """Sort each row, and tied items by truth, best first, so that the later of two is never above in truth."""
    scores = np.sort(candidate, axis=1)
    equal = scores[:, 1:] == scores[:, :-1]
    m = truth.size
    if not np.count_nonzero(equal):
        place = np.arange(m)
        return _Walk(np.argsort(candidate, axis=1), place, place, False)
    order = np.lexsort((np.broadcast_to(-truth, candidate.shape), candidate), axis=1)
    return _Walk(order, *tied_places(equal), True)


def _truth_ranks(truth: FloatArray, walk: _Walk) -> tuple[npt.NDArray[Any], FloatArray | None]:
    """Return ascending ranks in truth along the walk, a permutation; the later of two tied items has the lower rank.

    Also return the scores along the walk if truth has ties, else None.
    """
    m = truth.size
    dtype = np.uint8 if m <= 256 else np.uint16 if m <= 2**16 else np.int64
    ranks = np.empty(m, dtype)
    order = np.argsort(truth)
    ranks[order] = np.arange(m, dtype=dtype)
    ascending = truth[order]
    if not np.count_nonzero(ascending[1:] == ascending[:-1]):
        return ranks[walk.order], None
    scores = truth[walk.order]
    backwards = np.argsort(scores[:, ::-1], axis=1, kind="stable")
    ranks = np.empty(scores.shape, dtype)
    np.put_along_axis(ranks, m - 1 - backwards, np.broadcast_to(np.arange(m, dtype=dtype), scores.shape), 1)
    return ranks, scores


def _concordance(truth: FloatArray, candidate: FloatArray, tolerance: float, extra: int) -> FloatArray:
    """Compute `Counts` of one truth with each row of candidates."""
    if tolerance > 0:
        return np.array([_tolerant(truth, row, tolerance) for row in candidate])
    rows, m = candidate.shape
    all_pairs = m * (m - 1) / 2
    walk = _walk(truth, candidate)
    ranks, truth_scores = _truth_ranks(truth, walk)
    both = count_later_greater(ranks)
    above = m - 1 - walk.last

    if truth_scores is None:
        above_truth = m - 1 - ranks
        tied_truth = 0.0
        top_truth = 1.0
    else:
        ascending = np.sort(truth)
        above_truth = m - np.searchsorted(ascending, truth_scores, side="right")
        sizes = np.unique(ascending, return_counts=True)[1]
        tied_truth = float((sizes * (sizes - 1) / 2).sum())
        top_truth = float(sizes[-1])

    concordant = both.sum(axis=1, dtype=np.float64)
    down_candidate = _sum_ratios(both, above)
    out = np.empty((rows, len(Counts._fields)))
    column = Counts(*out.T)
    column.concordant[:] = concordant
    column.tied_truth[:] = tied_truth
    column.top_truth[:] = top_truth
    column.down_truth[:] = _sum_ratios(both, above_truth) if extra & BACK else 0
    column.down_candidate[:] = down_candidate
    if walk.ties:
        tied = walk.last - walk.first + 1
        column.tied_candidate[:] = (np.arange(m) - walk.first).sum(axis=1)
        column.top_candidate[:] = m - walk.first[:, -1]
        same: npt.NDArray[Any] = np.zeros((rows, m))
        if truth_scores is not None:
            first, last = tied_places(
                (truth_scores[:, 1:] == truth_scores[:, :-1]) & (walk.first[:, 1:] == walk.first[:, :-1])
            )
            same = last - first
        column.tied_both[:] = same.sum(axis=1) / 2
        column.mean_candidate[:], column.within_candidate[:] = (
            _mean_over_places(both, above, tied) if extra & MEAN else (0, 0)
        )
        others = above + tied - 1
        column.strict_candidate[:] = _sum_ratios(both + same, others)
        column.alone_candidate[:] = (others == 0).any(axis=1)
    else:
        column.tied_candidate[:] = column.tied_both[:] = column.within_candidate[:] = 0
        column.top_candidate[:] = column.alone_candidate[:] = 1
        column.mean_candidate[:] = column.strict_candidate[:] = down_candidate
    column.discordant[:] = all_pairs - concordant - tied_truth - column.tied_candidate + column.tied_both
    return out


def _sum_ratios(part: npt.NDArray[Any], whole: npt.NDArray[Any]) -> FloatArray:
    """Sum part / whole along the rows; whole = 0 implies part = 0."""
    ratios: FloatArray = part / np.maximum(whole, 1)
    sums: FloatArray = ratios.sum(axis=1)
    return sums


def _mean_over_places(
    both: npt.NDArray[Any], above: npt.NDArray[Any], tied: npt.NDArray[Any]
) -> tuple[FloatArray, FloatArray]:
    """Average over the orders of tied groups (urbano2017, equations 6 and 8): t items take the places p .. p+t-1."""
    rows, m = both.shape
    mean, within = np.empty(rows), np.empty(rows)
    place = np.arange(m)  # from 0, so the number of items above
    inverse = 1 / np.maximum(place, 1)
    inverse[0] = 0
    for row in range(rows):
        begins = np.unique(above[row])
        sums = np.zeros(m)
        sums[begins] = np.add.reduceat(inverse, begins)
        first = np.repeat(begins, np.diff(begins, append=m))
        within[row] = ((place - first) * inverse).sum() / 2
        alone = tied[row] == 1  # both / place, exactly
        share = np.where(alone, both[row], both[row] * sums[above[row]])
        mean[row] = (share / np.where(alone, np.maximum(above[row], 1), tied[row])).sum()
    return mean, within


def _tolerant(truth: FloatArray, candidate: FloatArray, tolerance: float) -> tuple[float, ...]:
    """Compute `Counts` with a tolerance, by comparing all pairs, some at a time."""
    m = truth.size
    both, discordant, same, above, above_truth, tied, tied_truth = np.zeros((7, m), np.int64)
    step = max(1, 2**22 // m)
    with np.errstate(over="ignore"):
        for lo in range(0, m, step):
            i = slice(lo, lo + step)
            x, y = truth[:, None] - truth[i], candidate[:, None] - candidate[i]
            x_up, y_up, x_down, y_down = x >= tolerance, y >= tolerance, x <= -tolerance, y <= -tolerance
            x_tied, y_tied = ~(x_up | x_down), ~(y_up | y_down)
            for total, relation in (
                (both, x_up & y_up),
                (discordant, x_down & y_up),
                (same, x_tied & y_tied),
                (above, y_up),
                (above_truth, x_up),
                (tied, y_tied),
                (tied_truth, x_tied),
            ):
                total[i] = relation.sum(axis=0)
    down_truth, down_candidate = _sum_ratios(both, above_truth[None])[0], _sum_ratios(both, above[None])[0]
    others = above + tied - 1
    sums = {
        "concordant": both.sum(),
        "discordant": discordant.sum(),
        "tied_truth": (tied_truth - 1).sum() / 2,
        "tied_candidate": (tied - 1).sum() / 2,
        "tied_both": (same - 1).sum() / 2,
        "top_truth": (above_truth == 0).sum(),
        "top_candidate": (above == 0).sum(),
        "down_truth": down_truth,
        "down_candidate": down_candidate,
        "strict_candidate": _sum_ratios(both + same - 1, others[None])[0],
        "alone_candidate": (others == 0).any(),
    }
    return tuple(float(sums.get(field, 0)) for field in Counts._fields)


concordance_pair, concordance_rows = entry_points(_concordance)
