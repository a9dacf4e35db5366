"""Text files of delimited cells with a header, as `Cells`: CSV, TSV, semicolons or columns aligned by blanks.

A large table is mostly numbers in regular lines: those are read in bulk, a piece at a time, and only cells that are no
plain decimals one by one. Quotation marks, comments and uneven lines are left to Python's own reader of CSV.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..arrays import FloatArray
from ..errors import ReadError, limit_of
from ..tables.cells import Cells
from ..tables.contents import Contents, table_contents
from ..tables.decimals import Piece
from ..tables.layout import Roles, is_plausible, name_columns
from ..tables.numbers import NOTHING, cell_number, is_fraction, number
from ..tables.vocabulary import holds_labels, names_labels
from .source import QUOTED, Source

# A number takes 8 bytes of memory. Set CONCORDANT_MAX_CELLS in the environment, or this, to read larger tables.
MAX_CELLS = limit_of("CONCORDANT_MAX_CELLS", 100_000_000)
# Of text that is neither a label nor a number, at about 170 bytes each.
MAX_WORDS = MAX_CELLS // 10
_PIECE = 2**19
_DIGITS = re.compile(r"[0-9.eE+-]*")


def read_delimited(source: Source, roles: Roles) -> Contents | None:
    """A table with a header line; None if it does not look like one."""
    beginning = list(_rows(source, 2))  # it tells whether the rest is worth reading
    header_line, header = beginning[0]
    if len(beginning) < 2 or all(number(name) is not None for name in header):
        return None
    first = beginning[1][1]
    width = len(header)
    longer = len(first) == width + 1
    trailing = longer and any(map(names_labels, header))  # a delimiter ends each row, or a name is missing
    if longer and not trailing:  # R's write.table names no column for the row names
        header = ["", *header]
    scores = [cell_number(name) for name in header[1:]]  # nan where a cell says that there is none
    said = header[0] in (roles.topic, roles.system)
    if (
        not said
        and not names_labels(header[0])
        and None not in scores
        and any(number(name) is not None for name in header[1:])
    ):
        raise no_header(source, header_line)
    layout = name_columns(header, roles)
    if not isinstance(layout, str) and not is_plausible(layout, [cell_number(cell) for cell in first]):
        return None
    kept = [k for k, name in enumerate(header) if holds_labels(name, k) or name in (roles.topic, roles.system)]
    cells = _bulk(source, header_line, header, kept) or _by_row(source, header, kept, trailing)
    if longer and not trailing:
        bad = next((row for row, cell in enumerate(cells.kept[0]) if is_fraction(number(cell))), None)
        if bad is not None:  # no row is named so: these are scores
            raise _unequal(source, width + 1, width, cells.lines[bad] if cells.lines else header_line)
    return table_contents(cells, roles)


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
    return line.split(delimiter_of(line).strip(" ").encode() or None)


def _unequal(source: Source, fields: int, names: int, line: int) -> ReadError:
    return source.error(f"has {fields} fields where the header has {names}: name each column once", line)


def _too_many(source: Source, most: int, what: str, name: str) -> ReadError:
    return source.error(
        f"is a table of more than {most:,} {what}; to allow it, set CONCORDANT_MAX_CELLS in the environment, or "
        f"concordant.read.delimited.{name}"
    )


def too_many_cells(source: Source) -> ReadError:
    """The error for a table that is beyond the limit."""
    return _too_many(source, MAX_CELLS, "cells", "MAX_CELLS")


def _bulk(source: Source, header_line: int, header: list[str], kept: list[int]) -> Cells | None:
    """The cells of a table whose lines all have as many delimiters; None if anything is unusual."""
    data, width = source.data, len(header)
    delimiter = delimiter_of(next(source.lines())[1])
    start = 0
    for _ in range(header_line):
        start = data.find(b"\n", start) + 1
    if (
        delimiter == " "
        or not start
        or len(kept) == width
        or data.find(b'"', start) >= 0
        or _may_have_comments(data, start - 1)
    ):
        return None
    count = data.count(b"\n", start) + (not data.endswith(b"\n"))
    scores = [k for k in range(width) if k not in kept]
    if count * width > MAX_CELLS:
        raise too_many_cells(source)
    at_end = scores == list(range(width - len(scores), width))
    columns: Any = slice(scores[0], None) if at_end else np.array(scores, dtype=np.intp)
    texts: dict[int, list[str]] = {k: [] for k in kept}
    odd: dict[int, dict[int, Any]] = {}
    block, done = np.empty((count, len(scores))), 0
    while start < len(data):
        end = data.rfind(b"\n", start, start + _PIECE) + 1 or data.find(b"\n", start) + 1 or len(data)
        text = data[start:end]
        piece = Piece(text if text.endswith(b"\n") else text + b"\n", ord(delimiter))
        rows = len(piece) // width
        if len(piece) % width or not piece.ends_line(slice(width - 1, None, width)):
            return None
        values, bad = piece.numbers(rows, columns)
        block[done : done + rows] = values.reshape(rows, len(scores))
        for k in bad.tolist():
            row, place = divmod(k, len(scores))
            cell = piece.cell(row * width + scores[place])
            value = cell_number(cell)
            if value is None:
                odd.setdefault(scores[place], {})[done + row] = cell
            else:
                block[done + row, place] = value
        for column, labels in texts.items():
            labels += [piece.cell(k) for k in range(column, len(piece), width)]
        start, done = end, done + rows
        source.tell(start, len(data))
        if sum(len(found) for found in odd.values()) > MAX_WORDS:
            raise _too_many(source, MAX_WORDS, "words among its scores", "MAX_WORDS")
    lines = range(header_line + 1, header_line + 1 + count)
    return Cells(source, header, texts, block, odd, lines, header_line)


def _by_row(source: Source, header: list[str], kept: list[int], trailing: bool) -> Cells:
    """The same row by row, to read what is quoted, and to say what is wrong and where."""
    rows = _rows(source)
    header_line = next(rows)[0]
    width = len(header)
    scores = [k for k in range(width) if k not in kept]
    count = source.data.count(b"\n") + 1
    if count * width > MAX_CELLS:
        raise too_many_cells(source)
    texts: dict[int, list[str]] = {k: [] for k in kept}
    odd: dict[int, dict[int, Any]] = {}
    lines: list[int] = []
    block, words = np.full((count, len(scores)), np.nan), 0
    for line, row in rows:
        cells = row[:-1] if trailing and len(row) == width + 1 and not row[-1] else row
        if len(cells) != width:
            raise _unequal(source, len(cells), width, line)
        for k, labels in texts.items():
            labels.append(cells[k])
        words += _fill(block, len(lines), cells, scores, odd)
        lines.append(line)
        if len(lines) % 1000 == 0:
            source.tell(len(lines), count)
        if words > MAX_WORDS:
            raise _too_many(source, MAX_WORDS, "words among its scores", "MAX_WORDS")
    return Cells(source, header, texts, block[: len(lines)], odd, lines, header_line)


def _fill(block: FloatArray, place: int, cells: list[str], scores: list[int], odd: dict[int, dict[int, Any]]) -> int:
    """Put the numbers of a row into the block; the number of cells that are none.

    What is written with digits and marks only, float() reads as `number` does.
    """
    texts = [cells[k] for k in scores]
    try:
        if _DIGITS.fullmatch("".join(texts)):
            values = list(map(float, texts))
            if math.isfinite(sum(values)):
                block[place] = values
                return 0
    except ValueError:
        pass
    words = 0
    for j, (k, text) in enumerate(zip(scores, texts, strict=True)):
        value = cell_number(text)
        if value is None:
            odd.setdefault(k, {})[place] = text
            words += 1
        else:
            block[place, j] = value
    return words


def _rows(source: Source, most: int | None = None) -> Iterator[tuple[int, list[str]]]:
    """The lines and cells of the rows, the header first; at most so many."""
    line, first = next(source.lines())
    delimiter = delimiter_of(first)
    text = io.TextIOWrapper(io.BytesIO(source.data), encoding="utf-8", newline="")
    for _ in range(line - 1):  # comments before the header
        text.readline()
    marked: list[bool] = []  # whether the lines of the row start with #, as comments do
    lines: Iterator[str] = _watched(text, marked) if _may_have_comments(source.data) else text
    if delimiter == " ":  # columns aligned by blanks
        lines = (line.strip(" \n") + "\n" for line in lines)
    # strict: a quotation mark that is never closed would swallow the rest of the file.
    reader = csv.reader(lines, delimiter=delimiter, strict=True, skipinitialspace=delimiter != "\t")
    count = 0
    try:
        for row in reader:
            comment = marked[:1] == [True]
            marked.clear()
            if not any(cells := [cell.strip(" \t\n") for cell in row]):
                continue
            place = line - 1 + reader.line_num
            if not comment or not _is_comment(source, cells, place):
                yield place, cells
                count += 1
            if count == most:
                return
    except csv.Error as error:
        raise source.error(f"is not a table: {error}", line - 1 + max(reader.line_num, 1)) from None
    if not count:
        raise source.error("is a table of empty fields", line)


def _watched(text: Iterator[str], marked: list[bool]) -> Iterator[str]:
    for line in text:
        marked.append(line.startswith("#"))
        yield line


def _may_have_comments(data: bytes, start: int = 0) -> bool:
    """Whether a line after the first one starts with #. A single byte is found much faster than two."""
    return data.find(b"#", start) >= 0 and data.find(b"\n#", start) >= 0


def _is_comment(source: Source, cells: list[str], line: int) -> bool:
    """Whether a line that starts with # is a comment, and no row."""
    if cells[0].lower() in NOTHING:
        return False
    if len(cells) > 1 and not cells[0].startswith("# ") and cells[0] != "#":
        raise source.doubtful_comment(line)
    return True


def delimiter_of(first: bytes) -> str:
    """What separates the names of the header, outside quotation marks."""
    plain = QUOTED.sub(b"", first)
    marks = [mark for mark in "\t,;" if mark.encode() in plain]
    labels = (mark for mark in marks if names_labels(plain.split(mark.encode())[0].decode()) and plain[:1].strip())
    return next(labels, None) or next(iter(marks), " ")
