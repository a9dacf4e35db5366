"""One-sided paired permutation tests of all pairs of systems.

Under the null hypothesis a topic's two scores are exchangeable, so the sign of their difference is random. All pairs
share the signs: one matrix product of signs and scores gives every system's signed total, and a pair's permuted
difference is the difference of two totals.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..arrays import FloatArray, IntArray

BATCHES = 20  # batches of random permutations, for the Monte Carlo error
_EPS = float(np.finfo(np.float64).eps)
_ROWS = 512  # permutations at a time, to bound the memory


class Signs(NamedTuple):
    """Sign vectors of the topics: all possible ones, or random ones in batches of about equal size."""

    batches: tuple[FloatArray, ...]
    """Signs, -1 or 1: one row per permutation, one column per topic."""
    exact: bool

    @property
    def total(self) -> int:
        """The number of permutations."""
        return sum(map(len, self.batches))


def draw_signs(n: int, n_resamples: int, rng: np.random.Generator) -> Signs:
    """Make all 2^n sign vectors if there are at most `n_resamples` of them, otherwise `n_resamples` random ones."""
    exact = takes_all_signs(n, n_resamples)
    batches = np.array_split(np.arange(n_resamples), min(BATCHES, n_resamples))
    parts = [(0, 2**n)] if exact else [(part[0], part[-1] + 1) for part in batches]
    return Signs(tuple(part.astype(np.float64) for part in signs(n, parts, None if exact else rng)), exact)


class Reached(NamedTuple):
    """Counts of permutations that reach a pair's difference: batches x pairs, in the order of triu_indices."""

    above: IntArray
    """Permutations whose difference, first minus second system, is at least the observed one."""
    below: IntArray
    """Permutations whose difference is at most the observed one."""


def reached(values: FloatArray, signs: Signs) -> Reached:
    """Count how many permutations reach each pair's difference in a topics x systems matrix, up to rounding."""
    n, m = values.shape
    # Scale into [-1, 1] by a power of two, which is exact, so that no sum overflows.
    scaled = np.ldexp(values, -int(np.frexp(np.abs(values).max())[1]))
    sizes = np.abs(scaled).sum(axis=0)
    centred = scaled - scaled.mean(axis=1, keepdims=True)  # does not change differences
    totals = centred.sum(axis=0)
    first, second = np.triu_indices(m, 1)
    observed = totals[first] - totals[second]
    slack = 2 * (n + 4) * _EPS * (sizes[first] + sizes[second] + np.abs(scaled).sum() / m)
    above, below = np.zeros((2, len(signs.batches), len(first)), dtype=np.int64)
    for k, batch in enumerate(signs.batches):
        for lo in range(0, len(batch), _ROWS):
            permuted = np.ascontiguousarray((batch[lo : lo + _ROWS] @ centred).T)
            at = 0
            for i in range(m - 1):
                some = slice(at, at + m - 1 - i)
                at = some.stop
                difference = permuted[i] - permuted[i + 1 :]
                above[k, some] += np.count_nonzero(difference >= (observed - slack)[some, None], axis=1)
                below[k, some] += np.count_nonzero(difference <= (observed + slack)[some, None], axis=1)
    return Reached(above, below)


def takes_all_signs(n: int, n_resamples: int, *, opposite: bool = True) -> bool:
    """Tell whether n topics have at most `n_resamples` sign vectors; without `opposite`, v and -v count as one."""
    return n <= 62 and 1 << (n if opposite else n - 1) <= n_resamples


def signs(n: int, parts: Iterable[tuple[int, int]], rng: np.random.Generator | None) -> Iterator[npt.NDArray[np.int8]]:
    """Yield sign vectors, resamples x topics.

    Without `rng`, these are the given parts of all vectors in a fixed order, otherwise random vectors.
    """
    for first, last in parts:
        if rng is None:
            drawn = ((np.arange(first, last)[:, None] >> np.arange(n)) & 1).astype(np.int8)
        else:
            drawn = rng.integers(0, 2, (last - first, n), dtype=np.int8)
        yield 2 * drawn - 1
