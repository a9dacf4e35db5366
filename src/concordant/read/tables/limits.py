"""The 95% limits that published boards print beside their scores, which give standard errors."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...arrays import FloatArray
from ...errors import ConcordantError, argument, listing
from .cells import NOTHING, Cells, plain_number
from .vocabulary import VALUE_COLUMNS, column_name

WIDTH = 3.92  # standard errors between the 95% limits of a normal distribution
_LOPSIDED = 3.0  # times as far from the score as the other limit: not an interval around the score
# What limits are called, alone or behind the name of their score: lower, score_lower, rating_q025, 95% CI upper.
_OWNER = r"(?:(?P<of>.+?)[\W_]+)??(?:95%?_*)?(?:ci_*)?"
_BEHIND = r"(?:_(?:95%?|ci|bound|limit))*\W*"
_LOWER = re.compile(rf"{_OWNER}(?:lower|low|lo|lcb|lb|q0?25|2_5%){_BEHIND}")
_UPPER = re.compile(rf"{_OWNER}(?:upper|high|hi|ucb|ub|q975|97_5%){_BEHIND}")
_BOTH = re.compile(r"(?:(?P<of>.+?)[\W_]+)??(?:95%?_*)?(?:ci|confidence_interval)(?:_*\(?95%?\)?)?")
_OTHER_LEVEL = re.compile(r".*(?<!\d)(?!95|97_5)\d\d(?:_\d+)?(?:%|_*ci).*|.*ci_*(?!95)\d\d.*")
_ALSO_TASKS = frozenset({"low", "lo", "high", "hi", "lb", "ub"})  # by themselves, as levels of effort or difficulty
# Both in one cell: (-1.88, +1.97), +4/-5, [77.3, 80.6].
_PAIR = re.compile(r"[(\[]?\s*([+−-]?[\d.]+)\s*([,;/])\s*([+−-]?[\d.]+)\s*[)\]]?")


class Limits(NamedTuple):
    """The columns that hold the limits of one score: two of numbers, or one with both in each cell."""

    of: str
    columns: tuple[int, ...]


def find_limits(cells: Cells, columns: Sequence[int]) -> list[Limits]:
    """All limits among the columns of a table, with the name before theirs."""
    plain = {
        k: name
        for k in columns
        if (name := column_name(cells.names[k])) not in _ALSO_TASKS and not _OTHER_LEVEL.fullmatch(name)
    }

    def called(pattern: re.Pattern[str]) -> dict[str, int]:
        return {found["of"] or "": k for k, name in plain.items() if (found := pattern.fullmatch(name))}

    lower, upper, both = called(_LOWER), called(_UPPER), called(_BOTH)
    found = [Limits(of, (k, upper[of])) for of, k in lower.items() if of in upper]
    pairs = {of: k for of, k in both.items() if any(_PAIR.fullmatch(str(cell)) for cell in cells.words(k).values())}
    return found or [Limits(of, (k,)) for of, k in pairs.items()]  # Arena-Hard prints the same limits twice


def owner(limits: Limits, cells: Cells, columns: Sequence[int], said: str | None) -> int | None:
    """The column that the limits belong to: of their name, else the one that was named, or the score before them."""
    numbers = [k for k in columns if k not in limits.columns and cells.has_numbers(k)]
    names = {column_name(cells.names[k]): k for k in reversed(numbers)}
    of = next((names[f"{limits.of}{end}"] for end in ("", "_score", "_mean") if f"{limits.of}{end}" in names), None)
    if of is not None:
        return of
    if said is not None:
        return next((k for k in numbers if cells.names[k] == said), None)
    before = [k for k in numbers if k < limits.columns[0]]
    return next((names[name] for name in VALUE_COLUMNS if name in names), before[-1] if before else None)


def standard_errors(cells: Cells, score: int, limits: Limits) -> FloatArray:
    """The standard error of each score, nan where there are no limits; limits that cannot be any are refused."""
    scores = cells.numbers(score)
    if len(limits.columns) == 1:
        return _widths(cells, limits, scores) / WIDTH
    _, low, high = cells.matrix([score, *limits.columns]).T  # refuses percent beside other numbers
    step = max(map(unit, (scores, low, high)))
    above, below = high - scores, scores - low
    far, near = np.maximum(above, below), np.minimum(above, below)
    wrong = np.flatnonzero((near < -step) | (far > _LOPSIDED * np.maximum(near, 0) + 3 * step))
    if wrong.size:
        row = int(wrong[0])
        why = "does not lie between them" if near[row] < 0 else "lies far from their middle"
        raise _refused(cells, limits, row, f"{low[row]:g} and {high[row]:g}: {scores[row]:g} {why}")
    return np.asarray((high - low) / WIDTH)


def _refused(cells: Cells, limits: Limits, row: int, found: str) -> ConcordantError:
    shown = listing(repr(cells.names[k]) for k in limits.columns)
    way_out = argument("topics", [f"!{cells.names[k]}" for k in limits.columns])
    return cells.error(f"the limits in {shown}, {found}. Correct them, or leave them out with {way_out}", row)


def _widths(cells: Cells, limits: Limits, scores: FloatArray) -> FloatArray:
    """The distance between the limits of a column that has both in each cell: as numbers, or from the score."""
    widths = np.full(len(cells), np.nan)
    for row, cell in cells.words(limits.columns[0]).items():
        found = _PAIR.fullmatch(str(cell).strip())
        ends = [plain_number(part.replace("−", "-")) for part in (found[1], found[3])] if found else []
        numbers = [end for end in ends if end is not None]
        if found is None or len(numbers) < 2:
            if str(cell).strip().lower() not in NOTHING:
                raise _refused(cells, limits, row, f"{cell!r}: this is not a pair of numbers")
            continue
        low, high = (-abs(numbers[1]), abs(numbers[0])) if found[2] == "/" else sorted(numbers)
        if not (low <= 0 <= high or low <= scores[row] <= high):
            raise _refused(cells, limits, row, f"{cell!r}: {scores[row]:g} does not lie between them")
        widths[row] = high - low
    return widths


def unit(values: FloatArray) -> float:
    """One unit of the last decimal that numbers are written with; 0 where they have more than 12."""
    there = values[~np.isnan(values)]
    return next((10.0**-d for d in range(13) if np.array_equal(np.round(there, d), there)), 0.0)
