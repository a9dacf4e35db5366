"""Kendall's tau and its treatments of ties.

A pair of systems is concordant when both rankings order it the same way, discordant when they order it differently,
and neither when it is tied on a side. The variants differ in their treatment of tied pairs.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from .._kernels.reference import PAIRS
from ..arrays import FloatArray
from .sums import ALL_TIED, complete_docstrings, concordance, ratio, refuse_ties, undefined_if


def tau(truth: npt.ArrayLike, candidate: npt.ArrayLike, *, workers: int = 1) -> float | FloatArray:
    """Kendall's tau for rankings without ties.

    tau = (concordant - discordant) / (m (m - 1) / 2): the probability that a random pair of systems is ordered the
    same way, minus the probability that it is not. It is 1 for equal rankings and -1 for reversed ones, and symmetric.

    Raises
    ------
    TiesError
        If a side has ties. `tau_a` admits them in candidate, `tau_b` on both sides.

    See Also
    --------
    tau_a : Kendall's tau with ties in the candidate.
    tau_b : Kendall's tau with ties on both sides.
    tau_ap : AP correlation of candidate with the truth, for rankings without ties.

    References
    ----------
    M. G. Kendall (1938). A New Measure of Rank Correlation. Biometrika 30(1/2), 81-93.

    Examples
    --------
    >>> import concordant as cc
    >>> cc.tau([0.9, 0.7, 0.5, 0.3], [0.8, 0.9, 0.4, 0.1])
    0.6666666666666666

    """
    m, c = concordance(truth, candidate, extra=PAIRS, workers=workers)
    refuse_ties(c.tied_truth, "truth", truth, of="tau", admits={"tau_b": ""})
    admits = {"tau_a": "", "tau_b": "if truth is not an objective ranking"}
    refuse_ties(c.tied_candidate, "candidate", candidate, of="tau", admits=admits)
    return (c.concordant - c.discordant) / (m * (m - 1) / 2)


def tau_a(truth: npt.ArrayLike, candidate: npt.ArrayLike, *, workers: int = 1) -> float | FloatArray:
    """Kendall's tau with ties in candidate: its accuracy as an estimate of an objective, untied truth.

    tau_a = (concordant - discordant) / (m (m - 1) / 2). A pair tied in candidate counts as half right: the value is the
    mean of `tau` over all orders of the tied systems. Without ties it equals `tau`; if all systems are tied, it is 0.

    Raises
    ------
    TiesError
        If the truth has ties: `tau_b` admits them, `tau_strict` is made for them.

    See Also
    --------
    tau : Kendall's tau for rankings without ties.
    tau_b : Kendall's tau with ties on both sides.
    tie_bounds : The range of a coefficient over all orders of tied systems.

    References
    ----------
    M. A. Woodbury (1940). Rank Correlation when There are Equal Variates. The Annals of Mathematical Statistics 11(3).
    J. Urbano and M. Marrero (2017). The Treatment of Ties in AP Correlation. ICTIR, equation 4.

    Examples
    --------
    >>> import concordant as cc
    >>> round(cc.tau_a([6, 5, 4, 3, 2, 1], [5, 3, 6, 3, 1, 3]), 6)
    0.4

    """
    m, c = concordance(truth, candidate, extra=PAIRS, workers=workers)
    admits = {"tau_b": "", "tau_strict": "if a tie should be a tie"}
    refuse_ties(c.tied_truth, "truth", truth, of="tau_a", admits=admits)
    return (c.concordant - c.discordant) / (m * (m - 1) / 2)


@undefined_if(ALL_TIED)
def tau_b(
    truth: npt.ArrayLike, candidate: npt.ArrayLike, *, tolerance: float = 0.0, workers: int = 1
) -> float | FloatArray:
    """Kendall's tau with ties on both sides: the agreement of two rankings of equal standing.

    tau_b = (concordant - discordant) / sqrt((N - t_x) (N - t_y)), N = m (m - 1) / 2, t the number of tied pairs of a
    side. It equals ``scipy.stats.kendalltau``, and `tau` without ties. It is symmetric, and undefined when a side is
    all tied.

    See Also
    --------
    tau : Kendall's tau for rankings without ties.
    tau_a : Kendall's tau with ties in the candidate.
    tau_ap_b : AP correlation with ties on both sides.

    References
    ----------
    M. G. Kendall (1945). The Treatment of Ties in Ranking Problems. Biometrika 33(3), 239-251.

    Examples
    --------
    >>> import concordant as cc
    >>> round(cc.tau_b([6, 5, 3.5, 3.5, 2, 1], [5, 3, 6, 3, 1, 3]), 6)
    0.385758

    """
    m, c = concordance(truth, candidate, tolerance=tolerance, extra=PAIRS, workers=workers)
    pairs = m * (m - 1) / 2
    untied = (pairs - c.tied_truth) * (pairs - c.tied_candidate)
    root = math.sqrt(untied) if isinstance(untied, float) else np.sqrt(untied)
    return ratio(c.concordant - c.discordant, root)


def tau_strict(
    truth: npt.ArrayLike, candidate: npt.ArrayLike, *, tolerance: float = 0.0, workers: int = 1
) -> float | FloatArray:
    """Kendall's tau in which a tie is an error unless both sides have it.

    A pair is right if both rankings order it the same way or both tie it, and wrong otherwise.
    tau_strict = (right - wrong) / (m (m - 1) / 2). It is 1 only for rankings equal in order and ties, and -1 when every
    pair is wrong. It is symmetric, and always defined. Without ties it equals `tau`. Urbano and Marrero name this rule
    as future work. In machine translation it is known as tau_23; WMT reports (tau_23 + 1) / 2, `pairwise_accuracy`.

    See Also
    --------
    tau_b : Kendall's tau with ties on both sides.
    tau_ap_strict : AP correlation in which a tie is an error unless both sides have it.

    References
    ----------
    J. Urbano and M. Marrero (2017). The Treatment of Ties in AP Correlation. ICTIR, section 4.
    D. Deutsch, G. Foster and M. Freitag (2023). Ties Matter: Meta-Evaluating Modern Metrics with Pairwise Accuracy and
    Tie Calibration. EMNLP, tau_23.

    Examples
    --------
    >>> import concordant as cc
    >>> cc.get_coefficient("tau_strict")([3, 2, 2, 1], [9, 5, 5, 1])
    1.0
    >>> round(cc.get_coefficient("tau_strict")([3, 2, 2, 1], [9, 6, 5, 1]), 6)
    0.666667

    """
    m, c = concordance(truth, candidate, tolerance=tolerance, extra=PAIRS, workers=workers)
    return 2 * (c.concordant + c.tied_both) / (m * (m - 1) / 2) - 1


def pairwise_accuracy(
    truth: npt.ArrayLike, candidate: npt.ArrayLike, *, tolerance: float = 0.0, workers: int = 1
) -> float | FloatArray:
    """Share of the pairs of systems that both sides order the same way or both tie.

    accuracy = right / (m (m - 1) / 2), with right pairs as in `tau_strict`, so it equals (tau_strict + 1) / 2; without
    ties (tau + 1) / 2. It is 1 for rankings equal in order and ties, 0 when every pair is wrong, and 0.5 on average for
    random rankings without ties. It is symmetric, and always defined. With ties it is acc_eq of Deutsch, Foster and
    Freitag (acc_23 in their software); without ties it is the accuracy of Kocmi et al.

    See Also
    --------
    tau : Kendall's tau for rankings without ties.
    soft_pairwise_accuracy : Agreement of p-values for pairs of systems.

    References
    ----------
    D. Deutsch, G. Foster and M. Freitag (2023). Ties Matter: Meta-Evaluating Modern Metrics with Pairwise Accuracy and
    Tie Calibration. EMNLP.
    T. Kocmi et al. (2021). To Ship or Not to Ship: An Extensive Evaluation of Automatic Metrics for Machine
    Translation. WMT.

    Examples
    --------
    >>> import concordant as cc
    >>> cc.pairwise_accuracy([4, 3, 2, 1], [4, 2, 3, 1])  # 5 of 6 pairs
    0.8333333333333334
    >>> cc.pairwise_accuracy([3, 2, 2, 1], [9, 5, 5, 1])
    1.0

    """
    m, c = concordance(truth, candidate, tolerance=tolerance, extra=PAIRS, workers=workers)
    return (c.concordant + c.tied_both) / (m * (m - 1) / 2)


complete_docstrings(tau, tau_a, tau_b, tau_strict, pairwise_accuracy)
