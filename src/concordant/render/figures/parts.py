"""What a number is made of: the parts of pairs, systems and topics; pairs that differ, and those confirmed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from .labels import name_places, number_ticks, shortened, symbol, text
from .style import BLUE, DARK, VERMILLION, canvas, new_width

if TYPE_CHECKING:
    from ...agreement.explanation import Explanation, Kind


def explanation(found: Explanation, kind: Kind, ax: Any = None, *, most: int = 20) -> Any:
    """Bars of the worst pairs, systems or topics; for topics also of those that help the agreement."""
    wide = 22 if new_width() < 5 else 40  # characters of a name, or of a pair's two names
    if kind == "pairs":
        parts = [(f"{shortened(p.better, wide // 2)} > {shortened(p.worse, wide // 2)}", p.loss) for p in found.pairs]
    elif kind == "systems":
        parts = [(s.system, s.loss) for s in found.systems]
    else:
        parts = [(t.topic, t.effect) for t in found.topics if not math.isnan(t.effect)]
    shown = _ends(parts, most) if kind == "topics" else parts[:most]
    with canvas(ax, height=max(1.2, 0.65 + 0.145 * len(shown))) as ax:
        _bars(ax, [name for name, _ in shown], [value for _, value in shown], wide + 3)
        if len(shown) < len(parts):
            which = "worst and best" if kind == "topics" else "worst"
            ax.set_title(f"the {which} {len(shown)} of {len(parts)} {kind}", fontsize="small")
        if kind == "topics":
            ax.set_xlabel(f"{symbol(found.coefficient)} without the topic, minus {found.value:.3f}")
        else:
            ax.set_xlabel(f"part of 1 − {symbol(found.coefficient)} = {found.loss:.3f}")
    return ax


def pair_topics(found: Explanation, a: str, b: str, ax: Any = None, *, most: int = 20) -> Any:
    """How far each topic moves the difference between two systems away from the truth's."""
    every = found.topics_of(a, b)
    parts = [(p.topic, p.shift) for p in every]
    shown = _ends(parts, most)
    with canvas(ax, height=max(1.2, 0.65 + 0.145 * len(shown))) as ax:
        against = sum(p.truth for p in every) >= 0  # a shift downwards goes against the truth
        _bars(ax, [name for name, _ in shown], [value for _, value in shown], 24, bad=-1 if against else 1)
        if len(shown) < len(parts):
            ax.set_title(f"the worst and best {len(shown)} of {len(parts)} topics", fontsize="small")
        ax.set_xlabel(f"candidate − truth, part of {text(a, 12)} − {text(b, 12)}", fontsize="small")
    return ax


def _ends(parts: list[tuple[str, float]], most: int) -> list[tuple[str, float]]:
    """Both ends of a sorted list."""
    return parts if len(parts) <= most else parts[: most - most // 2] + parts[len(parts) - most // 2 :]


def _bars(ax: Any, names: list[str], values: list[float], most: int, bad: int = 1) -> None:
    """A bar each, the first on top; those that harm the agreement in another colour."""
    places = np.arange(len(names))
    ax.barh(places, values, color=[VERMILLION if bad * value > 0 else BLUE for value in values], height=0.72)
    name_places(ax, names, most=most)
    ax.set_ylim(len(names) - 0.4, -0.6)
    number_ticks(ax, "x", 5)
    if min(values, default=0) < 0:
        ax.axvline(0, color=DARK, linewidth=0.6)
