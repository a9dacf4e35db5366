"""Make the pieces of a report: tables, sections, and drawings as inline SVG.

Drawings have widths in percent of the page, heights in pixels, and colours from the style sheet. They therefore need
no script, their letters keep their size at any width, and one drawing suits light pages, dark pages and paper.
"""

from __future__ import annotations

import base64
import gzip
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...errors import escaped, p_cell
from ...judges.worth import shown as of_topics
from ..figures.labels import distinct, without_common

SHOWN_OF_NAME = 60  # most characters of a name in a table
ROW = 18  # pixels per row of a drawing
MOST = 40  # rows of a drawing
_LETTERS = 20  # letters of a name that fit beside a drawing on a phone
_LEFT, _RIGHT = 40.0, 97.0  # percent: where names end, and where the drawing ends
Records = list[dict[str, Any]]
Part = Mapping[str, Any]
"""A part of the report's document."""

PVALUES = ("p", "pvalue", "adjusted", "shift p", "p, chance")
"""Columns of p-values."""


class Topics(float):
    """A number of topics, rounded as on the terminal."""


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
    """The verdict at the top of the page. If it is empty, the page shows the document's verdict."""


def name(value: Any) -> str:
    """Write a name so that its text direction affects no other text. Cut a long name, and show it whole on hover."""
    whole = str(value)
    shown = whole if len(whole) <= SHOWN_OF_NAME else whole[: SHOWN_OF_NAME - 1] + "…"
    return f'<bdi title="{escaped(whole)}">{escaped(shown)}</bdi>'


def shown(value: float | int | None) -> str:
    """Write a number for a table: an integer in full, a float with three decimals, or fewer digits if tiny or huge."""
    if value is None:
        return "–"
    if isinstance(value, int):
        return f"{value:d}"
    if abs(value) >= 1e6:
        return f"{value:.3g}"
    if abs(value) >= 100:
        return f"{value:.1f}"
    return f"{value:.3f}" if value == 0 or abs(value) >= 0.001 else f"{value:.2g}"


def cell(value: Any, column: str, *, numeric: bool, whole: bool = False) -> str:
    """Write a cell of a table. An attribute keeps the full precision of a number, for sorting and for CSV."""
    if not numeric:
        if isinstance(value, bool):
            value = "yes" if value else "no"
        elif value is None or isinstance(value, float):
            value = shown(value)
        return f"<td>{name(', '.join(map(str, value)) if isinstance(value, list | tuple) else value)}</td>"
    full = "" if value is None or math.isinf(value) else f' data-v="{json.dumps(value)}"'
    if isinstance(value, Topics):
        return f'<td class="n t"{full}>{escaped(of_topics(value))}</td>'
    if column in PVALUES and value is not None:
        return f'<td class="n p"{full}>{escaped(p_cell(value))}</td>'
    return f'<td class="n"{full}>{shown(int(value) if whole and value is not None else value)}</td>'


def table(caption: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """Write a sortable table of rows that have the same columns; without rows, return an empty string.

    If the first column holds names, they become row headers.
    """
    if not rows:
        return ""
    columns = list(rows[0])
    numeric = {column: _numeric([row[column] for row in rows]) for column in columns}
    whole = {column: numeric[column] and _whole([row[column] for row in rows]) for column in columns}
    heads, body = [], []
    for column in columns:
        label = escaped(column)
        if column != columns[0] and not numeric[column]:  # a column of text, which is not sortable
            heads.append(f'<th scope="col">{label}</th>')
            continue
        align = ' class="n"' * numeric[column]
        heads.append(
            f'<th scope="col" aria-sort="none"{align}><button type="button" class="sort">{label}</button></th>'
        )
    for row in rows:
        cells = [cell(row[column], column, numeric=numeric[column], whole=whole[column]) for column in columns]
        if not numeric[columns[0]]:
            cells[0] = f'<th scope="row">{cells[0][4:-5]}</th>'
        body.append(f"<tr>{''.join(cells)}</tr>")
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escaped(caption)}"><table>'
        f"<caption>{escaped(caption)}</caption><thead><tr>{''.join(heads)}</tr></thead>"
        f"<tbody>{''.join(body)}</tbody></table></div>"
    )


def _numeric(values: Sequence[Any]) -> bool:
    known = [value for value in values if value is not None]
    return bool(known) and all(isinstance(value, int | float) and not isinstance(value, bool) for value in known)


def _whole(values: Sequence[Any]) -> bool:
    """Tell whether all floats are whole numbers, such as ranks. Return False if all are 0 or 1: these may be shares."""
    known = [value for value in values if type(value) is float]
    return any(abs(value) > 1 for value in known) and all(map(float.is_integer, known))


def details(summary: str, content: str, *, key: str = "") -> str:
    """Write a collapsible section; the summary must be escaped already."""
    known = f' id="{escaped(key)}" class="part"' if key else ""
    return f"<details{known}><summary>{summary}</summary>{content}</details>"


def figure(title: str, drawing: str, caption: str = "") -> str:
    """Write a drawing with its caption."""
    told = f"<figcaption><strong>{escaped(title)}</strong> {escaped(caption)}</figcaption>"
    return f'<figure>{told}<div class="plot">{drawing}</div></figure>'


def items(lines: Sequence[str]) -> str:
    """Write a list of sentences."""
    return "<ul>" + "".join(f"<li>{escaped(line)}</li>" for line in lines) + "</ul>"


def packed(content: Any) -> str:
    """Return content as compressed JSON in base64. The same content always gives the same bytes."""
    made = json.dumps(content, separators=(",", ":"), allow_nan=False)
    return base64.b64encode(gzip.compress(made.encode(), compresslevel=6, mtime=0)).decode()


# Drawings -----------------------------------------------------------------------------------------


def domain_of(values: Sequence[float | None]) -> tuple[float, float]:
    """Return the range of all values, with a margin at both ends."""
    there = [v for v in values if v is not None]
    if not there:
        return 0.0, 1.0
    low, high = min(there), max(there)
    margin = 0.05 * (high - low) or 0.05
    return low - margin, high + margin


def _svg(height: float, label: str, marks: Sequence[str], kind: str = "") -> str:
    return (
        f'<svg class="drawing {kind}" width="100%" height="{height:g}" role="img" aria-label="{escaped(label)}">'
        f"{''.join(marks)}</svg>"
    )


def _text(x: float, y: float, content: Any, anchor: str = "start", kind: str = "", *, title: Any = "") -> str:
    whole = f"<title>{escaped(title)}</title>" if title else ""
    return f'<text x="{x:.2f}%" y="{y:g}" text-anchor="{anchor}" class="{kind}">{escaped(content)}{whole}</text>'


def _line(x: tuple[float, float], y: tuple[float, float], kind: str, title: Any = "") -> str:
    whole = f"<title>{escaped(title)}</title>" if title else ""
    ends = f'x1="{x[0]:.2f}%" x2="{x[1]:.2f}%" y1="{y[0]:g}" y2="{y[1]:g}"'
    return f'<line {ends} class="{kind}">{whole}</line>'


def _dot(x: float, y: float, kind: str = "", title: Any = "") -> str:
    whole = f"<title>{escaped(title)}</title>" if title else ""
    return f'<circle cx="{x:.2f}%" cy="{y:.1f}" r="4.5" class="{kind}">{whole}</circle>'


def _scale(domain: tuple[float, float], start: float = _LEFT, end: float = _RIGHT) -> Callable[[float], float]:
    low, high = domain

    def at(value: float) -> float:
        return start + (end - start) * min(max((value - low) / (high - low), 0.0), 1.0)

    return at


def ticks(low: float, high: float) -> list[float]:
    """Choose three to six round numbers within limits."""
    size = 10.0 ** math.floor(math.log10(high - low))
    step = next(size * part for part in (0.2, 0.5, 1, 2) if (high - low) / (size * part) < 6)
    return [float(f"{step * k:.10g}") for k in range(math.ceil(low / step), math.floor(high / step) + 1)]


def names_of(labels: Sequence[str], most: int = _LETTERS) -> list[str]:
    """Shorten names to fit into a drawing, but keep all names different."""
    return distinct(without_common(labels), most)


def worth_bar(worth: float, low: float, high: float, most: float, names: tuple[str, str]) -> str:
    """Draw the worth of the candidate's topics as a dot with its interval, on a scale of the truth's topics."""
    truth, candidate = names
    beyond = high > most
    at = _scale((0.0, 2 * most if beyond else most), 2, 98)
    marks = [_line((at(0), at(0)), (14, 38), "tick"), _line((at(0), at(2 * most)), (26, 26), "axis")]
    marks += [_line((at(most), at(most)), (10, 42), "limit"), _line((at(low), at(high)), (26, 26), "span")]
    marks += [_dot(at(worth), 26, "mark"), _text(at(worth), 12, of_topics(worth), "middle", "head")]
    ends = "middle" if beyond else "end"
    marks += [_text(at(0), 58, "0"), _text(at(most), 58, f"{most:g}: as good as {names_of([truth])[0]}", ends)]
    marks += [_text(at(2 * most), 58, f"{2 * most:g} or more", "end")] if beyond else []
    label = f"Bar from 0 to {most:g} topics of {truth}; it shows what {most:g} topics of {candidate} are worth."
    return _svg(64, label, marks, "worth")


def ranks(rows: Records, names: tuple[str, str], moves: Callable[[dict[str, Any]], str]) -> str:
    """Draw the ranks by both sides, with a line that joins each system's two ranks."""
    labels = names_of([row["system"] for row in rows])
    by = {
        side: {at: k for k, at in enumerate(sorted(range(len(rows)), key=lambda j: (rows[j][one], rows[j][other], j)))}
        for side, one, other in (
            ("left", "truth_rank", "candidate_rank"),
            ("right", "candidate_rank", "truth_rank"),
        )
    }
    marks = [_text(34, 14, names_of([names[0]], 24)[0], "end", "head", title=names[0])]
    marks += [_text(66, 14, names_of([names[1]], 24)[0], "start", "head", title=names[1])]
    for k in sorted(range(len(rows)), key=lambda j: rows[j]["outside"]):
        row, label = rows[k], labels[k]
        left, right = (36 + ROW * by[side][k] for side in ("left", "right"))
        told = f"{row['system']}: {moves(row)}"
        kind = "moved" if row["outside"] else ""
        marks += [_line((40, 60), (left, right), f"link {kind}", told)]
        marks += [_text(34, left + 4, label, "end", kind, title=told), _text(66, right + 4, label, "start", kind)]
        marks += [_text(39.4, left + 4, row["truth_rank"], "end", "quiet")]
        marks += [_text(60.6, right + 4, row["candidate_rank"], "start", "quiet")]
    about = f"Ranks by {names[0]} on the left and by {names[1]} on the right, joined by a line for each system."
    return _svg(36 + ROW * len(rows), about, marks, "ranks")


def scatter(rows: Records, names: tuple[str, str], *, alike: bool, height: float = 380) -> str:
    """Plot each system's two means; if both sides share a scale, a dashed line shows where means are equal."""
    sides = [[row[side] for row in rows] for side in ("truth", "candidate")]
    limits = [domain_of([*sides[0], *sides[1]])] * 2 if alike else [domain_of(side) for side in sides]
    across, down = _scale(limits[0], 12, 98), _scale(limits[1], height - 40, 10)
    marks = [_line((12, 98), (height - 40, 10), "dashed")] * alike
    marks += [_text(across(x), height - 22, f"{x:g}", "middle", "quiet") for x in ticks(*limits[0])]
    for y in ticks(*limits[1]):
        marks += [_text(11, down(y) + 4, f"{y:g}", "end", "quiet"), _line((12, 98), (down(y), down(y)), "grid")]
    for row in sorted(rows, key=lambda row: row["outside"]):
        told = f"{row['system']}: {row['truth']:.4g} and {row['candidate']:.4g}"
        marks.append(_dot(across(row["truth"]), down(row["candidate"]), "moved" if row["outside"] else "mark", told))
    short = [names_of([name], 40)[0] for name in names]
    marks += [_text(55, height - 4, f"mean, {short[0]}", "middle", "head")]
    marks += [_text(12, 9, f"mean, {short[1]}", "start", "head")]
    return _svg(height, f"Mean of each system: {names[0]} across, {names[1]} upwards.", marks, "scatter")


def first_of(rows: Sequence[Any]) -> str:
    """Say how many rows a drawing shows, if it does not show all rows."""
    return f" The first {MOST} of {len(rows)}." if len(rows) > MOST else ""


def spans(rows: Records, title: str) -> str:
    """Draw each row as a line from `low` to `high` and a dot at `value`, with its `label` on the left."""
    rows = rows[:MOST]
    limits = domain_of([row.get(key) for row in rows for key in ("low", "high", "value")])
    at = _scale(limits)
    bottom = 10 + ROW * len(rows)
    marks = [_line((at(t), at(t)), (4, bottom), "grid") for t in ticks(*limits)]
    marks += [_text(at(t), bottom + 14, f"{t:g}", "middle", "quiet") for t in ticks(*limits)]
    marks += [_text((_LEFT + _RIGHT) / 2, bottom + 32, title, "middle", "head")]
    for k, (row, label) in enumerate(zip(rows, distinct([row["label"] for row in rows], _LETTERS), strict=True)):
        y = 14 + ROW * k
        marks += [_text(_LEFT - 2, y + 4, label, "end", title=row["label"])]
        if row.get("low") is not None and row.get("high") is not None:
            marks.append(_line((at(row["low"]), at(row["high"])), (y, y), "span"))
        marks += [_dot(at(row["value"]), y, "mark")] if row.get("value") is not None else []
    return _svg(bottom + 38, f"Interval and value of each row: {title}.", marks, "spans")
