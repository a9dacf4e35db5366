"""Rank-biased overlap, with ties, between rankings of the same systems."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

import numpy as np
import numpy.typing as npt

from .._kernels.reference.weighted import ALL_IN, CORRECTED, EXPECTED
from ..arrays import FloatArray
from ..options import checked
from .sums import overlaps, vectors

Ties = Literal["w", "a", "b"]

_TIES: dict[Ties, int] = {"w": ALL_IN, "a": EXPECTED, "b": CORRECTED}


@checked
def rbo(truth: npt.ArrayLike, candidate: npt.ArrayLike, *, p: float = 0.9, ties: Ties = "a") -> float | FloatArray:
    """Rank-biased overlap: how much two rankings share in their first d items, averaged over all depths d.

    A_d is the agreement of the two rankings at depth d, the share of the first d items that they have
    in common. RBO averages it for a reader who continues from each rank to the next with probability p:

        RBO = (1 - p) * sum_{d=1..inf} p^(d-1) A_d

    Below the last rank the agreement continues (RBO_ext).
    The top weighs most: the first 10 ranks have 86% of the weight at p = 0.9, the first 50 have 85% at p = 0.98.
    The value lies between 0 (nothing in common) and 1, is symmetric in its two arguments, and is
    defined for every input. It is not a correlation: a reversed ranking has a value above 0.

    Parameters
    ----------
    truth, candidate : array_like
        One score for each system, higher is better. The last axis holds the systems, the axes before it broadcast.
    p : float
        Persistence, 0 < p < 1. The closer to 1, the deeper the comparison.
    ties : {"w", "a", "b"}
        How to count a tied group that a depth d cuts.

        - ``"w"``: the items are equal (a shared medal). All are included from the group's first rank on, so
          more than d items may be included: `A_d = 2 |S_d & L_d| / (|S_d| + |L_d|)`.
        - ``"a"``: their order is unknown, and each is included with probability (d - top + 1) / size. A_d is
          the expected overlap over all orders of the tied items, divided by d. A tied ranking's overlap with
          itself is below 1. Choose it if the truth has an order that tied scores do not show.
        - ``"b"``: like "a", but divided by sqrt(sum c_S^2 sum c_L^2) instead of d, where c are the
          contributions of the items. Like tau_b, it is 1 between a tied ranking and itself.

        Without ties, all three are equal.

    Returns
    -------
    float or ndarray
        A float for two vectors, otherwise an array of the broadcast leading shape.

    See Also
    --------
    tau_ap : AP correlation of candidate with the truth, for rankings without ties.
    tau_ap_b : AP correlation with ties on both sides.

    References
    ----------
    W. Webber, A. Moffat, J. Zobel: A similarity measure for indefinite rankings. ACM TOIS 28(4), 2010.
    M. Corsi, J. Urbano: The treatment of ties in rank-biased overlap. SIGIR 2024.

    Examples
    --------
    >>> from concordant import rbo
    >>> round(rbo([4, 3, 2, 1], [4, 3, 1, 2], p=0.8), 4)
    0.9573
    >>> round(rbo([4, 3, 2, 1], [4, 3, 2, 2], p=0.8), 4)
    0.9787

    """
    truth, candidate = vectors(truth, candidate)
    m = truth.shape[-1]
    weights, tail = _weights(p, m)
    found = overlaps(truth, candidate, weights, _TIES[ties])
    return (found.sum + found.last * tail) / (found.weight + tail)  # the agreement continues below the last rank


@lru_cache(maxsize=8)
def _weights(p: float, m: int) -> tuple[FloatArray, float]:
    """Compute the weights (1 - p) p^(d - 1) of the depths d = 1..m, and the total weight below."""
    with np.errstate(under="ignore"):
        weights = (1 - p) * np.power(p, np.arange(float(m)))
        weights.flags.writeable = False
        return weights, p**m
