"""Null distributions of tau and AP correlation, over random rankings of the systems.

With more than a few systems, we compute the tails from a sum of independent discrete uniform variables, with an error
that is small relative to the tail itself.

D = sum_j spacing_j D_j, D_j uniform on 0 .. j for j = 1 .. m-1. Its Laplace transform is a product of simple factors,
M(z) = E[exp(-zD)] = prod_j (1 - exp(-(j+1) spacing_j z)) / ((j+1) (1 - exp(-spacing_j z))), and for any theta > 0

    P(D <= d) = 1 / (2 pi i) * integral over Re z = theta of exp(zd) M(z) / z dz,

If D is a whole number, 1 - exp(-z) takes the place of z, and the integral is over one period. All theta give the same
value, but in floating point theta must be near the saddle point. There the integrand is a bump about as high as the
tail itself, and nothing cancels. The trapezoid rule of step h adds copies of exp(-theta d) P(D <= d), shifted by
multiples of the period 2 pi / h. We choose h so that, by Chernoff's bound, they are far below the last digit.

A few fixed values of theta, the knots, serve all d. Every d is within about a standard deviation of the mean of D under
some knot's tilt; this distance costs less than a digit. So each knot is computed only once per distribution.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ..arrays import FloatArray, IntArray
from ..data.results import Result
from ..errors import InputError, InputTypeError
from ..options import checked

Alternative = Literal["two-sided", "less", "greater"]
Numbers: TypeAlias = "float | FloatArray"
ComplexArray = npt.NDArray[np.complex128]

_SLACK = 1e-12  # values this close to an attainable value count as equal to it
_EXACT = {"tau": 20, "tau_ap": 12}  # up to this many systems, all rankings are counted
_COUNTED = 1e6  # if a tail has fewer rankings than this, they are counted
_LEAST = 5e-324  # the smallest positive float
_NEGLIGIBLE = math.exp(-45)  # relative to the largest term
_BLOCK = 32  # nodes at a time
_MOST_NODES = 4096
_LEAST_LOG = -800.0  # exp(-800) is below the smallest float


@dataclass(frozen=True, eq=False, repr=False)
class NullDistribution(Result):
    """The distribution of a coefficient over all rankings of m systems, each equally probable.

    Both tails include the value itself: `cdf` is P(T <= value) and `sf` is P(T >= value), so they sum to 1 plus the
    probability of the value. A value within 1e-12 of an attainable one counts as equal to it. Both tails are positive,
    at least the smallest positive float (5e-324).
    """

    coefficient: Literal["tau", "tau_ap"]
    m: int
    """The number of systems."""

    # The value is 1 - 2 D / most with D = sum_j spacing_j D_j. Over random rankings the D_j are independent and uniform
    # on 0 .. j, j = 1 .. m-1; docs/guide/null-distributions.md proves it.

    @cached_property
    def _spacing(self) -> FloatArray:
        return np.ones(self.m - 1) if self.coefficient == "tau" else 1 / np.arange(1.0, self.m)

    @cached_property
    def _sum(self) -> UniformSum:
        return UniformSum(self._spacing, lattice=self.coefficient == "tau")

    @property
    def _most(self) -> float:
        return self.m * (self.m - 1) / 2 if self.coefficient == "tau" else self.m - 1.0

    @cached_property
    def _counts(self) -> IntArray | None:
        return _count(self.coefficient, self.m) if self.m <= _EXACT[self.coefficient] else None

    @cached_property
    def var(self) -> float:
        """The variance: 2 (2m + 5) / (9 m (m-1)) for tau, ((m-1) + 2 H_{m-1}) / (3 (m-1)^2) for tau_ap."""
        n = np.arange(2.0, self.m + 1)
        return float(np.sum(self._spacing**2 * (n**2 - 1)) / 12 * (2 / self._most) ** 2)

    @property
    def std(self) -> float:
        """The standard deviation."""
        return math.sqrt(self.var)

    def sf(self, value: npt.ArrayLike) -> Numbers:
        """Compute P(T >= value)."""
        return self._each(self._at_least, value)

    def cdf(self, value: npt.ArrayLike) -> Numbers:
        """Compute P(T <= value)."""
        return self._each(lambda v: self._at_least(-v), value)

    @checked
    def pvalue(self, value: npt.ArrayLike, alternative: Alternative = "two-sided") -> Numbers:
        """Compute the probability of a value at least as extreme, if the candidate ranking were random.

        Parameters
        ----------
        value : array_like
            Values of the coefficient, from -1 to 1.
        alternative : {"two-sided", "less", "greater"}
            "greater": P(T >= value); "less": P(T <= value); "two-sided": P(abs(T) >= abs(value)).

        Returns
        -------
        float or ndarray
            Never 0.

        """
        if alternative == "greater":
            return self.sf(value)
        if alternative == "less":
            return self.cdf(value)
        return self._each(self._beyond, value)

    @property
    def verdict(self) -> str:
        """State the mean and the standard deviation."""
        return f"{self.coefficient} over all rankings of {self.m} systems: mean 0, standard deviation {self.std:.4f}"

    def rows(self) -> list[dict[str, Any]]:
        """Return one row with the variance and the standard deviation."""
        names = ("coefficient", "m", "var", "std")
        return [{name: getattr(self, name) for name in names}]

    def _contents(self) -> dict[str, Any]:
        return self.rows()[0]

    # `_each` checks values; the methods below it take checked arrays of any shape.

    def _each(self, function: Any, value: npt.ArrayLike) -> Numbers:
        try:
            array = np.asarray(value)
        except ValueError:  # rows of unequal length
            array = np.asarray(None)
        if array.dtype.kind not in "iuf":
            raise InputTypeError(f"value is {value!r}: give a number or an array of numbers")
        array = np.asarray(array, np.float64)
        wrong = ~(np.abs(array) <= 1 + _SLACK)  # also true for nan
        if wrong.any():
            raise InputError(
                f"value is {float(array[wrong].flat[0])!r}: give values of {self.coefficient}, from -1 to 1"
            )
        result = function(np.clip(array, -1, 1))
        return float(result) if result.ndim == 0 else result

    def _missing(self, value: FloatArray) -> FloatArray:
        """Convert values of the coefficient to D, with the slack added."""
        return (1 - value + _SLACK) / 2 * self._most

    def _at_least(self, value: FloatArray) -> FloatArray:
        """Compute P(T >= value) for checked values."""
        if (below := self._counts) is not None:
            steps = np.floor(self._missing(value) / self._most * (len(below) - 1)).astype(np.int64)
            return np.asarray(below[steps] / below[-1])
        missing = self._missing(value).ravel()
        if self.coefficient == "tau":
            missing = np.floor(missing)
            others = self._most - missing - 1  # P(D <= d) = 1 - P(D >= d + 1), and D is symmetric
        else:
            others = self._most - missing
        upper = missing <= others
        tail = np.zeros(missing.shape)
        inside = np.where(upper, missing, others)
        possible = inside >= 0
        tail[possible] = self._tail(inside[possible])
        return np.where(upper, np.maximum(tail, _LEAST), 1 - tail).reshape(value.shape)

    def _beyond(self, value: FloatArray) -> FloatArray:
        """Compute P(|T| >= |value|)."""
        return np.where(np.abs(value) <= _SLACK, 1.0, np.minimum(1.0, 2 * self._at_least(np.abs(value))))

    def _tail(self, missing: FloatArray) -> FloatArray:
        """Compute P(D <= d), for d up to the mean of D."""
        logs = self._sum.log_tail(missing)
        tail = np.exp(logs)
        if self.coefficient == "tau_ap":
            rankings = logs + math.lgamma(self.m + 1)
            few = (rankings < math.log(_COUNTED)) & (tail > 0)
            if few.any():  # capped, so that the tail stays monotone where counting ends
                counts = np.minimum(near_perfect(self.m, missing[few]), _COUNTED)
                tail[few] = np.exp(np.log(counts) - math.lgamma(self.m + 1))
        return tail


@checked
@lru_cache(maxsize=32)  # the cached distributions keep what they have computed
def null_distribution(coefficient: Literal["tau", "tau_ap"], m: int) -> NullDistribution:
    """Return the distribution of tau or AP correlation over all m! rankings of m systems, without ties.

    Let D_j be the number of systems above the candidate's (j+1)-th that should be below it. For a random ranking the
    D_j are independent and uniform on 0 .. j; tau = 1 - 2 sum_j D_j / (m(m-1)/2), and
    tau_ap = 1 - 2 / (m-1) sum_j D_j / j. Up to 20 systems (tau_ap: 12) all rankings are counted. For more systems, the
    transform is inverted at the saddle point. For tau the tail has at least 11 correct digits, down to the smallest
    float. For tau_ap the error is at most 0.2% for 13 to 30 systems, and far smaller for more; tails with fewer than a
    million rankings are counted. docs/guide/null-distributions.md reports the measurements.

    Parameters
    ----------
    coefficient : {"tau", "tau_ap"}
        Kendall's tau, or AP correlation.
    m : int
        Number of systems, from 2 to 1,000,000.

    Returns
    -------
    NullDistribution
        The distribution, with `pvalue`, `cdf`, `sf`, `var` and `std`.

    See Also
    --------
    permutation_test : Test a coefficient against chance.

    References
    ----------
    M. G. Kendall (1938). A New Measure of Rank Correlation. Biometrika 30.
    E. Yilmaz, J. A. Aslam and S. Robertson (2008). A New Rank Correlation Coefficient for Information Retrieval. SIGIR.
    (It suggests this test as future work.)

    Examples
    --------
    >>> import concordant as cc
    >>> cc.null_distribution("tau", 4).pvalue(1)
    0.08333333333333333
    >>> f"{cc.null_distribution('tau', 50).pvalue(0.9, 'greater'):.6g}"
    '7.86502e-34'
    >>> cc.null_distribution("tau_ap", 3).pvalue(1)
    0.3333333333333333
    >>> f"{cc.null_distribution('tau_ap', 50).pvalue(0.3):.4g}"
    '0.0007269'

    """
    return NullDistribution(coefficient, m)


def _count(coefficient: str, m: int) -> IntArray:
    """Count all rankings, one system after the other: each D_j shifts the counts by 0, 1 .. j times its spacing."""
    unit = 1 if coefficient == "tau" else math.lcm(*range(1, m))
    strides = [1 if coefficient == "tau" else unit // j for j in range(1, m)]
    steps = sum(j * stride for j, stride in enumerate(strides, 1))
    counts = np.zeros(steps + 1, np.int64)
    counts[0] = 1
    for j, stride in enumerate(strides, 1):
        rows = -(-len(counts) // stride)
        sums = np.pad(counts, (0, rows * stride - len(counts))).reshape(rows, stride).cumsum(axis=0)
        sums[j + 1 :] -= sums[: -j - 1].copy()
        counts = sums.ravel()[: steps + 1]
    return counts.cumsum()


# Tails of the sum D ---------------------------------------------------------------------------------------------------


class _Knot(NamedTuple):
    theta: float
    log_transform: float  # log M(theta)
    mean: float  # of D under the tilt exp(-theta D)
    sd: float


class _Nodes(NamedTuple):
    at: FloatArray  # imaginary parts of z, from 0
    weights: ComplexArray  # M(z) / M(theta), times the weight of the trapezoid rule


@dataclass(frozen=True, eq=False)
class UniformSum:
    """The sum D = sum_j spacing_j D_j with D_j uniform on 0 .. j, j = 1 .. len(spacing)."""

    spacing: FloatArray
    lattice: bool = False
    """True if all spacings are 1."""
    _nodes: dict[int, _Nodes] = field(default_factory=dict, repr=False)

    @cached_property
    def counts(self) -> FloatArray:
        """The number of values of each D_j."""
        return np.arange(2.0, len(self.spacing) + 2)

    def log_tail(self, d: FloatArray) -> FloatArray:
        """Compute log P(D <= d), for d from 0 to the mean of D."""
        means = np.array([knot.mean for knot in self._knots])  # decreasing
        nearest = len(means) - 1 - np.searchsorted((means[1:] + means[:-1])[::-1] / 2, d)
        result = np.empty(d.shape)
        for k in np.unique(nearest).tolist():
            chosen = np.flatnonzero(nearest == k)
            for part in np.array_split(chosen, len(chosen) // 512 + 1):
                result[part] = self._at_knot(k, d[part])
        return result

    def _at_knot(self, k: int, d: FloatArray) -> FloatArray:
        knot = self._knots[k]
        if k not in self._nodes:
            self._nodes[k] = self._nodes_of(knot)
        at, weights = self._nodes[k]
        z = knot.theta + 1j * at
        weights = weights / (-np.expm1(-z) if self.lattice else z)
        bump = (np.exp(1j * np.outer(d, at)) @ weights).real
        return np.asarray(knot.log_transform + knot.theta * d + np.log(np.maximum(bump, _NEGLIGIBLE)))

    @cached_property
    def _knots(self) -> list[_Knot]:
        theta = 1 / math.sqrt(np.sum(self.spacing**2 * (self.counts**2 - 1)) / 12)
        log_of_all = math.lgamma(len(self.spacing) + 2)  # log of the number of vectors (D_1, D_2, ...)
        knots = []
        while True:
            knot = _Knot(theta, self._log_transform(theta), *self.moments(theta))
            knots.append(knot)
            # Stop when the tail is too small for a float, or D is 0 with a probability near 1.
            if knot.log_transform + theta * knot.mean < _LEAST_LOG or knot.log_transform + log_of_all < 0.1:
                return knots
            theta += 1 / knot.sd

    def _log_transform(self, theta: float) -> float:
        x = theta * self.spacing
        return float(np.sum(np.log(np.expm1(-self.counts * x) / (self.counts * np.expm1(-x)))))

    def moments(self, theta: float) -> tuple[float, float]:
        """Compute the mean and standard deviation of D under the tilt exp(-theta D)."""
        x = np.minimum(theta * self.spacing, 300)
        all_x = np.minimum(self.counts * x, 600)
        mean = np.sum(self.spacing * (1 / np.expm1(x) - self.counts / np.expm1(all_x)))
        variance = np.sum((self.spacing / 2) ** 2 * (np.sinh(x / 2) ** -2 - (self.counts / np.sinh(all_x / 2)) ** 2))
        return float(mean), math.sqrt(max(float(variance), 0.0))  # rounding may give less than 0 for theta near 0

    def _nodes_of(self, knot: _Knot) -> _Nodes:
        period = self._period(knot)
        if self.lattice:
            period = 2 * math.ceil(period / 2) + 1  # whole, and odd so that no node is its own mirror image
        step = 2 * math.pi / period
        most = (int(period) + 1) // 2 if self.lattice else _MOST_NODES
        nodes: list[FloatArray] = []
        values: list[ComplexArray] = []
        for lo in range(0, most, _BLOCK):
            nodes.append(step * np.arange(lo, min(lo + _BLOCK, most), dtype=np.float64))
            values.append(self._transform_ratio(knot.theta, nodes[-1]))
            if self._rest_is_negligible(knot.theta, nodes[-1][-1], values[-1]):
                break
        u, ratios = np.concatenate(nodes), np.concatenate(values)
        if not self.lattice and len(u) == most:
            # D has few values here, so the nodes left out at the end matter. Smooth as little as needed, by a Gaussian,
            # whose positive weights keep the tail monotone.
            left = np.abs(ratios[most // 2 :]).max()
            ratios *= np.exp(-min(18.0, max(0.0, math.log(left / 1e-13))) * (u / u[-1]) ** 2)
        weights = ratios * (step / math.pi)  # twice the real part accounts for the nodes at -u
        weights[0] /= 2
        return _Nodes(u, weights)

    def _period(self, knot: _Knot) -> float:
        """Choose a period so long that the shifted copies of exp(-theta d) P(D <= d) are negligible.

        Chernoff's bound is P(D <= d) <= M(t) exp(td), with t = theta + a on the left and theta - a on the right.
        """
        far = 2 * knot.sd  # d is at most this far from the knot's mean
        left = knot.mean + far  # shifted this far to the left, P(D <= d) is 0
        right = math.inf
        for a in np.array([0.5, 1, 2, 4, 6, 8, 10, 14, 20]) / knot.sd:
            grown = self._log_transform(knot.theta + a) - knot.log_transform
            left = min(left, (grown - math.log(_NEGLIGIBLE)) / a + knot.mean + far)
            back = min(a, knot.theta)
            grown = (self._log_transform(knot.theta - back) if back < knot.theta else 0.0) - knot.log_transform
            right = min(right, (grown - math.log(_NEGLIGIBLE)) / back - knot.mean + far)
        return max(left, right)

    def _transform_ratio(self, theta: float, u: FloatArray) -> ComplexArray:
        """Compute M(theta + iu) / M(theta)."""
        ratio = np.ones(len(u), np.complex128)
        size = max(1, 2**18 // len(u))
        for lo in range(0, len(self.spacing), size):
            d, n = self.spacing[lo : lo + size, None], self.counts[lo : lo + size, None]
            z = d * (theta + 1j * u)
            below = np.expm1(-z[:1]) if self.lattice else np.expm1(-z)
            at_theta = np.expm1(-n * d * theta) / np.expm1(-d * theta)
            ratio *= np.prod(np.expm1(-n * z) / below / at_theta, axis=0)
        return ratio

    def _rest_is_negligible(self, theta: float, last: float, values: ComplexArray) -> bool:
        """Tell whether nodes beyond the last one are negligible."""
        if np.abs(values).max() > _NEGLIGIBLE:
            return False
        if not self.lattice:
            return True
        # |M(theta + iu)| decreases until u = 2 pi / m. For larger u, use a decreasing bound: replace the sines in the
        # numerators by 1.
        u = max(last, 2 * math.pi / self.counts[-1])
        wave = math.sinh(theta / 2) / math.hypot(math.sinh(theta / 2), math.sin(min(u, math.pi) / 2))
        bound = np.minimum(1, wave / np.tanh(np.minimum(self.counts * theta / 2, 300)))
        return bool(np.sum(np.log(bound)) < math.log(_NEGLIGIBLE))


def near_perfect(m: int, deficits: FloatArray) -> FloatArray:
    """Count the rankings of m systems with D <= d, where D = sum_j D_j / j, for each d.

    Near 1, AP correlation has few values, far apart, so no smooth formula is accurate. Every (D_1, D_2, ...) is one
    ranking. We list the sums over odd j and the sums over even j, and count the pairs of sums with a total of at most
    d. The lists are about as long as the square root of the count.
    """
    most = float(deficits.max())
    few, many = sorted((_sums(m, 1, most), _sums(m, 2, most)), key=len)
    many = np.sort(many)
    return np.array([np.searchsorted(many, d - few, side="right").sum() for d in deficits.tolist()], np.float64)


def _sums(m: int, first: int, most: float) -> FloatArray:
    """List all sums of D_j / j over every second j from `first`, except those above `most`."""
    sums = np.zeros(1)
    for j in range(first, m, 2):
        steps = np.arange(min(j, int(most * j)) + 1) / j
        if len(steps) > 1:
            sums = (sums[:, None] + steps).ravel()
            sums = sums[sums <= most]
    return sums
