"""Labels of topics: the type or the group of each, from a mapping, a Series or a file."""

from __future__ import annotations

import csv
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .errors import InputError, InputTypeError, ReadError
from .files import read_bytes
from .words import counted, listing, named, nearest


def labels_of_topics(given: Any, topics: Sequence[str], name: str) -> tuple[str, ...]:
    """The label of each topic, in their order; topics that are not asked for do not matter.

    `given` maps topics to labels: a mapping, a Series, or a CSV or TSV file whose first column holds the topics. Which
    of its other columns holds the labels is said as PATH:COLUMN, or there is only one.
    """
    if isinstance(given, (str, os.PathLike)):
        found = _read(os.fspath(given), name)
    elif hasattr(given, "to_dict") and not hasattr(given, "columns"):
        found = {str(topic): str(label) for topic, label in given.to_dict().items()}
    elif isinstance(given, Mapping):
        found = {str(topic): str(label) for topic, label in given.items()}
    else:
        raise InputTypeError(
            f"{named(name)} is a {type(given).__name__}: give {{topic: label}}, a Series, or a CSV file"
        )
    lacking = [topic for topic in topics if topic not in found]
    if lacking:
        raise InputError(
            f"{named(name)} lacks {counted(len(lacking), 'topic')} of {len(topics)}: {listing(lacking)}. It has "
            f"{listing(found, 3) or 'none'}: name the topics as the scores do, and give every one of them a label"
        )
    return tuple(found[topic] for topic in topics)


def _read(given: str, name: str) -> dict[str, str]:
    path, column = given, None
    if not Path(path).exists() and ":" in given:
        path, _, column = given.rpartition(":")
    text = read_bytes(path).decode("utf-8-sig", errors="replace")
    head = text.partition("\n")[0]
    rows = [row for row in csv.reader(text.splitlines(), delimiter="\t" if "\t" in head else ",") if row]
    if len(rows) < 2 or len(rows[0]) < 2:
        raise ReadError(f"{named(name)} needs a line of names, and a line for each topic with its label", path)
    names = [cell.strip() for cell in rows[0]]
    if column is None and len(names) > 2:
        raise ReadError(f"has the columns {listing(names[1:])}: choose one as {path}:{names[1]}", path, 1)
    if column is not None and column not in names[1:]:
        raise ReadError(f"has no column {column!r}{nearest(column, names[1:])}", path, 1)
    at = 1 if column is None else names.index(column)
    found: dict[str, str] = {}
    for line, row in enumerate(rows[1:], start=2):
        if len(row) != len(names):
            raise ReadError(f"has {counted(len(row), 'cell')} where the first line has {len(names)}", path, line)
        topic, label = row[0].strip(), row[at].strip()
        if found.setdefault(topic, label) != label:
            raise ReadError(f"topic {topic!r} has two labels, {found[topic]!r} and {label!r}", path, line)
    return found
