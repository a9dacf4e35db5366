"""Pieces of a page. Whatever comes from a file is escaped by `markup`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ..markup import attribute, text

SHOWN_OF_NAME = 60

Kind = Literal["text", "name", "number"]


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


def name(value: Any) -> str:
    """A name in a direction of its own, cut if it is long, with all of it on hover."""
    whole = str(value)
    shown = whole if len(whole) <= SHOWN_OF_NAME else whole[: SHOWN_OF_NAME - 1] + "…"
    return f'<bdi title="{attribute(whole)}">{attribute(shown)}</bdi>'


def shown(value: float | int | None) -> str:
    """A number as the tables show it: a whole one as it is, others with four decimals, tiny ones with two digits."""
    if value is None:
        return "–"
    if isinstance(value, int):
        return f"{value:d}"
    return f"{value:.4f}" if value == 0 or abs(value) >= 0.0001 else f"{value:.2g}"


def cell(value: Any, kind: Kind) -> str:
    """A cell; a number keeps its full precision for sorting and for whoever reads the source."""
    if kind == "number":
        full = "" if value is None else f' data-v="{json.dumps(value)}"'
        return f'<td class="n"{full}>{shown(value)}</td>'
    return f"<td>{name(value) if kind == 'name' else text(value)}</td>"


def pick(system: str) -> str:
    """The heading of a row: a button that chooses the system in all charts."""
    return (
        f'<th scope="row"><button type="button" class="pick" data-pick="{attribute(system)}" aria-pressed="false">'
        f"{name(system)}</button></th>"
    )


def table(caption: str, columns: Sequence[Column], rows: Sequence[dict[str, Any]], *, label: str = "") -> str:
    """A table that sorts. A column "system" has buttons that choose the system."""
    head = "".join(
        f'<th scope="col" aria-sort="none"{_align(column)}><button type="button" class="sort">'
        f"{text(column.label)}</button></th>"
        for column in columns
    )
    body = []
    for row in rows:
        system = row.get("system")
        mark = "" if system is None else f' data-system="{attribute(system)}"'
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


def option(system: str) -> str:
    """A system to be found."""
    return f'<option value="{attribute(system)}"></option>'


def _align(column: Column) -> str:
    return ' class="n"' if column.kind == "number" else ""


def details(summary: str, content: str, *, opened: bool = False, kind: str = "more") -> str:
    """Content that opens and closes."""
    return f'<details class="{kind}"{" open" if opened else ""}><summary>{summary}</summary>{content}</details>'


def chart(key: str, title: str, description: str, its_table: str, *, wide: bool = False) -> str:
    """The place of a chart, with what it shows in words and its table."""
    return (
        f'<figure class="chart{" wide" if wide else ""}" id="{text(key)}" aria-labelledby="{text(key)}-title">'
        f'<figcaption><strong id="{text(key)}-title">{text(title)}</strong> {text(description)}</figcaption>'
        f'<div class="plot" data-chart="{text(key)}"></div>{details("Table of this chart", its_table)}</figure>'
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


def in_script(content: Any) -> str:
    """JSON for a script element: no character in it can end the element."""
    made = json.dumps(content, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return made.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
