"""From values on all levels of resamples to a centre without the bias of noise, and its standard error."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import FloatArray
from ..calibration import GROWTH
from ..errors import InputError
from .nested import Nested


class Summary(NamedTuple):
    """What the levels say about a statistic."""

    value: float
    """On the sample."""
    centre: float
    """3t - 3E* + E**: the value, extrapolated from one, two and three doses of noise to none."""
    standard_error: float
    """Of the centre."""
    spread: float
    """Standard deviation of the value over samples of as many topics."""
    n_topics: int
    undefined: int
    """Resamples on which the statistic has no value."""


def centre_of(value: FloatArray, once: FloatArray, twice: FloatArray) -> FloatArray:
    """The parabola through the values at one, two and three doses of noise, at none."""
    return 3 * value - 3 * once + twice


def summarise(found: Nested, n: int) -> list[Summary]:
    """A summary of each statistic. First-level samples with undefined values below them are left out."""
    return [_summary(Nested(*(level[k] for level in found)), n) for k in range(len(found.sample))]


def _summary(found: Nested, n: int) -> Summary:
    bad = np.isnan(found.first) + np.isnan(found.second).sum(axis=1) + np.isnan(found.third).sum(axis=1)
    kept = bad == 0
    if np.isnan(found.sample) or kept.sum() < 2:
        raise InputError("the coefficient is undefined on nearly all resamples of the topics: there is no interval")
    t, first, second, third = float(found.sample), found.first[kept], found.second[kept], found.third[kept]
    inner = second.shape[1]
    centre = centre_of(np.asarray(t), first.mean(), second.mean())
    # The same centre in the world of each first-level sample, and the part of its variance that comes from few draws.
    centres = centre_of(first, second.mean(axis=1), third.mean(axis=1))
    noise = (third - 3 * second).var(axis=1, ddof=1).mean() / inner
    spread = first.var(ddof=1) * n / (n - 1)
    # A resample's means lie wider apart than the true ones, so that the same noise moves them less. By how much is seen
    # one level on. The centre, three levels deep, needs half a step more: an exponent found by the coverage study.
    below = second.var(axis=1, ddof=1).mean()
    growth = float(np.clip(first.var(ddof=1) / below, 0.5, 2.0)) if below > 0 else 1.0
    variance = max(float(centres.var(ddof=1) - noise) * n / (n - 1), float(spread))
    return Summary(
        value=t,
        centre=float(centre),
        standard_error=float(np.sqrt(growth**GROWTH * variance)),
        spread=float(np.sqrt(growth * spread)),
        n_topics=n,
        undefined=int(bad.sum()),
    )
