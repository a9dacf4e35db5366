"""Formulas for two systems: interval and p-value of a mean difference, and the number of topics needed.

The differences d of two systems on the topics are one sample, whose mean is the difference of the means.

- General scores: Student's t on d (paired t).
- Binary scores: Bonett and Price's interval, which adds one win and one loss, and McNemar's test with mid-p.
- Topics in groups: Bell and McCaffrey's cluster-robust variance CR2, with their degrees of freedom. If u_g is the sum
  of the residuals in group g, which has n_g topics: V = sum u_g^2 / (1 - n_g / n) / n^2.
- The same difference on all n topics: no interval, and p = 2^(1 - n), the smallest p-value that n signs can give.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy import optimize, special, stats

from ..arrays import FloatArray, IntArray
from ..data.means import ROUNDING
from ..errors import InputError, argument, counted
from ..inference.sign_flips import signs

POWER = 0.8
FEWEST_GROUPS = 5
ALL_SIGNS = 12  # with at most this many topics (or groups), the test over all sign flips is added to the t test


class Paired(NamedTuple):
    """A mean difference with its interval, p-values and standard error."""

    difference: float
    low: float
    high: float
    pvalue: float
    exact: float
    """p-value over all sign flips of topics or groups, or of McNemar's exact test for binary scores; nan if not
    computed."""
    se: float
    df: float
    method: str

    @classmethod
    def by_t(
        cls, difference: float, se: float, df: float, level: float, method: str, exact: float = math.nan
    ) -> Paired:
        """Test a difference by Student's t, given its standard error and degrees of freedom."""
        if not se > 0:
            return cls(difference, math.nan, math.nan, 1.0, math.nan, 0.0, df, method)
        half = float(special.stdtrit(df, (1 + level) / 2)) * se
        p = 2 * float(special.stdtr(df, -abs(difference) / se))
        return cls(difference, difference - half, difference + half, p, exact, se, df, method)


def paired(d: FloatArray, mean: float, level: float, groups: IntArray | None = None, *, binary: bool = False) -> Paired:
    """Test whether two systems differ, given their differences `d` on each topic.

    `mean` is the difference of the systems' means, and 0 if their totals are tied. `groups` has the index of each
    topic's group.
    """
    n = len(d)
    if groups is not None:
        se, df = clustered(d, groups)
        units, method = np.asarray(np.bincount(groups, weights=d), dtype=np.float64), "CR2"
    else:
        se, df = float(d.std(ddof=1)) / math.sqrt(n), n - 1.0
        units, method = d, "paired t"
    exact = flipped(units) if len(units) <= ALL_SIGNS else math.nan
    if binary and groups is None:
        won, lost = int((d > 0).sum()), int((d < 0).sum())
        low, high = bonett_price(won, lost, n, level)
        exact, mid = mcnemar(won, lost)
        return Paired(mean, low, high, mid, exact, se, df, "Bonett-Price, McNemar mid-p")
    if se * math.sqrt(n) <= ROUNDING * float(np.abs(d).max()):  # the same difference on every topic
        p = 1.0 if mean == 0 else 2.0 ** (1 - len(units))
        return Paired(mean, math.nan, math.nan, p, exact, 0.0, df, "all topics alike")
    return Paired.by_t(mean, se, df, level, method, exact)


def clustered(d: FloatArray, groups: IntArray) -> tuple[float, float]:
    """Compute the standard error of a mean over topics in groups, with Bell and McCaffrey's degrees of freedom.

    The degrees of freedom are those of the quadratic form V if topics are independent with equal variance: (tr M)^2 /
    tr M^2, where M = sqrt(c c') C, c_g = 1 / (n^2 (1 - n_g / n)), and C is the covariance of the sums u.
    """
    sizes = np.bincount(groups).astype(np.float64)
    if len(sizes) < FEWEST_GROUPS:
        raise InputError(
            f"the topics lie in {counted(len(sizes), 'group')}: at least {FEWEST_GROUPS} are needed to test a "
            f"difference; to take topics as independent, give {argument('groups', 'none')}"
        )
    n, share = len(d), sizes / len(d)
    u = np.bincount(groups, weights=d - d.mean())
    c = 1 / (n**2 * (1 - share))
    form = np.sqrt(np.outer(c, c)) * (np.diag(sizes) - np.outer(sizes, share))
    return math.sqrt(float(c @ u**2)), float(np.trace(form) ** 2 / (form**2).sum())


def bonett_price(won: int, lost: int, n: int, level: float) -> tuple[float, float]:
    """Compute Bonett and Price's interval for a difference of paired proportions.

    The interval adds one win and one loss to the data, and uses the normal quantile.
    """
    middle = (won - lost) / (n + 2)
    half = float(special.ndtri((1 + level) / 2)) * math.sqrt(((won + lost + 2) / (n + 2) - middle**2) / (n + 2))
    return max(middle - half, -1.0), min(middle + half, 1.0)


def mcnemar(won: int, lost: int) -> tuple[float, float]:
    """Compute McNemar's exact p-value and mid-p value.

    Under the null hypothesis, a win and a loss are equally likely on each topic where the systems differ.
    """
    if won == lost:
        return 1.0, 1.0
    fewer, n = min(won, lost), won + lost
    exact = min(1.0, 2 * float(special.bdtr(fewer, n, 0.5)))
    return exact, exact - float(stats.binom.pmf(fewer, n, 0.5))


def flipped(units: FloatArray) -> float:
    """Compute the p-value of |sum of `units`| over all sign flips of the units, which are topics or sums of groups."""
    n = len(units)
    drawn = next(signs(n, [(0, 1 << (n - 1))], None))  # only one of each two opposite sign vectors
    slack = 4 * n * np.finfo(float).eps * np.abs(units).sum()
    return float((np.abs(drawn @ units) >= abs(units.sum()) - slack).mean())


def topics_needed(variance: float, delta: float, level: float, df_per_topic: float = 1.0) -> float:
    """Compute the number of topics that detects a true difference delta with 80% power, without rounding it.

    n = ((t_level + t_power) s / delta)^2 with n - 1 degrees of freedom; `variance` is s^2, the variance of the
    difference on one topic. If topics are in groups, a topic adds `df_per_topic` degrees of freedom, which is less than
    one.
    """
    if delta == 0 or math.isnan(variance):
        return math.inf
    ratio = variance / delta**2

    def excess(n: float) -> float:  # increases with n, because the t quantiles decrease
        return n - ratio * quantiles(max(df_per_topic * (n - 1), 1.0), level) ** 2

    most = max(4.0, 2 * ratio * (special.ndtri((1 + level) / 2) + special.ndtri(POWER)) ** 2)
    while excess(most) < 0:
        most *= 2
    return float(optimize.brentq(excess, 2.0, most, xtol=1e-12)) if excess(2.0) < 0 else 2.0


def variance_limits(units: FloatArray, level: float) -> tuple[float, float]:
    """Compute confidence limits of the true variance, divided by the observed variance.

    The limits come from the chi-square distribution with 2 / (G2 / n + 2 / (n - 1)) degrees of freedom, where G2 is the
    excess kurtosis of the units.
    """
    n = len(units)
    excess = float(stats.kurtosis(units, bias=False)) if n > 3 and np.ptp(units) > 0 else 0.0
    df = max(1.0, 2 / (max(excess, 0.0) / n + 2 / (n - 1)))
    low, high = special.chdtri(df, [(1 - level) / 2, (1 + level) / 2])
    return df / float(low), df / float(high)


def quantiles(df: float, level: float) -> float:
    return float(special.stdtrit(df, (1 + level) / 2) + special.stdtrit(df, POWER))
