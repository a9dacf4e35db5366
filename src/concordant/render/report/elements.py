"""Pieces of a page. Whatever comes from a file is escaped by `markup`."""

from __future__ import annotations

import base64
import gzip
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...judges.verdicts import shown as of_topics
from ...words import p_cell
from ..markup import text

SHOWN_OF_NAME = 60
Records = list[dict[str, Any]]
Part = Mapping[str, Any]
"""A part of the document."""

PVALUES = ("p", "pvalue", "adjusted", "shift p", "p, chance")
"""Columns of p-values."""


class Topics(float):
    """A number of topics, shown as precisely as on the terminal."""


@dataclass(frozen=True)
class Span:
    """An estimate with its interval, in a domain that all rows of a table share; high is None where there is no end."""

    estimate: float | None
    low: float | None
    high: float | None
    domain: tuple[float, float]

    def drawn(self) -> str:
        """A line with a dot; the numbers stand beside it, so that nobody needs to be told of it."""
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
    """Filled by the page of each kind of result."""

    title: str
    about: str
    front: str = ""
    """HTML that is seen at once, below the verdict."""
    statistics: list[tuple[str, str]] = field(default_factory=list)
    """Headings, and HTML that is folded."""
    notes: list[str] = field(default_factory=list)
    cited: list[str] = field(default_factory=list)
    """Coefficients and methods that the page used."""
    verdict: dict[str, Any] = field(default_factory=dict)
    """What the page opens with, where it is not the document's verdict."""
    data: Any = None
    """What the scripts of the page read beside the document."""


def domain_of(values: Sequence[float | None]) -> tuple[float, float]:
    """Limits that hold all values, with some margin."""
    there = [v for v in values if v is not None]
    if not there:
        return 0.0, 1.0
    low, high = min(there), max(there)
    margin = 0.05 * (high - low) or 0.05
    return low - margin, high + margin


def name(value: Any) -> str:
    """A name in a direction of its own, cut if it is long, with all of it on hover."""
    whole = str(value)
    shown = whole if len(whole) <= SHOWN_OF_NAME else whole[: SHOWN_OF_NAME - 1] + "…"
    return f'<bdi title="{text(whole)}">{text(shown)}</bdi>'


def shown(value: float | int | None) -> str:
    """A number as tables show it: whole ones as they are, others with three decimals, tiny and huge ones with less."""
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
    """A cell; a number keeps its full precision for sorting and for whoever reads the source."""
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
    """A table that sorts, of rows with the same columns, or nothing without rows. Names at its left head their rows."""
    if not rows:
        return ""
    columns = list(rows[0])
    numeric = {column: _numeric([row[column] for row in rows]) for column in columns}
    heads, body = [], []
    for column in columns:
        label = text(column)
        if column != columns[0] and not numeric[column]:  # nothing to sort by
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
    """Content that opens and closes; the summary is escaped already."""
    known = f' id="{text(key)}" class="part"' if key else ""
    return f"<details{known}><summary>{summary}</summary>{content}</details>"


def figure(title: str, drawing: str, caption: str = "") -> str:
    """A drawing with its caption."""
    return (
        f'<figure><figcaption><strong>{text(title)}</strong> {text(caption)}</figcaption><div class="plot">{drawing}'
        "</div></figure>"
    )


def items(lines: Sequence[str]) -> str:
    """A list of plain sentences."""
    return "<ul>" + "".join(f"<li>{text(line)}</li>" for line in lines) + "</ul>"


def packed(content: Any) -> str:
    """JSON, compressed, as base64: the same bytes for the same content."""
    made = json.dumps(content, separators=(",", ":"), allow_nan=False)
    return base64.b64encode(gzip.compress(made.encode(), compresslevel=6, mtime=0)).decode()


def in_script(content: Any) -> str:
    """JSON for a script element: no character in it can end the element."""
    made = json.dumps(content, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return made.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
