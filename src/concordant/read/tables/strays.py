"""Columns among scores that are neither systems nor topics: counters, facts, summaries, and errors of other columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np

from ...arrays import FloatArray
from ...data.groups import chosen, says_which
from ...words import argument, listing
from . import vocabulary
from .cells import Cells, warn_of

# A number that is written otherwise, so that its column is a system: 1,234 or 1/2.
_NUMBER = re.compile(r"[^\w\[(]{0,2}\d[\d.,'/\s_]*[^\w\])]{0,2}")


def score_columns(
    cells: Cells, columns: Sequence[int], axis: Literal["systems", "topics"], wanted: Iterable[str] | None
) -> list[int]:
    """The columns that are systems, or topics: those that the caller chose, else all but those that number the rows.

    Columns that look like something else are refused, because they would be ranked as one more system.
    """
    places = chosen(wanted, [cells.names[k] for k in columns])
    kept = [columns[k] for k in places] or list(columns)
    if says_which(wanted):
        return kept
    names = [cells.names[k] for k in kept]
    values = cells.matrix(kept, rows=())
    labels = {k for k, name in enumerate(names) if vocabulary.names_topics(name) or vocabulary.names_systems(name)}
    labels = labels if len(labels) < len(names) else set()
    counters = _counters(names, values, axis) - labels
    reasons = _by_words(cells, kept) | _by_name(names, values, axis) | _by_companions(names, values)
    if axis == "systems":
        reasons = _unlike(values) | reasons
    strays = {k: reason for k, reason in sorted(reasons.items()) if k not in counters | labels}
    if strays:
        these = ", ".join(f"{names[k]!r} ({reason})" for k, reason in strays.items())
        leave, every = argument(axis, [f"!{names[k]}" for k in strays]), argument(axis, ["*"])
        way_out = f"Leave them out with {leave}, or read every column as a {axis[:-1]} with {every}"
        raise cells.error(f"these columns do not look like {axis}: {these}. {way_out}")
    for left, why in ((counters, "it numbers the rows"), (labels, "its name is that of a column of labels")):
        if left:
            warn_of(cells.origin, f"left out, because {why}: {listing(names[k] for k in sorted(left))}")
    return [k for place, k in enumerate(kept) if place not in counters | labels]


def _by_words(cells: Cells, columns: Sequence[int]) -> dict[int, str]:
    """Columns without any number. Where most are, numbers are written otherwise: an error names the first cell."""
    words = {place: cells.words(k) for place, k in enumerate(columns) if not cells.has_numbers(k)}
    if 2 * len(words) > len(columns) or len(cells) < 2:
        cells.matrix(columns)
    firsts = {place: str(next(iter(found.values()))) for place, found in words.items()}
    return {place: f"holds {cell!r}" for place, cell in firsts.items() if not _NUMBER.fullmatch(cell)}


def _by_name(names: Sequence[str], values: FloatArray, axis: str) -> dict[int, str]:
    """Columns named as counters are, or, in place of systems, as summaries and facts about topics are."""
    found = {}
    summaries = set(vocabulary.summaries_among(names)) if axis == "systems" else ()
    for k, name in enumerate(names):
        if vocabulary.is_one_of_short(name, names):
            continue
        if name in summaries:
            found[k] = "a summary"
        elif vocabulary.names_counter(name) and not _has_fractions(values[:, k]):
            found[k] = "a row number or a count"
        elif axis == "systems" and vocabulary.names_fact(name):
            found[k] = "a fact about topics"
    return found


def _by_companions(names: Sequence[str], values: FloatArray) -> dict[int, str]:
    """Columns that belong to another by name: a bound lies on its side, and a next version has its own scores."""
    place = {name: k for k, name in enumerate(names)}
    found = {}
    for name, (of, kind) in vocabulary.companions(names).items():
        column, other = values[:, place[name]], values[:, place[of]]
        if kind in ("below", "above") and len(column) > 3:
            past = column - other if kind == "below" else other - column
            belongs = not (past > 0.01 * np.ptp(other)).any()  # both may be rounded
        else:
            belongs = kind != "version" or bool((column == other).all() and len(np.unique(column)) > 2)
        if belongs:
            found[place[name]] = f"belongs to {of!r}"
    return found


def _counters(names: Sequence[str], values: FloatArray, axis: str) -> set[int]:
    """Columns that count 0, 1, 2, ... or 1, 2, 3, ... beside fractions, or under a name that says so.

    Beside whole numbers, other names are refused by `_unlike`, because these may be ranks.
    """
    n, m = values.shape
    counting = [k for k in range(m) if n > 1 and _counts(values[:, k])]
    if not counting or m == len(counting):
        return set()
    fractions = _has_fractions(np.delete(values, counting, axis=1))
    return {
        k
        for k in counting
        if (vocabulary.names_counter(names[k]) and (n > 2 or fractions))
        or (n > 2 and fractions and not (axis == "topics" and vocabulary.looks_like_topic(names[k])))
    }


def _counts(column: FloatArray) -> bool:
    """Whether a column counts 0, 1, 2, ... or 1, 2, 3, ..."""
    return column[0] in (0, 1) and column[1] == column[0] + 1 and bool((np.diff(column) == 1).all())


def _has_fractions(values: FloatArray) -> bool:
    return bool((np.nan_to_num(values) % 1).any())


def _unlike(values: FloatArray) -> dict[int, str]:
    """Columns of other numbers than most: counts beside scores up to 1, or ten times as large; or that count."""
    n, m = values.shape
    low, high = np.fmin.reduce(values), np.fmax.reduce(values)
    size = np.fmax(np.abs(low), np.abs(high))
    found = {k: f"counts the {n} rows" for k in range(m) if n > 3 and _counts(values[:, k])}
    if m < 2 or n < 4 or np.isnan(size).all():
        return found
    units, usual = size <= 1, float(np.median(size[~np.isnan(size)]))
    larger = np.flatnonzero(size > 1).tolist()
    most_are_units = 0 < len(larger) <= units.sum() and _has_fractions(values[:, units])
    for k in larger:
        count = most_are_units and (low[k] > 1 or not _has_fractions(values[:, k]))
        if count or (m > 2 and low[k] > 10 * usual):
            found.setdefault(k, f"{low[k]:g} to {high[k]:g}, unlike the others")
    return found
