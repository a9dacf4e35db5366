"""Read nested dictionaries, as pytrec_eval, ranx and users' scripts write them, in Python or as JSON.

Also recognise JSON that looks similar: reports of ranx, {system: mean}, and pandas frames.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ...errors import ConcordantError, listing
from ..source import Source
from ..tables import vocabulary
from ..tables.contents import MEAN, Contents, Grid, pivot, warn_of_lost, warn_of_words
from ..tables.layout import Origin, scores_of, warn_of
from ..tables.vocabulary import cell_number

_SHAPE = "{system: {topic: {measure: value}}}"
# Names of a single outer key that only wraps the results and is not a system.
_WRAPPERS = frozenset({"results", "result", "scores", "metrics", "measures", "evaluation", "data"})


class Nesting(NamedTuple):
    """The scores of a dictionary as parallel lists. `systems` is None for one run; an unnamed measure is ""."""

    systems: list[str] | None
    topics: list[str]
    measures: list[str]
    values: list[Any]


class NestedScores(Contents):
    """Nested dictionaries with scores of one or more runs. A requested measure may show which level holds measures."""

    format = "nested dictionaries"

    def __init__(self, origin: Origin, nested: Any) -> None:
        super().__init__(origin)
        self.nested = self._checked(unwrapped(nested))
        self.deep = any(isinstance(value, Mapping) for inner in self.nested.values() for value in inner.values())

    def _checked(self, nested: Any) -> Mapping[str, Any]:
        if not (isinstance(nested, Mapping) and nested and all(isinstance(v, Mapping) and v for v in nested.values())):
            raise self.origin.error(f"must be a dictionary of dictionaries, none of them empty: {_SHAPE}", 1)
        below = [v for inner in nested.values() for v in inner.values()]
        lowest = [v for v in below if isinstance(v, Mapping)]
        if lowest and len(lowest) < len(below):
            raise self.origin.error(f"mixes two and three levels: give {_SHAPE} throughout", 1)
        for level in (nested, *nested.values(), *lowest):
            if len({str(key) for key in level}) < len(level):
                twice = Counter(map(str, level)).most_common(1)[0][0]
                raise self.origin.error(f"has two keys that are both written {twice!r}: rename one", 1)
        if not all(lowest):
            raise self.origin.error("has an empty dictionary: leave it out, or give null where there is no score", 1)
        return nested

    @property
    def named(self) -> bool:
        """Whether one level of the dictionaries names measures."""
        return any(self._nesting(None).measures)

    def measures(self) -> Collection[str]:
        """The measures that have a number, in the order of the dictionary."""
        found = self._nesting(None)
        values = ((m, cell_number(value)) for m, value in zip(found.measures, found.values, strict=True))
        numeric = dict.fromkeys(m for m, value in values if value is not None and not np.isnan(value))
        return list(numeric) or list(dict.fromkeys(found.measures))

    def grid(self, measure: str) -> Grid:
        """The scores of one measure."""
        # "" is not a name: it stands for a measure without a name.
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
        """Decide which level holds measures: the level with the requested measure, or with known names of measures.

        Otherwise the last of three levels holds measures, after systems and topics. Two levels without measures are
        systems and topics, or topics and systems if the names say so.
        """
        pairs = [((str(a), str(b)), inner) for a, below in self.nested.items() for b, inner in below.items()]
        cells = [((*key, str(c)), v) for key, inner in pairs for c, v in inner.items()] if self.deep else pairs
        keys, values = [key for key, _ in cells], [value for _, value in cells]
        levels = [{key[k] for key in keys} for k in range(3 if self.deep else 2)]
        if not self.deep and (label := next(filter(_names_topics, sorted(levels[0] | levels[1])), None)):
            said = f"the key {label!r} names a column of topics, as in a frame converted to a dictionary"
            raise self.origin.error(f"{said}: give the frame itself", 1)
        known = [[vocabulary.looks_like_measure(name) for name in names] for names in levels]
        tests = ([measure in names for names in levels], list(map(any, known)), list(map(all, known)))
        place = next((test.index(True) for test in tests if test.count(True) == 1), 2 if self.deep else None)
        rest = [k for k in range(len(levels)) if k != place]
        topics = [
            all(vocabulary.looks_like_topic(name) or vocabulary.is_summary(name) for name in levels[k]) for k in rest
        ]
        if self.deep:
            wrapped = len(levels[0]) == 1 and next(iter(levels[0])).lower() in _WRAPPERS
            clear = not wrapped and topics != [True, False] and (place == 2 or topics == [False, True])
        elif place is None:
            axes = [vocabulary.axis_of(levels[k]) or ("topics" if topics[k] else "") for k in rest]
            clear = axes == ["topics", "systems"] or (axes[1] == "topics" and axes[0] != "topics")
            clear = clear and not any(tests[1])
            rest = rest[::-1] if axes == ["topics", "systems"] else rest
        else:
            clear = True
        if not clear:
            shown = "; ".join(listing(sorted(names), 3) for names in levels)
            rename = "; rename systems that have names like topics" if self.deep and topics[0] else ""
            way_out = f"name a measure, or nest them as {_SHAPE}{rename}"
            raise self.origin.error(f"cannot tell which of the levels ({shown}) holds what: {way_out}", 1)
        if place is None and measure is not None:
            raise self.no_measure(measure)
        *systems, topic = rest
        return Nesting(
            [key[systems[0]] for key in keys] if systems else None,
            [key[topic] for key in keys],
            ["" if place is None else key[place] for key in keys],
            values,
        )

    def _warn(self, found: Nesting) -> None:
        """Warn if a level may hold something other than what it was read as."""
        topics, measures = list(dict.fromkeys(found.topics)), list(dict.fromkeys(found.measures))
        nest = f"nest them as {_SHAPE}"
        if self.deep and not any(map(vocabulary.may_be_topic, topics)):
            systems = listing(dict.fromkeys(found.systems or ()), 5)
            said = f"read as systems: {systems}; read as topics: {listing(topics, 5)}"
            warn_of(self.origin, f"{said}; if it is the other way round, {nest}")
        unknown = [name for name in measures if name and not vocabulary.looks_like_measure(name)]
        if not self.deep and unknown and len(unknown) < len(measures):
            said = f"read as measures: {listing(measures, 5)}; if {listing(unknown, 5)} should be systems"
            warn_of(self.origin, f"{said}, {nest}")
        if not self.deep and any(measures) and set(topics) & set(map(str, self.nested)):
            warn_of_words(self.origin, topics)


def unwrapped(nested: Any) -> Any:
    """Return the value of the only key that holds nested scores, if other keys hold settings: {"x": ..., "seed": 7}.

    Return anything else unchanged.
    """
    if not isinstance(nested, Mapping):
        return nested
    inner = [value for value in nested.values() if isinstance(value, Mapping)]
    if len(inner) != 1 or not inner[0] or any(isinstance(value, list) for value in nested.values()):
        return nested
    levels = [b for b in inner[0].values() if isinstance(b, Mapping) and b]
    below = [c for b in levels for c in b.values()]
    deep = len(levels) == len(inner[0]) and all(isinstance(c, Mapping) and c for c in below)
    return inner[0] if deep else nested


def _names_topics(name: str) -> bool:
    return vocabulary.column_name(name) in vocabulary.TOPIC_COLUMNS


def is_ranx_report(content: Any) -> bool:
    """Recognise a report of ranx's `compare`, which has the mean of each model."""
    return isinstance(content, dict) and {"stat_test", "model_names", "metrics"} <= content.keys()


def refuse_ranx_report(source: Source, content: Any) -> Contents:
    """Say what a ranx report lacks, and what to write instead."""
    write = "after ranx.evaluate(qrels, run, metrics), write run.scores as JSON, one file for each run"
    raise source.error(f"is a ranx report, which has means but no scores on topics: {write}", 1)


def is_nested(content: Any) -> bool:
    """Recognise two or three levels of dictionaries with scores at the bottom, perhaps wrapped in one more key."""
    content = unwrapped(content)
    if not isinstance(content, dict) or not content:
        return False
    found = False
    for inner in content.values():
        if not isinstance(inner, dict) or not inner:
            return False
        for value in inner.values():
            bottom = value.values() if isinstance(value, dict) and value else [value]
            if not all(isinstance(v, int | float) or cell_number(v) is not None for v in bottom):
                return False
            found = found or any(v is not None for v in bottom)
    return found


def is_means(content: Any) -> bool:
    """Recognise a dictionary that maps each name to one number."""
    return isinstance(content, dict) and bool(content) and all(cell_number(v) is not None for v in content.values())


def read_means(source: Source, content: Any) -> Contents:
    """Read one score per system, {system: mean}; refuse names that do not look like systems."""
    names = list(content)
    other = [
        name
        for name in names
        if vocabulary.looks_like_measure(name) or vocabulary.names_fact(name) or vocabulary.is_summary(name)
    ]
    if other or len(names) < 2 or vocabulary.axis_of(names) != "systems":
        said = f"has one number for each of {listing(other or names, 5)}, which may not be systems"
        # Files of settings beside the scores look like this, too.
        raise source.other_kind(f"{said}: for one score per system, write CSV with the header system,score", 1)
    found = Contents(source, {"": Grid(np.array([[cell_number(v) for v in content.values()]], float), [MEAN], names)})
    found.reading = "one score per system"
    return found


def rows_of_frame(content: Any) -> list[dict[str, Any]] | None:
    """Return the rows of a frame that pandas wrote as JSON, with the index first; None for anything else.

    The orient may be split, table, columns or index.
    """
    if not isinstance(content, dict) or not content:
        return None
    data, names = content.get("data"), content.get("columns")
    if isinstance(data, list) and "schema" in content and all(isinstance(row, dict) for row in data):
        index = [str(row.get("index", "")) for row in data]
        return [{k: v for k, v in row.items() if k != "index"} for row in data] if vocabulary.counts(index) else data
    if isinstance(data, list) and isinstance(names, list):
        rows = [dict(zip(map(str, names), row, strict=True)) for row in data if isinstance(row, list)]
        return _with_index(list(map(str, content.get("index", range(len(rows))))), rows)
    inner = list(content.values())
    if not all(isinstance(part, dict) and part and part.keys() == inner[0].keys() for part in inner):
        return None
    by_column = {key: [content[name][key] for name in content] for key in inner[0]}
    if any(_are_labels(name, list(content[name].values())) for name in content):
        return _with_index(list(by_column), [dict(zip(content, cells, strict=True)) for cells in by_column.values()])
    return _with_index(list(content), inner) if any(map(_are_labels, by_column, by_column.values())) else None


def _are_labels(name: str, cells: Iterable[Any]) -> bool:
    """Tell whether the name of a column says that it holds topics or systems. Systems must also be words."""
    return vocabulary.names_topics(name) or (
        vocabulary.names_systems(name) and all(isinstance(cell, str) for cell in cells)
    )


def _with_index(index: list[str], rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return rows if vocabulary.counts(index) else [{"": label, **row} for label, row in zip(index, rows, strict=True)]
