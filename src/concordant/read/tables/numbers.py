"""What is a number, and what says that there is none: one rule for the cells of files, JSON and frames."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from ...words import in_digits

# What stands in a cell that has no score.
NOTHING = frozenset({"", "na", "n/a", "#n/a", "nan", "null", "none", "-"})
# Each character can be matched in one way only, so that no long cell takes long to refuse.
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_FRACTION = re.compile(r"([+-]?\d{1,15}) ?/ ?(\d{1,15})", re.ASCII)
_GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}([,.' _])\d{3}(?:\1\d{3})*(?!\1)(?:[,.]\d+)?", re.ASCII)
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+", re.ASCII)


def plain_number(text: str | bytes) -> float | None:
    """The finite number that a text is, or None. Python's own float() also takes 1_000, nan and infinity."""
    text = (text.decode(errors="replace") if isinstance(text, bytes) else text).strip()
    if _NUMBER.fullmatch(text) is None:
        return None
    value = float(text)
    return value if math.isfinite(value) else None


def plain_numbers(texts: Sequence[str]) -> list[float] | None:
    """The same for many texts at once; None where one of them is not a number.

    Of ASCII without underscores, float() takes nothing else but nan and infinity, which make the sum no number either.
    """
    joined = "".join(texts)
    if "_" in joined or not joined.isascii():
        return None
    try:
        values = list(map(float, texts))
    except ValueError:
        return None
    return values if math.isfinite(sum(values)) else None


def number(text: str | bytes) -> float | None:
    """The same for a score, which may be in percent: the sign is dropped."""
    text = text.decode(errors="replace") if isinstance(text, bytes) else text
    return plain_number(text.strip().removesuffix("%"))


def has_percent(cell: Any) -> bool:
    """Whether a cell ends with a percent sign."""
    return isinstance(cell, str) and cell.rstrip().endswith("%")


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


def not_a_number(cell: Any, where: str = "", what: str = "", missing: str = "leave the cell empty or write nan") -> str:
    """What is wrong with a cell that should be a number, and what to write instead.

    >>> not_a_number("1/2", missing="write nan")
    "'1/2' is not a number. If it stands for 0.5, write 0.5; if it is missing, write nan."
    """
    shown = in_digits(cell)
    shown = shown if len(shown) <= 60 else f"{shown[:57]}..."
    kind, instead = "number", "Write digits with a decimal point, such as 0.25"
    meant = _meanings(cell) if isinstance(cell, str) else []
    if _is_infinite(cell):
        kind, instead = "finite number", "Write a number up to 1e300"
    elif meant:
        it = meant[0] if len(meant) == 1 else "that"
        instead = f"If it stands for {' or '.join(meant)}, write {it}"
    return f"{what}{shown}{where} is not a {kind}. {instead}; if it is missing, {missing}."


def _is_infinite(cell: Any) -> bool:
    try:
        return math.isinf(float(cell))
    except OverflowError:
        return True
    except (TypeError, ValueError):
        return False


def _meanings(text: str) -> list[str]:
    """The numbers that a text may stand for: 1/2, 1,234 (two of them), 0,5, 1_000 or digits of other scripts."""
    plain = unicodedata.normalize("NFKC", text if len(text) < 40 else "").replace("\N{FRACTION SLASH}", "/").strip()
    if (parts := _FRACTION.fullmatch(plain)) and int(parts[2]):
        return [f"{int(parts[1]) / int(parts[2]):.6g}"]
    found = [plain, plain.replace("_", "")]
    if grouped := _GROUPED.fullmatch(plain):
        found.append(plain.replace(grouped[1], "").replace(",", "."))
    if _DECIMAL_COMMA.fullmatch(plain):
        found.append(plain.replace(",", "."))
    return [text for text in dict.fromkeys(found) if plain_number(text) is not None]
