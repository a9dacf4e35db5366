"""What one file, frame or dictionary holds: its measures, and the scores of each as a matrix."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from ..errors import ConcordantError
from ..words import listing
from .cells import Cells, Origin, warn_of
from .frames import frame_cells
from .layout import (
    Layout,
    first_is_topics,
    is_plausible,
    name_columns,
    number_rows,
    refuse_scores_as_names,
    refuse_wrong_rows,
    warn_of_counters,
)
from .measures import no_measure
from .missing import invent_topics, warn_of_lost
from .numbers import cell_number
from .pivot import Grid, pivot, without_summaries
from .vocabulary import may_be_topic


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
    # Measures of which the file itself says that lower is better.
    lower: frozenset[str] = frozenset()

    def __init__(self, origin: Origin, grids: Mapping[str, Grid] | None = None) -> None:
        self.origin = origin
        self.grids = dict(grids or {})
        self.part_of = origin.label

    @property
    def named(self) -> bool:
        """Whether it names its measures."""
        return True

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

    def no_measure(self, measure: str) -> ConcordantError:
        """The error for a measure that is not there."""
        return no_measure(self.origin, measure, self.measures())


def table_contents(cells: Cells) -> Contents | None:
    """The scores of a table; None if its cells are not what its header promises."""
    layout = name_columns(cells.names)
    if isinstance(layout, str):
        raise cells.error(layout)
    if not is_plausible(layout, [cell_number(cell) for cell in cells.first_row()]):
        return None
    warn_of_counters(cells, layout)
    if layout.kind != "long":
        return _Matrix(cells, layout)
    if layout.system is None and layout.value is None and layout.topic is not None:
        rows = [str(cell) for cell in cells.values(layout.topic)]
        refuse_wrong_rows(cells, cells.names[layout.topic], rows, [cells.names[k] for k in layout.others])
    if layout.value is None and layout.system is not None:
        refuse_scores_as_names(cells, layout.system, layout.topic)
    return _Long(cells, layout)


def frame_contents(frame: Any, label: str = "the frame") -> Contents:
    """The scores of a frame."""
    cells = frame_cells(frame, label)
    found = table_contents(cells) if len(cells) else None
    if found is None:
        raise cells.error("has no scores: give topics x systems, or columns of systems, topics and scores")
    return found


class _Matrix(Contents):
    """A matrix, topics x systems or systems x topics. It does not name its measure."""

    def __init__(self, cells: Cells, layout: Layout) -> None:
        super().__init__(cells.origin)
        columns = list(layout.others)
        label = layout.topic if layout.kind == "matrix" else layout.system
        if label is None and columns and first_is_topics(cells):
            label = columns.pop(0)
        if not columns:
            raise cells.error("has no column of scores: give topics x systems, or system, topic and value")
        across = [cells.names[k] for k in columns]
        what = "topic" if layout.kind == "matrix" else "system"
        name = "" if label is None else cells.names[label]
        down = invent_topics(len(cells)) if label is None else cells.labels(label, what)
        if layout.kind == "matrix":
            if number_rows(name, down):
                down = invent_topics(len(cells))
            refuse_wrong_rows(cells, name, down, across)
        elif label is not None:
            refuse_scores_as_names(cells, label, None)
        seen: dict[str, int] = {}
        for row, label_of_row in enumerate(down):
            if label_of_row in seen:
                before = "" if cells.lines is None else f" at line {cells.lines[seen[label_of_row]]}"
                raise cells.error(f"{what} {label_of_row!r} was given{before} already: each row needs its own", row)
            seen[label_of_row] = row
        values = cells.matrix(columns)
        found = Grid(values, down, across) if layout.kind == "matrix" else Grid(values.T, across, down)
        self.scores = without_summaries(cells.origin, found)
        self._header_line = cells.header_line

    @property
    def named(self) -> bool:
        """It does not."""
        return False

    def grid(self, measure: str) -> Grid:
        """The scores of all systems, whatever they are called."""
        if measure and measure in (self.scores.systems or ()):
            raise self.origin.error(
                f"has a system {measure!r}, named as the measure that is asked for: for one column per measure, add a "
                "column named system; for one column per system, ask for no measure",
                self._header_line,
            )
        return self.scores


class _Long(Contents):
    """A long table: measures are a column, or each a column of its own, or not named at all."""

    def __init__(self, cells: Cells, layout: Layout) -> None:
        super().__init__(cells.origin)
        self.cells, self.layout = cells, layout
        topic = layout.topic
        assert topic is not None
        self.topics = cells.labels(topic, "topic")
        self.systems = None if layout.system is None else cells.labels(layout.system, "system")
        self.measured = None if layout.measure is None else cells.labels(layout.measure, "measure")
        if not self.named:
            assert layout.value is not None
            self._scores = self._pivoted(layout.value, range(len(cells)))

    @property
    def named(self) -> bool:
        """Whether a column names measures, or each column is one."""
        return self.layout.value is None or self.layout.measure is not None

    def measures(self) -> Collection[str]:
        """The measures, in the order of the table."""
        if self.measured is not None:
            return list(dict.fromkeys(self.measured))
        return [self.cells.names[k] for k in self.layout.others if self.cells.has_numbers(k)]

    def grid(self, measure: str) -> Grid:
        """The scores of one measure; of a table that names none, its scores, or another column by its name."""
        column, rows = self.layout.value, range(len(self.cells))
        if self.measured is not None:
            chosen = [k for k, name in enumerate(self.measured) if name == measure]
            if column is None or not chosen:
                raise self.no_measure(measure)
            found = self._pivoted(column, chosen)
            warn_of_lost(self.origin, measure, self.topics, found.topics)
            return found
        other = next((k for k in self.layout.others if self.cells.names[k] == measure), None)
        if other is not None:
            return self._pivoted(other, rows)
        if self.named:
            raise self.no_measure(measure)
        return self._scores

    def _pivoted(self, column: int, rows: Collection[int]) -> Grid:
        cells, places = self.cells, list(rows)

        def twice(first: int, again: int) -> ConcordantError:
            extra = [cells.names[k] for k in self.layout.others] if self.layout.value is not None else []
            hint = f"; keep one value of {listing(extra)}" if extra else ""
            before = "" if cells.lines is None else f" at line {cells.lines[places[first]]}"
            system = "" if self.systems is None else f" of system {self.systems[places[again]]!r}"
            return cells.error(
                f"the same score{system} on topic {self.topics[places[again]]!r} was given{before} already{hint}",
                places[again],
            )

        whole = len(places) == len(cells)
        topics = self.topics if whole else [self.topics[k] for k in places]
        systems = self.systems if whole or self.systems is None else [self.systems[k] for k in places]
        values = cells.numbers(column, None if whole else set(places))
        return pivot(self.origin, topics, systems, values if whole else values[places], twice)


def warn_of_words(origin: Origin, topics: Iterable[str]) -> None:
    """Warn where the topics of a run without a name may be systems, and the scores their means."""
    topics = list(dict.fromkeys(topics))
    if topics and not any(map(may_be_topic, topics)):
        warn_of(
            origin,
            f"read as topics of one run: {listing(topics, 5)}; if they are systems, these are means, and the scores of "
            "each topic are needed",
        )
