"""Pieces of a page. Whatever comes from a file is escaped by `markup`."""

from __future__ import annotations

import base64
import gzip
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ...judges.verdicts import shown as of_topics
from ...words import p_cell
from ..markup import text

SHOWN_OF_NAME = 60

Kind = Literal["text", "name", "number", "topics", "pvalue", "spark", "candidate"]
_NUMBERS = ("number", "topics", "pvalue")


@dataclass(frozen=True)
class Column:
    """A column of a table: its heading, the key of its rows, and what it holds."""

    label: str
    key: str
    kind: Kind


def words(label: str, key: str = "") -> Column:
    """A column of text."""
    return Column(label, key or label, "text")


def names(label: str, key: str = "") -> Column:
    """A column of names from files."""
    return Column(label, key or label, "name")


def number(label: str, key: str = "") -> Column:
    """A column of numbers."""
    return Column(label, key or label, "number")


def topics(label: str, key: str = "") -> Column:
    """A column of numbers of topics, as precise as the terminal shows them."""
    return Column(label, key or label, "topics")


def pvalue(label: str, key: str = "") -> Column:
    """A column of p-values."""
    return Column(label, key or label, "pvalue")


def spark(label: str, key: str = "") -> Column:
    """A column of small drawings: a `Span` each."""
    return Column(label, key or label, "spark")


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


def name(value: Any) -> str:
    """A name in a direction of its own, cut if it is long, with all of it on hover."""
    whole = str(value)
    shown = whole if len(whole) <= SHOWN_OF_NAME else whole[: SHOWN_OF_NAME - 1] + "…"
    return f'<bdi title="{text(whole)}">{text(shown)}</bdi>'


def shown(value: float | int | None) -> str:
    """A number as the tables show it: a whole one as it is, others with four decimals, tiny and huge ones with less."""
    if value is None:
        return "–"
    if isinstance(value, int):
        return f"{value:d}"
    if abs(value) >= 1e6:
        return f"{value:.3g}"
    return f"{value:.4f}" if value == 0 or abs(value) >= 0.0001 else f"{value:.2g}"


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
    if kind == "candidate":
        return _candidate(*value)
    return f"<td>{name(value) if kind == 'name' else text(value)}</td>"


def _candidate(place: int, called: str) -> str:
    """The heading of a row: a button that shows the candidate in the picture."""
    return f'<th scope="row"><button type="button" class="pick" data-candidate="{place}">{name(called)}</button></th>'


def pick(system: str) -> str:
    """The heading of a row: a button that chooses the system in all charts."""
    return (
        f'<th scope="row"><button type="button" class="pick" data-pick="{text(system)}" aria-pressed="false">'
        f"{name(system)}</button></th>"
    )


def table(caption: str, columns: Sequence[Column], rows: Sequence[dict[str, Any]], *, label: str = "") -> str:
    """A table that sorts. A column "system" has buttons that choose the system."""
    head = "".join(map(_head, columns))
    body = []
    for row in rows:
        system = row.get("system")
        mark = "" if system is None else f' data-system="{text(system)}"'
        cells = (
            pick(row["system"]) if column.key == "system" else cell(row.get(column.key), column.kind)
            for column in columns
        )
        body.append(f"<tr{mark}>{''.join(cells)}</tr>")
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{text(label or caption)}">'
        f"<table><caption>{text(caption)}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{''.join(body)}</tbody></table></div>"
    )


def _head(column: Column) -> str:
    if column.kind == "spark":
        return f'<th scope="col" class="spark">{text(column.label)}</th>'
    sort = f'<button type="button" class="sort">{text(column.label)}</button>'
    return f'<th scope="col" aria-sort="none"{_align(column)}>{sort}</th>'


def option(system: str) -> str:
    """A system to be found."""
    return f'<option value="{text(system)}"></option>'


def _align(column: Column) -> str:
    return ' class="n"' if column.kind in _NUMBERS else ""


def details(summary: str, content: str, *, opened: bool = False, kind: str = "more", part: str = "") -> str:
    """Content that opens and closes; or the name of a part that is unfolded when it opens."""
    later = f' data-part="{part}"' if part else ""
    return f'<details class="{kind}"{later}{" open" if opened else ""}><summary>{summary}</summary>{content}</details>'


def chart(key: str, title: str, description: str, its_table: str, *, tall: bool = False, crowded: bool = False) -> str:
    """The place of a chart, with its words and its table; a tall one scrolls, a crowded one is not printed."""
    scrolls = f' tabindex="0" role="region" aria-label="{text(title)}"' if tall else ""
    return (
        f'<figure class="chart{" crowded" if crowded else ""}" id="{text(key)}" aria-labelledby="{text(key)}-title">'
        f'<figcaption><strong id="{text(key)}-title">{text(title)}</strong> {text(description)}</figcaption>'
        f'<div class="frame{" tall" if tall else ""}"{scrolls}><div class="plot" data-chart="{text(key)}"></div></div>'
        f"{details('Table of this chart', its_table) if its_table else ''}</figure>"
    )


def section(key: str, title: str, content: str, level: int = 2) -> str:
    """A region of the page with its heading."""
    return (
        f'<section id="{text(key)}" aria-labelledby="{text(key)}-h"><h{level} id="{text(key)}-h">{title}</h{level}>'
        f"{content}</section>"
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
