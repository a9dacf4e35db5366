"""Expected tau between the rankings on two disjoint random subsets of topics, and a judge's worth, computed from it.

**The formula** is for tau_b, and draws no subsets. The reference ranks the systems by b topics of the truth. A judge
ranks them by k other topics, drawn without replacement from the n judged topics. For a pair of systems let d_t and e_t
be the differences of truth and judge on topic t, with means d, e and (co)variances S_dd, S_ee, S_de. The two subset
means are nearly normal, with

    variances S_dd (1/b - 1/n) and S_ee (1/k - 1/n), covariance -S_de / n    (a topic cannot be in both subsets).

V_Y(k) is the mean over pairs of E[sign sign]. V_X(k) is the same with the truth as the judge. If the judge's topics are
not the truth's, the covariance is 0 and the judge has its own n.

**The worth** W of k topics of a judge solves V_X(W) = V_Y(k). The curves are compared on the link scale

    g(V) = 1 / sin^2(pi V / 2),

which is linear in 1/k if the systems' means are normal: then V = (2/pi) asin(r), and 1/r^2 is the product of a
noise-to-signal term 1 + s/k for each ranking. So u = 1/W is interpolated on straight lines. If u is 0 or less, no
number of topics of the truth ranks the systems as well. The interval is for new topics and new systems.

**Random splits** serve the other coefficients. The first b topics of a random order are the reference, and the next k
are the judge's. tau_b is computed on the same splits. Its difference from the formula shows the error of the splits,
and is subtracted (a control variate). The values of the curves are cheap, so they use more splits than the changes when
each topic or team is left out in turn. Splits are drawn until the ends of the interval are stable.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ..arrays import FloatArray, IntArray, require_room_for_pairs
from ..coefficients.registry import Coefficient, get_coefficient
from ..data.means import tied_sums
from ..data.scores import Scores
from ..errors import InputError, counted
from ..inference.resampling import Resampling, Seed
from ..pairing import Matched

TOPICS = 25.0  # number of topics whose worth is reported, for any sample size
FEWEST_TOPICS, FEWEST_SYSTEMS = 10, 8

SIZES = 8  # number of points of the truth's curve
AT_A_TIME = 2**20  # largest number of values in a block: left-out topics x pairs of systems
FINEST = 200  # largest number of grid steps in the largest difference; scores on a finer grid rarely tie
NODES, WEIGHTS = np.polynomial.legendre.leggauss(12)


@dataclass(frozen=True)
class How:
    """Settings for the worth of each judge."""

    coefficient: Coefficient
    level: float
    drawn: Resampling
    """Random splits for coefficients without a formula."""
    n_topics: float = TOPICS
    new_systems: bool = True

    @classmethod
    def of(cls, coefficient: str, n_topics: float, confidence_level: float, rng: Seed, *, new_systems: bool) -> How:
        known = get_coefficient(coefficient)
        if why := known.not_resampled:
            raise InputError(why)
        return cls(known, confidence_level, Resampling.of(1, rng), n_topics, new_systems)

    @property
    def analytic(self) -> bool:
        """Whether the coefficient has a formula."""
        return self.coefficient.name == "tau_b"


@dataclass(frozen=True)
class Curve:
    """Expected agreement by number of topics, with leave-one-out values over topics, teams of systems, and both."""

    sizes: FloatArray
    values: FloatArray
    topics: tuple[FloatArray, ...]
    """Values with each topic left out in turn, sizes x topics: one array for the truth's topics, and one for the
    judge's topics if they differ."""
    systems: FloatArray
    """Values with each team left out in turn, sizes x teams."""
    both: tuple[FloatArray, ...]
    """Values with each topic and team left out in turn, sizes x topics x teams; arrays as in `topics`."""
    pairs: FloatArray
    """Values of each pair of systems, sizes x pairs."""


def expected_product(h1: FloatArray, h2: FloatArray, rho: FloatArray | float) -> FloatArray:
    """Compute E[sign U sign V] for normal U and V with means h1 and h2, unit variances and correlation rho.

    Plackett's formula: (2 Phi(h1) - 1)(2 Phi(h2) - 1)
    + (2 / pi) int_0^asin(rho) exp(-(h1^2 + h2^2 - 2 h1 h2 sin q) / (2 cos^2 q)) dq.
    """
    from scipy.special import ndtr

    turn = np.arcsin(np.clip(rho, -1.0, 1.0))
    squares, product = h1 * h1 + h2 * h2, 2 * h1 * h2
    total = np.zeros(np.broadcast_shapes(squares.shape, np.shape(turn)))
    for node, weight in zip(NODES, WEIGHTS, strict=True):
        sine = np.sin(turn * ((node + 1) / 2))
        total += weight * np.exp((product * sine - squares) / (2 * np.maximum(1 - sine * sine, 1e-12)))
    return np.asarray((2 * ndtr(h1) - 1) * (2 * ndtr(h2) - 1) + total * turn / np.pi)


@dataclass(frozen=True)
class Sample:
    """Differences of all pairs of systems on each topic of one side, divided by the size of the largest difference."""

    differences: FloatArray
    """One row per topic, one column per pair."""
    step: float
    """Step of the grid on which the scores lie; 0 if they are continuous."""

    @staticmethod
    def of(scores: FloatArray) -> Sample:
        i, j = np.triu_indices(scores.shape[1], 1)
        found = scores[:, i] - scores[:, j]
        size = float(np.abs(found).max(initial=0.0)) or 1.0
        return Sample(found / size, step_of(np.diff(np.sort(scores, axis=1), axis=1)) / size)

    def __len__(self) -> int:
        return len(self.differences)


def step_of(gaps: FloatArray) -> float:
    """Find the largest step that divides all differences; 0 if it is finer than 1/FINEST of the largest difference."""
    largest = float(gaps.max(initial=0.0))
    if largest == 0:
        return 0.0
    shares = np.unique(np.round(gaps / largest, 9))
    for parts in range(1, FINEST + 1):
        if np.abs(shares * parts - np.rint(shares * parts)).max() < 1e-6:
            return largest / parts
    return 0.0


Moments: TypeAlias = tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]
"""Means d, e, variances S_dd, S_ee, and covariance S_de of each pair."""


@dataclass(frozen=True)
class Design:
    """A truth and a judge. Leaving out a topic does not change the sizes in the formulas."""

    truth: Sample
    judge: Sample
    shared: bool
    """Whether truth and judge have the same topics, in the same order."""
    reference: int
    """b, the number of topics in the reference."""

    def moments(self) -> Moments:
        d, e = self.truth.differences, self.judge.differences
        covariance = ((d - d.mean(0)) * (e - e.mean(0))).sum(0) / (len(d) - 1) if self.shared else np.zeros(d.shape[1])
        return d.mean(0), e.mean(0), d.var(0, ddof=1), e.var(0, ddof=1), covariance

    def left_out(self, sample: int) -> Iterator[Moments]:
        """Yield the moments with each topic of a sample left out in turn, in blocks of topics x pairs."""
        d, e, dd, ee, de = self.moments()
        if self.shared or sample == 0:
            rows = range(0, len(self.truth), max(1, AT_A_TIME // d.size))
            for block in (slice(lo, lo + rows.step) for lo in rows):
                x = self.truth.differences[block] - d
                n = len(self.truth)
                if not self.shared:
                    yield d - x / (n - 1), e, _without(dd, x, x, n), ee, de
                    continue
                y = self.judge.differences[block] - e
                new = [_without(old, a, b, n) for old, a, b in ((dd, x, x), (ee, y, y), (de, x, y))]
                yield d - x / (n - 1), e - y / (n - 1), new[0], new[1], new[2]
            return
        swapped = Design(self.judge, self.truth, self.shared, self.reference)
        yield from ((b, a, bb, aa, ab) for a, b, aa, bb, ab in swapped.left_out(0))

    def signs(self, moments: Moments, judge_size: float, *, own: bool) -> FloatArray:
        """Compute E[sign sign] of each pair, for the reference and `judge_size` topics of the judge.

        With `own`, the truth takes the place of the judge.
        """
        d, e, dd, ee, de = moments
        n, b, judge = len(self.truth), self.reference, self.judge
        if own:
            e, ee, de, judge = d, dd, dd, self.truth
        # Standard deviations of the subset means: u^2 = S_dd (1/b - 1/n), v^2 = S_ee (1/k - 1/n), plus the effect of
        # the grid.
        u = _spread(dd, b, n, self.truth.step)
        v = _spread(ee, judge_size, len(judge), judge.step)
        if own and not self.truth.step:  # S_de = S_dd and no grid: rho is the same for all pairs
            rho = -1 / n / np.sqrt((1 / b - 1 / n) * (1 / judge_size - 1 / n))
        else:
            rho = -de / n / (u * v) if own or self.shared else 0.0
        # E[sign sign] of the normals with means d/u, e/v and correlation rho = -S_de / (n u v).
        found = expected_product(d / u, e / v, rho)
        identical = ((d == 0) & (dd <= 0)) | ((e == 0) & (ee <= 0))
        return np.where(identical, 0.0, found) if identical.any() else found

    def untied(self, moments: Moments, judge_size: float, *, own: bool) -> float:
        """Compute the denominator of tau_b: the geometric mean of the shares of untied pairs in reference and judge."""
        d, e, dd, ee, _ = moments
        sides = [(self.truth, d, dd, float(self.reference))]
        sides += [(self.truth, d, dd, judge_size) if own else (self.judge, e, ee, judge_size)]
        return float(np.prod([np.sqrt(1 - _tied(*side)) for side in sides]))


def _without(moment: FloatArray, x: FloatArray, y: FloatArray, n: int) -> FloatArray:
    """Compute (co)variances with each topic left out in turn; x and y are deviations from the means."""
    return np.asarray(((n - 1) * moment - n / (n - 1) * x * y) / (n - 2))


def _spread(variance: FloatArray, size: float, n: int, step: float) -> FloatArray:
    """Compute the standard deviation of a subset mean, which is never 0.

    If scores lie on a grid of `step`, means over k topics are multiples of step / k. A difference of 0 has sign 0, the
    mean of the signs half a step to either side. So the grid acts like noise of that size.
    """
    return np.sqrt(np.maximum(variance * (1 / size - 1 / n), 1e-24) + (step / (2 * size)) ** 2)


def _tied(sample: Sample, mean: FloatArray, variance: FloatArray, size: float) -> float:
    """Compute the expected share of pairs whose means over a random subset are equal.

    Means are equal if all k differences are 0, with probability C(n0, k) / C(n, k), or if on a grid their sum happens
    to be 0.
    """
    from scipy.special import gammaln, ndtr

    n, none = len(sample), (sample.differences == 0).sum(0).astype(np.float64)
    some = none >= size
    equal = np.zeros(len(none))
    # log of C(n0, k) / C(n, k), with n0 the number of topics without a difference.
    parts = gammaln(none[some] + 1) - gammaln(none[some] - size + 1) - gammaln(n + 1) + gammaln(n - size + 1)
    equal[some] = np.exp(np.minimum(parts, 0))
    if sample.step:
        spread = np.sqrt(np.maximum(variance * (1 / size - 1 / n), 1e-24))
        half = sample.step / (2 * size)
        # Probability that the subset mean is within half a step of 0.
        equal = np.maximum(equal, ndtr((mean + half) / spread) - ndtr((mean - half) / spread))
    return float(equal.mean())


def reference_size(truth: Sample) -> int:
    """Return the size of the reference: a quarter of the truth's topics. The other topics are for the truth's curve."""
    return max(len(truth) // 4, 3)


def sizes_for(n_topics: float, most: float) -> list[float]:
    """Return the size n_topics, or two sizes for extrapolation if n_topics is larger than `most`."""
    return [float(n_topics)] if n_topics <= most else [most / 2, float(most)]


def truth_curve(truth: Sample, n_topics: float, teams: IntArray | None, *, whole: bool = False) -> Curve:
    """Compute V_X from 1 topic to all topics outside the reference. `teams` has the team of each system, 0..G-1.

    With `whole`, sizes are whole numbers, for comparison with splits.
    """
    b = reference_size(truth)
    most = len(truth) - b
    sizes = np.unique(_rounded([*np.geomspace(1, most, SIZES).round(9), most / 2, *sizes_for(n_topics, most)], whole))
    return agreement(Design(truth, truth, shared=True, reference=b), sizes, teams, own=True)


def judge_curve(
    truth: Sample, judge: Sample, n_topics: float, teams: IntArray | None, *, shared: bool, whole: bool = False
) -> Curve:
    """Compute V_Y at n_topics, or at two smaller sizes for extrapolation."""
    b = reference_size(truth)
    sizes = _rounded(sizes_for(n_topics, len(truth) - b if shared else len(judge)), whole)
    return agreement(Design(truth, judge, shared, b), sizes, teams)


def _rounded(sizes: list[float], whole: bool) -> FloatArray:
    return np.rint(sizes) if whole else np.array(sizes)


def agreement(design: Design, sizes: FloatArray, teams: IntArray | None, *, own: bool = False) -> Curve:
    """Compute the mean agreement at all sizes; with `teams`, also with each team and topic left out in turn."""
    from scipy.sparse import csr_array

    whole = design.moments()
    untied = [design.untied(whole, k, own=own) for k in sizes]

    def signs(moments: Moments) -> FloatArray:
        return np.array([design.signs(moments, k, own=own) / by for k, by in zip(sizes, untied, strict=True)])

    pairs = signs(whole)
    if teams is None:
        return Curve(sizes, pairs.mean(-1), (), np.empty((len(sizes), 0)), (), pairs)
    i, j = np.triu_indices(len(teams), 1)
    place = np.concatenate([teams[i], teams[j]])
    has = csr_array((np.ones(len(place)), (np.tile(np.arange(len(i)), 2), place)))
    has.sum_duplicates()
    has.data[:] = 1.0  # count a pair within a team once
    rest = len(i) - has.sum(0)

    def means(of: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Compute means over all pairs, and over the pairs with each team left out in turn; the first axis is size."""
        flat = of.reshape(-1, of.shape[-1])
        without = (flat.sum(-1)[:, None] - flat @ has) / rest
        return of.mean(-1), without.reshape(*of.shape[:-1], -1)

    values, systems = means(pairs)
    samples = range(1 if own or design.shared else 2)
    left = [[means(signs(moments)) for moments in design.left_out(sample)] for sample in samples]
    topics, both = ([np.concatenate([part[k] for part in blocks], axis=1) for blocks in left] for k in (0, 1))
    return Curve(sizes, values, tuple(topics), systems, tuple(both), pairs)


STEP = 1e-5  # step of the numerical derivatives
MOST = 60.0  # largest log of the ratio of the upper end to the estimate
LEAST = 3.0  # topics: means over fewer topics are far from normal, so a lower end below this number is set to 0


def link(value: FloatArray | float) -> FloatArray:
    return np.asarray(1 / np.sin(np.pi * np.clip(value, 1e-3, 1 - 1e-4) / 2) ** 2)


@dataclass(frozen=True)
class Errors:
    """Variances of a contrast over topics, over systems, and of their interaction."""

    topics: tuple[float, ...]
    systems: float
    shared: float
    pairs: float
    """Variance due to the effects of single pairs, in addition to the effects of their systems."""
    sizes: tuple[int, ...]
    """Number of topics of each sample, and number of teams."""

    def of(self, *, new_systems: bool) -> tuple[float, float]:
        """Return the standard error, and the degrees of freedom by Satterthwaite's rule.

        If topics and systems are both random, var = v_T + v_S - v_TS, because leaving out topics and leaving out
        systems both count the interaction. The variance is at least v_T - v_P and v_S - v_P, because leaving out either
        counts twice what depends on pairs of topics and of systems. It is also at least v_T / 2 and v_S / 2, because
        nothing is counted more than twice.
        """
        parts = (*self.topics, self.systems) if new_systems else self.topics
        total = sum(parts)
        if total <= 0:
            return 0.0, float(self.sizes[0] - 1)
        degrees = total**2 / sum(v**2 / (n - 1) for v, n in zip(parts, self.sizes, strict=False))
        largest = max(sum(self.topics), self.systems)
        variance = max(total - self.shared, largest - self.pairs, largest / 2) if new_systems else total
        return math.sqrt(variance), degrees


@dataclass(frozen=True)
class Both:
    """Curves of judge and truth. Their points form one vector, with the judge's points first."""

    judge: Curve
    truth: Curve
    n_topics: float

    @property
    def values(self) -> FloatArray:
        return np.concatenate([self.judge.values, self.truth.values])

    def judged(self, values: FloatArray) -> float:
        """Return g(V_Y(n_topics)), computed directly or extrapolated on the line in 1/k."""
        at = link(values[: len(self.judge.sizes)])
        return float(at[0] if len(at) == 1 else _on_line(1 / self.n_topics, 1 / self.judge.sizes, at))

    @property
    def agreement(self) -> float:
        """The expected agreement V_Y(n_topics)."""
        return _value(self.judged(self.values))

    def truth_line(self, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return 1/k and g(V_X(k)), made monotone, from the largest size k to 1."""
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
        """Index of the size that is half of the largest. Extrapolation uses the line through these two points."""
        return int(np.searchsorted(-self.truth.sizes[::-1], -self.truth.sizes[-1] / 2))

    def truth_at(self, values: FloatArray, u: float) -> float:
        """Return g(V_X(1/u)), extrapolated beyond the largest size."""
        x, line = self.truth_line(values)
        if u < x[0]:
            return _on_line(u, x[[self.half, 0]], line[[self.half, 0]])
        return float(np.interp(u, x, line))

    def error_of(self, u: float, *, new_systems: bool) -> tuple[float, float]:
        """Return the standard error of u and its degrees of freedom.

        The standard error of u is the standard error of the gap at u, divided by the slope.
        """
        step = 0.1 * max(u, 1 / self.truth.sizes[-1])
        rise = self.truth_at(self.values, u + step) - self.truth_at(self.values, u - step)
        gap = self.errors(lambda values: self.judged(values) - self.truth_at(values, u))
        error, degrees = gap.of(new_systems=new_systems)
        return (error * 2 * step / rise if rise > 0 else math.inf), degrees

    def errors(self, function: Callable[[FloatArray], float]) -> Errors:
        """Jackknife a smooth function of the points over topics and systems, by its gradient."""
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
            # v_T = (n - 1)/n sum (l_(t) - mean)^2, v_TS the same for the doubly centred l_(t,i) - l_(t) - l_(i).
            over_topics.append(_jackknife(by_topic))
            rest = by_both - by_topic[:, None] - systems
            rest = rest - rest.mean(0) - rest.mean(1)[:, None] + rest.mean()
            shared += float((1 - 1 / len(by_topic)) * (1 - 1 / len(systems)) * (rest**2).sum())
        sizes = (*(topics.shape[1] for topics in self.judge.topics), len(systems))
        pairs = _pair_variance(judge @ self.judge.pairs + truth @ self.truth.pairs)
        return Errors(tuple(over_topics), _jackknife(systems), shared, pairs, sizes)


def _on_line(at: float, x: FloatArray, y: FloatArray) -> float:
    """Evaluate the line through two points."""
    return float(y[1] + (at - x[1]) * (y[0] - y[1]) / (x[0] - x[1]))


def _value(height: float) -> float:
    """Invert the link: the agreement V with g(V) = height."""
    return 2 / math.pi * math.asin(1 / math.sqrt(max(height, 1.0)))


def _jackknife(left: FloatArray) -> float:
    return float((1 - 1 / len(left)) * ((left - left.mean()) ** 2).sum())


def _pair_variance(values: FloatArray) -> float:
    """Estimate the variance of the mean over pairs that remains after subtracting the effects of both systems."""
    from scipy.spatial.distance import squareform

    sums = squareform(values).sum(0)
    m = len(sums)
    effects = (sums - sums.mean()) / (m - 2)
    rest = ((values - values.mean()) ** 2).sum() - (m - 2) * (effects**2).sum()
    return float(rest / (len(values) - m) / len(values))


@dataclass(frozen=True)
class WorthEstimate:
    """Worth and interval, in topics of the truth. 0 means less than one topic, and inf means no limit."""

    worth: float
    low: float
    high: float
    rises: bool
    """Whether the data show that more topics of the truth rank the systems better."""


def estimate(
    judge: Curve, truth: Curve, n_topics: float, *, level: float = 0.95, new_systems: bool = True
) -> WorthEstimate:
    """Estimate the worth of n_topics topics of a judge, with an interval by the two-way jackknife."""
    both = Both(judge, truth, n_topics)

    def gain(values: FloatArray) -> float:  # what the truth's largest size gains over one topic
        return float(values[-1] - values[len(judge.sizes)])

    error, degrees = both.errors(gain).of(new_systems=new_systems)
    rises = gain(both.values) > _quantile(level, degrees) * error
    u = both.inverse_worth(both.values)
    if u > 1:
        return WorthEstimate(0.0, 0.0, _not_refuted(both, level, new_systems=new_systems), rises)
    error, degrees = both.error_of(u, new_systems=new_systems)
    reach = _quantile(level, degrees) * error
    if u > 0:
        # The lower end uses the cube root scale, the upper end the log scale. On the log scale, the lower end would be
        # too high whenever the estimate is too high (docs/measured/worth.md).
        reach = min(reach / u, MOST)
        low = max(1 - reach / 3, 0.0) ** 3 / u
        return WorthEstimate(1 / u, low if low >= LEAST else 0.0, math.exp(reach) / u, rises)
    return WorthEstimate(math.inf, 1 / (u + reach) if u + reach > 0 else math.inf, math.inf, rises)


def _not_refuted(both: Both, level: float, *, new_systems: bool) -> float:
    """For a judge worth less than one topic, find the largest size of the truth that is not significantly better.

    Return inf if the largest size tried is not significantly better. For such a judge, an interval on the log scale is
    undefined, but V_X(k) - V_Y has a standard error at every k.
    """

    def better(size: float) -> bool:
        def lead(values: FloatArray) -> float:  # V_X(size) - V_Y(n_topics) as a function of the points
            return _value(both.truth_at(values, 1 / size)) - _value(both.judged(values))

        error, degrees = both.errors(lead).of(new_systems=new_systems)
        return lead(both.values) > _quantile(level, degrees) * error

    sizes = np.geomspace(1, 4 * max(both.n_topics, both.truth.sizes[-1]), 60)
    worse = [size for size in sizes if not better(float(size))]
    if not worse:
        return 1.0
    return math.inf if worse[-1] == sizes[-1] else float(worse[-1])


def _quantile(level: float, degrees: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(degrees, (1 + level) / 2))


BATCH = 48  # random orders at a time, each used in four rotations
MORE = 8  # times as many orders for the values, which cost little compared with leaving out each topic and team
CHECKED = 8  # batches between two estimates of how far the ends move
MOST_BATCHES = 64
STILL = 0.045  # stop when another seed would move the ends by fewer standard errors than this, as estimated
TEAMS = 40  # largest number of teams to leave out in turn; if there are more, some are left out together


@dataclass(frozen=True)
class Side:
    """A score matrix whose sums are exact (whole numbers of a decimal unit), or have near-ties settled by a rule."""

    values: FloatArray
    size: FloatArray | None  # sum of each system's absolute scores; None if sums are exact

    @staticmethod
    def of(scores: FloatArray) -> Side:
        """Convert scores of up to 9 decimals to whole numbers, whose sums have no rounding errors in any order."""
        for decimals in range(10):
            whole = np.rint(scores * 10.0**decimals)
            if np.abs(whole).sum(axis=0).max() >= 2.0**50:
                break
            if np.array_equal(whole / 10.0**decimals, scores):
                return Side(whole, None)
        return Side(np.ascontiguousarray(scores, dtype=np.float64), np.abs(scores).sum(axis=0))

    def settled(self, sums: FloatArray) -> FloatArray:
        """Make totals equal where only rounding makes them differ."""
        if self.size is None:
            return sums
        gaps = np.diff(np.sort(sums, axis=-1), axis=-1)
        near = ((gaps > 0) & (gaps <= 1e-9 * self.size.max())).any(axis=-1)  # only these rows can hold a hidden tie
        if near.any():
            sums[near] = tied_sums(sums[near], self.size, n=len(self.values))
        return sums


Formula = Callable[[FloatArray, FloatArray], FloatArray]


def split_curves(
    truth: FloatArray, judge: FloatArray, how: How, teams: IntArray, known: tuple[Curve, Curve]
) -> tuple[tuple[Curve, Curve], FloatArray]:
    """Compute both curves of a coefficient, and how much another seed moves the logs of lower end, worth and upper end.

    `known` has the curves of tau_b by its formula, at the same whole sizes.
    """
    formulas: list[Formula] = [partial(_defined, name) for name in (how.coefficient.name, "tau_b")]
    drawn = SplitSums(
        (Side.of(truth), Side.of(judge)), formulas, (known[0].sizes.astype(int), known[1].sizes.astype(int))
    )
    rng, values, changes = how.drawn.generator(), [], []
    while True:
        values.append([drawn.values(drawn.orders(rng)) for _ in range(MORE)])
        changes.append(drawn.changes(drawn.orders(rng), teams))
        if len(values) % CHECKED == 0:
            found = np.array(values), np.array(changes)
            moves, error = _moves(*found, known, how)
            if len(values) >= MOST_BATCHES or moves.max() < STILL * error:
                return _curves(*found, known), moves


def _defined(name: str, truth: FloatArray, judge: FloatArray) -> FloatArray:
    """Compute a coefficient by its name, with 0 where it is undefined."""
    return np.asarray(np.nan_to_num(get_coefficient(name).formula(truth, judge), nan=0.0))


@dataclass(frozen=True)
class SplitSums:
    """Formulas to compute on random splits, from both sides' sums over topics, at the sizes of both curves."""

    sides: tuple[Side, Side]
    formulas: list[Formula]
    sizes: tuple[IntArray, IntArray]

    @property
    def reference(self) -> int:
        """b, the number of topics that the largest size leaves for the reference."""
        return len(self.sides[0].values) - int(max(self.sizes[0].max(), self.sizes[1].max()))

    @property
    def points(self) -> list[tuple[int, int]]:
        """The side (1 is the judge, 0 the truth) and size of each point, with the judge's points first."""
        return [(1, int(k)) for k in self.sizes[0]] + [(0, int(k)) for k in self.sizes[1]]

    def orders(self, rng: np.random.Generator) -> IntArray:
        """Draw random orders of the topics, each rotated to put all topics in the reference equally often."""
        n, m = self.sides[0].values.shape
        order = rng.permuted(np.tile(np.arange(n), (max(1, min(BATCH, 2**21 // (n * m))), 1)), axis=1)
        return np.concatenate([np.roll(order, round(q * n / 4), axis=1) for q in range(4)])

    def values(self, order: IntArray) -> FloatArray:
        """Compute the means of the formulas over the orders: formulas x points."""
        b, place = self.reference, np.argsort(order, axis=1)
        sums = [self._sums(which, (place >= b) & (place < b + k)) for which, k in self.points]
        reference = self._sums(0, place < b)
        return np.array([[formula(reference, of).mean() for of in sums] for formula in self.formulas])

    def _sums(self, which: int, members: npt.NDArray[np.bool_]) -> FloatArray:
        values = self.sides[which].values
        return self.sides[which].settled(np.einsum("st,tm->sm", members.astype(np.float64), values))

    def changes(self, order: IntArray, teams: IntArray) -> FloatArray:
        """Compute the changes when each topic and each team is left out: formulas x (topics, teams) x points."""
        b, n = self.reference, len(self.sides[0].values)
        members = [side.values[order] for side in self.sides]  # splits x topics x systems
        summed = [np.cumsum(of[:, b:], axis=1) for of in members]
        reference = members[0][:, :b].sum(axis=1)
        shorter = self.sides[0].settled(reference[:, None] - members[0][:, :b])
        reference = self.sides[0].settled(reference)
        groups = np.arange(teams.max() + 1) % TEAMS
        found = np.zeros((len(self.formulas), n + groups.max() + 1, len(self.points)))
        for p, (which, k) in enumerate(self.points):
            side, of = self.sides[which], members[which]
            total = summed[which][:, k - 1]
            # If a topic is left out, the next topic in the order takes its place, if there is one.
            swapped = total[:, None] - of[:, b : b + k] + (of[:, b + k, None] if b + k < n else 0)
            swapped, total = side.settled(swapped), side.settled(total)
            for f, formula in enumerate(self.formulas):
                value = formula(reference, total)
                change = np.zeros((len(order), n))
                change[:, :b] = formula(shorter, total[:, None]) - value[:, None]
                change[:, b : b + k] = formula(reference[:, None], swapped) - value[:, None]
                found[f, :n, p] = np.bincount(order.ravel(), change.ravel(), n) / len(order)
                for g in range(groups.max() + 1):
                    stay = groups[teams] != g
                    found[f, n + g, p] = (formula(reference[:, stay], total[:, stay]) - value).mean()
        return found


def _curves(values: FloatArray, changes: FloatArray, known: tuple[Curve, Curve]) -> tuple[Curve, Curve]:
    """Average the batches, and correct them by the difference between tau_b and its formula."""
    n, split = known[0].topics[0].shape[1], len(known[0].sizes)
    exact = np.concatenate([np.vstack([c.values, c.topics[0].T, c.systems.T]) for c in known], axis=1)
    # there is no formula for teams left out together
    rows = changes.shape[2] if changes.shape[2] == len(exact) - 1 else n
    wanted = np.empty((1 + changes.shape[2], exact.shape[1]))
    wanted[0] = _corrected(values.reshape(-1, 2, 1, exact.shape[1]), exact[:1])
    wanted[1:] = wanted[0] + _corrected(changes, exact[1 : 1 + rows] - exact[0])
    return _curve(wanted[:, :split], known[0], n), _curve(wanted[:, split:], known[1], n)


def _corrected(batches: FloatArray, exact: FloatArray) -> FloatArray:
    """Average the first formula over batches, corrected by tau_b in the rows of `exact`, with one slope per point."""
    wanted, tau = batches.mean(axis=0)
    known = slice(len(exact))
    f, t = (batches - batches.mean(axis=0))[:, :, known].swapaxes(0, 1)
    slope = (f * t).sum(axis=(0, 1)) / np.maximum((t * t).sum(axis=(0, 1)), 1e-300)
    wanted[known] -= slope * (tau[known] - exact)
    return np.asarray(wanted)


def _curve(points: FloatArray, known: Curve, n: int) -> Curve:
    """Make a curve in which topics and systems interact as they do for tau_b."""
    values, topics, systems = points[0], points[1 : n + 1].T, points[n + 1 :].T
    both = topics[:, :, None] + systems[:, None, :] - values[:, None, None]
    if systems.shape == known.systems.shape:
        alone = known.topics[0][:, :, None] + known.systems[:, None, :] - known.values[:, None, None]
        both = both + known.both[0] - alone
    return Curve(known.sizes, values, (topics,), systems, (both,), known.pairs)


def _moves(values: FloatArray, changes: FloatArray, known: tuple[Curve, Curve], how: How) -> tuple[FloatArray, float]:
    """Estimate how much another seed moves the logs of lower end, worth and upper end, by leaving out batches in turn.

    The first result has their standard deviations over seeds, the second is the standard error of the log worth.
    """
    logs = []
    for k in range(len(values)):
        curves = _curves(np.delete(values, k, axis=0), np.delete(changes, k, axis=0), known)
        found = estimate(*curves, how.n_topics, level=how.level, new_systems=how.new_systems)
        ends = max(found.low, LEAST), max(found.worth, 1.0), found.high
        logs.append(np.log(np.minimum(ends, 1e4)))
    low, _, high = np.mean(logs, axis=0)
    return np.std(logs, axis=0) * math.sqrt(len(logs) - 1), float(high - low) / 4


def curves_of(sides: Matched, how: How, curves: dict[bytes, Curve] | None) -> tuple[tuple[Curve, Curve], FloatArray]:
    """Compute V_Y and V_X, and how much another seed moves the logs of lower end, worth and upper end."""
    require_room_for_pairs(len(sides.truth.systems), "worth", len(sides.truth.topics))
    of, shared = sides.pairing.truth.teams, sides.pairing.on == "both"
    teams = np.arange(len(sides.truth.systems)) if of is None else np.unique(of, return_inverse=True)[1]
    truth, judge = Sample.of(sides.truth.values), Sample.of(sides.judge.values)
    whole = not how.analytic
    made = judge_curve(truth, judge, how.n_topics, teams, shared=shared, whole=whole)
    kept, key = {} if curves is None else curves, sides.truth.values.tobytes() + teams.tobytes()
    if key not in kept:
        kept[key] = truth_curve(truth, how.n_topics, teams, whole=whole)
    if not whole:
        return (made, kept[key]), np.zeros(3)
    if not shared:
        raise InputError(f"{how.coefficient.name} needs the same topics on both sides: use tau_b instead")
    return split_curves(sides.truth.values, sides.judge.values, how, teams, (made, kept[key]))


def too_few(topics: int, systems: int, unit: str = "topic") -> str:
    """Say why a worth cannot be estimated; return an empty string if it can."""
    missing = []
    if topics < FEWEST_TOPICS:
        missing.append(f"{counted(topics, unit)} (at least {FEWEST_TOPICS} are needed)")
    if systems < FEWEST_SYSTEMS:
        missing.append(f"{counted(systems, 'system')} (at least {FEWEST_SYSTEMS} are needed)")
    return f"there are only {' and '.join(missing)}" if missing else ""


@dataclass(frozen=True)
class Yardstick:
    """The truth's curve, for the worth of many judges on the same topics, without intervals."""

    truth: Sample
    curve: Curve

    @classmethod
    def of(cls, truth: Scores) -> Yardstick | None:
        """Compute the truth's curve; None if there are too few topics or systems."""
        if too_few(len(truth.topics), len(truth.systems)):
            return None
        sample = Sample.of(truth.values)
        return cls(sample, truth_curve(sample, TOPICS, None))

    def worth(self, judge: FloatArray) -> float:
        """Estimate the worth of 25 topics, capped at 100 so that means over draws are finite."""
        both = Both(judge_curve(self.truth, Sample.of(judge), TOPICS, None, shared=True), self.curve, TOPICS)
        inverse = both.inverse_worth(both.values)
        return 0.0 if inverse > 1 else min(1 / inverse, 4 * TOPICS) if inverse > 0 else 4 * TOPICS
