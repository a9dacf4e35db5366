"""A table of cells with named columns, as files, JSON records and frames all are, and where it came from."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ..arrays import FloatArray
from ..errors import ConcordantError, InputError, warn
from ..words import argument
from .numbers import cell_number
from .vocabulary import holds_labels


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


@dataclass(frozen=True)
class Cells:
    """Named columns of equal length.

    Columns whose names say that they hold labels are kept as they stand; of the others, the numbers: `block` is rows x
    those columns, nan where a cell has none, and `odd` holds what else stands in a cell, by column and row.
    """

    origin: Origin
    names: Sequence[str]
    kept: Mapping[int, Sequence[Any]]
    block: FloatArray
    odd: Mapping[int, Mapping[int, Any]] = field(default_factory=dict)
    lines: Sequence[int] | None = None
    header_line: int | None = None
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
            raise self.error(
                f"column {self.names[column]!r} holds {cell!r}, which is not a label of a {what}: labels are strings "
                "or whole numbers; if the column is a system of its own, rename it",
                row,
            )
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

    def numbers(self, column: int, rows: Collection[int] | None = None) -> FloatArray:
        """The numbers of a column, nan where there is none; what is none is refused, or only in these rows."""
        return self.matrix([column], rows)[:, 0]

    def matrix(self, columns: Sequence[int], rows: Collection[int] | None = None) -> FloatArray:
        """Rows x these columns, as `numbers`."""
        words = [(row, k) for k in columns for row in self.words(k)]
        asked = set(rows) if words and rows is not None else None
        bad = min((place for place in words if asked is None or place[0] in asked), default=None)
        if bad is not None:
            raise self._no_number(bad[1], bad[0])
        if list(columns) == list(self.places):
            return self.block
        return np.column_stack([self._split(k)[0] for k in columns])

    def words(self, column: int) -> Mapping[int, Any]:
        """What is no number in a column, by row."""
        return self._split(column)[1]

    def _split(self, column: int) -> tuple[FloatArray, Mapping[int, Any]]:
        if column in self.kept:
            return _numbers(self.kept[column])
        return self.block[:, self.places[column]], self.odd.get(column, {})

    def _no_number(self, column: int, row: int) -> ConcordantError:
        """The error for a cell; for a row that has no number at all, such as a second header, the way to do without it."""
        cell = self.words(column)[row]
        scores = [k for k in self.places if self.has_numbers(k)]
        label = str(self.kept[0][row]) if 0 in self.kept else ""
        if label and scores and len(self) > 1 and all(row in self.words(k) for k in scores):
            way_out = f"leave this row out with {argument('topics', ['!' + label])}"
        else:
            way_out = "write a plain decimal such as 0.5; if the score is missing, leave the cell empty or write nan"
        return self.error(f"column {self.names[column]!r} holds {cell!r}, which is not a finite number: {way_out}", row)

    def take(self, rows: Sequence[int]) -> Cells:
        """Only these rows."""
        place = {row: k for k, row in enumerate(rows)}
        kept = {k: [cells[row] for row in rows] for k, cells in self.kept.items()}
        odd = {k: {place[row]: cell for row, cell in cells.items() if row in place} for k, cells in self.odd.items()}
        lines = None if self.lines is None else [self.lines[row] for row in rows]
        return replace(self, kept=kept, block=self.block[rows], odd=odd, lines=lines)

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
            texts=None if self.texts is None else frozenset(place[k] for k in self.texts if k in place),
        )

    def has_numbers(self, column: int) -> bool:
        """Whether a column may be a measure: something in it is a number, or there is nothing in it."""
        values, words = self._split(column)
        return not words or not np.isnan(values).all()

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
        found = {k: _numbers(columns[k]) for k in rest}
        count = len(columns[0]) if len(columns) else 0
        texts = frozenset(k for k in range(len(names)) if count and _is_text(columns[k]))
        block = np.column_stack([found[k][0] for k in rest]) if rest else np.empty((count, 0))
        strange = {k: odd for k in rest if (odd := found[k][1])}
        return cls(origin, names, kept, block, strange, lines, header_line, texts)


def _is_text(cells: Any) -> bool:
    numbers = isinstance(cells, np.ndarray) and cells.dtype.kind in "fiub"
    return not numbers and all(isinstance(cell, str) for cell in cells)


def _numbers(cells: Any) -> tuple[FloatArray, dict[int, Any]]:
    """The numbers of some cells, nan where there is none, and what else stands in them, by place."""
    if isinstance(cells, np.ndarray) and cells.dtype.kind in "fiub":
        values: npt.NDArray[np.float64] = np.asarray(cells, dtype=np.float64)
        if np.isfinite(values.sum()):  # quicker than to look at each
            return values, {}
        return values, {int(k): cells[k].item() for k in np.flatnonzero(np.isinf(values))}
    found = [cell_number(cell) for cell in cells]
    odd = {k: cells[k] for k, value in enumerate(found) if value is None}
    return np.array([np.nan if value is None else value for value in found], dtype=np.float64), odd
