"""One table of every interval and test that was measured, in docs/measured/coverage.md, from those of other pages.

Each page has its own measurements, and the script that makes them. Here their cells are read again, so that a number
stands in one place: how many cells there are, the lowest, the mean and the highest coverage, the mean width, and how
many cells lie outside 93 to 98.5%, which the pages name.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGE = DOCS / "measured" / "coverage.md"
LOW, HIGH = 93.0, 98.5
MARK = "<!-- tables -->"
Row = dict[str, str]
Where = Callable[[Row], bool]


class Claim(NamedTuple):
    """Cells of a stored table."""

    what: str
    page: str
    table: tuple[str, ...]
    """Columns by which the tables are known."""
    columns: tuple[str, ...]
    """Those that have the coverage, or the rejections, in %; of several numbers in a cell, each counts."""
    where: Where = lambda row: True
    width: str = ""
    """The column of the widths, or empty where they stand in brackets."""
    scale: float = 1.0
    """100 for shares that are not in %."""


def rows_of(page: str, columns: tuple[str, ...]) -> Iterator[Row]:
    """The rows of all tables of a page that have these columns, or those of a file of cells."""
    if page.endswith(".csv"):
        with open(DOCS / page, encoding="utf-8", newline="") as file:
            yield from csv.DictReader(file)
        return
    head: list[str] = []
    for line in (DOCS / page).read_text(encoding="utf-8").splitlines():
        if not line.startswith("|"):
            head = []
            continue
        cells = [cell.strip() for cell in line[1:].rstrip().removesuffix("|").split("|")]
        if not head:
            head = cells
        elif not set(line) <= set("|-: ") and set(columns) <= set(head):
            yield dict(zip(head, cells, strict=True))


def numbers(text: str) -> list[float]:
    """The numbers of a cell outside brackets."""
    return [float(n) for n in re.findall(r"-?\d+(?:\.\d+)?", re.sub(r"\([^)]*\)", "", text))]


def coefficient(name: str, topics: str = "") -> Where:
    return lambda row: row["coefficient"] == name and topics in ("", row["topics"])


TIED = ("adhoc7, a third tied", "adhoc7, families", "adhoc8, a third tied")
DEFAULT = ("conditions", "coefficient", "topics", "default")
COMBINED = {"means": "means", "differences": "differences", "worth in human topics": "worth_covered"} | {
    "favoured systems": "favoured_covered"
}
WORTH = ("26 x 20", "50 x 20", "50 x 40")


def default(column: str, name: str, topics: str = "", tied: bool = False) -> Claim:
    """The default interval, or one beside it."""
    method = {"default": "`correlate`, the default", "iterated": "by the iterated bootstrap"}.get(
        column, f"by {column}"
    )
    what = f"{method}: {name}{f', {topics} topics' if topics else ''}{', nearly tied systems' if tied else ''}"
    of = coefficient(name, topics)

    def where(row: Row) -> bool:
        return of(row) and row["conditions"].startswith(TIED) == tied

    return Claim(what, "measured/default-interval.md", DEFAULT, (column,), where)


INTERVALS = [
    *(
        default(c, f, "50")
        for f in ("tau_b", "tau_ap_b", "pearson_rank")
        for c in ("default", "iterated", "percentile")
    ),
    *(default("default", f, n) for n in ("10", "15", "25", "100") for f in ("tau_b", "tau_ap_b", "pearson_rank")),
    *(default("default", f, tied=True) for f in ("tau_b", "tau_ap_b", "pearson_rank")),
    Claim("`judge_worth`, 25 topics, new systems", "measured/worth.md", ("design", *WORTH), WORTH),
    Claim(
        "`rank_intervals`, all systems",
        "measured/rank-intervals.csv",
        ("design", "all", "each"),
        ("all",),
        width="width",
    ),
    Claim("`rank_intervals`, each by itself", "measured/rank-intervals.csv", ("design", "all", "each"), ("each",)),
    Claim(
        "`rank_intervals`, holes", "measured/boards.md", ("scores", "holes", "coverage"), ("coverage",), width="width"
    ),
    *(
        Claim(
            f"`combine`, {what}", "measured/combine.csv", (column,), (column,), lambda row: row["method"] == "control"
        )
        for what, column in COMBINED.items()
    ),
    Claim(
        "`expected_correlation`, tau",
        "guide/reliability.md",
        ("population", "covers, normal"),
        ("covers, normal",),
        width="width, normal",
    ),
    Claim(
        "`plan_topics`, above the 5% quantile",
        "guide/reliability.md",
        ("population", "above the 5% quantile, normal"),
        ("above the 5% quantile, normal",),
    ),
    Claim(
        "`judgments.label_agreement`",
        "guide/judgments.md",
        ("judge", "kappa", "alpha"),
        ("agreement", "kappa", "linear", "quadratic", "alpha"),
        scale=100,
    ),
]

TESTS = [
    Claim(
        "`rank_judges`, best of 12 excluded",
        "measured/worth.md",
        ("judges", "any best excluded"),
        ("any best excluded",),
    ),
    Claim(
        "`rank_test`: size",
        "guide/rank-distance.md",
        ("systems x topics", "paper rejects"),
        ("recentred rejects",),
        lambda r: "noise" not in r,
    ),
    Claim(
        "the paper's rank test: size",
        "guide/rank-distance.md",
        ("systems x topics", "paper rejects"),
        ("paper rejects",),
        lambda r: "noise" not in r,
    ),
    Claim("`rank_test`: power", "guide/rank-distance.md", ("systems x topics", "noise"), ("recentred rejects",)),
    Claim("`family_bias`: size", "measured/families.md", ("judge", "no shift"), ("no shift",)),
    Claim("`family_bias`: power at 1 sd", "measured/families.md", ("judge", "1 sd"), ("1 sd",)),
]


class Measured(NamedTuple):
    """The cells of a claim, in %."""

    shares: list[float]
    widths: list[float]

    def line(self, claim: Claim, *, nominal: bool) -> str:
        """A row of the table."""
        beside = (DOCS / claim.page).with_suffix(".md")  # a page about the cells of a file
        name = beside.name if beside.exists() else claim.page.rpartition("/")[2]
        link = f"[{name}]({name if claim.page.startswith('measured') else '../' + claim.page})"
        if not self.shares:
            return f"| {claim.what} | 0 | not measured yet |" + (" | | |" if nominal else "") + f" {link} |"
        lowest, highest, mean = min(self.shares), max(self.shares), sum(self.shares) / len(self.shares)
        cells = [claim.what, str(len(self.shares)), f"{lowest:.1f}, {mean:.1f}, {highest:.1f}"]
        if nominal:
            cells.append(f"{sum(self.widths) / len(self.widths):.2f}" if self.widths else "")
            cells += [str(sum(s < LOW for s in self.shares)), str(sum(s > HIGH for s in self.shares))]
        return "| " + " | ".join([*cells, link]) + " |"


def measured(claim: Claim) -> Measured:
    """What the page has of a claim."""
    shares, widths = [], []
    for row in filter(claim.where, rows_of(claim.page, claim.table)):
        for column in claim.columns:
            shares += [claim.scale * n for n in numbers(row[column])]
            widths += [float(w) for w in re.findall(r"\(([\d.]+)\)", row[column])]
        if claim.width:
            widths += [n / 100 if "%" in row[claim.width] else n for n in numbers(row[claim.width])]
    return Measured(shares, widths)


def table() -> str:
    """Both tables."""
    lines = [
        "### Intervals",
        "",
        "Nominal 95%: the lowest, the mean and the highest coverage of all cells, in %; the mean width; and how many "
        "cells lie below 93% and above 98.5%. The widths of rank intervals are in parts of all ranks.",
        "",
        "| interval | cells | lowest, mean, highest | width | below 93 | above 98.5 | cells |",
        "|" + " --- |" * 7,
        *(measured(claim).line(claim, nominal=True) for claim in INTERVALS),
        "",
        "### Tests",
        "",
        "At 5%: how often, in %, the hypothesis is rejected where it is true (size) and where it is not (power).",
        "",
        "| test | cells | lowest, mean, highest | cells |",
        "|" + " --- |" * 4,
        *(measured(claim).line(claim, nominal=False) for claim in TESTS),
    ]
    return "\n".join(lines)


def main() -> None:
    """Write the tables into the page."""
    before, _, after = PAGE.read_text(encoding="utf-8").partition(MARK)
    after = after.partition(MARK)[2]
    PAGE.write_text(f"{before}{MARK}\n\n{table()}\n\n{MARK}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
