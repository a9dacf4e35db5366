"""`kendall_interval`: the interval of tau that older papers print."""

from __future__ import annotations

import math

from ..resampling import check_level
from ..results import Interval
from .nulls import check_correlation, check_systems


def kendall_interval(tau: float, m: int, confidence_level: float = 0.95) -> Interval:
    """Kendall's interval for tau, over systems, for comparison with older papers.

    Parameters
    ----------
    tau : float
        The observed value.
    m : int
        Number of systems.
    confidence_level : float
        How often such intervals are meant to hold the true value.

    Returns
    -------
    Interval
        From `low` to `high`.

    Notes
    -----
    With z the normal quantile and k = 2 z^2 / m, it is (tau +- sqrt(k) sqrt(1 - tau^2 + k)) / (1 + k).

    It treats the m systems as a random sample from a population of systems, independent of each other, and the topics
    as fixed. Systems of an evaluation are neither: many are variants of each other, and it is the topics that were
    sampled. So it does not say how tau would vary across topics; `correlate` does. It is conservative even for what it
    claims, because it takes the largest variance that tau can have.

    References
    ----------
    B. Carterette (2009). On Rank Correlation and the Distance Between Rankings. SIGIR, equation 1.

    Examples
    --------
    >>> import concordant as cc
    >>> print(cc.kendall_interval(0.9, 25))
    [0.3894, 0.9875]
    """
    value, m, level = check_correlation(tau, "tau"), check_systems(m), check_level(confidence_level)
    from scipy.special import ndtri

    k = 2 * float(ndtri((1 + level) / 2)) ** 2 / m
    half = math.sqrt(k) * math.sqrt(1 - value**2 + k)
    return Interval((value - half) / (1 + k), (value + half) / (1 + k), level, "kendall, over systems")
