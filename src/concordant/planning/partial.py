"""Means from human labels on some cells of the table and machine scores on all: `combine` for scores with holes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.special import chdtrc, digamma, ndtr, polygamma, stdtr, stdtrit

from ..arrays import FloatArray, IntArray, require_room_for_pairs
from ..data.favours import CombinedMeans, by_system, first_of, rows_of, table_of
from ..data.results import settings_of
from ..data.scores import Means, Scores, places_of
from ..errors import AlignmentWarning, InputError, counted, listing, p_equals, warn
from ..inference.adjustment import holm
from ..read.reader import refuse

LEVEL = 0.05  # significance level of the tests of how cells were chosen
FEWEST_LABELS = 3  # for each system
PROMISED_LABELS, PROMISED_SYSTEMS = 10, 5  # below these the intervals may miss their level
_PRIOR = (1.0, 4.0)  # degrees of freedom that other systems' variances may add to a system's own

BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Fit:
    """The estimates and the parts of their errors; systems in the order of the columns."""

    means: FloatArray
    lam: float
    """Human scores per machine score, within systems."""
    topics: FloatArray
    """Effect of each cell's topic, predicted from the other systems' labels; 0 if not used."""
    prior: float
    """Degrees of freedom that each variance borrows from all systems."""
    label_variance: FloatArray
    """Variance of the mean error on labelled cells."""
    label_freedom: FloatArray
    variance: FloatArray
    """Variance of each mean, for topics like these."""
    freedom: FloatArray
    predicted: FloatArray
    """lam * machine + topics: topics x systems."""
    residuals: FloatArray
    """human - predicted on labelled cells, less its mean by system; 0 elsewhere."""


def fit_partial(human: FloatArray, machine: FloatArray, *, by_topic: bool) -> Fit:
    """Fit topics x systems matrices, the human one with holes; `by_topic`: other systems' labels predict a topic."""
    n, there = len(human), ~np.isnan(human)
    labels, per_topic = there.sum(axis=0), there.sum(axis=1, keepdims=True)

    def centred(values: FloatArray) -> FloatArray:
        """Subtract each system's mean over its labelled cells; 0 elsewhere."""
        return np.asarray(np.where(there, values - np.where(there, values, 0.0).sum(axis=0) / labels, 0.0))

    y, f = centred(human), centred(machine)
    # One pseudo-cell with the machine's variance over all cells keeps lam small when labels are few.
    ridge = float((f * f).sum() + machine.var(axis=0, ddof=1).mean())
    most = 2 * float(np.sqrt((y * y).sum() / max((f * f).sum(), 1e-300)))
    topics = np.zeros_like(machine)
    for _ in range(6 if by_topic else 1):
        lam = float(np.clip(((y - centred(topics)) * f).sum() / ridge, 0.0, most)) if ridge > 0 else 0.0
        if not by_topic:
            break
        r = y - lam * f
        total, squares = r.sum(axis=1, keepdims=True), float((r * r).sum())
        pairs = max(float((per_topic * (per_topic - 1)).sum()), 1.0)
        of_topics = (float((total**2).sum()) - squares) / pairs
        if of_topics <= 0:
            topics = np.zeros_like(machine)
            break
        whole = squares / max(int((labels - 1).sum()), 1)
        rest = max(whole - of_topics, 1e-3 * whole)
        topics = (total - r) / (per_topic - there + rest / of_topics)  # without the cell itself
    g = lam * machine + topics
    e = centred(human - g)
    degrees = labels - 1
    free = float(degrees.sum())
    own = (e * e).sum(axis=0) / degrees * free / (free - 1)  # lam took one degree of freedom
    pooled = float((degrees * own).sum() / free)
    centre, prior = _prior_variance(own, degrees, pooled)
    variance = (prior * max(centre, pooled) + degrees * own) / (prior + degrees)
    # The second term: lam is uncertain, which moves a system whose labelled cells differ from the rest.
    shift = machine.mean(axis=0) - np.where(there, machine, 0.0).sum(axis=0) / labels
    of_labels = variance * (1 / labels + (shift**2 * (f * f).sum() / ridge**2 if ridge > 0 else 0.0))
    deviation = g - g.mean(axis=0)
    of_topics_drawn = (deviation**2).sum(axis=0) / (n - 1) / n
    both = float((e * deviation).sum()) / free
    full = np.maximum(of_labels + of_topics_drawn + 2 * both / n, of_labels)
    freedom = degrees + prior
    means = g.mean(axis=0) + np.where(there, human - g, 0.0).sum(axis=0) / labels
    return Fit(
        means,
        lam,
        topics,
        prior,
        of_labels,
        freedom,
        full,
        _satterthwaite(full, [(of_labels, freedom), (of_topics_drawn, n - 1)]),
        g,
        e,
    )


def _prior_variance(own: FloatArray, degrees: IntArray, pooled: float) -> tuple[float, float]:
    """Scale and degrees of freedom of the distribution of variances over systems (Smyth 2004, section 6.2)."""
    some = own > 1e-14 * pooled
    if some.sum() < 3:
        return pooled, _PRIOR[0]
    half = degrees[some] / 2
    z = np.log(own[some]) - digamma(half) + np.log(half)
    excess = float(z.var(ddof=1) - polygamma(1, half).mean())
    # trigamma(d / 2) = excess: without excess, d is practically infinite.
    d = 1e3 if excess <= 1e-3 else float(2 * brentq(lambda x: polygamma(1, x) - excess, 1e-4, 2e3))
    if d < _PRIOR[0]:
        return pooled, _PRIOR[0]
    return float(np.exp(z.mean() + digamma(d / 2) - np.log(d / 2))), min(d, _PRIOR[1])


def _satterthwaite(total: Any, parts: list[tuple[Any, Any]]) -> Any:
    """Degrees of freedom of a sum of variances, at least 1."""
    below = sum(part**2 / freedom for part, freedom in parts)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.maximum(np.where(below > 0, total**2 / below, np.inf), 1.0)


def chosen_by_machine(there: BoolArray, machine: FloatArray) -> float:
    """p-value of the hypothesis that labelled cells are random, given the machine's scores.

    The statistic is the sum of machine scores, standardised by system, over labelled cells. Its distribution under
    permutation of whole rows of labels is approximated with its exact mean and variance (Hoeffding 1951).
    """
    spread = machine.std(axis=0)
    z = (machine - machine.mean(axis=0)) / np.where(spread > 0, spread, np.inf)
    s = there @ z.T
    d = s - s.mean(axis=0) - s.mean(axis=1, keepdims=True) + s.mean()
    variance = float((d * d).sum()) / (len(s) - 1)
    return float(2 * ndtr(-abs(np.trace(s) - s.mean() * len(s)) / np.sqrt(variance))) if variance > 0 else 1.0


def labelled_by_topic(there: BoolArray) -> float:
    """p-value of the hypothesis that cells were labelled one by one; small if labels cluster on topics."""
    share = there.mean(axis=0)
    variance = float((share * (1 - share)).sum())
    counts = there.sum(axis=1)
    return float(chdtrc(len(there) - 1, float(((counts - share.sum()) ** 2).sum()) / variance)) if variance > 0 else 1.0


def combine_partial(human: Scores, machine: Scores, names: tuple[str, str], level: float) -> CombinedMeans:
    """Combine human scores with holes and machine scores without, on the machine's topics."""
    for side, name in ((human, names[0]), (machine, names[1])):
        refuse(side, name, "groups", "total", why="labels on some of the cells are combined cell by cell")
    machine = machine.complete()
    systems = [system for system in human.systems if system in set(machine.systems)]
    notes = [
        f"{counted(len(lost), noun)} of {names[k]} left out, because {names[1 - k]} lacks them: {listing(lost)}"
        for noun, k, lost in (
            ("system", 0, [s for s in human.systems if s not in set(systems)]),
            ("system", 1, [s for s in machine.systems if s not in set(systems)]),
            ("topic", 0, [t for t in human.topics if t not in set(machine.topics)]),
        )
        if lost
    ]
    for note in notes:
        warn(note, AlignmentWarning)
    f, y = machine.select(systems).values, np.full((len(machine.topics), len(systems)), np.nan)
    here = {topic: k for k, topic in enumerate(machine.topics)}
    known = [k for k, topic in enumerate(human.topics) if topic in here]
    y[[here[human.topics[k]] for k in known]] = human.values[
        np.ix_(known, places_of(systems, human.systems, "systems"))
    ]
    there = ~np.isnan(y)
    labels = there.sum(axis=0)
    if len(systems) < 2 or len(y) < FEWEST_LABELS:
        raise InputError(f"{names[0]} and {names[1]} have {counted(len(systems), 'system')} in common: 2 are needed")
    if few := [system for system, count in zip(systems, labels, strict=True) if count < FEWEST_LABELS]:
        raise InputError(
            f"{names[0]} has fewer than {FEWEST_LABELS} labels of {listing(few)}: label more of their cells, or leave "
            f"them out"
        )
    require_room_for_pairs(len(systems), "the covariance of combined means", 6)
    random_p, scattered_p = chosen_by_machine(there, f), labelled_by_topic(there)
    whole, binary = scattered_p <= LEVEL, len(np.unique(y[there])) == 2
    fit = fit_partial(y, f, by_topic=not whole and there.sum() / len(y) >= 1.5)
    covariance, freedom = _of_differences(fit, labels, whole=whole)
    favour, favour_p = _favours(fit, f)
    order = np.argsort(-fit.means, kind="stable")
    square = np.ix_(order, order)
    values = human.shown(fit.means[order])
    reach = stdtrit(fit.freedom, (1 + level) / 2) * np.sqrt(fit.variance)
    own = np.sqrt(np.nanvar(y, axis=0, ddof=1) / labels) * stdtrit(labels - 1, (1 + level) / 2)
    doubts = []
    if random_p <= LEVEL:
        doubts.append("someone may have chosen which cells to label")
    if labels.min() < PROMISED_LABELS and (binary or len(systems) < PROMISED_SYSTEMS):
        kind = "binary scores" if binary else f"fewer than {PROMISED_SYSTEMS} systems"
        doubts.append(f"{kind} need {PROMISED_LABELS} labels of each system")
    means = Means(
        values,
        [systems[k] for k in order],
        human.measure,
        lower_is_better=human.lower_is_better,
        covariance=covariance[square],
        degrees_of_freedom=float(np.median(freedom[np.triu_indices(len(systems), 1)])),
    )
    rows = rows_of(
        means,
        labels=labels[order],
        low=values - reach[order],
        high=values + reach[order],
        human=human.shown(np.nanmean(y, axis=0)[order]),
        human_reach=own[order],
        machine=machine.shown(f.mean(axis=0)[order]),
        favour=favour[order],
        favour_p=favour_p[order],
    )
    parts, width = by_system(rows), float(2 * own[order].sum())
    reduction = 1 - float((parts["high"] - parts["low"]).sum()) / width if width > 0 else 0.0
    count, cut = int(labels.sum()), 100 * reduction
    answer = (
        f"{first_of(means)} of {counted(len(systems), 'system')}, from {count:,} labels by {names[0]} "
        f"({100 * count / y.size:.0f}% of the cells) and all scores of {names[1]}"
    )
    less = f"makes the intervals {cut:.0f}% narrower" if cut >= 1 else "does not make the intervals narrower"
    given = f"given the scores of {names[1]}"
    if random_p <= LEVEL:
        chosen = f"The labelled cells do not look random, {given}: {p_equals(random_p)}"
    else:
        which = "whole topics" if whole else "cells one by one"
        chosen = f"The labelled cells look random, {given} ({p_equals(random_p)}); {names[0]} labelled {which}"
    broken = [f"The {100 * level:g}% of the intervals is not promised: {'; '.join(doubts)}"] if doubts else []
    return CombinedMeans(
        kind="CombinedMeans",
        answer=answer,
        before=(answer, f"{names[1]} {less} than those of the labels alone", chosen, *broken),
        numbers={
            "systems": rows,
            "lam": fit.lam,
            "random_p": random_p,
            "scattered_p": scattered_p,
            "whole_topics": whole,
            "doubts": tuple(doubts),
            "reduction": reduction,
            "n_topics": len(y),
        },
        beside={"means": means, "covariance": means.covariance, "difference_freedom": freedom[square]}
        | parts
        | {"names": names, "alone": "labels alone"},
        lines=rows,
        shown=f"{table_of(rows, level, names, 'labels')}\n\n  weight of the machine's scores {fit.lam:.3f}",
        index="system",
        figure="intervals.combined",
        notes=tuple(notes),
        settings=settings_of(confidence_level=level, measure=human.measure),
    )


def _of_differences(fit: Fit, labels: IntArray, *, whole: bool) -> tuple[FloatArray, FloatArray]:
    """Covariance of the systems' errors, for differences, and the degrees of freedom of each difference."""
    n, m = fit.predicted.shape
    g = fit.predicted - fit.predicted.mean(axis=0)
    drawn = g.T @ g / (n - 1) / n
    if whole:  # labels on the same topics: errors of two systems are paired
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


def _favours(fit: Fit, machine: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Estimate by how much the machine favours each system, with p-values for all systems together.

    The gap of a system is the machine's mean on the human scale, minus the combined mean. Its favour is the gap minus
    the mean gap of the middle half of the systems. The scale is the median slope over pairs of systems, weighted by
    their distance, so a favoured system hardly changes it.
    """
    n, m = machine.shape
    f = machine.mean(axis=0)
    apart, combined = (np.subtract.outer(of, of)[np.triu_indices(m, 1)] for of in (f, fit.means))
    weights = np.abs(apart)
    if m < PROMISED_SYSTEMS or not weights.any():
        return np.full(m, np.nan), np.full(m, np.nan)
    slopes = np.where(weights > 0, combined / np.where(weights > 0, apart, 1.0), 0.0)
    order = np.argsort(slopes)
    below = np.cumsum(weights[order])
    slope = max(float(slopes[order][np.searchsorted(below, below[-1] / 2)]), 0.0)
    gap = slope * f - fit.means
    favour = gap - np.sort(gap)[m // 4 : m - m // 4].mean()
    d = slope * machine - fit.predicted
    d = d - d.mean(axis=1, keepdims=True)
    drawn = d.var(axis=0, ddof=1) / n
    total = fit.label_variance + drawn
    freedom = _satterthwaite(total, [(fit.label_variance, fit.label_freedom), (drawn, n - 1)])
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(favour == 0, 0.0, np.abs(favour) / np.sqrt(total))
    return favour, holm(2 * stdtr(freedom, -t))
