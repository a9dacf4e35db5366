"""Draw the distribution that a statistic has by chance, and mark the observed value."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ...errors import p_equals
from .labels import number_across, sides_of
from .style import DARK, LIGHT, VERMILLION, canvas, grown

if TYPE_CHECKING:
    from ...data.results import Findings


def rank_test(found: Findings, ax: Any = None) -> Any:
    """Draw the rank distances of resampled topics, the candidate's distance and the critical value."""
    with canvas(ax, height=grown(2.3)) as ax:
        ax.hist(found.distances, bins=40, color=LIGHT)
        ax.set_xlabel("rank distance")
        ax.set_ylabel("resamples")
        label = f"{sides_of(found)[1]} {found.distance:.2f}, {p_equals(found.pvalue)}"
        ax.axvline(found.distance, color=VERMILLION, linewidth=1.6, label=label)
        if math.isfinite(found.critical_value):
            label = f"critical, alpha = {found.alpha:g}"
            ax.axvline(found.critical_value, color=DARK, linestyle="--", linewidth=1, label=label)
        number_across(ax, 6)
        # Put the legend above the bars, so that it hides none of them.
        ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2, fontsize="x-small", columnspacing=1)
    return ax
