"""The rank distance: how far a ranking is from what the topics allow.

Kendall's tau counts how many pairs swapped. The rank distance of Carterette (2009) asks whether the swaps matter, given
how much systems differ from topic to topic, and how they do so together.
"""

from __future__ import annotations

import math
import warnings
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from .. import _kernels
from .._kernels import reference_distance
from ..arrays import FloatArray, IntArray, require_room_for_pairs
from ..coefficients.inputs import floats, refuse_not_finite, refuse_other_labels
from ..coefficients.sums import check_workers
from ..errors import InputError, InputTypeError, LimitError, RegularisationWarning
from ..matrices import Collection, matrix_of
from ..scores import Scores, mean_over_topics
from ..words import counted, listing

LEAST_EPS = 1e-11
"""Beside the largest variance: where the covariance has no inverse, rounding and not eps decides with less."""
_LARGEST = 1e150  # its square is a float

Candidate: TypeAlias = "Scores | npt.ArrayLike"


def rank_distance(
    truth: Collection, candidate: Candidate, eps: float = 1e-5, *, workers: int = 1
) -> float | FloatArray:
    """Distance of the ranking `candidate` from the scores `truth`, d_rank(candidate | truth).

    Order the systems by `candidate`, best first. Let d be the means over the n topics of the differences between
    neighbours in that order, and S their covariance, with `eps` added to its diagonal. Then

        d_rank^2 = minimum over delta >= 0 of n (delta - d)' S^-1 (delta - d),

    Hotelling's T^2 between what was measured and the nearest means that have the order `candidate`. For two systems in
    the wrong order it is Student's paired t. It is 0 if, and only if, both rank the systems in the same way, it has no
    upper bound, and it is not symmetric. How large is large depends on the collection: `rank_test` tells.

    Systems that are tied in `candidate` are put in the order that the truth gives them; those tied on both sides stay
    in the order of the columns.

    Parameters
    ----------
    truth : Scores or array_like
        Topics x systems, higher is better.
    candidate : Scores or array_like
        One score for each system: a vector; Scores, of which the means are taken, with the same systems and topics as
        the truth in any order; or an array with the systems on its last axis, as a batch of vectors.
    eps : float
        What is added to the variances, in squared units of the scores; the paper's value by default. It matters where
        there are as many systems as topics or more: a `RegularisationWarning` says so. There it is at least 1e-11 of
        the largest variance, because with less rounding decides. It should be small beside the variances, or it and
        not the topics decides, which is warned of as well.
    workers : int
        Threads to use on a batch. The result is the same to the last bit.

    Returns
    -------
    float or ndarray
        A float for a vector or Scores, otherwise an array of the leading shape of `candidate`.

    References
    ----------
    B. Carterette (2009). On Rank Correlation and the Distance Between Rankings. SIGIR, equation 2 and algorithm 1.

    Examples
    --------
    Three systems on four topics. B and C differ by little, and A is worse than both on every topic:

    >>> import concordant as cc
    >>> ap = [[0.04, 0.55, 0.51], [0.39, 0.55, 0.56], [0.10, 0.60, 0.63], [0.11, 0.61, 0.66]]
    >>> print(f"{cc.rank_distance(ap, [1, 3, 2]):.4f}")  # B and C swapped
    0.6451
    >>> print(f"{cc.rank_distance(ap, [2, 1, 3]):.4f}")  # A before B
    4.8614
    >>> cc.rank_distance(ap, [1, 2, 3])  # as in the truth
    0.0
    """
    problem = Problem.of(truth, eps, "the rank distance")
    scores = scores_beside(truth, candidate)
    values = problem.distances(scores.reshape(-1, problem.m), workers=check_workers(workers))
    return float(values[0]) if scores.ndim == 1 else values.reshape(scores.shape[:-1])


class Projection(NamedTuple):
    """The nearest means with a given order, as differences between neighbours in that order."""

    order: IntArray
    """The systems, best first."""
    d: FloatArray
    """The differences as measured."""
    delta: FloatArray
    """The nearest ones that are not negative."""
    dual: FloatArray
    """v in delta = d + S v; positive only where delta is 0."""
    distance: float


class Problem(NamedTuple):
    """What all rankings are compared with: a collection's means and its covariance, computed once."""

    values: FloatArray
    means: FloatArray
    covariance: FloatArray
    eps: float

    @classmethod
    def of(cls, truth: Collection, eps: float, what: str) -> Problem:
        """Check a collection. Warns where it has as many systems as topics or more."""
        values, _ = matrix_of(truth, "truth")
        n, m = values.shape
        if isinstance(eps, bool) or not isinstance(eps, (int, float, np.number)) or not 0 < eps < math.inf:
            raise InputError(
                f"eps is {eps!r}: give a positive number, which is added to the variances; 1e-5 is the paper's"
            )
        require_room_for_pairs(m, what)
        centred = values - values.mean(axis=0)
        _refuse_overflow(values, centred)
        covariance = np.ascontiguousarray(centred.T @ centred / (n - 1))
        used = max(float(eps), LEAST_EPS * float(covariance.diagonal().max())) if m >= n else float(eps)
        if m >= n:
            raised = f" (eps = {eps:g} is lost in float64 beside such variances)" if used > eps else ""
            warnings.warn(
                f"{counted(m, 'system')} on {counted(n, 'topic')}: with as many systems as topics or more their "
                f"covariance has no inverse, so {what} was regularised by eps = {used:g}{raised}, and no size is "
                "claimed for a test of it; take more topics or fewer systems (Scores.drop_bottom, select)",
                RegularisationWarning,
                stacklevel=3,
            )
        _warn_of_large_eps(centred, covariance, used, what)
        return cls(values, mean_over_topics(values), covariance, used)

    @property
    def n(self) -> int:
        """Number of topics."""
        return len(self.values)

    @property
    def m(self) -> int:
        """Number of systems."""
        return len(self.means)

    def distances(self, candidate: FloatArray, *, workers: int = 1) -> FloatArray:
        """d_rank of each row of scores."""
        return self._solve(candidate, np.empty((0, self.m - 1)), workers)

    def project(self, candidate: FloatArray) -> Projection:
        """The nearest means in the order of one vector of scores."""
        dual = np.empty((1, self.m - 1))
        distance = self._solve(candidate[None], dual, 1)
        order = reference_distance.order_of(candidate, self.means)
        d = -np.diff(self.means[order])
        v = dual[0]
        s = reference_distance.differences_of(self.covariance, order, self.eps)
        delta = np.where(v > 0, 0.0, np.maximum(d + s @ v, 0.0))  # rounding apart, what d + S v is already
        return Projection(order, d, delta, v, float(distance[0]))

    def _solve(self, candidate: FloatArray, duals: FloatArray, workers: int) -> FloatArray:
        out = np.empty((len(candidate), reference_distance.FIELDS))

        def solve(kernels: Any, rows: Any, out: FloatArray, duals: FloatArray) -> None:
            kernels.rank_distances(
                self.covariance, self.means, np.ascontiguousarray(candidate[rows]), self.eps, out, duals, workers
            )

        solve(_kernels.distance_kernels(), slice(None), out, duals)
        again = unsolved(out)
        if again.size:
            more = np.empty((len(again) if len(duals) else 0, self.m - 1))
            found = np.empty((len(again), reference_distance.FIELDS))
            solve(reference_distance, again, found, more)
            out[again] = found
            if len(duals):
                duals[again] = more
            require_solved(out, self.eps)
        return np.sqrt(self.n * out[:, 0])


def _refuse_overflow(values: FloatArray, centred: FloatArray) -> None:
    if np.abs(centred).max(initial=0.0) > _LARGEST:
        largest = float(np.abs(values).max())
        raise LimitError(
            f"truth has scores of up to {largest:.3g}, and the rank distance needs their variances, which no float "
            f"can hold: divide all scores by 1e{math.floor(math.log10(largest))}, which changes no ranking"
        )


def _warn_of_large_eps(centred: FloatArray, covariance: FloatArray, eps: float, what: str) -> None:
    variance = float(covariance.diagonal().mean())
    if variance < eps and centred.any():
        warnings.warn(
            f"the scores of a system vary from topic to topic by {math.sqrt(variance):.2g} on average, little beside "
            f"sqrt(eps) = {math.sqrt(eps):.2g}: eps, not the topics, decides {what}; give a smaller eps, such as "
            f"{max(1e-4 * variance, 1e-300):.0e}, or multiply all scores by one number",
            RegularisationWarning,
            stacklevel=4,
        )


def unsolved(out: FloatArray) -> IntArray:
    """Rows that a kernel gave up on, which the other one then tries."""
    return np.flatnonzero(out[:, 1] < 0)


def require_solved(out: FloatArray, eps: float) -> None:
    """Raise if both kernels gave up on a row."""
    if unsolved(out).size:
        raise LimitError(
            f"no solution was found for {counted(len(unsolved(out)), 'ranking')}: eps = {eps:g} is too small beside "
            "the variances for float64; give a larger one, or divide the scores by their range"
        )


def scores_beside(truth: Collection, candidate: Candidate) -> FloatArray:
    """What was observed, as scores in the order of the truth's systems. The truth was checked by `matrix_of`."""
    if isinstance(candidate, Scores):
        return _aligned(truth, candidate)
    refuse_other_labels(truth, candidate)  # of pandas frames and Series, which are compared by position
    m = np.shape(truth.values if isinstance(truth, Scores) else truth)[1]
    scores = floats(candidate, "candidate")
    if scores.shape[-1] != m:
        raise InputError(
            f"truth has {counted(m, 'system')} and candidate {scores.shape[-1]}: candidate needs one score for each "
            f"system, in the order of the truth's (last axis; shape {scores.shape})"
        )
    if not np.isfinite(scores).all():
        refuse_not_finite(scores, "candidate")
    return scores


def _aligned(truth: Collection, candidate: Scores) -> FloatArray:
    if not isinstance(truth, Scores):
        raise InputTypeError(
            "candidate is Scores, with labels, and truth an array without: give Scores for both, or candidate.means() "
            "if its systems stand in the order of the truth's columns"
        )
    for mine, other, what in ((truth.systems, candidate.systems, "system"), (truth.topics, candidate.topics, "topic")):
        lost = {"truth": set(mine) - set(other), "candidate": set(other) - set(mine)}
        if any(lost.values()):
            sides = "; ".join(f"only {side} has {listing(sorted(some), 5)}" for side, some in lost.items() if some)
            own = "" if what == "system" else "; or rank by its own topics: candidate.means()"
            raise InputError(
                f"truth and candidate do not have the same {what}s: {sides}. "
                f"Bring them together first: truth, candidate = concordant.align(truth, candidate){own}"
            )
    place = {system: k for k, system in enumerate(candidate.systems)}
    return candidate.means()[[place[system] for system in truth.systems]]
