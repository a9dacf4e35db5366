"""Write a table as text for the terminal, for programs (in full precision) and for papers."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..words import one_line, p_cell, printable

Cell = str | float | int | None
Rows = Sequence[Mapping[str, Any]]
_PVALUES = ("p", "pvalue", "rank_pvalue")  # columns of p-values


@dataclass(frozen=True)
class Table:
    """Columns and rows; floats are rounded where people read them."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    decimals: int = 4

    @classmethod
    def of(cls, rows: Rows) -> Table:
        """Make a table of a result's `rows`; they must share their columns, so no value ends up in a wrong one."""
        columns = list(rows[0]) if rows else []
        for row in rows:
            if list(row) != columns:
                raise ValueError(f"rows of one table have the columns {columns} and {list(row)}")
        return cls(columns, [list(row.values()) for row in rows])


def to_json(content: Any) -> str:
    """Return JSON that any parser accepts: nan becomes null, and control characters are escaped."""
    return printable(json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False))


def to_jsonl(rows: Rows) -> str:
    """Return JSON Lines, one object per row."""
    from ..data.results import plain

    return printable("\n".join(json.dumps(plain(row), ensure_ascii=False, allow_nan=False) for row in rows))


def to_csv(table: Table) -> str:
    """Return CSV with floats in full precision; missing values are empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(table.columns)
    for row in table.rows:
        writer.writerow(["" if _missing(cell) else repr(cell) if isinstance(cell, float) else cell for cell in row])
    return out.getvalue().rstrip("\n")


def to_markdown(table: Table) -> str:
    """Return a Markdown table as GitHub reads it."""

    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(map(_markdown, cells)) + " |"

    rule = ["---:" if numeric else "---" for numeric in _numeric(table)]
    return "\n".join([line(table.columns), "| " + " | ".join(rule) + " |", *(line(row) for row in _shown(table))])


def to_latex(table: Table) -> str:
    """Return a LaTeX tabular that uses booktabs."""
    layout = "".join("r" if numeric else "l" for numeric in _numeric(table))

    def line(cells: Sequence[str]) -> str:
        made = " & ".join(map(_latex, cells)) + r" \\"
        return "{}" + made if made[0] in "[*" else made  # "[" or "*" would be read as an option of the \\ above

    body = [line(row) for row in _shown(table)]
    head = line(table.columns)
    return "\n".join(
        [rf"\begin{{tabular}}{{{layout}}}", r"\toprule", head, r"\midrule", *body, r"\bottomrule", r"\end{tabular}"]
    )


def to_text(table: Table) -> str:
    """Return aligned columns, names on the left and numbers on the right."""
    lines = [[one_line(column) for column in table.columns], *_shown(table)]
    columns = [
        [cell.rjust(max(map(len, cells))) if numeric else cell.ljust(max(map(len, cells))) for cell in cells]
        for cells, numeric in zip(zip(*lines, strict=True), _numeric(table), strict=True)
    ]
    return "\n".join(f"  {'  '.join(cells)}".rstrip() for cells in zip(*columns, strict=True))


def _missing(cell: Cell) -> bool:
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


def _shown(table: Table) -> list[list[str]]:
    def text(cell: Cell, column: str) -> str:
        if _missing(cell):
            return "-"
        if not isinstance(cell, float):
            return one_line(str(cell))
        return p_cell(cell) if column in _PVALUES else f"{cell:.{table.decimals}f}"

    return [[text(cell, column) for cell, column in zip(row, table.columns, strict=True)] for row in table.rows]


def _numeric(table: Table) -> list[bool]:
    """Say which columns hold numbers, or text such as intervals that begins with one; the first holds names."""

    def number(cell: Cell) -> bool:
        return isinstance(cell, float | int) or bool(re.match(r"(< )?-?\d|-$", str(cell)))

    return [
        k > 0 and bool(table.rows) and all(_missing(row[k]) or number(row[k]) for row in table.rows)
        for k in range(len(table.columns))
    ]


_MARKDOWN = re.compile(r"[\\|`<*~\[&$]|(?<![^\W_])_|_(?![^\W_])")
_BARE_LINK = re.compile(r"(?<=[a-z]):(?=//)|(?<=www)\.", re.I)
_ADDRESS = re.compile(r"(?<=\S)@(?=\S)")  # GitHub links addresses after it removes escapes, so a comment splits them


def _markdown(text: str) -> str:
    """Escape what Markdown reads as a cell, code, emphasis, HTML or a link, but not underscores within words."""
    plain = _BARE_LINK.sub(r"\\\g<0>", _MARKDOWN.sub(r"\\\g<0>", text))
    return _ADDRESS.sub("<!-- -->@", plain)


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
