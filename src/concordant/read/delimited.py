"""Tables with a header: a matrix topics x systems, or long (PyTerrier perquery=True, and people's own).

CSV, TSV, semicolons or spaces; and records, one JSON object each (ir_measures -o jsonl), which are long
tables.
"""

from __future__ import annotations

import csv
import io
import math
import warnings
from collections.abc import Collection, Sequence
from typing import Any

from ..errors import DataWarning
from ..tables import Columns, are_scores, is_row_number, listing, name_columns
from .source import Source, number
from .table import OneColumn, Rows, Table, without_summary

# What stands in a cell that has no score.
_NOTHING = frozenset({"", "na", "n/a", "nan", "null", "none", "-"})
_WAY_OUT = "give a row for each topic"
Cells = list[tuple[int, Sequence[Any]]]


def read_delimited(source: Source) -> Table | None:
    """A table with a header line; None if it does not look like one."""
    _, header, cells = _cells(source, 2)  # the beginning tells whether the rest is worth reading
    if not cells or all(number(name) is not None for name in header):
        return None
    if len(cells[0][1]) == len(header) + 1:  # R's write.table names no column for the row names
        header = ["", *header]
    layout = name_columns(header)
    if not isinstance(layout, str) and layout.kind == "matrix" and not _plausible(cells[0][1], layout):
        return None
    header_line, _, cells = _cells(source)
    return from_cells(source, header, cells, header_line)


def from_cells(source: Source, header: Sequence[str], cells: Cells, header_line: int) -> Table | None:
    """A table from its header and rows; None if its cells are not what the header promises."""
    layout = name_columns(header)
    if isinstance(layout, str):
        raise source.error(layout, header_line)
    if layout.kind == "matrix" and not _plausible(cells[0][1], layout):
        return None
    _refuse_twice(source, header, header_line)
    for line, row in cells:
        if len(row) != len(header):
            raise source.error(f"has {len(row)} fields where the header has {len(header)}", line)
    if layout.kind == "matrix":
        return _matrix(source, header, cells, layout)
    if layout.value is None and layout.system is not None:
        _refuse_scores_as_names(source, header, cells, layout, header_line)
    if layout.value is not None and layout.measure is None:
        return OneColumn(source, _long_rows(source, header, cells, layout, layout.value))
    return _Long(source, header, cells, layout)


def _cells(source: Source, most: int | None = None) -> tuple[int, list[str], Cells]:
    """The line of the header, the header, and the rows with their lines; at most so many, the header included."""
    line, first = next(source.lines())
    delimiter = next((mark for mark in "\t,;" if mark.encode() in first), " ")
    text = io.StringIO(source.data.decode(), newline="")
    for _ in range(line - 1):  # comments before the header
        text.readline()
    # strict: a quotation mark that is never closed would swallow the rest of the file.
    reader = csv.reader(text, delimiter=delimiter, strict=True, skipinitialspace=delimiter != "\t")
    rows: Cells = []
    try:
        for row in reader:
            if any(cells := [cell.strip(" \t\n") for cell in row]):
                rows.append((line - 1 + reader.line_num, cells))
            if len(rows) == most:
                break
    except csv.Error as error:
        raise source.error(f"is not a table: {error}", line - 1 + max(reader.line_num, 1)) from None
    if not rows:
        raise source.error("is a table of empty fields", line)
    return rows[0][0], list(rows[0][1]), rows[1:]


def _plausible(row: Sequence[Any], layout: Columns) -> bool:
    """Whether the first row of a matrix has a score in it; prose and other formats have none."""
    return any(k < len(row) and _number(row[k]) is not None for k in layout.others)


def _score(source: Source, cell: Any, line: int, name: str) -> float:
    value = _number(cell)
    if value is None:
        raise source.error(f"column {name!r} holds {cell!r}, which is not a finite number", line)
    return value


def _number(cell: Any) -> float | None:
    """A cell's finite number, nan where it says that there is none, None where it is something else."""
    if cell is None:
        return math.nan
    if isinstance(cell, str):
        return math.nan if cell.lower() in _NOTHING else number(cell)
    try:
        value = float(cell) if isinstance(cell, int | float) else math.inf
    except OverflowError:
        return None
    return None if math.isinf(value) else value


def _matrix(source: Source, header: Sequence[str], cells: Cells, layout: Columns) -> Table:
    columns = list(layout.others)
    if layout.topic is not None:
        topics = [str(row[layout.topic]) for _, row in cells]
    elif not all(_number(row[0]) is not None for _, row in cells):  # the first column holds words
        topics, columns = [str(row[0]) for _, row in cells], columns[1:]
    elif is_row_number(
        [_number(row[0]) for _, row in cells], [_number(row[k]) for _, row in cells for k in columns[1:]]
    ):
        warnings.warn(
            f"{source.label}: column {header[0]!r} holds a different whole number in each row: read as the "
            "topics, not as a system; name it topic",
            DataWarning,
            stacklevel=2,
        )
        topics, columns = [str(row[0]) for _, row in cells], columns[1:]
    else:
        topics = [str(k + 1) for k in range(len(cells))]
    names = [header[k] for k in columns]
    if not names:
        raise source.error("has topics but no column of scores", cells[0][0])
    _refuse_topics_twice(source, topics, cells)
    rows = Rows(
        [topic for topic in topics for _ in names],
        [_score(source, row[k], line, header[k]) for line, row in cells for k in columns],
        names * len(cells),
        [line for line, _ in cells for _ in names],
    )
    return OneColumn(source, without_summary(source, rows, _WAY_OUT))


def _refuse_twice(source: Source, header: Sequence[str], line: int) -> None:
    for k, name in enumerate(header):
        if not name and k:
            raise source.error(f"column {k + 1} has no name in the header", line)
        if name in header[:k]:
            raise source.error(
                f"two columns are named {name!r}: rename one, or leave it out if both are the same run", line
            )


def _refuse_scores_as_names(source: Source, header: Sequence[str], cells: Cells, layout: Columns, line: int) -> None:
    """A matrix may have a system called `model`: then each topic comes once, and its cells are scores."""
    assert layout.system is not None
    assert layout.topic is not None
    names, topics = [row[layout.system] for _, row in cells], [row[layout.topic] for _, row in cells]
    if are_scores(list(map(_number, names)), topics):
        raise source.error(
            f"column {header[layout.system]!r} should name the systems, but holds numbers: if it is a system "
            "of its own, rename it",
            line,
        )


def _refuse_topics_twice(source: Source, topics: list[str], cells: Cells) -> None:
    seen: dict[str, int] = {}
    for topic, (line, _) in zip(topics, cells, strict=True):
        if not topic:
            raise source.error("has no topic", line)
        if topic in seen:
            raise source.error(f"topic {topic!r} was given at line {seen[topic]} already", line)
        seen[topic] = line


class _Long(Table):
    """A long table whose measures are a column, or each a column of its own."""

    def __init__(self, source: Source, header: Sequence[str], cells: Cells, layout: Columns) -> None:
        super().__init__(source)
        self.header, self.cells, self.layout = header, cells, layout

    def measures(self) -> Collection[str]:
        if self.layout.measure is not None:
            return list(dict.fromkeys(str(row[self.layout.measure]) for _, row in self.cells))
        return [self.header[k] for k in self.layout.others if all(_number(row[k]) is not None for _, row in self.cells)]

    def rows(self, measure: str) -> Rows:
        column, cells = self.layout.value, self.cells
        if self.layout.measure is not None:
            cells = [(line, row) for line, row in cells if str(row[self.layout.measure]) == measure]
        else:
            column = next((k for k in self.layout.others if self.header[k] == measure), None)
        if column is None or not cells:
            raise self.no_measure(measure)
        return _long_rows(self.source, self.header, cells, self.layout, column)


def _long_rows(source: Source, header: Sequence[str], cells: Cells, layout: Columns, column: int) -> Rows:
    assert layout.topic is not None
    topics = [_label(source, row[layout.topic], line) for line, row in cells]
    systems = None if layout.system is None else [_label(source, row[layout.system], line) for line, row in cells]
    seen: dict[tuple[str, str], int] = {}
    for k, (line, _) in enumerate(cells):
        key = (systems[k] if systems else "", topics[k])
        if key in seen:
            extra = [header[j] for j in layout.others] if layout.value is not None else []
            hint = f"; keep one value of {listing(extra)}" if extra else ""
            raise source.error(f"the same score was given at line {seen[key]}{hint}", line)
        seen[key] = line
    values = [_score(source, row[column], line, header[column]) for line, row in cells]
    return without_summary(source, Rows(topics, values, systems, [line for line, _ in cells]), _WAY_OUT)


def _label(source: Source, cell: Any, line: int) -> str:
    if not isinstance(cell, str | int) or isinstance(cell, bool) or not str(cell):
        raise source.error(f"{cell!r} is no label of a topic or system", line)
    return str(cell)
