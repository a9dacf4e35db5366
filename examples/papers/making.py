"""What the scripts of this folder share: they make the items of a paper, and write them where its page finds them.

A script has one function per item, in the order of the paper. `python examples/papers/yilmaz2008.py` makes all items,
`python examples/papers/yilmaz2008.py figure-3` one. Numbers go to docs/papers/made/yilmaz2008.json and figures beside
it; the pages of docs/papers hold no number of ours, and get them from there when they are built. What needs
collections that are not here is left as it was, and said.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

import concordant as cc
from concordant.render import figures as plots

sys.path.append(str(Path(__file__).resolve().parents[2] / "tools"))
from fetch_data import place

ROOT = Path(__file__).resolve().parents[2]
MADE = ROOT / "docs" / "papers" / "made"
MEASURED = ROOT / "docs" / "measured"  # tables that are too long for a page
Reproduced = Literal["yes", "on other data", "in part", "repaired", "future work"]
Cell = str | int | float | None


def data(name: str) -> Path | None:
    """A folder or file among the real collections; None where it is not there."""
    path = place(name)
    return path if path.exists() else None


@dataclass
class Item:
    """One item of a paper as it was made: what its section of the page shows."""

    key: str
    title: str
    reproduced: Reproduced = "yes"
    compared: list[dict[str, Cell]] = field(default_factory=list)
    claims: list[dict[str, Cell]] = field(default_factory=list)
    tables: list[dict[str, Any]] = field(default_factory=list)
    figure: str | None = None
    notes: list[str] = field(default_factory=list)
    tests: list[str] = field(default_factory=list)
    paper: str = ""

    def compare(self, what: str, printed: str | None, ours: Any, error: Any = None) -> None:
        """Put a value of ours beside the printed one, which is given as printed; None where the paper prints none.

        `error` is that of the experiment, two standard errors: the values agree if they differ by no more than that and
        rounding.
        """
        self.compared.append({"what": what, "paper": printed, "ours": _rounded(ours), "error": _rounded(error)})

    def claim(self, says: str, paper: str, here: str, holds: Any) -> None:
        """Put what the paper says, with its number or its words, beside what is found here, and whether it holds."""
        self.claims.append({"says": says, "paper": paper, "here": here, "holds": "yes" if holds else "no"})

    def table(self, head: Sequence[str], rows: Iterable[Sequence[Any]], caption: str = "") -> None:
        """A table of its own."""
        cells = [[_rounded(cell) for cell in row] for row in rows]
        self.tables.append({"caption": caption, "head": list(head), "rows": cells})

    def file(self, name: str, head: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """A table that is too long for the page, as a CSV file beside it."""
        lines = [",".join(map(str, row)) for row in (head, *([_rounded(cell) for cell in row] for row in rows))]
        (MEASURED / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
        self.notes.append(f"All values: {{download}}`{name} <../measured/{name}>`.")

    def held_by(self, file: str, *tests: str) -> None:
        """The tests of a file that hold what the item says."""
        self.tests += [f"{file}::{test}" for test in tests]

    @contextmanager
    def panels(self, count: int, caption: str, height: float = 2.4, width: float = 7.0) -> Iterator[list[Any]]:
        """Axes side by side; the figure is written at the end."""
        from matplotlib import pyplot

        name = f"{self.paper}-{self.key}.svg"
        with plots.style(width=width):
            figure = pyplot.figure(figsize=(width, height), layout="constrained")
            yield [figure.add_subplot(1, count, k + 1) for k in range(count)]
            figure.savefig(MADE / name, dpi=110, metadata={"Date": None})
            pyplot.close(figure)
        text = (MADE / name).read_text(encoding="utf-8")
        (MADE / name).write_text("\n".join(line.rstrip() for line in text.split("\n")), encoding="utf-8")
        self.figure = name
        self.notes.insert(0, caption)


def about(ours: float, printed: float) -> bool:
    """Whether a number is "about" the printed one: within 10% of it."""
    return abs(ours - printed) <= 0.1 * abs(printed)


def _rounded(cell: Any) -> Cell:
    """Six digits: what is printed, and the same on every machine."""
    if cell is None or isinstance(cell, str):
        return cell
    if isinstance(cell, int | np.integer) and not isinstance(cell, bool):
        return int(cell)
    return float(f"{round(float(cell), 12):.6g}") + 0.0  # no minus zero


Maker = Callable[[Item], None]


class Paper:
    """The items of one paper, each with the function that makes it."""

    def __init__(self, key: str) -> None:
        self.key = key
        self.makers: dict[str, tuple[str, tuple[str, ...], Maker]] = {}

    def item(self, key: str, title: str, *needs: str) -> Callable[[Maker], Maker]:
        """Register the maker of an item; `needs` are the collections that it reads."""

        def register(maker: Maker) -> Maker:
            self.makers[key] = (title, needs, maker)
            return maker

        return register

    def make(self, key: str) -> Item:
        """One item, without writing it."""
        title, _, maker = self.makers[key]
        made = Item(key, title, paper=self.key)
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", cc.errors.RegularisationWarning
            )  # more systems than topics: the pages say so
            warnings.simplefilter("ignore", cc.errors.DataWarning)  # documents of a pool that were never judged
            maker(made)
        return made

    def main(self) -> None:
        """Make the items that the command line names, or all."""
        MADE.mkdir(parents=True, exist_ok=True)
        path = MADE / f"{self.key}.json"
        kept = {item["key"]: item for item in json.loads(path.read_text(encoding="utf-8"))} if path.exists() else {}
        wanted = sys.argv[1:] or list(self.makers)
        unknown = [key for key in wanted if key not in self.makers]
        if unknown:
            sys.exit(f"{self.key} has no {', '.join(unknown)}; it has {', '.join(self.makers)}")
        for key in wanted:
            lacking = [name for name in self.makers[key][1] if data(name) is None]
            if lacking:
                print(
                    f"{self.key} {key}: left as it was, for {' and '.join(lacking)} cannot be found: "
                    "python tools/fetch_data.py --list, or set CONCORDANT_DATA"
                )
                continue
            made = vars(self.make(key)).copy()
            del made["paper"]
            kept[key] = made
            print(f"{self.key} {key}: {made['title']}", flush=True)
        text = json.dumps(
            [kept[key] for key in self.makers if key in kept], indent=1, ensure_ascii=False, allow_nan=False
        )
        path.write_text(text + "\n", encoding="utf-8")
