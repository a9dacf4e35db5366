"""Resampling of topics, with its seed, workers and progress.

Nested bootstrap: extrapolate a statistic of means from one, two and three doses of sampling noise to none.

A sample of topics differs from the population by sampling noise. A resample adds as much noise again, and a resample of
that once more. The losses from level to level estimate the loss at the first, unobserved step.

Intervals of a coefficient by resampling topics, with the systems fixed.

Observed means are noisy. Resampling adds more noise, and noise lowers agreement, so the bootstrap distribution does not
estimate the sampling error. docs/guide/intervals.md derives the corrections and reports the coverage of each method.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import NormalDist
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from .. import _kernels
from ..arrays import FloatArray, IntArray, Made, Workers, rows_at_a_time, shared_out, threads
from ..coefficients.registry import Coefficient, get_coefficient
from ..data.means import mean_over_topics, tied_means
from ..data.results import Interval
from ..errors import InputError, named
from .calibration import AWAY, FEWEST, GROWTH, INNER, LEFT, MISFIT, NEAR, STEADY
from .shrinkage import fit_of, model_of, shrunk_values, summarised

Progress: TypeAlias = Callable[[int, int], None]
Seed: TypeAlias = "int | np.random.Generator | None"

CHUNK = 512  # resamples at a time; fewer for very many topics
MOST_TOPICS = 10_000  # more are resampled in blocks


@dataclass(frozen=True)
class Resampling:
    """Settings of resampling: the number of resamples, the seed, the workers, and a function to report progress."""

    n_resamples: int
    rng: int | np.random.Generator
    workers: Workers = 1
    progress: Progress | None = None

    @classmethod
    def of(
        cls, n_resamples: int, rng: Seed = None, workers: Workers = 1, progress: Progress | None = None
    ) -> Resampling:
        """Make settings; draw a seed if none is given, so that the result can report it."""
        seed = int(np.random.SeedSequence().generate_state(1)[0]) if rng is None else rng
        return cls(n_resamples, seed, workers, progress)

    @property
    def seed(self) -> int | None:
        """The seed to keep with a result; None if a generator was given."""
        return int(self.rng) if isinstance(self.rng, (int, np.integer)) else None

    @property
    def threads(self) -> int:
        """The number of threads that a kernel may start."""
        return threads(self.workers)

    def generator(self) -> np.random.Generator:
        """Return a new generator from the seed, or the given generator."""
        return np.random.default_rng(self.rng)

    def quiet(self) -> Resampling:
        """Copy the settings without progress reports."""
        return replace(self, progress=None)


def in_blocks(values: FloatArray) -> FloatArray:
    """Return the topics, or where there are more than 10,000, the means of 5,000 to 7,500 random blocks of them.

    A block has k = n // 5,000 topics; left-over topics make fewer than k blocks one topic larger. All sums are
    divided by n / B, so the mean over the B blocks is the mean over the topics.

    Why coverage stays: let S be the covariance of the topics. Means of k topics drawn at random have the covariance
    S / k, so the mean of B resampled blocks has S / (k B) = S / n, as the mean of n resampled topics has. The third
    moments agree in the same way, and systems with identical scores stay tied. The price is a random error in each
    standard error, about 1 / sqrt(2 B) of it. That is 0.8% to 1%; 9,999 resamples leave an error of 0.7% anyway.
    It changes the coverage of a 95% interval by less than 0.01 points: z^3 phi(z) / (2 B) with z = 1.96.

    The blocks depend on n alone, so both sides have the same ones, and every seed has.
    """
    n = len(values)
    if n <= MOST_TOPICS:
        return values
    count = n // (n // (MOST_TOPICS // 2))
    mixed = values[np.random.default_rng(n).permutation(n)]
    return np.asarray(np.add.reduceat(mixed, np.arange(count) * n // count, axis=0) / (n / count))


def resampled_weights(n: int, n_resamples: int, rng: np.random.Generator) -> Iterator[tuple[slice, IntArray]]:
    """Yield how often each topic is drawn, some resamples at a time."""
    step = rows_at_a_time(n, CHUNK)
    for lo in range(0, n_resamples, step):
        rows = min(step, n_resamples - lo)
        drawn = rng.integers(0, n, (rows, n)) + n * np.arange(rows)[:, None]
        yield slice(lo, lo + rows), np.bincount(drawn.ravel(), minlength=rows * n).reshape(rows, n)


def over_resamples(work: Callable[[IntArray], Made], n: int, how: Resampling) -> Iterator[Made]:
    """Yield the results of `work` on the counts of drawn topics, some resamples at a time, in order."""
    drawn = (weights for _, weights in resampled_weights(n, how.n_resamples, how.generator()))
    step = rows_at_a_time(n, CHUNK)
    for k, made in enumerate(shared_out(work, drawn, how.workers), start=1):
        if how.progress is not None:
            how.progress(min(k * step, how.n_resamples), how.n_resamples)
        yield made


def resampled_means(values: FloatArray, weights: IntArray, *, workers: int = 1) -> FloatArray:
    """Compute the systems' means over resampled topics. Equal totals are tied, as in all means."""

    def sums(of: FloatArray) -> FloatArray:
        found = np.empty((len(weights), of.shape[1]))
        _kernels.active.resampled_sums(of, weights, found, workers)
        return found

    total = sums(values)
    sizes = sums(np.abs(values)) if (values < 0).any() else total
    return tied_means(total, sizes, len(values), workers=workers)


def is_borderline(p: FloatArray | float, alpha: float, n_resamples: int) -> Any:
    """Tell whether a p-value is within two Monte Carlo standard errors of alpha, so that another seed could decide."""
    p = np.asarray(p)
    return np.abs(p - alpha) <= 2 * np.sqrt(p * (1 - p) / n_resamples)


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


Method: TypeAlias = Literal["auto", "shrinkage", "iterated", "percentile"]
Range: TypeAlias = tuple[float, float]

ITERATED = "the interval is by the iterated bootstrap"
BOTH = "the interval includes that of the iterated bootstrap"
NEARLY_TIED = "many systems seem to be nearly tied, which the shrinkage model does not allow for"
SHRINKAGE_NEEDS = (
    "needs at least 4 systems and 3 topics, means that vary over systems, and errors that vary over topics "
    "differently on each side"
)


class Found(NamedTuple):
    """Bootstrap limits of a coefficient, with its corrected value and standard error."""

    low: float
    high: float
    bias_corrected: float
    standard_error: float
    undefined: int
    """The number of resamples on which the coefficient has no value."""
    method: str
    note: str = ""
    """Why this method was chosen."""
    n_resamples: int = 0

    def interval(self, level: float) -> Interval:
        """Return the limits as an `Interval`."""
        return Interval(self.low, self.high, level, f"{self.method} topic bootstrap")


@dataclass(frozen=True)
class Agreements:
    """The resampled statistic: coefficients of the means of two conditions, nan if undefined."""

    names: tuple[str, ...]
    threads: int

    def __call__(self, means: Sequence[FloatArray]) -> FloatArray:
        return np.array([get_coefficient(name).on_threads(self.threads)(*means) for name in self.names])


def check_bootstrap(n_resamples: int) -> None:
    """Refuse too few resamples."""
    if n_resamples < FEWEST:
        raise InputError(f"{named('n_resamples')} is {n_resamples}: an interval needs at least {FEWEST} resamples")


def limits(
    sides: tuple[FloatArray, FloatArray],
    coefficients: Sequence[Coefficient],
    method: Method,
    level: float,
    drawn: Resampling,
) -> list[Found | None]:
    """Compute limits for all coefficients from the same resamples; None for one undefined on nearly all of them.

    The sides, truth and candidate, are topics x systems.
    """
    blocks = in_blocks(sides[0]), in_blocks(sides[1])
    values = Agreements(tuple(c.name for c in coefficients), drawn.threads)
    ranges = [c.range for c in coefficients]
    if method == "iterated":
        found = _iterated(blocks, values, ranges, level, drawn)
    elif method == "percentile":
        resampled = plain_values(blocks, values, drawn)
        means = [mean_over_topics(side) for side in sides]
        at = [float(c.formula(*means)) for c in coefficients]
        found = [_quantiles(*each, level) for each in zip(at, resampled, ranges, strict=True)]
    else:
        found = _modelled(blocks, values, ranges, method, level, drawn)
    return [f and f._replace(n_resamples=f.n_resamples or drawn.n_resamples) for f in found]


def _modelled(
    sides: tuple[FloatArray, FloatArray],
    values: Agreements,
    ranges: Sequence[Range],
    method: Method,
    level: float,
    drawn: Resampling,
) -> list[Found | None]:
    """Compute limits by shrinkage; for "auto", widen them by the iterated bootstrap."""
    model = model_of(sides)
    # With eight times as many resamples, the iterated interval varies as little with the seed as the one by shrinkage.
    more = replace(drawn, n_resamples=STEADY * drawn.n_resamples)
    if model is None:
        if method == "shrinkage":
            raise InputError(f"method is 'shrinkage', which {SHRINKAGE_NEEDS}: use method='iterated'")
        return _iterated(sides, values, ranges, level, more, f"{ITERATED}: shrinkage {SHRINKAGE_NEEDS}")
    found = [around(*each, level) for each in zip(*shrunk_values(model, values, drawn), ranges, strict=True)]
    if method == "shrinkage":
        return found
    others = centres(sides, values, drawn.quiet())
    found = [f and reaching(f, float(o), r, level) for f, o, r in zip(found, others, ranges, strict=True)]
    if (fit := fit_of(model)) >= MISFIT:
        return found
    note = (
        f"{BOTH}: {NEARLY_TIED} (agreement between halves of the topics is {-fit:.1f} standard deviations below "
        "the model's prediction)"
    )
    return [
        i and (i if f is None else i._replace(low=min(i.low, f.low), high=max(i.high, f.high), method="auto"))
        for i, f in zip(_iterated(sides, values, ranges, level, more.quiet(), note), found, strict=True)
    ]


def _iterated(
    sides: tuple[FloatArray, FloatArray],
    values: Agreements,
    ranges: Sequence[Range],
    level: float,
    drawn: Resampling,
    note: str = "",
) -> list[Found | None]:
    """Compute iterated intervals, with a note on why."""
    summaries = summarise(nested_values(sides, values, drawn), len(sides[0]))
    found = [s and from_summary(s, within, level) for s, within in zip(summaries, ranges, strict=True)]
    return [f and f._replace(note=note, n_resamples=drawn.n_resamples) for f in found]


def around(truth: FloatArray, again: FloatArray, within: Range, level: float) -> Found | None:
    """Compute limits from draws of a coefficient in the population and in another sample: mean +- z sd of the error."""
    found = summarised(truth, again)
    if found is None:
        return None
    half = normal_quantile(level) * found.error
    low, high = np.clip([found.centre - half, found.centre + half], *within)
    return Found(float(low), float(high), found.centre, found.error, found.undefined, "shrinkage")


def reaching(found: Found, other: float, within: Range, level: float) -> Found:
    """Move the limit by shrinkage that is nearer 0 further, if the centre of the iterated bootstrap is nearer 0.

    Violations of the model (ties, groups, curved relations) usually make its centre too extreme. So the half away from
    0 is shortened a little, unless the sign of the centre is unclear.
    """
    half = normal_quantile(level) * found.standard_error
    sign = -1.0 if found.bias_corrected < 0 else 1.0
    centre = sign * found.bias_corrected
    apart = 0.0 if math.isnan(other) else sign * other - centre
    unclear = centre < half
    near = centre - half + min(apart, 0.0)
    far = centre + (half + max(apart, 0.0) if unclear else AWAY * half)
    low, high = np.clip(sorted((sign * near, sign * far)), *within)
    return found._replace(low=float(low), high=float(high), method="auto")


def from_summary(summary: Summary, within: Range, level: float) -> Found:
    """Compute the iterated limits from a summary of all levels.

    The centre is first cut to the range of the coefficient, so that no interval shrinks to a point.
    """
    corrected = float(np.clip(summary.centre, *within))
    # Student's quantile and the Monte Carlo error of the centre keep the coverage with few resamples.
    t = student_quantile(level, summary.outer - 1)
    near = NEAR * t * math.hypot(summary.standard_error, summary.monte_carlo)
    far = near * (1 + LEFT / summary.n_topics)
    # If the sign is unclear, so is the direction of the bias: both halves are long.
    low = corrected - (near if corrected > near else far)
    high = corrected + (near if corrected < -near else far)
    low, high = np.clip([low, high], *within)
    return Found(float(low), float(high), corrected, summary.standard_error, summary.undefined, "iterated")


def _quantiles(value: float, resampled: FloatArray, within: Range, level: float) -> Found | None:
    """Compute quantiles of the resampled coefficients, as many papers do."""
    kept = resampled[~np.isnan(resampled)]
    if len(kept) < 2:
        return None
    tail = (1 - level) / 2
    low, high = np.quantile(kept, [tail, 1 - tail])
    low, high, corrected = np.clip([low, high, 2 * value - kept.mean()], *within)
    undefined = len(resampled) - len(kept)
    return Found(float(low), float(high), float(corrected), float(kept.std(ddof=1)), undefined, "percentile")


def student_quantile(confidence_level: float, df: int) -> float:
    """Return Student's two-sided quantile: the half-width of an interval in standard errors with `df` degrees."""
    from scipy.special import stdtrit

    return float(stdtrit(df, (1 + confidence_level) / 2))


def normal_quantile(confidence_level: float) -> float:
    """Return the two-sided normal quantile: the half-width of an interval in standard errors."""
    return NormalDist().inv_cdf((1 + confidence_level) / 2)


def not_resampled(coefficient: Coefficient) -> str:
    """Say why a coefficient never has an interval; empty if it may have one."""
    if len(coefficient.ties) == 2:
        return ""
    return (
        f"resampled means can be tied, and {coefficient.name} is not defined for ties on both sides: use "
        f"{coefficient.with_ties!r}, which is the same without ties"
    )
