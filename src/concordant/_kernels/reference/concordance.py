"""Concordant pairs of two rankings: the twin of concordance.cpp, concordance_large.cpp and concordance_tolerant.cpp.

Throughout, an item is *above* another when its score is higher. Rows are walked in ascending order of `candidate`, so
the items above a given one come after it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...arrays import FloatArray, IntArray
from .pairing import Value, entry_points, tied_places
from .permutations import count_later_greater, later_positions

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


_PLACES = np.arange(256, dtype=np.uint8)


def _concordance_of_few(
    truth: FloatArray, candidate: FloatArray, tolerance: float, extra: int
) -> tuple[float, ...] | None:
    """Compute `_concordance` for one pair without ties, in few NumPy calls; None if there are ties."""
    m = truth.size
    if tolerance > 0 or m > 256:
        return None
    by_truth, by_candidate = truth.argsort(), candidate.argsort()
    for scores in (truth[by_truth], candidate[by_candidate]):
        if np.count_nonzero(scores[1:] == scores[:-1]):
            return None
    ranks = np.empty(m, np.uint8)
    ranks[by_truth] = _PLACES[:m]
    ranks = ranks[by_candidate]
    later = ranks[:, None] > ranks
    later &= later_positions(m)
    both = np.add.reduce(later.view(np.uint8), axis=0, dtype=np.uint8)
    concordant = float(np.count_nonzero(later))
    down_candidate = float(np.add.reduce(both[:-1] / _PLACES[m - 1 : 0 : -1]))
    down_truth = float(np.add.reduce(both / np.maximum(m - 1 - ranks, 1))) if extra & BACK else 0.0
    discordant = m * (m - 1) / 2 - concordant
    sums = (down_truth, down_candidate, down_candidate, 0.0, down_candidate, 1.0)
    return (concordant, discordant, 0.0, 0.0, 0.0, 1.0, 1.0, *sums)


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


concordance_pair, concordance_rows = entry_points(_concordance, _concordance_of_few)
