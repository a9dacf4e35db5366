"""Tests of all pairs of systems with missing scores: each pair is compared on the topics that both have.

As `pair_tests`, with a separate number of topics n for each pair. The statistic is sqrt(n) r = |sum d| / sqrt(sum d^2).
Under random signs it has variance 1, tails below those of a normal distribution for every n (Hoeffding), and is at most
sqrt(n). So pairs with few common topics neither raise the threshold for others nor reach it themselves. If all pairs
have the same n, this is the test of `pair_tests`.

Topics in groups keep or change their sign together, and n is the number of groups.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import FloatArray, IntArray, require_room_for_pairs
from ..data.means import group_rows
from ..inference.resampling import Resampling
from .pair_tests import Summands, adjusted_skewness, shrunk_by, stepdown, unseen_skewness

_HELD = 15  # measured numbers in memory for each pair, besides the columns
_SAME = 1e-11  # differences below this share of the largest deviation are rounding: the systems are identical


@dataclass(frozen=True)
class CommonTopics:
    """A collection with holes, centred and scaled, and the group of each topic, if any."""

    values: FloatArray
    groups: IntArray | None

    @classmethod
    def of(cls, values: FloatArray, groups: IntArray | None = None) -> CommonTopics:
        """Make it from a topics x systems matrix, nan where a system lacks a topic."""
        require_room_for_pairs(values.shape[1], "a test of all pairs", _HELD)
        centred = values - np.nanmean(values, axis=1, keepdims=True)
        return cls(centred / (np.nanmax(np.abs(centred)) or 1.0), groups)

    @property
    def n(self) -> int:
        """Number of topics, or of groups."""
        return len(self.values) if self.groups is None else int(self.groups.max()) + 1

    def differences(self, i: Any, j: Any) -> FloatArray:
        """Differences of pairs of systems: topics (or groups) x pairs; nan where a pair lacks scores."""
        return self._rows(self.values[:, i] - self.values[:, j])

    def _rows(self, values: FloatArray) -> FloatArray:
        return values if self.groups is None else group_rows(values, self.groups)

    def columns(self) -> Summands:
        """Columns to sum under random signs.

        There is a column for each system and each set of topics that it shares with another system. A sum over a set
        starts from the sum over all topics of the system if fewer topics must be subtracted than added. If that gives
        more columns than pairs, each pair gets its own column.
        """
        there = ~np.isnan(self.values)
        m = there.shape[1]
        patterns, pattern = np.unique(there, axis=1, return_inverse=True)
        at = np.empty((m, patterns.shape[1]), np.int64)
        found: list[FloatArray] = []
        base: list[int] = []
        for i, own in enumerate(there.T):
            whole, known = len(found), np.where(own, self.values[:, i], np.nan)
            at_set: dict[bytes, int] = {}
            for topics in (own, *patterns.T):
                both = own & topics
                if (key := both.tobytes()) in at_set:
                    continue
                at_set[key] = len(found)
                away = self.groups is None and whole < len(found) and 2 * both.sum() > own.sum()
                found.append(-known * (own & ~topics) if away else np.where(both, known, np.nan))
                base.append(whole if away else -1)
            if 2 * len(found) > m * (m - 1):
                return self._column_of_each_pair(m)
            at[i] = [at_set[(own & topics).tobytes()] for topics in patterns.T]
        return Summands(self._summed(np.stack(found, axis=1)), np.array(base), at[:, pattern.ravel()])

    def _column_of_each_pair(self, m: int) -> Summands:
        i, j = np.triu_indices(m, 1)
        require_room_for_pairs(m, "a test of all pairs, each on its own topics,", _HELD + len(self.values))
        nothing = np.zeros((self.n, 1))  # the last column
        place = np.full((m, m), len(i))
        place[i, j] = np.arange(len(i))
        return Summands(
            np.append(self._summed(self.values[:, i] - self.values[:, j]), nothing, axis=1),
            np.full(len(i) + 1, -1),
            place,
        )

    def _summed(self, values: FloatArray) -> FloatArray:
        rows = self._rows(values)
        return np.where(np.isnan(rows), 0.0, rows)


def corrected_pvalues(
    values: FloatArray, how: Resampling, groups: IntArray | None = None, *, simultaneous: bool
) -> tuple[FloatArray, FloatArray]:
    """Compute p-values of all differences, m x m, corrected as in `pair_tests`, and mean differences, i minus j."""
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
        skewness[i] = adjusted_skewness(d, n[i])
    few = n < 2
    size[(size < _SAME * np.sqrt(np.maximum(n, 1))) | few] = 0  # identical systems, or too few topics
    z = np.minimum(np.abs(total) / np.where(size > 0, size, 1), np.sqrt(n)) * (size > 0)  # sqrt(n) r
    n = np.maximum(n, 2)
    t = np.sqrt((n - 1) * z**2 / np.maximum(n - z**2, 1e-30))
    upper = np.triu_indices(m, 1)
    typical = unseen_skewness(skewness[upper], n[upper])
    r = shrunk_by(t, skewness * np.sign(total), typical, n) * np.sqrt(n)
    p = stepdown(r, size, common.columns(), how, simultaneous=simultaneous)
    return p, np.asarray(total / n)
