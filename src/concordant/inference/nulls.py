"""`null_distribution`: how tau and AP correlation vary when nothing but chance orders the systems."""

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

_SLACK = 1e-12  # a value this close to an attainable one is that one
_EXACT = {"tau": 20, "tau_ap": 12}  # systems up to which all rankings are counted
_COUNTED = 1e6  # where fewer rankings than this are as good, they are counted one by one
_LEAST = 5e-324  # the smallest positive float


class _Counts(NamedTuple):
    """Rankings by what is missing from the largest value, on a lattice."""

    steps: int
    """From the smallest value to the largest."""
    below: IntArray
    """Rankings that miss at most k steps."""


@dataclass(frozen=True, eq=False, repr=False)
class NullDistribution(Result):
    """The distribution of a coefficient over all rankings of m systems, each equally probable.

    Both tails include the value itself: `cdf` is P(T <= value) and `sf` is P(T >= value), so they sum to 1 plus the
    probability of the value. A value within 1e-12 of an attainable one is taken as that one. Both are positive always;
    where the probability is below the smallest positive float, they are that float (5e-324).
    """

    coefficient: Literal["tau", "tau_ap"]
    m: int
    """Number of systems."""

    # The value is 1 - 2 D / most, D = sum_j spacing_j D_j, and over random rankings the D_j are independent and uniform
    # on 0 .. j, j = 1 .. m-1: docs/guide/null-distributions.md has why.

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
        """P(T >= value), the value included."""
        return self._each(self._at_least, value)

    def cdf(self, value: npt.ArrayLike) -> Numbers:
        """P(T <= value), the value included."""
        return self._each(lambda v: self._at_least(-v), value)

    @checked
    def pvalue(self, value: npt.ArrayLike, alternative: Alternative = "two-sided") -> Numbers:
        """Probability of a value at least as extreme, if the candidate ranking had nothing to do with the truth.

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
        """What it is, and its spread."""
        return f"{self.coefficient} over all rankings of {self.m} systems: mean 0, standard deviation {self.std:.4f}"

    def rows(self) -> list[dict[str, Any]]:
        """One row."""
        names = ("coefficient", "m", "var", "std")
        return [{name: getattr(self, name) for name in names}]

    def _contents(self) -> dict[str, Any]:
        return self.rows()[0]

    @checked
    def plot(self, ax: Any = None, value: float | None = None) -> Any:
        """The distribution as bars, and the observed value with its p-value."""
        from ..render.figures import distributions

        return distributions.null(self, ax, value)

    # Below: arrays of values that were checked, of any shape.

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
        """D, and the slack."""
        return (1 - value + _SLACK) / 2 * self._most

    def _at_least(self, value: FloatArray) -> FloatArray:
        """P(T >= value)."""
        if self._counts is not None:
            steps, below = self._counts
            return np.asarray(below[np.floor(self._missing(value) / self._most * steps).astype(np.int64)] / below[-1])
        missing = self._missing(value).ravel()
        if self.coefficient == "tau":
            missing = np.floor(missing)
            others = self._most - missing - 1  # P(D <= d) = 1 - P(D >= d + 1), and D mirrored is as D
        else:
            others = self._most - missing
        upper = missing <= others
        tail = np.zeros(missing.shape)
        inside = np.where(upper, missing, others)
        possible = inside >= 0
        tail[possible] = self._tail(inside[possible])
        return np.where(upper, np.maximum(tail, _LEAST), 1 - tail).reshape(value.shape)

    def _beyond(self, value: FloatArray) -> FloatArray:
        """P(|T| >= |value|)."""
        return np.where(np.abs(value) <= _SLACK, 1.0, np.minimum(1.0, 2 * self._at_least(np.abs(value))))

    def _tail(self, missing: FloatArray) -> FloatArray:
        """P(D <= d), for d up to the mean of D."""
        logs = self._sum.log_tail(missing)
        tail = np.exp(logs)
        if self.coefficient == "tau_ap":
            rankings = logs + math.lgamma(self.m + 1)
            few = (rankings < math.log(_COUNTED)) & (tail > 0)
            if few.any():  # no more than the limit, so that the tail is monotone where counting ends
                counts = np.minimum(near_perfect(self.m, missing[few]), _COUNTED)
                tail[few] = np.exp(np.log(counts) - math.lgamma(self.m + 1))
        return tail


@checked
def null_distribution(coefficient: Literal["tau", "tau_ap"], m: int) -> NullDistribution:
    """The distribution of tau or AP correlation over all m! rankings of m systems, without ties.

    For a random ranking the numbers D_j of systems above the (j+1)-th one of the candidate that should be below it are
    independent and uniform on 0 .. j; tau = 1 - 2 sum_j D_j / (m(m-1)/2), and tau_ap = 1 - 2 / (m-1) sum_j D_j / j.
    Up to 20 systems (tau_ap: 12) all rankings are counted. Beyond, the transform is inverted at the saddle point: for
    tau to 11 digits or better relative to the tail, down to the smallest float; for tau_ap within 0.2% of the tail for
    13 to 30 systems, where single values still weigh, and far better beyond. Where fewer than a million rankings are as
    good as a value of tau_ap, they are counted. docs/guide/null-distributions.md has what was measured.

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
    They leave this test as future work.

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
    """One object for each, so that what it has computed is there for the next call."""
    return NullDistribution(coefficient, m)


def _count(coefficient: str, m: int) -> _Counts:
    """Add one system after the other: each D_j moves what there is by 0, 1 .. j times its spacing."""
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
    """One number or an array of them."""
    try:
        array = np.asarray(given)
    except ValueError:  # rows of unequal length
        array = np.asarray(None)
    if array.dtype.kind not in "iuf":
        raise InputTypeError(f"{name} is {given!r}: give a number or an array of numbers")
    return np.asarray(array, np.float64)
