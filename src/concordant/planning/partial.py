"""Formulas for the means of systems from human labels on some cells of the table and machine scores on all cells.

Let y be the human scores on the labelled cells, f the machine's scores on all n topics, and l the number of a system's
labels. A cell is predicted by g = lam f + tau, with tau the effect of its topic. The mean of g over all topics, plus
the mean of y - g over the labelled cells, is unbiased whatever the machine does.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import chdtrc, digamma, ndtr, polygamma, stdtr

from ..arrays import BoolArray, FloatArray, IntArray
from ..inference.adjustment import holm

PROMISED_SYSTEMS = 5  # with fewer systems, the intervals may miss their confidence level
_PRIOR = (1.0, 4.0)  # least and most degrees of freedom that the other systems' variances add to those of a system


class Fit(NamedTuple):
    """The estimates and the parts of their errors; systems in the order of the columns."""

    means: FloatArray
    lam: float
    """Change in the human score per unit of machine score, within systems."""
    label_variance: FloatArray
    """Variance of the mean error on the labelled cells of each system."""
    label_freedom: FloatArray
    variance: FloatArray
    """Variance of each mean over a population of topics like these."""
    freedom: FloatArray
    predicted: FloatArray
    """lam * machine + topics: topics x systems."""
    residuals: FloatArray
    """human - predicted on labelled cells, minus the mean of each system; 0 elsewhere."""


def fit_partial(human: FloatArray, machine: FloatArray, *, by_topic: bool) -> Fit:
    """Estimate means from human labels, which have holes, and machine scores; both are topics x systems.

    With `by_topic`, the labels of other systems on a topic also predict each of its cells.
    """
    n, there = len(human), ~np.isnan(human)
    labels, per_topic = there.sum(axis=0), there.sum(axis=1, keepdims=True)

    def centred(values: FloatArray) -> FloatArray:
        """Subtract each system's mean over its labelled cells; 0 elsewhere."""
        return np.asarray(np.where(there, values - np.where(there, values, 0.0).sum(axis=0) / labels, 0.0))

    # y_c and f_c: scores on the labelled cells, minus the mean of each system.
    y, f = centred(human), centred(machine)
    # lam = sum (y_c - tau_c) f_c / (sum f_c^2 + S2_f), cut to [0, 2 sqrt(sum y_c^2 / sum f_c^2)]. S2_f, the machine's
    # variance over all cells, counts as one more cell: this keeps lam small when labels are few.
    ridge = float((f * f).sum() + machine.var(axis=0, ddof=1).mean())
    most = 2 * float(np.sqrt((y * y).sum() / max((f * f).sum(), 1e-300)))
    topics = np.zeros_like(machine)
    for _ in range(6 if by_topic else 1):
        lam = float(np.clip(((y - centred(topics)) * f).sum() / ridge, 0.0, most)) if ridge > 0 else 0.0
        if not by_topic:
            break
        # r = y_c - lam f_c. The mean product of two systems' r on a topic estimates the variance of topic effects, st2.
        r = y - lam * f
        total, squares = r.sum(axis=1, keepdims=True), float((r * r).sum())
        pairs = max(float((per_topic * (per_topic - 1)).sum()), 1.0)
        of_topics = (float((total**2).sum()) - squares) / pairs
        if of_topics <= 0:
            topics = np.zeros_like(machine)
            break
        # The rest of the variance, se2 = mean r^2 - st2, belongs to the cells.
        whole = squares / max(int((labels - 1).sum()), 1)
        rest = max(whole - of_topics, 1e-3 * whole)
        # tau of a cell = sum of the other systems' r on its topic / (their number + se2 / st2).
        topics = (total - r) / (per_topic - there + rest / of_topics)
    # The prediction g = lam f + tau, and its errors e = (y - g)_c.
    g = lam * machine + topics
    e = centred(human - g)
    degrees = labels - 1
    free = float(degrees.sum())
    # s2 = sum e^2 / (l - 1) * D / (D - 1) with D = sum of l - 1 over systems: lam costs one degree of freedom.
    own = (e * e).sum(axis=0) / degrees * free / (free - 1)
    pooled = float((degrees * own).sum() / free)
    centre, prior = _prior_variance(own, degrees, pooled)
    # Each variance borrows from the others: (d0 s0^2 + (l - 1) s2) / (d0 + l - 1), with s0^2 at least the pooled one.
    variance = (prior * max(centre, pooled) + degrees * own) / (prior + degrees)
    # V_e = s2 (1 / l + (mean f - mean f on L)^2 sum f_c^2 / (sum f_c^2 + S2_f)^2). The second term: errors in lam
    # move a system whose labelled cells L differ from the rest.
    shift = machine.mean(axis=0) - np.where(there, machine, 0.0).sum(axis=0) / labels
    of_labels = variance * (1 / labels + (shift**2 * (f * f).sum() / ridge**2 if ridge > 0 else 0.0))
    # V_g = S2(g) / n, because topics are a sample.
    deviation = g - g.mean(axis=0)
    of_topics_drawn = (deviation**2).sum(axis=0) / (n - 1) / n
    # V = max(V_e + V_g + 2 S_eg / n, V_e), with the covariance S_eg pooled over systems.
    both = float((e * deviation).sum()) / free
    full = np.maximum(of_labels + of_topics_drawn + 2 * both / n, of_labels)
    freedom = degrees + prior
    # The estimate: mean of g over all topics + mean of y - g over the labelled cells.
    means = g.mean(axis=0) + np.where(there, human - g, 0.0).sum(axis=0) / labels
    of_full = _satterthwaite(full, [(of_labels, freedom), (of_topics_drawn, n - 1)])
    return Fit(means, lam, of_labels, freedom, full, of_full, g, e)


def _prior_variance(own: FloatArray, degrees: IntArray, pooled: float) -> tuple[float, float]:
    """Estimate scale and degrees of freedom of the distribution of variances over systems (Smyth 2004, section 6.2)."""
    some = own > 1e-14 * pooled
    if some.sum() < 3:
        return pooled, _PRIOR[0]
    # log s2 - digamma((l - 1) / 2) + log((l - 1) / 2) has the mean log s0^2 - digamma(d0 / 2) + log(d0 / 2), and the
    # variance trigamma((l - 1) / 2) + trigamma(d0 / 2).
    half = degrees[some] / 2
    z = np.log(own[some]) - digamma(half) + np.log(half)
    excess = float(z.var(ddof=1) - polygamma(1, half).mean())
    # Solve trigamma(d / 2) = excess for d. Without excess, d is practically infinite.
    d = 1e3 if excess <= 1e-3 else float(2 * brentq(lambda x: polygamma(1, x) - excess, 1e-4, 2e3))
    if d < _PRIOR[0]:
        return pooled, _PRIOR[0]
    return float(np.exp(z.mean() + digamma(d / 2) - np.log(d / 2))), min(d, _PRIOR[1])


def _satterthwaite(total: Any, parts: list[tuple[Any, Any]]) -> Any:
    """Compute the degrees of freedom of a sum of variances, at least 1."""
    # V^2 / sum (V_k^2 / d_k).
    below = sum(part**2 / freedom for part, freedom in parts)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.maximum(np.where(below > 0, total**2 / below, np.inf), 1.0)


def chosen_by_machine(there: BoolArray, machine: FloatArray) -> float:
    """Compute the p-value of the hypothesis that labelled cells are random, given the machine's scores.

    The statistic is the sum of machine scores, standardised by system, over labelled cells. Under
    permutations of whole rows of labels, it is nearly normal, with a known mean and variance (Hoeffding 1951).
    """
    # z-scores of the machine by system; s[t, u] = sum of z on topic u over the systems that are labelled on topic t.
    spread = machine.std(axis=0)
    z = (machine - machine.mean(axis=0)) / np.where(spread > 0, spread, np.inf)
    s = there @ z.T
    # Over permutations of rows the trace has the mean sum(s) / n and the variance sum d^2 / (n - 1), with d
    # the doubly centred s.
    d = s - s.mean(axis=0) - s.mean(axis=1, keepdims=True) + s.mean()
    variance = float((d * d).sum()) / (len(s) - 1)
    return float(2 * ndtr(-abs(np.trace(s) - s.mean() * len(s)) / np.sqrt(variance))) if variance > 0 else 1.0


def labelled_by_topic(there: BoolArray) -> float:
    """Compute the p-value of the hypothesis that cells were labelled one by one; small if labels cluster on topics."""
    # With k_t labels on topic t, the sum over topics of (k_t - sum pi)^2 / sum pi (1 - pi) is roughly chi-squared
    # with n - 1 degrees of freedom.
    share = there.mean(axis=0)
    variance = float((share * (1 - share)).sum())
    counts = there.sum(axis=1)
    return float(chdtrc(len(there) - 1, float(((counts - share.sum()) ** 2).sum()) / variance)) if variance > 0 else 1.0


def covariance_of(fit: Fit, labels: IntArray, *, whole: bool) -> tuple[FloatArray, FloatArray]:
    """Compute the covariance of the systems' errors, and the degrees of freedom of each difference between systems."""
    n, m = fit.predicted.shape
    # V_g of two systems: S2(g_a - g_b) / n.
    g = fit.predicted - fit.predicted.mean(axis=0)
    drawn = g.T @ g / (n - 1) / n
    # V_e of two systems: the sum of both variances or, if their labels are on the same topics, the variance of
    # the paired errors e_a - e_b.
    if whole:
        e = fit.residuals / np.sqrt(labels * (labels - 1))
        of_labels, own = e.T @ e, labels - 1.0
    else:
        of_labels, own = np.diag(fit.label_variance), fit.label_freedom

    def between(c: FloatArray) -> FloatArray:
        return np.asarray(np.maximum(np.add.outer(c.diagonal(), c.diagonal()) - 2 * c, 0.0))

    a, b = between(of_labels), between(drawn)
    if whole:
        parts = [(a, np.minimum.outer(own, own)), (b, n - 1)]
    else:
        each = of_labels.diagonal()
        parts = [
            (np.broadcast_to(each, (m, m)), own),
            (np.broadcast_to(each[:, None], (m, m)), own[:, None]),
            (b, n - 1),
        ]
    return of_labels + drawn, np.asarray(_satterthwaite(a + b, parts))


def favours(fit: Fit, machine: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Estimate how much the machine favours each system, with p-values for all systems together.

    The gap of a system is the machine's mean on the human scale, minus the combined mean. The favour for the system is
    the gap minus the mean gap of the middle half of the systems. The scale is the median slope over pairs of systems,
    weighted by their distance, so that a favoured system hardly changes it.
    """
    n, m = machine.shape
    # The scale: the weighted median of (mean_a - mean_b) / (f_a - f_b) over pairs, weights |f_a - f_b|; at least 0.
    f = machine.mean(axis=0)
    apart, combined = (np.subtract.outer(of, of)[np.triu_indices(m, 1)] for of in (f, fit.means))
    weights = np.abs(apart)
    if m < PROMISED_SYSTEMS or not weights.any():
        return np.full(m, np.nan), np.full(m, np.nan)
    slopes = np.where(weights > 0, combined / np.where(weights > 0, apart, 1.0), 0.0)
    order = np.argsort(slopes)
    below = np.cumsum(weights[order])
    slope = max(float(slopes[order][np.searchsorted(below, below[-1] / 2)]), 0.0)
    # gap = scale * f - mean; favour = gap - mean gap of the middle half of the systems.
    gap = slope * f - fit.means
    favour = gap - np.sort(gap)[m // 4 : m - m // 4].mean()
    # V = V_e + S2(d) / n, d = scale * f - g minus its mean over systems by topic; t = favour / sqrt(V).
    d = slope * machine - fit.predicted
    d = d - d.mean(axis=1, keepdims=True)
    drawn = d.var(axis=0, ddof=1) / n
    total = fit.label_variance + drawn
    freedom = _satterthwaite(total, [(fit.label_variance, fit.label_freedom), (drawn, n - 1)])
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(favour == 0, 0.0, np.abs(favour) / np.sqrt(total))
    return favour, holm(2 * stdtr(freedom, -t))
