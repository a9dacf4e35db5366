"""What goes into a coefficient: means over topics, in the ways in which people take them and mistake them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np

from ...arrays import FloatArray
from ...data.means import mean_over_topics
from ...data.scores import Means, Scores
from ...errors import ConcordantError
from ...pairing import On, Side, best_systems, match
from ...read.source import expand, load
from ...read.tables.cells import plain_number
from .vectors import Suits, Vectors, rank_of

Average = Literal["", "mean", "zero", "median"]
SideName = Literal["truth", "candidate"]
Reread = Literal["all rows", "other measure"]
Again: TypeAlias = "Mapping[tuple[SideName, Reread], Side]"
"""A side by its own `all` rows, or by the measure of the other side, where it can be read so."""
_SIDES: tuple[SideName, SideName] = ("truth", "candidate")


@dataclass(frozen=True)
class MatchedSides:
    """Two sides as they were read, and as they are compared: matched by name, on common topics."""

    truth: Side
    candidate: Side
    matched: tuple[Side, Side]
    notes: tuple[str, ...]
    again: Again
    """The same sides read in other ways."""

    @classmethod
    def of(
        cls,
        truth: Side,
        candidate: Side,
        names: tuple[str, str] = ("truth", "candidate"),
        again: Again | None = None,
        on: On = "both",
    ) -> MatchedSides:
        """Match them by name."""
        topics = bool(truth.topics and candidate.topics) and on == "both"
        apart = topics and set(truth.topics).isdisjoint(candidate.topics)
        found = match((truth, candidate), names, "both" if topics and not apart else "systems", holes=True)
        note = f"{names[0]} and {names[1]} share no topic: each was averaged over its own"
        a, b = found.sides
        return cls(truth, candidate, (a, b), (*found.notes, note) if apart else found.notes, again or {})

    @property
    def values(self) -> tuple[FloatArray, FloatArray] | None:
        """The scores on the common topics, topics x systems; None where a side has none."""
        a, b = self.matched
        if not isinstance(a, Scores) or not isinstance(b, Scores) or a.topics != b.topics:
            return None
        return a.values, b.values

    @property
    def topics_differ(self) -> bool:
        """Whether both sides have topics, and not the same ones."""
        a, b = set(self.truth.topics), set(self.candidate.topics)
        return bool(a and b) and a != b

    @property
    def on_own_topics(self) -> tuple[Side, Side] | None:
        """The systems that both sides have, each side on all its own topics, where these differ; None where not all
        systems have them.
        """
        if not self.topics_differ:
            return None
        try:
            a, b = match((self.truth, self.candidate), _SIDES, "systems", holes=True).sides
        except ConcordantError:
            return None
        return a, b

    def pair(self, sides: tuple[Side, Side] | None = None) -> Vectors:
        """The means of both sides."""
        a, b = self.matched if sides is None else sides
        place = [{name: k for k, name in enumerate(side.systems)} for side in (self.truth, self.candidate)]
        last = [len(p) for p in place]  # a system that a side lacks stands behind all others
        places = [np.array([p.get(s, n) for s in a.systems]) for p, n in zip(place, last, strict=True)]
        return Vectors(a.means(), b.means(), a.systems, places[0], places[1])


@dataclass(frozen=True)
class Preparation:
    """A way from two sides to two vectors. `make` gives None where it is no other way than the plain one."""

    name: str
    account: str
    departures: int
    make: Callable[[MatchedSides], Vectors | None]
    suits: Suits = "all"
    average: Average = ""
    """How the values of topics become one."""


PLAIN = Preparation("means", "", 0, MatchedSides.pair)


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
    yield Preparation("`all` rows", "`all` rows in place of means over topics", 1, partial(_again, _SIDES, "all rows"))
    for side, other in (_SIDES, _SIDES[::-1]):
        account = f"`all` rows in place of means over topics in {side} only"
        yield Preparation(f"`all` rows of {side}", account, 2, partial(_again, (side,), "all rows"))
        account = f"{side} by the measure of {other}"
        yield Preparation(account, account, 1, partial(_again, (side,), "other measure"))
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


def _top(k: int, by: str, given: MatchedSides) -> Vectors | None:
    a, b = given.matched
    if k >= len(a.systems):
        return None
    kept = best_systems(a if by == "truth" else b, k)
    return given.pair((a.select(kept), b.select(kept)))


def _own_topics(given: MatchedSides) -> Vectors | None:
    sides = given.on_own_topics
    return None if sides is None else given.pair(sides)


def _all_topics(given: MatchedSides) -> Vectors | None:
    sides = given.on_own_topics
    if sides is None:
        return None
    a, b = sides
    count = len({*given.truth.topics, *given.candidate.topics})
    return given.pair((_with_zeros(a, count), _with_zeros(b, count)))


def _with_zeros(side: Side, count: int) -> Means:
    """Means over so many topics, of which those that are not there score 0."""
    assert isinstance(side, Scores)
    zeros = np.zeros((count - len(side.values), len(side.systems)))
    return Means(mean_over_topics(np.concatenate([side.values, zeros])), side.systems)


def _by_itself(side: Side) -> Side | None:
    """All systems of a side; None where topics are missing of one that nothing is done about."""
    try:
        return side.settled()[0]
    except ConcordantError:
        return None


def _all_systems(given: MatchedSides) -> Vectors | None:
    if set(given.truth.systems) == set(given.candidate.systems):
        return None
    whole = [_by_itself(side) for side in (given.truth, given.candidate)]
    systems = tuple(dict.fromkeys(system for side in whole if side is not None for system in side.systems))
    sides = []
    for side in whole:
        if side is None:
            return None
        score = dict(zip(side.systems, side.means().tolist(), strict=True))
        sides.append(Means([score.get(system, 0.0) for system in systems], systems))
    return given.pair((sides[0], sides[1]))


def _again(sides: tuple[SideName, ...], how: Reread, given: MatchedSides) -> Vectors | None:
    """These sides as they were read again; the others as they are."""
    if not any((side, how) in given.again for side in sides):
        return None
    truth, candidate = (
        given.again.get((name, how), side) if name in sides else side
        for name, side in zip(_SIDES, given.matched, strict=True)
    )
    return given.pair(MatchedSides.of(truth, candidate).matched)


def _floats(given: MatchedSides) -> Vectors | None:
    if given.values is None:
        return None
    a, b = (values.mean(axis=0) for values in given.values)
    return given.pair().with_scores(a, b)


def _rounded(digits: int, given: MatchedSides) -> Vectors:
    pair = given.pair()
    return pair.with_scores(np.round(pair.truth, digits), np.round(pair.candidate, digits))


def _topics(given: MatchedSides) -> Vectors | None:
    return None if given.values is None else given.pair().with_scores(*given.values)


def _pooled(given: MatchedSides) -> Vectors | None:
    return None if given.values is None else given.pair().with_scores(*(values.ravel() for values in given.values))


def _medians(given: MatchedSides) -> Vectors | None:
    if given.values is None:
        return None
    a, b = (np.median(values, axis=0) for values in given.values)
    return given.pair().with_scores(a, b)


def _ranks(method: str, given: MatchedSides) -> Vectors:
    from scipy import stats

    pair = given.pair()
    a, b = (-stats.rankdata(-side, method).astype(float) for side in (pair.truth, pair.candidate))
    return pair.with_scores(a, b)


def _worst_first(given: MatchedSides) -> Vectors:
    pair = given.pair()
    return pair.with_scores(-pair.truth, -pair.candidate)


def _upside_down(side: str, given: MatchedSides) -> Vectors:
    pair = given.pair()
    return pair.with_scores(*((-pair.truth, pair.candidate) if side == "truth" else (pair.truth, -pair.candidate)))


def _lists(ties: Any, number: Callable[[Sequence[str]], Any], given: MatchedSides) -> Vectors:
    """Numbers of the systems in the order of their ranks: what stands first, second, ... on each side."""
    pair = given.pair()
    orders = pair.without_ties(ties)
    numbers = np.asarray(number(pair.names), dtype=float)
    return pair.with_scores(numbers[np.argsort(-orders.truth)], numbers[np.argsort(-orders.candidate)])


def _places(names: Sequence[str]) -> range:
    return range(len(names))


def _line_by_line(given: MatchedSides) -> Vectors | None:
    a, b = _by_itself(given.truth), _by_itself(given.candidate)
    if a is None or b is None or len(a.systems) != len(b.systems) or a.systems == b.systems:
        return None
    return given.pair((a, Means(b.means(), a.systems)))


_SUMMARY = b"all"


def summary_means(files: Any, measure: str, systems: Sequence[str], lower_is_better: bool = False) -> Means | None:
    """What files of trec_eval say in their rows of topic `all`; concordant never uses these elsewhere.

    Parameters
    ----------
    files : path, glob, folder or list of them
        One file per system. What is no path has no such rows.
    measure : str
        As trec_eval calls it.
    systems : sequence of str
        Those to find, by the run's tag, or else by the name of its file.
    lower_is_better : bool
        Whether the means are errors.

    Returns
    -------
    Means or None
        None where not all of the systems are there.

    """
    paths = files if isinstance(files, list | tuple) else [files]
    if not measure or not all(isinstance(path, str | os.PathLike) for path in paths):
        return None
    by_tag: dict[str, float] = {}
    by_file: dict[str, float] = {}
    for item in expand(files):
        source = load(item)
        rows = {name: value for name, topic, value in _rows(source.data) if topic == _SUMMARY}
        mean = plain_number(rows.get(measure.encode(), b""))
        if mean is None:
            return None
        by_file[source.run_name()] = mean
        by_tag[rows.get(b"runid", b"").decode()] = mean
    for found in (by_tag, by_file):
        if set(systems) <= set(found):
            means = [found[system] for system in systems]
            return Means(means, systems, measure, lower_is_better=lower_is_better)
    return None


def _rows(data: bytes) -> list[tuple[bytes, bytes, bytes]]:
    """Measure, topic and value of each line; of files in other formats whatever has three fields."""
    found = []
    for line in data.split(b"\n"):
        fields = [field.strip() for field in (line.split(b"\t") if line.count(b"\t") == 2 else line.split(None, 2))]
        if len(fields) == 3:
            found.append((fields[0], fields[1], fields[2]))
    return found
