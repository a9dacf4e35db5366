"""Draw tables as heatmaps, such as coefficients by judge or measure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ...errors import InputError
from .labels import LEAST, name_places, symbol
from .style import canvas

if TYPE_CHECKING:
    from ...agreement.comparison_result import Compared, Comparison

COLOURS = "cividis"  # looks the same to colour-blind readers, and prints well in grey


def heatmap(
    values: npt.ArrayLike,
    rows: Sequence[str],
    columns: Sequence[str],
    ax: Any = None,
    *,
    label: str = "",
    decimals: int = 2,
) -> Any:
    """Draw a table of numbers as colours, with the numbers if they fit; nan stays white."""
    table = np.asarray(values, dtype=float)
    if table.shape != (len(rows), len(columns)) or not table.size:
        raise InputError(f"values have the shape {table.shape}, but there are {len(rows)} rows, {len(columns)} columns")
    low, high = (np.nanmin(table), np.nanmax(table)) if not np.isnan(table).all() else (0.0, 1.0)
    with canvas(ax, height=max(1.8, 1.1 + 0.2 * len(rows))) as ax:
        image = ax.imshow(table, cmap=COLOURS, aspect="auto", vmin=low, vmax=high if high > low else low + 1e-9)
        name_places(ax, rows)
        name_places(ax, columns, "x", most=14)
        ax.spines[:].set_visible(True)
        bar = ax.figure.colorbar(image, ax=ax, pad=0.02)
        bar.set_label(label, fontsize="small")
        bar.ax.tick_params(labelsize="small")
        ax.figure.draw_without_rendering()  # compute the layout, to know whether the numbers fit
        box, point = ax.get_window_extent(), ax.figure.dpi / 72
        size = min(7.0, box.width / point / len(columns) / (decimals + 3) / 0.6, box.height / point / len(rows) / 1.2)
        for (i, j), value in np.ndenumerate(table) if size >= LEAST else ():
            bright = (value - low) / ((high - low) or 1) > 0.55
            shown, colour = ("–", "black") if np.isnan(value) else (f"{value:.{decimals}f}", "k" if bright else "w")
            ax.text(j, i, shown, ha="center", va="center", fontsize=size, color=colour)
    return ax


def comparisons(
    given: Sequence[Compared | Comparison], ax: Any = None, *, coefficients: Sequence[str] | None = None
) -> Any:
    """Draw the coefficients of several comparisons, which differ in the judge or in the measure."""
    found: list[Any] = [c for one in given for c in getattr(one, "comparisons", (one,))]
    if not found:
        raise InputError("there is no comparison to show: give a list of one or more results of compare")
    names = [v.coefficient for v in found[0].values] if coefficients is None else list(coefficients)
    by_measure = len({c.candidate for c in found}) == 1 and len({c.measure for c in found}) > 1
    across = [c.measure if by_measure else c.candidate for c in found]
    return heatmap([[c[name] for c in found] for name in names], names, across, ax, label="agreement")


def matrix(values: npt.ArrayLike, names: Sequence[str], coefficient: str, ax: Any = None) -> Any:
    """Draw a coefficient for all pairs of rankings. Rows are truths, and columns are candidates."""
    with canvas(ax, height=max(2.2, 1.3 + 0.22 * len(names))) as ax:
        heatmap(values, names, names, ax, label=symbol(coefficient))
        ax.set_xlabel("candidate")
        ax.set_ylabel("truth")
    return ax
