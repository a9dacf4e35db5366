"""Null distributions of tau and AP correlation, over random rankings of the systems."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ..arrays import FloatArray, IntArray
from ..data.results import Result
from ..errors import InputError, InputTypeError
from ..options import checked
from .inversion import UniformSum, near_perfect

Alternative = Literal["two-sided", "less", "greater"]
Numbers: TypeAlias = "float | FloatArray"

_SLACK = 1e-12  # values this close to an attainable value equal it
_EXACT = {"tau": 20, "tau_ap": 12}  # up to this many systems, all rankings are counted
_COUNTED = 1e6  # tails with fewer rankings than this are counted
_LEAST = 5e-324  # the smallest positive float


class _Counts(NamedTuple):
    """Numbers of rankings by distance from the largest value, on a lattice."""

    steps: int
    """The number of steps from the smallest value to the largest."""
    below: IntArray
    """Entry k counts the rankings at most k steps below the largest value."""


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
    def _counts(self) -> _Counts | None:
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
        """The mean and standard deviation."""
        return f"{self.coefficient} over all rankings of {self.m} systems: mean 0, standard deviation {self.std:.4f}"

    def rows(self) -> list[dict[str, Any]]:
        """One row."""
        names = ("coefficient", "m", "var", "std")
        return [{name: getattr(self, name) for name in names}]

    def _contents(self) -> dict[str, Any]:
        return self.rows()[0]

    @checked
    def plot(self, ax: Any = None, value: float | None = None) -> Any:
        """Plot the distribution as bars, and the observed value with its p-value."""
        from ..render.figures import distributions

        return distributions.null(self, ax, value)

    # The methods below take checked arrays of any shape.

    def _each(self, function: Any, value: npt.ArrayLike) -> Numbers:
        array = numbers(value, "value")
        wrong = ~(np.abs(array) <= 1 + _SLACK)  # nan, too
        if wrong.any():
            raise InputError(
                f"value is {float(array[wrong].flat[0])!r}: {self.coefficient} lies from -1 to 1, and is never nan here"
            )
        result = function(np.clip(array, -1, 1))
        return float(result) if result.ndim == 0 else result

    def _missing(self, value: FloatArray) -> FloatArray:
        """Convert values to D, plus the slack."""
        return (1 - value + _SLACK) / 2 * self._most

    def _at_least(self, value: FloatArray) -> FloatArray:
        """Compute P(T >= value) for checked values."""
        if self._counts is not None:
            steps, below = self._counts
            return np.asarray(below[np.floor(self._missing(value) / self._most * steps).astype(np.int64)] / below[-1])
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
def null_distribution(coefficient: Literal["tau", "tau_ap"], m: int) -> NullDistribution:
    """The distribution of tau or AP correlation over all m! rankings of m systems, without ties.

    Let D_j be the number of systems above the candidate's (j+1)-th that should be below it. For a random ranking the
    D_j are independent and uniform on 0 .. j; tau = 1 - 2 sum_j D_j / (m(m-1)/2), and
    tau_ap = 1 - 2 / (m-1) sum_j D_j / j. Up to 20 systems (tau_ap: 12) all rankings are counted. Beyond, the transform
    is inverted at the saddle point. For tau the tail has at least 11 correct digits, down to the smallest float. For
    tau_ap it is within 0.2% for 13 to 30 systems, and far better beyond; tails with fewer than a million rankings are
    counted. docs/guide/null-distributions.md reports the measurements.

    Parameters
    ----------
    coefficient : {"tau", "tau_ap"}
        Kendall's tau, or AP correlation.
    m : int
        Number of systems, from 2 to 1,000,000.

    Returns
    -------
    NullDistribution
        With `pvalue`, `cdf`, `sf`, `var`, `std` and `plot`.

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
    return _null(coefficient, m)


@lru_cache(maxsize=32)
def _null(coefficient: Literal["tau", "tau_ap"], m: int) -> NullDistribution:
    """Make and cache a distribution, with what it has computed."""
    return NullDistribution(coefficient, m)


def _count(coefficient: str, m: int) -> _Counts:
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
    return _Counts(steps, counts.cumsum())


def numbers(given: Any, name: str) -> FloatArray:
    """Convert a number or an array of numbers."""
    try:
        array = np.asarray(given)
    except ValueError:  # rows of unequal length
        array = np.asarray(None)
    if array.dtype.kind not in "iuf":
        raise InputTypeError(f"{name} is {given!r}: give a number or an array of numbers")
    return np.asarray(array, np.float64)
