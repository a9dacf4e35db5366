"""Rank-biased overlap, with ties, between rankings that need not hold the same items."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from numbers import Real
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from ..arrays import FloatArray, IntArray
from ..errors import InputError, InputTypeError, check_choice
from . import inputs

Ties = Literal["w", "a", "b"]
Kind = Literal["ext", "min", "max", "res"]

_BLOCK = 1 << 16  # scores ranked at a time, so that the working arrays of a large batch stay small
_EXAMPLE = '{"bm25": 0.31, "dense": 0.42}'


class _Ranking(NamedTuple):
    """One side of a block of pairs; ranks count from 1, a tied group spans the ranks top..bottom."""

    top: IntArray  # (pairs, common): of the items on both sides, in the same order on both
    bottom: IntArray
    top_at: IntArray  # (pairs, depths): of the group that holds each rank
    bottom_at: IntArray


class _Profile(NamedTuple):
    """One side at every depth: at depth d an item counts (1 - share) * [bottom <= d] + share * [top <= d]."""

    share: FloatArray
    begun: IntArray  # items with top <= d
    done: IntArray  # items with bottom <= d


def rbo(
    truth: npt.ArrayLike | Mapping[Any, Any],
    candidate: npt.ArrayLike | Mapping[Any, Any],
    *,
    p: float = 0.9,
    ties: Ties = "a",
    kind: Kind = "ext",
) -> float | FloatArray:
    """Rank-biased overlap: how much two rankings share in their first d items, averaged over all depths d.

    A_d is the agreement of the two rankings at depth d, the share of the first d items that they have
    in common. RBO is its mean under a reader who goes on from each rank to the next with probability p:

        RBO = (1 - p) * sum_{d=1..inf} p^(d-1) A_d

    The top weighs most: at p = 0.9 the first 10 ranks carry 86% of the weight, at p = 0.98 the first 50 85%.
    The value lies between 0 (nothing in common) and 1, is symmetric in its two arguments, and is
    defined for every input. It is not a correlation: a reversed ranking is not at the lower end.

    Parameters
    ----------
    truth, candidate : array_like or mapping
        Two score vectors, higher is better, with the same items by position: the last axis holds the
        systems, leading axes broadcast. Or two mappings from item to score, which may hold
        different items and different numbers of items, for instance the documents that two
        engines returned. Never ordered lists of names.
    p : float
        Persistence, 0 < p < 1. The closer to 1, the deeper the comparison.
    ties : {"w", "a", "b"}
        What a tied group means when a depth d cuts through it.

        - ``"w"``: the items are equal (a shared medal) and all of them are in from the group's first
          rank on, so more than d items may be in: `A_d = 2 |S_d & L_d| / (|S_d| + |L_d|)`.
        - ``"a"``: their order is unknown, and each is in with probability (d - top + 1) / size. A_d is then
          the overlap expected over all orders of the tied items, divided by d. Less than 1 even between a
          tied ranking and itself: the right choice where the truth has an order and ties are ignorance.
        - ``"b"``: as "a", but divided by sqrt(sum c_S^2 sum c_L^2), c the contributions of the items,
          in place of d. This corrects for the ties as tau_b does: 1 between a tied ranking and itself.

        The three are equal where nothing is tied.
    kind : {"ext", "min", "max", "res"}
        What to assume of the ranks that were not given: those beyond the shorter mapping, and those
        beyond both. Vectors, too, are taken as the beginning of a longer ranking.

        - ``"ext"``: the agreement goes on as it was seen, the best single estimate;
        - ``"min"``, ``"max"``: no common item, or as many as possible, would follow;
        - ``"res"``: max - min, what is left open. It shrinks as p^n with the number n of ranks given.

    Returns
    -------
    float or ndarray
        A float for two vectors or two mappings, otherwise an array of the broadcast leading shape.

    References
    ----------
    W. Webber, A. Moffat, J. Zobel: A similarity measure for indefinite rankings. ACM TOIS 28(4), 2010.
    M. Corsi, J. Urbano: The treatment of ties in rank-biased overlap. SIGIR 2024.

    Examples
    --------
    >>> from concordant import rbo
    >>> round(rbo([4, 3, 2, 1], [4, 3, 1, 2], p=0.8), 4)
    0.9573
    >>> round(rbo([4, 3, 2, 1], [4, 3, 2, 2], p=0.8), 4)
    0.9787
    >>> round(rbo({"d7": 9.1, "d2": 8.0, "d5": 7.5}, {"d2": 0.9, "d4": 0.7}, p=0.8, kind="max"), 4)
    0.6773

    """
    p = _persistence(p)
    check_choice("ties", ties, get_args(Ties))
    check_choice("kind", kind, get_args(Kind))
    if isinstance(truth, Mapping) and isinstance(candidate, Mapping):
        short, long = _from_mappings(truth, candidate)
        return float(_rbo(short, long, p, ties, kind)[0])
    if isinstance(truth, Mapping) or isinstance(candidate, Mapping):
        names = ("truth", "candidate") if isinstance(truth, Mapping) else ("candidate", "truth")
        raise InputTypeError(
            f"{names[0]} is a mapping and {names[1]} is not: pass two mappings such as {_EXAMPLE}, "
            "or two vectors of scores in the same order"
        )
    _refuse_names(truth, "truth")
    _refuse_names(candidate, "candidate")
    t, o = inputs.vectors(truth, candidate)
    inputs.require_finite(t, o)
    pairs = inputs.rows(t, o)
    values = np.empty(len(pairs.truth_row))
    step = max(1, _BLOCK // t.shape[-1])
    for start in range(0, len(values), step):
        block = slice(start, start + step)
        t_ranking = _from_rows(pairs.truth, pairs.truth_row[block])
        o_ranking = _from_rows(pairs.candidate, pairs.candidate_row[block])
        values[block] = _rbo(t_ranking, o_ranking, p, ties, kind)
    return values.reshape(pairs.shape) if pairs.shape else float(values[0])


# From agreements to the coefficient


def _rbo(short: _Ranking, long: _Ranking, p: float, ties: Ties, kind: Kind) -> FloatArray:
    """One value for each pair. Depths down to s were seen on both sides, down to n on the longer one."""
    s, n, common = short.top_at.shape[-1], long.top_at.shape[-1], short.top.shape[-1]
    short_at, long_at = _profile(short, n, ties), _profile(long, n, ties)
    seen = _seen_overlap(short, long, short_at, long_at)
    largest = _largest_overlap(short_at, long_at, ties)
    if kind == "ext":  # Webber eq. 32
        agreement_at_s = (seen / largest)[:, s - 1, None]
        return _discounted((seen + _unseen(long, long_at, s, kind) * agreement_at_s) / largest, p)
    low = high = np.zeros(len(seen))
    if kind != "max":
        low = _discounted(seen / largest, p, rest=common * _harmonic_rest(n, p))
    if kind != "min":
        # Below n each rank may add two common items, until the union of both sides is common (Webber eq. 30).
        union = n + s - common
        below = np.arange(n + 1, union + 1)
        below_agreement = np.broadcast_to((2 * below - union) / below, (len(seen), len(below)))
        agreement = (seen + _unseen(long, long_at, s, "max")) / largest
        high = _discounted(np.hstack([agreement, below_agreement]), p)
    return {"min": low, "max": high, "res": np.maximum(high - low, 0.0)}[kind]


def _discounted(agreement: FloatArray, p: float, rest: float | None = None) -> FloatArray:
    """Mean of A_d with weights (1-p) p^(d-1); the last A_d goes on forever unless the `rest` is given.

    The weights add up to 1; dividing by their rounded sum makes a constant agreement of 1 exactly 1.
    """
    n = agreement.shape[-1]
    with np.errstate(under="ignore"):
        weight = (1 - p) * np.power(p, np.arange(float(n)))
        tail = p**n
        total = (agreement * weight).sum(axis=-1) + (agreement[:, -1] * tail if rest is None else rest)
        result: FloatArray = total / (weight.sum() + tail)
    return result


def _harmonic_rest(n: int, p: float) -> float:
    """(1-p) sum_{d>n} p^(d-1) / d, the weight of one common item below depth n when no others follow.

    Webber's eq. 11 has log(1/(1-p)) - sum_{d<=n} p^d/d, which cancels to noise when n is large. There we
    take the sum as p^n / (n+1) * 2F1(1, 1; n+2; -p/(1-p)) and Gauss's continued fraction for it, whose terms
    are all positive; 100 of them give full precision from n log(1/p) = 1 on.
    """
    if -n * math.log(p) < 1:
        d = np.arange(1.0, n + 1)
        return (1 - p) / p * float(-math.log1p(-p) - np.sum(np.power(p, d) / d))
    odds, fraction = p / (1 - p), 1.0
    for k in range(100, 0, -1):
        step = k * (n + k) * odds
        fraction = 1 + step / ((n + 2 * k) * (n + 2 * k + 1)) / fraction
        fraction = 1 + step / ((n + 2 * k - 1) * (n + 2 * k)) / fraction
    return p**n / ((n + 1) * fraction)


# Overlap at each depth


def _profile(ranking: _Ranking, depths: int, ties: Ties) -> _Profile:
    """Contributions at depths 1..`depths`; below its end a side goes on untied, with items unknown."""
    d = np.arange(1, depths + 1)
    pairs, given = ranking.top_at.shape
    unknown = np.broadcast_to(d[given:], (pairs, depths - given))
    top, bottom = np.hstack([ranking.top_at, unknown]), np.hstack([ranking.bottom_at, unknown])
    share = np.ones(top.shape) if ties == "w" else (d - top + 1) / (bottom - top + 1)
    return _Profile(share, bottom, np.where(bottom == d, d, top - 1))


def _blend(a: FloatArray, b: FloatArray, counts: tuple[IntArray, IntArray, IntArray, IntArray]) -> FloatArray:
    """Sum of c_a c_b over items: the product of both contributions, multiplied out, needs four counts."""
    begun, begun_done, done_begun, done = counts
    # Added first, so that exchanging the sides changes no bit of the sum.
    mixed = a * (1 - b) * begun_done + (1 - a) * b * done_begun
    result: FloatArray = a * b * begun + mixed + (1 - a) * (1 - b) * done
    return result


def _seen_overlap(short: _Ranking, long: _Ranking, short_at: _Profile, long_at: _Profile) -> FloatArray:
    """X_d: the sum over the common items of c_S c_L at each depth."""
    n = long_at.share.shape[-1]
    begun = _count(np.maximum(short.top, long.top), n)
    if (short_at.share == 1).all() and (long_at.share == 1).all():
        return begun.astype(np.float64)
    begun_done = _count(np.maximum(short.top, long.bottom), n)
    done_begun = _count(np.maximum(short.bottom, long.top), n)
    done = _count(np.maximum(short.bottom, long.bottom), n)
    return _blend(short_at.share, long_at.share, (begun, begun_done, done_begun, done))


def _largest_overlap(short_at: _Profile, long_at: _Profile, ties: Ties) -> FloatArray:
    """What the overlap is divided by to become an agreement."""
    if ties == "w":
        return (short_at.begun + long_at.begun) / 2
    if ties == "a":
        return np.arange(1.0, long_at.share.shape[-1] + 1)
    # The same steps as for X_d, so that a ranking's agreement with itself is 1 to the last bit.
    squares = [_blend(x.share, x.share, (x.begun, x.done, x.done, x.done)) for x in (short_at, long_at)]
    result: FloatArray = np.sqrt(squares[0] * squares[1])
    return result


def _unseen(long: _Ranking, long_at: _Profile, s: int, kind: Literal["ext", "max"]) -> FloatArray:
    """Overlap at each depth if the shorter side's ranks s+1..d all hold items that only the longer side has.

    For "max" the first of those items; for "ext" any that have begun, which contribute their mean.
    """
    n = long_at.share.shape[-1]
    if s == n:
        return np.zeros(n)
    ranks = np.maximum(np.arange(1, n + 1) - s, 0)
    begun = long_at.begun - _count(long.top, n)  # never fewer than `ranks`
    done = long_at.done - _count(long.bottom, n)
    if kind == "max":
        begun, done = ranks, np.minimum(done, ranks)
    overlap: FloatArray = long_at.share * begun + (1 - long_at.share) * done
    return overlap if kind == "max" else overlap * ranks / np.maximum(begun, 1)


def _count(first: IntArray, depths: int) -> IntArray:
    """How many values of each row are <= 1, 2, ..., depths."""
    pairs = len(first)
    places = first + (depths + 1) * np.arange(pairs)[:, None]
    per_depth = np.bincount(places.ravel(), minlength=pairs * (depths + 1)).reshape(pairs, depths + 1)
    return per_depth[:, 1:].cumsum(axis=-1)


# From what callers pass to ranks


def _from_rows(scores: FloatArray, row: IntArray) -> _Ranking:
    """Rank the rows of `scores` that a block of pairs needs, each once."""
    distinct, place = np.unique(row, return_inverse=True)
    ranking = _ranking(scores[distinct])
    return _Ranking(*(array[place] for array in ranking)) if len(distinct) < len(row) else ranking


def _from_mappings(truth: Mapping[Any, Any], candidate: Mapping[Any, Any]) -> tuple[_Ranking, _Ranking]:
    """Rankings of the shorter and of the longer side, item ranks of the common items only."""
    sides = ((_mapping_scores(truth, "truth"), truth), (_mapping_scores(candidate, "candidate"), candidate))
    (short_scores, short), (long_scores, long) = sorted(sides, key=lambda side: side[0].shape[-1])
    place = {item: k for k, item in enumerate(long)}
    shared = [(k, place[item]) for k, item in enumerate(short) if item in place]
    common = np.array(shared, dtype=np.int64).reshape(-1, 2)  # also where there are none

    def restricted(scores: FloatArray, items: IntArray) -> _Ranking:
        ranking = _ranking(scores)
        return ranking._replace(top=ranking.top[:, items], bottom=ranking.bottom[:, items])

    return restricted(short_scores, common[:, 0]), restricted(long_scores, common[:, 1])


def _ranking(scores: FloatArray) -> _Ranking:
    """Rank each row of scores, higher is better."""
    rank = np.arange(1, scores.shape[-1] + 1)
    order = np.argsort(-scores, axis=-1)
    row = np.arange(len(scores))[:, None]
    ordered = scores[row, order]
    first, last = np.ones(scores.shape, dtype=bool), np.ones(scores.shape, dtype=bool)
    first[:, 1:] = last[:, :-1] = ordered[:, 1:] != ordered[:, :-1]
    top_at = np.maximum.accumulate(np.where(first, rank, 1), axis=-1)
    bottom_at = np.minimum.accumulate(np.where(last, rank, rank[-1])[:, ::-1], axis=-1)[:, ::-1]
    top, bottom = np.empty_like(order), np.empty_like(order)
    top[row, order], bottom[row, order] = top_at, bottom_at
    return _Ranking(top, bottom, top_at, bottom_at)


def _mapping_scores(values: Mapping[Any, Any], name: str) -> FloatArray:
    """The scores of a mapping as one row."""
    if not values:
        raise InputError(f"{name} is an empty mapping: at least 1 item with its score is needed")
    return np.array([[_score(value, name, item) for item, value in values.items()]])


def _score(value: Any, name: str, item: Any) -> float:
    exact = value.item() if isinstance(value, np.generic) else value
    number = isinstance(exact, Real)  # mypy knows no comparison of Real
    if not number:
        raise InputTypeError(f"{name}[{item!r}] is {value!r}: every score must be a real number, higher is better")
    if not abs(exact) <= sys.float_info.max:  # nan, too
        raise InputError(f"{name}[{item!r}] is {value!r}: every score must be finite; leave the item out")
    score = float(exact)
    if score != exact:  # as in `inputs.vectors`
        raise InputError(
            f"{name}[{item!r}] is {value!r}, which float64 cannot hold exactly, so that different scores "
            "could become ties: subtract a constant or pass ranks"
        )
    return score


def _persistence(p: Any) -> float:
    number = isinstance(p, Real)
    if not (number and 0 < p < 1 and 0 < float(p) < 1):  # Fraction(1, 10**400) is 0 as a float
        raise InputError(f"p is {p!r}: it must be a number strictly between 0 and 1, such as 0.9")
    return float(p)


def _refuse_names(values: object, name: str) -> None:
    """Names in order of rank are the classical mistake; say how to write them as scores."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "USO":
        values = values.ravel().tolist()
    if not isinstance(values, (list, tuple)):
        return
    for item in values:
        if isinstance(item, (str, bytes)):
            raise InputTypeError(
                f"{name} holds names such as {item!r}: rbo compares scores, higher is better. Pass mappings "
                f"such as {_EXAMPLE}; from a list of names, best first: "
                f"{{name: -i for i, name in enumerate({name})}}"
            )
