"""Labels of topics: the type, the group or the cost of each, from a mapping, a Series or a file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from ..errors import InputTypeError
from ..words import counted, listing, named, nearest
from .names import load_names, named_rows

LEAST_COST, MOST_COST = 1e-100, 1e100
WANTED_COST = f"give numbers above 0, from {LEAST_COST:g} to {MOST_COST:g}"


def is_cost(cost: Any) -> bool:
    """Whether a topic may cost this much: products and ratios of two such numbers are still numbers."""
    return bool(LEAST_COST <= cost <= MOST_COST)


def labels_of(given: Any, name: str) -> dict[str, str]:
    """The label of each topic or system: from a mapping, a Series, or a CSV or TSV file with them in its first column.

    Which of its other columns holds the labels is said as PATH:COLUMN, or there is only one.
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
    """New names of systems by the old ones: from a mapping, a Series, or a file of two columns without a header.

    A header does no harm: no system is called as it says.
    """
    if not isinstance(given, (str, os.PathLike)):
        return labels_of(given, "rename")
    source = load_names(given)
    header, rows = named_rows(source)
    if len(header) != 2:
        raise source.error(f"has {counted(len(header), 'column')}: give two, the name in the scores and the new one", 1)
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
        raise source.error(f"has the columns {listing(header[1:])}: choose one as {path}:{header[1]}", 1)
    if column is not None and column not in header[1:]:
        raise source.error(f"has no column {column!r}{nearest(column, header[1:])}", 1)
    at = 1 if column is None else header.index(column, 1)
    found: dict[str, str] = {}
    same: dict[str, str] = {}  # a label is kept once, not once per topic
    for line, cells in rows if len(header) > 1 else ():
        topic, label = cells[0], same.setdefault(cells[at], cells[at])
        if found.setdefault(topic, label) != label:
            raise source.error(f"topic {topic!r} has two labels, {found[topic]!r} and {label!r}", line)
    if not found:
        raise source.error(f"{named(name)} needs a line of names, and a line for each topic with its label")
    return found
