"""Worth of a judge with an interval for new topics and new systems, from two curves of agreement.

The worth W of k topics of a judge solves V_X(W) = V_Y(k). The curves are compared on the link scale

    g(V) = 1 / sin^2(pi V / 2),

which is linear in 1/k if the systems' means are normal: then V = (2/pi) asin(r), and 1/r^2 is a product of the
noise-to-signal terms 1 + s/k of both rankings. So u = 1/W is found on straight lines. If u is 0 or less, no number of
topics of the truth ranks the systems as well.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..arrays import FloatArray
from .analytic import Curve

STEP = 1e-5  # step of the numerical derivatives
MOST = 60.0  # cap on the log of the upper end over the estimate
LEAST = 3.0  # topics; means over fewer are far from normal, so a lower end below this is set to 0


def link(value: FloatArray | float) -> FloatArray:
    return np.asarray(1 / np.sin(np.pi * np.clip(value, 1e-3, 1 - 1e-4) / 2) ** 2)


@dataclass(frozen=True)
class Errors:
    """Variances of a contrast over topics, over systems, and of their interaction."""

    topics: tuple[float, ...]
    systems: float
    shared: float
    sizes: tuple[int, ...]
    """Number of topics of each sample, and number of teams."""

    def of(self, *, new_systems: bool) -> tuple[float, float]:
        """Standard error, and degrees of freedom by Satterthwaite.

        If topics and systems are both drawn, var = v_T + v_S - v_TS: both deletions count the interaction.
        """
        parts = (*self.topics, self.systems) if new_systems else self.topics
        total = sum(parts)
        if total <= 0:
            return 0.0, float(self.sizes[0] - 1)
        degrees = total**2 / sum(v**2 / (n - 1) for v, n in zip(parts, self.sizes, strict=False))
        variance = max(total - self.shared, sum(self.topics), self.systems) if new_systems else total
        return math.sqrt(variance), degrees


@dataclass(frozen=True)
class Both:
    """Curves of judge and truth. Their points form one vector, the judge's first."""

    judge: Curve
    truth: Curve
    n_topics: float

    @property
    def values(self) -> FloatArray:
        return np.concatenate([self.judge.values, self.truth.values])

    def judged(self, values: FloatArray) -> float:
        """g(V_Y(n_topics)), computed directly or extrapolated on the line in 1/k."""
        at = link(values[: len(self.judge.sizes)])
        return float(at[0] if len(at) == 1 else _on_line(1 / self.n_topics, 1 / self.judge.sizes, at))

    @property
    def agreement(self) -> float:
        """V_Y(n_topics)."""
        return _value(self.judged(self.values))

    def truth_line(self, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """1/k and g(V_X(k)), made monotone, from the largest size to 1."""
        return 1 / self.truth.sizes[::-1], np.maximum.accumulate(link(values[len(self.judge.sizes) :])[::-1])

    def inverse_worth(self, values: FloatArray) -> float:
        """Find u = 1/W, the point where the truth's line reaches the judge's value."""
        x, line = self.truth_line(values)
        height = self.judged(values)
        if height < line[0]:  # extrapolate beyond the largest size
            at = self.half
            rise = line[at] - line[0]
            return float(_on_line(height, line[[at, 0]], x[[at, 0]])) if rise > 0 else 0.0
        return float(np.interp(height, line, x)) if height <= line[-1] else math.inf

    @property
    def half(self) -> int:
        """Index of half of the largest size. Extrapolation uses the line through both."""
        return int(np.searchsorted(-self.truth.sizes[::-1], -self.truth.sizes[-1] / 2))

    def truth_at(self, values: FloatArray, u: float) -> float:
        """g(V_X(1/u)), extrapolated beyond the largest size."""
        x, line = self.truth_line(values)
        if u < x[0]:
            return _on_line(u, x[[self.half, 0]], line[[self.half, 0]])
        return float(np.interp(u, x, line))

    def ahead(self, size: float) -> Callable[[FloatArray], float]:
        """V_X(size) - V_Y(n_topics) as a function of the points."""

        def contrast(values: FloatArray) -> float:
            return _value(self.truth_at(values, 1 / size)) - _value(self.judged(values))

        return contrast

    def error_of(self, u: float, *, new_systems: bool) -> tuple[float, float]:
        """Standard error of u, and its degrees of freedom: the error of the gap at u over the slope."""
        step = 0.1 * max(u, 1 / self.truth.sizes[-1])
        rise = self.truth_at(self.values, u + step) - self.truth_at(self.values, u - step)
        gap = self.errors(lambda values: self.judged(values) - self.truth_at(values, u))
        error, degrees = gap.of(new_systems=new_systems)
        return (error * 2 * step / rise if rise > 0 else math.inf), degrees

    def errors(self, function: Callable[[FloatArray], float]) -> Errors:
        """Two-way jackknife of a smooth function of the points, by its gradient."""
        values = self.values
        steps = STEP * np.eye(len(values))
        gradient = np.array([(function(values + h) - function(values - h)) / (2 * STEP) for h in steps])
        judge, truth = gradient[: len(self.judge.sizes)], gradient[len(self.judge.sizes) :]
        systems = judge @ self.judge.systems + truth @ self.truth.systems
        over_topics, shared = [], 0.0
        for k, (topics, both) in enumerate(zip(self.judge.topics, self.judge.both, strict=True)):
            by_topic, by_both = judge @ topics, np.tensordot(judge, both, 1)
            if k < len(self.truth.topics):
                by_topic = by_topic + truth @ self.truth.topics[k]
                by_both = by_both + np.tensordot(truth, self.truth.both[k], 1)
            # v_T = (n - 1)/n sum (l_(t) - mean)^2, v_TS the same of the doubly centred l_(t,i) - l_(t) - l_(i).
            over_topics.append(_jackknife(by_topic))
            rest = by_both - by_topic[:, None] - systems
            rest = rest - rest.mean(0) - rest.mean(1)[:, None] + rest.mean()
            shared += float((1 - 1 / len(by_topic)) * (1 - 1 / len(systems)) * (rest**2).sum())
        sizes = (*(topics.shape[1] for topics in self.judge.topics), len(systems))
        return Errors(tuple(over_topics), _jackknife(systems), shared, sizes)


def _on_line(at: float, x: FloatArray, y: FloatArray) -> float:
    """Evaluate the line through two points."""
    return float(y[1] + (at - x[1]) * (y[0] - y[1]) / (x[0] - x[1]))


def _value(height: float) -> float:
    """Invert the link: the agreement V with g(V) = height."""
    return 2 / math.pi * math.asin(1 / math.sqrt(max(height, 1.0)))


def _jackknife(left: FloatArray) -> float:
    return float((1 - 1 / len(left)) * ((left - left.mean()) ** 2).sum())


@dataclass(frozen=True)
class WorthEstimate:
    """Worth and interval in topics of the truth. 0 is less than one topic, inf is no limit."""

    worth: float
    low: float
    high: float
    rises: bool
    """Whether more topics of the truth are seen to rank the systems better."""


def estimate(
    judge: Curve, truth: Curve, n_topics: float, *, level: float = 0.95, new_systems: bool = True
) -> WorthEstimate:
    """Estimate the worth of n_topics topics of a judge, with an interval by the two-way jackknife."""
    both = Both(judge, truth, n_topics)
    rises = _ahead_of_one(both, level, new_systems=new_systems)
    u = both.inverse_worth(both.values)
    if u > 1:
        return WorthEstimate(0.0, 0.0, _not_refuted(both, level, new_systems=new_systems), rises)
    error, degrees = both.error_of(u, new_systems=new_systems)
    reach = _quantile(level, degrees) * error
    if u > 0:
        # The lower end uses the cube root scale, the upper end the log scale. If the estimate is too high, so is the
        # lower end on the log scale (docs/measured/worth.md).
        reach = min(reach / u, MOST)
        low = max(1 - reach / 3, 0.0) ** 3 / u
        return WorthEstimate(1 / u, low if low >= LEAST else 0.0, math.exp(reach) / u, rises)
    return WorthEstimate(math.inf, 1 / (u + reach) if u + reach > 0 else math.inf, math.inf, rises)


def worth_from(u: float) -> float:
    """Return 1/u: 0 for less than one topic, inf if no number of topics is as good."""
    return 0.0 if u > 1 else 1 / u if u > 0 else math.inf


def _ahead_of_one(both: Both, level: float, *, new_systems: bool) -> bool:
    first = len(both.judge.sizes)

    def gain(values: FloatArray) -> float:
        return float(values[-1] - values[first])

    error, degrees = both.errors(gain).of(new_systems=new_systems)
    return gain(both.values) > _quantile(level, degrees) * error


def _not_refuted(both: Both, level: float, *, new_systems: bool) -> float:
    """For a judge below one topic, find the largest size of the truth that is not significantly better.

    Return inf if no size is significantly better. A log interval is undefined there, but V_X(k) - V_Y has a standard
    error at every k.
    """

    def better(size: float) -> bool:
        function = both.ahead(size)
        error, degrees = both.errors(function).of(new_systems=new_systems)
        return function(both.values) > _quantile(level, degrees) * error

    sizes = np.geomspace(1, 4 * max(both.n_topics, both.truth.sizes[-1]), 60)
    worse = [size for size in sizes if not better(float(size))]
    if not worse:
        return 1.0
    return math.inf if worse[-1] == sizes[-1] else float(worse[-1])


def _quantile(level: float, degrees: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(degrees, (1 + level) / 2))
