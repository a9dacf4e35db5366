"""Make the pieces of a report. `markup` escapes all text from files."""

from __future__ import annotations

import base64
import gzip
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...errors import p_cell
from ...judges.worth import shown as of_topics
from ..markup import text

SHOWN_OF_NAME = 60
Records = list[dict[str, Any]]
Part = Mapping[str, Any]
"""A part of the report's document."""

PVALUES = ("p", "pvalue", "adjusted", "shift p", "p, chance")
"""Columns of p-values."""


class Topics(float):
    """A number of topics, rounded as on the terminal."""


@dataclass(frozen=True)
class Span:
    """An estimate and its interval, in a domain shared by all rows of a table; `high` is None if there is no limit."""

    estimate: float | None
    low: float | None
    high: float | None
    domain: tuple[float, float]

    def drawn(self) -> str:
        """Draw a line with a dot; it has no text alternative, as the numbers are in the next columns."""
        start, end = self.domain

        def at(value: float) -> str:
            return f"{100 * min(max((value - start) / (end - start), 0.0), 1.0):.1f}"

        marks = ""
        if self.low is not None:
            high = end if self.high is None else self.high
            marks += f'<line x1="{at(self.low)}" x2="{at(high)}" y1="6" y2="6"></line>'
        if self.estimate is not None:
            marks += f'<circle cx="{at(self.estimate)}" cy="6" r="3"></circle>'
        return f'<svg viewBox="-4 0 108 12" aria-hidden="true">{marks}</svg>'


@dataclass
class Parts:
    """The parts of a report, which each kind of result fills in."""

    title: str
    about: str
    front: str = ""
    """HTML that is visible at once, below the verdict."""
    statistics: list[tuple[str, str]] = field(default_factory=list)
    """Headings, each with collapsed HTML."""
    notes: list[str] = field(default_factory=list)
    cited: list[str] = field(default_factory=list)
    """Coefficients and methods that the report used."""
    verdict: dict[str, Any] = field(default_factory=dict)
    """The verdict at the top, if it is not the document's."""
    data: Any = None
    """Data for the scripts besides the document."""


def domain_of(values: Sequence[float | None]) -> tuple[float, float]:
    """Return limits around all values, with some margin."""
    there = [v for v in values if v is not None]
    if not there:
        return 0.0, 1.0
    low, high = min(there), max(there)
    margin = 0.05 * (high - low) or 0.05
    return low - margin, high + margin


def name(value: Any) -> str:
    """Write a name, isolated from the direction of the text; cut a long one and show it whole on hover."""
    whole = str(value)
    shown = whole if len(whole) <= SHOWN_OF_NAME else whole[: SHOWN_OF_NAME - 1] + "…"
    return f'<bdi title="{text(whole)}">{text(shown)}</bdi>'


def shown(value: float | int | None) -> str:
    """Write a number for a table: whole ones in full, others with three decimals, tiny and huge ones with fewer."""
    if value is None:
        return "–"
    if isinstance(value, int):
        return f"{value:d}"
    if abs(value) >= 1e6:
        return f"{value:.3g}"
    if abs(value) >= 100:
        return f"{value:.1f}"
    return f"{value:.3f}" if value == 0 or abs(value) >= 0.001 else f"{value:.2g}"


def cell(value: Any, column: str, *, numeric: bool) -> str:
    """Write a cell; a number keeps its full precision in an attribute, for sorting and for CSV."""
    if isinstance(value, Span):
        return f'<td class="spark">{value.drawn()}</td>'
    if not numeric and value is not None:
        if isinstance(value, bool):
            value = "yes" if value else "no"
        elif isinstance(value, float):
            value = shown(value)
        return f"<td>{name(', '.join(map(str, value)) if isinstance(value, list | tuple) else value)}</td>"
    full = "" if value is None or math.isinf(value) else f' data-v="{json.dumps(value)}"'
    if isinstance(value, Topics):
        return f'<td class="n t"{full}>{text(of_topics(value))}</td>'
    if column in PVALUES and value is not None:
        return f'<td class="n p"{full}>{text(p_cell(value))}</td>'
    return f'<td class="n"{full}>{shown(value)}</td>'


def table(caption: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """Write a sortable table of rows with the same columns; names on the left are row headers. No rows, no table."""
    if not rows:
        return ""
    columns = list(rows[0])
    numeric = {column: _numeric([row[column] for row in rows]) for column in columns}
    heads, body = [], []
    for column in columns:
        label = text(column)
        if column != columns[0] and not numeric[column]:  # not sortable
            kind = ' class="spark"' * isinstance(rows[0][column], Span)
            heads.append(f'<th scope="col"{kind}>{label}</th>')
            continue
        align = ' class="n"' * numeric[column]
        heads.append(
            f'<th scope="col" aria-sort="none"{align}><button type="button" class="sort">{label}</button></th>'
        )
    for row in rows:
        cells = [cell(row[column], column, numeric=numeric[column]) for column in columns]
        if not numeric[columns[0]]:
            cells[0] = f'<th scope="row">{cells[0][4:-5]}</th>'
        body.append(f"<tr>{''.join(cells)}</tr>")
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{text(caption)}"><table>'
        f"<caption>{text(caption)}</caption><thead><tr>{''.join(heads)}</tr></thead>"
        f"<tbody>{''.join(body)}</tbody></table></div>"
    )


def _numeric(values: Sequence[Any]) -> bool:
    known = [value for value in values if value is not None]
    return bool(known) and all(isinstance(value, int | float) and not isinstance(value, bool) for value in known)


def details(summary: str, content: str, *, key: str = "") -> str:
    """Write a collapsible section; the summary must be escaped already."""
    known = f' id="{text(key)}" class="part"' if key else ""
    return f"<details{known}><summary>{summary}</summary>{content}</details>"


def figure(title: str, drawing: str, caption: str = "") -> str:
    """Write a drawing with its caption."""
    return (
        f'<figure><figcaption><strong>{text(title)}</strong> {text(caption)}</figcaption><div class="plot">{drawing}'
        "</div></figure>"
    )


def items(lines: Sequence[str]) -> str:
    """Write a list of sentences."""
    return "<ul>" + "".join(f"<li>{text(line)}</li>" for line in lines) + "</ul>"


def packed(content: Any) -> str:
    """Return compressed JSON in base64; the same content gives the same bytes."""
    made = json.dumps(content, separators=(",", ":"), allow_nan=False)
    return base64.b64encode(gzip.compress(made.encode(), compresslevel=6, mtime=0)).decode()


def in_script(content: Any) -> str:
    """Return JSON for a script element, in which no character can end the element."""
    made = json.dumps(content, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return made.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
