"""Kendall's tau and AP correlation, with their treatments of ties: all coefficients that count concordant pairs.

A pair of systems is concordant when both rankings order it the same way, discordant when they order it differently,
and neither when a ranking ties it. The variants differ in their treatment of tied pairs.

AP correlation is a form of Kendall's tau that gives more weight to the top. Walk a ranking from the top. At each system
i, compute the share of the systems above i that belong above i. Then average these shares. C(i) is the number of
systems above i in both rankings. Exchanging the rankings does not change C(i), so one count gives both directions of a
coefficient. The directions differ only in the divisor of C(i), the number of systems above i in the ranking walked.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from .._kernels.reference import BACK, MEAN, PAIRS, STRICT, Counts, Value
from ..arrays import FloatArray
from .sums import ALL_TIED, complete_docstrings, concordance, ratio, refuse_ties, undefined_if


def tau(truth: npt.ArrayLike, candidate: npt.ArrayLike, *, workers: int = 1) -> float | FloatArray:
    """Kendall's tau for rankings without ties.

    tau = (concordant - discordant) / (m (m - 1) / 2): the probability that both rankings order a random pair of
    systems the same way, minus the probability that they do not. It is symmetric, 1 for equal rankings and -1 for
    reversed ones.

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
    """Kendall's tau with ties in candidate: how well candidate estimates an objective truth that has no ties.

    tau_a = (concordant - discordant) / (m (m - 1) / 2). A pair tied in candidate counts as half right: the value is the
    mean of `tau` over all orders of the tied systems. Without ties it equals `tau`; if all systems are tied, it is 0.

    Raises
    ------
    TiesError
        If the truth has ties. `tau_b` and `tau_strict` admit ties in the truth.

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
    admits = {"tau_b": "", "tau_strict": "if ties must agree"}
    refuse_ties(c.tied_truth, "truth", truth, of="tau_a", admits=admits)
    return (c.concordant - c.discordant) / (m * (m - 1) / 2)


@undefined_if(ALL_TIED)
def tau_b(
    truth: npt.ArrayLike, candidate: npt.ArrayLike, *, tolerance: float = 0.0, workers: int = 1
) -> float | FloatArray:
    """Kendall's tau with ties on both sides: the agreement of two rankings of equal standing.

    tau_b = (concordant - discordant) / sqrt((N - t_x) (N - t_y)), where N = m (m - 1) / 2, and t is the number of tied
    pairs of a side. It equals ``scipy.stats.kendalltau``, and without ties it equals `tau`. It is symmetric, and
    undefined if a side ties all systems.

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
    tau_strict = (right - wrong) / (m (m - 1) / 2). It is 1 only for rankings with the same order and the same ties, and
    -1 when every pair is wrong. It is symmetric, and always defined. Without ties it equals `tau`. Urbano and Marrero
    name this rule as future work. In machine translation it is known as tau_23; WMT reports (tau_23 + 1) / 2, which is
    `pairwise_accuracy`.

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
    return 2 * pairwise_accuracy(truth, candidate, tolerance=tolerance, workers=workers) - 1


def pairwise_accuracy(
    truth: npt.ArrayLike, candidate: npt.ArrayLike, *, tolerance: float = 0.0, workers: int = 1
) -> float | FloatArray:
    """Share of the pairs of systems that both sides order the same way or both tie.

    accuracy = right / (m (m - 1) / 2), with right pairs as in `tau_strict`, so it equals (tau_strict + 1) / 2, and
    without ties (tau + 1) / 2. It is 1 for rankings with the same order and the same ties, 0 when every pair is wrong,
    and 0.5 on average for random rankings without ties. It is symmetric, and always defined. With ties it is acc_eq of
    Deutsch, Foster and Freitag (acc_23 in their software); without ties it is the accuracy of Kocmi et al.

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


# AP correlation -------------------------------------------------------------------------------------------------------


def _refuse_all_ties(c: Counts, truth: npt.ArrayLike, candidate: npt.ArrayLike, of: str) -> None:
    refuse_ties(c.tied_truth, "truth", truth, of=of, admits={"tau_ap_b": ""})
    admits = {"tau_ap_a": "", "tau_ap_b": "if truth is not an objective ranking"}
    refuse_ties(c.tied_candidate, "candidate", candidate, of=of, admits=admits)


def tau_ap(truth: npt.ArrayLike, candidate: npt.ArrayLike, *, workers: int = 1) -> float | FloatArray:
    """AP correlation of candidate with the truth, for rankings without ties.

    tau_ap = 2 / (m - 1) * sum_{i=2..m} C(i) / (i - 1) - 1, where C(i) counts the systems above place i of candidate
    that the truth also puts above the system at i. Pick a system of candidate at random, and another one above it. If
    the truth orders them the same way with probability p, tau_ap = 2p - 1. Errors at the top cost more than in `tau`;
    errors that are spread evenly give the same value as `tau`. The range is -1 to 1.

    It is not symmetric: the walk follows candidate. `tau_ap_symmetric` is the mean of both directions.

    Raises
    ------
    TiesError
        If a side has ties. `tau_ap_a` admits them in candidate, `tau_ap_b` on both sides.

    See Also
    --------
    tau_ap_a : AP correlation with ties in the candidate.
    tau_ap_b : AP correlation with ties on both sides.
    tau : Kendall's tau for rankings without ties.

    References
    ----------
    E. Yilmaz, J. A. Aslam and S. Robertson (2008). A New Rank Correlation Coefficient for Information Retrieval. SIGIR.

    Examples
    --------
    Two rankings of eight systems, one wrong at the top and one at the bottom; `tau` is 0.642857 for both.

    >>> import numpy as np
    >>> import concordant as cc
    >>> truth = np.arange(8, 0, -1)
    >>> top, bottom = [6, 5, 7, 8, 4, 3, 2, 1], [8, 7, 6, 5, 2, 1, 3, 4]
    >>> cc.tau_ap(truth, [top, bottom]).round(6)
    array([0.238095, 0.765986])

    """
    m, c = concordance(truth, candidate, workers=workers)
    _refuse_all_ties(c, truth, candidate, "tau_ap")
    return 2 * c.down_candidate / (m - 1) - 1


def tau_ap_symmetric(truth: npt.ArrayLike, candidate: npt.ArrayLike, *, workers: int = 1) -> float | FloatArray:
    """AP correlation, the mean of both directions: (tau_ap(truth, candidate) + tau_ap(candidate, truth)) / 2.

    It suits two rankings without ties, neither of which is the truth.

    Raises
    ------
    TiesError
        If a side has ties. `tau_ap_b` admits them.

    See Also
    --------
    tau_ap : AP correlation of candidate with the truth, for rankings without ties.
    pearson_rank_symmetric : Pearson rank, mean of both directions.

    References
    ----------
    E. Yilmaz, J. A. Aslam and S. Robertson (2008). A New Rank Correlation Coefficient for Information Retrieval. SIGIR.

    Examples
    --------
    >>> import concordant as cc
    >>> round(cc.get_coefficient("tau_ap_symmetric")([6, 5, 4, 3, 2, 1], [5, 4, 6, 3, 1, 2]), 6)
    0.42

    """
    m, c = concordance(truth, candidate, extra=BACK, workers=workers)
    _refuse_all_ties(c, truth, candidate, "tau_ap_symmetric")
    return (c.down_candidate + c.down_truth) / (m - 1) - 1


def tau_ap_a(truth: npt.ArrayLike, candidate: npt.ArrayLike, *, workers: int = 1) -> float | FloatArray:
    """AP correlation with ties in candidate: how well candidate estimates an objective truth that has no ties.

    With t_i the size of system i's tied group in candidate and p_i the place of the group's first system,

    tau_ap_a = 2 / (m - 1) * [ sum_{i: p_i > 1} C(i) * (1 / t_i) sum_{k=1..t_i} 1 / (p_i + k - 2)
    + sum_i 1 / (2 t_i) sum_{k=1..t_i-1} k / (p_i + k - 1) ] - 1.

    It is the mean of `tau_ap` over all orders of the tied systems. The first sum comes from systems above the group,
    the second from systems within it. Without ties it equals `tau_ap`; if all systems are tied, it is 0. It is not
    symmetric.

    Raises
    ------
    TiesError
        If the truth has ties. `tau_ap_b` and `tau_ap_strict` admit ties in the truth.

    See Also
    --------
    tau_ap : AP correlation of candidate with the truth, for rankings without ties.
    tau_ap_b : AP correlation with ties on both sides.
    tie_bounds : The range of a coefficient over all orders of tied systems.

    References
    ----------
    J. Urbano and M. Marrero (2017). The Treatment of Ties in AP Correlation. ICTIR, equation 8.

    Examples
    --------
    >>> import concordant as cc
    >>> round(cc.tau_ap_a([6, 5, 4, 3, 2, 1], [5, 3, 6, 3, 1, 3]), 6)
    0.208889

    """
    m, c = concordance(truth, candidate, extra=MEAN, workers=workers)
    admits = {"tau_ap_b": "", "tau_ap_strict": "if ties must agree"}
    refuse_ties(c.tied_truth, "truth", truth, of="tau_ap_a", admits=admits)
    right: Value = c.mean_candidate + c.within_candidate
    return 2 * right / (m - 1) - 1


@undefined_if(ALL_TIED)
def tau_ap_ties(
    truth: npt.ArrayLike, candidate: npt.ArrayLike, *, tolerance: float = 0.0, workers: int = 1
) -> float | FloatArray:
    """AP correlation with ties on both sides, in one direction: the walk follows candidate.

    tau_ap_ties = 2 / (m - t_1) * sum_{i: p_i > 1} C(i) / (p_i - 1) - 1. Here p_i - 1 is the number of systems above i
    in candidate (by at least the tolerance, if given), C(i) counts those that are also above i in the truth, and t_1
    systems tie for the top. Pairs tied in candidate are ignored; a pair tied only in the truth is not concordant. (The
    paper's equation 10 omits the "- 1"; its worked example needs it.) `tau_ap_b` is the mean of both directions.
    Without ties it equals `tau_ap`. It is undefined if a side ties all systems.

    See Also
    --------
    tau_ap_a : AP correlation with ties in the candidate.
    tau_ap_b : AP correlation with ties on both sides.

    References
    ----------
    J. Urbano and M. Marrero (2017). The Treatment of Ties in AP Correlation. ICTIR, equation 10.

    Examples
    --------
    >>> import concordant as cc
    >>> round(cc.get_coefficient("tau_ap_ties")([6, 5, 3.5, 3.5, 2, 1], [5, 3, 6, 3, 1, 3]), 6)
    0.12

    """
    m, c = concordance(truth, candidate, tolerance=tolerance, workers=workers)
    below = (m - c.top_candidate) * (c.top_truth < m)  # 0 if a side ties all systems
    return 2 * ratio(c.down_candidate, below) - 1


@undefined_if(ALL_TIED)
def tau_ap_b(
    truth: npt.ArrayLike, candidate: npt.ArrayLike, *, tolerance: float = 0.0, workers: int = 1
) -> float | FloatArray:
    """AP correlation with ties on both sides: the agreement of two rankings of equal standing.

    tau_ap_b = (tau_ap_ties(truth, candidate) + tau_ap_ties(candidate, truth)) / 2. It is symmetric. Without ties it
    equals `tau_ap_symmetric`. It is undefined if a side ties all systems.

    See Also
    --------
    tau_ap : AP correlation of candidate with the truth, for rankings without ties.
    tau_ap_a : AP correlation with ties in the candidate.
    tau_b : Kendall's tau with ties on both sides.

    References
    ----------
    J. Urbano and M. Marrero (2017). The Treatment of Ties in AP Correlation. ICTIR, equation 11.

    Examples
    --------
    >>> import concordant as cc
    >>> round(cc.tau_ap_b([6, 5, 3.5, 3.5, 2, 1], [5, 3, 6, 3, 1, 3]), 6)
    0.14

    """
    m, c = concordance(truth, candidate, tolerance=tolerance, extra=BACK, workers=workers)
    below_truth, below_candidate = m - c.top_truth, m - c.top_candidate  # 0 if a side ties all systems
    # The mean of 2 down_candidate / below_candidate - 1 and 2 down_truth / below_truth - 1, as one fraction.
    both = c.down_candidate * below_truth + c.down_truth * below_candidate
    return ratio(both, below_truth * below_candidate) - 1


def tau_ap_strict(
    truth: npt.ArrayLike, candidate: npt.ArrayLike, *, tolerance: float = 0.0, workers: int = 1
) -> float | FloatArray:
    """AP correlation in which a tie is an error unless both sides have it.

    Pick a system i of candidate at random, and another that is above it or tied with it. The pair is right if the truth
    has the same relation: above, or tied. tau_ap_strict = 2p - 1, where p is the probability that a pair is right:

    p = 1/M * sum_i (C(i) + B(i)) / (A(i) + T(i)). In candidate, A(i) systems are above i and T(i) others are tied with
    it. Of these, C(i) are also above it in the truth, and B(i) are also tied with it there. M counts all systems except
    one that is alone at the top, as no system is above it or tied with it.

    It is 1 only for rankings with the same order and the same ties. It is not symmetric, and always defined. Without
    ties it equals `tau_ap`. Urbano and Marrero name this rule as future work.

    See Also
    --------
    tau_ap_b : AP correlation with ties on both sides.
    tau_strict : Kendall's tau in which a tie is an error unless both sides have it.

    References
    ----------
    J. Urbano and M. Marrero (2017). The Treatment of Ties in AP Correlation. ICTIR, section 4.

    Examples
    --------
    >>> import concordant as cc
    >>> cc.get_coefficient("tau_ap_strict")([3, 2, 2, 1], [9, 5, 5, 1])
    1.0
    >>> round(cc.get_coefficient("tau_ap_strict")([3, 2, 2, 1], [9, 6, 5, 1]), 6)
    0.666667

    """
    m, c = concordance(truth, candidate, tolerance=tolerance, extra=STRICT, workers=workers)
    return 2 * c.strict_candidate / (m - c.alone_candidate) - 1


complete_docstrings(tau, tau_a, tau_b, tau_strict, pairwise_accuracy)
complete_docstrings(tau_ap, tau_ap_symmetric, tau_ap_a, tau_ap_ties, tau_ap_b, tau_ap_strict)
