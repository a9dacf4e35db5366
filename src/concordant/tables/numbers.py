"""What is a number, and what says that there is none: one rule for the cells of files, JSON and frames."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import Any

import numpy as np

# What stands in a cell that has no score.
NOTHING = frozenset({"", "na", "n/a", "#n/a", "nan", "null", "none", "-"})
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)


def number(text: str | bytes) -> float | None:
    """The finite number that a text is, or None. Python's own float() also takes 1_000, nan and infinity."""
    text = (text.decode(errors="replace") if isinstance(text, bytes) else text).strip()
    if len(text) > 400 or _NUMBER.fullmatch(text) is None:
        return None
    value = float(text)
    return value if abs(value) != float("inf") else None


def cell_number(cell: Any) -> float | None:
    """A cell's finite number, nan where it says that there is none, None where it is something else."""
    if cell is None or type(cell).__name__ == "NAType":  # pandas.NA, without importing pandas
        return math.nan
    if isinstance(cell, str):
        return math.nan if cell.strip().lower() in NOTHING else number(cell)
    if not isinstance(cell, int | float | np.floating | np.integer | np.bool_ | Decimal):
        return None
    try:
        value = float(cell)
    except OverflowError:
        return None
    return None if math.isinf(value) else value


def is_fraction(value: float | None) -> bool:
    """Whether this is a number, and not a whole one."""
    return value is not None and 0 < abs(value) % 1 < 1
