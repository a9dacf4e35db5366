"""P-values of the differences between all pairs of systems, corrected to control the family-wise error.

The null distribution comes from random signs of the topics (Rademacher weights, the wild bootstrap): if two systems are
truly tied, both signs of a topic's difference are equally likely. The statistic r = |mean d| / root mean square d is a
monotone function of Student's t, and its denominator is the same under all signs. So the studentised statistic costs
one matrix product, no resample divides by zero, and the test is exact for symmetric differences at any number of
topics. The stepdown correction uses the largest r over all pairs of a family (Westfall and Young; Romano and Wolf).

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

_HELD = 15  # numbers in memory per pair if scores are missing, besides the columns, as measured
_CHUNK = 1024  # resamples at a time
_SAME = 1e-11  # differences below this share of the largest deviation are rounding errors of identical systems
_BLOCK = 2**15  # pairs whose statistics are computed at a time
_NOISE = 1e-7  # rounding error of r: signs that give the observed r must count in spite of it


class Summands(NamedTuple):
    """Columns whose n rows are summed with random signs; two sums differ by the difference of two systems."""

    values: FloatArray
    """One row per topic, or group."""
    base: IntArray
    """For each column, the index of an earlier column whose sum must be added, or -1 if none."""
    place: IntArray
    """Column of system i for its comparison with system j, at `[i, j]`."""


class PairSamples(NamedTuple):
    """A collection, centred on each topic and scaled, with statistics of the difference i minus j at `[i, j]`."""

    centred: FloatArray
    difference: FloatArray
    """Differences of the means; exactly 0 for tied means."""
    size: FloatArray
    """Root mean square of the differences over the topics; exactly 0 for identical systems."""
    skewness: FloatArray
    """Skewness of the differences; 0 where they are constant."""
    departure: FloatArray
    """How far the other topics are from a difference that at least half of the topics share, from `_departures`; nan if
    there is no such difference."""

    @classmethod
    def of(cls, values: FloatArray) -> PairSamples:
        """Compute the statistics from a topics x systems matrix."""
        require_room_for_pairs(values.shape[1], "a test of all pairs", 10)
        # centring keeps the differences, and loses no digits if scores are large
        centred = values - values.mean(axis=1, keepdims=True)
        centred /= np.abs(centred).max() or 1.0  # makes results independent of the scale, and keeps cubes finite
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
        """Compute Student's |t| of each pair, which is very large where all topics have the same difference."""
        r = self.r()
        return np.asarray(np.sqrt((self.n - 1) * r**2 / np.maximum(1 - r**2, 1e-30)))

    def r(self) -> FloatArray:
        """Compute r = |mean| / root mean square of each pair, from 0 to 1."""
        size = np.where(self.size > 0, self.size, 1)
        return np.asarray(np.minimum(np.abs(self.difference) / size, 1))


def corrected_pvalues(values: FloatArray, how: Resampling, *, simultaneous: bool) -> FloatArray:
    """Compute the corrected p-values of all differences, m x m.

    If `simultaneous`, all p-values are corrected for all pairs. Otherwise those in row i are corrected for the pairs of
    system i.
    """
    pairs = PairSamples.of(values)
    r, size, m = shrunk(pairs), pairs.size, pairs.m
    columns = Summands(pairs.centred / pairs.n, np.full(m, -1), np.broadcast_to(np.arange(m)[:, None], size.shape))
    del pairs  # free memory: this is large with many systems
    return stepdown(r, size, columns, how, simultaneous=simultaneous)


def stepdown(r: FloatArray, size: FloatArray, columns: Summands, how: Resampling, *, simultaneous: bool) -> FloatArray:
    """Compute the p-values of all pairs, m x m, from their statistics r, corrected as in `corrected_pvalues`.

    The `columns` give the differences of pairs under random signs. Divided by `size`, these are comparable with r.
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
        # if all signs are used, they include the sample's own
        p = count / total if exact else (1 + count) / (1 + total)
        p = stepped_down(p[::-1])[::-1]
        result[family.i, family.j] = p
        if simultaneous:
            result[family.j, family.i] = p
    return result


def shrunk(pairs: PairSamples) -> FloatArray:
    """Compute the statistic r of each pair, with its t shrunk to the scale of symmetric differences.

    Cornish and Fisher: if d has skewness g, the quantile of t is z - g (2 z^2 + 1) / (6 sqrt(n)), where z is the
    quantile for symmetric differences. So the shrunk value s of a t > 0 solves t = s + a (2 s^2 + 1) with
    a = -g / (6 sqrt(n)). This is used only if the tail is heavier, a > 0. A sample of few topics underestimates
    skewness, most of all if it misses the tail, and then t is too large. So g is twice the skewness of the pair, and at
    least the typical skewness of the collection.
    """
    typical = unseen_skewness(pairs.skewness[np.triu_indices(pairs.m, 1)], pairs.n)
    found = np.empty_like(pairs.size)
    step = max(1, _BLOCK // pairs.m)
    for rows in (slice(lo, lo + step) for lo in range(0, pairs.m, step)):
        some = _with_unseen_topic(PairSamples(pairs.centred, *(part[rows] for part in pairs[1:])))
        found[rows] = shrunk_by(some.t(), some.skewness * np.sign(some.difference), typical, pairs.n)
    return found


def shrunk_by(t: FloatArray, g: FloatArray, typical: float, n: int | IntArray) -> FloatArray:
    """Shrink t as in `shrunk`, and convert it to r.

    `g` is the skewness, with its sign changed if the difference is negative. `n` is the number of topics, one number
    for all pairs or one for each pair.
    """
    a = np.maximum(-UNSEEN * g, typical) / (6 * np.sqrt(n))
    over = np.maximum(t - a, 0)
    s = 2 * over / (1 + np.sqrt(1 + 8 * a * over))
    return np.asarray(s / np.sqrt(n - 1 + s**2))


def _departures(d: FloatArray) -> FloatArray:
    """Compute how far the other topics are from a value that at least half of the topics share, as a root mean square.

    It is 0 if all topics share the value, and nan for columns without such a value. A value that half of a column
    shares is one of the two middle values of the column.
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
    """Add an imagined topic to pairs that have the same difference on at least half of the topics.

    The added topic departs from that difference, against the observed direction.

    The few topics that have another difference decide which system of such a pair is better. A sample that lacks these
    topics looks like perfect evidence, and neither its variance nor its skewness shows that they are missing.
    """
    n, changed = pairs.n, ~np.isnan(pairs.departure) & (pairs.size > 0)
    total = np.maximum(n * np.abs(pairs.difference) - pairs.departure, 0)
    size = np.sqrt((n * pairs.size**2 + pairs.departure**2) / (n + 1))
    return pairs._replace(
        difference=np.where(changed, np.sign(pairs.difference) * total / (n + 1), pairs.difference),
        size=np.where(changed, size, pairs.size),
    )


def unseen_skewness(skewness: FloatArray, n: int | IntArray) -> float:
    """Estimate the typical skewness of the pairs: their median size, minus what n normal differences show by chance."""
    typical = float(np.median(n))
    if typical < 3:
        return 0.0
    spread = np.median(np.abs(skewness)) / 0.6744897501960817  # upper quartile of the standard normal
    chance = 6 * typical * (typical - 1) / ((typical - 2) * (typical + 1) * (typical + 3))
    return float(np.sqrt(max(0.0, spread**2 - chance)))


def adjusted_skewness(d: FloatArray, n: int | IntArray) -> FloatArray:
    """Compute the adjusted Fisher-Pearson skewness of each column; 0 if it is constant or has fewer than 3 topics.

    `n` is the number of topics of all columns or of each column. In the latter case, missing topics are nan.
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
    # Do not use centred**3: with many topics, NumPy's power took nine tenths of the time.
    skewness = (squares * centred).sum(axis=0) / np.maximum(n, 1) / np.where(constant, 1, variance) ** 1.5
    return np.where(constant, 0.0, skewness * np.sqrt(n * (n - np.int64(1))) / np.maximum(n - 2, 1))


class _Family(NamedTuple):
    """Pairs that are corrected together, the weakest first."""

    i: IntArray
    j: IntArray
    scale: FloatArray
    least: FloatArray
    """Threshold that the largest r of a resample must reach to count."""


def _family(i: IntArray, j: IntArray, r: FloatArray, size: FloatArray) -> _Family:
    order = np.argsort(r[i, j], kind="stable")
    i, j = i[order], j[order]
    own = size[i, j]
    scale = np.where(own > 0, 1 / np.where(own > 0, own, 1), 0.0)  # identical systems: r is 0 under all signs
    return _Family(i, j, scale, r[i, j] * (1 - _NOISE))


def _exceedances(
    columns: Summands, families: Sequence[_Family], signs: Iterable[Any], n_signs: int, how: Resampling
) -> list[FloatArray]:
    """Count for each pair the resamples in which it or a weaker pair of its family reaches the pair's observed r."""
    one = len(families) == 1  # a single family is large, so it is not copied
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
    """Count exceedances for a block of sign vectors; also return the number of vectors in the block."""
    counts = np.empty(len(pairs[0]))
    _kernels.active.exceedances(values, base, signs.astype(np.int64), *pairs, counts)
    return counts, len(signs)


def pvalues_on_common_topics(
    values: FloatArray, how: Resampling, groups: IntArray | None = None, *, simultaneous: bool
) -> tuple[FloatArray, FloatArray]:
    """Compute corrected p-values of all differences if scores are missing, and the mean differences, i minus j.

    Each pair is compared on its n common topics (or groups, which keep or change their sign together). The statistic is
    sqrt(n) r = |sum d| / sqrt(sum d^2). Under random signs its variance is 1, its tails lie below those of a normal
    distribution for every n (Hoeffding), and it is at most sqrt(n). So pairs with few common topics neither raise the
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
    """Build the columns to sum under random signs, if scores are missing.

    There is a column for each system and each set of topics that it shares with another system. The sum over a set
    starts from the sum over all topics of the system if that needs fewer terms. If there would be more columns than
    pairs, each pair gets its own column.
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
    each = np.full((m, m), len(first))  # the last column is empty, with sum 0
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
    one system, uses the largest statistic in draws from the normal distribution with mean 0 and the given covariance.
    The two directions of a pair are separate hypotheses: a difference of the wrong sign is an error.

    On the 38 countries of PISA 2018 the simultaneous sets equal those of the R package csranks. Of the 76 marginal
    limits, from 10,000 draws, three are wider than the limits of csranks by one or two ranks. The pairs that decide
    these limits have p = 0.047 to 0.050 in 100,000 draws. In 10,000 draws a p-value near 0.05 has a standard error of
    0.002.
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
    order = np.argsort(-means.values, kind="stable")  # the systems are drawn in this order
    x, sigma = means.values[order], sigma[np.ix_(order, order)]
    variance = np.diag(sigma)
    size = np.sqrt(np.maximum(variance[:, None] + variance[None, :] - 2 * sigma, 0))
    # the two scores vary together, so their difference has no error
    size[size <= np.sqrt(ROUNDING * variance.max(initial=0.0)) * 1e-3] = 0
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
    """Compute corrected p-values of all differences: for all pairs together, or in row i for the pairs of system i."""
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
    """Compute corrected p-values of the directed differences i - j.

    A p-value is the share of draws in which the largest statistic of this and all weaker differences reaches its t.

    The two directions of a pair are separate hypotheses, so a difference of the wrong sign is an error as well.
    """
    order = np.argsort(t, kind="stable")
    largest = np.full(systems.shape[1], -np.inf)
    counts = np.empty(len(order))
    scale = np.where(size > 0, 1 / np.where(size > 0, size, 1), 0.0)
    for at in order:
        np.maximum(largest, (systems[i[at]] - systems[j[at]]) * scale[at], out=largest)
        counts[at] = np.count_nonzero(largest >= t[at])
    return stepped_down((1 + counts) / (1 + systems.shape[1]), order[::-1])
