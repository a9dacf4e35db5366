"""Correlations of scores and of ranks: Pearson's r, Pearson rank, Spearman's rho and Vigna's weighted tau."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..arrays import FloatArray
from .sums import ALL_TIED, by_block, complete_docstrings, correlation, cosines, ranks, ratio, undefined_if, weights

_UNDEFINED = "all systems are tied on a side, or all below the best are tied in truth (always so for 2 systems)"


@undefined_if(ALL_TIED)
def pearson(truth: npt.ArrayLike, candidate: npt.ArrayLike) -> float | FloatArray:
    """Pearson's r, the linear correlation of the scores, equal to ``scipy.stats.pearsonr``.

    It is symmetric, and lies between -1 and 1. It is not a rank correlation: one outlier can dominate it. It is
    undefined if a side ties all systems.

    See Also
    --------
    spearman : Correlation of ranks.
    pearson_rank : Pearson rank, rho_r, of candidate with the truth.

    References
    ----------
    K. Pearson (1895). Note on Regression and Inheritance in the Case of Two Parents. Proc. Royal Society 58.

    Examples
    --------
    >>> import concordant as cc
    >>> round(cc.pearson([0.9, 0.5, 0.45, 0.1], [0.55, 0.5, 0.45, 0.1]), 6)
    0.884911

    """
    return by_block(_pearson, truth, candidate)


@undefined_if(ALL_TIED)
def spearman(truth: npt.ArrayLike, candidate: npt.ArrayLike, *, workers: int = 1) -> float | FloatArray:
    """Spearman's rho, the linear correlation of the ranks, equal to ``scipy.stats.spearmanr``.

    Tied systems get the mean of their ranks. The value is symmetric, and lies between -1 and 1. It is undefined if a
    side ties all systems.

    See Also
    --------
    pearson : Correlation of scores.
    tau_b : Kendall's tau with ties on both sides.

    References
    ----------
    C. Spearman (1904). The Proof and Measurement of Association between Two Things. American Journal of Psychology 15.

    Examples
    --------
    >>> import concordant as cc
    >>> round(cc.spearman([6, 5, 4, 3, 2, 1], [5, 3, 6, 3, 1, 3]), 6)
    0.576818

    """
    r = ranks(truth, candidate, workers=workers)
    return correlation(r.product, r.square_truth, r.square_candidate)


@undefined_if(ALL_TIED)
def weighted_tau(truth: npt.ArrayLike, candidate: npt.ArrayLike, *, workers: int = 1) -> float | FloatArray:
    """Weighted tau with additive hyperbolic weights, equal to ``scipy.stats.weightedtau``.

    The weight of a pair is the sum of 1/rank over its two systems. The value is the mean of two taus, one weighted by
    the ranks in truth and one by the ranks in candidate, so it is symmetric. Ties count as in `tau_b`. It is undefined
    if a side ties all systems.

    See Also
    --------
    tau_ap : AP correlation of candidate with the truth, for rankings without ties.
    tau_b : Kendall's tau with ties on both sides.

    References
    ----------
    S. Vigna (2015). A Weighted Correlation Index for Rankings with Ties. WWW.

    Examples
    --------
    >>> import concordant as cc
    >>> round(cc.weighted_tau([6, 5, 4, 3, 2, 1], [5, 4, 6, 3, 1, 2]), 6)
    0.531973

    """
    w = weights(truth, candidate, workers=workers)
    down = correlation(w.by_truth, w.by_truth_untied_truth, w.by_truth_untied_candidate)
    back = correlation(w.by_candidate, w.by_candidate_untied_truth, w.by_candidate_untied_candidate)
    return (down + back) / 2


@undefined_if(_UNDEFINED)
def pearson_rank(truth: npt.ArrayLike, candidate: npt.ArrayLike, *, workers: int = 1) -> float | FloatArray:
    """Pearson rank, rho_r, of candidate with the truth.

    Scale the scores of both sides to [0, 1], and call them x in the truth and y in candidate. Walk the truth from the
    top. At each system i, take its gaps to the systems above it in the truth, and compute the cosine between these gaps
    in truth and in candidate. Average the cosines with the weights x_i:

    rho_r = sum_i x_i / (sum_k x_k) * sum_j (x_j-x_i)(y_j-y_i) / (sqrt(sum_j (x_j-x_i)^2) sqrt(sum_j (y_j-y_i)^2))

    where j runs over the systems with a strictly higher truth score than i, and i and k run over the systems that have
    such systems above them. Swaps and wrong gaps both lower the value, more so at the top. It is 1 if candidate is an
    increasing linear function of the truth, and -1 if candidate is a decreasing one. Systems tied in the truth are not
    compared with each other. If all gaps in candidate are zero, the cosine is 0. It is not symmetric: the walk follows
    the truth. After sorting, it takes O(m) steps, with running means and second moments.

    It is undefined if a side ties all systems, or if the total weight is 0. The weight is 0 when all systems below
    the best are tied, and always for two systems.

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

    It suits two rankings, neither of which is the truth. It is undefined if either direction is undefined.

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
    # Compute one fraction, so that it is undefined if either direction is undefined.
    return ratio(c.sum * d.weight + d.sum * c.weight, 2 * c.weight * d.weight)


def _pearson(truth: FloatArray, candidate: FloatArray) -> npt.ArrayLike:
    """Compute Pearson's r row by row, without the slow import of ``scipy.stats``."""
    apart = (truth != truth[:, :1]).any(axis=1) & (candidate != candidate[:, :1]).any(axis=1)
    values = np.full(len(truth), np.nan)
    x, y = (_unit(_shifted(side[apart])) for side in (truth, candidate))
    found = np.clip((x[:, None, :] @ y[:, :, None])[:, 0, 0], -1, 1)
    values[apart] = np.rint(found) if truth.shape[1] == 2 else found
    return values


def _unit(scores: FloatArray) -> FloatArray:
    """Centre rows and scale them to length 1."""
    centred = scores - scores.mean(axis=1, keepdims=True)
    largest = np.abs(centred).max(axis=1, keepdims=True)
    return np.asarray(centred / (largest * np.linalg.norm(centred / largest, axis=1, keepdims=True)))


def _shifted(scores: FloatArray) -> FloatArray:
    """Subtract each row's first score and scale by a power of two, so that squares neither overflow nor vanish."""
    bounded = np.ldexp(scores, -np.frexp(np.abs(scores).max(axis=1, keepdims=True))[1])
    gaps = bounded - bounded[:, :1]
    return np.asarray(np.ldexp(gaps, -np.frexp(np.abs(gaps).max(axis=1, keepdims=True))[1]))


complete_docstrings(pearson, spearman, weighted_tau, pearson_rank, pearson_rank_symmetric)
