"""`IncompleteScores`: topics x systems with holes. What systems would score on all topics, estimated from those they
have.

Means over different topics cannot be compared: a system that was run on easy tasks has a higher one. So each score is
taken as the sum of what its topic gives to all systems and what its system has on all topics, by least squares:

    score of s on t = a_t + b_s + residual,    over the scores that are there.

A hole counts as a_t + b_s. The mean of a system that has all topics stays its own, and nothing is assumed of it; that
of the others assumes that a system is, on the topics that it lacks, as far ahead of the others as on those that it has.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from .arrays import FloatArray, IntArray
from .errors import InputError
from .means import mean_over_topics
from .scores import Means, Scores, completed, places_of, ranked, with_sign
from .tables import Missing, Unfilled, fill_or_drop
from .tables.cells import Given
from .tables.missing import refuse_best_zeros
from .words import counted, listing

ASSUMED = "a system is taken to be as far ahead of the others on the topics that it lacks as on those that it has"


@dataclass(frozen=True, eq=False, repr=False)
class IncompleteScores:
    """Scores of one measure, topics x systems, higher is better, nan where a system lacks a topic. Immutable.

    With ``lower_is_better=True`` scores change their sign, as in `Scores`.

    `read_scores` and `as_scores` give it for ``missing="available"``. What can work with holes takes it as it takes
    `Scores`: `rank_intervals` and `board` compare two systems on the topics that both have. All else refuses it, and
    `complete` makes `Scores` of it.

    >>> s = IncompleteScores([[0.5, 0.4], [0.7, float("nan")]], topics=["1", "2"], systems=["bm25", "ql"])
    >>> s
    <IncompleteScores: 2 topics x 2 systems, 1 score missing>
    >>> s.means().round(2).tolist()
    [0.6, 0.5]
    """

    values: FloatArray
    topics: tuple[str, ...]
    systems: tuple[str, ...]
    measure: str
    lower_is_better: bool

    def __init__(
        self,
        values: npt.ArrayLike,
        topics: Iterable[Any],
        systems: Iterable[Any],
        measure: str | None = None,
        *,
        lower_is_better: bool = False,
    ) -> None:
        array = np.array(values, dtype=np.float64)
        holes = np.isnan(array)
        # The same checks of labels and numbers, with a number in each hole.
        checked = Scores(np.where(holes, 0.0, array), topics, systems, measure, lower_is_better=lower_is_better)
        array = np.where(holes, np.nan, checked.values)
        _refuse_apart(~holes, checked.topics, checked.systems)
        array.flags.writeable = False
        object.__setattr__(self, "values", array)
        object.__setattr__(self, "topics", checked.topics)
        object.__setattr__(self, "systems", checked.systems)
        object.__setattr__(self, "measure", checked.measure)
        object.__setattr__(self, "lower_is_better", checked.lower_is_better)

    def shown(self, values: FloatArray | None = None) -> FloatArray:
        """Values with the sign that the scores were given with; by default those of all topics and systems."""
        return with_sign(self.values if values is None else values, self.lower_is_better)

    def counts(self) -> IntArray:
        """How many topics each system has."""
        return np.asarray((~np.isnan(self.values)).sum(axis=0))

    def filled(self) -> FloatArray:
        """With what topic and system predict in each hole."""
        return fitted(self.values)

    def means(self) -> FloatArray:
        """The mean of each system on all topics, where holes are filled with what the other scores predict."""
        return mean_over_topics(self.filled())

    def ranking(self) -> tuple[tuple[str, ...], ...]:
        """The systems by these means, best first; each inner tuple holds the systems that are tied."""
        return ranked(self.systems, self.means())

    def select(
        self, systems: Iterable[str] | None = None, topics: Iterable[str] | None = None
    ) -> Scores | IncompleteScores:
        """Only these systems and topics, in the order given; `Scores` where nothing is missing among them."""
        columns = range(len(self.systems)) if systems is None else places_of(systems, self.systems, "systems")
        rows = range(len(self.topics)) if topics is None else places_of(topics, self.topics, "topics")
        labels = [self.topics[i] for i in rows], [self.systems[j] for j in columns]
        return self.like(self.values[np.ix_(list(rows), list(columns))], *labels)

    def like(
        self, values: FloatArray, topics: Iterable[Any] | None = None, systems: Iterable[Any] | None = None
    ) -> Scores | IncompleteScores:
        """Other values, higher is better, of the same measure; `Scores` where none is missing."""
        labels = self.topics if topics is None else topics, self.systems if systems is None else systems
        return with_holes(self.shown(values), *labels, self.measure, lower_is_better=self.lower_is_better)

    def complete(self, missing: Missing) -> Scores:
        """Without holes, by another policy for missing topics: "zero", "drop", "drop-systems" or "mean"."""
        if missing == "available":
            raise InputError(
                "missing is 'available', which leaves the holes: use 'zero', 'drop', 'drop-systems', 'mean'"
            )
        refuse_best_zeros(missing, self.lower_is_better)
        made = fill_or_drop(self.shown(), list(self.topics), list(self.systems), missing)
        return Scores(made.values, made.topics, made.systems, self.measure, lower_is_better=self.lower_is_better)

    def __repr__(self) -> str:
        shape = f"{counted(len(self.topics), 'topic')} x {counted(len(self.systems), 'system')}"
        missing = counted(int(np.isnan(self.values).sum()), "score")
        return f"<IncompleteScores: {shape}{', ' + self.measure if self.measure else ''}, {missing} missing>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, IncompleteScores):
            return NotImplemented
        return self._about() == other._about() and bool(np.array_equal(self.values, other.values, equal_nan=True))

    def __hash__(self) -> int:
        return hash((self._about(), self.values.tobytes()))

    def _about(self) -> tuple[Any, ...]:
        return self.topics, self.systems, self.measure, self.lower_is_better

    def __reduce__(self) -> tuple[Any, ...]:
        given = partial(IncompleteScores, lower_is_better=self.lower_is_better)
        return given, (self.shown(), self.topics, self.systems, self.measure)


def with_holes(
    values: npt.ArrayLike,
    topics: Iterable[Any],
    systems: Iterable[Any],
    measure: str | None = None,
    *,
    lower_is_better: bool = False,
) -> Scores | IncompleteScores:
    """`Scores` where nothing is missing, else `IncompleteScores`."""
    array = np.asarray(values, dtype=np.float64)
    made = IncompleteScores if np.isnan(array).any() else Scores
    return made(array, topics, systems, measure, lower_is_better=lower_is_better)


def left_open(side: Scores | Means | Unfilled) -> Scores | Means | IncompleteScores | None:
    """What was read where its holes are to stay; None where something has to be done about them first."""
    if not isinstance(side, Unfilled):
        return side
    if side.missing != "available" or side.own_topics is None or side.empty:
        return None
    return with_holes(side.values, side.topics, side.systems, side.measure, lower_is_better=side.lower_is_better)


def open_to_holes(side: Scores | Means | Unfilled) -> Scores | Means | Unfilled:
    """The same, for what can work with holes: an error about missing scores names that as a way out."""
    return replace(side, open_to_holes=True) if isinstance(side, Unfilled) else side


def left_open_or_completed(side: Scores | Means | Unfilled) -> Scores | Means | IncompleteScores:
    """What was read, with its holes where these are to stay."""
    return left_open(side) or completed(open_to_holes(side))


def as_read(scores: IncompleteScores, name: str) -> Unfilled:
    """The same, as it comes from a file: where nothing else is decided, its holes stay."""
    labels, lower = (list(scores.topics), list(scores.systems)), scores.lower_is_better
    return Unfilled(scores.shown(), *labels, scores.measure, "available", Given(name), lower_is_better=lower)


def fitted(values: FloatArray) -> FloatArray:
    """Scores with a_t + b_s in each hole, by least squares over the others."""
    there = ~np.isnan(values)
    if there.all():
        return values
    shift = float(np.nanmean(values))  # large scores lose no digits
    known = np.where(there, values - shift, 0.0)
    turned = values.shape[0] > values.shape[1]  # solve for the shorter side
    o, x = (there.T, known.T) if turned else (there, known)
    rows, columns = o.sum(axis=1), o.sum(axis=0)
    shared = (o / columns) @ o.T
    # The normal equations with the columns' effects eliminated; they leave a constant free, which is set to 0.
    left = np.diag(rows).astype(np.float64) - shared + 1 / len(o)
    a = np.linalg.solve(left, x.sum(axis=1) - (o / columns) @ x.sum(axis=0))
    b = (x - a[:, None] * o).sum(axis=0) / columns
    expected = a[:, None] + b
    return np.where(there, values, (expected.T if turned else expected) + shift)


def influences(values: FloatArray) -> FloatArray:
    """A complete matrix whose means are those of `fitted`, its deviations what each topic adds to their error.

    Deviations are the residuals, 0 in a hole, times n / n_s for a system with n_s of n topics: their variance over the
    n topics, divided by n, is that of its mean over n_s.
    """
    there = ~np.isnan(values)
    filled = fitted(values)
    n, counts = len(values), there.sum(axis=0)
    means = filled.mean(axis=0)
    residuals = np.where(there, filled - means - (filled - means).mean(axis=1, keepdims=True), 0.0)
    residuals -= np.where(there, residuals.sum(axis=0) / counts, 0.0)
    spread = np.sqrt((n - 1) / n * counts / np.maximum(counts - 1, 1))  # counts - 1 degrees of freedom, not n - 1
    return np.asarray(means + n / counts * residuals * spread)


def _refuse_apart(there: npt.NDArray[np.bool_], topics: tuple[str, ...], systems: tuple[str, ...]) -> None:
    """Raise where a topic or system has no scores, or where systems cannot be compared, not even through others."""
    for axis, noun, labels in ((0, "system", systems), (1, "topic", topics)):
        empty = np.flatnonzero(~there.any(axis=axis))
        if empty.size:
            names = listing(labels[k] for k in empty)
            raise InputError(
                f"there are no scores at all of {noun} {names}: leave {'it' if empty.size == 1 else 'them'} out"
            )
    reached = np.zeros(len(systems), dtype=bool)
    reached[0] = True
    for _ in systems:
        found = np.asarray(there[there[:, reached].any(axis=1)].any(axis=0))
        if np.array_equal(found, reached):
            break
        reached = found
    if not reached.all():
        apart = listing(systems[k] for k in np.flatnonzero(~reached))
        raise InputError(
            f"{apart} share no topic with {systems[0]}, not even through other systems, so nothing compares them: "
            "leave them out, or add systems that have topics of both"
        )
