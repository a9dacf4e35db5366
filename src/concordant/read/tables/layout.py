"""Tables with named columns, and what each column means. This module finds the systems, topics and scores of a table.

The caller's choices (`Roles`) and known column names decide first. If these do not settle it, known names of
systems and topics decide. If it is still unclear, the table is refused, and the error shows both ways to read it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from ...arrays import FloatArray
from ...data.means import chosen, says_which
from ...errors import ConcordantError, InputError, argument, listing, nearest, warn
from . import vocabulary
from .vocabulary import cell_number, has_percent, is_fraction, number


class Origin(Protocol):
    """The place that scores come from, with a name for messages and a method for errors that start with this name."""

    @property
    def label(self) -> str: ...

    def error(self, message: str, line: int | None = None) -> ConcordantError: ...


@dataclass(frozen=True)
class Given:
    """An argument that a caller passed in Python."""

    label: str

    def error(self, message: str, line: int | None = None) -> InputError:
        """Make an error that gives the name of the argument. `line` is ignored, because an argument has no lines."""
        return InputError(f"{self.label}: {message}")


def warn_of(origin: Origin, message: str) -> None:
    """Warn that something was not read as it was given."""
    warn(f"{origin.label}: {message}")


class Parsed(NamedTuple):
    """The numbers in some cells (nan if empty), all other cells by index, and whether all numbers are in percent."""

    values: FloatArray
    odd: Mapping[int, Any]
    percent: bool = False


@dataclass(frozen=True)
class Column:
    """A column: its cells as given, or an array of its numbers (nan for empty cells) and all other cells by row."""

    cells: Sequence[Any] | np.ndarray[Any, Any]
    odd: Mapping[int, Any] = field(default_factory=dict)

    @cached_property
    def parsed(self) -> Parsed:
        """The parsed cells. If only some numbers have a percent sign, cells with the sign do not count as numbers."""
        values, odd = parse(self.cells)
        odd = {**odd, **self.odd}
        signed = {row: value for row, cell in odd.items() if has_percent(cell) and (value := number(cell)) is not None}
        if not signed or not np.isnan(values).all():
            return Parsed(values, odd)
        values = values.copy()
        values[list(signed)] = list(signed.values())
        return Parsed(values, {row: cell for row, cell in odd.items() if row not in signed}, True)

    def take(self, rows: Sequence[int]) -> Column:
        """Select rows by index."""
        if not isinstance(self.cells, np.ndarray):
            return Column([self.cells[row] for row in rows])
        return Column(self.cells[rows], {k: self.odd[row] for k, row in enumerate(rows) if row in self.odd})


@dataclass(frozen=True)
class Cells:
    """Named columns of equal length."""

    origin: Origin
    names: Sequence[str]
    columns: Sequence[Column]
    lines: Sequence[int] | None = None
    header_line: int | None = None
    typed: bool = False
    """Whether cells distinguish strings from numbers, as in JSON and frames. In text files every cell is text."""

    def __len__(self) -> int:
        return len(self.columns[0].cells) if self.columns else 0

    def error(self, message: str, row: int | None = None) -> ConcordantError:
        """Make an error about a row or, without a row, about the header."""
        line = self.header_line if row is None else self.lines[row] if self.lines is not None else None
        return self.origin.error(message, line)

    def at(self, row: int) -> str:
        """Describe where a row is, such as ' at line 3'; return an empty text if line numbers are unknown."""
        return "" if self.lines is None else f" at line {self.lines[row]}"

    def labels(self, column: int, what: str) -> list[str]:
        """Return the labels in a column: strings or whole numbers."""
        cells = self.values(column)
        if set(map(type, cells)) == {str} and all(cells):  # a quick test, because there may be very many cells
            return list(cells)
        return [self._label(cell, row, column, what) for row, cell in enumerate(cells)]

    def _label(self, cell: Any, row: int, column: int, what: str) -> str:
        if isinstance(cell, str):
            if not cell:
                raise self.error(f"has no {what} in column {self.names[column]!r}", row)
            return cell
        if isinstance(cell, float | np.floating) and float(cell).is_integer() and abs(float(cell)) <= 2**53:
            return str(int(cell))  # pandas stores whole numbers as floats if some are missing
        if not isinstance(cell, int | np.integer) or isinstance(cell, bool):
            way_out = "labels are strings or whole numbers; if the column is itself a system, rename it"
            said = f"column {self.names[column]!r} holds {cell!r}, which cannot be the label of a {what}"
            raise self.error(f"{said}: {way_out}", row)
        return str(cell)

    def values(self, column: int) -> Sequence[Any]:
        """Return the cells of a column as they were given, with nan for empty cells if the column holds an array."""
        cells = self.columns[column].cells
        if not isinstance(cells, np.ndarray):
            return cells
        found: list[Any] = cells.tolist()
        for row, cell in self.columns[column].odd.items():
            found[row] = cell
        return found

    def first_row(self) -> list[Any]:
        """Return the cells of the first row."""
        first = self.take([0])
        return [first.values(k)[0] for k in range(len(self.names))]

    def numbers(self, column: int, rows: Collection[int] | None = None) -> FloatArray:
        """Return the numbers of a column, nan for empty cells. Refuse other cells in `rows`, by default in all rows."""
        return self.matrix([column], rows)[:, 0]

    def matrix(self, columns: Sequence[int], rows: Collection[int] | None = None) -> FloatArray:
        """Return the numbers of some columns as an array, rows x columns. Refuse other cells as `numbers` does."""
        words = [(row, k) for k in columns for row in self.words(k)]
        asked = set(rows) if words and rows is not None else None
        bad = min((place for place in words if asked is None or place[0] in asked), default=None)
        if bad is not None:
            raise self._no_number(*bad)
        found = {k: self.columns[k].parsed for k in columns}
        plain = [k for k, column in found.items() if not column.percent]
        if len(plain) < len(found) and (beside := [k for k in plain if not np.isnan(found[k].values).all()]):
            signed = next(k for k, column in found.items() if column.percent)
            said = (
                f"column {self.names[signed]!r} has scores with a percent sign, but {self.names[beside[0]]!r} has none"
            )
            raise self.error(f"{said}. {vocabulary.ONE_UNIT}")
        return self.unchecked(columns)

    def unchecked(self, columns: Iterable[int]) -> FloatArray:
        """Return the numbers of some columns as an array, rows x columns, nan if a cell is not a number."""
        return np.column_stack([np.empty((len(self), 0)), *(self.columns[k].parsed.values for k in columns)])

    def words(self, column: int) -> Mapping[int, Any]:
        """Return the cells of a column that are not numbers, by row."""
        return self.columns[column].parsed.odd

    def in_percent(self, columns: Collection[int]) -> bool:
        """Tell whether scores in some columns have a percent sign."""
        return any(self.columns[k].parsed.percent for k in columns)

    def _no_number(self, row: int, column: int) -> ConcordantError:
        """Make the error for a cell that is not a number.

        If the row has no number at all, it may be a second header, so the error says how to leave it out.
        """
        scores = [k for k in range(1, len(self.names)) if self.has_numbers(k)]
        where = f" in column {self.names[column]!r}" + ("" if self.lines is not None else f", row {row + 1}")
        message = vocabulary.no_score(self.words(column)[row], where)
        if column and len(scores) > 1 and len(self) > 1 and all(row in self.words(k) for k in scores):
            left_out = argument("topics", [f"!{self.values(0)[row]}"])
            message += f" If the row is not a topic, leave it out with {left_out}."
        return self.error(message, row)

    def take(self, rows: Sequence[int]) -> Cells:
        """Select rows by index."""
        lines = None if self.lines is None else [self.lines[row] for row in rows]
        return replace(self, columns=[column.take(rows) for column in self.columns], lines=lines)

    def without(self, columns: Sequence[int]) -> Cells:
        """Return the table without some columns."""
        kept = [k for k in range(len(self.names)) if k not in columns]
        return replace(self, names=[self.names[k] for k in kept], columns=[self.columns[k] for k in kept])

    def has_numbers(self, column: int) -> bool:
        """Tell whether a column may be a measure: it has a number, or all its cells are empty."""
        found = self.columns[column].parsed
        return not found.odd or not np.isnan(found.values).all()


def parse(cells: Any) -> tuple[FloatArray, dict[int, Any]]:
    """Return the numbers in some cells, and the other cells by index. A number with a percent sign is another cell."""
    if isinstance(cells, np.ndarray):
        values: npt.NDArray[np.float64] = np.asarray(cells, dtype=np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            total = values.sum()
        if np.isfinite(total):  # quicker than a test of each number
            return values, {}
        return values, {int(k): cells[k].item() for k in np.flatnonzero(np.isinf(values))}
    texts = all(type(cell) is str for cell in cells)
    plain = vocabulary.plain_numbers(["0" if cell in vocabulary.HOLES else cell for cell in cells]) if texts else None
    if plain is not None:
        return np.where([cell in vocabulary.HOLES for cell in cells], np.nan, plain), {}
    known = {text: _unsigned(text) for text in set(cells)} if texts else None  # parse equal texts only once
    found = [_unsigned(cell) for cell in cells] if known is None else [known[text] for text in cells]
    odd = {k: cells[k] for k, value in enumerate(found) if value is None}
    return np.array([np.nan if value is None else value for value in found], dtype=np.float64), odd


def _unsigned(cell: Any) -> float | None:
    return None if has_percent(cell) else cell_number(cell)


def scores_of(cells: Sequence[Any], error: Callable[[int, str], ConcordantError]) -> tuple[FloatArray, bool]:
    """Return the scores in cells outside a table, nan if missing, and tell whether they have a percent sign.

    `error(place, message)` makes the error for a cell that is not a score.
    """
    found = Column(cells).parsed
    for place, cell in found.odd.items():
        raise error(place, vocabulary.no_score(cell, missing="write nan"))
    return found.values, found.percent


# What the columns mean ------------------------------------------------------------------------------------------------

# A label that is a score, such as 0.25. No topic has such a name.
SCORE = re.compile(r"-?0?\.\d+")


class Roles(NamedTuple):
    """The caller's choices: the columns that hold topics, systems and scores; and the systems and topics to read."""

    topic: str | None = None
    system: str | None = None
    score: str | None = None
    systems: Sequence[str] | None = None
    topics: Sequence[str] | None = None
    run: str | None = None
    """The column that distinguishes repeated scores of one system on one topic."""

    @property
    def columns(self) -> list[str]:
        """The names of the columns that the caller chose."""
        return [name for name in (self.topic, self.system, self.score, self.run) if name is not None]

    def left_out(self, header: Sequence[str], of_systems: bool, of_topics: bool) -> set[int]:
        """Find the columns that `!NAME` leaves out: as systems (if `of_systems`) or as topics (if `of_topics`)."""
        wanted = (*((self.systems or ()) if of_systems else ()), *((self.topics or ()) if of_topics else ()))
        kept = chosen([name for name in wanted if name.startswith("!")], header)
        return set(range(len(header))) - set(kept)

    def name_systems(self, columns: Sequence[str]) -> bool:
        """Tell whether the caller named one of these columns as a system."""
        return not set(columns).isdisjoint(self.systems or ())


NO_ROLES = Roles()


class Layout(NamedTuple):
    """What each column of a table holds. `system` is None for a single system, `value` if each measure has a column.

    A "matrix" has a column for each system. A "rows" table has a column of systems but no column of topics: its other
    columns are topics, or measures with one score per system. The header of an "unnamed" table names neither systems
    nor topics.
    """

    kind: Literal["matrix", "rows", "long", "unnamed"]
    system: int | None
    topic: int | None
    measure: int | None
    value: int | None
    others: tuple[int, ...]


def name_columns(header: Sequence[str], roles: Roles = NO_ROLES) -> Layout | str:
    """Decide from the header what each column of a table holds, or return a text that says why this is unclear."""
    names = [vocabulary.column_name(name) for name in header]
    if wrong := _wrong_header(header, roles):
        return wrong
    said = {role: header.index(name) for role, name in zip(roles._fields, roles[:3], strict=False) if name is not None}
    named = {k for k, name in enumerate(header) if name in {*(roles.systems or ()), *(roles.topics or ())}}
    taken = named | set(said.values())

    def column(role: str, known: Iterable[str], fits: Callable[[str], bool] = lambda name: False) -> int | None:
        """Return the column that the caller named; otherwise the first column with a known or fitting name."""
        other = next((k for k, name in enumerate(names) if k not in taken and fits(name)), None)
        return said.get(role, _first(names, known, taken, other))

    measure = column("measure", vocabulary.MEASURE_COLUMNS)
    system = column("system", vocabulary.SYSTEM_COLUMNS, vocabulary.names_systems)
    topic = column("topic", vocabulary.TOPIC_COLUMNS, vocabulary.names_topics)
    value = column("score", vocabulary.VALUE_COLUMNS)
    if "score" in said and measure is not None and topic is None:
        measure = None
    labelled = (topic, system) != (None, None)
    left_out = roles.left_out(header, system is None, topic is None)
    others = tuple(
        k
        for k in range(len(names))
        if k not in (system, topic, measure, value)
        and k not in left_out
        and not (k == 0 and names[k] in vocabulary.ROW_NUMBERS and labelled)
        and not (labelled and vocabulary.ROW_NUMBERS_AGAIN.fullmatch(names[k]))
        and not (labelled and value is None and names[k] in vocabulary.COUNTERS and k not in named)
    )
    unnamed = next((header[k] for k in others if names[k].startswith("unnamed:_") and k), None)
    if unnamed is not None:
        return f"has a column {unnamed!r}, pandas' name for a column without one: name it, or leave it out"
    if topic is not None and any(names[k] in vocabulary.DOCUMENT_COLUMNS for k in others):
        return (
            "scores documents, not topics: it is a run or qrels as BEIR writes them. Write both in TREC's format, and "
            "score the run with `concordant evaluate RUNS QRELS`"
        )
    if measure is not None and topic is None:
        one = f"for one score per system, keep the rows of one measure and drop the column {header[measure]!r}"
        return f"has a column of measures but none of topics, so these are summaries: add a column named topic; {one}"
    if measure is not None and value is None:
        no_system = "" if system is not None else f"; if {header[measure]!r} is a system, rename it"
        return f"has topics and measures but no column named score: name one with {argument('score_column')}{no_system}"
    if topic is None and system is None:
        columns = tuple(k for k in range(len(names)) if k not in left_out)
        return Layout("unnamed", None, None, None, said.get("score"), columns)
    if topic is None:
        assert system is not None
        known = _any(header, others) or value is not None or any(vocabulary.is_result(header[k]) for k in others)
        if names[system] == "name" and "system" not in said and not known:
            which = " or ".join(argument(f"{role}_column", header[system]) for role in ("system", "topic"))
            return f"has a column {header[system]!r}, which could hold systems or topics: pass {which}"
        return Layout("rows", system, None, None, value, others)
    if value is not None:
        if system is None and measure is None and others and "score" not in said:
            every = argument("systems", [header[k] for k in sorted((value, *others))])
            return (
                f"has a column {header[value]!r} beside {listing(header[k] for k in others)}, but none that names the "
                f"systems: name one with {argument('system_column')}, or pass {every} if all are systems"
            )
        if measure is None and "score" not in said and _any(header, others):  # `value` is one of several measures
            return Layout("long", system, topic, None, None, tuple(sorted((value, *others))))
        return Layout("long", system, topic, measure, value, others)
    if system is not None:
        return Layout("long", system, topic, None, None, others)
    # The table is a matrix unless its columns are measures: then it holds one system, with a column per measure.
    second = next((header[k] for k in others if vocabulary.names_topics(names[k])), None)
    if second is not None and "topic" not in said:
        which = f"choose one with {argument('topic_column')}, and leave the other out"
        return f"has two columns named like topics, {header[topic]!r} and {second!r}: {which}"
    measures = [
        header[k] for k in others if vocabulary.looks_like_measure(header[k].strip()) and not named & set(others)
    ]
    if len(measures) < len(others):  # `num` may be a counter, `num_rel` a fact, `f` one of several letters
        across = [header[k] for k in others]
        measures = [
            name
            for name in measures
            if not vocabulary.names_counter(name)
            and not vocabulary.names_fact(name)
            and not (len(name) == 1 and vocabulary.is_one_of_short(name, across))
        ]
    if measures and len(measures) < len(others):
        rest = [header[k] for k in others if header[k] not in measures]
        return (
            f"has columns named like measures ({listing(measures, 5)}) and others ({listing(rest, 5)}): leave out the "
            f"others with {argument('systems', [f'!{name}' for name in rest])}; if all are systems, pass "
            + argument("systems", [header[k] for k in others])
        )
    return Layout("long" if measures else "matrix", None, topic, None, None, others)


def of_samples(header: Sequence[str], roles: Roles) -> Roles:
    """Read topics from `id` in Inspect's frame of samples, because `sample_id` identifies one `epoch` of a topic."""
    names = [vocabulary.column_name(name) for name in header]
    if roles.topic is not None or not {"id", "epoch"} <= set(names):
        return roles
    topic = _first(names, vocabulary.TOPIC_COLUMNS)
    return roles._replace(topic=header[names.index("id")]) if topic is None or names[topic] == "sample_id" else roles


def run_columns(cells: Cells, roles: Roles) -> list[int]:
    """Find the columns that number repeated scores of a cell: the caller's choice, or columns with known names.

    Known names count only in a table with one row per score, and only for columns of whole numbers. The columns found
    are not read as measures.
    """
    if roles.run is not None:
        if roles.run not in cells.names:
            raise cells.error(f"has no column {roles.run!r}{nearest(roles.run, cells.names)}")
        return [list(cells.names).index(roles.run)]
    names = [vocabulary.column_name(name) for name in cells.names]
    known = [
        k for k, name in enumerate(names) if name in vocabulary.RUN_COLUMNS and cells.names[k] not in roles.columns
    ]
    numbered = names.index("run") if "run" in names and "run" not in roles.columns else None
    if not known and numbered is None:
        return []
    layout = name_columns(cells.names, roles)
    if isinstance(layout, str) or layout.system is None:
        return _beside_repeated_topics(cells, known, roles)
    if layout.kind != "long" or layout.topic is None:
        return []
    asked = {*(roles.systems or ()), *(roles.topics or ())}
    found = [k for k in known if k in layout.others and cells.names[k] not in asked and _are_whole(cells, k)]
    if numbered == layout.system and _are_whole(cells, layout.system):
        return [*found, layout.system] if _other_systems(cells, layout) else found
    if numbered in layout.others and _are_whole(cells, numbered):
        pairs = list(zip(cells.labels(layout.system, "system"), cells.labels(layout.topic, "topic"), strict=True))
        return [*found, numbered] if len(set(pairs)) < len(pairs) else found
    return found


def _other_systems(cells: Cells, layout: Layout) -> list[int]:
    """Find other columns that may hold the names of the systems."""
    names = {k: vocabulary.column_name(cells.names[k]) for k in layout.others}
    return [k for k, name in names.items() if vocabulary.names_systems(name) and not name.startswith("team")]


def refuse_numbers_beside_names(cells: Cells, layout: Layout, roles: Roles) -> None:
    """Refuse to read the systems from a column of numbers if a column of words may hold their names."""
    if layout.system is None or roles.system is not None or not _are_whole(cells, layout.system):
        return
    if words := [cells.names[k] for k in _other_systems(cells, layout) if not cells.has_numbers(k)]:
        which = " or ".join(argument("system_column", name) for name in (words[0], cells.names[layout.system]))
        both = f"columns {words[0]!r} and {cells.names[layout.system]!r} may both name the systems"
        raise cells.error(f"{both}: pass {which}")


def _beside_repeated_topics(cells: Cells, known: list[int], roles: Roles) -> list[int]:
    """Return the known columns of whole numbers if topics occur more than once and no column holds systems."""
    found = [k for k in known if _are_whole(cells, k)]
    rest = cells.without(found)
    layout = name_columns(rest.names, roles)
    if not found or isinstance(layout, str) or layout.kind not in ("long", "matrix") or layout.topic is None:
        return []
    topics = rest.labels(layout.topic, "topic")
    return found if len(set(topics)) < len(topics) else []


def _are_whole(cells: Cells, column: int) -> bool:
    found = [cell_number(cell) for cell in cells.values(column)]
    return all(value is not None and value == value // 1 for value in found)


def _wrong_header(header: Sequence[str], roles: Roles) -> str | None:
    if not header:
        return "has no columns"
    scores = [name for name in header if SCORE.fullmatch(name)]
    unknown = not roles.columns and not any(map(vocabulary.looks_like_measure, header))
    several = len(scores) > 1 and 2 * len(scores) >= len(header)
    if scores and (several or unknown) and not any(map(vocabulary.names_labels, header)):
        names = "add a first line that names the columns and does not start with #"
        return f"has scores instead of names of columns ({listing(scores, 3)}): {names}"
    if len(set(header)) < len(header):
        twice = next(name for k, name in enumerate(header) if name in header[:k])
        return f"two columns are named {twice!r}: rename one, or leave it out if both are the same run"
    if (empty := next((k for k, name in enumerate(header) if k and not name), None)) is not None:
        return f"column {empty + 1} has no name in the header"
    given = roles.columns
    for name in given:
        if name not in header:
            return f"has no column {name!r}{nearest(name, header)}"
    if len(set(given)) < len(given):
        return f"the column {given[-1]!r} is given twice: topics, systems and scores are different columns"
    return None


def is_plausible(layout: Layout, scores: Sequence[float | None]) -> bool:
    """Tell whether the first row of a table has a score. In prose and in other formats, it has none.

    `scores` are the cells of the row as numbers, None where a cell is not a number. If the header names topics or
    systems, the answer is yes, because the reader then reports bad scores.
    """
    if layout.kind == "long" or ((layout.others or layout.value is not None) and layout.kind != "unnamed"):
        return True
    return any(k < len(scores) and scores[k] is not None for k in layout.others)


def warn_of_counters(cells: Cells, layout: Layout) -> None:
    """Warn about columns left out because of names that suggest row numbers; refuse them if they hold scores."""
    used = {layout.system, layout.topic, layout.measure, layout.value, *layout.others}
    places = [
        k for k, name in enumerate(cells.names) if k not in used and vocabulary.column_name(name) in vocabulary.COUNTERS
    ]
    for k in places if layout.kind == "matrix" else ():
        if any(map(is_fraction, cells.unchecked([k])[:, 0])):
            left = argument("systems", ["!" + cells.names[k]])
            every = argument("systems", [cells.names[j] for j in sorted((k, *layout.others))])
            said = f"column {cells.names[k]!r} holds scores, but is named like row numbers"
            raise cells.error(f"{said}: leave it out with {left}, or name the systems with {every}")
    if places:
        left_out = listing(cells.names[k] for k in places)
        warn_of(cells.origin, f"left out, because columns with such names number the rows: {left_out}")


def refuse_scores_as_names(cells: Cells, column: int, topic: int | None) -> None:
    """Refuse a column of system names that holds scores.

    In a matrix, where each topic occurs once, such a column may hold the scores of a system that is called `model`.
    """
    found = [number(str(cell)) for cell in cells.values(column)]
    if topic is None:
        wrong = any(map(is_fraction, found))
    else:
        topics = cells.values(topic)
        wrong = None not in found and any(map(is_fraction, found)) and len(set(topics)) == len(topics)
    if wrong:
        every = f"if it is itself a system, name all systems with {argument('systems')}"
        raise cells.error(f"column {cells.names[column]!r} should name the systems, but holds numbers: {every}")


def refuse_measures_as_rows(cells: Cells, rows: Sequence[str], named: bool) -> None:
    """Refuse rows that are named like measures, whether all rows or only some of them."""
    labels = [row for row in rows if not vocabulary.is_summary(row)]
    measures = [label for label in labels if vocabulary.looks_like_measure(label)]
    if measures and all(
        vocabulary.looks_like_topic(label) for label in labels if not vocabulary.looks_like_measure(label)
    ):
        if len(measures) < len(labels):
            raise cells.error(f"has rows named like measures ({listing(measures, 3)}) among topics: leave them out")
        if not named:
            raise cells.error(f"has measures as rows ({listing(rows, 3)}), not topics: give a row for each topic")


def _first(
    names: Sequence[str], wanted: Iterable[str], taken: Collection[int] = (), other: int | None = None
) -> int | None:
    """Return the index of the first wanted name among `names` that is not taken; if there is none, return `other`."""
    return next((names.index(name) for name in wanted if name in names and names.index(name) not in taken), other)


def _any(header: Sequence[str], columns: Iterable[int]) -> bool:
    return any(vocabulary.looks_like_measure(header[k].strip()) for k in columns)


# A number in a notation that is not supported, such as 1,234 or 1/2. Its column may still hold the scores of a system.
_NUMBER = re.compile(r"[^\w\[(]{0,2}\d[\d.,'/\s_]*[^\w\])]{0,2}")


def score_columns(
    cells: Cells, columns: Sequence[int], axis: Literal["systems", "topics"], wanted: Iterable[str] | None
) -> list[int]:
    """Find the columns of systems (or topics): the caller's choice, or all columns except row numbers and labels.

    Columns that look like something else are refused, because each would be ranked as one more system.
    """
    places = chosen(wanted, [cells.names[k] for k in columns])
    kept = [columns[k] for k in places] or list(columns)
    if says_which(wanted):
        return kept
    names = [cells.names[k] for k in kept]
    values = cells.unchecked(kept)
    labels = {k for k, name in enumerate(names) if vocabulary.names_topics(name) or vocabulary.names_systems(name)}
    labels = labels if len(labels) < len(names) else set()
    counters = _counters(names, values, axis) - labels
    reasons = _by_words(cells, kept) | _by_name(names, values, axis) | _by_companions(names, values)
    if axis == "systems":
        reasons = _unlike(values) | reasons
    strays = {k: reason for k, reason in sorted(reasons.items()) if k not in counters | labels}
    if strays:
        these = listing(f"{names[k]!r} ({reason})" for k, reason in strays.items())
        leave, every = argument(axis, [f"!{names[k]}" for k in strays]), argument(axis, ["*"])
        way_out = f"Leave them out with {leave}, or read every column as a {axis[:-1]} with {every}"
        raise cells.error(f"these columns do not look like {axis}: {these}. {way_out}")
    for left, why in ((counters, "it numbers the rows"), (labels, "it is named like a column of labels")):
        if left:
            warn_of(cells.origin, f"left out, because {why}: {listing(names[k] for k in sorted(left))}")
    return [k for place, k in enumerate(kept) if place not in counters | labels]


def _by_words(cells: Cells, columns: Sequence[int]) -> dict[int, str]:
    """Find columns without any number. If most columns lack numbers, raise an error about the first cell."""
    words = {place: cells.words(k) for place, k in enumerate(columns) if not cells.has_numbers(k)}
    if 2 * len(words) > len(columns) or len(cells) < 2:
        cells.matrix(columns)
    firsts = {place: str(next(iter(found.values()))) for place, found in words.items()}
    return {place: f"holds {cell[:40]!r}" for place, cell in firsts.items() if not _NUMBER.fullmatch(cell[:1000])}


def _by_name(names: Sequence[str], values: FloatArray, axis: str) -> dict[int, str]:
    """Find columns whose names look like row numbers or facts; among systems, also like summaries or limits."""
    found = {}
    summaries = set(vocabulary.summaries_among(names)) if axis == "systems" else ()
    for k, name in enumerate(names):
        if vocabulary.is_one_of_short(name, names):
            continue
        if name in summaries:
            found[k] = "a summary"
        elif vocabulary.names_counter(name) and not _has_fractions(values[:, k]):
            found[k] = "a row number or a count"
        elif axis == "systems" and vocabulary.names_limits(name):
            found[k] = "limits of scores"
        elif vocabulary.names_fact(name) and (axis == "systems" or not _has_fractions(values[:, k])):
            found[k] = f"a fact about {'topics' if axis == 'systems' else 'systems'}"
    return found


def _by_companions(names: Sequence[str], values: FloatArray) -> dict[int, str]:
    """Find columns whose names say that they belong to another column, for instance as its error or its bounds.

    A lower bound must lie below the scores, and an upper bound above them. A name such as gpt-4.1 beside gpt-4 may be
    the next version of a system, so it belongs to gpt-4 only if both columns hold the same scores.
    """
    place = {name: k for k, name in enumerate(names)}
    found = {}
    for name, (of, kind) in vocabulary.companions(names).items():
        column, other = values[:, place[name]], values[:, place[of]]
        if kind in ("below", "above") and len(column) > 3:
            past = column - other if kind == "below" else other - column
            belongs = not (past > 0.01 * np.ptp(other)).any()  # both may be rounded
        else:
            belongs = kind != "version" or bool((column == other).all() and len(np.unique(column)) > 2)
        if belongs:
            found[place[name]] = f"belongs to {of!r}"
    return found


def _counters(names: Sequence[str], values: FloatArray, axis: str) -> set[int]:
    """Find columns that count 0, 1, 2, ... or 1, 2, 3, ..., if other columns hold fractions or the name says so.

    If all columns hold whole numbers and the name says nothing, `_unlike` refuses the column: it may hold ranks.
    """
    n, m = values.shape
    counting = [k for k in range(m) if n > 1 and _counts(values[:, k])]
    if not counting or m == len(counting):
        return set()
    fractions = _has_fractions(np.delete(values, counting, axis=1))
    return {
        k
        for k in counting
        if (vocabulary.names_counter(names[k]) and (n > 2 or fractions))
        or (n > 2 and fractions and not (axis == "topics" and vocabulary.looks_like_topic(names[k])))
    }


def _counts(column: FloatArray) -> bool:
    """Tell whether a column counts 0, 1, 2, ... or 1, 2, 3, ..."""
    return column[0] in (0, 1) and column[1] == column[0] + 1 and bool((np.diff(column) == 1).all())


def _has_fractions(values: FloatArray) -> bool:
    return bool((np.nan_to_num(values) % 1).any())


def _unlike(values: FloatArray) -> dict[int, str]:
    """Find columns that do not look like the others.

    Such a column holds counts where the others hold scores up to 1, values more than ten times as large as the rest, or
    row numbers.
    """
    n, m = values.shape
    low, high = np.fmin.reduce(values), np.fmax.reduce(values)
    size = np.fmax(np.abs(low), np.abs(high))
    found = {k: f"counts the {n} rows" for k in range(m) if n > 3 and _counts(values[:, k])}
    if m < 2 or n < 4 or np.isnan(size).all():
        return found
    units, usual = size <= 1, float(np.median(size[~np.isnan(size)]))
    larger = np.flatnonzero(size > 1).tolist()
    most_are_units = 0 < len(larger) <= units.sum() and _has_fractions(values[:, units])
    for k in larger:
        count = most_are_units and (low[k] > 1 or not _has_fractions(values[:, k]))
        if count or (m > 2 and low[k] > 10 * usual):
            found.setdefault(k, f"{low[k]:g} to {high[k]:g}, unlike the others")
    return found
