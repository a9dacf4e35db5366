"""Corrected p-values of all differences between systems, with control of the family-wise error.

The null distribution comes from random signs of the topics (Rademacher weights, the wild bootstrap): under a tie both
signs of a topic's difference are equally likely. The statistic r = |mean d| / root mean square d is a monotone function
of Student's t, and its denominator is the same under all signs. So the studentised statistic costs one matrix product,
no resample divides by zero, and the test is exact for symmetric differences at any number of topics. The stepdown
correction uses the largest r over all pairs of a family (Westfall and Young; Romano and Wolf).

Skewed differences make one tail of t heavy, so t is first shrunk by the first term of its Cornish-Fisher expansion.
docs/guide/rank-intervals.md has the derivation and the measurements.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from .. import _kernels
from ..arrays import FloatArray, IntArray, require_room_for_pairs, rows_at_a_time, shared_out
from ..data.means import group_rows, mean_over_topics
from ..data.scores import Means
from ..data.uncertainty import ROUNDING
from ..errors import InputError, counted, in_python
from ..inference.adjustment import stepped_down
from ..inference.calibration import UNSEEN
from ..inference.resampling import Resampling
from ..inference.sign_flips import signs, takes_all_signs

_HELD = 15  # measured numbers in memory for each pair with missing scores, besides the columns
_CHUNK = 1024  # resamples at a time
_SAME = 1e-11  # differences below this share of the largest deviation are rounding: the systems are identical
_BLOCK = 2**15  # pairs whose statistics are computed at a time
_NOISE = 1e-7  # rounding error of r; signs that give the observed r must count


class Summands(NamedTuple):
    """Columns to sum under random signs of their n rows; the difference of two columns is that of two systems."""

    values: FloatArray
    """One row per topic, or group."""
    base: IntArray
    """For each column the earlier column whose sum to add, or -1."""
    place: IntArray
    """Systems i and j are compared by the columns `[i, j]` and `[j, i]`."""


class PairSamples(NamedTuple):
    """A collection, centred topic by topic and scaled, with its differences `[i, j]`, i minus j."""

    centred: FloatArray
    difference: FloatArray
    """Differences of the means; exactly 0 for tied means."""
    size: FloatArray
    """Root mean square of the differences over the topics; exactly 0 for identical systems."""
    skewness: FloatArray
    """Skewness of the differences; 0 where they are constant."""
    departure: FloatArray
    """Departures of the other topics from a difference that at least half share, by `_departures`; else nan."""

    @classmethod
    def of(cls, values: FloatArray) -> PairSamples:
        """Compute it from a topics x systems matrix."""
        require_room_for_pairs(values.shape[1], "a test of all pairs", 10)
        centred = values - values.mean(axis=1, keepdims=True)  # keeps differences; large scores lose no digits
        centred /= np.abs(centred).max() or 1.0  # results do not depend on the scale; cubes stay finite
        means, rounded = centred.mean(axis=0), mean_over_topics(values)
        difference = (means[:, None] - means[None, :]) * (rounded[:, None] != rounded[None, :])
        size, skewness, departure = (np.empty_like(difference) for _ in range(3))
        for i, column in enumerate(centred.T):
            d = column[:, None] - centred
            size[i], skewness[i] = np.sqrt((d**2).mean(axis=0)), adjusted_skewness(d, len(d))
            departure[i, i:] = departure[i:, i] = _departures(d[:, i:])
        size[size < _SAME] = 0
        some = departure > 0
        least = np.median(departure[some]) if some.any() else 0.0
        return cls(centred, difference, size, skewness, np.maximum(departure, least))

    @property
    def n(self) -> int:
        """Number of topics."""
        return len(self.centred)

    @property
    def m(self) -> int:
        """Number of systems."""
        return len(self.size)

    def t(self) -> FloatArray:
        """Student's |t| of each pair; very large where all topics have the same difference."""
        r = self.r()
        return np.asarray(np.sqrt((self.n - 1) * r**2 / np.maximum(1 - r**2, 1e-30)))

    def r(self) -> FloatArray:
        """|mean| / root mean square, from 0 to 1."""
        size = np.where(self.size > 0, self.size, 1)
        return np.asarray(np.minimum(np.abs(self.difference) / size, 1))


def corrected_pvalues(values: FloatArray, how: Resampling, *, simultaneous: bool) -> FloatArray:
    """Compute p-values of all differences, m x m, corrected for all pairs, or in row i for the pairs of system i."""
    pairs = PairSamples.of(values)
    r, size, m = shrunk(pairs), pairs.size, pairs.m
    columns = Summands(pairs.centred / pairs.n, np.full(m, -1), np.broadcast_to(np.arange(m)[:, None], size.shape))
    del pairs  # free memory: this is large with many systems
    return stepdown(r, size, columns, how, simultaneous=simultaneous)


def stepdown(r: FloatArray, size: FloatArray, columns: Summands, how: Resampling, *, simultaneous: bool) -> FloatArray:
    """Compute p-values of all pairs from their statistics r, m x m, corrected as in `corrected_pvalues`.

    `columns` give the differences of pairs under random signs; divided by `size` they are comparable with r.
    """
    n = len(columns.values)
    exact, m = takes_all_signs(n, how.n_resamples, opposite=False), len(r)
    total = 1 << (n - 1) if exact else how.n_resamples
    step = rows_at_a_time(n, _CHUNK)
    parts = [(lo, min(lo + step, total)) for lo in range(0, total, step)]
    if simultaneous:
        families = [_family(*np.triu_indices(m, 1), r, size)]
    else:
        others = [np.delete(np.arange(m), i) for i in range(m)]
        families = [_family(np.full(m - 1, i), j, r, size) for i, j in enumerate(others)]
    drawn = signs(n, parts, None if exact else how.generator())
    counts = _exceedances(columns, families, drawn, total, how)
    result = np.ones((m, m))
    for family, count in zip(families, counts, strict=True):
        p = count / total if exact else (1 + count) / (1 + total)  # the sample's own signs are among all
        p = stepped_down(p[::-1])[::-1]
        result[family.i, family.j] = p
        if simultaneous:
            result[family.j, family.i] = p
    return result


def shrunk(pairs: PairSamples) -> FloatArray:
    """Compute the statistic r of each pair, with its t shrunk to the scale of symmetric differences.

    Cornish and Fisher: if d has skewness g, the quantile of t is z - g (2 z^2 + 1) / (6 sqrt(n)), with z that of
    symmetric differences. So the s for t > 0 solves t = s + a (2 s^2 + 1), a = -g / (6 sqrt(n)), used for heavier tails
    only, a > 0. Few topics underestimate skewness, most of all if they missed the tail, and then t is too large. So g
    is twice the skewness of the pair, and at least the typical skewness of the collection.
    """
    typical = unseen_skewness(pairs.skewness[np.triu_indices(pairs.m, 1)], pairs.n)
    found = np.empty_like(pairs.size)
    step = max(1, _BLOCK // pairs.m)
    for rows in (slice(lo, lo + step) for lo in range(0, pairs.m, step)):
        some = _with_unseen_topic(PairSamples(pairs.centred, *(part[rows] for part in pairs[1:])))
        found[rows] = shrunk_by(some.t(), some.skewness * np.sign(some.difference), typical, pairs.n)
    return found


def shrunk_by(t: FloatArray, g: FloatArray, typical: float, n: int | IntArray) -> FloatArray:
    """Shrink t as in `shrunk`; g: skewness as if the difference were positive; n: topics, of all or by pair."""
    a = np.maximum(-UNSEEN * g, typical) / (6 * np.sqrt(n))
    over = np.maximum(t - a, 0)
    s = 2 * over / (1 + np.sqrt(1 + 8 * a * over))
    return np.asarray(s / np.sqrt(n - 1 + s**2))


def _departures(d: FloatArray) -> FloatArray:
    """Root mean square distance of the other topics from a value that at least half of the topics share.

    0 if all topics share it, nan for columns without such a value. A value that half of a column shares is its median.
    """
    n, found = len(d), np.full(d.shape[1], np.nan)
    middle = [(n - 1) // 2, n // 2]
    for median in np.partition(d, middle, axis=0)[middle]:
        off = d - median
        apart = np.abs(off) > _SAME
        count = apart.sum(axis=0)
        some = count <= n / 2
        found[some] = np.sqrt((off**2 * apart).sum(axis=0) / np.maximum(count, 1))[some]
    return found


def _with_unseen_topic(pairs: PairSamples) -> PairSamples:
    """Add a topic that departs from the difference that most topics share, against the observed direction.

    The few other topics decide such a pair. A sample without them looks like perfect evidence, and neither its variance
    nor its skewness shows that they are missing.
    """
    n, changed = pairs.n, ~np.isnan(pairs.departure) & (pairs.size > 0)
    total = np.maximum(n * np.abs(pairs.difference) - pairs.departure, 0)
    size = np.sqrt((n * pairs.size**2 + pairs.departure**2) / (n + 1))
    return pairs._replace(
        difference=np.where(changed, np.sign(pairs.difference) * total / (n + 1), pairs.difference),
        size=np.where(changed, size, pairs.size),
    )


def unseen_skewness(skewness: FloatArray, n: int | IntArray) -> float:
    """Typical size of the skewness over pairs of n topics: from the median, minus that of n normal differences."""
    typical = float(np.median(n))
    if typical < 3:
        return 0.0
    spread = np.median(np.abs(skewness)) / 0.6744897501960817  # a normal's quartile
    chance = 6 * typical * (typical - 1) / ((typical - 2) * (typical + 1) * (typical + 3))
    return float(np.sqrt(max(0.0, spread**2 - chance)))


def adjusted_skewness(d: FloatArray, n: int | IntArray) -> FloatArray:
    """Adjusted Fisher-Pearson skewness of the n topics of each column; 0 if constant or with fewer than 3 topics.

    If n differs between columns, missing topics are nan.
    """
    if not isinstance(n, int):
        there = ~np.isnan(d)
        known = np.where(there, d, 0.0)
        centred = np.where(there, d - known.sum(axis=0) / np.maximum(n, 1), 0.0)
    else:
        known, centred = d, d - d.mean(axis=0)
    squares = centred**2
    variance = squares.sum(axis=0) / np.maximum(n, 1)
    constant = (variance <= np.maximum(_NOISE * np.abs(known).max(axis=0), _SAME) ** 2) | (np.asarray(n) < 3)
    # Not centred**3: with many topics NumPy's pow took nine tenths of the time.
    skewness = (squares * centred).sum(axis=0) / np.maximum(n, 1) / np.where(constant, 1, variance) ** 1.5
    return np.where(constant, 0.0, skewness * np.sqrt(n * (n - np.int64(1))) / np.maximum(n - 2, 1))


class _Family(NamedTuple):
    """Pairs that are corrected together, the weakest first."""

    i: IntArray
    j: IntArray
    scale: FloatArray
    least: FloatArray
    """Threshold for the largest r of a resample to count."""


def _family(i: IntArray, j: IntArray, r: FloatArray, size: FloatArray) -> _Family:
    order = np.argsort(r[i, j], kind="stable")
    i, j = i[order], j[order]
    own = size[i, j]
    scale = np.where(own > 0, 1 / np.where(own > 0, own, 1), 0.0)  # identical systems: r is 0 under all signs
    return _Family(i, j, scale, r[i, j] * (1 - _NOISE))


def _exceedances(
    columns: Summands, families: Sequence[_Family], signs: Iterable[Any], n_signs: int, how: Resampling
) -> list[FloatArray]:
    """Count the resamples in which the largest r of a pair and all weaker pairs of its family reaches the pair's r."""
    one = len(families) == 1  # and large, then: not copied
    i, j, scale, least = (parts[0] if one else np.concatenate(parts) for parts in zip(*families, strict=True))
    ends = np.cumsum([len(family.i) for family in families], dtype=np.int64)
    place = columns.place.astype(np.int64, copy=False)
    pairs = place[i, j], place[j, i], scale, least, ends
    total, done = np.zeros(len(i)), 0
    work = partial(_counts, np.ascontiguousarray(columns.values), columns.base.astype(np.int64), pairs)
    for counts, rows in shared_out(work, signs, how.workers, in_threads=True):
        total += counts
        done += rows
        how.progress(done, n_signs)
    return np.split(total, ends[:-1])


def _counts(values: FloatArray, base: IntArray, pairs: tuple[Any, ...], signs: Any) -> tuple[FloatArray, int]:
    """Count exceedances for some signs, and the number of signs."""
    counts = np.empty(len(pairs[0]))
    _kernels.active.exceedances(values, base, signs.astype(np.int64), *pairs, counts)
    return counts, len(signs)


def pvalues_on_common_topics(
    values: FloatArray, how: Resampling, groups: IntArray | None = None, *, simultaneous: bool
) -> tuple[FloatArray, FloatArray]:
    """Compute corrected p-values of all differences with missing scores, and mean differences, i minus j.

    Each pair is compared on its n common topics (or groups, which keep or change their sign together). The statistic is
    sqrt(n) r = |sum d| / sqrt(sum d^2). Under random signs it has variance 1, tails below those of a normal
    distribution for every n (Hoeffding), and is at most sqrt(n). So pairs with few common topics neither raise the
    threshold for others nor reach it themselves. If all pairs have the same n, this is the test of `corrected_pvalues`.
    """
    m = values.shape[1]
    require_room_for_pairs(m, "a test of all pairs", _HELD)
    centred = values - np.nanmean(values, axis=1, keepdims=True)
    centred /= np.nanmax(np.abs(centred)) or 1.0
    n, total, size, skewness = np.zeros((m, m), np.int64), np.zeros((m, m)), np.zeros((m, m)), np.zeros((m, m))
    for i in range(m):
        d = _by_group(centred[:, [i]] - centred, groups)
        there = ~np.isnan(d)
        known = np.where(there, d, 0.0)
        n[i], total[i], size[i] = there.sum(axis=0), known.sum(axis=0), np.sqrt((known**2).sum(axis=0))
        skewness[i] = adjusted_skewness(d, n[i])
    few = n < 2
    size[(size < _SAME * np.sqrt(np.maximum(n, 1))) | few] = 0  # identical systems, or too few topics
    z = np.minimum(np.abs(total) / np.where(size > 0, size, 1), np.sqrt(n)) * (size > 0)  # sqrt(n) r
    n = np.maximum(n, 2)
    t = np.sqrt((n - 1) * z**2 / np.maximum(n - z**2, 1e-30))
    upper = np.triu_indices(m, 1)
    typical = unseen_skewness(skewness[upper], n[upper])
    r = shrunk_by(t, skewness * np.sign(total), typical, n) * np.sqrt(n)
    p = stepdown(r, size, columns_of(centred, groups), how, simultaneous=simultaneous)
    return p, np.asarray(total / n)


def columns_of(values: FloatArray, groups: IntArray | None) -> Summands:
    """Columns of scores with holes, to sum under random signs.

    There is a column for each system and each set of topics that it shares with another system. A sum over a set starts
    from the sum over all topics of the system if fewer topics must be subtracted than added. If that gives more columns
    than pairs, each pair gets its own column.
    """
    there, m = ~np.isnan(values), values.shape[1]
    patterns, pattern = np.unique(there, axis=1, return_inverse=True)
    place = np.empty((m, patterns.shape[1]), np.int64)
    found: list[FloatArray] = []
    base: list[int] = []
    for i, own in enumerate(there.T):
        whole, at_set = len(found), dict[bytes, int]()
        for topics in (own, *patterns.T):
            both = own & topics
            if both.tobytes() not in at_set:
                at_set[both.tobytes()] = len(found)
                away = groups is None and whole < len(found) and 2 * both.sum() > own.sum()
                found.append(-values[:, i] * (own & ~topics) if away else np.where(both, values[:, i], np.nan))
                base.append(whole if away else -1)
        place[i] = [at_set[(own & topics).tobytes()] for topics in patterns.T]
        if 2 * len(found) > m * (m - 1):
            break
    else:
        return Summands(_summed(np.stack(found, axis=1), groups), np.array(base), place[:, pattern.ravel()])
    require_room_for_pairs(m, "a test of all pairs, each on its own topics,", _HELD + len(values))
    first, second = np.triu_indices(m, 1)
    each = np.full((m, m), len(first))  # the last column has nothing to add
    each[first, second] = np.arange(len(first))
    sums = _summed(values[:, first] - values[:, second], groups)
    return Summands(np.append(sums, np.zeros((len(sums), 1)), axis=1), np.full(len(first) + 1, -1), each)


def _summed(values: FloatArray, groups: IntArray | None) -> FloatArray:
    return np.nan_to_num(_by_group(values, groups))


def _by_group(values: FloatArray, groups: IntArray | None) -> FloatArray:
    return values if groups is None else group_rows(values, groups)


def pvalues_from_errors(means: Means, how: Resampling, *, simultaneous: bool) -> FloatArray:
    """Compute corrected p-values from one score per system with standard errors or a covariance.

    The statistic of a pair is its difference / its standard error. The stepdown correction for all pairs, or those of
    one system, uses the largest statistic of draws from the normal distribution with mean 0 and the covariance. The two
    directions of a pair are separate hypotheses: a difference of the wrong sign is an error.

    On the 38 countries of PISA 2018 the simultaneous sets equal those of the R package csranks. Of 76 marginal limits,
    from 10,000 draws, three are wider by one or two ranks. The deciding pairs have p = 0.047 to 0.050 in 100,000 draws,
    and a p-value near 0.05 has a standard error of 0.002 in 10,000.
    """
    m, freedom = len(means.systems), means.degrees_of_freedom
    if m < 2:
        raise InputError(f"scores have {counted(m, 'system')}: at least 2 are needed")
    require_room_for_pairs(m, "rank intervals", 17)
    if means.covariance is not None:
        sigma = means.covariance
    elif means.errors is not None:
        sigma = np.diag(means.errors**2)
    else:
        raise InputError(
            f"{means.source or 'scores'} has one score per system, and rank intervals need topics or standard errors: "
            "give the scores on each topic, or a table with a column stderr behind the score, or with its 95% limits "
            f"(columns score, score_lower, score_upper){in_python(', or Means(values, systems, errors=...)')}"
        )
    order = np.argsort(-means.values, kind="stable")  # order of the draws
    x, sigma = means.values[order], sigma[np.ix_(order, order)]
    variance = np.diag(sigma)
    size = np.sqrt(np.maximum(variance[:, None] + variance[None, :] - 2 * sigma, 0))
    size[size <= np.sqrt(ROUNDING * variance.max(initial=0.0)) * 1e-3] = 0  # scores that vary together
    gaps = x[:, None] - x[None, :]
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(gaps == 0, 0.0, gaps / size)  # a gap without error is certain: infinite t
    values, vectors = np.linalg.eigh(sigma)
    root = vectors * np.sqrt(np.maximum(values, 0))
    random = how.generator()
    draws = random.standard_normal((how.n_resamples, m)) @ root.T
    if freedom is not None:
        draws *= np.sqrt(freedom / random.chisquare(freedom, how.n_resamples))[:, None]
    found = np.empty((m, m))
    found[np.ix_(order, order)] = _pvalues(t, size, draws, simultaneous=simultaneous)
    return found


def _pvalues(t: FloatArray, size: FloatArray, draws: FloatArray, *, simultaneous: bool) -> FloatArray:
    """Correct the p-values of all differences, for all pairs together, or in row i for those of system i."""
    m, systems = len(t), np.ascontiguousarray(draws.T)
    p = np.ones((m, m))
    if simultaneous:
        i, j = np.nonzero(~np.eye(m, dtype=bool))
        p[i, j] = _directed(t[i, j], size[i, j], systems, i, j)
        return np.minimum(p, p.T)
    for k in range(m):
        others = np.delete(np.arange(m), k)
        i = np.concatenate([np.full(m - 1, k), others])
        j = np.concatenate([others, np.full(m - 1, k)])
        found = _directed(t[i, j], size[i, j], systems, i, j)
        p[k, others] = np.minimum(found[: m - 1], found[m - 1 :])
    return p


def _directed(t: FloatArray, size: FloatArray, systems: FloatArray, i: IntArray, j: IntArray) -> FloatArray:
    """Share of draws in which the largest statistic of a directed difference i - j and all weaker ones reaches its t.

    Both directions of a pair are hypotheses, so a difference of the wrong sign is an error as well.
    """
    order = np.argsort(t, kind="stable")
    largest = np.full(systems.shape[1], -np.inf)
    counts = np.empty(len(order))
    scale = np.where(size > 0, 1 / np.where(size > 0, size, 1), 0.0)
    for at in order:
        np.maximum(largest, (systems[i[at]] - systems[j[at]]) * scale[at], out=largest)
        counts[at] = np.count_nonzero(largest >= t[at])
    return stepped_down((1 + counts) / (1 + systems.shape[1]), order[::-1])
