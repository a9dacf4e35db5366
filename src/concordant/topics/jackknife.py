"""The jackknife over topics of agreements over random splits: what leaving out one topic, or two groups, changes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..arrays import FloatArray, IntArray
from .splits import CHUNK, Problem, Splits, agreements, defined, means_of


def changes_without(problem: Problem, splits: Splits) -> FloatArray:
    """Change of each point in each split when a topic is left out: splits x topics x points.

    A topic of B leaves the reference. A topic among the first k of A gives its place to the next one, so k stays
    k, except where there is no next one (k = a) and the mean is over one topic less; the shift that this causes is the
    same for all topics and leaves with the mean.
    """
    sides, points, settle = problem.sides, problem.points, problem.settle
    n, m = sides[0].values.shape
    half = splits.half
    changes = np.zeros((len(splits), n, len(points)))
    of_size = {k: [p for p, (_, size) in enumerate(points) if size == k] for k in {size for _, size in points}}
    step = max(1, CHUNK // (2 * (n + len(points)) * m))
    for lo in range(0, len(splits), step):
        chunk = Splits(splits.order[lo : lo + step], half)
        rows = np.arange(lo, lo + len(chunk))[:, None]
        reference, means = means_of(problem, chunk)
        base = defined(problem.coefficient(reference[:, None, :], means))
        in_b = chunk.order[:, half:]
        members = sides[0].values[in_b]
        less = sides[0].means(members.sum(axis=1, keepdims=True) - members, n - half - 1, settle)
        changes[rows, in_b] = defined(problem.coefficient(less[:, :, None, :], means[:, None, :, :])) - base[:, None, :]
        for k, its_points in of_size.items():
            in_a = chunk.order[:, :k]
            replaced = np.empty((len(chunk), k, len(its_points), m))
            for at, p in enumerate(its_points):
                side = sides[points[p][0]]
                members = side.values[in_a]
                sums = members.sum(axis=1, keepdims=True) - members
                if k < half:
                    sums += side.values[chunk.order[:, k]][:, None, :]
                replaced[:, :, at] = side.means(sums, k if k < half else k - 1, settle)
            found = defined(problem.coefficient(reference[:, None, None, :], replaced))
            changes[rows[:, :, None], in_a[:, :, None], its_points] = found - base[:, None, its_points]
    return changes


def mean_changes(changes: FloatArray, splits: Splits) -> tuple[FloatArray, FloatArray]:
    """Mean change by topic, minus the mean over topics; and what the noise of the splits adds to its sum of squares.

    A mean is that of the splits with the topic in A and that of those with the topic in B, weighted by the chance of
    either, so it does not depend on how often the topic happened to be in A. The noise of a split is partly the
    same for all topics, and leaves with the mean: what is summed is the rest.
    """
    n, points = changes.shape[1:]
    in_a = splits.places() < splits.half
    mean, rest = np.zeros((n, points)), np.empty_like(changes)
    for topic in range(n):
        for where, share in ((in_a[:, topic], splits.half / n), (~in_a[:, topic], 1 - splits.half / n)):
            count = int(where.sum())
            if count < 2:
                raise ValueError(
                    f"topic {topic} is {count} times in a half among {len(splits)} splits: draw more splits"
                )
            these = changes[where, topic]
            average = these.mean(axis=0)
            mean[topic] += share * average
            rest[where, topic] = share / math.sqrt(count * (count - 1)) * (these - average)
    rest -= rest.mean(axis=1, keepdims=True)
    flat = rest.reshape(-1, points)
    return mean - mean.mean(axis=0), flat.T @ flat


def interactions(
    problem: Problem,
    chosen: Sequence[int],
    splits: Splits,
    values: FloatArray,
    *,
    n_groups: int,
    n_groupings: int,
    rng: np.random.Generator,
) -> FloatArray:
    """The second differences of the chosen points, over random groups of topics; nan elsewhere."""
    second = np.full((len(problem.points), len(problem.points)), np.nan)
    if not n_groups:
        return second
    n = splits.order.shape[1]
    part = replace(problem, points=[problem.points[p] for p in chosen])
    size = math.ceil(n / n_groups)
    found, places = np.zeros((len(chosen), len(chosen))), np.array(chosen)
    for rows in np.array_split(np.arange(len(splits)), n_groupings):
        groups = rng.permutation(n)[: n // size * size].reshape(-1, size)
        used = Splits(splits.order[rows], splits.half)
        found += second_order(part, used, defined(values[np.ix_(rows, places)]), groups) / n_groupings
    second[np.ix_(places, places)] = found
    return second


def second_order(problem: Problem, splits: Splits, values: FloatArray, groups: IntArray) -> FloatArray:
    """Sum over pairs of topics of the squared second differences of each point, less the noise of the splits.

    The second difference of two disjoint groups of g topics, n T - (n - g) (T_G + T_H) + (n - 2g) T_GH, divided by n,
    is the sum of the interactions of their g^2 pairs; single topics cancel (Efron and Stein 1981 have g = 1). Groups
    hold nearly all pairs in few evaluations. Pairs with one topic in the groups remain, with weights of g / n; they add
    2 (n - 2g) / g * (g / n)^2 to the sum of squares, which is divided out. `values` are those of these splits.
    """
    n, g = splits.order.shape[1], groups.shape[1]
    first, second = np.triu_indices(len(groups), 1)
    single = _without(problem, splits, groups)
    both = _without(problem, splits, np.hstack([groups[first], groups[second]]))
    found = values[:, None] - (1 - g / n) * (single[:, first] + single[:, second]) + (1 - 2 * g / n) * both
    found -= found.mean(axis=1, keepdims=True)  # noise of a split that all pairs share leaves with the mean
    means = found.mean(axis=0)
    rest = (found - means).reshape(-1, values.shape[1])
    noise = rest.T @ rest / (len(splits) * (len(splits) - 1))
    squares = (means.T @ means - noise) / (len(first) - 1)
    squares *= math.comb(n, 2) / g**2 / (1 + 2 * g * (n - 2 * g) / n**2)
    return np.asarray(squares)


def _without(problem: Problem, splits: Splits, gone: IntArray) -> FloatArray:
    """The agreement without the topics of each row of `gone`: splits x rows x points; undefined counts as 0."""
    n = splits.order.shape[1]
    places = splits.places()[:, gone]  # splits x rows x topics
    in_a = (places < splits.half).sum(axis=2)
    out = np.empty((len(splits), len(gone), len(problem.points)))
    for count in np.unique(in_a).tolist():
        s, row = np.nonzero(in_a == count)
        stays = np.ones((len(s), n), dtype=bool)
        stays[np.arange(len(s))[:, None], places[s, row]] = False
        orders = splits.order[s][stays].reshape(len(s), n - gone.shape[1])
        out[s, row] = defined(agreements(problem, Splits(orders, splits.half - count)))
    return out
