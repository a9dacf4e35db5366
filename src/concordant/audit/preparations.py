"""What goes into a coefficient: means over topics, in the ways in which people take them and mistake them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from ..arrays import FloatArray
from ..errors import DataWarning
from ..scores import Scores, mean_over_topics
from ..sides import Side, aligned, best_of
from .rule import Suits
from .vectors import Vectors, rank_of

Average = Literal["", "mean", "zero", "median"]


@dataclass(frozen=True)
class Given:
    """Two sides as they were read, and as they are compared: matched by name, on common topics."""

    truth: Side
    candidate: Side
    matched: tuple[Side, Side]
    notes: tuple[str, ...]

    @classmethod
    def of(cls, truth: Side, candidate: Side, names: tuple[str, str]) -> Given:
        """Match them by name."""
        a, b = truth.scores, candidate.scores
        apart = a is not None and b is not None and set(a.topics).isdisjoint(b.topics)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)  # the notes say it
            matched, notes = aligned(truth, candidate, "systems" if apart else "both", names)
        if apart:
            notes.append(f"{names[0]} and {names[1]} share no topic: each was averaged over its own")
        return cls(truth, candidate, matched, tuple(notes))

    @property
    def values(self) -> tuple[FloatArray, FloatArray] | None:
        """The scores on the common topics, topics x systems; None where a side has none."""
        a, b = self.matched[0].scores, self.matched[1].scores
        return None if a is None or b is None or a.topics != b.topics else (a.values, b.values)

    def pair(self, sides: tuple[Side, Side] | None = None) -> Vectors:
        """The means of both sides."""
        a, b = self.matched if sides is None else sides
        place = [{name: k for k, name in enumerate(side.systems)} for side in (self.truth, self.candidate)]
        last = [len(p) for p in place]  # a system that a side lacks stands behind all others
        places = [np.array([p.get(s, n) for s in a.systems]) for p, n in zip(place, last, strict=True)]
        return Vectors(a.means, b.means, a.systems, places[0], places[1])


@dataclass(frozen=True)
class Preparation:
    """A way from two sides to two vectors. `make` gives None where it is no other way than the plain one."""

    name: str
    account: str
    departures: int
    make: Callable[[Given], Vectors | None]
    suits: Suits = "all"
    average: Average = ""
    """How the values of topics become one."""


PLAIN = Preparation("means", "", 0, Given.pair)


def preparations(top: Sequence[int] = ()) -> Iterator[Preparation]:
    """All of them, the plainest first; `top` adds the best k systems."""
    yield PLAIN
    for k in top:
        for by, departures in (("truth", 1), ("candidate", 2)):
            yield Preparation(
                f"top {k} by {by}", f"the {k} best systems of {by} only", departures, partial(_top, k, by)
            )
    yield Preparation("means over own topics", "each side averaged over its own topics", 1, _own_topics)
    yield Preparation("all topics, 0 where missing", "topics that a side lacks scored 0", 1, _all_topics)
    yield Preparation("all systems, 0 where missing", "systems that a side lacks scored 0", 1, _all_systems)
    yield Preparation("means, not rounded", "means as floats, whose last bits hide ties", 1, _floats)
    for digits, departures in ((4, 1), (3, 1), (2, 2)):
        name, account = f"means to {digits} digits", f"means rounded to {digits} digits before ranking"
        yield Preparation(name, account, departures, partial(_rounded, digits))
    yield Preparation("mean over topics", "on each topic, averaged where it is defined", 1, _topics, "topics", "mean")
    yield Preparation(
        "mean over topics, undefined as 0", "on each topic, averaged, undefined as 0", 2, _topics, "topics", "zero"
    )
    yield Preparation("median over topics", "on each topic, the median", 2, _topics, "topics", "median")
    yield Preparation("all topics at once", "one long vector of the scores of all topics", 2, _pooled, "pooled")
    yield Preparation("medians", "medians over topics in place of means", 2, _medians)
    for method, departures in (("average", 1), ("min", 2), ("dense", 2)):
        account = f"ranks in place of scores (ties: {method})"
        yield Preparation(f"ranks, {method}", account, departures, partial(_ranks, method), "gaps")
    yield Preparation("worst first", "ranks given for scores: the worst system is the best", 2, _worst_first, "head")
    for side in ("truth", "candidate"):
        account = f"ranks given for scores in {side}: its worst system is the best"
        yield Preparation(f"{side} upside down", account, 2, partial(_upside_down, side))
    for ties in ("file", "name"):
        yield Preparation(
            f"names in rank order, ties by {ties}", "the names in rank order, compared as values", 2,
            partial(_lists, ties, rank_of), "lists",
        )  # fmt: skip
    yield Preparation("argsort", "numpy's argsort taken for ranks", 2, partial(_lists, "file", _places), "lists")
    yield Preparation("line by line", "lines of the files compared, whatever their names", 2, _line_by_line)


def _top(k: int, by: str, given: Given) -> Vectors | None:
    a, b = given.matched
    if k >= len(a.systems):
        return None
    sides = best_of((a, b), k)[0] if by == "truth" else best_of((b, a), k)[0][::-1]
    return given.pair((sides[0], sides[1]))


def _own_topics(given: Given) -> Vectors | None:
    if not _topics_differ(given):
        return None
    systems = given.matched[0].systems
    return given.pair((given.truth.take(systems), given.candidate.take(systems)))


def _topics_differ(given: Given) -> bool:
    a, b = given.truth.scores, given.candidate.scores
    return a is not None and b is not None and set(a.topics) != set(b.topics)


def _all_topics(given: Given) -> Vectors | None:
    a, b = given.truth.scores, given.candidate.scores
    if a is None or b is None or not _topics_differ(given):
        return None
    count = len(set(a.topics) | set(b.topics))
    systems = given.matched[0].systems
    sides = [Side(systems, _mean_of(s.select(systems=systems), count), None) for s in (a, b)]
    return given.pair((sides[0], sides[1]))


def _mean_of(scores: Scores, count: int) -> FloatArray:
    """Means over so many topics, of which those that are not there score 0."""
    zeros = np.zeros((count - len(scores.topics), len(scores.systems)))
    return mean_over_topics(np.concatenate([scores.values, zeros]))


def _all_systems(given: Given) -> Vectors | None:
    if set(given.truth.systems) == set(given.candidate.systems):
        return None
    systems = tuple(dict.fromkeys((*given.truth.systems, *given.candidate.systems)))
    sides = []
    for side in (given.truth, given.candidate):
        score = dict(zip(side.systems, side.means.tolist(), strict=True))
        sides.append(Side(systems, np.array([score.get(s, 0.0) for s in systems]), None))
    return given.pair((sides[0], sides[1]))


def _floats(given: Given) -> Vectors | None:
    if given.values is None:
        return None
    a, b = (values.mean(axis=0) for values in given.values)
    return given.pair().with_scores(a, b)


def _rounded(digits: int, given: Given) -> Vectors:
    pair = given.pair()
    return pair.with_scores(np.round(pair.truth, digits), np.round(pair.candidate, digits))


def _topics(given: Given) -> Vectors | None:
    return None if given.values is None else given.pair().with_scores(*given.values)


def _pooled(given: Given) -> Vectors | None:
    return None if given.values is None else given.pair().with_scores(*(values.ravel() for values in given.values))


def _medians(given: Given) -> Vectors | None:
    if given.values is None:
        return None
    a, b = (np.median(values, axis=0) for values in given.values)
    return given.pair().with_scores(a, b)


def _ranks(method: str, given: Given) -> Vectors:
    from scipy import stats

    pair = given.pair()
    a, b = (-stats.rankdata(-side, method).astype(float) for side in (pair.truth, pair.candidate))
    return pair.with_scores(a, b)


def _worst_first(given: Given) -> Vectors:
    pair = given.pair()
    return pair.with_scores(-pair.truth, -pair.candidate)


def _upside_down(side: str, given: Given) -> Vectors:
    pair = given.pair()
    return pair.with_scores(*((-pair.truth, pair.candidate) if side == "truth" else (pair.truth, -pair.candidate)))


def _lists(ties: Any, number: Callable[[Sequence[str]], Any], given: Given) -> Vectors:
    """Numbers of the systems in the order of their ranks: what stands first, second, ... on each side."""
    pair = given.pair()
    orders = pair.without_ties(ties)
    numbers = np.asarray(number(pair.names), dtype=float)
    return pair.with_scores(numbers[np.argsort(-orders.truth)], numbers[np.argsort(-orders.candidate)])


def _places(names: Sequence[str]) -> range:
    return range(len(names))


def _line_by_line(given: Given) -> Vectors | None:
    a, b = given.truth, given.candidate
    if len(a.systems) != len(b.systems) or a.systems == b.systems:
        return None
    return given.pair((a, Side(a.systems, b.means, None)))
