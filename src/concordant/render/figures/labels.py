"""Write names on figures. Any text is possible; long names are shortened, and crowded names are left out."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np

from ...errors import import_extra, ordinal

LEAST = 4.5  # points: the smallest size that can be read in print
_LINE = 1.18  # height of a line of text, relative to its size

SYMBOLS = {
    "tau": r"\tau",
    "tau_a": r"\tau_a",
    "tau_b": r"\tau_b",
    "tau_ap": r"\tau_{AP}",
    "tau_ap_a": r"\tau_{AP,a}",
    "tau_ap_b": r"\tau_{AP,b}",
    "tau_gap": r"\tau_{GAP}",
    "pearson_rank": r"\rho_r",
    "spearman": r"\rho",
}
"""Symbols of coefficients as papers write them, in TeX. The other coefficients are shown by name."""


def shortened(name: object, most: int = 24, share: float = 1 / 3) -> str:
    """Shorten a name to `most` characters, without control codes.

    The middle is cut, because the end of a name identifies a system as often as its start. `share` is the share of the
    kept characters that come from the end.
    """
    clean = " ".join("".join(c if unicodedata.category(c)[0] != "C" else " " for c in str(name)).split())
    if len(clean) <= most:
        return clean
    tail = int((most - 1) * share)
    return clean[: most - 1 - tail].rstrip() + "…" + clean[len(clean) - tail :].lstrip()


def distinct(names: Sequence[object], most: int = 24) -> list[str]:
    """Shorten names to `most` characters and keep all names different, if necessary by adding numbers."""
    for share in (1 / 3, 2 / 3, 0.0, 1.0):
        made = [shortened(name, most, share) for name in names]
        if len(set(made)) == len(made):
            return made
    seen: dict[str, int] = {}
    made = []
    for name in names:
        key = shortened(name, most - 4)
        seen[key] = seen.get(key, 0) + 1
        made.append(key if seen[key] == 1 else f"{key} ({seen[key]})")
    return made


def without_common(names: Sequence[str]) -> list[str]:
    """Remove the words that all names begin or end with, unless a name would become empty or equal to another."""
    if len(names) < 2:
        return list(names)
    split = [re.split(r"(?<=[-_./: ])", name) for name in names]
    shortest = min(map(len, split)) - 1
    head = next((k for k in range(shortest) if len({words[k] for words in split}) > 1), shortest)
    back = [re.split(r"(?=[-_./: ])", "".join(words[head:]))[::-1] for words in split]
    shortest = min(map(len, back)) - 1
    tail = next((k for k in range(shortest) if len({words[k] for words in back}) > 1), shortest)
    made = ["".join(words[tail:][::-1]) for words in back]
    return made if all(made) and len(set(made)) == len(set(names)) else list(names)


def most_telling(moved: Sequence[float], most: int = 40) -> tuple[list[int], str]:
    """Choose which systems to draw, given how far each moved (best system first). Add a note if systems are left out.

    A quarter of the rows go to the top systems, a quarter to the bottom ones, and the rest to the largest moves.
    """
    count = len(moved)
    if count <= most:
        return list(range(count)), ""
    ends = most // 4
    kept = {*range(ends), *range(count - ends, count)}
    rest = sorted((k for k in range(count) if k not in kept), key=lambda k: (-abs(moved[k]), k))
    kept |= set(rest[: most - len(kept)])
    return sorted(kept), f"{most} of {count} systems: the top {ends}, the bottom {ends} and those that moved most"


def spans_of(rows: Sequence[dict[str, Any]]) -> tuple[str, list[tuple[str, float, float, float]]]:
    """Return the name of the column that the intervals are for, and each row's label, value and interval.

    That column is the first whose number lies within the interval in every row. The labels distinguish the rows.
    """
    known = [row for row in rows if is_number(row.get("low")) and is_number(row.get("high"))]
    first = known[0] if known else {}
    names = [key for key, value in first.items() if isinstance(value, str)]
    values = (
        key
        for key in first
        if key not in ("low", "high")
        and all(is_number(row[key]) and row["low"] <= row[key] <= row["high"] for row in known)
    )
    if not names or (value := next(values, None)) is None:
        return "", []
    varied = [key for key in names if len({row[key] for row in known}) > 1] or names[:1]
    alone = next(([key] for key in varied if len({row[key] for row in known}) == len(known)), varied)
    labels = (", ".join(row[key] for key in alone) for row in known)
    return value, [(label, row[value], row["low"], row["high"]) for label, row in zip(labels, known, strict=True)]


def is_number(value: Any) -> bool:
    """Tell whether a value is a number that can be drawn."""
    return isinstance(value, int | float) and not isinstance(value, bool) and not math.isnan(value)


def text(name: object, most: int = 24) -> str:
    """Prepare a name for drawing: shorten it, escape formulas, and replace characters that the font lacks.

    Such characters, for instance some emoji, become empty boxes, as in a terminal.
    """
    known = _glyphs(tuple(import_extra("matplotlib").rcParams["font.family"]))
    clean = "".join(c for c in shortened(name, most) if not 0xFE00 <= ord(c) <= 0xFE0F)  # variation selectors
    drawn = "".join(c if c == " " or ord(c) in known else "□" for c in clean).replace("$", r"\$")
    return f" {drawn}" if drawn.startswith("_") else drawn  # a legend leaves out names that begin with _


def sides_of(found: Any, most: int = 18) -> tuple[str, str]:
    """Return the names of a result's truth and candidate."""
    names: tuple[str, ...] = getattr(found.data, "names", ())
    truth, candidate = names if len(names) == 2 else ("truth", "candidate")
    return text(truth, most), text(candidate, most)


def symbol(coefficient: str) -> str:
    """Return a coefficient's symbol as papers write it, or else its name."""
    return f"${SYMBOLS[coefficient]}$" if coefficient in SYMBOLS else text(coefficient)


def place_beside(ax: Any, names: dict[int, str], x: Sequence[float], y: Sequence[float]) -> None:
    """Write names beside their points without covering points, other names or the diagonal.

    Each name takes the nearest free place among a few, and a thin line connects a distant name with its point. A name
    without a free place is left out.
    """
    ax.figure.figure.draw_without_rendering()  # draw the whole figure: axes get their size only then
    unit = ax.figure.dpi / 72
    at = ax.transData.transform(np.column_stack([x, y])) / unit
    frame = ax.get_window_extent().extents / unit
    ends = ax.transData.transform(np.column_stack([(min(*x, *y), max(*x, *y))] * 2)) / unit
    drawn = np.vstack([at, np.linspace(ends[0], ends[1], 200)])
    taken: list[tuple[float, float, float, float]] = []
    size, near_by = 6.0, 5
    for k, name in names.items():
        width, height = 0.58 * size * len(name) + 2, 1.25 * size
        for reach, (right, up) in product((near_by, 12, 20, 30), ((-1, 1), (1, -1), (1, 1), (-1, -1), (-1, 0), (1, 0))):
            low = at[k] + (reach * right - (width if right < 0 else 0), reach * up - height * (1 - up) / 2)
            box = (*low, low[0] + width, low[1] + height)
            inside = box[0] > frame[0] and box[2] < frame[2] and box[1] > frame[1] and box[3] < frame[3]
            near = (drawn > np.array(box[:2]) - 2.5).all(axis=1) & (drawn < np.array(box[2:]) + 2.5).all(axis=1)
            meets = any(box[0] < b[2] and box[2] > b[0] and box[1] < b[3] and box[3] > b[1] for b in taken)
            if not inside or near.any() or meets:
                continue
            taken.append(box)
            ax.annotate(
                name, (x[k], y[k]), (reach * right, reach * up), textcoords="offset points", fontsize=size,
                color="0.25", ha="right" if right < 0 else "left", va=("top", "center", "bottom")[up + 1],
                arrowprops=None if reach == near_by else {
                    "arrowstyle": "-", "linewidth": 0.5, "color": "0.5", "shrinkA": 0, "shrinkB": 2,
                    "relpos": (1 if right < 0 else 0, (1 - up) / 2),
                },
            )  # fmt: skip
            break


@lru_cache(maxsize=4)
def _glyphs(family: tuple[str, ...]) -> frozenset[int]:
    """Return the characters that the font of this family can draw."""
    manager = import_extra("matplotlib.font_manager")
    return frozenset(manager.get_font(manager.findfont(manager.FontProperties(family=list(family)))).get_charmap())


def row_height(count: int) -> float:
    """Return the height in inches of each of `count` named rows: generous for few, just readable for many."""
    return 0.145 if count <= 40 else max(0.078, 0.145 - (count - 40) * 0.0012)


def _room(ax: Any, axis: str) -> float:
    """Return the length of an axis in points."""
    box = ax.get_window_extent()
    return float(box.height if axis == "y" else box.width) * 72 / float(ax.figure.dpi)


def fitting(ax: Any, count: int, axis: str = "y") -> tuple[float, int]:
    """Return the font size for the names of `count` rows or columns, and the step from one named row to the next."""
    room = _room(ax, axis)
    usual = import_extra("matplotlib.font_manager").FontProperties(size="small").get_size_in_points()
    size = min(usual, room / max(count, 1) / _LINE)
    if size >= LEAST:
        return size, 1
    return LEAST, math.ceil(LEAST * _LINE * count / room)


def name_places(ax: Any, names: Sequence[object], axis: str = "y", most: int = 24) -> None:
    """Set ticks at 0, 1 and so on with these names. If there are too many, name only every second or third."""
    size, step = fitting(ax, len(names), axis)
    places = range(0, len(names), step)
    shown = [text(name, most) for name in distinct(names, most)[::step]]
    if axis == "y":
        ax.set_yticks(places, shown, fontsize=size)
    else:
        longest = max(map(len, shown), default=0) * 0.62 * size
        turned = longest > 0.85 * _room(ax, "x") / max(len(shown), 1)
        ax.set_xticks(places, shown, fontsize=size, rotation=90 if turned else 0)
    ax.tick_params(axis=axis, length=0 if len(names) > 40 else 2)
    if step > 1:
        getattr(ax, f"set_{axis}label")(f"every {ordinal(step)} of {len(names)} named", fontsize="small")


def number_across(ax: Any, most: int) -> None:
    """Divide the x axis into at most `most` steps of round size, in place of earlier ticks."""
    ax.xaxis.set_major_locator(import_extra("matplotlib.ticker").MaxNLocator(most, steps=[1, 2, 2.5, 5, 10]))


def number_ranks(ax: Any, m: int) -> None:
    """Set ticks at rank 1 and at round numbers up to m."""
    round_ones = import_extra("matplotlib.ticker").MaxNLocator(5, integer=True).tick_values(1, m)
    ax.set_xticks([1, *(int(t) for t in round_ones if 1 + m / 15 < t <= m)])


def number_topics(ax: Any, low: float, high: float) -> None:
    """Use a log scale of topics, with ticks at 1, 2, 5, 10, 20, 50 and so on."""
    ticks = [step * 10**power for power in range(-1, 9) for step in (1, 2, 5)]
    ax.set_xscale("log")
    ax.set_xticks([tick for tick in ticks if low <= tick <= high])
    ax.set_xticks([], minor=True)
    ax.xaxis.set_major_formatter("{x:g}")
