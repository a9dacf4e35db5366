"""Weighted sums over items and pairs: the twins of weights.cpp, gaps.cpp, ranks.cpp, cosines.cpp and overlaps.cpp."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import FloatArray, IntArray
from .concordance import Value, earlier_smaller, entry_points, tied_places


class Weights(NamedTuple):
    """Sums over pairs for weighted_tau. The weight of a pair is the sum of 1 / rank over its two items.

    The first three sums use ranks in truth, with ties broken by candidate. The last three use ranks in candidate, with
    ties broken by truth.
    """

    by_truth: Value  # pairs ordered alike, minus pairs ordered differently
    by_truth_untied_truth: Value
    by_truth_untied_candidate: Value
    by_candidate: Value
    by_candidate_untied_truth: Value
    by_candidate_untied_candidate: Value


def _weights(truth: FloatArray, candidate: FloatArray) -> FloatArray:
    """Compute the `Weights` of one truth with each row of candidates."""
    x, m = np.unique(truth, return_inverse=True)[1], truth.size
    out = np.empty((len(candidate), len(Weights._fields)))
    for row, scores in enumerate(candidate):
        y = np.unique(scores, return_inverse=True)[1]
        tied_x, tied_y, tied_both = (_others_equal(values) for values in (x, y, x * m + y))
        alike = _above_on_both(x, y) + _above_on_both(-x, -y)
        swapped = m - 1 - tied_x - tied_y + tied_both - alike
        parts = np.stack([alike - swapped, m - 1 - tied_x, m - 1 - tied_y])
        weights = (1 / (1.0 + np.argsort(np.lexsort(keys)[::-1])) for keys in ((y, x), (x, y)))
        out[row] = np.concatenate([(parts * weight).sum(axis=1) for weight in weights])
    return out


def _others_equal(values: IntArray) -> IntArray:
    """Count, for each item, the other items with the same value."""
    _, group, count = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray(count[group] - 1)


def _above_on_both(x: IntArray, y: IntArray) -> IntArray:
    """Count, for each item, the items above it on both sides."""
    # Order the items by x, best first, and rank them by y. Tied items are ordered so that they do not count.
    order = np.lexsort((y, -x))
    ranks = np.empty(x.size, np.int64)
    ranks[np.lexsort((-np.argsort(order), x, -y))] = np.arange(x.size)
    counts = np.empty(x.size, np.int64)
    counts[order] = earlier_smaller(ranks[order])
    return counts


weights_pair, weights_rows = entry_points(_weights)


class Gaps(NamedTuple):
    """Sums for tau_gap."""

    sum: Value  # sum over items of the concordant share of the gaps to the items above
    places: Value  # items with a positive gap to an item above
    tied_candidate: Value  # positive if there are ties in candidate


def _gaps(truth: FloatArray, candidate: FloatArray) -> FloatArray:
    """Compute the `Gaps` of one truth with each row of candidates."""
    m = truth.size
    # Only ratios of gaps matter, so scores with gaps that could overflow are divided by a power of two.
    size = int(np.frexp(np.abs(truth).max())[1] + np.frexp(m)[1])
    truth = truth * 2.0 ** min(0, 1022 - size)
    out = np.empty((len(candidate), len(Gaps._fields)))
    step = max(1, 2**22 // m)  # items at a time, to bound the memory
    for row, y in enumerate(candidate):
        up, down = np.empty((2, m))
        for lo in range(0, m, step):
            i = slice(lo, lo + step)
            gap = truth[:, None] - truth[i]
            gap *= y[:, None] > y[i]
            up[i], down[i] = np.maximum(gap, 0).sum(axis=0), np.maximum(-gap, 0).sum(axis=0)
        whole = up + down
        some = whole > 0
        scores = np.sort(y)
        out[row] = (up[some] / whole[some]).sum(), some.sum(), np.count_nonzero(scores[1:] == scores[:-1])
    return out


gaps_pair, gaps_rows = entry_points(_gaps)


class Ranks(NamedTuple):
    """Sums over doubled centred ranks, for spearman. Tied items have the mean of their ranks."""

    product: Value
    square_truth: Value
    square_candidate: Value


def _ranks(truth: FloatArray, candidate: FloatArray) -> FloatArray:
    """Compute the `Ranks` of one truth with each row of candidates."""
    r, s = centred_ranks(truth[None]), centred_ranks(candidate)
    return np.column_stack([(r * s).sum(axis=1), np.full(len(s), (r * r).sum()), (s * s).sum(axis=1)])


def centred_ranks(scores: FloatArray) -> FloatArray:
    """Return twice the centred rank of each score in its row, which is a whole number."""
    order = np.argsort(scores, axis=1)
    ascending = np.take_along_axis(scores, order, axis=1)
    first, last = tied_places(ascending[:, 1:] == ascending[:, :-1])
    ranks = np.empty(scores.shape)
    np.put_along_axis(ranks, order, (first + last + 1 - scores.shape[1]).astype(np.float64), axis=1)
    return ranks


ranks_pair, ranks_rows = entry_points(_ranks)


class Cosines(NamedTuple):
    """Sums for pearson_rank."""

    sum: Value  # sum over items of weight times cosine
    weight: Value
    range_truth: Value  # 0 if all items are tied; other values have no meaning
    range_candidate: Value


def _cosines(truth: FloatArray, candidate: FloatArray) -> FloatArray:
    """Compute the `Cosines` of one truth with each row of candidates."""
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
    x = (x - x[0]) / (x[0] - x[-1])  # 0 for the best item, -1 for the worst
    y = (y[defined] - y[defined, :1]) / column.range_candidate[defined, None]
    first = np.searchsorted(-truth, -truth, side="left")  # number of items above, by the original scores
    some = np.flatnonzero(first > 0)
    above = first[some]
    # Means and centred second moments of the first k items: xx_k = xx_{k-1} + (x_k - mean_{k-1}) (x_k - mean_k).
    # The sum over j of (x_j - x_i)^2 is xx + above (mean - x_i)^2. Scores are measured from the first item, so every
    # sum is accurate relative to its norm.
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
    # If the item and all above it are tied in candidate, there are no gaps and the cosine is 0.
    differs = candidate[defined] != candidate[defined, :1]
    flat = ~np.logical_or.accumulate(differs, axis=1)[:, above - 1] & ~differs[:, some]
    cosine[flat] = 0
    some_x, some_y = norm_x > 1e-140, norm_y > 1e-140
    for row, i in np.argwhere(~(some_x & some_y) & ~flat):
        # Use the original scores of a side with tiny gaps, because rescaling may have made them 0.
        sides = x if some_x[i] else truth, y[row] if some_y[row, i] else candidate[defined][row]
        cosine[row, i] = _cosine_directly(*sides, int(above[i]), int(some[i]))
    column.sum[defined] = (weight[some] * np.clip(cosine, -1, 1)).sum(axis=1)
    column.weight[defined] = weight[some].sum()
    return out


def _rescaled(scores: FloatArray) -> FloatArray:
    """Scale rows by a power of two if needed, so that differences do not overflow and squares do not vanish."""
    largest = np.abs(scores).max(axis=1, keepdims=True)
    exponent = np.where((largest < 1e-100) | (largest > 1e100), np.frexp(largest)[1], 0)
    scaled: FloatArray = np.ldexp(scores, -exponent)
    return scaled


def _cosine_directly(x: FloatArray, y: FloatArray, above: int, i: int) -> float:
    """Compute the cosine of gaps that are so small that their squares would vanish. Each side has a nonzero gap."""
    dx, dy = x[:above] - x[i], y[:above] - y[i]
    dx, dy = dx / np.abs(dx).max(), dy / np.abs(dy).max()
    return float(dx @ dy / np.sqrt((dx @ dx) * (dy @ dy)))


cosines_pair, cosines_rows = entry_points(_cosines)


ALL_IN, EXPECTED, CORRECTED = 0, 1, 2  # how ties are treated: the variants "w", "a" and "b" of rbo


class Overlaps(NamedTuple):
    """Sums for rbo."""

    sum: Value  # sum over depths of weight times agreement
    weight: Value
    last: Value  # agreement at the last depth, if its weight is positive


class Ranking(NamedTuple):
    """One side of a block of pairs. Ranks count from 1, and a tied group spans the ranks top..bottom."""

    top: IntArray  # (pairs, common): first rank of each common item's group, in the same order on both sides
    bottom: IntArray
    top_at: IntArray  # (pairs, depths): first rank of the group that holds each rank
    bottom_at: IntArray


class Profile(NamedTuple):
    """One side at every depth. At depth d, an item contributes (1 - share) * [bottom <= d] + share * [top <= d]."""

    share: FloatArray
    begun: IntArray  # items with top <= d
    done: IntArray  # items with bottom <= d


def _overlaps(truth: FloatArray, candidate: FloatArray, weights: FloatArray, ties: int) -> FloatArray:
    """Compute the `Overlaps` of one truth with each row of candidates."""
    one = ranking_of(truth[None])
    short = Ranking(*(np.repeat(array, len(candidate), axis=0) for array in one))
    long, n = ranking_of(candidate), truth.size
    short_at, long_at = profile(short, n, ties), profile(long, n, ties)
    agreement = seen_overlap(short, long, short_at, long_at) / largest_overlap(short_at, long_at, ties)
    with np.errstate(under="ignore"):
        total = (agreement * weights).sum(axis=1)
    last = agreement[:, -1] * (weights[-1] > 0)
    return np.column_stack([total, np.full(len(total), weights.sum()), last])


def profile(ranking: Ranking, depths: int, ties: int) -> Profile:
    """Compute contributions at depths 1..`depths`. Below its last item, a side continues with unknown, untied items."""
    d = np.arange(1, depths + 1)
    pairs, given = ranking.top_at.shape
    unknown = np.broadcast_to(d[given:], (pairs, depths - given))
    top, bottom = np.hstack([ranking.top_at, unknown]), np.hstack([ranking.bottom_at, unknown])
    share = np.ones(top.shape) if ties == ALL_IN else (d - top + 1) / (bottom - top + 1)
    return Profile(share, bottom, np.where(bottom == d, d, top - 1))


def _blend(a: FloatArray, b: FloatArray, counts: tuple[IntArray, IntArray, IntArray, IntArray]) -> FloatArray:
    """Sum c_a c_b, the product of both contributions, over items. Multiplied out, the product needs four counts."""
    begun, begun_done, done_begun, done = counts
    # Add the two mixed terms first, so that exchanging the sides gives the same bits.
    mixed = a * (1 - b) * begun_done + (1 - a) * b * done_begun
    result: FloatArray = a * b * begun + mixed + (1 - a) * (1 - b) * done
    return result


def seen_overlap(short: Ranking, long: Ranking, short_at: Profile, long_at: Profile) -> FloatArray:
    """Compute X_d, the sum of c_S c_L over the common items, at each depth d."""
    n = long_at.share.shape[-1]
    begun = count(np.maximum(short.top, long.top), n)
    if (short_at.share == 1).all() and (long_at.share == 1).all():
        return begun.astype(np.float64)
    begun_done = count(np.maximum(short.top, long.bottom), n)
    done_begun = count(np.maximum(short.bottom, long.top), n)
    done = count(np.maximum(short.bottom, long.bottom), n)
    return _blend(short_at.share, long_at.share, (begun, begun_done, done_begun, done))


def largest_overlap(short_at: Profile, long_at: Profile, ties: int) -> FloatArray:
    """Compute the divisor that turns an overlap into an agreement."""
    if ties == ALL_IN:
        return (short_at.begun + long_at.begun) / 2
    if ties == EXPECTED:
        return np.arange(1.0, long_at.share.shape[-1] + 1)
    # Take the same steps as for X_d, so that a ranking's agreement with itself is 1 to the last bit.
    squares = [_blend(x.share, x.share, (x.begun, x.done, x.done, x.done)) for x in (short_at, long_at)]
    result: FloatArray = np.sqrt(squares[0] * squares[1])
    return result


def count(first: IntArray, depths: int) -> IntArray:
    """Count the values in each row that are <= d, for d = 1, 2, ..., depths."""
    pairs = len(first)
    places = first + (depths + 1) * np.arange(pairs)[:, None]
    per_depth = np.bincount(places.ravel(), minlength=pairs * (depths + 1)).reshape(pairs, depths + 1)
    return per_depth[:, 1:].cumsum(axis=-1)


def ranking_of(scores: FloatArray) -> Ranking:
    """Rank the items of each row of scores, where higher scores are better."""
    order = np.argsort(-scores, axis=-1)
    row = np.arange(len(scores))[:, None]
    ordered = scores[row, order]
    first, last = tied_places(ordered[:, 1:] == ordered[:, :-1])
    top, bottom = np.empty_like(order), np.empty_like(order)
    top[row, order], bottom[row, order] = first + 1, last + 1
    return Ranking(top, bottom, first + 1, last + 1)


overlaps_pair, overlaps_rows = entry_points(_overlaps)
