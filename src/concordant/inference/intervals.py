"""Intervals of a coefficient by resampling topics, with the systems fixed: nested bootstrap and shrinkage.

Observed means are noisy. Resampling adds more noise, and noise lowers agreement, so the bootstrap distribution does not
estimate the sampling error. docs/guide/intervals.md derives the corrections and reports the coverage of each method.

Nested bootstrap: extrapolate a statistic of means from one, two and three doses of sampling noise to none. A sample of
topics differs from the population by sampling noise. A resample adds as much noise again, and a resample of the
resample adds it once more. The losses from level to level estimate the loss at the first, unobserved step.

Shrinkage: draw the population means of all conditions, given the observed means.

Observed means vary more than true means, and their errors are correlated between conditions. Let D be the m x C matrix
of means (C conditions, each centred over the systems and scaled to unit standard deviation), N the average sampling
covariance of a row, and S = D'D / (m - 1). A row of true means is assumed normal with covariance S - N. In coordinates
in which N is the identity (N = LL', G = L^-1 S L^-T), a draw is

    W ~ Wishart(m - 1, I) / (m - 1),   chol(G) W^-1 chol(G)' = U diag(e) U',   q = (n - 1) / chi2_{n-1},
    h = max(1 - q / e, least),   truth = D B' + E M',   again = truth + sqrt(q) E',
    B = L U diag(h) U' L^-1,   M = L U diag(sqrt(h q)) U' L^-1,

with E and E' the errors of two resamples of the topics. All conditions use the same resampled topics. W and q reflect
the uncertainty of S and N. Each draw of true means comes with `again`, the means of another sample of as many topics.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import NormalDist
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from .. import _kernels
from ..arrays import FloatArray, IntArray, rows_at_a_time, shared_out
from ..coefficients.registry import Coefficient, get_coefficient
from ..data.results import Interval
from ..errors import InputError, named
from .calibration import AWAY, FEWEST, GROWTH, INNER, LEAST_SHRINKAGE, LEFT, MISFIT, NEAR, STEADY
from .resampling import CHUNK, Resampling, counts_of, in_blocks, resampled_means

Statistic: TypeAlias = Callable[[Sequence[FloatArray]], FloatArray]
"""Maps the means of each condition (resamples x systems) to one value per resample, or to k x resamples. An executor of
processes needs a function that can be pickled."""

ROWS = 1024  # resamples at a time; fewer for very many topics


class Nested(NamedTuple):
    """Values of a statistic on the sample and on three levels of resamples."""

    sample: FloatArray
    """Value of each of the k statistics on the sample."""
    first: FloatArray
    """k x outer: values on first-level resamples of the sample."""
    second: FloatArray
    """k x outer x inner: resamples of each first-level resample."""
    third: FloatArray
    """k x outer x inner: one resample of each second-level resample."""


def nested_weights(
    n: int, outer: int, rng: np.random.Generator, *, inner: int = INNER, levels: int = 3
) -> Iterator[tuple[IntArray, ...]]:
    """Yield how often each topic is drawn at each level, for a block of first-level samples at a time.

    Each first-level sample has `inner` second-level samples, and each of these one sample on every further level.
    """
    step = max(1, rows_at_a_time(n, ROWS) // (1 + (levels - 1) * inner))
    for lo in range(0, outer, step):
        drawn = [rng.integers(0, n, (min(step, outer - lo), n))]
        for above in range(levels - 1):
            given = drawn[-1] if above else np.repeat(drawn[0], inner, axis=0)
            drawn.append(np.take_along_axis(given, rng.integers(0, n, given.shape), axis=1))
        yield tuple(map(counts_of, drawn))


def nested_values(
    conditions: Sequence[FloatArray], statistic: Statistic, drawn: Resampling, *, inner: int = INNER
) -> Nested:
    """Compute a statistic of the means on all levels, with `n_resamples` in total, but at least two outer resamples.

    All conditions are topics x systems, and the same topics are drawn for all of them.
    """
    outer = max(2, drawn.n_resamples // (1 + 2 * inner))
    sample, first, second, third = _on_levels(conditions, statistic, drawn, outer, inner, levels=3)
    return Nested(sample, first, second.reshape(-1, outer, inner), third.reshape(-1, outer, inner))


def centres(conditions: Sequence[FloatArray], statistic: Statistic, drawn: Resampling) -> FloatArray:
    """Compute only the centre of each statistic, from `n_resamples` / 2 pairs of a resample and a resample of it.

    The Monte Carlo error is a third of the error of `nested_values`, whose deeper levels are needed for the standard
    error. The centre is nan if a statistic is undefined on nearly all pairs.
    """
    sample, once, twice = _on_levels(conditions, statistic, drawn, max(2, drawn.n_resamples // 2), 1, levels=2)
    kept = ~(np.isnan(once) | np.isnan(twice))
    counts = np.where(kept.sum(axis=1) < 2, np.nan, kept.sum(axis=1))
    means = (np.where(kept, level, 0.0).sum(axis=1) / counts for level in (once, twice))
    return centre_of(sample, *means)


def _on_levels(
    conditions: Sequence[FloatArray], statistic: Statistic, drawn: Resampling, outer: int, inner: int, levels: int
) -> list[FloatArray]:
    """Compute a statistic on the sample and on the resamples of each level; return the sample's values first."""
    n, each, done = len(conditions[0]), 1 + (levels - 1) * inner, 0
    values = partial(_values, conditions, statistic, drawn.threads)
    pieces = nested_weights(n, outer, drawn.generator(), inner=inner, levels=levels)
    found = []
    for every in shared_out(values, map(np.concatenate, pieces), drawn.workers):
        rows = every.shape[1] // each
        found.append(np.split(every, [rows, rows * (1 + inner)][: levels - 1], axis=1))
        done += rows
        drawn.progress(done * each, outer * each)
    sample = values(np.ones((1, n), dtype=np.int64))[:, 0]
    return [sample, *(np.concatenate(level, axis=1) for level in zip(*found, strict=True))]


def _values(conditions: Sequence[FloatArray], statistic: Statistic, threads: int, weights: IntArray) -> FloatArray:
    return np.atleast_2d(statistic([resampled_means(c, weights, workers=threads) for c in conditions]))


# From the values on all levels to a centre corrected for noise, and its standard error ----------------------------


class Summary(NamedTuple):
    """The centre of a statistic and its errors, computed from all levels."""

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

    A first-level sample is left out if its value, or a value at a deeper level, is undefined.
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
        centre=float(centre),
        standard_error=float(np.sqrt(growth**GROWTH * variance)),
        n_topics=n,
        undefined=int(bad.sum()),
        outer=len(first),
        monte_carlo=float(np.sqrt((second.mean(axis=1) - 3 * first).var(ddof=1) / len(first))),
    )


# Shrinkage -------------------------------------------------------------------------------------------------------

# if less than this part of a condition's error is independent of the other conditions, it counts as rounding
DEPENDENT = 1e-6


@dataclass(frozen=True)
class Model:
    """The estimates on which the draws are based."""

    means: FloatArray
    """C x m: D', centred and scaled."""
    residuals: FloatArray
    """n x C m: scores after subtracting the effects of systems and topics, on the same scale."""
    noise_root: FloatArray
    """L, the Cholesky factor of N."""
    spread_root: FloatArray
    """chol(G), the Cholesky factor of G."""
    twins: IntArray
    """For each system, the first system with equal scores in all conditions; the two are tied in every draw."""


def model_of(conditions: Sequence[FloatArray]) -> Model | None:
    """Fit the model to conditions, each topics x systems; None if that is impossible.

    The model needs enough systems and topics, means that vary, and errors that vary differently in each condition.
    """
    n, m = conditions[0].shape
    count = len(conditions)
    if m - 1 <= count or n < 3:
        return None
    means = np.stack([c.mean(axis=0) for c in conditions])
    means -= means.mean(axis=1, keepdims=True)
    scale = means.std(axis=1, ddof=1)
    if not (scale > 0).all():
        return None
    means /= scale[:, None]
    residuals = np.stack([c - c.mean(axis=0) for c in conditions]) / scale[:, None, None]
    residuals -= residuals.mean(axis=2, keepdims=True)
    flat = residuals.reshape(count, -1)
    noise = flat @ flat.T / (m * n * (n - 1))
    spread = means @ means.T / (m - 1)
    try:
        root = np.linalg.cholesky(noise)
        if (np.diag(root) <= DEPENDENT * np.sqrt(np.diag(noise))).any():
            return None
        half = np.linalg.solve(root, spread)
        spread_root = np.linalg.cholesky(np.linalg.solve(root, half.T))
    except np.linalg.LinAlgError:
        return None
    return Model(
        means, np.ascontiguousarray(np.hstack(list(residuals))), root, np.asarray(spread_root), _twins(conditions)
    )


def _twins(conditions: Sequence[FloatArray]) -> IntArray:
    seen: dict[bytes, int] = {}
    columns = np.ascontiguousarray(np.vstack(conditions).T)
    return np.array([seen.setdefault(column.tobytes(), k) for k, column in enumerate(columns)], dtype=np.int64)


class Piece(NamedTuple):
    """The random quantities of a block of draws."""

    towards: FloatArray
    """The matrices B, rows x C x C."""
    along: FloatArray
    """The matrices M, rows x C x C."""
    size: FloatArray
    """The factors sqrt(q), one per row."""
    counts: IntArray
    """How often each topic is drawn: one row for each draw of E, then one row for each draw of E'."""


def pieces(model: Model, count: int, rng: np.random.Generator) -> Iterator[Piece]:
    """Yield the random quantities of `count` draws, in blocks."""
    n, (c, m) = len(model.residuals), model.means.shape
    df = m - 1
    for lo in range(0, count, CHUNK):
        rows = min(CHUNK, count - lo)
        bartlett = np.zeros((rows, c, c))
        for i in range(c):
            bartlett[:, i, i] = np.sqrt(rng.chisquare(df - i, rows))
            bartlett[:, i, :i] = rng.standard_normal((rows, i))
        q = (n - 1) / rng.chisquare(n - 1, rows)
        counts = counts_of(rng.integers(0, n, (2 * rows, n)))
        # chol(G) W^-1 chol(G)' = F F' with F = chol(G) A^-T sqrt(m - 1), W = A A' / (m - 1).
        factor = model.spread_root @ np.swapaxes(np.linalg.inv(bartlett), 1, 2) * math.sqrt(df)
        e, u = np.linalg.eigh(factor @ np.swapaxes(factor, 1, 2))
        h = np.maximum(1 - q[:, None] / e, LEAST_SHRINKAGE)
        left, right = model.noise_root @ u, np.swapaxes(u, 1, 2) @ np.linalg.inv(model.noise_root)
        towards = (left * h[:, None, :]) @ right
        along = (left * np.sqrt(h * q[:, None])[:, None, :]) @ right
        yield Piece(towards, along, np.sqrt(q), counts)


def drawn_means(model: Model, piece: Piece, threads: int) -> tuple[list[FloatArray], list[FloatArray]]:
    """Compute the true means, and the means of another sample, with rows x systems for each condition."""
    n, (c, m), rows = len(model.residuals), model.means.shape, len(piece.size)
    errors = np.empty((2 * rows, c * m))
    _kernels.active.resampled_sums(model.residuals, piece.counts, errors, threads)
    errors *= math.sqrt(n / (n - 1)) / n
    once, again = errors[:rows].reshape(rows, c, m), errors[rows:].reshape(rows, c, m)
    truth = (piece.towards @ model.means + piece.along @ once)[:, :, model.twins]
    other = truth + piece.size[:, None, None] * again[:, :, model.twins]
    return [np.ascontiguousarray(truth[:, k]) for k in range(c)], [np.ascontiguousarray(other[:, k]) for k in range(c)]


def shrunk_values(model: Model, statistic: Statistic, drawn: Resampling) -> tuple[FloatArray, FloatArray]:
    """Compute a statistic of the true means and of another sample's means, each k x draws.

    Each draw uses two resamples.
    """
    count = drawn.n_resamples // 2
    work = partial(_shrunk, model, statistic, drawn.threads)
    found, done = [], 0
    for both in shared_out(work, pieces(model, count, drawn.generator()), drawn.workers):
        found.append(both)
        done += both[0].shape[1]
        drawn.progress(2 * done, 2 * count)
    truth, again = np.concatenate(found, axis=2)
    return truth, again


def _shrunk(model: Model, statistic: Statistic, threads: int, piece: Piece) -> tuple[FloatArray, FloatArray]:
    truth, again = drawn_means(model, piece, threads)
    return np.atleast_2d(statistic(truth)), np.atleast_2d(statistic(again))


# Whether the model fits -------------------------------------------------------------------------------------------

CHECKED = 400  # number of draws of another sample for the check
SPLITS = 2  # number of splits of the topics into halves for each draw


def fit_of(model: Model) -> float:
    """Compare the agreement between halves of the topics with the model's prediction.

    The result is the difference in standard deviations of the prediction.

    This is a posterior predictive check by tau_ap_b. The result is the lowest value over all pairs of conditions. It is
    well below 0 if many systems are nearly tied: their order is noise, which the model, with one spread for all
    systems, takes for signal.

    With d the means over half of the topics minus the means over all topics, the halves have means D + d and D - d. So
    agreement between halves is a function of the means, in the sample and in every draw of another sample. A fixed seed
    makes the check depend on the data alone.
    """
    f, rng = get_coefficient("tau_ap_b").formula, np.random.default_rng(0)
    n, (c, m) = len(model.residuals), model.means.shape
    drawn = list(pieces(model, CHECKED, rng))
    again = np.concatenate([np.stack(drawn_means(model, piece, 1)[1], axis=1) for piece in drawn])
    sizes = np.concatenate([piece.size for piece in drawn])
    signs = rng.permuted(np.tile(np.where(np.arange(n) < n // 2, 1.0, -1.0), (CHECKED * SPLITS, 1)), axis=1)
    apart = (signs @ model.residuals / n).reshape(CHECKED, SPLITS, c, m)
    moved = sizes[:, None, None, None] * apart
    predicted = again[:, None] + moved, again[:, None] - moved
    observed = model.means + apart[:, 0], model.means - apart[:, 0]

    def above(i: int, j: int) -> float:
        sides = (np.ascontiguousarray(half[:, :, k]) for half, k in zip(predicted, (i, j), strict=True))
        values = np.asarray(f(*sides))
        here = np.asarray(f(*(np.ascontiguousarray(half[:, k]) for half, k in zip(observed, (i, j), strict=True))))
        # Variance of the mean over all splits: subtract the Monte Carlo variance that comes from using few splits.
        variance = values.mean(axis=1).var(ddof=1) - values.var(axis=1, ddof=1).mean() / SPLITS
        return float((here.mean() - values.mean()) / math.sqrt(max(float(variance), 1e-12)))

    return min(above(i, j) for i in range(c) for j in range(i, c))


# Limits ----------------------------------------------------------------------------------------------------------

Method: TypeAlias = Literal["auto", "shrinkage", "iterated"]
Range: TypeAlias = tuple[float, float]

SHRINKAGE_NEEDS = (
    "needs at least 4 systems and 3 topics, means that vary over systems, and errors that vary over topics "
    "differently on each side"
)


class Found(NamedTuple):
    """Bootstrap limits of a coefficient, with its bias-corrected value and standard error."""

    low: float
    high: float
    bias_corrected: float
    standard_error: float
    undefined: int
    """The number of resamples on which the coefficient has no value."""
    method: str
    note: str = ""
    """Why `method` was chosen."""
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
    """Raise an error if there are too few resamples for an interval."""
    if n_resamples < FEWEST:
        raise InputError(f"{named('n_resamples')} is {n_resamples}: an interval needs at least {FEWEST} resamples")


def limits(
    sides: tuple[FloatArray, FloatArray],
    coefficients: Sequence[Coefficient],
    method: Method,
    level: float,
    drawn: Resampling,
) -> list[Found | None]:
    """Compute limits for all coefficients from the same resamples; None for a coefficient that is too often undefined.

    The sides, truth and candidate, are topics x systems.
    """
    sides = in_blocks(sides[0]), in_blocks(sides[1])
    values = Agreements(tuple(c.name for c in coefficients), drawn.threads)
    ranges = [c.range for c in coefficients]

    def iterated(drawn: Resampling, note: str = "") -> list[Found | None]:
        summaries = summarise(nested_values(sides, values, drawn), len(sides[0]))
        found = [s and from_summary(s, within, level) for s, within in zip(summaries, ranges, strict=True)]
        return [f and f._replace(note=note, n_resamples=drawn.n_resamples) for f in found]

    if method == "iterated":
        return iterated(drawn)
    model = model_of(sides)
    # With eight times as many resamples, the iterated interval varies as little with the seed as the shrinkage
    # interval.
    more = replace(drawn, n_resamples=STEADY * drawn.n_resamples)
    if model is None:
        if method == "shrinkage":
            raise InputError(f"method is 'shrinkage', which {SHRINKAGE_NEEDS}: use method='iterated'")
        return iterated(more, f"the interval is by the iterated bootstrap: shrinkage {SHRINKAGE_NEEDS}")
    found = [around(*each, level) for each in zip(*shrunk_values(model, values, drawn), ranges, strict=True)]
    found = [f and f._replace(n_resamples=drawn.n_resamples) for f in found]
    if method == "shrinkage":
        return found
    others = centres(sides, values, drawn.quiet())
    found = [f and reaching(f, float(o), r, level) for f, o, r in zip(found, others, ranges, strict=True)]
    if (fit := fit_of(model)) >= MISFIT:
        return found
    note = (
        "the interval includes that of the iterated bootstrap: many systems seem to be nearly tied, which the "
        "shrinkage model does not allow for (agreement between halves of the topics is "
        f"{-fit:.1f} standard deviations below the model's prediction)"
    )
    return [
        i and (i if f is None else i._replace(low=min(i.low, f.low), high=max(i.high, f.high), method="auto"))
        for i, f in zip(iterated(more.quiet(), note), found, strict=True)
    ]


def around(truth: FloatArray, again: FloatArray, within: Range, level: float) -> Found | None:
    """Compute limits from draws of a coefficient in the population and in another sample: mean +- z sd of the error."""
    kept = ~(np.isnan(truth) | np.isnan(again))
    if kept.sum() < 2:
        return None
    centre, error = float(truth[kept].mean()), float((truth - again)[kept].std(ddof=1))
    half = normal_quantile(level) * error
    low, high = np.clip([centre - half, centre + half], *within)
    return Found(float(low), float(high), centre, error, int((~kept).sum()), "shrinkage")


def reaching(found: Found, other: float, within: Range, level: float) -> Found:
    """Move the limit near 0 further towards 0 if the iterated bootstrap has a centre nearer to 0 than shrinkage has.

    Violations of the model (ties, groups, curved relations) usually make the centre by shrinkage too extreme. So the
    half of the interval that points away from 0 is shortened a little, unless the sign of the centre is unclear.
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

    The centre is first clipped to the range of the coefficient, so that no interval shrinks to a point.
    """
    corrected = float(np.clip(summary.centre, *within))
    # With few resamples, Student's quantile and the Monte Carlo error of the centre keep the coverage.
    from scipy.special import stdtrit  # imported here, so that a plain comparison needs no SciPy

    t = float(stdtrit(summary.outer - 1, (1 + level) / 2))
    near = NEAR * t * math.hypot(summary.standard_error, summary.monte_carlo)
    far = near * (1 + LEFT / summary.n_topics)
    # If the sign is unclear, so is the direction of the bias: both halves are long.
    low = corrected - (near if corrected > near else far)
    high = corrected + (near if corrected < -near else far)
    low, high = np.clip([low, high], *within)
    return Found(float(low), float(high), corrected, summary.standard_error, summary.undefined, "iterated")


def normal_quantile(confidence_level: float) -> float:
    """Return the two-sided normal quantile: the half-width of an interval in standard errors."""
    return NormalDist().inv_cdf((1 + confidence_level) / 2)
