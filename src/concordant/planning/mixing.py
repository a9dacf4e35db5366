"""Formulas for the means of systems from human scores on n topics and machine scores on these and N more topics.

Control variates. Let y be the human scores, x the machine scores on the same n topics, and u those on N other topics:

    means = mean(y) + lam (mean(u) - mean(x)).

These means are unbiased whatever the machine does: it only corrects for the choice of the n topics. The variance is
smallest at lam = cov(y, x) / var(x) * N / (n + N) (PPI++). Scores are split into the level, the mean over systems on
each topic, and the deviations from it, which alone affect a ranking. Each part has one lam, estimated from all of its
topic x system residuals.

Shrinking. The machine's own means over all n + N topics have less noise, but a bias d for each system that no number
of machine topics removes. After a change of scale and level they equal the truth + d, with d drawn from a normal
distribution over systems. The distance between the two means estimates the variance of d. The best weight of the
machine is k B, where k is its weight without bias, and B is the share of noise in the variance of the distance. B is
unknown but has a distribution (Morris 1983); weight and errors are averaged over this distribution.

Topics on which the machine gives all systems the same score carry no information, and it may never have judged them.
These topics are dropped from both machine means, so mean(u) - mean(x) still has expectation 0. Their human scores
are kept.

Degrees of freedom. Variances come from n topics, whose scores are skewed. By the Edgeworth expansion of Student's t
(Hall 1992), skewness g makes a two-sided interval too short by the share g^2 (z^2 - 1) (z^2 + 3) / 18n, with z the
normal quantile. Degrees of freedom of 1 / (1 / df + 4 g^2 (z^2 - 1) (z^2 + 3) / (18n (z^2 + 1))) instead of df correct
for this, with the z of a 95% interval at every level.

The worth is a ratio of error variances; its interval comes from the jackknife over topics on the log scale. Equal
variances do not imply equal correlations: the mean tau_b of a mix can equal that of about 10% fewer topics.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri, stdtr, stdtrit

from ..arrays import BoolArray, FloatArray
from ..inference.adjustment import holm
from ..inference.posterior import noise_shares

SIGNIFICANT = 0.05  # level at which a system is called favoured
ROUNDS = 10  # largest number of rounds of refitting the machine's scale without favoured systems


class Moments(NamedTuple):
    """For one part of the scores: pooled variances of human and machine scores on one topic, and their covariance."""

    human: float
    both: float
    machine: float
    systems: float = math.inf
    """Effective number of independent systems that estimate the weight of the control variate."""

    def lost(self, n: int) -> float:
        """Share of the error of n human topics that is overlooked because the weight is estimated.

        The residuals that estimate the weight are too small by the share 1 / ((n - 1) systems), as in any regression.
        The error of the weight adds the same share.
        """
        # 1 / ((n - 1) systems), twice.
        return 2 / ((n - 1) * self.systems)

    def best_lam(self, n: int, more: int) -> float:
        """The weight of the control variate with the least variance."""
        # lam = cov(y, x) / var(x) * N / (n + N).
        return self.both / self.machine * more / (n + more) if self.machine > 0 else 0.0

    def variance(self, n: int, more: int, lam: float) -> float:
        """Return the variance of the corrected means."""
        # (var(y) - 2 lam cov(y, x)) / n + lam^2 var(x) (1 / n + 1 / N).
        return (self.human - 2 * lam * self.both) / n + lam**2 * self.machine * (1 / n + 1 / more)


class Bias(NamedTuple):
    """Estimates of the machine's bias."""

    slope: float
    """Slope of machine means on human means over systems; above 0."""
    variance: float
    """Variance of the bias over systems, in squared human scores."""
    share: float
    """E[B]: the share of noise in the variance of the distance between the two means."""
    square: float
    """E[B^2]."""
    freedom: float
    """Effective number of systems with independent noise."""
    signal: float
    """Variance of the true means over systems."""


class Combined(NamedTuple):
    """Means of the systems, the covariance of their errors, and the estimates behind them."""

    means: FloatArray
    covariance: FloatArray
    freedom: float
    """Degrees of freedom of the covariance, for differences between systems."""
    mean_freedom: float
    """Degrees of freedom of the covariance, for the means themselves."""
    lam: float
    """Weight of the control variate for deviations from the level."""
    weight: float
    """Weight of the machine's own means, between 0 and 1."""
    moments: Moments
    bias: Bias | None
    error: float
    """Variance of a mean's deviation from the level, averaged over systems."""
    spread: float
    """Standard error of the logarithm of the worth."""
    favour: FloatArray
    """How much the machine favours each system, in human scores; nan where unknown."""
    favour_p: FloatArray
    """The p-value of each favour, corrected by Holm's method over all systems."""

    @property
    def worth(self) -> float:
        """Number of human topics that alone would give the same error."""
        return self.moments.human / self.error if self.error > 0 else math.inf

    def worth_limits(self, level: float, n: int) -> tuple[float, float]:
        """Confidence limits of the worth, for n human topics."""
        # W exp(-+ t se(log W)).
        reach = math.exp(float(stdtrit(n - 1, (1 + level) / 2)) * self.spread)
        return self.worth / reach, self.worth * reach


def moments_of(human: FloatArray, paired: FloatArray, more: FloatArray) -> Moments:
    """Compute the moments of deviations that sum to 0 on each topic; all machine topics give the machine's variance."""
    # Divisors are (topics - 1) (systems - 1), because the deviations of a topic sum to 0. A level has one column.
    n, width = human.shape
    others, columns = len(more), max(width - 1, 1)
    y, x, u = (part - part.mean(axis=0) for part in (human, paired, more))
    of_y, of_both, of_x = (float((a * b).sum()) / ((n - 1) * columns) for a, b in ((y, y), (y, x), (x, x)))
    # var(x) from all n + N topics of the machine. Then var(y) = var(y | x) + slope^2 var(x), cov(y, x) = slope var(x).
    machine = (of_x * (n - 1) + float((u * u).sum()) / columns) / (n + others - 2)
    slope = of_both / of_x if of_x > 0 else 0.0
    return Moments(of_y - slope * of_both + slope**2 * machine, slope * machine, machine)


def combined(
    human: FloatArray,
    paired: FloatArray,
    more: FloatArray,
    *,
    lam: float | None = None,
    shrink: bool = False,
) -> Combined:
    """Combine topics x systems matrices: human scores, and machine scores on the same topics and on others."""
    n, m = human.shape
    paired, more = _telling(paired), more[tells(more)]
    others = len(more)
    # Each topic's scores are its level, the mean over systems, plus deviations from it; each part has its own lam.
    levels = [part.mean(axis=1, keepdims=True) for part in (human, paired, more)]
    parts = [part - level for part, level in zip((human, paired, more), levels, strict=True)]
    of_level, of_parts = moments_of(*levels), moments_of(*parts)
    level_lam, part_lam = (of.best_lam(n, others) if lam is None else float(lam) for of in (of_level, of_parts))
    y, x, u = parts
    # corrected = mean(y) + lam (mean(u) - mean(x)); every = the machine's mean over its n + N topics.
    corrected = y.mean(axis=0) + part_lam * (u.mean(axis=0) - x.mean(axis=0))
    every = (n * x.mean(axis=0) + others * u.mean(axis=0)) / (n + others)
    bias = bias_of(parts, corrected, every, of_parts, part_lam) if m > 3 else None
    favour, favour_p = np.full((2, m), np.nan)
    if bias is not None:
        favour, favour_p = _favours(parts, corrected, every, of_parts, part_lam)
    bias = bias if shrink else None
    # Weight of the machine = k E[B]. Dividing its means by the slope puts them on the human scale.
    weight, scale = 0.0, 0.0
    if bias is not None:
        least = weight_without_bias(of_parts, bias.slope, n, others, part_lam)
        weight = least * bias.share
        scale = weight / bias.slope
    # The contribution of each topic to the means. Its covariance over topics gives the covariance of the means:
    # human topics: level - lam_level level_x + (1 - weight) (y - lam x) + weight / slope * n / (n + N) x,
    # machine topics: lam_level level_u + ((1 - weight) lam + weight / slope * N / (n + N)) u.
    of_paired = levels[0] - level_lam * levels[1]
    of_paired = of_paired + (1 - weight) * (y - part_lam * x) + scale * n / (n + others) * x
    of_more = level_lam * levels[2] + ((1 - weight) * part_lam + scale * others / (n + others)) * u
    human_part, machine_part = (_covariance(part) / len(part) for part in (of_paired, of_more))
    # Estimating lam from n topics costs the share `lost` of the error of y - lam x.
    if lam is None:
        of_parts = of_parts._replace(systems=_systems(y - part_lam * x))
        human_part = human_part + of_parts.lost(n) * (1 - weight) ** 2 * _covariance(y - part_lam * x) / n
    covariance = human_part + machine_part
    unknown, freedom_of_bias = 0.0, 1.0
    if bias is not None:
        # Add what is left of the bias, k^2 noise (E[B] - E[B^2]); the error of the weight, k^2 var(B) apart apart';
        # the error of the slope, weight^2 spread / (freedom signal) corrected corrected'.
        apart = corrected - every / bias.slope
        spread = float(apart @ apart) / (m - 1)
        left = least**2 * noise_of(of_parts, bias.slope, n, others, part_lam) * (bias.share - bias.square)
        of_weight = least**2 * (bias.square - bias.share**2)
        of_slope = weight**2 * spread / (bias.freedom * bias.signal)
        covariance = covariance + left * (np.eye(m) - 1 / m) + of_weight * np.outer(apart, apart)
        covariance += of_slope * np.outer(corrected, corrected)
        unknown = left + of_weight * spread + of_slope * float(corrected @ corrected) / (m - 1)
        freedom_of_bias = bias.freedom
    # Differences: variance of a deviation, averaged over systems, and its degrees of freedom by Satterthwaite.
    traces = [float(np.trace(part) - part.sum() / m) / (m - 1) for part in (human_part, machine_part)]
    of_differences = _of_skewed(of_paired - of_paired.mean(axis=1, keepdims=True), n - 1)
    freedom = _freedom([*traces, unknown], [of_differences, others - 1, freedom_of_bias])
    # Means: the same computation with the whole variance.
    variances = [float(np.trace(part)) / m for part in (human_part, machine_part)]
    variances.append(float(np.trace(covariance)) / m - sum(variances))
    if lam is None:  # the level's lam is uncertain: only n topics estimate it
        of_level_lam = _error_of_level(levels, others)
        covariance = covariance + of_level_lam
        variances[0] += of_level_lam
    of_means = _of_skewed(of_paired, n - 1 - (lam is None))
    return Combined(
        means=of_paired.mean(axis=0) + of_more.mean(axis=0),
        covariance=(covariance + covariance.T) / 2,
        freedom=freedom,
        mean_freedom=_freedom(variances, [of_means, others - 1, freedom_of_bias]),
        lam=part_lam,
        weight=weight,
        moments=of_parts,
        bias=bias,
        error=sum(traces) + unknown,
        spread=math.hypot(
            _spread_of_worth(parts, fixed=lam),
            of_parts.lost(n),  # near weight 0 the jackknife misses that this cost varies
            math.sqrt(2 / freedom_of_bias) * unknown / (sum(traces) + unknown) if unknown > 0 else 0.0,
        ),
        favour=favour,
        favour_p=favour_p,
    )


def tells(machine: FloatArray) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Tell on which topics the machine gives the systems different scores."""
    return np.asarray(np.ptp(machine, axis=1) > 0)


def _telling(paired: FloatArray) -> FloatArray:
    """Replace the machine's scores on uninformative human topics, so that means and errors come from the other topics.

    Uninformative topics get the mean of the k informative ones. The deviations of these k topics are multiplied by
    n / k, so that a mean over all n topics has the value and the error of the mean over k topics.
    """
    some = tells(paired)
    if some.all() or not some.any():
        return paired
    mean = paired[some].mean(axis=0)
    return np.asarray(np.where(some[:, None], mean + (paired - mean) * (len(paired) / some.sum()), mean))


def _favours(
    parts: list[FloatArray], corrected: FloatArray, every: FloatArray, of: Moments, lam: float
) -> tuple[FloatArray, FloatArray]:
    """Estimate how much the machine favours each system, with p-values for all systems together.

    The gap of a system is the machine's mean, on the human scale, minus the corrected human mean. Its favour is the gap
    minus the mean gap of the middle half of the systems. Errors come from the jackknife over both kinds of topics and
    include the error of the scale. Favoured systems would distort the scale, so it is refitted without them until the
    set of favoured systems no longer changes.
    """
    m = len(corrected)
    some = np.ones(m, dtype=bool)
    for _ in range(ROUNDS):
        favour, p = _favours_on(parts, corrected, every, of, lam, some)
        left = p > SIGNIFICANT
        if left.sum() < max(m // 2, 3) or (left == some).all():
            break
        some = left
    return favour, p


def _favours_on(
    parts: list[FloatArray], corrected: FloatArray, every: FloatArray, of: Moments, lam: float, some: BoolArray
) -> tuple[FloatArray, FloatArray]:
    """Estimate favours and p-values on the scale fitted to the systems marked in `some`."""
    m = len(corrected)
    y, x, u = (part - part.mean(axis=0) for part in parts)
    n, others = len(y), len(u)

    def gap(of_human: FloatArray, of_machine: FloatArray) -> FloatArray:
        h, g = of_human[..., some], of_machine[..., some]
        h = h - h.mean(axis=-1, keepdims=True)
        # slope = common / signal, both less their noise; gap = every / slope - corrected - mean of the middle half.
        signal = (h * h).sum(axis=-1, keepdims=True) / (h.shape[-1] - 1) - of.variance(n, others, lam)
        common = (h * g).sum(axis=-1, keepdims=True) / (h.shape[-1] - 1) - of.both / (n + others)
        found = signal / common * of_machine - of_human
        middle = np.sort(found[..., some], axis=-1)[..., h.shape[-1] // 4 : h.shape[-1] - h.shape[-1] // 4]
        return np.asarray(found - middle.mean(axis=-1, keepdims=True))

    favour, variance = gap(corrected, every), np.zeros(m)
    for adds, to_machine in ((y - lam * x, x * (n / (n + others))), (lam * u, u * (others / (n + others)))):
        k = len(adds)
        # Leaving out one of k topics gives corrected - adds / (k - 1). Variance = (k - 1) / k sum (gap_(t) - mean)^2.
        without = gap(corrected - adds / (k - 1), every - to_machine / (k - 1))
        variance += (k - 1) / k * ((without - without.mean(axis=0)) ** 2).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(favour == 0, 0.0, np.abs(favour) / np.sqrt(variance))
    return favour, holm(2 * stdtr(n - 1, -t))


def _spread_of_worth(parts: list[FloatArray], fixed: float | None) -> float:
    """Compute the standard error of the log worth of control variates, by the jackknife over all topics.

    To leave out topic t, subtract k / (k - 1) times its own squares from the sums of squares. This avoids rebuilding
    matrices.
    """
    y, x, u = (part - part.mean(axis=0) for part in parts)
    n, others = len(y), len(u)

    def log_worth(of: list[FloatArray], k: int, more: int) -> FloatArray:
        yy, yx, xx, uu = of
        with np.errstate(divide="ignore", invalid="ignore"):
            # log(var(y) / error), both per topic, with the moments of `moments_of` and the lam of `best_lam`.
            machine = (xx + uu) / (k + more - 2)
            slope = np.where(xx > 0, yx / xx, 0.0)
            lam = slope * more / (k + more) if fixed is None else fixed
            human = (yy - slope * yx) / (k - 1) + slope**2 * machine
            error = (yy - 2 * lam * yx + lam**2 * xx) / (k - 1) / n + lam**2 * uu / (more - 1) / others
            return np.asarray(np.log(human / error))

    sums = [np.asarray((a * b).sum()) for a, b in ((y, y), (y, x), (x, x), (u, u))]
    of_topics = [(a * b).sum(axis=1) * n / (n - 1) for a, b in ((y, y), (y, x), (x, x))]
    without = [
        log_worth([*(s - t for s, t in zip(sums, of_topics, strict=False)), sums[3]], n - 1, others),
        log_worth([*sums[:3], sums[3] - (u * u).sum(axis=1) * others / (others - 1)], n, others - 1),
    ]
    # The jackknife: (k - 1) / k sum (log W_(t) - mean)^2, summed over both kinds of topics.
    variance = sum((len(w) - 1) / len(w) * float(((w - w.mean()) ** 2).sum()) for w in without)
    return math.sqrt(variance) if math.isfinite(variance) else math.inf


def _error_of_level(levels: list[FloatArray], others: int) -> float:
    """Compute the variance to add to the level because its lam is estimated, as in a regression on n topics."""
    y, x, u = (level.ravel() for level in levels)
    n, moved = len(y), float(u.mean() - x.mean()) * others / (len(y) + others)
    # The level is predicted at mean(x) + moved, which adds s2 moved^2 / sum (x - mean(x))^2 to its variance. The
    # residual variance s2 has n - 2 degrees of freedom instead of n - 1.
    squares = float(((x - x.mean()) ** 2).sum())
    if squares == 0:
        return 0.0
    slope = float((y - y.mean()) @ (x - x.mean())) / squares
    residual = float(((y - y.mean() - slope * (x - x.mean())) ** 2).sum())
    return residual / (n - 2) * moved**2 / squares + residual * (1 / (n - 2) - 1 / (n - 1)) / n


def noise_of(of: Moments, slope: float, n: int, others: int, lam: float) -> float:
    """Compute the variance that the distance between corrected and machine means would have without machine bias."""
    # var(corrected) + var(every) / slope^2 - 2 cov(corrected, every) / slope.
    machine, both = of.machine / (n + others) / slope**2, of.both / (n + others) / slope
    return of.variance(n, others, lam) + machine - 2 * both


def weight_without_bias(of: Moments, slope: float, n: int, others: int, lam: float) -> float:
    """Compute the weight that the machine's means would have if the machine had no bias."""
    noise = noise_of(of, slope, n, others, lam)
    if noise <= 0:
        return 0.0
    # k = (var(corrected) - cov(corrected, every) / slope) / noise, from 0 to 1.
    return min(max((of.variance(n, others, lam) - of.both / (n + others) / slope) / noise, 0.0), 1.0)


def bias_of(parts: list[FloatArray], corrected: FloatArray, every: FloatArray, of: Moments, lam: float) -> Bias | None:
    """Estimate the machine's bias from its means' distance to the corrected means; None if it cannot be estimated."""
    y, x, u = parts
    (n, m), others = y.shape, len(u)
    # Variance of the true means, and their covariance with the machine's, over systems, without the noise of topics.
    signal = float(corrected @ corrected) / (m - 1) - of.variance(n, others, lam)
    common = float(corrected @ every) / (m - 1) - of.both / (n + others)
    if signal <= 0 or common <= 0:
        return None
    slope = common / signal
    noise = noise_of(of, slope, n, others, lam)
    if noise <= 0:
        return None
    # B = noise / (noise + variance of the bias), from spread / noise with `freedom` degrees of freedom (Morris 1983).
    apart = corrected - every / slope
    spread = float(apart @ apart) / (m - 1)
    freedom = _systems(y - (lam + n / (n + others) / slope) * x)
    share, square = noise_shares(freedom, spread / noise)
    return Bias(slope, noise * (1 / share - 1), share, square, freedom, signal)


def _systems(errors: FloatArray) -> float:
    """Effective number of independent systems: tr(S)^2 / tr(S^2), corrected for the bias from few topics."""
    n, m = errors.shape
    e = errors - errors.mean(axis=0)
    products = e @ e.T if n < m else e.T @ e
    trace, squares = float(np.trace(products)), float((products**2).sum())
    if n < 3 or trace == 0:
        return float(m - 1)
    # For normal errors, this estimate has no bias: tr(S^2) ~ (n-1)^2 / ((n+1) (n-2)) (tr(S^2) - tr(S)^2 / (n-1)).
    squares = (n - 1) ** 2 / ((n + 1) * (n - 2)) * (squares - trace**2 / (n - 1))
    return float(min(max(trace**2 / squares if squares > 0 else m - 1, 3.0), m - 1))


def _covariance(values: FloatArray) -> FloatArray:
    errors = values - values.mean(axis=0)
    return np.asarray(errors.T @ errors / (len(values) - 1))


def _freedom(parts: list[float], freedoms: list[float]) -> float:
    """Compute the degrees of freedom of a sum of variances (Satterthwaite)."""
    # (sum V_k)^2 / sum (V_k^2 / d_k).
    below = sum(part**2 / freedom for part, freedom in zip(parts, freedoms, strict=True))
    return sum(parts) ** 2 / below if below > 0 else freedoms[0]


def _of_skewed(values: FloatArray, freedom: float) -> float:
    """Degrees of freedom of a mean over topics (rows) whose scores are skewed, pooled over systems.

    The squared skewness that n unskewed topics show on average, 6 (n - 2) / ((n + 1) (n + 3)), is subtracted.
    """
    n, z2 = len(values), float(ndtri(0.975)) ** 2
    errors = values - values.mean(axis=0)
    scale = np.sqrt((errors**2).mean(axis=0))
    varying = scale > 1e-12 * scale.max()  # other columns vary only by rounding
    if not varying.any():
        return freedom
    skewness = ((errors[:, varying] / scale[varying]) ** 3).mean(axis=0)
    square = max(float((skewness**2).mean()) - 6 * (n - 2) / ((n + 1) * (n + 3)), 0.0)
    # 1 / (1 / df + 4 g^2 (z^2 - 1) (z^2 + 3) / (18n (z^2 + 1))), as at the top of this module.
    return 1 / (1 / freedom + square / n * 4 * (z2 - 1) * (z2 + 3) / (18 * (z2 + 1)))


def error_with(of: Moments, bias: Bias | None, n: int, more: int) -> float:
    """Predict the variance of a mean's deviation from the level, with n human topics and `more` machine topics.

    This is what `combined` would find if the distance between the two means had its expected size under noise and bias.
    """
    if more == 0:
        return of.human / n
    # The variance without the machine's own means, at the best lam, plus what estimating lam costs.
    lam = of.best_lam(n, more)
    alone = of.variance(n, more, lam) + of.lost(n) * (of.human - 2 * lam * of.both + lam**2 * of.machine) / n
    if bias is None or (noise := noise_of(of, bias.slope, n, more, lam)) <= 0:
        return alone
    least, spread = weight_without_bias(of, bias.slope, n, more, lam), noise + bias.variance
    share, square = noise_shares(bias.freedom, spread / noise)
    # Expected sampling error of (1 - weight) corrected + weight every / slope, then the terms of `combined`.
    weight = least * share
    machine, both = of.machine / (n + more) / bias.slope**2, of.both / (n + more) / bias.slope
    sampled = (1 - weight) ** 2 * alone + 2 * weight * (1 - weight) * both + weight**2 * machine
    left = least**2 * (noise * (share - square) + (square - share**2) * spread)
    return sampled + left + weight**2 * spread * (bias.signal + alone) / (bias.freedom * bias.signal)
