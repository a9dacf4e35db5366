"""The contents of a file, frame or dictionary: a matrix of scores per measure. This module also joins contents."""

from __future__ import annotations

import difflib
import itertools
import shlex
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from ...arrays import FloatArray
from ...data.means import are_invented, chosen, invent_topics, says_which
from ...data.runs import run_means
from ...errors import MOST, ConcordantError, argument, counted, listing, warn
from . import layout, vocabulary
from .layout import Cells, Given, Layout, Origin, Roles, warn_of
from .vocabulary import SUMMARY, is_summary, well_known

MEAN = "\0mean"  # the label of the single row if each system has only one score; no topic has this name


@dataclass(frozen=True)
class Grid:
    """Scores of one measure, topics x systems, nan if missing. If the topics are unknown, the only row is `MEAN`.

    Repeated scores are topics x systems x runs. `systems` is None for a single run that the table does not name.
    `percent` tells whether the file writes the scores with a percent sign.
    """

    scores: FloatArray
    topics: list[str]
    systems: list[str] | None = None
    percent: bool = False

    @property
    def values(self) -> FloatArray:
        """The scores as topics x systems, averaged over runs."""
        return run_means(self.scores) if self.scores.ndim == 3 else self.scores

    @property
    def names(self) -> list[str]:
        """The systems; empty for a single run that the table does not name."""
        return self.systems or []

    def labels(self, axis: str) -> list[str]:
        """Return the labels of one axis: the topics or the systems."""
        return self.topics if axis == "topics" else self.names

    def take(self, rows: Sequence[int] | None = None, columns: Sequence[int] | None = None) -> Grid:
        """Select topics (`rows`) and systems (`columns`) by index."""
        scores, topics, systems = self.scores, self.topics, self.systems
        if rows is not None:
            scores, topics = scores[rows], [topics[k] for k in rows]
        if columns is not None:
            scores, systems = scores[:, columns], [self.names[k] for k in columns]
        return replace(self, scores=scores, topics=topics, systems=systems)

    @classmethod
    def of_runs(cls, scores: Mapping[tuple[str, Any], float], topics: Iterable[str] = ()) -> Grid:
        """Make the grid of one system from its scores by topic and run; `topics` may add topics without scores."""
        row = {topic: k for k, topic in enumerate(dict.fromkeys([*(topic for topic, _ in scores), *topics]))}
        layer = {run: k for k, run in enumerate(dict.fromkeys(run for _, run in scores))}
        runs = np.full((len(row), 1, len(layer)), np.nan)
        for (topic, run), score in scores.items():
            runs[row[topic], 0, layer[run]] = score
        return cls(_flat(runs), list(row))


def _flat(runs: FloatArray) -> FloatArray:
    """Drop the axis of runs if there is only one run."""
    return runs if runs.shape[2] > 1 else run_means(runs)


def pivot(  # noqa: PLR0917
    origin: Origin,
    topics: Sequence[str],
    systems: Sequence[str] | None,
    values: FloatArray,
    twice: Callable[[int, int], ConcordantError],
    percent: bool = False,
    runs: Sequence[str] | None = None,
    quiet: bool = False,
) -> Grid:
    """Arrange scores as topics x systems, in the order of first appearance, without summary rows.

    `runs` distinguishes repeated scores; `without_summaries` explains `quiet`. `twice(first, again)` makes the error
    if rows `first` and `again` both give a score for the same cell.
    """
    places, names = np.zeros(len(values), np.intp), []
    for labels in (topics, systems, runs):
        code = {label: k for k, label in enumerate(dict.fromkeys(labels or ("",)))}
        names.append(list(code))
        places *= len(code)
        places += np.fromiter(map(code.__getitem__, labels), np.intp, len(values)) if labels else 0
    found = np.full(tuple(map(len, names)), np.nan)
    found.ravel()[places] = values
    count = np.arange(len(values))
    first = np.empty(found.size, np.intp)
    first[places[::-1]] = count[::-1]  # reversed, so that the first of several equal places stays
    again = np.flatnonzero(first[places] < count)
    if len(again):
        raise twice(int(first[places[again[0]]]), int(again[0]))
    grid = Grid(_flat(found), names[0], None if systems is None else names[1], percent)
    return without_summaries(origin, grid, quiet=quiet)


def join(grids: Sequence[Grid], names: Sequence[str], twice: Callable[[int, str, str], ConcordantError]) -> Grid:
    """Join the scores of several files in one matrix; `names` are the systems of the files with a single run.

    `twice(k, system, topic)` makes the error if a score in file k also occurs in an earlier file.
    """
    if len(grids) == 1:
        return replace(grids[0], systems=grids[0].systems or [names[0]], percent=False)
    systems = [grid.systems or [name] for grid, name in zip(grids, names, strict=True)]
    row, column = (
        {label: k for k, label in enumerate(dict.fromkeys(itertools.chain.from_iterable(lists)))}
        for lists in ([grid.topics for grid in grids], systems)
    )
    runs = [grid.scores.reshape(*grid.scores.shape[:2], -1) for grid in grids]
    together = np.full((len(row), len(column), max(own.shape[2] for own in runs)), np.nan)
    for k, (grid, own) in enumerate(zip(grids, runs, strict=True)):
        places = np.ix_([row[t] for t in grid.topics], [column[s] for s in systems[k]])
        part = together[places]  # indexing makes a copy
        clash = np.argwhere(~(np.isnan(part).all(axis=2) | np.isnan(own).all(axis=2)))
        if len(clash):
            topic, system = clash[0]
            raise twice(k, systems[k][system], grid.topics[topic])
        before = part[:, :, : own.shape[2]]
        before[:] = np.where(np.isnan(own), before, own)
        together[places] = part
    return Grid(_flat(together), list(row), list(column))


def without_summaries(origin: Origin, grid: Grid, lines: str = "rows", *, quiet: bool = False) -> Grid:
    """Leave out summary rows; raise an error if there are no other rows.

    Warn about the rows that are left out, except a row with a name such as `mean` that holds the mean of the others.
    With `quiet`, a row with such a name never causes a warning, whatever it holds.
    """
    keep = [k for k, topic in enumerate(grid.topics) if not is_summary(topic)]
    if len(keep) == len(grid.topics):
        return grid
    values = grid.values
    left = [(topic, values[k]) for k, topic in enumerate(grid.topics) if is_summary(topic)]
    known = [t for t, row in left if t.lower() in SUMMARY and (quiet or not keep or _is_mean(row, values[keep]))]
    warn_of_summaries(origin, [topic for topic, _ in left if topic not in known], lines)
    if not keep:
        rows = f"holds only summary rows ({listing(grid.topics)}), no scores on topics"
        raise origin.error(f"{rows}: give a row for each topic (trec_eval -q, ir_measures -q)")
    return grid.take(keep)


def warn_of_summaries(origin: Origin, left: Iterable[str], lines: str = "rows") -> None:
    """Warn about the rows that are left out as summaries."""
    if left := dict.fromkeys(left):
        said = f"left out, because {lines} with such names summarise topics: {listing(left)}"
        warn_of(origin, f"{said}; rename them if they are topics")


def warn_of_lost(origin: Origin, measure: str, topics: Iterable[str], kept: Iterable[str]) -> None:
    """Warn about topics that have scores, but none for the measure that is read."""
    if lost := {topic for topic in set(topics) - set(kept) if not is_summary(topic)}:
        warn_of(origin, f"topics without {measure!r} left out: {listing(sorted(lost))}")


class Contents:
    """The scores from one origin. A format passes a grid for each measure, or overrides `measures` and `grid`."""

    # Possible names of a single run, the best first. If a run in another file has the same name, the next one is used.
    names: tuple[str, ...] = ()
    # Files with the same value are parts of one run, such as the tasks of a model. No other files may share a run name.
    part_of: str = ""
    # The measure to read if the caller requests none.
    default: str | None = None
    # Whether the file summarises scores of other files. Summaries are read only if no file has scores on topics.
    summary: bool = False
    # For each measure and topic, whether lower is better, if the file states a direction.
    lower: Mapping[str, Mapping[str, bool]] = MappingProxyType({})
    # The name of the column of scores, if the table names no measure.
    column: str = ""
    # Whether the file is one of many files of a run. Its topics may lack some measures.
    partial: bool = False
    # The group of each topic, if the format has groups.
    groups: Mapping[str, str] = MappingProxyType({})
    # Whether the contents come from a table with named columns.
    is_table: bool = False
    # The names of all columns and rows, including those that the caller left out.
    seen: Sequence[str] = ()
    # The end of an error message: how to read the columns as topics instead of measures, if both are possible.
    otherwise: str = ""
    # How many topics the means in the file are averaged over, if the file says so.
    averaged: str = ""
    # The format, and the meaning of rows and columns, as `look` shows them.
    format: str = "scores"
    reading: str = "systems, topics and scores as the format defines them"

    def __init__(self, origin: Origin, grids: Mapping[str, Grid] | None = None) -> None:
        self.origin = origin
        self.grids = dict(grids or {})
        self.part_of = origin.label

    @property
    def named(self) -> bool:
        """Whether the contents name their measures."""
        return "" not in self.grids

    def measures(self) -> Collection[str]:
        """The measures that have scores."""
        return self.grids

    def grid(self, measure: str) -> Grid:
        """Return the scores of one measure. The error for an unknown measure lists the available ones."""
        if measure not in self.grids:
            raise self.no_measure(measure)
        found = self.grids[measure]
        topics = (topic for grid in self.grids.values() for topic in grid.topics)
        warn_of_lost(self.origin, measure, topics, found.topics)
        return found

    def errors(self, measure: str) -> tuple[Mapping[str, float], Sequence[str]]:
        """Return standard errors by system, and the columns of limits they are computed from; both may be empty."""
        return {}, ()

    def no_measure(self, asked: str) -> ConcordantError:
        """Make the error for an unknown measure. Suggest another spelling or the nearest names, and list all names."""
        if not self.named:
            return self.origin.error(f"names no measures, so measure {asked!r} cannot be found: leave the measure out")
        available = self.measures()
        same = [name for name in available if vocabulary.spelling(name) == vocabulary.spelling(asked)]
        near = same or difflib.get_close_matches(asked, available, n=3, cutoff=0.6)
        hint = f"did you mean {' or '.join(map(repr, near))}? Available" if near else "available"
        return self.origin.error(f"there is no measure {asked!r}; {hint}: {_listed(available, self.origin)}")


NO_SCORES = "has no column of scores: give topics x systems, or system, topic and value"


def refuse_twice(cells: Cells, labels: Sequence[str], what: str) -> None:
    """Refuse labels that occur in two rows."""
    seen: dict[str, int] = {}
    for row, label in enumerate(labels):
        if seen.setdefault(label, row) != row:
            hint = f"give each row its own {what}"
            if what == "system":
                left_out, topics = argument("systems", ["!" + label]), argument("topic_column")
                hint = f"rename one, or leave both out with {left_out}; or pass {topics} if a column holds topics"
            raise cells.error(f"{what} {label!r} already has a row{cells.at(seen[label])}: {hint}", row)


def chosen_rows(cells: Cells, labels: list[str], wanted: Sequence[str] | None) -> tuple[Cells, list[str]]:
    """Keep only the rows that the caller chose, so that errors in other rows do no harm.

    Keep all rows if the choice matches none of them. The choice is checked later, when all files are joined.
    """
    names = list(dict.fromkeys(labels))
    kept = {names[k] for k in chosen(wanted, names)}
    rows = [k for k, label in enumerate(labels) if label in kept]
    return (cells, labels) if len(rows) in (0, len(labels)) else (cells.take(rows), [labels[k] for k in rows])


def matrix(
    cells: Cells, label: int | None, columns: list[int], roles: Roles, runs: Sequence[str] | None = None
) -> Contents:
    """Read a matrix, topics x systems; with `runs`, each row is one run of a topic. A matrix names no measure."""
    if not columns:
        raise cells.error(NO_SCORES)
    down = invent_topics(len(cells)) if label is None else cells.labels(label, "topic")
    name = "" if label is None else cells.names[label]
    if vocabulary.column_name(name) in vocabulary.ROW_NUMBERS and vocabulary.counts(down):  # written by pandas and R
        down = invent_topics(len(cells))
    layout.refuse_measures_as_rows(cells, down, vocabulary.names_topics(name))
    columns = layout.score_columns(cells, columns, "systems", roles.systems)
    across, seen = [cells.names[k] for k in columns], [*cells.names, *down]
    if runs is None:
        cells, down = chosen_rows(cells, down, roles.topics)
        values = cells.matrix(columns)
        refuse_twice(cells, down, "topic")
        grid = without_summaries(cells.origin, Grid(values, down, across, cells.in_percent(columns)))
    else:
        m = len(across)

        def twice(first: int, again: int) -> ConcordantError:
            return cells.error(f"run {runs[again // m]!r} of topic {down[again // m]!r} occurs twice", again // m)

        topics, layers = ([name for name in names for _ in across] for names in (down, runs))
        values, percent = cells.matrix(columns).ravel(), cells.in_percent(columns)
        grid = pivot(cells.origin, topics, across * len(down), values, twice, percent, layers)
    made = Contents(cells.origin, {"": grid})
    made.is_table, made.format, made.seen = True, "matrix", seen
    made.reading = "rows are topics, columns are systems"
    return made


class Long(Contents):
    """A long table: a column names the measure of each row, each measure has a column, or the measure has no name."""

    is_table = True
    format = "long table"

    def __init__(self, cells: Cells, layout: Layout, roles: Roles, runs: Sequence[str] | None = None) -> None:
        super().__init__(cells.origin)
        self.cells, self.layout, self.roles, self.seen, self.runs = cells, layout, roles, cells.names, runs
        parts = {"system": layout.system, "topic": layout.topic, "measure": layout.measure}
        known = {what: k for what, k in parts.items() if k is not None}
        named = [f"{what}s in {cells.names[k]!r}" for what, k in known.items()]
        self.reading = f"one row per score: {', '.join(named)}"
        self.labels = {what: cells.labels(k, what) for what, k in known.items()}
        if not self.named:
            assert layout.value is not None
            self.column = cells.names[layout.value]
            self._scores = self._pivoted(layout.value)

    @property
    def named(self) -> bool:
        """Whether a column names measures, or each column of scores is a measure."""
        return self.layout.value is None or self.layout.measure is not None

    def measures(self) -> Collection[str]:
        """The measures, in the order of the table."""
        if self.layout.measure is not None:
            return list(dict.fromkeys(self.labels["measure"]))
        return [self.cells.names[k] for k in self.layout.others if self.cells.has_numbers(k)]

    def grid(self, measure: str) -> Grid:
        """Return the scores of one measure.

        If the table names no measures, return its column of scores or, by name, another column.
        """
        column = self.layout.value
        if self.layout.measure is not None:
            rows = [k for k, name in enumerate(self.labels["measure"]) if name == measure]
            if column is None or not rows:
                raise self.no_measure(measure)
            found = self._pivoted(column, rows)
            warn_of_lost(self.origin, measure, self.labels["topic"], found.topics)
            return found
        other = next((k for k in self.layout.others if self.cells.names[k] == measure), None)
        if other is not None:
            return self._pivoted(other)
        if measure and (self.named or self.cells.names[self.layout.value or 0] != measure):
            raise self.no_measure(measure)
        return self._scores

    def _pivoted(self, column: int, rows: Sequence[int] | None = None) -> Grid:
        cells = self.cells if rows is None else self.cells.take(rows)
        labels = {what: names if rows is None else [names[k] for k in rows] for what, names in self.labels.items()}
        topics, systems = labels["topic"], labels.get("system")
        runs = self.runs if rows is None or self.runs is None else [self.runs[k] for k in rows]

        def twice(first: int, again: int) -> ConcordantError:
            extra = [cells.names[k] for k in self.layout.others] if self.layout.value is not None else []
            hint = f"keep one value of {listing(extra)}" if extra else "keep one"
            if self.runs is None:
                hint += f", or pass {argument('run_column')} if a column numbers repeated runs"
            system = "the run" if systems is None else f"system {systems[again]!r}"
            what = f"a score on topic {topics[again]!r}"
            return cells.error(f"{system} already has {what}{cells.at(first)}: {hint}", again)

        asked: Collection[int] = range(len(cells))  # errors in other rows do no harm
        for what, wanted in (("topic", self.roles.topics), ("system", self.roles.systems)):
            if wanted is not None and what in labels:
                names = list(dict.fromkeys(labels[what]))
                kept = {names[k] for k in chosen(wanted, names)}
                asked = [k for k in asked if labels[what][k] in kept]
        values = cells.numbers(column, asked)
        by_tool = self.layout.measure is not None  # ir_measures and trec_eval add rows of means
        return pivot(self.origin, topics, systems, values, twice, cells.in_percent([column]), runs, quiet=by_tool)


def warn_of_words(origin: Origin, topics: Iterable[str]) -> None:
    """Warn if the topics of a run without a name may be systems, so that the scores would be their means."""
    topics = list(dict.fromkeys(topics))
    if topics and not any(map(vocabulary.may_be_topic, topics)):
        means = "if they are systems, their scores are means, and scores on each topic are needed"
        warn_of(origin, f"read as topics of one run: {listing(topics, 5)}; {means}")


# Several files --------------------------------------------------------------------------------------------------------


def joined(found: Sequence[Contents], measure: str | None, systems: Sequence[str] | None = None) -> tuple[Grid, str]:
    """Join the scores of one measure from all files. Refuse columns of means unless `systems` says what to read."""
    asked = _choose(found, measure)
    found = _with_measure(found, asked)
    grids = [contents.grid(asked) for contents in found]
    _refuse_unequal_counts(found, grids)
    _refuse_percent_beside_none(found, grids)
    if not says_which(systems):
        _refuse_summaries(found, grids, systems)
    names = _names(found, grids)

    def twice(k: int, system: str, topic: str) -> ConcordantError:
        both = (j for j in range(k) if topic in grids[j].topics and system in (grids[j].systems or [names[j]]))
        way_out = "name the runs: read_scores({name: path})" if grids[k].systems is None else "rename it in one file"
        score = "a score" if topic == MEAN else f"a score on topic {topic!r}"
        before = found[next(both)].origin.label
        said = f"system {system!r} already has {score} from {before}: read the files one by one, or {way_out}"
        return found[k].origin.error(said)

    return join(grids, names, twice), asked


_LIKELY, _POSSIBLE = 1e-4, 3e-3
"""Limits of the chance that a row holds means by coincidence.

Below the first limit, the row is left out with a warning. Between the limits, the row is refused with an
error. Above the second limit, it is read like any other row.
"""


def _with_measure(found: Sequence[Contents], measure: str) -> Sequence[Contents]:
    """Leave out files that hold only a part of a run and lack the measure, if another file has the measure."""
    lacking = [contents for contents in found if contents.partial and measure not in contents.measures()]
    if not lacking or len(lacking) == len(found):
        return found
    labels = (contents.origin.label for contents in lacking)
    warn(f"{counted(len(lacking), 'file')} without {measure!r} left out: {listing(labels, 3)}")
    left = set(map(id, lacking))
    return [contents for contents in found if id(contents) not in left]


def _choose(found: Sequence[Contents], measure: str | None) -> str:
    """Choose the measure to read. If the caller requests a measure, each file looks it up itself."""
    if measure is not None:
        return measure
    named = [contents for contents in found if contents.named]
    if not named:
        return ""
    available = dict.fromkeys(name for contents in named for name in contents.measures())
    default = named[0].default if len({contents.default for contents in named}) == 1 else None
    if default in available or len(available) == 1:
        return default if default in available else next(iter(available))
    if not available:
        raise named[0].origin.error("holds no measure with a number for each topic")
    which = f"choose one with {argument('measure')}: {_listed(available, named[0].origin)}{named[0].otherwise}"
    raise named[0].origin.error(f"there are {len(available)} measures; {which}")


def _listed(measures: Collection[str], origin: Origin) -> str:
    """List the measures. If there are many, list only common ones and give the command that shows all measures."""
    if len(measures) <= MOST:
        return listing(measures)
    first = well_known(measures)
    shown = listing(dict.fromkeys([*first, *measures]), min(len(first), MOST) if len(first) > 2 else MOST)
    every = "" if isinstance(origin, Given) else f" (`concordant look {shlex.quote(origin.label)}` lists all)"
    return f"{shown}{every}"


def _names(found: Sequence[Contents], grids: Sequence[Grid]) -> list[str]:
    """Name the system of each file with a single run; "" for files that name their systems themselves.

    If runs of different origins have the same name, because some tools give every run the same tag, use the names of
    the files.
    """
    single = [k for k, grid in enumerate(grids) if grid.systems is None]
    names = [""] * len(found)
    for k in single:
        names[k] = found[k].names[0] if found[k].names else "run"
    clashing = _clashes(found, names, single)
    if renamed := [k for k in single if names[k] in clashing and len(found[k].names) > 1]:
        old = listing(sorted({names[k] for k in renamed}))
        for k in renamed:
            names[k] = found[k].names[1]
        new = listing(names[k] for k in renamed)
        warn(f"several files hold a run named {old}, so these are named by their files: {new}")
    for name in _clashes(found, names, single):
        files = [found[k].origin for k in single if names[k] == name]
        all_of_them = f"these files all hold a run named {name!r}: {listing(origin.label for origin in files)}"
        raise files[1].error(f"{all_of_them}. Name them: read_scores({{name: path}})")
    return names


def _clashes(found: Sequence[Contents], names: list[str], single: list[int]) -> set[str]:
    """Find names of runs that occur in more than one origin."""
    pairs = Counter(name for name, _ in {(names[k], found[k].part_of) for k in single})
    return {name for name, count in pairs.items() if count > 1}


def _refuse_unequal_counts(found: Sequence[Contents], grids: Sequence[Grid]) -> None:
    """Refuse files without topic names if their numbers of rows differ, because such files are joined row by row."""
    counts = {k: len(grid.topics) for k, grid in enumerate(grids) if are_invented(grid.topics)}
    known = {contents.averaged: contents.origin for contents in found if contents.averaged}
    if len(known) > 1:
        (one, origin), (other, beside), *_ = known.items()
        means = f"has means over {one} topics, and {beside.label} over {other}"
        raise origin.error(f"{means}: write the scores on each topic, with -q")
    first = next(iter(counts), 0)
    for k, count in counts.items():
        if count != counts[first]:
            rows = f"has {count} rows without topic names, but {found[first].origin.label} has {counts[first]}"
            raise found[k].origin.error(f"{rows}: add a column named topic to each file")


def _refuse_percent_beside_none(found: Sequence[Contents], grids: Sequence[Grid]) -> None:
    """Refuse to join scores that have a percent sign with scores that have none."""
    signed = [contents.origin for contents, grid in zip(found, grids, strict=True) if grid.percent]
    if 0 < len(signed) < len(grids):
        plain = next(contents.origin.label for contents, grid in zip(found, grids, strict=True) if not grid.percent)
        said = f"has scores with a percent sign, but {plain} has none"
        raise signed[0].error(f"{said}. Write all of these scores with the sign, or all without it, in the same unit.")


def _refuse_summaries(found: Sequence[Contents], grids: Sequence[Grid], wanted: Sequence[str] | None) -> None:
    """Refuse a column of means, which would count as one more system."""
    for contents, grid in zip(found, grids, strict=True):
        systems = grid.systems or []
        names = vocabulary.summaries_among([systems[k] for k in chosen(wanted, systems)])
        if names:
            left, every = argument("systems", [f"!{name}" for name in names]), argument("systems", ["*"])
            said = f"a system is named {names[0]!r}, like a summary of systems"
            raise contents.origin.error(f"{said}: leave it out with {left}, or keep it with {every}")


def without_means(grid: Grid, axis: str, origin: Origin) -> Grid:
    """Leave out the first or last row if it holds the mean of all other rows in every column, whatever its name.

    The means may be rounded to fewer decimals. If there are so few columns or decimals that the row may hold the means
    by coincidence, raise an error. With the axis "systems", columns are checked instead of rows.
    """
    values, labels = grid.values if axis == "topics" else grid.values.T, grid.labels(axis)
    n = len(values)
    line, what = ("row", "column") if axis == "topics" else ("column", "row")
    for place in (n - 1, 0) if n > 3 else ():
        others = [k for k in range(n) if k != place]
        chance = _chance_of_means(values[place, :50], values[:, :50][others], axis == "systems")
        if chance >= _POSSIBLE:
            continue
        what_it_is = f"the mean of the other {line}s in every {what}"
        if chance >= _LIKELY:
            left, every = argument(axis, [f"!{labels[place]}"]), argument(axis, ["*"])
            said = f"{line} {labels[place]!r} is {what_it_is}"
            raise origin.error(f"{said}: leave it out with {left}, or read every {line} with {every}")
        warn_of(origin, f"left out, because it is {what_it_is}: {labels[place]}")
        return grid.take(others) if axis == "topics" else grid.take(columns=others)
    return grid


def _chance_of_means(row: FloatArray, others: FloatArray, apart: bool) -> float:
    """Estimate the chance that a row holds the rounded means of all other rows by coincidence.

    The chance is 1 if the row does not hold these means. For one column, it is the share of the range of scores that
    rounds to the mean or, if larger, the share of scores that round to it. The chances of
    different columns are multiplied.
    """
    if np.isnan(row).any() or np.isnan(others).all(axis=0).any():
        return 1.0
    means = np.nanmean(others, axis=0)
    written = others[:1000]
    rounding = _rounding(row, written, means)
    if (np.abs(means - row) > rounding).any():
        return 1.0
    spread = np.nanmax(others, axis=0) - np.nanmin(others, axis=0)
    near = (np.abs(others - means) <= rounding).mean(axis=0)
    shares = np.minimum(np.maximum(2 * rounding / np.where(spread > 0, spread, 1), near), 1)
    shares[spread == 0] = 1
    # Equal columns count once: they are a run that was given twice, or topics with the same differences of systems.
    _, different = np.unique(np.round(others - (row if apart else 0), 9), axis=1, return_index=True)
    return float(np.prod(shares[different]))


def _rounding(row: FloatArray, others: FloatArray, means: FloatArray) -> FloatArray:
    """Bound the rounding error: half a unit of the row, plus nearly half a unit of the scores if they are rounded."""
    found: FloatArray = 0.500001 * unit(row) + 0.49 * unit(others) + 1e-12 * np.abs(means)
    return found


def _is_mean(row: FloatArray, others: FloatArray) -> bool:
    """Tell whether a row holds the rounded means of all other rows, in every column where both have a value."""
    there = ~np.isnan(row) & ~np.isnan(others).all(axis=0)
    row, others = row[there], others[:, there]
    means = np.nanmean(others, axis=0)
    return bool((np.abs(means - row) <= _rounding(row, others, means)).all())


def unit(values: FloatArray) -> float:
    """Return one unit of the last decimal place of the numbers; 0 if they have more than 12 decimals."""
    there = values[~np.isnan(values)]
    return next((10.0**-d for d in range(13) if np.array_equal(np.round(there, d), there)), 0.0)
