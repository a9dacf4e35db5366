"""Report on results without a page of their own: draw their intervals, and list their tables and nested tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...errors import escaped
from ..figures.labels import spans_of
from .elements import Parts, Records, figure, first_of, shown, spans, table

MOST_COLUMNS = 9  # columns of a table that are visible at once


def result_parts(document: Mapping[str, Any]) -> Parts:
    """Make the parts of a report for a result without a page of its own."""
    parts = Parts(document["title"], document["about"], cited=document["cited"])
    first, *others = document["tables"] or [{"rows": []}]
    names = first.get("names", ())
    numbers = _table("All numbers", first["rows"], names)
    drawn = _drawn(first["rows"])
    some = [{key: row[key] for key in list(row)[:MOST_COLUMNS]} for row in first["rows"]]
    wide = len(some) > 1 and some != first["rows"]
    parts.front = drawn or (_table("The first columns", some, names) if wide else numbers)
    parts.statistics = [("All numbers", numbers)] if drawn or wide else []
    for one in others:
        title = one["title"][:1].upper() + one["title"][1:]
        listed = _table(title, one["rows"], one.get("names", ()))
        parts.statistics.append((title, f"<p>{escaped(one['verdict'])}</p>{listed}"))
    parts.notes = [*document["notes"], *document["read_notes"]]
    return parts


def _table(caption: str, rows: Records, names: Sequence[str] = ()) -> str:
    if len(rows) == 1:  # transpose a single row, since it may be wide
        known = {_head(key, names): _told(value) for key, value in rows[0].items() if value is not None}
        rows = [{"what": key, "value": value} for key, value in known.items()]
    return table(caption, [{_head(key, names): value for key, value in row.items()} for row in rows])


def _head(key: str, names: Sequence[str]) -> str:
    """Write the heading of a column, with the name of the side that the column describes."""
    for role, name in zip(("truth_", "candidate_"), names, strict=False):
        if key.startswith(role):
            return f"{key.removeprefix(role).replace('_', ' ')} by {name}"
    return "rank distance" if key == "d_rank" else key.replace("_", " ")


def _told(value: Any) -> Any:
    return shown(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


def _drawn(rows: Records) -> str:
    """Draw each row's interval and value, or return an empty string if fewer than two rows have them."""
    value, found = spans_of(rows)
    if len(found) < 2:
        return ""
    drawn = [dict(zip(("label", "value", "low", "high"), span, strict=True)) for span in found]
    value = value.replace("_", " ")
    return figure(f"{value.capitalize()} with its interval", spans(drawn, value), first_of(drawn))
