"""Draw the distribution of a statistic by chance, and mark the observed value."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import p_equals
from .labels import number_across, sides_of, symbol
from .style import DARK, LIGHT, VERMILLION, canvas, grown

if TYPE_CHECKING:
    from ...data.results import Findings
    from ...inference.nulls import NullDistribution


def rank_test(found: Findings, ax: Any = None) -> Any:
    """Draw the rank distances of resampled topics, the candidate's distance and the critical value."""
    with canvas(ax, height=grown(2.3)) as ax:
        ax.hist(found.distances, bins=40, color=LIGHT)
        ax.set_xlabel("rank distance")
        ax.set_ylabel("resamples")
        _mark(ax, found.distance, f"{sides_of(found)[1]} {found.distance:.2f}, {p_equals(found.pvalue)}")
        if math.isfinite(found.critical_value):
            label = f"critical, alpha = {found.alpha:g}"
            ax.axvline(found.critical_value, color=DARK, linestyle="--", linewidth=1, label=label)
        _key(ax)
    return ax


def null(found: NullDistribution, ax: Any = None, value: float | None = None) -> Any:
    """Draw the distribution over all rankings as bars, and a value with its p-value."""
    with canvas(ax, height=grown(2.3)) as ax:
        steps = found.m * (found.m - 1) // 2
        if found.coefficient == "tau" and steps <= 200:  # a bar for each value
            values = np.linspace(-1, 1, steps + 1)
            ax.bar(values, np.diff(found.cdf(values), prepend=0.0), width=1.6 / steps, color=LIGHT)
        else:
            edges = min(1.0, 4 * found.std) * np.linspace(-1, 1, 41)
            at_most = np.asarray(found.cdf(edges))
            at_most[0] = 0.0
            ax.bar(edges[:-1], np.diff(at_most), width=np.diff(edges), align="edge", color=LIGHT)
        if value is not None:
            _mark(ax, value, f"value {value:.3f}, {p_equals(float(found.pvalue(value)))}")
            _key(ax)
        ax.set_xlabel(f"{symbol(found.coefficient)} of random rankings of {found.m} systems")
        ax.set_ylabel("probability")
    return ax


def _mark(ax: Any, value: float, label: str) -> None:
    ax.axvline(value, color=VERMILLION, linewidth=1.6, label=label)


def _key(ax: Any) -> None:
    """Put the legend above the bars, so that it hides none."""
    number_across(ax, 6)
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2, fontsize="x-small", columnspacing=1)
