"""The overlap of two rankings at each depth, for rbo: the twin of overlaps.cpp, plus functions for different items."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import FloatArray, IntArray
from .pairing import Value, entry_points, tied_places

ALL_IN, EXPECTED, CORRECTED = 0, 1, 2  # treatments of ties: "w", "a" and "b" of rbo


class Overlaps(NamedTuple):
    """Sums for rbo."""

    sum: Value  # over the depths: weight times agreement
    weight: Value
    last: Value  # agreement at the last depth, if its weight is positive


class Ranking(NamedTuple):
    """One side of a block of pairs; ranks count from 1, a tied group spans the ranks top..bottom."""

    top: IntArray  # (pairs, common): first rank of each common item's group, in the same order on both sides
    bottom: IntArray
    top_at: IntArray  # (pairs, depths): first rank of the group that holds each rank
    bottom_at: IntArray


class Profile(NamedTuple):
    """One side at every depth: at depth d an item counts (1 - share) * [bottom <= d] + share * [top <= d]."""

    share: FloatArray
    begun: IntArray  # items with top <= d
    done: IntArray  # items with bottom <= d


def _overlaps(truth: FloatArray, candidate: FloatArray, weights: FloatArray, ties: int) -> FloatArray:
    """Compute `Overlaps` of one truth with each row of candidates."""
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
    """Compute contributions at depths 1..`depths`; below its end a side continues with unknown, untied items."""
    d = np.arange(1, depths + 1)
    pairs, given = ranking.top_at.shape
    unknown = np.broadcast_to(d[given:], (pairs, depths - given))
    top, bottom = np.hstack([ranking.top_at, unknown]), np.hstack([ranking.bottom_at, unknown])
    share = np.ones(top.shape) if ties == ALL_IN else (d - top + 1) / (bottom - top + 1)
    return Profile(share, bottom, np.where(bottom == d, d, top - 1))


def _blend(a: FloatArray, b: FloatArray, counts: tuple[IntArray, IntArray, IntArray, IntArray]) -> FloatArray:
    """Sum c_a c_b over items; the product of both contributions, multiplied out, needs four counts."""
    begun, begun_done, done_begun, done = counts
    # Add these two first, so that exchanging the sides gives the same bits.
    mixed = a * (1 - b) * begun_done + (1 - a) * b * done_begun
    result: FloatArray = a * b * begun + mixed + (1 - a) * (1 - b) * done
    return result


def seen_overlap(short: Ranking, long: Ranking, short_at: Profile, long_at: Profile) -> FloatArray:
    """Compute X_d, the sum over the common items of c_S c_L at each depth."""
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
    # The same steps as for X_d, so that a ranking's agreement with itself is 1 to the last bit.
    squares = [_blend(x.share, x.share, (x.begun, x.done, x.done, x.done)) for x in (short_at, long_at)]
    result: FloatArray = np.sqrt(squares[0] * squares[1])
    return result


def count(first: IntArray, depths: int) -> IntArray:
    """Count the values of each row that are <= 1, 2, ..., depths."""
    pairs = len(first)
    places = first + (depths + 1) * np.arange(pairs)[:, None]
    per_depth = np.bincount(places.ravel(), minlength=pairs * (depths + 1)).reshape(pairs, depths + 1)
    return per_depth[:, 1:].cumsum(axis=-1)


def ranking_of(scores: FloatArray) -> Ranking:
    """Rank each row of scores, higher is better."""
    order = np.argsort(-scores, axis=-1)
    row = np.arange(len(scores))[:, None]
    ordered = scores[row, order]
    first, last = tied_places(ordered[:, 1:] == ordered[:, :-1])
    top, bottom = np.empty_like(order), np.empty_like(order)
    top[row, order], bottom[row, order] = first + 1, last + 1
    return Ranking(top, bottom, first + 1, last + 1)


overlaps_pair, overlaps_rows = entry_points(_overlaps)
