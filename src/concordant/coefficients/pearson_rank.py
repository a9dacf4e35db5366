"""Pearson rank: a top-weighted correlation of scores, not only of their order."""

from __future__ import annotations

import numpy.typing as npt

from ..arrays import FloatArray
from .sums import complete_docstrings, cosines, ratio, undefined_if

_UNDEFINED = "all systems are tied on a side, or all below the best are tied in truth (always so for 2 systems)"


@undefined_if(_UNDEFINED)
def pearson_rank(truth: npt.ArrayLike, candidate: npt.ArrayLike, *, workers: int = 1) -> float | FloatArray:
    """Pearson rank, rho_r, of candidate with the truth.

    Scale both to [0, 1]. Walk the truth from the top. At each system i, take its gaps to the systems above it in the
    truth, and compute the cosine between these gaps in truth and in candidate. Average with the weights x_i, the scaled
    truth scores:

    rho_r = sum_i x_i / (sum_k x_k) * sum_j (x_j-x_i)(y_j-y_i) / (sqrt(sum_j (x_j-x_i)^2) sqrt(sum_j (y_j-y_i)^2))

    with j over the systems with a strictly higher truth, and i, k over those that have such systems. Swaps and wrong
    gaps both cost, more so at the top. It is 1 if candidate is an increasing linear function of the truth, -1 if
    decreasing. Systems tied in the truth are not compared with each other. If all gaps in candidate are zero, the
    cosine is 0. It is not symmetric: the walk follows the truth. It takes O(m) after sorting, by running means and
    second moments.

    It is undefined if a side is all tied, or if the total weight is 0. This happens when all systems below the best are
    tied, and always for two systems.

    See Also
    --------
    pearson_rank_symmetric : Pearson rank, mean of both directions.
    tau_gap : Gap-sensitive AP correlation of candidate with the truth.

    References
    ----------
    N. Gao, M. Bagdouri and D. W. Oard (2016). Pearson Rank: A Head-Weighted Gap-Sensitive Score-Based Correlation
    Coefficient. SIGIR.

    Examples
    --------
    The same order, but the lead of the best system is lost:

    >>> import concordant as cc
    >>> round(cc.pearson_rank([0.9, 0.5, 0.45, 0.1], [0.55, 0.5, 0.45, 0.1]), 6)
    0.971227

    """
    c = cosines(truth, candidate, workers=workers)
    return ratio(c.sum, c.weight)


@undefined_if(_UNDEFINED)
def pearson_rank_symmetric(truth: npt.ArrayLike, candidate: npt.ArrayLike, *, workers: int = 1) -> float | FloatArray:
    """Pearson rank, the mean of both directions: (pearson_rank(truth, candidate) + pearson_rank(candidate, truth)) / 2.

    It suits two rankings neither of which is the truth. It is undefined if either direction is.

    See Also
    --------
    pearson_rank : Pearson rank, rho_r, of candidate with the truth.
    tau_ap_symmetric : The mean of both directions of AP correlation.

    References
    ----------
    N. Gao, M. Bagdouri and D. W. Oard (2016). Pearson Rank: A Head-Weighted Gap-Sensitive Score-Based Correlation
    Coefficient. SIGIR.

    Examples
    --------
    >>> import concordant as cc
    >>> round(cc.get_coefficient("pearson_rank_symmetric")([0.9, 0.5, 0.45, 0.1], [0.55, 0.5, 0.45, 0.1]), 6)
    0.971227

    """
    c = cosines(truth, candidate, workers=workers)
    d = cosines(candidate, truth, workers=workers)
    # One fraction, so that it is undefined if either direction is.
    return ratio(c.sum * d.weight + d.sum * c.weight, 2 * c.weight * d.weight)


complete_docstrings(pearson_rank, pearson_rank_symmetric)
