"""One-sided paired permutation tests of all pairs of systems at once.

Under the null hypothesis a topic's two scores could as well be exchanged, which changes the sign of their difference.
The signs are the same for all pairs, so one matrix product of signs with scores gives every system's signed total,
and the permuted difference of a pair is the difference of two of these.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..arrays import FloatArray, IntArray

BATCHES = 20  # of random permutations, whose p-values tell the Monte Carlo error
_EPS = float(np.finfo(np.float64).eps)
_ROWS = 512  # permutations at a time: what bounds the memory


class Signs(NamedTuple):
    """Permutations of the topics' signs: all of them, or random ones in batches of equal size."""

    batches: tuple[FloatArray, ...]
    """Permutations x topics, -1 or 1."""
    exact: bool

    @property
    def total(self) -> int:
        """How many permutations there are."""
        return sum(map(len, self.batches))


def draw_signs(n: int, n_resamples: int, rng: np.random.Generator) -> Signs:
    """All 2^n permutations where these are no more than `n_resamples`, and so many random ones otherwise."""
    exact = takes_all_signs(n, n_resamples)
    batches = np.array_split(np.arange(n_resamples), min(BATCHES, n_resamples))
    parts = [(0, 2**n)] if exact else [(part[0], part[-1] + 1) for part in batches]
    return Signs(tuple(part.astype(np.float64) for part in signs(n, parts, None if exact else rng)), exact)


class Reached(NamedTuple):
    """How many permutations of each batch reach a pair's difference: batches x pairs, in the order of triu_indices."""

    above: IntArray
    """The permuted difference, first minus second system, is at least the observed one."""
    below: IntArray
    """It is at most the observed one."""


def reached(values: FloatArray, signs: Signs) -> Reached:
    """Count for topics x systems. A permuted difference equal to the observed one but for rounding reaches it."""
    n, m = values.shape
    # By a power of two into [-1, 1], which changes no bit, so that no sum leaves the range of floats.
    scaled = np.ldexp(values, -int(np.frexp(np.abs(values).max())[1]))
    sizes = np.abs(scaled).sum(axis=0)
    centred = scaled - scaled.mean(axis=1, keepdims=True)  # differences stay
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


def two_sided(counts: Reached, signs: Signs) -> FloatArray:
    """Two-sided p-values of the pairs: twice the smaller one-sided one, the observed signs counted in if drawn."""
    added = 0 if signs.exact else 1  # so that a random test keeps its level (Phipson and Smyth 2010)
    tails = np.minimum(counts.above.sum(axis=0), counts.below.sum(axis=0))
    return np.asarray(np.minimum(1.0, 2 * (tails + added) / (signs.total + added)))


def takes_all_signs(n: int, n_resamples: int, *, opposite: bool = True) -> bool:
    """Whether n topics have no more signs than are to be drawn; without `opposite`, of two opposite ones only one."""
    return n <= 62 and 1 << (n if opposite else n - 1) <= n_resamples


def signs(n: int, parts: Iterable[tuple[int, int]], rng: np.random.Generator | None) -> Iterator[npt.NDArray[np.int8]]:
    """Resamples x topics, -1 or 1: these parts of all signs of n topics, in a fixed order, or as many random ones."""
    for first, last in parts:
        if rng is None:
            drawn = ((np.arange(first, last)[:, None] >> np.arange(n)) & 1).astype(np.int8)
        else:
            drawn = rng.integers(0, 2, (last - first, n), dtype=np.int8)
        yield 2 * drawn - 1
