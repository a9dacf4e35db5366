"""Draws of the true means of systems from their joint posterior, given the observed means.

The scores of a topic are assumed normal around the systems' true means, with an unknown covariance. With a flat prior,
the true means have a multivariate t distribution around the observed ones, with n - 1 degrees of freedom and the
covariance S / n. This posterior keeps the correlations of errors, but its centre is too spread out: the variance of
observed means over systems is the variance of the true means plus the variance of their errors. A normal prior over
the systems, estimated from the observed means (empirical Bayes), shrinks them:

    true mean - average = K (observed mean - average) + sqrt(K) error,
    K = 1 - E[B],    B ~ chi2_{m-3} / (m - 1) * N / V, given that B < 1,

with V the variance of the m observed means and N the average sampling variance of their deviations from the average.
B = N / V is the share of noise in the variance; with a flat prior on the variance of the true means it has the
distribution above (Morris 1983). With a clear signal, V several times N, K is James and Stein's 1 - (m - 3) / (m - 1) N
/ V. With few topics V may be near N by chance. K then stays above 0; at 0 the systems would be equal, and no number of
topics could rank them. K is 1 for fewer than 4 systems.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..arrays import FloatArray, require_room_for_draws, rows_at_a_time
from ..coefficients.registry import Coefficient
from ..data.means import identical_to, mean_over_topics

# relative to the largest score: breaks ties of identical systems at random, so that either order is equally likely
_JITTER = 1e-9


@dataclass(frozen=True)
class Draws:
    """Draws of true means, one per row, and of the errors of one observed topic."""

    truth: FloatArray
    error: FloatArray
    """Errors before they are multiplied by the scale."""
    scale: FloatArray
    """The scale of the errors, one for each draw."""
    jitter: FloatArray
    """Breaks the ties of identical systems independently in `truth` and in observations, because no number of topics
    can tell which is better."""

    def observed(self, n_topics: float | FloatArray, turn: int = 0) -> FloatArray:
        """Simulate observed means over new topics. `n_topics` is one number for all draws, or one for each draw.

        With `turn`, each draw takes its errors from the draw that many places before it, negated if `turn` is negative.
        """
        error, new = self.error, self.jitter[1]
        if turn:
            error, new = (math.copysign(1, turn) * np.roll(part, abs(turn), axis=0) for part in (error, new))
        return np.asarray(self.truth + error * self.scale / np.sqrt(n_topics) + (new - self.jitter[0]))


def shrinkage(values: FloatArray, at: FloatArray | None = None) -> FloatArray:
    """Compute K for a topics x systems matrix, from E[B], or from the quantiles `at` of B."""
    n, m = values.shape
    means = values.mean(axis=0)
    spread = float(means.var(ddof=1))
    if m < 4 or spread == 0:
        return np.ones(1)
    errors = values - means
    errors -= errors.mean(axis=1, keepdims=True)
    noise = float((errors * errors).sum()) / (m * n * (n - 1))
    if noise == 0:
        return np.ones(1)
    ratio = spread / noise
    return np.asarray(1 - (noise_shares(m - 1, ratio)[0] if at is None else noise_share_at(at, m - 1, ratio)))


def noise_shares(freedom: float, ratio: float) -> tuple[float, float]:
    """Compute E[B] and E[B^2], B = N / V, from the ratio V / N and the degrees of freedom of V."""
    from scipy.special import gammainc

    half, signal = freedom / 2 - 1, freedom / 2 * ratio
    below = float(gammainc(half, signal))
    if below == 0:  # underflow: use the limit for a signal far below the noise
        return float(half / (half + 1)), float(half / (half + 2))
    mean = half / signal * gammainc(half + 1, signal) / below
    square = half / signal * (half + 1) / signal * gammainc(half + 2, signal) / below
    return float(mean), float(square)


def noise_share_at(quantile: FloatArray, freedom: float, ratio: float) -> FloatArray:
    """Compute quantiles of B, from the ratio V / N and the degrees of freedom of V."""
    from scipy.special import gammainc, gammaincinv

    half, signal = freedom / 2 - 1, freedom / 2 * ratio
    below = float(gammainc(half, signal))
    return np.asarray(quantile ** (1 / half) if below == 0 else gammaincinv(half, quantile * below) / signal)


def draw(
    values: FloatArray,
    count: int,
    rng: np.random.Generator,
    *,
    new: bool = False,
    vary: bool = False,
) -> Draws:
    """Draw the true means `count` times; with `new`, also draw errors of new topics.

    With `vary`, each draw has its own share of noise B, to reflect that the spread of the true means is uncertain.
    """
    n, m = values.shape
    require_room_for_draws(count, m, 5 if new else 2)
    exponent = -int(np.frexp(np.abs(values).max())[1])  # scale into [-1, 1] by a power of two, to avoid overflow
    means, values = np.ldexp(mean_over_topics(values), exponent), np.ldexp(values, exponent)
    errors = (values - values.mean(axis=0)) / math.sqrt(n - 1)
    k = shrinkage(values, rng.random((count, 1)) if vary else None)
    # One scale for all systems of a draw: the multivariate t distribution.
    scale = np.sqrt((n - 1) / rng.chisquare(n - 1, count))[:, None]
    truth = _combined(errors, count, rng)
    truth *= scale / math.sqrt(n)
    truth *= np.sqrt(k)
    truth += k * (means - means.mean())
    error = _combined(errors, count, rng) if new else np.zeros((0, m))
    _, inverse, counts = np.unique(identical_to(values), return_inverse=True, return_counts=True)
    again = np.flatnonzero(counts[inverse] > 1)  # systems with a duplicate
    jitter = np.broadcast_to(0.0, (2, *truth.shape))
    if again.size:
        jitter = np.zeros((2, *truth.shape))
        for part in jitter[: 1 + new]:
            part[:, again] = _JITTER * rng.standard_normal((count, again.size))
        truth += jitter[0]
    return Draws(truth, error, scale, jitter)


def _combined(errors: FloatArray, count: int, rng: np.random.Generator) -> FloatArray:
    """Sum the topics' errors with random normal weights, `count` times, in blocks if there are many topics."""
    n, m = errors.shape
    step, found = rows_at_a_time(n, count), np.empty((count, m))
    for lo in range(0, count, step):
        rows = found[lo : lo + step]
        np.matmul(rng.standard_normal((len(rows), n)), errors, out=rows)
    return found


def correlations(coefficient: Coefficient, truth: FloatArray, candidate: FloatArray, workers: int) -> FloatArray:
    """Compute the coefficient of each draw."""
    return np.asarray(coefficient.on_threads(workers)(truth, candidate), dtype=np.float64)
