"""`ranking_probability`: how probable a ranking is, as the normal integral over the means that have it."""

from __future__ import annotations

import math

import numpy as np

from .._kernels.reference.distance import differences_of, ends_of, order_of, raised
from ..arrays import FloatArray
from ..errors import InputError
from ..inference.resampling import Seed
from ..options import checked
from ..pairing import two_sides
from ..read.door import Collection, as_topics
from .distance import Problem, rankings_beside

_SHIFTS = 12  # of the lattice, drawn at random


@checked
def ranking_probability(
    truth: Collection, candidate: Collection = None, *, eps: float = 1e-5, n_points: int = 20_000, rng: Seed = None
) -> float:
    """Probability of the ranking `candidate`, if means over topics are normal around those of `truth`.

    Order the systems by `candidate`, best first. Let d be the means over the n topics of the differences between
    neighbours in that order, and S their covariance, with `eps` added to its diagonal. Then the probability is that
    of a normal vector with mean d and covariance S / n to be positive throughout: the integral over the region that
    belongs to the ranking. Systems that are tied in `candidate` may come in any order, as in `rank_distance`.

    It says how often n other topics would rank the systems exactly so, if the observed means were the true ones. It is
    not the p-value of `rank_test`, which counts all rankings that are at least as far; with three systems in the wrong
    order by one swap of neighbours that cannot be told apart, both are nearly the same. With many systems every single
    ranking is improbable.

    Parameters
    ----------
    truth : Collection
        Scores on each topic, in any form that `as_scores` takes, or a topics x systems array; higher is better.
    candidate : Collection or array_like
        One score per system, as in `rank_distance`: one ranking.
    eps : float
        What is added to the variances, as in `rank_distance`.
    n_points : int
        Points of the integration, which are shared out to 12 lattices.
    rng : int, Generator or None
        Seed of the random shifts of the lattices.

    Returns
    -------
    float
        Between 0 and 1. With 20,000 points off by less than 1e-4 for up to 25 systems, or 1e-3 where some are tied.

    See Also
    --------
    rank_distance : How far a ranking is from the scores, in standard errors.
    rank_test : Could this ranking be the true one, given the topics?

    Notes
    -----
    The integral is that of Genz: the variables are taken one by one, each given those before it, on randomly shifted
    lattices.

    References
    ----------
    B. Carterette (2009). On Rank Correlation and the Distance Between Rankings. SIGIR, section 3.2.
    A. Genz (1992). Numerical Computation of Multivariate Normal Probabilities. Journal of Computational and Graphical
    Statistics 1(2).

    Examples
    --------
    >>> import concordant as cc
    >>> ap = [[0.04, 0.55, 0.51], [0.39, 0.55, 0.56], [0.10, 0.60, 0.63], [0.11, 0.61, 0.66]]
    >>> print(f"{cc.ranks.ranking_probability(ap, [1, 2, 3], rng=1):.3f}")  # as in the truth
    0.741
    >>> print(f"{cc.ranks.ranking_probability(ap, [1, 3, 2], rng=1):.3f}")  # B and C swapped
    0.259

    """
    truth, candidate = two_sides(truth, candidate)
    points, random = n_points, np.random.default_rng(rng)
    given = as_topics(truth, "truth")
    problem = Problem.of(given.observations(), eps, "the probability")
    scores = rankings_beside(given, candidate)
    if scores.ndim != 1:
        raise InputError(f"candidate has shape {scores.shape}: give one ranking at a time, one score per system")
    problem.warn()
    order = order_of(scores, problem.means)
    ends = ends_of(scores[order])
    if ends.size:  # every system is at most as good as all of the group before
        starts = np.append(0, ends[:-1])
        before = [slice(starts[max(g - 1, 0)], starts[g]) for g in range(len(ends)) for _ in range(starts[g], ends[g])]
        covariance = raised(problem.covariance, problem.eps)[np.ix_(order, order)] / problem.n
        return _below(problem.means[order], covariance, before, math.inf, points, random)
    d = np.diff(problem.means[order])  # below 0, where the order is kept
    covariance = differences_of(problem.covariance, order, problem.eps) / problem.n
    hardest_first = np.argsort(-d / np.sqrt(covariance.diagonal()), kind="stable")
    covariance = covariance[np.ix_(hardest_first, hardest_first)]
    return _below(d[hardest_first], covariance, [slice(0)] * len(d), 0.0, points, random)


def _below(
    mean: FloatArray, covariance: FloatArray, before: list[slice], top: float, points: int, rng: np.random.Generator
) -> float:
    """The probability that no variable of a normal vector exceeds `top`, nor one of those in its slice of `before`."""
    from scipy.special import ndtr, ndtri

    factor = np.linalg.cholesky(covariance)
    dimensions = len(mean)
    each = math.ceil(points / _SHIFTS)
    roots = np.sqrt(_primes(dimensions))
    found = []
    for shift in rng.random((_SHIFTS, dimensions)):
        at = np.abs(2 * ((np.arange(1, each + 1)[:, None] * roots + shift) % 1) - 1)
        chosen, values = np.zeros((each, dimensions)), np.zeros((each, dimensions))
        weight = np.ones(each)
        for k in range(dimensions):
            # The k-th variable is low enough if its deviate, given those before, is below this bound.
            centre = mean[k] + chosen[:, :k] @ factor[k, :k]
            bound = (values[:, before[k]].min(axis=1, initial=top) - centre) / factor[k, k]
            share = ndtr(bound)
            weight *= share
            # The deviate has a normal distribution cut off at the bound.
            chosen[:, k] = ndtri(np.clip(at[:, k] * share, 1e-300, 1 - 1e-16))
            values[:, k] = centre + factor[k, k] * chosen[:, k]
        found.append(float(weight.mean()))
    return float(np.clip(np.mean(found), 0.0, 1.0))


def _primes(count: int) -> FloatArray:
    """The first ones: their roots make the lattice."""
    found: list[int] = []
    candidate = 2
    while len(found) < count:
        if all(candidate % p for p in found):
            found.append(candidate)
        candidate += 1
    return np.array(found, dtype=np.float64)
