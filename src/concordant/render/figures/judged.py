"""What a judge does to the ranking: the judge card, rank changes, agreement on significance, soft accuracy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .intervals import Row, forest, worths
from .labels import name_places, number_ticks, sides_of, symbol, text
from .style import BLUE, DARK, GREY, LIGHT, SERIES, VERMILLION, canvas

if TYPE_CHECKING:
    from ...data.results import Findings


def card(found: Findings, ax: Any = None) -> Any:
    """What each judge's topics are worth, with tau_b and soft pairwise accuracy beside it."""
    with canvas(ax, height=0.85 + 0.2 * max(len(found.judges), 2)) as ax:
        worths([judge.worth for judge in found.judges], ax)
        ax.annotate(
            f"{symbol('tau_b')}      SPA", (1, 1), (3, 3), xycoords="axes fraction", textcoords="offset points",
            va="bottom", fontsize="x-small", annotation_clip=False,
        )  # fmt: skip
        for k, judge in enumerate(found.judges):
            ax.annotate(
                f"{judge.tau_b:.3f}  {judge.soft_accuracy.value:.3f}", (1, k), (3, 0),
                xycoords=("axes fraction", "data"), textcoords="offset points", va="center", fontsize="x-small",
                annotation_clip=False,
            )  # fmt: skip
    return ax


def rank_changes(found: Findings, ax: Any = None, *, most: int = 20) -> Any:
    """By how many ranks systems rise and drop; those that move most."""
    rows = [row for row in found.rows() if row["change"]]
    shown = sorted(sorted(rows, key=lambda row: -abs(row["change"]))[:most], key=lambda row: row["change"])
    with canvas(ax, height=max(1.2, 0.65 + 0.145 * len(shown))) as ax:
        changes = [-row["change"] for row in shown]
        ax.barh(np.arange(len(shown)), changes, color=[VERMILLION if c < 0 else BLUE for c in changes], height=0.72)
        name_places(ax, [row["system"] for row in shown])
        ax.set_ylim(max(len(shown), 1) - 0.4, -0.6)
        ax.axvline(0, color=DARK, linewidth=0.6)
        number_ticks(ax, "x", 5)
        ax.set_xlabel(f"ranks gained by {sides_of(found)[1]}")
        if len(shown) < len(rows):
            ax.set_title(f"the {len(shown)} of {len(rows)} that move most", fontsize="small")
    return ax


def significance(found: Findings, ax: Any = None) -> Any:
    """All pairs, by who finds them significant: in the same direction to the right, in the other to the left."""
    truth, candidate = sides_of(found)
    kinds = (
        ("both", found.active_agreements, found.active_disagreements),
        (f"{truth} only", *found.truth_only),
        (f"{candidate} only", *found.candidate_only),
        ("neither", found.passive_agreements, found.passive_disagreements),
    )
    with canvas(ax, height=1.5) as ax:
        places = np.arange(len(kinds))
        ax.barh(places, [same for _, same, _ in kinds], color=BLUE, label="same direction")
        ax.barh(places, [-other for *_, other in kinds], color=VERMILLION, label="other direction")
        name_places(ax, [label for label, *_ in kinds])
        ax.set_ylim(len(kinds) - 0.4, -0.6)
        ax.axvline(0, color=DARK, linewidth=0.6)
        ax.xaxis.set_major_formatter(lambda x, _: f"{abs(x):g}")
        ax.set_xlabel(f"pairs that are significant, alpha = {found.settings['alpha']:g}")
        ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2, fontsize="x-small")
    return ax


def tie_calibration(found: Findings, ax: Any = None) -> Any:
    """The accuracies without a tolerance, with it, and on the topics that it was chosen on."""
    rows = [
        Row("no tolerance", found.uncalibrated),
        Row("calibrated", found.accuracy),
        Row("optimistic", found.optimistic),
    ]
    return forest(rows, "pairwise accuracy on each topic", ax)


def family_bias(found: Findings, ax: Any = None) -> Any:
    """By how much each family is favoured, with its interval; significant ones in another colour."""
    with canvas(ax, height=0.85 + 0.17 * max(len(found.families), 2)) as ax:
        ax.axvline(0.0, color=LIGHT, linewidth=0.8)
        rows = [Row(f.family, f.shift, f.interval.low, f.interval.high) for f in found.families]
        forest(rows, "favoured by, in standard deviations of the systems", ax)
        marked = [k for k, f in enumerate(found.families) if f.adjusted <= found.settings["alpha"]]
        ax.plot([rows[k].value for k in marked], marked, "o", color=SERIES[1])
    return ax


def gaming_gap(found: Findings, ax: Any = None) -> Any:
    """The mean rank of a system that asks the judge, by the judge and by people; where the favourite run ends."""
    people, judge = map(text, found.names)
    with canvas(ax) as ax:
        ks = [0, *(dose.k for dose in found.doses)]
        before = (found.n_systems + 1) / 2
        lines = (("rank_judge", judge, VERMILLION, "s"), ("rank_people", people, BLUE, "o"))
        for name, label, colour, mark in lines:
            ranks = [before, *(getattr(dose, name) for dose in found.doses)]
            ax.plot(ks, ranks, marker=mark, color=colour, label=f"rank by {label}")
        ax.axhline(before, color=GREY, linestyle=":", linewidth=0.8)
        ax.axhline(found.favourite_people, color=BLUE, linestyle="--", linewidth=0.8, label=f"favourite by {people}")
        ax.set_ylim(found.n_systems + 1, 0)
        ax.set_xlabel(f"documents re-ordered by {judge}")
        ax.set_ylabel("mean rank of a system")
        ax.legend(loc="lower right", fontsize="x-small")
    return ax
