"""Text files of delimited cells with a header, as `Cells`: CSV, TSV, semicolons, blanks, and tables in Markdown."""

from __future__ import annotations

import csv
import io
import re
from array import array
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, compress, islice
from typing import Any

import numpy as np

from ...errors import ReadError, limit_of
from ..source import QUOTED, Source
from ..tables.cells import NOTHING, Cells, Column, cell_number, is_fraction, number, parse, plain_numbers
from ..tables.contents import Contents, table_contents
from ..tables.layout import Roles, is_plausible, name_columns
from ..tables.vocabulary import holds_labels, names_labels

# A number takes 8 bytes of memory; text that is neither a label nor a number about 170, so that a tenth of it may be
# such text. Set CONCORDANT_MAX_CELLS in the environment, or this, to read larger tables.
MAX_CELLS = limit_of("CONCORDANT_MAX_CELLS", 100_000_000)
_MOST_KNOWN = 2**16  # texts of numbers, and names, that are looked for again
_BATCH = 2**10  # cells that are looked at together: few, for the garbage collector
_BLANK = " \t\n"


def read_delimited(source: Source, roles: Roles) -> Contents | None:
    """A table with a header line; None if it does not look like one."""
    # They tell whether the rest is worth reading.
    beginning = [(line, [cell.strip(_BLANK) for cell in row]) for line, row in islice(_rows(source), 2)]
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
    labelled = said or names_labels(header[0])
    if not labelled and None not in scores and any(number(name) is not None for name in header[1:]):
        raise no_header(source, header_line)
    layout = name_columns(header, roles)
    if not isinstance(layout, str) and not is_plausible(layout, [cell_number(cell) for cell in first]):
        return None
    kept = [k for k, name in enumerate(header) if holds_labels(name, k) or name in (roles.topic, roles.system)]
    cells = _cells(source, header, kept, trailing)
    if longer and not trailing:
        bad = next((row for row, cell in enumerate(cells.values(0)) if is_fraction(number(cell))), None)
        if bad is not None:  # no row is named so: these are scores
            raise _unequal(source, width + 1, width, cells.lines[bad] if cells.lines else header_line)
    return table_contents(cells, roles)


def no_header(source: Source, line: int) -> ReadError:
    """The error for a table that starts with its numbers; its header may have been taken for a comment."""
    before = (text for text in source.data.split(b"\n", line)[: line - 1] if text.startswith(b"#"))
    width = len(_split(source.text(line).encode()))
    comment = next((text.decode() for text in before if len(_split(text)) == width > 1), None)
    hint = "" if comment is None else f" (lines that start with # are comments: {comment[:80]!r})"
    names = "add a first line with the systems' names, after topic where the first column holds the topics"
    return source.error(f"holds numbers without a header: {names}{hint}", line)


def _split(line: bytes) -> list[bytes]:
    return line.split(delimiter_of(line).strip(" ").encode() or None)


def _unequal(source: Source, fields: int, names: int, line: int) -> ReadError:
    return source.error(f"has {fields} fields where the header has {names}: name each column once", line)


def refuse_too_many(source: Source, cells: int, words: int) -> None:
    """Refuse a table beyond the limits: of its cells, and of those that are text."""
    for count, most, what in ((cells, MAX_CELLS, "cells"), (words, MAX_CELLS // 10, "rows or cells of text")):
        if count > most:
            way_out = "set CONCORDANT_MAX_CELLS in the environment, or concordant.read.formats.delimited.MAX_CELLS"
            raise source.error(f"is a table of more than {most:,} {what}; to allow it, {way_out}")


class _Names(dict[str, str]):
    """Labels without blanks around them. One is kept once, not once per row."""

    def __missing__(self, text: str) -> str:
        name = text.strip(_BLANK)
        return self.setdefault(text, name) if len(self) < _MOST_KNOWN else name


class _Scores:
    """The scores of a table, collected row by row."""

    def __init__(self, columns: list[int]) -> None:
        self.columns = columns
        self.values, self.words = array("d"), 0
        self.odd: dict[int, dict[int, Any]] = {}

    def add(self, cells: list[str]) -> None:
        """Add the cells of some rows."""
        found = plain_numbers(cells)
        if found is not None:
            self.values.fromlist(found)
            return
        (values, odd), before = parse(cells), len(self.values)
        for place, cell in odd.items():
            row, k = divmod(before + place, len(self.columns))
            self.odd.setdefault(self.columns[k], {})[row] = cell.strip(_BLANK)
        self.words += len(odd)
        self.values.fromlist(values.tolist())


def _cells(source: Source, header: list[str], kept: list[int], trailing: bool) -> Cells:
    """All rows below the header."""
    rows = _rows(source)
    header_line = next(rows)[0]
    width = len(header)
    refuse_too_many(source, (source.data.count(b"\n") + 1) * width, 0)
    scored = [k not in kept for k in range(width)]
    scores = _Scores(list(compress(range(width), scored)))
    texts: dict[int, list[str]] = {k: [] for k in kept}
    names = _Names()
    lines = array("q")
    while batch := list(islice(rows, 1 + _BATCH // width)):
        for line, row in batch:
            if trailing and len(row) == width + 1 and not row[-1].strip():
                row.pop()
            if len(row) != width:
                raise _unequal(source, len(row), width, line)
            lines.append(line)
        for k, labels in texts.items():
            labels.extend([names[row[k]] for _, row in batch])
        scores.add(list(compress(chain.from_iterable(row for _, row in batch), scored * len(batch))))
        refuse_too_many(source, 0, scores.words)
    block = np.frombuffer(scores.values, dtype=np.float64).reshape(len(lines), len(scores.columns))
    columns = {k: Column(block[:, place], scores.odd.get(k, {})) for place, k in enumerate(scores.columns)}
    columns |= {k: Column(labels) for k, labels in texts.items()}
    return Cells(source, header, [columns[k] for k in range(width)], lines, header_line)


def _rows(source: Source) -> Iterator[tuple[int, list[str]]]:
    """The lines and cells of the rows, the header first."""
    line, first = next(source.lines())
    delimiter = delimiter_of(first)
    text = io.TextIOWrapper(io.BytesIO(source.data), encoding="utf-8", newline="")
    for _ in range(line - 1):  # comments before the header
        text.readline()
    lines: Iterator[str] = text
    if delimiter == " ":  # columns aligned by blanks, of which some may be tabs
        lines = (line.replace("\t", " ").strip(" \n") + "\n" for line in lines)
    # strict: a quotation mark that is never closed would swallow the rest of the file.
    reader = csv.reader(lines, delimiter=delimiter, strict=True, skipinitialspace=delimiter != "\t")
    rows = ((reader.line_num, row) for row in reader)
    if b'"' not in source.data and delimiter != " ":  # twice as fast
        rows = ((place, text.rstrip("\n").split(delimiter)) for place, text in enumerate(lines, 1))
    width = 0
    try:
        for at, row in rows:
            # The first cell is hardly ever empty.
            if not row or not (row[0].strip(_BLANK) or any(cell.strip(_BLANK) for cell in row)):
                continue
            place = line - 1 + at
            if not width or not row[0].startswith("#") or not _is_comment(source, row, place, width):
                yield place, row
                width = width or len(row)
    except csv.Error as error:
        raise source.error(f"is not a table: {error}", line - 1 + max(reader.line_num, 1)) from None
    if not width:
        raise source.error("is a table of empty fields", line)


def _is_comment(source: Source, cells: list[str], line: int, width: int) -> bool:
    """Whether a row that starts with # is a comment."""
    first = cells[0].strip(_BLANK)
    if first.lower() in NOTHING:
        return False
    # Between quotation marks it may be the name of a topic.
    quoted = b'"' in source.data and len(cells) == width and any(number(cell) is not None for cell in cells[1:])
    if len(cells) > 1 and ((not first.startswith("# ") and first != "#") or quoted):
        raise source.doubtful_comment(line)
    return True


def delimiter_of(first: bytes) -> str:
    """What separates the names of the header, outside quotation marks."""
    plain = QUOTED.sub(b"", first)
    marks = [mark for mark in "\t,;" if mark.encode() in plain]
    labels = (mark for mark in marks if names_labels(plain.split(mark.encode())[0].decode()) and plain[:1].strip())
    return next(labels, None) or next(iter(marks), " ")


_ROW = re.compile(rb"\s*\|.*\|\s*")
_RULE = re.compile(rb"[\s|:-]*-[\s|:-]*")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_MARKS = re.compile(r"(\*\*|__|`|\*)(.*)\1")


def is_markdown(line: bytes) -> bool:
    """Whether a line is a row of a table."""
    return _ROW.fullmatch(line) is not None


def as_tabs(source: Source) -> Source:
    """The same table with tabs between its cells, without links and marks around them; each line keeps its number."""
    made, rules = [], 0
    for place, line in enumerate(source.data.split(b"\n"), 1):
        if not line.strip() or (_RULE.fullmatch(line) and is_markdown(line)):
            rules += bool(line.strip())
            made.append("")
            continue
        if not is_markdown(line) and not any(made):  # a heading, or words above the table
            made.append("")
            continue
        if not is_markdown(line) or rules > 1:
            raise source.error("is no row of the table above: give each table a file of its own", place)
        cells = re.split(r"(?<!\\)\|", line.decode().strip().replace("\t", " ")[1:-1])
        made.append("\t".join(_plain(cell) for cell in cells))
    return replace(source, data="\n".join(made).encode())


def _plain(cell: str) -> str:
    text = _LINK.sub(r"\1", cell.replace(r"\|", "|").replace(r"\_", "_")).strip()
    while match := _MARKS.fullmatch(text):
        text = match[2].strip()
    return text
