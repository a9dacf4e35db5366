"""Draw what a judge does to the ranking: the judge card, and how far a judge can be gamed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .intervals import worths
from .labels import symbol, text
from .style import BLUE, GREY, VERMILLION, canvas

if TYPE_CHECKING:
    from ...data.results import Findings


def card(found: Findings, ax: Any = None) -> Any:
    """Draw what each judge's topics are worth, with tau_b and soft pairwise accuracy (SPA) beside it."""
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


def gaming_gap(found: Findings, ax: Any = None) -> Any:
    """Draw the mean rank of a system that re-orders by the judge, ranked by the judge and by people."""
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
