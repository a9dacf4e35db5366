"""Bounds of a coefficient over all orders of the systems tied in candidate."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..arrays import FloatArray
from ..data.results import Findings
from ..errors import InputError
from ..options import checked
from .registry import Coefficient, get_coefficient, list_coefficients
from .sums import concordance, refuse_ties, require_finite, vectors, warn_undefined


@checked
def tie_bounds(truth: npt.ArrayLike, candidate: npt.ArrayLike, *, coefficient: str = "tau") -> Findings:
    """Compute the minimum, expected and maximum value over all orders of the systems tied in candidate.

    Parameters
    ----------
    truth, candidate : array_like
        One score for each system, higher is better. The last axis holds the systems, the axes before it broadcast.
        For tau and tau_ap the truth must not have ties.
    coefficient : {"tau", "tau_ap", "tau_gap"}
        The coefficient to bound.

    Returns
    -------
    Findings
        With `minimum`, `expected` and `maximum`: floats for two vectors, arrays for a batch.

    Raises
    ------
    TiesError
        If the truth has ties and the coefficient does not admit them.

    See Also
    --------
    tau_a : Kendall's tau with ties in the candidate.
    tau_ap_a : AP correlation with ties in the candidate.

    Notes
    -----
    The minimum orders each tied group against the truth, the maximum like the truth. Both are exact for any group size,
    because putting two neighbours into the order of the truth never lowers these coefficients. The expected value is
    the mean over all orders: `tau_a`, `tau_ap_a` or `tau_gap_a`. Without ties, all three are equal.

    References
    ----------
    J. Urbano and M. Marrero (2017). The Treatment of Ties in AP Correlation. ICTIR, section 3.

    Examples
    --------
    >>> import concordant as cc
    >>> print(cc.tie_bounds([6, 5, 4, 3, 2, 1], [5, 3, 6, 3, 1, 3], coefficient="tau_ap"))
    tau_ap over all orders of the tied systems: 0.0867 to 0.3200, expected 0.2089

    """
    bounded = [c.name for c in list_coefficients() if c.mean_over_ties]
    if coefficient not in bounded:
        raise InputError(f"coefficient is {coefficient!r}: tie bounds are known for {', '.join(map(repr, bounded))}")
    entry = get_coefficient(coefficient)
    found = bounds_of(entry, *vectors(truth, candidate))
    warn_undefined(found.expected, entry.undefined)
    return found


def bounds_of(entry: Coefficient, truth: FloatArray, candidate: FloatArray) -> Findings:
    """Compute `tie_bounds`, with nan but no warning if the coefficient is undefined."""
    require_finite(truth, candidate)
    if "truth" not in entry.ties:
        _, counts = concordance(truth, candidate)
        refuse_ties(counts.tied_truth, "truth", truth, of=entry.name, admits={"tau_gap": ""})
    low, high = (entry.formula(truth, break_ties(candidate, by)) for by in (-truth, truth))
    expected = get_coefficient(entry.mean_over_ties).formula(truth, candidate)
    ends, orders = (
        {"minimum": low, "expected": expected, "maximum": high},
        f"{entry.name} over all orders of the tied systems",
    )
    batch = f"{orders}, for a batch of shape {np.shape(low)}"
    return Findings(
        kind="TieBounds",
        answer=f"{orders}: {low:.4f} to {high:.4f}, expected {expected:.4f}" if isinstance(low, float) else batch,
        numbers={"coefficient": entry.name, **ends},
        lines=[
            {"coefficient": entry.name, **dict(zip(ends, values, strict=True))}
            for values in zip(*(np.ravel(end).tolist() for end in ends.values()), strict=True)
        ],
    )


def break_ties(scores: FloatArray, by: FloatArray) -> FloatArray:
    """Rank by `scores`, and break ties by `by`."""
    scores, by = np.broadcast_arrays(scores, by)
    ranks = np.empty(scores.shape)
    places = np.broadcast_to(np.arange(float(scores.shape[-1])), scores.shape)
    np.put_along_axis(ranks, np.lexsort((by, scores), axis=-1), places, axis=-1)
    return ranks
