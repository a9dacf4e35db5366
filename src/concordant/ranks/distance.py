"""The rank distance: how far a ranking is from the scores, relative to their variation over topics.

Kendall's tau counts swapped pairs. The rank distance of Carterette (2009) asks whether the swaps matter, given how the
scores of systems vary and covary over topics.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from .. import _kernels
from .._kernels.reference.distance import FIELDS, differences_of, ends_of, order_of, raised
from ..arrays import FloatArray, IntArray, Workers, require_room_for_pairs, shared_out, threads
from ..coefficients.sums import floats, refuse_not_finite
from ..data.scores import Scores
from ..errors import InputError, InputTypeError, LimitError, RegularisationWarning, counted, listing, named, warn
from ..inference.resampling import CHUNK
from ..options import checked
from ..pairing import match, two_sides
from ..read.reader import Collection, as_scores, as_topics, is_bare

LEAST_EPS = 1e-11
"""Beside the largest variance: where the covariance has no inverse, rounding and not eps decides with less."""
_LARGEST = 1e150  # its square is a float


@checked
def rank_distance(
    truth: Collection, candidate: Collection = None, *, eps: float = 1e-5, workers: Workers = 1
) -> float | FloatArray:
    """Distance of the ranking `candidate` from the scores `truth`, d_rank(candidate | truth).

    Order the systems by `candidate`, best first. Let d be the mean differences over the n topics between neighbours in
    that order, and S their covariance, with `eps` added to its diagonal. Then

        d_rank^2 = minimum over delta >= 0 of n (delta - d)' S^-1 (delta - d),

    which is Hotelling's T^2 between the observed means and the nearest means with the order of `candidate`. For two
    systems in the wrong order it is Student's paired t. It is 0 if and only if no pair has opposite orders. It has no
    upper bound and is not symmetric. `rank_test` tells whether a distance is large for this collection.

    Parameters
    ----------
    truth : Collection
        Scores on each topic, in any form that `as_scores` takes, or a topics x systems array; higher is better.
    candidate : Collection or array_like
        One score per system. Bare numbers are in the order of the truth's systems: a vector, or a batch of vectors in
        an array with the systems on its last axis. Labelled scores (Scores, a file, a frame, a mapping or Series) are
        matched by name, and must have the same systems as the truth. If they have topics, these must be the same, too,
        and the means are used.
    eps : float
        Added to the variances, in squared units of the scores; by default the paper's value. It matters if there are
        not more topics than systems, with a `RegularisationWarning`. Then it is at least 1e-11 of the largest variance,
        because rounding would dominate a smaller value. If it is not small compared with the variances, it determines
        the result instead of the topics, with a warning.
    workers : int or Executor
        Threads for a batch, or an executor of concurrent.futures. The result is the same to the last bit.

    Returns
    -------
    float or ndarray
        A float for one ranking, otherwise an array of the leading shape of `candidate`.

    See Also
    --------
    rank_test : Could this ranking be the true one, given the topics?
    discriminative_power : Which significant differences a ranking confirms.

    Notes
    -----
    Systems tied in `candidate` have no order among themselves. The nearest means then only need to keep every system at
    or above all systems of the next group. `eps` / 2 is added to the variance of each system, so that a difference has
    `eps`. Neither the order of the systems nor ties in the truth matter.

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
    truth, candidate = two_sides(truth, candidate)
    given = as_topics(truth, "truth")
    problem = Problem.of(given.observations(), eps, "the rank distance")
    scores = rankings_beside(given, candidate)
    problem.warn()
    values = problem.distances(scores.reshape(-1, problem.m), workers=workers)
    return float(values[0]) if scores.ndim == 1 else values.reshape(scores.shape[:-1])


def rankings_beside(truth: Scores, candidate: Collection) -> FloatArray:
    """Return the candidate as scores in the order of the truth's systems: a vector, or for bare numbers a batch."""
    if is_bare(candidate):
        scores = floats(candidate, "candidate")
        m = len(truth.systems)
        if scores.shape[-1] != m:
            raise InputError(
                f"truth has {counted(m, 'system')} and candidate {scores.shape[-1]}: candidate needs one score per "
                f"system, in the order of the truth's (last axis; shape {scores.shape})"
            )
        if not np.isfinite(scores).all():
            refuse_not_finite(scores, "candidate")
        return scores
    if isinstance(candidate, list | tuple) and candidate and all(name in truth.systems for name in candidate):
        raise InputTypeError(
            "candidate is a list of names of systems: a ranking is passed as scores, never as a list of names; give "
            "one score per system, such as {name: score}"
        )
    side = as_scores(candidate, "candidate").complete()
    by_topic = isinstance(side, Scores)
    found = match([truth, side], ("truth", "candidate"), "both" if by_topic else "systems")
    lost = [
        f"only {name} has {counted(len(labels), noun)}: {listing(labels, 5)}"
        for noun, kept, own in (("system", found.systems, "systems"), ("topic", found.topics, "topics"))
        for name, given in (("truth", truth), ("candidate", side))
        if (labels := sorted(set(getattr(given, own)) - set(kept))) and (noun == "system" or by_topic)
    ]
    if lost:
        own = "; or rank by its own topics: candidate.means()" if len(found.topics) < len(side.topics) else ""
        raise InputError(
            f"truth and candidate do not have the same systems and topics ({'; '.join(lost)}). Select those that both "
            f"have first: truth, candidate = concordant.pair(truth, candidate){own}"
        )
    return np.asarray(found.candidates[0].means())


class Projection(NamedTuple):
    """The nearest means with a given order, as differences between neighbours in that order."""

    order: IntArray
    """The systems, best first."""
    ends: IntArray
    """Ends of groups of tied systems in the order; empty without ties."""
    d: FloatArray
    """The observed differences."""
    delta: FloatArray
    """The nearest differences with the order: not negative, except between tied systems."""
    dual: FloatArray
    """v in delta = d + S v; without ties positive only where delta is 0."""
    distance: float


class Problem(NamedTuple):
    """A collection with its means and covariance, computed once for all rankings."""

    scores: Scores
    means: FloatArray
    covariance: FloatArray
    eps: float
    doubts: tuple[str, ...]
    """Reasons to doubt a distance: too few topics, or too large an eps. Public functions warn of them."""

    @classmethod
    def of(cls, truth: Collection, eps: float, what: str) -> Problem:
        """Check a collection; `what` names the result in the doubts."""
        scores = as_topics(truth, "truth")
        n, m = scores.values.shape
        used = eps
        require_room_for_pairs(m, what, 5)
        centred = scores.values - scores.values.mean(axis=0)
        if np.abs(centred).max(initial=0.0) > _LARGEST:
            largest = float(np.abs(scores.values).max())
            raise LimitError(
                f"truth has scores of up to {largest:.3g}, and the rank distance needs their variances, which no float "
                f"can hold: divide all scores by 1e{math.floor(math.log10(largest))}, which changes no ranking"
            )
        covariance = np.ascontiguousarray(centred.T @ centred / (n - 1))
        doubts = []
        if m >= n:
            used = max(used, LEAST_EPS * float(covariance.diagonal().max()))
            raised = f" (eps = {eps:g} is lost in float64 beside such variances)" if used > eps else ""
            doubts.append(
                f"{counted(m, 'system')} on {counted(n, 'topic')}: {what} needs more topics than systems, so it was "
                f"regularised by eps = {used:g}{raised}, and p-values are not valid; take more topics or fewer systems "
                f"({named('Scores.select')})"
            )
        variance = float(covariance.diagonal().mean())
        if variance < used and centred.any():
            doubts.append(
                f"the scores of a system vary from topic to topic by {math.sqrt(variance):.2g} on average, little "
                f"beside sqrt(eps) = {math.sqrt(used):.2g}: eps, not the topics, decides {what}; give a smaller eps, "
                f"such as {max(1e-4 * variance, 1e-300):.0e}, or multiply all scores by one number"
            )
        return cls(scores, scores.means(), covariance, used, tuple(doubts))

    def warn(self) -> None:
        """Warn of the doubts."""
        for doubt in self.doubts:
            warn(doubt, RegularisationWarning)

    @property
    def n(self) -> int:
        """Number of topics."""
        return len(self.scores.topics)

    @property
    def m(self) -> int:
        """Number of systems."""
        return len(self.scores.systems)

    def distances(self, candidate: FloatArray, *, workers: Workers = 1) -> FloatArray:
        """Compute d_rank of each row of scores."""
        step = len(candidate) if isinstance(workers, int) else CHUNK
        pieces = (candidate[lo : lo + step] for lo in range(0, len(candidate), max(1, step)))
        solve = partial(self._solve, workers=threads(workers))
        return np.concatenate([np.empty(0), *shared_out(solve, pieces, workers)])

    def project(self, candidate: FloatArray) -> Projection:
        """Find the nearest means in the order of one vector of scores."""
        dual = np.empty((1, self.m - 1))
        distance = self._solve(candidate[None], 1, dual)
        order = order_of(candidate, self.means)
        ends = ends_of(candidate[order])
        d = -np.diff(self.means[order])
        v = dual[0]
        if ends.size:
            s = differences_of(raised(self.covariance, self.eps), order, 0.0)
            delta = d + s @ v
        else:
            s = differences_of(self.covariance, order, self.eps)
            delta = np.where(v > 0, 0.0, np.maximum(d + s @ v, 0.0))  # already d + S v, up to rounding
        return Projection(order, ends, d, delta, v, float(distance[0]))

    def _solve(self, candidate: FloatArray, workers: int, duals: FloatArray | None = None) -> FloatArray:
        def solve(kernels: Any, rows: IntArray, out: FloatArray) -> None:
            found = np.empty((0 if duals is None else len(rows), self.m - 1))
            some = np.ascontiguousarray(candidate[rows])
            kernels.rank_distances(self.covariance, self.means, some, self.eps, out, found, workers)
            if duals is not None:
                duals[rows] = found

        return np.sqrt(self.n * solved(solve, len(candidate), self.eps))


def solved(solve: Callable[[Any, IntArray, FloatArray], None], count: int, eps: float) -> FloatArray:
    """Compute squared distances of `count` rows by the active kernels, or by the reference where these fail."""
    out = np.empty((count, FIELDS))
    solve(_kernels.active, np.arange(count), out)
    again = np.flatnonzero(out[:, 1] < 0)
    if again.size:
        better = np.empty((again.size, FIELDS))
        solve(_kernels.reference, again, better)
        out[again] = better
    lost = int((out[:, 1] < 0).sum())
    if lost:
        raise LimitError(
            f"no solution was found for {counted(lost, 'ranking')}: eps = {eps:g} is too small beside the variances "
            "for float64; give a larger one, or divide the scores by their range"
        )
    return out[:, 0]
