"""Report on a leaderboard: a table to search and filter, with the ranks that each system could have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import index
from typing import Any

from ...data.means import RULES
from ...errors import counted, escaped, listing
from ...ranks.intervals import sample_of
from .elements import Parts, name, shown


def board_parts(document: Mapping[str, Any]) -> Parts:
    """Make the parts of a leaderboard's report: a table of all systems and their possible ranks."""
    rows = document["rows"]
    parts = Parts(f"Leaderboard of {counted(len(rows), 'system')}", _about(document), cited=["board"])
    parts.verdict = {"answer": "none", "headline": document["verdict"], "sentences": _facts(document), "next": []}
    parts.front = (
        f'{_CONTROLS}<p class="about">Rank: 1 + the number of significantly better systems. Bar: the ranks that a '
        'system could have. Mark: its rank on these data.</p><p id="told" class="about" role="status">Choose a row to '
        f"see which systems cannot be separated from it.</p>{_table(rows, document['total'])}"
    )
    notes = [*document["notes"], *document["read_notes"]]
    parts.notes = [f"{note[:1].upper()}{note[1:]}." for note in dict.fromkeys(notes)]
    return parts


def _about(document: Mapping[str, Any]) -> str:
    settings, rule = document["settings"], RULES[document["total"]]
    known = "standard errors, no topics"
    if "topics" in settings:
        known = f"{sample_of(settings['topics'], settings.get('groups'))}; ranked by the {rule.summary}"
    elif "battles" in settings:
        known = f"{counted(settings['battles'], 'battle')}; ranked by {settings['method']}"
    scope = "all systems together" if document["simultaneous"] else "each system by itself"
    return f"{known}; ranks with {100 * settings['confidence_level']:g}% confidence for {scope}"


def _facts(document: Mapping[str, Any]) -> list[str]:
    facts = [document["border_sentence"], *(f"{said}." for said in document["outlook_sentences"])]
    if best := document["settings"].get("best"):
        could, surely = (listing(best[key], 30) or "none" for key in ("possible", "certain"))
        facts.append(f"Could be among the {index(best['k'])} best: {could}. Certainly are: {surely}.")
    return [fact for fact in facts if fact]


_CONTROLS = (
    '<div class="controls" role="search"><label>Search <input id="find" type="search" autocomplete="off"></label>'
    '<label><input id="best" type="checkbox"> could be the best</label>'
    '<label><input id="whole" type="checkbox"> has all topics</label>'
    '<button type="button" class="button" id="clear">Clear</button><span id="count" class="about" role="status">'
    "</span></div>"
)


def _table(rows: Sequence[Mapping[str, Any]], total: str) -> str:
    most, whole = len(rows), max(index(row["topics"] or 0) for row in rows)
    lines = [_line(k, row, most, whole) for k, row in enumerate(rows)]
    columns = ("rank", "system", RULES[total].column, "topics", "could be", f"1 to {most}")  # type: ignore[index]
    heads = "".join(f'<th scope="col">{escaped(label)}</th>' for label in columns)
    return (
        '<div class="scroll" tabindex="0" role="region" aria-label="Board">'
        '<table id="board"><caption>Board</caption>'
        f"<thead><tr>{heads}</tr></thead><tbody>{''.join(lines)}</tbody></table></div>"
    )


def _line(k: int, row: Mapping[str, Any], most: int, whole: int) -> str:
    """Make the row of a system. `index` raises an error if the JSON has text in place of a whole number."""
    rank, topics, high, observed = (index(row[key] or 0) for key in ("rank", "topics", "high", "observed"))
    border = ' class="border"' if row["border_below"] else ""
    return (
        f'<tr id="r{k}"{border} tabindex="0" data-best="{rank == 1:d}" data-whole="{topics == whole:d}">'
        f'<td>{rank}</td><th scope="row">{name(row["system"])}</th>'
        f'<td>{shown(row["total"])}</td><td>{topics or ""}</td><td>{rank} to {high}</td><td class="span">'
        f'<svg viewBox="0 0 {most} 1" preserveAspectRatio="none" aria-hidden="true"><rect x="{rank - 1}" y=".3" '
        f'width="{high - rank + 1}" height=".4"/><rect class="own" x="{observed - 1}" width="1" height="1"/></svg>'
        "</td></tr>"
    )
