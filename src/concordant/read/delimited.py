"""Tables with a header: a matrix topics x systems, or long (PyTerrier perquery=True, and people's own).

CSV, TSV, semicolons or spaces; and records, one JSON object each (ir_measures -o jsonl), which are long
tables.
"""

from __future__ import annotations

import csv
import io
import math
import re
import warnings
from collections.abc import Collection, Sequence
from typing import Any

from ..errors import DataWarning, ReadError, limit_of
from ..tables import (
    Columns,
    are_scores,
    invent_topics,
    is_fraction,
    is_row_number,
    name_columns,
    no_measure,
    number_rows,
    says_row_number,
    unclear_row_number,
    warn_of_counters,
    wrong_rows,
)
from ..vocabulary import is_summary, names_labels
from ..words import listing
from .source import QUOTED, Source, number
from .table import OneColumn, Rows, Table, without_summary

# What stands in a cell that has no score.
_NOTHING = frozenset({"", "na", "n/a", "#n/a", "nan", "null", "none", "-"})
# A cell takes up to 170 bytes of memory. Set CONCORDANT_MAX_CELLS in the environment, or this, to read larger tables.
MAX_CELLS = limit_of("CONCORDANT_MAX_CELLS", 10_000_000)
_WAY_OUT = "give a row for each topic"
_DIGITS = re.compile(r"[0-9.eE+-]*")
Cells = list[tuple[int, Sequence[Any]]]


def read_delimited(source: Source) -> Table | None:
    """A table with a header line; None if it does not look like one."""
    header_line, header, cells = _cells(source, 2)  # the beginning tells whether the rest is worth reading
    if not cells or all(number(name) is not None for name in header):
        return None
    width = len(header)
    longer = len(cells[0][1]) == width + 1
    trailing = longer and any(map(names_labels, header))  # a delimiter ends each row, or a name is missing
    if longer and not trailing:  # R's write.table names no column for the row names
        header = ["", *header]
    scores = [_number(name) for name in header[1:]]  # nan where a cell says that there is none
    if not names_labels(header[0]) and None not in scores and any(number(name) is not None for name in header[1:]):
        raise no_header(source, header_line)
    layout = name_columns(header)
    if not isinstance(layout, str) and not _plausible(cells[0][1], layout):
        return None
    header_line, _, cells = _cells(source)
    if trailing:
        cells = [(line, row[:-1] if len(row) == width + 1 and not row[-1] else row) for line, row in cells]
    elif longer and (bad := next((line for line, row in cells if is_fraction(number(row[0]))), None)) is not None:
        raise _unequal(source, width + 1, width, bad)  # no row is named so: these are scores
    return from_cells(source, header, cells, header_line)


def no_header(source: Source, line: int) -> ReadError:
    """The error for a table that starts with its numbers; its header may have been taken for a comment."""
    before = (text for text in source.data.split(b"\n", line)[: line - 1] if text.startswith(b"#"))
    width = len(_split(source.text(line).encode()))
    comment = next((text.decode() for text in before if len(_split(text)) == width > 1), None)
    hint = "" if comment is None else f" (lines that start with # are comments: {comment[:80]!r})"
    return source.error(
        "holds numbers without a header: add a first line with the systems' names, after topic where the first column "
        f"holds the topics{hint}",
        line,
    )


def _split(line: bytes) -> list[bytes]:
    return line.split(_delimiter(line).strip(" ").encode() or None)


def from_cells(source: Source, header: Sequence[str], cells: Cells, header_line: int) -> Table | None:
    """A table from its header and rows; None if its cells are not what the header promises."""
    layout = name_columns(header)
    if isinstance(layout, str):
        raise source.error(layout, header_line)
    if not _plausible(cells[0][1], layout):
        return None
    _refuse_twice(source, header, header_line)
    for line, row in cells:
        if len(row) != len(header):
            raise _unequal(source, len(row), len(header), line)
    warn_of_counters(header, layout, f"{source.label}: ")
    if layout.kind != "long":
        return _matrix(source, header, cells, layout, header_line)
    if layout.system is None and layout.value is None and layout.topic is not None:
        rows = [str(row[layout.topic]) for _, row in cells]
        if wrong := wrong_rows(header[layout.topic], rows, [header[k] for k in layout.others]):
            raise source.error(wrong, header_line)
    if layout.value is None and layout.system is not None:
        _refuse_scores_as_names(source, header, cells, layout, header_line)
    if layout.value is not None and layout.measure is None:
        return _Value(source, header, cells, layout, layout.value)
    return _Long(source, header, cells, layout)


def _unequal(source: Source, fields: int, names: int, line: int) -> ReadError:
    return source.error(f"has {fields} fields where the header has {names}: name each column once", line)


def _cells(source: Source, most: int | None = None) -> tuple[int, list[str], Cells]:
    """The line of the header, the header, and the rows with their lines; at most so many, the header included."""
    line, first = next(source.lines())
    delimiter = _delimiter(first)
    if most is None and source.data.count(delimiter.encode()) + source.data.count(b"\n") > MAX_CELLS:
        raise source.error(
            f"is a table of more than {MAX_CELLS:,} cells; to allow it, set CONCORDANT_MAX_CELLS in the environment, "
            "or concordant.read.delimited.MAX_CELLS"
        )
    text = io.StringIO(source.data.decode(), newline="")
    for _ in range(line - 1):  # comments before the header
        text.readline()
    # strict: a quotation mark that is never closed would swallow the rest of the file.
    lines = (line.strip(" \n") + "\n" for line in text) if delimiter == " " else text  # columns aligned by blanks
    reader = csv.reader(lines, delimiter=delimiter, strict=True, skipinitialspace=delimiter != "\t")
    rows: Cells = []
    comments = {place for place, _ in source.lines(comments=True)} if b"\n#" in source.data else ()
    try:
        for row in reader:
            if not any(cells := [cell.strip(" \t\n") for cell in row]):
                continue
            place = line - 1 + reader.line_num
            if place not in comments or not _is_comment(source, cells, place):
                rows.append((place, cells))
            if len(rows) == most:
                break
    except csv.Error as error:
        raise source.error(f"is not a table: {error}", line - 1 + max(reader.line_num, 1)) from None
    if not rows:
        raise source.error("is a table of empty fields", line)
    return rows[0][0], list(rows[0][1]), rows[1:]


def _is_comment(source: Source, cells: list[str], line: int) -> bool:
    """Whether a line that starts with # is a comment, and no row."""
    if cells[0].lower() in _NOTHING:
        return False
    if len(cells) > 1 and not cells[0].startswith("# ") and cells[0] != "#":
        raise source.doubtful_comment(line)
    return True


def _delimiter(first: bytes) -> str:
    """What separates the names of the header, outside quotation marks."""
    plain = QUOTED.sub(b"", first)
    marks = [mark for mark in "\t,;" if mark.encode() in plain]
    labels = (mark for mark in marks if names_labels(plain.split(mark.encode())[0].decode()) and plain[:1].strip())
    return next(labels, None) or next(iter(marks), " ")


def _plausible(row: Sequence[Any], layout: Columns) -> bool:
    """Whether the first row of a matrix has a score in it; prose and other formats have none.

    Where the header names the topics or systems, a bad score is for the reader to name.
    """
    if layout.kind == "long" or (layout.others and (layout.topic, layout.system) != (None, None)):
        return True
    return any(k < len(row) and _number(row[k]) is not None for k in layout.others)


def _scores(
    source: Source, row: Sequence[Any], columns: Sequence[int], line: int, header: Sequence[str]
) -> list[float]:
    """The numbers of a row. What is written with digits and marks only, float() reads as `number` does."""
    cells = [row[k] for k in columns]
    try:
        if _DIGITS.fullmatch("".join(cells)):
            values = list(map(float, cells))
            if math.isfinite(sum(values)):
                return values
    except (TypeError, ValueError):  # JSON has other types than text
        pass
    return [_score(source, row[k], line, header[k]) for k in columns]


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


def _matrix(source: Source, header: Sequence[str], cells: Cells, layout: Columns, header_line: int) -> Table:
    """Topics x systems, or systems x topics."""
    columns = list(layout.others)
    label = layout.topic if layout.kind == "matrix" else layout.system
    if label is None and _first_is_topics(source, header, cells):
        label = columns.pop(0)
    if not columns:
        raise source.error("has no column of scores", header_line)
    across = [header[k] for k in columns]
    what = "topic" if layout.kind == "matrix" else "system"
    down = [] if label is None else [_label(source, row[label], line, what) for line, row in cells]
    if label is None or (layout.kind == "matrix" and number_rows(header[label], down)):
        down = invent_topics(len(cells))
    if layout.kind == "matrix" and (wrong := wrong_rows("" if label is None else header[label], down, across)):
        raise source.error(wrong, header_line)
    _refuse_labels_twice(source, down, cells, what)
    topics, systems = [name for name in down for _ in across], across * len(cells)
    if layout.kind == "transposed":
        assert label is not None
        if any(is_fraction(number(name)) for name in down):
            raise _scores_as_names(source, header[label], header_line)
        topics, systems = systems, topics
    values = [value for line, row in cells for value in _scores(source, row, columns, line, header)]
    rows = Rows(topics, values, systems, [line for line, _ in cells for _ in across])
    return _Matrix(source, without_summary(source, rows, _WAY_OUT))


def _first_is_topics(source: Source, header: Sequence[str], cells: Cells) -> bool:
    """Whether the first column of a matrix that names no topics holds them: words, or the numbers of the rows."""
    name = header[0]
    if len(header) > 1 and all(
        isinstance(row[0], str) and not any(isinstance(c, str) for c in row[1:]) for _, row in cells
    ):
        return True  # of JSON: text beside numbers
    first = [(line, row[0], _number(row[0])) for line, row in cells if not is_summary(str(row[0]))]
    word = next((line for line, _, value in first if value is None), None)
    if word is not None:
        if any(value is not None and not math.isnan(value) for _, _, value in first):
            raise source.error(
                f"column {name!r} holds numbers, and here something else: if it is the column of topics, name it topic",
                word,
            )
        return True
    found = is_row_number([value for _, _, value in first], (_number(cell) for _, row in cells for cell in row[1:]))
    if found is None:
        raise source.error(unclear_row_number(name), cells[0][0])
    if found:
        warnings.warn(f"{source.label}: {says_row_number(name)}", DataWarning, stacklevel=2)
    return found


def _refuse_twice(source: Source, header: Sequence[str], line: int) -> None:
    seen: set[str] = set()
    for k, name in enumerate(header):
        if not name and k:
            raise source.error(f"column {k + 1} has no name in the header", line)
        if name in seen:
            raise source.error(
                f"two columns are named {name!r}: rename one, or leave it out if both are the same run", line
            )
        seen.add(name)


def _refuse_scores_as_names(source: Source, header: Sequence[str], cells: Cells, layout: Columns, line: int) -> None:
    """A matrix may have a system called `model`: then each topic comes once, and its cells are scores."""
    assert layout.system is not None
    assert layout.topic is not None
    names, topics = [row[layout.system] for _, row in cells], [row[layout.topic] for _, row in cells]
    if are_scores(list(map(_number, names)), topics):
        raise _scores_as_names(source, header[layout.system], line)


def _scores_as_names(source: Source, name: str, line: int) -> ReadError:
    return source.error(
        f"column {name!r} should name the systems, but holds numbers: if it is a system of its own, rename it", line
    )


def _refuse_labels_twice(source: Source, labels: list[str], cells: Cells, what: str) -> None:
    seen: dict[str, int] = {}
    for label, (line, _) in zip(labels, cells, strict=True):
        if label in seen:
            raise source.error(f"{what} {label!r} was given at line {seen[label]} already", line)
        seen[label] = line


class _Matrix(OneColumn):
    """A matrix. It does not name its measure, unless one of its systems is in truth a measure."""

    def rows(self, measure: str) -> Rows:
        """The scores of all systems."""
        if wrong := no_measure(measure, set(self.scores.systems or ())):
            raise self.source.error(wrong, 1)
        return super().rows(measure)


class _Value(OneColumn):
    """A long table with a column of values of a measure that it does not name, and perhaps other columns."""

    def __init__(self, source: Source, header: Sequence[str], cells: Cells, layout: Columns, value: int) -> None:
        super().__init__(source, _long_rows(source, header, cells, layout, value))
        self.header, self.cells, self.layout = header, cells, layout

    def rows(self, measure: str) -> Rows:
        """The values, unless another column bears the name that is asked for."""
        column = next((k for k in self.layout.others if self.header[k] == measure), None)
        if column is None:
            return super().rows(measure)
        return _long_rows(self.source, self.header, self.cells, self.layout, column)


class _Long(Table):
    """A long table whose measures are a column, or each a column of its own."""

    def __init__(self, source: Source, header: Sequence[str], cells: Cells, layout: Columns) -> None:
        super().__init__(source)
        self.header, self.cells, self.layout = header, cells, layout

    def measures(self) -> Collection[str]:
        if self.layout.measure is not None:
            names = (_label(self.source, row[self.layout.measure], line, "measure") for line, row in self.cells)
            return list(dict.fromkeys(names))
        return [self.header[k] for k in self.layout.others if _has_numbers([_number(row[k]) for _, row in self.cells])]

    def rows(self, measure: str) -> Rows:
        column, cells = self.layout.value, self.cells
        if self.layout.measure is not None:
            cells = [(line, row) for line, row in cells if str(row[self.layout.measure]) == measure]
        else:
            column = next((k for k in self.layout.others if self.header[k] == measure), None)
        if column is None or not cells:
            raise self.no_measure(measure)
        found = _long_rows(self.source, self.header, cells, self.layout, column)
        if len(cells) < len(self.cells) and self.layout.topic is not None:
            self.warn_of_lost(measure, (str(row[self.layout.topic]) for _, row in self.cells), found)
        return found


def _has_numbers(column: Sequence[float | None]) -> bool:
    """Whether a column may be a measure: something in it is a number, or there is nothing in it."""
    return any(v is not None and not math.isnan(v) for v in column) or None not in column


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


def _label(source: Source, cell: Any, line: int, what: str = "topic or system") -> str:
    if cell == "":
        raise source.error(f"has no {what}", line)
    if not isinstance(cell, str | int) or isinstance(cell, bool):
        raise source.error(f"{cell!r} is no label of a {what}", line)
    return str(cell)
