"""What is a number; a table of cells with named columns, as files, JSON records and frames all are; and the matrix of
its scores, or of those of several files.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from ...arrays import FloatArray
from ...data.runs import run_means
from ...errors import ConcordantError, InputError, argument, in_digits, listing, warn
from .vocabulary import SUMMARY, is_summary

# What stands in a cell that has no score.
NOTHING = frozenset({"", "na", "n/a", "#n/a", "nan", "null", "none", "-"})
_HOLES = frozenset({"", "nan", "NaN", "NA"})  # as most programs write it
# Each character can be matched in one way only, so that no long cell takes long to refuse.
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
ONE_UNIT = "Write all of these scores with the sign, or all without it, in the same unit."


def plain_number(text: str | bytes) -> float | None:
    """The finite number that a text is, or None. Python's own float() also takes 1_000, nan and infinity."""
    text = (text.decode(errors="replace") if isinstance(text, bytes) else text).strip()
    if _NUMBER.fullmatch(text) is None:
        return None
    value = float(text)
    return value if math.isfinite(value) else None


def plain_numbers(texts: Sequence[str]) -> list[float] | None:
    """The same for many texts at once; None where one of them is not a number.

    Of ASCII without underscores, float() takes nothing else but nan and infinity, which make the sum no number either.
    """
    joined = "".join(texts)
    if "_" in joined or not joined.isascii():
        return None
    try:
        values = list(map(float, texts))
    except ValueError:
        return None
    return values if math.isfinite(sum(values)) else None


def number(text: str | bytes) -> float | None:
    """The same for a score, which may be in percent: the sign is dropped."""
    text = text.decode(errors="replace") if isinstance(text, bytes) else text
    return plain_number(text.strip().removesuffix("%"))


def has_percent(cell: Any) -> bool:
    """Whether a cell ends with a percent sign."""
    return isinstance(cell, str) and cell.rstrip().endswith("%")


def cell_number(cell: Any) -> float | None:
    """A cell's finite number, nan where it says that there is none, None where it is something else."""
    if cell is None or type(cell).__name__ == "NAType":  # pandas.NA, without importing pandas
        return math.nan
    if isinstance(cell, str):
        return math.nan if cell.strip().lower() in NOTHING else number(cell)
    if not isinstance(cell, int | float | np.floating | np.integer | np.bool_ | Decimal):
        return None
    try:
        value = float(cell)
    except OverflowError:
        return None
    return None if math.isinf(value) else value


def is_fraction(value: float | None) -> bool:
    """Whether this is a number, and not a whole one."""
    return value is not None and 0 < abs(value) % 1 < 1


def not_a_number(cell: Any, where: str, missing: str) -> str:
    """What is wrong with a cell that should be a number, and what to write instead.

    >>> not_a_number("1/2", "", "write nan")
    "'1/2' is not a number. Write digits with a decimal point, such as 0.25, up to 1e300; if it is missing, write nan."
    """
    shown = in_digits(cell)
    shown = shown if len(shown) <= 60 else f"{shown[:57]}..."
    instead = "Write digits with a decimal point, such as 0.25, up to 1e300"
    return f"{shown}{where} is not a number. {instead}; if it is missing, {missing}."


def no_score(cell: Any, where: str = "", missing: str = "leave the cell empty or write nan") -> str:
    """The same of a cell among scores, where a number in percent may stand beside others."""
    if has_percent(cell) and number(cell) is not None:
        return f"{cell}{where} has a percent sign, but other scores have none. {ONE_UNIT}"
    return not_a_number(cell, where, missing)


class Origin(Protocol):
    """Where scores came from: what messages call it, and the error that names it."""

    @property
    def label(self) -> str: ...

    def error(self, message: str, line: int | None = None) -> ConcordantError: ...


@dataclass(frozen=True)
class Given:
    """What a caller passed in Python."""

    label: str

    def error(self, message: str, line: int | None = None) -> InputError:
        """The error that names the argument; it has no lines."""
        return InputError(f"{self.label}: {message}")


def warn_of(origin: Origin, message: str) -> None:
    """Warn of what was not read as it stands."""
    warn(f"{origin.label}: {message}")


class Parsed(NamedTuple):
    """The numbers of some cells, nan where there is none; by place, what is neither; and whether all are in percent."""

    values: FloatArray
    odd: Mapping[int, Any]
    percent: bool = False


@dataclass(frozen=True)
class Column:
    """The cells of a column as they stand; or its numbers, nan where there is none, and by row what else is there."""

    cells: Sequence[Any] | np.ndarray[Any, Any]
    odd: Mapping[int, Any] = field(default_factory=dict)

    @cached_property
    def parsed(self) -> Parsed:
        """The numbers. Where only some of them have a percent sign, they have two units: the sign makes these odd."""
        values, odd = parse(self.cells)
        odd = {**odd, **self.odd}
        signed = {row: value for row, cell in odd.items() if has_percent(cell) and (value := number(cell)) is not None}
        if not signed or not np.isnan(values).all():
            return Parsed(values, odd)
        values = values.copy()
        values[list(signed)] = list(signed.values())
        return Parsed(values, {row: cell for row, cell in odd.items() if row not in signed}, True)

    def take(self, rows: Sequence[int]) -> Column:
        """Only these rows."""
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
    """Whether texts and numbers are told apart, as in JSON and frames; in text files all is text."""

    def __len__(self) -> int:
        return len(self.columns[0].cells) if self.columns else 0

    def error(self, message: str, row: int | None = None) -> ConcordantError:
        """The error at a row; of the header where none is given."""
        line = self.header_line if row is None else self.lines[row] if self.lines is not None else None
        return self.origin.error(message, line)

    def at(self, row: int) -> str:
        """Where a row is, behind a word for what is there; nothing where there are no lines."""
        return "" if self.lines is None else f" at line {self.lines[row]}"

    def labels(self, column: int, what: str) -> list[str]:
        """The labels in a column: strings and whole numbers."""
        cells = self.values(column)
        if set(map(type, cells)) == {str} and all(cells):  # there may be very many
            return list(cells)
        return [self._label(cell, row, column, what) for row, cell in enumerate(cells)]

    def _label(self, cell: Any, row: int, column: int, what: str) -> str:
        if isinstance(cell, str):
            if not cell:
                raise self.error(f"has no {what} in column {self.names[column]!r}", row)
            return cell
        if isinstance(cell, float | np.floating) and float(cell).is_integer() and abs(float(cell)) <= 2**53:
            return str(int(cell))  # pandas: a column with holes
        if not isinstance(cell, int | np.integer) or isinstance(cell, bool):
            way_out = "labels are strings or whole numbers; if the column is a system of its own, rename it"
            said = f"column {self.names[column]!r} holds {cell!r}, which is not a label of a {what}"
            raise self.error(f"{said}: {way_out}", row)
        return str(cell)

    def values(self, column: int) -> Sequence[Any]:
        """The cells of a column as they stand; of a column of numbers, the numbers."""
        cells = self.columns[column].cells
        if not isinstance(cells, np.ndarray):
            return cells
        found: list[Any] = cells.tolist()
        for row, cell in self.columns[column].odd.items():
            found[row] = cell
        return found

    def first_row(self) -> list[Any]:
        """The cells of the first row."""
        first = self.take([0])
        return [first.values(k)[0] for k in range(len(self.names))]

    def numbers(self, column: int, rows: Collection[int] | None = None) -> FloatArray:
        """The numbers of a column, nan where there is none; what is none is refused, or only in these rows."""
        return self.matrix([column], rows)[:, 0]

    def matrix(self, columns: Sequence[int], rows: Collection[int] | None = None) -> FloatArray:
        """Rows x these columns, as `numbers`."""
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
            raise self.error(f"{said}. {ONE_UNIT}")
        return self.unchecked(columns)

    def unchecked(self, columns: Iterable[int]) -> FloatArray:
        """Rows x these columns, nan where there is no number."""
        return np.column_stack([np.empty((len(self), 0)), *(self.columns[k].parsed.values for k in columns)])

    def words(self, column: int) -> Mapping[int, Any]:
        """What is no number in a column, by row."""
        return self.columns[column].parsed.odd

    def in_percent(self, columns: Collection[int]) -> bool:
        """Whether scores in some columns have a percent sign."""
        return any(self.columns[k].parsed.percent for k in columns)

    def _no_number(self, row: int, column: int) -> ConcordantError:
        """The error for a cell. A row without any number, such as a second header, can be left out."""
        scores = [k for k in range(1, len(self.names)) if self.has_numbers(k)]
        where = f" in column {self.names[column]!r}" + ("" if self.lines is not None else f", row {row + 1}")
        message = no_score(self.words(column)[row], where)
        if column and len(scores) > 1 and len(self) > 1 and all(row in self.words(k) for k in scores):
            left_out = argument("topics", [f"!{self.values(0)[row]}"])
            message += f" If the row is not a topic, leave it out with {left_out}."
        return self.error(message, row)

    def take(self, rows: Sequence[int]) -> Cells:
        """Only these rows."""
        lines = None if self.lines is None else [self.lines[row] for row in rows]
        return replace(self, columns=[column.take(rows) for column in self.columns], lines=lines)

    def without(self, columns: Sequence[int]) -> Cells:
        """All but these columns."""
        kept = [k for k in range(len(self.names)) if k not in columns]
        return replace(self, names=[self.names[k] for k in kept], columns=[self.columns[k] for k in kept])

    def has_numbers(self, column: int) -> bool:
        """Whether a column may be a measure: something in it is a number, or there is nothing in it."""
        found = self.columns[column].parsed
        return not found.odd or not np.isnan(found.values).all()


def parse(cells: Any) -> tuple[FloatArray, dict[int, Any]]:
    """The numbers of some cells, and what else stands in them, numbers in percent among it."""
    if isinstance(cells, np.ndarray):
        values: npt.NDArray[np.float64] = np.asarray(cells, dtype=np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            total = values.sum()
        if np.isfinite(total):  # quicker than to look at each
            return values, {}
        return values, {int(k): cells[k].item() for k in np.flatnonzero(np.isinf(values))}
    texts = all(type(cell) is str for cell in cells)
    plain = plain_numbers(["0" if cell in _HOLES else cell for cell in cells]) if texts else None
    if plain is not None:
        return np.where([cell in _HOLES for cell in cells], np.nan, plain), {}
    known = {text: _unsigned(text) for text in set(cells)} if texts else None  # many cells say the same
    found = [_unsigned(cell) for cell in cells] if known is None else [known[text] for text in cells]
    odd = {k: cells[k] for k, value in enumerate(found) if value is None}
    return np.array([np.nan if value is None else value for value in found], dtype=np.float64), odd


def _unsigned(cell: Any) -> float | None:
    return None if has_percent(cell) else cell_number(cell)


def scores_of(cells: Sequence[Any], error: Callable[[int, str], ConcordantError]) -> tuple[FloatArray, bool]:
    """The scores in some cells that are no table, nan where there is none, and whether they are in percent.

    `error(place, message)` is the error for a cell that is no score.
    """
    found = Column(cells).parsed
    for place, cell in found.odd.items():
        raise error(place, no_score(cell, missing="write nan"))
    return found.values, found.percent


MEAN = "\0mean"  # the row of one score per system; no topic is called so


@dataclass(frozen=True)
class Grid:
    """Scores of one measure, topics x systems, nan where there is none; one row, `MEAN`, where topics are not known.

    Of repeated measurements, topics x systems x runs. `systems` is None where all of it is one run, whose name is to be
    found elsewhere. `percent`: the file writes the scores with a percent sign.
    """

    scores: FloatArray
    topics: list[str]
    systems: list[str] | None = None
    percent: bool = False

    @property
    def values(self) -> FloatArray:
        """Topics x systems, means over runs."""
        return run_means(self.scores) if self.scores.ndim == 3 else self.scores

    @property
    def names(self) -> list[str]:
        """The systems, none where their name is to be found."""
        return self.systems or []

    def labels(self, axis: str) -> list[str]:
        """The topics or the systems."""
        return self.topics if axis == "topics" else self.names

    def take(self, rows: Sequence[int] | None = None, columns: Sequence[int] | None = None) -> Grid:
        """Only these topics, or these systems."""
        scores, topics, systems = self.scores, self.topics, self.systems
        if rows is not None:
            scores, topics = scores[rows], [topics[k] for k in rows]
        if columns is not None:
            scores, systems = scores[:, columns], [self.names[k] for k in columns]
        return replace(self, scores=scores, topics=topics, systems=systems)

    @classmethod
    def of_runs(cls, scores: Mapping[tuple[str, Any], float], topics: Iterable[str] = ()) -> Grid:
        """The scores of one system by topic and run; `topics` may have more topics, without scores."""
        row = {topic: k for k, topic in enumerate(dict.fromkeys([*(topic for topic, _ in scores), *topics]))}
        layer = {run: k for k, run in enumerate(dict.fromkeys(run for _, run in scores))}
        runs = np.full((len(row), 1, len(layer)), np.nan)
        for (topic, run), score in scores.items():
            runs[row[topic], 0, layer[run]] = score
        return cls(_flat(runs), list(row))


def _flat(runs: FloatArray) -> FloatArray:
    """Without the axis of runs where each cell has one."""
    return runs if runs.shape[2] > 1 else run_means(runs)


def pivot(  # noqa: PLR0917
    origin: Origin,
    topics: Sequence[str],
    systems: Sequence[str] | None,
    values: FloatArray,
    twice: Callable[[int, int], ConcordantError],
    percent: bool = False,
    runs: Sequence[str] | None = None,
) -> Grid:
    """One score for each topic and system, in the order of first appearance, without summary rows.

    `runs` tells repeated scores apart. `twice(first, again)` is the error for a second score.
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
    first[places[::-1]] = count[::-1]  # of equal places the last one stays
    again = np.flatnonzero(first[places] < count)
    if len(again):
        raise twice(int(first[places[again[0]]]), int(again[0]))
    return without_summaries(origin, Grid(_flat(found), names[0], None if systems is None else names[1], percent))


def join(grids: Sequence[Grid], names: Sequence[str], twice: Callable[[int, str, str], ConcordantError]) -> Grid:
    """The scores of several files in one matrix; `names` are the systems of those that are one run.

    `twice(k, system, topic)` is the error for a score of file k that another one has given.
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
        part = together[places]  # a copy
        clash = np.argwhere(~(np.isnan(part).all(axis=2) | np.isnan(own).all(axis=2)))
        if len(clash):
            topic, system = clash[0]
            raise twice(k, systems[k][system], grid.topics[topic])
        before = part[:, :, : own.shape[2]]
        before[:] = np.where(np.isnan(own), before, own)
        together[places] = part
    return Grid(_flat(together), list(row), list(column))


def without_summaries(origin: Origin, grid: Grid) -> Grid:
    """Leave out summary rows; where nothing else is there, say so instead of using them."""
    keep = [k for k, topic in enumerate(grid.topics) if not is_summary(topic)]
    if len(keep) == len(grid.topics):
        return grid
    warn_of_summaries(origin, grid.topics)
    if not keep:
        rows = f"holds only summary rows ({listing(grid.topics)}), no scores of topics"
        raise origin.error(f"{rows}: give a row for each topic (trec_eval -q, ir_measures -q)")
    return grid.take(keep)


def warn_of_summaries(origin: Origin, topics: Iterable[str]) -> None:
    """Warn of the rows that are left out as summaries, unless they have the name that tools give to them."""
    if left := dict.fromkeys(topic for topic in topics if is_summary(topic) and topic.lower() not in SUMMARY):
        said = f"left out, because rows of this name summarise topics: {listing(left)}"
        warn_of(origin, f"{said}; rename them if they are topics")


def warn_of_lost(origin: Origin, measure: str, topics: Iterable[str], kept: Iterable[str]) -> None:
    """Warn of topics that have scores, but none of the measure that is read."""
    if lost := {topic for topic in set(topics) - set(kept) if not is_summary(topic)}:
        warn_of(origin, f"topics without {measure!r} left out: {listing(sorted(lost))}")
