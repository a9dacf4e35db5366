"""Draw what pairs, systems and topics contribute to a coefficient."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from .labels import name_places, number_across, shortened, sides_of, symbol
from .style import BLUE, DARK, VERMILLION, canvas, canvases, new_width

if TYPE_CHECKING:
    from ...agreement.explanation import Explanation, Kind


def explanation(found: Explanation, kind: Kind | None = None, ax: Any = None, *, most: int = 10) -> Any:
    """Draw bars for the pairs, systems or topics that matter most. The default is systems and then topics."""
    kinds: list[Kind] = [kind] if kind else [k for k in ("systems", "topics") if getattr(found, k)] or ["pairs"]
    if len(kinds) == 1 or ax is not None:
        return _explained(found, kinds[0], ax, most)
    with canvases(2, 0.9 + 0.29 * most) as made:
        return [_explained(found, one, panel, most) for one, panel in zip(kinds, made, strict=True)]


def _explained(found: Explanation, kind: Kind, ax: Any, most: int) -> Any:
    wide = 22 if new_width() < 5 else 40  # most characters of a name, or of a pair's two names
    loss = f"part of 1 − {symbol(found.coefficient)} = {found.loss:.3f}"
    if kind == "pairs":
        alike = [p for p in found.pairs if p.loss > found.pairs[0].loss * (1 - 1e-9)]
        # If too many pairs share the largest loss, show the differences of their means by the truth instead.
        equal = len(alike) > min(most, len(found.pairs) - 1)
        parts = [
            (
                f"{shortened(p.better, wide // 2)} > {shortened(p.worse, wide // 2)}",
                p.truth_difference if equal else p.loss,
            )
            for p in (alike if equal else found.pairs)
        ]
        label = f"difference of means by {sides_of(found)[0]}" if equal else loss
    elif kind == "systems":
        parts, label = [(s.system, s.loss) for s in found.systems], loss
    else:
        parts = [(t.topic, t.effect) for t in found.topics if not math.isnan(t.effect)]
        label = f"{symbol(found.coefficient)} without the topic, minus {found.value:.3f}"
    shown = _telling(parts, most)
    with canvas(ax, height=max(1.2, 0.65 + 0.145 * len(shown))) as ax:
        _bars(ax, [name for name, _ in shown], [value for _, value in shown], wide + 3)
        if len(shown) < len(parts):
            ax.set_title(f"the {len(shown)} of {len(parts)} {kind} that matter most", fontsize="small")
        ax.set_xlabel(label)
    return ax


def _telling(parts: list[tuple[str, float]], most: int) -> list[tuple[str, float]]:
    """Choose the fewest parts, but at least three, that make up half of the total. Put the most harmful first."""
    order = sorted(parts, key=lambda part: -abs(part[1]))
    sums = np.cumsum([abs(value) for _, value in order])
    count = int(np.searchsorted(sums, 0.5 * sums[-1])) + 1 if len(sums) else 0
    return sorted(order[: min(max(count, 3), most)], key=lambda part: -part[1])


def _bars(ax: Any, names: list[str], values: list[float], most: int) -> None:
    """Draw bars, the first on top. Bars for parts that harm the agreement have another colour."""
    places = np.arange(len(names))
    ax.barh(places, values, color=[VERMILLION if value > 0 else BLUE for value in values], height=0.72)
    name_places(ax, names, most=most)
    ax.set_ylim(len(names) - 0.4, -0.6)
    number_across(ax, 5)
    if min(values, default=0) < 0:
        ax.axvline(0, color=DARK, linewidth=0.6)
