"""Which systems differ where not every system has every topic: each pair is compared on the topics that both have.

As `pair_tests`, with another number of topics n for each pair. The statistic is sqrt(n) r = |sum d| / sqrt(sum d^2).
Under random signs it has variance 1 and tails below those of a normal distribution for every n (Hoeffding), and it is
at most sqrt(n): so pairs with few topics in common neither raise what others must reach, nor reach it themselves. Where
all pairs have the same n, this is the test of `pair_tests`.

Topics may come in groups: then a group keeps or changes its sign as a whole, and n is the number of groups.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..arrays import FloatArray, IntArray, require_room_for_pairs
from ..clusters import group_rows
from ..resampling import Resampling
from .pair_tests import Differences, adjusted_skewness, shrunk_by, stepdown, unseen_skewness

_SAME = 1e-11  # differences below this part of the largest deviation are rounding: the systems are identical
_MOST = 2**24  # sums over sets of topics to keep


@dataclass(frozen=True)
class CommonTopics:
    """A collection with holes, centred and scaled, and which group each topic belongs to, if any."""

    values: FloatArray
    groups: IntArray | None

    @classmethod
    def of(cls, values: FloatArray, groups: IntArray | None = None) -> CommonTopics:
        """From topics x systems, nan where a system lacks a topic."""
        require_room_for_pairs(values.shape[1], "a test of all pairs", 14)
        centred = values - np.nanmean(values, axis=1, keepdims=True)
        return cls(centred / (np.nanmax(np.abs(centred)) or 1.0), groups)

    @property
    def n(self) -> int:
        """Number of topics, or of groups."""
        return len(self.values) if self.groups is None else int(self.groups.max()) + 1

    def differences(self, i: Any, j: Any) -> FloatArray:
        """Of pairs of systems: topics, or groups, x pairs; nan where they have nothing in common."""
        d = self.values[:, i] - self.values[:, j]
        return d if self.groups is None else group_rows(d, self.groups)


def corrected_pvalues(
    values: FloatArray, how: Resampling, groups: IntArray | None = None, *, simultaneous: bool
) -> tuple[FloatArray, FloatArray]:
    """p-values of all differences, m x m, corrected as in `pair_tests`; and mean differences `[i, j]`, i minus j."""
    common = CommonTopics.of(values, groups)
    m = values.shape[1]
    n, total, size = np.zeros((m, m), np.int64), np.zeros((m, m)), np.zeros((m, m))
    skewness = np.zeros((m, m))
    everyone = np.arange(m)
    for i in range(m):
        d = common.differences(np.full(m, i), everyone)
        there = ~np.isnan(d)
        known = np.where(there, d, 0.0)
        n[i], total[i], size[i] = there.sum(axis=0), known.sum(axis=0), np.sqrt((known**2).sum(axis=0))
        skewness[i] = adjusted_skewness(d)
    few = n < 2
    size[(size < _SAME * np.sqrt(np.maximum(n, 1))) | few] = 0  # of identical systems, or nothing is known
    z = np.minimum(np.abs(total) / np.where(size > 0, size, 1), np.sqrt(n)) * (size > 0)  # sqrt(n) r
    n = np.maximum(n, 2)
    t = np.sqrt((n - 1) * z**2 / np.maximum(n - z**2, 1e-30))
    upper = np.triu_indices(m, 1)
    typical = unseen_skewness(skewness[upper], n[upper])
    r = shrunk_by(t, skewness * np.sign(total), typical, n) * np.sqrt(n)
    p = stepdown(r, size, partial(_signed, common), common.n, how, simultaneous=simultaneous)
    return p, np.asarray(total / n)


def _signed(common: CommonTopics, signs: Any) -> Differences:
    flips = np.ascontiguousarray((2.0 * signs - 1).T)
    if common.groups is None:
        there = ~np.isnan(common.values)
        patterns, pattern = np.unique(there, axis=1, return_inverse=True)
        if patterns.shape[1] * there.shape[1] * len(signs) <= _MOST:
            return _by_pattern(np.where(there, common.values, 0.0), patterns, pattern.ravel(), flips)

    def of(i: IntArray, j: IntArray) -> FloatArray:
        d = common.differences(i, j)
        return np.asarray(np.where(np.isnan(d), 0.0, d).T @ flips)

    return of


def _by_pattern(known: FloatArray, patterns: Any, pattern: IntArray, flips: FloatArray) -> Differences:
    """The same from a few large products: few sets of topics occur, and systems are summed over each of them."""
    sums = np.empty((patterns.shape[1], known.shape[1], flips.shape[1]))
    for there, out in zip(patterns.T, sums, strict=True):
        np.matmul((known * there[:, None]).T, flips, out=out)

    def of(i: IntArray, j: IntArray) -> FloatArray:
        found = sums[pattern[j], i]  # over the topics that both have
        found -= sums[pattern[i], j]
        return np.asarray(found)

    return of
