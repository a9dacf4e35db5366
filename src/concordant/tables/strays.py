"""Columns among scores that are neither systems nor topics: counters, facts, summaries, and errors of other columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np

from ..arrays import FloatArray
from ..data.choice import chosen, says_which
from ..words import argument, listing
from .cells import Cells, warn_of
from .vocabulary import (
    companions,
    is_summary,
    looks_like_topic,
    names_counter,
    names_fact,
    names_systems,
    names_topics,
)

_SHORT = 2  # letters: beside others of this kind, `n` and `no` are names like any other


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
    counters, why = _counters(names, values, axis), _unlike(names, values) if axis == "systems" else {}
    labels = [k for k, name in enumerate(names) if names_topics(name) or names_systems(name)]
    for k, name in enumerate(names):
        if not cells.has_numbers(kept[k]) and len(cells) > 1:
            why[k] = f"holds {next(iter(cells.words(kept[k]).values()))!r}"
        elif _is_usual(name, names):
            continue
        elif is_summary(name) and axis == "systems":
            why[k] = "a summary"
        elif names_counter(name) and not (axis == "topics" and looks_like_topic(name)):
            why[k] = "a row number"
        elif names_fact(name) and axis == "systems":
            why[k] = "a fact about topics"
    for name, found in companions(names).items():
        k = names.index(name)
        if _belongs(values[:, k], values[:, names.index(found.of)], found.kind):
            why[k] = f"belongs to {found.of!r}"
    if len(labels) < len(names):
        _leave_out(cells, [names[k] for k in labels], "its name is that of a column of labels")
        counters = counters - set(labels)
    else:
        labels = []
    strays = {k: reason for k, reason in why.items() if k not in counters and k not in labels}
    if len(strays) == len(names) and not cells.has_numbers(kept[0]):
        cells.numbers(kept[0])  # an error that names the cell: there is nothing to leave out
    if strays:
        these = ", ".join(f"{names[k]!r} ({reason})" for k, reason in sorted(strays.items()))
        more = [f"!{names[k]}" for k in sorted(strays)]
        raise cells.error(
            f"these columns do not look like {axis}: {these}. Leave them out with {argument(axis, more)}, or read every "
            f"column as a {axis[:-1]} with {argument(axis, ['*'])}"
        )
    _leave_out(cells, [names[k] for k in sorted(counters)], "it numbers the rows")
    return [k for place, k in enumerate(kept) if place not in counters and place not in labels]


def _leave_out(cells: Cells, names: list[str], why: str) -> None:
    if names:
        warn_of(cells.origin, f"left out, because {why}: {listing(names)}")


def _is_usual(name: str, names: Sequence[str]) -> bool:
    """Whether a short name stands among others as short, such as letters or languages."""
    return len(name) <= _SHORT and 2 * sum(len(other) <= _SHORT for other in names) > len(names)


def _counters(names: Sequence[str], values: FloatArray, axis: str) -> set[int]:
    """Columns that count 0, 1, 2, ... or 1, 2, 3, ... beside fractions, or under a name that says so.

    Beside whole numbers, other names are refused by `_unlike`, because these may be ranks.
    """
    n, m = values.shape
    counting = [k for k in range(m) if n > 1 and _counts(values[:, k])]
    if not counting or m == len(counting):
        return set()
    others = np.delete(values, counting, axis=1)
    fractions = bool((np.nan_to_num(others) % 1).any())
    return {
        k
        for k in counting
        if (names_counter(names[k]) and (n > 2 or fractions))
        or (n > 2 and fractions and not (axis == "topics" and looks_like_topic(names[k])))
    }


def _counts(column: FloatArray) -> bool:
    """Whether a column counts 0, 1, 2, ... or 1, 2, 3, ..."""
    return column[0] in (0, 1) and column[1] == column[0] + 1 and bool((np.diff(column) == 1).all())


def _unlike(names: Sequence[str], values: FloatArray) -> dict[int, str]:
    """Columns of other numbers than most: counts beside scores up to 1, or ten times as large; or that count."""
    n, m = values.shape
    low, high = np.fmin.reduce(values), np.fmax.reduce(values)
    size = np.fmax(np.abs(low), np.abs(high))
    found = {k: f"counts the {n} rows" for k in range(m) if n > 3 and _counts(values[:, k])}
    if m < 2 or n < 4 or np.isnan(size).all():
        return found
    units, usual = size <= 1, float(np.nanmedian(size))
    for k in np.flatnonzero(size > 1).tolist():
        whole = not (np.nan_to_num(values[:, k]) % 1).any()
        count = 2 * units.sum() >= m and (whole or low[k] > 1)
        if count or (m > 2 and low[k] > 10 * usual):
            found.setdefault(k, f"{low[k]:g} to {high[k]:g}, unlike the others")
    return found


def _belongs(column: FloatArray, other: FloatArray, kind: str) -> bool:
    """Whether a column belongs to the one that its name names: a bound lies on its side, gpt-4.1 may be a version."""
    if kind in ("below", "above"):
        past = column > other if kind == "below" else column < other
        return len(column) <= 3 or not past.any()
    return kind != "version" or bool((column == other).all())
