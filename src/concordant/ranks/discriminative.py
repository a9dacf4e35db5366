"""Discriminative power: the share of the significant differences that another ranking confirms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..arrays import FloatArray, require_room_for_pairs
from ..data.means import ROUNDING, mean_over_topics
from ..data.results import Result, settings_of
from ..errors import UndefinedCorrelationWarning, warn
from ..inference.adjustment import holm
from ..options import checked
from ..pairing import two_sides
from ..read.door import Collection, as_topics
from ..words import counted
from .distance import rankings_beside

Correction = Literal["holm"]


@dataclass(frozen=True, eq=False, repr=False)
class DiscriminativePower(Result):
    """What `discriminative_power` found; `share` and `n_agreeing` are arrays for a batch."""

    share: float | FloatArray
    """The share of the significantly different pairs that candidate orders as the truth does."""
    n_significant: int
    """Pairs that differ significantly in the truth."""
    n_agreeing: Any
    """Those of them that candidate orders in the same way."""
    n_pairs: int
    alpha: float
    correction: Correction | None

    def __float__(self) -> float:
        return float(self.share)

    @property
    def verdict(self) -> str:
        """How many pairs differ, and how many of them the candidate confirms."""
        corrected = ", Holm" if self.correction == "holm" else ""
        test = f"paired t-test, alpha = {self.alpha:g}{corrected}"
        found = f"{self.n_significant} of {counted(self.n_pairs, 'pair')} differ significantly ({test})"
        if np.ndim(self.share):
            return f"{found}; shares for a batch of shape {np.shape(self.share)}"
        if not self.n_significant:
            return f"{found}, so there is nothing to confirm"
        return f"{found}; candidate confirms {self.n_agreeing} of them: {self.share:.4f}"

    def rows(self) -> list[dict[str, Any]]:
        """One row; one row per ranking for a batch."""
        both = zip(np.ravel(self.share).tolist(), np.ravel(self.n_agreeing).tolist(), strict=True)
        rest = {"n_significant": self.n_significant, "n_pairs": self.n_pairs}
        return [{"share": share, "n_agreeing": agreeing, **rest} for share, agreeing in both]

    def plot(self, ax: Any = None) -> Any:
        """All pairs as a bar: those that candidate confirms, those that it does not, those that do not differ."""
        from ..render.figures import parts

        return parts.discriminative_power(self, ax)


@checked
def discriminative_power(
    truth: Collection, candidate: Collection = None, *, alpha: float = 0.05, correction: Correction | None = None
) -> DiscriminativePower:
    """Of the pairs of systems that differ significantly in `truth`, the share that `candidate` orders in the same way.

    A pair differs significantly if a paired t-test over the topics, two-sided, has p <= alpha. A pair that is tied in
    `candidate` is not ordered as in the truth. 1 where all significant differences are confirmed, 0 where none is;
    nan, with an `UndefinedCorrelationWarning`, where no pair differs significantly.

    Parameters
    ----------
    truth : Collection
        Scores on each topic, in any form that `as_scores` takes, or a topics x systems array; higher is better.
    candidate : Collection or array_like
        One score per system, or a batch of rankings, as in `rank_distance`.
    alpha : float
        Level of the t-tests.
    correction : {None, "holm"}
        None as in the paper: every pair at level alpha. "holm": the level holds for all pairs together.

    Returns
    -------
    DiscriminativePower
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
    2 of 3 pairs differ significantly (paired t-test, alpha = 0.05); candidate confirms 1 of them: 0.5000

    """
    truth, candidate = two_sides(truth, candidate)
    known = as_topics(truth, "truth")
    scores = rankings_beside(known, candidate)
    means = known.means()
    require_room_for_pairs(len(means), "discriminative power", 3)
    first, second = np.triu_indices(len(means), 1)
    p = paired_pvalues(known.observations().values)
    significant = (holm(p) if correction == "holm" else p) <= alpha
    first, second = first[significant], second[significant]
    agree = np.sign(scores[..., first] - scores[..., second]) == np.sign(means[first] - means[second])
    count = agree.sum(axis=-1)
    if first.size:
        share = count / first.size
    else:
        warn(f"undefined, so nan: no pair differs significantly at alpha = {alpha:g}", UndefinedCorrelationWarning)
        share = np.full(count.shape, np.nan)
    one = scores.ndim == 1
    return DiscriminativePower(
        share=float(share) if one else np.asarray(share),
        n_significant=int(first.size),
        n_agreeing=int(count) if one else count,
        n_pairs=len(p),
        alpha=alpha,
        correction=correction,
        settings=settings_of(alpha=alpha, correction=correction, measure=known.measure),
    )


def paired_pvalues(values: FloatArray) -> FloatArray:
    """Two-sided p-values of the paired t-test for each pair of columns, in the order of np.triu_indices.

    Differences that are the same on every topic have p = 0, or 1 if they are 0 but for rounding.
    """
    from scipy.special import stdtr

    n, m = values.shape
    # By a power of two into [-1, 1], which changes no bit of t, so that no square leaves the range of floats.
    values = np.ldexp(values, -int(np.frexp(np.abs(values).max())[1]))
    found = []
    for j in range(m - 1):
        difference = values[:, j, None] - values[:, j + 1 :]
        mean = mean_over_topics(difference)
        spread = difference.std(axis=0, ddof=1)
        # Below this a spread is the rounding of scores that differ by a constant.
        constant = spread <= 1e-14 * np.abs(values).max()
        identical = np.abs(difference).max(axis=0) <= ROUNDING
        t = np.sqrt(n) * np.abs(mean) / np.where(constant, 1.0, spread)
        found.append(np.where(identical, 1.0, np.where(constant, 0.0, 2 * stdtr(n - 1, -t))))
    return np.concatenate(found)
