"""The rank distance, which says how far a ranking is from scores that vary over topics, and its test.

Kendall's tau counts swapped pairs. The rank distance of Carterette (2009) asks whether the swaps matter, given how the
scores of systems vary and covary over topics. `rank_test` tests whether a ranking could be the true one.
`discriminative_power` is the share of the significant differences that a ranking confirms.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from .. import _kernels
from .._kernels.reference.distance import FIELDS, differences_of, ends_of, order_of, raised
from ..arrays import FloatArray, IntArray, Workers, require_room_for_pairs, shared_out, threads
from ..coefficients.sums import floats, refuse_not_finite
from ..data.means import ROUNDING, mean_over_topics
from ..data.results import Estimate, Findings, settings_of
from ..data.scores import Scores
from ..errors import (
    InputError,
    InputTypeError,
    LimitError,
    RegularisationWarning,
    UndefinedCorrelationWarning,
    counted,
    listing,
    named,
    p_cell,
    p_equals,
    warn,
)
from ..inference.adjustment import holm
from ..inference.resampling import (
    CHUNK,
    Progress,
    Resampling,
    Seed,
    in_blocks,
    is_borderline,
    over_resamples,
    resampled_means,
)
from ..options import checked
from ..pairing import match, two_sides
from ..read.reader import Collection, as_scores, as_topics, is_bare

RankTestMethod: TypeAlias = Literal["recentred", "paper"]
Correction: TypeAlias = Literal["holm"]
_EQUAL = 1e-9  # distances whose relative difference is smaller than this differ only by rounding
LEAST_EPS = 1e-11
"""Smallest eps, relative to the largest variance. If eps is smaller and the covariance has no inverse, the result
depends on rounding instead of eps."""
_LARGEST = 1e150  # the square of this number is still finite


@checked
def rank_distance(
    truth: Collection, candidate: Collection = None, *, eps: float = 1e-5, workers: Workers = 1
) -> float | FloatArray:
    """Compute the distance of the ranking `candidate` from the scores `truth`, d_rank(candidate | truth).

    Order the systems by `candidate`, best first. Let d be the mean differences over the n topics between neighbours in
    that order, and S their covariance, with `eps` added to its diagonal. Then

        d_rank^2 = minimum over delta >= 0 of n (delta - d)' S^-1 (delta - d),

    which is Hotelling's T^2 between the observed means and the nearest means with the order of `candidate`. For two
    systems in the wrong order the distance is Student's paired t. It is 0 if and only if no pair has opposite orders.
    It has no upper bound and is not symmetric. `rank_test` tells whether a distance is large for this collection.

    Parameters
    ----------
    truth : Collection
        Scores on each topic, in any form that `as_scores` takes, or a topics x systems array; higher is better.
    candidate : Collection or array_like
        One score per system. Bare numbers are in the order of the truth's systems: a vector, or a batch of vectors in
        an array with the systems on its last axis. Labelled scores (Scores, a file, a frame, a mapping or Series) are
        matched by name, and must have the same systems as the truth. If they have topics, these must be the truth's
        topics, and the means over them are used.
    eps : float
        Added to the variances, in squared units of the scores; by default the paper's value. It matters if there are
        no more topics than systems; a `RegularisationWarning` then says so. The value used is then at least 1e-11 of
        the largest variance, because rounding would dominate a smaller value. If it is not small compared with the
        variances, the result depends on it and not on the topics, and a warning says so.
    workers : int or Executor
        Threads for a batch, or an executor of concurrent.futures. The result is the same to the last bit with any
        number of workers.

    Returns
    -------
    float or ndarray
        A float for one ranking, otherwise an array with the shape of `candidate` without its last axis.

    See Also
    --------
    rank_test : Test whether a ranking could be the true one, given the topics.
    discriminative_power : Compute the share of significant differences that a ranking confirms.

    Notes
    -----
    Systems tied in `candidate` have no order among themselves. In the nearest means, each system then only needs to be
    at or above all systems of the next group. `eps` / 2 is added to the variance of each system, which adds `eps` to
    the variance of a difference. Neither the order of the systems nor ties in the truth matter.

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
    """Return the candidate's scores in the order of the truth's systems: one vector, or a batch from bare numbers."""
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
            "candidate is a list of system names: a ranking is passed as scores, never as a list of names; give "
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
            f"truth and candidate do not have the same systems and topics ({'; '.join(lost)}). First select those "
            f"that both have: truth, candidate = concordant.pair(truth, candidate){own}"
        )
    return np.asarray(found.candidates[0].means())


class Projection(NamedTuple):
    """The nearest means with a given order, as differences between neighbours in that order."""

    order: IntArray
    """The systems, best first."""
    ends: IntArray
    """Where each group of tied systems ends in the order; empty without ties."""
    delta: FloatArray
    """Differences between neighbours in the nearest means: not negative, except between tied systems."""
    dual: FloatArray
    """v in delta = d + S v. Without ties, v is positive only where delta is 0."""
    distance: float


class Problem(NamedTuple):
    """A collection with its means and covariance, computed once for all rankings."""

    scores: Scores
    means: FloatArray
    covariance: FloatArray
    eps: float
    doubts: tuple[str, ...]
    """Reasons to doubt a distance: too few topics, or too large an eps. Public functions issue these as warnings."""

    @classmethod
    def of(cls, truth: Collection, eps: float, what: str) -> Problem:
        """Check a collection, and compute its means and covariance. `what` names the result in the doubts."""
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
            regularised = "" if what == "the study" else f"it was regularised by eps = {used:g}{raised}, and "
            doubts.append(
                f"{counted(m, 'system')} on {counted(n, 'topic')}: {what} needs more topics than systems, so "
                f"{regularised}p-values are not valid; take more topics or fewer systems ({named('Scores.select')})"
            )
        variance = float(covariance.diagonal().mean())
        if variance < used and centred.any():
            doubts.append(
                f"the scores of a system vary from topic to topic by {math.sqrt(variance):.2g} on average, little "
                f"beside sqrt(eps) = {math.sqrt(used):.2g}: eps, not the topics, decides {what}; give a smaller eps, "
                f"such as {max(1e-4 * variance, 1e-300):.0e}, or multiply all scores by a constant"
            )
        return cls(scores, scores.means(), covariance, used, tuple(doubts))

    def warn(self) -> None:
        """Issue each doubt as a warning."""
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
        return Projection(order, ends, delta, v, float(distance[0]))

    def _solve(self, candidate: FloatArray, workers: int, duals: FloatArray | None = None) -> FloatArray:
        def solve(kernels: Any, rows: IntArray, out: FloatArray) -> None:
            found = np.empty((0 if duals is None else len(rows), self.m - 1))
            some = np.ascontiguousarray(candidate[rows])
            kernels.rank_distances(self.covariance, self.means, some, self.eps, out, found, workers)
            if duals is not None:
                duals[rows] = found

        return np.sqrt(self.n * solved(solve, len(candidate), self.eps))


def solved(solve: Callable[[Any, IntArray, FloatArray], None], count: int, eps: float) -> FloatArray:
    """Compute squared distances of `count` rows by the active kernels, or by the reference ones if the active fail."""
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
            f"no solution was found for {counted(lost, 'ranking')}: eps = {eps:g} is too small for such variances "
            "in float64; give a larger one, or divide the scores by their range"
        )
    return out[:, 0]


@checked
def rank_test(  # noqa: PLR0913
    truth: Collection,
    candidate: Collection = None,
    *,
    method: RankTestMethod = "recentred",
    n_resamples: int = 9_999,
    alpha: float = 0.05,
    eps: float = 1e-5,
    rng: Seed = None,
    workers: Workers = 1,
    progress: Progress | None = None,
) -> Findings:
    """Test whether the ranking `candidate` could be the true one, given how systems vary over the topics of `truth`.

    The hypothesis is that over the population of topics the systems rank as in `candidate`; systems tied in `candidate`
    may have any order. The statistic is `rank_distance`, and its null distribution comes from resampling topics.

    - "recentred": shift each system's scores so that their means are the nearest ones with the ranking `candidate`,
      resample topics, and compute the distance of that ranking again, with new means and covariance.
      p = (1 + number of resamples with at least the observed distance) / (1 + number of resamples). The test keeps its
      level (docs/guide/rank-distance.md).
    - "paper": rank the systems by the means of resampled topics, and compute how far these rankings are from the truth.
      p = the share of these rankings that are at least as far from the truth as `candidate` (the paper's algorithm 2).
      This test rejects true rankings far too often, and more often the more systems there are. Use it only to reproduce
      papers.

    Parameters
    ----------
    truth : Collection
        Scores on each topic, in any form that `as_scores` takes, or a topics x systems array; higher is better.
    candidate : Collection or array_like
        One score per system, as in `rank_distance`: one ranking.
    method : {"recentred", "paper"}
        How the null distribution is computed.
    n_resamples : int
        Number of resamples. More than 10,000 topics are resampled in random blocks (docs/guide/rank-distance.md).
    alpha : float
        Significance level, for the critical value and the verdict.
    eps : float
        Added to the variances, as in `rank_distance`.
    rng : int, Generator or None
        The same seed gives exactly the same result with any number of workers.
    workers : int or Executor
        Threads, or an executor of concurrent.futures.
    progress : callable, optional
        Called with the number of resamples done and the total.

    Returns
    -------
    Findings
        `pvalue`, with its Monte Carlo error `standard_error`, `distance`, and `critical_value`: larger distances are
        significant at level `alpha`; it is infinite if there are too few resamples for that level. `distances` has the
        distance of each resample, in the order drawn. `significant`: whether p is at most `alpha`; `borderline`:
        whether p is so close to `alpha` that another seed could decide differently.

    See Also
    --------
    rank_distance : Compute how far a ranking is from the scores, in standard errors.
    compare : Compute all coefficients between a truth and its candidates.

    References
    ----------
    B. Carterette (2009). On Rank Correlation and the Distance Between Rankings. SIGIR, section 3.2.

    Examples
    --------
    >>> import numpy as np, concordant as cc
    >>> scores = np.random.default_rng(1).random((50, 8)) + np.linspace(0, 0.2, 8)
    >>> print(cc.rank_test(scores, [1, 2, 3, 4, 5, 6, 8, 7], n_resamples=999, rng=1))
    50 topics are too few to rule out the candidate's ranking (p = 0.706)
    <BLANKLINE>
      rank distance        1.1120
      p-value               0.706   standard error 0.0144
      critical value          3.2   alpha = 0.05
      recentred bootstrap, 999 resamples of 50 topics, 8 systems

    """
    truth, candidate = two_sides(truth, candidate)
    how = Resampling.of(n_resamples, rng, workers, progress)
    scores = as_topics(truth, "truth")
    problem = Problem.of(scores.observations(), eps, "the test")
    unit = "topic" if scores.groups is None else "group"
    found = rank_test_of(problem, rankings_beside(scores, candidate), method, how, alpha, unit)
    problem.warn()
    groups = {} if scores.groups is None else {"groups": problem.n}
    return replace(found, data=scores, settings={**found.settings, **groups})


def rank_test_of(
    problem: Problem,
    candidate: FloatArray,
    method: RankTestMethod | None,
    how: Resampling,
    alpha: float = 0.05,
    unit: str = "topic",
) -> Findings:
    """Run `rank_test` on checked scores whose systems are in the same order. Doubts become notes, not warnings.

    If `method` is None, compute only the distance, because the test needs more topics than systems.
    """
    if candidate.ndim != 1:
        raise InputError(
            f"candidate has shape {candidate.shape}: a test takes one ranking at a time. rank_distance takes many"
        )
    found, notes = problem.project(candidate), problem.doubts
    topics, systems = counted(problem.n, unit), counted(problem.m, "system")
    p, error, critical, distances = math.nan, math.nan, math.nan, np.empty(0)
    significant: bool | None = None
    borderline: bool | None = None
    answer = "Rank test not run: it needs more topics than systems"
    if method is not None:
        paper = method == "paper"
        distances = paper_distances(problem, how) if paper else _recentred_distances(problem, found, how)
        # Under the hypothesis the observed collection is one more draw, so it is counted. The paper's p does not
        # count it.
        p = share_as_far(distances, found.distance, int(not paper))
        error = math.sqrt(p * (1 - p) / len(distances))
        critical = critical_value(distances, alpha, int(not paper))
        significant, borderline = p <= alpha, bool(is_borderline(p, alpha, len(distances)))
        doubt = f", borderline: Monte Carlo error {error:.4f}" if borderline else ""
        says = "rule out" if significant else "are too few to rule out"
        answer = f"{topics} {says} the candidate's ranking ({p_equals(p)}{doubt})"
        if paper and problem.m < problem.n:
            notes += ("this test rejects true rankings too often; method='recentred' keeps its level",)
    row = {"distance": found.distance, "pvalue": p, "standard_error": error, "critical_value": critical, "alpha": alpha}
    return Findings(
        kind="RankTest",
        answer=answer,
        numbers={**row, "significant": significant, "borderline": borderline},
        beside={"distances": distances},
        lines=[row],
        shown=f"  rank distance    {found.distance:10.4f}\n"
        f"  p-value          {p_cell(p):>10}   standard error {error:.4f}\n"
        f"  critical value   {critical:10.1f}   alpha = {alpha:g}\n"
        f"  {method or 'recentred'} bootstrap, {len(distances):,} resamples of {topics}, {systems}",
        figure="distributions.rank_test",
        notes=notes,
        settings=settings_of(
            seed=how.seed,
            n_resamples=len(distances),
            method=method or "recentred",
            n_topics=problem.n,
            n_systems=problem.m,
            eps=problem.eps,
            measure=problem.scores.measure,
        ),
    )


def share_as_far(distances: FloatArray, distance: float, observed: int = 0) -> float:
    """Compute the share of distances that are at least `distance`.

    `observed` is a number of further distances that count as at least `distance`.
    """
    return int(np.count_nonzero(distances >= distance * (1 - _EQUAL)) + observed) / (len(distances) + observed)


def critical_value(distances: FloatArray, alpha: float = 0.05, observed: int = 0) -> float:
    """Find the 1 - alpha quantile of distances; distances above it have a p-value of at most alpha.

    The quantile is infinite if there are too few distances for such a p-value.
    """
    allowed = int(np.floor(alpha * (len(distances) + observed) + 1e-9)) - observed
    return float("inf") if allowed < 0 else float(np.sort(distances)[::-1][allowed])


def paper_distances(problem: Problem, how: Resampling) -> FloatArray:
    """Rank the systems by resampled topics, and compute how far these rankings are from the collection.

    This is algorithm 2 of carterette2009.
    """
    values = in_blocks(problem.scores.values)
    return np.concatenate(list(over_resamples(partial(_paper, problem, values, how.threads), len(values), how)))


def _paper(problem: Problem, values: FloatArray, workers: int, weights: IntArray) -> FloatArray:
    means = resampled_means(values, weights, workers=workers)
    return problem.distances(means, workers=workers)


def _recentred_distances(problem: Problem, found: Projection, how: Resampling) -> FloatArray:
    """Shift the collection so that a ranking is true, and compute how far the ranking is from resamples of it.

    Each system's scores are shifted so that the means are the nearest ones with that ranking; resampling then shows
    which distances arise by chance alone. Means and covariance are computed again for each resample.
    """
    ordered = problem.scores.values[:, found.order]
    if found.ends.size:
        # a shift that all systems share does not change their order
        columns = ordered - ordered.mean(axis=1, keepdims=True)
        projection = _in_order(-np.append(0.0, np.cumsum(found.delta)), found.ends)
    else:
        columns, projection = ordered[:, :-1] - ordered[:, 1:], found.delta
    columns = in_blocks(np.ascontiguousarray(columns - columns.mean(axis=0)))
    # A resample may have no more distinct topics than systems, so eps must not be too small. The mean of a block of k
    # topics has 1 / k of the variance of a topic, so eps is scaled down in the same way.
    eps = max(problem.eps, LEAST_EPS * float(problem.covariance.diagonal().max())) * (len(columns) / problem.n)
    work = partial(_recentred, columns, projection, found.ends, eps, how.threads)
    return np.concatenate(list(over_resamples(work, len(columns), how)))


def _in_order(means: FloatArray, ends: IntArray) -> FloatArray:
    """Remove rounding errors that lift a mean above the means of a better group; `means` has the best system first."""
    starts = np.append(0, ends[:-1])
    lowest = np.minimum.accumulate(np.minimum.reduceat(means, starts))
    return np.asarray(np.minimum(means, np.repeat(np.append(np.inf, lowest[:-1]), np.diff(ends, prepend=0))))


def _recentred(
    columns: FloatArray, projection: FloatArray, ends: IntArray, eps: float, workers: int, weights: IntArray
) -> FloatArray:
    def solve(kernels: Any, rows: IntArray, out: FloatArray) -> None:
        kernels.recentred_distances(columns, projection, ends, weights[rows], eps, out, workers)

    return np.sqrt(len(columns) * solved(solve, len(weights), eps))


@checked
def discriminative_power(
    truth: Collection, candidate: Collection = None, *, alpha: float = 0.05, correction: Correction | None = None
) -> Estimate:
    """Compute the share of the significant differences in `truth` that have the same order in `candidate`.

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
        None, as in the paper: each pair is tested at level alpha. "holm": level alpha holds for all pairs together.

    Returns
    -------
    Estimate
        `float(found)` is the share.

    See Also
    --------
    significance_agreement : Count the significant differences that both sides find.
    rank_test : Test whether a ranking could be the true one, given the topics.

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
    """Compute two-sided p-values of the paired t-test for each pair of columns, in the order of np.triu_indices.

    If a pair has the same difference on every topic, p = 0, or p = 1 if that difference is 0 up to rounding.
    """
    from scipy.special import stdtr

    n, m = values.shape
    # Scale by a power of two into [-1, 1], so that squares cannot overflow. This does not change t.
    values = np.ldexp(values, -int(np.frexp(np.abs(values).max())[1]))
    found = []
    for j in range(m - 1):
        difference = values[:, j, None] - values[:, j + 1 :]
        mean = mean_over_topics(difference)
        spread = difference.std(axis=0, ddof=1)
        # A spread this small is a rounding error: the scores differ by a constant.
        constant = spread <= 1e-14 * np.abs(values).max()
        identical = np.abs(difference).max(axis=0) <= ROUNDING
        t = np.sqrt(n) * np.abs(mean) / np.where(constant, 1.0, spread)
        found.append(np.where(identical, 1.0, np.where(constant, 0.0, 2 * stdtr(n - 1, -t))))
    return np.concatenate(found)
