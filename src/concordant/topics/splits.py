"""Random splits of the topics, and how the sides' rankings on one half agree with the truth's on the other.

The topics are split at random into A (a = n // 2 topics) and B (the others). The reference is the truth's ranking on B.

A coefficient is any function f(truth_rows, candidate_rows) whose last axis holds the systems and whose leading axes
broadcast as in NumPy. Where it is undefined (nan: all systems tied on a side) the agreement is 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ..arrays import FloatArray, IntArray

Formula: TypeAlias = Callable[[FloatArray, FloatArray], float | FloatArray]
Settle: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]

FEWEST = 10  # topics: below, a half has too few to rank anything and the jackknife too few to be trusted
GRID = 12  # sizes at which the curves are computed
CHUNK = 2**21  # floats of the largest array at a time


@dataclass(frozen=True)
class Splits:
    """Random orders of the topics; the first `half` topics of an order are A, in that order, the others B."""

    order: IntArray
    half: int

    def __len__(self) -> int:
        return len(self.order)

    def first(self, count: int) -> Splits:
        return Splits(self.order[:count], self.half)

    def places(self) -> IntArray:
        """places[s, t]: where topic t stands in order s."""
        places = np.empty_like(self.order)
        np.put_along_axis(places, self.order, np.arange(self.order.shape[1])[None, :], axis=1)
        return places


def draw_splits(n: int, n_splits: int, rng: np.random.Generator) -> Splits:
    """Independent random orders of n topics, cut in the middle."""
    if n < FEWEST:
        raise ValueError(
            f"there are {n} topics: worth needs at least {FEWEST}, because the reference and the candidate are "
            "computed on halves that share no topic"
        )
    return Splits(rng.permuted(np.tile(np.arange(n), (n_splits, 1)), axis=1), n // 2)


def grid_of(half: int, points: int = GRID) -> IntArray:
    """Sizes from 1 to half: all of them where they are few, otherwise evenly spaced on the log scale."""
    return np.unique(np.rint(np.geomspace(1, half, max(points, 2))).astype(np.int64))


@dataclass(frozen=True)
class Side:
    """A score matrix whose sums are exact (whole numbers of a decimal unit), or settled by a rule."""

    values: FloatArray
    scale: float  # values / scale are the scores
    size: FloatArray | None  # by system: sum of absolute scores, where sums are not exact

    @staticmethod
    def of(scores: FloatArray) -> Side:
        """Scores of up to 9 decimals become whole numbers, whose sums have no rounding error in any order."""
        for decimals in range(10):
            whole = np.rint(scores * 10.0**decimals)
            if np.abs(whole).sum(axis=0).max() >= 2.0**50:
                break
            if np.array_equal(whole / 10.0**decimals, scores):
                return Side(whole, 10.0**decimals, None)
        return Side(np.ascontiguousarray(scores, dtype=np.float64), 1.0, np.abs(scores).sum(axis=0))

    def means(self, sums: FloatArray, count: int, settle: Settle) -> FloatArray:
        """Means from sums over `count` topics, equal where the totals are. Overwrites the sums."""
        sums /= count * self.scale
        if self.size is None:
            return sums
        size = self.size / count
        gaps = np.diff(np.sort(sums, axis=-1), axis=-1)
        near = ((gaps > 0) & (gaps <= 1e-9 * size.max())).any(axis=-1)  # only these rows can hold a hidden tie
        if near.any():
            sums[near] = settle(sums[near], size)
        return sums


@dataclass(frozen=True)
class Problem:
    """Whose agreement with the reference is asked for."""

    sides: Sequence[Side]
    points: Sequence[tuple[int, int]]  # side (0: truth, 1...: candidates) and number of topics
    coefficient: Formula
    settle: Settle


def agreements(problem: Problem, splits: Splits) -> FloatArray:
    """The agreement of each point in each split, splits x points; nan where it is undefined."""
    n, m = problem.sides[0].values.shape
    out = np.empty((len(splits), len(problem.points)))
    step = max(1, CHUNK // ((len(problem.points) + n) * m))
    for lo in range(0, len(splits), step):
        chunk = Splits(splits.order[lo : lo + step], splits.half)
        reference, means = means_of(problem, chunk)
        out[lo : lo + step] = problem.coefficient(reference[:, None, :], means)
    return out


def means_of(problem: Problem, splits: Splits) -> tuple[FloatArray, FloatArray]:
    """Means of the truth over B (splits x systems), and of every point over its topics (splits x points x systems).

    A point with more topics than A has takes all of A.
    """
    sides, points, settle = problem.sides, problem.points, problem.settle
    in_b = splits.order[:, splits.half :]
    reference = sides[0].means(sides[0].values[in_b].sum(axis=1), in_b.shape[1], settle)
    means = np.empty((len(splits), len(points), sides[0].values.shape[1]))
    of_side: list[list[int]] = [[] for _ in sides]
    for p in sorted(range(len(points)), key=lambda p: points[p][1]):
        of_side[points[p][0]].append(p)
    for side, its_points in zip(sides, of_side, strict=True):
        sums, done = np.zeros_like(reference), 0
        for p in its_points:
            count = min(points[p][1], splits.half)
            if count > done:
                sums += side.values[splits.order[:, done:count]].sum(axis=1)
                done = count
            means[:, p] = side.means(sums.copy(), count, settle)
    return reference, means


def defined(values: float | FloatArray) -> FloatArray:
    return np.asarray(np.nan_to_num(values, nan=0.0))
