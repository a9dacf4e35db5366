"""`label_agreement`: measure how well two judges agree on the grades of the same documents."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import FloatArray
from ..data.results import Findings, Interval, columns, settings_of
from ..errors import InputError, argument, counted, number, one_line
from ..inference.resampling import Resampling, Seed, resampled_weights
from ..options import checked
from .changes import grades_beside, threshold
from .qrels import Qrels

MOST_LABELS = 200


@dataclass(frozen=True)
class Agreed:
    """The value and the interval of one measure of agreement."""

    value: float
    interval: Interval | None
    """None if there is only one topic, because it cannot be resampled."""


@checked
def label_agreement(
    truth: Qrels,
    candidate: Qrels,
    *,
    names: tuple[str, str] = ("the truth", "the candidate"),
    rel: float | None = None,
    n_resamples: int = 1_999,
    confidence_level: float = 0.95,
    rng: Seed = None,
) -> Findings:
    """Compare the grades that two judges gave to the documents that both judged.

    - agreement: the share of documents with equal grades.
    - kappa: Cohen's agreement beyond chance, 1 - sum(w o) / sum(w e), with o the observed shares, e the
      shares expected of independent judges who give each grade as often as these two, and w = 1 for unequal grades.
      For kappa_linear, w is the number of steps between the two grades; for kappa_quadratic, it is the square.
    - alpha: Krippendorff's alpha for ordinal grades. It treats both judges alike.

    1 is perfect agreement, 0 agreement by chance. Intervals come from the expanded percentile bootstrap: topics are
    resampled with all their documents, and the quantiles are a little further out when topics are few.
    docs/guide/judgments.md reports the coverage of these intervals.

    Parameters
    ----------
    truth : Qrels
        The trusted judge.
    candidate : Qrels
        The other judge, on the same scale of grades.
    names : (str, str)
        The names of the two judges in tables.
    rel : float, optional
        The lowest relevant grade. If given, both judges' grades become binary: 1 from this grade up, else 0.
    n_resamples : int
        Number of resamples of topics for the intervals.
    confidence_level : float
        Confidence level of the intervals.
    rng : int, Generator or None
        The seed of the intervals; the same seed gives the same bits.

    Returns
    -------
    Findings
        `agreement`, `kappa`, `kappa_linear`, `kappa_quadratic` and `alpha`, each with `value` and `interval`.
        `confusion[i, j]` counts documents with grade `labels[i]` by the truth and `labels[j]` by the candidate. `size`
        counts the documents that both judged, on `n_topics` topics; `only_truth` and `only_candidate` count the
        documents that only the truth, or only the candidate, judged.

    See Also
    --------
    compare : Compare how two judges rank the systems.

    References
    ----------
    J. Cohen (1960). A coefficient of agreement for nominal scales. EPM 20(1).
    J. Cohen (1968). Weighted kappa. Psychological Bulletin 70(4).
    K. Krippendorff (2011). Computing Krippendorff's alpha-reliability.
    T. C. Hesterberg (2015). What teachers should know about the bootstrap. The American Statistician 69(4). (intervals)

    Examples
    --------
    >>> import concordant as cc
    >>> human = cc.Qrels.from_dict({"1": {"a": 0, "b": 1, "c": 2}, "2": {"a": 0, "b": 0, "c": 1}})
    >>> machine = cc.Qrels.from_dict({"1": {"a": 0, "b": 1, "c": 1}, "2": {"a": 0, "b": 1, "c": 1}})
    >>> found = cc.judgments.label_agreement(human, machine, rng=1)
    >>> print(f"{found.kappa.value:.4f}, {found.alpha.value:.4f}")
    0.4545, 0.6627

    """
    drawing = Resampling.of(n_resamples, rng)
    beside = grades_beside(truth, candidate)
    both = ~np.isnan(beside)
    if not both.any():
        raise InputError("truth and candidate have no judged document in common")
    mine, theirs, topic = truth.grades[both], beside[both], truth.topic_of[both]
    if rel is not None:
        mine, theirs = ((grades >= threshold(truth, rel)).astype(np.float64) for grades in (mine, theirs))
    labels = np.unique(np.concatenate([mine, theirs]))
    if len(labels) > MOST_LABELS:
        raise InputError(
            f"there are {len(labels)} different grades, too many for a table: make them binary with {argument('rel')}"
        )
    topics, topic = np.unique(topic, return_inverse=True)
    place = np.searchsorted(labels, mine) * len(labels) + np.searchsorted(labels, theirs)
    tables = np.zeros((len(topics), len(labels) ** 2))
    np.add.at(tables, (topic, place), 1)
    values = agreement_of(tables.sum(axis=0)[None], labels)
    drawn = np.concatenate(
        [
            agreement_of(weights @ tables, labels)
            for _, weights in resampled_weights(len(topics), drawing.n_resamples, drawing.generator())
        ]
    )
    settings = settings_of(
        seed=drawing.seed, n_resamples=drawing.n_resamples, confidence_level=confidence_level, rel=rel
    )
    confusion = tables.sum(axis=0).reshape(len(labels), -1).astype(np.int64)
    estimates = {
        name: Agreed(float(value), _interval(draws, confidence_level, len(topics)))
        for name, value, draws in zip(NAMES, values[0], drawn.T, strict=True)
    }
    numbers = {
        "labels": tuple(int(label) if label == int(label) else float(label) for label in labels),
        "confusion": confusion,
        "n_topics": len(topics),
        "only_truth": int((~both).sum()),
        "only_candidate": candidate.size - int(both.sum()),
    }
    return Findings(
        kind="LabelAgreement",
        answer=_verdict(
            estimates, f"on {counted(len(mine), 'document')} of {counted(len(topics), 'topic')} that both judged"
        ),
        numbers=numbers | estimates,
        beside={"estimates": estimates, "size": len(mine)},
        lines=[
            {"coefficient": name, "value": of.value} | {end: getattr(of.interval, end, None) for end in ("low", "high")}
            for name, of in estimates.items()
        ],
        shown=_shown(numbers, estimates, names),
        settings=settings,
    )


def _verdict(of: Mapping[str, Agreed], on: str) -> str:
    """Say how far the judges agree, on how many documents, and whether they agree more than by chance."""
    found, kappa = f"agreement {of['agreement'].value:.3f}", of["kappa"]
    if math.isnan(kappa.value):
        return f"{found} {on}; kappa and alpha have no value, because all grades are the same"
    found = f"{found}, kappa {kappa.value:.3f}, alpha {of['alpha'].value:.3f} {on}"
    if kappa.interval is None:
        return f"{found}; too few topics to tell whether they agree beyond chance"
    if kappa.interval.low > 0:
        return found
    return (
        f"{found}; agreement beyond chance is not significant ({100 * kappa.interval.confidence_level:g}% "
        f"interval of kappa {kappa.interval.low:.3f} to {kappa.interval.high:.3f})"
    )


def _shown(numbers: Mapping[str, Any], of: Mapping[str, Agreed], names_of: Sequence[str]) -> str:
    """Print the estimates and, with few grades, the confusion table."""
    one, other = map(one_line, names_of)
    text = columns([[name, number(one.value, 4), str(one.interval or "-")] for name, one in of.items()])
    text += f"\n\nonly {one} judged {numbers['only_truth']:,}, only {other} {numbers['only_candidate']:,}"
    names = [f"{label:g}" for label in numbers["labels"]]
    if len(names) > 12:
        return text
    counts = [[name, *map(str, row)] for name, row in zip(names, numbers["confusion"], strict=True)]
    return f"{text}\n\n{one} by row, {other} by column\n\n{columns([['', *names], *counts])}"


NAMES = ("agreement", "kappa", "kappa_linear", "kappa_quadratic", "alpha")


def agreement_of(tables: FloatArray, labels: FloatArray) -> FloatArray:
    """Compute the five measures for each confusion table, one table per row; nan if all grades are the same."""
    count = len(labels)
    o = tables.reshape(-1, count, count)
    size = o.sum(axis=(1, 2))
    expected = o.sum(axis=2)[:, :, None] * o.sum(axis=1)[:, None, :] / size[:, None, None]
    apart = np.abs(np.subtract.outer(np.arange(count), np.arange(count))).astype(np.float64)
    found = [o.trace(axis1=1, axis2=2) / size]
    with np.errstate(invalid="ignore", divide="ignore"):
        for weight in (apart > 0, apart, apart**2):
            found.append(1 - (o * weight).sum(axis=(1, 2)) / (expected * weight).sum(axis=(1, 2)))
        found.append(_alpha(o))
    return np.column_stack(found)


def _alpha(o: FloatArray) -> FloatArray:
    """Compute Krippendorff's alpha for ordinal grades. The distance of two grades counts the labels between them."""
    coincidences = o + o.transpose(0, 2, 1)
    given = coincidences.sum(axis=2)
    n = given.sum(axis=1)
    below = np.cumsum(given, axis=1) - given / 2  # number of labels below the middle of each grade
    distance = (below[:, :, None] - below[:, None, :]) ** 2
    observed = (coincidences * distance).sum(axis=(1, 2))
    expected = (given[:, :, None] * given[:, None, :] * distance).sum(axis=(1, 2))
    return np.asarray(1 - (n - 1) * observed / expected)


def tail(level: float, n_topics: int) -> float:
    """Compute the tail probability of an interval's ends, a little below (1 - level) / 2 when topics are few.

    A bootstrap interval from n topics is too narrow by the factor sqrt((n - 1)/n), and does not allow for the error
    of the variance (Hesterberg 2015, section 5.3).
    """
    from scipy.special import ndtr, stdtrit

    return float(ndtr(np.sqrt(n_topics / (n_topics - 1)) * stdtrit(n_topics - 1, (1 - level) / 2)))


def _interval(draws: FloatArray, level: float, n_topics: int) -> Interval | None:
    there = draws[~np.isnan(draws)]
    enough = len(there) > 1 and n_topics > 1  # resamples of one topic are all the same
    return expanded(there, level, n_topics) if enough else None


def expanded(draws: FloatArray, level: float, n_topics: int, **method: Any) -> Interval:
    """Make an interval from resamples of topics, with its ends at the quantiles that `tail` gives."""
    out = tail(level, n_topics)
    low, high = np.quantile(draws, [out, 1 - out], **method)
    return Interval(float(low), float(high), level, "expanded percentile bootstrap of topics")
