"""Worth of a candidate in topics of the truth, counted on the curves of agreement across topics.

The worth W(a) is the k with V_X(k) = V_Y(a). Everything here is a function of the two curves and of the covariance of
their points.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from ..arrays import FloatArray
from .agreement_curves import Curves, monotone, size_with
from .splits import Formula, Problem, Settle, Side, Splits, agreements, defined, grid_of


@dataclass(frozen=True)
class Worth:
    """How many topics of the truth rank the systems as well as `half` topics of a candidate do.

    `status` says how it was counted. "within": on the truth's curve, worth <= half. "beyond": the candidate's agreement
    exceeds the truth's own on all `half` topics, so the count goes the other way round: `equal` topics of the
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
    rate, equal, influence, status = rate_of(curves, candidate)
    fit_low, fit_high = _not_refuted(curves, at_half, critical)
    if influence is None:
        error = monte_carlo = math.nan
        low, high = fit_low, fit_high
    else:
        error, monte_carlo = curves.errors(influence)
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
        agreement_error=curves.errors(curves.unit(at_half))[0],
        fit_low=fit_low,
        fit_high=fit_high,
    )


Rate: TypeAlias = tuple[float, float, FloatArray | None, str]


def rate_of(curves: Curves, candidate: int) -> Rate:
    """Log of worth / half; topics that equal half of the truth's (nan within); derivative by all points; status."""
    at_half, value = curves.point(candidate), float(curves.values[candidate, -1])
    size = size_with(curves.sizes, monotone(curves.values[0]), value)
    if size == 0:
        return -math.inf, math.nan, None, "below"
    if size < math.inf:
        return math.log(size / curves.half), math.nan, curves.influence(0, at_half, size), "within"
    equal = size_with(curves.sizes, monotone(curves.values[candidate]), float(curves.values[0, -1]))
    if equal == 0:
        return math.inf, 0.0, None, "beyond"
    if equal == math.inf:  # its own curve, made monotone, ends where the truth's does
        equal = float(curves.half)
    back = curves.influence(candidate, curves.point(0), equal)
    return math.log(curves.half / equal), equal, None if back is None else -back, "beyond"


def _not_refuted(curves: Curves, point: int, critical: float) -> tuple[float, float]:
    """The sizes of the truth that differ from a point by at most `critical` standard errors of the difference."""
    errors = [curves.errors(curves.unit(point, curves.point(0, j)))[0] for j in range(len(curves.sizes))]
    rising, reach = monotone(curves.values[0]), critical * np.array(errors)
    value = float(curves.values.flat[point])
    # Made monotone as well: a limit is where the curve first, or last, comes within reach.
    first = size_with(curves.sizes, np.maximum.accumulate(rising + reach), value)
    last = size_with(curves.sizes, np.minimum.accumulate((rising - reach)[::-1])[::-1], value)
    return first, last


@dataclass(frozen=True)
class Difference:
    """Two candidates: the difference of their agreement across topics, and the ratio of their worths."""

    difference: float
    standard_error: float
    monte_carlo: float
    statistic: float  # t with n - 1 degrees of freedom
    log_ratio: float  # of the worths; nan where one of them is 0 or not bounded
    log_ratio_error: float


def difference_of(curves: Curves, first: int, second: int, rates: Mapping[int, Rate] | None = None) -> Difference:
    """Candidate `first` minus candidate `second` (1...), over the same splits; with what `rate_of` said of both."""
    points = curves.point(first), curves.point(second)
    contrast = curves.unit(*points)
    value = float(curves.values[first, -1] - curves.values[second, -1])
    error, monte_carlo = curves.errors(contrast)
    (one, _, one_part, _), (two, _, two_part, _) = (rates[k] if rates else rate_of(curves, k) for k in (first, second))
    ratio = ratio_error = math.nan
    if one_part is not None and two_part is not None:
        ratio, ratio_error = one - two, curves.errors(one_part - two_part)[0]
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
        contrast = curves.influence(0, point, worth)
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
        reach = critical * curves.errors(gradients[0] + share * gradients[1])[0]
        worth, high, low = (1 / x if x > 0 else math.inf for x in (value, value - reach, value + reach))
        return worth, low, high

    return Beyond(len(kept), float(bias), float(noise), *at(1 / curves.n_topics), *at(0.0))


@dataclass(frozen=True)
class Yardstick:
    """The truth's curve over fixed splits, by which any number of candidates are valued, without intervals."""

    problem: Problem
    """Of the truth alone."""
    splits: Splits
    curve: FloatArray
    """Of the truth, made monotone."""

    @classmethod
    def of(cls, truth: FloatArray, coefficient: Formula, settle: Settle, splits: Splits) -> Yardstick:
        points = [(0, int(k)) for k in grid_of(splits.half)]
        problem = Problem([Side.of(truth)], points, coefficient, settle)
        return cls(problem, splits, monotone(defined(agreements(problem, splits)).mean(axis=0)))

    def worth(self, candidate: FloatArray) -> float:
        """Of half of the topics of a candidate, counted as `worth_of` does."""
        sizes, half = [k for _, k in self.problem.points], self.splits.half
        both = [self.problem.sides[0], Side.of(candidate)]

        def curve(of: Sequence[int]) -> FloatArray:
            points = replace(self.problem, sides=both, points=[(1, k) for k in of])
            return np.asarray(defined(agreements(points, self.splits)).mean(axis=0))

        worth = size_with(sizes, self.curve, float(curve([half])[0]))
        if worth < math.inf:
            return worth
        equal = min(size_with(sizes, monotone(curve(sizes)), float(self.curve[-1])), float(half))
        return half * half / equal if equal else math.inf
