"""The page of any other result: its rows as a table or as intervals, and the tables of the results within it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..figures.labels import most_telling
from ..markup import text
from . import drawings
from .elements import Column, Kind, Parts, Records, figure, names, shown, table, words

MOST_COLUMNS = 9  # of a table that is not folded
_CITED = {
    "CombinedMeans": ["combine"],
    "JudgeCard": ["judge_card", "soft_pairwise_accuracy", "significance_agreement"],
    "JudgeStudy": ["judge_study"],
    "JudgmentStudy": ["judgment_study"],
    "RankIntervals": ["rank_intervals"],
    "Reliability": ["reliability"],
}


def result_parts(document: Mapping[str, Any]) -> Parts:
    """The page of a result that has none of its own."""
    parts = Parts(document["title"], document["about"], cited=_CITED.get(document["kind"], []))
    first, *others = document["tables"] or [{"rows": []}]
    numbers = _table("All numbers", first["rows"])
    drawn = _drawn(first["rows"])
    some = [{key: row[key] for key in list(row)[:MOST_COLUMNS]} for row in first["rows"]]
    wide = len(some) > 1 and some != first["rows"]
    parts.front = drawn or (_table("The first columns", some) if wide else numbers)
    parts.statistics = [("All numbers", numbers)] if drawn or wide else []
    for one in others:
        title = one["title"].replace("_", " ").capitalize()
        parts.statistics.append((title, f"<p>{text(one['verdict'])}</p>{_table(title, one['rows'])}"))
    parts.notes = [*document["notes"], *document["read_notes"]]
    return parts


def _kind(key: str, values: list[Any]) -> Kind:
    known = [value for value in values if value is not None]
    if not known or not all(isinstance(value, int | float) and not isinstance(value, bool) for value in known):
        return "name"
    return "pvalue" if key in ("p", "pvalue", "adjusted", "shift_p") else "number"


def _table(caption: str, rows: Records) -> str:
    if not rows:
        return ""
    if len(rows) == 1:  # upright, because it may be wide
        told = [{"what": key.replace("_", " "), "value": _told(value)} for key, value in rows[0].items()]
        return table(caption, [names("what"), words("value")], told)
    kinds: dict[str, Kind] = {key: _kind(key, [row.get(key) for row in rows]) for key in rows[0]}
    columns = [Column(key.replace("_", " "), key, kind) for key, kind in kinds.items()]
    told = [{key: _told(value) if kinds[key] == "name" else value for key, value in row.items()} for row in rows]
    return table(caption, columns, told)


def _told(value: Any) -> Any:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return shown(value)
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return "–" if value is None else value


def _drawn(rows: Records) -> str:
    """Each row's interval and the value in it, where the rows have them."""
    known = [row for row in rows if row.get("low") is not None and row.get("high") is not None]
    labels = [key for key, value in (rows[0] if rows else {}).items() if isinstance(value, str)]
    values = [
        key
        for key in (known[0] if known else {})
        if key not in ("low", "high") and _kind(key, [row[key] for row in known]) == "number"
        and all(row[key] is not None and row["low"] <= row[key] <= row["high"] for row in known)
    ]  # fmt: skip
    if len(known) < 2 or not labels or not values:
        return ""
    kept, note = most_telling([0] * len(rows), drawings.MOST)
    varied = [key for key in labels if len({row[key] for row in rows}) > 1] or labels[:1]
    label = next((key for key in varied if len({row[key] for row in rows}) == len(rows)), "")
    drawn = [
        {
            **rows[k],
            "label": rows[k][label] if label else ", ".join(rows[k][key] for key in varied),
            "value": rows[k][values[0]],
        }
        for k in kept
    ]
    caption = f"{note}." if note else ""
    name = values[0].replace("_", " ")
    return figure(f"{name.capitalize()} with its interval", drawings.spans(drawn, name), caption)
