"""What libraries, scripts and tools compute under the name of a rank correlation, as literally as they do it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ...arrays import FloatArray, IntArray
from ...coefficients.ap import tau_ap_ties
from ...coefficients.registry import get_coefficient
from ...coefficients.sums import concordance
from .vectors import Recipe, Vectors


def _counted(of: Callable[[float, float, float, float, float], float], pair: Vectors) -> float:
    """A function of the numbers of pairs: concordant, discordant, tied in the truth, tied in the candidate, all."""
    m, c = concordance(pair.truth, pair.candidate)
    tied = float(c.tied_truth), float(c.tied_candidate)
    return of(float(c.concordant), float(c.discordant), *tied, m * (m - 1) / 2)


def _ratio(a: float, b: float) -> float:
    return a / b if b else np.nan


def _tau_c(pair: Vectors) -> float:
    from scipy import stats

    return float(stats.kendalltau(pair.truth, pair.candidate, variant="c").statistic)


def _weighted(pair: Vectors, **options: Any) -> float:
    from scipy import stats

    return float(stats.weightedtau(pair.truth, pair.candidate, **options).statistic)


def _weighted_of(side: str, pair: Vectors) -> float:
    """`rank=None`: weights by the first argument alone."""
    return _weighted(pair if side == "truth" else pair.swapped, rank=None)


def _weighted_in_file_order(pair: Vectors) -> float:
    """`rank=False`: the element that stands first weighs most, whatever its score."""
    order = np.argsort(pair.truth_place)
    return _weighted(pair.with_scores(pair.truth[order], pair.candidate[order]), rank=False)


def _weighted_multiplicative(pair: Vectors) -> float:
    return _weighted(pair, additive=False)


def _rank_differences(pair: Vectors, method: str = "average") -> FloatArray:
    from scipy import stats

    ranks = [stats.rankdata(-side, method) for side in (pair.truth, pair.candidate)]
    return np.asarray(ranks[0] - ranks[1])


def _short_spearman(pair: Vectors, method: str = "average") -> float:
    m = len(pair.names)
    return float(1 - 6 * (_rank_differences(pair, method) ** 2).sum() / (m * (m * m - 1)))


def _footrule(pair: Vectors) -> float:
    return float(1 - np.abs(_rank_differences(pair)).sum() / (len(pair.names) ** 2 // 2))


def _r_squared(pair: Vectors) -> float:
    return float(get_coefficient("pearson").formula(pair.truth, pair.candidate)) ** 2


def _average_overlap(pair: Vectors) -> float:
    """The mean of the overlap at depth 1, 2, ... m, ties in the order of the files."""
    orders = pair.without_ties("file")
    depth = np.maximum(len(pair.names) + 1 - orders.truth, len(pair.names) + 1 - orders.candidate)
    shared = np.cumsum(np.bincount(depth.astype(int), minlength=len(pair.names) + 1)[1:])
    return float((shared / np.arange(1, len(pair.names) + 1)).mean())


def _unsorted_tau_ap(place: str, pair: Vectors) -> float:
    """tau_ap that never sorts: the list is walked as it stands in the file. Ties on both sides are concordant."""
    order: IntArray = np.argsort(getattr(pair, place))
    x, y = pair.truth[order], pair.candidate[order]
    above = [np.mean(np.sign(x[i] - x[:i]) == np.sign(y[i] - y[:i])) for i in range(1, len(x))]
    return float(2 * np.mean(above) - 1)


def _nameless_tau_ap(pair: Vectors) -> float:
    """tau_ap of runs that all bear one name: each is 'the same' as those above it, so all are in order."""
    return 1.0


def _tau_ap_b_with_zero(pair: Vectors) -> float:
    """tau_ap_b that has a value where all are tied: 0 if they are so in the walked side, -1 if in the other."""
    return (_tau_ap_or_zero(pair) + _tau_ap_or_zero(pair.swapped)) / 2


def _tau_ap_or_zero(pair: Vectors) -> float:
    if np.ptp(pair.candidate) == 0:
        return 0.0
    return -1.0 if np.ptp(pair.truth) == 0 else float(tau_ap_ties(pair.truth, pair.candidate))


TOOLS = (
    Recipe(
        "(C - D) / all pairs",
        "tau_a with ties on both sides: a tied pair counts as half right",
        1,
        partial(_counted, lambda c, d, t, o, n: (c - d) / n),
        needs_ties=True,
    ),
    Recipe(
        "gamma",
        "Goodman and Kruskal's gamma: pairs tied on a side are left out",
        1,
        partial(_counted, lambda c, d, t, o, n: _ratio(c - d, c + d)),
        needs_ties=True,
    ),
    Recipe(
        "somersd(truth, candidate)",
        "Somers' D: pairs tied in the truth are left out",
        1,
        partial(_counted, lambda c, d, t, o, n: _ratio(c - d, n - t)),
        needs_ties=True,
    ),
    Recipe(
        "somersd(candidate, truth)",
        "Somers' D: pairs tied in the candidate are left out",
        1,
        partial(_counted, lambda c, d, t, o, n: _ratio(c - d, n - o)),
        needs_ties=True,
    ),
    Recipe("kendalltau(variant='c')", "scipy's tau-c, made for tables of unequal sides", 1, _tau_c, needs_ties=True),
    Recipe(
        "C / all pairs",
        "share of concordant pairs; ties are wrong",
        1,
        partial(_counted, lambda c, d, t, o, n: c / n),
        signed=False,
    ),
    Recipe(
        "C / pairs ordered by the truth",
        "pairwise accuracy: share of the truth's ordered pairs that are concordant",
        1,
        partial(_counted, lambda c, d, t, o, n: _ratio(c, n - t)),
        signed=False,
        needs_ties=True,
    ),
    Recipe("1 - 6 sum d^2 / (m^3 - m)", "Spearman's short formula, which ties make wrong", 1, _short_spearman,
         needs_ties=True),
    Recipe("pearson squared", "r squared", 1, _r_squared, signed=False),
    Recipe("weightedtau(truth, candidate, rank=None)", "scipy's weighted tau, weights by the truth's ranks alone", 1,
         partial(_weighted_of, "truth")),
    Recipe("weightedtau(candidate, truth, rank=None)", "scipy's weighted tau, weights by the candidate's ranks alone",
         1, partial(_weighted_of, "candidate")),
    Recipe("weightedtau(additive=False)", "scipy's weighted tau, weights multiplied", 1, _weighted_multiplicative),
    Recipe("weightedtau(rank=False)", "scipy's weighted tau, weights by place in the truth's file", 2,
         _weighted_in_file_order),
    Recipe("average overlap", "overlap at each depth, averaged; ties in the order of each file", 1, _average_overlap,
         signed=False),
    Recipe("footrule", "Spearman's footrule, scaled to 0 ... 1", 2, _footrule, signed=False),
    Recipe(
        "1 - 6 sum d^2 / (m^3 - m), competition ranks",
        "Spearman's short formula on ranks 1 2 2 4",
        2,
        partial(_short_spearman, method="min"),
        needs_ties=True,
    ),
    Recipe("tau_ap, truth's file order", "tau_ap that does not sort: the truth's file is walked as it stands", 2,
         partial(_unsorted_tau_ap, "truth_place")),
    Recipe("tau_ap, candidate's file order", "tau_ap that does not sort: the candidate's file is walked as it stands",
         2, partial(_unsorted_tau_ap, "candidate_place")),
    Recipe("tau_ap_b, undefined as 0", "tau_ap_b where all are tied, by a tool that counts that direction as 0", 2,
         _tau_ap_b_with_zero, needs_ties=True),
    Recipe("tau_ap of runs without names", "a tool that read one and the same name for every run", 2, _nameless_tau_ap),
)  # fmt: skip
