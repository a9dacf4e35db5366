"""What is a number; a table of cells with named columns, as files, JSON records and frames all are; and the matrix of
its scores, or of those of several files.
"""

from __future__ import annotations

import itertools
import math
import re
import unicodedata
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
from .vocabulary import SUMMARY, holds_labels, is_summary

# What stands in a cell that has no score.
NOTHING = frozenset({"", "na", "n/a", "#n/a", "nan", "null", "none", "-"})
_HOLES = frozenset({"", "nan", "NaN", "NA"})  # as most programs write it
# Each character can be matched in one way only, so that no long cell takes long to refuse.
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_FRACTION = re.compile(r"([+-]?\d{1,15}) ?/ ?(\d{1,15})", re.ASCII)
_GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}([,.' _])\d{3}(?:\1\d{3})*(?!\1)(?:[,.]\d+)?", re.ASCII)
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+", re.ASCII)


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


def not_a_number(cell: Any, where: str = "", what: str = "", missing: str = "leave the cell empty or write nan") -> str:
    """What is wrong with a cell that should be a number, and what to write instead.

    >>> not_a_number("1/2", missing="write nan")
    "'1/2' is not a number. If it stands for 0.5, write 0.5; if it is missing, write nan."
    """
    shown = in_digits(cell)
    shown = shown if len(shown) <= 60 else f"{shown[:57]}..."
    kind, instead = "number", "Write digits with a decimal point, such as 0.25"
    meant = _meanings(cell) if isinstance(cell, str) else []
    if _is_infinite(cell):
        kind, instead = "finite number", "Write a number up to 1e300"
    elif meant:
        it = meant[0] if len(meant) == 1 else "that"
        instead = f"If it stands for {' or '.join(meant)}, write {it}"
    return f"{what}{shown}{where} is not a {kind}. {instead}; if it is missing, {missing}."


def _is_infinite(cell: Any) -> bool:
    try:
        return math.isinf(float(cell))
    except OverflowError:
        return True
    except (TypeError, ValueError):
        return False


def _meanings(text: str) -> list[str]:
    """The numbers that a text may stand for: 1/2, 1,234 (two of them), 0,5, 1_000 or digits of other scripts."""
    plain = unicodedata.normalize("NFKC", text if len(text) < 40 else "").replace("\N{FRACTION SLASH}", "/").strip()
    if (parts := _FRACTION.fullmatch(plain)) and int(parts[2]):
        return [f"{int(parts[1]) / int(parts[2]):.6g}"]
    found = [plain, plain.replace("_", "")]
    if grouped := _GROUPED.fullmatch(plain):
        found.append(plain.replace(grouped[1], "").replace(",", "."))
    if _DECIMAL_COMMA.fullmatch(plain):
        found.append(plain.replace(",", "."))
    return [text for text in dict.fromkeys(found) if plain_number(text) is not None]


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


BoolArray = npt.NDArray[np.bool_]


class Parsed(NamedTuple):
    """What some cells hold: numbers, nan where there is none; by place, what is neither; and which are in percent."""

    values: FloatArray
    odd: Mapping[int, Any]
    percent: BoolArray | None
    """None where no cell has the sign."""


@dataclass(frozen=True)
class Cells:
    """Named columns of equal length.

    Columns whose names say that they hold labels are kept as they stand; of the others, the numbers: `block` is rows x
    those columns, nan where a cell has none, and `odd` holds what else stands in a cell, by column and row. `percent`
    says which rows of a column have a percent sign.
    """

    origin: Origin
    names: Sequence[str]
    kept: Mapping[int, Sequence[Any]]
    block: FloatArray
    odd: Mapping[int, Mapping[int, Any]] = field(default_factory=dict)
    lines: Sequence[int] | None = None
    header_line: int | None = None
    percent: Mapping[int, BoolArray] = field(default_factory=dict)
    texts: frozenset[int] | None = None
    """Of JSON and frames, whose cells have types: the columns of text. None for text files, where all is text."""

    def __len__(self) -> int:
        return len(self.block)

    @cached_property
    def places(self) -> dict[int, int]:
        """Which column of `block` a column is."""
        return {k: place for place, k in enumerate(k for k in range(len(self.names)) if k not in self.kept)}

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
        if column in self.kept:
            return self.kept[column]
        cells: list[Any] = self.block[:, self.places[column]].tolist()
        for row, cell in self.odd.get(column, {}).items():
            cells[row] = cell
        return cells

    def labels_are_numbers(self, column: int) -> bool:
        """Whether all labels of a column are numbers."""
        cells = self.values(column)
        return all(cell_number(c) is not None for c in cells) and column not in (self.texts or ())

    def first_row(self) -> list[Any]:
        """The cells of the first row."""
        return [
            self.kept[k][0] if k in self.kept else self.odd.get(k, {}).get(0, self.block[0, self.places[k]])
            for k in range(len(self.names))
        ]

    def _parsed(self, column: int) -> Parsed:
        if column in self.kept:
            return parse(self.kept[column])
        return Parsed(self.block[:, self.places[column]], self.odd.get(column, {}), self.percent.get(column))

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
        self._refuse_mixed(columns, rows)
        if list(columns) == list(self.places):
            return self.block
        return np.column_stack([self._parsed(k).values for k in columns])

    def words(self, column: int) -> Mapping[int, Any]:
        """What is no number in a column, by row."""
        return self._parsed(column).odd

    def in_percent(self, columns: Collection[int]) -> bool:
        """Whether scores in some columns have a percent sign."""
        return any(k in self.percent or (k in self.kept and self._parsed(k).percent is not None) for k in columns)

    def _refuse_mixed(self, columns: Sequence[int], rows: Collection[int] | None = None) -> None:
        """Refuse 45% beside 0.45, whether in a column or in two: what is compared has to have one unit."""
        if not self.in_percent(columns):
            return
        found = [self._parsed(k) for k in columns]
        values = np.column_stack([column.values for column in found])
        signs = np.column_stack([c.percent if c.percent is not None else np.zeros(len(self), np.bool_) for c in found])
        places = list(range(len(self))) if rows is None else sorted(rows)
        mixed = mixed_percent(values[places], signs[places])
        if mixed is not None:
            (row, k), (other, j) = (divmod(place, len(columns)) for place in mixed)
            row, other = places[row], places[other]
            beside = f" in column {self.names[columns[j]]!r}{self._row(other, ' at line ')}"
            said = percent_beside(values[row, k], self._in(columns[k], row), values[other, j], beside)
            raise self.error(said, row)

    def _in(self, column: int, row: int) -> str:
        """Where a cell is; its line is named by the error."""
        return f" in column {self.names[column]!r}" + ("" if self.lines is not None else self._row(row))

    def _row(self, row: int, line: str = "") -> str:
        return f"{line}{self.lines[row]}" if self.lines is not None else f", row {row + 1}"

    def _no_number(self, row: int, column: int) -> ConcordantError:
        """The error for a cell. A row without any number, such as a second header, can be left out."""
        scores = [k for k in self.places if self.has_numbers(k)]
        label = str(self.kept[0][row]) if 0 in self.kept else ""
        message = not_a_number(self.words(column)[row], self._in(column, row))
        if label and len(scores) > 1 and len(self) > 1 and all(row in self.words(k) for k in scores):
            message += f" If the row is not a topic, leave it out with {argument('topics', ['!' + label])}."
        return self.error(message, row)

    def take(self, rows: Sequence[int]) -> Cells:
        """Only these rows."""
        place = {row: k for k, row in enumerate(rows)}
        kept = {k: [cells[row] for row in rows] for k, cells in self.kept.items()}
        odd = {k: {place[row]: cell for row, cell in cells.items() if row in place} for k, cells in self.odd.items()}
        percent = {k: signs[rows] for k, signs in self.percent.items()}
        lines = None if self.lines is None else [self.lines[row] for row in rows]
        return replace(self, kept=kept, block=self.block[rows], odd=odd, percent=percent, lines=lines)

    def without(self, columns: Sequence[int]) -> Cells:
        """All but these columns."""
        if not columns:
            return self
        place = {k: new for new, k in enumerate(k for k in range(len(self.names)) if k not in columns)}
        return replace(
            self,
            names=[self.names[k] for k in place],
            kept={place[k]: cells for k, cells in self.kept.items() if k in place},
            block=self.block[:, [new for k, new in self.places.items() if k in place]],
            odd={place[k]: cells for k, cells in self.odd.items() if k in place},
            percent={place[k]: signs for k, signs in self.percent.items() if k in place},
            texts=None if self.texts is None else frozenset(place[k] for k in self.texts if k in place),
        )

    def has_numbers(self, column: int) -> bool:
        """Whether a column may be a measure: something in it is a number, or there is nothing in it."""
        found = self._parsed(column)
        return not found.odd or not np.isnan(found.values).all()

    @classmethod
    def of(
        cls,
        origin: Origin,
        names: Sequence[str],
        columns: Sequence[Any],
        *,
        keep: Collection[str] = (),
        lines: Sequence[int] | None = None,
        header_line: int | None = None,
    ) -> Cells:
        """Cells of columns in memory: lists of anything, or arrays of numbers."""
        kept = {
            k: columns[k].tolist() if isinstance(columns[k], np.ndarray) else columns[k]
            for k, name in enumerate(names)
            if holds_labels(name, k) or name in keep
        }
        rest = [k for k in range(len(names)) if k not in kept]
        found = {k: parse(columns[k]) for k in rest}
        count = len(columns[0]) if len(columns) else 0
        texts = frozenset(k for k in range(len(names)) if count and _is_text(columns[k]))
        block = np.column_stack([found[k].values for k in rest]) if rest else np.empty((count, 0))
        strange = {k: found[k].odd for k in rest if found[k].odd}
        percent = {k: signs for k in rest if (signs := found[k].percent) is not None}
        return cls(origin, names, kept, block, strange, lines, header_line, percent, texts)


def _is_text(cells: Any) -> bool:
    numbers = isinstance(cells, np.ndarray) and cells.dtype.kind in "fiub"
    return not numbers and all(isinstance(cell, str) for cell in cells)


def parse(cells: Any) -> Parsed:
    """The numbers of some cells, and what else stands in them."""
    if isinstance(cells, np.ndarray) and cells.dtype.kind in "fiub":
        values: npt.NDArray[np.float64] = np.asarray(cells, dtype=np.float64)
        if np.isfinite(values.sum()):  # quicker than to look at each
            return Parsed(values, {}, None)
        return Parsed(values, {int(k): cells[k].item() for k in np.flatnonzero(np.isinf(values))}, None)
    texts = all(type(cell) is str for cell in cells)
    plain = plain_numbers(["0" if cell in _HOLES else cell for cell in cells]) if texts else None
    if plain is not None:
        holes = [cell in _HOLES for cell in cells]
        return Parsed(np.where(holes, np.nan, plain), {}, None)
    known = {text: cell_number(text) for text in set(cells)} if texts else None  # many cells say the same
    found = [cell_number(cell) for cell in cells] if known is None else [known[text] for text in cells]
    odd = {k: cells[k] for k, value in enumerate(found) if value is None}
    values = np.array([np.nan if value is None else value for value in found], dtype=np.float64)
    signs = np.array([has_percent(cell) for cell in cells], dtype=np.bool_) & ~np.isnan(values)
    return Parsed(values, odd, signs if signs.any() else None)


def scores_of(cells: Sequence[Any], error: Callable[[int, str], ConcordantError]) -> tuple[FloatArray, bool]:
    """The scores in some cells that are no table, nan where there is none, and whether they are in percent.

    `error(place, message)` is the error for a cell that is no score.
    """
    found = parse(cells)
    for place, cell in found.odd.items():
        raise error(place, not_a_number(cell, missing="write nan"))
    if found.percent is None:
        return found.values, False
    mixed = mixed_percent(found.values, found.percent)
    if mixed is not None:
        raise error(mixed[0], percent_beside(found.values[mixed[0]], "", found.values[mixed[1]], ""))
    return found.values, True


def mixed_percent(values: FloatArray, signs: BoolArray) -> tuple[int, int] | None:
    """The places of the first number with a percent sign and of the first one without; None if all are alike."""
    there = ~np.isnan(values)
    with_sign, without = (there & signs).ravel(), (there & ~signs).ravel()
    return (int(with_sign.argmax()), int(without.argmax())) if with_sign.any() and without.any() else None


def percent_beside(signed: float, where: str, plain: float, beside: str) -> str:
    """What is wrong with a score in percent beside one that is not."""
    said = f"{signed:g}%{where} has a percent sign, but {plain:g}{beside} has none"
    return f"{said}. Write all of these scores with the sign, or all without it, in the same unit."


MEAN = "\0mean"  # the row of one score per system; no topic is called so


@dataclass(frozen=True)
class Grid:
    """Scores of one measure, topics x systems, nan where there is none; one row, `MEAN`, where topics are not known.

    `systems` is None where all of it is one run, whose name is to be found elsewhere. `percent`: the file writes the
    scores with a percent sign. `runs` has what `values` are means of, topics x systems x runs, where there are several.
    """

    values: FloatArray
    topics: list[str]
    systems: list[str] | None = None
    percent: bool = False
    runs: FloatArray | None = None

    @property
    def names(self) -> list[str]:
        """The systems, none where their name is to be found."""
        return self.systems or []

    def labels(self, axis: str) -> list[str]:
        """The topics or the systems."""
        return self.topics if axis == "topics" else self.names

    def take(self, rows: Sequence[int] | None = None, columns: Sequence[int] | None = None) -> Grid:
        """Only these topics, or these systems."""
        place = (slice(None) if rows is None else rows, slice(None) if columns is None else columns)
        values, runs = (None if a is None else a[place[0]][:, place[1]] for a in (self.values, self.runs))
        assert values is not None
        topics = self.topics if rows is None else [self.topics[k] for k in rows]
        systems = self.systems if columns is None else [self.names[k] for k in columns]
        return replace(self, values=values, topics=topics, systems=systems, runs=runs)

    def with_systems(self, names: list[str]) -> Grid:
        """The same with systems that have no scores."""
        if not names:
            return self
        values, runs = (
            None if a is None else np.hstack([a, np.full((len(a), len(names), *a.shape[2:]), np.nan)])
            for a in (self.values, self.runs)
        )
        assert values is not None
        return replace(self, values=values, systems=[*self.names, *names], runs=runs)

    @classmethod
    def of_runs(cls, scores: Mapping[tuple[str, Any], float], topics: Iterable[str] = ()) -> Grid:
        """The scores of one system by topic and run; `topics` may have more topics, without scores."""
        row = {topic: k for k, topic in enumerate(dict.fromkeys([*(topic for topic, _ in scores), *topics]))}
        layer = {run: k for k, run in enumerate(dict.fromkeys(run for _, run in scores))}
        runs = np.full((len(row), 1, len(layer)), np.nan)
        for (topic, run), score in scores.items():
            runs[row[topic], 0, layer[run]] = score
        return cls(run_means(runs), list(row), runs=runs if len(layer) > 1 else None)


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

    Where `runs` tells repeated scores apart, each cell has their mean. `twice(first, again)` is the error for a second
    score.
    """
    keep = _topics_only(origin, topics)
    if len(keep) < len(topics):
        topics, values = [topics[k] for k in keep], values[keep]
        systems = None if systems is None else [systems[k] for k in keep]
        runs = None if runs is None else [runs[k] for k in keep]
    row = {label: k for k, label in enumerate(dict.fromkeys(topics))}
    column = {label: k for k, label in enumerate(dict.fromkeys(systems))} if systems is not None else {"": 0}
    places = _codes(topics, row) * len(column)
    if systems is not None:
        places += _codes(systems, column)
    layer = {label: k for k, label in enumerate(dict.fromkeys(runs or ("",)))}
    if runs is not None:
        places = places * len(layer) + _codes(runs, layer)
    found = np.full(len(row) * len(column) * len(layer), np.nan)
    found[places] = values
    first = np.full(len(found), len(places))
    np.minimum.at(first, places, np.arange(len(places)))
    again = np.flatnonzero(first[places] < np.arange(len(places)))
    if len(again):
        raise twice(keep[int(first[places[again[0]]])], keep[int(again[0])])
    cells = found.reshape(len(row), len(column), len(layer))
    names = None if systems is None else list(column)
    return Grid(run_means(cells), list(row), names, percent, cells if len(layer) > 1 else None)


def _codes(labels: Sequence[str], places: dict[str, int]) -> npt.NDArray[np.intp]:
    return np.fromiter(map(places.__getitem__, labels), np.intp, len(labels))


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
    values = np.full((len(row), len(column)), np.nan)
    most = max(grid.runs.shape[2] if grid.runs is not None else 1 for grid in grids)
    runs = np.full((*values.shape, most), np.nan) if most > 1 else None
    for k, grid in enumerate(grids):
        places = np.ix_([row[t] for t in grid.topics], [column[s] for s in systems[k]])
        before = values[places]
        clash = np.argwhere(~(np.isnan(before) | np.isnan(grid.values)))
        if len(clash):
            topic, system = clash[0]
            raise twice(k, systems[k][system], grid.topics[topic])
        values[places] = np.where(np.isnan(before), grid.values, before)
        if runs is not None:
            own = grid.values[:, :, None] if grid.runs is None else grid.runs
            part = runs[places]  # a copy
            part[:, :, : own.shape[2]] = np.where(np.isnan(own), part[:, :, : own.shape[2]], own)
            runs[places] = part
    return Grid(values, list(row), list(column), runs=runs)


def without_summaries(origin: Origin, grid: Grid) -> Grid:
    """Leave out summary rows; where nothing else is there, say so instead of using them."""
    keep = _topics_only(origin, grid.topics)
    if len(keep) == len(grid.topics):
        return grid
    return grid.take(keep)


def _topics_only(origin: Origin, topics: Sequence[str]) -> Sequence[int]:
    """The places of topics that are no summaries."""
    keep = [k for k, topic in enumerate(topics) if not is_summary(topic)]
    if len(keep) < len(topics):
        warn_of_summaries(origin, topics)
    if not keep:
        rows = f"holds only summary rows ({listing(dict.fromkeys(topics))}), no scores of topics"
        raise origin.error(f"{rows}: give a row for each topic (trec_eval -q, ir_measures -q)")
    return keep


def warn_of_summaries(origin: Origin, topics: Iterable[str]) -> None:
    """Warn of the rows that are left out as summaries, unless they have the name that tools give to them."""
    if left := dict.fromkeys(topic for topic in topics if is_summary(topic) and topic.lower() not in SUMMARY):
        said = f"left out, because rows of this name summarise topics: {listing(left)}"
        warn_of(origin, f"{said}; rename them if they are topics")


def warn_of_lost(origin: Origin, measure: str, topics: Iterable[str], kept: Iterable[str]) -> None:
    """Warn of topics that have scores, but none of the measure that is read."""
    if lost := {topic for topic in set(topics) - set(kept) if not is_summary(topic)}:
        warn_of(origin, f"topics without {measure!r} left out: {listing(sorted(lost))}")
