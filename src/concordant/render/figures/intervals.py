"""Draw values with intervals: coefficients (a forest plot), judges, estimators, means, and ranks of systems."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...arrays import IntArray
from ...errors import InputError
from .labels import fitting, name_places, number_ranks, number_topics, row_height, spans_of, symbol, text
from .style import BLUE, DARK, GREY, MARKS, SERIES, VERMILLION, canvas

if TYPE_CHECKING:
    from ...agreement.comparison_result import Compared
    from ...data.favours import CombinedMeans
    from ...data.results import Findings, Result
    from ...judges.worth import JudgeWorth
    from ...ranks.intervals import RankIntervals


MOST_DRAWN = 40  # rows of a figure, so that it fits on a page


class Row(NamedTuple):
    """A line of a forest plot."""

    name: str
    value: float
    low: float = math.nan
    high: float = math.nan
    why: str = ""
    """Why there is no value."""
    short: str = "no value"
    """The text in its place."""


def forest(rows: Sequence[Row], label: str, ax: Any = None) -> Any:
    """Draw each row's value as a dot and its interval as a line."""
    with canvas(ax, height=0.75 + 0.17 * max(len(rows), 2)) as ax:
        for k, row in enumerate(rows):
            if not math.isnan(row.low):
                ax.plot([row.low, row.high], [k, k], color=BLUE, linewidth=2.2, solid_capstyle="butt", alpha=0.55)
            if row.why:
                ax.annotate(
                    row.short, (0.02, k), xycoords=("axes fraction", "data"), ha="left", va="center",
                    fontsize="x-small", color=GREY,
                )  # fmt: skip
        ax.plot([row.value for row in rows], range(len(rows)), "o", color=DARK)
        name_places(ax, [row.name for row in rows])
        ax.set_ylim(len(rows) - 0.4, -0.6)
        ax.grid(axis="x", color="0.92", linewidth=0.6)
        ax.set_axisbelow(True)
        ax.set_xlabel(label)
    return ax


def coefficients(comparison: Compared, ax: Any = None) -> Any:
    """Draw the coefficients of a comparison, with their intervals if computed."""
    rows = []
    for v in comparison.values:
        low, high = (v.interval.low, v.interval.high) if v.interval else (math.nan, math.nan)
        rows.append(Row(v.coefficient, v.value, low, high, v.why))
    level = next((v.interval.confidence_level for v in comparison.values if v.interval), None)
    label = "agreement" + (f", {100 * level:g}% interval" if level else " with the truth")
    return forest(rows, label, ax)


def rows(found: Result, ax: Any = None) -> Any:
    """Draw the rows of any result that has intervals; mark 0 if it lies within their range."""
    name, spans = spans_of(found.rows())
    if not spans:
        raise InputError(f"{found._kind or type(found).__name__} has no figure: print it, or take to_frame()")
    level = found.settings["confidence_level"]
    axis = name.replace("_", " ") + (f", {100 * level:g}% interval" if level else " with its interval")
    ax = forest([Row(text(span[0], 40), *span[1:]) for span in spans[:MOST_DRAWN]], axis, ax)
    if min(low for *_, low, _ in spans) < 0 < max(high for *_, high in spans):
        ax.axvline(0, color=GREY, linestyle="--", linewidth=0.8, zorder=0)
    if len(spans) > MOST_DRAWN:
        ax.set_title(f"the first {MOST_DRAWN} of {len(spans)}", fontsize="x-small", loc="left")
    return ax


def worths(found: Sequence[JudgeWorth], ax: Any = None) -> Any:
    """Draw what each judge's topics are worth on a log scale; a dashed line marks the truth's own topics."""
    first = found[0]
    top = 4.0 * max([first.n_topics, *(judge.worth for judge in found if judge.worth < math.inf)])
    with canvas(ax, height=0.75 + 0.17 * max(len(found), 2)) as ax:
        ax.axvline(first.n_topics, color=GREY, linestyle="--", linewidth=0.8)
        ends = [(max(judge.interval.low, 0.5), min(judge.interval.high, top)) for judge in found]
        rows = [
            Row(judge.names[1], min(judge.worth, top), low, high)
            if judge.worth > 0
            else Row(judge.names[1], math.nan, why=judge.reason or judge.sentence, short=judge.reason or "less than 1")
            for judge, (low, high) in zip(found, ends, strict=True)
        ]
        level = f"{100 * first.interval.confidence_level:g}% interval"
        forest(rows, f"worth of {first.n_topics:g} topics, in topics of {text(first.names[0], 20)}", ax)
        ax.set_xlim(left=max(ax.get_xlim()[0], 0.5))  # intervals such as "up to 13" begin here
        number_topics(ax, *ax.get_xlim())
        ax.set_title(level, fontsize="small")
    return ax


def reliability(found: Findings, ax: Any = None) -> Any:
    """Draw the expected correlation by each estimator; hollow marks are baselines, known to be too high."""
    names = list(found.estimates)
    with canvas(ax, height=0.9 + 0.17 * len(names)) as ax:
        for k, label in enumerate(("tau", "tau_ap")):
            for baseline in (False, True):
                rows = [n for n, name in enumerate(names) if name.startswith("sh") is baseline]
                ax.plot(
                    [found.estimates[names[n]][k] for n in rows], rows, MARKS[k], color=SERIES[k], markersize=4.5,
                    markerfacecolor="white" if baseline else SERIES[k], label=None if baseline else symbol(label),
                )  # fmt: skip
        name_places(ax, names)
        ax.set_ylim(len(names) - 0.4, -0.6)
        ax.grid(axis="x", color="0.92", linewidth=0.6)
        ax.set_xlabel("expected correlation with the true ranking")
        ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2)
    return ax


def combined(found: CombinedMeans, ax: Any = None) -> Any:
    """Draw the combined means of systems with their intervals; diamonds are the means by people alone."""
    m = len(found.low)
    with canvas(ax, height=max(1.6, 0.75 + row_height(m) * m)) as ax:
        fitting(ax, m)
        places = np.arange(m)
        ax.hlines(places, found.low, found.high, color=BLUE, linewidth=2.2 if m <= 40 else 1.4, alpha=0.55)
        ax.plot(
            found.human, places, "D", markerfacecolor="white", markeredgecolor=GREY, markeredgewidth=0.8, markersize=3,
            label=found.alone,
        )  # fmt: skip
        ax.plot(found.means.shown(), places, "o", color=DARK, markersize=3, label="combined")
        name_places(ax, found.means.systems)
        ax.set_ylim(m - 0.4, -0.6)
        ax.set_xlabel(f"mean score, {100 * found.settings['confidence_level']:g}% interval")
        ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2, fontsize="x-small")
    return ax


def rank_intervals(found: RankIntervals, ax: Any = None) -> Any:
    """Draw each system's rank interval as a line, its observed rank as a dot, and borders as dashed lines."""
    whole, drawn = len(found.systems), _drawn(len(found.systems), found.borders)
    left_out = np.diff(drawn, prepend=-1) - 1
    places = np.arange(len(drawn)) + np.cumsum(left_out > 0)  # an empty row shows that systems are left out
    rows = int(places[-1]) + 1
    with canvas(ax, height=max(1.6, 0.6 + row_height(rows) * rows)) as ax:
        fitting(ax, rows)
        for k in {*found.borders} & {*drawn}:
            ax.axhline(places[list(drawn).index(k)] - 0.5, color=DARK, linewidth=0.8, linestyle="--", zorder=1)
        ax.hlines(places, found.low[drawn], found.high[drawn], color=BLUE, linewidth=2.5, zorder=2)
        ax.plot(found.observed[drawn], places, "o", color=VERMILLION, markersize=3.5, zorder=3)
        labels: list[str] = [""] * rows
        for k, place in zip(drawn, places, strict=True):
            labels[place] = found.systems[k]
        for at in np.flatnonzero(left_out):
            labels[places[at] - 1] = f"({drawn[at] - left_out[at] + 1} to {drawn[at]} not shown)"
        name_places(ax, labels)
        ax.set_ylim(rows - 0.5, -0.5)
        ax.set_xlim(0.5 - 0.02 * whole, whole + 0.5 + 0.02 * whole)
        number_ranks(ax, whole)
        scope = "all systems together" if found.simultaneous else "each system by itself"
        # Long names leave little width to the axes, so titles wider than the axes extend over the names.
        ax.set_xlabel(f"rank, {100 * found.confidence_level:g}% interval for {scope}", fontsize="small", loc="right")
        if len(drawn) < whole:
            note = f"{len(drawn)} of {whole} systems: the first, the last, and those at borders"
            ax.set_title(note, fontsize="x-small", loc="right")
    return ax


def _drawn(whole: int, borders: Sequence[int]) -> IntArray:
    """Choose the systems to draw: all, or the first 20, the last 10, those at borders, and more of the first."""
    if whole <= MOST_DRAWN:
        return np.arange(whole)
    beside = [k for border in borders for k in (border - 1, border)]
    order = dict.fromkeys([*range(20), *range(whole - 10, whole), *beside, *range(whole)])
    return np.sort(list(order)[:MOST_DRAWN])
