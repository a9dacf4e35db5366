"""Dictionaries of dictionaries, as pytrec_eval, ranx and people's scripts nest them: in Python, or as JSON."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, Literal, NamedTuple

import numpy as np

from ...errors import ConcordantError
from ...words import listing
from . import vocabulary
from .cells import Origin, cell_number, scores_of, warn_of
from .contents import Contents, refused_measure, warn_of_words
from .pivot import Grid, pivot, warn_of_lost

_SHAPE = "{system: {topic: {measure: value}}}"
# What the one key around results is called; no system.
_WRAPPERS = frozenset({"results", "result", "scores", "metrics", "measures", "evaluation", "data"})


class Nesting(NamedTuple):
    """The scores of a dictionary as parallel lists. `systems` None: one run; a measure is "" where none is named."""

    systems: list[str] | None
    topics: list[str]
    measures: list[str]
    values: list[Any]


class NestedScores(Contents):
    """The scores of one run or of several; which level holds what, the measure that is asked for may tell."""

    format = "nested dictionaries"

    def __init__(self, origin: Origin, nested: Any) -> None:
        super().__init__(origin)
        self.nested = self._checked(unwrapped(nested))
        self.deep = any(isinstance(value, Mapping) for inner in self.nested.values() for value in inner.values())

    def _checked(self, nested: Any) -> Mapping[str, Any]:
        if (
            not isinstance(nested, Mapping)
            or not nested
            or not all(isinstance(v, Mapping) and v for v in nested.values())
        ):
            raise self.origin.error(f"must be a dictionary of dictionaries, none of them empty: {_SHAPE}", 1)
        deep = {isinstance(v, Mapping) for inner in nested.values() for v in inner.values()}
        if len(deep) > 1:
            raise self.origin.error(f"mixes two and three levels: give {_SHAPE} throughout", 1)
        lowest = [v for inner in nested.values() for v in inner.values() if isinstance(v, Mapping)]
        for level in (nested, *nested.values(), *lowest):
            if len({str(key) for key in level}) < len(level):
                twice = next(str(key) for key in level if sum(str(other) == str(key) for other in level) > 1)
                raise self.origin.error(f"has two keys that are both written {twice!r}: rename one", 1)
        if deep == {True} and not all(bottom for inner in nested.values() for bottom in inner.values()):
            raise self.origin.error("has an empty dictionary: leave it out, or give null where there is no score", 1)
        return nested

    @property
    def named(self) -> bool:
        """Whether a level of the nesting names measures."""
        return any(self._nesting(None).measures)

    def measures(self) -> Collection[str]:
        """The measures of which there is a number, in their order."""
        found = self._nesting(None)
        numeric = dict.fromkeys(m for m, v in zip(found.measures, found.values, strict=True) if _is_number(v))
        return list(numeric) or list(dict.fromkeys(found.measures))

    def grid(self, measure: str) -> Grid:
        """The scores of one measure."""
        # "" is no name of a measure, but what is chosen where there is none.
        found = self._nesting(measure or None)
        rows = [k for k, name in enumerate(found.measures) if name == measure]
        if not rows:
            raise self.no_measure(measure)
        self._warn(found)
        topics = [found.topics[k] for k in rows]
        systems = None if found.systems is None else [found.systems[k] for k in rows]

        def no_score(place: int, said: str) -> ConcordantError:
            of = "" if systems is None else f" of {systems[place]}"
            return self.origin.error(f"{measure or 'the score'}{of} on {topics[place]}: {said}")

        values, percent = scores_of([found.values[k] for k in rows], no_score)

        def twice(first: int, again: int) -> ConcordantError:
            return self.origin.error(f"topic {topics[again]!r} has two scores of one system: leave one out")

        grid = pivot(self.origin, topics, systems, values, twice, percent)
        warn_of_lost(self.origin, measure, found.topics, grid.topics)
        return grid

    def _nesting(self, measure: str | None) -> Nesting:
        if self.deep:
            cells = [
                ((str(a), str(b), str(c)), v)
                for a, bs in self.nested.items()
                for b, cs in bs.items()
                for c, v in cs.items()
            ]
            s, t, m = self._levels([{key[k] for key, _ in cells} for k in range(3)], measure)
            systems, topics, measures = ([key[k] for key, _ in cells] for k in (s, t, m))
            return Nesting(systems, topics, measures, [v for _, v in cells])
        labels = (str(key) for level in (self.nested, *self.nested.values()) for key in level)
        label = next((key for key in labels if vocabulary.column_name(key) in vocabulary.TOPIC_COLUMNS), None)
        if label is not None:
            raise self.origin.error(
                f"the key {label!r} names a column of topics, as of a frame made a dictionary: give the frame itself", 1
            )
        pairs = [(str(a), str(b), v) for a, inner in self.nested.items() for b, v in inner.items()]
        outer, inner, values = ([pair[k] for pair in pairs] for k in range(3))
        level = self._level_of_measures(set(outer), set(inner), measure)
        if level == "outer":
            return Nesting(None, inner, outer, values)
        if level == "inner":
            return Nesting(None, outer, inner, values)
        if measure is not None:
            raise refused_measure(self.origin, measure)
        if level == "topics first":
            outer, inner = inner, outer
        return Nesting(outer, inner, [""] * len(pairs), values)

    def _levels(self, levels: list[set[str]], measure: str | None) -> tuple[int, int, int]:
        """Which of three levels holds systems, which topics and which measures; in this order if nothing objects.

        The measures are where the one asked for is, or known names are.
        """
        tests: tuple[Callable[[set[str]], bool], ...] = (
            lambda names: measure in names,
            lambda names: any(map(vocabulary.looks_like_measure, names)),
            lambda names: all(map(vocabulary.looks_like_measure, names)),
        )
        found = [[k for k in range(3) if test(levels[k])] for test in tests]
        place = next((places[0] for places in found if len(places) == 1), 2)
        a, b = (k for k in range(3) if k != place)
        topics = [
            all(vocabulary.looks_like_topic(name) or vocabulary.is_summary(name) for name in levels[k]) for k in (a, b)
        ]
        wrapped = len(levels[0]) == 1 and next(iter(levels[0])).lower() in _WRAPPERS
        if wrapped or topics == [True, False] or (place != 2 and topics != [False, True]):
            shown = "; ".join(listing(sorted(names), 3) for names in levels)
            raise self.origin.error(
                f"cannot tell which of the three levels ({shown}) "
                f"holds systems, topics or measures: nest them as {_SHAPE}"
                + ("; rename systems that are called as topics are" if topics[0] else ""),
                1,
            )
        return a, b, place

    def _level_of_measures(
        self, outer: set[str], inner: set[str], measure: str | None
    ) -> Literal["outer", "inner", "none", "topics first"]:
        """Which of two levels holds measures: the one with the measure that is asked for, or with known names.

        If neither has, they are systems and their topics, or the other way round, where the names tell.
        """

        def known(test: Callable[[Iterable[bool]], bool]) -> tuple[bool, bool]:
            return test(map(vocabulary.looks_like_measure, outer)), test(map(vocabulary.looks_like_measure, inner))

        for in_outer, in_inner in ((measure in outer, measure in inner), known(any), known(all)):
            if in_outer != in_inner:
                return "outer" if in_outer else "inner"
        down, over = (
            vocabulary.axis_of(names)
            or ("topics" if all(vocabulary.looks_like_topic(n) or vocabulary.is_summary(n) for n in names) else "")
            for names in (outer, inner)
        )
        if not any(known(any)) and down == "topics" and over == "systems":
            return "topics first"
        if any(known(any)) or over != "topics" or down == "topics":
            raise self.origin.error(
                f"cannot tell which of the two levels ({listing(sorted(outer), 3)}; {listing(sorted(inner), 3)}) holds "
                f"systems, topics or measures: ask for a measure by its name, or nest them as {_SHAPE}",
                1,
            )
        return "none"

    def _warn(self, found: Nesting) -> None:
        """Warn where levels may hold something else than what they were read as."""
        topics, measures = list(dict.fromkeys(found.topics)), list(dict.fromkeys(found.measures))
        if self.deep:
            if not any(map(vocabulary.may_be_topic, topics)):
                systems = listing(dict.fromkeys(found.systems or ()), 5)
                warn_of(
                    self.origin,
                    f"read as systems: {systems}; read as topics: {listing(topics, 5)}; if it is the other way round, "
                    f"nest them as {_SHAPE}",
                )
            return
        unknown = [name for name in measures if name and not vocabulary.looks_like_measure(name)]
        if unknown and len(unknown) < len(measures):
            warn_of(
                self.origin,
                f"read as measures: {listing(measures, 5)}; if {listing(unknown, 5)} should be systems, nest them as "
                f"{_SHAPE}",
            )
        if any(measures) and set(topics) & set(map(str, self.nested)):
            warn_of_words(self.origin, topics)


def unwrapped(nested: Any) -> Any:
    """What stands below the one key that holds scores three levels deep, beside settings: {"x": {...}, "seed": 7}."""
    if not isinstance(nested, Mapping):
        return nested
    inner = [value for value in nested.values() if isinstance(value, Mapping)]
    if len(inner) != 1 or not inner[0] or any(isinstance(value, list) for value in nested.values()):
        return nested
    levels = [b for b in inner[0].values() if isinstance(b, Mapping) and b]
    below = [c for b in levels for c in b.values()]
    deep = len(levels) == len(inner[0]) and all(isinstance(c, Mapping) and c for c in below)
    return inner[0] if deep else nested


def _is_number(value: Any) -> bool:
    number = cell_number(value)
    return number is not None and not np.isnan(number)
