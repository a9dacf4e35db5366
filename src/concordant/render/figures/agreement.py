"""Draw two rankings of the same systems: means against means, or ranks with a link for each system."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays import FloatArray, IntArray
from .labels import distinct, fitting, most_telling, place_beside, row_height, symbol, text
from .style import BLUE, GREY, LIGHT, PURPLE, VERMILLION, canvas, new_width

if TYPE_CHECKING:
    from ...agreement.comparison_result import Compared


def scatter(comparison: Compared, ax: Any = None, *, top: int = 10, named: int = 3) -> Any:
    """Plot the candidate's means against the truth's; mark the top k, ties, and the systems that move furthest."""
    truth, candidate = comparison.truth_means, comparison.candidate_means
    with canvas(ax, height=0.88 * min(new_width(), 4.5)) as ax:
        _orient(ax, comparison)
        tied = _link_ties(ax, comparison)
        best = truth >= np.sort(truth)[::-1][min(top, len(truth)) - 1]  # with all systems that tie with the k-th
        if not best.all():
            ax.plot(
                truth[~best], candidate[~best], "o", markerfacecolor="white", markeredgecolor=BLUE, markeredgewidth=0.8
            ).pop().set_label("others")
        label = None if best.all() else f"{best.sum()} best by {text(comparison.truth, 12)}"
        ax.plot(truth[best], candidate[best], "o", color=VERMILLION, label=label)
        ax.set_xlabel(_side(comparison.truth, comparison.measure, comparison.lower_is_better[0]))
        ax.set_ylabel(_side(comparison.candidate, comparison.measure, comparison.lower_is_better[1]))
        main = [f"{symbol(v.coefficient)} {v.value:.3f}" for v in comparison.main_values if not v.why]
        ax.set_title(", ".join(main), fontsize="medium")
        if tied or not best.all():
            ax.legend(loc="best")
        _name_movers(ax, comparison, named)
    return ax


def ranks(comparison: Compared, ax: Any = None, *, top: int = 10) -> Any:
    """Link ranks in the truth to ranks in the candidate; bars mark tied systems."""
    sides = [comparison.truth_means, comparison.candidate_means]
    order = np.lexsort((-sides[1], -sides[0]))
    rank = [1 + (side[None] > side[:, None]).sum(axis=1) for side in sides]
    kept, note = most_telling((rank[1] - rank[0])[order].tolist())
    drawn = order[kept]
    truth, candidate = (side[drawn] for side in sides)
    names = distinct([comparison.systems[k] for k in drawn], 16)
    m = len(drawn)
    left, right = _places(truth, candidate), _places(candidate, truth)
    own, other = text(comparison.truth, 18), text(comparison.candidate, 18)
    with canvas(ax, height=0.75 + row_height(m) * m) as ax:
        size, step = fitting(ax, m)
        for k in np.argsort(np.abs(left - right), kind="stable"):
            shift = rank[0][drawn[k]] - rank[1][drawn[k]]
            colour = GREY if shift == 0 else BLUE if shift > 0 else VERMILLION
            width = 1.6 if rank[0][drawn[k]] <= top else 0.7
            ax.plot([0, 1], [left[k], right[k]], color=colour, linewidth=width, solid_capstyle="round")
        for k, (places, values) in enumerate(((left, truth), (right, candidate))):
            for group in _groups(values):
                ax.plot([k, k], [places[group].min() - 0.3, places[group].max() + 0.3], color=PURPLE, linewidth=2.5)
            _name_ends(ax, names, places, rank[k][drawn], (k, size, step))
        key = {f"higher by {text(comparison.candidate, 12)}": BLUE, "lower": VERMILLION, "same": GREY}
        if any(len(_groups(values)) for values in (truth, candidate)):
            key["tied"] = PURPLE
        for label, colour in key.items():
            ax.plot([], [], color=colour, linewidth=2, label=label)
        ax.legend(
            loc="upper center", bbox_to_anchor=(0.5, 0), ncols=len(key), fontsize="x-small", columnspacing=0.8,
            handlelength=1, title=note.replace(": ", ":\n"), title_fontsize="x-small",
        )  # fmt: skip
        ax.set_xlim(-0.03, 1.03)
        ax.set_ylim(m - 0.4, -0.6)
        ax.set_xticks([0, 1], [own, other])
        ax.xaxis.tick_top()
        ax.tick_params(axis="both", length=0)
        ax.set_yticks([])
        ax.spines[:].set_visible(False)
    return ax


def _orient(ax: Any, comparison: Compared) -> None:
    """Draw the diagonal if both sides have the same direction, and label the axes.

    An error measure is drawn as its negative, but labelled with its own values.
    """
    lower, x, y = comparison.lower_is_better, comparison.truth_means, comparison.candidate_means
    if lower[0] == lower[1]:
        ends = [min(x.min(), y.min()), max(x.max(), y.max())]
        ax.plot(ends, ends, color=LIGHT, linewidth=1, zorder=1)
    for axis, changed in zip((ax.xaxis, ax.yaxis), lower, strict=True):
        if changed:
            axis.set_major_formatter(lambda value, _: f"{0.0 - value:g}")


def _side(name: str, measure: str, lower: bool) -> str:
    better = " (lower is better)" if lower else ""
    return text(name, 30) + (f", {text(measure, 16)}" if measure else "") + better


def _groups(values: FloatArray) -> list[IntArray]:
    """Return the positions of the systems in each group of equal means."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    return [np.flatnonzero(inverse == k) for k in np.flatnonzero(counts > 1)]


def _link_ties(ax: Any, comparison: Compared) -> bool:
    """Draw a line through each group of systems that a side ties, and return whether there are any ties."""
    truth, candidate = comparison.truth_means, comparison.candidate_means
    sides = ((comparison.truth, ":", truth), (comparison.candidate, "-", candidate))
    groups = [(group, side, line) for side, line, values in sides for group in _groups(values)]
    seen = set()
    for group, side, line in groups:
        label = f"tied by {text(side, 12)}" if side not in seen else None
        x, y = truth[group], candidate[group]
        ax.plot([x.min(), x.max()], [y.min(), y.max()], line, color=PURPLE, linewidth=1.4, zorder=1.5, label=label)
        seen.add(side)
    return bool(groups)


def _places(by: FloatArray, then: FloatArray) -> IntArray:
    """Number the systems from 0, best first. Order ties by the other side, so that their links do not cross."""
    places = np.empty(len(by), dtype=np.int64)
    places[np.lexsort((-then, -by))] = np.arange(len(by))
    return places


def _name_movers(ax: Any, comparison: Compared, most: int) -> None:
    """Name the systems whose ranks differ most, if they differ by at least a tenth of the number of systems."""
    truth, candidate = comparison.truth_means, comparison.candidate_means
    above = [(v[None] > v[:, None]).sum(axis=1) for v in (truth, candidate)]
    shift = above[0] - above[1]
    moved = [k for k in np.argsort(-np.abs(shift), kind="stable")[:most] if abs(shift[k]) >= max(1, len(truth) / 10)]
    place_beside(ax, {int(k): text(comparison.systems[k], 18) for k in moved}, truth.tolist(), candidate.tolist())


def _name_ends(ax: Any, names: Sequence[str], places: IntArray, ranks: IntArray, end: tuple[int, float, int]) -> None:
    """Write the names and ranks of the systems at one end of their links."""
    side, size, step = end
    for system, place, rank in zip(names, places, ranks, strict=True):
        if place % step == 0:
            name = text(system, 16)
            ax.annotate(
                f"{name}  {rank}" if side == 0 else f"{rank}  {name}", (side, place),
                (-4 if side == 0 else 4, 0), textcoords="offset points", fontsize=size, va="center",
                ha="right" if side == 0 else "left", annotation_clip=False,
            )  # fmt: skip
