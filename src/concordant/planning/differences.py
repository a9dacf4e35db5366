"""Differences between all pairs of systems, best first: the input of every estimator of discordance."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray, require_room_for_pairs
from ..data.means import ROUNDING, mean_over_topics
from ..errors import counted

_AT_A_TIME = 2**18  # number of differences in memory at a time


@dataclass(frozen=True)
class Block:
    """Some pairs of systems, the better one first."""

    differences: FloatArray
    """Score of the first minus score of the second: one row per pair, one column per topic."""
    sorted: FloatArray
    """The differences in ascending order within each row."""
    means: FloatArray
    lattice: float
    """The step of which all differences are multiples; 0 if there is none."""

    @cached_property
    def constant(self) -> BoolArray:
        """Whether each pair has the same difference on every topic, so that its sign is certain."""
        return np.asarray(self.sorted[:, -1] - self.sorted[:, 0] <= ROUNDING)

    @cached_property
    def identical(self) -> BoolArray:
        """Whether each pair has the difference 0 on every topic."""
        return np.asarray(np.maximum(-self.sorted[:, 0], self.sorted[:, -1]) <= ROUNDING)


class PairDifferences:
    """All pairs of systems of a collection; systems with equal means keep the order of the columns."""

    def __init__(self, values: FloatArray) -> None:
        require_room_for_pairs(values.shape[1], "the probability of discordance", 4)
        means = mean_over_topics(values)
        self.order: IntArray = np.argsort(-means, kind="stable")
        # Scale by a power of two into [-1, 1], so that squares cannot overflow. Ratios keep all their bits.
        exponent = int(np.frexp(np.abs(values).max())[1])
        self.means = np.ldexp(means[self.order], -exponent)
        self.values = np.ldexp(values.T[self.order], -exponent)  # systems x topics
        self.m, self.n = self.values.shape
        self.doubts = self._doubts()
        self.i, self.j = np.triu_indices(self.m, 1)
        self.lattice = lattice_of(self.values)

    def _doubts(self) -> tuple[str, ...]:
        """Describe doubts about the data, for notes and warnings."""
        size = np.abs(self.values).max(axis=1)
        small = int(((size > 0) & (size <= 10 * ROUNDING)).sum())
        if small < 2:
            return ()
        return (
            f"{counted(small, 'system')} have scores below 1e-11 times the largest, which count as equal; to compare "
            "these systems, leave the others out",
        )

    def __len__(self) -> int:
        return len(self.i)

    def pieces(self) -> list[slice]:
        """Split the pairs, in the order of `i` and `j`, into slices small enough for memory."""
        step = max(1, _AT_A_TIME // self.n)
        return [slice(lo, min(lo + step, len(self))) for lo in range(0, len(self), step)]

    def block(self, rows: slice) -> Block:
        """Compute the differences for one slice of the pairs."""
        i, j = self.i[rows], self.j[rows]
        differences = self.values[i] - self.values[j]
        if self.lattice > 0:  # in floating point 0.3 - 0.2 is not 0.4 - 0.3: make such differences equal
            differences = np.rint(differences / self.lattice) * self.lattice
        return Block(differences, np.sort(differences, axis=1), self.means[i] - self.means[j], self.lattice)

    def expected(self, p: FloatArray) -> tuple[float, float]:
        """Compute the expected tau and tau_ap from probabilities of discordance (urbano2016, equations 3 and 4).

        Systems with equal means have no order. As in `tau_a` and `tau_ap_a`, the result is the mean over all orders: a
        tied pair counts one half, and a system takes each place in its tied group equally often. There is one
        exception: if identical systems count as concordant, their p stays 0.
        """
        tied = self.means[self.i] == self.means[self.j]
        p = np.where(tied & (p > 0), 0.5, p)
        tau = 1 - 4 * float(p.sum()) / (self.m * (self.m - 1))
        tau_ap = 1 - 2 * float((p * self._shares(tied)).sum()) / (self.m - 1)
        return tau, tau_ap

    def _shares(self, tied: BoolArray) -> FloatArray:
        """Cost of a discordant pair in tau_ap: the mean of 1 / (number of systems above the lower one of the pair)."""
        if not tied.any():
            return np.asarray(1 / self.j)
        _, group, size = np.unique(-self.means, return_inverse=True, return_counts=True)
        first = np.cumsum(size) - size  # systems above the group
        above = np.arange(self.m)
        at = np.divide(1.0, above, out=np.zeros(self.m), where=above > 0)
        apart = np.add.reduceat(at, first) / size  # pairs of different groups: each place is equally probable
        # Pairs of one group: the probability that the lower one has k members above it is proportional to k.
        members = above - first[group]
        within = np.add.reduceat(members * at, first) / np.maximum(size * (size - 1) / 2, 1)
        lower = group[self.j]
        return np.where(tied, within[lower], apart[lower])


def lattice_of(values: FloatArray) -> float:
    """Find the step of which all differences between scores are multiples; 0 if none is found.

    On a lattice (P@10, accuracies, decimals) the distribution of a resampled mean can be inverted without error.
    """
    distinct = np.unique(values)
    # 0.1 + 0.2 and 0.3 count as one value, not as two values that are 5e-17 apart.
    distinct = distinct[np.diff(distinct, prepend=-np.inf) > ROUNDING * np.abs(distinct).max()]
    if distinct.size < 2:
        return 0.0
    whole = float(distinct[-1] - distinct[0])
    for parts in (1, 2, 3, 5, 10):  # the smallest gap may be a multiple of the step
        places = (distinct - distinct[0]) / (float(np.diff(distinct).min()) / parts)
        if places[-1] < 1e6 and np.abs(places - np.rint(places)).max() < 1e-6:
            return whole / round(float(places[-1]))  # the whole range gives the step most exactly
    return 0.0
