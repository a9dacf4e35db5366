"""Pieces of a page. Whatever comes from a file is escaped by `markup`."""

from __future__ import annotations

import base64
import gzip
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, get_args

from ...judges.verdicts import shown as of_topics
from ...words import p_cell
from ..markup import text

SHOWN_OF_NAME = 60
Records = list[dict[str, Any]]
Part = Mapping[str, Any]
"""A part of the document."""

Kind = Literal["text", "name", "number", "topics", "pvalue", "spark"]
"""Text, names from files, numbers, numbers of topics as precise as the terminal shows them, p-values, a `Span` each."""
_NUMBERS = ("number", "topics", "pvalue")


@dataclass(frozen=True)
class Column:
    """A column of a table: its heading, the key of its rows, and what it holds."""

    label: str
    key: str
    kind: Kind


def _column(kind: Kind, label: str, key: str = "") -> Column:
    return Column(label, key or label, kind)


words, names, number, topics, pvalue, spark = (partial(_column, kind) for kind in get_args(Kind))


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


def cell(value: Any, kind: Kind) -> str:
    """A cell; a number keeps its full precision for sorting and for whoever reads the source."""
    if kind in _NUMBERS:
        full = "" if value is None or math.isinf(value) else f' data-v="{json.dumps(value)}"'
        if kind == "topics":
            return f'<td class="n t"{full}>{"–" if value is None else text(of_topics(value))}</td>'
        if kind == "pvalue" and value is not None:
            return f'<td class="n p"{full}>{text(p_cell(value))}</td>'
        return f'<td class="n"{full}>{shown(value)}</td>'
    if kind == "spark":
        return f'<td class="spark">{value.drawn() if value else ""}</td>'
    return f"<td>{name(value) if kind == 'name' else text(value)}</td>"


def table(caption: str, columns: Sequence[Column], rows: Sequence[dict[str, Any]]) -> str:
    """A table that sorts. The first column of names is the heading of its row."""
    body = []
    for row in rows:
        cells = []
        for k, column in enumerate(columns):
            made = cell(row.get(column.key), column.kind)
            cells.append(f'<th scope="row">{made[4:-5]}</th>' if k == 0 and column.kind == "name" else made)
        body.append(f"<tr>{''.join(cells)}</tr>")
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{text(caption)}"><table>'
        f"<caption>{text(caption)}</caption><thead><tr>{''.join(map(_head, columns))}</tr></thead>"
        f"<tbody>{''.join(body)}</tbody></table></div>"
    )


def _head(column: Column) -> str:
    if column.kind in ("spark", "text"):  # nothing to sort by
        kind = ' class="spark"' if column.kind == "spark" else ""
        return f'<th scope="col"{kind}>{text(column.label)}</th>'
    sort = f'<button type="button" class="sort">{text(column.label)}</button>'
    return f'<th scope="col" aria-sort="none"{_align(column)}>{sort}</th>'


def _align(column: Column) -> str:
    return ' class="n"' if column.kind in _NUMBERS else ""


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
