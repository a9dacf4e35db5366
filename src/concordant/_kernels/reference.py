"""The kernels in NumPy: what native.cpp computes, in a form to read, and in use where it was not built.

A kernel comes as `*_pair`, for two vectors, and `*_rows`, for many pairs of rows. A pair gives a tuple of the fields
below, or None where a score is not finite; rows fill `out`, one row of fields each, and say whether all was finite.

Throughout, an item is *above* another when its score is higher. Rows are walked in ascending order of `candidate`, so
that the items above a given one come after it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import isfinite
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ..arrays import FloatArray, IntArray

# A field of a kernel's result: a float for one pair, an array for a batch. Formulas are the same for both.
Value: TypeAlias = FloatArray

MEAN, STRICT, BACK = 1, 2, 4
"""Sums that only some coefficients ask for: add them up and pass them as `extra`."""


class Counts(NamedTuple):
    """What two rankings have in common. C(i) is the number of items above i on both sides."""

    concordant: Value  # pairs that both order the same way
    discordant: Value  # pairs that they order differently
    tied_truth: Value  # pairs tied in truth
    tied_candidate: Value
    tied_both: Value
    top_truth: Value  # items with none above them
    top_candidate: Value
    down_truth: Value  # BACK: sum of C(i) / (items above i in truth)
    down_candidate: Value  # the same, walking candidate
    mean_candidate: Value  # MEAN: the same, averaged over the places that i takes in its tied group
    within_candidate: Any  # MEAN: the average from pairs inside tied groups, which are concordant half of the time
    strict_candidate: Value  # STRICT: sum of (C(i) + tied with i on both sides) / (items above or tied with i)
    alone_candidate: Value  # STRICT: 1 if there is an item with none above it or tied with it


class Gaps(NamedTuple):
    """Sums for tau_gap."""

    sum: Value  # over the items: share of the gaps to the items above that is concordant
    places: Value  # items with a positive gap to an item above
    tied_candidate: Value  # positive if there are ties


class Cosines(NamedTuple):
    """Sums for pearson_rank."""

    sum: Value  # over the items: weight times cosine
    weight: Value
    range_truth: Value  # 0 if all are tied; otherwise of no further meaning
    range_candidate: Value


# Pairs and rows -----------------------------------------------------------------------------------


def concordance_pair(
    truth: FloatArray, candidate: FloatArray, tolerance: float, extra: int
) -> tuple[float, ...] | None:
    """`Counts` of one pair."""
    if not _finite(truth, candidate):
        return None
    if tolerance > 0:
        return _tolerant(truth, candidate, tolerance)
    if truth.size <= 256:
        found = _concordance_of_few(truth, candidate, extra)
        if found is not None:
            return found
    return tuple(_concordance(truth, candidate[None], extra)[0].tolist())


def concordance_rows(
    truth: FloatArray,
    candidate: FloatArray,
    truth_row: IntArray,
    candidate_row: IntArray,
    out: FloatArray,
    workers: int,
    tolerance: float,
    extra: int,
) -> bool:
    """`Counts` of many pairs."""

    def block(t: FloatArray, o: FloatArray) -> FloatArray:
        if tolerance > 0:
            return np.array([_tolerant(t, row, tolerance) for row in o])
        return _concordance(t, o, extra)

    return _by_truth(block, truth, candidate, truth_row, candidate_row, out)


def gaps_pair(truth: FloatArray, candidate: FloatArray) -> tuple[float, ...] | None:
    """`Gaps` of one pair."""
    if not _finite(truth, candidate):
        return None
    return tuple(_gaps(truth, candidate[None])[0].tolist())


def gaps_rows(
    truth: FloatArray,
    candidate: FloatArray,
    truth_row: IntArray,
    candidate_row: IntArray,
    out: FloatArray,
    workers: int,
) -> bool:
    """`Gaps` of many pairs."""
    return _by_truth(_gaps, truth, candidate, truth_row, candidate_row, out)


def cosines_pair(truth: FloatArray, candidate: FloatArray) -> tuple[float, ...] | None:
    """`Cosines` of one pair."""
    if not _finite(truth, candidate):
        return None
    return tuple(_cosines(truth, candidate[None])[0].tolist())


def cosines_rows(
    truth: FloatArray,
    candidate: FloatArray,
    truth_row: IntArray,
    candidate_row: IntArray,
    out: FloatArray,
    workers: int,
) -> bool:
    """`Cosines` of many pairs."""
    return _by_truth(_cosines, truth, candidate, truth_row, candidate_row, out)


def _finite(truth: FloatArray, candidate: FloatArray) -> bool:
    # A finite product is proof; one that is not may also be an overflow.
    with np.errstate(all="ignore"):
        product = np.dot(truth, candidate)
    return isfinite(product) or bool(np.isfinite(truth).all() and np.isfinite(candidate).all())


def _by_truth(
    block: Callable[[FloatArray, FloatArray], FloatArray],
    truth: FloatArray,
    candidate: FloatArray,
    truth_row: IntArray,
    candidate_row: IntArray,
    out: FloatArray,
) -> bool:
    """Call `block` on each row of truth with all its rows of candidate, some at a time to bound the memory."""
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


# Concordance --------------------------------------------------------------------------------------


_PLACES = np.arange(256, dtype=np.uint8)


@lru_cache(maxsize=8)
def _later(m: int) -> npt.NDArray[np.bool_]:
    """Whether position j, the row, is later than position i, the column."""
    return np.tri(m, k=-1, dtype=bool)


def _concordance_of_few(truth: FloatArray, candidate: FloatArray, extra: int) -> tuple[float, ...] | None:
    """What `_concordance` gives for one pair without ties, in as few calls of NumPy as possible; None with ties."""
    m = truth.size
    by_truth, by_candidate = truth.argsort(), candidate.argsort()
    for scores in (truth[by_truth], candidate[by_candidate]):
        if np.count_nonzero(scores[1:] == scores[:-1]):
            return None
    ranks = np.empty(m, np.uint8)
    ranks[by_truth] = _PLACES[:m]
    ranks = ranks[by_candidate]
    later = ranks[:, None] > ranks
    later &= _later(m)
    both = np.add.reduce(later.view(np.uint8), axis=0, dtype=np.uint8)
    concordant = float(np.count_nonzero(later))
    down_candidate = float(np.add.reduce(both[:-1] / _PLACES[m - 1 : 0 : -1]))
    down_truth = float(np.add.reduce(both / np.maximum(m - 1 - ranks, 1))) if extra & BACK else 0.0
    discordant = m * (m - 1) / 2 - concordant
    sums = (down_truth, down_candidate, down_candidate, 0.0, down_candidate, 1.0)
    return (concordant, discordant, 0.0, 0.0, 0.0, 1.0, 1.0, *sums)


class _Walk(NamedTuple):
    """Rows of candidate in ascending order."""

    order: IntArray  # the item at each position
    first: npt.NDArray[Any]  # position of the first and of the last item tied with it
    last: npt.NDArray[Any]
    ties: bool


def _walk(truth: FloatArray, candidate: FloatArray) -> _Walk:
    """Sort each row; tied items by truth, best first, so that of two of them the later is never above in truth."""
    scores = np.sort(candidate, axis=1)
    equal = scores[:, 1:] == scores[:, :-1]
    m = truth.size
    if not np.count_nonzero(equal):
        place = np.arange(m)
        return _Walk(np.argsort(candidate, axis=1), place, place, False)
    order = np.lexsort((np.broadcast_to(-truth, candidate.shape), candidate), axis=1)
    return _Walk(order, *_runs(equal), True)


def _runs(equal: npt.NDArray[np.bool_]) -> tuple[IntArray, IntArray]:
    """First and last position of the run of equal items at each position, given which equal the one before."""
    rows, m = equal.shape[0], equal.shape[1] + 1
    place = np.arange(m)
    starts = np.ones((rows, m), dtype=bool)
    starts[:, 1:] = ~equal
    ends = np.roll(starts, -1, axis=1)
    first = np.maximum.accumulate(np.where(starts, place, 0), axis=1)
    last = np.minimum.accumulate(np.where(ends, place, m - 1)[:, ::-1], axis=1)[:, ::-1]
    return first, last


def _truth_ranks(truth: FloatArray, walk: _Walk) -> tuple[npt.NDArray[Any], FloatArray | None]:
    """Ascending ranks in truth along the walk: a permutation in which, of two tied items, the later has the lower rank.

    Also the scores along the walk where truth has ties, otherwise None.
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


def _concordance(truth: FloatArray, candidate: FloatArray, extra: int) -> FloatArray:
    """`Counts` of one truth with each row of candidate."""
    rows, m = candidate.shape
    all_pairs = m * (m - 1) / 2
    walk = _walk(truth, candidate)
    ranks, truth_scores = _truth_ranks(truth, walk)
    both = _count_later_greater(ranks)
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
            first, last = _runs(
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
    """Sum of part / whole along the rows, where whole = 0 implies part = 0."""
    ratios: FloatArray = part / np.maximum(whole, 1)
    sums: FloatArray = ratios.sum(axis=1)
    return sums


def _mean_over_places(
    both: npt.NDArray[Any], above: npt.NDArray[Any], tied: npt.NDArray[Any]
) -> tuple[FloatArray, FloatArray]:
    """urbano2017, equations 6 and 8: a group of t items takes the places p .. p+t-1 in every order equally often."""
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


def _count_later_greater(ranks: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """For each position of each row, a permutation: how many later positions hold a greater rank."""
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
        greater &= _later(m).T
        return np.asarray(np.add.reduce(greater.view(np.uint8), axis=2, dtype=np.uint8))
    flipped = m - 1 - ranks[:, ::-1].astype(np.int64)  # later and greater becomes earlier and smaller
    return np.array([_earlier_smaller(row)[0] for row in flipped])[:, ::-1]


def _earlier_smaller(ranks: IntArray, x: FloatArray | None = None) -> tuple[IntArray, FloatArray, FloatArray]:
    """For each position of a permutation, how many earlier positions hold a smaller rank, in n log n.

    From the highest bit down, ranks fall into nodes of equal leading bits, each in its original order. Of two ranks
    that differ first in this bit, the smaller has a 0: so a 1 counts the zeros before it in its node. Node k of width w
    holds the ranks k w .. (k+1) w - 1 and nothing else: nodes are the rows of a matrix of w columns. (It is filled up
    with ranks beyond the last, which come after all others and count for none of them.)

    With scores x, the score of each rank, descending: also the sum of the gaps to these items, x_j - x_i, and of the
    gaps x_i - x_j to the earlier items of greater rank. Both are summed from the node's middle: all terms are >= 0.
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


def _tolerant(truth: FloatArray, candidate: FloatArray, tolerance: float) -> tuple[float, ...]:
    """`Counts` where items closer than `tolerance` are tied, by comparing all pairs, some at a time."""
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


# Gaps ---------------------------------------------------------------------------------------------


def _gaps(truth: FloatArray, candidate: FloatArray) -> FloatArray:
    """`Gaps` of one truth with each row of candidate."""
    m = truth.size
    # Only ratios of gaps count: scores whose gaps could add up to infinity are scaled down, as little as that needs.
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
            _, up, down = _earlier_smaller(ranks[order], x)
        whole = up + down
        some = whole > 0
        scores = y[order]
        out[row] = (up[some] / whole[some]).sum(), some.sum(), np.count_nonzero(scores[1:] == scores[:-1])
    return out


# Cosines ------------------------------------------------------------------------------------------


def _cosines(truth: FloatArray, candidate: FloatArray) -> FloatArray:
    """`Cosines` of one truth with each row of candidate."""
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
    first = np.searchsorted(-truth, -truth, side="left")  # items above, by the scores as they were given
    some = np.flatnonzero(first > 0)
    above = first[some]
    # Running means and centred second moments of the first k items. Gaps are measured from the first item, whose own
    # gap is one of them, so that every sum is accurate relative to the norm that it belongs to.
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
    # Where the item and all above it have one score in candidate there are no gaps: the cosine is 0.
    differs = candidate[defined] != candidate[defined, :1]
    flat = ~np.logical_or.accumulate(differs, axis=1)[:, above - 1] & ~differs[:, some]
    cosine[flat] = 0
    some_x, some_y = norm_x > 1e-140, norm_y > 1e-140
    for row, i in np.argwhere(~(some_x & some_y) & ~flat):
        # A side with such gaps is taken as it was given: rescaling may have made them 0.
        sides = x if some_x[i] else truth, y[row] if some_y[row, i] else candidate[defined][row]
        cosine[row, i] = _cosine_directly(*sides, int(above[i]), int(some[i]))
    column.sum[defined] = (weight[some] * np.clip(cosine, -1, 1)).sum(axis=1)
    column.weight[defined] = weight[some].sum()
    return out


def _rescaled(scores: FloatArray) -> FloatArray:
    """Rows at a size at which neither differences overflow nor squares vanish: by a power of two, where needed."""
    largest = np.abs(scores).max(axis=1, keepdims=True)
    exponent = np.where((largest < 1e-100) | (largest > 1e100), np.frexp(largest)[1], 0)
    scaled: FloatArray = np.ldexp(scores, -exponent)
    return scaled


def _cosine_directly(x: FloatArray, y: FloatArray, above: int, i: int) -> float:
    """For gaps so small that their squares would vanish. One at least on each side is not 0."""
    dx, dy = x[:above] - x[i], y[:above] - y[i]
    dx, dy = dx / np.abs(dx).max(), dy / np.abs(dy).max()
    return float(dx @ dy / np.sqrt((dx @ dx) * (dy @ dy)))
