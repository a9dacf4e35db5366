"""`kendall_interval`: the interval of tau that older papers print."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..errors import InputError, InputTypeError
from ..results import Interval


def kendall_interval(tau: float, m: int, confidence_level: float = 0.95) -> Interval:
    """Kendall's interval for tau, over systems, for comparison with older papers.

    With z the normal quantile and k = 2 z^2 / m, it is (tau +- sqrt(k) sqrt(1 - tau^2 + k)) / (1 + k).

    It treats the m systems as a random sample from a population of systems, independent of each other, and the topics
    as fixed. Systems of an evaluation are neither: many are variants of each other, and it is the topics that were
    sampled. So it does not say how tau would vary over topics; a bootstrap of the topics does. It is conservative even
    for what it claims, because it takes the largest variance that tau can have.

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

    References
    ----------
    B. Carterette (2009). On Rank Correlation and the Distance Between Rankings. SIGIR, equation 1.

    Examples
    --------
    >>> import concordant as cc
    >>> print(cc.kendall_interval(0.9, 25))
    [0.3894, 0.9875]
    """
    value = _number(tau, "tau")
    if not -1 <= value <= 1:
        raise InputError(f"tau is {tau!r}: give a value from -1 to 1")
    if isinstance(m, bool) or not isinstance(m, (int, np.integer)) or m < 2:
        raise InputError(f"m is {m!r}: give the number of systems, a whole number of at least 2")
    level = _number(confidence_level, "confidence_level")
    if not 0 < level < 1:
        raise InputError(f"confidence_level is {confidence_level!r}: give a value above 0 and below 1")
    from scipy.special import ndtri

    k = 2 * float(ndtri((1 + level) / 2)) ** 2 / m
    half = math.sqrt(k) * math.sqrt(1 - value**2 + k)
    return Interval((value - half) / (1 + k), (value + half) / (1 + k), level, "kendall, over systems")


def _number(given: Any, name: str) -> float:
    if isinstance(given, bool) or not isinstance(given, (int, float, np.number)):
        raise InputTypeError(f"{name} is {given!r}: give a number")
    return float(given)
