"""Discriminative power: the share of the significant differences that another ranking confirms."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from ..arrays import FloatArray, require_room_for_pairs
from ..data.means import ROUNDING, mean_over_topics
from ..data.results import Estimate, settings_of
from ..errors import InputError, UndefinedCorrelationWarning, counted, warn
from ..inference.adjustment import holm
from ..options import checked
from ..pairing import two_sides
from ..read.reader import Collection, as_topics
from .distance import rankings_beside

Correction = Literal["holm"]


@checked
def discriminative_power(
    truth: Collection, candidate: Collection = None, *, alpha: float = 0.05, correction: Correction | None = None
) -> Estimate:
    """Compute the share of pairs that differ significantly in `truth` and have the same order in `candidate`.

    A pair differs significantly if a two-sided paired t-test over the topics has p <= alpha. A pair tied in `candidate`
    is not confirmed. The share is 1 if all significant differences are confirmed, 0 if none is, and nan, with an
    `UndefinedCorrelationWarning`, if no pair differs significantly.

    Parameters
    ----------
    truth : Collection
        Scores on each topic, in any form that `as_scores` takes, or a topics x systems array; higher is better.
    candidate : Collection or array_like
        One score per system, as in `rank_distance`.
    alpha : float
        Level of the t-tests.
    correction : {None, "holm"}
        None as in the paper: every pair at level alpha. "holm": the level holds for all pairs together.

    Returns
    -------
    Estimate
        `float(found)` is the share.

    See Also
    --------
    significance_agreement : Which significant differences both sides find.
    rank_test : Could this ranking be the true one, given the topics?

    References
    ----------
    B. Carterette (2009). On Rank Correlation and the Distance Between Rankings. SIGIR, section 3.
    S. Holm (1979). A Simple Sequentially Rejective Multiple Test Procedure. Scandinavian Journal of Statistics 6(2).

    Examples
    --------
    >>> import concordant as cc
    >>> ap = [[0.04, 0.55, 0.51], [0.39, 0.55, 0.56], [0.10, 0.60, 0.63], [0.11, 0.61, 0.66]]
    >>> print(cc.ranks.discriminative_power(ap, [2, 1, 3]))  # A before B
    discriminative power = 0.5000 (1 of 2 significant pairs confirmed, of 3 in all; paired t-test, alpha = 0.05)

    """
    truth, candidate = two_sides(truth, candidate)
    known = as_topics(truth, "truth")
    scores = rankings_beside(known, candidate)
    if scores.ndim > 1:
        raise InputError(f"candidate has shape {scores.shape}: give one score per system")
    means = known.means()
    require_room_for_pairs(len(means), "discriminative power", 3)
    first, second = np.triu_indices(len(means), 1)
    p = paired_pvalues(known.observations().values)
    significant = (holm(p) if correction == "holm" else p) <= alpha
    first, second = first[significant], second[significant]
    count = int((np.sign(scores[first] - scores[second]) == np.sign(means[first] - means[second])).sum())
    if not first.size:
        warn(f"undefined, so nan: no pair differs significantly at alpha = {alpha:g}", UndefinedCorrelationWarning)
    found = f"{count} of {counted(first.size, 'significant pair')} confirmed, of {len(p)} in all"
    return Estimate(
        "discriminative power",
        count / first.size if first.size else math.nan,
        f"{found}; paired t-test, alpha = {alpha:g}{', Holm' if correction else ''}",
        settings=settings_of(alpha=alpha, correction=correction, measure=known.measure),
    )


def paired_pvalues(values: FloatArray) -> FloatArray:
    """Two-sided p-values of the paired t-test for each pair of columns, in the order of np.triu_indices.

    The same difference on every topic has p = 0, or p = 1 if it is 0 up to rounding.
    """
    from scipy.special import stdtr

    n, m = values.shape
    # Scale by a power of two into [-1, 1], so that squares cannot overflow. t keeps all its bits.
    values = np.ldexp(values, -int(np.frexp(np.abs(values).max())[1]))
    found = []
    for j in range(m - 1):
        difference = values[:, j, None] - values[:, j + 1 :]
        mean = mean_over_topics(difference)
        spread = difference.std(axis=0, ddof=1)
        # A smaller spread is rounding of scores that differ by a constant.
        constant = spread <= 1e-14 * np.abs(values).max()
        identical = np.abs(difference).max(axis=0) <= ROUNDING
        t = np.sqrt(n) * np.abs(mean) / np.where(constant, 1.0, spread)
        found.append(np.where(identical, 1.0, np.where(constant, 0.0, 2 * stdtr(n - 1, -t))))
    return np.concatenate(found)
