"""What one file, frame or dictionary holds: its measures, and the scores of each as a matrix."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np

from ...arrays import FloatArray
from ...data.means import chosen, invent_topics, says_which
from ...errors import ConcordantError, argument, listing
from . import vocabulary
from .cells import (
    MEAN,
    Cells,
    Grid,
    Origin,
    cell_number,
    pivot,
    plain_number,
    warn_of,
    warn_of_lost,
    warn_of_summaries,
    without_summaries,
)
from .frames import frame_cells
from .layout import (
    Layout,
    Roles,
    has_row_labels,
    is_plausible,
    name_columns,
    number_rows,
    of_samples,
    orient,
    refuse_measures_as_rows,
    refuse_scores_as_names,
    run_columns,
    score_columns,
    warn_of_counters,
)

NO_ROLES = Roles()
_NO_SCORES = "has no column of scores: give topics x systems, or system, topic and value"
# The 95% limits that published boards print beside their scores, which give standard errors.
WIDTH = 3.92  # standard errors between the 95% limits of a normal distribution
_LOPSIDED = 3.0  # times as far from the score as the other limit: not an interval around the score
# What limits are called, alone or behind the name of their score: lower, score_lower, rating_q025, 95% CI upper.
_OWNER = r"(?:(?P<of>.+?)[\W_]+)??(?:95%?_*)?(?:ci_*)?"
_BEHIND = r"(?:_(?:95%?|ci|bound|limit))*\W*"
_LOWER = re.compile(rf"{_OWNER}(?:lower|low|lo|lcb|lb|q0?25|2_5%){_BEHIND}")
_UPPER = re.compile(rf"{_OWNER}(?:upper|high|hi|ucb|ub|q975|97_5%){_BEHIND}")
_BOTH = re.compile(r"(?:(?P<of>.+?)[\W_]+)??(?:95%?_*)?(?:ci|confidence_interval)(?:_*\(?95%?\)?)?")
_OTHER_LEVEL = re.compile(r".*(?<!\d)(?!95|97_5)\d\d(?:_\d+)?(?:%|_*ci).*|.*ci_*(?!95)\d\d.*")
_ALSO_TASKS = frozenset({"low", "lo", "high", "hi", "lb", "ub"})  # by themselves, as levels of effort or difficulty
# Both in one cell: (-1.88, +1.97), +4/-5, [77.3, 80.6].
_PAIR = re.compile(r"[(\[]?\s*([+−-]?[\d.]+)\s*[,;/]\s*([+−-]?[\d.]+)\s*[)\]]?")


class Contents:
    """The scores of one origin. A format gives the grids of its measures, or overrides `measures` and `grid`."""

    # Names of its one run, the best first; the next is used where another file claims the same.
    names: tuple[str, ...] = ()
    # Files of one origin are parts of one run (tasks of a model); others never share a name.
    part_of: str = ""
    # The measure to use when none is asked for.
    default: str | None = None
    # It holds what the topics of others are summarised to; it is used only when it is alone.
    summary: bool = False
    # By measure and topic, whether the file itself says that lower is better.
    lower: Mapping[str, Mapping[str, bool]] = MappingProxyType({})
    # The column of its scores, where it names no measure.
    column: str = ""
    # One of many files of a run, with topics that need not have every measure.
    partial: bool = False
    # The group of each topic, where the format says which belong together.
    groups: Mapping[str, str] = MappingProxyType({})
    # Whether it is a table with named columns.
    is_table: bool = False
    # Names of columns and rows, where some of them may have been left out as the caller chose.
    seen: Sequence[str] = ()
    # How scores of topics are read instead of a measure, where that is open.
    otherwise: str = ""
    # Of means, how many topics they average, where the file says so.
    averaged: str = ""
    # What `look` calls its format, and what rows and columns were read as.
    format: str = "scores"
    reading: str = "systems, topics and scores as the format has them"

    def __init__(self, origin: Origin, grids: Mapping[str, Grid] | None = None) -> None:
        self.origin = origin
        self.grids = dict(grids or {})
        self.part_of = origin.label

    @property
    def named(self) -> bool:
        """Whether it names its measures."""
        return "" not in self.grids

    def measures(self) -> Collection[str]:
        """The measures with scores of topics."""
        return self.grids

    def grid(self, measure: str) -> Grid:
        """The scores of one measure; where it is not there, the error lists those that are."""
        if measure not in self.grids:
            raise self.no_measure(measure)
        found = self.grids[measure]
        topics = (topic for grid in self.grids.values() for topic in grid.topics)
        warn_of_lost(self.origin, measure, topics, found.topics)
        return found

    def errors(self, measure: str) -> tuple[Mapping[str, float], Sequence[str]]:
        """The standard error of each system's score, where it has one score per system, and the columns of limits."""
        return {}, ()

    def no_measure(self, asked: str) -> ConcordantError:
        """The error for a measure that is not there: the same in another tool's spelling, the nearest, or all."""
        if not self.named:
            return self.origin.error(f"names no measures, so measure {asked!r} cannot be looked up: ask for none")
        available = self.measures()
        same = [name for name in available if vocabulary.spelling(name) == vocabulary.spelling(asked)]
        near = same or difflib.get_close_matches(asked, available, n=3, cutoff=0.6)
        there = f"there are: {listing(available, 12 if near else 200)}"
        hint = f"did you mean {' or '.join(map(repr, near))}? T{there[1:]}" if near else there
        return self.origin.error(f"there is no measure {asked!r}; {hint}")


def table_contents(cells: Cells, roles: Roles = NO_ROLES) -> Contents | None:
    """The scores of a table; None if its cells are not what its header promises."""
    cells = cells.without(_blank(cells))
    roles = of_samples(cells.names, roles)
    runs: list[str] | None = None
    if places := run_columns(cells, roles):
        runs = ["/".join(labels) for labels in zip(*(cells.labels(k, "run") for k in places), strict=True)]
        cells, roles = cells.without(places), roles._replace(run=None)
    layout = name_columns(cells.names, roles)
    if isinstance(layout, str):
        raise cells.error(layout)
    if runs is not None and (layout.kind not in ("long", "matrix") or layout.topic is None):
        raise cells.error("has a column of runs, but no column of topics: repeated runs need a row per topic and run")
    if not is_plausible(layout, [cell_number(cell) for cell in cells.first_row()]):
        return None
    if runs is None:
        warn_of_counters(cells, layout)
    if layout.kind == "matrix":
        return _matrix(cells, layout.topic, list(layout.others), roles, runs)
    if layout.kind == "rows":
        columns = sorted(k for k in {layout.value, *layout.others} if k is not None)
        return _Rows(cells, layout.system, columns, True, roles)
    if layout.kind == "unnamed":
        return _unnamed(cells, list(layout.others), roles)
    if layout.system is None and layout.value is None and layout.topic is not None and runs is None:
        refuse_measures_as_rows(cells, [str(cell) for cell in cells.values(layout.topic)], True)
    if layout.value is None and layout.system is not None and runs is None:
        refuse_scores_as_names(cells, layout.system, layout.topic)
    return _Long(cells, layout, roles, runs)


def _blank(cells: Cells) -> list[int]:
    """Columns without a name and without a cell, as spreadsheets write behind a table."""
    unnamed = (k for k, name in enumerate(cells.names) if k and (not name or name.startswith("Unnamed: ")))
    return [k for k in unnamed if not cells.words(k) and np.isnan(cells.numbers(k)).all()]


def frame_contents(frame: Any, origin: Origin, roles: Roles = NO_ROLES) -> Contents:
    """The scores of a frame."""
    cells = frame_cells(frame, origin)
    found = table_contents(cells, roles) if len(cells) else None
    if found is None:
        raise cells.error("has no scores: give topics x systems, or columns of systems, topics and scores")
    return found


def _unnamed(cells: Cells, columns: list[int], roles: Roles) -> Contents:
    """A table whose header names neither topics nor systems."""
    label = columns.pop(0) if columns[:1] == [0] and has_row_labels(cells, roles) else None
    measures = [cells.names[k] for k in columns if vocabulary.looks_like_measure(cells.names[k].strip())]
    rows = None if label is None else cells.labels(label, "row")
    named = roles.name_systems([cells.names[k] for k in columns])
    if not named:
        _refuse_long(cells, rows, columns)
    if measures and (rows is None or vocabulary.axis_of(rows) == "topics") and not named:
        if rows is not None and len(measures) == len(columns):
            return _Long(cells, Layout("long", None, label, None, None, tuple(columns)), roles)
        others = [cells.names[k] for k in columns if cells.names[k] not in measures]
        beside = "none named topic" if rows is None else f"others ({listing(others, 5)})"
        every = argument("systems", [cells.names[k] for k in columns])
        raise cells.error(
            f"has columns named as measures ({listing(measures, 5)}) and {beside}: for the scores of one system, add a "
            f"column named topic and keep only measures; if all are systems, say {every}"
        )
    return _Rows(cells, label, columns, False, roles)


def _refuse_long(cells: Cells, rows: Sequence[str] | None, columns: Sequence[int]) -> None:
    """Refuse a table of one row per score whose columns have names that say nothing."""
    found = None
    if rows is not None and len(set(rows)) < len(rows) and len(columns) > 1:
        found = f"several rows start with {Counter(rows).most_common(1)[0][0]!r}"
    elif rows is None and (words := [cells.names[k] for k in columns if not cells.has_numbers(k)]):
        found = f"column {words[0]!r} holds words, and no column is named topic or system"
    elif rows is None and _is_grid(cells, columns):
        found = "two columns may be the topic and the system of each row"
    if found is not None:
        roles = " and ".join(argument(f"{role}_column") for role in ("topic", "system", "score"))
        every = argument("systems", [cells.names[k] for k in columns])
        raise cells.error(f"{found}: for one row per score, say {roles}; if each column is a system, say {every}")


def _is_grid(cells: Cells, columns: Sequence[int]) -> bool:
    """Whether the first two of three columns are whole numbers of which every pair comes once."""
    if len(columns) != 3 or len(cells) < 4:
        return False
    pairs = cells.matrix(columns[:2])
    counts = [len(np.unique(pairs[:, k])) for k in (0, 1)]
    whole = not np.isnan(pairs).any() and not (pairs % 1).any()
    return whole and min(counts) > 1 and len(np.unique(pairs, axis=0)) == len(pairs) == counts[0] * counts[1]


def _refuse_twice(cells: Cells, labels: Sequence[str], what: str) -> None:
    """Refuse a label that two rows have."""
    seen: dict[str, int] = {}
    for row, label in enumerate(labels):
        if seen.setdefault(label, row) != row:
            hint = "each row needs its own"
            if what == "system":
                left_out, topics = argument("systems", ["!" + label]), argument("topic_column")
                hint = f"rename one, or leave both out with {left_out}; or say {topics} if a column holds topics"
            raise cells.error(f"{what} {label!r} was given{cells.at(seen[label])} already: {hint}", row)


def _chosen_rows(cells: Cells, labels: list[str], wanted: Sequence[str] | None) -> tuple[Cells, list[str]]:
    """The rows that the caller chose, so that others may hold anything; all where that is decided later."""
    names = list(dict.fromkeys(labels))
    kept = {names[k] for k in chosen(wanted, names)}
    rows = [k for k, label in enumerate(labels) if label in kept]
    return (cells, labels) if len(rows) in (0, len(labels)) else (cells.take(rows), [labels[k] for k in rows])


def _matrix(
    cells: Cells, label: int | None, columns: list[int], roles: Roles, runs: Sequence[str] | None = None
) -> Contents:
    """A matrix, topics x systems; with `runs`, a row for each topic and run. It does not name its measure."""
    if not columns:
        raise cells.error(_NO_SCORES)
    down = invent_topics(len(cells)) if label is None else cells.labels(label, "topic")
    name = "" if label is None else cells.names[label]
    if number_rows(name, down):
        down = invent_topics(len(cells))
    refuse_measures_as_rows(cells, down, vocabulary.names_topics(name))
    columns = score_columns(cells, columns, "systems", roles.systems)
    across, seen = [cells.names[k] for k in columns], [*cells.names, *down]
    if runs is None:
        cells, down = _chosen_rows(cells, down, roles.topics)
        values = cells.matrix(columns)
        _refuse_twice(cells, down, "topic")
        grid = without_summaries(cells.origin, Grid(values, down, across, cells.in_percent(columns)))
    else:
        m = len(across)

        def twice(first: int, again: int) -> ConcordantError:
            return cells.error(f"run {runs[again // m]!r} of topic {down[again // m]!r} was given already", again // m)

        topics, layers = ([name for name in names for _ in across] for names in (down, runs))
        values, percent = cells.matrix(columns).ravel(), cells.in_percent(columns)
        grid = pivot(cells.origin, topics, across * len(down), values, twice, percent, layers)
    made = Contents(cells.origin, {"": grid})
    made.is_table, made.format, made.seen = True, "matrix", seen
    made.reading = "rows are topics, columns are systems"
    return made


class _Rows(Contents):
    """One row per system with a column for each measure, or for each topic; or a matrix that names nothing.

    A column that is asked for is one score per system. Where none is, the names of rows and columns have to tell.
    """

    is_table = True
    reading = "rows are systems, columns are measures: one score per system"

    def __init__(self, cells: Cells, label: int | None, columns: list[int], are_systems: bool, roles: Roles) -> None:
        super().__init__(cells.origin)
        if not columns:
            raise cells.error(_NO_SCORES)
        self.are_systems, self.roles, self.columns = are_systems, roles, columns
        labels = invent_topics(len(cells)) if label is None else cells.labels(label, "system")
        if are_systems and label is not None:
            refuse_scores_as_names(cells, label, None)
            self.seen = [*cells.names, *labels]
            cells, labels = _chosen_rows(cells, labels, roles.systems)
        self.cells, self.label, self.labels = cells, label, labels
        self.limits = {} if label is None else _limits(cells, columns, roles.score)
        self.seen = self.seen or cells.names  # where no rows were chosen
        self.default = cells.names[next(iter(self.limits))] if len(self.limits) == 1 else None
        self.format = "leaderboard" if self.named else "matrix"
        self.otherwise = f"; if the columns are topics, choose those with {argument('topics')}"
        if are_systems or self.named:
            _refuse_twice(cells, self.labels, "system")

    @cached_property
    def named(self) -> bool:
        """Whether its columns are measures: the only one, or among words, known measures or numbers of another size."""
        names = [self.cells.names[k] for k in self.columns]
        if (says_which(self.roles.topics) and chosen(self.roles.topics, names)) or self.roles.name_systems(names):
            return False
        if self.roles.score is not None or (
            self.are_systems and len(names) == 1 and not vocabulary.looks_like_topic(names[0])
        ):
            return True
        if self.label is None or (not self.are_systems and vocabulary.axis_of(self.labels) == "topics"):
            return False
        if self.limits or self._is_leaderboard() or any(vocabulary.looks_like_measure(name.strip()) for name in names):
            return True
        return self.are_systems and vocabulary.axis_of(names) != "topics" and self._of_several_sizes()

    def _is_leaderboard(self) -> bool:
        """Whether there are words or counts, errors and rates beside scores."""
        words = not all(map(self.cells.has_numbers, self.columns))
        return words or any(vocabulary.is_statistic(self.cells.names[k]) for k in self.columns)

    def _of_several_sizes(self) -> bool:
        sizes = [np.nanmax(np.abs(self.cells.numbers(k)), initial=0.0) for k in self.columns]
        return bool(max(sizes) > 20 * min(sizes))

    def measures(self) -> Collection[str]:
        """The columns with numbers, but for the limits of others; the one that was named as the score, if any."""
        beside = {k for columns in self.limits.values() for k in columns}
        return [
            self.cells.names[k]
            for k in self.columns
            if self.cells.has_numbers(k)
            and (self.roles.score is None or self.roles.score == self.cells.names[k])
            and (self.roles.score or k not in beside)
        ]

    def errors(self, measure: str) -> tuple[Mapping[str, float], Sequence[str]]:
        """By the limits that belong to a column of scores."""
        column = next((k for k in self.limits if self.cells.names[k] == measure), None)
        if column is None:
            return {}, ()
        found = _standard_errors(self.cells, column, self.limits[column])
        known = {label: float(e) for label, e in zip(self.labels, found, strict=True) if not np.isnan(e)}
        return known, [self.cells.names[k] for k in self.limits[column]]

    def grid(self, measure: str) -> Grid:
        """One score per system of the column that is asked for; without one, all of the matrix."""
        if not measure:
            return self._matrix()
        column = next((k for k in self.columns if self.cells.names[k] == measure), None)
        if column is None or self.label is None:
            raise self.no_measure(measure)
        known = self.are_systems or vocabulary.axis_of(self.labels)
        if known == "topics":
            say = f"if they are systems, say {argument('system_column', self.cells.names[self.label])}"
            said = f"has a column {measure!r}, but its rows ({listing(self.labels, 3)}) look like topics, not systems"
            raise self.cells.error(f"{said}: {say}; for all columns, ask for no measure")
        if not known and not self._is_leaderboard():
            rows = f"{listing(self.labels, 5)}; name their column system if they are, topic if they are topics"
            warn_of(self.origin, f"read as one score per system: {rows}")
        _refuse_twice(self.cells, self.labels, "system")
        keep = [k for k, label in enumerate(self.labels) if not vocabulary.is_summary(label)]
        if len(keep) < len(self.labels):
            warn_of_summaries(self.origin, self.labels)
        values = self.cells.numbers(column)[keep]
        return Grid(values[None], [MEAN], [self.labels[k] for k in keep], self.cells.in_percent([column]))

    def _matrix(self) -> Grid:
        self.reading = "rows are topics, columns are systems"
        cells, across = self.cells, [self.cells.names[k] for k in self.columns]
        if not self.are_systems:
            rows = self.labels if self.label is None else cells.labels(self.label, "row")
            if all(map(vocabulary.is_summary, rows)):
                return without_summaries(self.origin, Grid(cells.matrix(self.columns), rows, across))
            refuse_measures_as_rows(cells, rows, False)
            name = "" if self.label is None else cells.names[self.label]
            if orient(cells, self.label, rows, across, self.roles) == "topics":
                numbered = self.label is not None and not cells.words(self.label)
                if numbered and vocabulary.column_name(name) not in vocabulary.INDEX_COLUMNS:
                    read = "read as the topics, not as a system; name it topic"
                    warn_of(self.origin, f"column {name!r} holds a different number in each row: {read}")
                return _matrix(cells, self.label, self.columns, self.roles).grids[""]
        elif vocabulary.axis_of(across) != "topics":
            read = f"each row is a system, and each column ({listing(across, 3)}) was read as a topic"
            warn_of(self.origin, f"{read}; for one score per system, ask for a column by its name as the measure")
        self.reading = "rows are systems, columns are topics"
        _refuse_twice(cells, self.labels, "system")
        columns = score_columns(cells, self.columns, "topics", self.roles.topics)
        names = [cells.names[k] for k in columns]
        grid = Grid(cells.matrix(columns).T, names, self.labels, cells.in_percent(columns))
        return without_summaries(self.origin, grid)


class _Long(Contents):
    """A long table: measures are a column, or each a column of its own, or not named at all."""

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
        """Whether a column names measures, or each column is one."""
        return self.layout.value is None or self.layout.measure is not None

    def measures(self) -> Collection[str]:
        """The measures, in the order of the table."""
        if self.layout.measure is not None:
            return list(dict.fromkeys(self.labels["measure"]))
        return [self.cells.names[k] for k in self.layout.others if self.cells.has_numbers(k)]

    def grid(self, measure: str) -> Grid:
        """The scores of one measure; of a table that names none, its scores, or another column by its name."""
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
            hint = f"; keep one value of {listing(extra)}" if extra else ""
            system = "" if systems is None else f" of system {systems[again]!r}"
            what = f"the same score{system} on topic {topics[again]!r}"
            return cells.error(f"{what} was given{cells.at(first)} already{hint}", again)

        asked: Collection[int] = range(len(cells))  # what is left out may hold anything
        for what, wanted in (("topic", self.roles.topics), ("system", self.roles.systems)):
            if wanted is not None and what in labels:
                names = list(dict.fromkeys(labels[what]))
                kept = {names[k] for k in chosen(wanted, names)}
                asked = [k for k in asked if labels[what][k] in kept]
        values = cells.numbers(column, asked)
        return pivot(self.origin, topics, systems, values, twice, cells.in_percent([column]), runs)


def warn_of_words(origin: Origin, topics: Iterable[str]) -> None:
    """Warn where the topics of a run without a name may be systems, and the scores their means."""
    topics = list(dict.fromkeys(topics))
    if topics and not any(map(vocabulary.may_be_topic, topics)):
        means = "if they are systems, these are means, and the scores of each topic are needed"
        warn_of(origin, f"read as topics of one run: {listing(topics, 5)}; {means}")


def _limits(cells: Cells, columns: Sequence[int], said: str | None) -> dict[int, tuple[int, ...]]:
    """The columns of limits by that of their score: two of numbers, or one with both limits in each cell.

    They belong to the column of their name, else to the one that was said to be the score, or the score before them.
    """
    names = {k: vocabulary.column_name(cells.names[k]) for k in columns}
    plain = {k: name for k, name in names.items() if name not in _ALSO_TASKS and not _OTHER_LEVEL.fullmatch(name)}

    def called(pattern: re.Pattern[str]) -> dict[str, int]:
        return {found["of"] or "": k for k, name in plain.items() if (found := pattern.fullmatch(name))}

    lower, upper, both = called(_LOWER), called(_UPPER), called(_BOTH)
    pairs = {of: k for of, k in both.items() if any(_PAIR.fullmatch(str(cell)) for cell in cells.words(k).values())}
    found: dict[str, tuple[int, ...]] = {of: (k, upper[of]) for of, k in lower.items() if of in upper}
    made = {}
    for of, limits in (found or {of: (k,) for of, k in pairs.items()}).items():  # Arena-Hard prints them twice
        scores = [k for k in columns if k not in limits and cells.has_numbers(k)]
        place = {names[k]: k for k in reversed(scores)} | {cells.names[k]: k for k in scores if cells.names[k] == said}
        before = [k for k in scores if k < limits[0]]
        wanted = (of, f"{of}_score", f"{of}_mean", *(vocabulary.VALUE_COLUMNS if said is None else (said,)))
        at = next((place[name] for name in wanted if name in place), before[-1] if before and said is None else None)
        if at is not None:
            made[at] = limits
    return made


def _standard_errors(cells: Cells, score: int, limits: tuple[int, ...]) -> FloatArray:
    """The standard error of each score, nan where there are no limits; limits that cannot be any are refused."""
    scores = cells.numbers(score)

    def refused(row: int, found: str) -> ConcordantError:
        names = [cells.names[k] for k in limits]
        way_out = f"Correct them, or leave them out with {argument('topics', [f'!{name}' for name in names])}"
        return cells.error(f"the limits in {listing(map(repr, names))}, {found}. {way_out}", row)

    if len(limits) == 1:  # as numbers, or as distances from the score
        widths = np.full(len(cells), np.nan)
        for row, cell in cells.words(limits[0]).items():
            found = _PAIR.fullmatch(str(cell).strip())
            parts = [plain_number(part.replace("−", "-")) for part in found.groups()] if found else []
            ends = sorted(end for end in parts if end is not None)
            if len(ends) < 2:
                raise refused(row, f"{cell!r}: this is not a pair of numbers")
            if not any(ends[0] <= inside <= ends[1] for inside in (0, scores[row])):
                raise refused(row, f"{cell!r}: {scores[row]:g} does not lie between them")
            widths[row] = ends[1] - ends[0]
        return widths / WIDTH
    _, low, high = cells.matrix([score, *limits]).T  # refuses percent beside other numbers
    step = max(map(unit, (scores, low, high)))
    far, near = np.maximum(high - scores, scores - low), np.minimum(high - scores, scores - low)
    wrong = np.flatnonzero((near < -step) | (far > _LOPSIDED * np.maximum(near, 0) + 3 * step))
    if wrong.size:
        row = int(wrong[0])
        why = "does not lie between them" if near[row] < 0 else "lies far from their middle"
        raise refused(row, f"{low[row]:g} and {high[row]:g}: {scores[row]:g} {why}")
    return np.asarray((high - low) / WIDTH)


def unit(values: FloatArray) -> float:
    """One unit of the last decimal that numbers are written with; 0 where they have more than 12."""
    there = values[~np.isnan(values)]
    return next((10.0**-d for d in range(13) if np.array_equal(np.round(there, d), there)), 0.0)
