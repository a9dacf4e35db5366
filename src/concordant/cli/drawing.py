"""`--plot FILE`: what a command found, as a figure."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ..errors import InputError
from .options import Figure, Format
from .terminal import say

if TYPE_CHECKING:
    from ..comparison_result import Comparison, Kind


def check_plot(path: Path | None) -> None:
    """Refuse a file that cannot be written, before anything is computed for it."""
    if path is None:
        return
    from ..plots.style import check_format

    try:
        check_format(path)
    except InputError as error:
        raise typer.BadParameter(f"--plot: {error}") from None
    if not path.absolute().parent.is_dir():
        raise typer.BadParameter(f"--plot: there is no folder {path.absolute().parent}")


def draw(path: Path | None, plot: Callable[[], Any], format: Format) -> None:
    """Draw and write it, if that was asked for, and say so where nothing else reads the output."""
    if path is None:
        return
    from ..errors import import_extra
    from ..plots.style import figure_of, save

    pyplot = import_extra("matplotlib.pyplot")
    pyplot.switch_backend("agg")  # no window, whatever is installed
    drawn = plot()
    save(drawn, path)
    pyplot.close(figure_of(drawn))
    if format is Format.table:
        say(f"\nFigure: {path}")


def check_figure(path: Path | None, kind: Figure | None, candidates: int) -> None:
    """Refuse a kind of figure without a file, or one that shows a single candidate for many."""
    check_plot(path)
    if kind is not None and path is None:
        raise typer.BadParameter("--plot-kind says what to draw: name the file with --plot")
    if kind not in (None, Figure.heatmap) and candidates > 1:
        raise typer.BadParameter(f"--plot-kind {kind} shows one candidate, and there are {candidates}: use heatmap")


def draw_comparisons(
    path: Path | None, kind: Figure | None, found: list[Comparison], format: Format, *, named: bool
) -> None:
    """One comparison in the way asked for; many as a table in colours, with the coefficients that are printed."""
    from .answer import SHOWN

    def plot() -> Any:
        if kind is Figure.heatmap or len(found) > 1:
            from ..plots import comparisons

            have = [v.coefficient for v in found[0].values]
            return comparisons(found, coefficients=have if named else [name for name in have if name in SHOWN])
        one: Kind = "scatter" if kind is None else kind.value  # type: ignore[assignment]
        return found[0].plot(one)

    draw(path, plot, format)
