"""Estimate the scores of systems on each topic, and their errors, from the labels of a sample of documents.

Each pair d is on the list with probability pi_d. The labels of other pairs give a prediction f_d of its label. If the
pair was judged, its label y_d is known. The expectation of the pseudo-label v_d = f_d + 1[judged] (y_d - f_d) / pi_d is
the true label, whatever the prediction. Measures are computed from pseudo-labels, which may lie outside of [0, 1].
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..arrays import FloatArray, IntArray
from ..errors import InputError
from .leverage import ap_slopes, discount, rank_weights
from .measures import Measure
from .pool import FOLDS, Pool

MOST_GRADES = 20  # largest number of grades for nDCG, because nDCG treats each grade separately
_RIDGE = {"machine": 3.0, "popularity": 10.0, "topic": 15.0}
# Six-point quadrature of a normal distribution, for the number of documents with a grade.
_POINTS = np.array([-2.0233, -1.1, -0.35, 0.35, 1.1, 2.0233])
_MASS = np.array([0.06, 0.18, 0.26, 0.26, 0.18, 0.06])
_POINTS = _POINTS / np.sqrt(_MASS @ _POINTS**2)
_FADING = 0.1  # var(R) / R^2 at which the correction for AP's bias fades to 1 / e


@dataclass(frozen=True, eq=False)
class LabelSample:
    """The sample of pairs that people judged."""

    pool: Pool
    places: IntArray
    """The place of each judged pair in the pool."""
    chance: FloatArray
    """The probability with which each of these pairs was judged."""
    sizes: FloatArray
    grades: FloatArray
    fold: IntArray
    """The fold of each pair in the pool. Labels in a fold are predicted from the labels of the other folds."""


class Estimated(NamedTuple):
    """Scores, systems x topics, and the terms of their errors."""

    scores: FloatArray
    terms: FloatArray
    """Systems x judged pairs; the covariance of the means over these topics is terms @ terms.T."""
    predicted: FloatArray
    """The scores from predictions alone."""


def estimate(sample: LabelSample, measure: Measure, *, machine: bool = True, popularity: bool = True) -> Estimated:
    """Estimate scores on each topic; predictions may use the machine's levels and the popularity of documents."""
    gains = np.maximum(sample.grades, 0.0)
    if measure.binary:
        steps, labels = np.ones(1), (gains >= measure.least)[None].astype(np.float64)
    elif measure.kind == "DCG":
        steps, labels = np.ones(1), gains[None]
    else:
        levels = np.unique(gains[gains > 0])
        if len(levels) > MOST_GRADES:
            raise InputError(f"nDCG takes up to {MOST_GRADES} grades above 0, and there are {len(levels)}: use DCG")
        if not levels.size:
            levels = np.ones(1)
        steps, labels = np.diff(levels, prepend=0.0), (gains >= levels[:, None]).astype(np.float64)
    found = predictions(sample, labels, machine=machine, popularity=popularity)
    return _FORMULAS[measure.kind](sample, measure, steps, labels, found)


def predictions(
    sample: LabelSample, labels: FloatArray, *, machine: bool = True, popularity: bool = True
) -> FloatArray:
    """Predict the label of every pair from the labels of the other folds, by weighted ridge regression."""
    pool, judged = sample.pool, sample.places
    levels = pool.levels if machine else np.zeros_like(pool.levels)
    known = pool.popularity if popularity else np.zeros((len(pool), 0))
    n_levels, n_known = int(levels.max()) + 1, known.shape[1]
    blocks = (np.eye(n_levels)[levels[judged]], known[judged], np.eye(len(pool.topics))[pool.topic_of[judged]])
    rows = np.concatenate(blocks, axis=1)
    penalty = np.repeat(list(_RIDGE.values()), [n_levels, n_known, len(pool.topics)])
    # The weight size^2 (1 - pi) / pi^2 says how much a prediction error for a pair like this one matters.
    weight = sample.sizes**2 / sample.chance**2
    weight = np.maximum((1 - sample.chance) * weight, 1e-12 * weight.max())
    found = np.empty((len(labels), len(pool)))
    for fold in range(FOLDS):
        used = sample.fold[judged] != fold
        if used.sum() < 2:
            used[:] = True
        x, w, y = rows[used], weight[used] / weight[used].mean(), labels[:, used]
        # beta = (X' W X + penalty)^-1 X' W (y - mean), f = mean + x beta for the pairs of the fold.
        mean = y @ w / w.sum()
        weighed = x * w[:, None]
        beta = np.linalg.solve(weighed.T @ x + np.diag(penalty), weighed.T @ (y - mean[:, None]).T)
        own = sample.fold == fold
        by_level, by_known, by_topic = np.split(beta, [n_levels, n_levels + n_known])
        fitted = by_level[levels[own]] + known[own] @ by_known + by_topic[pool.topic_of[own]]
        found[:, own] = mean[:, None] + fitted.T
    return found


def _linear(
    sample: LabelSample, measure: Measure, steps: FloatArray, labels: FloatArray, predicted: FloatArray
) -> Estimated:
    """Estimate P@k and DCG@k by sums of pseudo-labels, and nDCG@k by such a sum divided by the estimated ideal."""
    pool, judged, chance = sample.pool, sample.places, sample.chance
    weights = rank_weights(measure, pool.places.shape[2])
    depth, n_topics = len(weights), len(pool.topics)
    # v = f + (y - f) / pi where judged. For nDCG, a grade is the sum of the steps up to it.
    residuals = labels - predicted[:, judged]
    pseudo, expected = (steps @ predicted for _ in range(2))
    pseudo[judged] += steps @ residuals / chance
    spread = np.sqrt(1 - chance) / chance
    own = _at_judged(pool, judged, np.broadcast_to(weights, (*pool.places.shape[:2], depth)))
    ideal, slope = np.ones(n_topics), np.zeros((len(labels), n_topics))
    if measure.kind == "nDCG":
        ideal, slope = _ideal(sample, steps, labels, predicted, depth)
    scores, plain = (pool.at(v, depth) @ weights / ideal for v in (pseudo, expected))
    # M = (a (y - f) - score d(ideal)) sqrt(1 - pi) / pi / (ideal T). a is the weight of the rank.
    topic = pool.topic_of[judged]
    terms = own * (steps @ residuals) - scores[:, topic] * (residuals * slope[:, topic]).sum(axis=0)
    return Estimated(scores, terms * (spread / ideal[topic] / n_topics), plain)


def _ideal(
    sample: LabelSample, steps: FloatArray, labels: FloatArray, predicted: FloatArray, depth: int
) -> tuple[FloatArray, FloatArray]:
    """Estimate the best DCG of each topic, and how it depends on the residuals of each grade.

    The number of documents with a grade is the number seen, plus the prediction for the rest, plus two corrections for
    prediction errors: one for all topics together, and one for each topic if topics differ by more than chance.
    """
    pool, judged, chance = sample.pool, sample.places, sample.chance
    gain = np.concatenate([[0.0], np.cumsum(discount(depth))])
    left = np.ones(len(pool), dtype=bool)
    left[judged] = False
    rest = pool.by_topic(left.astype(np.float64))
    total, slopes = np.zeros(len(pool.topics)), np.empty((len(labels), len(pool.topics)))
    topic = pool.topic_of[judged]

    def expected(points: FloatArray) -> FloatArray:
        return np.asarray(np.interp(np.clip(points, 0, depth), np.arange(depth + 1), gain) @ _MASS)

    for j, (y, f) in enumerate(zip(labels, predicted, strict=True)):
        # How much the predictions for unjudged pairs miss, over all topics and on each, with the sampling variance.
        missed = (y - f[judged]) * (1 - chance) / chance
        seen = np.bincount(topic, y, len(rest))
        miss = np.bincount(topic, missed, len(rest))
        variance = rest.clip(0.5) * (missed**2 @ (1 - chance)) / max(rest.sum(), 1.0)
        common = rest * miss.sum() / max(rest.sum(), 1.0)
        miss -= common
        # Shrink the remaining miss of each topic by between / (between + variance). `between` is the variance of the
        # true differences between topics.
        between = max(0.0, float((miss**2 - variance).mean())) / max(float((rest**2).mean()), 1e-9) * rest**2
        kept = between / np.maximum(between + variance, 1e-12)
        # Number of pairs of this grade or above = seen + predicted + corrections. The gain is its expectation over
        # a normal distribution with the remaining variance.
        number = seen + np.clip(pool.by_topic(f * left) + common + kept * miss, 0, rest)
        chances = np.clip(f, 0, 1)
        spread = np.sqrt(kept * variance + pool.by_topic(left * chances * (1 - chances)))
        points = np.clip(np.maximum(number[:, None] + spread[:, None] * _POINTS, seen[:, None]), 0, depth)
        total += steps[j] * expected(points)
        slopes[j] = steps[j] * kept * (expected(points + 0.5) - expected(points - 0.5))
    return np.maximum(total, 0.3 * steps[0]), slopes


def _average_precision(
    sample: LabelSample, measure: Measure, steps: FloatArray, labels: FloatArray, predicted: FloatArray
) -> Estimated:
    """Estimate AP as S(v) / R. Terms of S multiply at most two labels, so S(v) is unbiased. Errors are linearised."""
    pool, judged, chance = sample.pool, sample.places, sample.chance
    cutoff, topic = measure.cutoff or pool.places.shape[2], pool.topic_of[judged]
    guess = np.clip(predicted[0], 0.001, 0.999)
    residuals = labels[0] - guess[judged]
    # v = f + (y - f) / pi where judged, and the best guess of each label: y where judged, f elsewhere.
    pseudo, known = guess.copy(), guess.copy()
    pseudo[judged] += residuals / chance
    known[judged] = labels[0]
    # R = sum v, at least half of the sum of best guesses.
    relevant = np.maximum(pool.by_topic(pseudo), 0.5 * pool.by_topic(known).clip(0.5))
    scores = ap_slopes(pool, pseudo, relevant, cutoff)[1]
    # The derivative of S / R with respect to a label, dS/dx / R - S / R^2, at the best guesses.
    slope, score = ap_slopes(pool, known, relevant, cutoff)
    own = _at_judged(pool, judged, slope) - score[:, topic] / relevant[topic]
    # To second order a ratio is too large by var(R) S / R^3 - cov(S, R) / R^2 = -sum slope var(v) / R, with var(v)
    # estimated by (y - f)^2 (1 - pi) / pi^2. Where R is uncertain, this correction does harm, so it fades out.
    variance = residuals**2 * (1 - chance) / chance**2
    fading = np.exp(-np.bincount(topic, variance, len(relevant)) / relevant**2 / _FADING)
    scores = scores + own * (variance * (fading / relevant)[topic]) @ np.eye(len(relevant))[topic]
    # The error of the mean over topics: slope (y - f) sqrt(1 - pi) / pi / T for each judged pair.
    terms = own * (residuals * np.sqrt(1 - chance) / chance / len(pool.topics))
    return Estimated(scores, terms, ap_slopes(pool, guess, pool.by_topic(guess).clip(0.5), cutoff)[1])


def _at_judged(pool: Pool, judged: IntArray, values: FloatArray) -> FloatArray:
    """Select the values of judged pairs: systems x judged pairs, 0 if the system does not rank the pair."""
    column = np.full(len(pool) + 1, -1)
    column[judged] = np.arange(len(judged))
    at = column[pool.places[:, :, : values.shape[2]]]
    there = at >= 0
    found = np.zeros((len(pool.systems), len(judged)))
    found[np.nonzero(there)[0], at[there]] = values[there]
    return found


def freedom_of(terms: FloatArray) -> FloatArray:
    """Degrees of freedom of each system's variance: the effective number of labels behind it, minus one."""
    squares = terms**2
    # (sum of squares)^2 / sum of fourth powers - 1, at least 1.
    carried = squares.sum(axis=1) ** 2 / np.maximum((squares**2).sum(axis=1), 1e-300)
    return np.asarray(np.clip(carried - 1, 1, 1e9))


def shrinkage_by(sample: LabelSample, factor: float) -> FloatArray:
    """Factor by which each squared term would shrink if the number of labels were multiplied by `factor`."""
    chance, wanted = sample.chance, factor * len(sample.places)
    if wanted >= len(sample.pool):
        return np.zeros(len(chance))
    # If the threshold is multiplied by c, a pair is drawn with probability min(1, c pi), and the expected number of
    # pairs is n' = sum min(1, c pi) / pi.
    low, high = 1.0, 1e12
    for _ in range(100):  # find c by bisection on a log scale
        middle = np.sqrt(low * high)
        expected = (np.minimum(1, middle * chance) / chance).sum()
        low, high = (middle, high) if expected < wanted else (low, middle)
    # In expectation over the drawn pairs, a squared term is proportional to (1 - pi) / pi.
    later = np.minimum(1, low * chance)
    return (1 - later) / later / np.maximum((1 - chance) / chance, 1e-300)


_Formula = Callable[[LabelSample, Measure, FloatArray, FloatArray, FloatArray], Estimated]
_FORMULAS: dict[str, _Formula] = {"P": _linear, "DCG": _linear, "nDCG": _linear, "AP": _average_precision}
