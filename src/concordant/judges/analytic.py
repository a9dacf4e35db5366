"""Expected tau between rankings by two disjoint random subsets of topics, without drawing subsets.

The reference ranks the systems by b topics of the truth. A judge ranks them by k other topics, drawn without
replacement from the n judged topics. For a pair of systems let d_t and e_t be the differences of truth and judge on
topic t, with means d, e and (co)variances S_dd, S_ee, S_de. The two subset means are nearly normal, with

    variances S_dd (1/b - 1/n) and S_ee (1/k - 1/n), covariance -S_de / n    (a topic cannot be in both subsets).

V_Y(k) is the mean over pairs of E[sign sign]. V_X(k) is the same with the truth as the judge. A judge on topics other
than the truth's has covariance 0 and its own n.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ..arrays import FloatArray, IntArray

SIZES = 8  # points of the truth's curve
AT_A_TIME = 2**20  # most numbers in a block: left-out topics x pairs of systems
FINEST = 200  # most steps from lowest to highest score; finer scores rarely tie
NODES, WEIGHTS = np.polynomial.legendre.leggauss(12)


@dataclass(frozen=True)
class Curve:
    """Expected agreement by number of topics, with leave-one-out values over topics, teams of systems, and both."""

    sizes: FloatArray
    values: FloatArray
    topics: tuple[FloatArray, ...]
    """Values without each topic, sizes x topics; one array for the truth's topics, one for the judge's if different."""
    systems: FloatArray
    """Values without each team, sizes x teams."""
    both: tuple[FloatArray, ...]
    """Values without each topic and team, sizes x topics x teams; arrays as in `topics`."""


def expected_product(h1: FloatArray, h2: FloatArray, rho: FloatArray | float) -> FloatArray:
    """E[sign U sign V] of normals with means h1 and h2, unit variances and correlation rho.

    Plackett: (2 Phi(h1) - 1)(2 Phi(h2) - 1)
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
    """Differences of all pairs of systems on each topic of one side, in units of their typical size."""

    differences: FloatArray
    """Topics x pairs."""
    step: float
    """Step of the grid of scores; 0 if they are continuous."""

    @staticmethod
    def of(scores: FloatArray) -> Sample:
        i, j = np.triu_indices(scores.shape[1], 1)
        found = scores[:, i] - scores[:, j]
        size = float(np.abs(found).max(initial=0.0)) or 1.0
        return Sample(found / size, step_of(np.diff(np.sort(scores, axis=1), axis=1)) / size)

    def __len__(self) -> int:
        return len(self.differences)


def step_of(gaps: FloatArray) -> float:
    """Largest step that divides all differences; 0 if it is finer than 1/FINEST of the largest."""
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
    """One truth and one judge. Leaving out a topic does not change the sizes in the formulas."""

    truth: Sample
    judge: Sample
    shared: bool
    """Whether both judged the same topics, in the same order."""
    reference: int
    """b."""

    def moments(self) -> Moments:
        d, e = self.truth.differences, self.judge.differences
        covariance = ((d - d.mean(0)) * (e - e.mean(0))).sum(0) / (len(d) - 1) if self.shared else np.zeros(d.shape[1])
        return d.mean(0), e.mean(0), d.var(0, ddof=1), e.var(0, ddof=1), covariance

    def left_out(self, sample: int) -> Iterator[Moments]:
        """Yield moments without each topic of a sample, in blocks of topics x pairs."""
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
        """E[sign sign] of each pair: reference against `judge_size` topics of the judge, or of the truth if `own`."""
        d, e, dd, ee, de = moments
        n, b, judge = len(self.truth), self.reference, self.judge
        if own:
            e, ee, de, judge = d, dd, dd, self.truth
        # Standard deviations of the subset means: u^2 = S_dd (1/b - 1/n), v^2 = S_ee (1/k - 1/n), plus the grid.
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
        """Denominator of tau_b: root of the product of the shares of untied pairs in reference and judge."""
        d, e, dd, ee, _ = moments
        sides = [(self.truth, d, dd, float(self.reference))]
        sides += [(self.truth, d, dd, judge_size) if own else (self.judge, e, ee, judge_size)]
        return float(np.prod([np.sqrt(1 - _tied(*side)) for side in sides]))


def _without(moment: FloatArray, x: FloatArray, y: FloatArray, n: int) -> FloatArray:
    """(Co)variance without each topic; x and y are deviations from the means."""
    return np.asarray(((n - 1) * moment - n / (n - 1) * x * y) / (n - 2))


def _spread(variance: FloatArray, size: float, n: int, step: float) -> FloatArray:
    """Standard deviation of a subset mean, never 0.

    Means over k topics of scores on a grid of `step` are multiples of step / k. A sign of 0 at difference 0 is the mean
    of the signs half a step to either side, so the grid acts like noise of that size.
    """
    return np.sqrt(np.maximum(variance * (1 / size - 1 / n), 1e-24) + (step / (2 * size)) ** 2)


def _tied(sample: Sample, mean: FloatArray, variance: FloatArray, size: float) -> float:
    """Share of pairs whose means over a random subset are equal.

    Either all k differences are 0, with probability C(n0, k) / C(n, k), or the sum on a grid happens to be 0.
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
    """Size of the reference: a quarter of the truth's topics, which leaves three quarters for its own curve."""
    return max(len(truth) // 4, 3)


def sizes_for(n_topics: float, most: float) -> list[float]:
    """Return n_topics, or the two sizes for extrapolation if there are fewer topics."""
    return [float(n_topics)] if n_topics <= most else [most / 2, float(most)]


def truth_curve(truth: Sample, n_topics: float, teams: IntArray | None, *, whole: bool = False) -> Curve:
    """V_X from 1 topic to all topics outside the reference. `teams` has the team of each system, 0..G-1.

    With `whole`, sizes are whole numbers, for comparison with splits.
    """
    b = reference_size(truth)
    most = len(truth) - b
    sizes = np.unique(_rounded([*np.geomspace(1, most, SIZES).round(9), most / 2, *sizes_for(n_topics, most)], whole))
    return agreement(Design(truth, truth, shared=True, reference=b), sizes, teams, own=True)


def judge_curve(
    truth: Sample, judge: Sample, n_topics: float, teams: IntArray | None, *, shared: bool, whole: bool = False
) -> Curve:
    """V_Y at n_topics, or at two smaller sizes for extrapolation."""
    b = reference_size(truth)
    sizes = _rounded(sizes_for(n_topics, len(truth) - b if shared else len(judge)), whole)
    return agreement(Design(truth, judge, shared, b), sizes, teams)


def _rounded(sizes: list[float], whole: bool) -> FloatArray:
    return np.rint(sizes) if whole else np.array(sizes)


def agreement(design: Design, sizes: FloatArray, teams: IntArray | None, *, own: bool = False) -> Curve:
    """Mean agreement over pairs at all sizes; with `teams`, also without each team and each topic."""
    from scipy.sparse import csr_array

    whole = design.moments()
    untied = [design.untied(whole, k, own=own) for k in sizes]
    if teams is None:
        pairs = [design.signs(whole, k, own=own).mean() / by for k, by in zip(sizes, untied, strict=True)]
        return Curve(sizes, np.array(pairs), (), np.empty((len(sizes), 0)), ())
    i, j = np.triu_indices(len(teams), 1)
    place = np.concatenate([teams[i], teams[j]])
    has = csr_array((np.ones(len(place)), (np.tile(np.arange(len(i)), 2), place)))
    has.sum_duplicates()
    has.data[:] = 1.0  # count a pair within a team once
    rest = len(i) - has.sum(0)

    def means(moments: Moments) -> tuple[FloatArray, FloatArray]:
        """Means over all pairs, and over the pairs without each team; the first axis is size."""
        of = np.array([design.signs(moments, k, own=own) / by for k, by in zip(sizes, untied, strict=True)])
        flat = of.reshape(-1, of.shape[-1])
        without = (flat.sum(-1)[:, None] - flat @ has) / rest
        return of.mean(-1), without.reshape(*of.shape[:-1], -1)

    values, systems = means(whole)
    samples = range(1 if own or design.shared else 2)
    left = [[means(moments) for moments in design.left_out(sample)] for sample in samples]
    topics, both = ([np.concatenate([part[k] for part in blocks], axis=1) for blocks in left] for k in (0, 1))
    return Curve(sizes, values, tuple(topics), systems, tuple(both))
