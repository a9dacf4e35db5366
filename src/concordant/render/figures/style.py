"""Define the house style of figures (sizes, fonts and colours), and save figures."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from ...errors import InputError, InputTypeError, import_extra
from ...render.outputs import FIGURE, written_whole

COLUMN = 3.3  # inches: one of the two columns of a page
TEXT = 7.0  # inches: both columns
TALLEST = 9.0  # inches: a page without the caption

# The colours of Okabe and Ito, which colour-blind readers can also tell apart. Their yellow is too pale for lines.
BLUE, VERMILLION, GREEN, ORANGE, SKY, PURPLE, BLACK = (
    "#0072B2", "#D55E00", "#009E73", "#E69F00", "#56B4E9", "#CC79A7", "#000000",
)  # fmt: skip
SERIES = (BLUE, VERMILLION, GREEN, ORANGE, PURPLE, SKY, BLACK)
MARKS = "os^vDPX"
GREY, LIGHT, DARK = "0.55", "0.82", "0.25"

FORMATS = ("pdf", "svg", "png")

STYLE = str(Path(__file__).with_name("house.mplstyle"))
"""The style file with sizes and fonts. Its font comes with matplotlib, so figures look the same everywhere."""

_WIDTH: ContextVar[float | None] = ContextVar("width", default=None)


@contextmanager
def style(width: float = COLUMN) -> Iterator[None]:
    """Draw in the house style; new figures are `width` inches wide.

    Results draw new figures in this style by default, one column wide. Use this for another width, or for your own
    axes.

    Examples
    --------
    >>> import concordant as cc
    >>> from concordant.render import figures as plots
    >>> with plots.style(width=7):
    ...     ax = cc.judge_worth(cc.load_collection("people"), cc.load_collection("hasty")).plot()
    >>> float(ax.figure.get_figwidth())
    7.0

    """
    if not width > 0:
        raise InputError(f"width is {width!r}: give inches, such as 3.3 for a column and 7 for a page")
    import_extra("matplotlib.pyplot")
    asked = _WIDTH.set(float(width))
    try:
        with import_extra("matplotlib.style").context(STYLE):
            yield
    finally:
        _WIDTH.reset(asked)


def new_width() -> float:
    """Return the width of new figures in inches."""
    return _WIDTH.get() or COLUMN


def grown(height: float) -> float:
    """Scale the height of a one-column figure to the width of new figures."""
    return height * min(new_width(), 5.0) / COLUMN


@contextmanager
def canvas(ax: Any = None, height: float = 2.5) -> Iterator[Any]:
    """Yield the axes to draw on: the given axes, in their own style, or new axes in the house style."""
    if ax is not None:
        if not hasattr(ax, "tick_params"):
            raise InputTypeError(f"ax is a {type(ax).__name__}: give axes of matplotlib, or leave it out for new ones")
        yield ax
        return
    with canvases(1, height) as made:
        yield made[0]


@contextmanager
def canvases(count: int, height: float) -> Iterator[list[Any]]:
    """Yield new axes in the house style, one below the other."""
    pyplot, width, height = import_extra("matplotlib.pyplot"), new_width(), min(height, TALLEST)
    with import_extra("matplotlib.style").context(STYLE):
        figure = pyplot.figure(figsize=(width, height))
        figure.subplots_adjust(bottom=min(0.45 / height, 0.4), top=max(1 - 0.1 / height, 0.6))  # near the final layout
        figure.set_layout_engine("constrained")
        made = [figure.add_subplot(count, 1, k + 1) for k in range(count)]
        for ax in made:  # ticks that are made later must not fall back to another style
            for which in "xy":
                names = {"labelsize": "labelsize", "width": "major.width", "length": "major.size"}
                ax.tick_params(axis=which, **{k: pyplot.rcParams[f"{which}tick.{v}"] for k, v in names.items()})
        yield made


def check_format(path: str | os.PathLike[str]) -> str:
    """Return the format of a figure file from its ending, or raise an error if figures cannot have that ending."""
    ending = Path(path).suffix.lower().removeprefix(".")
    if ending not in FORMATS:
        have = f"ends in .{ending}" if ending else "has no ending"
        raise InputError(f"{os.fspath(path)} {have}: a figure is written to .{', .'.join(FORMATS[:-1])} or .png")
    return ending


def figure_of(ax: Any) -> Any:
    """Return the figure that contains these axes, which may be given as a list."""
    return ax.figure if hasattr(ax, "figure") else ax[0].figure


def save(ax: Any, path: str | os.PathLike[str]) -> None:
    """Write the figure that contains these axes to a .pdf, .svg or .png file, completely or not at all.

    Text stays text in .pdf and .svg, so that it can be searched and scaled. The same figure gives the same bytes.

    Examples
    --------
    >>> import concordant as cc
    >>> from concordant.render import figures as plots
    >>> ax = cc.judge_worth(cc.load_collection("people"), cc.load_collection("hasty")).plot()
    >>> plots.save(ax, "worth.pdf")  # doctest: +SKIP

    """
    kind = check_format(path)
    undated = {"pdf": {"CreationDate": None}, "svg": {"Date": None}, "png": {}}[kind]
    drawn = io.BytesIO()  # in memory, since matplotlib prints a traceback if the disk is full
    with import_extra("matplotlib.style").context(STYLE):
        figure_of(ax).savefig(drawn, format=kind, metadata=undated)
    with written_whole(path, FIGURE) as file:
        file.write(drawn.getvalue())
