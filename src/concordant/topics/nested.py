"""Bootstrap samples of bootstrap samples: how a statistic of means moves as noise is added once, twice, three times.

A sample of topics differs from the population by sampling noise; a resample adds as much again, and a resample of that
adds it once more. What the statistic loses from level to level tells what it lost at the first step, which nobody saw.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from ..arrays import FloatArray, IntArray
from ..calibration import INNER
from ..resampling import Progress, resampled_means

Statistic: TypeAlias = Callable[[Sequence[FloatArray]], FloatArray]
"""From the means of each condition (resamples x systems) to one value a resample; or several, k x resamples."""

ROWS = 1024  # resamples at a time: what bounds the memory


class Nested(NamedTuple):
    """Values of a statistic on the sample and on three levels of resamples."""

    sample: FloatArray
    """k."""
    first: FloatArray
    """k x outer."""
    second: FloatArray
    """k x outer x inner: resamples of each resample of the first level."""
    third: FloatArray
    """k x outer x inner: one resample of each of the second level."""


def nested_weights(
    n: int, outer: int, rng: np.random.Generator, *, inner: int = INNER
) -> Iterator[tuple[slice, tuple[IntArray, IntArray, IntArray]]]:
    """How often each topic is drawn at the three levels, for some first-level samples at a time."""
    step = max(1, ROWS // (1 + 2 * inner))
    for lo in range(0, outer, step):
        rows = min(step, outer - lo)
        first = rng.integers(0, n, (rows, n))
        second = _drawn_from(np.repeat(first, inner, axis=0), rng)
        third = _drawn_from(second, rng)
        yield slice(lo, lo + rows), (_counts(first), _counts(second), _counts(third))


def nested_values(
    conditions: Sequence[FloatArray],
    statistic: Statistic,
    n_resamples: int,
    rng: np.random.Generator,
    *,
    inner: int = INNER,
    workers: int = 1,
    progress: Progress | None = None,
) -> Nested:
    """A statistic of the mean vectors on all levels, with `n_resamples` resamples in all (at least two outer ones).

    All conditions are topics x systems, and are resampled by the same topics.
    """
    n = len(conditions[0])
    outer = max(2, n_resamples // (1 + 2 * inner))

    def values(weights: IntArray) -> FloatArray:
        return np.atleast_2d(statistic([resampled_means(c, weights, workers=workers) for c in conditions]))

    sample = values(np.ones((1, n), dtype=np.int64))[:, 0]
    k = len(sample)
    found = Nested(sample, np.empty((k, outer)), np.empty((k, outer, inner)), np.empty((k, outer, inner)))
    for some, (first, second, third) in nested_weights(n, outer, rng, inner=inner):
        rows = len(first)
        every = values(np.concatenate([first, second, third]))
        found.first[:, some] = every[:, :rows]
        found.second[:, some] = every[:, rows : rows + rows * inner].reshape(k, rows, inner)
        found.third[:, some] = every[:, rows + rows * inner :].reshape(k, rows, inner)
        if progress is not None:
            progress(some.stop * (1 + 2 * inner), outer * (1 + 2 * inner))
    return found


def _drawn_from(drawn: IntArray, rng: np.random.Generator) -> IntArray:
    """One resample of each row of topics."""
    return np.take_along_axis(drawn, rng.integers(0, drawn.shape[1], drawn.shape), axis=1)


def _counts(drawn: IntArray) -> IntArray:
    rows, n = drawn.shape
    places = drawn + n * np.arange(rows)[:, None]
    return np.bincount(places.ravel(), minlength=rows * n).reshape(rows, n)
