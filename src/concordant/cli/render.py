"""A table as text: for the terminal, for machines, for papers. Full precision wherever a machine reads it."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Cell = str | float | int | None
# What moves the cursor, what is not seen, and what turns the direction of the words after it. Joiners are letters' own.
_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)


def printable(text: str) -> str:
    """Text without the control characters that a name from a file could send to the terminal.

    What is JSON stays JSON, and means the same: a string of JSON has no bare character below 0x20.
    """
    return _CONTROL.sub(lambda m: f"\\x{ord(m[0]):02x}" if m[0] < " " else f"\\u{ord(m[0]):04x}", text)


@dataclass(frozen=True)
class Table:
    """Columns and rows; a float is a number to be rounded for reading."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    decimals: int = 3

    @classmethod
    def of(cls, rows: Sequence[Mapping[str, Cell]], decimals: int = 3) -> Table:
        """Of a result's `rows`, at least one; their names are the columns."""
        return cls(list(rows[0]), [list(row.values()) for row in rows], decimals)


def to_json(content: Any) -> str:
    """JSON that any parser takes: nan is null."""
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)


def to_csv(table: Table) -> str:
    """CSV with floats in full precision and nothing where there is no value."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(table.columns)
    for row in table.rows:
        writer.writerow(["" if _missing(cell) else repr(cell) if isinstance(cell, float) else cell for cell in row])
    return out.getvalue().rstrip("\n")


def to_markdown(table: Table) -> str:
    """A table for GitHub and its kin."""

    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(map(_markdown, cells)) + " |"

    rule = ["---:" if numeric else "---" for numeric in _numeric(table)]
    return "\n".join([line(table.columns), "| " + " | ".join(rule) + " |", *(line(row) for row in _shown(table))])


def to_latex(table: Table) -> str:
    """A booktabs tabular."""
    layout = "".join("r" if numeric else "l" for numeric in _numeric(table))

    def line(cells: Sequence[str]) -> str:
        made = " & ".join(map(_latex, cells)) + r" \\"
        return "{}" + made if made[0] in "[*" else made  # which would belong to the \\ of the line above

    body = [line(row) for row in _shown(table)]
    head = line(table.columns)
    return "\n".join(
        [rf"\begin{{tabular}}{{{layout}}}", r"\toprule", head, r"\midrule", *body, r"\bottomrule", r"\end{tabular}"]
    )


def fit(table: Table, width: int) -> tuple[Table, list[str]]:
    """The table without its last columns of numbers, as many as do not fit, and the names of those.

    Columns of text can be folded; half a number would be a wrong number.
    """
    shown, numeric = _shown(table), _numeric(table)
    need = [
        max(len(text) for text in (name, *(row[k] for row in shown))) + 2 if numeric[k] else 12
        for k, name in enumerate(table.columns)
    ]
    need[0] = min(need[0], max(len(row[0]) for row in shown) + 2) if shown else need[0]
    kept = list(range(len(table.columns)))
    while sum(need[k] for k in kept) > width and sum(numeric[k] for k in kept) > 1:
        kept.remove(max(k for k in kept if numeric[k]))
    left_out = [name for k, name in enumerate(table.columns) if k not in kept]
    rows = [[row[k] for k in kept] for row in table.rows]
    return Table([table.columns[k] for k in kept], rows, table.decimals), left_out


def to_terminal(table: Table) -> Any:
    """A table of rich."""
    from rich.table import Table as RichTable
    from rich.text import Text

    shown = RichTable(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for column, numeric in zip(table.columns, _numeric(table), strict=True):
        shown.add_column(
            Text(printable(column)), justify="right" if numeric else "left", no_wrap=numeric, overflow="fold"
        )
    for row in _shown(table):
        shown.add_row(*(Text(printable(cell)) for cell in row))  # Text: names are data, never markup
    return shown


def _missing(cell: Cell) -> bool:
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


def _shown(table: Table) -> list[list[str]]:
    return [
        [
            "-" if _missing(cell) else f"{cell:.{table.decimals}f}" if isinstance(cell, float) else _one_line(str(cell))
            for cell in row
        ]
        for row in table.rows
    ]


def _numeric(table: Table) -> list[bool]:
    return [
        any(isinstance(row[k], (float, int)) for row in table.rows)
        and all(_missing(row[k]) or isinstance(row[k], (float, int)) for row in table.rows)
        for k in range(len(table.columns))
    ]


def _one_line(text: str) -> str:
    """A name with a line break must not make a row of its own."""
    return printable(text).replace("\r", "\\r").replace("\n", "\\n").replace("\t", "\\t")


def _markdown(text: str) -> str:
    """Text, and no cell, code, HTML or link."""
    for special in ("\\", "|", "`", "<"):
        text = text.replace(special, "\\" + special)
    return text.replace("](", "]\\(")


_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    **{c: "\\" + c for c in "&%$#_"},
}


def _latex(text: str) -> str:
    return "".join(_LATEX.get(c, c) for c in text)
