"""Inputs of a coefficient: means over topics, and what people use instead by choice or by mistake."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ...arrays import FloatArray
from ...data.scores import Scores
from ...errors import ConcordantError
from ...pairing import On, Side, best_systems, match
from .rules import Suits
from .vectors import Vectors, rank_of


@dataclass(frozen=True)
class MatchedSides:
    """Two sides as read, and as compared: matched by name, on common topics."""

    truth: Side
    candidate: Side
    matched: tuple[Side, Side]
    notes: tuple[str, ...]

    @classmethod
    def of(cls, truth: Side, candidate: Side, names: Sequence[str] = ("truth", "candidate"), on: On = "both") -> Any:
        """Match the sides by name."""
        topics = bool(truth.topics and candidate.topics) and on == "both"
        apart = topics and set(truth.topics).isdisjoint(candidate.topics)
        found = match((truth, candidate), names, "both" if topics and not apart else "systems", holes=True)
        note = f"{names[0]} and {names[1]} share no topic: each was averaged over its own"
        a, b = found.sides
        return cls(truth, candidate, (a, b), (*found.notes, note) if apart else found.notes)

    @property
    def values(self) -> tuple[FloatArray, FloatArray] | None:
        """Scores on the common topics, topics x systems; None if a side has no topics."""
        a, b = self.matched
        if not isinstance(a, Scores) or not isinstance(b, Scores) or a.topics != b.topics:
            return None
        return a.values, b.values

    def pair(self, sides: Sequence[Side] = ()) -> Vectors:
        """Means of both sides."""
        a, b = sides or self.matched
        place = [{name: k for k, name in enumerate(side.systems)} for side in (self.truth, self.candidate)]
        places = [np.array([p[s] for s in a.systems]) for p in place]
        return Vectors(a.means(), b.means(), a.systems, places[0], places[1])


Make = Callable[[MatchedSides], "Vectors | None"]


class Preparation(NamedTuple):
    """A way from two sides to two vectors. `make` returns None if it does not apply."""

    name: str
    departures: int
    make: Make
    suits: Suits = "all"
    average: str = ""
    """How the values of topics are averaged."""


PLAIN = Preparation("means", 0, MatchedSides.pair)


def _of_means(a: Callable[[FloatArray], Any], b: Callable[[FloatArray], Any] | None = None) -> Make:
    """Transform the means: both sides by `a`, or truth by `a` and candidate by `b`."""

    def make(given: MatchedSides) -> Vectors:
        pair = given.pair()
        return pair.with_scores(a(pair.truth), (b or a)(pair.candidate))

    return make


def _of_topics(make: Callable[[FloatArray], Any]) -> Make:
    """Transform the scores on the common topics, the same for each side."""
    return lambda given: None if given.values is None else given.pair().with_scores(*map(make, given.values))


def _ranks(method: str, means: FloatArray) -> FloatArray:
    from scipy import stats

    return np.asarray(-stats.rankdata(-means, method).astype(float))


def _lists(ties: Any, by_name: bool, given: MatchedSides) -> Vectors:
    """List system numbers in rank order on each side."""
    pair = given.pair()
    orders = pair.without_ties(ties)
    numbers = rank_of(pair.names).astype(float) if by_name else np.arange(float(len(pair.names)))
    return pair.with_scores(numbers[np.argsort(-orders.truth)], numbers[np.argsort(-orders.candidate)])


def _own_topics(given: MatchedSides) -> Vectors | None:
    a, b = set(given.truth.topics), set(given.candidate.topics)
    if not a or not b or a == b:
        return None
    try:
        return given.pair(match((given.truth, given.candidate), ("truth", "candidate"), "systems", holes=True).sides)
    except ConcordantError:
        return None


def _top(k: int, by: str, given: MatchedSides) -> Vectors | None:
    a, b = given.matched
    if k >= len(a.systems):
        return None
    kept = best_systems(a if by == "truth" else b, k)
    return given.pair((a.select(kept), b.select(kept)))


def preparations(top: Sequence[int] = ()) -> Iterator[Preparation]:
    """Yield all preparations, the plainest first; `top` adds the best k systems."""
    yield PLAIN
    for k in top:
        for by, departures in (("truth", 1), ("candidate", 2)):
            yield Preparation(f"top {k} by {by}", departures, partial(_top, k, by))
    yield Preparation("means over own topics", 1, _own_topics)
    yield Preparation("means, not rounded", 1, _of_topics(lambda values: values.mean(axis=0)))
    for digits, departures in ((4, 1), (3, 1), (2, 2)):
        yield Preparation(f"means to {digits} digits", departures, _of_means(partial(np.round, decimals=digits)))
    for average, departures in (("mean", 1), ("mean with 0 where undefined", 2), ("median", 2)):
        yield Preparation(f"on each topic, {average}", departures, _of_topics(np.asarray), "topics", average)
    yield Preparation("all topics at once", 2, _of_topics(np.ravel), "pooled")
    yield Preparation("medians in place of means", 2, _of_topics(partial(np.median, axis=0)))
    for method, departures in (("average", 1), ("min", 2), ("dense", 2)):
        name = f"ranks in place of scores (ties: {method})"
        yield Preparation(name, departures, _of_means(partial(_ranks, method)), "gaps")
    yield Preparation("ranks given for scores", 2, _of_means(np.negative), "head")
    yield Preparation("ranks given for scores in truth", 2, _of_means(np.negative, np.asarray))
    yield Preparation("ranks given for scores in candidate", 2, _of_means(np.asarray, np.negative))
    for ties in ("file", "name"):
        yield Preparation(f"names in rank order, ties by {ties}", 2, partial(_lists, ties, True), "lists")
    yield Preparation("argsort taken for ranks", 2, partial(_lists, "file", False), "lists")
