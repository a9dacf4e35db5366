"""Rank-biased overlap between two rankings, which may have ties and need not hold the same items."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from functools import lru_cache
from numbers import Real
from typing import Any, Literal, cast

import numpy as np
import numpy.typing as npt

from .._kernels.reference.weighted import (
    ALL_IN,
    CORRECTED,
    EXPECTED,
    Profile,
    Ranking,
    count,
    largest_overlap,
    profile,
    ranking_of,
    seen_overlap,
)
from ..arrays import FloatArray, IntArray
from ..errors import InputError, InputTypeError
from ..options import checked
from .sums import overlaps, vectors

Ties = Literal["w", "a", "b"]
Kind = Literal["ext", "min", "max", "res"]

_TIES: dict[Ties, int] = {"w": ALL_IN, "a": EXPECTED, "b": CORRECTED}


@checked
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
    in common. RBO averages it for a reader who continues from each rank to the next with probability p:

        RBO = (1 - p) * sum_{d=1..inf} p^(d-1) A_d

    The top weighs most: the first 10 ranks have 86% of the weight at p = 0.9, the first 50 have 85% at p = 0.98.
    The value lies between 0 (nothing in common) and 1, is symmetric in its two arguments, and is
    defined for every input. It is not a correlation: a reversed ranking has a value above 0.

    Parameters
    ----------
    truth, candidate : array_like or mapping
        Two score vectors with the same items in the same places; higher is better. The last axis holds the
        systems, and the leading axes broadcast. Or two mappings from item to score, which may have different items,
        for instance the documents that two engines returned. Ordered lists of names are refused.
    p : float
        Persistence, 0 < p < 1. The closer to 1, the deeper the comparison.
    ties : {"w", "a", "b"}
        How to count a tied group that a depth d cuts.

        - ``"w"``: the tied items are equal (a shared medal). All of them are included from the group's first rank
          on, so more than d items may be included: `A_d = 2 |S_d & L_d| / (|S_d| + |L_d|)`.
        - ``"a"``: the order of the tied items is unknown, and each item is included with probability
          (d - top + 1) / size. A_d is the expected overlap over all orders of the tied items, divided by d. A tied
          ranking's overlap with itself is below 1. Choose "a" if the truth has an order that tied scores do not show.
        - ``"b"``: like "a", but divided by sqrt(sum c_S^2 sum c_L^2) instead of d, where c are the
          contributions of the items. Like tau_b, this overlap is 1 between a tied ranking and itself.

        Without ties, all three rules give the same value.
    kind : {"ext", "min", "max", "res"}
        What to assume about ranks that were not given: the ranks beyond the end of the shorter mapping, and the
        ranks beyond the end of both. Vectors also count as the beginning of a longer ranking.

        - ``"ext"``: the agreement continues as observed, which is the best single estimate;
        - ``"min"``, ``"max"``: no common items follow, or as many as possible follow;
        - ``"res"``: max - min, the uncertainty. It shrinks as p^n with the number n of given ranks.

    Returns
    -------
    float or ndarray
        A float for two vectors or two mappings, otherwise an array of the broadcast leading shape.

    See Also
    --------
    tau_ap : AP correlation of candidate with the truth, for rankings without ties.
    tau_ap_b : AP correlation with ties on both sides.

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
    if isinstance(truth, Mapping) and isinstance(candidate, Mapping):
        if len(truth) > 1 and truth.keys() == candidate.keys():  # gives the same bits as vectors would
            ordered = {item: candidate[item] for item in truth}
            return _of_the_same(_scores(truth, "truth")[0], _scores(ordered, "candidate")[0], p, ties, kind)
        return float(_rbo(*_from_mappings(truth, candidate), p, _TIES[ties], kind)[0])
    sides = cast(npt.ArrayLike, truth), cast(npt.ArrayLike, candidate)  # `vectors` refuses a lone mapping
    return _of_the_same(*vectors(*sides), p, ties, kind)


def _of_the_same(truth: FloatArray, candidate: FloatArray, p: float, ties: Ties, kind: Kind) -> float | FloatArray:
    """Compute rbo of two rankings of the same items."""
    m = truth.shape[-1]
    weights, tail = _weights(p, m)
    found = overlaps(truth, candidate, weights, _TIES[ties])
    # With all items ranked on both sides, "ext" and "max" coincide below the last rank.
    extended: float | FloatArray = (found.sum + found.last * tail) / (found.weight + tail)
    if kind in ("ext", "max"):
        return extended
    least: float | FloatArray = (found.sum + m * _harmonic_rest(m, p)) / (found.weight + tail)
    if kind == "min":
        return least
    rest = np.maximum(extended - least, 0.0)
    return rest if isinstance(rest, np.ndarray) else float(rest)


@lru_cache(maxsize=8)
def _weights(p: float, m: int) -> tuple[FloatArray, float]:
    """Compute the weights (1 - p) p^(d - 1) of the depths d = 1..m, and the total weight of all deeper ranks."""
    with np.errstate(under="ignore"):
        weights = (1 - p) * np.power(p, np.arange(float(m)))
        weights.flags.writeable = False
        return weights, p**m


# Compute the coefficient from the agreements


def _rbo(short: Ranking, long: Ranking, p: float, ties: int, kind: Kind) -> FloatArray:
    """Compute one value for each pair. Both sides have ranks down to depth s, and the longer side down to depth n."""
    s, n, common = short.top_at.shape[-1], long.top_at.shape[-1], short.top.shape[-1]
    short_at, long_at = profile(short, n, ties), profile(long, n, ties)
    seen = seen_overlap(short, long, short_at, long_at)
    largest = largest_overlap(short_at, long_at, ties)
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
    """Average A_d with weights (1-p) p^(d-1). Unless `rest` is given, assume the last A_d at all deeper ranks.

    The weights add up to 1; dividing by their rounded sum makes a constant agreement of 1 exactly 1.
    """
    weight, tail = _weights(p, agreement.shape[-1])
    with np.errstate(under="ignore"):
        total = (agreement * weight).sum(axis=-1) + (agreement[:, -1] * tail if rest is None else rest)
        return np.asarray(total / (weight.sum() + tail))


def _harmonic_rest(n: int, p: float) -> float:
    """Compute (1-p) sum_{d>n} p^(d-1) / d, the weight of one common item below depth n when no others follow.

    Webber's eq. 11 has log(1/(1-p)) - sum_{d<=n} p^d/d, which loses all digits when n is large. There we use
    p^n / (n+1) * 2F1(1, 1; n+2; -p/(1-p)), and Gauss's continued fraction for 2F1. Its terms are positive, and
    100 terms give full precision if n log(1/p) is at least 1.
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


def _unseen(long: Ranking, long_at: Profile, s: int, kind: Literal["ext", "max"]) -> FloatArray:
    """Compute the overlap at each depth if the shorter side's ranks s+1..d held items that only the longer side has.

    "max" takes the first of these items. "ext" takes the mean contribution of the items whose tied group has begun.
    """
    n = long_at.share.shape[-1]
    if s == n:
        return np.zeros(n)
    ranks = np.maximum(np.arange(1, n + 1) - s, 0)
    begun = long_at.begun - count(long.top, n)  # never fewer than `ranks`
    done = long_at.done - count(long.bottom, n)
    if kind == "max":
        begun, done = ranks, np.minimum(done, ranks)
    overlap: FloatArray = long_at.share * begun + (1 - long_at.share) * done
    return overlap if kind == "max" else overlap * ranks / np.maximum(begun, 1)


# Convert the arguments of callers to ranks


def _from_mappings(truth: Mapping[Any, Any], candidate: Mapping[Any, Any]) -> tuple[Ranking, Ranking]:
    """Make rankings of the shorter and the longer side, with item ranks only for common items."""
    sides = ((_scores(truth, "truth"), truth), (_scores(candidate, "candidate"), candidate))
    (short_scores, short), (long_scores, long) = sorted(sides, key=lambda side: len(side[1]))
    place = {item: k for k, item in enumerate(long)}
    shared = [(k, place[item]) for k, item in enumerate(short) if item in place]
    common = np.array(shared, dtype=np.int64).reshape(-1, 2)  # two columns even if no items are shared

    def restricted(scores: FloatArray, items: IntArray) -> Ranking:
        ranking = ranking_of(scores)
        return ranking._replace(top=ranking.top[:, items], bottom=ranking.bottom[:, items])

    return restricted(short_scores, common[:, 0]), restricted(long_scores, common[:, 1])


def _scores(values: Mapping[Any, Any], name: str) -> FloatArray:
    """Convert the scores of a mapping to one row."""
    if not values:
        raise InputError(f"{name} is an empty mapping: give at least one item with its score")
    return np.array([[_score(value, f"{name}[{item!r}] is {value!r}") for item, value in values.items()]])


def _score(value: Any, what: str) -> float:
    exact = value.item() if isinstance(value, np.generic) else value
    number = isinstance(exact, Real)  # kept separate, as mypy finds no comparison in Real
    if not number:
        raise InputTypeError(f"{what}: give every item a real number, higher is better")
    if not abs(exact) <= sys.float_info.max:  # refuses nan, too
        raise InputError(f"{what}: give every item a finite score, or leave the item out")
    if float(exact) != exact:
        raise InputError(f"{what}, which float64 cannot hold exactly: subtract a constant or pass ranks")
    return float(exact)
