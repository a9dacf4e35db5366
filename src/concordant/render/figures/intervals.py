"""Draw values with intervals: coefficients (a forest plot), judges, estimators, means, and ranks of systems."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import InputError
from .labels import fitting, name_places, number_ranks, number_topics, row_height, spans_of, text
from .style import BLUE, DARK, GREY, VERMILLION, canvas

if TYPE_CHECKING:
    from ...agreement.comparison_result import Compared
    from ...data.favours import CombinedMeans
    from ...data.results import Findings, Result
    from ...judges.worth import JudgeWorth
    from ...ranks.intervals import RankIntervals


MOST_DRAWN = 40  # largest number of rows of a figure, so that it fits on a page
MOST_FIRST = 30  # rows above the gap that stands for systems left out


def forest(rows: Sequence[tuple[Any, ...]], label: str, ax: Any = None) -> Any:
    """Draw rows as dots and lines. Each row is a name, a value, and the low and high end of its interval."""
    names, values, low, high = zip(*rows, strict=True)
    places = np.arange(len(rows))
    with canvas(ax, height=max(1.09, 0.75 + row_height(len(rows)) * len(rows))) as ax:
        ax.hlines(places, low, high, color=BLUE, linewidth=2.2 if len(rows) <= MOST_DRAWN else 1.4, alpha=0.55)
        ax.plot(values, places, "o", color=DARK, markersize=4 if len(rows) <= MOST_DRAWN else 3)
        for k in np.flatnonzero(np.isnan(values)):
            ax.annotate(
                "no value", (0.02, k), xycoords=("axes fraction", "data"), va="center", fontsize="x-small", color=GREY
            )
        name_places(ax, names)
        ax.set_ylim(len(rows) - 0.4, -0.6)
        ax.grid(axis="x", color="0.92", linewidth=0.6)
        ax.set_axisbelow(True)
        ax.set_xlabel(label)
    return ax


def coefficients(comparison: Compared, ax: Any = None) -> Any:
    """Draw the coefficients of a comparison, with their intervals if these were computed."""
    ends = [(v.interval.low, v.interval.high) if v.interval else (math.nan, math.nan) for v in comparison.values]
    rows = [(v.coefficient, v.value, *of) for v, of in zip(comparison.values, ends, strict=True)]
    level = next((v.interval.confidence_level for v in comparison.values if v.interval), None)
    return forest(rows, "agreement" + (f", {100 * level:g}% interval" if level else " with the truth"), ax)


def rows(found: Result, ax: Any = None) -> Any:
    """Draw the rows of any result that has intervals. Mark 0 if it lies between the lowest and the highest limit."""
    name, spans = spans_of(found.rows())
    if not spans:
        raise InputError(f"{found._kind or type(found).__name__} has no figure: print it, or use to_frame()")
    level = found.settings["confidence_level"]
    axis = name.replace("_", " ") + (f", {100 * level:g}% interval" if level else " with its interval")
    ax = forest([(text(span[0], 40), *span[1:]) for span in spans[:MOST_DRAWN]], axis, ax)
    if min(low for *_, low, _ in spans) < 0 < max(high for *_, high in spans):
        ax.axvline(0, color=GREY, linestyle="--", linewidth=0.8, zorder=0)
    if len(spans) > MOST_DRAWN:
        ax.set_title(f"the first {MOST_DRAWN} of {len(spans)}", fontsize="x-small", loc="left")
    return ax


def worths(found: Any, ax: Any = None) -> Any:
    """Draw, on a log scale, what each judge's topics are worth. A dashed line marks the truth's own topics.

    `found` is a `JudgeWorth`, a list of them, or a `JudgeRanking`.
    """
    judges: Sequence[JudgeWorth] = getattr(found, "judges", found if isinstance(found, Sequence) else (found,))
    first = judges[0]
    top = 4.0 * max([first.n_topics, *(judge.worth for judge in judges if judge.worth < math.inf)])
    numbers = np.clip([(judge.worth, judge.interval.low, judge.interval.high) for judge in judges], 0.5, top)
    rows = [(judge.names[1], *within) for judge, within in zip(judges, numbers.tolist(), strict=True)]
    with canvas(ax, height=0.75 + 0.17 * max(len(judges), 2)) as ax:
        ax.axvline(first.n_topics, color=GREY, linestyle="--", linewidth=0.8)
        forest(rows, f"worth of {first.n_topics:g} topics, in topics of {text(first.names[0], 20)}", ax)
        ax.set_xlim(left=max(ax.get_xlim()[0], 0.5))  # intervals such as "up to 13" begin here
        number_topics(ax, *ax.get_xlim())
        ax.set_title(f"{100 * first.interval.confidence_level:g}% interval", fontsize="small")
    return ax


def card(found: Findings, ax: Any = None) -> Any:
    """Draw what each judge's topics are worth."""
    return worths(found.ranking, ax)


def combined(found: CombinedMeans, ax: Any = None) -> Any:
    """Draw the combined means of systems with their intervals. Diamonds show the means by people alone."""
    rows = list(zip(found.means.systems, found.means.shown(), found.low, found.high, strict=True))
    ax = forest(rows, f"mean score, {100 * found.settings['confidence_level']:g}% interval", ax)
    ax.plot(found.human, range(len(rows)), "D", color=GREY, fillstyle="none", markersize=3, label=found.alone)
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1), fontsize="x-small")
    return ax


def rank_intervals(found: RankIntervals, ax: Any = None) -> Any:
    """Draw each system's rank interval as a line, its observed rank as a dot, and borders as dashed lines."""
    whole, labels = len(found.systems), list(found.systems)
    gap = max(whole - MOST_DRAWN, 0)
    places, drawn = np.arange(whole), np.arange(whole)
    if gap:  # an empty row shows that systems are left out
        labels[MOST_FIRST : MOST_FIRST + gap] = [f"({gap} not shown)"]
        drawn = np.delete(drawn, np.s_[MOST_FIRST : MOST_FIRST + gap])
        places = np.delete(np.arange(MOST_DRAWN + 1), MOST_FIRST)
    rows = len(labels)
    with canvas(ax, height=max(1.6, 0.6 + row_height(rows) * rows)) as ax:
        fitting(ax, rows)
        for place in places[np.isin(drawn, found.borders)]:
            ax.axhline(place - 0.5, color=DARK, linewidth=0.8, linestyle="--", zorder=1)
        ax.hlines(places, found.low[drawn], found.high[drawn], color=BLUE, linewidth=2.5, zorder=2)
        ax.plot(found.observed[drawn], places, "o", color=VERMILLION, markersize=3.5, zorder=3)
        name_places(ax, labels)
        ax.set_ylim(rows - 0.5, -0.5)
        ax.set_xlim(0.5 - 0.02 * whole, whole + 0.5 + 0.02 * whole)
        number_ranks(ax, whole)
        scope = "all systems together" if found.simultaneous else "each system by itself"
        # Long names leave little width to the axes, so the axis label is aligned right and may extend below the names.
        ax.set_xlabel(f"rank, {100 * found.confidence_level:g}% interval for {scope}", fontsize="small", loc="right")
    return ax
