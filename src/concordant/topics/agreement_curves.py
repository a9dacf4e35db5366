"""Agreement across topics by number of topics, of the truth itself and of candidates, with a jackknife over topics.

V_X(k) is the mean agreement of the truth on k topics of A with the reference, over random splits, V_Y(k) that of a
candidate. The covariance of these points over samples of topics is estimated by leaving out one topic at a time on the
same splits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..arrays import FloatArray, IntArray
from .jackknife import changes_without, interactions, mean_changes
from .splits import Formula, Problem, Settle, Side, Splits, agreements, defined, draw_splits, grid_of

LARGEST = 3 * 2**19  # changes by split, topic and point that the jackknife may add splits for: seconds of work
MOST_VALUES = 2**21  # agreements by split and point that splits may be added for: over some 42 candidates get fewer


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
        return self._variance(_Few.of(contrast))

    def _variance(self, of: _Few) -> float:
        n = self.n_topics
        squares = self._squares(of)
        first = max(squares - of.square(self.noise), squares / 2)
        if not self.has_second[of.points].all():
            return (n - 1) / n * first
        return (n - 1) / n * min(first, max(first - of.square(self.second) / 2, first / 2))

    def point_errors(self, side: int) -> FloatArray:
        """The standard error of each point of a side, over samples of topics and draws of splits."""
        return np.array([self.errors(self.unit(self.point(side, j)))[0] for j in range(len(self.sizes))])

    def errors(self, contrast: FloatArray) -> tuple[float, float]:
        """The standard error of a linear combination of points, over topics and splits, and that over splits alone."""
        of = _Few.of(contrast)
        monte_carlo = max(of.square(self.monte_carlo), 0.0)
        return math.sqrt(self._variance(of) + monte_carlo), math.sqrt(monte_carlo)

    def unit(self, *points: int) -> FloatArray:
        """The contrast of a point, minus a second one if it is given."""
        contrast = np.zeros(self.values.size)
        for point, sign in zip(points, (1.0, -1.0), strict=False):
            contrast[point] += sign
        return contrast

    def influence(self, side: int, point: int, size: float) -> FloatArray | None:
        """The derivative of the log of a matching size by all points; None where there is no such size."""
        if not 0 < size < math.inf:
            return None
        logs = np.log(self.sizes.astype(np.float64))
        at = min(max(int(np.searchsorted(logs, math.log(size), side="right")) - 1, 0), len(logs) - 2)
        part = (math.log(size) - logs[at]) / (logs[at + 1] - logs[at])
        rising = monotone(self.values[side])
        lo, hi = max(at - 1, 0), min(at + 2, len(logs) - 1)  # a slope over three stretches is less noisy than one
        slope = (rising[hi] - rising[lo]) / (logs[hi] - logs[lo])
        if slope <= 0:
            return None
        contrast = self.unit(point)
        contrast[self.point(side, at)] -= 1 - part
        contrast[self.point(side, at + 1)] -= part
        contrast /= slope
        return contrast

    def is_rising(self, critical: float) -> bool:
        """Whether the truth agrees better on half of the topics than on 1, by more than so many standard errors."""
        ends = self.point(0), self.point(0, 0)
        gain = float(self.values.flat[ends[0]] - self.values.flat[ends[1]])
        return gain > critical * math.sqrt(self.variance(self.unit(*ends)))

    def wanted(self, contrast: FloatArray, effort: Effort) -> tuple[float, float]:
        """How many splits its Monte Carlo error asks for, and how many of the jackknife the noise among them."""
        variance, spread = self.variance(contrast), _Few.of(contrast).square(self.monte_carlo)
        splits = self.n_splits * spread / (variance * effort.monte_carlo**2) if variance > 0 else 0.0
        return splits, self.n_jackknife * self.noise_share(contrast) / effort.noise

    def noise_share(self, contrast: FloatArray) -> float:
        """The share of the jackknife's sum of squares that is noise of the splits: above a half, draw more splits."""
        of = _Few.of(contrast)
        squares = self._squares(of)
        return of.square(self.noise) / squares if squares > 0 else 0.0

    def _squares(self, of: _Few) -> float:
        return float(((self.deletions[:, of.points] @ of.weights) ** 2).sum())


class _Few(NamedTuple):
    """A contrast by the few points of many that it has."""

    points: IntArray
    weights: FloatArray

    @classmethod
    def of(cls, contrast: FloatArray) -> _Few:
        (points,) = contrast.nonzero()
        return cls(points, contrast[points])

    def square(self, form: FloatArray) -> float:
        """The quadratic form at the contrast."""
        return float(self.weights @ form[self.points[:, None], self.points] @ self.weights)


def compute_curves(
    truth: FloatArray,
    candidates: Sequence[FloatArray],
    coefficient: Formula,
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
    effort = replace(
        effort,
        most_jackknife=max(effort.jackknife, min(effort.most_jackknife, LARGEST // (n * len(points)))),
        most_splits=max(len(splits), min(effort.most_splits, MOST_VALUES // len(points))),
    )
    values = agreements(problem, splits)
    first_ones = splits.first(effort.jackknife)
    changes = changes_without(problem, first_ones)
    chosen = [p for p, (i, k) in enumerate(points) if i == 0 or k == splits.half]
    groups, groupings = effort.groups, effort.groupings
    second = interactions(problem, chosen, first_ones, values, n_groups=groups, n_groupings=groupings, rng=rng)
    while True:
        curves = _summary(values, changes, second, splits, sizes)
        more_splits, more_jackknife = _missing(curves, effort)
        if not more_splits and not more_jackknife:
            return curves
        more = draw_splits(n, more_splits, rng)
        values = np.concatenate([values, agreements(problem, more)])
        splits = Splits(np.concatenate([splits.order, more.order]), splits.half)
        next_ones = Splits(splits.order[len(changes) : len(changes) + more_jackknife], splits.half)
        changes = np.concatenate([changes, changes_without(problem, next_ones)])


def _summary(values: FloatArray, changes: FloatArray, second: FloatArray, splits: Splits, sizes: IntArray) -> Curves:
    deletions, noise = mean_changes(changes, splits.first(len(changes)))
    agreement = defined(values)
    has_second = ~np.isnan(np.diag(second))
    return Curves(
        n_topics=changes.shape[1],
        half=splits.half,
        sizes=sizes,
        values=agreement.mean(axis=0).reshape(-1, len(sizes)),
        monte_carlo=np.cov(agreement, rowvar=False) / len(splits),
        deletions=deletions,
        noise=noise,
        second=np.nan_to_num(second, nan=0.0),
        has_second=has_second,
        n_splits=len(splits),
        n_jackknife=len(changes),
        undefined=float(np.isnan(values).mean()),
    )


def _missing(curves: Curves, effort: Effort) -> tuple[int, int]:
    """How many more splits are wanted: for the values, and among the splits for the jackknife."""
    each = [curves.wanted(contrast, effort) for contrast in _contrasts(curves)]
    wanted, wanted_jackknife = (max(column, default=0.0) for column in zip(*each, strict=True))
    splits = min(math.ceil(1.1 * wanted), effort.most_splits) - curves.n_splits
    jackknife = min(math.ceil(1.1 * wanted_jackknife), effort.most_jackknife) - curves.n_jackknife
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
        contrast = curves.influence(0, point, size)
        found.append(curves.unit(point, curves.point(0, 0 if size < 1 else -1)) if contrast is None else contrast)
    return found + [curves.unit(p, q) for i, p in enumerate(at_half) for q in at_half[:i]]


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
