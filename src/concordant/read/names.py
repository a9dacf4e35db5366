"""Files of names instead of scores: battles, the group, type or cost of topics, teams and families.

Every cell becomes an object of Python, so such a file may take only a part of what one of scores may.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ..words import counted
from .files import JSON_SHARE
from .formats.delimited import delimiter_of
from .source import Item, Source, load


class NamedRows(NamedTuple):
    """A table of text."""

    header: list[str]
    rows: Iterator[tuple[int, list[str]]]
    """The line at which each row starts, and as many cells as the header has."""


def load_names(path: str | os.PathLike[str]) -> Source:
    """The contents of a file of names, which has a quarter of the limit of a file."""
    return load(Item(Path(path)), JSON_SHARE)


def named_rows(source: Source) -> NamedRows:
    """The rows of a file with a header: CSV, TSV or semicolons, without white space around the cells.

    No line is a comment: a name may begin with #. Rows of nothing but empty cells, which spreadsheets leave at the end,
    are passed over. An empty file has an empty header.
    """
    if source.binary:
        raise source.error(f"is a file of {source.binary}: save it as CSV")
    rows = _rows(source)
    line, header = next(rows, (1, []))
    for k, name in enumerate(header):
        if name and name in header[:k]:
            raise source.error(f"has the column {name!r} twice: name each column once", line)
    return NamedRows(header, _even(source, rows, len(header)))


def _rows(source: Source) -> Iterator[tuple[int, list[str]]]:
    first = source.data.lstrip()
    mark = delimiter_of(first[: first.find(b"\n")] if b"\n" in first else first).strip(" ") or ","
    text = io.TextIOWrapper(io.BytesIO(source.data), encoding="utf-8", newline="")
    # strict: a quotation mark that is never closed would swallow the rest of the file.
    reader = csv.reader(text, delimiter=mark, strict=True, skipinitialspace=mark != "\t")
    line = 1
    try:
        for row in reader:
            if any(cells := [cell.strip() for cell in row]):
                yield line, cells
            line = reader.line_num + 1
    except csv.Error as error:
        raise source.error(f"is not a table: {error}", line) from None


def _even(source: Source, rows: Iterator[tuple[int, list[str]]], width: int) -> Iterator[tuple[int, list[str]]]:
    for line, cells in rows:
        if len(cells) != width:
            raise source.error(f"has {counted(len(cells), 'cell')} where the first line has {width}", line)
        yield line, cells
