"""Worth of a candidate in topics of the truth: the numbers, without labels, messages or results.

The topics are split at random into A (a = n // 2 topics) and B (the others). The reference is the truth's ranking on B.
V_X(k) is the mean agreement of the truth on k topics of A with the reference, V_Y(k) that of a candidate. The worth
W(a) is the k with V_X(k) = V_Y(a). Everything that is reported is a function of the two curves and of the covariance of
their points over samples of topics, which a delete-one-topic jackknife over the same splits estimates.

A coefficient is any function f(truth_rows, candidate_rows) whose last axis holds the systems and whose leading axes
broadcast as in NumPy. Where it is undefined (nan: all systems tied on a side) the agreement is 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]
Coefficient: TypeAlias = Callable[[FloatArray, FloatArray], float | FloatArray]
Settle: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]

FEWEST = 10  # topics: below, a half has too few to rank anything and the jackknife too few to be trusted
GRID = 12  # sizes at which the curves are computed
CHUNK = 2**21  # floats of the largest array at a time
LARGEST = 3 * 2**19  # changes by split, topic and point that the jackknife may add splits for: seconds of work


# Splits ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Splits:
    """Random orders of the topics; the first `half` topics of an order are A, in that order, the others B."""

    order: IntArray
    half: int

    def __len__(self) -> int:
        return len(self.order)

    def first(self, count: int) -> Splits:
        return Splits(self.order[:count], self.half)

    def places(self) -> IntArray:
        """places[s, t]: where topic t stands in order s."""
        places = np.empty_like(self.order)
        np.put_along_axis(places, self.order, np.arange(self.order.shape[1])[None, :], axis=1)
        return places


def draw_splits(n: int, n_splits: int, rng: np.random.Generator) -> Splits:
    """Independent random orders of n topics, cut in the middle."""
    if n < FEWEST:
        raise ValueError(
            f"there are {n} topics: worth needs at least {FEWEST}, because the reference and the candidate are "
            "computed on halves that share no topic"
        )
    return Splits(rng.permuted(np.tile(np.arange(n), (n_splits, 1)), axis=1), n // 2)


def grid_of(half: int, points: int = GRID) -> IntArray:
    """Sizes from 1 to half: all of them where they are few, otherwise evenly spaced on the log scale."""
    return np.unique(np.rint(np.geomspace(1, half, max(points, 2))).astype(np.int64))


# Means with honest ties -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Side:
    """A score matrix whose sums are exact (whole numbers of a decimal unit), or settled by a rule."""

    values: FloatArray
    scale: float  # values / scale are the scores
    size: FloatArray | None  # by system: sum of absolute scores, where sums are not exact

    @staticmethod
    def of(scores: FloatArray) -> Side:
        """Scores of up to 9 decimals become whole numbers, whose sums have no rounding error in any order."""
        for decimals in range(10):
            whole = np.rint(scores * 10.0**decimals)
            if np.abs(whole).sum(axis=0).max() >= 2.0**50:
                break
            if np.array_equal(whole / 10.0**decimals, scores):
                return Side(whole, 10.0**decimals, None)
        return Side(np.ascontiguousarray(scores, dtype=np.float64), 1.0, np.abs(scores).sum(axis=0))

    def means(self, sums: FloatArray, count: int, settle: Settle) -> FloatArray:
        """Means from sums over `count` topics, equal where the totals are. Overwrites the sums."""
        sums /= count * self.scale
        if self.size is None:
            return sums
        size = self.size / count
        gaps = np.diff(np.sort(sums, axis=-1), axis=-1)
        near = ((gaps > 0) & (gaps <= 1e-9 * size.max())).any(axis=-1)  # only these rows can hold a hidden tie
        if near.any():
            sums[near] = settle(sums[near], size)
        return sums


# Curves ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Problem:
    """Whose agreement with the reference is asked for."""

    sides: Sequence[Side]
    points: Sequence[tuple[int, int]]  # side (0: truth, 1...: candidates) and number of topics
    coefficient: Coefficient
    settle: Settle


@dataclass(frozen=True)
class Effort:
    """How many splits to draw: as many as it takes, within limits.

    Splits are added until the Monte Carlo error of what is reported is at most `monte_carlo` of its standard error, and
    the noise of the splits at most `noise` of the jackknife's sum of squares.
    """

    splits: int = 1000
    jackknife: int = 150
    most_splits: int = 4000
    most_jackknife: int = 600
    monte_carlo: float = 0.09
    noise: float = 0.12
    groups: int = 11  # of topics, at most, whose interactions correct the jackknife; 0: no correction
    groupings: int = 4  # among which the splits of the jackknife are divided: chance makes the groups


DEFAULT = Effort()


@dataclass(frozen=True)
class Curves:
    """Both curves and the covariance of their points.

    A point is a side (0: truth, 1...: candidates) at a size; `values` has one row per side and one column per size, and
    the other arrays are over its flattened points.
    """

    n_topics: int
    half: int
    sizes: IntArray
    values: FloatArray
    monte_carlo: FloatArray  # over splits
    deletions: FloatArray  # topics x points: change when a topic is left out, minus its mean
    noise: FloatArray  # what the splits' noise adds to the sum of squares of `deletions`
    second: FloatArray  # sum of squared second differences, for the points that have it
    has_second: npt.NDArray[np.bool_]
    n_splits: int
    n_jackknife: int
    undefined: float  # share of coefficients that were undefined, and counted as 0

    def point(self, side: int, size: int = -1) -> int:
        """The flat index of a side at the size with this index; the last by default."""
        return side * len(self.sizes) + size % len(self.sizes)

    def variance(self, contrast: FloatArray) -> float:
        """The variance of a linear combination of points, over samples of topics.

        Efron and Stein's jackknife, less the noise of finitely many splits, which it would take for variance between
        topics, and less half of the squared second differences. (With V_j the variance due to interactions of j topics,
        the jackknife estimates V_1 + 2 V_2 + 3 V_3 + ..., the second differences V_2 + 3 V_3 + 6 V_4 + ...; half of
        them leaves at least the variance up to j = 4.) Both are estimates themselves: neither takes more than half.
        """
        n = self.n_topics
        squares = float(((self.deletions @ contrast) ** 2).sum())
        first = max(squares - float(contrast @ self.noise @ contrast), squares / 2)
        if contrast[~self.has_second].any():
            return (n - 1) / n * first
        return (n - 1) / n * min(first, max(first - float(contrast @ self.second @ contrast) / 2, first / 2))

    def is_rising(self, critical: float) -> bool:
        """Whether the truth agrees better on half of the topics than on 1, by more than so many standard errors."""
        ends = self.point(0), self.point(0, 0)
        gain = float(self.values.flat[ends[0]] - self.values.flat[ends[1]])
        return gain > critical * math.sqrt(self.variance(_unit(self, *ends)))

    def noise_share(self, contrast: FloatArray) -> float:
        """The share of the jackknife's sum of squares that is noise of the splits: above a half, draw more splits."""
        squares = float(((self.deletions @ contrast) ** 2).sum())
        return float(contrast @ self.noise @ contrast) / squares if squares > 0 else 0.0


def compute_curves(
    truth: FloatArray,
    candidates: Sequence[FloatArray],
    coefficient: Coefficient,
    rng: np.random.Generator,
    *,
    settle: Settle,
    sizes: IntArray | None = None,
    effort: Effort = DEFAULT,
) -> Curves:
    """Both curves over random splits of the topics, with the jackknife over the first of the same splits.

    Parameters
    ----------
    truth : ndarray
        Scores, topics x systems.
    candidates : sequence of ndarray
        Scores of each candidate for the same topics and systems.
    coefficient : callable
        f(truth_rows, candidate_rows) -> values; the last axis holds the systems, leading axes broadcast.
    rng : numpy.random.Generator
        Draws the splits. The same state gives the same bits.
    settle : callable
        settle(means, size) -> means: gives equal totals equal means, where sums are not exact; `size` is the sum of the
        absolute scores of each system, divided as the means are.
    sizes : ndarray, optional
        Sizes at which the curves are computed, from 1 to n // 2; `grid_of` by default.
    effort : Effort
        How many splits to draw.

    Returns
    -------
    Curves

    Raises
    ------
    ValueError
        If there are fewer than 10 topics.

    """
    sides = [Side.of(scores) for scores in (truth, *candidates)]
    n = len(truth)
    splits = draw_splits(n, effort.splits, rng)
    sizes = grid_of(splits.half) if sizes is None else sizes
    points = [(i, int(k)) for i in range(len(sides)) for k in sizes]
    problem = Problem(sides, points, coefficient, settle)
    most = max(effort.jackknife, min(effort.most_jackknife, LARGEST // (n * len(points))))
    values = _values(problem, splits)
    changes = _changes(problem, splits.first(effort.jackknife))
    second = _interactions(problem, splits.first(effort.jackknife), values, effort, rng)
    while True:
        curves = _summary(values, changes, second, splits, sizes)
        more_splits, more_jackknife = _missing(curves, effort, most)
        if not more_splits and not more_jackknife:
            return curves
        more = draw_splits(n, more_splits, rng)
        values = np.concatenate([values, _values(problem, more)])
        splits = Splits(np.concatenate([splits.order, more.order]), splits.half)
        next_ones = Splits(splits.order[len(changes) : len(changes) + more_jackknife], splits.half)
        changes = np.concatenate([changes, _changes(problem, next_ones)])


def _summary(values: FloatArray, changes: FloatArray, second: FloatArray, splits: Splits, sizes: IntArray) -> Curves:
    deletions, noise = _average(changes, splits.first(len(changes)))
    defined = _defined(values)
    has_second = ~np.isnan(np.diag(second))
    return Curves(
        n_topics=changes.shape[1],
        half=splits.half,
        sizes=sizes,
        values=defined.mean(axis=0).reshape(-1, len(sizes)),
        monte_carlo=np.cov(defined, rowvar=False) / len(splits),
        deletions=deletions,
        noise=noise,
        second=np.nan_to_num(second, nan=0.0),
        has_second=has_second,
        n_splits=len(splits),
        n_jackknife=len(changes),
        undefined=float(np.isnan(values).mean()),
    )


def _missing(curves: Curves, effort: Effort, most_jackknife: int) -> tuple[int, int]:
    """How many more splits are wanted: for the values, and among the splits for the jackknife."""
    wanted, wanted_jackknife = 0.0, 0.0
    for contrast in _contrasts(curves):
        variance = curves.variance(contrast)
        if variance > 0:
            spread = float(contrast @ curves.monte_carlo @ contrast)
            wanted = max(wanted, curves.n_splits * spread / (variance * effort.monte_carlo**2))
        wanted_jackknife = max(wanted_jackknife, curves.n_jackknife * curves.noise_share(contrast) / effort.noise)
    splits = min(math.ceil(1.1 * wanted), effort.most_splits) - curves.n_splits
    jackknife = min(math.ceil(1.1 * wanted_jackknife), most_jackknife) - curves.n_jackknife
    splits = splits if wanted > curves.n_splits else 0
    jackknife = jackknife if wanted_jackknife > curves.n_jackknife else 0
    splits = max(splits, 0, curves.n_jackknife + jackknife - curves.n_splits)
    return splits, max(jackknife, 0)


def _contrasts(curves: Curves) -> list[FloatArray]:
    """What is reported: each candidate against the truth where they match, and against each other candidate."""
    rising = monotone(curves.values[0])
    at_half = [curves.point(side) for side in range(1, len(curves.values))]
    found = []
    for point in at_half:
        size = size_with(curves.sizes, rising, float(curves.values.flat[point]))
        contrast = _influence(curves, 0, point, size)
        found.append(_unit(curves, point, curves.point(0, 0 if size < 1 else -1)) if contrast is None else contrast)
    return found + [_unit(curves, p, q) for i, p in enumerate(at_half) for q in at_half[:i]]


def _values(problem: Problem, splits: Splits) -> FloatArray:
    """The agreement of each point in each split, splits x points; nan where it is undefined."""
    n, m = problem.sides[0].values.shape
    out = np.empty((len(splits), len(problem.points)))
    step = max(1, CHUNK // ((len(problem.points) + n) * m))
    for lo in range(0, len(splits), step):
        chunk = Splits(splits.order[lo : lo + step], splits.half)
        reference, means = _means(problem, chunk)
        out[lo : lo + step] = problem.coefficient(reference[:, None, :], means)
    return out


def _means(problem: Problem, splits: Splits) -> tuple[FloatArray, FloatArray]:
    """Means of the truth over B (splits x systems), and of every point over its topics (splits x points x systems).

    A point with more topics than A has takes all of A.
    """
    sides, points, settle = problem.sides, problem.points, problem.settle
    in_b = splits.order[:, splits.half :]
    reference = sides[0].means(sides[0].values[in_b].sum(axis=1), in_b.shape[1], settle)
    means = np.empty((len(splits), len(points), sides[0].values.shape[1]))
    for i, side in enumerate(sides):
        sums, done = np.zeros_like(reference), 0
        for p in sorted((p for p, point in enumerate(points) if point[0] == i), key=lambda p: points[p][1]):
            count = min(points[p][1], splits.half)
            if count > done:
                sums += side.values[splits.order[:, done:count]].sum(axis=1)
                done = count
            means[:, p] = side.means(sums.copy(), count, settle)
    return reference, means


def _changes(problem: Problem, splits: Splits) -> FloatArray:
    """Change of each point in each split when a topic is left out: splits x topics x points.

    A topic of B leaves the reference. A topic among the first k of A gives its place to the next one, so that k stays
    k, except where there is no next one (k = a) and the mean is over one topic less; the shift that this causes is the
    same for all topics and leaves with the mean.
    """
    sides, points, settle = problem.sides, problem.points, problem.settle
    n, m = sides[0].values.shape
    half = splits.half
    changes = np.zeros((len(splits), n, len(points)))
    step = max(1, CHUNK // (2 * (n + len(points)) * m))
    for lo in range(0, len(splits), step):
        chunk = Splits(splits.order[lo : lo + step], half)
        rows = np.arange(lo, lo + len(chunk))[:, None]
        reference, means = _means(problem, chunk)
        base = _defined(problem.coefficient(reference[:, None, :], means))
        in_b = chunk.order[:, half:]
        members = sides[0].values[in_b]
        less = sides[0].means(members.sum(axis=1, keepdims=True) - members, n - half - 1, settle)
        changes[rows, in_b] = (
            _defined(problem.coefficient(less[:, :, None, :], means[:, None, :, :])) - base[:, None, :]
        )
        for p, (i, k) in enumerate(points):
            side = sides[i]
            members = side.values[chunk.order[:, :k]]
            sums = members.sum(axis=1, keepdims=True) - members
            if k < half:
                sums += side.values[chunk.order[:, k]][:, None, :]
            replaced = side.means(sums, k if k < half else k - 1, settle)
            found = _defined(problem.coefficient(reference[:, None, :], replaced))
            changes[rows, chunk.order[:, :k], p] = found - base[:, p][:, None]
    return changes


def _defined(values: float | FloatArray) -> FloatArray:
    return np.asarray(np.nan_to_num(values, nan=0.0))


def _average(changes: FloatArray, splits: Splits) -> tuple[FloatArray, FloatArray]:
    """Mean change by topic, minus the mean over topics; and what the noise of the splits adds to its sum of squares.

    A mean is that of the splits with the topic in A and that of those with the topic in B, weighted by the chance of
    either, so that it does not depend on how often the topic happened to be in A. The noise of a split is partly the
    same for all topics, and leaves with the mean: what is summed is the rest.
    """
    n, points = changes.shape[1:]
    in_a = splits.places() < splits.half
    mean, rest = np.zeros((n, points)), np.empty_like(changes)
    for topic in range(n):
        for where, share in ((in_a[:, topic], splits.half / n), (~in_a[:, topic], 1 - splits.half / n)):
            count = int(where.sum())
            if count < 2:
                raise ValueError(
                    f"topic {topic} is {count} times in a half among {len(splits)} splits: draw more splits"
                )
            these = changes[where, topic]
            average = these.mean(axis=0)
            mean[topic] += share * average
            rest[where, topic] = share / math.sqrt(count * (count - 1)) * (these - average)
    rest -= rest.mean(axis=1, keepdims=True)
    flat = rest.reshape(-1, points)
    return mean - mean.mean(axis=0), flat.T @ flat


def _interactions(
    problem: Problem, splits: Splits, values: FloatArray, effort: Effort, rng: np.random.Generator
) -> FloatArray:
    """The second differences of the truth's points and of each side's last, over random groups; nan elsewhere."""
    second = np.full((len(problem.points), len(problem.points)), np.nan)
    if not effort.groups:
        return second
    n = splits.order.shape[1]
    chosen = np.array([p for p, (i, k) in enumerate(problem.points) if i == 0 or k == splits.half])
    part = replace(problem, points=[problem.points[p] for p in chosen])
    size = math.ceil(n / effort.groups)
    found = np.zeros((len(chosen), len(chosen)))
    for rows in np.array_split(np.arange(len(splits)), effort.groupings):
        groups = rng.permutation(n)[: n // size * size].reshape(-1, size)
        used = Splits(splits.order[rows], splits.half)
        found += _second_order(part, used, _defined(values[np.ix_(rows, chosen)]), groups) / effort.groupings
    second[np.ix_(chosen, chosen)] = found
    return second


def _second_order(problem: Problem, splits: Splits, values: FloatArray, groups: IntArray) -> FloatArray:
    """Sum over pairs of topics of the squared second differences of each point, less the noise of the splits.

    The second difference of two disjoint groups of g topics, n T - (n - g) (T_G + T_H) + (n - 2g) T_GH, divided by n,
    is the sum of the interactions of their g^2 pairs; single topics cancel (Efron and Stein 1981 have g = 1). Groups
    hold nearly all pairs in few evaluations. Pairs with one topic in the groups remain, with weights of g / n; they add
    2 (n - 2g) / g * (g / n)^2 to the sum of squares, which is divided out. `values` are those of these splits.
    """
    n, g = splits.order.shape[1], groups.shape[1]
    first, second = np.triu_indices(len(groups), 1)
    single = _without(problem, splits, groups)
    both = _without(problem, splits, np.hstack([groups[first], groups[second]]))
    found = values[:, None] - (1 - g / n) * (single[:, first] + single[:, second]) + (1 - 2 * g / n) * both
    found -= found.mean(axis=1, keepdims=True)  # noise of a split that all pairs share leaves with the mean
    means = found.mean(axis=0)
    rest = (found - means).reshape(-1, values.shape[1])
    noise = rest.T @ rest / (len(splits) * (len(splits) - 1))
    squares = (means.T @ means - noise) / (len(first) - 1)
    squares *= math.comb(n, 2) / g**2 / (1 + 2 * g * (n - 2 * g) / n**2)
    return np.asarray(squares)


def _without(problem: Problem, splits: Splits, gone: IntArray) -> FloatArray:
    """The agreement without the topics of each row of `gone`: splits x rows x points; undefined counts as 0."""
    n = splits.order.shape[1]
    places = splits.places()[:, gone]  # splits x rows x topics
    in_a = (places < splits.half).sum(axis=2)
    out = np.empty((len(splits), len(gone), len(problem.points)))
    for count in np.unique(in_a).tolist():
        s, row = np.nonzero(in_a == count)
        stays = np.ones((len(s), n), dtype=bool)
        stays[np.arange(len(s))[:, None], places[s, row]] = False
        orders = splits.order[s][stays].reshape(len(s), n - gone.shape[1])
        out[s, row] = _defined(_values(problem, Splits(orders, splits.half - count)))
    return out


# Worth ----------------------------------------------------------------------------------------------------------------


def monotone(values: FloatArray, weights: FloatArray | None = None) -> FloatArray:
    """The nondecreasing values nearest to these in weighted least squares (pool adjacent violators)."""
    weights = np.ones(len(values)) if weights is None else weights
    pools: list[list[float]] = []  # value, weight, count
    for value, weight in zip(values.tolist(), weights.tolist(), strict=True):
        pools.append([value, weight, 1])
        while len(pools) > 1 and pools[-2][0] >= pools[-1][0]:
            v, w, c = pools.pop()
            u = pools[-1]
            u[0] = (u[0] * u[1] + v * w) / (u[1] + w)
            u[1] += w
            u[2] += c
    return np.repeat([p[0] for p in pools], [int(p[2]) for p in pools])


def size_with(sizes: npt.ArrayLike, curve: FloatArray, value: float) -> float:
    """The size at which a nondecreasing curve has this value, linear in log size; 0 below the curve, inf above it.

    On a flat stretch: its middle on the log scale.
    """
    if value < curve[0]:
        return 0.0
    if value > curve[-1]:
        return math.inf
    logs = np.log(np.asarray(sizes, dtype=np.float64))
    right = int(np.searchsorted(curve, value, side="left"))  # first point at or above
    if curve[right] == value:
        last = int(np.searchsorted(curve, value, side="right")) - 1
        return float(np.exp((logs[right] + logs[last]) / 2))
    part = (value - curve[right - 1]) / (curve[right] - curve[right - 1])
    return float(np.exp(logs[right - 1] + part * (logs[right] - logs[right - 1])))


@dataclass(frozen=True)
class Worth:
    """How many topics of the truth rank the systems as well as `half` topics of a candidate do.

    `status` says how it was counted. "within": on the truth's curve, worth <= half. "beyond": the candidate's agreement
    exceeds the truth's own on all `half` topics, so that the count goes the other way round: `equal` topics of the
    candidate do as well as `half` of the truth, and worth = half * half / equal stands for that rate. "below": the
    agreement is less than that of one topic of the truth; worth is 0, and high is where the test below ends.

    The limits are on the log scale, by the derivative of log worth. `fit_low` and `fit_high` invert a test instead: the
    sizes of the truth that do not differ from the candidate by more than `critical` standard errors, 0 where one topic
    does not and inf where all `half` of them do not. They are the wider, the less the slope of the curve is known.
    Where the test does not tell the candidate from one topic of the truth, `low` is 0 as well.
    """

    worth: float
    rate: float
    low: float
    high: float
    standard_error: float  # of log worth, over samples of topics and draws of splits
    monte_carlo: float  # standard deviation of log worth over draws of splits
    status: str
    equal: float
    agreement: float
    agreement_error: float
    fit_low: float
    fit_high: float


def worth_of(curves: Curves, candidate: int, critical: float) -> Worth:
    """Worth of a candidate (1...) with the interval that `critical` standard errors give."""
    at_half = curves.point(candidate)
    rate, equal, influence, status = _log_rate(curves, candidate)
    fit_low, fit_high = _not_refuted(curves, at_half, critical)
    if influence is None:
        error = monte_carlo = math.nan
        low, high = fit_low, fit_high
    else:
        error, monte_carlo = _errors(curves, influence)
        low, high = (curves.half * math.exp(rate + sign * critical * error) for sign in (-1, 1))
        if fit_low == 0:  # which no limit on the log scale can say
            low = 0.0
    return Worth(
        worth=curves.half * math.exp(rate),
        rate=math.exp(rate),
        low=low,
        high=high,
        standard_error=error,
        monte_carlo=monte_carlo,
        status=status,
        equal=equal,
        agreement=float(curves.values[candidate, -1]),
        agreement_error=_errors(curves, _unit(curves, at_half))[0],
        fit_low=fit_low,
        fit_high=fit_high,
    )


def _errors(curves: Curves, contrast: FloatArray) -> tuple[float, float]:
    """The standard error of a linear combination of points, over samples of topics and draws of splits; the latter."""
    monte_carlo = max(float(contrast @ curves.monte_carlo @ contrast), 0.0)
    return math.sqrt(curves.variance(contrast) + monte_carlo), math.sqrt(monte_carlo)


def _log_rate(curves: Curves, candidate: int) -> tuple[float, float, FloatArray | None, str]:
    """Log of worth / half; topics that equal half of the truth's (nan within); derivative by all points; status."""
    at_half, value = curves.point(candidate), float(curves.values[candidate, -1])
    size = size_with(curves.sizes, monotone(curves.values[0]), value)
    if size == 0:
        return -math.inf, math.nan, None, "below"
    if size < math.inf:
        return math.log(size / curves.half), math.nan, _influence(curves, 0, at_half, size), "within"
    equal = size_with(curves.sizes, monotone(curves.values[candidate]), float(curves.values[0, -1]))
    if equal == 0:
        return math.inf, 0.0, None, "beyond"
    if equal == math.inf:  # its own curve, made monotone, ends where the truth's does
        equal = float(curves.half)
    back = _influence(curves, candidate, curves.point(0), equal)
    return math.log(curves.half / equal), equal, None if back is None else -back, "beyond"


def _unit(curves: Curves, *points: int) -> FloatArray:
    """The contrast of a point, minus a second one if it is given."""
    contrast = np.zeros(curves.values.size)
    for point, sign in zip(points, (1.0, -1.0), strict=False):
        contrast[point] += sign
    return contrast


def _not_refuted(curves: Curves, point: int, critical: float) -> tuple[float, float]:
    """The sizes of the truth that differ from a point by at most `critical` standard errors of the difference."""
    errors = [_errors(curves, _unit(curves, point, curves.point(0, j)))[0] for j in range(len(curves.sizes))]
    rising, reach = monotone(curves.values[0]), critical * np.array(errors)
    value = float(curves.values.flat[point])
    # Made monotone as well: a limit is where the curve first, or last, comes within reach.
    first = size_with(curves.sizes, np.maximum.accumulate(rising + reach), value)
    last = size_with(curves.sizes, np.minimum.accumulate((rising - reach)[::-1])[::-1], value)
    return first, last


def _influence(curves: Curves, side: int, point: int, size: float) -> FloatArray | None:
    """The derivative of the log of a matching size by all points; None where there is no such size."""
    if not 0 < size < math.inf:
        return None
    logs = np.log(curves.sizes.astype(np.float64))
    at = min(max(int(np.searchsorted(logs, math.log(size), side="right")) - 1, 0), len(logs) - 2)
    part = (math.log(size) - logs[at]) / (logs[at + 1] - logs[at])
    rising = monotone(curves.values[side])
    lo, hi = max(at - 1, 0), min(at + 2, len(logs) - 1)  # a slope over three stretches is less noisy than one
    slope = (rising[hi] - rising[lo]) / (logs[hi] - logs[lo])
    if slope <= 0:
        return None
    contrast = _unit(curves, point)
    contrast[curves.point(side, at)] -= 1 - part
    contrast[curves.point(side, at + 1)] -= part
    contrast /= slope
    return contrast


@dataclass(frozen=True)
class Difference:
    """Two candidates: the difference of their agreement across topics, and the ratio of their worths."""

    difference: float
    standard_error: float
    monte_carlo: float
    statistic: float  # t with n - 1 degrees of freedom
    log_ratio: float  # of the worths; nan where one of them is 0 or not bounded
    log_ratio_error: float


def difference_of(curves: Curves, first: int, second: int) -> Difference:
    """Candidate `first` minus candidate `second` (1...), over the same splits."""
    points = curves.point(first), curves.point(second)
    contrast = _unit(curves, *points)
    value = float(curves.values[first, -1] - curves.values[second, -1])
    error, monte_carlo = _errors(curves, contrast)
    (one, _, one_part, _), (two, _, two_part, _) = _log_rate(curves, first), _log_rate(curves, second)
    ratio = ratio_error = math.nan
    if one_part is not None and two_part is not None:
        ratio, ratio_error = one - two, _errors(curves, one_part - two_part)[0]
    return Difference(
        difference=value,
        standard_error=error,
        monte_carlo=monte_carlo,
        statistic=value / error if error > 0 else math.copysign(math.inf, value) if value else 0.0,
        log_ratio=ratio,
        log_ratio_error=ratio_error,
    )


@dataclass(frozen=True)
class Beyond:
    """Worth of more topics of a candidate than half of the sample, by the law 1 / W(k) = bias + noise / k.

    `limit` is the worth of as many topics of the candidate as one likes, which its bias sets: inf where none is seen.
    """

    n_points: int  # of the curve that the law was fitted to; fewer than 3: all of the rest is nan
    bias: float
    noise: float
    worth: float  # of all n topics
    low: float
    high: float
    limit: float
    limit_low: float
    limit_high: float


def beyond_half(curves: Curves, candidate: int, critical: float) -> Beyond:
    """Fit the law to the candidate's curve up to half of the topics, and follow it to all of them and further.

    If systems' means are signal plus noise, jointly normal over systems, agreement is a function of the correlation
    between means. With s the ratio of the variances of noise and signal of the truth, t that of the candidate, r the
    correlation of the signals, k topics of the candidate equal W of the truth where 1 + s / W = (1 + t / k) / r^2,
    whatever the noise of the reference: 1 / W is linear in 1 / k.
    """
    rising = monotone(curves.values[0])
    kept, contrasts, inverse = [], [], []
    for j, size in enumerate(curves.sizes):
        point = curves.point(candidate, j)
        worth = size_with(curves.sizes, rising, float(curves.values.flat[point]))
        contrast = _influence(curves, 0, point, worth)
        # The worth of few topics, and one near 1, bend: single topics are not nearly normal.
        if contrast is None or worth < 2 or size < curves.half / 4:
            continue
        kept.append(float(size))
        contrasts.append(-contrast / worth)
        inverse.append(1 / worth)
    if len(kept) < 3:
        return Beyond(len(kept), *[math.nan] * 8)
    u = np.array(inverse)
    design = np.column_stack([np.ones(len(u)), 1 / np.array(kept)]) / u[:, None]
    solve = np.linalg.pinv(design) / u  # least squares of relative errors
    bias, noise = solve @ u
    gradients = solve @ np.array(contrasts)

    def at(share: float) -> tuple[float, float, float]:
        value = float(bias + share * noise)
        reach = critical * _errors(curves, gradients[0] + share * gradients[1])[0]
        worth, high, low = (1 / x if x > 0 else math.inf for x in (value, value - reach, value + reach))
        return worth, low, high

    return Beyond(len(kept), float(bias), float(noise), *at(1 / curves.n_topics), *at(0.0))


# Many candidates, without intervals -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Yardstick:
    """The truth's curve over fixed splits, by which any number of candidates are valued, without intervals."""

    problem: Problem
    """Of the truth alone."""
    splits: Splits
    curve: FloatArray
    """Of the truth, made monotone."""

    @classmethod
    def of(cls, truth: FloatArray, coefficient: Coefficient, settle: Settle, splits: Splits) -> Yardstick:
        points = [(0, int(k)) for k in grid_of(splits.half)]
        problem = Problem([Side.of(truth)], points, coefficient, settle)
        return cls(problem, splits, monotone(_defined(_values(problem, splits)).mean(axis=0)))

    def worth(self, candidate: FloatArray) -> float:
        """Of half of the topics of a candidate, counted as `worth_of` does."""
        sizes, half = [k for _, k in self.problem.points], self.splits.half
        both = [self.problem.sides[0], Side.of(candidate)]

        def curve(of: Sequence[int]) -> FloatArray:
            points = replace(self.problem, sides=both, points=[(1, k) for k in of])
            return np.asarray(_defined(_values(points, self.splits)).mean(axis=0))

        worth = size_with(sizes, self.curve, float(curve([half])[0]))
        if worth < math.inf:
            return worth
        equal = min(size_with(sizes, monotone(curve(sizes)), float(self.curve[-1])), float(half))
        return half * half / equal if equal else math.inf
