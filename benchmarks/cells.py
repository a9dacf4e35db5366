"""Files of measured cells: docs/measured/NAME.csv, which tools/measured.py sums up for the pages beside them."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "measured"


def keep(name: str, rows: Sequence[Mapping[str, Any]], key: Sequence[str]) -> None:
    """Write rows into the file. Rows that have the same key are replaced; the others stay, in their order."""
    path = FOLDER / f"{name}.csv"
    made = [{column: str(value) for column, value in row.items()} for row in rows]
    there: list[dict[str, str]] = []
    if path.exists():
        with path.open(encoding="utf-8", newline="") as file:
            there = list(csv.DictReader(file))
    found = {tuple(row[column] for column in key): row for row in [*there, *made]}
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(made[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(found.values())
