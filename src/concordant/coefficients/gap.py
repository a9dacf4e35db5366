"""tau_gap: AP correlation that weighs each pair by how far apart the truth puts it."""

from __future__ import annotations

import numpy.typing as npt

from ..arrays import FloatArray
from .gap_ties import expected_tau_gap
from .sums import by_block, complete_docstrings, gaps, ratio, refuse_ties, undefined_if

_ALL_TIED = "all systems are tied in truth"


@undefined_if(_ALL_TIED)
def tau_gap(truth: npt.ArrayLike, candidate: npt.ArrayLike, *, workers: int = 1) -> float | FloatArray:
    """Gap-sensitive AP correlation of candidate with the truth.

    Walk candidate from the top; with g_ji = abs(truth_j - truth_i),

    tau_gap = 2 / K * sum_i [ sum_{j above i, concordant} g_ji / sum_{j above i} g_ji ] - 1

    over the K places i >= 2 whose denominator is positive. Swapping systems that the truth barely separates costs
    little. It uses the scores of the truth and the order of candidate. It is not symmetric; the range is -1 to 1. Ties
    in the truth have gap 0. It is undefined when the truth is all tied.

    Raises
    ------
    TiesError
        If candidate has ties: `tau_gap_a` admits them.

    See Also
    --------
    tau_gap_a : Gap-sensitive AP correlation with ties in the candidate.
    pearson_rank : Pearson rank, rho_r, of candidate with the truth.

    References
    ----------
    N. Gao and D. Oard (2015). A Head-Weighted Gap-Sensitive Correlation Coefficient. SIGIR.

    Examples
    --------
    >>> import concordant as cc
    >>> round(cc.tau_gap([0.9, 0.5, 0.49, 0.1], [0.9, 0.5, 0.51, 0.1]), 6)
    0.98374
    >>> round(cc.tau_ap([0.9, 0.5, 0.49, 0.1], [0.9, 0.5, 0.51, 0.1]), 6)
    0.666667

    """
    g = gaps(truth, candidate, workers=workers)
    refuse_ties(g.tied_candidate, "candidate", candidate, of="tau_gap", admits={"tau_gap_a": ""})
    return 2 * ratio(g.sum, g.places) - 1


@undefined_if(_ALL_TIED)
def tau_gap_a(truth: npt.ArrayLike, candidate: npt.ArrayLike) -> float | FloatArray:
    """Gap-sensitive AP correlation with ties in candidate: the mean of `tau_gap` over all orders of the tied systems.

    There is no closed form; the mean is a smooth double integral, evaluated to 1e-9 or better (see `gap_ties`). Without
    ties it equals `tau_gap`. Groups of about ten tied systems take milliseconds, a group of 100 a fraction of a second.

    Raises
    ------
    LimitError
        If the computation would take hours, because very many systems are tied.

    See Also
    --------
    tau_gap : Gap-sensitive AP correlation of candidate with the truth.
    tau_a : Kendall's tau with ties in the candidate.

    References
    ----------
    N. Gao and D. Oard (2015). A Head-Weighted Gap-Sensitive Correlation Coefficient. SIGIR.

    Examples
    --------
    >>> import concordant as cc
    >>> round(cc.get_coefficient("tau_gap_a")([0.9, 0.5, 0.49, 0.1], [0.9, 0.5, 0.5, 0.1]), 6)
    0.99187

    """
    return by_block(_mean_over_orders, truth, candidate)


def _mean_over_orders(truth: FloatArray, candidate: FloatArray) -> list[float]:
    values = []
    for t, o in zip(truth, candidate, strict=True):
        g = gaps(t, o)
        untied = g.places and not g.tied_candidate
        values.append(float(2 * g.sum / g.places - 1) if untied else expected_tau_gap(t, o))
    return values


complete_docstrings(tau_gap, tau_gap_a)
