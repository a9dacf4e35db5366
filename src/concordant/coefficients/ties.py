"""How much the ties in candidate leave open."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..arrays import FloatArray
from ..errors import InputError, UndefinedCorrelationWarning
from ..notebook import Displayed
from .inputs import require_finite, vectors
from .registry import get_coefficient, list_coefficients
from .sums import concordance, refuse_ties

@dataclass(frozen=True)
class TieBounds(Displayed):
    """A coefficient over all orders of the systems tied in candidate; arrays for a batch."""

    coefficient: str
    minimum: float | FloatArray
    expected: float | FloatArray
    maximum: float | FloatArray

    def __str__(self) -> str:
        """One line, or the shape of a batch."""
        if isinstance(self.minimum, float):
            return (
                f"{self.coefficient} over all orders of the tied systems: "
                f"{self.minimum:.4f} to {self.maximum:.4f}, expected {self.expected:.4f}"
            )
        return f"{self.coefficient} over all orders of the tied systems, for a batch of shape {np.shape(self.minimum)}"

    def plot(self, ax: Any = None) -> Any:
        """From minimum to maximum as a line, the expected value as a dot."""
        from ..plots import intervals

        return intervals.tie_bounds(self, ax)


def tie_bounds(truth: npt.ArrayLike, candidate: npt.ArrayLike, coefficient: str = "tau") -> TieBounds:
    """Minimum, expected and maximum value over all orders of the systems tied in candidate.

    The minimum orders each tied group against the truth, the maximum with it: putting two neighbours into the order of
    the truth never lowers these coefficients, so both are exact at any group size. The expected value is the mean over
    all orders: `tau_a`, `tau_ap_a` or `tau_gap_a`. Without ties, all three are equal.

    Parameters
    ----------
    truth, candidate : array_like
        One score for each system, higher is better. The last axis holds the systems, the axes before it broadcast.
        For tau and tau_ap the truth must not have ties.
    coefficient : {"tau", "tau_ap", "tau_gap"}
        Which coefficient to bound.

    Returns
    -------
    TieBounds
        With `minimum`, `expected` and `maximum`.

    Examples
    --------
    >>> import concordant as cc
    >>> print(cc.tie_bounds([6, 5, 4, 3, 2, 1], [5, 3, 6, 3, 1, 3], "tau_ap"))
    tau_ap over all orders of the tied systems: 0.0867 to 0.3200, expected 0.2089
    """
    bounded = [c.name for c in list_coefficients() if c.mean_over_ties]
    if coefficient not in bounded:
        raise InputError(f"coefficient is {coefficient!r}: tie bounds are known for {', '.join(map(repr, bounded))}")
    entry = get_coefficient(coefficient)
    strict, averaged = entry.function, get_coefficient(entry.mean_over_ties).function
    t, o = vectors(truth, candidate)
    require_finite(t, o)
    if "truth" not in entry.ties:
        _, counts = concordance(t, o)
        refuse_ties(counts.tied_truth, "truth", t, of=coefficient, instead="tie_bounds for tau_gap, or no bounds")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UndefinedCorrelationWarning)
        found = TieBounds(coefficient, strict(t, _break_ties(o, -t)), averaged(t, o), strict(t, _break_ties(o, t)))
    for warning in caught[:1]:  # the same for all three
        warnings.warn(warning.message, stacklevel=2)
    return found


def _break_ties(scores: FloatArray, by: FloatArray) -> FloatArray:
    """Ranks that order as `scores` do, and tied scores as `by` does."""
    scores, by = np.broadcast_arrays(scores, by)
    ranks = np.empty(scores.shape)
    places = np.broadcast_to(np.arange(float(scores.shape[-1])), scores.shape)
    np.put_along_axis(ranks, np.lexsort((by, scores), axis=-1), places, axis=-1)
    return ranks
