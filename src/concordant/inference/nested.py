"""Nested bootstrap: extrapolate a statistic of means from one, two and three doses of sampling noise to none.

A sample of topics differs from the population by sampling noise. A resample adds as much noise again, and a resample of
that once more. The losses from level to level estimate the loss at the first, unobserved step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple, TypeAlias

import numpy as np

from ..arrays import FloatArray, IntArray, rows_at_a_time
from ..parallel import shared_out
from .calibration import GROWTH, INNER
from .resampling import Resampling, over_resamples, resampled_means

Statistic: TypeAlias = Callable[[Sequence[FloatArray]], FloatArray]
"""Maps the means of each condition (resamples x systems) to one value per resample, or to k x resamples. An executor of
processes needs a function that can be pickled."""

ROWS = 1024  # resamples at a time; fewer for very many topics


class Nested(NamedTuple):
    """Values of a statistic on the sample and on three levels of resamples."""

    sample: FloatArray
    """k."""
    first: FloatArray
    """k x outer."""
    second: FloatArray
    """k x outer x inner: resamples of each first-level resample."""
    third: FloatArray
    """k x outer x inner: one resample of each second-level resample."""


def nested_weights(
    n: int, outer: int, rng: np.random.Generator, *, inner: int = INNER
) -> Iterator[tuple[IntArray, IntArray, IntArray]]:
    """Yield how often each topic is drawn at the three levels, some first-level samples at a time."""
    step = max(1, rows_at_a_time(n, ROWS) // (1 + 2 * inner))
    for lo in range(0, outer, step):
        rows = min(step, outer - lo)
        first = rng.integers(0, n, (rows, n))
        second = _drawn_from(np.repeat(first, inner, axis=0), rng)
        third = _drawn_from(second, rng)
        yield _counts(first), _counts(second), _counts(third)


def nested_values(
    conditions: Sequence[FloatArray], statistic: Statistic, drawn: Resampling, *, inner: int = INNER
) -> Nested:
    """Compute a statistic of the means on all levels, with `n_resamples` resamples in all, but at least two outer ones.

    All conditions are topics x systems, and are resampled by the same topics.
    """
    n, levels = len(conditions[0]), 1 + 2 * inner
    outer = max(2, drawn.n_resamples // levels)
    values = partial(_values, conditions, statistic, drawn.threads)
    sample = values(np.ones((1, n), dtype=np.int64))[:, 0]
    k = len(sample)
    found = Nested(sample, np.empty((k, outer)), np.empty((k, outer, inner)), np.empty((k, outer, inner)))
    pieces = map(np.concatenate, nested_weights(n, outer, drawn.generator(), inner=inner))
    done = 0
    for every in shared_out(values, pieces, drawn.workers):
        rows = every.shape[1] // levels
        some = slice(done, done + rows)
        found.first[:, some] = every[:, :rows]
        found.second[:, some] = every[:, rows : rows + rows * inner].reshape(k, rows, inner)
        found.third[:, some] = every[:, rows + rows * inner :].reshape(k, rows, inner)
        done += rows
        if drawn.progress is not None:
            drawn.progress(done * levels, outer * levels)
    return found


def centres(conditions: Sequence[FloatArray], statistic: Statistic, drawn: Resampling) -> FloatArray:
    """Compute only the centre of each statistic, from `n_resamples` / 2 pairs of a resample and a resample of it.

    The Monte Carlo error is a third of that of `nested_values`, whose deeper levels serve the standard error. The
    centre is nan if a statistic is undefined on nearly all pairs.
    """
    n, count = len(conditions[0]), max(2, drawn.n_resamples // 2)
    values = partial(_values, conditions, statistic, drawn.threads)
    sample = values(np.ones((1, n), dtype=np.int64))[:, 0]
    pieces = map(np.concatenate, _pairs(n, count, drawn.generator()))
    parts = [every.reshape(len(sample), 2, -1) for every in shared_out(values, pieces, drawn.workers)]
    once, twice = np.moveaxis(np.concatenate(parts, axis=2), 1, 0)
    kept = ~(np.isnan(once) | np.isnan(twice))
    counts = np.where(kept.sum(axis=1) < 2, np.nan, kept.sum(axis=1))
    means = (np.where(kept, level, 0.0).sum(axis=1) / counts for level in (once, twice))
    return centre_of(sample, *means)


def _pairs(n: int, count: int, rng: np.random.Generator) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield how often each topic is drawn at two levels, with one second-level sample of each first-level sample."""
    step = rows_at_a_time(n, ROWS) // 2
    for lo in range(0, count, step):
        first = rng.integers(0, n, (min(step, count - lo), n))
        yield _counts(first), _counts(_drawn_from(first, rng))


def plain_values(conditions: Sequence[FloatArray], statistic: Statistic, drawn: Resampling) -> FloatArray:
    """Compute the plain bootstrap distribution of a statistic of the means, k x resamples."""
    values = partial(_values, conditions, statistic, drawn.threads)
    return np.concatenate(list(over_resamples(values, len(conditions[0]), drawn)), axis=1)


def _values(conditions: Sequence[FloatArray], statistic: Statistic, threads: int, weights: IntArray) -> FloatArray:
    return np.atleast_2d(statistic([resampled_means(c, weights, workers=threads) for c in conditions]))


def _drawn_from(drawn: IntArray, rng: np.random.Generator) -> IntArray:
    """Draw one resample of each row of topics."""
    return np.take_along_axis(drawn, rng.integers(0, drawn.shape[1], drawn.shape), axis=1)


def _counts(drawn: IntArray) -> IntArray:
    rows, n = drawn.shape
    places = drawn + n * np.arange(rows)[:, None]
    return np.bincount(places.ravel(), minlength=rows * n).reshape(rows, n)


# From values on all levels to a centre without the bias of noise, and its standard error --------------------------


class Summary(NamedTuple):
    """A statistic's value, centre and errors, from all levels."""

    value: float
    """The value on the sample."""
    centre: float
    """3t - 3E* + E**: the value, extrapolated from one, two and three doses of noise to none."""
    standard_error: float
    """The standard error of the centre."""
    n_topics: int
    undefined: int
    """The number of resamples on which the statistic has no value."""
    outer: int
    """The number of first-level samples used."""
    monte_carlo: float
    """The Monte Carlo error of the centre."""


def centre_of(value: FloatArray, once: FloatArray, twice: FloatArray) -> FloatArray:
    """Extrapolate to no noise, by the parabola through the values at one, two and three doses of noise."""
    return 3 * value - 3 * once + twice


def summarise(found: Nested, n: int) -> list[Summary | None]:
    """Summarise each statistic; None if it is undefined on nearly all resamples.

    First-level samples with undefined values at deeper levels are left out.
    """
    return [_summary(Nested(*(level[k] for level in found)), n) for k in range(len(found.sample))]


def _summary(found: Nested, n: int) -> Summary | None:
    bad = np.isnan(found.first) + np.isnan(found.second).sum(axis=1) + np.isnan(found.third).sum(axis=1)
    kept = bad == 0
    if np.isnan(found.sample) or kept.sum() < 2:
        return None
    t, first, second, third = float(found.sample), found.first[kept], found.second[kept], found.third[kept]
    inner = second.shape[1]
    centre = centre_of(np.asarray(t), first.mean(), second.mean())
    # The centre seen from each first-level sample, and the Monte Carlo part of its variance.
    centres = centre_of(first, second.mean(axis=1), third.mean(axis=1))
    noise = (third - 3 * second).var(axis=1, ddof=1).mean() / inner
    spread = first.var(ddof=1) * n / (n - 1)
    # Resampled means vary more than true ones, so the same noise moves the statistic less. The ratio of variances at
    # two levels estimates this loss. GROWTH, from the coverage study, extrapolates it to the centre's three levels.
    below = second.var(axis=1, ddof=1).mean()
    growth = float(np.clip(first.var(ddof=1) / below, 0.5, 2.0)) if below > 0 else 1.0
    variance = max(float(centres.var(ddof=1) - noise) * n / (n - 1), float(spread))
    return Summary(
        value=t,
        centre=float(centre),
        standard_error=float(np.sqrt(growth**GROWTH * variance)),
        n_topics=n,
        undefined=int(bad.sum()),
        outer=len(first),
        monte_carlo=float(np.sqrt((second.mean(axis=1) - 3 * first).var(ddof=1) / len(first))),
    )
