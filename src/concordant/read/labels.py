"""Read labels of topics and systems (type, group, cost, team, family) from a mapping, a Series or a file of names.

Every cell of a file of names becomes a Python object, so its size limit is lower than that of a file of scores.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import InputTypeError, counted, listing, named, nearest
from .formats.delimited import csv_rows, delimiter_of
from .source import JSON_SHARE, Item, Source, load


class NamedRows(NamedTuple):
    """A table of text."""

    header: list[str]
    rows: Iterator[tuple[int, list[str]]]
    """For each row, the number of its first line, and as many cells as the header has."""


def load_names(path: str | os.PathLike[str]) -> Source:
    """Load a file of names. Its size limit is a quarter of the limit for a file of scores."""
    return load(Item(Path(path)), JSON_SHARE)


def named_rows(source: Source) -> NamedRows:
    """Read the rows of a file with a header (CSV, TSV or semicolons), and strip white space from the cells.

    No line is a comment, because a name may begin with #. Rows with only empty cells are skipped, because spreadsheets
    leave such rows at the end. An empty file has an empty header.
    """
    if source.parquet:
        raise source.error("is a Parquet file: save it as CSV")
    rows = _rows(source)
    line, header = next(rows, (1, []))
    for k, name in enumerate(header):
        if name and name in header[:k]:
            raise source.error(f"has the column {name!r} twice: name each column once", line)
    return NamedRows(header, rows)


def _rows(source: Source) -> Iterator[tuple[int, list[str]]]:
    first = source.data.lstrip()
    mark = delimiter_of(first[: first.find(b"\n")] if b"\n" in first else first).strip(" ") or ","
    text = io.TextIOWrapper(io.BytesIO(source.data), encoding="utf-8", newline="")
    width = 0
    for line, row in csv_rows(source, text, mark):
        if any(cells := [cell.strip() for cell in row]):
            width = width or len(cells)
            if len(cells) != width:
                raise source.error(f"has {counted(len(cells), 'cell')}, but the first line has {width}", line)
            yield line, cells


LEAST_COST, MOST_COST = 1e-100, 1e100
WANTED_COST = f"give numbers above 0, from {LEAST_COST:g} to {MOST_COST:g}"


def is_cost(cost: Any) -> bool:
    """Tell whether a cost is within limits, so that the product and the ratio of two costs stay finite."""
    return bool(LEAST_COST <= cost <= MOST_COST)


def labels_of(given: Any, name: str) -> dict[str, str]:
    """Return the label of each topic or system, from a mapping, a Series, or a CSV or TSV file.

    The first column of the file holds the topics or systems. With several other columns, PATH:COLUMN chooses one.
    """
    if isinstance(given, (str, os.PathLike)):
        return _read(os.fspath(given), name)
    if hasattr(given, "to_dict") and not hasattr(given, "columns"):
        given = given.to_dict()
    if not isinstance(given, Mapping):
        raise InputTypeError(
            f"{named(name)} is a {type(given).__name__}: give a dictionary of labels, a Series, or a CSV file"
        )
    return {str(key): str(label) for key, label in given.items()}


def new_names(given: Any) -> dict[str, str]:
    """Return the new name for each old name, from a mapping, a Series, or a file of two columns without a header.

    A header line does no harm, because it renames a system that does not exist.
    """
    if not isinstance(given, (str, os.PathLike)):
        return labels_of(given, "rename")
    source = load_names(given)
    header, rows = named_rows(source)
    if len(header) != 2:
        raise source.error(f"has {counted(len(header), 'column')}: give two, the old name and the new one", 1)
    found = {header[0]: header[1]}
    for line, (old, new) in rows:
        if found.setdefault(old, new) != new:
            raise source.error(f"system {old!r} has two new names, {found[old]!r} and {new!r}", line)
    return found


def _read(given: str, name: str) -> dict[str, str]:
    path, column = given, None
    if not os.path.exists(path) and ":" in given:
        path, _, column = given.rpartition(":")
    source = load_names(path)
    header, rows = named_rows(source)
    if column is None and len(header) > 2:
        raise source.error(f"has the columns {listing(header[1:])}: choose one, as in {path}:{header[1]}", 1)
    if column is not None and column not in header[1:]:
        raise source.error(f"has no column {column!r}{nearest(column, header[1:])}", 1)
    at = 1 if column is None else header.index(column, 1)
    found: dict[str, str] = {}
    for line, cells in rows if len(header) > 1 else ():
        key, label = cells[0], sys.intern(cells[at])  # store each label once, not once per topic
        if not label:
            raise source.error(f"{key!r} has no {header[at]}", line)
        if found.setdefault(key, label) != label:
            raise source.error(f"{key!r} has two labels, {found[key]!r} and {label!r}", line)
    if not found:
        raise source.error(f"{named(name)} needs a header, and below it one line for each name with its label")
    return found
