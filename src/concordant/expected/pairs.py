"""The differences between all pairs of systems, best first: what every estimator of discordance starts from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ..arrays import FloatArray, IntArray
from ..scores import mean_over_topics

Flags: TypeAlias = npt.NDArray[np.bool_]
_AT_A_TIME = 2**18  # differences: what bounds the memory


@dataclass(frozen=True)
class Block:
    """Some pairs: the upper system `i`, the lower `j`, and by topic how much i is above j."""

    rows: slice
    differences: FloatArray
    sorted: FloatArray
    """The same, ascending in each row."""
    means: FloatArray
    rounding: float
    """What floating point may make of a difference of 0: 0.3 - 0.2 is not 0.4 - 0.3."""

    @cached_property
    def constant(self) -> Flags:
        """Pairs that differ by the same on every topic: the sign of that is certain."""
        return np.asarray(self.sorted[:, -1] - self.sorted[:, 0] <= self.rounding)

    @cached_property
    def identical(self) -> Flags:
        """Pairs that do not differ on any topic."""
        return np.asarray(np.maximum(-self.sorted[:, 0], self.sorted[:, -1]) <= self.rounding)


class Pairs:
    """All pairs of systems of a collection; equal means stand in the order of the columns."""

    def __init__(self, values: FloatArray) -> None:
        means = mean_over_topics(values)
        self.order: IntArray = np.argsort(-means, kind="stable")
        # By a power of two into [-1, 1], which changes no bit of a ratio, so that no square leaves the range of floats.
        self.exponent = int(np.frexp(np.abs(values).max())[1])
        self.means = np.ldexp(means[self.order], -self.exponent)
        self.values = np.ldexp(values.T[self.order], -self.exponent)  # systems x topics
        self.m, self.n = self.values.shape
        self.i, self.j = np.triu_indices(self.m, 1)
        self._rounding = 1e-12

    def __len__(self) -> int:
        return len(self.i)

    def blocks(self) -> Iterator[Block]:
        """The pairs in the order of `i` and `j`, some at a time."""
        step = max(1, _AT_A_TIME // self.n)
        for lo in range(0, len(self), step):
            rows = slice(lo, min(lo + step, len(self)))
            i, j = self.i[rows], self.j[rows]
            differences = self.values[i] - self.values[j]
            yield Block(rows, differences, np.sort(differences, axis=1), self.means[i] - self.means[j], self._rounding)

    def matrix(self, p: FloatArray) -> FloatArray:
        """A value for each pair as a matrix, above the diagonal; below it what is left to 1, on it nan."""
        full = np.full((self.m, self.m), np.nan)
        full[self.i, self.j] = p
        full[self.j, self.i] = 1 - p
        return full

    def expected(self, p: FloatArray) -> tuple[float, float]:
        """Expected tau and tau_ap, given probabilities of discordance: urbano2016, equations 3 and 4."""
        tau = 1 - 4 * float(p.sum()) / (self.m * (self.m - 1))
        tau_ap = 1 - 2 * float((p / self.j).sum()) / (self.m - 1)
        return tau, tau_ap
