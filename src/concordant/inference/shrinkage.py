"""Draws of the population means of all conditions, given the observed means, by shrinkage.

Observed means vary more than true means, and their errors are correlated between conditions. Let D be the m x C matrix
of means (C conditions, each centred over the systems and scaled to unit standard deviation), N the average sampling
covariance of a row, and S = D'D / (m - 1). A row of true means is assumed normal with covariance S - N. In coordinates
in which N is the identity (N = LL', G = L^-1 S L^-T), a draw is

    W ~ Wishart(m - 1, I) / (m - 1),   chol(G) W^-1 chol(G)' = U diag(e) U',   q = (n - 1) / chi2_{n-1},
    h = max(1 - q / e, least),   truth = D B' + E M',   again = truth + sqrt(q) E',
    B = L U diag(h) U' L^-1,   M = L U diag(sqrt(h q)) U' L^-1,

with E and E' the errors of two resamples of the topics, the same topics in all conditions. W and q reflect the
uncertainty of S and N. Each draw of true means comes with `again`, the means of another sample of as many topics.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .. import _kernels
from ..arrays import FloatArray, IntArray, shared_out
from ..coefficients.registry import get_coefficient
from .calibration import LEAST_SHRINKAGE

if TYPE_CHECKING:
    from .resampling import Resampling, Statistic

DEPENDENT = 1e-6  # relative part of a condition's error, independent of the others, that counts as rounding
ROWS = 512  # draws at a time, to bound the memory


@dataclass(frozen=True)
class Model:
    """The estimates that the draws are made from."""

    means: FloatArray
    """C x m: D', centred and scaled."""
    residuals: FloatArray
    """n x C m: scores without the effects of systems and topics, on the same scale."""
    noise_root: FloatArray
    """L."""
    spread_root: FloatArray
    """chol(G)."""
    twins: IntArray
    """For each system, the first system with equal scores in all conditions; the two are tied in every draw."""

    @property
    def n_topics(self) -> int:
        return len(self.residuals)

    @property
    def n_systems(self) -> int:
        return int(self.means.shape[1])


def model_of(conditions: Sequence[FloatArray]) -> Model | None:
    """Fit the model to conditions, each topics x systems; None if there is no noise, or no spread, to model."""
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
    """The random parts of some draws."""

    towards: FloatArray
    """rows x C x C: B."""
    along: FloatArray
    """rows x C x C: M."""
    size: FloatArray
    """rows: sqrt(q)."""
    counts: IntArray
    """How often each topic is drawn: one row for each draw of E, then one for each of E'."""


def pieces(model: Model, count: int, rng: np.random.Generator) -> Iterator[Piece]:
    """Yield the random parts of `count` draws, some at a time."""
    n, c, df = model.n_topics, len(model.means), model.n_systems - 1
    for lo in range(0, count, ROWS):
        rows = min(ROWS, count - lo)
        bartlett = np.zeros((rows, c, c))
        for i in range(c):
            bartlett[:, i, i] = np.sqrt(rng.chisquare(df - i, rows))
            bartlett[:, i, :i] = rng.standard_normal((rows, i))
        q = (n - 1) / rng.chisquare(n - 1, rows)
        drawn = rng.integers(0, n, (2 * rows, n)) + n * np.arange(2 * rows)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=2 * rows * n).reshape(2 * rows, n)
        # chol(G) W^-1 chol(G)' = F F' with F = chol(G) A^-T sqrt(m - 1), W = A A' / (m - 1).
        factor = model.spread_root @ np.swapaxes(np.linalg.inv(bartlett), 1, 2) * math.sqrt(df)
        e, u = np.linalg.eigh(factor @ np.swapaxes(factor, 1, 2))
        h = np.maximum(1 - q[:, None] / e, LEAST_SHRINKAGE)
        left, right = model.noise_root @ u, np.swapaxes(u, 1, 2) @ np.linalg.inv(model.noise_root)
        towards = (left * h[:, None, :]) @ right
        along = (left * np.sqrt(h * q[:, None])[:, None, :]) @ right
        yield Piece(towards, along, np.sqrt(q), counts)


def drawn_means(model: Model, piece: Piece, threads: int) -> tuple[list[FloatArray], list[FloatArray]]:
    """Compute true means and the means of another sample, for each condition rows x systems."""
    n, (c, m), rows = model.n_topics, model.means.shape, len(piece.size)
    errors = np.empty((2 * rows, c * m))
    _kernels.active.resampled_sums(model.residuals, piece.counts, errors, threads)
    errors *= math.sqrt(n / (n - 1)) / n
    once, again = errors[:rows].reshape(rows, c, m), errors[rows:].reshape(rows, c, m)
    truth = (piece.towards @ model.means + piece.along @ once)[:, :, model.twins]
    other = truth + piece.size[:, None, None] * again[:, :, model.twins]
    return [np.ascontiguousarray(truth[:, k]) for k in range(c)], [np.ascontiguousarray(other[:, k]) for k in range(c)]


def shrunk_values(model: Model, statistic: Statistic, drawn: Resampling) -> tuple[FloatArray, FloatArray]:
    """Compute a statistic of true means and of another sample's means, each k x draws, from two resamples per draw."""
    count = drawn.n_resamples // 2
    work = partial(_values, model, statistic, drawn.threads)
    truth, again, done = [], [], 0
    for both in shared_out(work, pieces(model, count, drawn.generator()), drawn.workers):
        truth.append(both[0])
        again.append(both[1])
        done += both[0].shape[1]
        if drawn.progress is not None:
            drawn.progress(2 * done, 2 * count)
    return np.concatenate(truth, axis=1), np.concatenate(again, axis=1)


def _values(model: Model, statistic: Statistic, threads: int, piece: Piece) -> tuple[FloatArray, FloatArray]:
    truth, again = drawn_means(model, piece, threads)
    return np.atleast_2d(statistic(truth)), np.atleast_2d(statistic(again))


class Shrunk(NamedTuple):
    """A summary of the draws of a statistic."""

    centre: float
    """The mean of its population values."""
    error: float
    """The standard deviation of its error in another sample."""
    undefined: int
    """The number of draws on which it has no value."""


def summarised(truth: FloatArray, again: FloatArray) -> Shrunk | None:
    """Summarise draws of a statistic in the population and in another sample; None if nearly all are undefined."""
    kept = ~(np.isnan(truth) | np.isnan(again))
    if kept.sum() < 2:
        return None
    error = float((truth - again)[kept].std(ddof=1))
    return Shrunk(float(truth[kept].mean()), error, int((~kept).sum()))


# Whether the model fits -------------------------------------------------------------------------------------------

CHECKED = 400  # draws of another sample for the check
SPLITS = 2  # splits of the topics into halves for each draw


def fit_of(model: Model) -> float:
    """Compare the agreement between halves of the topics with the model's prediction, in its standard deviations.

    This is a posterior predictive check by tau_ap_b, the lowest value over all pairs of conditions. It is well below 0
    if many systems are nearly tied: their order is noise, which the model, with one spread for all systems, takes for
    signal.

    With d the means over half of the topics minus those over all, the halves have means D + d and D - d. So agreement
    between halves is a function of the means, in the sample and in every draw of another one. A fixed seed makes the
    check depend on the data alone.
    """
    f, rng = get_coefficient("tau_ap_b").formula, np.random.default_rng(0)
    n, (c, m) = model.n_topics, model.means.shape
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
        # Variance of the mean over all splits: subtract the Monte Carlo variance of few splits.
        variance = values.mean(axis=1).var(ddof=1) - values.var(axis=1, ddof=1).mean() / SPLITS
        return float((here.mean() - values.mean()) / math.sqrt(max(float(variance), 1e-12)))

    return min(above(i, j) for i in range(c) for j in range(i, c))
