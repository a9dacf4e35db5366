"""`rank_loss`: the rank distance as something to minimise, for learning to rank."""

from __future__ import annotations

import numpy as np

from ..arrays import FloatArray
from ..errors import InputError
from ..options import checked
from ..pairing import two_sides
from ..read.door import Collection, as_topics
from .distance import Problem, rankings_beside


@checked
def rank_loss(
    truth: Collection, candidate: Collection = None, *, eps: float = 1e-5, margin: float = 1.0, shrinkage: float = 0.0
) -> tuple[float, FloatArray]:
    """Squared rank distance between scores and the order that the truth gives, and its gradient by the scores.

    Made for learning to rank the documents of one query: the rows of `truth` are users or judges, its columns are
    documents, and `candidate` has the scores of a model. `rank_distance` depends on these through their order alone;
    so its gradient is 0 or undefined. Here the two sides change places. Order the columns by their means over the n
    rows of the truth, best first. Let g be the differences between neighbours of these means, f those of the scores,
    and S the covariance of the differences over the rows, with `eps` added to its diagonal. Then

        loss = minimum over delta >= margin g of n (delta - f)' S^-1 (delta - f).

    Differences on which the users agree cost much, the others little. The loss is convex in the scores. It is 0 if, and
    only if, they have the order of the truth and every difference between neighbours is at least `margin` times that of
    the means.

    Parameters
    ----------
    truth : Collection
        Scores of each column on each row, in any form that `as_scores` takes, or an array of users x documents; higher
        is better.
    candidate : Collection or array_like
        The scores to be trained, one for each column: bare numbers in the order of the truth's columns, or anything
        with labels, which is matched by name.
    eps : float
        What is added to the variances of the differences, in squared units of the scores, as in `rank_distance`.
    margin : float
        The share of the truth's differences that the scores must have, at least 0. With 0 the loss is the paper's
        squared distance of the truth's order from means that are the scores; equal scores have no loss then, so the
        scale has to be fixed in another way. For scores that are linear in what is trained every other margin gives the
        same ranking.
    shrinkage : float
        The share of the covariance of the columns, from 0 to 1, that is replaced by their mean variance on the
        diagonal. With few users the covariance is mostly noise, and with fewer users than documents it has no inverse:
        0.5 did well in the experiments of docs/papers.

    Returns
    -------
    tuple of float and ndarray
        The loss, and its gradient, one number for each score: what `scipy.optimize.minimize` takes with `jac=True`.

    See Also
    --------
    rank_distance : How far a ranking is from the scores, in standard errors.

    Notes
    -----
    The loss is a quadratic program. By the envelope theorem its derivative by a difference f is minus twice the
    multiplier of the constraint on it, which the solver of `rank_distance` returns. Columns that are tied in the truth
    may come in any order, as in `rank_distance`.

    References
    ----------
    B. Carterette (2009). On Rank Correlation and the Distance Between Rankings. SIGIR, section 5.

    Examples
    --------
    Four users and three documents. The users agree that A is the worst, and not on B and C:

    >>> import concordant as cc
    >>> users = [[0.04, 0.55, 0.51], [0.39, 0.55, 0.56], [0.10, 0.60, 0.63], [0.11, 0.61, 0.66]]
    >>> loss, gradient = cc.ranks.rank_loss(users, [0.16, 0.60, 0.58])  # B and C swapped
    >>> print(f"{loss:.2f}", gradient.round())  # falls as B falls and C rises
    2.81 [   0.  173. -173.]

    """
    truth, candidate = two_sides(truth, candidate)
    given = as_topics(truth, "truth")
    problem = Problem.of(given.observations(), eps, "the loss", shrinkage)
    scores = rankings_beside(given, candidate)
    if scores.ndim != 1:
        raise InputError(f"candidate has shape {scores.shape}: give one score for each column of the truth")
    problem.warn()
    # delta - margin g >= 0 is the constraint of the distance, if the scores lack so much of their differences.
    found = problem._replace(means=scores - margin * problem.means).project(problem.means)
    slope = 2 * problem.n * found.dual  # of the loss, where a difference falls
    gradient = np.zeros(problem.m)
    gradient[found.order[:-1]] -= slope
    gradient[found.order[1:]] += slope
    return found.distance**2, gradient
