"""Means from human labels on some cells of the table and machine scores on all: what `combine` does with holes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.special import chdtrc, digamma, ndtr, polygamma, stdtr, stdtrit

from ..arrays import FloatArray, IntArray, require_room_for_pairs
from ..data.favours import Favours
from ..data.results import Estimate, Interval, Result, columns, settings_of
from ..data.scores import Means, Scores, places_of
from ..errors import AlignmentWarning, InputError, warn
from ..inference.adjustment import holm
from ..options import checked
from ..read.door import refuse
from ..words import counted, listing, p_equals

LEVEL = 0.05  # of the tests of how cells were chosen
FEWEST_LABELS = 3  # a system
PROMISED_LABELS, PROMISED_SYSTEMS = 10, 5  # below, binary scores or few systems get no promise
_PRIOR = (1.0, 4.0)  # degrees of freedom that other systems' variances may add to a system's own

BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Fit:
    """The estimates, and how their errors come about; systems in the order of the columns."""

    means: FloatArray
    lam: float
    """Human scores per machine score, within systems."""
    topics: FloatArray
    """What the other systems' labels say of each cell's topic; 0 where it is not used."""
    prior: float
    """Degrees of freedom that each variance borrows from all systems."""
    label_variance: FloatArray
    """Of the mean error on labelled cells."""
    label_freedom: FloatArray
    variance: FloatArray
    """Of each mean, for topics like these."""
    freedom: FloatArray
    predicted: FloatArray
    """lam * machine + topics: topics x systems."""
    residuals: FloatArray
    """human - predicted on labelled cells, less its mean by system; 0 elsewhere."""


def fit_partial(human: FloatArray, machine: FloatArray, *, by_topic: bool) -> Fit:
    """From matrices topics x systems, the human one with holes; `by_topic`: other systems' labels predict a topic."""
    n, there = len(human), ~np.isnan(human)
    labels, per_topic = there.sum(axis=0), there.sum(axis=1, keepdims=True)

    def centred(values: FloatArray) -> FloatArray:
        """By system over its labelled cells; 0 elsewhere."""
        return np.asarray(np.where(there, values - np.where(there, values, 0.0).sum(axis=0) / labels, 0.0))

    y, f = centred(human), centred(machine)
    # One pseudo-cell with the machine's variance over all cells keeps lam small where few labels tell little.
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
    own = (e * e).sum(axis=0) / degrees * free / (free - 1)  # lam took one
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
    """Centre and degrees of freedom of the distribution of variances over systems (Smyth 2004, section 6.2)."""
    some = own > 1e-14 * pooled
    if some.sum() < 3:
        return pooled, _PRIOR[0]
    half = degrees[some] / 2
    z = np.log(own[some]) - digamma(half) + np.log(half)
    excess = float(z.var(ddof=1) - polygamma(1, half).mean())
    # trigamma(d / 2) = excess: no excess is as if d were without limit.
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
    """p-value that labelled cells are random, given the machine's scores.

    The statistic is the sum over labelled cells of machine scores, standardised by system; its distribution that with
    whole rows of labels permuted, by its exact mean and variance (Hoeffding 1951).
    """
    spread = machine.std(axis=0)
    z = (machine - machine.mean(axis=0)) / np.where(spread > 0, spread, np.inf)
    s = there @ z.T
    d = s - s.mean(axis=0) - s.mean(axis=1, keepdims=True) + s.mean()
    variance = float((d * d).sum()) / (len(s) - 1)
    return float(2 * ndtr(-abs(np.trace(s) - s.mean() * len(s)) / np.sqrt(variance))) if variance > 0 else 1.0


def labelled_by_topic(there: BoolArray) -> float:
    """p-value that cells were labelled one by one; small where labels cluster on topics."""
    share = there.mean(axis=0)
    variance = float((share * (1 - share)).sum())
    counts = there.sum(axis=1)
    return float(chdtrc(len(there) - 1, float(((counts - share.sum()) ** 2).sum()) / variance)) if variance > 0 else 1.0


@dataclass(frozen=True, eq=False, repr=False)
class PartialMeans(Favours, Result):
    """What `combine` found from human labels on some cells, systems by their combined means, best first."""

    _figure = "intervals.partial"
    _index = "system"
    means: Means
    """The estimates, in human scores, with the covariance of their errors."""
    low: FloatArray
    """Lower limit of the interval for each mean, taken by itself; limits and means below as the scores were given."""
    high: FloatArray
    human: FloatArray
    """The means of the labels alone."""
    human_reach: FloatArray
    """Half the width of their intervals."""
    machine: FloatArray
    """The machine's means, on its own scale."""
    labels: IntArray
    """Labels by system."""
    n_topics: int
    lam: float
    """Human scores per machine score."""
    random_p: float
    """p-value that the labelled cells are random, given the machine's scores."""
    scattered_p: float
    """p-value that cells were labelled one by one, and not topic by topic."""
    doubts: tuple[str, ...]
    """Why the confidence level is not promised; empty where it is."""
    favour: FloatArray
    """By how much the machine favours each system over the middle of all, in human scores; nan with few systems."""
    favour_p: FloatArray
    """p-value of each favour, corrected for the number of systems (Holm)."""
    difference_freedom: FloatArray = field(metadata={"in_dict": False})
    """Degrees of freedom of the difference of two systems: systems x systems."""
    names: tuple[str, str] = ("human", "machine")
    """What the sides are called."""

    @property
    def whole_topics(self) -> bool:
        """Whether whole topics were labelled."""
        return self.scattered_p <= LEVEL

    @property
    def reduction(self) -> float:
        """The share of the width of the labels' own intervals that the machine removed."""
        own = float(2 * self.human_reach.sum())
        return 1 - float((self.high - self.low).sum()) / own if own > 0 else 0.0

    @checked
    def difference(self, first: str, second: str, *, confidence_level: float = 0.95) -> Estimate:
        """The mean of one system minus that of another, with its interval."""
        a, b = places_of([first, second], self.means.systems, "systems")
        covariance = self.means.covariance
        assert covariance is not None
        variance = max(covariance[a, a] + covariance[b, b] - 2 * covariance[a, b], 0.0)
        reach = stdtrit(self.difference_freedom[a, b], (1 + confidence_level) / 2) * np.sqrt(variance)
        value = float(self.means.shown()[a] - self.means.shown()[b])
        ends = Interval(value - float(reach), value + float(reach), confidence_level, "partial labels")
        return Estimate(f"{first} - {second}", value, "partial labels", ends, notes=self.doubts)

    @property
    def verdict(self) -> str:
        """Who ranks first, and from how many labels."""
        count, cells = int(self.labels.sum()), self.n_topics * len(self.labels)
        values, systems = self.means.values, self.means.systems
        first = [system for system, mean in zip(systems, values, strict=True) if mean == values[0]]
        top = f"{first[0]} ranks first" if len(first) == 1 else f"{listing(first, 3)} tie for first"
        return (
            f"{top} of {counted(len(systems), 'system')}, from {count:,} labels by {self.names[0]} "
            f"({100 * count / cells:.0f}% of the cells) and all scores of {self.names[1]}"
        )

    def _answers(self) -> Sequence[str]:
        human, machine = self.names
        cut, level = 100 * self.reduction, f"{100 * self.settings['confidence_level']:g}%"
        less = f"makes the intervals {cut:.0f}% narrower" if cut >= 1 else "does not make the intervals narrower"
        found = [f"{machine} {less} than those of the labels alone"]
        if self.random_p <= LEVEL:
            found.append(
                f"The labelled cells do not look random, given the scores of {machine}: {p_equals(self.random_p)}"
            )
        else:
            how = f"The labelled cells look random, given the scores of {machine} ({p_equals(self.random_p)})"
            found.append(f"{how}; {human} labelled {'whole topics' if self.whole_topics else 'cells one by one'}")
        if self.doubts:
            found.append(f"The {level} of the intervals is not promised: {'; '.join(self.doubts)}")
        found += self._whom(machine)
        return [f"{line}." for line in (self.verdict, *found)]

    def table(self) -> str:
        """One line per system."""
        level = f"{100 * self.settings['confidence_level']:g}% interval"
        rows = [["", "combined", level, "labels", *(f"{name} alone" for name in self.names)]]
        rows += [
            [
                row["system"], f"{row['mean']:.4f}", f"{row['low']:.4f} to {row['high']:.4f}", str(row["labels"]),
                f"{row['human']:.4f}", f"{row['machine']:.4f}",
            ]
            for row in self.rows()
        ]  # fmt: skip
        return f"{columns(rows)}\n\n  weight of the machine's scores {self.lam:.3f}"

    def rows(self) -> list[dict[str, Any]]:
        """One row per system, best first."""
        parts = {
            "mean": self.means.shown(), "low": self.low, "high": self.high, "human": self.human,
            "human_reach": self.human_reach, "machine": self.machine, "favour": self.favour, "favour_p": self.favour_p,
        }  # fmt: skip
        return [
            {"system": system, "labels": int(self.labels[k])} | {name: float(part[k]) for name, part in parts.items()}
            for k, system in enumerate(self.means.systems)
        ]

    def _contents(self) -> dict[str, Any]:
        names = ("lam", "random_p", "scattered_p", "whole_topics", "doubts", "reduction", "n_topics")
        return {"systems": self.rows()} | {name: getattr(self, name) for name in names}


def combine_partial(human: Scores, machine: Scores, names: tuple[str, str], level: float) -> PartialMeans:
    """From human scores with holes and machine scores without, on the machine's topics."""
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
    rows = [k for k, topic in enumerate(human.topics) if topic in here]
    y[[here[human.topics[k]] for k in rows]] = human.values[np.ix_(rows, places_of(systems, human.systems, "systems"))]
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
    return PartialMeans(
        means=Means(
            values,
            [systems[k] for k in order],
            human.measure,
            lower_is_better=human.lower_is_better,
            covariance=covariance[square],
            degrees_of_freedom=float(np.median(freedom[np.triu_indices(len(systems), 1)])),
        ),
        low=values - reach[order],
        high=values + reach[order],
        human=human.shown(np.nanmean(y, axis=0)[order]),
        human_reach=own[order],
        machine=machine.shown(f.mean(axis=0)[order]),
        labels=labels[order],
        n_topics=len(y),
        lam=fit.lam,
        random_p=random_p,
        scattered_p=scattered_p,
        doubts=tuple(doubts),
        favour=favour[order],
        favour_p=favour_p[order],
        difference_freedom=freedom[square],
        names=names,
        notes=tuple(notes),
        settings=settings_of(confidence_level=level, measure=human.measure),
    )


def _of_differences(fit: Fit, labels: IntArray, *, whole: bool) -> tuple[FloatArray, FloatArray]:
    """The covariance of the errors of differences between systems, and the degrees of freedom of each difference."""
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
    """By how much the machine favours each system, and p-values for all systems together.

    The machine's means on the human scale, minus the combined means, from the mean of the middle half of the systems.
    The scale is the median slope of pairs of systems, weighted by their distance, so that a favoured one hardly
    changes it.
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
