"""What the true means may be, given the observed ones: draws from their joint posterior.

The scores of a topic are taken as normal around the systems' true means, with an unknown covariance. With a flat prior
the true means then have a multivariate t distribution with n - 1 degrees of freedom around the observed ones, with the
covariance S / n of the means. So errors go together as they do, but the centre is a ranking that is spread too wide:
the variance of observed means over systems is that of the true ones plus that of their errors. A normal prior over the
systems, estimated from the observed means themselves (empirical Bayes), takes that off again:

    true mean - average = K (observed mean - average) + sqrt(K) error,
    K = 1 - E[B],    B ~ chi2_{m-3} / (m - 1) * N / V, given that B < 1,

with V the variance of the m observed means and N the average sampling variance of their deviations from the average.
B = N / V is what noise has of the variance; with a flat prior of the variance of the true means it has this
distribution (Morris 1983). Where the signal is clear, V several times N, K is James and Stein's 1 - (m - 3) / (m - 1) N
/ V. Where it is not, with V about N, as chance has it with few topics, K stays above 0 by what chance can explain; cut
to a floor, it would say that the systems are equal, and that no number of topics could rank them. K is 1 for less than
4 systems.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..arrays import FloatArray, require_room_for_draws, rows_at_a_time
from ..coefficients.registry import Coefficient
from ..data.means import identical_to, mean_over_topics

Prior = Literal["normal", "flat"]
_JITTER = 1e-9  # of the largest score: breaks the ties of identical systems at random, which counts one half


@dataclass(frozen=True)
class Draws:
    """True means, one row per draw, and the error of observed means beside each if there were one topic."""

    truth: FloatArray
    error: FloatArray
    """Without the scale."""
    scale: FloatArray
    """Of the errors, one for each draw."""
    jitter: FloatArray
    """Breaks the ties of identical systems in `truth`, and anew in what is observed: no number of topics can find out
    which is better."""

    def observed(self, n_topics: float | FloatArray, turn: int = 0) -> FloatArray:
        """Means over so many new topics, of all draws or of each; with `turn`, errors of the draw so far before it.

        With a negative one, the same with the opposite sign.
        """
        error, new = self.error, self.jitter[1]
        if turn:
            error, new = (math.copysign(1, turn) * np.roll(part, abs(turn), axis=0) for part in (error, new))
        return np.asarray(self.truth + error * self.scale / np.sqrt(n_topics) + (new - self.jitter[0]))


def shrinkage(values: FloatArray, at: FloatArray | None = None) -> FloatArray:
    """K, for a topics x systems matrix; with `at` not by E[B] but by these quantiles of B."""
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
    """E[B] and E[B^2], B = N / V, from the ratio of an observed variance with so many degrees of freedom to N."""
    from scipy.special import gammainc

    half, signal = freedom / 2 - 1, freedom / 2 * ratio
    below = float(gammainc(half, signal))
    if below == 0:  # underflow: the limit of a signal far below the noise
        return float(half / (half + 1)), float(half / (half + 2))
    mean = half / signal * gammainc(half + 1, signal) / below
    square = half / signal * (half + 1) / signal * gammainc(half + 2, signal) / below
    return float(mean), float(square)


def noise_share_at(quantile: FloatArray, freedom: float, ratio: float) -> FloatArray:
    """Quantiles of B."""
    from scipy.special import gammainc, gammaincinv

    half, signal = freedom / 2 - 1, freedom / 2 * ratio
    below = float(gammainc(half, signal))
    return np.asarray(quantile ** (1 / half) if below == 0 else gammaincinv(half, quantile * below) / signal)


def draw(
    values: FloatArray,
    count: int,
    prior: Prior,
    rng: np.random.Generator,
    *,
    new: bool = False,
    vary: bool = False,
) -> Draws:
    """So many draws of the true means; with `new` also of the errors of new topics, else none.

    With `vary` each has a share of noise B of its own: what is not known of the spread of the true means is drawn, too.
    """
    n, m = values.shape
    require_room_for_draws(count, m, 5 if new else 2)
    exponent = -int(np.frexp(np.abs(values).max())[1])  # by a power of two into [-1, 1], against overflow
    means, values = np.ldexp(mean_over_topics(values), exponent), np.ldexp(values, exponent)
    errors = (values - values.mean(axis=0)) / math.sqrt(n - 1)
    k = np.ones(1)
    if prior == "normal":
        k = shrinkage(values, rng.random((count, 1)) if vary else None)
    # One scale for all systems of a draw: the multivariate t distribution.
    scale = np.sqrt((n - 1) / rng.chisquare(n - 1, count))[:, None]
    truth = _combined(errors, count, rng)
    truth *= scale / math.sqrt(n)
    truth *= np.sqrt(k)
    truth += k * (means - means.mean())
    error = _combined(errors, count, rng) if new else np.zeros((0, m))
    _, inverse, counts = np.unique(identical_to(values), return_inverse=True, return_counts=True)
    again = np.flatnonzero(counts[inverse] > 1)  # whose scores another one has
    jitter = np.broadcast_to(0.0, (2, *truth.shape))
    if again.size:
        jitter = np.zeros((2, *truth.shape))
        for part in jitter[: 1 + new]:
            part[:, again] = _JITTER * rng.standard_normal((count, again.size))
        truth += jitter[0]
    return Draws(truth, error, scale, jitter)


def _combined(errors: FloatArray, count: int, rng: np.random.Generator) -> FloatArray:
    """So many sums of the topics' errors with random normal weights, some at a time if there are many topics."""
    n, m = errors.shape
    step, found = rows_at_a_time(n, count), np.empty((count, m))
    for lo in range(0, count, step):
        rows = found[lo : lo + step]
        np.matmul(rng.standard_normal((len(rows), n)), errors, out=rows)
    return found


def correlations(coefficient: Coefficient, truth: FloatArray, candidate: FloatArray, workers: int) -> FloatArray:
    """The coefficient of each draw."""
    return np.asarray(coefficient.on_workers(workers)(truth, candidate), dtype=np.float64)
